"""A throw-away copy of a repository with branches that conflict, and git as a person would run it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import time
from pathlib import Path
from random import Random

MAIN, SIDE, CONFLICTING, RENAMING = "bench-main", "bench-side", "bench-conflicting", "bench-renaming"
OF_C = (b".c", b".h", b".cc", b".cpp", b".hpp")
OF_MODIFIERS = (b".java", b".cs")
OF_WORDS = (b".php", b".rb", b".kt", b".swift", b".sh", b".bash", b".lua")
CODE = (b".py", b".js", b".ts", b".tsx", b".go", b".rs", *OF_MODIFIERS, *OF_WORDS, *OF_C)
OF_HASHES = (b".py", b".rb", b".sh", b".bash")
PROSE = (b".md", b".rst", b".txt")
DEFINITION = re.compile(rb"^([ \t]*)(?:async +)?(?:def|class|func|fn|function) +(\w+)", re.M)
"""Indent and name of a definition."""
DEFINITION_OF_C = re.compile(
    rb"^([ \t]*)(?:(?:class|struct) +(?=\w+ *\{)|(?<![ \t])(?:[A-Za-z_][\w:<>]*[ \t*&]+)+(?=\w+\([^;]*$))(\w+)", re.M
)
DEFINITION_OF_JAVA = re.compile(
    rb"^([ \t]*)(?:(?:public|protected|private|internal|static|final|sealed|abstract|virtual|override|partial|readonly"
    rb"|async|synchronized) +)+(?:(?:class|interface|enum|record|struct) +|[\w.<>\[\], ?]+ (?=\w+\([^;]*$))(\w+)",
    re.M,
)
DEFINITION_BY_A_WORD = re.compile(
    rb"^([ \t]*)(?:(?:public|protected|private|internal|fileprivate|open|static|final|abstract|override|suspend|inline"
    rb"|data|sealed|local) +)*(?:(?:def|class|module|function|fun|func|trait|interface|object|struct|enum|protocol) +"
    rb"(?:self\.)?|(?=\w+ *\(\) *\{))(\w+)",
    re.M,
)
_CLASS = re.compile(
    rb"^([ \t]*(?:(?:export|default|public|protected|private|static|final|abstract) +)*class +)(\w+)", re.M
)
# Larger than what is parsed within a packet's budget.
LARGE_BYTES = 75_000
_FILLER = """

class BenchFiller{number}:
    \"\"\"Makes the file long.\"\"\"

    def method_{number}(self, value):
        total = value * {number}
        for part in range(total):
            total -= part // {number}
        return total
"""
OPERATIONS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class Repository:
    """A work tree of our own. Every path is bytes, relative to ``root``."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self._environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Bench",
            "GIT_AUTHOR_EMAIL": "bench@example.org",
            "GIT_COMMITTER_NAME": "Bench",
            "GIT_COMMITTER_EMAIL": "bench@example.org",
            "GIT_EDITOR": "true",
        }
        self._commit_time = int(time.time()) - 30 * 86_400

    @property
    def git_dir(self) -> Path:
        return self.root / ".git"

    def git(self, *arguments: str | bytes, check: bool = True) -> bytes:
        """Standard output of one git command; ``check`` False accepts failure (a conflict is one)."""
        self._commit_time += 60
        environment = {
            **self._environment,
            "GIT_AUTHOR_DATE": f"{self._commit_time} +0000",
            "GIT_COMMITTER_DATE": f"{self._commit_time} +0000",
        }
        quiet = [
            "-c",
            "safe.directory=*",
            "-c",
            "gc.auto=0",
            "-c",
            "advice.detachedHead=false",
            "-c",
            "core.autocrlf=false",
        ]
        done = subprocess.run(
            ["git", *quiet, *arguments], cwd=self.root, env=environment, capture_output=True, check=False
        )
        if check and done.returncode:
            found = sorted(os.listdir(self.git_dir)) if self.git_dir.is_dir() else "no folder"
            raise RuntimeError(f"git {arguments!r}: {done.stderr.decode(errors='replace')} .git: {found}")
        return done.stdout

    def path(self, relative: bytes) -> bytes:
        """The absolute path."""
        return os.fsencode(self.root) + b"/" + relative

    def read(self, relative: bytes) -> bytes:
        """The bytes of a regular file; OSError for anything else, a pipe nobody writes to included."""
        descriptor = os.open(self.path(relative), os.O_RDONLY | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(f"{relative!r} is not a regular file")
            return file.read()

    def tracked(self) -> list[bytes]:
        return [path for path in self.git("ls-files", "-z").split(b"\0") if path]

    def operation(self) -> bool:
        """Is a merge, rebase, cherry-pick or revert under way?"""
        return any(os.path.lexists(self.git_dir / name) for name in OPERATIONS)

    def restore(self) -> None:
        """The main branch, exactly as committed, nothing under way and nothing untracked."""
        for name in OPERATIONS[3:]:
            shutil.rmtree(self.git_dir / name, ignore_errors=True)
        for name in (*OPERATIONS[:3], "index.lock", "shallow", "AUTO_MERGE", "REBASE_HEAD"):
            (self.git_dir / name).unlink(missing_ok=True)
        for left in self.git_dir.glob("BISECT_*"):
            left.unlink()
        (self.git_dir / "HEAD").write_text(f"ref: refs/heads/{MAIN}\n")
        for name in ("refs/stash", "logs/refs/stash"):
            (self.git_dir / name).unlink(missing_ok=True)
        self.git("reset", "-q", "--hard", MAIN)
        self.git("clean", "-ffdxq")


def copy_of(source: Path, destination: Path, home: Path, rng: Random) -> Repository:
    """A copy of ``source`` with a history made for breaking: conflicting and diverging branches."""
    shutil.copytree(source, destination, symlinks=True)
    repository = Repository(destination, home)
    if not (destination / ".git").exists():
        repository.git("init", "-q")
        repository.git("add", "-A")
        repository.git("commit", "-qm", "the sources")
    repository.git("checkout", "-q", "-B", MAIN)
    repository.git("clean", "-ffdxq")
    repository.git("reset", "-q", "--hard")
    _grow(repository, rng)
    return repository


def _grow(repository: Repository, rng: Random) -> None:
    code = [
        path
        for path in repository.tracked()
        if path.endswith(CODE) and definition_in(path).search(_text(repository, path))
    ]
    if not code:
        raise ValueError(f"{repository.root.name} holds no definition in a language that is mutated here")
    _lengthen(repository, [path for path in code if path.endswith(b".py")], rng)
    many = min(12, max(2, len(code) // 4))
    shared = rng.sample(code, min(many, len(code)))
    for number in range(3):
        _commit(repository, rng.sample(code, min(many, len(code))), f"work {number}")
    repository.git("checkout", "-q", "-b", CONFLICTING)
    _commit(repository, shared, "theirs")
    _commit(repository, rng.sample(code, min(many, len(code))), "theirs, too")
    repository.git("checkout", "-q", "-b", SIDE, f"{MAIN}~2")
    _commit(repository, rng.sample(code, min(many, len(code))), "aside")
    moved = rng.choice(code)
    repository.git("mv", moved, moved.replace(b".", b"_moved.", 1) if b"/" not in moved else _beside(moved))
    repository.git("commit", "-qm", "a move")
    repository.git("checkout", "-q", MAIN)
    repository.git("checkout", "-q", "-b", RENAMING)
    for path in code:
        with open(repository.path(path), "r+b") as file:
            renamed = _CLASS.sub(rb"\1\2OfTheBranch", file.read())
            file.seek(0)
            file.write(renamed)
    repository.git("commit", "-qam", "classes renamed", check=False)
    repository.git("checkout", "-q", MAIN)
    _commit(repository, shared, "ours")
    _commit(repository, rng.sample(code, min(many, len(code))), "ours, too")


def definition_in(path: bytes) -> re.Pattern[bytes]:
    """The pattern of a definition in a file of code: its groups are the indent and the name."""
    if path.endswith(OF_MODIFIERS):
        return DEFINITION_OF_JAVA
    if path.endswith(OF_WORDS):
        return DEFINITION_BY_A_WORD
    return DEFINITION_OF_C if path.endswith(OF_C) else DEFINITION


def _lengthen(repository: Repository, code: list[bytes], rng: Random) -> None:
    """Some files become too long to be parsed while a packet is made."""
    for path in rng.sample(code, min(8, len(code) // 6)):
        size_bytes, number = len(repository.read(path)), 1
        with open(repository.path(path), "ab") as file:
            while size_bytes <= LARGE_BYTES * 1.2:
                size_bytes += file.write(_FILLER.format(number=number).encode())
                number += 1


def _beside(path: bytes) -> bytes:
    folder, _, name = path.rpartition(b"/")
    return folder + b"/moved_" + name


def _commit(repository: Repository, paths: list[bytes], message: str) -> None:
    """Change the line after the first definition of each path, differently on every call."""
    for path in paths:
        data = _text(repository, path)
        match = definition_in(path).search(data)
        if match is None:
            continue
        line_end = data.find(b"\n", match.end())
        mark = b"#" if path.endswith(OF_HASHES) else b"--" if path.endswith(b".lua") else b"//"
        note = b"        " + mark + b" " + message.encode() + b" in " + match[2]
        with open(repository.path(path), "wb") as file:
            file.write(data[: line_end + 1] + note + b"\n" + data[line_end + 1 :])
    repository.git("add", "-A")
    repository.git("commit", "-q", "--allow-empty", "-m", message)


def _text(repository: Repository, path: bytes) -> bytes:
    status = os.lstat(repository.path(path)) if os.path.lexists(repository.path(path)) else None
    return repository.read(path) if status is not None and stat.S_ISREG(status.st_mode) else b""


def remove(path: bytes | Path) -> None:
    """Remove whatever stands at ``path``, links unfollowed, permissions notwithstanding."""
    place = os.fsencode(path)
    if not os.path.lexists(place):
        return
    if os.path.isdir(place) and not os.path.islink(place):
        os.chmod(place, 0o700)
        for folder, names, _ in os.walk(place):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(place)
    else:
        os.unlink(place)
