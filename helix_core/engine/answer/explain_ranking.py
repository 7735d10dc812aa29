"""Serialize the explanation of a ranking, with labels for people. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from helix_core.model import FeatureEffect, Found, Preview, Ranked, RankedFile, RankingExplanation, Weighed
from helix_core.packet import search_answer, search_item
from helix_core.search import FLOOR

RANKERS: Mapping[str, str] = {
    "chunks": "words of the question in one place",
    "files": "words of the question in the whole file",
    "outlines": "the file's outline is near in meaning",
    "passages": "a place is near in meaning",
    "phrases": "words of the question in sequence",
    "names": "defines a name of the question",
    "similar": "defines a name spelled like one of the question",
    "claims": "gives a value to a key of the question",
    "paths": "the question names the file",
    "tests": "tests what the question names",
    "exact": "the question names it outright",
    "tested": "its tests say what was asked",
}

SIGNS: Mapping[str, str] = {
    # of the confidence
    "covered": "of what the words tell is in one of the best files",
    "missing_proper": "rarest name that even the best file lacks",
    "missing_in_code": "rarest name that even the best implementing file lacks",
    "unfamiliar": "strangest word that nothing here has",
    "strength": "of what a perfect place would score",
    "agreement": "of the rankers' weight has it among its first three",
    "gap": "ahead of the next file",
    "named": "the question names it outright",
    "in_code": "the implementation has the question's words",
    "titled": "of what the words tell is in one name or heading",
    "brief": "the question is short, so each of its words counts",
}

PLACE_SIGNS: Mapping[str, str] = {
    "file_score": "how well its file stands",
    "file_rank": "its file's rank",
    "file_small": "one of few places in its file",
    "document": "in a document",
    "length": "its length",
    "short": "very short",
    "head": "defines something",
    "top_level": "at the top level",
    "nested": "nested in a function",
    "test": "inside tests",
    "dunder": "a special method",
    "imports": "imports",
    "macro": "a macro",
    "value": "a value",
    "text": "the question's words",
    "covered": "how many of them",
    "name": "words in its name",
    "members": "words in its members",
    "owner": "words in what it stands in",
    "phrase": "words in sequence",
    "chunk": "its own score for words",
    "named": "found by name",
    "value_asked": "a value was asked for",
    "similar": "near in meaning",
}

PLACE_SIGNS_ABSENT: Mapping[str, str] = {
    "document": "not in a document",
    "short": "not very short",
    "head": "defines nothing",
    "top_level": "not at the top level",
    "nested": "not nested in a function",
    "test": "not inside tests",
    "dunder": "no special method",
    "imports": "no imports",
    "macro": "no macro",
    "value": "no value",
    "phrase": "no words in sequence",
    "named": "not found by name",
    "members": "no words in members",
    "owner": "no words in what it stands in",
    "name": "no words in its name",
}
"""Label of a feature whose value is 0: its absence is evidence too, where other chunks have it."""


EXPLAIN_SCHEMA = "helix.explain/1"
DIGITS = 4


def explained_search(
    query: str, found: Found, elapsed_ms: float, notes: Sequence[str], previews: Sequence[Preview | None] = ()
) -> dict[str, Any]:
    """Return the ``helix.search/1`` object with its explanation: ``lists``, ``weights``, ``vectors``, ``certainty``,
    and for each item the ``place`` features by which the second stage chose its lines.
    """
    answer = search_answer(query, found, elapsed_ms, notes, previews)
    account = _account(found)
    _with_places(answer["items"], found.ranked, account)
    return answer | _explains(found, account, (one.item.source.source_id for one in found.ranked))


def explained_answer(
    query: str, task: str, weighed: Sequence[Weighed], found: Found, *, elapsed_ms: float, notes: Sequence[str]
) -> dict[str, Any]:
    """Return the ``helix.explain/1`` object of a question: the items of its packet in order, with ``gene_id`` and
    lines as in the packet, and the same explanation as for a search.
    """
    account = _account(found)
    ranked = [one.ranked for one in weighed]
    items = [search_item(one) | {"gene_id": one.item.text_hash} for one in ranked]
    _with_places(items, ranked, account)
    return {
        "schema": EXPLAIN_SCHEMA,
        "query": query,
        "task_type": task,
        "items": items,
        "known_empty": found.known_empty,
        "confidence": round(found.confidence, DIGITS),
        "elapsed_ms": round(elapsed_ms, 3),
        "nearest": list(found.nearest),
        "rankers": dict(found.rankers),
        "notes": list(notes),
    } | _explains(found, account, (one.item.source.source_id for one in ranked))


def _account(found: Found) -> RankingExplanation:
    assert found.account is not None, "asked for with explained=True"
    return found.account


def _with_places(items: Sequence[dict[str, Any]], ranked: Sequence[Ranked], account: RankingExplanation) -> None:
    for item, one in zip(items, ranked, strict=True):
        signs = () if one.related else account.lines.get(one.item.id, ())
        if signs:
            item["place"] = _signs(signs, PLACE_SIGNS, PLACE_SIGNS_ABSENT)


def _explains(found: Found, account: RankingExplanation, shown: Iterable[str]) -> dict[str, Any]:
    in_answer = frozenset(shown)
    heard = {one.name: one for one in account.rankers}
    return {
        "lists": {
            name: [_listed(each, in_answer) for each in heard[name].listed] if name in heard else []
            for name in dict.fromkeys((*found.rankers, *heard))
        },
        "weights": {
            one.name: {"weight": one.weight, "files": one.files, "says": RANKERS.get(one.name, one.name)}
            for one in account.rankers
        },
        **({"read_as": account.read_as} if account.read_as else {}),
        "vectors": {"model": account.model, "levels": list(account.levels), "unready": list(account.unready)},
        "certainty": {
            "presence": round(account.presence, DIGITS),
            "floor": FLOOR,
            "presence_signs": _signs(account.presence_signs, SIGNS),
            "place": round(account.place, DIGITS),
            "place_signs": _signs(account.place_signs, SIGNS),
        },
    }


def _listed(one: RankedFile, in_answer: frozenset[str]) -> dict[str, Any]:
    return {
        "source_id": one.source_id,
        "rank": one.rank,
        "share": round(one.share, DIGITS),
        "part": round(one.part, DIGITS),
        "shown": one.source_id in in_answer,
    }


def _signs(
    signs: Sequence[FeatureEffect], words: Mapping[str, str], absent: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    without = {**words, **(absent or {})}
    return [
        {
            "sign": one.name,
            "says": (words if one.value else without).get(one.name, one.name),
            "value": round(one.value, DIGITS),
            "effect": round(one.effect, DIGITS),
        }
        for one in signs
    ]
