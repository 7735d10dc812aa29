"""``helix lsp``: forward bytes between the editor's stdio and the daemon's socket; replay a session after a restart."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from helix_core.errors import HelixError
from helix_ls.host.connection import DaemonConnection
from helix_ls.host.election import StartError, reach
from helix_ls.host.endpoint import place
from helix_ls.host.framing import FrameReader, framed
from helix_ls.host.parent import follow
from helix_ls.host.private_files import PlaceError

MAX_DOCUMENT_BYTES = 16 << 20
SERVER_CANCELLED = -32802
INITIALIZE_AGAIN = "helix-shim/initialize"
_KEPT_LAST = ("workspace/didChangeConfiguration", "$/setTrace")
Message = dict[str, Any]


@dataclass(slots=True)
class _ReplayedDocument:
    """The raw messages of an open document, for replay: ``didOpen``, then each ``didChange``; ``size`` in bytes."""

    opened: bytes
    changes: list[bytes] = field(default_factory=list)
    size: int = 0


class SessionReplay:
    """Record the state of one LSP client, so that it can be replayed to a new daemon after a restart."""

    def __init__(self) -> None:
        self._initialize: tuple[Any, Message, bytes] | None = None
        self._initialized: bytes | None = None
        self._is_initialize_answered = False
        self._folders: list[bytes] = []
        self._last: dict[str, bytes] = {}
        self._documents: dict[str, _ReplayedDocument] = {}
        self._unanswered: dict[str, Any] = {}
        self._pending: set[str] = set()
        self._progress: dict[str, Any] = {}
        self.shut_down = False
        self.exited = False

    @property
    def parent_pid(self) -> int | None:
        """The ``processId`` of the client's initialize request, or None."""
        given = _object(self._initialize[1].get("params")) if self._initialize is not None else {}
        pid = given.get("processId")
        return pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None

    def from_client(self, message: Message, body: bytes) -> bool:
        """Record a message of the client; return False for a response to an unknown request, which is dropped."""
        method = message.get("method")
        if not isinstance(method, str):
            key = _key(message.get("id"))
            known = key in self._pending
            self._pending.discard(key)
            return known
        if "id" in message:
            self._unanswered[_key(message["id"])] = message["id"]
            if method == "initialize" and self._initialize is None:
                self._initialize = (message["id"], message, body)
            self.shut_down = self.shut_down or method == "shutdown"
        else:
            self._note(method, _object(message.get("params")), body)
        return True

    def from_server(self, message: Message) -> bool:
        """Record a message of the server; return False for the response to a replayed ``initialize``."""
        if "method" in message:
            if "id" in message:
                self._pending.add(_key(message["id"]))
            if message["method"] == "$/progress":
                self._note_progress(_object(message.get("params")))
            return True
        if message.get("id") == INITIALIZE_AGAIN:
            return False
        key = _key(message.get("id"))
        self._unanswered.pop(key, None)
        if self._initialize is not None and key == _key(self._initialize[0]):
            self._is_initialize_answered = True
        return True

    def lost(self) -> list[Message]:
        """Return the messages that end all pending requests and progress for the client after the daemon died."""
        told: list[Message] = []
        initialize = _key(self._initialize[0]) if self._initialize is not None else ""
        for key, each in tuple(self._unanswered.items()):
            if key != initialize:
                del self._unanswered[key]
                error = {"code": SERVER_CANCELLED, "message": "Helix's daemon was restarted; ask again."}
                told.append({"jsonrpc": "2.0", "id": each, "error": error})
        for token in self._progress.values():
            told.append(_notification("$/progress", {"token": token, "value": {"kind": "end"}}))
        self._progress.clear()
        self._pending.clear()
        return told

    def greeting(self) -> tuple[bytes | None, bool]:
        """Return the ``initialize`` for a new daemon, and whether its response is to be kept from the client."""
        if self._initialize is None:
            return None, False
        _, message, body = self._initialize
        if not self._is_initialize_answered:
            return body, False
        return _encoded({**message, "id": INITIALIZE_AGAIN}), True

    def replay(self) -> list[bytes] | None:
        """Return the messages to replay after ``initialize``, in order; None if a document is too large for it."""
        if any(document.size > MAX_DOCUMENT_BYTES for document in self._documents.values()):
            return None
        bodies = [self._initialized] if self._initialized is not None else []
        bodies += [*self._folders, *self._last.values()]
        for document in self._documents.values():
            bodies += [document.opened, *document.changes]
        return bodies

    def _note(self, method: str, params: Message, body: bytes) -> None:
        match method:
            case "initialized":
                self._initialized = body
            case "exit":
                self.exited = True
            case "workspace/didChangeWorkspaceFolders":
                self._folders.append(body)
            case "textDocument/didOpen":
                self._documents[_uri(params)] = _ReplayedDocument(body, size=len(body))
            case "textDocument/didChange":
                self._change(_uri(params), params, body)
            case "textDocument/didClose":
                self._documents.pop(_uri(params), None)
            case _ if method in _KEPT_LAST:
                self._last[method] = body

    def _change(self, uri: str, params: Message, body: bytes) -> None:
        document = self._documents.get(uri)
        if document is None:
            return
        text = _whole_text(params)
        if text is not None:
            # A full-text change supersedes all earlier changes: fold it into the didOpen, whose languageId is kept.
            opened = json.loads(document.opened)
            version = _object(params.get("textDocument")).get("version")
            opened["params"]["textDocument"] |= {"text": text, "version": version}
            again = _encoded(opened)
            self._documents[uri] = _ReplayedDocument(again, size=len(again))
            return
        document.size += len(body)
        if document.size > MAX_DOCUMENT_BYTES:
            document.changes.clear()
        else:
            document.changes.append(body)

    def _note_progress(self, params: Message) -> None:
        kind = _object(params.get("value")).get("kind")
        if kind == "begin":
            self._progress[_key(params.get("token"))] = params.get("token")
        elif kind == "end":
            self._progress.pop(_key(params.get("token")), None)


def refusal(code: int, why: str) -> bytes:
    """Return an error response with a null id, for a message that could not be parsed (JSON-RPC 2.0, section 5)."""
    return _encoded({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}})


def _whole_text(params: Message) -> str | None:
    """Return the document's new text if the last content change is a full one, without a range, or None."""
    changes = params.get("contentChanges")
    last = changes[-1] if isinstance(changes, list) and changes else None
    if not isinstance(last, dict) or last.get("range") is not None:
        return None
    text = last.get("text")
    return text if isinstance(text, str) else None


def _notification(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _key(identity: Any) -> str:
    """Return a request id or progress token as a dict key: 1 and "1" differ."""
    return json.dumps(identity)


def _uri(params: Message) -> str:
    return str(_object(params.get("textDocument")).get("uri"))


def _object(value: Any) -> Message:
    return value if isinstance(value, dict) else {}


def _encoded(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


PARSE_ERROR, INVALID_REQUEST = -32700, -32600
FLUSH_S = 1.0
MOST_DEATHS = 5
DEATHS_WITHIN_S = 180.0
RESTART = "then restart the language server in the editor."


class RecoveryError(HelixError):
    """The session cannot be carried over to another daemon: the editor must restart the server."""


def run_shim(environ: Mapping[str, str]) -> int | None:
    """Forward between editor and daemon until the editor exits; return the exit status.

    Returns None, with nothing read from stdin, if no daemon can be reached or started.
    """
    try:
        connection = reach(environ, {"kind": "lsp", "resumed": False})
    except (StartError, PlaceError):
        return None
    return _Shim(environ, connection).run()


class _Shim:
    """Three threads: a reader of the editor, a reader of the daemon, and the main thread, which waits for the end.

    ``_to_daemon`` is locked while a message is recorded and sent, and during a recovery, so that no message is sent
    twice or out of order. ``_noted`` guards the recorded session and is held only briefly.
    """

    def __init__(self, environ: Mapping[str, str], connection: DaemonConnection) -> None:
        self._environ = environ
        self._connection = connection
        self._recall = SessionReplay()
        self._to_daemon = threading.Lock()
        self._noted = threading.Lock()
        self._to_editor = threading.Lock()
        self._over = threading.Event()
        self._flushed = threading.Event()
        self._is_leaving = False
        self._status = 1
        self._deaths: list[float] = []
        self._is_followed = False
        # Redirect stdout to stderr, so that no print of a library corrupts the protocol.
        self._out = os.dup(1)
        os.dup2(2, 1)

    def run(self) -> int:
        """Start the reader threads and wait until either side ends; blocked readers are abandoned at process exit."""
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
        """Return the parsed message, or None after answering an invalid one with a JSON-RPC error."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._write(refusal(PARSE_ERROR, "The message is not JSON, or too large or too deep to be read."))
            return None
        if not isinstance(message, dict):
            self._write(refusal(INVALID_REQUEST, "The message is not an object; batches are not part of the protocol."))
            return None
        return message

    def _pass_on(self, message: dict[str, Any], body: bytes) -> None:
        with self._to_daemon:
            with self._noted:
                wanted = self._recall.from_client(message, body)
            if wanted:
                try:
                    self._connection.send(body)
                except OSError:
                    # The daemon died; the thread that reads from it recovers, and replays what was recorded.
                    return
        if message.get("method") == "initialize" and not self._is_followed:
            self._is_followed = True
            pid = self._recall.parent_pid
            if pid is not None:
                follow(pid, lambda: self._end(1))

    def _leave_daemon(self) -> None:
        """Shut down the sending side at the editor's EOF, and let the daemon flush for at most ``FLUSH_S`` seconds."""
        try:
            self._connection.socket.shutdown(1)
        except OSError:
            return
        if self._recall.exited:
            self._flushed.wait(FLUSH_S)

    def _from_daemon(self) -> None:
        while True:
            self._forward(self._connection.frames)
            if self._is_leaving or self._over.is_set():
                self._flushed.set()
                return
            self._to_daemon.acquire()
            try:
                self._recover()
            except (RecoveryError, StartError, PlaceError) as error:
                # Editors show the server's stderr in its output.
                sys.stderr.write(f"helix lsp: {error}\n")
                self._end(1)
                return

    def _forward(self, frames: FrameReader, *, until_initialized: bool = False) -> bool:
        """Forward the daemon's messages until EOF, or until it has answered a replayed ``initialize``."""
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
                self._write(body)
            elif until_initialized and message.get("id") == INITIALIZE_AGAIN:
                return True

    def _recover(self) -> None:
        """Connect to another daemon and replay the session. Raises RecoveryError, StartError and PlaceError.

        The caller holds ``_to_daemon``; it is released when everything is replayed.
        """
        while True:
            now = time.monotonic()
            self._deaths = [at for at in self._deaths if now - at < DEATHS_WITHIN_S] + [now]
            with self._noted:
                told = self._recall.lost()
            for message in told:
                self._write(json.dumps(message).encode())
            if len(self._deaths) > MOST_DEATHS:
                raise RecoveryError(
                    f"The daemon ended {len(self._deaths)} times within {DEATHS_WITHIN_S:.0f} s; "
                    f"see the end of its log, {place(self._environ).log}, {RESTART}"
                )
            self._connection.socket.close()
            self._connection = reach(self._environ, {"kind": "lsp", "resumed": True})
            try:
                self._replay()
            except OSError:
                continue
            return

    def _replay(self) -> None:
        """Replay the recorded session to a new daemon. Raises OSError if it dies meanwhile, and RecoveryError."""
        greeting, is_ours = self._recall.greeting()
        connection = self._connection
        if greeting is not None:
            connection.send(greeting)
        if not is_ours:
            self._to_daemon.release()
            return
        if not self._forward(connection.frames, until_initialized=True):
            raise ConnectionError("the daemon ended while the session was replayed")
        bodies = self._recall.replay()
        if bodies is None:
            raise RecoveryError(
                f"The daemon ended, and an open document of more than {MAX_DOCUMENT_BYTES >> 20} MiB cannot be sent "
                f"to the next one; close it if that happens again, {RESTART}"
            )
        threading.Thread(target=self._send_replay, args=(bodies,), name="helix-replay", daemon=True).start()

    def _send_replay(self, bodies: list[bytes]) -> None:
        """Send the replay in a thread of its own: without a reader, the daemon's backpressure blocks both."""
        try:
            for body in bodies:
                self._connection.send(body)
        except OSError:
            return
        finally:
            self._to_daemon.release()

    def _write(self, body: bytes) -> None:
        data = memoryview(framed(body))
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
    """Exit the process at once, although reader threads are still blocked."""
    sys.stderr.flush()
    os._exit(status)
