"""The commands that only a person may give, one table for every surface: an agent that gives one is refused.

The command line asks before a verb begins (``refuse_agents``). An operation that is for persons alone names its row
(``Operation.person``), and is refused on every other surface. What both may do, and what becomes of it then, is the
operation's own affair. Imports no operation, as every command loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from helix_core.tuples import NamedTuple

STRAND_READS = frozenset({"import", "verify", "diff", "keys"})
TRAIL_READS = frozenset({"log", "diff"})


class PersonCommand(NamedTuple):
    """A verb that only a person may give, or give with certain arguments.

    ``is_persons`` tells from the arguments of the command line. ``typed`` is what a person types behind ``helix`` for
    an operation, with the names of its arguments in braces; empty where no operation does the same.
    """

    verb: str
    is_persons: Callable[[Mapping[str, Any]], bool]
    typed: str = ""


def _always(_given: Mapping[str, Any]) -> bool:
    return True


def _is_of_persons_strand(given: Mapping[str, Any]) -> bool:
    """The rest signs with the user's keys, changes who opens a file, or whom the user believes; trust alone lists."""
    return given["action"] not in STRAND_READS and (given["action"] != "trust" or bool(given["files"]))


FORGET_TRAIL_COMMAND = PersonCommand("where", lambda given: bool(given["forget"]), "where --forget")
REVIEW_COMMAND = PersonCommand(
    "review", lambda given: any(map(given.get, ("approve", "reject", "archive"))), "review --{decision} {id}"
)
ROLLBACK_COMMAND = PersonCommand("rollback", _always, "rollback {to}")
PURGE_COMMAND = PersonCommand("purge", _always, "purge {id}")
STRAND_EXPORT_COMMAND = PersonCommand("strand", _is_of_persons_strand, "strand export {file}")
STRAND_TRUST_COMMAND = PersonCommand("strand", _is_of_persons_strand, "strand trust {signer}")

PERSON_COMMANDS = (
    FORGET_TRAIL_COMMAND,
    REVIEW_COMMAND,
    ROLLBACK_COMMAND,
    PURGE_COMMAND,
    STRAND_EXPORT_COMMAND,
    STRAND_TRUST_COMMAND,
    PersonCommand("embed", lambda given: given["action"] in ("setup", "off") and not given["recommend"]),
    # Their link opens a page where the user decides.
    PersonCommand("up", _always),
    PersonCommand("dashboard", _always),
    PersonCommand(
        "connect",
        lambda given: given["client"] == "admin" or any(map(given.get, ("write", "key", "forget_key"))),
    ),
    PersonCommand("maintain", lambda given: bool(given["archive"])),
    PersonCommand("trail", lambda given: given["action"] not in TRAIL_READS),
    PersonCommand("config", lambda given: given["keep_chats"] is not None),
    PersonCommand("daemon", lambda given: given["action"] == "install" and bool(given["write"])),
)


def is_for_a_person(verb: str, given: Mapping[str, Any]) -> bool:
    """Return whether a command of the command line, a verb with these arguments, is one that only a person may give."""
    return any(each.is_persons(given) for each in PERSON_COMMANDS if each.verb == verb)


def refuse_agents(verb: str, given: Mapping[str, Any], typed: Sequence[str], environ: Mapping[str, str]) -> None:
    """Raise UsageError where an agent gives a command of the command line that only a person may.

    The agent is the one that ``HELIX_AGENT`` of ``environ`` names; ``typed`` are the words behind ``helix``.
    """
    if not is_for_a_person(verb, given):
        return
    from helix_ls.operations.attribution import attribution

    if attribution({}, environ).agent:
        import shlex

        from helix_core.engine.memory import only_a_person

        raise only_a_person(shlex.join(["helix", *typed]))
