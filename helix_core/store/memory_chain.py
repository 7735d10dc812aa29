"""The log of the memory as a chain of hashes: append to it, and compare the file with what it says.

Each operation has the hash of the one before it, and names the memory, the evidence and the links that it wrote. Number
and hash of the last one are stored apart, so that a log that lost its end is noticed; next to them is a sum over what a
row has in this file alone: its number, the operation that wrote it, and its search keys.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from helix_core.model import MemoryOp, canonical, memory_id, record_hash
from helix_core.store.memory_connection import MemoryConnection
from helix_core.store.memory_file import has_own_views
from helix_core.store.memory_marks import MARKED, MODULUS, marks_of, row_mark
from helix_core.store.sqlite_file import Row

WRITING = frozenset({"remember", "propose"})
"""Operations that write a memory."""
OP = "SELECT seq, id, lamport, actor, kind, item_id, args, at, prev, head FROM op"
Edge: TypeAlias = tuple[str, str, str]

_FACT = (
    *("handle", "kind", "scope", "text", "origin", "importance", "confidence", "valid_from", "valid_to", "salt"),
    *("subject", "attribute", "value"),
)
_SAID = (
    *("item_id", "text", "actor", "extractor", "session", "at", "scope", "path", "start_line", "end_line", "span_hash"),
    *("layout_hash", "content_hash", "symbol", "commit", "heals"),
)


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What a check of the log found.

    Attributes:
        first_broken: The first operation that is not as it was written, or that wrote what is not as it says; None
            where everything fits. One past the last operation stands for what no operation accounts for.
        outside: Of what the log does not name, what was changed from outside: the subjects of ``SUMMED``.
    """

    first_broken: int | None
    outside: tuple[str, ...]


class MemoryChain:
    """The log of one file. What is appended or marked must be inside a transaction of the caller."""

    def __init__(self, file: MemoryConnection) -> None:
        self._file = file

    def append(
        self, kind: str, item_id: str, args: Mapping[str, Any], actor: str, at: int, *, own_id: str, lamport: int
    ) -> int:
        """Append an operation and return its number; see ``MemoryItems.append``."""
        last = self._file.rows("SELECT seq, head FROM op ORDER BY seq DESC LIMIT 1")
        seq, prev = last[0] if last else (0, "")
        for known, head in self._file.rows("SELECT seq, head FROM chain"):
            # Where operations were taken away from the end of the log, their numbers stay missing.
            seq, prev = max(seq, known), head
        id_ = own_id or memory_id(at, os.urandom(10))
        lamport = lamport or self._file.rows("SELECT coalesce(max(lamport), 0) + 1 FROM op")[0][0]
        op = MemoryOp(seq + 1, id_, lamport, actor, kind, item_id, args, at, prev, "")
        head, arguments = record_hash(op.record()), canonical(args).decode()
        self._file.rows(
            "INSERT INTO op VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (op.seq, id_, lamport, actor, kind, item_id, arguments, at, prev, head),
        )
        self._file.rows("UPDATE chain SET seq = ?, head = ?", (op.seq, head))
        return op.seq

    def mark(self, table: str, *row: Any) -> None:
        """Add a row to the sum; ``row`` is what ``MARKED`` reads of it."""
        self._file.rows("UPDATE chain SET marks = (marks + ?) & 0x3fffffffffffffff", (row_mark(table, row),))

    def unmark(self, item_id: str) -> None:
        """Take a memory and its evidence, which are about to be removed, out of the sum."""
        for table, column in (("item", "id"), ("evidence", "item_id")):
            for row in self._file.rows(f"{MARKED[table]} WHERE {column} = ?", (item_id,)):
                less = MODULUS - row_mark(table, row)
                self._file.rows("UPDATE chain SET marks = (marks + ?) & 0x3fffffffffffffff", (less,))

    def check(self) -> ChainCheck:
        """Compare the file with the log and with its sums.

        Reads the tables as they are, so that no value in them can keep it from its answer.
        """
        with self._file.snapshot():
            broken, outside = self._first_broken(), self._file.unlike_their_sum()
            if broken is None and outside:
                broken = int(self._file.rows("SELECT coalesce(max(seq), 0) + 1 FROM op")[0][0])
        return ChainCheck(broken, outside)

    def _first_broken(self) -> int | None:
        rows = self._file.rows(f"{OP} ORDER BY seq")
        prev, seq = "", 0
        for row in rows:
            op = op_of(row)
            if op.seq != seq + 1:
                return seq + 1
            if op.prev != prev or not _is_as_written(op, row[6]):
                return op.seq
            prev, seq = op.head, op.seq
        broken = self._end_broken(seq, prev)
        if broken is not None:
            return broken
        if not has_own_views(self._file.rows):
            return seq + 1
        seen = _Seen.of(self._file)
        unlike = next((op.seq for op in map(op_of, rows) if not seen.follow(op)), None)
        return seen.left_over(seq) if unlike is None else unlike

    def _end_broken(self, seq: int, head: str) -> int | None:
        """Return the first operation that is missing at the end of the log, or that was put there."""
        chain = self._file.rows("SELECT seq, head FROM chain")
        if len(chain) != 1:
            return seq + 1
        if chain[0][0] != seq:
            return min(int(chain[0][0]), seq) + 1
        return None if chain[0][1] == head else max(seq, 1)


@dataclass(slots=True)
class _Seen:
    """The rows of the file, by id, that the log has to account for.

    ``held`` are the hashes of the evidence of each memory, ``links`` the edges that are there, ``purged`` the memories
    that were removed by an operation.
    """

    facts: dict[str, tuple[str, int]]
    held: dict[str, set[str]]
    links: dict[Edge, int]
    purged: frozenset[str]
    is_marked: bool
    accounted: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    named: dict[Edge, int] = field(default_factory=dict)

    @classmethod
    def of(cls, file: MemoryConnection) -> _Seen:
        facts = {
            row[0]: (
                record_hash({"type": "memory", "id": row[0], "fields": dict(zip(_FACT, row[2:], strict=True))}),
                row[1],
            )
            for row in file.rows(f"SELECT id, tx_from, {', '.join(_FACT)} FROM item")
        }
        held: dict[str, set[str]] = {}
        columns = ", ".join("commit_id" if name == "commit" else name for name in _SAID)
        for id_, *values in file.rows(f"SELECT id, {columns} FROM evidence"):
            fields = dict(zip(_SAID, values, strict=True))
            held.setdefault(values[0], set()).add(record_hash({"type": "evidence", "id": id_, "fields": fields}))
        return cls(
            facts,
            held,
            {(src, rel, dst): seq for src, rel, dst, seq in file.rows("SELECT src, rel, dst, tx_from FROM link")},
            frozenset(row[0] for row in file.rows("SELECT item_id FROM op WHERE kind = 'purge'")),
            file.rows("SELECT marks FROM chain") == [(marks_of(file.rows),)] and _is_posted(file),
        )

    def follow(self, op: MemoryOp) -> bool:
        """Return whether what an operation wrote is there as it says; remember what it accounts for."""
        hashes = {one for one in _list(op.args, "evidence") if isinstance(one, str)}
        self.said |= hashes
        for edge in _list(op.args, "links"):
            if isinstance(edge, list) and len(edge) == 3 and all(isinstance(each, str) for each in edge):
                self.named.setdefault((edge[0], edge[1], edge[2]), op.seq)
        if op.item_id not in self.facts:
            return op.kind not in WRITING or op.item_id in self.purged
        if op.kind in WRITING and op.item_id not in self.accounted:
            self.accounted.add(op.item_id)
            if self.facts[op.item_id] != (op.args.get("memory"), op.seq):
                return False
        return hashes <= self.held.get(op.item_id, set())

    def left_over(self, last: int) -> int | None:
        """Return the operation of what does not fit after all, None where everything does; ``last`` is the last one."""
        texts = {one for hashes in self.held.values() for one in hashes}
        if not self.facts.keys() <= self.accounted or not self.held.keys() <= self.facts.keys() or texts - self.said:
            return last + 1
        if self.is_marked:
            return None
        # Links of what was shared without its other end are named and not here, and an untrusted strand's are here and
        # not named: they count only where the sum says that something was changed.
        odd = [seq for edge, seq in self.links.items() if self.named.get(edge) != seq]
        odd += [seq for edge, seq in self.named.items() if edge not in self.links]
        return min((seq for seq in odd if 0 < seq <= last), default=last + 1)


def op_of(row: Row) -> MemoryOp:
    """Return the operation of a row; arguments that are not a JSON object were edited, and are read as none."""
    seq, id_, lamport, actor, kind, item_id, arguments, at, prev, head = row
    return MemoryOp(seq, id_, lamport, actor, kind, item_id, args_of(arguments) or {}, at, prev, head)


def args_of(arguments: str) -> dict[str, Any] | None:
    """Return the arguments of an operation as a row has them; None where that is not a JSON object."""
    try:
        args = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return args if isinstance(args, dict) else None


def _is_as_written(op: MemoryOp, arguments: str) -> bool:
    """Return whether an operation has the hash of its record, and its arguments are in their one form."""
    args = args_of(arguments)
    try:
        return args is not None and canonical(args).decode() == arguments and record_hash(op.record()) == op.head
    except ValueError:
        # No number and no text that has a canonical form.
        return False


def _list(args: Mapping[str, Any], name: str) -> list[Any]:
    found = args.get(name)
    return found if isinstance(found, list) else []


def _is_posted(file: MemoryConnection) -> bool:
    """Return whether every memory is found by the words of its own row."""
    return file.rows("SELECT rowid FROM item_fts ORDER BY 1") == file.rows("SELECT row FROM item ORDER BY 1")
