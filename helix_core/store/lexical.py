"""Full-text questions. ``match`` is an FTS5 expression over the columns path, names, doc, body, extra."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import apsw

from helix_core.store.hits import Weights
from helix_core.store.session import Row, Session, id_list
from helix_core.words import split_identifier

_EVEN = Weights()
_SPARE = 16
MOST_KEPT = 20_000
"""Words whose frequency or stems are kept between questions."""

_CHUNKS = """
    SELECT f.rowid, i.source_id, -f.rank, s.live
    FROM (SELECT rowid, rank FROM chunk_fts WHERE chunk_fts MATCH ?1 AND rank MATCH ?2 ORDER BY rank LIMIT ?3) f
    JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
"""
_FILES = """
    SELECT f.rowid, -f.rank, s.live
    FROM (SELECT rowid, rank FROM file_fts WHERE file_fts MATCH ?1 AND rank MATCH ?2 ORDER BY rank LIMIT ?3) f
    JOIN source s ON s.id = f.rowid
"""
_CHUNKS_IN = """
    SELECT f.rowid, i.source_id, -f.rank
    FROM chunk_fts f JOIN item i ON i.id = f.rowid
    WHERE f.chunk_fts MATCH ?1 AND f.rank MATCH ?2 AND +f.rowid IN (
        SELECT own.id FROM json_each(?3) wanted JOIN source s ON s.id = wanted.value
        JOIN item own ON own.id >= s.first_item AND own.id < s.first_item + s.item_count
        WHERE s.live = 1
    )
    ORDER BY 3 DESC, 1 LIMIT ?4
"""
_REFERENCES = """
    SELECT f.rowid FROM ref_fts f JOIN item i ON i.id = f.rowid JOIN source s ON s.id = i.source_id
    WHERE f.ref_fts MATCH ? AND s.live = 1 ORDER BY f.rowid LIMIT ?
"""


def phrase(text: str) -> str:
    """Text as an FTS5 phrase: quoted, so that nothing in it is taken for an operator."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


class LexicalQueries(Session):
    """Ranked full-text matches, best first, each within the reader's budget of work (QueryBudgetError)."""

    _tokenizer: apsw.FTS5Tokenizer | None = None
    _reference_tokenizer: apsw.FTS5Tokenizer | None = None
    _frequencies: tuple[int, dict[str, int]] = (-1, {})

    def chunk_matches(self, match: str, limit: int, weights: Weights = _EVEN) -> list[tuple[int, int, float]]:
        """``(item id, source id, BM25 score)``; the score is positive and larger is better."""
        rows = self._live(lambda count: self._bounded_rows(_CHUNKS, (match, weights.rank, count)), limit)
        return [(row[0], row[1], row[2]) for row in rows]

    def file_matches(self, match: str, limit: int, weights: Weights = _EVEN) -> list[tuple[int, float]]:
        """``(source id, BM25 score)`` of whole files."""
        rows = self._live(lambda count: self._bounded_rows(_FILES, (match, weights.rank, count)), limit)
        return [(row[0], row[1]) for row in rows]

    def matches_in(
        self, match: str, source_ids: Iterable[int], limit: int, weights: Weights = _EVEN
    ) -> list[tuple[int, int, float]]:
        """``chunk_matches`` restricted to some files; word weights are still those of the whole index."""
        return self._bounded_rows(_CHUNKS_IN, (match, weights.rank, id_list(source_ids), limit))

    def paths_like(self, words: Iterable[str], limit: int = 20) -> list[tuple[int, float]]:
        """``(source id, score)`` of files whose path contains some of the words, the more and rarer the better."""
        phrases = [phrase(word) for word in words if self.tokens(word)]
        return self.file_matches(f"path : ({' OR '.join(phrases)})", limit) if phrases else []

    def references(self, name: str, limit: int) -> list[int]:
        """Items that use an identifier in code, in no particular order of merit; case is folded.

        A name of several words (``key.sub-key``) is used where all of them are.
        """
        if self._reference_tokenizer is None:
            self._reference_tokenizer = self._connection.fts5_tokenizer("unicode61", ["tokenchars", "_"])
        words = _tokens(self._reference_tokenizer, name)
        # Postings without positions know no phrases, so each word is asked for by itself.
        match = " AND ".join(map(phrase, words))
        return [row[0] for row in self._bounded_rows(_REFERENCES, (match, limit))] if match else []

    def frequency(self, words: Iterable[str]) -> dict[str, int]:
        """In how many chunks each word occurs, parked ones included; the rarest part's count for a compound."""
        version = int(self._rows("PRAGMA data_version")[0][0])
        # Counting a common word visits all its postings, and questions are asked with the same words.
        if self._frequencies[0] != version or len(self._frequencies[1]) > MOST_KEPT:
            self._frequencies = (version, {})
        known = self._frequencies[1]
        words = list(dict.fromkeys(words))
        for word in words:
            if word not in known:
                known[word] = min(map(self._term_frequency, self.tokens(word)), default=0)
        return {word: known[word] for word in words}

    def tokens(self, text: str) -> list[str]:
        """The text as postings see it: folded, split, stemmed."""
        if self._tokenizer is None:
            self._tokenizer = self._connection.fts5_tokenizer("porter", ["unicode61"])
        return _tokens(self._tokenizer, text)

    def stems(self, names: Collection[str]) -> dict[str, frozenset[str]]:
        """Each name's parts as postings see them."""
        known: dict[str, frozenset[str]] = self.__dict__.setdefault("_stems", {})
        if len(known) > MOST_KEPT:
            known.clear()
        for name in names:
            if name not in known:
                known[name] = frozenset(self.tokens(" ".join(split_identifier(name))))
        return {name: known[name] for name in names}

    def _term_frequency(self, token: str) -> int:
        rows = self._bounded_rows("SELECT doc FROM chunk_vocab WHERE term = ?", (token,))
        return int(rows[0][0]) if rows else 0

    def _live(self, ask: Callable[[int], list[Row]], limit: int) -> list[Row]:
        """Parked versions are in the postings too: ask for some more, and again for more, until enough are live."""
        count = limit + _SPARE
        while True:
            rows = ask(count)
            live = [row for row in rows if row[-1]]
            if len(live) >= limit or len(rows) < count:
                return live[:limit]
            count *= 4


def _tokens(tokenizer: apsw.FTS5Tokenizer, text: str) -> list[str]:
    encoded = text.encode("utf-8", "replace")
    return tokenizer(  # type: ignore[return-value]
        encoded, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )
