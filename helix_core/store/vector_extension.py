"""sqlite-vec, loaded into a connection: the tables that hold vectors need it for every statement."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

import apsw


@cache
def _path() -> str:
    """The library beside the package. Importing the package would import numpy, which a question need not pay for."""
    spec = find_spec("sqlite_vec")
    return os.path.join(os.path.dirname(spec.origin), "vec0") if spec is not None and spec.origin else ""


def load_vectors(connection: apsw.Connection) -> bool:
    """Make vector tables usable; False where the library is missing or does not fit this machine."""
    path = _path()
    if not path:
        return False
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    except apsw.ExtensionLoadingError:
        return False
    finally:
        connection.enable_load_extension(False)
    return True
