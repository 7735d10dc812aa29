"""The evidence of a chat: decided once for each question, and the same bytes again in every later request.

A chat is never refused, nor delayed for long, for lack of context: a header reports the outcome.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import logging
import re
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any, Literal

from helix_core.conversation import ConversationQuery, Need, own_words, read_conversation, shortened, text_of
from helix_core.engine import Helix
from helix_core.engine.answer import ContextRequest
from helix_core.engine.requests import LEAST_BUDGET
from helix_core.errors import HelixError
from helix_core.model import Pointer
from helix_core.search import ABSENT_NOTE, DOUBT_NOTE, LANGUAGE_NOTE, UNSEARCHED_NOTE
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.proxy.bodies import Body, PlacedBlock, run_in_thread_if_large
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.question import place_for
from helix_ls.proxy.turns import DecidedTurns, SentContexts, TurnDecision, after_question, prefixes_of

LOG = logging.getLogger(__name__)
MOST_SEARCH_S, MOST_QUEUE_S = 15.0, 30.0
"""How long one question may be searched, and how long it may wait for those before it, in seconds."""
SEEN = 8
AT_ONCE = 2
"""Questions of chats that are searched at the same time in one workspace; others wait in their order."""
PROMPT_CHARS = 1024 * 1024
BYTES_PER_TOKEN = 4
MOST_SHOWN = 200
"""Places of earlier turns, the latest ones, that are compared with the disk for a new question."""
BUDGETS_KEPT = 8
"""What a conversation's evidence may take in all, in budgets of one question."""
_BOUNDARY = re.compile(r"^=== helix ([0-9a-f]{16}) begin$", re.MULTILINE)
_NAMES = re.compile(r"[\w.-]{2,100}(?<![.-])")
Became = Literal["added", "empty", "off", "none", "late", "failed"]
LATE = "x-helix-late"
_LATE_FACTS: dict[str, tuple[tuple[str, str], ...]] = {"late": ((LATE, "slow"),), "failed": ()}
KNOWN_EMPTY = (
    "Helix searched all of this workspace and found no place that answers the question (known_empty): "
    "most likely it is not here."
)
"""The text added to a chat that asks for something of the workspace that is not there."""


@dataclass(frozen=True, slots=True)
class Context:
    """What is added to one request: ``blocks`` in the order of their questions, earlier turns' included.

    ``became`` is the outcome for the last question, ``place`` the message that its block comes before, ``need`` what
    it needs of the workspace, ``facts`` are the response headers about its block. ``on_answer`` takes the text of the
    whole answer, by which the conversation is known from others that begin with the same question.
    """

    became: str
    blocks: tuple[PlacedBlock, ...] = ()
    place: int = 0
    packet_id: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    need: Need | None = None
    on_answer: Callable[[str], None] | None = None

    def headers(self) -> list[tuple[str, str]]:
        """Return the response headers about the context."""
        needs = [("x-helix-needs", self.need.value)] if self.need is not None else []
        return [("x-helix-context", self.became), *needs, *self.facts]


@dataclass(frozen=True, slots=True)
class _Planned:
    """A chat, read. ``prefixes`` identify the conversation up to each message; ``prompt`` is the text up to the
    question. ``goes_on`` says that the model has already begun to answer the question, as in a tool loop.
    """

    asked: ConversationQuery
    question: str
    place: int
    prefixes: list[bytes]
    prompt: str
    goes_on: bool


class ChatEvidence:
    """Bound to one event loop. Adds at most ``budget_tokens`` for one question."""

    def __init__(self, budget_tokens: int, measures: Measures) -> None:
        self._budget, self._measures = budget_tokens, measures
        self.turns = DecidedTurns()
        self._deciding: dict[tuple[bytes, str], _SharedDecision] = {}
        self._queues: dict[str, EvidenceQueue] = {}
        self.sent = SentContexts()
        measures.watch_turns(self.turns)

    async def for_chat(self, workspace: OpenWorkspace, body: Body, model: str = "") -> Context:
        """Return the context for this chat, as its client sent it. Expected errors are reported in it, not raised."""
        planned = await run_in_thread_if_large(len(body.text), _planned, body, str(workspace.folder))
        if planned is None:
            return Context("none")
        index = planned.asked.index
        prefix = planned.prefixes[index]
        is_again = self.turns.begin(planned.prefixes)
        earlier = self.turns.earlier(body.messages, planned.prefixes, index, is_again=is_again)
        decided = None
        if planned.goes_on:
            decided = self.turns.answered(body.messages, planned.prefixes, index, is_again=is_again)
        if decided is None:
            decided = await self._shared(
                (planned.prefixes[-1], model), lambda: self._decided(workspace, planned, body, earlier, model=model)
            )
            self.turns.keep(prefix, decided)
            self._measures.add("helix_turns_total", became="decided")
        else:
            self._measures.add("helix_turns_total", became="repeated")
        blocks = tuple(decision.block for decision in (*earlier, decided) if decision.text)
        # An answer in the middle of a tool loop is not what follows the question.
        on_answer = None if planned.goes_on else partial(self._answered, prefix, decided)
        return Context(
            decided.became, blocks, decided.place, decided.bare[:16], decided.facts, planned.asked.need, on_answer
        )

    def _answered(self, prefix: bytes, decided: TurnDecision, text: str) -> None:
        self.turns.keep(after_question(prefix, {"role": "assistant", "content": text}), decided)

    async def _shared(
        self, key: tuple[bytes, str], decide: Callable[[], Coroutine[Any, Any, TurnDecision]]
    ) -> TurnDecision:
        """Decide once for equal requests that are under way at the same time; stop when all of them have gone."""
        shared = self._deciding.get(key)
        if shared is None:
            shared = self._deciding[key] = _SharedDecision(asyncio.ensure_future(decide()))
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.waiting:
                shared.task.cancel()
                if self._deciding.get(key) is shared:
                    del self._deciding[key]

    async def _decided(
        self, workspace: OpenWorkspace, planned: _Planned, body: Body, earlier: Sequence[TurnDecision], *, model: str
    ) -> TurnDecision:
        place, index = planned.place, planned.asked.index
        if planned.asked.need is Need.NOTHING and not planned.asked.worldly:
            return TurnDecision(place, index, "none")
        added = [decision.text for decision in earlier if decision.text]
        used = sum(map(len, added)) // BYTES_PER_TOKEN
        request = ContextRequest(
            budget_tokens=max(LEAST_BUDGET, min(self._budget, BUDGETS_KEPT * self._budget - used)),
            model=model,
            prompt_tokens=len(body.text) // BYTES_PER_TOKEN + used,
            prompt="\n\n".join((*added, planned.prompt)),
            shown=_shown(earlier),
            withdrawn=_withdrawn(earlier),
        )
        began = time.monotonic()
        found = await self._found(workspace, planned, request)
        self._measures.add("helix_context_seconds_total", time.monotonic() - began)
        if isinstance(found, TurnDecision):
            return found
        if found.get("unsearched") and not planned.asked.of_changes:
            # The names here have nothing of the world that it asks about.
            return TurnDecision(place, index, "none")
        decision = _decision(planned, found)
        if decision.facts:
            self.sent.keep(decision.bare[:16], str(workspace.folder), found)
        return self._steady(planned, decision)

    async def _found(
        self, workspace: OpenWorkspace, planned: _Planned, request: ContextRequest
    ) -> dict[str, Any] | TurnDecision:
        place, index = planned.place, planned.asked.index
        queue = self._queues.setdefault(str(workspace.folder), EvidenceQueue())
        async with queue.turn() as is_mine:
            if not is_mine:
                return TurnDecision(place, index, "late", facts=((LATE, "busy"),))
            found = await self._searched(workspace, planned, request)
        return TurnDecision(place, index, found, facts=_LATE_FACTS[found]) if isinstance(found, str) else found

    async def _searched(
        self, workspace: OpenWorkspace, planned: _Planned, request: ContextRequest
    ) -> dict[str, Any] | Literal["late", "failed"]:
        taken_back = threading.Event()

        def ask(helix: Helix) -> dict[str, Any]:
            return helix.context(planned.question, request, asked=planned.asked, cancelled=taken_back.is_set)

        asking = asyncio.ensure_future(workspace.ask(ask))
        asking.add_done_callback(_on_abandoned)
        try:
            await asyncio.wait((asking,), timeout=MOST_SEARCH_S)
        finally:
            taken_back.set()
        if not asking.done():
            return "late"
        error = asking.exception()
        if error is None:
            return asking.result()
        # On any error the chat continues without context: a header reports it, and a defect is logged.
        if not isinstance(error, HelixError):
            LOG.error("no context for a chat", exc_info=error)
        return "failed"

    def _steady(self, planned: _Planned, decision: TurnDecision) -> TurnDecision:
        """Return what the same question got before when only the random boundary differs: a question asked again."""
        known = self.turns.get(planned.prefixes[planned.asked.index])
        return known if known is not None and decision.text and known.bare == decision.bare else decision


@dataclass(slots=True)
class _SharedDecision:
    """A decision under way, and how many requests wait for it."""

    task: asyncio.Future[TurnDecision]
    waiting: int = 0


class EvidenceQueue:
    """The questions of chats to one workspace, in their order. Bound to one event loop."""

    def __init__(
        self, at_once: int = AT_ONCE, most_s: float = MOST_QUEUE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._free, self._at_once, self._most_s, self._clock = asyncio.Semaphore(at_once), at_once, most_s, clock
        self._waiting = 0
        self._took_s: deque[float] = deque(maxlen=SEEN)

    @property
    def expected_s(self) -> float:
        """Return how long a question that comes now waits at least, as fast as the fastest of the last ones.

        A server's first questions take many times longer than others.
        """
        return self._waiting * min(self._took_s) / self._at_once if len(self._took_s) == SEEN else 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """Wait for a turn, and keep it for the block; False where it would come, or has come, too late."""
        if self.expected_s > self._most_s or not await self._has_turn():
            yield False
            return
        began = self._clock()
        try:
            yield True
        finally:
            self._free.release()
            self._took_s.append(self._clock() - began)

    async def _has_turn(self) -> bool:
        self._waiting += 1
        try:
            async with asyncio.timeout(self._most_s):
                await self._free.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
        return True


def _decision(planned: _Planned, found: dict[str, Any]) -> TurnDecision:
    """Return what a question gets of a ``helix.context/1`` object."""
    place, index, text = planned.place, planned.asked.index, found["text"]
    quotes_or_names = bool(found["blocks"]) or any(omission["named"] for omission in found["left_out"])
    is_empty = found["known_empty"] and planned.asked.is_of_workspace and not quotes_or_names
    if is_empty:
        text = f"{KNOWN_EMPTY}\n{text}" if text else KNOWN_EMPTY
    elif text and (note := _doubt(found["notes"])) and f"Note: {note}" not in text:
        text = f"Helix: {note}.\n{text}"
    if not text and "unsearched" in found:
        text, is_empty = f"Helix: {found['unsearched']}.", True
    if not text and (note := next((sentence for sentence in found["notes"] if sentence.startswith(LANGUAGE_NOTE)), "")):
        text, is_empty = f"Helix found nothing to show: {note}.", True
    if not text:
        # What is not here may still be among the files that are not indexed yet.
        if found["indexed_share"] < 1:
            return TurnDecision(place, index, "late", facts=((LATE, "indexing"),))
        return TurnDecision(place, index, "none")
    if not (quotes_or_names or found["known_empty"] or found.get("outdated")):
        # A window of one note says what was not searched: it is no evidence.
        is_empty = is_empty or any(note.startswith(UNSEARCHED_NOTE) for note in found["notes"])
    bare = hashlib.sha256(_unsealed(text).encode("utf-8", "surrogatepass")).hexdigest()
    is_added = not is_empty or bool(found.get("memories"))
    counts = ", ".join(f"{name}={count}" for name, count in found["verdicts"].items())
    facts = (
        ("x-helix-packet-id", bare[:16]),
        ("x-helix-verdicts", counts),
        ("x-helix-budget-tier", str(found["budget_tier"])),
        ("x-helix-tokens", str(found["tokens"])),
        *((("x-helix-memories", str(len(found["memories"]))),) if found.get("memories") else ()),
    )
    return TurnDecision(
        place,
        index,
        "added" if is_added else "empty",
        text,
        bare,
        places=tuple(_pointer(block) for block in found["blocks"] if not block["repeated"]),
        outdated=frozenset((place["source_id"], place["gene_id"]) for place in found.get("outdated", ())),
        facts=facts if is_added else (),
    )


def _doubt(notes: Sequence[str]) -> str:
    """Return the note that the answer, or one of several, is not here; empty without one."""
    return next((note for note in notes if note.startswith((ABSENT_NOTE, DOUBT_NOTE))), "")


def _pointer(block: dict[str, Any]) -> Pointer:
    return Pointer(**{name: block[name] for name in Pointer._fields})


def _shown(earlier: Sequence[TurnDecision]) -> tuple[Pointer, ...]:
    """Return the places that earlier turns quoted, the latest first, without those already named as changed since."""
    known: set[tuple[str, str]] = set()
    shown: list[Pointer] = []
    for decision in reversed(earlier):
        for place in decision.places:
            if (identity := (place.source_id, place.gene_id)) not in known:
                known.add(identity)
                shown.append(place)
        known |= decision.outdated
    return tuple(shown[:MOST_SHOWN])


def _withdrawn(earlier: Sequence[TurnDecision]) -> frozenset[str]:
    """Return the ``gene_id`` of places that a turn named as changed and that none has quoted since."""
    withdrawn: set[str] = set()
    for decision in earlier:
        withdrawn |= {gene_id for _, gene_id in decision.outdated}
        withdrawn -= {place.gene_id for place in decision.places}
    return frozenset(withdrawn)


def _unsealed(text: str) -> str:
    boundary = _BOUNDARY.search(text)
    return text.replace(boundary.group(1), "") if boundary is not None else text


def _on_abandoned(asking: asyncio.Future[dict[str, Any]]) -> None:
    """Retrieve the result of an abandoned question, so that asyncio does not log its exception."""
    if not asking.cancelled():
        asking.exception()


def _planned(body: Body, workspace: str) -> _Planned | None:
    messages = body.messages
    asked = read_conversation(messages) if body.dialect.takes(body.fields) else None
    if asked is None or len(body.starts) != len(messages):
        return None
    if PurePath(workspace).name.lower() in _NAMES.findall(asked.text.lower()):
        # "does shop support graphql?" in the folder shop.
        asked = dataclasses.replace(asked, is_of_workspace=True)
    later = {message.get("role") for message in messages[asked.index + 1 :] if isinstance(message, dict)}
    return _Planned(
        asked,
        own_question(messages, asked.index),
        place_for(messages, asked.index) if body.dialect.is_separate else asked.index,
        prefixes_of(workspace, messages),
        _prompt(messages[: asked.index + 1]),
        goes_on=not later <= {"user", "system", "developer"},
    )


def own_question(messages: list[Any], index: int) -> str:
    """The question as its user wrote it. What JSON escapes may not be text: half of a pair names no character."""
    return shortened(own_words(text_of(messages[index]))).encode("utf-8", "replace").decode()


def _prompt(messages: list[Any]) -> str:
    """Return the end of the messages' text, which is all that a stateless model knows of earlier turns."""
    parts: list[str] = []
    left = PROMPT_CHARS
    for message in reversed(messages):
        if left <= 0:
            break
        text = text_of(message) if isinstance(message, dict) else ""
        parts.append(text[-left:])
        left -= len(text)
    return "\n\n".join(reversed(parts))
