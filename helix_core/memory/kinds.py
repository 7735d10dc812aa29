"""Tell from its words what kind of memory a sentence is, if any: a linear model, fitted to labeled messages.

``benchmarks/memory_kinds.py`` fits the weights in ``kinds.tsv`` and shows what they give of authors whom they were not
fitted to. Pure but for the reading of that file, once a process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp, log2, sqrt

KINDS = ("", "decision", "convention", "preference", "fact", "entity", "identity", "project", "procedure", "episode")
"""What the columns of the table are of; the first is a sentence that states nothing to keep."""
MOST_CHARS = 2_000
"""What is longer is judged by its beginning."""
_TABLE = "kinds.tsv"
SCALE = 32.0
"""The table holds weights times this, as whole numbers."""
_STEM, _ENDING, _FIRST, _OPENING, _MOST_LENGTH = 5, 3, 3, 4, 12
_TOKEN = re.compile(
    r"`[^`]+`|[A-Za-z\u00c0-\u024f][\w'\u2019-]*|\d[\w.,:/%-]*|"
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|[^\w\s]"
)
_MIXED = re.compile(r"_|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_SMILE = re.compile(r":\)|:\(|;\)|:D|\b[Ll]ol\b|haha|[\U0001f300-\U0001faff]")


def signs_of(sentence: str) -> frozenset[str]:
    """Return what the weights are of: words, stems and endings, pairs of neighbors, the first words, marks, the length.

    Code, numbers and names count as such, whatever they say.
    """
    words = [_word(one) for one in _TOKEN.findall(sentence[:MOST_CHARS])]
    return frozenset(_signs(words, sentence[:MOST_CHARS]))


def odds_of(sentence: str) -> Mapping[str, float]:
    """Return the probability of each of ``KINDS``; they sum up to one."""
    table = _table()
    known = [row for sign in signs_of(sentence) if (row := table.get(sign)) is not None]
    share = 1 / (SCALE * sqrt(max(len(known), 1)))
    logits = [sum(column) * share + bias / SCALE for column, bias in zip(_columns(known), table[""], strict=True)]
    most = max(logits)
    raised = [exp(one - most) for one in logits]
    total = sum(raised)
    return {kind: one / total for kind, one in zip(KINDS, raised, strict=True)}


def _word(token: str) -> tuple[str, str]:
    """Return a token as it is compared, and as it stands."""
    if token[0] == "`":
        return "<code>", token
    if token[0].isdigit():
        return "<number>", token
    if _MIXED.search(token):
        return "<identifier>", token
    return token.lower().replace("\u2019", "'"), token


def _signs(words: Sequence[tuple[str, str]], sentence: str) -> Iterator[str]:
    said = [
        "<name>" if at and word[0] != "<" and token[0].isupper() and word.partition("'")[0] != "i" else word
        for at, (word, token) in enumerate(words)
    ]
    for word, _ in words:
        yield f"word {word}"
        if len(word) >= _STEM and word[0].isalpha():
            yield f"stem {word[:_STEM]}"
            yield f"ending {word[-_ENDING:]}"
    yield from (f"pair {one} {next_}" for one, next_ in zip(["<start>", *said], [*said, "<end>"], strict=True))
    yield from (f"{at} {word}" for at, word in enumerate(said[:_FIRST]))
    yield from (f"opens {' '.join(said[:count])}" for count in range(2, _OPENING + 1) if count <= len(said))
    yield from (f"triple {' '.join(said[at : at + 3])}" for at in range(len(said) - 2))
    if words:
        yield f"last {words[-1][0]}"
        yield f"begins {'upper' if words[0][1][0].isupper() else 'lower'}"
    yield f"length {min(int(log2(len(words) + 1) * 2), _MOST_LENGTH)}"
    yield from {f"has {word}" for word in said if word[0] == "<"}
    yield from (f"has {mark}" for mark in "?!" if mark in sentence)
    if _SMILE.search(sentence):
        yield "has <smile>"


def _columns(rows: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    return list(zip(*rows, strict=True)) or [()] * len(KINDS)


@cache
def _table() -> Mapping[str, Sequence[int]]:
    """Return the weights of each sign, and under "" what each kind has without any."""
    text = files(__package__).joinpath(_TABLE).read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {sign: tuple(map(int, weights)) for sign, *weights in rows}
