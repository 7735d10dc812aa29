"""The other ends of a daemon: an editor on a shim's stdio, and a caller of its calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue

from helix_ls.host.connection import connected, encoded, transport_of
from helix_ls.host.endpoint import place

DEADLINE_S = 60.0


def until(look, what, *, within_s=DEADLINE_S):
    """What ``look`` gives, as soon as it is true."""
    deadline = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} within {within_s:.0f} s"
        time.sleep(0.02)
    return found


class Caller:
    """One connection of kind call to the daemon that runs."""

    def __init__(self, environ, timeout_s=DEADLINE_S):
        self.connection = connected(place(environ), transport_of(environ), {"kind": "call"}, timeout_s=timeout_s)
        self._timeout_s = timeout_s

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.socket.close()

    def send(self, body):
        return self.connection.exchange(body, self._timeout_s)

    def __call__(self, method, **params):
        return self.send(encoded({"method": method, "params": params}))


class Editor:
    """``helix lsp`` with this process as its editor. What it says that is not an answer is kept in ``said``."""

    def __init__(self, environ, *arguments, command=None):
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "helix_ls.cli", "lsp", "--stdio", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
        )
        self.said = []
        self._frames = SimpleQueue()
        self._ids = 0
        threading.Thread(target=self._read, daemon=True).start()

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    def ask(self, method, params=None):
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def answer(self, identity):
        """The answer to a request; answers to requests of the server's own are given on the way."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            message = self.next(deadline - time.monotonic())
            if "method" not in message and message.get("id") == identity:
                return message
            self.said.append(message)
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})

    def next(self, within_s=DEADLINE_S):
        try:
            message = self._frames.get(timeout=max(0.01, within_s))
        except Empty:
            raise AssertionError(f"the server said nothing more; before: {self.said[-3:]}") from None
        assert message is not None, "the server has gone"
        return message

    def rest(self):
        """The next of what was said before the end, None at the end."""
        return self._frames.get(timeout=DEADLINE_S)

    def request(self, method, params=None):
        return self.answer(self.ask(method, params))

    def begin(self, folder, **more):
        uri = Path(folder).as_uri()
        folders = [{"uri": uri, "name": "project"}]
        params = {"processId": os.getpid(), "rootUri": uri, "workspaceFolders": folders, "capabilities": {}, **more}
        reply = self.request("initialize", params)
        self.notify("initialized", {})
        return reply

    def live(self, state):
        """Wait for a status of that state."""
        while True:
            message = self.next()
            self.said.append(message)
            if message.get("method") == "helix/status" and message["params"]["state"] == state:
                return message["params"]

    def close(self):
        """Close the pipes, and see the process end."""
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except (BrokenPipeError, RuntimeError):
                continue
        try:
            self.process.wait(DEADLINE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stderr.close()

    def _read(self):
        stream = self.process.stdout
        while True:
            length = 0
            try:
                while line := stream.readline().strip():
                    length = int(line.split(b":")[1])
                if not length:
                    break
                self._frames.put(json.loads(stream.read(length)))
            except ValueError:
                break
        self._frames.put(None)
