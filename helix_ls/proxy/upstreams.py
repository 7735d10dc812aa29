"""The user's upstreams, in the order of the settings, and which of them answers for a model.

Whoever says which names it answers for is asked for those. ``name/model`` names the upstream outright, except where
somebody has a model that is called just that.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from helix_core.config import Config
from helix_ls.proxy.refused import RefusedError
from helix_ls.proxy.upstream import Address, Upstream, UpstreamError, base_of, next_bytes
from helix_ls.proxy.upstream_keys import KeyRingError, configured, key_of
from helix_ls.proxy.whole import MAX_ANSWER_BYTES, checked

LOOK_S = 2.0
# A list that old is asked for again where somebody wants to see it.
SEEN_FOR_S = 5.0
MAX_MODELS = 2_000
State = Literal["unknown", "up", "refused", "failed", "down"]
Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Seen:
    """What an upstream said when it was last asked for its models; ``at`` is monotonic."""

    state: State = "unknown"
    models: tuple[dict[str, Any], ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who answers, and the model's name as it knows it."""

    upstream: Upstream
    model: str


def addresses(config: Config, keys: Mapping[str, str], environ: Mapping[str, str]) -> tuple[list[Address], list[str]]:
    """The user's upstreams with their keys, and what to warn of: one whose key cannot be had is asked without."""
    found, warnings = [], []
    for each in configured(config):
        key = ""
        try:
            key = key_of(each, keys, environ)
        except KeyRingError as error:
            warnings.append(f"upstream {each.name} is asked without its key: {error}")
        found.append(Address(base_of(each.url), key, each.name, each.models))
    return found, warnings


class Upstreams:
    """Belongs to one loop."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._all = tuple(Upstream(each) for each in addresses)
        self._seen: dict[str, Seen] = {}
        self._looking: asyncio.Task[None] | None = None

    @property
    def only(self) -> Upstream | None:
        """The upstream where there is one and no other; it is asked for every name, as it is."""
        return self._all[0] if len(self._all) == 1 and not self._all[0].where.models else None

    @property
    def where(self) -> Address:
        """The address of the first; one without a base where there is none."""
        return self._all[0].where if self._all else Address()

    async def chosen(self, model: str) -> Chosen:
        """Who answers for this model. Raises RefusedError when nobody does, naming who there is."""
        if not self._all:
            said = "no upstream is configured; set HELIX_UPSTREAM, or upstream under [proxy] in your settings"
            raise RefusedError(503, "no_upstream", said, {"x-should-retry": "false"})
        if self.only is not None:
            return Chosen(self.only, model)
        found = self._by_name(model)
        if found is None or not self._seen:
            # A model may have come since the lists were read.
            await self.look(older_than_s=SEEN_FOR_S)
            found = self._by_name(model)
        found = found or next((Chosen(each, model) for each in self._all if not each.where.models), None)
        if found is None:
            names = ", ".join(each.where.name for each in self._all)
            said = f"no upstream answers for that model; list /v1/models, or begin its name with one of {names} and /"
            raise RefusedError(404, "model_not_found", said, {"x-should-retry": "false"})
        return found

    def _by_name(self, model: str) -> Chosen | None:
        listing = [each for each in self._all if model in self._ids(each)]
        name, slash, rest = model.partition("/")
        named = next((each for each in self._all if slash and rest and each.where.name == name), None)
        fitting = next((each for each in self._all if fits(each.where, model) and each.where.models), None)
        if named is not None and not listing:
            return Chosen(named, rest)
        found = next((each for each in listing if each.where.models), fitting) or next(iter(listing), None)
        return Chosen(found, model) if found is not None else None

    def _ids(self, upstream: Upstream) -> set[str]:
        return {model["id"] for model in self._seen.get(upstream.where.name, Seen()).models}

    async def look(self, *, older_than_s: float = 0.0) -> None:
        """Ask every upstream for its models, all at once and not for long, unless that was done lately."""
        oldest = min((self._seen.get(each.where.name, Seen()).at for each in self._all), default=time.monotonic())
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

    async def look_lately(self) -> None:
        """Look, unless that was done a moment ago."""
        if self._all:
            await self.look(older_than_s=SEEN_FOR_S)

    def offers(self) -> list[dict[str, Any]]:
        """``[{id, upstream, context_tokens}]``; the last is None where the upstream does not say it."""
        return [
            {"id": each["id"], "upstream": each["helix_upstream"], "context_tokens": _context_tokens(each)}
            for each in self.models()
        ]

    def models(self) -> list[dict[str, Any]]:
        """Every model once under a name that means it: the plain one, or ``upstream/model`` where another has that."""
        taken: dict[str, Upstream] = {}
        merged: list[dict[str, Any]] = []
        for each in self._all:
            for model in self._seen.get(each.where.name, Seen()).models:
                plain = self._by_name(model["id"])
                is_own = plain is not None and plain.upstream is each and plain.model == model["id"]
                name = model["id"] if is_own else f"{each.where.name}/{model['id']}"
                if taken.setdefault(name, each) is each and len(merged) < MAX_MODELS:
                    merged.append({**model, "id": name, "helix_upstream": each.where.name})
        return merged

    def down(self) -> list[str]:
        """The names of those that gave no models."""
        return [each.where.name for each in self._all if self._state(each) not in ("unknown", "up")]

    def facts(self) -> list[dict[str, Any]]:
        """``[{name, url, state, has_key}]``, as they were last seen."""
        return [
            {
                "name": each.where.name,
                "url": each.where.base,
                "state": self._state(each),
                "has_key": bool(each.where.key),
            }
            for each in self._all
        ]

    def heard(self, upstream: Upstream, state: State) -> None:
        """A chat has shown how it goes."""
        before = self._seen.get(upstream.where.name, Seen())
        if before.state != state:
            self._seen[upstream.where.name] = Seen(state, before.models if state == "up" else (), before.at)

    def _state(self, upstream: Upstream) -> State:
        return self._seen.get(upstream.where.name, Seen()).state

    async def close(self) -> None:
        """Leave all of them."""
        if self._looking is not None:
            self._looking.cancel()
        for each in self._all:
            await each.close()


def _context_tokens(model: dict[str, Any]) -> int | None:
    """vLLM says ``max_model_len``, llama.cpp ``meta.n_ctx_train``, several gateways ``context_length``."""
    meta = model.get("meta")
    said = (
        model.get("max_model_len"),
        model.get("context_length"),
        meta.get("n_ctx_train") if isinstance(meta, dict) else None,
    )
    return next((each for each in said if isinstance(each, int) and each > 0), None)


def fits(where: Address, model: str) -> bool:
    """Does it answer for a model of this name? Patterns are those of fnmatch, in the case they are written in."""
    return not where.models or any(fnmatchcase(model, each) for each in where.models)


async def listed(upstream: Upstream, *, wait_s: float = LOOK_S) -> Seen:
    """What an upstream offers, of that what it answers for; waits no longer than that."""
    try:
        async with asyncio.timeout(wait_s):
            status, data = await _got(upstream, wait_s)
    except (UpstreamError, TimeoutError):
        return Seen("down", at=time.monotonic())
    now = time.monotonic()
    if status in (401, 403):
        return Seen("refused", at=now)
    found = checked(status, data)
    said = json.loads(found.body)
    models = said.get("data") if isinstance(said, dict) else None
    if found.status != 200 or not isinstance(models, list):
        return Seen("failed", at=now)
    named = [one for one in models[:MAX_MODELS] if isinstance(one, dict) and isinstance(one.get("id"), str)]
    return Seen("up", tuple(one for one in named if fits(upstream.where, one["id"])), now)


async def _got(upstream: Upstream, wait_s: float) -> tuple[int, bytes]:
    answer = await upstream.open("GET", "/models", (), None, wait_s=wait_s)
    try:
        data = b""
        while (part := await next_bytes(answer, wait_s)) and len(data) <= MAX_ANSWER_BYTES:
            data += part
        return answer.status, data
    finally:
        answer.close()
