"""What an answer said, noted as it goes by: text and end of its first choice, up to a cap. Pure, and cheap a chunk."""

from __future__ import annotations

from typing import Any

MOST_CHARS = 256 * 1024


class Told:
    """One answer. ``finish`` is the upstream's own word for why it ended, empty until it said one."""

    __slots__ = ("_parts", "_size", "finish", "is_cut")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = 0
        self.finish = ""
        self.is_cut = False

    @property
    def text(self) -> str:
        """What was said."""
        return "".join(self._parts)

    def chunk(self, chunk: dict[str, Any]) -> None:
        """One event of a stream."""
        self._choices(chunk, "delta")

    def whole(self, answer: Any) -> None:
        """An answer in one piece."""
        if isinstance(answer, dict):
            self._choices(answer, "message")

    def _choices(self, said: dict[str, Any], member: str) -> None:
        choices = said.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            message, finish = choice.get(member), choice.get("finish_reason")
            if isinstance(message, dict) and isinstance(message.get("content"), str):
                self._add(message["content"])
            if isinstance(finish, str):
                self.finish = finish

    def _add(self, text: str) -> None:
        room = MOST_CHARS - self._size
        self.is_cut = self.is_cut or len(text) > room
        if room > 0 and text:
            self._parts.append(text[:room])
            self._size += min(len(text), room)
