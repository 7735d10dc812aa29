"""Link files that were opened or cited within one sitting.

In: uses (a file, a session, a time), the clock as an argument. Out: links, at most 16 a file, that decay with the age
of their uses. A file that an answer merely returned was not used. Pure: keeps nothing, knows no SQL.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from helix_core.memory.exchanges import MOST_ANSWER
from helix_core.secrets import mask

SITTING_S = 30 * 60.0
"""Greatest gap, in seconds, between two uses of one sitting."""
HALF_LIFE_S = 180 * 86_400.0
MOST_LINKS = 16
MOST_COMPANY = 30
"""Sittings with more files than this link none of them."""
LEAST_TOGETHER = 2
LEAST_STRENGTH = 0.05
MOST_CITED = 20
LONGEST_PATH = 1_024
_HANDLE = re.compile(r"(?<!\w)m_[a-z2-7]{8}(?!\w)")
_MEMORY_ID = re.compile(r"m_[a-z0-9]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# A match cannot begin inside a run of path characters, so a long run is tried once.
_CITED = re.compile(
    r"(?<![\w.@+/\\:-])((?:[\w.@+-]{1,100}/){0,20}[\w.@+-]{1,100}\.[A-Za-z0-9]{1,8}):[0-9]{1,7}(?![0-9])"
)


@dataclass(frozen=True, slots=True)
class Together:
    """One use of ``path`` (at ``at``, Unix seconds) and another file used in its sitting (named ``sitting``)."""

    path: bytes
    other: bytes
    sitting: str
    at: float


@dataclass(frozen=True, slots=True)
class Link:
    """``other`` was used with ``path``; ``strength`` (0..1) is 1 where neither was recently used without the other."""

    path: bytes
    other: bytes
    strength: float


def kept_path(path: bytes) -> bytes | None:
    """Return the path, relative to the workspace's root, if it may be stored; None for one that is too long or looks
    like a secret.
    """
    if not 0 < len(path) <= LONGEST_PATH or b"\0" in path or path.startswith((b"/", b"helix-note:")):
        return None
    return path if mask(path).data == path else None


def cited_paths(answer: str) -> tuple[bytes, ...]:
    """Return the files that an answer cites with a line (``app/cart.py:12``), in order, each once; at most 20."""
    found = (match[1].encode("utf-8", "replace") for match in _CITED.finditer(answer[:MOST_ANSWER]))
    return tuple(dict.fromkeys(path for path in found if b".." not in path.split(b"/")))[:MOST_CITED]


def cited_memories(answer: str) -> tuple[str, ...]:
    """Return the handles of memories that an answer names (``m_k3xq7a2b``), in order, each once; at most 20."""
    return tuple(dict.fromkeys(_HANDLE.findall(answer[:MOST_ANSWER])))[:MOST_CITED]


def is_memory_id(text: str) -> bool:
    """Return whether a text is nothing but the handle or the id of a memory, also one with a digit mistyped."""
    return _MEMORY_ID.fullmatch(text) is not None


def decay(age_s: float) -> float:
    """Return the weight of a use: 1 when new, with a half-life of 180 days. A clock that went back makes it new."""
    return float(2.0 ** (-max(age_s, 0.0) / HALF_LIFE_S))


def repeated(together: Iterable[Together]) -> set[bytes]:
    """Return the files that can be linked, with their partners: used together in two sittings or more."""
    pairs = Counter(
        (path, other) for path, other, _, _ in {(one.path, one.other, one.sitting, one.at) for one in together}
    )
    return {path for pair, count in pairs.items() if count >= LEAST_TOGETHER for path in pair}


def links(together: Iterable[Together], uses: Mapping[bytes, int], now: float) -> list[Link]:
    """Return the links of each file, strongest first, ties by name; ``uses`` counts all uses of each file.

    Strength is the cosine of two files' sittings (Salton & McGill 1983), decayed by age. Two files need two sittings in
    common, because one may be chance.
    """
    company: dict[tuple[bytes, str, float], set[bytes]] = defaultdict(set)
    for one in together:
        if one.other != one.path:
            company[one.path, one.sitting, one.at].add(one.other)
    counts: dict[tuple[bytes, bytes], int] = defaultdict(int)
    sums: dict[tuple[bytes, bytes], float] = defaultdict(float)
    for (path, _, at), others in company.items():
        if len(others) <= MOST_COMPANY:
            for other in others:
                counts[path, other] += 1
                sums[path, other] += decay(now - at)
    made: dict[bytes, list[Link]] = defaultdict(list)
    for (path, other), count in counts.items():
        times = max(uses.get(path, 0), count) * max(uses.get(other, 0), count)
        strength = sums[path, other] / sqrt(times)
        if count >= LEAST_TOGETHER and strength >= LEAST_STRENGTH:
            made[path].append(Link(path, other, strength))
    return [link for path in sorted(made) for link in _strongest(made[path])]


def companions(found: Sequence[Link], anchors: Collection[bytes]) -> tuple[bytes, ...]:
    """Return files linked to any of the anchors, without the anchors, strongest first, at most 16."""
    best: dict[bytes, float] = {}
    for link in found:
        if link.other not in anchors:
            best[link.other] = max(best.get(link.other, 0.0), link.strength)
    return tuple(sorted(best, key=lambda path: (-best[path], path)))[:MOST_LINKS]


def _strongest(found: list[Link]) -> list[Link]:
    return sorted(found, key=lambda link: (-link.strength, link.other))[:MOST_LINKS]
