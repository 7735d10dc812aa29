"""What the client tells of its buffers and of files on disk, brought to where it matters.

In: didOpen, didChange, didSave, didClose, didChangeWatchedFiles. Out: hints to the watcher of the folder, and
``changed(place)`` for a buffer that reads differently now.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from helix_ls.lsp.connection import Connection
from helix_ls.lsp.documents import Document
from helix_ls.lsp.folders import Folder, Place

# Of a repository's own files only these say that another commit is checked out; git moves the rest all the time.
_GIT_FILES = frozenset({b".git/HEAD", b".git/index"})


class Sync:
    """Of one session. ``closed`` is called with the address of a buffer that was closed."""

    def __init__(self, connection: Connection, changed: Callable[[Place], None], closed: Callable[[str], None]) -> None:
        self._connection, self._changed, self._closed = connection, changed, closed

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """``textDocument/didOpen``."""
        document = self._connection.documents.open(params)
        if self._connection.place(document.uri) is not None:
            text = params.text_document.text
            self._connection.spawn(self._compare(document, text), "comparing a buffer with its file")

    async def _compare(self, document: Document, text: str) -> None:
        await self._connection.compare_with_disk(document, text)
        self._tell(document.uri)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """``textDocument/didChange``."""
        document = self._connection.documents.change(params)
        if document is not None:
            self._connection.worked_in(document.uri)
            self._tell(document.uri)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """``textDocument/didClose``."""
        uri = params.text_document.uri
        if self._connection.documents.close(uri) is not None:
            self._closed(uri)
            self._tell(uri)

    async def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """``textDocument/didSave``."""
        uri = params.text_document.uri
        document = self._connection.documents.get(uri)
        if document is not None:
            document.mark_clean(document.edition)
            self._tell(uri)
        for place in self._connection.places(uri):
            (await place.folder.workspace()).hint([place.path])

    async def did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """``workspace/didChangeWatchedFiles``."""
        heard: dict[Folder, list[bytes]] = {}
        for change in params.changes:
            for place in self._connection.folders.places(change.uri):
                if _counts(place.path):
                    heard.setdefault(place.folder, []).append(place.path)
        for folder, paths in heard.items():
            (await folder.workspace()).hint(paths)

    def _tell(self, uri: str) -> None:
        for place in self._connection.places(uri):
            self._changed(place)


def _counts(path: bytes) -> bool:
    return b".git" not in path.split(b"/") or path in _GIT_FILES
