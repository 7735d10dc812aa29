"""Settings: asked for per folder, or taken as they are sent, and kept where they are nonsense."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from helix_ls.lsp.settings import EditorSettings, Options, options_of, with_configuration
from tests.lsp.conftest import StartWire, make_project
from tests.lsp.wire import NO_ANSWER

PULLS = {"workspace": {"configuration": True}}


@pytest.mark.parametrize("given", [None, {}, [], "x", {"helix": 5}, {"helix": {"trusted": "yes", "watch": "loud"}}])
def test_options_that_make_no_sense_are_the_defaults(given: Any) -> None:
    assert options_of(given) == Options()


def test_options_are_read() -> None:
    given = {"trusted": False, "watch": "off", "paused": True, "hover": False, "codeLens": True, "diagnostics": False}
    settings = EditorSettings(hover=False, code_lens=True, diagnostics=False, paused=True, watch="off")
    assert options_of({"helix": {**given, "trace": "verbose"}}) == Options(False, "verbose", settings)


@pytest.mark.parametrize(
    "section",
    [
        None,
        5,
        [],
        {"hover": True},
        {"index": {"maxFileBytes": True, "exclude": [1]}},
        {"watch": {"mode": 1}},
        {"trail": {"record": 1}},
        {"index": {"maxFileSize": "2 megs", "include": "src/", "maxFiles": True}},
        {"index": {"maxFileSize": ["2 MB"], "include": [None], "maxFiles": "3"}},
    ],
)
def test_a_section_that_makes_no_sense_changes_nothing(section: Any) -> None:
    assert with_configuration(EditorSettings(), section) == EditorSettings()


def test_the_severity_of_hints_is_one_of_two_words() -> None:
    assert with_configuration(EditorSettings(), {"diagnostics": {"severity": "information"}}).severity == "information"
    assert options_of({"helix": {"severity": "information"}}).settings.severity == "information"
    for nonsense in ("error", 3, None, ["hint"]):
        assert with_configuration(EditorSettings(), {"diagnostics": {"severity": nonsense}}).severity == "hint"


def test_a_section_is_read_by_the_names_of_the_extension() -> None:
    section = {
        "hover": {"enabled": False},
        "codeLens": {"enabled": True},
        "diagnostics": {"enabled": False},
        "index": {
            "exclude": ["*.gen"],
            "include": ["src/"],
            "maxFileBytes": 5000,
            "maxFiles": 300,
            "paused": True,
        },
        "watch": {"mode": "polling"},
        "trail": {"record": True},
    }
    expected = EditorSettings(
        False, True, False, True, "polling", ("*.gen",), 5000, record_trail=True, include=("src/",), max_files=300
    )
    assert with_configuration(EditorSettings(), section) == expected


def test_a_size_with_a_unit_comes_before_the_older_setting_in_bytes() -> None:
    def most(**index: Any) -> int | None:
        return with_configuration(EditorSettings(), {"index": index}).max_file_bytes

    assert most(maxFileSize="3 MB", maxFileBytes=5000) == 3 * 1024**2
    assert most(maxFileSize="", maxFileBytes=5000) == most(maxFileBytes=5000) == 5000
    assert most(maxFileSize="2 megs", maxFileBytes=5000) == 5000
    assert most(maxFileSize="4 KB", maxFileBytes=None) == 4096


def test_what_is_emptied_is_given_back_to_helixs_own_settings() -> None:
    full = EditorSettings(include=("src/",), max_file_bytes=5000, max_files=3)
    emptied = {"include": [], "maxFileSize": "", "maxFileBytes": None, "maxFiles": None}
    settings = with_configuration(full, {"index": emptied})
    assert (settings.include, settings.max_file_bytes, settings.max_files) == ((), None, None)
    assert with_configuration(full, {"index": {}}) == full


@pytest.mark.slow
def test_each_folder_is_asked_for_its_own(start: StartWire, tmp_path: Path) -> None:
    one, two = make_project(tmp_path / "one"), make_project(tmp_path / "two")
    wire = start()
    sections = {one.as_uri(): {"hover": {"enabled": False}}, two.as_uri(): {"index": {"exclude": ["app/"]}}}
    wire.answers["workspace/configuration"] = lambda params: [sections[item["scopeUri"]] for item in params["items"]]
    wire.initialize(one, two, capabilities=PULLS)
    wire.until_fresh(one, two)
    hovers = []
    for folder in (one, two):
        uri = wire.open(folder / "tests/test_sessions.py")
        params = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 6}}
        hovers.append(wire.result("textDocument/hover", params))
    assert hovers[0] is None
    assert hovers[1] is not None
    assert wire.command("helix.symbol", {"name": "sign_cookie", "workspace": one.as_uri()}) is not None
    assert wire.command("helix.symbol", {"name": "sign_cookie", "workspace": two.as_uri()}) is None
    before = len(wire.heard)
    sections[two.as_uri()] = {"index": {"exclude": []}}
    wire.notify("workspace/didChangeConfiguration", {"settings": None})
    wire.until_told("helix/status", lambda told: told["uri"] == two.as_uri() and told["files"] == 5, since=before)
    assert wire.command("helix.symbol", {"name": "sign_cookie", "workspace": two.as_uri()}) is not None


def test_pausing_is_a_setting_too(start: StartWire, project: Path) -> None:
    wire = start()
    wire.initialize(project, paused=True)
    wire.until_told("helix/status", lambda told: told["state"] == "paused")
    wire.notify("workspace/didChangeConfiguration", {"settings": {"helix": {"index": {"paused": False}}}})
    wire.until_fresh(project)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [lambda _: "x", lambda _: [1, 2, 3], NO_ANSWER], ids=["text", "numbers", "nothing"])
def test_a_client_that_answers_nonsense_or_nothing_is_served_anyway(
    start: StartWire, project: Path, answer: Any
) -> None:
    wire = start()
    wire.answers["workspace/configuration"] = answer
    wire.initialize(project, capabilities=PULLS)
    wire.until_fresh(project)


def test_a_question_asked_before_the_settings_have_come_is_answered(start: StartWire, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    wire = start()

    def late(params: dict[str, Any]) -> list[None]:
        time.sleep(0.5)
        return [None for _ in params["items"]]

    wire.answers["workspace/configuration"] = late
    wire.initialize(project, capabilities=PULLS)
    command = {"command": "helix.search", "arguments": [{"question": "session"}]}
    assert wire.result("workspace/executeCommand", command)["schema"] == "helix.search/1"
