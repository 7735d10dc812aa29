"""The HTTP routes: questions about a workspace, the memory, and administration, answered in the question threads."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest, checked_decoder
from helix_core.errors import UsageError
from helix_core.memory.notes import EmptyError, NoteInput, UnfitError
from helix_core.model import Attribution
from helix_core.printable import safe_value
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.operations.attribution import attribution
from helix_ls.proxy import operations, shapes
from helix_ls.proxy.bodies import ClientLeftError, aside, received, understood
from helix_ls.proxy.operations import BodyField, checked
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.running import RestartSignal, Signals
from helix_ls.proxy.workspaces import Workspaces

Act = Callable[[Helix, Callable[[], bool]], Any]


class Answering:
    """``act`` gets the engine and a callable that says that nobody waits any more; what it gives is the answer."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    def workspace(self, request: Request) -> OpenWorkspace:
        """The one the request is about. Raises RefusedError."""
        return self._workspaces.chosen(request.scope.get("helix.workspace", ""))

    async def answered(self, request: Request, act: Act) -> Response:
        """The act's object as JSON; taken back when the client leaves."""
        taken_back = threading.Event()
        workspace = self.workspace(request)
        asking = asyncio.ensure_future(workspace.ask(lambda helix: encoded(act(helix, taken_back.is_set))))
        leaving = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                taken_back.set()
            return Response(await asking, media_type="application/json")
        finally:
            taken_back.set()
            leaving.cancel()


def encoded(answer: Any) -> bytes:
    """As JSON."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def members(request: Request, fields: Sequence[BodyField]) -> dict[str, Any]:
    """The body's members by their names in ``fields``, checked; an empty body is an empty object.

    Raises UsageError and RefusedError.
    """
    try:
        data = await received(request.receive)
    except ClientLeftError:
        raise HttpError(400, "client_left", "the body did not come to its end; send it whole") from None
    given = (await aside(len(data), understood, data)).fields if data.strip() else {}
    return checked(fields, given)


class Routes:
    """Questions about a workspace."""

    def __init__(self, answering: Answering) -> None:
        self._answered = answering.answered

    async def _safe(self, request: Request, act: Act) -> Response:
        """The act's object without unseen characters of the workspace in it; a question is repeated as it was asked."""
        return await self._answered(
            request, lambda helix, cancelled: safe_value("", act(helix, cancelled), unchanged=("query",))
        )

    async def context(self, request: Request) -> Response:
        """``/context``: text for a model; ``format`` helix for ``helix.context/1``, else Continue's list of one."""
        given = await members(request, operations.CONTEXT)
        wanted = ContextRequest(
            budget_tokens=given["budget_tokens"],
            decoder=checked_decoder(given["decoder_mode"]),
            model=given["downstream_model"],
            prompt_tokens=given["prompt_tokens"],
        ).checked()

        session, again = given["session_id"], given["ignore_delivered"]

        def act(helix: Helix, cancelled: Callable[[], bool]) -> Any:
            had = helix.delivered(session) if session and not again else frozenset()
            found = helix.context(given["query"], replace(wanted, delivered=had), cancelled=cancelled)
            if session:
                helix.deliver(session, found)
            return found if given["format"] == "helix" else [shapes.continued(found)]

        return await self._safe(request, act)

    async def packet(self, request: Request) -> Response:
        """``/context/packet``: ``helix.packet/1``."""
        given = await members(request, operations.PACKET)
        paid = {name: given[name] for name in ("quotes", "max_tokens")}
        return await self._safe(request, lambda helix, cancelled: _packet(helix, given, cancelled, **paid))

    async def refresh_plan(self, request: Request) -> Response:
        """``/context/refresh-plan``: only what to read again, most urgent first."""
        given = await members(request, operations.PLAN)
        return await self._safe(request, lambda helix, cancelled: shapes.plan(_packet(helix, given, cancelled)))

    async def fingerprint(self, request: Request) -> Response:
        """``/fingerprint``: where to look, without text, and how many were left out by floor and by count."""
        given = await members(request, operations.FINGERPRINT)
        wanted = shapes.FingerprintRequest(given["profile"], given["max_results"], given["score_floor"])
        return await self._safe(
            request,
            lambda helix, cancelled: shapes.fingerprint(
                helix.search(given["query"], k=wanted.evaluated, cancelled=cancelled), wanted
            ),
        )


def _packet(helix: Helix, given: dict[str, Any], cancelled: Callable[[], bool], **paid: Any) -> dict[str, Any]:
    return helix.packet(given["query"], task=given["task_type"], k=given["k"], cancelled=cancelled, **paid)


Cancelled = Callable[[], bool]


class Remember:
    """Each answers for the workspace of the request."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    async def ingest(self, request: Request) -> Response:
        """``/ingest``: ``{gene_ids, count, stored, attributed}``; 400 for nothing, 422 for what cannot be kept."""
        given = await members(request, operations.INGEST)
        is_attributed = given["local_federation"]
        by = (
            attribution({name: given[name] for name in operations.LAYERS}, os.environ)
            if is_attributed
            else Attribution()
        )
        wanted = NoteInput(given["content"], given["content_type"], given["metadata"] or {})
        workspace = self._answering.workspace(request)

        def act(helix: Helix, _: Cancelled) -> dict[str, Any]:
            told = helix.ingest(wanted, by)
            if is_attributed and told["stored"] == "note":
                layers = {"org": by.org, "party": by.device, "participant": by.user, "agent": by.agent or None}
                told["attributed"] = layers | {"authored_tz": by.timezone}
            return told

        try:
            return await self._answering.answered(request, act)
        except EmptyError as error:
            raise HttpError(400, "empty", str(error)) from None
        except UnfitError as error:
            raise HttpError(422, "unfit", str(error)) from None
        finally:
            if wanted.path:
                workspace.hint(_named(wanted.path, workspace.folder))

    async def consolidate(self, request: Request) -> Response:
        """``/consolidate``: ``{facts_extracted, gene_ids, …}`` of the last exchanges of a session, or of all."""
        given = await members(request, operations.CONSOLIDATE)
        return await self._answering.answered(request, lambda helix, _: helix.consolidate(given["session_id"]))

    async def forget(self, request: Request) -> Response:
        """``/forget``: a note by the ``gene_id`` of one of its chunks, or a session's exchanges by its name."""
        given = await members(request, operations.FORGET)
        gene_id, session = given["gene_id"], given["session_id"]
        if bool(gene_id) == bool(session):
            raise UsageError(
                "name what is to be forgotten: gene_id for a note, or session_id for a session's exchanges"
            )
        return await self._answering.answered(
            request, lambda helix, _: helix.forget(gene_id) if gene_id else helix.forget_session(session)
        )

    async def expand(self, request: Request) -> Response:
        """``/context/expand``: ``helix.expand/1``, what stands around a place, with verdicts; 404 for no place."""
        given = await members(request, operations.EXPAND)

        def act(helix: Helix, cancelled: Cancelled) -> dict[str, Any]:
            return helix.expand(
                gene_id=given["gene_id"],
                source_id=given["source_id"],
                start_line=given["start_line"],
                direction=given["direction"],
                k=given["k"],
                task=given["task_type"],
                session=given["session_id"],
                cancelled=cancelled,
            )

        try:
            return await self._answering.answered(request, act)
        except UsageError as error:
            raise HttpError(404, "unknown_place", str(error)) from None

    async def kv_backfill(self, request: Request) -> Response:
        """``/admin/kv-backfill``: ``{backfilled, total}``."""
        await members(request, ())
        return await self._answering.answered(request, lambda helix, _: helix.kv_backfill())


def _named(path: str, folder: os.PathLike[str]) -> list[bytes]:
    """The path from the root, where it is below it, for the index to look at; the index thread decides what it is."""
    from helix_core.workspace.paths import checked

    inside = path.removeprefix(f"{os.fspath(folder)}/")
    try:
        return [checked(inside)]
    except UsageError:
        return []


class Admin:
    """``/admin/…``."""

    def __init__(self, answering: Answering, signals: Signals, port: int) -> None:
        self._answering, self._signals, self._port = answering, signals, port

    async def refresh(self, request: Request) -> Response:
        """``/admin/refresh``: compare everything with the disk; ``helix.index/1`` when it is done."""
        await members(request, ())
        return JSONResponse(await self._answering.workspace(request).refresh())

    async def vacuum(self, request: Request) -> Response:
        """``/admin/vacuum``: ``helix.vacuum/1`` when the index holds no more than it needs."""
        await members(request, ())
        return await self._answering.answered(request, lambda helix, cancelled: helix.vacuum(cancelled=cancelled))

    async def announce_restart(self, request: Request) -> Response:
        """``/admin/announce_restart``: tell whoever looks that this server is about to go, and comes back."""
        given = await members(request, operations.RESTART)
        signal = RestartSignal(
            state="restarting",
            port=self._port,
            pid=os.getpid(),
            at=time.time(),
            reason=given["reason"],
            actor=given["actor"],
            expected_downtime_s=given["expected_downtime_s"],
        )
        written = await asyncio.to_thread(self._signals.write, signal)
        return JSONResponse(written.wire(time.time()))
