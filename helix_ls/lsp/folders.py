"""The client's workspace folders attached to the host, and the resolution of URIs to files in them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from helix_core.errors import HelixError, UsageError, WorkspaceError
from helix_ls.host.host import Host
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.host.status import IndexFacts, ServerInfo, StatusChange, WorkspaceStatus, status_of
from helix_ls.lsp.settings import EditorSettings


def path_of(uri: str) -> bytes | None:
    """Return the normalized absolute path of a ``file:`` URI, or None for any other URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    path = unquote_to_bytes(parts.path)
    if os.name == "nt":
        path = path.lstrip(b"/").replace(b"\\", b"/")
    if b"\0" in path or not os.path.isabs(path):
        return None
    return os.path.normpath(path)


def inside(folder: bytes, path: bytes) -> bytes | None:
    """Return ``path`` relative to ``folder`` with ``/`` as separator, or None if it is not below it."""
    prefix = folder.rstrip(os.fsencode(os.sep)) + os.fsencode(os.sep)
    return path[len(prefix) :].replace(os.fsencode(os.sep), b"/") if path.startswith(prefix) else None


def uri_of_file(folder_uri: str, path: bytes) -> str:
    """Return the URI of a path below a folder, spelled as the client spells the folder's."""
    return folder_uri.rstrip("/") + "/" + quote_from_bytes(path, safe="/")


def folder_path(uri: str) -> Path | None:
    """Return the path of a workspace folder, or None if its URI is not a local file."""
    path = path_of(uri)
    return Path(os.fsdecode(path)) if path is not None else None


def real_file(path: bytes) -> bytes:
    """Resolve the symbolic links of a path's folders, but not of the file itself."""
    parent, name = os.path.split(path)
    return os.path.join(os.path.realpath(parent), name)


@dataclass(frozen=True, slots=True)
class FileInFolder:
    """A file in a folder; ``path`` is relative to the folder's root."""

    folder: Folder
    path: bytes


class Folder:
    """One workspace folder of the client, by the URI that the client gave it."""

    def __init__(self, uri: str, path: Path, host: Host, settings: EditorSettings, *, trusted: bool) -> None:
        self.uri = uri
        self.path = os.fsencode(path)
        self.real_path = self.path
        self.settings = settings
        self.trusted = trusted
        self.failure: HelixError | None = None
        self._has_index_options = False
        self._host = host
        self._workspace: OpenWorkspace | None = None
        self._attaching: asyncio.Task[OpenWorkspace] | None = None
        # Set once attaching has begun or was given up: a request may arrive before the client's settings.
        self._begun = asyncio.Event()
        self._unsubscribe: Callable[[], None] | None = None

    @property
    def records_trail(self) -> bool:
        """Whether this window's setting records a trail; else the user's own settings say."""
        return self.settings.record_trail is True

    async def workspace(self) -> OpenWorkspace:
        """Return the open workspace, waiting until it is attached. Raises WorkspaceError if that failed."""
        await self._begun.wait()
        if self._workspace is not None:
            return self._workspace
        if self._attaching is None:
            raise self.failure or WorkspaceError(f"{os.fsdecode(self.path)} is closed; open it again")
        # Several requests await this task: cancelling one of them must not cancel it.
        return await asyncio.shield(self._attaching)

    async def attach(self, changed: Callable[[Folder, StatusChange], None]) -> None:
        """Attach to the workspace, or retry after a failure; ``changed`` is called at every status change."""
        if self._workspace is None and self._attaching is None:
            self._attaching = asyncio.create_task(self._attach(changed))
            self._attaching.add_done_callback(self._attached)
        self._begun.set()
        if self._attaching is not None:
            await asyncio.wait([self._attaching])

    async def _attach(self, changed: Callable[[Folder, StatusChange], None]) -> OpenWorkspace:
        path = Path(os.fsdecode(self.path))
        workspace = await self._host.attach(path, trusted=self.trusted, watch=self.settings.watch)
        self.real_path = os.fsencode(workspace.folder)
        self.failure = None
        self._workspace = workspace
        self._host.focused = workspace.folder
        self._unsubscribe = workspace.subscribe(lambda change: changed(self, change))
        self.apply(self.settings)
        return workspace

    def _attached(self, task: asyncio.Task[OpenWorkspace]) -> None:
        self._attaching = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failure = (
                error if isinstance(error, HelixError) else WorkspaceError(f"the folder cannot be opened: {error}")
            )

    def apply(self, settings: EditorSettings) -> None:
        """Apply the editor's settings to the workspace, if it is attached."""
        was_paused, self.settings = self.settings.paused, settings
        workspace = self._workspace
        if workspace is None:
            return
        given = settings.index_options()
        if any(value is not None for value in given.values()) or self._has_index_options:
            self._has_index_options = True
            workspace.set_index_options(**given)
        workspace.set_trail(self, record=self.records_trail)
        if settings.watch != workspace.watch:
            workspace.configure(workspace.settings, settings.watch)
        if settings.paused:
            workspace.pause()
        elif was_paused:
            workspace.resume()

    def cancel_indexing(self) -> None:
        """Cancel a running whole refresh; what is committed is kept."""
        if self._workspace is not None:
            self._workspace.cancel()

    async def detach(self) -> None:
        """Unsubscribe and detach from the workspace."""
        self._begun.set()
        if self._attaching is not None:
            await asyncio.wait([self._attaching])
        if self._unsubscribe is not None:
            self._unsubscribe()
        workspace, self._workspace = self._workspace, None
        if workspace is not None:
            workspace.set_trail(self, record=False)
            await self._host.detach(workspace, trusted=self.trusted)

    def status(self) -> WorkspaceStatus:
        """Return the status of the workspace, also while it is not attached or could not be."""
        if self._workspace is not None:
            return self._workspace.status
        is_missing = isinstance(self.failure, WorkspaceError)
        return status_of(
            IndexFacts(missing=is_missing, failure="" if self.failure is None else str(self.failure)),
            workspace=os.fsdecode(self.path),
            uri=self.uri,
            restricted=not self.trusted,
            server=ServerInfo(self._host.pid, self._host.version, self._host.mode),
        )

    def wire_status(self) -> dict[str, Any]:
        """Return the ``helix.live/1`` object with the client's own URI of the folder."""
        return {**self.status().wire(), "uri": self.uri}


class ClientFolders:
    """The workspace folders of one session, by URI."""

    def __init__(self) -> None:
        self._folders: dict[str, Folder] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._folders.values()))

    def add(self, uri: str, host: Host, settings: EditorSettings, *, trusted: bool) -> Folder | None:
        """Add a folder; return None if it is already there, or not on the local disk."""
        path = folder_path(uri)
        if path is None or uri in self._folders:
            return None
        folder = self._folders[uri] = Folder(uri, path, host, settings, trusted=trusted)
        return folder

    def remove(self, uri: str) -> Folder | None:
        """Remove a folder and return it, or None."""
        return self._folders.pop(uri, None)

    def place(self, uri: str) -> FileInFolder | None:
        """Return the file of a URI in the nearest folder, or None outside all folders."""
        return next(iter(self.places(uri)), None)

    def places(self, uri: str) -> list[FileInFolder]:
        """Return the file of a URI in every folder that contains it, the nearest first, as folders may be nested."""
        path = path_of(uri)
        if path is None:
            return []
        found = self._holding(path) or self._holding(real_file(path))
        # Find the same file in folders that were opened through symbolic links.
        for place in list(found):
            for other in self._holding(os.path.join(place.folder.real_path, place.path)):
                if all(other.folder is not each.folder for each in found):
                    found.append(other)
        return found

    def _holding(self, path: bytes) -> list[FileInFolder]:
        found: dict[Folder, tuple[int, bytes]] = {}
        for folder in self._folders.values():
            for root in {folder.path, folder.real_path}:
                relative = inside(root, path)
                if relative:
                    found[folder] = max(found.get(folder, (0, b"")), (len(root), relative))
        nearest = sorted(found.items(), key=lambda each: each[1][0], reverse=True)
        return [FileInFolder(folder, relative) for folder, (_, relative) in nearest]

    def named(self, workspace: str | None, document: str | None = None) -> Folder:
        """Return the folder that a command means: by its URI, by a document in it, or the first.

        Raises UsageError if there is none.
        """
        if workspace is not None:
            path = path_of(workspace)
            for uri, folder in self._folders.items():
                if uri.rstrip("/") == workspace.rstrip("/") or path in (folder.path, folder.real_path):
                    return folder
            raise UsageError(f"{workspace} is not a folder of this window; name an open one")
        place = self.place(document) if document is not None else None
        if place is not None:
            return place.folder
        for folder in self._folders.values():
            return folder
        raise UsageError("no folder is open; open one first")
