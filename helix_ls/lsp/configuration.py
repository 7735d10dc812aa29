"""What the client is asked and registered for: its settings, and to tell of files and settings that change.

In: the session. Out: the folders' settings in force. Registers nothing with a client that cannot, and nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lsprotocol import types

from helix_ls.host.log import LOG
from helix_ls.lsp.connection import Connection
from helix_ls.lsp.folders import Folder
from helix_ls.lsp.replies import RefusedError
from helix_ls.lsp.settings import SECTION, with_configuration

log = LOG.getChild("session")

WAIT_S = 2.0


class Configuration:
    """Of one session. ``applied`` is called with a folder whose settings have changed."""

    def __init__(self, connection: Connection, applied: Callable[[Folder], None]) -> None:
        self._connection, self._applied = connection, applied

    def register(self) -> None:
        """LSP 3.17, client/registerCapability."""
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
        """``workspace/didChangeConfiguration``: asked for again, or taken as it was sent."""
        if self._connection.client.pulls_configuration:
            await self.pull()
            return
        section = params.settings.get(SECTION) if isinstance(params.settings, dict) else None
        for folder in self._connection.folders:
            self._apply(folder, section)

    async def pull(self) -> None:
        """Ask for every folder's settings; those in force stay where the client does not answer."""
        folders = list(self._connection.folders)
        if not self._connection.client.pulls_configuration or not folders:
            return
        items = [types.ConfigurationItem(scope_uri=folder.uri, section=SECTION) for folder in folders]
        params = types.ConfigurationParams(items=items)
        asked = self._connection.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, params)
        try:
            sections = await asyncio.wait_for(asked, WAIT_S)
        except (TimeoutError, RefusedError):
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
