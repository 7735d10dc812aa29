"""Find, within a budget, under which symbol a text of a changed file is: the files are parsed in memory, not stored.

In: items at their text in bytes that the index does not have. Out: a ``Naming`` each. What cannot be determined
within the budget is reported as unknown, never guessed.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from helix_core.model import Item, Naming
from helix_core.workspace import content_reason

if TYPE_CHECKING:
    from helix_core.engine.verdict.observe import FileObservation
    from helix_core.ingest import Chains, ClassSpan, ParseGuard
    from helix_core.secrets import Masked

KEPT_BYTES = 4 * 1024 * 1024
PARSED_BYTES_PER_MS = 3_000
_TOP_LEVEL = "the file's top level"
OUT_OF_TIME = "the same text is there; its name could not be read within the time"
FAILED = "the same text is there; under which name could not be told, since the parser failed"
NOT_INDEXED = "the same text is there, but its file is no longer one to index"


class KeptChains:
    """An LRU cache of chains by path and content hash, across answers, of at most ``kept_bytes``."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._size_bytes = 0
        self._known: OrderedDict[tuple[bytes, str], Chains] = OrderedDict()

    def get(self, path: bytes, content_hash: str) -> Chains | None:
        """Return the cached chains of these bytes."""
        known = self._known.get((path, content_hash))
        if known is not None:
            self._known.move_to_end((path, content_hash))
        return known

    def put(self, path: bytes, content_hash: str, chains: Chains) -> None:
        """Add chains to the cache, evicting the least recently used."""
        self._known[path, content_hash] = chains
        self._size_bytes += chains.size_bytes
        while self._size_bytes > self._kept_bytes and len(self._known) > 1:
            self._size_bytes -= self._known.popitem(last=False)[1].size_bytes


class ChainLookup:
    """For one answer. ``budget_ms`` limits the CPU time of its parses."""

    def __init__(self, kept: KeptChains, parse_guard: ParseGuard, budget_ms: float) -> None:
        self._kept, self._parse_guard, self._left_ms = kept, parse_guard, budget_ms

    def name(self, item: Item, observed: FileObservation, masked: Masked) -> Naming:
        """Label the text at the item's place in the file's current bytes."""
        assert observed.file is not None
        file = observed.file
        if content_reason(item.source.path, file.data):
            return Naming(None, NOT_INDEXED)
        return self._name(item, file.content_hash, lambda: masked.data)

    def label(self, item: Item, observed: FileObservation, masked: Masked) -> Naming:
        """Label the text at the item's place in the file's current bytes, where it had no label before."""
        assert observed.file is not None
        file = observed.file
        if content_reason(item.source.path, file.data):
            return Naming(None, NOT_INDEXED)
        chains = self._chains(item.source.path, file.content_hash, lambda: masked.data)
        return chains if isinstance(chains, Naming) else chains.label(item.start_byte, item.end_byte)

    def definitions(self, path: bytes, observed: FileObservation, masked: Masked) -> list[tuple[int, str]]:
        """Return the first byte and the symbol of each definition of the file's current bytes; none if untold."""
        assert observed.file is not None
        file = observed.file
        if content_reason(path, file.data):
            return []
        found = self._chains(path, file.content_hash, lambda: masked.data)
        return [] if isinstance(found, Naming) else found.definitions

    def kinds(self, path: bytes, observed: FileObservation, masked: Masked) -> list[tuple[str, str]]:
        """Return the symbol and the kind of each definition of the file's current bytes; none if untold."""
        assert observed.file is not None
        found = self._chains(path, observed.file.content_hash, lambda: masked.data)
        return [] if isinstance(found, Naming) else found.kinds

    def classes(self, path: bytes, observed: FileObservation, masked: Masked) -> tuple[ClassSpan, ...] | None:
        """Return the classes of the file's current bytes; None if untold."""
        assert observed.file is not None
        file = observed.file
        if content_reason(path, file.data):
            return None
        found = self._chains(path, file.content_hash, lambda: masked.data)
        return None if isinstance(found, Naming) else found.classes

    def name_in_buffer(self, buffer: bytes, item: Item) -> Naming:
        """Label the text at the item's place in a buffer of its path."""
        from helix_core.secrets import mask

        return self._name(item, hashlib.sha256(buffer).hexdigest(), lambda: mask(buffer).data)

    def _name(self, item: Item, content_hash: str, data: Callable[[], bytes]) -> Naming:
        chains = self._chains(item.source.path, content_hash, data)
        return chains if isinstance(chains, Naming) else chains.name(item.start_byte, item.end_byte, item.symbol)

    def _chains(self, path: bytes, content_hash: str, data: Callable[[], bytes]) -> Chains | Naming:
        return self._kept.get(path, content_hash) or self._parsed(path, content_hash, data())

    def _parsed(self, path: bytes, content_hash: str, data: bytes) -> Chains | Naming:
        """Return the chains, or the label to use without them."""
        # A search imports no parser: it labels only what has moved.
        from helix_core.ingest import FAILURES, Chains, preload_grammar, time_for

        if len(data) / PARSED_BYTES_PER_MS > self._left_ms:
            return Naming(None, OUT_OF_TIME)
        preload_grammar(path, data)
        started = time.thread_time()
        try:
            with self._parse_guard(content_hash) as may_parse:
                if not may_parse:
                    return Naming(None, FAILED)
                chains = Chains(path, data, time_for(len(data)))
        except FAILURES:
            return Naming(None, FAILED)
        finally:
            self._left_ms -= (time.thread_time() - started) * 1e3
        self._kept.put(path, content_hash, chains)
        return chains


def renaming(old: str, new: str) -> str:
    """Format ``Old.name -> New.name``; text outside of all definitions is at the file's top level."""
    return f"{old or _TOP_LEVEL} -> {new or _TOP_LEVEL}"
