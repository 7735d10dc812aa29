"""The arguments of a question over HTTP, by the names of both today and before; a refusal says what would be right."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from helix_core.errors import UsageError
from helix_ls.proxy.bodies import ClientLeftError, aside, received, understood
from helix_ls.proxy.refused import RefusedError


class Arguments:
    """The members of a request's object; ``null`` is as if it were not there, and what nobody knows is left alone."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = {name: value for name, value in fields.items() if value is not None}

    def question(self) -> str:
        """``query`` or ``question``, else the whole message that Continue sends beside them."""
        for name in ("query", "question", "fullInput"):
            if found := self.text(name, "").strip():
                return found
        raise UsageError("query is missing; ask in words, names or a quoted message")

    def text(self, name: str, default: str) -> str:
        """A string."""
        value = self._fields.get(name, default)
        if not isinstance(value, str):
            raise UsageError(f"{name} is no text; give it as a string")
        return value

    def count(self, name: str, default: int) -> int:
        """A whole number, not below zero."""
        value = self._fields.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise UsageError(f"{name} is no whole number; give one from 0 on")
        return value

    def number(self, name: str, default: float) -> float:
        """A number, not below zero."""
        value = self._fields.get(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e9:
            raise UsageError(f"{name} is no number; give one from 0 on")
        return float(value)

    def task(self) -> str:
        """``task_type`` or ``task``."""
        return self.text("task_type", self.text("task", "explain"))

    def k(self, default: int) -> int:
        """``k``, or ``max_genes`` as it was called before."""
        return self.count("k", self.count("max_genes", default))


async def arguments_of(request: Request) -> Arguments:
    """The body's members; none where there is no body."""
    try:
        data = await received(request.receive)
    except ClientLeftError:
        raise RefusedError(400, "client_left", "the body did not come to its end; send it whole") from None
    if not data.strip():
        return Arguments({})
    body = await aside(len(data), understood, data)
    return Arguments(body.fields)
