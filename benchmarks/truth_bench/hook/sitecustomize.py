"""On the path of every process the truth bench starts: a file with the mark below breaks whatever parses it."""

from __future__ import annotations

import importlib.machinery
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

MARK = b"bench: this text breaks " + b"the parser"
MODULE = "helix_core.ingest.document"


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:  # noqa: ARG002 - the protocol
        if name != MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            real = module.ingest

            def ingest(path: bytes, data: bytes, **more: Any) -> Any:
                if MARK in data:
                    raise RecursionError("a text of the bench breaks the parser")
                return real(path, data, **more)

            module.ingest = ingest  # type: ignore[attr-defined]

        spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _Finder())
