"""Detect local model servers by their default ports.

Only loopback is probed, and only while the user has configured no upstream; none is chosen automatically.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

LOOK_S = 1.0


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
    return [found for found in await asyncio.gather(*map(_asked, presets)) if found is not None]


async def _asked(preset: Preset) -> tuple[Preset, int] | None:
    import httpx

    # Do not use the environment's proxies for this machine, nor follow a redirect to another.
    options = {"trust_env": False, "follow_redirects": False, "timeout": LOOK_S}
    async with httpx.AsyncClient(**options) as client:  # type: ignore[arg-type]
        try:
            said = (await client.get(f"{preset.url}/models")).json()
        except (httpx.HTTPError, ValueError):
            return None
    models = said.get("data") if isinstance(said, dict) else None
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
        f"{each.name} answers with {count} models: HELIX_UPSTREAM=http://127.0.0.1:{each.port}" for each, count in found
    )
    return f"no upstream is configured, so chats are refused; {told}"
