"""The context block of a chat: made in a question thread, and byte-identical while nothing changed.

A chat is never refused, nor delayed for long, for lack of context: a header reports the outcome.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.conversation import ConversationQuery, Need, own_words, read_conversation, shortened, text_of
from helix_core.engine import Helix
from helix_core.engine.answer import ContextRequest
from helix_core.errors import HelixError
from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.proxy.bodies import Body, run_in_thread_if_large
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.question import place_for

LOG = logging.getLogger(__name__)
MOST_WAIT_S = 5.0
REMEMBERED = 256
PROMPT_CHARS = 1024 * 1024
BYTES_PER_TOKEN = 4
_BOUNDARY = re.compile(r"^=== helix ([0-9a-f]{16}) begin$", re.MULTILINE)
Became = Literal["added", "empty", "off", "none", "late", "failed"]
KNOWN_EMPTY = "Helix searched all of this workspace for what the question asks: it is not here (known_empty)."
"""What a chat is told that asks for something of the workspace that is not there."""


@dataclass(frozen=True, slots=True)
class Context:
    """``text`` is inserted before message ``place`` of the chat, for the question in message ``question``.

    ``found`` is the ``helix.context/1`` object, or None. ``need`` is what the message needs of the workspace.
    """

    became: Became
    place: int = 0
    question: int = 0
    text: str = ""
    packet_id: str = ""
    found: dict[str, Any] | None = None
    need: Need | None = None

    def headers(self) -> list[tuple[str, str]]:
        """Return the response headers about the context."""
        told: list[tuple[str, str]] = [("x-helix-context", self.became)]
        if self.need is not None:
            told.append(("x-helix-needs", self.need.value))
        if self.found is not None:
            counts = ", ".join(f"{name}={count}" for name, count in self.found["verdicts"].items())
            told += [
                ("x-helix-packet-id", self.packet_id),
                ("x-helix-verdicts", counts),
                ("x-helix-budget-tier", str(self.found["budget_tier"])),
                ("x-helix-tokens", str(self.found["tokens"])),
            ]
        return told


@dataclass(frozen=True, slots=True)
class _Planned:
    """``conversation`` identifies one question in all its rounds; ``prompt`` is the text of the messages up to it."""

    asked: ConversationQuery
    question: str
    place: int
    conversation: str
    prompt: str


class ChatEvidence:
    """Bound to one event loop. Adds at most ``budget_tokens`` to a chat."""

    def __init__(self, budget_tokens: int, measures: Measures) -> None:
        self._budget, self._measures = budget_tokens, measures
        self._sent: OrderedDict[str, tuple[str, str]] = OrderedDict()

    async def for_chat(self, workspace: OpenWorkspace, body: Body) -> Context:
        """Return the context for this chat. Expected errors are reported in it, not raised."""
        planned = await run_in_thread_if_large(len(body.text), _planned, body)
        if planned is None:
            return Context("none")
        if planned.asked.need is Need.NOTHING:
            return Context("none", need=Need.NOTHING)
        model = body.fields.get("model")
        request = ContextRequest(
            budget_tokens=self._budget,
            model=model if isinstance(model, str) else "",
            prompt_tokens=len(body.text) // BYTES_PER_TOKEN,
            prompt=planned.prompt,
        )
        began = time.monotonic()
        found = await self._found(workspace, planned, request)
        self._measures.add("helix_context_seconds_total", time.monotonic() - began)
        if isinstance(found, Context):
            return found
        need, index = planned.asked.need, planned.asked.index
        if not found["text"]:
            if found["known_empty"] and planned.asked.is_of_workspace:
                return Context("empty", planned.place, index, KNOWN_EMPTY, need=need)
            # What is not here may still be among the files that are not indexed yet.
            return Context("none" if found["indexed_share"] == 1 else "late", need=need)
        packet_id, text = self._steady(f"{workspace.folder}\0{planned.conversation}", found["text"])
        return Context("added", planned.place, index, text, packet_id, found, need)

    async def _found(
        self, workspace: OpenWorkspace, planned: _Planned, request: ContextRequest
    ) -> dict[str, Any] | Context:
        taken_back = threading.Event()

        def ask(helix: Helix) -> dict[str, Any]:
            return helix.context(planned.question, request, asked=planned.asked, cancelled=taken_back.is_set)

        asking = asyncio.ensure_future(workspace.ask(ask))
        asking.add_done_callback(_heard)
        try:
            await asyncio.wait((asking,), timeout=MOST_WAIT_S)
        finally:
            taken_back.set()
        if not asking.done():
            return Context("late")
        error = asking.exception()
        if error is None:
            return asking.result()
        # On any error the chat continues without context: a header reports it, and a defect is logged.
        if not isinstance(error, HelixError):
            LOG.error("no context for a chat", exc_info=error)
        return Context("failed")

    def _steady(self, conversation: str, text: str) -> tuple[str, str]:
        """Return the text sent earlier in this conversation when only its random boundary differs.

        So the rounds of a tool loop keep the prefix that the upstream has cached.
        """
        bare = hashlib.sha256(_unsealed(text).encode("utf-8", "surrogatepass")).hexdigest()
        known = self._sent.pop(conversation, None)
        sent = known if known is not None and known[0] == bare else (bare, text)
        self._sent[conversation] = sent
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)
        return bare[:16], sent[1]


def _unsealed(text: str) -> str:
    boundary = _BOUNDARY.search(text)
    return text.replace(boundary.group(1), "") if boundary is not None else text


def _heard(asking: asyncio.Future[dict[str, Any]]) -> None:
    """Retrieve the result of an abandoned question, so that asyncio does not log its exception."""
    if not asking.cancelled():
        asking.exception()


def _planned(body: Body) -> _Planned | None:
    asked = read_conversation(body.messages)
    if asked is None:
        return None
    place = place_for(body.messages, asked.index)
    before = body.text[body.starts[0] : body.starts[place]]
    question = own_question(body.messages, asked.index)
    digest = hashlib.sha256(f"{before}\0{question}".encode()).hexdigest()
    return _Planned(asked, question, place, digest, _prompt(body.messages[: asked.index + 1]))


def own_question(messages: list[Any], index: int) -> str:
    """The question as its user wrote it. What JSON escapes may be no text: half of a pair names no character."""
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
