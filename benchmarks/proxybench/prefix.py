"""How much of a conversation an upstream reads anew at each request, with and without evidence: what its cache keeps.

Conversations in the manner of known clients, on the questions and files of a folder; files change between the turns.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from proxybench.client import Way, send_body
from proxybench.figures import Figures

Message = dict[str, Any]
Request = tuple[list[Message], bool]
"""The messages of one request, and whether the round belongs to the question of the one before it."""
ANSWER = "It is in the module of that name: the function checks its input, keeps what it needs and gives the rest on. "
FOLLOW_UPS = ("and where is that tested?", "thanks!", "fix it", "why is it done that way?")


@dataclass(slots=True)
class Count:
    """Bytes of messages: ``anew`` are not a prefix of the request before, ``lost`` were one and are not any more."""

    sent: int = 0
    anew: int = 0
    lost: int = 0
    evidence: int = 0

    def add(self, other: Count) -> None:
        """Add another count."""
        self.sent, self.anew = self.sent + other.sent, self.anew + other.anew
        self.lost, self.evidence = self.lost + other.lost, self.evidence + other.evidence


@dataclass(slots=True)
class Told:
    """What one way has sent of one conversation so far; blocks count as evidence when they are sent first."""

    before: str = ""
    blocks: set[str] = field(default_factory=set)

    def next(self, messages: Sequence[Message], own: Sequence[Message]) -> Count:
        """Count one request; ``own`` are the client's messages."""
        now = "".join(f"{json.dumps(message)}," for message in messages)
        common = next((at for at, (a, b) in enumerate(zip(self.before, now, strict=False)) if a != b), None)
        common = min(len(self.before), len(now)) if common is None else common
        known = {json.dumps(message) for message in own}
        blocks = {one for message in messages if (one := json.dumps(message)) not in known}
        fresh = sum(len(one) + 1 for one in blocks - self.blocks)
        count = Count(len(now), len(now) - common - fresh, len(self.before) - common, fresh)
        self.before, self.blocks = now, self.blocks | blocks
        return count


def chat_client(questions: Sequence[str], _files: Sequence[tuple[str, str]]) -> Iterator[Request]:
    """A chat window that sends its whole history, such as Open WebUI."""
    messages: list[Message] = [{"role": "system", "content": f"You are a helpful assistant. {questions[0]}"}]
    for number, question in enumerate(each for pair in zip(questions, FOLLOW_UPS, strict=False) for each in pair):
        messages.append({"role": "user", "content": question})
        yield list(messages), False
        messages.append({"role": "assistant", "content": f"{number}. {ANSWER * 6}"})


def tools_client(questions: Sequence[str], files: Sequence[tuple[str, str]]) -> Iterator[Request]:
    """An agent with the API's tools, such as Codex or Copilot: four files read for each question."""
    messages: list[Message] = [{"role": "system", "content": f"You are a coding agent. {questions[0]}"}]
    for number, question in enumerate(questions[:3]):
        messages.append({"role": "user", "content": question})
        yield list(messages), False
        for step in range(4):
            name, text = files[(4 * number + step) % len(files)]
            call = {"name": "read_file", "arguments": json.dumps({"path": name})}
            identity = f"call_{number}_{step}"
            calls = [{"id": identity, "type": "function", "function": call}]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            messages.append({"role": "tool", "tool_call_id": identity, "content": text})
            yield list(messages), True
        messages.append({"role": "assistant", "content": ANSWER * 3})


def text_tools_client(questions: Sequence[str], files: Sequence[tuple[str, str]]) -> Iterator[Request]:
    """An agent that writes its tools as text, such as Cline: results are messages of the user."""
    messages: list[Message] = [{"role": "system", "content": f"You are Cline. {questions[0]}"}]
    for number, question in enumerate(questions[:3]):
        about = "<environment_details>\n# Visual Studio Code Open Tabs\nsetup.py\n</environment_details>"
        element = "task" if number == 0 else "feedback"
        parts = [{"type": "text", "text": f"<{element}>\n{question}\n</{element}>"}, {"type": "text", "text": about}]
        messages.append({"role": "user", "content": parts})
        yield list(messages), False
        for step in range(4):
            name, text = files[(4 * number + step) % len(files)]
            messages.append({"role": "assistant", "content": f"<read_file><path>{name}</path></read_file>"})
            messages.append({"role": "user", "content": f"[read_file for '{name}'] Result:\n{text}"})
            yield list(messages), True
        messages.append({"role": "assistant", "content": f"<attempt_completion>{ANSWER}</attempt_completion>"})


def marking_client(questions: Sequence[str], files: Sequence[tuple[str, str]]) -> Iterator[Request]:
    """An agent that moves its cache marks and its reminders to the last message, such as Claude Code."""
    mark = {"cache_control": {"type": "ephemeral"}}
    for messages, goes_on in tools_client([f"{questions[0]} Be exact.", *questions[1:]], files):
        last = messages[-1]
        yield [*messages[:-1], {**last, "content": [{"type": "text", "text": last["content"], **mark}]}], goes_on


def cutting_client(questions: Sequence[str], files: Sequence[tuple[str, str]]) -> Iterator[Request]:
    """A chat window that sends the last six messages only."""
    for messages, goes_on in chat_client([f"{questions[0]} Please.", *questions[1:]], files):
        yield [messages[0], *messages[1:][-7:]], goes_on


CLIENTS: dict[str, Callable[[Sequence[str], Sequence[tuple[str, str]]], Iterator[Request]]] = {
    "chat": chat_client,
    "tools": tools_client,
    "tools as text": text_tools_client,
    "moving marks": marking_client,
    "cut history": cutting_client,
}


async def prefix(figures: Figures, way: Way, pipe: Connection, folder: Path, questions: Sequence[str]) -> None:
    """Bytes read anew, of each client with and without evidence, and in tool loops alone."""
    print("kB of messages read anew: without evidence, with (its own first bytes aside), that evidence; kB lost: both")
    chance = random.Random(0)
    files = [(str(path.relative_to(folder)), path.read_text("utf-8", "replace")[:6_000]) for path in _files(folder)]
    plain_all, with_all, plain_loops, with_loops = Count(), Count(), Count(), Count()
    for name, client in CLIENTS.items():
        plain, added = Count(), Count()
        for _ in range(4):
            asked = chance.sample(list(questions), min(4, len(questions)))
            own, told = Told(), Told()
            for messages, goes_on in client(asked, chance.sample(files, min(12, len(files)))):
                sent = await send_body(way, {"model": "keep", "stream": True, "messages": messages}, pipe)
                one, other = own.next(messages, messages), told.next(sent["messages"], messages)
                plain.add(one)
                added.add(other)
                if goes_on:
                    plain_loops.add(one)
                    with_loops.add(other)
                _edit(folder, sent["messages"], chance)
        plain_all.add(plain)
        with_all.add(added)
        figures.line(name, *(each / 1e3 for each in (plain.anew, added.anew, added.evidence, plain.lost, added.lost)))
    figures.bar("read anew beside no evidence", with_all.anew / plain_all.anew, 1.1, "x")
    figures.bar("in tool loops", with_loops.anew / plain_loops.anew, 1.0, "x")
    figures.bar("evidence that was decided in a tool loop", with_loops.evidence, 0, "B")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if 2_000 < path.stat().st_size < 60_000)[:200]


def _edit(folder: Path, messages: Sequence[Message], chance: random.Random) -> None:
    """Change a file that the evidence quotes, as a person does beside a chat: a line more at its end."""
    quoted = [path for path in _files(folder) if str(path.relative_to(folder)) in json.dumps(messages)]
    if quoted and chance.random() < 0.5:
        path = chance.choice(quoted)
        lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
        lines.insert(len(lines) // 2, f"# looked at {chance.randrange(10**6)}\n")
        path.write_text("".join(lines), "utf-8")
