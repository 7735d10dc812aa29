"""What git remembers of files: who touched them last, line by line, and which change together.

Every pass is bounded in time and commits; a partial answer is marked, never passed off as whole. Paths in and out
are relative to the workspace root.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from helix_core.model import LastCommit
from helix_core.workspace.git import TIMEOUT_SECONDS, Git

_MARK = b"\x01"
_FORMAT = "--format=%x01%H%x00%an%x00%ct"
_LOG = ("log", "-z", _FORMAT, "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature")
_CO_CHANGE_FILES = 30
_MOST_BOUNDARY_BYTES = 1 << 20


class LastCommits(dict[bytes, LastCommit]):
    """The last commit of each path; ``complete`` is False when time ran out before every path was met.

    Paths that were never committed, and those that a shallow clone knows from its boundary only, have none.
    """

    complete: bool = True


class CoChanges(dict[tuple[bytes, bytes], int]):
    """How often two files changed in one commit; ``commits`` were counted, ``touched`` says how often each file was in
    one of them."""

    def __init__(self) -> None:
        super().__init__()
        self.commits = 0
        self.touched: Counter[bytes] = Counter()


def last_commits(git: Git, timeout_seconds: float = 10.0, paths: Sequence[bytes] = ()) -> LastCommits:
    """The newest commit that touched each tracked file, or each of ``paths``, in one pass back from HEAD.

    A merge counts for what it resolved. Stops as soon as every tracked path was met. Empty on an unborn branch.
    Raises ``GitError``.
    """
    found = LastCommits()
    missing = set(paths) or _tracked(git)
    if not missing or not _has_commits(git):
        return found
    boundaries, started = shallow_boundaries(git), time.monotonic()
    asked: Sequence[bytes] = paths or ((b".",) if git.prefix else ())
    command: list[str | bytes] = [*_LOG, "-c", "--relative", "HEAD"]
    if asked:
        command += ["--", *asked]
    with git.stream(command, timeout_seconds=timeout_seconds) as pieces:
        for commit, touched in _commits(pieces):
            met = missing.intersection(touched)
            missing -= met
            if commit.commit not in boundaries:
                found.update(dict.fromkeys(met, commit))
            if not missing:
                break
    found.complete = not missing or time.monotonic() - started < timeout_seconds
    return found


def co_changes(
    git: Git,
    max_commits: int = 2000,
    max_files: int = _CO_CHANGE_FILES,
    timeout_seconds: float = 10.0,
    stopped: threading.Event | None = None,
) -> CoChanges:
    """How often two files changed in one commit, over the last ``max_commits``; pairs in byte order.

    Commits of more than ``max_files`` files say nothing about kinship and are left out. Ends early once ``stopped`` is
    set. Raises ``GitError``.
    """
    found = CoChanges()
    pairs: Counter[tuple[bytes, bytes]] = Counter()
    if not _has_commits(git):
        return found
    below, boundaries = ("--", ".") if git.prefix else (), shallow_boundaries(git)
    command = [*_LOG, f"--max-count={max_commits}", "--no-merges", "--relative", "HEAD", *below]
    with git.stream(command, timeout_seconds=timeout_seconds) as pieces:
        for commit, paths in _commits(pieces):
            if stopped is not None and stopped.is_set():
                break
            if 0 < len(paths) <= max_files and commit.commit not in boundaries:
                found.commits += 1
                found.touched.update(paths)
                pairs.update(combinations(sorted(paths), 2))
    found.update(pairs)
    return found


def blame(
    git: Git,
    path: bytes,
    start_line: int,
    end_line: int,
    *,
    contents: bytes | None = None,
    timeout_seconds: float = TIMEOUT_SECONDS,
    stopped: threading.Event | None = None,
) -> list[LastCommit]:
    """The commit each line of ``path`` comes from, for lines ``start_line`` to ``end_line`` as they are on disk.

    ``contents`` are the file's bytes where they are known: git then reads them instead of the file. Lines not committed
    yet have a ``commit`` of zeros. Ends early once ``stopped`` is set. Raises ``GitError``, also when git does not know
    the file.
    """
    command = ["blame", "--porcelain", "--no-ignore-revs-file", "--no-textconv", "--no-ext-diff"]
    given = ["--contents", "-"] if contents is not None else []
    output = git.run(
        [*command, *given, f"-L{start_line},{end_line}", "--", path],
        stdin=contents,
        timeout_seconds=timeout_seconds,
        fresh_filters=True,
        stopped=stopped,
    )
    return list(_blamed(output))


def shallow_boundaries(git: Git) -> frozenset[str]:
    """The commits whose parents a shallow clone does not have; none in a whole one (gitrepository-layout(5))."""
    try:
        with open(git.common_dir + b"/shallow", "rb") as file:
            return frozenset(file.read(_MOST_BOUNDARY_BYTES).decode("ascii", "replace").split())
    except OSError:
        return frozenset()


def _tracked(git: Git) -> set[bytes]:
    return {path for path in git.run(["ls-files", "-z", "--cached"]).split(b"\0") if path}


def _has_commits(git: Git) -> bool:
    return bool(git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], accepted=frozenset({0, 1})))


def _fields(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """NUL-terminated fields out of a stream cut anywhere."""
    rest = b""
    for piece in pieces:
        *fields, rest = (rest + piece).split(b"\0")
        yield from fields
    if rest:
        yield rest


def _commits(pieces: Iterable[bytes]) -> Iterator[tuple[LastCommit, list[bytes]]]:
    """Commits with the paths they touched: mark and hash, author, time, then the paths, the first after a newline."""
    fields = _fields(pieces)
    commit: LastCommit | None = None
    paths: list[bytes] = []
    for field in fields:
        if _is_header(field):
            if commit is not None:
                yield commit, paths
            author, time = next(fields, b""), next(fields, b"")
            commit = LastCommit(field[1:].decode("ascii"), author.decode("utf-8", "replace"), int(time or 0))
            paths = []
        elif field:
            paths.append(field if paths else field.removeprefix(b"\n"))
    if commit is not None:
        yield commit, paths


def _is_header(field: bytes) -> bool:
    """Only a file named a control character and a whole hash could be mistaken for one."""
    return field.startswith(_MARK) and len(field) in (41, 65)


def _blamed(output: bytes) -> Iterator[LastCommit]:
    """Porcelain: a header line per line, commit details the first time a commit appears, the text after a tab."""
    authors: dict[bytes, str] = {}
    times: dict[bytes, int] = {}
    current = b""
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            yield LastCommit(current.decode("ascii"), authors.get(current, ""), times.get(current, 0))
            current = b""
        elif not current:
            current = line.partition(b" ")[0]
        elif line.startswith(b"author "):
            authors[current] = line[7:].decode("utf-8", "replace")
        elif line.startswith(b"committer-time "):
            times[current] = int(line[15:])
