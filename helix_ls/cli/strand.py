"""``helix strand``: write and read ``.dna`` files, change who opens them, and say whose files to believe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import UsageError
from helix_core.printable import count, one_line
from helix_ls.cli.options import HERE, Json, PassphraseFile, PathOption, Recipients, Recovery, RecoveryFile
from helix_ls.cli.output import print_json, print_text, warn
from helix_ls.cli.strand_actions import (
    access_of,
    compared,
    data_folder,
    exported,
    imported,
    key_of,
    locks_of,
    merged_file,
    one_of,
    own_public_keys,
    passphrase_of,
    rekeyed_file,
    scope_of,
    synced_folder,
    trusted,
    untrusted,
    verified,
)
from helix_ls.operations.arguments import Operation
from helix_ls.operations.strands import EXPORT_MEMORIES, IMPORT_MEMORIES, STRAND_SCHEMA

if TYPE_CHECKING:
    from helix_core.engine.memory import StrandSelection
    from helix_core.strand import Key, Lock, Passphrase
    from helix_ls.host.strand_files import StrandAccess

_TRUST = {"own": " (you)", "trusted": " (trusted)", "none": " (not trusted here)"}
MOST_SHOWN_CHARACTERS = 200
_NOUNS = {
    "memory": ("memory", "memories"),
    "evidence": ("piece of evidence", "pieces of evidence"),
    "link": ("link", "links"),
    "op": ("operation", "operations"),
    "other": ("record of a newer Helix", "records of a newer Helix"),
}
"""What people call records, by their type: one and several."""


class StrandAction(StrEnum):
    """Actions of ``helix strand``."""

    EXPORT = "export"
    IMPORT = "import"
    SHARE = "share"
    VERIFY = "verify"
    REKEY = "rekey"
    MERGE = "merge"
    DIFF = "diff"
    SYNC = "sync"
    TRUST = "trust"
    UNTRUST = "untrust"
    KEYS = "keys"


_WRITING = frozenset({StrandAction.EXPORT, StrandAction.SHARE})
_OPENING = frozenset(StrandAction) - {
    *_WRITING,
    StrandAction.TRUST,
    StrandAction.UNTRUST,
    StrandAction.KEYS,
}
_FITTING: dict[str, frozenset[StrandAction]] = {
    "passphrase_file": _OPENING | _WRITING,
    "recovery_file": _OPENING,
    "new_passphrase_file": frozenset({StrandAction.REKEY, StrandAction.MERGE}),
    "recipient": _WRITING | {StrandAction.REKEY, StrandAction.MERGE, StrandAction.SYNC},
    "recovery": _WRITING | {StrandAction.REKEY, StrandAction.MERGE},
    "rotate": frozenset({StrandAction.REKEY}),
    "label": frozenset({StrandAction.TRUST}),
    "out": frozenset({StrandAction.MERGE}),
    "force": frozenset({StrandAction.MERGE, StrandAction.SYNC}),
    "prune": frozenset({StrandAction.SYNC}),
    "workspace": frozenset({StrandAction.EXPORT}),
    "share": frozenset({StrandAction.EXPORT}),
    "scope": _WRITING,
    "description": _WRITING | {StrandAction.MERGE},
    "policy": frozenset({StrandAction.IMPORT}),
    "review": frozenset({StrandAction.IMPORT}),
}
"""The actions of each option that is not of all."""


def _for(name: str, help_text: str) -> str:
    """Return the help of an option that is not of all actions."""
    return f"For {', '.join(action for action in StrandAction if action in _FITTING[name])}: {help_text}"


def _declared(name: str, operation: Operation[Any]) -> str:
    """Return the help of an option that is an argument of an operation, in its words."""
    about = operation.parameter(name).about
    words = about.description[0].lower() + about.description[1:]
    return _for(name, words[:-1] + f": {', '.join(about.choices)}." if about.choices else words)


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE|FOLDER|KEY]...",
        help="The .dna file; two or more for merge, two for diff, where store is the memory here; the "
        "folder for sync; for trust and untrust also dna-signer:…",
    ),
]
Action = Annotated[
    StrandAction,
    typer.Argument(
        metavar="ACTION", help="export, share, import, verify, merge, diff, sync, rekey, trust, untrust, keys."
    ),
]
NewPassphraseFile = Annotated[
    str,
    typer.Option(
        "--new-passphrase-file", metavar="FILE", help=_for("new_passphrase_file", "the passphrase from now on.")
    ),
]
Rotate = Annotated[bool, typer.Option("--rotate", help=_for("rotate", "encrypt anew; no old key opens it."))]
SignerLabel = Annotated[str, typer.Option("--label", help=_for("label", "your own name for the signer."))]
Out = Annotated[str, typer.Option("--out", "-o", metavar="FILE", help=_for("out", "the file to write."))]
Force = Annotated[
    bool, typer.Option("--force", help=_for("force", "replace the file, or write even what is there already."))
]
Prune = Annotated[
    bool, typer.Option("--prune", help=_for("prune", "remove your older files that the newest makes needless."))
]
Workspaces = Annotated[
    list[str] | None,
    typer.Option(
        "--workspace",
        metavar="FOLDER",
        help=_for(
            "workspace",
            "whose memories, besides those about every workspace: a folder, or all; if not given, this one's.",
        ),
    ),
]
Share = Annotated[bool, typer.Option("--share", help=_declared("share", EXPORT_MEMORIES))]
ShareScope = Annotated[str, typer.Option("--scope", help="Of what is shared: all, workspace or global.")]
Description = Annotated[str, typer.Option("--description", help=_declared("description", EXPORT_MEMORIES))]
Policy = Annotated[str, typer.Option("--policy", help=_declared("policy", IMPORT_MEMORIES))]
Review = Annotated[bool, typer.Option("--review", help=_declared("review", IMPORT_MEMORIES))]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check, and change nothing.")]


@dataclass(frozen=True, slots=True)
class _StrandCall:
    """What was typed after ``helix strand``. ``keys_folder`` is the folder of the user's keys, None without one."""

    action: StrandAction
    names: list[str]
    keys_folder: Path | None
    passphrase_file: str
    recovery_file: str
    new_passphrase_file: str
    recipients: list[str]
    recovery: bool
    rotate: bool
    label: str
    out: str
    force: bool
    prune: bool
    path: Path
    workspaces: list[str]
    share: bool
    scope: str
    description: str
    policy: str
    review: bool
    dry_run: bool
    as_json: bool

    @property
    def file(self) -> str:
        """The one file, folder or key that is named, empty for none. Raises UsageError for several."""
        return one_of(self.names)

    def key(self) -> Key:
        """Return the key that opens a strand. Raises UsageError."""
        return key_of(self.keys_folder, self.passphrase_file, self.recovery_file)

    def access(self, *, makes_keys: bool = False) -> tuple[Passphrase | None, StrandAccess]:
        """Return the passphrase, and what opens with it and with the user's own keys. Raises UsageError."""
        return access_of(self.keys_folder, self.passphrase_file, self.recovery_file, makes_keys=makes_keys)

    def locks(self, passphrase: Passphrase | None, *, recovery: bool) -> tuple[list[Lock], str]:
        """Return the locks of a file to write, and the recovery code among them as text. Raises UsageError."""
        return locks_of(passphrase, self.recipients, recovery)

    def with_code(self, answer: dict[str, Any], code: str) -> dict[str, Any]:
        """Return the answer, with the recovery code where a file that it opens was written."""
        return answer | ({"recovery_code": code} if code and not self.dry_run else {})


def _export(call: _StrandCall) -> dict[str, Any]:
    file = call.file
    locks, code = call.locks(passphrase_of(call.passphrase_file), recovery=call.recovery)
    answer = exported(
        call.keys_folder,
        call.path,
        file,
        locks,
        (lambda _: None) if call.as_json else (lambda selection: warn(_selection_lines(selection, file))),
        workspaces=call.workspaces,
        share=scope_of(call.scope, is_shared=call.share or call.action is StrandAction.SHARE),
        description=call.description,
        dry_run=call.dry_run,
    )
    return call.with_code(answer, code)


def _import(call: _StrandCall) -> dict[str, Any]:
    folder, path, dry_run = call.keys_folder, call.path, call.dry_run
    return imported(folder, path, call.file, call.key, call.policy, review=call.review, dry_run=dry_run)


def _verify(call: _StrandCall) -> dict[str, Any]:
    return verified(call.keys_folder, call.file, call.passphrase_file, call.recovery_file)


def _rekey(call: _StrandCall) -> dict[str, Any]:
    file, key = call.file, call.key()
    locks, code = call.locks(passphrase_of(call.new_passphrase_file), recovery=call.recovery)
    answer = rekeyed_file(call.keys_folder, file, key, locks, rotate=call.rotate, dry_run=call.dry_run)
    return call.with_code(answer, code)


def _merge(call: _StrandCall) -> dict[str, Any]:
    passphrase, access = call.access()
    is_locked_anew = bool(call.new_passphrase_file or call.recipients or call.recovery)
    lock = passphrase_of(call.new_passphrase_file) if is_locked_anew else passphrase
    locks, code = call.locks(lock, recovery=call.recovery)
    answer = merged_file(
        *(call.keys_folder, call.names, call.out, access, locks),
        description=call.description,
        replaces=call.force,
        dry_run=call.dry_run,
    )
    return call.with_code(answer, code)


def _diff(call: _StrandCall) -> dict[str, Any]:
    _, access = call.access()
    return compared(call.path, call.names, access)


def _sync(call: _StrandCall) -> dict[str, Any]:
    place = call.file
    passphrase, access = call.access(makes_keys=True)
    locks, _ = call.locks(passphrase, recovery=False)
    return synced_folder(
        *(call.keys_folder, call.path, place, access, locks),
        prunes=call.prune,
        is_forced=call.force,
        dry_run=call.dry_run,
    )


def _trust(call: _StrandCall) -> dict[str, Any]:
    return trusted(call.keys_folder, call.file, call.label, dry_run=call.dry_run)


def _untrust(call: _StrandCall) -> dict[str, Any]:
    return untrusted(call.keys_folder, call.file, dry_run=call.dry_run)


def _keys(call: _StrandCall) -> dict[str, Any]:
    one_of(call.names)
    return own_public_keys(call.keys_folder)


_ANSWERS: Mapping[StrandAction, Callable[[_StrandCall], dict[str, Any]]] = {
    StrandAction.EXPORT: _export,
    StrandAction.SHARE: _export,
    StrandAction.IMPORT: _import,
    StrandAction.VERIFY: _verify,
    StrandAction.REKEY: _rekey,
    StrandAction.MERGE: _merge,
    StrandAction.DIFF: _diff,
    StrandAction.SYNC: _sync,
    StrandAction.TRUST: _trust,
    StrandAction.UNTRUST: _untrust,
    StrandAction.KEYS: _keys,
}


def strand(
    called: typer.Context,
    action: Action,
    files: Files = None,
    *,
    passphrase_file: PassphraseFile = "",
    recovery_file: RecoveryFile = "",
    new_passphrase_file: NewPassphraseFile = "",
    recipient: Recipients = None,
    recovery: Recovery = False,
    rotate: Rotate = False,
    label: SignerLabel = "",
    out: Out = "",
    force: Force = False,
    prune: Prune = False,
    path: PathOption = HERE,
    workspace: Workspaces = None,
    share: Share = False,
    scope: ShareScope = "all",
    description: Description = "",
    policy: Policy = "skip_existing",
    review: Review = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Carry memories in a .dna file: write, check, compare and take in; change who opens it, and whose to believe."""
    _refuse_what_does_not_fit(called, action)
    call = _StrandCall(
        action=action,
        names=files or [],
        keys_folder=data_folder(),
        passphrase_file=passphrase_file,
        recovery_file=recovery_file,
        new_passphrase_file=new_passphrase_file,
        recipients=recipient or [],
        recovery=recovery,
        rotate=rotate,
        label=label,
        out=out,
        force=force,
        prune=prune,
        path=path,
        workspaces=workspace or [],
        share=share,
        scope=scope,
        description=description,
        policy=policy,
        review=review,
        dry_run=dry_run,
        as_json=as_json,
    )
    answer = _ANSWERS[action](call)
    if as_json:
        print_json({"schema": STRAND_SCHEMA, **answer})
    else:
        print_text("".join(f"{one_line(line)}\n" for line in _lines(action, answer)))


def _refuse_what_does_not_fit(called: typer.Context, action: StrandAction) -> None:
    """Raise UsageError for an option that the action would ignore."""
    for name, actions in _FITTING.items():
        source = called.get_parameter_source(name)
        if action not in actions and source is not None and source.name == "COMMANDLINE":
            others = ", ".join(sorted(actions))
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is for {others}, not for {action}; leave it out")


def _lines(action: StrandAction, answer: dict[str, Any]) -> Iterator[str]:
    match action:
        case StrandAction.IMPORT:
            yield from _import_lines(answer)
        case StrandAction.EXPORT | StrandAction.SHARE:
            counts = _counted(answer["records"]) or "no memories"
            yield f"{'wrote' if answer['exported'] else 'would write'} {counts}; {answer['size_bytes']:,} bytes"
            yield from _opening_lines(answer)
        case StrandAction.MERGE:
            yield from _merge_lines(answer)
        case StrandAction.DIFF:
            yield from _diff_lines(answer)
        case StrandAction.SYNC:
            yield from _sync_lines(answer)
        case StrandAction.VERIFY | StrandAction.REKEY:
            done = "whole" if action is StrandAction.VERIFY else "rekeyed" if answer["rekeyed"] else "would be rekeyed"
            yield from _file_lines(done, answer)
        case StrandAction.TRUST | StrandAction.UNTRUST if "signer" in answer:
            done = "would trust" if action is StrandAction.TRUST else "would no longer trust"
            yield f"{done if answer['dry_run'] else done.removeprefix('would ')}: {answer['signer']}"
        case StrandAction.KEYS:
            yield f"{answer['signer']}  signs what you export: others trust this key"
            yield f"{answer['recipient']}  others lock strands to this key for you"
        case _:
            for signer in answer["trusted"]:
                yield f"{signer['signer']}  {signer['label']}"
            if not answer["trusted"]:
                yield "no signer is trusted but you; see: helix strand trust --help"


def _import_lines(answer: dict[str, Any]) -> Iterator[str]:
    done = "would take in" if answer["dry_run"] else "took in"
    counts = _counted(answer["added"]) or "nothing new"
    known = f"{_memories(answer['known'])} {'was' if answer['known'] == 1 else 'were'} here or left out"
    yield f"{done} {counts}; {known}, {answer['removed']:,} removed"
    for change in answer.get("changes", ()):
        yield _change_line(change, change["before"], change["after"])
    if waiting := answer["waits_for_review"]:
        yield f"{_memories(waiting)} {'waits' if waiting == 1 else 'wait'} for your review: helix review"


def _merge_lines(answer: dict[str, Any]) -> Iterator[str]:
    counts = _counted(answer["records"]) or "no records"
    done, files = "merged" if answer["merged"] else "would merge", count(len(answer["files"]), "file")
    yield f"{done} {files}: {counts}; {answer['size_bytes']:,} bytes, signed by you"
    for file in answer["files"]:
        held = _counted(file["records"]) or "no records"
        yield f"  {file['file']}: {held}; signed by {file['signer']}{_TRUST[file['trust']]}"
    yield from _opening_lines(answer)


def _file_lines(done: str, answer: dict[str, Any]) -> Iterator[str]:
    """Yield what a file is, and what it holds where it was opened."""
    yield f"{done}: format {answer['format']}, {answer['size_bytes']:,} bytes"
    yield f"signed by {answer['signer']}{_TRUST.get(answer.get('trust', ''), '')}"
    opens_with, *code = _opening_lines(answer)
    yield opens_with
    if "records" in answer:
        yield f"holds {_counted(answer['records']) or 'no records'}; content root {answer['root']}"
        if answer["label"]:
            yield f"described as: {answer['label']}"
    yield from code


def _opening_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield what opens a file, and the recovery code among it, which is shown once."""
    yield f"opens with {', '.join(answer['opens_with'])}"
    if "recovery_code" in answer:
        yield f"recovery code, shown only now: {answer['recovery_code']}"


def _selection_lines(selection: StrandSelection, file: str) -> Iterator[str]:
    """Yield what goes into a file and what does not, before it is written."""
    told = selection.to_wire()
    parts = [
        f"{workspace['memories']:,} of {workspace['path'] or workspace['key']}" for workspace in told["workspaces"]
    ]
    parts += [f"{told['about_all']:,} about every workspace"] if told["about_all"] else []
    total = told["about_all"] + sum(workspace["memories"] for workspace in told["workspaces"])
    yield f"{file} takes {_memories(total)}{': ' if parts else ''}{', '.join(parts)}"
    if left := told["left_out"]["memories"]:
        others = count(told["left_out"]["workspaces"], "other workspace")
        yield f"{_memories(left)} of {others} {'stays' if left == 1 else 'stay'} out; --workspace all takes every one"


def _diff_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield one line a memory: ``-`` the first side alone has it, ``+`` the second alone, ``~`` the status differs."""
    first, second = answer["first"], answer["second"]
    for side in (first, second):
        if side.get("trust") == "none":
            yield f"note: {side['file']} is signed by {side['signer']}, whom you do not trust"
    for name in ("only_first", "only_second", "status_differs"):
        for memory in answer[name]:
            yield _change_line(memory, memory["first"], memory["second"])
    for record in answer["altered"]:
        yield f"! {record['type']} {record['id']} is worded otherwise on each side: somebody altered it"
    if answer["is_same"]:
        yield f"{first['file']} and {second['file']} hold the same records; content root {first['root']}"
        return
    for name, side in (("records_only_first", first), ("records_only_second", second)):
        held = _counted(answer[name]) or "nothing"
        yield f"only in {side['file']}: {held}"


def _change_line(one: dict[str, Any], before: str | None, after: str | None) -> str:
    sign = "~" if before and after else "+" if after else "-"
    was = " → ".join(status for status in (before, after) if status)
    return f"{sign} {one['id']}  {one_line(one['text'])[:MOST_SHOWN_CHARACTERS]}  ({was})"


def _sync_lines(answer: dict[str, Any]) -> Iterator[str]:
    is_dry = answer["dry_run"]
    for taken in answer["taken"]:
        gone = f", {taken['removed']:,} removed" if taken["removed"] else ""
        counts = _counted(taken["added"]) or "nothing new"
        yield f"{'would take in' if is_dry else 'took in'} {counts}{gone} from {taken['file']}{_TRUST[taken['trust']]}"
    for skipped in answer["skipped"]:
        yield f"skipped {skipped['file']}: {skipped['reason']}"
    held = _counted(answer["records"]) or "no records"
    if answer["writes"]:
        yield f"would write {held}" if is_dry else f"wrote {held} to {answer['written']}"
    else:
        yield f"nothing to write: your newest file has {held}" if answer["records"] else "nothing to write"
    if answer["pruned"]:
        yield f"{'would remove' if is_dry else 'removed'} {count(len(answer['pruned']), 'older file')} of yours"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(count(number, *_NOUNS.get(kind, (kind, kind))) for kind, number in counts.items() if number)


def _memories(number: int) -> str:
    return count(number, "memory", "memories")
