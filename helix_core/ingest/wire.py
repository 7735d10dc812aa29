"""Documents between processes: nested tuples of plain values through ``marshal``, several times cheaper than pickle.

Both ends are the same program on the same machine; nothing else may be handed to ``unpacked``.
"""

from __future__ import annotations

import marshal
from typing import Any

from helix_core.ingest.secrets import Masked
from helix_core.model import (
    Authority,
    Chunk,
    Claim,
    Definition,
    Document,
    EmbeddedText,
    IndexText,
    Role,
    SourceKind,
    Volatility,
)

_clean = Masked(b"").clean


def packed(document: Document) -> bytes:
    """A document as bytes."""
    return marshal.dumps(
        (
            document.path,
            document.content_hash,
            document.size_bytes,
            document.line_count,
            document.language,
            document.parser,
            str(document.source_kind),
            str(document.volatility),
            str(document.authority),
            str(document.role),
            [_chunk_row(chunk) for chunk in document.chunks],
            document.has_errors,
            document.masked_count,
            document.skipped,
            [(text.level, text.chunk, text.input_hash, text.vector) for text in document.embedded],
        )
    )


def unpacked(data: bytes) -> Document:
    """The document that ``packed`` was given; its text is as clean as it was there."""
    (path, content_hash, size_bytes, line_count, language, parser, source_kind, volatility, authority, role, rows,
     has_errors, masked_count, skipped, embedded) = marshal.loads(data)  # fmt: skip
    return Document(
        path=path,
        content_hash=content_hash,
        size_bytes=size_bytes,
        line_count=line_count,
        language=language,
        parser=parser,
        source_kind=SourceKind(source_kind),
        volatility=Volatility(volatility),
        authority=Authority(authority),
        role=Role(role),
        chunks=tuple(map(_chunk, rows)),
        has_errors=has_errors,
        masked_count=masked_count,
        skipped=skipped,
        embedded=tuple([EmbeddedText(*text) for text in embedded]),
    )


def _chunk_row(chunk: Chunk) -> tuple[Any, ...]:
    text = chunk.text
    return (
        (chunk.kind, chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line),
        (str(chunk.name), str(chunk.breadcrumb), chunk.text_hash),
        (str(text.names), str(text.doc), str(text.body), str(text.extra), str(text.refs)),
        [(str(item.name), item.kind, item.start_line, item.end_line) for item in chunk.definitions],
        [(str(item.key), str(item.value), item.value_type, item.line) for item in chunk.claims],
        [str(item) for item in chunk.imports],
        [str(item) for item in chunk.tests],
    )


def _chunk(row: tuple[Any, ...]) -> Chunk:
    place, (name, breadcrumb, text_hash), text, definitions, claims, imports, tests = row
    kind, start_byte, end_byte, start_line, end_line = place
    return Chunk(
        kind,
        start_byte,
        end_byte,
        start_line,
        end_line,
        _clean(name),
        _clean(breadcrumb),
        text_hash,
        IndexText(*map(_clean, text)),
        tuple([Definition(_clean(name), *rest) for name, *rest in definitions]),
        tuple([Claim(_clean(key), _clean(value), *rest) for key, value, *rest in claims]),
        tuple(map(_clean, imports)),
        tuple(map(_clean, tests)),
    )
