"""The doctor's decisions, each as a pure function of what was observed."""

from __future__ import annotations

from pathlib import Path

from helix_core.doctor import Check, cache_folder, examine, git, grammars, locale, python, sqlite, watch_limits

GOOD_OPTIONS = frozenset({"ENABLE_FTS5"})


def states(*checks: Check) -> list[str]:
    assert all(bool(check.action) == (check.state != "ok") for check in checks)
    return [check.state for check in checks]


def test_an_old_python_fails() -> None:
    assert states(python((3, 10, 9), "/p"), python((3, 11, 0), "/p"), python((3, 14, 2), "/p")) == ["fail", "ok", "ok"]


def test_sqlite_needs_its_version_text_search_and_extensions() -> None:
    assert states(
        sqlite("3.54.1", GOOD_OPTIONS, loads_extensions=True),
        sqlite("3.51.2", GOOD_OPTIONS, loads_extensions=True),
        sqlite("3.51.3", frozenset(), loads_extensions=True),
        sqlite("3.51.3", GOOD_OPTIONS, loads_extensions=False),
        sqlite("3.51.3", GOOD_OPTIONS | {"OMIT_LOAD_EXTENSION"}, loads_extensions=True),
    ) == ["ok", "fail", "fail", "fail", "fail"]


def test_a_grammar_that_does_not_load_is_named() -> None:
    broken = grammars(25, {"swift": "no such module"})
    assert states(grammars(25, {}), broken) == ["ok", "warn"]
    assert "swift" in broken.detail


def test_git_may_be_missing_or_old() -> None:
    assert states(git("git version 2.39.5"), git("git version 2.30.1"), git("git version 2.43.0.windows.1")) == [
        *("ok", "warn", "ok")
    ]
    assert states(git("git is not installed"), git("")) == ["warn", "warn"]


def test_the_cache_folder_needs_rights_room_and_a_local_disk() -> None:
    folder, room = Path("/c"), 50 * 10**9
    assert states(
        cache_folder(folder, problem="", free_bytes=room, file_system="ext4"),
        cache_folder(folder, problem="Permission denied", free_bytes=room, file_system="ext4"),
        cache_folder(folder, problem="", free_bytes=10**6, file_system="ext4"),
        cache_folder(folder, problem="", free_bytes=5 * 10**8, file_system="ext4"),
        cache_folder(folder, problem="", free_bytes=room, file_system="nfs4"),
    ) == ["ok", "fail", "fail", "warn", "warn"]


def test_few_watches_come_with_the_command_that_raises_them() -> None:
    few = watch_limits(8192, 128)
    assert states(watch_limits(None, None), watch_limits(524_288, 128), few) == ["ok", "ok", "warn"]
    assert "sysctl" in few.action


def test_file_names_should_be_utf8() -> None:
    assert states(locale("utf-8", "linux"), locale("ascii", "linux"), locale("cp1252", "win32")) == ["ok", "warn", "ok"]


def test_every_check_is_there_even_when_folder_and_settings_are_broken(tmp_path: Path) -> None:
    whole = {check.name for check in examine(tmp_path, environ={"HELIX_CACHE_DIR": str(tmp_path)})}
    (tmp_path / "helix.toml").write_text("[")
    broken = {check.name: check for check in examine(tmp_path, environ={})}
    assert broken.keys() == whole
    assert broken["settings"].state == "warn"
    assert "line 1" in broken["settings"].detail
    assert {c.name: c.state for c in examine(tmp_path / "nowhere", environ={})}["folder"] == "fail"
