"""What each action of ``helix strand`` does with files, keys and the memory; each returns the answer as an object."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.config import load_config
from helix_core.errors import UsageError
from helix_core.printable import count
from helix_ls.cli.output import environment, warn, working_folder
from helix_ls.operations.strands import ALL_SCOPES, EXPORT_MEMORIES, POLICIES

if TYPE_CHECKING:
    from helix_core.engine.memory import StrandSelection
    from helix_core.strand import (
        ItemChange,
        Key,
        Lock,
        OpenedStrand,
        Passphrase,
        RecoveryCode,
        StrandKeys,
        StrandRecord,
    )
    from helix_ls.host.genome_files import Genome
    from helix_ls.host.strand_files import StrandAccess

STORE = "store"
"""The name of this folder's memory where a strand could be named."""


def exported(
    folder: Path | None,
    path: Path,
    file: str,
    locks: list[Lock],
    tell: Callable[[StrandSelection], None],
    *,
    workspaces: Sequence[str],
    share: str,
    description: str,
    dry_run: bool,
) -> dict[str, Any]:
    """Write memories of workspaces to a new strand, or where ``share`` names a scope those of it that are for others.

    ``tell`` is given what goes in before anything is written.
    """
    from helix_ls.cli.opened import opened
    from helix_ls.host.strand_exchange import export_to, records_to_export
    from helix_ls.host.strand_files import require_free

    target = working_folder() / file
    require_free(target, file, replaces=False)
    keys = signing_keys(folder)
    with opened(path) as helix:
        named = [_folder_named(workspace) for workspace in workspaces]
        selection = records_to_export(helix, named, share=bool(share), scope=share)
    tell(selection)
    return export_to(target, file, selection, locks, keys, description=description, dry_run=dry_run)


def _folder_named(typed: str) -> str:
    """Return the real path of a folder as typed; a name that is no path stays."""
    from helix_core.engine.memory import ALL_WORKSPACES

    try:
        place = working_folder() / Path(typed).expanduser()
    except RuntimeError:
        # The home folder of nobody: a name, then.
        return typed
    return typed if typed == ALL_WORKSPACES or not place.exists() else os.path.realpath(place)


def imported(
    folder: Path | None,
    path: Path,
    file: str,
    key: Callable[[], Key],
    policy: str,
    *,
    review: bool,
    dry_run: bool,
) -> dict[str, Any]:
    """Take a strand's memories into the memory of a folder, or what an export of the older Helix Context states.

    ``key`` and ``policy`` are of strands: an export is neither locked nor signed.
    """
    from helix_ls.host.genome_files import is_genome, read_genome

    data = _read_strand(file)
    if is_genome(data):
        if not review:
            raise UsageError(f"{file} is signed by nobody; add --review to take in what it states as proposals")
        return _imported_genome(path, read_genome(data, file), dry_run=dry_run)
    found = key(), policy_of(policy)
    return _imported_strand(folder, path, data, *found, review=review, dry_run=dry_run)


def _imported_strand(
    folder: Path | None, path: Path, data: bytes, key: Key, policy: str, *, review: bool, dry_run: bool
) -> dict[str, Any]:
    from helix_core.strand import inspect
    from helix_ls.cli.opened import opened
    from helix_ls.host.strand_exchange import import_into, opened_for_import

    sealed = inspect(data)
    strand, trust = opened_for_import(folder, sealed, key, takes_untrusted=review)
    with opened(path) as helix:
        answer = import_into(helix, sealed, strand, trust, policy, review=review, dry_run=dry_run)
    warn(answer["notes"])
    return answer


def scope_of(typed: str, *, is_shared: bool) -> str:
    """Return what to share, empty to keep it all. Raises UsageError."""
    scopes = EXPORT_MEMORIES.parameter("scope").about.choices
    if typed not in scopes:
        raise UsageError(f"{typed[:40]!r} is not a scope; use {', '.join(scopes)}")
    if typed != ALL_SCOPES and not is_shared:
        raise UsageError("--scope is for what is shared; add --share")
    return typed if is_shared else ""


def _imported_genome(path: Path, genome: Genome, *, dry_run: bool) -> dict[str, Any]:
    """Take in what an export of format 1 states, as proposals that wait for review."""
    from helix_core.engine.memory import RememberRequest
    from helix_core.memory import statements_in
    from helix_core.model import MemoryOrigin
    from helix_ls.cli.opened import opened
    from helix_ls.host.strand_files import UNKNOWN
    from helix_ls.operations.attribution import by_of

    changes, known, refused = [], 0, 0
    with opened(path) as helix:
        for id_, text in genome.texts:
            for number, stated in enumerate(statements_in(text)):
                key = f"format1:{id_}:{number}"
                wanted = RememberRequest(stated.text, origin=MemoryOrigin.IMPORTED, key=key, is_proposal=True)
                try:
                    (item,) = helix.memory.remember(wanted, by_of(""), dry_run=dry_run)["items"]
                except UsageError:
                    refused += 1
                    continue
                known += not item["is_new"]
                if item["is_new"]:
                    changes.append({name: item[name] for name in ("id", "kind", "text")})
    left_out = (
        ("left to the index", genome.of_files, "chunk"),
        ("left out as altered", genome.altered, "chunk"),
        ("left out as purged here, or as nothing to keep", refused, "statement"),
    )
    notes = [f"{how}: {count(number, noun)}" for how, number, noun in left_out if number]
    warn(notes)
    return {
        "imported": not dry_run,
        "dry_run": dry_run,
        "trust": UNKNOWN,
        "added": {"memory": len(changes)},
        "known": known,
        "removed": 0,
        "decided": 0,
        "waits_for_review": len(changes),
        "notes": notes,
        **({"changes": [change | {"before": None, "after": "quarantined"} for change in changes]} if dry_run else {}),
    }


def policy_of(typed: str) -> str:
    """Return the policy of this name. Raises UsageError."""
    if typed not in POLICIES:
        raise UsageError(f"{typed[:40]!r} is not a policy; use {', '.join(POLICIES)}")
    return typed


def verified(folder: Path | None, file: str, passphrase_file: str, recovery_file: str) -> dict[str, Any]:
    """Check a strand whole; without a key what can be checked without one."""
    from helix_core.strand import NEWEST_SCHEMA, data_key_of, inspect, opened
    from helix_ls.host.strand_exchange import public_facts
    from helix_ls.host.strand_files import StrandAccess

    sealed = inspect(_read_strand(file))
    answer = {"whole": True, **public_facts(sealed), "trust": StrandAccess.read(folder).trust(sealed.signer)}
    if not passphrase_file and not recovery_file:
        return answer
    data_key = data_key_of(sealed, key_of(folder, passphrase_file, recovery_file))
    return answer | _inside(opened(sealed, data_key, NEWEST_SCHEMA))


def rekeyed_file(
    folder: Path | None, file: str, key: Key, locks: list[Lock], *, rotate: bool, dry_run: bool
) -> dict[str, Any]:
    """Write a strand of the user's own again, with other locks."""
    from helix_core.strand import NEWEST_SCHEMA, inspect, rekeyed, rotated
    from helix_ls.host.strand_exchange import public_facts
    from helix_ls.host.strand_files import write_strand

    data, keys = _read_strand(file), signing_keys(folder)
    if rotate:
        made = rotated(data, key, keys=keys, locks=locks, random=secrets.token_bytes, newest_schema=NEWEST_SCHEMA)
    else:
        made = rekeyed(data, key, keys=keys, locks=locks, random=secrets.token_bytes)
    sealed = inspect(made)
    if not dry_run:
        write_strand(working_folder() / file, file, made, replaces=True)
    return {"rekeyed": not dry_run, "rotated": rotate, "dry_run": dry_run, **public_facts(sealed)}


def merged_file(
    folder: Path | None,
    files: Sequence[str],
    out: str,
    access: StrandAccess,
    locks: list[Lock],
    *,
    description: str,
    replaces: bool,
    dry_run: bool,
) -> dict[str, Any]:
    """Write the union of strands that are all believed, signed by the user."""
    from helix_core.strand import content_root, inspect, merged, seal
    from helix_ls.host.strand_exchange import clean_description, public_facts, record_counts
    from helix_ls.host.strand_files import require_free, write_strand

    if len(files) < 2:
        raise UsageError("a merge needs two .dna files or more; name them, and the file to write with -o")
    if not out:
        raise UsageError("a merge writes a file of its own; name it with -o")
    target = working_folder() / out
    require_free(target, out, replaces=replaces)
    sealed = [inspect(_read_strand(file)) for file in files]
    strands = [access.believed(strand) for strand in sealed]
    manifest, records = merged(strands, now=int(time.time()), label=clean_description(description))
    made = seal(manifest, records, keys=signing_keys(folder), locks=locks, random=secrets.token_bytes)
    if not dry_run:
        write_strand(target, out, made, replaces=replaces)
    return {
        "merged": not dry_run,
        "dry_run": dry_run,
        "files": [
            {"file": file, "trust": access.trust(strand.signer), **_signed(strand)}
            for file, strand in zip(files, strands, strict=True)
        ],
        "records": record_counts(records),
        "root": content_root(records).hex(),
        **public_facts(inspect(made)),
    }


def synced_folder(
    folder: Path | None,
    path: Path,
    place: str,
    access: StrandAccess,
    locks: list[Lock],
    *,
    prunes: bool,
    is_forced: bool,
    dry_run: bool,
) -> dict[str, Any]:
    """Take in what a shared folder has, and write what it lacks."""
    from helix_ls.cli.opened import opened
    from helix_ls.host.strand_sync import SyncRequest, synced

    if not place:
        raise UsageError("no folder is named; name one that your machines share")
    wanted = SyncRequest(working_folder() / place, access, signing_keys(folder), locks, dry_run, prunes, is_forced)
    with opened(path) as helix:
        answer = synced(helix.memory, wanted, secrets.token_bytes)
    warn(answer["notes"])
    return answer


def compared(path: Path, names: Sequence[str], access: StrandAccess) -> dict[str, Any]:
    """Compare two strands, or a strand and the memory here."""
    from helix_core.strand import content_root, difference, inspect, item_changes
    from helix_ls.cli.opened import opened
    from helix_ls.host.strand_exchange import record_counts

    if len(names) != 2 or list(names) == [STORE, STORE]:
        raise UsageError(f"two .dna files are compared, or one and {STORE}; name them")
    sides: list[Sequence[StrandRecord]] = []
    sides_shown: list[dict[str, Any]] = []
    for name in names:
        if name == STORE:
            with opened(path) as helix:
                records = helix.memory.exported()
            sides_shown.append({"file": name, "records": record_counts(records), "root": content_root(records).hex()})
        else:
            strand = access.opened(inspect(_read_strand(name)))
            records = strand.records
            sides_shown.append({"file": name, "trust": access.trust(strand.signer), **_signed(strand)})
        sides.append(records)
    first, second = sides
    changes = item_changes(first, second)
    change = difference(first, second)
    keys = {record.key for record in change.added}
    return {
        "first": sides_shown[0],
        "second": sides_shown[1],
        "is_same": not change,
        "only_first": [_item(each) for each in changes if each.after is None],
        "only_second": [_item(each) for each in changes if each.before is None],
        "status_differs": [_item(each) for each in changes if each.before and each.after],
        "altered": [{"type": each.type, "id": each.id} for each in change.removed if each.key in keys],
        "records_only_first": record_counts(change.removed),
        "records_only_second": record_counts(change.added),
    }


def _item(change: ItemChange) -> dict[str, Any]:
    """A memory on one side or the other, with its status on both; secrets by the rules of today are masked."""
    from helix_core.secrets import mask

    values = change.record.fields().get("fields")
    fields = values if isinstance(values, dict) else {}
    return {
        "id": str(fields.get("handle") or change.record.id),
        "kind": str(fields.get("kind", "")),
        "text": mask(str(fields.get("text", "")).encode()).text(),
        "first": change.before.value if change.before else None,
        "second": change.after.value if change.after else None,
    }


def _signed(strand: OpenedStrand) -> dict[str, Any]:
    from helix_core.strand import signer_text

    return {"signer": signer_text(strand.signer), "records": strand.counts(), "root": strand.root.hex()}


def trusted(folder: Path | None, what: str, label: str, *, dry_run: bool) -> dict[str, Any]:
    """Accept a signer, or list those that are accepted."""
    from helix_core.strand import signer_text
    from helix_ls.host.strand_exchange import accept_signer
    from helix_ls.host.strand_keys import trusted_signers

    place = _required(folder)
    signers = trusted_signers(place)
    if not what:
        return {
            "trusted": [
                {"signer": signer_text(key), "label": pin.label, "accepted_at": pin.accepted_at}
                for key, pin in sorted(signers.pins.items())
            ]
        }
    return accept_signer(place, _signer(what), label, dry_run=dry_run)


def untrusted(folder: Path | None, what: str, *, dry_run: bool) -> dict[str, Any]:
    """Accept a signer no longer."""
    from helix_core.strand import signer_text
    from helix_ls.host.strand_keys import keep_trusted, trusted_signers

    place, signer = _required(folder), _signer(what)
    signers = trusted_signers(place)
    if signer not in signers.pins:
        raise UsageError(f"{signer_text(signer)} is not among those you trust; see: helix strand trust")
    if not dry_run:
        keep_trusted(place, signers.removed(signer))
    return {"signer": signer_text(signer), "trust": "none", "dry_run": dry_run}


def own_public_keys(folder: Path | None) -> dict[str, Any]:
    """Return the public halves of the user's keys, made where there are none."""
    from helix_core.strand import signer_text

    keys = signing_keys(folder)
    return {"signer": signer_text(keys.signer), "recipient": keys.recipient.text()}


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


def _signer(what: str) -> bytes:
    """Return the signer that is named by key, or who signed the strand that is named."""
    from helix_core.strand import SIGNER_PREFIX, inspect, signer_of

    if what.startswith(SIGNER_PREFIX):
        return signer_of(what)
    return inspect(_read_strand(what)).signer


def signing_keys(folder: Path | None) -> StrandKeys:
    """Return the user's own keys, made where there are none. Raises UsageError without a data folder."""
    from helix_ls.host.strand_keys import own_or_new_keys

    return own_or_new_keys(_required(folder))


def key_of(folder: Path | None, passphrase_file: str, recovery_file: str) -> Key:
    """Return the key that the options name; without any the user's own, for strands locked to it."""
    if passphrase_file and recovery_file:
        raise UsageError("--passphrase-file and --recovery-file are both given; use one")
    return passphrase_of(passphrase_file) or _recovery_code(recovery_file) or signing_keys(folder)


def access_of(
    folder: Path | None, passphrase_file: str, recovery_file: str, *, makes_keys: bool = False
) -> tuple[Passphrase | None, StrandAccess]:
    """Return the passphrase, and what opens with it, with the recovery code and with the user's own keys.

    With ``makes_keys`` the user has keys of their own afterwards.
    """
    from helix_ls.host.strand_files import StrandAccess
    from helix_ls.host.strand_keys import own_keys

    own = signing_keys(folder) if makes_keys else own_keys(_required(folder))
    passphrase, code = passphrase_of(passphrase_file), _recovery_code(recovery_file)
    keys = [key for key in (own, code, passphrase) if key is not None]
    return passphrase, StrandAccess.read(folder, keys)


def locks_of(passphrase: Passphrase | None, recipients: list[str], recovery: bool) -> tuple[list[Lock], str]:
    """Return the locks, and the recovery code among them as text."""
    from helix_ls.host.strand_exchange import locks_for

    locks, code = locks_for(passphrase, recipients, recovery=recovery)
    if not locks:
        raise UsageError("no key would open the file; give a passphrase file, --recipient or --recovery")
    return locks, code


def passphrase_of(file: str) -> Passphrase | None:
    """Return the passphrase on the first line of a file, None where none is named. Raises UsageError."""
    from helix_core.strand import Passphrase

    return Passphrase(_first_line(file)) if file else None


def _recovery_code(file: str) -> RecoveryCode | None:
    from helix_core.strand import RecoveryCode

    return RecoveryCode.read(_first_line(file)) if file else None


def _first_line(file: str) -> str:
    """Return the secret of a file; warn where others can read it. Raises UsageError, naming no content."""
    from helix_ls.host.strand_files import read_secret

    line, warning = read_secret(working_folder() / file, file)
    warn([warning] if warning else [])
    return line


def _read_strand(file: str) -> bytes:
    from helix_ls.host.strand_files import read_strand

    if not file:
        raise UsageError("no file is named; name a .dna file")
    return read_strand(working_folder() / file, file)


def one_of(files: Sequence[str]) -> str:
    """Return the one file that is named, empty for none. Raises UsageError."""
    if len(files) > 1:
        raise UsageError(f"{len(files)} files are named; name one")
    return files[0] if files else ""


def data_folder() -> Path | None:
    """Return where the keys and the list of signers are, None where nothing is kept."""
    return load_config(None, environ=environment()).data_dir


def _required(folder: Path | None) -> Path:
    if folder is None:
        raise UsageError("there is no data folder for keys; set data_dir in your settings")
    return folder
