"""Are findings of ``helix check`` right, and how many planted errors does it find?

usage: python benchmarks/check.py FOLDER... [--facts N] [--show]

FOLDER is a project; it is copied, and the copy is indexed. Two measurements for each:

Documents: every Markdown, reST and text file of the project is checked as it is. They describe the same state of the
code, so nearly every finding on them is false; all are printed to be read.

Answers: facts are read from the Python sources with ``ast``, without any part of Helix, and written as a model writes
them: `Class.method` at `path:line`, a link, a fenced block with its place. Some are left true, in others a line,
a path, a name or a quote is wrong. Decoys must never be found: names of libraries, inherited members, files to be made,
proposals, denials. Precision and recall are counted by kind; exits with 1 when a finding is on a true statement or a
decoy, or when recall of a kind is below 0.8.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from helix_core.config import load_config
from helix_core.engine import Helix

SEED = 20_261_122
LEAST_RECALL = 0.8
DOCUMENTS = (".md", ".mdx", ".rst", ".txt")
MOST_CHARACTERS = 262_144
_APART = re.compile(r"(^|/)(tests?|testing|docs?|examples?|benchmarks?|\.git)/|(^|/)(setup|conf|conftest)\.py$")


Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Fact:
    """A definition in Python code: its file, lines and qualified name; ``body`` are its lines."""

    path: str
    line: int
    end: int
    name: tuple[str, ...]
    is_unique: bool
    has_own_bases: bool
    is_of_library: bool
    body: tuple[str, ...]
    file_lines: int


@dataclass(frozen=True)
class Statement:
    """A piece of an answer. ``kind`` is what it cites, ``is_wrong`` whether that is wrong."""

    kind: str
    is_wrong: bool
    text: str


def python_files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the sources outside tests and documentation, with their paths."""
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if not _APART.search(path) and file.is_file():
            yield path, file.read_text(encoding="utf-8", errors="replace")


def facts_of(root: Path) -> tuple[list[Fact], set[str]]:
    """Return the definitions, and every word of the project's Python files, tests included."""
    found: list[tuple[str, Definition, tuple[str, ...], bool, list[str]]] = []
    words: set[str] = set()
    for file in root.rglob("*.py"):
        words |= set(re.findall(r"[A-Za-z_]\w*", file.read_text(encoding="utf-8", errors="replace")))
    classes: Counter[str] = Counter()
    for path, text in python_files(root):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        lines = text.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] += 1
                own = (
                    all(isinstance(base, ast.Name) and base.id == "object" for base in node.bases) and not node.keywords
                )
                found.append((path, node, (node.name,), own, lines))
                methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
                found += [(path, each, (node.name, each.name), own, lines) for each in methods]
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((path, node, (node.name,), False, lines))
    # A base that no class of the project is named after comes from a library, with members nobody sees here.
    inheriting = {
        name[0]
        for _, node, name, _, _ in found
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(base, ast.Name) and base.id not in (*classes, "object", "Protocol", "Generic", "ABC")
            for base in node.bases
        )
    }
    times = Counter(name for _, _, name, _, _ in found)
    facts = []
    for path, node, name, own, lines in found:
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        end = node.end_lineno or node.lineno
        is_unique = times[name] == 1 and classes[name[0]] <= 1
        body = tuple(lines[first - 1 : end])
        is_of_library = name[0] in inheriting
        facts.append(Fact(path, first, end, name, is_unique, own, is_of_library, body, len(lines)))
    return facts, words


def called(name: tuple[str, ...]) -> str:
    return ".".join(name)


def statements(facts: list[Fact], words: set[str], count: int, chance: random.Random) -> Iterator[Statement]:
    """Yield true and false statements and decoys about the project, ``count`` of each kind."""
    telling = [
        one for one in facts if one.is_unique and len(called(one.name)) > 6 and not one.name[-1].startswith("__")
    ]
    chance.shuffle(telling)
    for number, one in enumerate(telling[:count]):
        written = f"`{called(one.name)}`"
        forms = (
            "{name} is defined in `{path}:{line}`.",
            "- {name} (`{path}:{line}`) does the work",
            "See [{name}]({path}#L{line}) for the details.",
            "The work is done by {name} in `{path}`, line {line}, and by nobody else.",
        )
        form = forms[number % len(forms)]
        yield Statement("place", False, form.format(name=written, path=one.path, line=one.line))
        yield Statement("place", True, form.format(name=written, path=one.path, line=one.file_lines + 40))
        away = [
            line
            for line in (one.line + 150, one.line - 150)
            if 0 < line < one.file_lines and not one.line <= line <= one.end
        ]
        if away:
            yield Statement("place", True, form.format(name=written, path=one.path, line=away[0]))
    paths = sorted({one.path for one in telling if "/" in one.path})
    chance.shuffle(paths)
    for path in paths[:count]:
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".py")
        yield Statement("path", False, f"The code for it is in `{path}`.")
        if len(stem) > 5:
            yield Statement("path", True, f"The code for it is in `{folder}/{stem[:3]}{stem[4:]}.py`.")
        yield Statement("path", False, f"Create `{folder}/{stem}_extra.py` for it.")
    members = [one for one in telling if len(one.name) == 2]
    for one in members[:count]:
        owner, name = one.name
        yield Statement("symbol", False, f"`{owner}.{name}()` does it.")
        lost = f"{name}_quickly"
        if one.has_own_bases and lost not in words:
            yield Statement("symbol", True, f"`{owner}.{lost}()` does it.")
        if one.is_of_library:
            yield Statement("symbol", False, f"`{owner}.{lost}()` does it.")
        if lost not in words:
            yield Statement("symbol", False, f"Add `{owner}.{lost}()` to it.")
            yield Statement("symbol", False, f"There is no `{owner}.{lost}()` here.")
    for library in ("json.dumps", "os.path.join()", "requests.Session", "asyncio.Queue.put", "logging.getLogger()"):
        yield Statement("symbol", False, f"It uses `{library}`.")
    long = [one for one in telling if 4 <= len(one.body) <= 30 and len(set(one.body)) > 4]
    for number, one in enumerate(long[:count]):
        text = "\n".join(one.body)
        wrong = list(one.body)
        wrong[len(wrong) // 2] = "        something_else = entirely(different)"
        blocks = (
            "```{line}:{end}:{path}\n{text}\n```",
            "`{path}:{line}-{end}`:\n\n```python\n{text}\n```",
            "```python\n# {path}:{line}-{end}\n{text}\n```",
        )
        form = blocks[number % len(blocks)]
        place = {"path": one.path, "line": one.line, "end": one.end}
        yield Statement("quote", False, form.format(text=text, **place))
        if one.file_lines > one.end + 60:
            moved = {"path": one.path, "line": one.line + 40, "end": one.end + 40}
            yield Statement("quote", True, form.format(text=text, **moved))
        yield Statement("quote", True, form.format(text="\n".join(wrong), **place))
        yield Statement("quote", False, "Change it to this:\n\n" + form.format(text="\n".join(wrong), **place))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--facts", type=int, default=60, help="statements of each sort a project")
    parser.add_argument("--show", action="store_true", help="print what was missed too")
    args = parser.parse_args()
    rights: Counter[str] = Counter()
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for folder in args.folders:
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / folder.resolve().name
            shutil.copytree(folder, copy, symlinks=True)
            os.environ["HELIX_CACHE_DIR"] = f"{place}/cache"
            os.environ["HELIX_DATA_DIR"] = f"{place}/data"
            with Helix.open(copy, config=load_config(copy)) as helix:
                helix.refresh()
                documents(helix, copy, rights)
                answers(helix, copy, args.facts, tally, shown=args.show)
    return report(rights, tally)


def documents(helix: Helix, root: Path, rights: Counter[str]) -> None:
    """Check every document of the project as it is."""
    count = checked = wrong = 0
    slowest = 0.0
    for file in sorted(root.rglob("*")):
        if file.suffix.lower() not in DOCUMENTS or not file.is_file() or ".git" in file.parts:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")[:MOST_CHARACTERS]
        started = time.process_time()
        answer = helix.check(text, source_id=file.relative_to(root).as_posix())
        slowest = max(slowest, time.process_time() - started)
        count, checked, wrong = count + 1, checked + answer["checked"], wrong + answer["wrong"]
        for one in answer["findings"]:
            print(f"  {one['path']}:{one['line']} {one['rule']}: {one['reference']} - {one['message']}")
    rights.update(documents=count, checked=checked, wrong=wrong)
    print(
        f"{root.name:<16} documents {count:>4}  references {checked:>6}  findings {wrong:>3}"
        f"  slowest {slowest * 1e3:.0f} ms"
    )


def answers(helix: Helix, root: Path, facts: int, tally: dict[str, Counter[str]], *, shown: bool) -> None:
    """Check statements that are known to be true or false, one text each."""
    found, words = facts_of(root)
    for one in statements(found, words, facts, random.Random(SEED)):
        said = helix.check(one.text)["findings"]
        kind = f"{root.name} {one.kind}"
        is_found = bool(said)
        name = ("found" if is_found else "missed") if one.is_wrong else ("false" if is_found else "passed")
        for key in (kind, one.kind, "all"):
            tally[key][name] += 1
        if name == "false" or (shown and name == "missed"):
            print(f"  {name} {one.text!r}: {[(each['rule'], each['message']) for each in said]}")


def report(rights: Counter[str], tally: dict[str, Counter[str]]) -> int:
    """Print the figures; return the exit status."""
    is_good = True
    for key, one in tally.items():
        planted, stated = one["found"] + one["missed"], one["found"] + one["false"]
        recall = one["found"] / planted if planted else 1.0
        precision = one["found"] / stated if stated else 1.0
        print(
            f"{key:<28} wrong {planted:>4}  recall {recall:.2f}   true or decoy {one['passed'] + one['false']:>4}  "
            f"false findings {one['false']:>3}  precision {precision:.3f}"
        )
        is_good = is_good and not one["false"] and (recall >= LEAST_RECALL or " " in key)
    share = rights["wrong"] / rights["checked"] if rights["checked"] else 0.0
    print(f"documents: {rights['wrong']} findings on {rights['checked']:,} references ({share:.2%}), to be read")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
