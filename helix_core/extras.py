"""The optional parts of Helix: what each is for, and whether the packages it needs are installed.

The core answers questions with the built-in vectors and needs none of them. pyproject.toml lists the packages of each
under the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from helix_core.tuples import NamedTuple

DISTRIBUTION = "helix-context-engine"


class Extra(NamedTuple):
    """An optional part; ``modules`` are the modules it imports, ``purpose`` is the subject of a sentence."""

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
            Extra("otel", "telemetry", ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")),
        )
    }
)


def missing(name: str) -> tuple[str, ...]:
    """Return the modules of this extra that are not installed. Raises KeyError for an unknown extra."""
    return tuple(module for module in EXTRAS[name].modules if not _is_installed(module))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        # A package that the module is in is missing.
        return False


def why_missing(name: str) -> str:
    """Return one line that says what is not installed and how to install it; empty where all is installed."""
    absent = missing(name)
    if not absent:
        return ""
    needs = f"{EXTRAS[name].purpose} needs packages that are not installed ({', '.join(absent)})"
    return f"{needs}; run: {install_command(name)}"


def install_command(name: str) -> str:
    """Return the command that installs an extra: from the folder that Helix was installed from, a checkout for example,
    else from the package index, whose release may be another one or not be there.
    """
    url, is_editable = _installed_from()
    if not url.startswith("file:"):
        return f'pip install "{DISTRIBUTION}[{name}]"'
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    folder = url2pathname(urlsplit(url).path)
    return f'pip install {"-e " if is_editable else ""}"{folder}[{name}]"'


def _installed_from() -> tuple[str, bool]:
    """Return the URL of a folder or file that Helix was installed from, and whether that install is editable; an empty
    URL for one from a package index (PEP 610).
    """
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return "", False
    about = json.loads(told) if told else {}
    # Of a wheel an extra cannot be named by its path alone.
    return (about["url"], bool(about["dir_info"].get("editable"))) if "dir_info" in about else ("", False)
