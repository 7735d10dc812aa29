"""A cold index of words and names alone, through the product's own pool and writer: what vectors cost is the rest."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

from helix_core.engine.indexing.intake import BATCH_FILES
from helix_core.ingest.document import ingest
from helix_core.ingest.pool import IngestPool, Quarantined
from helix_core.model import Document
from helix_core.store import open_index
from helix_core.workspace.disk import Root
from helix_core.workspace.files import content_reason, list_files
from helix_core.workspace.git import Git


def ingest_words(path: bytes, data: bytes, skipped: str) -> Document:
    """What a worker does, but for the vectors."""
    return ingest(path, data, skipped=skipped, embed=False)


def words(folder: Path, index_file: Path) -> dict[str, Any]:
    """Build the index at ``index_file``, which must not be there yet; returns how many files are in it."""
    taken = 0
    with Root.open(folder) as root, open_index(index_file) as index, IngestPool(ingest=ingest_words) as pool:
        listing = list_files(root, Git.open(root.path))
        signatures = {file.path: file.signature for file in listing.files}
        with root.scan() as scan:
            read = ((path, scan.read(path).data) for path in signatures)
            documents = pool.run((path, data, content_reason(path, data)) for path, data in read)
            writer = index.writer()
            while batch := list(itertools.islice(documents, BATCH_FILES)):
                with writer.batch():
                    for document in batch:
                        if not isinstance(document, Quarantined):
                            writer.replace(document, signatures[document.path], time.time_ns())
                            taken += 1
        writer.optimize()
    return {"files": taken}
