"""Calls of local clients: one JSON line a request, one a reply; each method's arguments and what it answers."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.engine import Helix
from helix_core.errors import HelixError, UsageError
from helix_core.model import Hints, Pointer
from helix_core.packet import Quotes
from helix_ls.host.host import Host
from helix_ls.host.open_workspace import OpenWorkspace

if TYPE_CHECKING:
    from helix_core.model import Judged, RefreshTarget


def text(params: dict[str, Any], name: str, default: str | None = None) -> str:
    """A string."""
    value = params.get(name, default)
    if not isinstance(value, str):
        raise UsageError(f"{name} is missing or no text; give it as a string")
    return value


def count(params: dict[str, Any], name: str, default: int | None = None) -> int:
    """A whole number."""
    value = params.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{name} is no whole number; give one")
    return value


def count_if_any(params: dict[str, Any], name: str) -> int | None:
    """A whole number, None where none is given."""
    return None if params.get(name) is None else count(params, name)


def folder(params: dict[str, Any]) -> Path:
    """The absolute ``path`` of a workspace."""
    path = Path(text(params, "path"))
    if not path.is_absolute():
        raise UsageError(f"the path {path} is not absolute; give the whole path")
    return path


def confidence(params: dict[str, Any]) -> float:
    """A packet's ``coordinate_confidence``, 1 where none is given."""
    value = params.get("confidence", 1.0)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise UsageError("confidence is no number; give the packet's coordinate_confidence")
    return float(value)


def pointers(params: dict[str, Any]) -> list[Pointer]:
    """The items of a packet shown earlier, or as much of them as points."""
    items = params.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise UsageError("items is no list of objects; give the items of a packet")
    return [
        Pointer(
            source_id=text(item, "source_id"),
            gene_id=text(item, "gene_id"),
            symbol=text(item, "symbol", ""),
            start_line=count(item, "start_line"),
            end_line=count(item, "end_line"),
            content_hash=text(item, "content_hash", ""),
        )
        for item in items
    ]


Cancelled = Callable[[], bool]
Act = Callable[[Helix], dict[str, Any] | None]
PLAN_SCHEMA = "helix.refreshPlan/1"
MOST_LINES = 400


def _hints(params: dict[str, Any]) -> Hints:
    """``asker`` names the session of whoever asks: what it opened lately counts as open."""
    return Hints(session=text(params, "asker", ""))


def _packet(params: dict[str, Any], cancelled: Cancelled) -> Act:
    question, task, k = text(params, "question"), text(params, "task", "explain"), count_if_any(params, "k")
    quotes, most = text(params, "quotes", Quotes.CHOSEN.value), count_if_any(params, "max_tokens")
    hints = _hints(params)
    return lambda helix: helix.packet(
        question, task=task, k=k, hints=hints, quotes=quotes, max_tokens=most, cancelled=cancelled
    )


def _search(params: dict[str, Any], cancelled: Cancelled) -> Act:
    question, k = text(params, "question"), count(params, "k", 10)
    hints = _hints(params)
    return lambda helix: helix.search(question, k=k, hints=hints, cancelled=cancelled)


def _context(params: dict[str, Any], cancelled: Cancelled) -> Act:
    from helix_core.engine.answer.window import ContextRequest, checked_decoder

    question = text(params, "question")
    request = ContextRequest(
        budget_tokens=count(params, "budget", 6_000),
        decoder=checked_decoder(text(params, "decoder", "condensed")),
        model=text(params, "model", ""),
    ).checked()
    hints = _hints(params)
    return lambda helix: helix.context(question, request, hints=hints, cancelled=cancelled)


def _open(params: dict[str, Any], cancelled: Cancelled) -> Act:
    source_id, task = text(params, "source_id"), text(params, "task", "explain")
    first = count(params, "start_line", 1)
    last = count(params, "end_line", first + MOST_LINES - 1)
    most = count(params, "most_bytes", 200_000)
    asker = text(params, "asker", "")

    def show(helix: Helix) -> dict[str, Any]:
        shown = helix.show(source_id, first, last, task=task, most_bytes=most, cancelled=cancelled)
        helix.note_use(asker, [source_id])
        return shown

    return show


def _explain(params: dict[str, Any], cancelled: Cancelled) -> Act:
    """Of a place; or, with ``question``, of how its answer comes about."""
    if "question" in params:
        question, about, k = text(params, "question"), text(params, "task", "explain"), count(params, "k", 8)
        return lambda helix: helix.explain_answer(question, task=about, k=k, cancelled=cancelled)
    source_id, task = text(params, "source_id"), text(params, "task", "explain")
    first, last = count(params, "start_line"), count(params, "end_line")
    return lambda helix: helix.explain(source_id, first, last, task=task, cancelled=cancelled)


def _symbol(params: dict[str, Any], cancelled: Cancelled) -> Act:
    name = text(params, "name")
    return lambda helix: helix.symbol(name, cancelled=cancelled)


def _judge(params: dict[str, Any], cancelled: Cancelled) -> Act:
    """The verdicts of a packet's items as they are now, and what to read again."""
    shown, task, sure = pointers(params), text(params, "task", "explain"), confidence(params)

    def judge(helix: Helix) -> dict[str, Any]:
        judged, targets = helix.judge(shown, task=task, confidence=sure, cancelled=cancelled)
        return _plan(judged, targets)

    return judge


def _ingest(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    from helix_core.memory.notes import NoteInput
    from helix_ls.host.attribution import attribution

    layers = params.get("layers")
    named = (
        {name: value for name, value in layers.items() if isinstance(value, str)} if isinstance(layers, dict) else {}
    )
    metadata = {"title": title} if (title := text(params, "title", "")) else {}
    given = NoteInput(text(params, "content"), text(params, "content_type", "text"), metadata)
    return lambda helix: helix.ingest(given, attribution(named, os.environ))


def _consolidate(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    session = text(params, "session", "")
    return lambda helix: helix.consolidate(session)


def _forget(params: dict[str, Any], cancelled: Cancelled) -> Act:  # noqa: ARG001
    gene_id = text(params, "gene_id")
    return lambda helix: helix.forget(gene_id)


def _plan(judged: list[Judged], targets: list[RefreshTarget]) -> dict[str, Any]:
    from helix_core.packet import target_object

    return {
        "schema": PLAN_SCHEMA,
        "items": [
            {
                "source_id": one.pointer.source_id,
                "gene_id": one.pointer.gene_id,
                "start_line": one.pointer.start_line,
                "end_line": one.pointer.end_line,
                "status": one.verdict.status.value,
                "reason": one.verdict.reason.value,
                "detail": one.verdict.detail,
                "now": {"start_line": one.start_line, "end_line": one.end_line} if one.start_line else None,
            }
            for one in judged
        ],
        "refresh_targets": [target_object(target) for target in targets],
    }


ACTS: dict[str, Callable[[dict[str, Any], Cancelled], Act]] = {
    "helix.packet": _packet,
    "helix.search": _search,
    "helix.context": _context,
    "helix.open": _open,
    "helix.explain": _explain,
    "helix.symbol": _symbol,
    "helix.judge": _judge,
    "helix.ingest": _ingest,
    "helix.consolidate": _consolidate,
    "helix.forget": _forget,
}


FIRST_INDEX_S = 20.0
Method = Callable[[dict[str, Any], "Asker"], Awaitable[bytes]]


class Calls:
    """``facts`` gives the ``helix.daemon/1`` object, ``leave`` stops the daemon."""

    def __init__(self, host: Host, facts: Callable[[], dict[str, Any]], leave: Callable[[], None]) -> None:
        self._host, self._facts, self._leave = host, facts, leave
        self._running: dict[str, threading.Event] = {}
        self._methods: dict[str, Method] = {
            "helix.status": self._status,
            "helix.cancel": self._cancel,
            "helix.proxy": self._proxy,
            "daemon.status": self._daemon_status,
            "daemon.stop": self._daemon_stop,
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer line by line until the client has gone."""
        asker = Asker(self._host)
        try:
            while line := await reader.readline():
                writer.write(await self.answer(line, asker) + b"\n")
                await writer.drain()
        finally:
            await asker.leave()

    async def answer(self, line: bytes, asker: Asker) -> bytes:
        """The answer to one request, as one line of JSON without its end."""
        try:
            request = json.loads(line)
            name = str(request["method"])
            params = request.get("params") or {}
            method, act = self._methods.get(name), ACTS.get(name)
            if (method is None and act is None) or not isinstance(params, dict):
                names = ", ".join((*ACTS, *self._methods))
                raise UsageError(f"there is no such call; the calls are {names}")
            result = await (method(params, asker) if method is not None else self._question(name, params, asker))
            return b'{"result":' + result + b"}"
        except HelixError as error:
            return _encoded({"error": {"message": str(error), "usage": error.usage}})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return _encoded({"error": {"message": f"this is no call ({type(error).__name__})", "usage": True}})

    async def _question(self, name: str, params: dict[str, Any], asker: Asker) -> bytes:
        """A question to the engine; ``call`` is the asker's own word for it, by which it can be taken back."""
        taken_back = threading.Event()
        act = ACTS[name](params, taken_back.is_set)
        call = text(params, "call", "")
        if call:
            self._running[call] = taken_back
        try:
            workspace = await asker.workspace(folder(params))
            await first_indexed(workspace)
            return await workspace.ask(lambda helix: _encoded(act(helix)))
        finally:
            self._running.pop(call, None)

    async def _cancel(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        running = self._running.get(text(params, "call"))
        if running is not None:
            running.set()
        return _encoded({"cancelled": running is not None})

    async def _status(self, params: dict[str, Any], asker: Asker) -> bytes:
        skipped = params.get("skipped") is True
        workspace = await asker.workspace(folder(params))
        await first_indexed(workspace)

        def status(helix: Helix) -> bytes:
            return _encoded(helix.status(skipped=skipped) | {"live": workspace.status.wire()})

        return await workspace.ask(status)

    async def _proxy(self, params: dict[str, Any], asker: Asker) -> bytes:
        about = (await asker.workspace(folder(params))).folder if "path" in params else None
        if self._host.chats is None:
            raise UsageError("there is no chat proxy in this process; start one with: helix serve")
        return _encoded(await self._host.chats.facts(folder=about, start=params.get("start") is not False))

    async def _daemon_status(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        return _encoded(self._facts())

    async def _daemon_stop(self, params: dict[str, Any], asker: Asker) -> bytes:  # noqa: ARG002
        # The answer is on its way before the connection is closed.
        asyncio.get_running_loop().call_later(0.05, self._leave)
        return _encoded({"pid": self._facts()["pid"], "stopping": True})


class Asker:
    """One client, and the folders it has asked about: they stay open until it leaves."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._held: dict[Path, OpenWorkspace] = {}

    async def workspace(self, path: Path) -> OpenWorkspace:
        """The open folder. Raises WorkspaceError when there is none."""
        held = self._held.get(path)
        if held is None:
            held = await self._host.attach(path, trusted=True)
            if path in self._held:
                await self._host.detach(held)
            held = self._held.setdefault(path, held)
        return held

    async def leave(self) -> None:
        """Hold nothing any more."""
        for held in self._held.values():
            await self._host.detach(held)
        self._held.clear()


async def first_indexed(workspace: OpenWorkspace) -> None:
    """Wait, within reason, until a folder just opened has been compared with the disk."""
    settled = asyncio.Event()

    def look(_: object = None) -> None:
        if workspace.was_settled:
            settled.set()

    end = workspace.subscribe(look)
    try:
        look()
        await asyncio.wait_for(settled.wait(), FIRST_INDEX_S)
    except TimeoutError:
        return
    finally:
        end()


def _encoded(answer: dict[str, Any] | None) -> bytes:
    return json.dumps(answer, separators=(",", ":")).encode()
