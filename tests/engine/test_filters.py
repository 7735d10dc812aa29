"""A filter chooses what is searched before anything is ranked, says when it leaves nothing, and changes no verdict."""

import subprocess

import pytest

from helix_core.engine.answer.filters import SearchScope
from helix_core.engine.verdict import NotIndexed
from helix_core.errors import UsageError
from helix_core.model import Filters, Found, Kept
from tests.engine.repository import begin, git, write

RARE = {
    "attic/lost.py": "def weigh_teapot(teapot):\n    return teapot.lid\n",
    "attic/notes.md": "# Notes\n\nThe teapot is weighed by `weigh_teapot` in the attic.\n",
    "tests/test_pots.py": "from src.pot_1 import weigh_teapot\n\n\ndef test_weigh_teapot():\n    assert weigh_teapot\n",
    "web/pots.ts": "export function weighTeapot(teapot: Teapot): number {\n  return teapot.weight;\n}\n",
}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory, starts_processes):
    """Many files that answer a question better than the few of a rare folder."""
    from helix_core.engine import Helix
    from tests.engine.conftest import config_in

    home = tmp_path_factory.mktemp("kitchen")
    body = '    """Weigh a teapot: how a teapot is weighed, teapot by teapot."""\n    return teapot.weight\n'
    many = {f"src/pot_{number}.py": f"def weigh_teapot(teapot):\n{body}" for number in range(120)}
    folder = begin(home / "project", many | RARE)
    write(folder, {"src/pot_7.py": f"def weigh_teapot(teapot, lid):\n{body}"})
    git(
        folder, "-c", "user.name=Grace Hopper", "-c", "user.email=grace@navy.invalid", "commit", "-qam", "Weigh the lid"
    )
    write(folder, {"src/pot_9.py": "def weigh_kettle(kettle):\n    return kettle.weight\n", "src/new.py": "LID = 1\n"})
    with Helix.open(folder, config=config_in(home, folder)) as helix:
        helix.refresh()
        yield helix


QUESTION = "how is a teapot weighed?"


def paths(answer):
    items = (
        answer["items"] if "items" in answer else [one for kind in ("verified", "stale_risk") for one in answer[kind]]
    )
    return {one["source_id"] for one in items}


def test_a_rare_folder_is_found_though_a_hundred_files_rank_above_it(kitchen):
    assert not any(path.startswith("attic/") for path in paths(kitchen.search(QUESTION, k=20)))
    rare = Filters(paths=("attic/",))
    assert paths(kitchen.search(QUESTION, filters=rare)) == {"attic/lost.py", "attic/notes.md"}
    assert paths(kitchen.packet(QUESTION, filters=rare)) == {"attic/lost.py", "attic/notes.md"}
    assert {block["source_id"] for block in kitchen.context(QUESTION, filters=rare)["blocks"]} <= {
        "attic/lost.py",
        "attic/notes.md",
    }
    assert paths(kitchen.search("weigh_teapot", filters=rare)) == {"attic/lost.py", "attic/notes.md"}


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(language="typescript"), {"web/pots.ts"}),
        (Filters(language="ts"), {"web/pots.ts"}),
        (Filters(tests=Kept.ONLY), {"tests/test_pots.py"}),
        (Filters(docs=Kept.ONLY), {"attic/notes.md"}),
        (Filters(paths=("attic/", "!*.md")), {"attic/lost.py"}),
        (Filters(paths=("!src/",), docs=Kept.WITHOUT, tests=Kept.WITHOUT), {"attic/lost.py", "web/pots.ts"}),
        (Filters(since="HEAD"), {"src/pot_9.py", "src/new.py"}),
        (Filters(since="HEAD~1"), {"src/pot_7.py", "src/pot_9.py", "src/new.py"}),
        (Filters(author="grace@NAVY"), {"src/pot_7.py"}),
        (Filters(author="Hopper", since="HEAD~1"), {"src/pot_7.py"}),
    ],
    ids=lambda value: " ".join(sorted(value)) if isinstance(value, set) else str(value),
)
def test_each_filter_keeps_what_it_says(kitchen, filters, kept):
    assert paths(kitchen.search("weigh teapot kettle lid", k=20, filters=filters)) == kept


def test_a_file_that_was_only_touched_has_not_changed_since_a_commit(kitchen):
    (kitchen.workspace / "src" / "pot_3.py").touch()
    assert "src/pot_3.py" not in paths(kitchen.search(QUESTION, k=20, filters=Filters(since="HEAD")))


@pytest.mark.parametrize(
    ("filters", "name"),
    [
        (Filters(paths=("cellar/",)), "the filter paths cellar/ does not keep any of the 125 indexed files"),
        (Filters(language="rust"), "the filter language rust does not keep any of the 125 indexed files"),
        (
            Filters(paths=("web/",), tests=Kept.ONLY),
            "the filter tests only does not keep what the filters before it left",
        ),
        (Filters(author="Nobody"), "the filter author Nobody does not keep any of the 125 indexed files"),
    ],
    ids=str,
)
def test_a_filter_that_leaves_nothing_says_that_it_did(kitchen, filters, name):
    for answer in (kitchen.search(QUESTION, filters=filters), kitchen.packet(QUESTION, filters=filters)):
        assert paths(answer) == set()
        [note] = [note for note in answer["notes"] if "filter" in note]
        assert name in note
        assert not any("no files" in note for note in answer["notes"])
        assert (answer["known_empty"], answer["unsearched"]) == (False, note)
    window = kitchen.context(QUESTION, filters=filters)
    assert (window["known_empty"], window["text"]) == (False, "")
    assert name in window["unsearched"]
    assert "unsearched" not in kitchen.search(QUESTION)


def test_what_is_not_in_the_filtered_files_is_not_said_to_be_nowhere(kitchen):
    answer = kitchen.search("weigh_kettle", filters=Filters(paths=("attic/",)))
    assert "only 2 of 125 files were searched: paths attic/" in answer["notes"]
    assert kitchen.search("weigh_kettle")["notes"] == []


def test_one_file_is_not_counted_as_several():
    nothing = Found((), 0.0, True, (), {}, 0, 0, 0)
    assert SearchScope((1,), 3, "", "language sql").limits(nothing).notes == (
        "only 1 of 3 files was searched: language sql",
    )
    assert "(0 of 1 file)" in NotIndexed((), (b"a.py",), 0, 0).partial_note


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        (Filters(paths=("src/[",)), "'src/[' is not a path glob; write one as in .gitignore"),
        (Filters(paths=("",)), "'' is not a path glob"),
        (Filters(paths=("!",)), "'!' is not a path glob"),
        (Filters(paths=("../etc/",)), "'../etc/' is not a path glob"),
        (Filters(paths=("a\nb",)), "is not a path glob"),
        (Filters(paths=("*",) * 51), "there are 51 path globs; give at most 50"),
        (Filters(language="pyton"), "there is no language 'pyton'; did you mean python?"),
        (Filters(since="no-such-branch"), "there is no commit 'no-such-branch' in this repository"),
        (Filters(since="--upload-pack=touch pwned"), "there is no commit '--upload-pack=touch pwned'"),
        (Filters(since="HEAD\n--output=pwned"), "there is no commit"),
        (Filters(since="HEAD:src"), "there is no commit 'HEAD:src'"),
    ],
    ids=str,
)
def test_a_filter_that_is_none_is_one_error_with_the_next_action(kitchen, filters, sentence):
    for ask in (kitchen.search, kitchen.packet, kitchen.context):
        with pytest.raises(UsageError) as refused:
            ask(QUESTION, filters=filters)
        assert sentence in str(refused.value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "author", ["--upload-pack=touch pwned", "-o", "--output=pwned", "(", "a\0b".replace("\0", "\\0")]
)
def test_an_author_that_looks_like_an_option_or_a_pattern_is_only_a_name(kitchen, author):
    before = {path.name for path in kitchen.workspace.iterdir()}
    answer = kitchen.search(QUESTION, filters=Filters(author=author))
    assert answer["items"] == []
    assert {path.name for path in kitchen.workspace.iterdir()} == before


def test_a_filter_by_history_needs_a_repository(tmp_path, open_helix):
    folder = tmp_path / "plain"
    write(folder, {"a.py": "LID = 1\n"})
    helix = open_helix(folder)
    helix.refresh()
    with pytest.raises(UsageError, match="the filter since HEAD needs git, and this folder is in no repository"):
        helix.search("LID", filters=Filters(since="HEAD"))


def test_a_filter_changes_no_verdict(repository, open_helix):
    helix = open_helix(repository)
    helix.refresh()
    write(repository, {"app/sessions.py": "def sign_cookie(secret_key):\n    return secret_key\n"})
    question = "how are cookies signed?"

    def verdicts(answer):
        items = [one for kind in ("verified", "stale_risk", "needs_refresh") for one in answer[kind]]
        return {(one["source_id"], one["symbol"]): (one["status"], one["reason"]) for one in items}

    every = verdicts(helix.packet(question, k=50, task="edit"))
    document = verdicts(helix.packet(question, k=50, task="edit", filters=Filters(paths=("docs/",))))
    assert document
    assert document.items() <= every.items()


def test_in_a_folder_of_a_repository_history_is_that_of_the_folder(tmp_path, open_helix):
    folder = begin(tmp_path / "whole", {"part/a.py": "LID = 1\n", "part/b.py": "LID = 2\n", "other/c.py": "LID = 3\n"})
    write(folder, {"part/b.py": "LID = 4\n", "other/c.py": "LID = 5\n"})
    git(folder, "commit", "-qam", "Change lids")
    helix = open_helix(folder / "part")
    helix.refresh()
    for filters in (Filters(since="HEAD~1"), Filters(author="ada", since="HEAD~1")):
        assert paths(helix.search("LID", filters=filters)) == {"b.py"}


def test_the_next_question_sees_every_file_again(kitchen):
    kitchen.search(QUESTION, filters=Filters(paths=("attic/",)))
    assert len(paths(kitchen.search(QUESTION, k=20))) > 10
    with pytest.raises(UsageError):
        kitchen.search(QUESTION, filters=Filters(paths=("src/[",)))
    assert len(paths(kitchen.search(QUESTION, k=20))) > 10


def test_git_is_asked_for_history_alone(kitchen, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: started.append(args) or popen(*args, **more))
    kitchen.search(QUESTION, filters=Filters(paths=("attic/",), tests=Kept.WITHOUT))
    assert started == []
