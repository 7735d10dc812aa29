"""Questions about literal facts: which value a key has, and where."""

from __future__ import annotations

from collections.abc import Iterable

from helix_core.store.hits import ClaimHit
from helix_core.store.rows import leaf_of
from helix_core.store.session import Session, id_list

_COLUMNS = "c.item_id, i.source_id, c.key, c.value, c.value_type, c.line"
_BY_LEAF = f"""
    SELECT {_COLUMNS} FROM claim c JOIN item i ON i.id = c.item_id JOIN source s ON s.id = i.source_id
    WHERE c.leaf = ?1 AND s.live = 1
      AND (lower(c.key) = ?2 OR (?3 AND lower(substr(c.key, -length(?2) - 1)) = '.' || ?2))
    ORDER BY s.path, c.item_id, c.ordinal LIMIT ?4
"""
_BY_ITEM = f"""
    SELECT {_COLUMNS} FROM json_each(?) wanted JOIN claim c ON c.item_id = wanted.value
    JOIN item i ON i.id = c.item_id JOIN source s ON s.id = i.source_id
    WHERE s.live = 1 ORDER BY c.item_id, c.ordinal
"""


class ClaimQueries(Session):
    """Claims by key or by item."""

    def claims(self, keys: Iterable[str], limit: int = 100) -> list[ClaimHit]:
        """Claims whose key is one of ``keys`` or ends with it after a dot (``port`` finds ``server.port``).

        Case is folded. At most ``limit`` for each key, in path order.
        """
        return [hit for key in dict.fromkeys(map(str.lower, keys)) for hit in self._by_key(key, True, limit)]

    def claims_with_same_key(self, keys: Iterable[str], limit: int = 100) -> dict[str, list[ClaimHit]]:
        """For each key, the claims whose whole key is the same, case folded: candidates for a contradiction."""
        return {key: self._by_key(key.lower(), False, limit) for key in dict.fromkeys(keys)}

    def claims_of(self, item_ids: Iterable[int]) -> dict[int, list[ClaimHit]]:
        """The claims found in each of some items, in order of appearance; items without claims are missing."""
        found: dict[int, list[ClaimHit]] = {}
        for row in self._rows(_BY_ITEM, (id_list(item_ids),)):
            found.setdefault(row[0], []).append(ClaimHit(*row))
        return found

    def _by_key(self, key: str, or_ending: bool, limit: int) -> list[ClaimHit]:
        return [ClaimHit(*row) for row in self._rows(_BY_LEAF, (leaf_of(key), key, or_ending, limit))]
