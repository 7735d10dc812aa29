"""What a shim must remember of a conversation to go on with it when the daemon has died. Pure: messages in, frames out.

Of the client: ``initialize``, ``initialized``, the folders it added, its settings and trace level, and of each open
document what was opened and every change since. Of the server: which requests of the client are not answered, which
of its own wait for the client, and which progress it has begun. A document of too long a history cannot be recalled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

MAX_DOCUMENT_BYTES = 16 << 20
SERVER_CANCELLED = -32802
INITIALIZE_AGAIN = "helix-shim/initialize"
_KEPT_LAST = ("workspace/didChangeConfiguration", "$/setTrace")
Message = dict[str, Any]


@dataclass(slots=True)
class _Document:
    """Raw bodies: ``didOpen``, then each ``didChange``."""

    opened: bytes
    changes: list[bytes] = field(default_factory=list)
    size: int = 0


class Recall:
    """Of one client, over the lives of any number of daemons."""

    def __init__(self) -> None:
        self._initialize: tuple[Any, Message, bytes] | None = None
        self._initialized: bytes | None = None
        self._is_initialize_answered = False
        self._folders: list[bytes] = []
        self._last: dict[str, bytes] = {}
        self._documents: dict[str, _Document] = {}
        self._unanswered: dict[str, Any] = {}
        self._asked: set[str] = set()
        self._progress: dict[str, Any] = {}
        self.shut_down = False
        self.exited = False

    @property
    def parent_pid(self) -> int | None:
        """The process the client named as the one to live with."""
        given = _object(self._initialize[1].get("params")) if self._initialize is not None else {}
        pid = given.get("processId")
        return pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None

    def from_client(self, message: Message, body: bytes) -> bool:
        """Note what the client says; False when it must not be passed on: an answer nobody waits for."""
        method = message.get("method")
        if not isinstance(method, str):
            key = _key(message.get("id"))
            known = key in self._asked
            self._asked.discard(key)
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
        """Note what the server says; False when it is the answer to our own ``initialize``."""
        if "method" in message:
            if "id" in message:
                self._asked.add(_key(message["id"]))
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
        """The daemon has died: what the client must be told, that it waits for nothing any more."""
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
        self._asked.clear()
        return told

    def greeting(self) -> tuple[bytes | None, bool]:
        """What a new daemon hears first, and whether its answer is for us and not for the client."""
        if self._initialize is None:
            return None, False
        _, message, body = self._initialize
        if not self._is_initialize_answered:
            return body, False
        return _encoded({**message, "id": INITIALIZE_AGAIN}), True

    def replay(self) -> list[bytes] | None:
        """What it hears after it has answered that, in order; None when it cannot be recalled."""
        if any(one.size > MAX_DOCUMENT_BYTES for one in self._documents.values()):
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
                self._documents[_uri(params)] = _Document(body, size=len(body))
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
            # The whole text makes what came before superfluous, and all but the language of the opening.
            opened = json.loads(document.opened)
            version = _object(params.get("textDocument")).get("version")
            opened["params"]["textDocument"] |= {"text": text, "version": version}
            again = _encoded(opened)
            self._documents[uri] = _Document(again, size=len(again))
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
    """The answer to a message that could not even be read, so that nobody knows its id (JSON-RPC 2.0, section 5)."""
    return _encoded({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}})


def _whole_text(params: Message) -> str | None:
    """The document's text when the last change without a range is the last of all."""
    changes = params.get("contentChanges")
    last = changes[-1] if isinstance(changes, list) and changes else None
    if not isinstance(last, dict) or last.get("range") is not None:
        return None
    text = last.get("text")
    return text if isinstance(text, str) else None


def _notification(method: str, params: Message) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _key(identity: Any) -> str:
    """An id or token as a key: 1 and "1" are two."""
    return json.dumps(identity)


def _uri(params: Message) -> str:
    return str(_object(params.get("textDocument")).get("uri"))


def _object(value: Any) -> Message:
    return value if isinstance(value, dict) else {}


def _encoded(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
