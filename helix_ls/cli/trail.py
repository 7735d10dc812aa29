"""``helix trail``: versions, flags and files of the record of what was opened."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import UsageError
from helix_core.printable import count, one_line
from helix_ls.cli.opened import opened
from helix_ls.cli.options import HERE, Json, PassphraseFile, PathOption, Recipients, Recovery, RecoveryFile
from helix_ls.cli.output import print_json, print_text, warn, working_folder

if TYPE_CHECKING:
    from helix_core.engine import Helix
    from helix_core.engine.memory import WorkspaceTrail
    from helix_core.phase import TrailLog

PLAIN, SEALED = ".hx", ".hxe"


class TrailAction(StrEnum):
    """Actions of ``helix trail``."""

    LOG = "log"
    COMMIT = "commit"
    ROLLBACK = "rollback"
    DIFF = "diff"
    FLAG = "flag"
    EXPORT = "export"
    IMPORT = "import"


_NAMES = {TrailAction.LOG: 0, TrailAction.DIFF: 2}
_OF_WORDS = (TrailAction.COMMIT, TrailAction.FLAG)
_ASKED = {
    TrailAction.LOG: "log takes no name",
    TrailAction.COMMIT: "name the version with a label",
    TrailAction.ROLLBACK: "name a version by its number, as helix trail log lists them",
    TrailAction.DIFF: "name two versions by their numbers, as helix trail log lists them",
    TrailAction.FLAG: "name the flag",
    TrailAction.EXPORT: f"name a new {PLAIN} or {SEALED} file",
    TrailAction.IMPORT: f"name a {PLAIN} or {SEALED} file",
}


def trail(
    action: Annotated[
        TrailAction, typer.Argument(metavar="ACTION", help="log, commit, rollback, diff, flag, export, import.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="A label for commit, a number for rollback, two for diff, a flag's name, or a .hx or .hxe file.",
        ),
    ] = None,
    *,
    passphrase_file: PassphraseFile = "",
    recovery_file: RecoveryFile = "",
    recipient: Recipients = None,
    recovery: Recovery = False,
    path: PathOption = HERE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check, and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Mark, compare and restore states of the trail of opened places, and carry it in a .hx or sealed .hxe file."""
    # A label or a flag of several words needs no quotes.
    given = [" ".join(names)] if names and action in _OF_WORDS else names or []
    if len(given) != _NAMES.get(action, 1):
        raise UsageError(_ASKED[action])
    kind = _kind_of(given[0]) if action in (TrailAction.EXPORT, TrailAction.IMPORT) else ""
    _refuse_what_does_not_fit(action, kind, passphrase_file, recovery_file, recipient or [], recovery=recovery)
    match action:
        case TrailAction.LOG:
            answer = _with_trail(path, lambda kept: kept.history())
        case TrailAction.COMMIT:
            answer = _with_trail(path, lambda kept: kept.commit(given[0], time.time(), dry_run=dry_run))
        case TrailAction.ROLLBACK:
            number = _number(given[0])
            answer = _with_trail(path, lambda kept: kept.rollback(number, time.time(), dry_run=dry_run))
        case TrailAction.DIFF:
            before, after = map(_number, given)
            answer = _with_trail(path, lambda kept: kept.diff(before, after))
        case TrailAction.FLAG:
            answer = _with_trail(path, lambda kept: kept.flag(given[0], dry_run=dry_run))
        case TrailAction.EXPORT:
            with opened(path) as helix:
                answer = _exported(
                    helix, given[0], passphrase_file, recipient or [], recovery=recovery, dry_run=dry_run
                )
        case TrailAction.IMPORT:
            log = _read(given[0], kind, passphrase_file, recovery_file)
            answer = _with_trail(path, lambda kept: kept.imported(log, dry_run=dry_run))
    if as_json:
        print_json(answer)
        return
    warn(answer.get("notes", ()))
    print_text("".join(f"{one_line(line)}\n" for line in _lines(action, answer)))


def _with_trail(path: Any, act: Callable[[WorkspaceTrail], dict[str, Any]]) -> dict[str, Any]:
    with opened(path) as helix:
        return act(helix.trail)


def _exported(
    helix: Helix, file: str, passphrase_file: str, recipients: list[str], *, recovery: bool, dry_run: bool
) -> dict[str, Any]:
    """Write the trail to a new file."""
    from helix_core.phase import log_bytes
    from helix_ls.host.strand_files import require_free, write_strand

    target, kind = working_folder() / file, _kind_of(file)
    require_free(target, file, replaces=False, kind=kind)
    log, code = helix.trail.log(), ""
    if kind == SEALED:
        import secrets

        from helix_core.engine.memory import sealed_trail
        from helix_ls.cli.strand_actions import data_folder, locks_of, passphrase_of, signing_keys

        locks, code = locks_of(passphrase_of(passphrase_file), recipients, recovery)
        keys = signing_keys(data_folder())
        data = sealed_trail(log, keys=keys, locks=locks, random=secrets.token_bytes, at=time.time())
    else:
        data = log_bytes(log)
    if not dry_run:
        write_strand(target, file, data, replaces=False, kind=kind)
    return {
        "schema": "helix.trailExported/1",
        "exported": not dry_run,
        "dry_run": dry_run,
        "events": len(log.entries),
        "flags": len(log.flags),
        "sealed": kind == SEALED,
        "size_bytes": len(data),
        **({"recovery_code": code} if code and not dry_run else {}),
    }


def _read(file: str, kind: str, passphrase_file: str, recovery_file: str) -> TrailLog:
    """Return the log of a file, checked whole. Raises what reading and opening raise."""
    from helix_core.phase import read_log
    from helix_ls.host.strand_files import StrandAccess, read_strand

    data = read_strand(working_folder() / file, file, kind=kind)
    if kind == PLAIN:
        return read_log(data)
    from helix_core.engine.memory import opened_trail
    from helix_ls.cli.strand_actions import data_folder, key_of

    folder = data_folder()
    access = StrandAccess.read(folder)
    trusted = {*access.pins, *((access.own,) if access.own else ())}
    return opened_trail(data, key_of(folder, passphrase_file, recovery_file), trusted)


def _kind_of(file: str) -> str:
    kind = next((each for each in (PLAIN, SEALED) if file.endswith(each)), "")
    if not kind:
        raise UsageError(f"{one_line(file)[:80]} is neither a {PLAIN} nor a {SEALED} file; name one")
    return kind


def _number(typed: str) -> int:
    if not typed.isascii() or not typed.isdigit() or len(typed) > 15:
        raise UsageError(f"{typed[:40]!a} is not a version; helix trail log lists them")
    return int(typed)


def _refuse_what_does_not_fit(
    action: TrailAction,
    kind: str,
    passphrase_file: str,
    recovery_file: str,
    recipients: list[str],
    *,
    recovery: bool,
) -> None:
    """Raise UsageError for an option that the action would ignore."""
    exports, imports = action is TrailAction.EXPORT, action is TrailAction.IMPORT
    is_sealed = kind == SEALED
    fits = {
        "--passphrase-file": (passphrase_file, is_sealed),
        "--recovery-file": (recovery_file, is_sealed and imports),
        "--recipient": (recipients, is_sealed and exports),
        "--recovery": (recovery, is_sealed and exports),
    }
    for option, (given, is_fitting) in fits.items():
        if given and not is_fitting:
            raise UsageError(f"{option} is for {SEALED} files; leave it out of this {action}")


def _lines(action: TrailAction, answer: dict[str, Any]) -> Iterator[str]:
    would = "would be " if answer.get("dry_run") else ""
    match action:
        case TrailAction.LOG:
            for version in answer["versions"]:
                undone = f"back to {version['undoes']}" if version["undoes"] is not None else version["label"]
                yield f"{version['number']:>4}  {_step(version['head'])}  {_when(version['at'])}  {undone}"
            yield from (f"flag  {flag}" for flag in answer["flags"])
            steps, versions = count(answer["steps"], "step"), count(len(answer["versions"]), "version")
            yield f"{steps}, at {_step(answer['head'])}; {versions}"
        case TrailAction.COMMIT | TrailAction.ROLLBACK:
            done = "marked" if action is TrailAction.COMMIT else "restored"
            yield f"{_step(answer['head'])} {would}{done} as version {answer['number']}"
        case TrailAction.DIFF:
            for sign, name in (("-", "faded"), ("+", "gained")):
                yield from (f"{sign} {' '.join(filter(None, item.values()))}" for item in answer[name])
            yield f"{len(answer['gained']):,} gained, {len(answer['faded']):,} faded; {answer['turned']:.3f} apart"
        case TrailAction.FLAG:
            yield f"flag {would}set, for as long as the trail is there: {answer['flag']}"
        case TrailAction.EXPORT:
            what = f"{count(answer['events'], 'event')} and {count(answer['flags'], 'flag')}"
            how = "sealed" if answer["sealed"] else "readable by whoever has the file"
            yield f"{what} {would}{'' if would else 'are '}written, {how}; {answer['size_bytes']:,} bytes"
            if "recovery_code" in answer:
                yield f"recovery code, shown only now: {answer['recovery_code']}"
        case TrailAction.IMPORT:
            is_done = would or ("is " if answer["added"] == 1 else "are ")
            yield f"{count(answer['added'], 'event')} {is_done}added, {count(answer['steps'], 'step')} in all"


def _step(number: int) -> str:
    return f"step {number}" if number >= 0 else "the start"


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
