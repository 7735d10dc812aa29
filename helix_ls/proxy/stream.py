"""A stream of server-sent events on its way through: bytes in, the same bytes out, whole events at a time. Pure.

What a client would take for a good answer though it is none is said instead: a stream that stops before its end, bytes
that are no text, JSON that is none. The end is then an error frame and ``[DONE]``, never a reason to stop made up here.
Events: https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

from helix_ls.proxy.refused import error_object

MAX_EVENT_BYTES = 8 * 1024 * 1024
MAX_STREAM_BYTES = 1024 * 1024 * 1024
DONE = b"data: [DONE]\n\n"
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_LINE_END = re.compile(r"\r\n|\n|\r")
Outcome = Literal["open", "complete", "failed", "incomplete"]


def _unheard(_chunk: dict[str, Any]) -> None:
    """Nobody notes what goes by."""


class Stream:
    """One answer. ``outcome``: complete with its end, failed as the upstream itself said, incomplete for the rest."""

    def __init__(self, hidden: str = "", heard: Callable[[dict[str, Any]], None] = _unheard) -> None:
        """``hidden`` is never said in an error; ``heard`` is told every event's object, and must not take long."""
        self._tell = heard
        self.outcome: Outcome = "open"
        self._hidden = hidden
        self._kept = bytearray()
        self._looked = 0
        self._size = 0
        self._begun: set[Any] = set()
        self._finished: set[Any] = set()
        self._has_failed = False

    @property
    def is_over(self) -> bool:
        """Has everything been said that the client will hear?"""
        return self.outcome != "open"

    @property
    def kept_bytes(self) -> int:
        """How much of an event has come that is not yet whole."""
        return len(self._kept)

    def feed(self, data: bytes) -> bytes:
        """What the client may hear now."""
        if self.is_over:
            return b""
        self._size += len(data)
        self._kept += data
        out: list[bytes] = []
        while not self.is_over and (end := _BLANK_LINE.search(self._kept, max(0, self._looked - 3))):
            event = bytes(self._kept[: end.end()])
            del self._kept[: end.end()]
            self._looked = 0
            out.append(self._passed(event))
        self._looked = len(self._kept)
        if not self.is_over and (len(self._kept) > MAX_EVENT_BYTES or self._size > MAX_STREAM_BYTES):
            out.append(self.broken("the upstream sent more than an answer may hold"))
        return b"".join(out)

    def end(self, cause: str = "") -> bytes:
        """The upstream has nothing more; ``cause`` says why if that was no ordinary end. What the client hears last."""
        if self.is_over:
            return b""
        last = b""
        if not cause and self._kept.strip():
            rest, self._kept = bytes(self._kept), bytearray()
            last = self._passed(rest + b"\n\n")
            if self.is_over:
                return last
        if self._has_failed:
            self.outcome = "failed"
            return last + DONE
        if not cause and self._finished and self._begun <= self._finished:
            self.outcome = "complete"
            return last + DONE
        return last + self.broken(cause or "the upstream ended its answer before it was finished")

    def broken(self, message: str) -> bytes:
        """The frames of an answer that cannot be completed."""
        self.outcome = "incomplete"
        frame = error_object(502, f"{message}; ask again", "upstream_incomplete")
        return b"data: " + json.dumps(frame, separators=(",", ":")).encode() + b"\n\n" + DONE

    def _passed(self, event: bytes) -> bytes:
        try:
            text = event.decode("utf-8")
        except UnicodeDecodeError:
            return self.broken("the upstream sent bytes that are no UTF-8 text")
        if text.startswith("data:") and text.find("\n") == len(text) - 2 and "\r" not in text:
            # What nearly every event is: one line, which needs no taking apart.
            return self._listened(event, text[5:].strip(), False)
        data: list[str] = []
        says_error = False
        for line in _LINE_END.split(text):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                data.append(value)
            elif name == "event":
                says_error = says_error or value == "error"
            elif line.lstrip().startswith("{"):
                # Some servers end a failed stream with a bare object, which clients do not see.
                return self.broken(self._said(line))
        return self._listened(event, "\n".join(data).strip(), says_error)

    def _listened(self, event: bytes, said: str, says_error: bool) -> bytes:
        if said == "[DONE]":
            self.outcome = "failed" if self._has_failed else "complete"
            return event
        return self._heard(event, said, says_error) if said else event

    def _heard(self, event: bytes, said: str, says_error: bool) -> bytes:
        try:
            chunk = json.loads(said)
        except (ValueError, RecursionError):
            return self.broken("the upstream sent JSON that is none")
        if not isinstance(chunk, dict):
            return self.broken("the upstream sent something else than an object")
        if says_error or chunk.get("error"):
            self._has_failed = True
            return event.replace(self._hidden.encode(), b"[key]") if self._hidden else event
        self._tell(chunk)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                index = choice.get("index") if isinstance(choice.get("index"), int) else 0
                self._begun.add(index)
                if choice.get("finish_reason") is not None:
                    self._finished.add(index)
        return event

    def _said(self, line: str) -> str:
        """The message of a bare error object, as far as it has one."""
        try:
            error = json.loads(line).get("error")
        except (ValueError, RecursionError):
            return "the upstream sent a line that is no event"
        message = error.get("message") if isinstance(error, dict) else error
        if not isinstance(message, str) or not message.strip():
            return "the upstream sent a line that is no event"
        if self._hidden:
            message = message.replace(self._hidden, "[key]")
        return f"the upstream failed: {message[:500]}"
