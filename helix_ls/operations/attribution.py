"""Detect the attribution of notes from the machine: the default of the four layers where a request names none."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Mapping

from helix_core.memory import UNNAMED, attributed
from helix_core.model import Attribution, MemoryOrigin

LOCALTIME = "/etc/localtime"


def attribution(given: Mapping[str, str], environ: Mapping[str, str]) -> Attribution:
    """Return the attribution of what is written now; ``given`` are the members of the request.

    Who gives an agent's name is an agent, even where nothing is left of that name, as of a space: never a person.
    """
    found = attributed(given, environ, user=_user(), host=socket.gethostname(), timezone=_timezone(environ))
    is_agent = bool(given.get("agent_handle") or given.get("agent_id"))
    return found._replace(agent=UNNAMED) if is_agent and not found.agent else found


def by_of(agent: str, origin: str = MemoryOrigin.USER.value) -> Attribution:
    """Return the attribution of the caller, from this machine; ``agent`` is the name of a calling program.

    Without a name it is a person only where the ``origin`` says so: a key shows that a caller may ask, not who it is.
    """
    found = attribution({"agent_handle": agent} if agent else {}, os.environ)
    is_told = bool(found.agent) or origin == MemoryOrigin.USER.value
    return found if is_told else found._replace(agent=UNNAMED)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # The user id has no entry in the password database, as in some containers.
        return ""


def _timezone(environ: Mapping[str, str]) -> str:
    """Return the IANA name of the machine's time zone, or an empty string if it is unknown."""
    if named := environ.get("TZ", "").lstrip(":"):
        return named
    try:
        _, found, name = os.readlink(LOCALTIME).partition("zoneinfo/")
    except OSError:
        return ""
    return name if found else ""
