"""Facts that git records about files: last commits, blame of lines, and files that change together."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from helix_core.errors import GitError, UsageError
from helix_core.lines import LineTable
from helix_core.model import LastCommit
from helix_core.tuples import NamedTuple
from helix_core.workspace.git import TIMEOUT_SECONDS, Git

_MARK = b"\x01"
_FORMAT = "--format=%x01%H%x00%P%x00%an%x00%ct"
_LOG = ("log", "-z", _FORMAT, "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature")
_CO_CHANGE_FILES = 30
_MOST_BOUNDARY_BYTES = 1 << 20
_LONGEST_REVISION = 200


class LastCommits(dict[bytes, LastCommit]):
    """The last commit of each path; ``complete`` is False when the timeout came first.

    Paths that were never committed, and those that a shallow clone knows from its boundary only, have none.
    ``boundaries`` are the commits that were met at which the history is cut off.
    """

    complete: bool = True
    boundaries: frozenset[str] = frozenset()


class CoChanges(dict[tuple[bytes, bytes], int]):
    """The number of commits that changed both of two files; ``commits`` were counted, ``touched`` counts the commits
    of each file.
    """

    def __init__(self) -> None:
        super().__init__()
        self.commits = 0
        self.touched: Counter[bytes] = Counter()
        self._by_size: dict[int, Counter[tuple[bytes, bytes]]] = defaultdict(Counter)

    def add(self, paths: Sequence[bytes]) -> None:
        """Count one commit that changed these files."""
        self.commits += 1
        self.touched.update(paths)
        self._by_size[len(paths)].update(combinations(sorted(paths), 2))

    def finish(self) -> CoChanges:
        """Fill in the number of commits of each pair, once all are added."""
        total: Counter[tuple[bytes, bytes]] = Counter()
        for pairs in self._by_size.values():
            total.update(pairs)
        self.update(total)
        return self

    def strength(self, pair: tuple[bytes, bytes]) -> float:
        """Return how much the commits of a pair say: one of n files 1 / (n - 1), as it ties each of them to so many
        others (Newman 2001, "Scientific collaboration networks II"; there authors and papers).
        """
        return sum(pairs[pair] / (size - 1) for size, pairs in self._by_size.items() if pair in pairs)


def last_commits(git: Git, timeout_seconds: float = 10.0, paths: Sequence[bytes] = ()) -> LastCommits:
    """Return the newest commit that touched each tracked file, or each of ``paths``, in one pass back from HEAD.

    A merge counts for the conflicts it resolved. Stops as soon as every tracked path was found. Empty on an unborn
    branch. Raises ``GitError``.
    """
    found = LastCommits()
    missing = set(paths) or _tracked(git)
    if not missing or not _has_commits(git):
        return found
    started = time.monotonic()
    asked: Sequence[bytes] = paths or ((b".",) if git.prefix else ())
    command: list[str | bytes] = [*_LOG, "-c", "--relative", "HEAD"]
    if asked:
        command += ["--", *asked]
    with git.stream(command, timeout_seconds=timeout_seconds) as pieces:
        for commit, is_root, touched in _commits(pieces):
            met = missing.intersection(touched)
            missing -= met
            if is_root and _has_parents(git, commit.commit):
                found.boundaries |= {commit.commit}
            else:
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
    """Count how often two files changed in one commit, over the last ``max_commits``; pairs in byte order.

    Commits of more than ``max_files`` files are skipped, as they relate nothing. Ends early once ``stopped`` is set.

    Args:
        git: The repository.
        max_commits: How many commits back from HEAD, merges aside.
        max_files: Larger commits are skipped.
        timeout_seconds: For git as a whole.
        stopped: Ends the count early once it is set.

    Raises ``GitError``.
    """
    found = CoChanges()
    if not _has_commits(git):
        return found
    below = ("--", ".") if git.prefix else ()
    command = [*_LOG, f"--max-count={max_commits}", "--no-merges", "--relative", "HEAD", *below]
    with git.stream(command, timeout_seconds=timeout_seconds) as pieces:
        for commit, is_root, paths in _commits(pieces):
            if stopped is not None and stopped.is_set():
                break
            if 0 < len(paths) <= max_files and not (is_root and _has_parents(git, commit.commit)):
                found.add(paths)
    return found.finish()


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
    """Return the commit of each of the lines ``start_line`` to ``end_line`` of ``path`` as it is on disk.

    ``contents`` are the file's bytes where they are known: git then reads them instead of the file. Lines not committed
    yet have a ``commit`` of zeros. Ends early once ``stopped`` is set. Raises ``GitError``, also when git does not
    track the file.
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
    """Return the commits whose parents a shallow clone does not have; none in a full one (gitrepository-layout(5))."""
    try:
        with open(git.common_dir + b"/shallow", "rb") as file:
            return frozenset(file.read(_MOST_BOUNDARY_BYTES).decode("ascii", "replace").split())
    except OSError:
        return frozenset()


class ChangedSince(NamedTuple):
    """The paths that differ on disk from a commit, relative to the workspace root; ``commit`` is empty without any."""

    commit: str = ""
    paths: tuple[bytes, ...] = ()


def commit_named(git: Git, name: str) -> str:
    """Return the hash of the commit that a revision names, such as ``HEAD~5``, a tag, a branch or a short hash.

    Raises UsageError where it names none; a name that could be an option never reaches git.
    """
    is_plain = 0 < len(name) <= _LONGEST_REVISION and name.isprintable() and not name.startswith("-")
    found = _commit(git, name) if is_plain else ""
    if found:
        return found
    if not _commit(git, "HEAD"):
        raise UsageError("nothing is committed in this repository yet; ask again after the first commit")
    if shallow_boundaries(git):
        raise UsageError(
            f"there is no commit {name[:80]!a} in this shallow clone; `git fetch --unshallow` brings the older ones, "
            "or name one that `git log` shows"
        )
    example = "HEAD~5" if not name.startswith("HEAD") and _commit(git, "HEAD~5") else "HEAD"
    raise UsageError(
        f"there is no commit {name[:80]!a} in this repository; name a commit, tag or branch that "
        f"`git log` knows, such as {example}"
    )


def _commit(git: Git, name: str) -> str:
    """Return the hash of the commit that a plain name means, "" where it means none."""
    command = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    found = git.run(command, accepted=frozenset({0, 1, 128})).split()
    return found[-1].decode("ascii") if found and len(found[-1]) in (40, 64) else ""


def changed_paths(git: Git, commit: str, timeout_seconds: float = TIMEOUT_SECONDS) -> frozenset[bytes]:
    """Return the paths, relative to the folder, whose files on disk differ from those at ``commit`` (a whole hash):
    changed in commits since, uncommitted, or not tracked. Raises ``GitError``.
    """
    return frozenset((*tracked_changes(git, commit, timeout_seconds), *untracked_paths(git, timeout_seconds)))


def untracked_paths(git: Git, timeout_seconds: float = TIMEOUT_SECONDS) -> tuple[bytes, ...]:
    """Return the files of the folder that git neither tracks nor ignores, relative to it. Raises ``GitError``."""
    listed = git.run(["ls-files", "-z", "--others", "--exclude-standard"], timeout_seconds=timeout_seconds)
    return tuple(filter(None, listed.split(b"\0")))


_UNCOMMITTED = (
    "--no-color",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--unified=0",
)


def uncommitted(git: Git) -> str:
    """Return the difference of the folder's tracked files on disk to HEAD, as a unified diff without context, its
    paths relative to the folder. Raises ``GitError``, also where nothing is committed.
    """
    command = ["diff", *_UNCOMMITTED, "--src-prefix=a/", "--dst-prefix=b/", "--relative", "HEAD", "--"]
    return git.run(command, fresh_filters=True).decode("utf-8", "replace")


def tracked_changes(git: Git, commit: str, timeout_seconds: float = TIMEOUT_SECONDS) -> tuple[bytes, ...]:
    """Return the paths of ``changed_paths`` that ``commit`` or git's index has, in byte order. Raises ``GitError``."""
    # Unlike diff-index, diff compares the bytes of a file that was only touched, as every file of a copy was. A
    # submodule would be asked by a git of its own.
    command = ["diff", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
    changed = git.run([*command, commit, "--"], timeout_seconds=timeout_seconds, fresh_filters=True).split(b"\0")
    return tuple(sorted(path.removeprefix(git.prefix) for path in changed if path and path.startswith(git.prefix)))


class StartingPoint(NamedTuple):
    """The commit that work is compared with: as it is named, its hash, and why this one where none was named."""

    name: str
    commit: str
    why: str


def starting_point(git: Git, since: str = "") -> StartingPoint:
    """Return the commit named ``since``; by default where HEAD left its upstream branch, or HEAD itself where nothing
    is committed since and files are changed, or else the commit before HEAD.

    Raises UsageError where ``since`` names no commit or nothing is committed, and ``GitError``.
    """
    if since:
        return StartingPoint(since, commit_named(git, since), "")
    head = commit_named(git, "HEAD")
    if upstream := _commit(git, "@{upstream}"):
        base = git.run(["merge-base", head, upstream], accepted=frozenset({0, 1})).decode("ascii").strip()
        if base and base != head:
            return StartingPoint(base[:12], base, "where this branch left its upstream")
    if tracked_changes(git, head):
        return StartingPoint("HEAD", head, "what is not committed yet")
    before = _commit(git, "HEAD~1")
    return StartingPoint("HEAD~1", before, "the commit before HEAD") if before else StartingPoint("HEAD", head, "HEAD")


def authored_paths(git: Git, author: str, since: str = "", timeout_seconds: float = 10.0) -> frozenset[bytes]:
    """Return the paths, relative to the folder, that commits of ``author`` touched, back from HEAD to ``since`` (a
    whole hash; empty for all). The author's name or e-mail address contains the text, case folded; renames are not
    followed.

    Args:
        git: The repository.
        author: Part of a name or an e-mail address.
        since: A whole hash; empty for all commits.
        timeout_seconds: For git as a whole.

    Raises ``GitError``, also when the time is up.
    """
    if not _has_commits(git):
        return frozenset()
    found: set[bytes] = set()
    below = ("--", ".") if git.prefix else ()
    reach = (f"{since}..HEAD",) if since else ("HEAD",)
    started = time.monotonic()
    options = [f"--author={author}", "--fixed-strings", "--regexp-ignore-case", "--relative"]
    with git.stream([*_LOG, *options, *reach, *below], timeout_seconds=timeout_seconds) as pieces:
        for _, _, touched in _commits(pieces):
            found.update(touched)
    if time.monotonic() - started >= timeout_seconds:
        raise GitError(f"the commits of {author[:80]!a} were not read within {timeout_seconds:g} s; add since")
    return frozenset(found)


def changed_since(git: Git, commits: int = 200, timeout_seconds: float = 2.0) -> ChangedSince:
    """Return what changed since the commit ``commits`` first parents before HEAD, or since the oldest there is.

    Uncommitted changes count; a file that was only touched may be among them. Raises ``GitError``.
    """
    if not _has_commits(git):
        return ChangedSince()
    listing = ["rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD"]
    oldest = git.run(listing, timeout_seconds=timeout_seconds).split()[-1].decode("ascii")
    command = ["diff-index", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"]
    # A submodule would be asked by a git of its own.
    paths = git.run([*command, "--ignore-submodules=all", oldest], timeout_seconds=timeout_seconds).split(b"\0")
    own = sorted(path.removeprefix(git.prefix) for path in paths if path and path.startswith(git.prefix))
    return ChangedSince(oldest, tuple(own))


def _tracked(git: Git) -> set[bytes]:
    return {path for path in git.run(["ls-files", "-z", "--cached"]).split(b"\0") if path}


def _has_commits(git: Git) -> bool:
    command = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]
    return bool(git.run(command, accepted=frozenset({0, 1}), needs_filters=False))


def _fields(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Split a stream of arbitrary pieces into NUL-terminated fields."""
    rest = b""
    for piece in pieces:
        *fields, rest = (rest + piece).split(b"\0")
        yield from fields
    if rest:
        yield rest


# By the hash of the commit, which says what is in it. Only roots and the boundaries of clones are asked about.
_KNOWN_PARENTS: dict[str, bool] = {}


def _has_parents(git: Git, commit: str) -> bool:
    """Return whether the commit has parents, also where a shallow clone is cut off at it.

    The commit itself says so at any time; the list of a clone's boundaries may change between two processes of git.
    """
    known = _KNOWN_PARENTS.get(commit)
    if known is None:
        header, _, _ = git.run(["cat-file", "commit", commit], needs_filters=False).partition(b"\n\n")
        known = _KNOWN_PARENTS[commit] = b"\nparent " in header
    return known


def _commits(pieces: Iterable[bytes]) -> Iterator[tuple[LastCommit, bool, list[bytes]]]:
    """Parse commits, whether git shows them without parents, and the paths they touched: mark and hash, parents,
    author, time, then the paths, the first after a newline.
    """
    fields = _fields(pieces)
    commit: LastCommit | None = None
    is_root = False
    paths: list[bytes] = []
    for part in fields:
        if _is_header(part):
            if commit is not None:
                yield commit, is_root, paths
            is_root, author, time = not next(fields, b""), next(fields, b""), next(fields, b"")
            commit = LastCommit(part[1:].decode("ascii"), author.decode("utf-8", "replace"), int(time or 0))
            paths = []
        elif part:
            paths.append(part if paths else part.removeprefix(b"\n"))
    if commit is not None:
        yield commit, is_root, paths


def _is_header(field: bytes) -> bool:
    """Return whether the field is a commit header; only a file named a control character and a whole hash could be
    mistaken for one.
    """
    return field.startswith(_MARK) and len(field) in (41, 65)


def _blamed(output: bytes) -> Iterator[LastCommit]:
    """Parse porcelain: a header line per line, commit details the first time a commit appears, the text after a tab."""
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


BLAME_S = 4.0
KEPT = 512
MOST_WAITING = 4


class LinesCommit(NamedTuple):
    """The newest commit of some lines, several if within one second; none where no line is committed.
    ``uncommitted`` when some are not committed yet.
    """

    newest: tuple[LastCommit, ...]
    uncommitted: bool


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Lines of one version of a file, 1-based and inclusive; ``data`` are its bytes, ``content_hash`` identifies
    them.
    """

    path: bytes
    content_hash: str
    start_line: int
    end_line: int
    data: bytes = field(repr=False, compare=False, hash=False, default=b"")


class LineHistory:
    """Blame in background threads, for one repository at one HEAD; ``boundaries`` are a shallow clone's cut-off
    commits.

    ``close`` ends its threads and their git processes.
    """

    def __init__(self, git: Git, history: str, boundaries: frozenset[str] = frozenset()) -> None:
        self.git, self.history = git, history
        self._boundaries = boundaries
        self._change = threading.Condition()
        self._known: OrderedDict[BlamedLines, tuple[LastCommit, ...]] = OrderedDict()
        self._waiting: list[BlamedLines] = []
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()

    def ask(self, lines: BlamedLines) -> None:
        """Queue the lines for blame unless they are cached; a full queue drops the oldest."""
        with self._change:
            if self._closed.is_set() or lines in self._known or lines in self._waiting:
                return
            self._waiting = [*self._waiting[-MOST_WAITING + 1 :], lines]
            if not any(thread.name == "helix-blame" for thread in self._threads):
                self._start("helix-blame", self._look_up)
            self._change.notify_all()

    def of(self, lines: BlamedLines, wait_s: float = 0.0) -> LinesCommit | None:
        """Return the commits of lines that were queued, after at most ``wait_s`` seconds; None while they are
        unknown.
        """
        found = self.each(lines, wait_s)
        if not found:
            return None
        committed = [commit for commit in found if commit.commit.strip("0")]
        known = [commit for commit in committed if commit.commit not in self._boundaries]
        last = max((commit.committed_at for commit in known), default=0)
        newest = dict.fromkeys(commit for commit in known if commit.committed_at == last)
        return LinesCommit(tuple(newest), len(committed) < len(found))

    def each(self, lines: BlamedLines, wait_s: float = 0.0) -> tuple[LastCommit, ...]:
        """Return the commit of each line: zeros for an uncommitted one; empty while unknown, and where git fails."""
        with self._change:
            self._change.wait_for(lambda: lines in self._known or self._closed.is_set(), max(wait_s, 0.0))
            found = self._known.get(lines, ())
            if found:
                self._known.move_to_end(lines)
            return found

    def has_answered(self, lines: BlamedLines) -> bool:
        """Return whether git has said what it can say of lines that were queued; of closed history there is no more."""
        with self._change:
            return lines in self._known or self._closed.is_set()

    def close(self) -> None:
        """End the threads and git; queued lines stay unknown."""
        self._closed.set()
        with self._change:
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def _start(self, name: str, work: object) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _look_up(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed.is_set())
                if self._closed.is_set():
                    return
                lines = self._waiting[-1]
            found = self._blamed(lines)
            with self._change:
                self._waiting = [one for one in self._waiting if one != lines]
                self._known[BlamedLines(lines.path, lines.content_hash, lines.start_line, lines.end_line)] = found
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
                self._change.notify_all()

    def _blamed(self, lines: BlamedLines) -> tuple[LastCommit, ...]:
        first, last = _git_lines(lines)
        try:
            found = tuple(
                blame(
                    self.git,
                    lines.path,
                    first,
                    last,
                    contents=lines.data,
                    timeout_seconds=BLAME_S,
                    stopped=self._closed,
                )
            )
        except GitError:
            return ()
        # Git may have met another boundary than the state that was read before.
        return found if shallow_boundaries(self.git) == self._boundaries else ()


def _git_lines(lines: BlamedLines) -> tuple[int, int]:
    r"""Return the lines as git numbers them: for git a lone ``\r`` ends no line."""
    if not lines.data:
        return lines.start_line, lines.end_line
    start, end = LineTable(lines.data).span(lines.start_line, lines.end_line)
    return lines.data.count(b"\n", 0, start) + 1, lines.data.count(b"\n", 0, max(end - 1, start)) + 1


LEAST_COMMITS_TOGETHER = 3
LEAST_LIFT = 2.0
LEAST_STRENGTH = 0.5
"""Least ``CoChanges.strength``: three commits of seven files. Files that only large commits have in common, such as
those that change every license header, have nothing to do with each other."""
MOST_KIN = 8


class CoChange(NamedTuple):
    """``other`` changed with ``path`` in ``together`` commits, ``lift`` times as often as by chance."""

    path: bytes
    other: bytes
    together: int
    lift: float


def closest_co_changes(changes: CoChanges) -> list[CoChange]:
    """Return, for each file, at most eight that changed with it in three commits or more with a lift over 2, not in
    large commits alone; closest first.

    Lift is P(both) / (P(one) P(other)) (Brin, Motwani, Ullman & Tsur 1997). Closest is the largest cosine of the sets
    of commits, each weighted by its strength: lift alone would rank a rarely changed file before one that always
    changes along.
    """
    made: dict[bytes, list[tuple[float, bytes, CoChange]]] = defaultdict(list)
    for (one, other), together in changes.items():
        chance = changes.touched[one] * changes.touched[other]
        lift = together * changes.commits / chance
        if together >= LEAST_COMMITS_TOGETHER and lift > LEAST_LIFT:
            strength = changes.strength((one, other))
            if strength < LEAST_STRENGTH:
                continue
            nearness = strength * strength / chance
            made[one].append((-nearness, other, CoChange(one, other, together, lift)))
            made[other].append((-nearness, one, CoChange(other, one, together, lift)))
    return [kin for path in sorted(made) for _, _, kin in sorted(made[path], key=lambda entry: entry[:2])[:MOST_KIN]]
