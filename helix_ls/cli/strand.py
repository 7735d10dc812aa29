"""``helix strand``: write and read ``.dna`` files, change who opens them, and say whose files to believe."""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.config import load_config
from helix_core.errors import UsageError
from helix_core.printable import one_line
from helix_ls.cli.output import environment, print_json, print_text, warn, working_folder
from helix_ls.cli.verbs import HERE, Json, PathOption
from helix_ls.host.private_files import write_whole

if TYPE_CHECKING:
    from helix_core.strand import ClashPolicy, Key, Lock, OpenedStrand, Passphrase, SealedStrand, StrandKeys

STRAND_SCHEMA = "helix.strand/1"
MOST_PASSPHRASE_FILE_BYTES = 4_096
_KINDS = {"passphrase": "passphrase", "recovery": "recovery code", "x25519": "recipient"}


class StrandAction(StrEnum):
    """What can be done."""

    EXPORT = "export"
    IMPORT = "import"
    VERIFY = "verify"
    REKEY = "rekey"
    TRUST = "trust"
    UNTRUST = "untrust"
    KEYS = "keys"


def strand(
    action: Annotated[
        StrandAction, typer.Argument(metavar="ACTION", help="export, import, verify, rekey, trust, untrust, keys.")
    ],
    file: Annotated[
        str, typer.Argument(metavar="[FILE|KEY]", help="The .dna file; for trust and untrust also dna-signer:…")
    ] = "",
    *,
    passphrase_file: Annotated[
        str, typer.Option("--passphrase-file", metavar="FILE", help="Holds the passphrase on its first line.")
    ] = "",
    recovery_file: Annotated[
        str, typer.Option("--recovery-file", metavar="FILE", help="Holds the recovery code, instead of a passphrase.")
    ] = "",
    new_passphrase_file: Annotated[
        str, typer.Option("--new-passphrase-file", metavar="FILE", help="For rekey: the passphrase from now on.")
    ] = "",
    recipient: Annotated[
        list[str] | None, typer.Option("--recipient", metavar="KEY", help="For export, rekey: who opens it.")
    ] = None,
    recovery: Annotated[bool, typer.Option("--recovery", help="For export, rekey: print a recovery code.")] = False,
    rotate: Annotated[bool, typer.Option("--rotate", help="For rekey: encrypt anew, so no old key opens it.")] = False,
    label: Annotated[str, typer.Option("--label", help="For trust: your own name for the signer.")] = "",
    path: PathOption = HERE,
    share: Annotated[
        bool, typer.Option("--share", help="For export: of this folder, only what is in force and not private.")
    ] = False,
    policy: Annotated[
        str, typer.Option("--policy", help="For import: skip_existing, overwrite or newest, where two state one thing.")
    ] = "skip_existing",
    review: Annotated[
        bool, typer.Option("--review", help="For import: take an untrusted signer's memories, to review each.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check, and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Carry memories in a .dna file: write, check and take in; change who opens it, and say whose files to believe."""
    folder = _data_folder()
    match action:
        case StrandAction.EXPORT:
            locks, code = _locks(passphrase_file, recipient or [], recovery)
            answer = _export(folder, path, file, locks, is_shared=share, dry_run=dry_run)
            answer |= {"recovery_code": code} if code and not dry_run else {}
        case StrandAction.IMPORT:
            key = _key(folder, passphrase_file, recovery_file)
            answer = _import(folder, path, file, key, _policy(policy), takes_untrusted=review, dry_run=dry_run)
        case StrandAction.VERIFY:
            answer = _verify(folder, file, passphrase_file, recovery_file)
        case StrandAction.REKEY:
            key = _key(folder, passphrase_file, recovery_file)
            locks, code = _locks(new_passphrase_file, recipient or [], recovery)
            answer = _rekey(folder, file, key, locks, rotate=rotate, dry_run=dry_run)
            answer |= {"recovery_code": code} if code and not dry_run else {}
        case StrandAction.TRUST:
            answer = _trust(folder, file, label, dry_run=dry_run)
        case StrandAction.UNTRUST:
            answer = _untrust(folder, file, dry_run=dry_run)
        case StrandAction.KEYS:
            answer = _keys(folder)
    if as_json:
        print_json({"schema": STRAND_SCHEMA, **answer})
    else:
        print_text("".join(f"{one_line(line)}\n" for line in _lines(action, answer)))


def _export(
    folder: Path | None, path: Path, file: str, locks: list[Lock], *, is_shared: bool, dry_run: bool
) -> dict[str, Any]:
    from helix_core.strand import NEWEST_SCHEMA, Manifest, inspect, seal
    from helix_ls.cli.opened import opened

    target = working_folder() / file
    if not file or os.path.lexists(target):
        raise UsageError(f"{file or 'no file'} is {'already there' if file else 'named'}; name a new .dna file")
    keys = _own_keys(folder)
    with opened(path) as helix:
        records = helix.memory.exported(is_shared=is_shared)
    manifest = Manifest(NEWEST_SCHEMA, int(time.time()))
    made = seal(manifest, records, keys=keys, locks=locks, random=secrets.token_bytes)
    if not dry_run:
        write_whole(target, made, is_durable=True)
    counts = Counter(record.type for record in records)
    return {
        "exported": not dry_run,
        "dry_run": dry_run,
        "records": dict(sorted(counts.items())),
        **_outside(inspect(made)),
    }


def _import(
    folder: Path | None, path: Path, file: str, key: Key, policy: ClashPolicy, *, takes_untrusted: bool, dry_run: bool
) -> dict[str, Any]:
    from helix_core.engine import ImportRequest
    from helix_core.strand import NEWEST_SCHEMA, data_key_of, inspect, require_trusted
    from helix_core.strand import opened as opened_strand
    from helix_ls.cli.opened import opened

    sealed = inspect(_read_strand(file))
    trust = _trust_in(folder, sealed.signer)
    if trust == "none" and not takes_untrusted:
        require_trusted(sealed, ())
    strand = opened_strand(sealed, data_key_of(sealed, key), NEWEST_SCHEMA)
    with opened(path) as helix:
        answer = helix.memory.imported(ImportRequest(strand, trust != "none", policy, dry_run))
    warn(answer["notes"])
    return {"imported": not dry_run, "trust": trust, "policy": policy.value, **_outside(sealed), **answer}


def _policy(typed: str) -> ClashPolicy:
    from helix_core.strand import ClashPolicy

    if typed not in list(ClashPolicy):
        raise UsageError(f"{typed[:40]!r} is no policy; use {', '.join(ClashPolicy)}")
    return ClashPolicy(typed)


def _verify(folder: Path | None, file: str, passphrase_file: str, recovery_file: str) -> dict[str, Any]:
    from helix_core.strand import NEWEST_SCHEMA, data_key_of, inspect, opened

    sealed = inspect(_read_strand(file))
    answer = {"whole": True, **_outside(sealed), "trust": _trust_in(folder, sealed.signer)}
    if not passphrase_file and not recovery_file:
        return answer
    data_key = data_key_of(sealed, _key(folder, passphrase_file, recovery_file))
    return answer | _inside(opened(sealed, data_key, NEWEST_SCHEMA))


def _rekey(
    folder: Path | None, file: str, key: Key, locks: list[Lock], *, rotate: bool, dry_run: bool
) -> dict[str, Any]:
    from helix_core.strand import NEWEST_SCHEMA, inspect, rekeyed, rotated

    data, keys = _read_strand(file), _own_keys(folder)
    if rotate:
        made = rotated(data, key, keys=keys, locks=locks, random=secrets.token_bytes, newest_schema=NEWEST_SCHEMA)
    else:
        made = rekeyed(data, key, keys=keys, locks=locks, random=secrets.token_bytes)
    sealed = inspect(made)
    if not dry_run:
        write_whole(Path(os.path.realpath(working_folder() / file)), made, is_durable=True)
    return {"rekeyed": not dry_run, "rotated": rotate, "dry_run": dry_run, **_outside(sealed)}


def _trust(folder: Path | None, what: str, label: str, *, dry_run: bool) -> dict[str, Any]:
    from helix_core.strand import signer_text
    from helix_ls.host.strand_keys import keep_trusted, trusted_signers

    place = _required(folder)
    signers = trusted_signers(place)
    if not what:
        return {
            "trusted": [
                {"signer": signer_text(key), "label": pin.label, "accepted_at": pin.accepted_at}
                for key, pin in sorted(signers.pins.items())
            ]
        }
    signer = _signer(what)
    accepted = signers.accepted(signer, label, int(time.time()))
    if not dry_run:
        keep_trusted(place, accepted)
    return {"signer": signer_text(signer), "trust": "own" if _is_own(place, signer) else "trusted", "dry_run": dry_run}


def _untrust(folder: Path | None, what: str, *, dry_run: bool) -> dict[str, Any]:
    from helix_core.strand import signer_text
    from helix_ls.host.strand_keys import keep_trusted, trusted_signers

    place, signer = _required(folder), _signer(what)
    signers = trusted_signers(place)
    if signer not in signers.pins:
        raise UsageError(f"{signer_text(signer)} is not among those you trust; see: helix strand trust")
    if not dry_run:
        keep_trusted(place, signers.removed(signer))
    return {"signer": signer_text(signer), "trust": "none", "dry_run": dry_run}


def _keys(folder: Path | None) -> dict[str, Any]:
    from helix_core.strand import signer_text

    keys = _own_keys(folder)
    return {"signer": signer_text(keys.signer), "recipient": keys.recipient.text()}


def _outside(sealed: SealedStrand) -> dict[str, Any]:
    """What can be said of a strand without a key."""
    from helix_core.strand import FORMAT, signer_text

    kinds = [_KINDS.get(stanza["type"], "unknown") for stanza in sealed.stanzas]
    return {
        "format": FORMAT,
        "signer": signer_text(sealed.signer),
        "opens_with": kinds,
        "size_bytes": sealed.size_bytes,
    }


def _inside(strand: OpenedStrand) -> dict[str, Any]:
    manifest = strand.manifest
    return {
        "records": strand.counts(),
        "root": strand.root.hex(),
        "label": manifest.label,
        "created_at": manifest.created_at,
        "records_schema": manifest.schema,
        "parents": list(manifest.parents),
    }


def _trust_in(folder: Path | None, signer: bytes) -> str:
    """Return own, trusted or none."""
    from helix_ls.host.strand_keys import trusted_signers

    if folder is None:
        return "none"
    if _is_own(folder, signer):
        return "own"
    return "trusted" if signer in trusted_signers(folder).pins else "none"


def _is_own(folder: Path, signer: bytes) -> bool:
    from helix_ls.host.strand_keys import own_signer

    return own_signer(folder) == signer


def _signer(what: str) -> bytes:
    """Return the signer that is named by key, or who signed the strand that is named."""
    from helix_core.strand import SIGNER_PREFIX, inspect, signer_of

    if what.startswith(SIGNER_PREFIX):
        return signer_of(what)
    return inspect(_read_strand(what)).signer


def _own_keys(folder: Path | None) -> StrandKeys:
    from helix_ls.host.strand_keys import own_or_new_keys

    return own_or_new_keys(_required(folder))


def _key(folder: Path | None, passphrase_file: str, recovery_file: str) -> Key:
    """Return the key that the options name; without any the user's own, for strands locked to it."""
    from helix_core.strand import RecoveryCode

    if passphrase_file and recovery_file:
        raise UsageError("--passphrase-file and --recovery-file are both given; use one")
    if passphrase_file:
        return _passphrase(passphrase_file)
    return RecoveryCode.read(_first_line(recovery_file)) if recovery_file else _own_keys(folder)


def _locks(passphrase_file: str, recipients: list[str], recovery: bool) -> tuple[list[Lock], str]:
    """Return the locks, and the recovery code among them as text."""
    from helix_core.strand import Recipient, RecoveryCode

    locks: list[Lock] = [_passphrase(passphrase_file)] if passphrase_file else []
    locks += map(Recipient.read, recipients)
    code = RecoveryCode.made(secrets.token_bytes) if recovery else None
    locks += [code] if code else []
    if not locks:
        raise UsageError("nobody could open the strand; give a passphrase file, --recipient or --recovery")
    return locks, code.text() if code else ""


def _passphrase(file: str) -> Passphrase:
    from helix_core.strand import Passphrase

    return Passphrase(_first_line(file))


def _first_line(file: str) -> str:
    """Return the first line of a file, which may be a pipe. Raises UsageError, naming no content."""
    try:
        with (working_folder() / file).open("rb") as opened_file:
            line = opened_file.read(MOST_PASSPHRASE_FILE_BYTES).partition(b"\n")[0].removesuffix(b"\r")
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); name a file with one line") from None
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8; save it as UTF-8") from None


def _read_strand(file: str) -> bytes:
    """Return the bytes of a file, at most one more than a strand can have. Raises UsageError."""
    from helix_core.strand import MOST_FILE_BYTES

    if not file:
        raise UsageError("no file is named; name a .dna file")
    path = working_folder() / file
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as opened_file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{file} is no regular file; name a .dna file")
            return opened_file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); name a .dna file") from None


def _data_folder() -> Path | None:
    return load_config(None, environ=environment()).data_dir


def _required(folder: Path | None) -> Path:
    if folder is None:
        raise UsageError("there is no data folder for keys; set data_dir in your settings")
    return folder


def _lines(action: StrandAction, answer: dict[str, Any]) -> Iterator[str]:
    match action:
        case StrandAction.IMPORT:
            done = "would take in" if answer["dry_run"] else "took in"
            said = ", ".join(f"{count:,} {kind}" for kind, count in answer["added"].items() if count) or "nothing new"
            yield f"{done} {said}; {answer['known']:,} memories were here or left out, {answer['removed']:,} removed"
            if answer["waits_for_review"]:
                yield f"{answer['waits_for_review']:,} wait for your review: helix review"
        case StrandAction.EXPORT:
            said = ", ".join(f"{count:,} {kind}" for kind, count in answer["records"].items()) or "no memories"
            yield f"{'wrote' if answer['exported'] else 'would write'} {said}; {answer['size_bytes']:,} bytes"
            yield f"opens with {', '.join(answer['opens_with'])}"
            if "recovery_code" in answer:
                yield f"recovery code, shown only now: {answer['recovery_code']}"
        case StrandAction.VERIFY | StrandAction.REKEY:
            done = "whole" if action is StrandAction.VERIFY else "rekeyed" if answer["rekeyed"] else "would be rekeyed"
            yield f"{done}: format {answer['format']}, {answer['size_bytes']:,} bytes"
            yield f"signed by {answer['signer']}" + {
                "own": " (you)",
                "trusted": " (trusted)",
                "none": " (not trusted here)",
            }.get(answer.get("trust", ""), "")
            yield f"opens with {', '.join(answer['opens_with'])}"
            if "records" in answer:
                said = ", ".join(f"{count:,} {kind}" for kind, count in answer["records"].items()) or "no records"
                yield f"holds {said}; content root {answer['root']}"
            if "recovery_code" in answer:
                yield f"recovery code, shown only now: {answer['recovery_code']}"
        case StrandAction.TRUST | StrandAction.UNTRUST if "signer" in answer:
            done = "would trust" if action is StrandAction.TRUST else "would no longer trust"
            yield f"{done if answer['dry_run'] else done.removeprefix('would ')}: {answer['signer']}"
        case StrandAction.KEYS:
            yield f"{answer['signer']}  signs what you export: others trust this key"
            yield f"{answer['recipient']}  others lock strands to this key for you"
        case _:
            for one in answer["trusted"]:
                yield f"{one['signer']}  {one['label']}"
            if not answer["trusted"]:
                yield "no signer is trusted but you; see: helix strand trust --help"
