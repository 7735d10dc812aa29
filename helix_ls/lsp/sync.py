"""Handle the client's notifications: text synchronization, watched files and configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lsprotocol import types

from helix_ls.host.log import LOG
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.documents import OpenBuffer
from helix_ls.lsp.folders import FileInFolder, Folder
from helix_ls.lsp.replies import RequestError
from helix_ls.lsp.settings import SECTION, with_configuration

# Of git's own files only these reveal a checkout or commit; the others change all the time.
_GIT_FILES = frozenset({b".git/HEAD", b".git/index"})


class Sync:
    """Text document synchronization of one session. ``closed`` is called with the URI of a closed buffer."""

    def __init__(
        self, connection: ClientConnection, changed: Callable[[FileInFolder], None], closed: Callable[[str], None]
    ) -> None:
        self._connection, self._changed, self._closed = connection, changed, closed

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Handle ``textDocument/didOpen``: add the buffer."""
        document = self._connection.documents.open(params)
        if self._connection.place(document.uri) is not None:
            text = params.text_document.text
            self._connection.spawn(self._compare(document, text), "comparing a buffer with its file")

    async def _compare(self, document: OpenBuffer, text: str) -> None:
        await self._connection.compare_with_disk(document, text)
        self._notify(document.uri)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Handle ``textDocument/didChange``: update the buffer."""
        document = self._connection.documents.change(params)
        if document is not None:
            self._connection.worked_in(document.uri)
            self._notify(document.uri)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Handle ``textDocument/didClose``: drop the buffer."""
        uri = params.text_document.uri
        if self._connection.documents.close(uri) is not None:
            self._closed(uri)
            self._notify(uri)

    async def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Handle ``textDocument/didSave``: hint the path to the watcher."""
        uri = params.text_document.uri
        document = self._connection.documents.get(uri)
        if document is not None:
            document.mark_clean(document.edition)
            self._notify(uri)
        for place in self._connection.places(uri):
            (await place.folder.workspace()).hint([place.path])

    async def did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Handle ``workspace/didChangeWatchedFiles``: hint the paths to the watcher."""
        changed: dict[Folder, list[bytes]] = {}
        for change in params.changes:
            for place in self._connection.folders.places(change.uri):
                if _counts(place.path):
                    changed.setdefault(place.folder, []).append(place.path)
        for folder, paths in changed.items():
            (await folder.workspace()).hint(paths)

    def _notify(self, uri: str) -> None:
        for place in self._connection.places(uri):
            self._changed(place)


def _counts(path: bytes) -> bool:
    return b".git" not in path.split(b"/") or path in _GIT_FILES


log = LOG.getChild("session")

WAIT_S = 2.0


class ClientConfiguration:
    """The configuration of one session. ``applied`` is called with a folder whose settings have changed."""

    def __init__(self, connection: ClientConnection, applied: Callable[[Folder], None]) -> None:
        self._connection, self._applied = connection, applied

    def register(self) -> None:
        """Register capabilities dynamically (LSP 3.17, client/registerCapability)."""
        client, wanted = self._connection.client, []
        if self._connection.resumed:
            return
        if client.watches:
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        if client.registers_configuration:
            section = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            wanted.append(_registration(types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
        if wanted:
            params = types.RegistrationParams(registrations=wanted)
            self._connection.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, params)

    async def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Handle ``workspace/didChangeConfiguration``: pull the configuration, or apply what was pushed."""
        if self._connection.client.pulls_configuration:
            await self.pull()
            return
        section = params.settings.get(SECTION) if isinstance(params.settings, dict) else None
        for folder in self._connection.folders:
            self._apply(folder, section)

    async def pull(self) -> None:
        """Request the settings of every folder; on a timeout or an error the settings in force stay."""
        folders = list(self._connection.folders)
        if not self._connection.client.pulls_configuration or not folders:
            return
        items = [types.ConfigurationItem(scope_uri=folder.uri, section=SECTION) for folder in folders]
        params = types.ConfigurationParams(items=items)
        asked = self._connection.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, params)
        try:
            sections = await asyncio.wait_for(asked, WAIT_S)
        except (TimeoutError, RequestError):
            log.warning("the client did not tell its settings")
            return
        for folder, section in zip(folders, sections if isinstance(sections, list) else [], strict=False):
            self._apply(folder, section)

    def _apply(self, folder: Folder, section: object) -> None:
        settings = with_configuration(folder.settings, section)
        if settings != folder.settings:
            folder.apply(settings)
            self._applied(folder)


def _registration(method: str, options: object) -> types.Registration:
    return types.Registration(id=f"helix:{method}", method=method, register_options=options)
