"""Read files as of a commit: one long-lived git process serves all requests of a reader.

Starting git costs ten times a request. The process ends with its reader, with our own process (which closes its input),
after a failure, and on a timeout.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Self, TypeVar

from helix_core.errors import GitError
from helix_core.workspace.git import Git
from helix_core.workspace.history import changed_paths

TIMEOUT_SECONDS = 10.0
KEPT_BYTES = 4 * 1024 * 1024
KEPT_PAIRS = 64
T = TypeVar("T")
_PIECE_BYTES = 1 << 18
_WHOLE_HASH = 40
_NO_ENTRY = (False, b"")
_COMMAND = ("cat-file", "--batch", "-z")


class BlobReader:
    """Reads blobs of one repository. Starts git on first use; close it, or use it as a context manager.

    A commit never changes, so recent blobs are cached (LRU, at most ``KEPT_BYTES``).
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._deadline = 0.0
        self._name_bytes = 20
        self._kept: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        self._held_bytes = 0
        self._differing: OrderedDict[tuple[str, str], dict[bytes, tuple[str, str]]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End git; the next request starts it again."""
        if self._process is not None:
            self._git.end(self._process)
            self._process = None

    def read(self, wanted: Sequence[tuple[str, bytes]], timeout_seconds: float = TIMEOUT_SECONDS) -> list[bytes | None]:
        """Return the raw bytes of each (commit, path), None where that commit has no such file; raises ``GitError``."""
        self._deadline = time.monotonic() + timeout_seconds
        return self._request(lambda: [self._cached(commit, path) for commit, path in wanted])

    def uncommitted(self, head: str) -> tuple[bytes, ...]:
        """Return the files whose bytes on disk differ from those at ``head`` (a whole hash) and those that git does
        not track, in byte order; raises ``GitError``.
        """
        return tuple(sorted(changed_paths(self._git, head)))

    def _request(self, ask: Callable[[], T]) -> T:
        """Run a request; a failure ends the process, and the next request starts it again."""
        try:
            return ask()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise GitError(f"git cat-file stopped answering ({error.strerror}); its facts are left out") from error
            raise

    def _cached(self, commit: str, path: bytes) -> bytes | None:
        return self._cached_object((commit, path), _object_name(self._git, commit, path))

    def _cached_object(self, key: tuple[str, bytes], name: bytes) -> bytes | None:
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        data = self._object(name, b"blob")
        if data is not None and len(key[0]) >= _WHOLE_HASH:
            self._kept[key] = data
            self._held_bytes += len(data)
            while self._held_bytes > KEPT_BYTES:
                self._held_bytes -= len(self._kept.popitem(last=False)[1])
        return data

    def contents(self, names: Sequence[str], timeout_seconds: float = TIMEOUT_SECONDS) -> list[bytes | None]:
        """Return the bytes of blobs by their object names, as ``differing`` returns them; raises ``GitError``."""
        self._deadline = time.monotonic() + timeout_seconds
        return self._request(lambda: [self._cached_object((name, b""), name.encode("ascii")) for name in names])

    def differing(
        self, commit: str, other: str, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> dict[bytes, tuple[str, str]]:
        """Return the files that differ between two commits: their object names in each, empty where it has no such
        file.

        Paths are relative to the workspace root. Equal trees are not entered. Recent pairs are cached. Raises
        ``GitError``.
        """
        known = self._differing.get((commit, other))
        if known is not None:
            self._differing.move_to_end((commit, other))
            return known
        self._deadline = time.monotonic() + timeout_seconds
        found: dict[bytes, tuple[str, str]] = {}
        self._name_bytes = len(other) // 2
        names = [_object_name(self._git, one, b"") for one in (commit, other)]
        self._request(lambda: self._compare(names[0], names[1], b"", found))
        self._differing[commit, other] = found
        while len(self._differing) > KEPT_PAIRS:
            self._differing.popitem(last=False)
        return found

    def _compare(self, one: bytes, other: bytes, above: bytes, found: dict[bytes, tuple[str, str]]) -> None:
        """Walk two trees in parallel; an empty name is an empty tree."""
        first, second = self._entries(one), self._entries(other)
        for name in first.keys() | second.keys():
            (was_tree, was), (is_tree, now) = first.get(name, _NO_ENTRY), second.get(name, _NO_ENTRY)
            if was == now:
                continue
            path = above + name
            if was_tree or is_tree:
                self._compare(was if was_tree else b"", now if is_tree else b"", path + b"/", found)
            if not (was_tree and is_tree):
                found[path] = ("" if was_tree else was.decode("ascii"), "" if is_tree else now.decode("ascii"))

    def _entries(self, name: bytes) -> dict[bytes, tuple[bool, bytes]]:
        """Return the entries of a tree by name: whether each is a tree, and its object name in hex."""
        data = self._object(name, b"tree") if name else None
        entries: dict[bytes, tuple[bool, bytes]] = {}
        position, width = 0, self._name_bytes
        while data and position < len(data):
            end = data.index(b"\0", position)
            mode, _, entry = data[position:end].partition(b" ")
            entries[entry] = mode == b"40000", data[end + 1 : end + 1 + width].hex().encode()
            position = end + 1 + width
        return entries

    def _object(self, name: bytes, wanted: bytes) -> bytes | None:
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(name + b"\0")
        process.stdin.flush()
        missing = name + b" missing\n"
        # A name may contain a newline, so output that may still become "missing" is not yet a header.
        while (missing.startswith(self._unread) and self._unread != missing) or b"\n" not in self._unread:
            self._unread += self._piece(process)
        if self._unread.startswith(missing):
            self._unread = self._unread[len(missing) :]
            return None
        header, _, self._unread = self._unread.partition(b"\n")
        kind, size = header.split(b" ")[-2:]
        data = self._exactly(process, int(size) + 1)
        return data[:-1] if kind == wanted else None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._process = self._git.start(_COMMAND)
            self._unread = b""
        return self._process

    def _exactly(self, process: subprocess.Popen[bytes], count: int) -> bytes:
        pieces, have = [self._unread], len(self._unread)
        while have < count:
            pieces.append(self._piece(process))
            have += len(pieces[-1])
        data = b"".join(pieces)
        self._unread = data[count:]
        return data[:count]

    def _piece(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        waiting = select.poll()
        waiting.register(process.stdout, select.POLLIN)
        left_ms = max(0.0, (self._deadline - time.monotonic()) * 1e3)
        if not waiting.poll(left_ms):
            raise GitError("git cat-file took too long; its facts are left out")
        piece = os.read(process.stdout.fileno(), _PIECE_BYTES)
        if not piece:
            raise GitError("git cat-file ended unexpectedly; its facts are left out")
        return piece


def _object_name(git: Git, commit: str, path: bytes) -> bytes:
    if not commit.removesuffix("^").isalnum():
        raise GitError(f"{commit!a} is not a commit; give its hash or HEAD")
    return commit.encode("ascii") + b":" + git.prefix + path
