"""Well-known model servers: the default ports of local ones, and which APIs and which header of the key they take.

Only loopback is probed, and only while the user has configured no upstream; none is chosen automatically.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from helix_core.printable import count

LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class ServerTraits:
    """What a server is known to speak; empty ``dialects``: unknown, so each is tried. ``auth`` is the key's header."""

    dialects: tuple[str, ...] = ()
    auth: str = "bearer"


UNKNOWN = ServerTraits()
# By the end of a host name, from each provider's API reference.
_HOSTS = (
    ("api.openai.com", ServerTraits(("chat", "responses"))),
    (".openai.azure.com", ServerTraits(("chat", "responses"), "api-key")),
    ("api.anthropic.com", ServerTraits(("chat", "messages"), "x-api-key")),
    ("openrouter.ai", ServerTraits(("chat", "responses", "messages"))),
    ("api.groq.com", ServerTraits(("chat", "responses"))),
    ("api.mistral.ai", ServerTraits(("chat",))),
    ("generativelanguage.googleapis.com", ServerTraits(("chat",))),
)
# Only ports that no other common server uses: 8000 and 8080 may be anything.
_PORTS = {11434: ServerTraits(("chat", "responses", "messages", "ollama"))}
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def traits_of(url: str) -> ServerTraits:
    """Return what is known of the server at this address."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    for known, traits in _HOSTS:
        if host == known or (known.startswith(".") and host.endswith(known)):
            return traits
    return _PORTS.get(parts.port or 0, UNKNOWN) if host in _LOOPBACK else UNKNOWN


@dataclass(frozen=True, slots=True)
class Preset:
    """A server's name and its documented default port."""

    name: str
    port: int

    @property
    def url(self) -> str:
        """Return the base URL of its API on this machine."""
        return f"http://127.0.0.1:{self.port}/v1"


PRESETS = (Preset("Ollama", 11434), Preset("llama.cpp", 8080), Preset("vLLM", 8000), Preset("LM Studio", 1234))


async def answering(presets: tuple[Preset, ...] = PRESETS) -> list[tuple[Preset, int]]:
    """Return the servers that list models as OpenAI's API does, with their number; probed in parallel."""
    return [found for found in await asyncio.gather(*map(_probe, presets)) if found is not None]


async def _probe(preset: Preset) -> tuple[Preset, int] | None:
    import httpx

    # Do not use the environment's proxies for this machine, nor follow a redirect to another.
    options = {"trust_env": False, "follow_redirects": False, "timeout": LOOK_S}
    async with httpx.AsyncClient(**options) as client:  # type: ignore[arg-type]
        try:
            listed = (await client.get(f"{preset.url}/models")).json()
        except (httpx.HTTPError, ValueError):
            return None
    models = listed.get("data") if isinstance(listed, dict) else None
    return (preset, len(models)) if isinstance(models, list) else None


def advice(found: list[tuple[Preset, int]]) -> str:
    """Return the advice for a user without an upstream."""
    if not found:
        names = ", ".join(f"{each.name} ({each.port})" for each in PRESETS)
        return (
            "no upstream is configured, so chats are refused; set HELIX_UPSTREAM to the address of one "
            f"(none of {names} answers on this machine)"
        )
    told = " or ".join(
        f"{each.name} answers with {count(models, 'model')}: HELIX_UPSTREAM=http://127.0.0.1:{each.port}"
        for each, models in found
    )
    return f"no upstream is configured, so chats are refused; {told}"
