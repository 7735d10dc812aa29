"""The language server of one connection: register the LSP features and connect their handlers."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import Sequence
from typing import Any

import cattrs
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from helix_ls.host.host import Host
from helix_ls.host.log import LOG
from helix_ls.host.parent import follow
from helix_ls.host.status import StatusChange
from helix_ls.lsp.commands import ActionHandlers, Commands
from helix_ls.lsp.connection import Client, ClientConnection
from helix_ls.lsp.debounce import OneAtATime
from helix_ls.lsp.diagnostics import Action, Diagnostics, actions
from helix_ls.lsp.folders import FileInFolder, Folder
from helix_ls.lsp.hover import hover, lenses
from helix_ls.lsp.memory_notices import MemoryNotices
from helix_ls.lsp.packets import OpenPacket, OpenPackets
from helix_ls.lsp.progress import IndexProgress
from helix_ls.lsp.protocol import DID_SHOW, DidShowParams, HelixProtocol
from helix_ls.lsp.questions import QueryHandlers
from helix_ls.lsp.settings import options_of
from helix_ls.lsp.strands import StrandHandlers
from helix_ls.lsp.sync import ClientConfiguration, Sync

log = LOG.getChild("session")

NAME = "helix"


@functools.cache
def _converter() -> cattrs.Converter:
    """Return the cattrs converter shared by all connections, so that its generated hooks are cached."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    return converter


class HelixServer(LanguageServer):
    """The server of one connection. ``follows_client``: watch the client's process and exit with it."""

    protocol: HelixProtocol

    def __init__(self, host: Host, *, resumed: bool, follows_client: bool) -> None:
        super().__init__(NAME, host.version, protocol_cls=HelixProtocol, converter_factory=_converter)
        self._follows_client = follows_client
        connection = self.connection = ClientConnection(host, self.protocol, resumed=resumed)
        self._packets = OpenPackets(connection, self._packet_judged)
        self._diagnostics = Diagnostics(connection, self._packets)
        self._opened = OneAtATime(
            self._packets.was_opened, lambda noting: connection.spawn(noting, "noting what was opened")
        )
        self._just_opened: FileInFolder | None = None
        self._progress = IndexProgress(self.protocol, shows=lambda: connection.client.shows_progress)
        self._configuration = ClientConfiguration(connection, self._settings_applied)
        self._sync = Sync(connection, self._buffer_changed, self._diagnostics.forget)
        acts = ActionHandlers(connection, self._diagnostics, self._progress, self._attach)
        self._memory = MemoryNotices(connection, self._diagnostics.changed)
        self._commands = Commands(
            QueryHandlers(connection, self._packets), acts, self._memory, StrandHandlers(connection)
        )
        self._register()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the error; pygls would show a pop-up."""
        log.error("%s: %s", getattr(source, "__name__", source), type(error).__name__)

    def _register(self) -> None:
        # Register directly in pygls' tables: its decorators set attributes, which bound methods do not allow.
        sync, table = self._sync, self.protocol.fm
        table.features.update(
            {
                types.INITIALIZE: self._initialize,
                types.INITIALIZED: self._initialized,
                types.TEXT_DOCUMENT_DID_OPEN: self._did_open,
                DID_SHOW: self._did_show,
                types.TEXT_DOCUMENT_DID_CHANGE: sync.did_change,
                types.TEXT_DOCUMENT_DID_CLOSE: sync.did_close,
                types.TEXT_DOCUMENT_DID_SAVE: sync.did_save,
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES: sync.did_change_watched_files,
                types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._configuration.changed,
                types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._did_change_folders,
                types.TEXT_DOCUMENT_HOVER: self._hover,
                types.TEXT_DOCUMENT_CODE_LENS: self._code_lens,
                types.TEXT_DOCUMENT_CODE_ACTION: self._code_action,
                types.WORKSPACE_EXECUTE_COMMAND: self._commands.execute,
            }
        )
        kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
        table.feature_options[types.TEXT_DOCUMENT_CODE_ACTION] = kinds
        table.commands.update(dict.fromkeys(self._commands.table, self._commands.execute))

    # Lifecycle

    def _initialize(self, params: types.InitializeParams) -> None:
        connection = self.connection
        connection.client = Client.of(params.capabilities)
        connection.options = options_of(params.initialization_options)
        trace = params.trace or connection.options.trace
        self.protocol.trace = types.TraceValue(trace) if trace in set(types.TraceValue) else types.TraceValue.Off
        encoding = types.PositionEncodingKind(self.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        connection.documents.encoding = encoding.value
        if connection.client.pulls_diagnostics:
            self.protocol.fm.features[types.TEXT_DOCUMENT_DIAGNOSTIC] = self._diagnostics.pull
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME
            )
            self.protocol.fm.feature_options[types.TEXT_DOCUMENT_DIAGNOSTIC] = options
        for uri in _folder_uris(params):
            self._add(uri)
        if self._follows_client and params.process_id is not None:
            follow(params.process_id, functools.partial(self._client_gone, asyncio.get_running_loop()))

    def _client_gone(self, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self.protocol.end, 1)

    async def _initialized(self, _: types.InitializedParams) -> None:
        self._configuration.register()
        await self._configuration.pull()
        await asyncio.gather(*(self._attach(folder) for folder in self.connection.folders))

    def _add(self, uri: str) -> Folder | None:
        connection, options = self.connection, self.connection.options
        return connection.folders.add(uri, connection.host, options.settings, trusted=options.trusted)

    async def _attach(self, folder: Folder) -> None:
        self._folder_changed(folder)
        await folder.attach(self._workspace_changed)
        self.connection.forget_places()
        self._folder_changed(folder)

    async def close(self) -> None:
        """Close packets, timers, tasks and folders of the connection."""
        self._packets.close_all()
        for part in (self._progress, self._diagnostics, self._memory):
            part.close()
        await self.connection.close()

    def _did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._sync.did_open(params)
        self._just_opened = self.connection.place(params.text_document.uri)
        self._note_opened(self._just_opened)

    def _did_show(self, params: DidShowParams) -> None:
        """Record a file whose editor became the active one, unless the notification before was its ``didOpen``."""
        place = self.connection.place(params.uri)
        just_opened, self._just_opened = self._just_opened, None
        if place != just_opened:
            self._note_opened(place)

    def _note_opened(self, place: FileInFolder | None) -> None:
        if place is not None:
            self._opened.add(place, time.time())

    # Change events

    def _folder_changed(self, folder: Folder) -> None:
        self._progress.changed(folder)

    def _workspace_changed(self, folder: Folder, change: StatusChange) -> None:
        if change.written:
            self._packets.written(folder, change.written)
            return
        self._folder_changed(folder)
        if change.paths or change.everything:
            self._packets.changed(folder)
            self._packets.ask_again(folder)
            self._diagnostics.changed()
            self._memory.files_changed(folder)
            self._refresh_lenses(folder)

    def _buffer_changed(self, place: FileInFolder) -> None:
        self._packets.changed(place.folder, place.path)
        self._diagnostics.changed()

    def _packet_judged(self, packet: OpenPacket) -> None:
        if any(self.connection.document_at(packet.folder, path) is not None for path in packet.paths):
            self._diagnostics.changed()

    def _settings_applied(self, folder: Folder) -> None:
        self._diagnostics.changed()
        self._refresh_lenses(folder, anyway=True)

    def _refresh_lenses(self, folder: Folder, *, anyway: bool = False) -> None:
        if self.connection.client.refreshes_lenses and (folder.settings.code_lens or anyway):
            self.protocol.send_request(types.WORKSPACE_CODE_LENS_REFRESH)

    async def _did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        # Nothing is awaited until the list is the client's: the next notification may add a removed folder again.
        removed = [folder for each in params.event.removed if (folder := self._remove(each.uri)) is not None]
        added = [self._add(each.uri) for each in params.event.added]
        self.connection.forget_places()
        for folder in removed:
            await folder.detach()
        await self._configuration.pull()
        await asyncio.gather(*(self._attach(folder) for folder in added if folder is not None))

    def _remove(self, uri: str) -> Folder | None:
        """Remove a folder from the list, and what was shown of it; return it, still attached, or None."""
        folder = self.connection.folders.remove(uri)
        if folder is not None:
            self._diagnostics.forget_folder(folder)
            self._packets.close_all(folder)
            self._progress.forget(folder)
            self._memory.forget(folder.uri)
        return folder

    # Language features

    async def _hover(self, params: types.HoverParams) -> types.Hover | None:
        return await hover(self.connection, params)

    async def _code_lens(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        return await lenses(self.connection, params)

    def _code_action(self, params: types.CodeActionParams) -> Sequence[Action]:
        ours = self._diagnostics.shown(params.text_document.uri, params.context.diagnostics)
        return actions(params, ours, literals=self.connection.client.takes_actions)


def _folder_uris(params: types.InitializeParams) -> list[str]:
    """Return the workspace folders of an initialize request: workspaceFolders, else rootUri, else rootPath."""
    if params.workspace_folders is not None:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    from pygls.uris import from_fs_path

    uri = from_fs_path(params.root_path) if params.root_path else None
    return [uri] if uri else []
