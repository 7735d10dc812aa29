"""What the command line and the editor do alike with a strand: write one, check one, take one in, trust its signer.

Files, keys and the memory are arguments; where a secret was typed or read is the surface's affair.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from helix_core.engine import Helix
from helix_core.engine.memory import ImportRequest, StrandSelection
from helix_core.errors import LockedStrandError, UsageError
from helix_core.memory import plain
from helix_core.secrets import mask
from helix_core.strand import (
    FORMAT,
    NEWEST_SCHEMA,
    ClashPolicy,
    Key,
    Lock,
    Manifest,
    OpenedStrand,
    Recipient,
    RecoveryCode,
    SealedStrand,
    StrandKeys,
    StrandRecord,
    data_key_of,
    inspect,
    opened,
    require_trusted,
    seal,
    signer_text,
)
from helix_ls.host.strand_files import OWN, TRUSTED, UNKNOWN, StrandAccess, require_free, write_strand
from helix_ls.host.strand_keys import keep_trusted, own_keys, own_signer, trusted_signers
from helix_ls.operations.attribution import by_of
from helix_ls.operations.strands import ALL_SCOPES, LONGEST_DESCRIPTION

_KINDS = {"passphrase": "passphrase", "recovery": "recovery code", "x25519": "recipient"}


def locks_for(passphrase: Lock | None, recipients: Sequence[str], *, recovery: bool) -> tuple[list[Lock], str]:
    """Return the locks, and the recovery code among them as text, empty for none. Raises UsageError."""
    locks: list[Lock] = [passphrase] if passphrase else []
    locks += map(Recipient.read, recipients)
    code = RecoveryCode.made(secrets.token_bytes) if recovery else None
    locks += [code] if code else []
    return locks, code.text() if code else ""


def records_to_export(helix: Helix, workspaces: Sequence[str], *, share: bool, scope: str) -> StrandSelection:
    """Return the records of these workspaces, or with ``share`` those of a scope that are for others."""
    return helix.memory.selected(workspaces, is_shared=share, scope="" if scope == ALL_SCOPES else scope)


def export_to(
    target: Path,
    name: str,
    selection: StrandSelection,
    locks: list[Lock],
    keys: StrandKeys,
    *,
    description: str,
    replaces: bool = False,
    dry_run: bool,
) -> dict[str, Any]:
    """Seal records and write them as a new file, which errors call ``name``."""
    require_free(target, name, replaces=replaces)
    manifest = Manifest(NEWEST_SCHEMA, int(time.time()), clean_description(description))
    made = seal(manifest, selection.records, keys=keys, locks=locks, random=secrets.token_bytes)
    if not dry_run:
        write_strand(target, name, made, replaces=replaces)
    return {
        "exported": not dry_run,
        "dry_run": dry_run,
        "records": record_counts(selection.records),
        **selection.to_wire(),
        **public_facts(inspect(made)),
    }


def opened_for_import(
    folder: Path | None, sealed: SealedStrand, key: Key, *, takes_untrusted: bool
) -> tuple[OpenedStrand, str]:
    """Return what a strand holds, and whether its signer is own, trusted or none.

    Raises:
        UntrustedSignerError: The signer is not accepted, and ``takes_untrusted`` is not set; never for an agent: what
            that one takes in waits for review anyway.
        LockedStrandError: The key does not open it.
    """
    trust = StrandAccess.read(folder).trust(sealed.signer)
    if trust == UNKNOWN and not takes_untrusted and not by_of("").agent:
        require_trusted(sealed, ())
    return opened(sealed, data_key_of(sealed, key), NEWEST_SCHEMA), trust


def import_into(
    helix: Helix, sealed: SealedStrand, strand: OpenedStrand, trust: str, policy: str, *, review: bool, dry_run: bool
) -> dict[str, Any]:
    """Take an opened strand into the memory; with ``review``, of an unknown signer, or for an agent as proposals."""
    is_believed = trust != UNKNOWN and not review
    pin = StrandAccess.read(helix.session.config.data_dir).pins.get(sealed.signer)
    request = ImportRequest(
        strand,
        is_believed,
        ClashPolicy(policy),
        dry_run,
        label=pin.label if pin else "",
        is_own=trust == OWN,
    )
    answer = helix.memory.imported(request, by_of(""))
    return {"imported": not dry_run, "trust": trust, "policy": policy, **public_facts(sealed), **answer}


def signer_facts(folder: Path | None, sealed: SealedStrand) -> dict[str, Any]:
    """Return what a file claims, whether its signer is believed and under which name, and whether the user's own key
    opens it.
    """
    access = StrandAccess.read(folder)
    pin = access.pins.get(sealed.signer)
    return {
        "whole": True,
        **public_facts(sealed),
        "trust": access.trust(sealed.signer),
        "signer_label": pin.label if pin else "",
        "opens_with_own_key": _opens(folder, sealed),
    }


def _opens(folder: Path | None, sealed: SealedStrand) -> bool:
    """Return whether the user's own key opens a strand; the key ring is asked only where it could."""
    if folder is None or not any(stanza["type"] == "x25519" for stanza in sealed.stanzas):
        return False
    keys = own_keys(folder)
    if keys is None:
        return False
    try:
        data_key_of(sealed, keys)
    except LockedStrandError:
        return False
    return True


def accept_signer(folder: Path, signer: bytes, label: str, *, dry_run: bool = False) -> dict[str, Any]:
    """Believe a signer from now on."""
    accepted = trusted_signers(folder).accepted(signer, label, int(time.time()))
    if not dry_run:
        keep_trusted(folder, accepted)
    trust = OWN if own_signer(folder) == signer else TRUSTED
    return {"signer": signer_text(signer), "trust": trust, "dry_run": dry_run}


def public_facts(sealed: SealedStrand) -> dict[str, Any]:
    """Return what can be said of a strand without a key."""
    return {
        "format": FORMAT,
        "signer": signer_text(sealed.signer),
        "opens_with": [_KINDS.get(stanza["type"], "unknown") for stanza in sealed.stanzas],
        "size_bytes": sealed.size_bytes,
    }


def record_counts(records: Sequence[StrandRecord]) -> dict[str, int]:
    """Return the number of records by type."""
    return dict(sorted(Counter(record.type for record in records).items()))


def clean_description(description: str) -> str:
    """Return the description to seal, secrets masked. Raises UsageError."""
    if len(description) > LONGEST_DESCRIPTION:
        raise UsageError(f"the description is longer than {LONGEST_DESCRIPTION} characters; shorten it")
    return mask(plain(description).encode("utf-8", "replace")).text()
