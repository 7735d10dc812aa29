"""What was decided for the questions of conversations: the evidence that was sent, byte for byte, or that none was.

A decision is found by the conversation's own prefix, a chained hash over its messages up to and including the question.
So two conversations that begin alike share decisions until an answer distinguishes them, an edited history loses only
those after the edit, and a client that rewrites earlier messages gets none back. In memory only, bounded in number
and bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.model import Pointer
from helix_ls.proxy.bodies import PlacedBlock
from helix_ls.proxy.caching import MARKS

MOST_TURNS = 8_192
MOST_BYTES = 32 * 1024 * 1024
TURN_BYTES, PLACE_BYTES = 1_000, 400
"""What a decision takes in memory besides its text, and each of its places, in bytes."""
MOST_SENT = 256
_INSTRUCTING = ("system", "developer")
_VOLATILE = re.compile(r"\w*\d\w*")


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What one question got.

    Attributes:
        place: The message that the text is inserted before.
        question: The message of the question.
        text: The inserted text; empty where nothing was added.
        bare: A hash of the text without its random boundary.
        became: What became of the context, as in the header ``x-helix-context``.
        places: What the text quotes.
        outdated: Places of earlier turns that the text names as changed, as ``source_id`` and ``gene_id``.
        facts: The response headers about the text.
    """

    place: int
    question: int
    became: str
    text: str = ""
    bare: str = ""
    places: tuple[Pointer, ...] = ()
    outdated: frozenset[tuple[str, str]] = frozenset()
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """Return the approximate size in memory, in bytes."""
        return 2 * len(self.text) + PLACE_BYTES * len(self.places) + TURN_BYTES

    @property
    def block(self) -> PlacedBlock:
        """Return the block to insert."""
        return PlacedBlock(self.place, self.question, self.text)


class DecidedTurns:
    """The decisions used last, by prefix. Bound to one thread."""

    def __init__(self, most: int = MOST_TURNS, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._entries: OrderedDict[bytes, TurnDecision] = OrderedDict()
        self._ends: OrderedDict[bytes, None] = OrderedDict()
        self.size = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, prefix: bytes) -> TurnDecision | None:
        """Return the decision for the question that ends this prefix; None for an unknown one."""
        found = self._entries.get(prefix)
        if found is not None:
            self._entries.move_to_end(prefix)
        return found

    def keep(self, prefix: bytes, decision: TurnDecision) -> None:
        """Keep a decision, in place of an earlier one for the same prefix; the ones not used longest are dropped."""
        before = self._entries.pop(prefix, None)
        self.size += decision.size - (before.size if before is not None else 0)
        self._entries[prefix] = decision
        while self._entries and (len(self._entries) > self._most or self.size > self._most_bytes):
            _, dropped = self._entries.popitem(last=False)
            self.size -= dropped.size
            self.dropped += 1

    def begin(self, prefixes: Sequence[bytes]) -> bool:
        """Note a request; return whether the same one came before: a repeated request, or a conversation like it."""
        end = prefixes[-1]
        is_again = end in self._ends
        self._ends[end] = None
        self._ends.move_to_end(end)
        if len(self._ends) > self._most:
            self._ends.popitem(last=False)
        return is_again

    def answered(
        self, messages: Sequence[Any], prefixes: Sequence[bytes], question: int, *, is_again: bool
    ) -> TurnDecision | None:
        """Return what an earlier question of this conversation got; None for an unknown one.

        A question may be decided anew in another conversation that begins with it. One that was answered or went on
        before that keeps what it got: the message after the question distinguishes them, but for a request that came
        before.
        """
        latest, after = self.get(prefixes[question]), after_question(prefixes[question], messages[question + 1])
        own = self.get(after)
        if latest is not None and (own is None or is_again):
            if own is not latest:
                self.keep(after, latest)
            return latest
        return own

    def earlier(
        self, messages: Sequence[Any], prefixes: Sequence[bytes], question: int, *, is_again: bool
    ) -> list[TurnDecision]:
        """Return what the questions before message ``question`` got, in their order."""
        users = (at for at in range(question) if isinstance(messages[at], dict) and messages[at].get("role") == "user")
        found = (self.answered(messages, prefixes, at, is_again=is_again) for at in users)
        return [each for each in found if each is not None]


class SentContexts:
    """The ``helix.context/1`` objects sent last, by packet id, each with its workspace. Bound to one thread.

    A question asked again has the same id as long as its evidence is the same; so has a later request of a tool loop.
    """

    def __init__(self, most: int = MOST_SENT) -> None:
        self._most = most
        self._entries: OrderedDict[str, tuple[str, dict[str, Any]]] = OrderedDict()

    def keep(self, packet_id: str, workspace: str, sent: dict[str, Any]) -> None:
        """Keep an object; the oldest are dropped."""
        self._entries.pop(packet_id, None)
        self._entries[packet_id] = (workspace, sent)
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def of(self, workspace: str) -> list[str]:
        """Return the ids of what was sent of this workspace, the newest first."""
        return [id_ for id_, (folder, _) in reversed(self._entries.items()) if folder == workspace]

    def get(self, packet_id: str, workspace: str) -> dict[str, Any] | None:
        """Return what was sent of this workspace under the id; None for an unknown one."""
        found = self._entries.get(packet_id)
        return found[1] if found is not None and found[0] == workspace else None


def prefixes_of(workspace: str, messages: Sequence[Any]) -> list[bytes]:
    """Return, for each message, the hash of the conversation in this workspace up to and including it.

    What a client may send differently without changing the conversation does not count: marks for a provider's cache,
    a text given as one part, thoughts, and words with digits in the system prompt (times, versions, checksums).
    """
    chain = hashlib.blake2b(workspace.encode("utf-8", "surrogatepass"), digest_size=16)
    prefixes: list[bytes] = []
    for message in messages:
        identity = _identity(message).encode("utf-8", "surrogatepass")
        chain.update(b"%d:" % len(identity))
        chain.update(identity)
        prefixes.append(chain.digest())
    return prefixes


def after_question(prefix: bytes, message: Any) -> bytes:
    """Return the key of the conversations that end with ``prefix`` and go on with this message.

    Clients trim the white space around an answer.
    """
    identity = _identity(message).strip().encode("utf-8", "surrogatepass")
    return hashlib.blake2b(identity, digest_size=16, key=prefix).digest()


def _identity(message: Any) -> str:
    """Return what makes two messages the same, as text."""
    if not isinstance(message, dict):
        return json.dumps(message)
    role, content = str(message.get("role")), _plain(message.get("content"))
    if role in _INSTRUCTING:
        content = _VOLATILE.sub("0", content)
    parts = [role, content]
    if calls := message.get("tool_calls"):
        parts.append(json.dumps(calls, sort_keys=True))
    if of := message.get("tool_call_id"):
        parts.append(str(of))
    return "\0".join(parts)


def _plain(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    if not isinstance(content, list):
        return json.dumps(content, sort_keys=True)
    if len(content) == 1 and isinstance(content[0], dict) and isinstance(text := content[0].get("text"), str):
        return text
    return f"\1{json.dumps([_unmarked(part) for part in content], sort_keys=True)}"


def _unmarked(part: Any) -> Any:
    return {name: part[name] for name in part if name not in MARKS} if isinstance(part, dict) else part
