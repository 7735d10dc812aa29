"""Every wrong call ends in one line that names the cause and the next action, with nothing on stdout."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from helix_ls.cli import verbs
from helix_ls.cli.main import run

from .conftest import RunHelix


@pytest.mark.parametrize(
    "verb", [("index",), ("status",), ("config",), ("search", "price", "--path"), ("packet", "price", "--path")]
)
def test_a_folder_that_is_missing_is_misuse(helix: RunHelix, tmp_path: Path, verb: tuple[str, ...]) -> None:
    ran = helix(*verb, tmp_path / "nowhere")
    assert ran.status == 2
    assert "nowhere" in ran.complaint


def test_a_file_in_place_of_a_folder_is_misuse(helix: RunHelix, shop: Path) -> None:
    ran = helix("index", shop / "settings.toml", "--json")
    assert ran.status == 2
    assert "settings.toml" in ran.complaint


@pytest.mark.slow
@pytest.mark.parametrize("question", ["", "   \n"])
def test_an_empty_question_is_misuse(helix: RunHelix, shop: Path, question: str) -> None:
    assert helix("search", question, "--path", shop).status == 2
    assert "empty" in helix("packet", question, "--path", shop).complaint


@pytest.mark.parametrize("arguments", [("",), (" ",), ("--reranker", "")])
def test_a_model_without_a_name_is_misuse(helix: RunHelix, arguments: tuple[str, ...]) -> None:
    ran = helix("embed", "setup", *arguments, "--yes")
    assert ran.status == 2
    assert "is named; name" in ran.complaint


@pytest.mark.parametrize("k", ["0", "-3", "10000", "many"])
def test_a_k_out_of_range_is_misuse(helix: RunHelix, shop: Path, k: str) -> None:
    for verb in ("search", "packet"):
        ran = helix(verb, "price", "--path", shop, "-k", k)
        assert ran.status == 2
        assert k in ran.complaint


def test_an_unknown_task_is_misuse_and_the_tasks_are_named(helix: RunHelix, shop: Path) -> None:
    ran = helix("packet", "price", "--path", shop, "--task", "dance", "--json")
    assert ran.status == 2
    assert "dance" in ran.complaint
    assert "'edit'" in ran.complaint


def test_an_unknown_verb_is_misuse_with_the_closest_one(helix: RunHelix) -> None:
    ran = helix("serch", "price")
    assert ran.status == 2
    assert "did you mean helix search?" in ran.complaint


def test_an_unknown_option_is_misuse_and_shows_the_way_to_help(helix: RunHelix) -> None:
    ran = helix("search", "price", "--colour")
    assert ran.status == 2
    assert "helix search --help" in ran.complaint


def test_words_without_quotes_are_misuse_that_says_so(helix: RunHelix) -> None:
    ran = helix("search", "total", "price")
    assert ran.status == 2
    assert "quotes" in ran.complaint


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[index]\nworkers = = 3\n", ("line 2", "index.workers")),
        ("[index]\nworkers = 'two'\n", ("line 2", "index.workers", "whole number")),
        ("\n\n[index]\nworkers = 99\n", ("line 4", "index.workers", "1 to 8")),
        ("[packet]\nreingest_budget_ms = true\n", ("line 2", "packet.reingest_budget_ms")),
        ("[index\n", ("line 1",)),
        ("a = " + "[" * 5000 + "]" * 5000, ("helix.toml",)),
    ],
)
def test_a_broken_settings_file_of_a_repository_is_named_with_line_and_key(
    helix: RunHelix, shop: Path, text: str, parts: tuple[str, ...]
) -> None:
    (shop / "helix.toml").write_text(text)
    ran = helix("config", shop)
    assert ran.status == 0, ran.err
    (note,) = [line for line in ran.err.splitlines() if "helix.toml" in line]
    assert note.startswith("helix: note: ") and all(part in note for part in parts), note


@pytest.mark.slow
def test_a_broken_settings_file_of_a_repository_stops_no_command(helix: RunHelix, shop: Path) -> None:
    (shop / "helix.toml").write_text("[index]\nworkers = = 3\n")
    for verb in (("index", shop), ("search", "price", "--path", shop), ("status", shop), ("config", shop)):
        ran = helix(*verb)
        assert ran.status == 0, ran.err
        (note,) = [line for line in ran.err.splitlines() if "helix.toml" in line]
        assert note.startswith("helix: note: ") and "line 2" in note, note
    for verb in (("search", "price"), ("packet", "price"), ("context", "price")):
        answer = helix(*verb, "--path", shop, "--json").answer
        assert len([note for note in answer["notes"] if "helix.toml" in note]) == 1


def test_a_broken_settings_file_of_the_user_is_named_with_line_and_key(
    helix: RunHelix, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / "home" / "user.toml").write_text("[index]\nworkers = 99\n")
    for verb in (("index", shop), ("search", "price", "--path", shop), ("config", shop)):
        ran = helix(*verb)
        assert ran.status == 2
        assert all(part in ran.complaint for part in ("user.toml", "line 2", "index.workers", "1 to 8"))


def test_an_unknown_setting_is_a_note_with_a_suggestion_and_work_goes_on(helix: RunHelix, shop: Path) -> None:
    (shop / "helix.toml").write_text("[index]\nworker = 1\n")
    ran = helix("search", "price", "--path", shop, "--json")
    assert ran.status == 0
    assert ran.answer["items"]
    assert "did you mean index.workers?" in ran.err


def test_a_workspace_may_not_move_the_cache(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    (shop / "helix.toml").write_text(f"cache_dir = '{tmp_path / 'taken'}'\n")
    ran = helix("index", shop)
    assert ran.status == 0
    assert "not taken from a workspace" in ran.err
    assert not (tmp_path / "taken").exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_cache_is_a_failure_with_advice(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "read-only"
    cache.mkdir()
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    ran = helix("search", "price", "--path", shop, HELIX_CACHE_DIR=str(cache))
    assert ran.status == 1
    assert str(cache) in ran.complaint


def test_a_cache_that_is_a_file_is_a_failure_that_names_it(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "cache-file").write_text("")
    ran = helix("index", shop, HELIX_CACHE_DIR=str(tmp_path / "cache-file"))
    assert ran.status == 1
    assert "cache-file" in ran.complaint


def test_an_index_of_a_newer_helix_is_refused_and_left_alone(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    assert helix("index", shop).status == 0
    (index,) = (tmp_path / "home" / "cache").rglob("index.db")
    data = bytearray(index.read_bytes())
    data[60:64] = (9999).to_bytes(4, "big")
    index.write_bytes(data)
    ran = helix("search", "price", "--path", shop)
    assert ran.status == 1
    assert "newer" in ran.complaint
    assert index.read_bytes() == data


def test_a_damaged_index_is_moved_aside_rebuilt_and_told_once(helix: RunHelix, shop: Path, tmp_path: Path) -> None:
    assert helix("index", shop).status == 0
    (index,) = (tmp_path / "home" / "cache").rglob("index.db")
    index.write_bytes(b"this is not a database" * 400)
    ran = helix("search", "total price", "--path", shop, "--json")
    assert ran.status == 0
    assert ran.answer["items"]
    assert ran.err.count("\n") == 1
    assert "moved aside" in ran.err
    assert helix("search", "total price", "--path", shop, "--json").err == ""


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["search", "packet", "context"])
def test_a_question_about_a_home_or_the_whole_disk_is_refused_with_the_next_action(
    helix: RunHelix, tmp_path: Path, verb: str
) -> None:
    home = tmp_path / "home"
    (tmp_path / "link").symlink_to(home)
    for place in ("/", home, tmp_path / "link", "~"):
        ran = helix(verb, "where is it", "--path", place, cwd=tmp_path)
        assert ran.status == 2
        assert "not a project; name a project's folder" in ran.complaint
    assert "not a project" in helix(verb, "where is it", cwd=home).complaint
    assert not (home / "cache").exists()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["index", "serve", "status"])
def test_no_verb_takes_a_home_or_the_whole_disk_for_a_project(helix: RunHelix, tmp_path: Path, verb: str) -> None:
    for place in ("/", tmp_path / "home"):
        ran = helix(verb, place)
        assert ran.status == 2
        assert "not a project" in ran.complaint


def test_a_project_inside_a_home_is_one(helix: RunHelix, tmp_path: Path) -> None:
    project = tmp_path / "home" / "project"
    project.mkdir()
    (project / "a.py").write_text("def wombat():\n    return 1\n")
    assert helix("search", "wombat", "--path", project, "--json").answer["items"]


def test_windows_is_refused_in_one_sentence_that_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="Windows is not supported; install Helix on Linux, for example inside WSL"):
        run()


def test_every_verb_that_takes_a_folder_takes_it_as_path_too(helix: RunHelix, shop: Path) -> None:
    for name in verbs.VERBS:
        own = {one.name: one.opts for one in verbs.verb(name).params if one.name in ("path", "helix.folder")}
        assert "path" not in own or "--path" in [opt for opts in own.values() for opt in opts], name
    assert helix("index", "--path", shop, "--json").answer["workspace"] == str(shop)
    assert helix("status", f"--path={shop}", "--json").answer["workspace"] == str(shop)
    twice = helix("status", shop, "--path", shop)
    assert twice.status == 2
    assert "twice" in twice.complaint


def test_a_question_that_begins_with_dashes_is_told_the_way_out(helix: RunHelix, shop: Path) -> None:
    for verb in ("packet", "search"):
        told = helix(verb, "--nth option", "--path", shop).complaint
        assert "'--nth option'" in told and "put -- before a question" in told
        assert helix(verb, "--path", shop, "--", "--nth option").status == 0
    assert "--nth" in helix("index", "--nth", shop).complaint
    assert "question" not in helix("index", "--nth", shop).complaint


def test_what_changed_without_git_names_what_a_terminal_has(helix: RunHelix, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("A = 1\n")
    ran = helix("changes", "--path", tmp_path / "plain")
    assert ran.status == 2
    assert "helix uses NAME" in ran.complaint and "helix_uses" not in ran.complaint


def test_an_argument_too_many_is_told_of_a_question_only_where_one_is_asked(helix: RunHelix, shop: Path) -> None:
    assert "question of several words in quotes" in helix("search", "a", "b", "--path", shop).complaint
    told = helix("changes", "shop/cart.py", "--path", shop).complaint
    assert "question" not in told and "helix changes --help" in told


def test_a_repository_without_a_commit_is_not_told_to_name_one(helix: RunHelix, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], check=True)
    told = helix("changes", "--path", tmp_path / "new").complaint
    assert "nothing is committed" in told and "HEAD~5" not in told
