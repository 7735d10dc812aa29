"""The optional parts of Helix: what each is for, and whether the packages it needs are installed.

The core answers questions with the built-in vectors and needs none of them. pyproject.toml lists the packages of each
under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType

DISTRIBUTION = "helix-context-engine"


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part; ``modules`` are the top-level modules it imports, ``purpose`` is the subject of a sentence."""

    name: str
    purpose: str
    modules: tuple[str, ...]


EXTRAS: Mapping[str, Extra] = MappingProxyType(
    {
        each.name: each
        for each in (
            Extra("proxy", "the chat proxy", ("aiohttp", "httptools", "starlette", "uvicorn")),
            Extra("models", "an embedding model", ("fastembed", "onnxruntime", "tokenizers")),
            Extra("keyring", "the key ring", ("keyring",)),
        )
    }
)


def missing(name: str) -> tuple[str, ...]:
    """Return the modules of this extra that are not installed. Raises KeyError for an unknown extra."""
    return tuple(module for module in EXTRAS[name].modules if find_spec(module) is None)


def why_missing(name: str) -> str:
    """Return one line that says what is not installed and how to install it; empty where all is installed."""
    absent = missing(name)
    if not absent:
        return ""
    return (
        f"{EXTRAS[name].purpose} needs packages that are not installed ({', '.join(absent)}); "
        f'run: pip install "{DISTRIBUTION}[{name}]"'
    )
