"""``helix lsp``: bytes between the editor's stdio and the daemon's socket, and nothing else of Helix in this process.

Answers itself what is no message at all, goes on with a new daemon when the old one has died, and leaves when the
editor has. Its imports are few: it is what an editor waits for.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from helix_ls.host.election import StartError, reach
from helix_ls.host.endpoint import Connection
from helix_ls.host.framing import FrameReader, frame
from helix_ls.host.parent import follow
from helix_ls.host.place import PlaceError
from helix_ls.host.recall import INITIALIZE_AGAIN, Recall, refusal

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
FLUSH_S = 1.0
MOST_DEATHS = 5
DEATHS_WITHIN_S = 180.0


def run_shim(environ: Mapping[str, str]) -> int | None:
    """Serve the editor until it has gone; the exit status, or None when no daemon can be had: nothing is read then."""
    try:
        connection = reach(environ, {"kind": "lsp", "resumed": False})
    except (StartError, PlaceError):
        return None
    return _Shim(environ, connection).run()


class _Shim:
    """Three threads: the editor's messages, the daemon's, and the one that waits for the end.

    ``_to_daemon`` is held while a message is noted and sent, and during a recovery: so nothing is sent twice or in
    another order. ``_noted`` guards what is recalled, for moments only.
    """

    def __init__(self, environ: Mapping[str, str], connection: Connection) -> None:
        self._environ = environ
        self._connection = connection
        self._recall = Recall()
        self._to_daemon = threading.Lock()
        self._noted = threading.Lock()
        self._to_editor = threading.Lock()
        self._over = threading.Event()
        self._flushed = threading.Event()
        self._is_leaving = False
        self._status = 1
        self._deaths: list[float] = []
        self._is_followed = False
        # Whoever prints, here or in a library, must not print into the protocol.
        self._out = os.dup(1)
        os.dup2(2, 1)

    def run(self) -> int:
        """Pump until either side ends. The threads that still read are left behind: the process ends."""
        threading.Thread(target=self._from_daemon, name="helix-from-daemon", daemon=True).start()
        threading.Thread(target=self._from_editor, name="helix-from-editor", daemon=True).start()
        self._over.wait()
        return self._status

    def _end(self, status: int) -> None:
        if not self._over.is_set():
            self._status = status
            self._over.set()

    def _from_editor(self) -> None:
        frames = FrameReader(_read_stdin)
        while (body := frames.next()) is not None:
            message = self._understood(body)
            if message is not None:
                self._pass_on(message, body)
            if self._recall.exited:
                break
        self._is_leaving = True
        self._leave_daemon()
        self._end(0 if self._recall.shut_down else 1)

    def _understood(self, body: bytes) -> dict[str, Any] | None:
        """The message; what is none is answered here and goes no further."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._say(refusal(PARSE_ERROR, "The message is not JSON, or too large or too deep to be read."))
            return None
        if not isinstance(message, dict):
            self._say(refusal(INVALID_REQUEST, "The message is not an object; batches are not part of the protocol."))
            return None
        return message

    def _pass_on(self, message: dict[str, Any], body: bytes) -> None:
        with self._to_daemon:
            with self._noted:
                wanted = self._recall.from_client(message, body)
            if wanted:
                try:
                    self._connection.socket.sendall(frame(body))
                except OSError:
                    # The daemon has died; who reads from it notices, and sends what was noted to the next one.
                    return
        if message.get("method") == "initialize" and not self._is_followed:
            self._is_followed = True
            pid = self._recall.parent_pid
            if pid is not None:
                follow(pid, lambda: self._end(1))

    def _leave_daemon(self) -> None:
        """The editor says no more: let the daemon finish its last words, within a second."""
        try:
            self._connection.socket.shutdown(1)
        except OSError:
            return
        if self._recall.exited:
            self._flushed.wait(FLUSH_S)

    def _from_daemon(self) -> None:
        while True:
            frames = FrameReader(self._connection.socket.recv, self._connection.early)
            self._forward(frames)
            if self._is_leaving or self._over.is_set():
                self._flushed.set()
                return
            self._to_daemon.acquire()
            if not self._recover():
                self._end(1)
                return

    def _forward(self, frames: FrameReader, *, until_initialized: bool = False) -> bool:
        """Pass on what the daemon says until it ends, or until it has answered our own ``initialize``."""
        while True:
            try:
                body = frames.next()
            except OSError:
                return False
            if body is None:
                return False
            message = json.loads(body)
            with self._noted:
                is_for_editor = self._recall.from_server(message)
            if is_for_editor:
                self._say(body)
            elif until_initialized and message.get("id") == INITIALIZE_AGAIN:
                return True

    def _recover(self) -> bool:
        """Go on with another daemon; False when that cannot be done, and the editor must begin anew.

        ``_to_daemon`` is held, and released when all has been said again.
        """
        while True:
            now = time.monotonic()
            self._deaths = [at for at in self._deaths if now - at < DEATHS_WITHIN_S] + [now]
            with self._noted:
                told = self._recall.lost()
            for message in told:
                self._say(json.dumps(message).encode())
            if len(self._deaths) > MOST_DEATHS:
                return False
            self._connection.socket.close()
            try:
                self._connection = reach(self._environ, {"kind": "lsp", "resumed": True})
            except (StartError, PlaceError):
                return False
            try:
                return self._replay()
            except OSError:
                continue

    def _replay(self) -> bool:
        """Bring a new daemon to where the old one was. Raises OSError when it dies meanwhile."""
        greeting, is_ours = self._recall.greeting()
        peer = self._connection.socket
        if greeting is not None:
            peer.sendall(frame(greeting))
        if not is_ours:
            self._to_daemon.release()
            return True
        frames = FrameReader(peer.recv, self._connection.early)
        if not self._forward(frames, until_initialized=True):
            raise ConnectionError("the daemon ended while it was told what had been")
        bodies = self._recall.replay()
        if bodies is None:
            return False
        self._connection = Connection(peer, self._connection.pid, self._connection.version, frames.rest())
        threading.Thread(target=self._say_again, args=(bodies,), name="helix-replay", daemon=True).start()
        return True

    def _say_again(self, bodies: list[bytes]) -> None:
        """Beside the thread that reads: a daemon that waits for its words to be taken takes none."""
        try:
            for body in bodies:
                self._connection.socket.sendall(frame(body))
        except OSError:
            return
        finally:
            self._to_daemon.release()

    def _say(self, body: bytes) -> None:
        data = memoryview(frame(body))
        try:
            with self._to_editor:
                while data:
                    data = data[os.write(self._out, data) :]
        except OSError:
            self._end(1)


def _read_stdin(size: int) -> bytes:
    try:
        return os.read(0, size)
    except OSError:
        return b""


def end(status: int) -> NoReturn:
    """End the process though threads still read: there is nobody left to read for."""
    sys.stderr.flush()
    os._exit(status)
