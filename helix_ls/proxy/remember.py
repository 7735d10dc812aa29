"""The routes of the memory: give it a text, draw facts from chats, forget, and look around a place."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.memory.notes import EmptyError, NoteInput, UnfitError
from helix_core.model import Attribution
from helix_ls.host.attribution import attribution
from helix_ls.proxy import table
from helix_ls.proxy.answering import Answering
from helix_ls.proxy.arguments import members
from helix_ls.proxy.refused import RefusedError

Cancelled = Callable[[], bool]


class Remember:
    """Each answers for the workspace of the request."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    async def ingest(self, request: Request) -> Response:
        """``/ingest``: ``{gene_ids, count, stored, attributed}``; 400 for nothing, 422 for what cannot be kept."""
        given = await members(request, table.INGEST)
        is_attributed = given["local_federation"]
        by = attribution({name: given[name] for name in table.LAYERS}, os.environ) if is_attributed else Attribution()
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
            raise RefusedError(400, "empty", str(error)) from None
        except UnfitError as error:
            raise RefusedError(422, "unfit", str(error)) from None
        finally:
            if wanted.path:
                workspace.hint(_named(wanted.path, workspace.folder))

    async def consolidate(self, request: Request) -> Response:
        """``/consolidate``: ``{facts_extracted, gene_ids, …}`` of the last exchanges of a session, or of all."""
        given = await members(request, table.CONSOLIDATE)
        return await self._answering.answered(request, lambda helix, _: helix.consolidate(given["session_id"]))

    async def forget(self, request: Request) -> Response:
        """``/forget``: a note by the ``gene_id`` of one of its chunks, or a session's exchanges by its name."""
        given = await members(request, table.FORGET)
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
        given = await members(request, table.EXPAND)

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
            raise RefusedError(404, "unknown_place", str(error)) from None

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
