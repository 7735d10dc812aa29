"""Hints: pulled or pushed, never both; unchanged when nothing changed; gone when turned off or put away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from helix_core.config import Config
from helix_core.engine import Helix
from helix_ls.lsp.diagnostics import NONE, dismiss, dismissed, mentioned, result_id_of
from tests.engine.repository import git
from tests.lsp.conftest import StartWire, serving, visiting
from tests.lsp.wire import Wire

PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {"dynamicRegistration": True}, "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}},
    "window": {"showDocument": {"support": True}},
}
PUSHED: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}}}
Visit = Callable[[Path], Wire]


@pytest.fixture(scope="module")
def pulling(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server whose client pulls hints."""
    with serving(tmp_path_factory.mktemp("pulling"), capabilities=PULLS) as wire:
        yield wire


@pytest.fixture(scope="module")
def pushing(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server whose client cannot pull."""
    with serving(tmp_path_factory.mktemp("pushing"), capabilities=PUSHED) as wire:
        yield wire


@pytest.fixture
def pulls(pulling: Wire) -> Iterator[Visit]:
    """``pulls(folder)`` is the server whose client pulls, with this folder alone until the end of the test."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(visiting(pulling, folder))


@pytest.fixture
def pushed(pushing: Wire) -> Iterator[Visit]:
    """``pushed(folder)`` is the server whose client cannot pull, with this folder alone until the end of the test."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(visiting(pushing, folder))


@pytest.fixture
def left_behind(project: Path) -> Path:
    """The document names a function that was changed after it was written."""
    code = project / "app/sessions.py"
    code.write_text(
        code.read_text().replace("def sign_cookie(secret_key, payload)", "def sign_cookie(key, payload, salt)")
    )
    git(project, "commit", "-qam", "Salt")
    return project


def pull(wire: Wire, uri: str, previous: str | None = None) -> Any:
    params = {"textDocument": {"uri": uri}, **({"previousResultId": previous} if previous else {})}
    return wire.result("textDocument/diagnostic", params)


def shown(report: Any) -> list[tuple[Any, ...]]:
    """What a person sees of a report."""
    return [(each["range"], each["code"], each["severity"], each["message"]) for each in report["items"]]


def until_pulled(wire: Wire, uri: str, count: int) -> Any:
    """Pull, as an editor does, until there are so many."""
    for _ in range(300):
        before = len(wire.heard)
        report = pull(wire, uri)
        if len(report["items"]) == count:
            return report
        wire.until(lambda one: one.get("method") == "workspace/diagnostic/refresh", since=before)
    raise AssertionError(report)


def test_a_client_that_pulls_is_told_when_and_that_nothing_changed(pulls: Visit, left_behind: Path) -> None:
    wire = pulls(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    report = until_pulled(wire, uri, 1)
    assert (report["kind"], report["items"][0]["code"]) == ("full", "outdated_doc")
    assert report["items"][0]["severity"] == 4
    assert report["items"][0]["range"]["start"]["line"] == 2
    # On a busy machine the first check may run out of time; what the client has is then brought up to date.
    while (again := pull(wire, uri, report["resultId"]))["kind"] == "full":
        assert shown(again) and shown(again) != shown(report)
        report = again
    assert again == {"kind": "unchanged", "resultId": report["resultId"]}
    assert pull(wire, uri, "another")["kind"] == "full"
    assert wire.told("textDocument/publishDiagnostics") == []


def test_findings_are_told_apart_by_what_a_person_sees() -> None:
    finding = {"code": "outdated_doc", "message": "seal(a) is seal(b) now", "start_line": 3, "flag": {"since": None}}
    blamed = finding | {"flag": {"since": "3f" * 20}}
    assert result_id_of([blamed], "hint") == result_id_of([finding], "hint") != NONE
    others = [finding | {"message": "seal(a) is gone"}, finding | {"start_line": 4}, finding | {"code": "contradicted"}]
    ids = [result_id_of([one], "hint") for one in others] + [result_id_of([finding], "information")]
    assert len({*ids, result_id_of([finding], "hint")}) == len(ids) + 1
    assert result_id_of([], "hint") == NONE


def test_a_client_that_cannot_pull_is_sent_them(pushed: Visit, left_behind: Path) -> None:
    wire = pushed(left_behind)
    assert "diagnosticProvider" not in wire.capabilities
    uri = wire.open(left_behind / "docs/sessions.md")
    told = wire.until_told("textDocument/publishDiagnostics", lambda one: one["uri"] == uri)
    assert [each["code"] for each in told["diagnostics"]] == ["outdated_doc"]
    before = len(wire.heard)
    wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    told = wire.until_told("textDocument/publishDiagnostics", lambda one: one["uri"] == uri, since=before)
    assert told["diagnostics"] == []


def test_removing_a_folder_removes_its_hints(pushed: Visit, left_behind: Path) -> None:
    wire = pushed(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    wire.until_told("textDocument/publishDiagnostics", lambda one: one["uri"] == uri and one["diagnostics"])
    before = len(wire.heard)
    removed = {"event": {"added": [], "removed": [{"uri": left_behind.as_uri(), "name": "p"}]}}
    wire.notify("workspace/didChangeWorkspaceFolders", removed)
    wire.until_told("textDocument/publishDiagnostics", lambda one: not one["diagnostics"], since=before)


@pytest.mark.slow
def test_turning_them_off_clears_them(pulls: Visit, pushed: Visit, left_behind: Path) -> None:
    for visit in (pulls, pushed):
        wire = visit(left_behind)
        uri = wire.open(left_behind / "docs/sessions.md")
        if visit is pulls:
            until_pulled(wire, uri, 1)
        else:
            wire.until_told(
                "textDocument/publishDiagnostics", lambda one, uri=uri: one["uri"] == uri and one["diagnostics"]
            )
        before = len(wire.heard)
        settings = {"settings": {"helix": {"diagnostics": {"enabled": False}}}}
        wire.notify("workspace/didChangeConfiguration", settings)
        if visit is pulls:
            wire.until(lambda one: one.get("method") == "workspace/diagnostic/refresh", since=before)
            assert pull(wire, uri)["items"] == []
        else:
            wire.until_told("textDocument/publishDiagnostics", lambda one: not one["diagnostics"], since=before)


def test_a_stale_place_of_an_open_packet_is_hinted_at(pulls: Visit, project: Path) -> None:
    wire = pulls(project)
    uri = wire.open(project / "app/sessions.py")
    assert pull(wire, uri)["items"] == []
    packet = wire.command("helix.packet", {"question": "sign_cookie", "open": True})
    wire.change(uri, (project / "app/sessions.py").read_text().replace("return payload +", "return b'' + payload +"))
    report = until_pulled(wire, uri, 1)
    assert report["items"][0]["code"] == "stale"
    assert "unsaved" in report["items"][0]["message"]
    wire.command("helix.packet.close", {"packet_id": packet["packet_id"]})
    until_pulled(wire, uri, 0)


def test_what_can_be_done_about_a_hint_can_be_done(start: StartWire, left_behind: Path) -> None:
    literals = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}}
    wire = start()
    wire.initialize(left_behind, capabilities={**PULLS, "textDocument": {**PULLS["textDocument"], **literals}})
    wire.until_fresh(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    hint = until_pulled(wire, uri, 1)["items"][0]
    bare = {key: value for key, value in hint.items() if key != "data"}
    params = {"textDocument": {"uri": uri}, "range": hint["range"], "context": {"diagnostics": [bare]}}
    actions = wire.result("textDocument/codeAction", params)
    assert [each["command"]["command"] for each in actions] == ["helix.refreshFile", "helix.openSides", "helix.dismiss"]
    assert {each["kind"] for each in actions} == {"quickfix"}
    assert (
        wire.result("textDocument/codeAction", {**params, "context": {"diagnostics": [bare], "only": ["source"]}}) == []
    )
    assert wire.result("textDocument/codeAction", {**params, "context": {"diagnostics": []}}) == []
    for action in actions:
        wire.result("workspace/executeCommand", {key: action["command"][key] for key in ("command", "arguments")})
    shown = [one["params"]["uri"] for one in wire.heard if one.get("method") == "window/showDocument"]
    assert shown == [uri, (left_behind / "app/sessions.py").as_uri()]
    assert pull(wire, uri)["items"] == []


def test_a_client_without_action_literals_gets_commands(pulls: Visit, left_behind: Path) -> None:
    wire = pulls(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    hint = until_pulled(wire, uri, 1)["items"][0]
    params = {"textDocument": {"uri": uri}, "range": hint["range"], "context": {"diagnostics": [hint]}}
    assert all(isinstance(each["command"], str) for each in wire.result("textDocument/codeAction", params))


@pytest.mark.slow
def test_what_was_put_away_is_remembered_by_the_next_server(
    start: StartWire, left_behind: Path, tmp_path: Path
) -> None:
    cache = str(tmp_path / "shared-cache")
    for round_ in range(2):
        wire = start(HELIX_CACHE_DIR=cache)
        wire.initialize(left_behind, capabilities=PULLS)
        wire.until_fresh(left_behind)
        uri = wire.open(left_behind / "docs/sessions.md")
        if round_ == 0:
            hint = until_pulled(wire, uri, 1)["items"][0]
            given = {"uri": uri, "code": hint["code"], "text_hash": hint["data"]["text_hash"]}
            wire.command("helix.dismiss", given)
        else:
            assert pull(wire, uri)["items"] == []
        wire.stop()


def test_what_a_flag_of_the_trail_dismissed_stays_so_and_cannot_be_restored(pulls: Visit, left_behind: Path) -> None:
    wire = pulls(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    hint = until_pulled(wire, uri, 1)["items"][0]
    text_hash = hint["data"]["text_hash"]
    with Helix.open(left_behind, config=Config(wire.home / "cache")) as helix:
        helix.trail.flag(f"dismissed {hint['code']} {text_hash}")
    assert pull(wire, uri)["items"] == []
    (listed,) = all_hints(wire, left_behind)
    assert listed["ignored"] is True
    given = {"uri": uri, "code": hint["code"], "text_hash": text_hash, "restore": True}
    refused = wire.error("workspace/executeCommand", {"command": "helix.dismiss", "arguments": [given]})
    assert "forgotten" in refused["message"]


def test_dismissals_survive_nonsense_in_their_file(tmp_path: Path) -> None:
    assert dismissed(tmp_path) == frozenset()
    for nonsense in ("", "{", "[1, [2], [1, 2, 3], {}]", '{"a": 1}'):
        (tmp_path / "dismissed.json").write_text(nonsense)
        assert dismissed(tmp_path) == frozenset()
    dismiss(tmp_path, ("a.md", "stale", "x"))
    dismiss(tmp_path, ("a.md", "stale", "y"))
    assert dismissed(tmp_path) == {("a.md", "stale", "x"), ("a.md", "stale", "y")}


def test_lenses_follow_their_switch(pulls: Visit, project: Path) -> None:
    wire = pulls(project)
    uri = wire.open(project / "app/sessions.py")
    assert wire.result("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
    before = len(wire.heard)
    wire.notify("workspace/didChangeConfiguration", {"settings": {"helix": {"codeLens": {"enabled": True}}}})
    wire.until(lambda one: one.get("method") == "workspace/codeLens/refresh", since=before)
    lenses = wire.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [lens["range"]["start"]["line"] for lens in lenses] == [5, 10]
    assert all(lens["command"]["command"] == "" for lens in lenses)


def all_hints(wire: Wire, folder: Path, **given: Any) -> list[dict[str, Any]]:
    """Every hint of the workspace, page by page."""
    found: list[dict[str, Any]] = []
    after: str | None = ""
    for _ in range(50):
        page = wire.command("helix.hints", {"workspace": folder.as_uri(), "after": after, **given})
        found += page["hints"]
        after = page["next"]
        if after is None:
            assert page["done"] == page["total"]
            return found
    raise AssertionError("the pages have no end")


def until_hinted(wire: Wire, folder: Path, count: int, **given: Any) -> list[dict[str, Any]]:
    """Ask until there are so many: git is read beside the answers."""
    for _ in range(300):
        found = all_hints(wire, folder, **given)
        if len(found) == count:
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_the_workspace_lists_what_is_outdated_dead_or_contradicted_page_by_page(
    pulls: Visit, left_behind: Path
) -> None:
    (left_behind / "docs/dead.md").write_text("# Baskets\n\nCall `fill_basket()` first, then see `app/baskets.py`.\n")
    (left_behind / "app/baskets.py").write_text("def fill_basket():\n    return None\n")
    git(left_behind, "add", "-A")
    git(left_behind, "commit", "-qm", "Drop")
    (left_behind / "app/baskets.py").unlink()
    git(left_behind, "commit", "-qam", "Gone")
    wire = pulls(left_behind)
    found = until_hinted(wire, left_behind, 3, files=2)
    assert [(each["source_id"], each["start_line"], each["kind"]) for each in found] == [
        ("docs/dead.md", 3, "dead"),
        ("docs/dead.md", 3, "dead"),
        ("docs/sessions.md", 3, "outdated"),
    ]
    assert found[2]["uri"] == (left_behind / "docs/sessions.md").as_uri()
    assert found[2]["other"]["source_id"] == "app/sessions.py"
    assert found == all_hints(wire, left_behind), "the size of the pages changes nothing"


@pytest.mark.slow
def test_an_ignored_hint_stays_ignored_until_it_is_restored(
    start: StartWire, left_behind: Path, tmp_path: Path
) -> None:
    cache = str(tmp_path / "shared-cache")
    for round_ in range(3):
        wire = start(HELIX_CACHE_DIR=cache)
        wire.initialize(left_behind, capabilities=PULLS)
        wire.until_fresh(left_behind)
        [hint] = until_hinted(wire, left_behind, 1)
        assert hint["ignored"] is (round_ == 1)
        given = {key: hint[key] for key in ("uri", "code", "text_hash")}
        wire.command("helix.dismiss", {**given, "restore": round_ == 1})
        wire.stop()
    assert git(left_behind, "status", "--porcelain") == "", "nothing is written into the repository"


def test_hints_are_information_where_the_setting_says_so_and_underline_what_is_meant(
    pulls: Visit, left_behind: Path
) -> None:
    wire = pulls(left_behind)
    uri = wire.open(left_behind / "docs/sessions.md")
    [hint] = until_pulled(wire, uri, 1)["items"]
    line = (left_behind / "docs/sessions.md").read_text().split("\n")[2]
    at = hint["range"]
    assert line[at["start"]["character"] : at["end"]["character"]] == "sign_cookie(secret_key, payload)"
    before = len(wire.heard)
    wire.notify(
        "workspace/didChangeConfiguration", {"settings": {"helix": {"diagnostics": {"severity": "information"}}}}
    )
    wire.until(lambda one: one.get("method") == "workspace/diagnostic/refresh", since=before)
    assert pull(wire, uri)["items"][0]["severity"] == 3


@pytest.mark.parametrize(
    ("line", "mention", "text"),
    [
        ("Use `open_it()` or `open_it_all()`.", "open_it", "open_it"),
        ("  plain words here  ", "gone_name", "plain words here"),
        ("", "x", ""),
        ("a(b is (c", "(c", "(c"),
    ],
)
def test_the_mentioned_name_is_underlined_or_else_the_line(line: str, mention: str, text: str) -> None:
    start, end = mentioned(line, mention)
    assert line[start:end] == text
