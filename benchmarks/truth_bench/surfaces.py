# ruff: noqa: ARG002 - every surface is called alike
"""The ways a question reaches Helix: the Python API, the command, an agent's server, a language server, a daemon.

Each holds one folder for a whole run, is asked for packets, brings its index level with the disk, and, where it can,
says how the items of a packet that stays open stand now. Nothing is judged here.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from editorbench.wire import Client, RefusedError

from helix_core.config import Config, load_config
from helix_core.engine import Helix
from helix_core.errors import HelixError
from helix_core.model import Pointer
from helix_ls.host.election import daemon_status, reach

# Beside busy loops a process at nice 19 gets a hundredth of a core.
ANSWER_S = float(os.environ.get("TRUTH_BENCH_ANSWER_S", "180"))
POINTER = ("source_id", "gene_id", "symbol", "start_line", "end_line", "content_hash")
Packet = dict[str, Any]


class AskError(Exception):
    """A question ended without an answer; the text is what a user would have seen."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A packet that stays open: its items as first told, what names it at the server, and its task."""

    items: Sequence[Mapping[str, Any]]
    id: str
    task: str
    confidence: float

    @classmethod
    def of(cls, packet: Packet) -> Opened:
        items = [item for status in ("verified", "stale_risk", "needs_refresh") for item in packet[status]]
        confidence = packet.get("coordinate_confidence", 1.0)
        return cls(items, packet.get("packet_id", ""), packet.get("task_type", "explain"), confidence)

    def marked(self, told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Each item of the packet with what was told of it."""
        return [{**item, **mark} for item, mark in zip(self.items, told, strict=True)]


class Surface(Protocol):
    """``keeps_open``: can it say how the items of an earlier packet stand? ``notices``: does it do so unasked?"""

    name: ClassVar[str]
    keeps_open: ClassVar[bool]
    notices: ClassVar[bool]

    def ask(self, question: str, task: str, k: int) -> Packet: ...

    def refresh(self) -> None: ...

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        """Each item of an open packet with its verdict: asked for now, or as the client was last told."""
        ...

    def close(self) -> None: ...


def environment(scratch: Path) -> dict[str, str]:
    """Variables under which a process finds no settings, caches or daemons but those of this run."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HELIX_", "XDG_", "GIT_"))}
    return kept | {
        "HOME": str(scratch / "home"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "HELIX_CACHE_DIR": str(scratch / "cache"),
        "HELIX_DATA_DIR": str(scratch / "data"),
        "HELIX_RUNTIME_DIR": str(scratch / "run"),
        "HELIX_CONFIG": str(scratch / "no-such-file.toml"),
        "HELIX_IDLE_S": "20",
    }


def is_level(status: Mapping[str, Any]) -> bool:
    """Is nothing on disk unknown to the index, but for files set aside, which are due again and again?"""
    pending = sum(status["pending"].values())
    return status["live"]["state"] in {"fresh", "incomplete"} and pending <= len(status.get("set_aside", ()))


def helix_command(*arguments: str, python: str = sys.executable) -> list[str]:
    return [python, "-m", "helix_ls.cli", *arguments]


class Api:
    """``Helix`` held open in this process, nothing refreshed but on demand."""

    name, keeps_open, notices = "api", True, False

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._config: Config = load_config(environ=environment(scratch), user=scratch / "no-such-file.toml")
        self.helix = Helix.open(folder, config=self._config)
        self.helix.refresh()

    def ask(self, question: str, task: str, k: int) -> Packet:
        return self.helix.packet(question, task=task, k=k)

    def refresh(self) -> None:
        self.helix.refresh()

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        pointers = [Pointer(**{name: item[name] for name in POINTER}) for item in opened.items]
        judged, _ = self.helix.judge(pointers, task=opened.task, confidence=opened.confidence)
        told = []
        for one in judged:
            now = {"start_line": one.start_line, "end_line": one.end_line} if one.start_line else None
            verdict = one.verdict
            about = {"status": verdict.status.value, "reason": verdict.reason.value, "detail": verdict.detail}
            told.append({**about, "now": now})
        return opened.marked(told)

    def close(self) -> None:
        self.helix.close()


class Cli:
    """``helix packet --json``, a process for every question; it brings the index up to date before it answers."""

    name, keeps_open, notices = "cli", False, False

    def __init__(self, folder: Path, scratch: Path, *, level: bool = True) -> None:
        self._folder, self._environment = folder, environment(scratch)
        if level:
            self.refresh()

    def status(self) -> dict[str, Any]:
        """``helix.status/1``."""
        found: dict[str, Any] = json.loads(self._run("status", "--json", str(self._folder)))
        return found

    def ask(self, question: str, task: str, k: int) -> Packet:
        path = ("--path", str(self._folder))
        said = self._run("packet", "--json", "--task", task, "-k", str(k), *path, "--", question)
        packet: Packet = json.loads(said)
        return packet

    def refresh(self) -> None:
        self._run("index", "--json", str(self._folder))

    def _run(self, *arguments: str) -> str:
        try:
            done = subprocess.run(
                helix_command(*arguments),
                env=self._environment,
                cwd=self._folder.parent,
                capture_output=True,
                text=True,
                timeout=ANSWER_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise AskError(f"helix {arguments[0]} did not end in {ANSWER_S:.0f} s") from error
        if done.returncode:
            raise AskError(f"helix {arguments[0]} ended with {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        raise NotImplementedError(self.name)

    def close(self) -> None:
        pass


class Mcp:
    """``helix mcp`` on stdio with its daemon, as an agent starts it."""

    name, keeps_open, notices = "mcp", True, False

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._environment = environment(scratch)
        with (scratch / "mcp-stderr.txt").open("ab") as errors:
            self._process = subprocess.Popen(
                helix_command("mcp", str(folder)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment,
            )
        self._said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._last_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        about = {"name": "truth-bench", "version": "1"}
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
        self._send({"method": "notifications/initialized"})
        self.refresh()

    def ask(self, question: str, task: str, k: int) -> Packet:
        return self._tool("helix_context_packet", question=question, task_type=task, max_items=k)

    def refresh(self) -> None:
        """Wait until the daemon's index is level with the disk."""
        deadline = time.monotonic() + ANSWER_S
        while not is_level(status := self._tool("helix_status")):
            if time.monotonic() > deadline:
                why = {name: status.get(name) for name in ("pending", "set_aside", "notes", "live")}
                raise AskError(f"the daemon was not level with the disk in {ANSWER_S:.0f} s: {why}")
            time.sleep(0.05)

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        told = self._tool("helix_refresh_targets", packet_id=opened.id)["items"]
        return opened.marked([mark for mark in told if _place(mark) in {_place(item) for item in opened.items}])

    def _tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        reply = self._request("tools/call", {"name": name, "arguments": arguments})
        if "result" not in reply or reply["result"].get("isError"):
            raise AskError(f"{name}: {json.dumps(reply.get('error') or reply['result']['content'])[:600]}")
        found: dict[str, Any] = reply["result"]["structuredContent"]
        return found

    def _request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        deadline = time.monotonic() + ANSWER_S
        while True:
            try:
                message = self._said.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                raise AskError(f"{method} was not answered in {ANSWER_S:.0f} s") from None
            if message is None:
                raise AskError("the server has ended")
            if message.get("id") == self._last_id and "method" not in message:
                found: dict[str, Any] = message
                return found

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(json.loads(line))
        self._said.put(None)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        _ended(self._process)
        stop_daemon(self._environment)


class Lsp:
    """``helix lsp`` with its daemon, as an editor starts it; the last packet stays open and its marks are displayed."""

    name, keeps_open, notices = "lsp", True, True

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._folder, self._environment = folder, environment(scratch)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._open_id = ""
        self._client: Client = self._await(Client.start(self._environment))
        self._await(self._client.initialize(folder))
        self.refresh()

    def ask(self, question: str, task: str, k: int) -> Packet:
        if self._open_id:
            self._command("helix.packet.close", {"packet_id": self._open_id})
            self._open_id = ""
            self._client.heard.clear()
        packet: Packet = self._command("helix.packet", {"question": question, "task": task, "k": k, "open": True})
        self._open_id = packet["packet_id"]
        return packet

    def refresh(self) -> None:
        deadline = time.monotonic() + ANSWER_S
        while not is_level(status := self._command("helix.status", {})):
            if time.monotonic() > deadline:
                why = {name: status.get(name) for name in ("pending", "set_aside", "notes", "live")}
                raise AskError(f"the server was not level with the disk in {ANSWER_S:.0f} s: {why}")
            time.sleep(0.05)

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        if ask:
            self._command("helix.refreshPlan", {"packet_id": opened.id})
        told = [
            params
            for _, method, params in list(self._client.heard)
            if method == "helix/verdicts" and params["packet_id"] == opened.id
        ]
        if told and "symbol" not in (told[-1]["items"] or [{}])[0]:
            return opened.marked(told[-1]["items"])
        if told:
            # The packet was asked again meanwhile: what it shows now, and what it showed first.
            later = [Opened.of(params["packet"]) for params in told if "packet" in params]
            known = {_key(item): item for one in (opened, *later) for item in one.items}
            return [{**known[_key(mark)], **mark} for mark in told[-1]["items"]]
        names = ("status", "reason")
        shown = [{"now": item.get("buffer"), **{name: item[name] for name in names}} for item in opened.items]
        return opened.marked(shown)

    def _command(self, name: str, argument: Mapping[str, Any]) -> Any:
        try:
            return self._await(self._client.command(name, argument))
        except RefusedError as error:
            raise AskError(f"{name}: {error}") from error
        except TimeoutError as error:
            raise AskError(f"{name} was not answered in time") from error

    def _await(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(ANSWER_S)

    def close(self) -> None:
        try:
            self._await(self._client.stop())
        finally:
            if self._client.process.returncode is None:
                self._client.process.kill()
            self._loop.call_soon_threadsafe(self._loop.stop)
            stop_daemon(self._environment)


def _key(item: Mapping[str, Any]) -> tuple[str, str, str]:
    return item["source_id"], item["gene_id"], item["symbol"]


def _place(item: Mapping[str, Any]) -> tuple[str, str, int]:
    return item["source_id"], item["gene_id"], item["start_line"]


class Daemon:
    """``helix serve``: one process that watches the folder, asked over HTTP for the whole run."""

    name, keeps_open, notices = "daemon", False, False

    def __init__(
        self, folder: Path, scratch: Path, *, prefix: Sequence[str] = (), python: str = sys.executable, **more: str
    ):
        """``prefix`` is a command that starts it, ``more`` goes into its environment, ``python`` runs it."""
        self._environment = environment(scratch) | more
        with (scratch / "serve-stderr.txt").open("ab") as errors:
            self._process = subprocess.Popen(
                [*prefix, *helix_command("serve", str(folder), "--port", "0", "--json", python=python)],
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment,
            )
        assert self._process.stdout is not None
        self._url = json.loads(self._process.stdout.readline())["url"]
        told = subprocess.run(
            [*prefix, *helix_command("connect", "admin", "--json", python=python)],
            env=self._environment,
            capture_output=True,
            check=True,
        )
        self._key = json.loads(told.stdout)["api_key"]
        self.refresh()

    @property
    def pid(self) -> int:
        return self._process.pid

    def status(self) -> dict[str, Any]:
        """``helix.status/1`` with ``live``."""
        found: dict[str, Any] = self._request("/stats", None)
        return found

    def ask(self, question: str, task: str, k: int) -> Packet:
        packet: Packet = self._post("/context/packet", {"query": question, "task_type": task, "k": k})
        return packet

    def refresh(self) -> None:
        self._post("/admin/refresh", {})

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._request(path, json.dumps(body).encode())

    def _request(self, path: str, body: bytes | None) -> Any:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise AskError(f"{path}: {error.code} {error.read(600).decode(errors='replace')}") from error
        except (OSError, TimeoutError) as error:
            raise AskError(f"{path}: {error}") from error

    def marks(self, opened: Opened, *, ask: bool) -> list[Mapping[str, Any]]:
        raise NotImplementedError(self.name)

    def close(self) -> None:
        self._process.terminate()
        _ended(self._process)


class CliBesideDaemon(Cli):
    """The same command beside a daemon of its user, which answers for it; ``close`` fails if it never did."""

    name, keeps_open, notices = "cli_daemon", False, False

    def __init__(self, folder: Path, scratch: Path) -> None:
        super().__init__(folder, scratch)
        # Held until the end, so that the daemon stays.
        self._connection = reach(self._environment, {"kind": "call"})

    def close(self) -> None:
        counts = daemon_status(self._environment)["commands"]
        self._connection.socket.close()
        stop_daemon(self._environment)
        if not counts["answered"]:
            raise AskError("the daemon answered no command")


SURFACES: dict[str, type[Api] | type[Cli] | type[CliBesideDaemon] | type[Mcp] | type[Lsp] | type[Daemon]] = {
    one.name: one for one in (Api, Cli, CliBesideDaemon, Mcp, Lsp, Daemon)
}
# Shares of the mutations, by what one of them costs.
SHARES = {"api": 50, "lsp": 20, "mcp": 15, "daemon": 10, "cli": 5, "cli_daemon": 10}


def stop_daemon(environ: Mapping[str, str]) -> None:
    """The daemon of this run, which somebody's shim may have started."""
    subprocess.run(helix_command("daemon", "stop"), env=dict(environ), capture_output=True, check=False, timeout=60)


def _ended(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


__all__ = ["SHARES", "SURFACES", "Api", "AskError", "HelixError", "Opened", "Packet", "Surface", "environment"]
