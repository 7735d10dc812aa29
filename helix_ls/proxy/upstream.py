"""A server that answers chats: one the user has configured, and no other.

Its address comes from the user's settings, its key from the environment or the key ring; neither a request nor a
workspace can change them. Redirects are not followed, proxies of the environment not used, and the caller's key goes
nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aiohttp

FIRST_BYTE_S = 600.0
CONNECT_S = 10.0
CHUNK_BYTES = 64 * 1024
# The name of the only one: that of HELIX_UPSTREAM.
DEFAULT = "default"
# RFC 9110, section 7.6.1, and what the connection to us alone is about.
_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te"),
        *("trailer", "transfer-encoding", "upgrade", "content-length", "content-encoding"),
    }
)
_OURS = frozenset(
    {
        *("host", "authorization", "cookie", "api-key", "x-api-key", "x-goog-api-key", "accept-encoding", "expect"),
        *("origin", "referer", "forwarded", "via", "content-type"),
    }
)
_OURS_BEGIN = ("x-helix-", "sec-", "x-forwarded-")
_THEIRS = frozenset({"server", "date", "set-cookie", "alt-svc", "strict-transport-security"})
_THEIRS_BEGIN = ("access-control-", "x-helix-")


class UpstreamError(Exception):
    """The upstream did not answer, or not to the end; ``str()`` is a cause without addresses."""


@dataclass(frozen=True, slots=True)
class Address:
    """``base`` up to and with its version (…/v1); ``models`` are patterns of the names it answers for, none: all."""

    base: str = ""
    key: str = field(default="", repr=False)
    name: str = DEFAULT
    models: tuple[str, ...] = ()


def base_of(address: str) -> str:
    """Where the API is; an address without a path is that of a server whose API is under /v1."""
    return address if urlsplit(address).path.strip("/") else f"{address}/v1"


def request_headers(headers: Iterable[tuple[bytes, bytes]], key: str) -> list[tuple[str, str]]:
    """What of the caller's headers the upstream gets, and the upstream's own key."""
    given = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
    named = {word.strip().lower() for name, value in given if name == "connection" for word in value.split(",")}
    dropped = _HOP | _OURS | named
    kept = [(n, v) for n, v in given if n not in dropped and not n.startswith(_OURS_BEGIN)]
    kept += [("Content-Type", "application/json"), ("Accept-Encoding", "identity")]
    if key:
        kept.append(("Authorization", f"Bearer {key}"))
    return kept


def answer_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What of the upstream's headers the caller gets: Retry-After, limits and request ids among them."""
    given = [(name.lower(), value) for name, value in headers]
    named = {word.strip().lower() for name, value in given if name == "connection" for word in value.split(",")}
    dropped = _HOP | _THEIRS | named
    return [(n, v) for n, v in given if n not in dropped and not n.startswith(_THEIRS_BEGIN)]


class Upstream:
    """The connections to it; belongs to one loop."""

    def __init__(self, where: Address) -> None:
        self.where = where
        self._session: aiohttp.ClientSession | None = None

    async def open(
        self,
        method: str,
        path: str,
        headers: Iterable[tuple[bytes, bytes]],
        body: bytes | None,
        *,
        wait_s: float = FIRST_BYTE_S,
    ) -> aiohttp.ClientResponse:
        """The answer with its head; close it. Raises UpstreamError."""
        try:
            async with asyncio.timeout(wait_s):
                return await self._opened().request(
                    method,
                    f"{self.where.base}{path}",
                    data=body,
                    headers=request_headers(headers, self.where.key),
                    allow_redirects=False,
                )
        except TimeoutError as error:
            raise UpstreamError("the upstream did not answer in time") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UpstreamError(_cause(error)) from error

    async def close(self) -> None:
        """Leave it."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            # A kept connection that the server has meanwhile closed fails a request; only TLS is worth that.
            connector = aiohttp.TCPConnector(limit=0, force_close=self.where.base.startswith("http://"))
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent", "Accept"),
                trust_env=False,
                read_bufsize=CHUNK_BYTES,
            )
        return self._session


async def next_bytes(answer: aiohttp.ClientResponse, wait_s: float) -> bytes:
    """What has come, empty at the end. Raises UpstreamError when the answer is cut off or nothing comes for long."""
    try:
        async with asyncio.timeout(wait_s):
            return await answer.content.readany()
    except TimeoutError as error:
        raise UpstreamError("the upstream sent nothing for too long") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise UpstreamError(_cause(error)) from error


def _cause(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        return "the upstream cannot be reached"
    if isinstance(error, aiohttp.ClientPayloadError | ConnectionError | aiohttp.ServerDisconnectedError):
        return "the upstream broke the connection"
    return f"the upstream cannot be understood ({type(error).__name__})"
