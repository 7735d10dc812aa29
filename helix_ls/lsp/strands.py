"""The strand commands: export memories to a .dna file and import them, with secrets that arrive in the request alone.

A passphrase is in no log, answer or error, and is dropped with the request. Sealing and opening run in a thread of
their own, as the derivation of a key takes a second; only the memory is asked in a query thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_ls.lsp.connection import ClientConnection
from helix_ls.operations.strands import (
    STRAND_SCHEMA,
    ExportArguments,
    ImportArguments,
    SignerArguments,
    StrandArguments,
)

if TYPE_CHECKING:
    from helix_core.engine.memory import StrandSelection
    from helix_core.strand import Key, OpenedStrand, SealedStrand


class StrandHandlers:
    """Handlers of the ``helix.strand.*`` commands of one LSP session. libsodium is loaded with the first of them."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def export(self, given: ExportArguments) -> dict[str, Any]:
        """Handle ``helix.strand.export``: write memories to a file; its answer alone has the recovery code."""

        def read(helix: Helix, *_: Any) -> StrandSelection:
            from helix_ls.host.strand_exchange import records_to_export

            return records_to_export(helix, given.workspaces, share=given.share, scope=given.scope)

        folder = self._connection.folders.named(given.workspace)
        return _answer(await asyncio.to_thread(_export, given, await self._connection.ask(folder, read)))

    async def take(self, given: ImportArguments) -> dict[str, Any]:
        """Handle ``helix.strand.import``: take memories in, or say what would come in."""
        folder = self._connection.folders.named(given.workspace)
        sealed, strand, trust = await asyncio.to_thread(_open, given)

        def act(helix: Helix, *_: Any) -> dict[str, Any]:
            from helix_ls.host.strand_exchange import import_into

            about = {"review": given.review, "dry_run": given.dry_run}
            return import_into(helix, sealed, strand, trust, given.policy, **about)

        return _answer(await self._connection.ask(folder, act))

    async def verify(self, given: StrandArguments) -> dict[str, Any]:
        """Handle ``helix.strand.verify``: say what a file claims, and whether its signer is believed."""

        def act() -> dict[str, Any]:
            from helix_ls.host.strand_exchange import signer_facts

            return signer_facts(_data_folder(), _read(given.file))

        return _answer(await asyncio.to_thread(act))

    async def trust(self, given: SignerArguments) -> dict[str, Any]:
        """Handle ``helix.strand.trust``: believe what a key signs from now on."""

        def act() -> dict[str, Any]:
            from helix_core.strand import signer_of
            from helix_ls.host.strand_exchange import accept_signer

            return accept_signer(_data_folder(), signer_of(given.signer), given.label)

        return _answer(await asyncio.to_thread(act))


def _answer(told: dict[str, Any]) -> dict[str, Any]:
    return {"schema": STRAND_SCHEMA, **told}


def _export(given: ExportArguments, selection: StrandSelection) -> dict[str, Any]:
    from helix_core.strand import Passphrase
    from helix_ls.host.strand_exchange import export_to, locks_for
    from helix_ls.host.strand_keys import own_or_new_keys

    passphrase = Passphrase(given.passphrase) if given.passphrase else None
    locks, code = locks_for(passphrase, given.recipients, recovery=given.recovery)
    if not locks:
        raise UsageError("no key would open the file; give a passphrase, recipients or a recovery code")
    file = _absolute(given.file)
    answer = export_to(
        *(file, file.name, selection, locks, own_or_new_keys(_data_folder())),
        description=given.description,
        replaces=given.force,
        dry_run=given.dry_run,
    )
    return answer | ({"recovery_code": code} if code and not given.dry_run else {})


def _open(given: ImportArguments) -> tuple[SealedStrand, OpenedStrand, str]:
    from helix_core.strand import Passphrase, RecoveryCode
    from helix_ls.host.strand_exchange import opened_for_import
    from helix_ls.host.strand_keys import own_or_new_keys

    folder, sealed = _data_folder(), _read(given.file)
    key: Key
    if given.passphrase:
        key = Passphrase(given.passphrase)
    elif given.recovery_code:
        key = RecoveryCode.read(given.recovery_code)
    else:
        key = own_or_new_keys(folder)
    return sealed, *opened_for_import(folder, sealed, key, takes_untrusted=given.review)


def _read(file: str) -> SealedStrand:
    from helix_core.strand import inspect
    from helix_ls.host.strand_files import read_strand

    place = _absolute(file)
    return inspect(read_strand(place, place.name))


def _data_folder() -> Path:
    folder = load_config(None).data_dir
    if folder is None:
        raise UsageError("there is no data folder for keys; set data_dir in your settings")
    return folder


def _absolute(file: str) -> Path:
    place = Path(file)
    if not place.is_absolute():
        raise UsageError("file must be an absolute path; name a .dna file")
    return place
