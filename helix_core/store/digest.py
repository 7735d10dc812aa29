"""One hash over everything the index says of the live files, so that two ways of getting there can be compared.

Row ids, times, stat signatures, parked versions and commit facts are left out: they depend on history, not on content.
The postings are left out too: they follow from the masked text, which each item's text hash stands for; so are
vectors, which follow from the texts embedded, whose hashes are in.
"""

from __future__ import annotations

import hashlib

import apsw

_SOURCES = """
    SELECT s.id, path, content_hash, parser, language, source_kind, volatility, authority, role,
           line_count, has_errors, masked_count, skipped, first_item, item_count
    FROM source s JOIN profile p ON p.id = s.profile_id WHERE live = 1 ORDER BY path
"""
_ITEMS = """
    SELECT i.id - ?1, kind, coalesce(name, folded), breadcrumb, start_byte, end_byte, start_line, end_line, text_hash
    FROM item i JOIN kind ON kind.id = i.kind_id LEFT JOIN name ON name.id = i.name_id
    WHERE i.id >= ?1 AND i.id < ?1 + ?2 ORDER BY i.id
"""
_DEFINITIONS = """
    SELECT d.item_id - ?1, d.ordinal, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line
    FROM definition d JOIN name n ON n.id = d.name_id JOIN kind k ON k.id = d.kind_id
    WHERE d.item_id >= ?1 AND d.item_id < ?1 + ?2 ORDER BY 1, 2
"""
_CLAIMS = """
    SELECT item_id - ?1, ordinal, key, value, value_type, line
    FROM claim WHERE item_id >= ?1 AND item_id < ?1 + ?2 ORDER BY 1, 2
"""
_LINKS = """
    SELECT item_id - ?1, rel, target FROM link JOIN target ON target.id = target_id
    WHERE item_id >= ?1 AND item_id < ?1 + ?2 ORDER BY 1, 2, 3
"""
_TEXTS = """
    SELECT t.item_id - ?1, e.level, e.hash FROM stands_in t JOIN embedded e ON e.id = t.text_id
    WHERE t.source_id = ?2 ORDER BY 1, 2, 3
"""


def digest_of(connection: apsw.Connection) -> str:
    """SHA-256 (hex) of the live logical content."""
    total = hashlib.sha256()
    for row in connection.execute(_SOURCES):
        *facts, first, count = row[1:]
        total.update(repr(facts).encode())
        for sql in (_ITEMS, _DEFINITIONS, _CLAIMS, _LINKS):
            total.update(repr(connection.execute(sql, (first, count)).fetchall()).encode())
        total.update(repr(connection.execute(_TEXTS, (first, row[0])).fetchall()).encode())
    return total.hexdigest()
