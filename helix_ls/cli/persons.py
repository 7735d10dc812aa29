"""What only a person may do at the terminal, by verb: a command of an agent that would is refused before it begins.

The agent is the one that ``HELIX_AGENT`` names. What both may do, and what becomes of it then, is the operation's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from helix_ls.cli.output import environment

STRAND_READS = frozenset({"import", "verify", "diff", "keys"})
TRAIL_READS = frozenset({"log", "diff"})


def _always(_given: Mapping[str, Any]) -> bool:
    return True


def _is_of_persons_strand(given: Mapping[str, Any]) -> bool:
    """The rest signs with the user's keys, changes who opens a file, or whom the user believes; trust alone lists."""
    return given["action"] not in STRAND_READS and (given["action"] != "trust" or bool(given["files"]))


FOR_PERSONS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "where": lambda given: bool(given["forget"]),
    "embed": lambda given: given["action"] in ("setup", "off") and not given["recommend"],
    # Their link opens a page where the user decides.
    "up": _always,
    "dashboard": _always,
    "connect": lambda given: given["client"] == "admin" or any(map(given.get, ("write", "key", "forget_key"))),
    "review": lambda given: any(map(given.get, ("approve", "archive"))),
    "rollback": _always,
    "maintain": lambda given: bool(given["archive"]),
    "purge": _always,
    "trail": lambda given: given["action"] not in TRAIL_READS,
    "strand": _is_of_persons_strand,
    "config": lambda given: given["keep_chats"] is not None,
    "daemon": lambda given: given["action"] == "install" and bool(given["write"]),
}
"""By verb, whether a command with these arguments is a person's alone; of a verb that is not here none is."""


def refuse_agents(verb: str, given: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Raise UsageError where an agent gives a command that only a person may; ``typed`` are its words behind helix."""
    is_persons = FOR_PERSONS.get(verb)
    if is_persons is None or not is_persons(given):
        return
    from helix_ls.operations.attribution import attribution

    if attribution({}, environment()).agent:
        import shlex

        from helix_core.engine.memory import only_a_person

        raise only_a_person(shlex.join(["helix", *typed]))
