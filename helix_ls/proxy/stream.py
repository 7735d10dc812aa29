"""Pass an upstream's answer through, as events or in one piece, and record its text up to a limit. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from helix_ls.proxy.dialects import CHAT, Delta, Dialect
from helix_ls.proxy.dialects.dialect import EVENTS

MAX_EVENT_BYTES = 8 * 1024 * 1024
MAX_STREAM_BYTES = 1024 * 1024 * 1024
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_NEW_LINE = re.compile(rb"\n")
_LINE_END = re.compile(r"\r\n|\n|\r")
Outcome = Literal["open", "complete", "failed", "incomplete"]


def _ignore_event(_chunk: dict[str, Any]) -> None:
    """The default ``on_event``: ignore the event."""


class Stream:
    """One streamed answer: server-sent events, or lines of JSON. ``outcome``: complete with its end marker, failed by
    the upstream's own error, else incomplete.
    """

    def __init__(
        self,
        hidden: str = "",
        on_event: Callable[[dict[str, Any]], None] = _ignore_event,
        *,
        dialect: Dialect = CHAT,
    ) -> None:
        """``hidden`` is removed from errors; ``on_event`` is called with every event's object, and must be fast."""
        self._on_chunk = on_event
        self.outcome: Outcome = "open"
        self._hidden = hidden.encode()
        self._buffer = bytearray()
        self._searched = 0
        self._size = 0
        self._reader = dialect.reader()
        self._has_lines = dialect.media != EVENTS
        self._border = _NEW_LINE if self._has_lines else _BLANK_LINE

    @property
    def is_over(self) -> bool:
        """Return whether the last byte for the client was returned."""
        return self.outcome != "open"

    @property
    def is_finished(self) -> bool:
        """Return whether the last event came; what still follows it is passed on, and not waited for."""
        return self._reader.is_finished

    @property
    def kept_bytes(self) -> int:
        """Return the buffered size of an incomplete event, in bytes."""
        return len(self._buffer)

    def feed(self, data: bytes) -> bytes:
        """Return the bytes to pass to the client now."""
        if self.is_over:
            return b""
        self._size += len(data)
        self._buffer += data
        out: list[bytes] = []
        while not self.is_over and (end := self._border.search(self._buffer, max(0, self._searched - 3))):
            event = bytes(self._buffer[: end.end()])
            del self._buffer[: end.end()]
            self._searched = 0
            out.append(self._passed(event))
        self._searched = len(self._buffer)
        if not self.is_over and (len(self._buffer) > MAX_EVENT_BYTES or self._size > MAX_STREAM_BYTES):
            out.append(self.broken("the upstream sent more than an answer may hold"))
        return b"".join(out)

    def end(self, cause: str = "") -> bytes:
        """Return the last bytes for the client after the upstream ended; ``cause`` describes an abnormal end."""
        if self.is_over:
            return b""
        last = b""
        if not cause and self._buffer.strip():
            rest, self._buffer = bytes(self._buffer), bytearray()
            last = self._passed(rest + (b"\n" if self._has_lines else b"\n\n"))
            if self.is_over:
                return last
        if self._reader.has_failed:
            self.outcome = "failed"
            return last + self._reader.ending
        if self._reader.is_finished or (not cause and self._reader.may_end):
            self.outcome = "complete"
            return last + self._reader.ending
        return last + self.broken(cause or "the upstream ended its answer before it was finished")

    def broken(self, message: str) -> bytes:
        """Return the frames of an incomplete answer."""
        self.outcome = "incomplete"
        return self._reader.broken(f"{message}; ask again")

    def _passed(self, event: bytes) -> bytes:
        try:
            text = event.decode("utf-8")
        except UnicodeDecodeError:
            return self.broken("the upstream sent bytes that are not UTF-8 text")
        if self._has_lines:
            return self._read_data(event, text.strip(), "")
        if text.startswith("data:") and text.find("\n") == len(text) - 2 and "\r" not in text:
            # Fast path: nearly every event of a chat is one line.
            return self._read_data(event, text[5:].strip(), "")
        data: list[str] = []
        named = ""
        for line in _LINE_END.split(text):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                data.append(value)
            elif name == "event":
                named = value if named != "error" else named
            elif line.lstrip().startswith("{"):
                # Some servers end a failed stream with a bare JSON object, which clients ignore.
                return self.broken(self._error_message(line))
        return self._read_data(event, "\n".join(data).strip(), named)

    def _read_data(self, event: bytes, data: str, named: str) -> bytes:
        if data == "[DONE]" and not self._has_lines:
            if self._reader.ending or self._reader.may_end or self._reader.has_failed:
                self.outcome = "failed" if self._reader.has_failed else "complete"
            return event
        return self._on_event(event, data, named) if data else event

    def _on_event(self, event: bytes, data: str, named: str) -> bytes:
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            return self.broken("the upstream sent invalid JSON")
        if not isinstance(chunk, dict):
            return self.broken("the upstream sent something else than an object")
        self._reader.read(named, chunk)
        if self._reader.has_failed:
            return event.replace(self._hidden, b"[key]") if self._hidden else event
        self._on_chunk(chunk)
        return event

    def _error_message(self, line: str) -> str:
        """Return the message of a bare error object, or ""."""
        try:
            error = json.loads(line).get("error")
        except (ValueError, RecursionError):
            return "the upstream sent a line that is not an event"
        message = error.get("message") if isinstance(error, dict) else error
        if not isinstance(message, str) or not message.strip():
            return "the upstream sent a line that is not an event"
        if self._hidden:
            message = message.replace(self._hidden.decode(), "[key]")
        return f"the upstream failed: {message[:500]}"


MOST_CHARS = 256 * 1024


class CompletionRecorder:
    """Accumulates the text of an answer, up to a limit. ``finish`` is the reason to finish in OpenAI's words, empty
    until received.
    """

    __slots__ = ("_dialect", "_parts", "_size", "finish", "is_cut")

    def __init__(self, dialect: Dialect = CHAT) -> None:
        self._dialect = dialect
        self._parts: list[str] = []
        self._size = 0
        self.finish = ""
        self.is_cut = False

    @property
    def text(self) -> str:
        """Return the accumulated text."""
        return "".join(self._parts)

    def chunk(self, chunk: dict[str, Any]) -> None:
        """Add one event of a stream."""
        self._add(self._dialect.delta(chunk))

    def whole(self, answer: Any) -> None:
        """Add a non-streaming answer."""
        self._add(self._dialect.whole(answer))

    def _add(self, delta: Delta) -> None:
        self.finish = delta.finish or self.finish
        room = MOST_CHARS - self._size
        self.is_cut = self.is_cut or len(delta.text) > room
        if room > 0 and delta.text:
            self._parts.append(delta.text[:room])
            self._size += min(len(delta.text), room)


MAX_ANSWER_BYTES = 64 * 1024 * 1024
_QUOTED = 500


@dataclass(frozen=True, slots=True)
class Whole:
    """A complete response; ``is_own`` means that the body is ours and not the upstream's."""

    status: int
    body: bytes
    is_own: bool = False


def checked(status: int, body: bytes, *, hidden: str = "", dialect: Dialect = CHAT) -> Whole:
    """Return the response to pass on. ``hidden`` is removed from errors."""
    if 300 <= status < 400:
        why = "the upstream redirects, which is not followed; configure the address it redirects to"
        return error_response(502, why, dialect=dialect)
    why = _json(body)
    if status == 401:
        # A client would take it for a refusal of the key that it sent to this server.
        refused = _message(why) or "it gives no reason"
        how = "set HELIX_UPSTREAM_KEY, or run: helix connect upstream NAME --key"
        message = f"the upstream refuses the key that Helix has for it ({refused}); {how}"
        message = message.replace(hidden, "[key]") if hidden else message
        return error_response(status, message, "upstream_key_refused", dialect=dialect)
    if status < 300:
        if isinstance(why, dict | list):
            return Whole(status, body)
        message = "the upstream's answer is not valid JSON; see whether its address is right"
        return error_response(502, message, dialect=dialect)
    if dialect.is_error(why):
        return Whole(status, body.replace(hidden.encode(), b"[key]") if hidden else body)
    message = _message(why)
    if hidden:
        message = message.replace(hidden, "[key]")
    if not message and status in (404, 405):
        message = f"the upstream has no {dialect.route} ({status}); see whether its address is right, or choose another"
    return error_response(
        status, message or f"the upstream answered {status} and no reason; see its log", dialect=dialect
    )


def wants_turns(status: int, body: bytes) -> bool:
    """Return whether a chat template rejected two consecutive user messages. Several do, in these words.

    "Conversation roles must alternate user/assistant/user/assistant/…" is Gemma's, Llama 2's and Mistral's.
    """
    return status in (400, 422, 500) and b"must alternate" in body


def error_response(status: int, message: str, code: str | None = "upstream_error", *, dialect: Dialect = CHAT) -> Whole:
    """Return an error of our own, in the shape of the dialect."""
    return Whole(status, json.dumps(dialect.error(status, message, code)).encode(), is_own=True)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _message(decoded: Any) -> str:
    if not isinstance(decoded, dict):
        return ""
    inner = decoded["error"] if isinstance(decoded.get("error"), dict) else {}
    given = (inner.get("message"), *(decoded.get(name) for name in ("error", "message", "detail")))
    return next((each for each in given if isinstance(each, str)), "")[:_QUOTED]
