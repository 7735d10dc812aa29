"""A client that sends bytes: what an editor does, and what it should never do."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DEADLINE_S = 60.0
Message = dict[str, Any]


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment in which Helix finds no settings, caches or daemons but those of the test."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "HELIX_CACHE_DIR": str(home / "cache"),
        "HELIX_RUNTIME_DIR": str(home / "run"),
        "HELIX_CONFIG": str(home / "user.toml"),
        **more,
    }


def framed(body: bytes | Message) -> bytes:
    """A body with its header."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


class Wire:
    """A language server process and everything it ever said."""

    def __init__(self, home: Path, *command: str, **more: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.errors = home / "stderr.txt"
        self.heard: list[Message] = []
        self.capabilities: Message = {}
        self._number = 0
        self._documents: set[str] = set()
        self._arrived = threading.Condition()
        self._closed = False
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *(command or ("-m", "helix_ls.lsp"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=home,
                env=environment(home, **more),
            )
        self.answers: dict[str, Callable[[Message], Any]] = {"workspace/configuration": lambda _: [None]}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            name, _, value = line.partition(b":")
            assert name.lower() == b"content-length", line
            length = int(value)
            while stream.readline().strip():
                pass
            body = stream.read(length)
            if len(body) < length:
                break
            message = json.loads(body)
            if "id" in message and "method" in message:
                answer = self.answers.get(message["method"], lambda _: None)
                if answer is not NO_ANSWER:
                    self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer(message["params"])})
            with self._arrived:
                self.heard.append(message)
                self._arrived.notify_all()
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()

    # What goes out

    def raw(self, data: bytes) -> None:
        """Exactly these bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Message) -> None:
        """One message."""
        self.raw(framed(message))

    def notify(self, method: str, params: Any = None) -> None:
        """One notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": {} if params is None else params})

    def ask(self, method: str, params: Any = None) -> int:
        """One request; its id."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    # What comes in

    def until(self, wanted: Callable[[Message], bool], *, since: int = 0, deadline_s: float = DEADLINE_S) -> Message:
        """The first message that is wanted, of all that came after ``since`` of them."""
        end = time.monotonic() + deadline_s
        with self._arrived:
            while True:
                for message in self.heard[since:]:
                    if wanted(message):
                        return message
                since = len(self.heard)
                left = end - time.monotonic()
                if self._closed or left <= 0 or not self._arrived.wait(left):
                    raise AssertionError(f"not heard; the server said {self.heard[-5:]}\n{self.errors.read_text()}")

    def answer(self, number: Any, *, deadline_s: float = DEADLINE_S) -> Message:
        """The answer to a request, as it came."""
        return self.until(
            lambda message: message.get("id") == number and "method" not in message, deadline_s=deadline_s
        )

    def result(self, method: str, params: Any = None, *, deadline_s: float = DEADLINE_S) -> Any:
        """Ask, and give the result."""
        answer = self.answer(self.ask(method, params), deadline_s=deadline_s)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> Message:
        """Ask, and give the error."""
        answer = self.answer(self.ask(method, params))
        assert "error" in answer, answer
        assert isinstance(answer["error"], dict)
        return answer["error"]

    def answers_to(self, number: Any) -> list[Message]:
        """Every answer with this id."""
        with self._arrived:
            return [message for message in self.heard if message.get("id") == number and "method" not in message]

    def told(self, method: str) -> list[Any]:
        """The parameters of every notification of this method so far."""
        with self._arrived:
            return [message["params"] for message in self.heard if message.get("method") == method]

    def until_told(self, method: str, wanted: Callable[[Any], bool], *, since: int = 0) -> Any:
        """The parameters of the first such notification."""
        return self.until(lambda one: one.get("method") == method and wanted(one["params"]), since=since)["params"]

    # Whole conversations

    def command(self, name: str, given: Message | None = None) -> Any:
        """workspace/executeCommand."""
        return self.result("workspace/executeCommand", {"command": name, "arguments": [] if given is None else [given]})

    def initialize(self, *folders: Path, capabilities: Message | None = None, **options: Any) -> Message:
        """initialize and initialized."""
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": capabilities or {},
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
            "initializationOptions": {"helix": options},
        }
        result = self.result("initialize", params)
        assert isinstance(result, dict)
        self.capabilities = result["capabilities"]
        self.notify("initialized")
        return result

    def until_fresh(self, *folders: Path) -> None:
        """Wait until the folders are indexed."""
        for folder in folders:
            self.until_told(
                "helix/status",
                lambda told, f=folder: told["uri"] == f.as_uri() and told["state"] in ("fresh", "incomplete"),
            )

    def open(self, file: Path, text: str | None = None, version: int = 1) -> str:
        """didOpen; the address."""
        self._documents.add(file.as_uri())
        item = {"uri": file.as_uri(), "languageId": "python", "version": version}
        self.notify(
            "textDocument/didOpen", {"textDocument": {**item, "text": file.read_text() if text is None else text}}
        )
        return file.as_uri()

    def change(self, uri: str, text: str, version: int = 2) -> None:
        """didChange with the whole text."""
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", params)

    def close_documents(self) -> None:
        """didClose of everything that ``open`` opened."""
        for uri in self._documents:
            self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self._documents.clear()

    def change_folders(self, added: Iterable[Path] = (), removed: Iterable[Path] = ()) -> None:
        """didChangeWorkspaceFolders."""
        event = {
            "added": [{"uri": folder.as_uri(), "name": folder.name} for folder in added],
            "removed": [{"uri": folder.as_uri(), "name": folder.name} for folder in removed],
        }
        self.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def forget(self) -> None:
        """Forget what the server said so far."""
        with self._arrived:
            self.heard.clear()

    def is_alive(self) -> bool:
        """Does it still answer?"""
        answer = self.answer(self.ask("workspace/executeCommand", {"command": "helix.nothing"}))
        return answer["error"]["code"] in (-32602, -32002, -32600)

    def wait(self) -> int:
        """The exit status."""
        return self.process.wait(DEADLINE_S)

    def stop(self) -> int:
        """shutdown and exit."""
        self.result("shutdown")
        self.notify("exit")
        return self.wait()

    def close(self) -> None:
        """Leave nothing behind."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(DEADLINE_S)
        self.process.stdout.close()


def NO_ANSWER(_: Message) -> None:
    """Given as an answer, the client stays silent."""
