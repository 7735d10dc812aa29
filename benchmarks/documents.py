"""Are flags on documents right, and how many are missed? Histories replayed at dated states.

usage: python benchmarks/documents.py REPOSITORY... [--develop NAME...] [--states N] [--events N] [--together N]
                                      [--judged FOLDER] [--sheet FILE] [--work FOLDER]

REPOSITORY is a git folder (bare or not) with a history; it is only read. Each is checked out, in a temporary folder, as
it stood at N dates, indexed, and every document is asked for its findings, as an editor asks. A flag is a statement:
the same one at several dates counts once.

Right is told in two ways. ``fixtures/documents/*.jsonl`` holds verdicts of people who read the diffs (right, arguable
or wrong; only right counts as right). And history judges: a statement that a later commit took back was right, one that
stands today says nothing, for most are never mended; that share is a floor.

Recall: commits that mend documents are looked for without any part of Helix (``ast`` reads the code): a line that names
as code what the commit before its own knew and the code now does not, and that is edited or goes in a commit that
leaves that code alone. Before that commit Helix should have flagged it.

Commits that change code and a document together are replayed as well: a flag on what the commit itself changed is a
fault. Projects named with --develop were used for development and are counted apart. Exits with 1 when precision by
verdict on the others is below 0.8, when more than a tenth of their flags have none, and on any such fault.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from helix_core.config import load_config
from helix_core.engine import Helix

SEED = 20_250_101
LEAST_PRECISION = 0.8
MOST_UNJUDGED = 0.1
SINCE = "2014-01-01"
BUDGET_MS = 120_000.0
MOST_COMMITS = 600
DOCUMENTS = (".md", ".rst", ".txt")
VERDICTS = ("right", "arguable", "wrong")
_NOT_CODE = re.compile(
    r"(^|/)(tests?|testing|examples?|docs?|docs_src|doc_src|benchmarks?|scripts|tools|artwork)/|(^|/)(setup|conf|noxfile)\.py$"
)
_OTHER_TIMES = re.compile(
    r"(^|/)[^/]*(change|history|news|release|upgrad|whatsnew|migrat|deprecat|authors)[^/]*(/|\.\w+$)", re.I
)
_CODE = re.compile(r"(`+)(?P<code>[^`]+)\1")
_DIRECTIVE = re.compile(r"\s*\.\. (?:\w+:)?\w+:: (?P<code>[\w.]+\(?.*)$")
_WORD = re.compile(r"[A-Za-z_]\w{3,}")


@dataclass(frozen=True)
class Flag:
    """One statement that Helix flags; ``text`` is the document's line, ``commit`` the state it was seen at."""

    repo: str
    commit: str
    path: str
    line: int
    change: str
    symbol: str
    was: str
    now: str
    text: str

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        return self.repo, self.path, self.change, self.symbol, self.text


@dataclass(frozen=True)
class Event:
    """A commit that mends a document: ``line`` of ``path`` at ``parent`` names ``name``, which the code had left."""

    commit: str
    parent: str
    path: str
    line: int
    name: str
    why: str


@dataclass
class Project:
    """What was found of one repository; ``lost`` are events that Helix did not flag, ``faults`` flags on what a commit
    changed together with its code."""

    name: str
    flags: dict[tuple[str, ...], Flag] = field(default_factory=dict)
    fates: dict[tuple[str, ...], str] = field(default_factory=dict)
    events: int = 0
    lost: list[Event] = field(default_factory=list)
    together: int = 0
    faults: list[Flag] = field(default_factory=list)


class History:
    """One repository's past, read through git alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name.removesuffix(".git") if folder.name not in (".git", "repo") else folder.parent.name
        self._declared: dict[str, tuple[dict[str, frozenset[str]], frozenset[str]]] = {}
        self._blobs = subprocess.Popen(
            ["git", "-C", str(folder), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], capture_output=True, text=True, errors="replace", check=False
        )
        return done.stdout

    @cached_property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def shown(self, commit: str, path: str) -> str:
        return self.git("show", f"{commit}:{path}")

    def dated(self, count: int) -> list[str]:
        """So many commits of the main line, evenly spread over its time, the last one included."""
        commits = self.git("rev-list", "--first-parent", f"--since={SINCE}", "HEAD").split()
        wanted = {round(index * (len(commits) - 1) / max(count, 1)) for index in range(count)}
        return [commits[index] for index in sorted(wanted, reverse=True)]

    def declared(self, commit: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
        """By name what ``commit`` declares (as its signature or value), and every word of its code."""
        found: dict[str, set[str]] = defaultdict(set)
        words: set[str] = set()
        for row in self.git("ls-tree", "-r", commit).split("\n"):
            fields = row.split(None, 3)
            if len(fields) == 4 and fields[3].endswith(".py") and not _NOT_CODE.search(fields[3]):
                names, own = self._of_blob(fields[2])
                words |= own
                for name, said in names.items():
                    found[name] |= said
        return {name: frozenset(said) for name, said in found.items()}, frozenset(words)

    def _of_blob(self, blob: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
        known = self._declared.get(blob)
        if known is None:
            text = self._blob(blob)
            known = self._declared[blob] = (declared(text), frozenset(_WORD.findall(text)))
        return known

    def _blob(self, name: str) -> str:
        asked, answers = self._blobs.stdin, self._blobs.stdout
        assert asked is not None and answers is not None
        asked.write(name.encode() + b"\n")
        asked.flush()
        size = int(answers.readline().split()[2])
        return answers.read(size + 1)[:-1].decode("utf-8", "replace")

    def close(self) -> None:
        """End git."""
        self._blobs.kill()
        self._blobs.communicate()

    def mended(self, most: int) -> list[Event]:
        """At most ``most`` events, of at most the last ``MOST_COMMITS`` commits that edit documents."""
        commits = self.git(
            *("log", "--no-merges", "--format=%H %P", f"--since={SINCE}", "--diff-filter=M", f"-{MOST_COMMITS}", "--"),
            *(f"*{ending}" for ending in DOCUMENTS),
        )
        rows = [row.split() for row in commits.split("\n") if len(row.split()) == 2]
        random.Random(SEED).shuffle(rows)
        found: list[Event] = []
        for commit, parent in rows:
            if len(found) >= most:
                break
            found += self._mended_by(commit, parent)
        return found[:most]

    def _mended_by(self, commit: str, parent: str) -> list[Event]:
        diff = self.git(
            "diff", "-U0", "--no-renames", "--diff-filter=M", parent, commit, "--", *(f"*{e}" for e in DOCUMENTS)
        )
        if len(diff) > 60_000:
            return []
        found: list[Event] = []
        path = ""
        for part in re.split(r"^(?=@@ |diff --git )", diff, flags=re.M):
            if part.startswith("diff --git "):
                path = part.split("\n", 1)[0].rpartition(" b/")[2]
            elif part.startswith("@@ ") and not _OTHER_TIMES.search(path):
                found += self._mended_in(commit, parent, path, part)
        return found

    def _mended_in(self, commit: str, parent: str, path: str, hunk: str) -> Iterator[Event]:
        match = re.match(r"@@ -(\d+)(?:,(\d+))? ", hunk)
        removed = [line[1:] for line in hunk.split("\n")[1:] if line.startswith("-")]
        added = "\n".join(line[1:] for line in hunk.split("\n")[1:] if line.startswith("+"))
        if match is None or not removed or len(removed) > 12:
            return
        for offset, line in enumerate(removed):
            line_number = int(match[1]) + offset
            codes = [one["code"] for one in _CODE.finditer(line)]
            names = {name for code in codes for name in _WORD.findall(code)} - set(_WORD.findall(added))
            stated = _DIRECTIVE.match(line)
            if not names and stated is None:
                continue
            base = self._origin(parent, path, line_number)
            if not base:
                continue
            then, then_words = self._kept(base)
            now, now_words = self._kept(parent)
            after, _ = self._kept(commit)
            for name in sorted(names):
                if name in then_words and name not in now_words and (name in then or _is_parameter(name, then)):
                    yield Event(commit, parent, path, line_number, name, "gone")
            if stated is not None and "(" in stated["code"]:
                name = stated["code"].partition("(")[0].rpartition(".")[2]
                is_changed = name in then and name in now and not then[name] & now[name]
                if is_changed and after.get(name) == now[name] and name in added and stated["code"] not in added:
                    yield Event(commit, parent, path, line_number, name, "signature")

    def _kept(self, commit: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
        return _kept(self, commit)

    def _origin(self, commit: str, path: str, line: int) -> str:
        row = self.git("blame", "-s", "-l", "--no-abbrev", f"-L{line},+1", commit, "--", path)
        return row.split(" ", 1)[0].lstrip("^")[:40]

    def both(self, most: int) -> list[str]:
        """Commits that change code and a document."""
        log = self.git("log", "--no-merges", "--format=%x01%H", "--name-only", f"--since={SINCE}", "-3000")
        found = []
        for entry in log.split("\x01")[1:]:
            commit, *paths = [line for line in entry.split("\n") if line]
            documents = [one for one in paths if one.endswith(DOCUMENTS) and not _OTHER_TIMES.search(one)]
            code = [one for one in paths if one.endswith(".py") and not _NOT_CODE.search(one)]
            if documents and code and len(paths) < 40:
                found.append(commit)
        return random.Random(SEED).sample(found, min(most, len(found)))

    def fate(self, flag: Flag) -> str:
        """``mended`` where a later commit took the statement back, ``stands`` where it is there today, else
        ``unknown``."""
        commits = self.git("log", "--reverse", "--format=%H", f"{flag.commit}..HEAD", "--", flag.path).split()
        text = flag.text
        for commit in commits:
            lines = [line.strip() for line in self.shown(commit, flag.path).split("\n")]
            if text in lines:
                continue
            if len(lines) < 3:
                return "unknown"
            near = difflib.get_close_matches(text, lines, 1, 0.5)
            if not near:
                return "unknown"
            if self._is_taken_back(flag, text, near[0]):
                return "mended"
            text = near[0]
        return "stands"

    @staticmethod
    def _is_taken_back(flag: Flag, before: str, after: str) -> bool:
        name = flag.symbol.rpartition(".")[2] if flag.change != "file_gone" else flag.was
        if flag.change in ("name_gone", "file_gone"):
            return name in before and name not in after
        if flag.change == "parameter_gone":
            return flag.was in before and flag.was not in after
        return re.sub(r"\W", "", before) != re.sub(r"\W", "", after) and name in after


@cache
def _kept(history: History, commit: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    return history.declared(commit)


def _is_parameter(name: str, said: dict[str, frozenset[str]]) -> bool:
    return any(
        name in re.findall(r"\w+", one.partition(")")[0]) for some in said.values() for one in some if one[:1] == "("
    )


def declared(text: str) -> dict[str, frozenset[str]]:
    """Functions and classes by their last name, each as its parameters and defaults; constants as their value."""
    found: dict[str, set[str]] = defaultdict(set)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[child.name].add(_signature(child))
            elif isinstance(child, ast.ClassDef):
                inits = [one for one in child.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
                found[child.name].add(_signature(inits[0]) if inits else "class")
                pending.append(child)
            elif isinstance(child, ast.Assign):
                value = ast.unparse(child.value) if isinstance(child.value, ast.Constant) else ""
                for target in child.targets:
                    if isinstance(target, ast.Name):
                        found[target.id].add(f"= {value}")
            elif isinstance(child, ast.If | ast.Try):
                pending.append(child)
    return {name: frozenset(said) for name, said in found.items()}


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args) if one.arg not in ("self", "cls")]
    names += [given.vararg.arg] if given.vararg else []
    names += [one.arg for one in given.kwonlyargs] + ([given.kwarg.arg] if given.kwarg else [])
    defaults = [ast.unparse(one) for one in (*given.defaults, *given.kw_defaults) if one is not None]
    return f"({', '.join(names)}) {' '.join(defaults)}"


class Replay:
    """A work tree of one repository with Helix on it, moved from state to state."""

    def __init__(self, history: History, folder: Path) -> None:
        self._history = history
        self._tree, self._cache = folder / "tree", folder / "cache"
        subprocess.run(
            ["git", "clone", "-q", "--shared", "--no-checkout", str(history.folder), str(self._tree)], check=True
        )

    def flags(self, commit: str, documents: Sequence[str] | None = None) -> list[Flag]:
        """What Helix flags when ``commit`` is checked out, in all documents or in some."""
        self._check_out(commit)
        config = load_config(
            self._tree, environ={"HELIX_CACHE_DIR": str(self._cache)}, user=self._cache / "no-user-file.toml"
        )
        helix = Helix.open(self._tree, config=config)
        try:
            helix.refresh()
            if documents is None:
                listed = self._history.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")
                documents = [path for path in listed if path.endswith(DOCUMENTS)]
            return [flag for path in documents for flag in self._of(helix, commit, path)]
        finally:
            helix.close()

    def _check_out(self, commit: str) -> None:
        if self._git("checkout", "-q", "-f", "--detach", commit):
            # A mirror may lack its largest files: what is there is written, the rest is missing from the tree.
            self._git("update-ref", "--no-deref", "HEAD", commit)
            self._git("read-tree", commit)
            self._git("checkout-index", "-a", "-f", "-q")
            self._git("clean", "-f", "-d", "-q")

    def _git(self, *arguments: str) -> int:
        command = ["git", "-C", str(self._tree), *arguments]
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode

    def _of(self, helix: Helix, commit: str, path: str) -> Iterator[Flag]:
        found = [
            one for one in helix.symbols.findings(path.encode(), budget_ms=BUDGET_MS) if one["code"] == "outdated_doc"
        ]
        lines = (self._tree / path).read_text("utf-8", "replace").splitlines() if found else []
        for one in found:
            said = one["flag"]
            text = lines[one["start_line"] - 1].strip()
            yield Flag(
                self._history.name, commit, path, one["start_line"], said["change"], said["symbol"], said["was"],
                said["now"], text,
            )  # fmt: skip


def replayed(history: History, folder: Path, args: argparse.Namespace) -> Project:
    """Everything about one repository."""
    project, replay = Project(history.name), Replay(history, folder)
    for commit in history.dated(args.states):
        started = time.monotonic()
        found = replay.flags(commit)
        for flag in found:
            project.flags.setdefault(flag.key, flag)
        note(f"{history.name} {commit[:8]}: {len(found)} flags, {time.monotonic() - started:.0f} s")
    for key, flag in project.flags.items():
        project.fates[key] = history.fate(flag)
    for event in history.mended(args.events):
        project.events += 1
        found = replay.flags(event.parent, [event.path])
        if not any(is_hit(flag, event) for flag in found):
            project.lost.append(event)
    for commit in history.both(args.together):
        project.together += 1
        documents = history.git("diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).split("\n")
        before, after = _kept(history, f"{commit}^")[0], _kept(history, commit)[0]
        for flag in replay.flags(commit, [path for path in documents if path.endswith(DOCUMENTS)]):
            name = flag.symbol.rpartition(".")[2]
            if before.get(name) != after.get(name):
                project.faults.append(flag)
    note(f"{history.name}: {project.events} events, {len(project.lost)} lost; {project.together} together")
    return project


def is_hit(flag: Flag, event: Event) -> bool:
    """Is the flag about the event: the same name, within the lines of one paragraph?"""
    names = {*_WORD.findall(flag.symbol), *_WORD.findall(flag.was if flag.change == "parameter_gone" else "")}
    return event.name in names and abs(flag.line - event.line) <= 6


def verdicts(folder: Path) -> dict[tuple[str, ...], str]:
    """Verdicts by the key of the flag."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            row: dict[str, Any] = json.loads(line)
            assert row["verdict"] in VERDICTS, row
            found[row["repo"], row["path"], row["change"], row["symbol"], row["text"]] = row["verdict"]
    return found


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    if not count:
        return 0.0, 1.0
    share, z = hits / count, 1.959964
    middle, spread = (
        share + z * z / (2 * count),
        z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)),
    )
    whole = 1 + z * z / count
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def share(hits: int, count: int) -> str:
    """``hits/count`` as a share with its interval."""
    low, high = wilson(hits, count)
    return f"{hits / count:.2f} [{low:.2f}, {high:.2f}] ({hits}/{count})" if count else "- (0)"


def report(title: str, projects: Sequence[Project], judged: dict[tuple[str, ...], str]) -> tuple[int, int, int]:
    """Print one line of figures. Returns how many flags are right, have a verdict, and have none."""
    flags = [key for project in projects for key in project.flags]
    said = [judged[key] for key in flags if key in judged]
    fates = [fate for project in projects for fate in project.fates.values()]
    mended = fates.count("mended")
    events = sum(project.events for project in projects)
    lost = sum(len(project.lost) for project in projects)
    print(
        f"{title:<14} flags {len(flags):>3}  precision by verdict {share(said.count('right'), len(said)):<27}"
        f" arguable {said.count('arguable')} wrong {said.count('wrong')} without one {len(flags) - len(said)}"
        f"  mended later {share(mended, mended + fates.count('stands')):<27}"
        f"  recall {share(events - lost, events):<27}"
        f"  together {sum(len(one.faults) for one in projects)} of {sum(one.together for one in projects)}"
    )
    return said.count("right"), len(said), len(flags) - len(said)


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--develop", nargs="*", default=[], metavar="NAME", help="projects counted apart")
    parser.add_argument("--states", type=int, default=6, help="dated states a repository")
    parser.add_argument("--events", type=int, default=10, help="mending commits a repository")
    parser.add_argument("--together", type=int, default=5, help="commits of code and document a repository")
    parser.add_argument("--judged", type=Path, default=Path(__file__).parents[1] / "fixtures" / "documents")
    parser.add_argument("--sheet", type=Path, help="write flags without a verdict here, to be judged")
    parser.add_argument("--lost", type=Path, help="write events that were not flagged here")
    args = parser.parse_args()
    judged = verdicts(args.judged)
    projects = []
    for repository in args.repositories:
        with tempfile.TemporaryDirectory() as folder:
            history = History(repository.resolve())
            try:
                projects.append(replayed(history, Path(folder), args))
            finally:
                history.close()
    for project in projects:
        report(project.name, [project], judged)
    report("development", [one for one in projects if one.name in args.develop], judged)
    held_out = [one for one in projects if one.name not in args.develop]
    right, said, unsaid = report("held out", held_out, judged)
    faults = [flag for project in projects for flag in project.faults]
    for flag in faults:
        print(f"flagged together with its code: {flag.repo} {flag.commit[:8]} {flag.path}:{flag.line} {flag.symbol}")
    if args.sheet:
        rows = [asdict(flag) for one in projects for key, flag in one.flags.items() if key not in judged]
        args.sheet.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if args.lost:
        rows = [{"repo": one.name, **asdict(event)} for one in projects for event in one.lost]
        args.lost.write_text("".join(json.dumps(row) + "\n" for row in rows))
    is_precise = bool(said) and right / said >= LEAST_PRECISION and unsaid <= MOST_UNJUDGED * (said + unsaid)
    if held_out and not is_precise:
        print(f"precision on held-out projects is below {LEAST_PRECISION}, or too many flags have no verdict")
    return 0 if (is_precise or not held_out) and not faults else 1


if __name__ == "__main__":
    sys.exit(main())
