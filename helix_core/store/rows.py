"""A ``Document`` as rows, and the door check: only clean text gets in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from helix_core.model import Chunk, Clean, Document, StatSignature
from helix_core.store.ids import Ids
from helix_core.words import camel_parts

IMPORTS, TESTS = 1, 2


def check_clean(document: Document) -> None:
    """Raises TypeError when any text of the document is not ``Clean``, so that nothing unmasked is ever stored."""
    for chunk in document.chunks:
        text = chunk.text
        fields = [chunk.name, chunk.breadcrumb, text.names, text.doc, text.body, text.extra, text.refs]
        fields += [definition.name for definition in chunk.definitions]
        for claim in chunk.claims:
            fields += [claim.key, claim.value]
        fields += chunk.imports
        fields += chunk.tests
        for value in fields:
            if not isinstance(value, Clean):
                raise TypeError(f"The store takes only Clean text, not {type(value).__name__}, from {document.path!r}.")


def path_words(path: bytes) -> str:
    """The path as a searchable field: as it is, for the tokenizer to split, and the parts of its camel-case names."""
    text = path.decode("utf-8", "replace")
    return " ".join([text, *camel_parts(text)])


def stem_of(path: bytes) -> str:
    """The file's name without folder and last extension; ``.bashrc`` stays ``.bashrc``."""
    return os.path.splitext(os.path.basename(path))[0].decode("utf-8", "replace")


def file_text(chunks: Iterable[Chunk]) -> tuple[str, str, str, str]:
    """The file's own row, ``names, doc, body, extra``: each column the chunks' columns one after another."""
    texts = [chunk.text for chunk in chunks]
    return (
        "\n".join([text.names for text in texts if text.names]),
        "\n".join([text.doc for text in texts if text.doc]),
        "\n".join([text.body for text in texts if text.body]),
        "\n".join([text.extra for text in texts if text.extra]),
    )


def profile_of(document: Document) -> tuple[str, ...]:
    """The columns of ``profile``, in order."""
    kinds = (document.source_kind, document.volatility, document.authority, document.role)
    return (document.parser, document.language, *(kind.value for kind in kinds))


def item_rows(document: Document, source_id: int, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Rows of ``item``."""
    return [
        (
            number,
            source_id,
            ids.kind(chunk.kind),
            ids.name(chunk.name) if chunk.name else None,
            chunk.breadcrumb,
            chunk.start_byte,
            chunk.end_byte,
            chunk.start_line,
            chunk.end_line,
            bytes.fromhex(chunk.text_hash),
        )
        for number, chunk in enumerate(document.chunks, first_item)
    ]


def definition_rows(document: Document, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Rows of ``definition``."""
    return [
        (number, ordinal, ids.name(found.name), ids.kind(found.kind), found.start_line, found.end_line)
        for number, chunk in enumerate(document.chunks, first_item)
        for ordinal, found in enumerate(chunk.definitions)
    ]


def claim_rows(document: Document, first_item: int) -> list[tuple[object, ...]]:
    """Rows of ``claim``."""
    return [
        (number, ordinal, claim.key, leaf_of(claim.key), claim.value, claim.value_type, claim.line)
        for number, chunk in enumerate(document.chunks, first_item)
        for ordinal, claim in enumerate(chunk.claims)
    ]


def leaf_of(key: str) -> str:
    """The last part of a dotted key, folded: where look-ups by key start."""
    return key.rpartition(".")[2].lower()


def link_rows(document: Document, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Rows of ``link``; a target named twice by one chunk is one link."""
    return [
        (number, rel, ids.target(target))
        for number, chunk in enumerate(document.chunks, first_item)
        for rel, targets in ((IMPORTS, chunk.imports), (TESTS, chunk.tests))
        for target in dict.fromkeys(targets)
    ]


def signature_values(signature: StatSignature) -> tuple[int, int, int, int]:
    """The four columns of a stat signature, in table order."""
    return (signature.size_bytes, signature.mtime_ns, signature.ctime_ns, signature.inode)
