"""The rules used outside git decide as git itself does."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from helix_core.workspace.disk import Root
from helix_core.workspace.files import list_files
from helix_core.workspace.git import Git
from helix_core.workspace.ignore import parse_rules, rules_of

NAMES = [
    "a",
    "b",
    "ab",
    "a.py",
    "b.txt",
    "a b",
    " x",
    "x ",
    "#h",
    "!n",
    "\u00e9",
    "\u00e0",
    "[z]",
    "a*",
    "build",
    "doc",
]
_SEGMENTS = """
a b * ? a* *.py *.txt ** [ab] [!a] [^b]* a? build doc \u00e9 \u00e0 ?? [a-b]* \\* [z] \\[z\\] **b a** a* #h !n \\#h \\!n
[]a] [a [\\]] *[.]py [b-a] \\\u00e9 [[:alpha:]]* [[:nope:]] a\\
"""
SEGMENTS = [*_SEGMENTS.split(), "x ", "a\\ b", "x\\ "]


def pattern(rng: random.Random) -> str:
    text = "/".join(rng.choice(SEGMENTS) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))
    text = "/" + text if rng.random() < 0.25 else text
    text = text + "/" if rng.random() < 0.3 else text
    text = "!" + text if rng.random() < 0.3 else text
    return text + rng.choice(["  ", "\t", "\r", "\\ "]) if rng.random() < 0.1 else text


def plant(tree: Path, rng: random.Random) -> None:
    """A small tree of awkward names with ignore files of awkward patterns at several depths."""
    folders = [tree]
    for _ in range(rng.randint(2, 8)):
        folder = rng.choice(folders) / rng.choice(NAMES)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for folder in folders:
        for name in rng.sample(NAMES, 5):
            if not (folder / name).exists():
                (folder / name).write_text("x")
        if folder == tree or rng.random() < 0.3:
            lines = [pattern(rng) for _ in range(rng.randint(1, 5))]
            (folder / ".gitignore").write_bytes("\n".join(lines).encode() + b"\n")


def paths_of(tree: Path, git: Git | None) -> list[bytes]:
    with Root.open(tree) as root:
        return [file.path for file in list_files(root, git).files]


@pytest.mark.parametrize("seed", range(24))
def test_a_walk_finds_what_git_finds(make_repository, tmp_path, seed):
    repository = make_repository(tmp_path / "tree")
    plant(repository.path, random.Random(seed))
    assert paths_of(repository.path, None) == paths_of(repository.path, Git.open(repository.path))


def test_decisions_equal_check_ignore_on_a_corpus(make_repository, tmp_path):
    """Well over 200 paths: every file and folder of sixteen trees, asked one by one."""
    cases = 0
    for seed in range(100, 116):
        repository = make_repository(tmp_path / str(seed))
        plant(repository.path, random.Random(seed))
        files = [path for path in repository.path.rglob("*") if path.is_file() and ".git" not in path.parts]
        names = sorted(str(path.relative_to(repository.path)).encode() for path in files)
        asked = b"\0".join(names) + b"\0"
        ignored = set(repository.git("check-ignore", "-z", "--stdin", input=asked, check=False).split(b"\0"))
        expected = [name for name in names if name not in ignored]
        assert paths_of(repository.path, Git.open(repository.path)) == expected
        shutil.rmtree(repository.path / ".git")
        assert paths_of(repository.path, None) == expected
        cases += len(names)
    assert cases >= 200


def test_a_file_in_an_ignored_folder_cannot_be_called_back(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "keep.py").write_text("x")
    (tmp_path / "kept.log").write_text("x")
    (tmp_path / ".gitignore").write_text("out\n!out/keep.py\n*.log\n!kept.log\n")
    assert paths_of(tmp_path, None) == [b".gitignore", b"kept.log"]


def test_hostile_patterns_cost_next_to_nothing():
    rules = parse_rules(b"\n".join([b"*a" * 60 + b"b", b"**/" * 200 + b"x", b"[" * 5000, b"(a+)+$" * 50, b"\\"]))
    assert rules.decision("a" * 250, False) is None


def test_a_byte_order_mark_and_windows_line_ends_are_understood():
    rules = parse_rules(b"\xef\xbb\xbf*.log\r\n# note\r\n!keep.log\r\n")
    assert [rules.decision(name, False) for name in ("a.log", "keep.log", "note")] == [True, False, None]


def test_git_agrees_that_the_patterns_are_awkward(make_repository, tmp_path):
    """The corpus is no good if it ignores nothing or everything."""
    repository = make_repository(tmp_path / "tree")
    plant(repository.path, random.Random(3))
    everything = subprocess.run(
        ["git", "ls-files", "-z", "--others"], cwd=repository.path, capture_output=True, check=True
    )
    assert 0 < len(paths_of(repository.path, None)) < everything.stdout.count(b"\0")


def test_more_lines_than_one_pattern_holds_are_asked_one_by_one():
    """A repository's file must not end a command; RE2 compiles no pattern of any size."""
    rules = rules_of(["*a" * 30 + str(number) for number in range(3000)] + ["*.log"])
    assert rules.gate is None and len(rules.rules) == 3001
    assert rules.decision("x.log", is_folder=False) is True
    assert rules.decision("a" * 30 + "2999", is_folder=False) is True
    assert rules.decision("x.py", is_folder=False) is None
