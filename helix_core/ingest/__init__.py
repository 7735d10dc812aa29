"""A file's bytes → a ``Document``: language, chunks, symbols, claims, provenance, clean of secrets.

``document.ingest`` is the way in; ``pool.IngestPool`` does the same for many files in worker processes with limits.
Pure: bytes in, values out. Never reads the disk, runs git or knows SQL, and never decides freshness.
"""
