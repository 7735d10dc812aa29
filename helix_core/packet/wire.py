"""Serialize the wire objects ``helix.packet/1`` and ``helix.search/1``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from helix_core.model import (
    Contradiction,
    DocumentFlag,
    Found,
    LineSpan,
    Preview,
    Ranked,
    Reason,
    RecalledMemory,
    RefreshTarget,
    SourcedClaim,
    Status,
    TaskType,
    Weighed,
)
from helix_core.packet.economy import Spending, fitted, quoted, with_quote
from helix_core.packet.remembered import MEMORY_SHARE, affordable, memory_entry
from helix_core.tokens import estimate
from helix_core.tuples import NamedTuple

PACKET_SCHEMA = "helix.packet/1"
SEARCH_SCHEMA = "helix.search/1"

# Members that a pointer omits; the others identify the text, its verdict and its quote.
_POINTS = (
    *("gene_id", "source_id", "symbol", "start_line", "end_line", "content_hash", "status", "reason", "quote"),
    *("detail", "buffer", "related"),
)
_NOT_INDEXED = {"status": Status.NEEDS_REFRESH.value, "reason": Reason.NOT_INDEXED.value}
_NOTHING_WRONG = frozenset({"used", "empty", "off"})
# Characters of the question, and of a workspace's name where its path has no room.
_ECHOED, _NAMED = 200, 40
# Of an unbounded answer: a pasted log is no part of what it costs.
_LONGEST_ECHO = 2_000
# A bounded packet has only the most urgent refresh targets: its items show the others.
_PRESSING = 3
# Tokens reserved for members added last: the counts of items and tokens, the milliseconds, and an agent's packet_id.
_COUNTED = 30
# Tokens of an empty list of memories and of how many were left out of it.
_MEMORIES_FRAME = 16


class PacketFacts(NamedTuple):
    """The input of a packet, besides the weighed items.

    ``others`` are files that may answer too, ``memories`` what was remembered of the question, both best first;
    ``memories_left_out`` counts those for which there was no room.
    """

    query: str
    task: TaskType
    workspace: str
    head: str
    found: Found
    notes: tuple[str, ...]
    elapsed_ms: float
    spending: Spending
    others: tuple[str, ...] = ()
    memories: tuple[RecalledMemory, ...] = ()
    memories_left_out: int = 0


def packet(
    weighed: Sequence[Weighed],
    contradictions: Sequence[Contradiction],
    plan: Sequence[RefreshTarget],
    facts: PacketFacts,
) -> dict[str, Any]:
    """Return the ``helix.packet/1`` object; items keep their order, best first.

    Within ``max_tokens`` its items have only location, verdict and quote, and there may be fewer of them, at least one
    where one fits; ``left_out`` in its accounting counts the dropped ones. Memories get at most ``MEMORY_SHARE`` of it.

    Args:
        weighed: The judged items, best first.
        contradictions: Pairs of claims that differ.
        plan: What to read again, most urgent first.
        facts: The question, its budget and what the search found out.
    """
    most = facts.spending.max_tokens
    if most is None:
        shown = quoted(weighed, facts.found.confidence, facts.spending)
        items = [item_object(one) for one in shown]
    else:
        whole = most - _COUNTED
        least = sum(estimated_tokens(_pointer(with_quote(one, ""))) + 1 for one in weighed[:1])
        if facts.memories:
            room = int(most * MEMORY_SHARE) - _MEMORIES_FRAME
            facts = _with_memories(facts, affordable(facts.memories, room, _memory_tokens))
        contradictions, plan, facts = _fit_members(contradictions, plan[:_PRESSING], facts, whole - least)
        room = whole - estimated_tokens(_answer([], contradictions, plan, facts))
        shown = fitted(weighed, room, lambda one: estimated_tokens(_pointer(one)) + 1)
        items = [_pointer(one) for one in shown]
    answer = _answer(items, contradictions, plan, facts)
    if most is not None:
        answer["accounting"]["left_out"] = len(weighed) - len(items)
    # Count before adding the time: equal evidence costs equal tokens, however many digits the time has.
    answer["accounting"]["tokens"] = estimated_tokens(answer)
    answer["accounting"]["elapsed_ms"] = round(facts.elapsed_ms, 3)
    return answer


def _fit_members(
    contradictions: Sequence[Contradiction], plan: Sequence[RefreshTarget], facts: PacketFacts, room: int
) -> tuple[Sequence[Contradiction], Sequence[RefreshTarget], PacketFacts]:
    """Choose the other members within ``room`` tokens: drop refresh targets first, then similar names, the end of the
    echoed question, the commit, memories, contradictions, notes, and the folders above the workspace. The searched
    scope always stays.
    """
    facts = facts._replace(query=facts.query[:_ECHOED])
    while estimated_tokens(_answer([], contradictions, plan, facts)) > room:
        nearest = facts.found.nearest
        if plan:
            plan = plan[:-1]
        elif nearest:
            facts = facts._replace(found=facts.found._replace(nearest=nearest[:-1]))
        elif facts.query:
            facts = facts._replace(query=facts.query[: len(facts.query) // 2])
        elif facts.head:
            facts = facts._replace(head="")
        elif facts.memories:
            facts = _with_memories(facts, facts.memories[:-1])
        elif contradictions:
            contradictions = contradictions[:-1]
        elif facts.notes:
            facts = facts._replace(notes=facts.notes[:-1])
        elif (name := PurePath(facts.workspace).name[:_NAMED]) != facts.workspace:
            facts = facts._replace(workspace=name)
        else:
            break
    return contradictions, plan, facts


def _with_memories(facts: PacketFacts, kept: Sequence[RecalledMemory]) -> PacketFacts:
    left_out = facts.memories_left_out + len(facts.memories) - len(kept)
    return facts._replace(memories=tuple(kept), memories_left_out=left_out)


def _memories(memories: Sequence[RecalledMemory], *, is_bounded: bool) -> dict[str, Any]:
    return {"memories": [memory_entry(one, is_bounded=is_bounded) for one in memories]} if memories else {}


def _memory_tokens(one: RecalledMemory) -> int:
    return estimated_tokens(memory_entry(one, is_bounded=True)) + 1


def _answer(
    items: Sequence[dict[str, Any]],
    contradictions: Sequence[Contradiction],
    plan: Sequence[RefreshTarget],
    facts: PacketFacts,
) -> dict[str, Any]:
    found, is_bounded = facts.found, facts.spending.max_tokens is not None
    signals = {name: state for name, state in found.rankers.items() if not is_bounded or state not in _NOTHING_WRONG}
    return {
        "schema": PACKET_SCHEMA,
        "task_type": facts.task.value,
        "query": _echo(facts.query),
        "workspace": facts.workspace,
        "head": facts.head,
        **{status.value: [item for item in items if item["status"] == status.value] for status in Status},
        **_memories(facts.memories, is_bounded=is_bounded),
        "contradictions": [_contradiction(pair) for pair in contradictions],
        "refresh_targets": [target_object(target) for target in plan],
        "known_empty": found.known_empty,
        "coordinate_confidence": round(found.confidence, 4),
        "nearest": list(found.nearest),
        "notes": list(facts.notes),
        **why_unsearched(found),
        "accounting": {
            "searched": found.searched_items,
            "sources": found.searched_sources,
            "evaluated": found.evaluated,
            **({} if is_bounded and found.indexed_share == 1 else {"indexed_share": round_share(found.indexed_share)}),
            "returned": len(items),
            **({"memories_left_out": facts.memories_left_out} if facts.memories_left_out else {}),
            "tokens": 0,
            "elapsed_ms": 0.0,
            "signals": signals,
        },
    }


def _pointer(one: Weighed) -> dict[str, Any]:
    pointer = item_object(one)
    return {name: pointer[name] for name in _POINTS if name in pointer}


def pointer_object(one: Weighed) -> dict[str, Any]:
    """Serialize what identifies an item, to judge it again later."""
    item = one.ranked.item
    return {
        "source_id": item.source.source_id,
        "gene_id": item.text_hash,
        "symbol": item.symbol,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "content_hash": one.content_hash,
    }


def _echo(query: str) -> str:
    """Return the question, of a very long one its beginning."""
    return query if len(query) <= _LONGEST_ECHO else query[: _LONGEST_ECHO - 1] + "…"


def search_answer(
    query: str, found: Found, elapsed_ms: float, notes: Sequence[str], previews: Sequence[Preview | None] = ()
) -> dict[str, Any]:
    """Return the ``helix.search/1`` object. ``previews`` belong to the ranked items, in order, if there are any.

    Args:
        query: The question as asked.
        found: The ranked items with the confidence of the answer.
        elapsed_ms: Since the question came.
        notes: Sentences about what was not searched.
        previews: One for each ranked item, in order; empty without previews.
    """
    shown = previews or (None,) * len(found.ranked)
    return {
        "schema": SEARCH_SCHEMA,
        "query": _echo(query),
        "items": [
            search_item(ranked) | (_preview(preview) if preview is not None else {})
            for ranked, preview in zip(found.ranked, shown, strict=True)
        ],
        "known_empty": found.known_empty,
        "confidence": round(found.confidence, 4),
        "elapsed_ms": round(elapsed_ms, 3),
        "nearest": list(found.nearest),
        "notes": list(notes),
        **why_unsearched(found),
        "indexed_share": round_share(found.indexed_share),
        "rankers": dict(found.rankers),
    }


def why_unsearched(found: Found) -> dict[str, str]:
    """Return ``unsearched`` with the reason where no file was searched; no member where one was."""
    return {"unsearched": found.unsearched} if found.unsearched else {}


def round_share(share: float) -> float:
    """Round the share of indexed files to four digits; 1 only where all are."""
    return min(round(share, 4), 0.9999) if share < 1 else 1.0


def estimated_tokens(answer: dict[str, Any]) -> int:
    """Estimate the tokens of the answer's compact JSON: an upper bound, as budgets need it."""
    return estimate(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def item_object(one: Weighed) -> dict[str, Any]:
    """Serialize a weighed item, as in every answer."""
    item, source, commit = one.ranked.item, one.ranked.item.source, one.commit
    return {
        "kind": item.kind,
        "gene_id": item.text_hash,
        "title": source.source_id.rpartition("/")[2],
        "source_id": source.source_id,
        "uri": one.uri,
        "source_kind": source.source_kind.value,
        "language": source.language,
        "symbol": item.symbol,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "content_hash": one.content_hash,
        "volatility_class": source.volatility.value,
        "authority_class": source.authority.value,
        "last_verified_at": round(one.verified_at, 3),
        "commit": commit.commit if commit else None,
        "author": commit.author if commit else None,
        "committed_at": commit.committed_at if commit else None,
        "commit_of": "file" if commit else "",
        **({"uncommitted": True} if one.uncommitted else {}),
        "relevance_score": round(one.ranked.score, 6),
        "live_truth_score": round(one.live_truth, 4),
        "status": one.verdict.status.value,
        "reason": one.verdict.reason.value,
        "quote": one.quote,
        "citations": [f"{source.source_id}:{item.start_line}-{item.end_line}"],
        **({"detail": one.verdict.detail} if one.verdict.detail else {}),
        **({"outdated": [document_flag(flag) for flag in one.outdated]} if one.outdated else {}),
        **({"buffer": _lines(one.buffer)} if one.buffer else {}),
        **({"related": True} if one.ranked.related else {}),
    }


def document_flag(flag: DocumentFlag) -> dict[str, Any]:
    """Serialize an outdated statement of a document: the kind of change, the symbol, the line, both sides, and the
    commit at which the statement was right, None for the file's own.
    """
    return {
        "change": flag.change.value,
        "symbol": flag.symbol,
        "line": flag.line,
        "was": flag.was,
        "now": flag.now,
        "since": flag.since.commit if flag.since is not None else None,
    }


def _lines(span: LineSpan) -> dict[str, int]:
    return {"start_line": span.start_line, "end_line": span.end_line}


def search_item(ranked: Ranked) -> dict[str, Any]:
    """Serialize a ranked item of a search answer."""
    item = ranked.item
    return {
        "source_id": item.source.source_id,
        "start_line": ranked.lines.start_line,
        "end_line": ranked.lines.end_line,
        "symbol": item.symbol,
        "kind": item.kind,
        "score": round(ranked.score, 6),
        "signals": [
            {"ranker": signal.ranker, "rank": signal.rank, "share": round(signal.share, 4)} for signal in ranked.signals
        ],
        **({"priors": list(ranked.priors)} if ranked.priors else {}),
        **({"related": True} if ranked.related else {}),
        **(_NOT_INDEXED if any(signal.ranker == Reason.NOT_INDEXED for signal in ranked.signals) else {}),
    }


def _preview(preview: Preview) -> dict[str, Any]:
    verdict = preview.verdict
    return {
        "status": verdict.status.value,
        "reason": verdict.reason.value,
        **({"detail": verdict.detail} if verdict.detail else {}),
        "signature": preview.line,
    }


def _contradiction(pair: Contradiction) -> dict[str, Any]:
    return {
        "key": pair.key,
        "fresher": _claim(pair.fresher),
        "older": _claim(pair.older),
        "order_known": pair.order_known,
    }


def _claim(sourced: SourcedClaim) -> dict[str, Any]:
    return {
        "source_id": sourced.source.source_id,
        "line": sourced.line,
        "value": sourced.value,
        "value_type": sourced.value_type,
    }


def target_object(target: RefreshTarget) -> dict[str, Any]:
    """Serialize a refresh target, as in every answer."""
    return {
        "target_kind": target.target_kind,
        "source_id": target.source_id,
        "start_line": target.start_line,
        "end_line": target.end_line,
        "reason": target.reason.value,
        "priority": target.priority,
    }
