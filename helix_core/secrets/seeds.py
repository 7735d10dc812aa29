"""Detect seed phrases of wallets: 12 to 24 plain words in a row, where something says that they are one (BIP 39).

Bytes in, spans out. Any words may be one, so a word for it must stand before them, and none of them may be one that
sentences are made of and no seed phrase has.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.secrets.values import LazyPattern

Span = tuple[int, int]

_REACH = 120
_LENGTHS = frozenset((12, 15, 18, 21, 24))
_CUES = (b"nemonic", b"NEMONIC", b"eed", b"SEED", b"hrase", b"HRASE", b"allet", b"ackup", b"ecovery", b"edger")
SEED_SIGNS = (
    rb"(?i:mnemonic|seed|(?:from|recovery|backup|secret|wallet|pass)[ _\-]?(?:phrase|words?)|wallet|ledger"
    rb"|phrase[\"']?[ ]?[:=(])"
)
"""Matches every text that ``in_seeds`` searches."""
_CUE = LazyPattern(SEED_SIGNS)
_WORDS = LazyPattern(
    rb"(?:^|[^a-z])([a-z]{3,8}(?:[ \t]{1,2}[a-z]{3,8}){11,24})\b"
    rb"|([\"'][a-z]{3,8}[\"'](?:,\s{0,12}[\"'][a-z]{3,8}[\"']){11,24})"
)
"""The group that matched: short words in a row, bare or each in quotes."""
_WORD = LazyPattern(rb"[a-z]+")
_OF_SENTENCES = frozenset(
    b"the and are was for with not but from has had its does did how his her our your their than been were because "
    b"could should would shall may each every these those them they're where".split()
)
"""Words of sentences that are no words of BIP 39."""


def in_seeds(data: bytes) -> Iterator[Span]:
    """Yield the words of every seed phrase that something before it calls one."""
    if not any(cue in data for cue in _CUES):
        return
    reached = 0
    for cue in _CUE.finditer(data):
        if cue.end() < reached:
            continue
        stop = min(len(data), cue.end() + _REACH + 240)
        found = _WORDS.search(data, cue.end(), stop)
        if found is None or found.start() > cue.end() + _REACH or b"\n\n" in data[cue.end() : found.start()]:
            continue
        words = list(_WORD.finditer(data, *found.span(found.lastindex)))
        texts = [word.group() for word in words]
        if len(words) in _LENGTHS and _OF_SENTENCES.isdisjoint(texts) and len(set(texts)) * 4 >= len(texts) * 3:
            reached = found.end()
            for word in words:
                yield word.span()
