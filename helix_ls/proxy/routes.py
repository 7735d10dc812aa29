"""What is true here, over HTTP: the objects of the command line, and the older shapes that clients know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from helix_core.engine import Helix
from helix_core.engine.answer.window import ContextRequest, checked_decoder
from helix_core.printable import safe_value
from helix_ls.proxy import shapes, table
from helix_ls.proxy.answering import Act, Answering
from helix_ls.proxy.arguments import members


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
        given = await members(request, table.CONTEXT)
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
        given = await members(request, table.PACKET)
        paid = {name: given[name] for name in ("quotes", "max_tokens")}
        return await self._safe(request, lambda helix, cancelled: _packet(helix, given, cancelled, **paid))

    async def refresh_plan(self, request: Request) -> Response:
        """``/context/refresh-plan``: only what to read again, most urgent first."""
        given = await members(request, table.PLAN)
        return await self._safe(request, lambda helix, cancelled: shapes.plan(_packet(helix, given, cancelled)))

    async def fingerprint(self, request: Request) -> Response:
        """``/fingerprint``: where to look, without text, and how many were left out by floor and by count."""
        given = await members(request, table.FINGERPRINT)
        wanted = shapes.Wanted(given["profile"], given["max_results"], given["score_floor"])
        return await self._safe(
            request,
            lambda helix, cancelled: shapes.fingerprint(
                helix.search(given["query"], k=wanted.evaluated, cancelled=cancelled), wanted
            ),
        )


def _packet(helix: Helix, given: dict[str, Any], cancelled: Callable[[], bool], **paid: Any) -> dict[str, Any]:
    return helix.packet(given["query"], task=given["task_type"], k=given["k"], cancelled=cancelled, **paid)
