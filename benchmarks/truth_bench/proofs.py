"""Proves, through git and the disk, what an item says of its history, and the two verdicts about more than one file."""

from __future__ import annotations

import os
import re
from typing import Any

from truth_bench.repository import CODE, Repository

_SAYS = re.compile(
    r"^(?P<key>\S+) is (?P<value>.*) in (?P<path>.+):(?P<line>\d+)(?: \(which changed last is not known\))?$", re.S
)


class Proofs:
    """Asks about one repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._then: dict[tuple[str, bytes], bytes] = {}
        self._touching: dict[tuple[bytes, bytes], set[str]] = {}

    def commit_fault(self, path: bytes, commit: str) -> str:
        """Why the commit is not a change of the file; empty when it is one, or when none is named."""
        if not commit or not self._repository.git_dir.exists():
            return ""
        head = self._repository.git("rev-parse", "HEAD", check=False).strip()
        if (head, path) not in self._touching:
            # As if the clone had never been cut: where it was is nobody's change of a file. With `--follow` alone, git
            # leaves out merges that resolved a conflict in the file.
            log = ("--shallow-file", os.devnull, "log", "--format=%H")
            followed = self._repository.git(*log, "--follow", "--", path, check=False)
            merged = self._repository.git(*log, "--", path, check=False)
            self._touching[head, path] = {*followed.decode().split(), *merged.decode().split()}
        known = self._touching[head, path]
        return f"{commit[:12]} did not touch the file" if known and commit not in known else ""

    def is_outdated(self, path: bytes, data: bytes, flags: list[dict[str, Any]]) -> bool:
        """Is one of the flags true: does its symbol read differently now than at the commit that it names, or the
        document's own, and is what it calls gone nowhere any more?"""
        git = self._repository.git
        commit = git("log", "-1", "--format=%H", "--", path, check=False).decode().strip()
        if not commit or self._shown(commit, path).replace(b"\r\n", b"\n") != data.replace(b"\r\n", b"\n"):
            return False
        for flag in flags:
            since = flag["since"] or commit
            if flag["change"] == "file_gone":
                gone = os.fsencode(flag["was"])
                if self._shown(since, gone) and not os.path.lexists(self._repository.path(gone)):
                    return True
                continue
            name = flag["symbol"].partition(" of ")[2] or flag["symbol"]
            changed = [
                one for one in git("diff", "--name-only", "--no-renames", "-z", since, check=False).split(b"\0") if one
            ]
            for one in changed:
                last = name.rpartition(".")[2].encode()
                if one.endswith(CODE) and self._reads_differently(last, since, one, flag["change"] == "name_gone"):
                    return True
        return False

    def _reads_differently(self, name: bytes, commit: str, path: bytes, is_gone: bool) -> bool:
        place = self._repository.path(path)
        if os.path.isfile(place) and not os.access(place, os.R_OK):
            return False
        if is_gone:
            now = self._repository.read(path) if os.path.isfile(place) else b""
            return name in self._shown(commit, path) and name not in now
        if not os.path.isfile(place):
            return False
        now, then = self._repository.read(path), self._shown(commit, path)
        if name not in now or name not in then:
            return False
        return any(_plain(block) not in _plain(then) for block in _blocks(name, now))

    def _shown(self, commit: str, path: bytes) -> bytes:
        known = self._then.get((commit, path))
        if known is None:
            spec = commit.encode() + b":" + path
            known = self._then[commit, path] = self._repository.git("show", spec, check=False)
        return known

    def is_contradicted(self, detail: str) -> bool:
        """Does the other side say what it is said to say, on that line of the disk?"""
        says = _SAYS.match(detail.partition("; ")[0])
        if says is None:
            return False
        place = self._repository.path(os.fsencode(says["path"]))
        if not os.path.isfile(place):
            return False
        with open(place, encoding="utf-8", errors="replace", newline="\n") as file:
            lines = file.read().split("\n")
        line = int(says["line"])
        # A reference of settings names the key in a heading some lines above its default.
        around = "\n".join(lines[max(line - 8, 0) : line + 3]) if line <= len(lines) else ""
        return says["value"] in around and says["key"].rpartition(".")[2] in around


def _blocks(name: bytes, data: bytes) -> list[bytes]:
    """The indented blocks that define ``name``, and the lines that assign it."""
    lines = data.split(b"\n")
    blocks = []
    head = re.compile(rb"^(\s*)(?:async +)?(?:def|class|func|fn|function)?\s*\b" + re.escape(name) + rb"\b")
    for index, line in enumerate(lines):
        match = head.match(line)
        if match is None:
            continue
        end = index + 1
        while end < len(lines) and _goes_on(lines[end], len(match[1])):
            end += 1
        blocks.append(b"\n".join(lines[index:end]))
    return blocks


def _goes_on(line: bytes, depth: int) -> bool:
    """Is the line still of a block that began at this depth? Blank lines, comments and closing brackets end nothing."""
    text = line.lstrip()
    return not text or text.startswith((b"#", b")", b"]")) or len(line) - len(text) > depth


def _plain(text: bytes) -> bytes:
    return b"\n".join(line.rstrip() for line in text.strip().split(b"\n"))
