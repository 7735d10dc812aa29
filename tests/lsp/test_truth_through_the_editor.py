"""Whatever happens to files and buffers, nothing is verified that is not on disk at those lines, byte for byte.

Seeded steps against a real server; after each of them its answers are held against the files by somebody who has
never heard of an index: what is said to stand there is read, compared and hashed.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.repository import git
from tests.lsp.conftest import make_project
from tests.lsp.wire import Wire

pytestmark = pytest.mark.slow

STEPS = 110
NAMES = ("app/sessions.py", "app/routing.py", "tests/test_sessions.py", "docs/sessions.md", "app/new.py")
QUESTIONS = ("sign_cookie", "verify_cookie signature", "match_route address", "session cookie age", "build_address")
FUTURE_NS = 4_000_000_000 * 10**9


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def common(one: str, other: str) -> str:
    """What both begin with."""
    count = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:count]


class Desk:
    """A window at work: its buffers, its folder, and the packet it has open."""

    def __init__(self, wire: Wire, project: Path, seed: int) -> None:
        self.wire, self.project, self.dice = wire, project, random.Random(seed)
        self.buffers: dict[str, str] = {}
        self.dirty: set[str] = set()
        self.version = 1
        self.stamp = 0
        self.packet: dict[str, Any] = {}

    # What is done

    def steps(self) -> list[Callable[[], None]]:
        edits = [self.open, self.edit, self.edit, self.edit, self.save, self.undo, self.close]
        disk = [self.write, self.write, self.secretly, self.replace, self.delete, self.delete, self.ends, self.mark]
        odd = [self.folder, self.link, self.link_folder, self.rename, self.ahead, self.shift]
        return [*edits, *disk, *odd, self.commit, self.branch, self.merge, self.reset]

    def name(self) -> str:
        return self.dice.choice(NAMES)

    def fresh(self) -> str:
        self.stamp += 1
        return f"{self.stamp:05d}"

    def cleared(self, name: str) -> Path:
        """A path at which a file can be written."""
        file = self.project / name
        for folder in (file.parent, file):
            if folder.is_symlink() or (folder == file and folder.is_file()):
                folder.unlink()
        if file.is_dir():
            shutil.rmtree(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def text(self, name: str) -> str:
        """What the window shows of a file when it opens it."""
        file = self.project / name
        data = file.read_bytes() if file.is_file() else b""
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")

    def changed(self, text: str) -> str:
        """Another line somewhere, or another word in one."""
        lines = text.split("\n")
        at = self.dice.randrange(len(lines))
        if self.dice.random() < 0.5:
            lines.insert(at, f"# \U0001f980 e\u0301 {self.fresh()}")
        else:
            lines[at] = lines[at] + f"  # {self.fresh()}"
        return "\n".join(lines)

    def write(self) -> None:
        name = self.name()
        text = (
            self.changed(self.text(name))
            if self.dice.random() < 0.8
            else f"def sign_cookie(key):\n    return {self.fresh()}\n"
        )
        self.cleared(name).write_text(text, newline="")

    def shift(self) -> None:
        name = self.name()
        text = self.text(name)
        self.cleared(name).write_text("\n" * self.dice.randrange(1, 9) + text, newline="")

    def secretly(self) -> None:
        """Other bytes, as many, with the same time."""
        file = self.project / self.name()
        if not file.is_file() or file.is_symlink() or file.parent.is_symlink():
            return
        before, status = file.read_bytes(), file.stat()
        letters = [at for at, byte in enumerate(before) if byte in b"abcdefghij"]
        if letters:
            at = self.dice.choice(letters)
            file.write_bytes(before[:at] + b"k" + before[at + 1 :])
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def replace(self) -> None:
        name = self.name()
        text = self.changed(self.text(name))
        file = self.cleared(name)
        beside = file.with_name("beside.tmp")
        beside.write_text(text, newline="")
        os.replace(beside, file)

    def delete(self) -> None:
        self.cleared(self.name())

    def ends(self) -> None:
        name = self.name()
        text = self.text(name)
        text = text.replace("\r\n", "\n") if "\r" in text else text.replace("\n", "\r\n")
        self.cleared(name).write_text(text, newline="")

    def mark(self) -> None:
        name = self.name()
        text = self.text(name)
        self.cleared(name).write_bytes(b"\xef\xbb\xbf" + text.encode())

    def folder(self) -> None:
        (self.cleared(self.name()) / "inside").mkdir(parents=True)

    def link(self) -> None:
        name = self.name()
        text = self.text(name)
        outside = self.project.with_name("outside.py")
        outside.write_text(text, newline="")
        self.cleared(name).symlink_to(outside)

    def link_folder(self) -> None:
        outside, app = self.project.with_name("outside"), self.project / "app"
        if app.is_symlink():
            app.unlink()
            return
        if outside.exists():
            shutil.rmtree(outside)
        if app.is_dir():
            app.rename(outside)
            app.symlink_to(outside)

    def rename(self) -> None:
        one, other = self.project / self.name(), self.name()
        if one.is_file() and one != self.project / other:
            data = one.read_bytes()
            one.unlink()
            self.cleared(other).write_bytes(data)

    def ahead(self) -> None:
        file = self.project / self.name()
        if file.exists():
            os.utime(file, ns=(FUTURE_NS, FUTURE_NS))

    def git(self, *arguments: str) -> None:
        git(self.project, *arguments, check=False)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Go on")

    def branch(self) -> None:
        self.git("checkout", "-q", "-f", *self.dice.choice((["main"], ["-B", "side"], ["HEAD~1"], ["side"])))

    def merge(self) -> None:
        self.commit()
        self.git(self.dice.choice(("merge", "rebase")), self.dice.choice(("main", "side")))

    def reset(self) -> None:
        app = self.project / "app"
        if app.is_symlink():
            app.unlink()
        for operation in ("merge", "rebase"):
            self.git(operation, "--abort")
        self.git("reset", "-q", "--hard", "main")

    # Buffers

    def address(self, name: str) -> str:
        return (self.project / name).as_uri()

    def open(self) -> None:
        name = self.name()
        if name not in self.buffers:
            self.buffers[name] = self.text(name)
            self.wire.open(self.project / name, self.buffers[name])

    def told(self, name: str, text: str) -> None:
        """didChange: the whole text, or the span that differs in the client's units."""
        self.version += 1
        self.dirty.add(name)
        before, self.buffers[name] = self.buffers[name], text
        if self.dice.random() < 0.3:
            self.wire.change(self.address(name), text, self.version)
            return
        head = common(before, text)
        if head.endswith("\r"):
            head = head[:-1]
        tail = len(common(before[len(head) :][::-1], text[len(head) :][::-1]))
        if before[len(before) - tail :].startswith("\n"):
            tail -= 1
        upto = before[: len(before) - tail]

        def position(at: str) -> dict[str, int]:
            lines = at.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            return {"line": len(lines) - 1, "character": units(lines[-1])}

        change = {
            "range": {"start": position(head), "end": position(upto)},
            "text": text[len(head) : len(text) - tail],
        }
        params = {"textDocument": {"uri": self.address(name), "version": self.version}, "contentChanges": [change]}
        self.wire.notify("textDocument/didChange", params)

    def opened(self) -> str | None:
        return self.dice.choice(sorted(self.buffers)) if self.buffers else self.open()

    def edit(self) -> None:
        name = self.opened()
        if name is not None:
            self.told(name, self.changed(self.buffers[name]))

    def undo(self) -> None:
        name = self.opened()
        if name is not None:
            self.told(name, self.text(name))

    def save(self) -> None:
        name = self.opened()
        if name is not None:
            self.cleared(name).write_text(self.buffers[name], newline="")
            self.dirty.discard(name)
            self.wire.notify("textDocument/didSave", {"textDocument": {"uri": self.address(name)}})

    def close(self) -> None:
        name = self.opened()
        if name is not None:
            del self.buffers[name]
            self.dirty.discard(name)
            self.wire.notify("textDocument/didClose", {"textDocument": {"uri": self.address(name)}})

    # What is said of it

    def lines(self, source_id: str) -> list[bytes] | None:
        """The lines of a regular file that no link leads to."""
        file = self.project / source_id
        if not file.is_file() or Path(os.path.realpath(file)) != file:
            return None
        return split(file.read_bytes())

    def faults(self, item: dict[str, Any], start: int, end: int) -> str:
        """Why an item may not be called verified at these lines; empty when it may."""
        lines = self.lines(item["source_id"])
        if lines is None:
            return "no such file"
        text = b"".join(lines[start - 1 : end])
        if not text or end > len(lines):
            return f"only {len(lines)} lines"
        if hashlib.sha256(text).hexdigest()[:16] != item["gene_id"]:
            return f"other text: {text!r}"
        if "content_hash" in item and hashlib.sha256(b"".join(lines)).hexdigest() != item["content_hash"]:
            return "another hash"
        if "quote" in item and not text.decode("utf-8", "replace").startswith(item["quote"].rstrip("\n")):
            return f"another quote: {item['quote']!r}"
        # A buffer without edits is taken from the file anew by whoever shows it.
        buffer = self.buffers[item["source_id"]] if item["source_id"] in self.dirty else None
        if buffer is not None and plain(text.decode("utf-8", "replace")) not in plain(buffer):
            return "edited in its buffer"
        return ""

    def ask(self) -> None:
        """A packet, every pointer of which is looked at on disk."""
        question, task = self.dice.choice(QUESTIONS), self.dice.choice(("edit", "explain"))
        if self.packet:
            self.wire.command("helix.packet.close", {"packet_id": self.packet["packet_id"]})
        self.packet = self.wire.command("helix.packet", {"question": question, "task": task, "open": True})
        for item in self.packet["verified"]:
            fault = self.faults(item, item["start_line"], item["end_line"])
            assert not fault, (fault, item)

    def untrue(self) -> list[Any]:
        """What the open packet's marks say wrongly now, as the window was last told."""
        told = [one for one in self.wire.told("helix/verdicts") if one["packet_id"] == self.packet["packet_id"]]
        items = (
            told[-1]["items"]
            if told
            else [{**item, "now": item.get("buffer", item)} for item in self.packet["verified"]]
        )
        found = []
        for item in items:
            if item["status"] == "verified":
                mark = {name: item[name] for name in ("source_id", "gene_id")}
                lines = item["now"]["start_line"], item["now"]["end_line"]
                fault = self.buffer_faults(mark, *lines) if self.is_edited(mark) else self.faults(mark, *lines)
                if fault:
                    found.append((mark, lines, fault))
        return found

    def is_edited(self, item: dict[str, Any]) -> bool:
        return item["source_id"] in self.dirty

    def buffer_faults(self, item: dict[str, Any], start: int, end: int) -> str:
        """The lines of an open packet are those of the buffer, where one with edits is open; the text is the disk's."""
        shown = plain(self.buffers[item["source_id"]]).split("\n")[start - 1 : end]
        on_disk = self.lines(item["source_id"]) or []
        for count, first in ((end - start + 1, first) for first in range(len(on_disk))):
            text = b"".join(on_disk[first : first + count])
            if hashlib.sha256(text).hexdigest()[:16] == item["gene_id"]:
                same = plain(text.decode("utf-8", "replace")).split("\n") == shown
                return "" if same else f"the buffer has {shown}, the disk {text!r}"
        return "nowhere on disk"

    def judged(self) -> None:
        """The plan is made from verdicts of this moment, and the window hears them before it hears the plan."""
        self.wire.command("helix.refreshPlan", {"packet_id": self.packet["packet_id"]})
        assert self.untrue() == []

    def noticed(self) -> None:
        """Nobody asks: the marks change by themselves."""
        deadline = time.monotonic() + 60
        while wrong := self.untrue():
            assert time.monotonic() < deadline, wrong
            time.sleep(0.02)


def split(data: bytes) -> list[bytes]:
    """Lines that end in LF, as lines are counted in a packet."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").removeprefix("\ufeff").removesuffix("\n")


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_verified_that_is_not_there(wire: Wire, tmp_path: Path, seed: int) -> None:
    project = make_project(tmp_path / "project")
    git(project, "branch", "side")
    wire.initialize(project)
    wire.until_fresh(project)
    desk = Desk(wire, project, seed)
    desk.ask()
    steps = desk.steps()
    done: list[str] = []
    try:
        for _ in range(STEPS):
            step = desk.dice.choice(steps)
            done.append(step.__name__)
            step()
            match desk.dice.randrange(8):
                case 0:
                    desk.noticed()
                case 1 | 2 | 3:
                    desk.judged()
                case _:
                    desk.ask()
    except AssertionError as error:
        raise AssertionError(f"after {done[-6:]}: {error}") from error
    # In the end nothing is left to do, and nobody had to ask for it.
    deadline = time.monotonic() + 60
    while not ((status := wire.command("helix.status"))["fresh"] and status["live"]["state"] == "fresh"):
        assert time.monotonic() < deadline, status
        time.sleep(0.1)
