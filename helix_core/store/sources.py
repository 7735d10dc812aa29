"""Queries about files: their state, items, claims and related files, and the digest of the index."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import apsw

from helix_core.model import (
    Authority,
    Item,
    LastCommit,
    Role,
    SecretSpan,
    SetAside,
    Skipped,
    Source,
    SourceKind,
    SourceState,
    StatSignature,
    Volatility,
)
from helix_core.store.hits import ClaimHit, Counts, Pending, SourceTotals
from helix_core.store.rows import IMPORTS, leaf_of
from helix_core.store.sqlite_file import IN_SCOPE, QuerySession, Row, id_list, text_list
from helix_core.tuples import NamedTuple

_SOURCE_COLUMNS = """
    s.id, s.path, s.content_hash, s.size_bytes, s.mtime_ns, s.ctime_ns, s.inode, s.observed_ns, s.verified_ns,
    p.language, p.source_kind, p.volatility, p.authority, p.role, s.line_count,
    iif(s.skipped = '', s.masked_count, -1), p.parser
"""
_SOURCE_WIDTH = 17
_SOURCES_KEPT = 4_096
_ITEM_COLUMNS = """
    i.id, k.kind, coalesce(n.name, n.folded, ''), i.breadcrumb,
    i.start_byte, i.end_byte, i.start_line, i.end_line, i.text_hash, i.claimed
"""
_STATES = """
    SELECT path, content_hash, size_bytes, mtime_ns, ctime_ns, inode, verified_ns, parser, skipped
    FROM source s JOIN profile p ON p.id = s.profile_id WHERE live = 1
"""
_PROFILE = "JOIN profile p ON p.id = s.profile_id"
_ITEM_WORDS = f"{_PROFILE} JOIN kind k ON k.id = i.kind_id LEFT JOIN name n ON n.id = i.name_id"
_ITEMS = f"""
    SELECT {_SOURCE_COLUMNS}, {_ITEM_COLUMNS}
    FROM json_each(?) wanted JOIN item i ON i.id = wanted.value JOIN source s ON s.id = i.source_id
    {_ITEM_WORDS} WHERE s.live = 1
"""
_ITEMS_OF = f"""
    SELECT {_SOURCE_COLUMNS}, {_ITEM_COLUMNS}
    FROM source s JOIN item i ON i.id >= s.first_item AND i.id < s.first_item + s.item_count
    {_ITEM_WORDS} WHERE s.id = ? AND s.live = 1 ORDER BY i.id
"""
_ITEMS_WITH_TEXT = f"""
    SELECT {_SOURCE_COLUMNS}, {_ITEM_COLUMNS}
    FROM item i JOIN source s ON s.id = i.source_id {_ITEM_WORDS} WHERE i.text_hash = ? AND s.live = 1
    ORDER BY s.path, i.start_line
"""
_SET_ASIDE = """
    SELECT s.path, coalesce(a.reason, 'crashed'), coalesce(a.attempts, 0), coalesce(a.tried_at, 0.0),
           coalesce(a.limits, '')
    FROM source s LEFT JOIN set_aside a ON a.path = s.path AND a.content_hash = s.content_hash
    WHERE s.live = 1 AND s.skipped = 'quarantined' ORDER BY s.path
"""
_PROFILES = f"""
    SELECT s.id, s.path, p.language, p.source_kind, p.role FROM source s {_PROFILE}
    WHERE s.live = 1 AND s.skipped = '' ORDER BY s.id
"""
_COUNTS = """
    SELECT live, skipped <> '', count(*), sum(item_count) FROM source GROUP BY 1, 2
"""
_FIRST_ITEM = "SELECT first_item FROM source WHERE path = ? AND live = 1 AND item_count > 0"
_LIVE_PATHS = "SELECT path FROM source WHERE live = 1 AND item_count > 0 ORDER BY path"


class SourceProfile(NamedTuple):
    """What filters go by of a file; a large index has many thousands."""

    id: int
    path: bytes
    language: str
    source_kind: SourceKind
    role: Role


class SourceQueries:
    """Files, items, commits. Live versions only, unless a count includes others."""

    def __init__(self, session: QuerySession, source_id_of: Callable[[bytes], str]) -> None:
        self._session = session
        self._source_id_of = source_id_of
        self._known_version = -1
        self._by_id: dict[int, Source | None] = {}
        self._by_path: dict[bytes, Source | None] = {}

    def states(self) -> dict[bytes, SourceState]:
        """Return the state of every live path, skipped ones included, for comparison with a stat walk."""
        return {row[0]: _state(row) for row in self._session.rows(_STATES)}

    def state(self, path: bytes) -> SourceState | None:
        """Return the state of one live path."""
        rows = self._session.rows(f"{_STATES} AND path = ?", (path,))
        return _state(rows[0]) if rows else None

    def states_at(self, paths: Iterable[bytes]) -> dict[bytes, SourceState]:
        """Return the states of some live paths; for a folder, of everything below it."""
        sql = f"{_STATES} AND (path = ?1 OR path > ?2 AND path < ?3)"
        bounds = [(path, path + b"/", path + b"0") for path in paths]
        return {row[0]: _state(row) for bound in bounds for row in self._session.rows(sql, bound)}

    def live_paths(self) -> list[bytes]:
        """Return the path of every live source that has text, in path order."""
        return [row[0] for row in self._session.rows(_LIVE_PATHS)]

    def first_items(self, paths: Iterable[bytes]) -> list[int]:
        """Return the id of the first item of each live source at ``paths``."""
        known = (self._session.rows(_FIRST_ITEM, (path,)) for path in paths)
        return [row[0] for rows in known for row in rows]

    def source(self, path: bytes) -> Source | None:
        """Return the live version of a path, unless it is skipped."""
        sql = f"SELECT {_SOURCE_COLUMNS} FROM source s {_PROFILE} WHERE s.path = ? AND s.live = 1 AND s.skipped = ''"
        self._follow()
        if path not in self._by_path:
            rows = self._session.rows(sql, (path,))
            self._by_path[path] = self._source(rows[0]) if rows else None
        return self._by_path[path]

    def _follow(self) -> None:
        """Forget the sources that are known where the index was written: each question asks for a hundred, most of
        which the questions before it asked for.
        """
        version = self._session.version()
        if version != self._known_version or len(self._by_id) + len(self._by_path) > _SOURCES_KEPT:
            self._known_version = version
            self._by_id.clear()
            self._by_path.clear()

    def secrets(self, source_id: int) -> list[SecretSpan]:
        """Return the spans of a source's secrets, in order; none where an index of before did not keep them."""
        sql = "SELECT kind, start_byte, end_byte FROM secret WHERE source_id = ? ORDER BY start_byte"
        return [SecretSpan(*row) for row in self._session.rows(sql, (source_id,))]

    def sources_by_id(self, ids: Iterable[int]) -> dict[int, Source]:
        """Return live sources by row id; ids that are not live are missing."""
        sql = f"""
            SELECT {_SOURCE_COLUMNS} FROM json_each(?) wanted JOIN source s ON s.id = wanted.value {_PROFILE}
            WHERE s.live = 1
        """
        self._follow()
        known = self._by_id
        wanted = dict.fromkeys(ids)
        missing = [id_ for id_ in wanted if id_ not in known]
        if missing:
            found = {row[0]: self._source(row) for row in self._session.rows(sql, (id_list(missing),))}
            known.update((id_, found.get(id_)) for id_ in missing)
        return {id_: source for id_ in wanted if (source := known[id_]) is not None}

    def items(self, ids: Sequence[int]) -> dict[int, Item]:
        """Return live items by id; ids that are not live are missing."""
        if not ids:
            return {}
        return {item.id: item for item in self._items(self._session.rows(_ITEMS, (id_list(ids),)))}

    def items_of(self, source_id: int) -> list[Item]:
        """Return the items of a live source row, in file order."""
        return self._items(self._session.rows(_ITEMS_OF, (source_id,)))

    def items_with_text(self, text_hash: bytes) -> list[Item]:
        """Return the live items whose text has this hash (8 bytes), in path order; a scan of all items."""
        return self._items(self._session.rows(_ITEMS_WITH_TEXT, (text_hash,)))

    def commit(self, path: bytes) -> LastCommit | None:
        """Return the last known commit that touched a path."""
        return self.commits([path]).get(path)

    def commits(self, paths: Iterable[bytes]) -> dict[bytes, LastCommit]:
        """Return the last commits of some paths; unknown ones are missing."""
        sql = "SELECT commit_id, author, committed_at FROM last_commit WHERE path = ?"
        found: dict[bytes, LastCommit] = {}
        for path in paths:
            for row in self._session.rows(sql, (path,)):
                found[path] = _last_commit(row)
        return found

    def skipped(self) -> list[Skipped]:
        """Return the files that are skipped, with the reason, in byte order of path."""
        rows = self._session.rows("SELECT path, skipped FROM source WHERE live = 1 AND skipped <> '' ORDER BY path")
        return [Skipped(*row) for row in rows]

    def set_aside(self) -> list[SetAside]:
        """Return the live files quarantined because they crashed their parser, in byte order of path."""
        return [SetAside(*row) for row in self._session.rows(_SET_ASIDE)]

    def unreadable(self) -> list[bytes]:
        """Return the files that could not be read, in byte order of path."""
        sql = "SELECT path FROM source WHERE live = 1 AND skipped = 'unreadable' ORDER BY path"
        return [row[0] for row in self._session.rows(sql)]

    def pending(self) -> Pending:
        """Return the files that a refresh has listed on disk and that are not indexed yet."""
        rows = self._session.rows("SELECT path, is_new FROM pending ORDER BY path")
        told = self._session.rows("SELECT count(*) FROM meta WHERE key IN ('listed', 'complete')")[0][0]
        return Pending(tuple(row[0] for row in rows if row[1]), sum(not row[1] for row in rows), bool(told))

    def profiles(self) -> list[SourceProfile]:
        """Return what filters go by of every searchable file, in row order."""
        return [
            SourceProfile(row[0], row[1], row[2], SourceKind(row[3]), Role(row[4]))
            for row in self._session.rows(_PROFILES)
        ]

    def languages(self) -> dict[str, int]:
        """Count the searchable files of each language, most first."""
        sql = f"SELECT p.language, count(*) FROM source s {_PROFILE} WHERE s.live = 1 AND s.skipped = '' GROUP BY 1"
        rows = self._session.rows(f"{sql} ORDER BY 2 DESC, 1")
        return {row[0]: row[1] for row in rows}

    def counts(self) -> Counts:
        """Count sources and items: searchable, skipped and parked."""
        totals = {(row[0], row[1]): SourceTotals(row[2], row[3]) for row in self._session.rows(_COUNTS)}
        none = SourceTotals(0, 0)
        parked = [totals.get((0, skipped), none) for skipped in (0, 1)]
        return Counts(
            live=totals.get((1, 0), none),
            skipped=totals.get((1, 1), none).sources,
            parked=SourceTotals(sum(part.sources for part in parked), sum(part.items for part in parked)),
        )

    def _items(self, rows: Iterable[Row]) -> list[Item]:
        sources: dict[int, Source] = {}
        items = []
        for row in rows:
            source = sources.get(row[0])
            if source is None:
                source = sources[row[0]] = self._source(row)
            item_id, kind, name, breadcrumb, *span, text_hash, claimed = row[_SOURCE_WIDTH:]
            start_byte, end_byte, start_line, end_line = span
            lines = (start_byte, end_byte, start_line, end_line)
            items.append(Item(item_id, source, kind, name, breadcrumb, *lines, text_hash.hex(), bool(claimed)))
        return items

    def _source(self, row: Row) -> Source:
        return _source(row[:_SOURCE_WIDTH], self._source_id_of)


# Every question reads a hundred rows, and most of them again for the next one.
@lru_cache(_SOURCES_KEPT)
def _source(row: Row, source_id_of: Callable[[bytes], str]) -> Source:
    row_id, path, content_hash = row[:3]
    observed_ns, verified_ns, language, source_kind, volatility, authority, role, *counted = row[7:]
    return Source(
        id=row_id,
        path=path,
        source_id=source_id_of(path),
        content_hash=content_hash.hex(),
        signature=StatSignature(*row[3:7]),
        observed_at=observed_ns / 1e9,
        verified_at=verified_ns / 1e9,
        language=language,
        source_kind=SourceKind(source_kind),
        volatility=Volatility(volatility),
        authority=Authority(authority),
        role=Role(role),
        line_count=counted[0],
        masked_count=counted[1],
        parser=counted[2],
    )


def _last_commit(row: Row) -> LastCommit:
    return LastCommit(row[0].hex(), *row[1:])


def _state(row: Row) -> SourceState:
    return SourceState(row[0], row[1].hex(), StatSignature(*row[2:6]), *row[6:])


_SOURCES = """
    SELECT s.id, path, content_hash, parser, language, source_kind, volatility, authority, role,
           line_count, has_errors, masked_count, skipped, first_item, item_count
    FROM source s JOIN profile p ON p.id = s.profile_id WHERE live = 1 ORDER BY path
"""
_DIGEST_ITEMS = """
    SELECT i.id - ?1, kind, coalesce(name, folded), breadcrumb, start_byte, end_byte, start_line, end_line, text_hash,
           claimed
    FROM item i JOIN kind ON kind.id = i.kind_id LEFT JOIN name ON name.id = i.name_id
    WHERE i.id >= ?1 AND i.id < ?1 + ?2 ORDER BY i.id
"""
_DEFINITIONS = """
    SELECT d.item_id - ?1, d.ordinal, coalesce(n.name, n.folded), k.kind, d.start_line, d.end_line,
           d.trail
    FROM definition d JOIN name n ON n.id = d.name_id JOIN kind k ON k.id = d.kind_id
    WHERE d.item_id >= ?1 AND d.item_id < ?1 + ?2 ORDER BY 1, 2
"""
_CLAIMS = """
    SELECT item_id - ?1, ordinal, key, value, value_type, line
    FROM claim WHERE item_id >= ?1 AND item_id < ?1 + ?2 ORDER BY 1, 2
"""
_SECRETS = "SELECT start_byte, end_byte, kind FROM secret WHERE source_id = ? ORDER BY start_byte"
_LINKS = """
    SELECT item_id - ?1, rel, target FROM link JOIN target ON target.id = target_id
    WHERE item_id >= ?1 AND item_id < ?1 + ?2 ORDER BY 1, 2, 3
"""
_TEXTS = """
    SELECT t.item_id - ?1, e.level, e.hash FROM stands_in t JOIN embedded e ON e.id = t.text_id
    WHERE t.source_id = ?2 ORDER BY 1, 2, 3
"""


def digest_of(connection: apsw.Connection) -> str:
    """Return the SHA-256 (hex) of the live logical content."""
    total = hashlib.sha256()
    for row in connection.execute(_SOURCES):
        *facts, first, count = row[1:]
        total.update(repr(facts).encode())
        for sql in (_DIGEST_ITEMS, _DEFINITIONS, _CLAIMS, _LINKS):
            total.update(repr(connection.execute(sql, (first, count)).fetchall()).encode())
        total.update(repr(connection.execute(_SECRETS, (row[0],)).fetchall()).encode())
        total.update(repr(connection.execute(_TEXTS, (first, row[0])).fetchall()).encode())
    return total.hexdigest()


_COLUMNS = "c.item_id, i.source_id, c.key, c.value, c.value_type, c.line"
_BY_LEAF = f"""
    SELECT {_COLUMNS} FROM claim c JOIN item i ON i.id = c.item_id JOIN source s ON s.id = i.source_id
    WHERE c.leaf = ?1 AND {IN_SCOPE}
      AND (lower(c.key) = ?2 OR (?3 AND lower(substr(c.key, -length(?2) - 1)) = '.' || ?2))
    ORDER BY s.path, c.item_id, c.ordinal LIMIT ?4
"""
_BY_ITEM = f"""
    SELECT {_COLUMNS} FROM json_each(?) wanted JOIN claim c ON c.item_id = wanted.value
    JOIN item i ON i.id = c.item_id JOIN source s ON s.id = i.source_id
    WHERE s.live = 1 ORDER BY c.item_id, c.ordinal
"""


class ClaimQueries:
    """Claims by key or by item."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session

    def matching(self, keys: Iterable[str], limit: int = 100) -> list[ClaimHit]:
        """Return claims whose key is one of ``keys`` or ends with it after a dot (``port`` finds ``server.port``).

        Case is folded. At most ``limit`` for each key, in path order.
        """
        return [hit for key in dict.fromkeys(map(str.lower, keys)) for hit in self._by_key(key, True, limit)]

    def with_same_key(self, keys: Iterable[str], limit: int = 100) -> dict[str, list[ClaimHit]]:
        """Return, for each key, the claims whose whole key is equal, case folded: candidates for a contradiction."""
        return {key: self._by_key(key.lower(), False, limit) for key in dict.fromkeys(keys)}

    def of_items(self, item_ids: Iterable[int]) -> dict[int, list[ClaimHit]]:
        """Return the claims of each item, in order of appearance; items without claims are missing."""
        found: dict[int, list[ClaimHit]] = {}
        for row in self._session.rows(_BY_ITEM, (id_list(item_ids),)):
            found.setdefault(row[0], []).append(ClaimHit(*row))
        return found

    def _by_key(self, key: str, or_ending: bool, limit: int) -> list[ClaimHit]:
        return [ClaimHit(*row) for row in self._session.rows(_BY_LEAF, (leaf_of(key), key, or_ending, limit))]


_IMPORTED = f"""
    SELECT s.id, s.path FROM json_each(?1) wanted JOIN name n ON n.folded = wanted.value
    JOIN source s ON s.stem_id = n.id WHERE {IN_SCOPE} AND s.item_count > 0 LIMIT ?2
"""
_IMPORTERS = f"""
    SELECT t.target, s.id, s.path FROM json_each(?1) wanted JOIN target t ON t.target = wanted.value COLLATE NOCASE
    JOIN link l ON l.target_id = t.id AND l.rel = {IMPORTS}
    JOIN item i ON i.id = l.item_id JOIN source s ON s.id = i.source_id
    WHERE {IN_SCOPE} LIMIT ?2
"""
_CO_CHANGED = f"""
    SELECT s.id, s.path, c.together, c.lift FROM json_each(?1) wanted JOIN source own ON own.id = wanted.value
    JOIN co_change c ON c.path = own.path JOIN source s ON s.path = c.other AND {IN_SCOPE}
    WHERE s.item_count > 0 ORDER BY wanted.key, c.place
"""
_FIRST_ITEMS = "SELECT s.id, s.first_item FROM json_each(?1) wanted JOIN source s ON s.id = wanted.value"


class CoChanged(NamedTuple):
    """A live file that changed with another one in ``together`` commits, ``lift`` times as often as by chance."""

    source_id: int
    path: bytes
    together: int
    lift: float


class RelatedQueries:
    """Related files of live sources: by name, by import and by common commits in git."""

    def __init__(self, session: QuerySession) -> None:
        self._session = session

    def sources_of_stems(self, stems: Iterable[str], limit: int) -> list[tuple[int, bytes]]:
        """Return ``(source id, path)`` of files with these stems, case folded, in any folder and with any extension."""
        rows = self._session.rows(_IMPORTED, (text_list(sorted({stem.lower() for stem in stems})), limit))
        return [(row[0], row[1]) for row in rows]

    def importers_of(self, targets: Iterable[str], limit: int) -> list[tuple[str, int, bytes]]:
        """Return ``(target as written, source id, path)`` of files that import one of ``targets``, case folded."""
        rows = self._session.rows(_IMPORTERS, (text_list(targets), limit))
        return [(row[0], row[1], row[2]) for row in rows]

    def co_changed(self, source_ids: Sequence[int]) -> list[CoChanged]:
        """Return live files that changed in git with any of the sources, grouped by source, highest lift first."""
        return [CoChanged(*row) for row in self._session.rows(_CO_CHANGED, (id_list(source_ids),))]

    def first_items(self, source_ids: Iterable[int]) -> dict[int, int]:
        """Return the id of the first item of each source."""
        return {row[0]: row[1] for row in self._session.rows(_FIRST_ITEMS, (id_list(source_ids),))}


def replace_co_changes(connection: apsw.Connection, rows: Iterable[tuple[bytes, bytes, int, float]]) -> None:
    """Replace all rows of ``(path, other, together, lift)``, highest lift first within a path. Call it inside the
    writer's transaction.
    """
    connection.execute("DELETE FROM co_change")
    places: dict[bytes, int] = {}
    values = []
    for path, other, together, lift in rows:
        places[path] = places.get(path, -1) + 1
        values.append((path, places[path], other, together, lift))
    connection.executemany("INSERT INTO co_change VALUES (?, ?, ?, ?, ?)", values)
