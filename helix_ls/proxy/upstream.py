"""Upstreams: routing by model, the connection, and the list of models."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp

from helix_core.config import Config
from helix_ls.proxy.keys import KeyRingError, configured, key_of
from helix_ls.proxy.presets import traits_of
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.stream import MAX_ANSWER_BYTES, checked

FIRST_BYTE_S = 600.0
CONNECT_S = 10.0
CHUNK_BYTES = 64 * 1024
# The name of the upstream of HELIX_UPSTREAM.
DEFAULT = "default"
# What a client may add to a URL: options of lists and streams, and no key.
_QUERY = frozenset(
    ("beta", "include", "include[]", "stream", "starting_after", "after", "limit", "order", "after_id", "before_id")
)
# Hop-by-hop headers (RFC 9110, section 7.6.1), and headers of the connection to us.
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
# The first version, which is kept: for clients that name none, such as OpenAI's that list models.
ANTHROPIC_VERSION = "2023-06-01"
_OURS_BEGIN = ("x-helix-", "sec-", "x-forwarded-")
_THEIRS = frozenset({"server", "date", "set-cookie", "alt-svc", "strict-transport-security"})
_THEIRS_BEGIN = ("access-control-", "x-helix-")


class UpstreamError(Exception):
    """The upstream did not answer, or only in part; ``str()`` is a cause without addresses."""


@dataclass(frozen=True, slots=True)
class Address:
    """``base`` up to and including its version (…/v1); ``models`` are patterns of the names it serves, none: all.

    ``dialects`` are those it speaks, none: unknown, so each is tried. ``auth`` is the header of the key, and ``query``
    is added to every URL; an empty ``auth`` is what is known of the server.
    """

    base: str = ""
    key: str = field(default="", repr=False)
    name: str = DEFAULT
    models: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    auth: str = ""
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def url(self, path: str, query: Sequence[tuple[str, str]] = ()) -> str:
        """Return the URL of a path; one of Ollama's own API is next to the version and not below it."""
        base = self.base.removesuffix("/v1") if path.startswith("/api/") else self.base
        own = {name for name, _ in self.query}
        pairs = [*self.query, *(pair for pair in query if pair[0] not in own)]
        return f"{base}{path}{f'?{urlencode(pairs)}' if pairs else ''}"

    def speaks(self, dialect: str) -> bool:
        """Return whether the server may speak a dialect; an empty one is any."""
        return not dialect or not self.dialects or dialect in self.dialects

    def key_header(self, path: str) -> tuple[str, str]:
        """Return the header of the key for a path."""
        auth = self.auth or traits_of(self.base).auth
        if not self.auth and path == "/chat/completions" and auth == "x-api-key":
            # Anthropic's compatibility with OpenAI's API takes the key as OpenAI does.
            auth = "bearer"
        return ("Authorization", f"Bearer {self.key}") if auth == "bearer" else (auth, self.key)


def base_of(address: str) -> str:
    """Return the base URL; an address without a path gets /v1."""
    return address if urlsplit(address).path.strip("/") else f"{address}/v1"


def request_headers(
    headers: Iterable[tuple[bytes, bytes]], where: Address, path: str, media: str = "application/json"
) -> list[tuple[str, str]]:
    """Return the caller's headers to forward, with the upstream's own key and the type of the body."""
    given = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
    named = {word.strip().lower() for name, value in given if name == "connection" for word in value.split(",")}
    dropped = _HOP | _OURS | named
    kept = [(n, v) for n, v in given if n not in dropped and not n.startswith(_OURS_BEGIN)]
    kept += [("Content-Type", media), ("Accept-Encoding", "identity")]
    if where.key:
        header = where.key_header(path)
        kept.append(header)
        if header[0] == "x-api-key" and not any(name == "anthropic-version" for name, _ in kept):
            kept.append(("anthropic-version", ANTHROPIC_VERSION))
    return kept


def query_of(raw: bytes) -> list[tuple[str, str]]:
    """Return what a client added to the URL and may be passed on."""
    return [pair for pair in parse_qsl(raw.decode("latin-1"), keep_blank_values=True) if pair[0] in _QUERY]


def answer_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the upstream's headers to forward: Retry-After, rate limits and request ids among them."""
    given = [(name.lower(), value) for name, value in headers]
    named = {word.strip().lower() for name, value in given if name == "connection" for word in value.split(",")}
    dropped = _HOP | _THEIRS | named
    return [(n, v) for n, v in given if n not in dropped and not n.startswith(_THEIRS_BEGIN)]


class Upstream:
    """The connection pool of one upstream; bound to one event loop."""

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
        query: Sequence[tuple[str, str]] = (),
        media: str = "application/json",
        wait_s: float = FIRST_BYTE_S,
    ) -> aiohttp.ClientResponse:
        """Send a request; return the response after its head; close it. Raises UpstreamError.

        ``media`` is the type of the body, ``query`` what the client adds to the URL.
        """
        try:
            async with asyncio.timeout(wait_s):
                return await self._opened().request(
                    method,
                    self.where.url(path, query),
                    data=body,
                    headers=request_headers(headers, self.where, path, media),
                    allow_redirects=False,
                )
        except TimeoutError as error:
            raise UpstreamError("the upstream did not answer in time") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise UpstreamError(_cause(error)) from error

    async def close(self) -> None:
        """Close the connections to this upstream."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            # A keep-alive connection that the server closed fails a request; only TLS is worth that risk.
            connector = aiohttp.TCPConnector(limit=0, force_close=self.where.base.startswith("http://"))
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent", "Accept"),
                trust_env=False,
                # aiohttp buffers twice this, and one read of the socket more, while no reader takes it.
                read_bufsize=CHUNK_BYTES // 2,
            )
        return self._session


async def next_bytes(answer: aiohttp.ClientResponse, wait_s: float) -> bytes:
    """Return the next bytes, empty at the end. Raises UpstreamError when the answer is truncated or idle too long."""
    try:
        async with asyncio.timeout(wait_s):
            return await answer.content.read(CHUNK_BYTES)
    except TimeoutError as error:
        raise UpstreamError("the upstream sent nothing for too long") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise UpstreamError(_cause(error)) from error


async def read_bounded(answer: aiohttp.ClientResponse, wait_s: float, most_bytes: int) -> bytes:
    """Return the whole answer; of one that is longer than ``most_bytes``, a beginning that is longer, too.

    Raises UpstreamError when it is truncated, or nothing comes for ``wait_s`` seconds.
    """
    data = b""
    while (part := await next_bytes(answer, wait_s)) and len(data) <= most_bytes:
        data += part
    return data


def _cause(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorError):
        return "the upstream cannot be reached"
    if isinstance(error, aiohttp.ClientPayloadError | ConnectionError | aiohttp.ServerDisconnectedError):
        return "the upstream broke the connection"
    return f"the upstream cannot be understood ({type(error).__name__})"


APIS = {
    "chat": "OpenAI's chat completions",
    "responses": "OpenAI's responses",
    "messages": "Anthropic's messages",
    "ollama": "Ollama's own API",
}
"""The name of each dialect's API, for people."""
LOOK_S = 2.0
# Lists older than this are refreshed for display.
SEEN_FOR_S = 5.0
MAX_MODELS = 2_000
State = Literal["unknown", "up", "refused", "failed", "down"]
Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class KnownModels:
    """The last model list of an upstream; ``at`` is monotonic."""

    state: State = "unknown"
    models: tuple[dict[str, Any], ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class ChosenUpstream:
    """The upstream of a request, and its own name of the model."""

    upstream: Upstream
    model: str


def addresses(config: Config, keys: Mapping[str, str], environ: Mapping[str, str]) -> tuple[list[Address], list[str]]:
    """Return the user's upstreams with their keys, and warnings: one whose key is unavailable is used without."""
    found, warnings = [], []
    for each in configured(config):
        key = ""
        try:
            key = key_of(each, keys, environ)
        except KeyRingError as error:
            warnings.append(f"upstream {each.name} is asked without its key: {error}")
        dialects = each.dialects or traits_of(each.url).dialects
        found.append(Address(base_of(each.url), key, each.name, each.models, dialects, each.auth, each.query))
    return found, warnings


class Upstreams:
    """All upstreams; bound to one event loop."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._all = tuple(Upstream(each) for each in addresses)
        self._seen: dict[str, KnownModels] = {}
        self._looking: asyncio.Task[None] | None = None

    @property
    def only(self) -> Upstream | None:
        """Return the upstream if it is the only one; it gets every model name unchanged."""
        return self._all[0] if len(self._all) == 1 and not self._all[0].where.models else None

    @property
    def where(self) -> Address:
        """Return the address of the first; one without a base where there is none."""
        return self._all[0].where if self._all else Address()

    async def chosen(self, model: str, dialect: str = "") -> ChosenUpstream:
        """Route a model to an upstream that speaks the dialect; an empty one is any.

        Raises RefusedError when no upstream serves it, or none of them in this dialect, naming the upstreams.
        """
        if not self._all:
            raise _no_upstream()
        speaking = [each for each in self._all if each.where.speaks(dialect)]
        if not speaking:
            raise unspoken(dialect, *self._all)
        if self.only is not None:
            return ChosenUpstream(self.only, model)
        found = self._by_name(model, speaking)
        if found is None or not self._seen:
            # The model may be newer than the lists.
            await self.look(older_than_s=SEEN_FOR_S)
            found = self._by_name(model, speaking)
        if found is None and (elsewhere := self._by_name(model, self._all)) is not None:
            raise unspoken(dialect, elsewhere.upstream)
        found = found or next((ChosenUpstream(each, model) for each in speaking if not each.where.models), None)
        if found is None:
            names = ", ".join(each.where.name for each in self._all)
            message = (
                f"no upstream answers for that model; list /v1/models, or begin its name with one of {names} and /"
            )
            raise HttpError(404, "model_not_found", message, {"x-should-retry": "false"})
        return found

    def named(self, model: str) -> ChosenUpstream:
        """Return the upstream of NAME/model, or the only one for a name without a slash. Asks none of them.

        Raises HttpError where the name leaves open which one it is.
        """
        if not self._all:
            raise _no_upstream()
        name, slash, rest = model.partition("/")
        found = [each for each in self._all if slash and rest and each.where.name == name]
        if len(found) == 1:
            return ChosenUpstream(found[0], rest)
        if len(self._all) == 1 and not slash:
            return ChosenUpstream(self._all[0], model)
        names = ", ".join(each.where.name for each in self._all)
        message = (
            f"{model} leaves open which upstream it is of; "
            f"write NAME/{model} in the setting, where NAME is one of: {names}"
        )
        raise HttpError(400, "ambiguous_upstream", message, {"x-should-retry": "false"})

    def _by_name(self, model: str, among: Sequence[Upstream]) -> ChosenUpstream | None:
        listing = [each for each in among if model in self._ids(each)]
        name, slash, rest = model.partition("/")
        named = next((each for each in among if slash and rest and each.where.name == name), None)
        fitting = next((each for each in among if fits(each.where, model) and each.where.models), None)
        if named is not None and not listing:
            return ChosenUpstream(named, rest)
        found = next((each for each in listing if each.where.models), fitting) or next(iter(listing), None)
        return ChosenUpstream(found, model) if found is not None else None

    def _ids(self, upstream: Upstream) -> set[str]:
        return {model["id"] for model in self._seen.get(upstream.where.name, KnownModels()).models}

    async def look(self, *, older_than_s: float = 0.0) -> None:
        """Refresh every model list, in parallel and with a timeout, unless it is recent."""
        oldest = min(
            (self._seen.get(each.where.name, KnownModels()).at for each in self._all), default=time.monotonic()
        )
        if oldest and time.monotonic() - oldest < older_than_s:
            return
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        await asyncio.shield(self._looking)

    async def _look(self) -> None:
        try:
            found = await asyncio.gather(*(listed(each) for each in self._all))
            self._seen = {each.where.name: seen for each, seen in zip(self._all, found, strict=True)}
        finally:
            self._looking = None

    async def refresh_if_stale(self) -> None:
        """Refresh the lists, unless that was done a moment ago."""
        if self._all:
            await self.look(older_than_s=SEEN_FOR_S)

    def offers(self) -> list[dict[str, Any]]:
        """Return ``[{id, upstream, context_tokens}]``; the last is None when unknown."""
        return [
            {"id": each["id"], "upstream": each["helix_upstream"], "context_tokens": _context_tokens(each)}
            for each in self.models()
        ]

    def models(self) -> list[dict[str, Any]]:
        """Return every model once under an unambiguous name: the plain one, or ``upstream/model`` where two
        upstreams share it.
        """
        taken: dict[str, Upstream] = {}
        merged: list[dict[str, Any]] = []
        for each in self._all:
            for model in self._seen.get(each.where.name, KnownModels()).models:
                plain = self._by_name(model["id"], self._all)
                is_own = plain is not None and plain.upstream is each and plain.model == model["id"]
                name = model["id"] if is_own else f"{each.where.name}/{model['id']}"
                if taken.setdefault(name, each) is each and len(merged) < MAX_MODELS:
                    merged.append({**model, "id": name, "helix_upstream": each.where.name})
        return merged

    def down(self) -> list[str]:
        """Return the names of upstreams without a model list."""
        return [each.where.name for each in self._all if self._state(each) not in ("unknown", "up")]

    def facts(self) -> list[dict[str, Any]]:
        """Return ``[{name, url, state, has_key}]``, as last seen."""
        return [
            {
                "name": each.where.name,
                "url": each.where.base,
                "state": self._state(each),
                "has_key": bool(each.where.key),
            }
            for each in self._all
        ]

    def record_state(self, upstream: Upstream, state: State) -> None:
        """Record an upstream's state after a chat."""
        before = self._seen.get(upstream.where.name, KnownModels())
        if before.state != state:
            self._seen[upstream.where.name] = KnownModels(state, before.models if state == "up" else (), before.at)

    def _state(self, upstream: Upstream) -> State:
        return self._seen.get(upstream.where.name, KnownModels()).state

    async def close(self) -> None:
        """Cancel the running look-up of models and close the connections to all upstreams."""
        if self._looking is not None:
            self._looking.cancel()
        for each in self._all:
            await each.close()


def _no_upstream() -> HttpError:
    message = "no upstream is configured; set HELIX_UPSTREAM, or upstream under [proxy] in your settings"
    return HttpError(503, "no_upstream", message, {"x-should-retry": "false"})


def unspoken(dialect: str, *upstreams: Upstream) -> HttpError:
    """Return the error for a dialect that none of these upstreams speaks."""
    names = ", ".join(f"{each.where.name} speaks {' and '.join(each.where.dialects) or 'others'}" for each in upstreams)
    message = (
        f"the upstream does not speak {APIS.get(dialect, dialect)} ({names}), and Helix translates none; use a client "
        f'of what it speaks, or add an upstream with dialects = ["{dialect}"] to your settings'
    )
    return HttpError(400, "unsupported_dialect", message, {"x-should-retry": "false"})


def _context_tokens(model: dict[str, Any]) -> int | None:
    """Return the context size: vLLM's ``max_model_len``, llama.cpp's ``meta.n_ctx_train``, several gateways'
    ``context_length``.
    """
    meta = model.get("meta")
    numbers = (
        model.get("max_model_len"),
        model.get("context_length"),
        meta.get("n_ctx_train") if isinstance(meta, dict) else None,
    )
    return next((each for each in numbers if isinstance(each, int) and each > 0), None)


def fits(where: Address, model: str) -> bool:
    """Return whether the upstream serves a model of this name. Patterns are fnmatch's, case-sensitive."""
    return not where.models or any(fnmatchcase(model, each) for each in where.models)


async def listed(upstream: Upstream, *, wait_s: float = LOOK_S) -> KnownModels:
    """Return the models an upstream lists and serves; waits at most ``wait_s`` seconds."""
    try:
        async with asyncio.timeout(wait_s):
            status, data = await _got(upstream, wait_s)
    except (UpstreamError, TimeoutError):
        return KnownModels("down", at=time.monotonic())
    now = time.monotonic()
    if status in (401, 403):
        return KnownModels("refused", at=now)
    found = checked(status, data)
    decoded = json.loads(found.body)
    models = decoded.get("data") if isinstance(decoded, dict) else None
    if found.status != 200 or not isinstance(models, list):
        return KnownModels("failed", at=now)
    named = [model for model in models[:MAX_MODELS] if isinstance(model, dict) and isinstance(model.get("id"), str)]
    return KnownModels("up", tuple(model for model in named if fits(upstream.where, model["id"])), now)


async def _got(upstream: Upstream, wait_s: float) -> tuple[int, bytes]:
    # Anthropic lists 20 unless it is asked for more, 1,000 at most; others have no pages.
    pages = [("limit", "1000")] if upstream.where.key_header("/models")[0] == "x-api-key" else []
    answer = await upstream.open("GET", "/models", (), None, query=pages, wait_s=wait_s)
    try:
        return answer.status, await read_bounded(answer, wait_s, MAX_ANSWER_BYTES)
    finally:
        answer.close()
