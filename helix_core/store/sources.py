"""Questions about files and their items: what is known, in which state, what is in it, who committed it last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from helix_core.model import (
    Authority,
    Item,
    LastCommit,
    Role,
    SetAside,
    Skipped,
    Source,
    SourceKind,
    SourceState,
    StatSignature,
    Volatility,
)
from helix_core.store.hits import Counts, Pending, SourceTotals
from helix_core.store.session import Row, Session, id_list

_SOURCE_COLUMNS = """
    s.id, s.path, s.content_hash, s.size_bytes, s.mtime_ns, s.ctime_ns, s.inode, s.observed_ns, s.verified_ns,
    p.language, p.source_kind, p.volatility, p.authority, p.role, s.line_count,
    iif(s.skipped = '', s.masked_count, -1), p.parser
"""
_SOURCE_WIDTH = 17
_ITEM_COLUMNS = """
    i.id, k.kind, coalesce(n.name, n.folded, ''), i.breadcrumb,
    i.start_byte, i.end_byte, i.start_line, i.end_line, i.text_hash
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
_COUNTS = """
    SELECT live, skipped <> '', count(*), sum(item_count) FROM source GROUP BY 1, 2
"""


class SourceQueries(Session):
    """Files, items, commits. Live versions only, unless a count says otherwise."""

    _source_id_of: Callable[[bytes], str]

    def sources(self) -> dict[bytes, SourceState]:
        """The state of every live path, skipped ones included; what a stat walk is compared with."""
        return {row[0]: _state(row) for row in self._rows(_STATES)}

    def state(self, path: bytes) -> SourceState | None:
        """The state of one live path."""
        rows = self._rows(f"{_STATES} AND path = ?", (path,))
        return _state(rows[0]) if rows else None

    def states_at(self, paths: Iterable[bytes]) -> dict[bytes, SourceState]:
        """The states of some live paths, and of all that lie below one that is a folder."""
        sql = f"{_STATES} AND (path = ?1 OR path > ?2 AND path < ?3)"
        bounds = [(path, path + b"/", path + b"0") for path in paths]
        return {row[0]: _state(row) for bound in bounds for row in self._rows(sql, bound)}

    def source(self, path: bytes) -> Source | None:
        """The live version of a path, unless it is skipped."""
        sql = f"SELECT {_SOURCE_COLUMNS} FROM source s {_PROFILE} WHERE s.path = ? AND s.live = 1 AND s.skipped = ''"
        rows = self._rows(sql, (path,))
        return self._source(rows[0]) if rows else None

    def sources_by_id(self, ids: Iterable[int]) -> dict[int, Source]:
        """Live sources by row id; ids that are not live are missing."""
        sql = f"""
            SELECT {_SOURCE_COLUMNS} FROM json_each(?) wanted JOIN source s ON s.id = wanted.value {_PROFILE}
            WHERE s.live = 1
        """
        return {row[0]: self._source(row) for row in self._rows(sql, (id_list(ids),))}

    def items(self, ids: Sequence[int]) -> dict[int, Item]:
        """Live items by id; ids that are not live are missing."""
        return {item.id: item for item in self._items(self._rows(_ITEMS, (id_list(ids),)))}

    def items_of(self, source_id: int) -> list[Item]:
        """The items of a live source row, in file order."""
        return self._items(self._rows(_ITEMS_OF, (source_id,)))

    def items_with_text(self, text_hash: bytes) -> list[Item]:
        """The live items whose text has this hash (8 bytes), in path order; looks through all items."""
        return self._items(self._rows(_ITEMS_WITH_TEXT, (text_hash,)))

    def commit(self, path: bytes) -> LastCommit | None:
        """The last commit that touched a path, as far as git told."""
        return self.commits([path]).get(path)

    def commits(self, paths: Iterable[bytes]) -> dict[bytes, LastCommit]:
        """The last commits of some paths; unknown ones are missing."""
        sql = "SELECT commit_id, author, committed_at FROM last_commit WHERE path = ?"
        found: dict[bytes, LastCommit] = {}
        for path in paths:
            for row in self._rows(sql, (path,)):
                found[path] = _last_commit(row)
        return found

    def skipped(self) -> list[Skipped]:
        """Files that were seen and do not count, in byte order of path."""
        rows = self._rows("SELECT path, skipped FROM source WHERE live = 1 AND skipped <> '' ORDER BY path")
        return [Skipped(*row) for row in rows]

    def set_aside(self) -> list[SetAside]:
        """Live files that broke their parser, in byte order of path."""
        return [SetAside(*row) for row in self._rows(_SET_ASIDE)]

    def pending(self) -> Pending:
        """The files that a refresh has seen on the disk and that are not in yet."""
        rows = self._rows("SELECT path, is_new FROM pending ORDER BY path")
        told = self._rows("SELECT count(*) FROM meta WHERE key IN ('listed', 'complete')")[0][0]
        return Pending(tuple(row[0] for row in rows if row[1]), sum(not row[1] for row in rows), bool(told))

    def languages(self) -> dict[str, int]:
        """How many searchable files there are of each language, most first."""
        sql = f"SELECT p.language, count(*) FROM source s {_PROFILE} WHERE s.live = 1 AND s.skipped = '' GROUP BY 1"
        rows = self._rows(f"{sql} ORDER BY 2 DESC, 1")
        return {row[0]: row[1] for row in rows}

    def counts(self) -> Counts:
        """How many sources and items there are, searchable, skipped and parked."""
        totals = {(row[0], row[1]): SourceTotals(row[2], row[3]) for row in self._rows(_COUNTS)}
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
            item_id, kind, name, breadcrumb, *span, text_hash = row[_SOURCE_WIDTH:]
            start_byte, end_byte, start_line, end_line = span
            items.append(
                Item(
                    item_id, source, kind, name, breadcrumb, start_byte, end_byte, start_line, end_line, text_hash.hex()
                )
            )
        return items

    def _source(self, row: Row) -> Source:
        row_id, path, content_hash = row[:3]
        observed_ns, verified_ns, language, source_kind, volatility, authority, role, *counted = row[7:_SOURCE_WIDTH]
        return Source(
            id=row_id,
            path=path,
            source_id=self._source_id_of(path),
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
