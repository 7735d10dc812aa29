"""Convert documents to rows: row ids, interned names and targets, the check for clean text, and pruning."""

from __future__ import annotations

import os
from collections.abc import Iterable

import apsw

from helix_core.model import Chunk, Clean, Document, StatSignature
from helix_core.store.sqlite_file import Row, rows_of
from helix_core.store.vector_rows import VectorRows
from helix_core.words import camel_parts

MOST_KEPT = 200_000
_PROFILE = "parser, language, source_kind, volatility, authority, role"
_KNOWN_NAME = "SELECT id FROM name WHERE folded = ?1 AND coalesce(name, folded) = ?2"
_INSERT_NAME = "INSERT INTO name VALUES (?, ?, ?)"
_INSERT_NAME_FTS = "INSERT INTO name_fts(rowid, folded) VALUES (?, ?)"
_DELETE_NAME_FTS = "INSERT INTO name_fts(name_fts, rowid, folded) VALUES ('delete', ?, ?)"
_KNOWN_TARGET = "SELECT id FROM target WHERE target = ?1 COLLATE NOCASE AND target = ?1"
_ADD_KIND = "INSERT INTO kind (kind) VALUES (?) ON CONFLICT DO NOTHING"
_ADD_PROFILE = f"INSERT INTO profile ({_PROFILE}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_KNOWN_PROFILE = f"SELECT id FROM profile WHERE ({_PROFILE}) = (?, ?, ?, ?, ?, ?)"
_UNUSED_NAMES = """
    SELECT id, folded FROM name
    WHERE id NOT IN (SELECT name_id FROM definition)
      AND id NOT IN (SELECT name_id FROM item WHERE name_id IS NOT NULL)
      AND id NOT IN (SELECT stem_id FROM source WHERE stem_id IS NOT NULL)
"""


class Ids:
    """Allocates row ids that were never used before. Call ``load`` after BEGIN and ``save`` before COMMIT: other
    processes write in between.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._source = self._item = self._name = self._target = self._parked = 1
        self._loaded: Row = ()
        self._names: dict[str, int] = {}
        self._targets: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._profiles: dict[tuple[str, ...], int] = {}
        self._version = -1
        self._knows_all = False

    def load(self) -> None:
        """Read the counters that the last transaction, perhaps another process's, stored."""
        self._loaded = rows_of(self._connection, "SELECT source, item, name, target, parked FROM next_id")[0]
        self._source, self._item, self._name, self._target, self._parked = self._loaded
        version = rows_of(self._connection, "PRAGMA data_version")[0][0]
        if version != self._version or len(self._names) + len(self._targets) > MOST_KEPT:
            self.clear_cache()
            self._version = version
            # Ids start at 1: none was allocated yet, so the tables are empty and need no look-up.
            self._knows_all = self._name == self._target == 1

    def save(self) -> None:
        """Store the counters of this transaction."""
        reached = (self._source, self._item, self._name, self._target, self._parked)
        if reached != self._loaded:
            sql = "UPDATE next_id SET source = ?, item = ?, name = ?, target = ?, parked = ?"
            self._connection.execute(sql, reached)

    def clear_cache(self) -> None:
        """Clear the cache of names, targets and kinds: after a rollback, or when rows were deleted."""
        self._knows_all = False
        for known in (self._names, self._targets, self._kinds):
            known.clear()
        self._profiles.clear()

    def next_source(self) -> int:
        """Allocate a source id."""
        self._source += 1
        return self._source - 1

    def next_parked(self) -> int:
        """Allocate the next position in the order of parking."""
        self._parked += 1
        return self._parked - 1

    def next_items(self, count: int) -> int:
        """Allocate ``count`` consecutive item ids and return the first."""
        self._item += count
        return self._item - count

    def name(self, name: str) -> int:
        """Return the id of a name; insert a new name with its trigrams."""
        known = self._names.get(name)
        if known is None:
            folded = name.lower()
            found = [] if self._knows_all else rows_of(self._connection, _KNOWN_NAME, (folded, name))
            known = int(found[0][0]) if found else self._add_name(folded, name)
            self._names[name] = known
        return known

    def kind(self, kind: str) -> int:
        """Return the id of a symbol kind; insert a new one."""
        known = self._kinds.get(kind)
        if known is None:
            self._connection.execute(_ADD_KIND, (kind,))
            known = self._kinds[kind] = rows_of(self._connection, "SELECT id FROM kind WHERE kind = ?", (kind,))[0][0]
        return known

    def profile(self, profile: tuple[str, ...]) -> int:
        """Return the id of the properties that sources share, in the order of the table's columns; insert a new one."""
        known = self._profiles.get(profile)
        if known is None:
            self._connection.execute(_ADD_PROFILE, profile)
            known = self._profiles[profile] = rows_of(self._connection, _KNOWN_PROFILE, profile)[0][0]
        return known

    def target(self, target: str) -> int:
        """Return the id of a link's target; insert a new one."""
        known = self._targets.get(target)
        if known is None:
            found = [] if self._knows_all else rows_of(self._connection, _KNOWN_TARGET, (target,))
            known = int(found[0][0]) if found else self._add_target(target)
            self._targets[target] = known
        return known

    def _add_name(self, folded: str, name: str) -> int:
        self._connection.execute(_INSERT_NAME, (self._name, folded, None if name == folded else name))
        self._connection.execute(_INSERT_NAME_FTS, (self._name, folded))
        self._name += 1
        return self._name - 1

    def _add_target(self, target: str) -> int:
        self._connection.execute("INSERT INTO target VALUES (?, ?)", (self._target, target))
        self._target += 1
        return self._target - 1

    def drop_unused(self) -> None:
        """Delete names that no definition or file has, and targets without a link."""
        unused = rows_of(self._connection, _UNUSED_NAMES)
        self._connection.executemany(_DELETE_NAME_FTS, unused)
        self._connection.executemany("DELETE FROM name WHERE id = ?", [row[:1] for row in unused])
        self._connection.execute("DELETE FROM target WHERE id NOT IN (SELECT target_id FROM link)")
        self.clear_cache()


IMPORTS, TESTS = 1, 2


def check_clean(document: Document) -> None:
    """Raise TypeError when any text of the document is not ``Clean``, so that nothing unmasked is ever stored."""
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
    """Return the path as a searchable field: unchanged, for the tokenizer to split, plus camel-case parts."""
    text = path.decode("utf-8", "replace")
    return " ".join([text, *camel_parts(text)])


def stem_of(path: bytes) -> str:
    """Return the file name without folder and last extension; ``.bashrc`` stays ``.bashrc``."""
    return os.path.splitext(os.path.basename(path))[0].decode("utf-8", "replace")


def file_text(chunks: Iterable[Chunk]) -> tuple[str, str, str, str]:
    """Return the row of a whole file, ``names, doc, body, extra``: each column has every word of that column of the
    chunks once. What stands between blanks is a word here, so that the parts of ``a.b`` stay side by side.

    How often a word is repeated decides no rank, and the postings of repetitions are a third of the table.
    """
    texts = [chunk.text for chunk in chunks]
    return (
        _distinct(text.names for text in texts),
        _distinct(text.doc for text in texts),
        _distinct(text.body for text in texts),
        _distinct(text.extra for text in texts),
    )


def _distinct(texts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(" ".join(texts).split()))


def profile_of(document: Document) -> tuple[str, ...]:
    """Return the columns of ``profile``, in order."""
    kinds = (document.source_kind, document.volatility, document.authority, document.role)
    return (document.parser, document.language, *(kind.value for kind in kinds))


def item_rows(document: Document, source_id: int, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Return the rows of table ``item`` for a document."""
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
            chunk.is_claimed,
        )
        for number, chunk in enumerate(document.chunks, first_item)
    ]


def definition_rows(document: Document, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Return the rows of table ``definition`` for a document."""
    return [
        (
            number,
            ordinal,
            ids.name(found.name),
            ids.kind(found.kind),
            found.start_line,
            found.end_line,
            found.trail if found.trail != chunk.breadcrumb else None,
        )
        for number, chunk in enumerate(document.chunks, first_item)
        for ordinal, found in enumerate(chunk.definitions)
    ]


def claim_rows(document: Document, first_item: int) -> list[tuple[object, ...]]:
    """Return the rows of table ``claim`` for a document."""
    return [
        (number, ordinal, claim.key, leaf_of(claim.key), claim.value, claim.value_type, claim.line)
        for number, chunk in enumerate(document.chunks, first_item)
        for ordinal, claim in enumerate(chunk.claims)
    ]


def leaf_of(key: str) -> str:
    """Return the last part of a dotted key, folded: the prefix that look-ups by key use."""
    return key.rpartition(".")[2].lower()


def link_rows(document: Document, first_item: int, ids: Ids) -> list[tuple[object, ...]]:
    """Return the rows of table ``link``; a target that one chunk names twice is one link."""
    return [
        (number, rel, ids.target(target))
        for number, chunk in enumerate(document.chunks, first_item)
        for rel, targets in ((IMPORTS, chunk.imports), (TESTS, chunk.tests))
        for target in dict.fromkeys(targets)
    ]


def signature_values(signature: StatSignature) -> tuple[int, int, int, int]:
    """Return the four columns of a stat signature, in table order."""
    return (signature.size_bytes, signature.mtime_ns, signature.ctime_ns, signature.inode)


PARKED_SHARE = 0.30
PARKED_MINIMUM_ITEMS = 2_000

_OF_ITEMS = ("chunk_fts", "ref_fts", "item")
_BY_ITEM = ("definition", "claim", "link")


def parked_to_prune(connection: apsw.Connection) -> list[int]:
    """Return the source ids of the parked versions to delete, the one parked longest first.

    A version weighs its items plus one, so that versions without items are bounded too.
    """
    live, parked = rows_of(
        connection,
        "SELECT coalesce(sum(item_count + 1) FILTER (WHERE live = 1), 0),"
        " coalesce(sum(item_count + 1) FILTER (WHERE live = 0), 0) FROM source",
    )[0]
    allowed = max(PARKED_MINIMUM_ITEMS, int(live * PARKED_SHARE))
    doomed: list[int] = []
    if parked <= allowed:
        return doomed
    oldest_first = "SELECT id, item_count + 1 FROM source WHERE live = 0 ORDER BY parked_order"
    for version, items in rows_of(connection, oldest_first):
        if parked <= allowed:
            break
        doomed.append(version)
        parked -= items
    return doomed


def delete_version(connection: apsw.Connection, version: int, vectors: VectorRows) -> None:
    """Delete a source row with its secrets, items, postings, definitions, claims, links, and its texts' vectors."""
    found = rows_of(connection, "SELECT first_item, item_count FROM source WHERE id = ?", (version,))
    for first, count in found:
        ids = [(item,) for item in range(first, first + count)]
        for table in _OF_ITEMS:
            connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", ids)
        for table in _BY_ITEM:
            bounds = (first, first + count)
            connection.execute(f"DELETE FROM {table} WHERE item_id >= ? AND item_id < ?", bounds)
        vectors.delete_of(version)
        connection.execute("DELETE FROM file_fts WHERE rowid = ?", (version,))
        connection.execute("DELETE FROM secret WHERE source_id = ?", (version,))
        connection.execute("DELETE FROM source WHERE id = ?", (version,))
