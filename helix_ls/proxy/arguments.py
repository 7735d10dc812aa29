"""The arguments of a question over HTTP, by the names of both today and before; a refusal says what would be right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from helix_ls.proxy.bodies import ClientLeftError, aside, received, understood
from helix_ls.proxy.fields import Field, checked
from helix_ls.proxy.refused import RefusedError


async def members(request: Request, fields: Sequence[Field]) -> dict[str, Any]:
    """The body's members by their names in ``fields``, checked; an empty body is an empty object.

    Raises UsageError and RefusedError.
    """
    try:
        data = await received(request.receive)
    except ClientLeftError:
        raise RefusedError(400, "client_left", "the body did not come to its end; send it whole") from None
    given = (await aside(len(data), understood, data)).fields if data.strip() else {}
    return checked(fields, given)
