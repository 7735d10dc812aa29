"""Answer a question with a context window: the evidence as text for a chat model."""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from helix_core.config import Config
from helix_core.engine.requests import LEAST_BUDGET, MOST_BUDGET, AnswerRequest
from helix_core.engine.verdict import Judgement, Weigher
from helix_core.errors import HelixError, UsageError
from helix_core.extras import DISTRIBUTION
from helix_core.lines import with_line_feeds
from helix_core.model import (
    NOTE_SCHEME,
    Answered,
    Decoder,
    Found,
    Pointer,
    Ranked,
    Reason,
    RecalledMemory,
    Status,
    TaskType,
    Weighed,
)
from helix_core.packet import memory_entry, memory_line, round_share, why_unsearched
from helix_core.printable import inert_text, safe_text
from helix_core.search import UNSEARCHED_NOTE
from helix_core.store import Reader
from helix_core.tokens import Count, estimate
from helix_core.window import (
    OVER_BUDGET,
    Block,
    Condense,
    Evidence,
    LeftOut,
    Window,
    WindowFact,
    WindowRequest,
    candidates,
    make_window,
    most_places,
    note_window,
)

MAX_TOKENIZER_BYTES = 64 * 1024 * 1024
_COUNTED = 4_096
_LONGEST_COUNTED = 2_000


@dataclass(frozen=True, slots=True)
class WindowTools:
    """``counted_by`` is ``estimate`` or ``tokenizer``; ``notes`` says which requested tool is unavailable."""

    count: Count = estimate
    counted_by: str = "estimate"
    condense: Condense | None = None
    small_models: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class TokenizerError(HelixError):
    """A tokenizer cannot be used."""


def means_of(config: Config) -> WindowTools:
    """Return the tools that the settings name; an unavailable one is noted, and replaced by the estimate."""
    notes: tuple[str, ...] = ()
    count: Count = estimate
    counted_by = "estimate"
    if config.tokenizer:
        try:
            count, counted_by = tokenizer_count(config.tokenizer), "tokenizer"
        except TokenizerError as error:
            notes = (f"tokens are estimated: {error}",)
    condense = condenser() if config.condense_prose else None
    return WindowTools(count, counted_by, condense, config.small_models, notes)


@lru_cache(2)
def tokenizer_count(path: str) -> Count:
    """Return the counter of a ``tokenizer.json``, without begin and end tokens.

    Raises TokenizerError. The file's truncation and padding are disabled: they would falsify the count.
    """
    try:
        size = os.stat(path).st_size
        if size > MAX_TOKENIZER_BYTES:
            raise TokenizerError(f"{path} is larger than a tokenizer; name a tokenizer.json in window.tokenizer")
        with open(path, encoding="utf-8") as file:
            tokenizer = _loaded(file.read())
    except (OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0][:120]
        raise TokenizerError(
            f"{path} is not a tokenizer ({reason}); name a tokenizer.json in window.tokenizer"
        ) from None

    def encoded(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    remembered = lru_cache(_COUNTED)(encoded)

    def count(text: str) -> int:
        plain = text.encode("utf-8", "replace").decode()
        return remembered(plain) if len(plain) <= _LONGEST_COUNTED else encoded(plain)

    return count


def _loaded(text: str) -> Any:
    """Raises ValueError: the library's own error is a bare Exception. Raises TokenizerError where it is missing."""
    if find_spec("tokenizers") is None:
        raise TokenizerError(f'the package tokenizers is not installed; run: pip install "{DISTRIBUTION}[models]"')
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # noqa: BLE001
        raise ValueError(str(error)) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@lru_cache(1)
def condenser() -> Condense | None:
    """Return the sentence chooser of headroom-ai, which is native and uses no network; None where it is not installed.

    Its wider entry points may download models and tables: they are not used, and offline mode is set.
    """
    if find_spec("headroom") is None:
        return None
    crush: Callable[[str, float], str] | None = None

    def condense(text: str, share: float) -> str:
        nonlocal crush
        crush = crush or _crusher()
        return crush(text, share)

    return condense


def _crusher() -> Callable[[str, float], str]:
    os.environ["HEADROOM_OFFLINE"] = "1"
    try:
        from headroom.transforms.text_crusher import TextCrusher
    except ImportError:
        # A version without this function counts as not installed.
        return lambda _text, _share: ""
    crusher = TextCrusher()

    def crush(text: str, share: float) -> str:
        return str(crusher.compress(text, "", share).compressed)

    return crush


CONTEXT_SCHEMA = "helix.context/1"
MOST_OUTDATED = 12
PATIENCE, BUSY_MS = 20, 2_000
"""A model takes seconds to answer: what has changed is read again for it where a hover would only say so, and who
writes the index at that moment is waited for."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a caller may say besides the question; as ``WindowRequest``, which has the units.

    ``delivered`` holds a ``gene_id``, or ``gene_id:content_hash``: then only while the file is the same. ``prompt`` is
    the text of the caller's own messages and of earlier windows: a quote that is there is not repeated. ``shown``
    are the places that earlier windows quoted: those that changed since are named. ``withdrawn`` are the ``gene_id`` of
    places that an earlier window named so and none quoted since: one whose text is back is quoted again.
    """

    budget_tokens: int = 6_000
    decoder: Decoder = Decoder.CONDENSED
    model: str = ""
    delivered: frozenset[str] = frozenset()
    prompt_tokens: int = 0
    context_tokens: int = 128_000
    prompt: str = ""
    shown: tuple[Pointer, ...] = ()
    withdrawn: frozenset[str] = frozenset()

    def checked(self) -> ContextRequest:
        """Return the request. Raises UsageError for an invalid budget."""
        if not LEAST_BUDGET <= self.budget_tokens <= MOST_BUDGET:
            message = f"the budget is {self.budget_tokens} tokens; it must be from {LEAST_BUDGET} to {MOST_BUDGET:,}"
            raise UsageError(message)
        return self


def checked_decoder(name: str) -> Decoder:
    """Return the decoder by name. Raises UsageError that lists the decoders."""
    try:
        return Decoder(name)
    except ValueError:
        raise UsageError(f"unknown decoder {name!r}; use one of {', '.join(Decoder)}") from None


def window_places(wanted: ContextRequest) -> int:
    """Return the number of results to search for, so that a window of this budget can choose."""
    return candidates(wanted.budget_tokens)


SPARE_PLACES = 4
"""Results that are read besides those that a window has room for: some have no text."""


def places_read(wanted: ContextRequest) -> Callable[[Found], int]:
    """Return how many results of a search are read for a window: what it cannot show needs no verdict."""

    def most(found: Found) -> int:
        if found.seems_empty:
            return SPARE_PLACES
        scores = [one.score for one in found.ranked]
        shown = most_places(scores, found.confidence, wanted.budget_tokens, wanted.prompt_tokens, wanted.context_tokens)
        return shown + SPARE_PLACES

    return most


def context(
    request: AnswerRequest,
    wanted: ContextRequest,
    files: Answered,
    recalled: tuple[Answered, dict[int, str]],
    *,
    memories: Sequence[RecalledMemory] = (),
    pauses: tuple[str, ...] = (),
    missing: tuple[str, ...] = (),
    further: Sequence[Ranked] = (),
    reader: Reader,
    weigher: Weigher,
    config: Config,
) -> dict[str, Any]:
    """Return the ``helix.context/1`` object except for the workspace's members (path, own notes).

    ``files`` is the answer from files, ``recalled`` the same with notes among it and their texts by item. ``memories``
    are those of the question, best first; one whose line is in an earlier window is not repeated. ``pauses`` are
    notes of agents that wait for a person, ``missing`` those on files that were set aside. ``further`` were found and
    not read, for lack of room.
    """
    tools = means_of(config)
    answered, texts = recalled
    evidence = _evidence_of(answered, texts, weigher, is_empty=files.found.seems_empty)
    outdated = _outdated(wanted.shown, reader, weigher)
    notes = (*answered.found.notes, *missing, *weigher.observer.notes, *pauses, *_outdated_note(outdated))
    lines = {memory_line(memory): memory for memory in memories}
    window = make_window(
        evidence,
        _facts(reader, evidence),
        _window_request(wanted, answered.found.terms, tools, evidence, outdated),
        confidence=answered.found.confidence,
        count=tools.count,
        boundary=_boundary,
        condense=tools.condense,
        notes=notes,
        remembered=[line for line in lines if line not in wanted.prompt],
    )
    is_unsearched = any(note.startswith(UNSEARCHED_NOTE) for note in answered.found.notes)
    if (outdated or is_unsearched) and not window.text:
        text = note_window(notes, wanted.decoder, _boundary, tools.count)
        window = dataclasses.replace(window, text=text, tokens=tools.count(text))
    about: dict[str, Any] = {"counted_by": tools.counted_by, "notes": list(tools.notes)}
    if window.remembered:
        about["memories"] = [memory_entry(lines[line]) for line in window.remembered]
    if wanted.shown:
        about["outdated"] = [pointer._asdict() for pointer in outdated]
    if not files.found.seems_empty:
        over = tuple(
            LeftOut(one.item.source.source_id, one.item.start_line, one.item.end_line, OVER_BUDGET) for one in further
        )
        window = dataclasses.replace(window, left_out=(*window.left_out, *over))
    return _wire(request, wanted, answered, window, evidence) | about


def _evidence_of(answered: Answered, notes: Mapping[int, str], weigher: Weigher, *, is_empty: bool) -> list[Evidence]:
    """Return the results as evidence; ``notes`` are the texts of those that are notes, by item.

    Of an answer from files that ``is_empty`` only the places that are not indexed yet are left.
    """
    return [
        _note(result, notes[item_id]) if item_id in notes else _evidence(weigher, result)
        for result in answered.weighed
        if (item_id := result.ranked.item.id) in notes or not is_empty or result.verdict.reason is Reason.NOT_INDEXED
    ]


def _window_request(
    wanted: ContextRequest,
    terms: tuple[str, ...],
    tools: WindowTools,
    evidence: Sequence[Evidence],
    outdated: Sequence[Pointer],
) -> WindowRequest:
    """Return what the window is made for: as the caller wants it, with what it delivered before and what changed."""
    return WindowRequest(
        terms=terms,
        budget_tokens=wanted.budget_tokens,
        decoder=wanted.decoder,
        model=wanted.model,
        small_models=tools.small_models,
        delivered=_delivered(wanted, evidence),
        prompt_tokens=wanted.prompt_tokens,
        context_tokens=wanted.context_tokens,
        prompt=wanted.prompt,
        superseded=wanted.withdrawn | _superseded(evidence, outdated),
    )


def _boundary() -> str:
    return secrets.token_hex(8)


def _outdated(shown: Sequence[Pointer], reader: Reader, weigher: Weigher) -> list[Pointer]:
    """Return the places whose text is not on disk any more as it was shown."""
    files = [one for one in shown if not one.source_id.startswith(NOTE_SCHEME)]
    if not files:
        return []
    judged, _ = Judgement(reader, weigher).of(files, TaskType.EXPLAIN, 1.0)
    return [one.pointer for one in judged if one.verdict.status is Status.NEEDS_REFRESH]


def _superseded(evidence: Sequence[Evidence], outdated: Sequence[Pointer]) -> frozenset[str]:
    """Return the gene_ids of evidence of which an earlier window quoted another text that is outdated now."""
    by_file: dict[str, list[Pointer]] = {}
    for one in outdated:
        by_file.setdefault(one.source_id, []).append(one)
    items = (one.weighed.ranked.item for one in evidence)
    return frozenset(
        item.text_hash
        for item in items
        for one in by_file.get(item.source.source_id, ())
        if (item.symbol and item.symbol == one.symbol)
        or (item.start_line <= one.end_line and one.start_line <= item.end_line)
    )


def _outdated_note(outdated: Sequence[Pointer]) -> tuple[str, ...]:
    """Return the note that names places whose quotes above no longer hold; none without any."""
    if not outdated:
        return ()
    places = [f"{one.source_id}:{one.start_line}-{one.end_line}" for one in outdated]
    more = f" and {len(places) - MOST_OUTDATED} more" if len(places) > MOST_OUTDATED else ""
    return (f"changed since it was shown above: {', '.join(places[:MOST_OUTDATED])}{more}",)


def _delivered(request: ContextRequest, evidence: Sequence[Evidence]) -> frozenset[str]:
    """Return the gene_ids delivered before: named alone, or with the file's current hash, or contained in the
    caller's own prompt.
    """
    known: set[str] = set()
    for one in evidence:
        gene_id = one.weighed.ranked.item.text_hash
        is_named = gene_id in request.delivered or f"{gene_id}:{one.weighed.content_hash}" in request.delivered
        if is_named or (one.text and request.prompt and _is_in(request.prompt, one.text)):
            known.add(gene_id)
    return frozenset(known)


def _is_in(prompt: str, text: str) -> bool:
    """Return whether the prompt contains the text, as in a file or as in a window, where it is never shorter."""
    if len(text) > len(prompt):
        return False
    return safe_text(text) in prompt or inert_text(text) in prompt


def _note(one: Weighed, text: str) -> Evidence:
    """Return a note as evidence; without text when it is too old to be trusted."""
    return Evidence(one, "" if one.verdict.status is Status.NEEDS_REFRESH else with_line_feeds(text).rstrip("\n"))


def _evidence(weigher: Weigher, one: Weighed) -> Evidence:
    """Return the whole span as on disk now; without text when the verdict does not match the bytes on disk."""
    item = one.ranked.item
    observed = weigher.observer.look(item.source)
    if observed.file is None or one.verdict.status is Status.NEEDS_REFRESH:
        return Evidence(one, "")
    return Evidence(one, with_line_feeds(weigher.mask(observed).text(item.start_byte, item.end_byte)).rstrip("\n"))


def _facts(reader: Reader, evidence: Sequence[Evidence]) -> list[WindowFact]:
    """Return the literal claims of evidence with text, in its order."""
    items = [one.weighed.ranked.item for one in evidence if one.text]
    claims = reader.claims.of_items([item.id for item in items])
    return [
        WindowFact(hit.key, hit.value, item.source.source_id, hit.line)
        for item in items
        for hit in claims.get(item.id, [])
    ]


def _wire(
    asking: AnswerRequest, request: ContextRequest, answered: Answered, window: Window, evidence: Sequence[Evidence]
) -> dict[str, Any]:
    found = answered.found
    hashes = {one.weighed.ranked.item.source.source_id: one.weighed.content_hash for one in evidence}
    verdicts = Counter(block.status.value for block in window.blocks)
    return {
        "schema": CONTEXT_SCHEMA,
        "query": asking.question,
        "text": window.text,
        "tokens": window.tokens,
        "budget": request.budget_tokens,
        "budget_tier": window.tier,
        "decoder_mode": request.decoder.value,
        "known_empty": found.known_empty,
        **asking.asked.account(),
        "coordinate_confidence": round(found.confidence, 4),
        "nearest": list(found.nearest),
        **why_unsearched(found),
        "indexed_share": round_share(found.indexed_share),
        "verdicts": {status.value: verdicts.get(status.value, 0) for status in Status},
        "blocks": [_plain(block) | {"content_hash": hashes[block.source_id]} for block in window.blocks],
        "left_out": [_members(one) for one in window.left_out],
        "facts": [_members(fact) for fact in window.facts],
        "context_health": dataclasses.asdict(window.health),
    }


def _plain(block: Block) -> dict[str, Any]:
    return {**_members(block), "status": block.status.value, "reason": block.reason.value}


def _members(value: Block | LeftOut | WindowFact) -> dict[str, Any]:
    """Return the members of a flat value; ``asdict`` copies each of them."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
