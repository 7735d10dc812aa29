"""Documents made by hand, so that the store can be tested without a parser."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from helix_core.model import (
    Authority,
    Chunk,
    Claim,
    Clean,
    Definition,
    Document,
    IndexText,
    Role,
    SourceKind,
    StatSignature,
    Volatility,
)
from helix_core.words import IDENTIFIER, camel_parts, spread

PARSER = "lines/1"
LINES_PER_CHUNK = 25
_DEFINED = re.compile(r"^\s*(?:async def|def|class)\s+(\w+)")
_IMPORTED = re.compile(r"^(?:import|from)\s+([\w.]+)")
_ASSIGNED = re.compile(r"^([A-Za-z_][\w.]*) *[=:] *(\d+|\"[^\"]*\")$")


def signature(number: int = 1, size_bytes: int = 0) -> StatSignature:
    """A stat signature that differs from every other ``number``'s."""
    return StatSignature(size_bytes, 1_700_000_000_000_000_000 + number, 1_700_000_000_000_000_000 + number, number)


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def document(
    path: bytes,
    data: bytes,
    *,
    parser: str = PARSER,
    role: Role = Role.IMPLEMENTATION,
    skipped: str = "",
    lines_per_chunk: int = LINES_PER_CHUNK,
) -> Document:
    """A file cut into blocks of lines; definitions, imports and claims are found by simple patterns."""
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    blocks = range(0, 0 if skipped else len(lines), lines_per_chunk)
    return Document(
        path=path,
        content_hash=content_hash(data),
        size_bytes=len(data),
        line_count=len(lines),
        language="python" if path.endswith(b".py") else "text",
        parser=parser,
        source_kind=SourceKind.CODE if path.endswith(b".py") else SourceKind.DOC,
        volatility=Volatility.STABLE,
        authority=Authority.PRIMARY,
        role=role,
        chunks=tuple(_chunk(lines, start, lines_per_chunk) for start in blocks),
        skipped=skipped,
    )


def _chunk(lines: Sequence[str], start: int, count: int) -> Chunk:
    own = lines[start : start + count]
    text = "".join(own)
    start_byte = sum(len(line.encode()) for line in lines[:start])
    definitions = [
        Definition(Clean(found[1]), "function", number, number, Clean(""))
        for number, line in enumerate(own, start + 1)
        if (found := _DEFINED.match(line))
    ]
    names = [definition.name for definition in definitions]
    code = [line for line in own if not line.lstrip().startswith("#")]
    doc = [line for line in own if line.lstrip().startswith("#")]
    body = "".join(code)
    return Chunk(
        kind="block",
        start_byte=start_byte,
        end_byte=start_byte + len(text.encode()),
        start_line=start + 1,
        end_line=start + len(own),
        name=names[0] if names else Clean(""),
        breadcrumb=Clean(""),
        text_hash=content_hash(text.encode())[:16],
        text=IndexText(
            names=Clean(spread(names)),
            doc=Clean("".join(doc)),
            body=Clean(body),
            extra=Clean(" ".join(camel_parts(body))),
            refs=Clean(" ".join(dict.fromkeys(IDENTIFIER.findall(body)))),
        ),
        definitions=tuple(definitions),
        claims=tuple(
            Claim(Clean(found[1]), Clean(found[2].strip('"')), "int" if found[2].isdigit() else "string", number)
            for number, line in enumerate(own, start + 1)
            if (found := _ASSIGNED.match(line.rstrip()))
        ),
        imports=tuple(Clean(found[1]) for line in own if (found := _IMPORTED.match(line))),
        tests=tuple(Clean(name.removeprefix("test_")) for name in names if name.startswith("test_")),
    )
