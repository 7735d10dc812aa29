"""Which claims speak of the same thing and disagree.

A key is only comparable where it is specific and in scope: ``port`` means something else in every service, while
``CACHE_TIMEOUT_SECONDS`` in a module and in the guide beside it should agree. Two documents never contradict each
other: what they set is mostly an example, and only the code or the configuration knows the fact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from helix_core.model import Authority, Contradiction, Role, Source, SourcedClaim, SourceKind
from helix_core.words import is_compound

MOST_FILES = 24
_COMPARABLE_ROLES = frozenset({Role.IMPLEMENTATION, Role.CONFIG, Role.DOC})


def contradictions(claims: Iterable[SourcedClaim], changed_at: Mapping[bytes, float]) -> list[Contradiction]:
    """Pairs of claims with one key, one scope and two values, the fresher side first, in a stable order.

    ``changed_at`` gives, by path, when a source last changed (its commit, or its writing while that is not committed).
    A key that one file itself gives several values to says nothing (overloads, platforms) and is left out; so is one
    that very many files set, which is a word of their trade (``app_label``) and no fact about one thing.
    """
    by_key: dict[str, list[SourcedClaim]] = defaultdict(list)
    for claim in claims:
        if _comparable(claim):
            by_key[claim.key].append(claim)
    found: list[Contradiction] = []
    for key, group in sorted(by_key.items()):
        settled = _one_value_per_file(group)
        if len(settled) > MOST_FILES:
            continue
        for index, one in enumerate(settled):
            for other in settled[index + 1 :]:
                if _disagree(one, other) and _same_scope(one, other):
                    older, fresher = sorted((one, other), key=lambda claim: _age(claim, changed_at))
                    found.append(Contradiction(key, fresher, older))
    return found


def _age(sourced: SourcedClaim, changed_at: Mapping[bytes, float]) -> tuple[float, bool, bytes]:
    """Of two that changed at the same moment, as in one commit, the document is the one left behind."""
    source = sourced.source
    return changed_at.get(source.path, 0.0), not _is_prose(source), source.path


def _comparable(sourced: SourcedClaim) -> bool:
    source, key = sourced.source, sourced.key
    is_made = source.authority is Authority.INFERRED and source.source_kind is not SourceKind.NOTE
    if source.role not in _COMPARABLE_ROLES or is_made:
        return False
    return "." in key or is_compound(key)


def _one_value_per_file(group: list[SourcedClaim]) -> list[SourcedClaim]:
    values: dict[bytes, dict[str, SourcedClaim]] = defaultdict(dict)
    for sourced in group:
        values[sourced.source.path].setdefault(_normal(sourced), sourced)
    return [next(iter(seen.values())) for _, seen in sorted(values.items()) if len(seen) == 1]


def _disagree(one: SourcedClaim, other: SourcedClaim) -> bool:
    return one.value_type == other.value_type and _normal(one) != _normal(other)


def _normal(sourced: SourcedClaim) -> str:
    return sourced.value.strip().strip("\"'`").casefold()


def _same_scope(one: SourcedClaim, other: SourcedClaim) -> bool:
    """A document speaks for the folder it stands in; two files of one kind only for each other's own folder."""
    first, second = (_folder(c.source.path) for c in (one, other))
    kinds = {one.source.source_kind, other.source.source_kind}
    prose = [_is_prose(one.source), _is_prose(other.source)]
    if all(prose):
        return False
    if kinds == {SourceKind.CODE} and "." in one.key:
        # `Command.help` of one file is another class than `Command` of its neighbour.
        return False
    if first == second:
        return True
    if not any(prose):
        return False
    document = first if prose[0] else second
    rest = second if document is first else first
    return _covers(document, rest)


def _is_prose(source: Source) -> bool:
    """Notes are documents of their own author: they set nothing either."""
    return source.source_kind in (SourceKind.DOC, SourceKind.NOTE)


def _folder(path: bytes) -> bytes:
    return path.rpartition(b"/")[0]


def _covers(folder: bytes, path: bytes) -> bool:
    """A documentation folder (``docs``) speaks for its parent."""
    if folder.rpartition(b"/")[2].lower() in {b"doc", b"docs", b"documentation"}:
        folder = _folder(folder)
    return not folder or path == folder or path.startswith(folder + b"/")
