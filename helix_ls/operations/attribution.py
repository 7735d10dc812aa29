"""Whose this process is, as far as the machine tells: what stands for the four layers where nobody names them."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Mapping

from helix_core.memory import attributed
from helix_core.model import Attribution

LOCALTIME = "/etc/localtime"


def attribution(given: Mapping[str, str], environ: Mapping[str, str]) -> Attribution:
    """The layers of what is kept now; ``given`` are members of a request."""
    return attributed(given, environ, user=_user(), host=socket.gethostname(), timezone=_timezone(environ))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A user without a name in any table, as in some containers.
        return ""


def _timezone(environ: Mapping[str, str]) -> str:
    """The IANA name, where the machine tells it; else empty."""
    if named := environ.get("TZ", "").lstrip(":"):
        return named
    try:
        _, found, name = os.readlink(LOCALTIME).partition("zoneinfo/")
    except OSError:
        return ""
    return name if found else ""
