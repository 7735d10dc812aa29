"""Turn a file's bytes into a ``Document``: language, chunks, symbols, claims, provenance, with secrets masked.

``document.ingest`` is the entry point; ``pool.IngestPool`` does the same for many files in worker processes with
resource limits. Pure: bytes in, values out. Never reads the disk, runs git or knows SQL, and never decides freshness.
"""
