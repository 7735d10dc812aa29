"""Faces of rooms: what a package exports to other packages, each module imported when its first name is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_face(package: str, exports: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` (PEP 562) of a package's ``__init__``.

    Args:
        package: The package's full name.
        exports: The exported names by the module that defines them, named within the package.

    Raises:
        AttributeError: By the function, for a name that is not exported.
    """
    modules = {name: f"{package}.{module}" for module, names in exports.items() for name in names}

    def load(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(module), name)

    return load
