"""An ingest function that ends its own process at a certain text; worker processes import it by name."""

from __future__ import annotations

import os
import signal

from helix_core.ingest.pool import ingest_file
from helix_core.model import Document


def break_on_sight(path: bytes, data: bytes, skipped: str) -> Document:
    """Count the try, then crash as a parser written in C would."""
    if data.startswith(b"BREAK"):
        with open(os.environ["HELIX_TEST_TRIES"], "a", encoding="ascii") as tries:
            tries.write("tried\n")
        os.kill(os.getpid(), signal.SIGSEGV)
    return ingest_file(path, data, skipped)
