"""What a window is told is true at that moment: edits, saves, folders that come and go, secrets that never show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.repository import FILES
from tests.lsp.conftest import StartWire, make_project, serving, visiting
from tests.lsp.wire import Wire

pytestmark = pytest.mark.slow

MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> Iterator[Wire]:
    """The module's server, for an editor that shows markdown."""
    with serving(tmp_path_factory.mktemp("running"), capabilities=MARKDOWN) as wire:
        yield wire


def hover(wire: Wire, uri: str, line: int, character: int) -> str:
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    found = wire.result("textDocument/hover", params)
    return str(found["contents"]["value"]) if found else ""


def test_initialize_is_answered_before_anything_is_read(wire: Wire, project: Path) -> None:
    params = {
        "processId": os.getpid(),
        "rootUri": project.as_uri(),
        "capabilities": {},
        "workspaceFolders": [{"uri": project.as_uri(), "name": "p"}, {"uri": (project / "no").as_uri(), "name": "n"}],
    }
    assert wire.result("initialize", params)["serverInfo"]["name"] == "helix"
    assert not (wire.errors.parent / "cache").exists()
    assert wire.told("helix/status") == []
    wire.notify("initialized")
    wire.until_fresh(project)
    wire.until_told("helix/status", lambda told: told["state"] == "missing" and told["uri"].endswith("/no"))


def test_hover_and_packet_tell_an_unsaved_edit_a_save_and_an_undo(visited: Wire, project: Path) -> None:
    file = project / "app/sessions.py"
    uri, text = visited.open(file), file.read_text()
    assert "✓ verified" in hover(visited, uri, 5, 6)
    edited = text.replace('return payload + "."', 'return "v2" + payload + "."')
    visited.change(uri, edited, 2)
    assert "~ stale risk (has unsaved edits in the editor)" in hover(visited, uri, 5, 6)
    found = visited.command("helix.packet", {"question": "sign_cookie", "task": "edit"})
    mine = [item for item in found["stale_risk"] if item["source_id"] == "app/sessions.py"]
    assert [item["reason"] for item in mine] == ["unsaved"]
    visited.change(uri, text, 3)
    assert "✓ verified" in hover(visited, uri, 5, 6)
    visited.change(uri, edited, 4)
    file.write_text(edited)
    visited.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert "✓ verified" in hover(visited, uri, 5, 6)


def test_an_unsaved_buffer_is_never_written_to_the_index(visited: Wire, project: Path) -> None:
    uri = visited.open(project / "app/sessions.py")
    visited.change(uri, "def only_in_the_buffer():\n    pass\n")
    assert visited.command("helix.symbol", {"name": "only_in_the_buffer"}) is None
    visited.command("helix.index.refresh")
    assert visited.command("helix.search", {"question": "only_in_the_buffer"})["known_empty"] is True
    assert b"only_in_the_buffer" not in b"".join(
        file.read_bytes() for file in (visited.errors.parent / "cache").rglob("*") if file.is_file()
    )


def test_a_clean_buffer_does_not_hide_a_change_on_disk(visited: Wire, project: Path) -> None:
    file = project / "app/sessions.py"
    visited.open(file)
    found = visited.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    file.write_text(file.read_text().replace("payload +", "'x' + payload +"))
    visited.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})

    def is_moved(told: Any) -> bool:
        return told["packet_id"] == found["packet_id"] and any(
            item["source_id"] == "app/sessions.py" and item["status"] != "verified" and item["reason"] != "unsaved"
            for item in told["items"]
        )

    visited.until_told("helix/verdicts", is_moved)


NEVER_INDEXES = """
from helix_ls.host.index_thread import IndexThread
from helix_ls.host.watcher import WorkspaceWatcher
from helix_ls.lsp import packets
from helix_ls.lsp.session import run
WorkspaceWatcher.batch_at = lambda *_: None
IndexThread._is_hurry_due = lambda *_: False
packets.LOOK_S = 1e6
raise SystemExit(run())
"""


def test_an_open_packet_is_judged_by_the_disk_before_the_save_is_indexed(start: StartWire, project: Path) -> None:
    wire = start("-c", NEVER_INDEXES)
    wire.initialize(project)
    wire.until_fresh(project)
    file = project / "app/sessions.py"
    found = wire.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    file.write_text(file.read_text().replace("payload +", "'x' + payload +"))

    def is_changed(told: Any) -> bool:
        return told["packet_id"] == found["packet_id"] and any(
            item["source_id"] == "app/sessions.py" and item["status"] != "verified" for item in told["items"]
        )

    wire.until_told("helix/verdicts", is_changed)
    assert wire.command("helix.status")["pending"]["changed_or_new"] == 1


def test_a_closed_packet_hears_nothing_more(visited: Wire, project: Path) -> None:
    uri = visited.open(project / "app/sessions.py")
    found = visited.command("helix.packet", {"question": "sign_cookie", "open": True})
    visited.command("helix.packet.close", {"packet_id": found["packet_id"]})
    other = visited.command("helix.packet", {"question": "sign_cookie", "open": True})
    visited.change(uri, "nothing = 1\n")
    visited.until_told("helix/verdicts", lambda told: told["packet_id"] == other["packet_id"])
    assert {told["packet_id"] for told in visited.told("helix/verdicts")} == {other["packet_id"]}


def test_two_folders_with_the_same_file_are_told_apart(start: StartWire, tmp_path: Path) -> None:
    one = make_project(tmp_path / "one")
    two = make_project(tmp_path / "two", {**FILES, "app/only_two.py": "def only_here():\n    pass\n"})
    wire = start()
    wire.initialize(one, two, capabilities=MARKDOWN)
    wire.until_fresh(one, two)
    for folder, other in ((one, two), (two, one)):
        text = hover(wire, wire.open(folder / "tests/test_sessions.py"), 0, 30)
        assert f"{folder.as_uri()}/app/sessions.py" in text
        assert other.as_uri() not in text
        found = wire.command("helix.packet", {"question": "sign_cookie", "workspace": folder.as_uri()})
        assert found["workspace"] == str(folder)
        about = wire.command("helix.packet", {"question": "sign_cookie", "uri": (folder / "README.md").as_uri()})
        assert about["workspace"] == str(folder)
    assert wire.command("helix.symbol", {"name": "only_here", "workspace": one.as_uri()}) is None
    assert wire.command("helix.symbol", {"name": "only_here", "workspace": two.as_uri()}) is not None


def test_folders_that_are_removed_and_added_again_at_once_are_there(running: Wire, project: Path) -> None:
    folders = (project, project / "app")
    with visiting(running, *folders) as wire:
        since = len(wire.heard)
        wire.change_folders(removed=folders)
        wire.change_folders(added=folders)
        for folder in folders:
            is_fresh = {"uri": folder.as_uri(), "state": "fresh"}.items()
            wire.until_told("helix/status", lambda told, wanted=is_fresh: wanted <= told.items(), since=since)
            found = wire.command("helix.packet", {"question": "sign_cookie", "workspace": folder.as_uri()})
            assert found["workspace"] == str(folder)


def test_of_nested_folders_the_nearest_answers(running: Wire, project: Path) -> None:
    with visiting(running, project, project / "app") as wire:
        uri = wire.open(project / "app/sessions.py")
        params = {"uri": uri, "position": {"line": 5, "character": 6}}
        assert wire.command("helix.symbol", params)["definitions"][0]["source_id"] == "sessions.py"


def test_a_buffer_is_unsaved_in_every_folder_that_holds_it(running: Wire, project: Path) -> None:
    link = project.with_name("link")
    link.symlink_to(project)
    for outer in (project, link):
        with visiting(running, outer, project / "app") as wire:
            found = {
                folder: wire.command(
                    "helix.packet", {"question": "sign_cookie", "workspace": folder.as_uri(), "open": True}
                )
                for folder in (outer, project / "app")
            }
            file = outer / "app/sessions.py"
            uri = wire.open(file)
            wire.change(uri, file.read_text().replace("payload +", "'x' + payload +"))
            for folder, packet in found.items():
                wire.until_told(
                    "helix/verdicts",
                    lambda told, packet=packet: (
                        told["packet_id"] == packet["packet_id"]
                        and any(one["reason"] == "unsaved" for one in told["items"])
                    ),
                )
                again = wire.command("helix.packet", {"question": "sign_cookie", "workspace": folder.as_uri()})
                assert "unsaved" in [item["reason"] for item in again["stale_risk"]], folder


def test_a_buffer_too_large_to_keep_is_still_unsaved(visited: Wire, project: Path) -> None:
    file = project / "app/sessions.py"
    uri, text = visited.open(file), file.read_text()
    found = visited.command("helix.packet", {"question": "sign_cookie", "task": "edit", "open": True})
    visited.change(uri, "x = 1\n" * 800_000)

    def reasons(told: Any) -> set[str]:
        return {item["reason"] for item in told["items"] if item["source_id"] == "app/sessions.py"}

    visited.until_told("helix/verdicts", lambda told: reasons(told) == {"unsaved"})
    again = visited.command("helix.packet", {"question": "sign_cookie", "task": "edit"})
    assert "app/sessions.py" not in {item["source_id"] for item in again["verified"]}
    since = len(visited.heard)
    visited.change(uri, text, 3)
    visited.until_told("helix/verdicts", lambda told: reasons(told) == {"unchanged"}, since=since)
    assert found["packet_id"]


def test_folders_come_and_go(visited: Wire, project: Path, tmp_path: Path) -> None:
    late = make_project(tmp_path / "late")
    added = {"event": {"added": [{"uri": late.as_uri(), "name": "late"}], "removed": []}}
    visited.notify("workspace/didChangeWorkspaceFolders", added)
    visited.until_fresh(late)
    uri = visited.open(late / "app/sessions.py")
    assert hover(visited, uri, 5, 6)
    packet = visited.command("helix.packet", {"question": "sign_cookie", "workspace": late.as_uri(), "open": True})
    gone = {"event": {"added": [], "removed": [{"uri": late.as_uri(), "name": "late"}]}}
    visited.notify("workspace/didChangeWorkspaceFolders", gone)
    assert hover(visited, uri, 5, 6) == ""
    error = visited.error(
        "workspace/executeCommand",
        {"command": "helix.refreshPlan", "arguments": [{"packet_id": packet["packet_id"]}]},
    )
    assert error["code"] == -32602
    assert "no longer open" in error["message"]
    before = len(visited.told("helix/status"))
    (late / "new.py").write_text("x = 1\n")
    visited.command("helix.index.refresh")
    assert all(told["uri"] != late.as_uri() for told in visited.told("helix/status")[before:])


def test_a_window_without_a_folder_says_what_to_do(wire: Wire) -> None:
    wire.initialize()
    error = wire.error("workspace/executeCommand", {"command": "helix.packet", "arguments": [{"question": "x"}]})
    assert error["code"] == -32602
    assert "open one first" in error["message"]
    assert wire.command("helix.doctor")["schema"] == "helix.doctor/1"


def test_a_folder_that_was_missing_opens_on_refresh(wire: Wire, tmp_path: Path) -> None:
    folder = tmp_path / "later"
    wire.initialize(folder)
    wire.until_told("helix/status", lambda told: told["state"] == "missing")
    error = wire.error("workspace/executeCommand", {"command": "helix.search", "arguments": [{"question": "cookie"}]})
    assert str(folder) in error["message"]
    make_project(folder)
    assert wire.command("helix.index.refresh")["files"] == 5
    assert wire.command("helix.search", {"question": "cookie"})["items"]


SECRETS = ("AKIAIOSFODNN7EXAMPLQ", "hunter2-very-secret-pass", "MIIEpAIBAAKCAQEAsecretsecret")


def test_planted_secrets_show_nowhere(start: StartWire, tmp_path: Path) -> None:
    files = {
        **FILES,
        ".env": f"PASSWORD={SECRETS[1]}\n",
        "deploy/id_rsa": f"-----BEGIN RSA PRIVATE KEY-----\n{SECRETS[2]}\n-----END RSA PRIVATE KEY-----\n",
        "app/cloud.py": f'def upload_to_cloud():\n    aws_key = "{SECRETS[0]}"\n    return aws_key\n',
        "local/.gitignore": "private.json\n",
        "local/private.json": f'{{"password": "{SECRETS[1]}"}}\n',
    }
    project = make_project(tmp_path / "project", files)
    wire = start()
    wire.initialize(project, capabilities=MARKDOWN, codeLens=True, trace="messages")
    wire.until_fresh(project)
    uri = wire.open(project / "app/cloud.py")
    assert "upload_to_cloud" in hover(wire, uri, 0, 6)
    for line, character in ((1, 6), (1, 26), (2, 14)):
        hover(wire, uri, line, character)
    wire.change(uri, files["app/cloud.py"] + "\n# more\n")
    for question in ("upload to cloud", "password", SECRETS[0], SECRETS[1], "private key", ".env"):
        wire.command("helix.packet", {"question": question, "task": "edit", "open": True})
        wire.command("helix.search", {"question": question})
    wire.command("helix.explain", {"source_id": "app/cloud.py", "start_line": 1, "end_line": 3})
    wire.command("helix.explain", {"source_id": ".env", "start_line": 1, "end_line": 1})
    wire.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    wire.command("helix.status")
    for message in wire.heard:
        if isinstance(message.get("result"), dict):
            # The answer repeats the question, which was the test's own.
            message["result"].pop("query", None)
    said = json.dumps(wire.heard) + wire.errors.read_text()
    for secret in SECRETS:
        assert secret not in said


def test_a_restricted_window_takes_no_setting_of_the_folder(start: StartWire, tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", {**FILES, "helix.toml": '[index]\nexclude = ["app/"]\n'})
    trusting, restricted = start(), start()
    trusting.initialize(project)
    restricted.initialize(project, trusted=False)
    trusting.until_fresh(project)
    told = restricted.until_told("helix/status", lambda told: told["state"] == "fresh")
    assert told["restricted"] is True
    assert trusting.command("helix.symbol", {"name": "sign_cookie"}) is None
    assert restricted.command("helix.symbol", {"name": "sign_cookie"}) is not None


def vault(class_name: str, remark: str = "") -> str:
    """A class with two methods long enough to be places of their own."""
    methods = "".join(
        f"    def {name}(self, letter):\n        '''{name} with quokka wax.'''\n"
        + "".join(f"        wax_{number} = self.temperature * {number}\n" for number in range(40))
        + "        return wax_39, letter\n\n"
        for name in ("seal_letter", "open_letter")
    )
    return f"{remark}class {class_name}:\n    '''Keeps quokka letters.'''\n\n    temperature = 70\n\n{methods}"


def test_an_open_packet_is_told_that_a_class_was_renamed(start: StartWire, tmp_path: Path) -> None:
    project = make_project(tmp_path / "bank", {"bank/vault.py": vault("OldVault"), "README.md": "# Bank\n"})
    file, symbol = project / "bank/vault.py", "OldVault.seal_letter"
    wire = start()
    wire.initialize(project)
    wire.until_fresh(project)
    found = wire.command("helix.packet", {"question": "seal_letter quokka wax", "open": True})
    (shown,) = [item for item in found["verified"] if item["symbol"] == symbol]
    renaming = f"{symbol} -> NewVault.seal_letter"

    def is_told(line: int) -> Any:
        def told(verdicts: Any) -> bool:
            return verdicts["packet_id"] == found["packet_id"] and any(
                (item["status"], item["reason"], item["detail"]) == ("stale_risk", "renamed", renaming)
                and item["now"]["start_line"] == shown["start_line"] + line
                for item in verdicts["items"]
                if item["gene_id"] == shown["gene_id"]
            )

        return told

    def save(text: str) -> None:
        file.write_text(text)
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})

    save(vault("NewVault"))
    wire.until_told("helix/verdicts", is_told(0))
    wire.command("helix.index.refresh")
    plan = wire.command("helix.refreshPlan", {"packet_id": found["packet_id"]})
    assert "renamed" in {target["reason"] for target in plan["refresh_targets"]}
    save(vault("NewVault", "# a remark\n"))
    wire.until_told("helix/verdicts", is_told(1))
    wire.command("helix.index.refresh")
    plan = wire.command("helix.refreshPlan", {"packet_id": found["packet_id"]})
    assert "renamed" in {target["reason"] for target in plan["refresh_targets"]}
    again = wire.command("helix.packet", {"question": "seal_letter quokka wax"})
    assert "NewVault.seal_letter" in {item["symbol"] for item in again["verified"]}
    since = len(wire.heard)
    save(vault("OldVault"))

    def is_true_again(verdicts: Any) -> bool:
        return any(
            (item["gene_id"], item["status"]) == (shown["gene_id"], "verified")
            for item in verdicts["items"]
            if verdicts["packet_id"] == found["packet_id"]
        )

    wire.until_told("helix/verdicts", is_true_again, since=since)
