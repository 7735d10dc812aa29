"""Running servers: one small file each in the user's runtime folder, and the restart announcements."""

from __future__ import annotations

import asyncio
import hmac
import http.client
import json
import logging
import os
import secrets
import stat
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from helix_core.config import state_folder
from helix_core.errors import HelixError
from helix_core.printable import one_line
from helix_ls.host.connection import runtime_folder
from helix_ls.host.private_files import PlaceError, make_private, write_whole
from helix_ls.operations.hosting import MOST_DOWNTIME_S
from helix_ls.proxy.keys import VARIABLE, is_admins, proof

State = Literal["running", "restarting", "stopped"]
SCHEMA = "helix.restart/1"
# Announced downtimes are estimates; an unknown state expires after five minutes.
GRACE_S = 15.0
UNKNOWN_S = 300.0
MOST_WORDS = 200
LOG = logging.getLogger("helix")
_MOST_SERVERS = 20
_MOST_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class RestartSignal:
    """``at`` is Unix seconds; ``reason`` and ``actor`` are one line each, as given."""

    state: str
    port: int
    pid: int
    at: float
    reason: str = ""
    actor: str = ""
    expected_downtime_s: float = 0.0

    @property
    def stale_at(self) -> float | None:
        """Return when it expires, in Unix seconds; None for a state that does not expire."""
        if self.state == "restarting":
            return self.at + self.expected_downtime_s + GRACE_S
        return None if self.state in get_args(State) else self.at + UNKNOWN_S

    def is_stale(self, now: float) -> bool:
        """Return whether it expired, or is from the future because a clock was set."""
        return now < self.at - GRACE_S or (self.stale_at is not None and now > self.stale_at)

    def wire(self, now: float) -> dict[str, Any]:
        """Return the ``helix.restart/1`` object."""
        members = {"schema": SCHEMA, **asdict(self), "stale_at": self.stale_at}
        return members | {"is_stale": self.is_stale(now), "age_s": round(max(0.0, now - self.at), 3)}


@dataclass(frozen=True, slots=True)
class Signals:
    """The signal files, in the folder of ``state_folder(environ)``."""

    folder: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Signals:
        """Return the signals of this user."""
        return cls(state_folder(environ) / "signals")

    def file(self, port: int) -> Path:
        """Return the file of the server on a port."""
        return self.folder / f"server-{port}.json"

    def servers(self) -> list[dict[str, Any]]:
        """Return the last signal of every server, newest first."""
        files = sorted(self.folder.glob("server-*.json"))[:_MOST_SERVERS] if self.folder.is_dir() else []
        ports = [file.stem.removeprefix("server-") for file in files]
        states = [self.read(int(port)) for port in ports if port.isdecimal() and len(port) <= 5]
        now = time.time()
        newest = sorted((state for state in states if state is not None), key=lambda one: -one.at)
        return [signal.wire(now) | {"said": sentence(signal, now)} for signal in newest]

    def write(self, signal: RestartSignal) -> RestartSignal:
        """Write the signal and return it. Raises OSError, PlaceError."""
        kept = RestartSignal(**asdict(signal) | {"reason": _words(signal.reason), "actor": _words(signal.actor)})
        make_private(self.folder.parent, VARIABLE)
        make_private(self.folder, VARIABLE)
        write_whole(self.file(signal.port), json.dumps(asdict(kept)))
        return kept

    def read(self, port: int) -> RestartSignal | None:
        """Return the signal of a file; None for a missing or invalid one."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            with open(os.open(self.file(port), flags), "rb") as reader:
                if not stat.S_ISREG(os.fstat(reader.fileno()).st_mode):
                    return None
                decoded = json.loads(reader.read(_MOST_BYTES))
            return RestartSignal(
                state=_words(decoded["state"]),
                port=port,
                pid=int(decoded["pid"]),
                at=_seconds(decoded["at"]),
                reason=_words(decoded.get("reason", "")),
                actor=_words(decoded.get("actor", "")),
                expected_downtime_s=min(_seconds(decoded.get("expected_downtime_s", 0.0)), MOST_DOWNTIME_S),
            )
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError, AttributeError):
            return None


class ServerStateFile:
    """Records in the file that a server runs or has stopped; a killed one records nothing."""

    def __init__(self, signals: Signals, port: int) -> None:
        self._signals, self._port = signals, port

    async def begin(self) -> None:
        """Record that the server runs."""
        await asyncio.to_thread(self._write_state, "running")

    async def end(self) -> None:
        """Record that it stopped, unless a restart was announced."""
        if not restarting(await asyncio.to_thread(self._signals.read, self._port), time.time()):
            await asyncio.to_thread(self._write_state, "stopped")

    def _write_state(self, state: State) -> None:
        try:
            self._signals.write(RestartSignal(state, self._port, os.getpid(), time.time()))
        except (OSError, PlaceError) as error:
            # Chats do not depend on it; an announced restart reports the error.
            LOG.warning("the restart signal cannot be written (%s)", type(error).__name__)


def restarting(signal: RestartSignal | None, now: float) -> bool:
    """Return whether an unexpired restart is in progress."""
    return signal is not None and signal.state == "restarting" and not signal.is_stale(now)


def sentence(signal: RestartSignal, now: float) -> str:
    """Describe the restart for people: who announced what, and when to retry."""
    if signal.state != "restarting":
        return f"the server on port {signal.port} said {now - signal.at:.0f} s ago: {signal.state}"
    by = f" by {signal.actor}" if signal.actor else ""
    why = f" ({signal.reason})" if signal.reason else ""
    if signal.is_stale(now):
        return f"a restart announced{by} {now - signal.at:.0f} s ago{why} did not come; the announcement is ignored"
    left_s = max(1.0, signal.at + signal.expected_downtime_s - now)
    return f"the server on port {signal.port} restarts, as announced{by}{why}; ask again in {left_s:.0f} s"


def _words(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("no text")
    return one_line(text[:MOST_WORDS])[:MOST_WORDS]


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not 0 <= seconds < 1e12:
        raise ValueError("no time")
    return seconds


WAIT_S = 5.0


class NotRunningError(HelixError):
    """No server of the user's is running."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server: ``workspaces`` are absolute paths, the first is the default."""

    port: int
    pid: int
    workspaces: tuple[str, ...]

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self.port}"


def announce(running: RunningServer, environ: Mapping[str, str]) -> Path:
    """Write the server's file; remove that at the end."""
    folder = Path(runtime_folder(environ))
    make_private(folder)
    file = folder / f"helix-serve-{running.pid}.json"
    write_whole(file, json.dumps(asdict(running)))
    return file


def found(environ: Mapping[str, str], key: str, workspace: str = "") -> RunningServer:
    """Return the server of a workspace, else the one started last. Raises NotRunningError."""
    files = sorted(Path(runtime_folder(environ)).glob("helix-serve-*.json"), key=_written_ns, reverse=True)
    told = [server for server in map(_parsed_server, files) if server is not None]
    told.sort(key=lambda one: workspace not in one.workspaces)
    for server in told:
        if knows_key(server.port, key):
            return server
    signals, now = Signals.of(environ), time.time()
    for signal in map(signals.read, (server.port for server in told)):
        if signal is not None and restarting(signal, now):
            raise NotRunningError(sentence(signal, now))
    raise NotRunningError("no server is running; start one with: helix serve")


def knows_key(port: int, key: str, *, wait_s: float = WAIT_S) -> bool:
    """Return whether the server on this port knows the key (challenge-response)."""
    nonce = secrets.token_urlsafe(24)
    of = "&of=admin" if is_admins(key) else ""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=wait_s)
    try:
        connection.request("GET", f"/health?nonce={nonce}{of}")
        decoded = json.loads(connection.getresponse().read(65536))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
    given = decoded.get("proof") if isinstance(decoded, dict) else None
    return isinstance(given, str) and hmac.compare_digest(given.encode(), proof(key, nonce, port).encode())


def _written_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _parsed_server(file: Path) -> RunningServer | None:
    """Parse a file; None for an invalid or deleted one."""
    try:
        decoded = json.loads(file.read_text("utf-8"))
        return RunningServer(int(decoded["port"]), int(decoded["pid"]), tuple(map(str, decoded["workspaces"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
