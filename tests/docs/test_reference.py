"""The reference pages are what the code says, and their check can fail."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from helix_core.config import load_config
from helix_core.engine.verdict import Observation, verdict
from helix_core.model import Authority, DocumentChange, DocumentFlag, MemoryOrigin, Reason, Status, TaskType
from helix_ls.cli.verbs import VERBS

ROOT = Path(__file__).parents[2]
FLAG = DocumentFlag(DocumentChange.NAME, "wait", 1, "wait(seconds)", "")


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """The script that writes the pages."""
    spec = importlib.util.spec_from_file_location("docs_reference", ROOT / "docs" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_committed_reference_is_what_the_code_says(reference: ModuleType) -> None:
    assert reference.stale() == [], f"the reference is out of date: run {reference.RENEW} and commit docs/reference"


def test_a_page_that_was_edited_by_hand_or_is_missing_or_is_left_over_is_stale(
    reference: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = tmp_path / "docs" / "reference"
    shutil.copytree(reference.PAGES, pages)
    monkeypatch.setattr(reference, "ROOT", tmp_path)
    monkeypatch.setattr(reference, "PAGES", pages)
    monkeypatch.setattr(reference, "MADE", {"settings": reference.settings, "verdicts": reference.verdicts})
    for file in pages.glob("*.md"):
        if file.stem not in ("settings", "verdicts"):
            file.unlink()
    assert reference.stale() == []
    settings = pages / "settings.md"
    settings.write_text(settings.read_text(encoding="utf-8").replace("2 MB", "3 MB"), encoding="utf-8")
    (pages / "verdicts.md").unlink()
    (pages / "old.md").write_text("# Old\n", encoding="utf-8")
    wrong = ["docs/reference/old.md", "docs/reference/settings.md", "docs/reference/verdicts.md"]
    assert reference.stale() == wrong
    assert reference.main(["--check"]) == 1
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0


def test_every_reason_status_and_verb_has_its_row(reference: ModuleType) -> None:
    assert set(reference.ACTIONS) == {status.value for status in Status}
    verdicts = reference.verdicts()
    assert [reason for reason in Reason if f"| `{reason.value}` |" not in verdicts] == []
    commands = reference.commands()
    assert [verb for verb in VERBS if f"## helix {verb}\n" not in commands] == []


NOT_FROM_DISK = {
    Reason.UNSAVED: Observation(disk=Reason.UNCHANGED, unsaved=True),
    Reason.CONFLICTED: Observation(disk=Reason.UNCHANGED, conflicted=True),
    Reason.OUTDATED_DOC: Observation(disk=Reason.UNCHANGED, outdated=(FLAG,)),
    Reason.CONTRADICTED: Observation(disk=Reason.UNCHANGED, contradicted_by="b.py:1"),
    Reason.WEAK_AUTHORITY: Observation(disk=Reason.UNCHANGED, authority=Authority.INFERRED),
    Reason.UNLOCATED: Observation(disk=Reason.UNCHANGED, confidence=0.1),
    Reason.ASSERTED: Observation(disk=None, asserted_by=MemoryOrigin.USER),
    Reason.SUPERSEDED: Observation(disk=Reason.UNCHANGED, superseded="M-1 is forgotten"),
}
"""What the code observes where it gives these reasons; the others it observes on the disk."""


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.AGED])
def test_a_row_of_the_verdicts_is_what_the_verdict_table_returns(reference: ModuleType, reason: Reason) -> None:
    lines = reference.verdicts().splitlines()
    heads = next(line for line in lines if line.startswith("| reason |")).split(" | ")
    row = next(line for line in lines if line.startswith(f"| `{reason.value}` |")).split(" | ")
    seen = NOT_FROM_DISK.get(reason, Observation(disk=reason))
    columns = {task.strip(): cell for head, cell in zip(heads[1:-1], row[1:], strict=False) for task in head.split(",")}
    given = {task.value: verdict(seen, task) for task in TaskType}
    expected = {
        task: f"`{one.status.value}`" + ("" if one.reason is reason else f" as `{one.reason.value}`")
        for task, one in given.items()
    }
    assert columns == expected
    assert reason in {one.reason for one in given.values()}


def test_a_reason_that_the_reference_cannot_bring_about_has_no_row(reference: ModuleType) -> None:
    assert set(reference.FROM_DISK) == {reason for reason in Reason if reason not in {*NOT_FROM_DISK, Reason.AGED}}
    with pytest.raises(ValueError, match="no observation is known"):
        reference.observations("invented", TaskType.EDIT)


def test_the_example_of_a_settings_file_is_accepted_from_a_workspace(reference: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "helix.toml").write_text(reference.EXAMPLE, encoding="utf-8")
    config = load_config(tmp_path, environ={}, user=tmp_path / "none.toml")
    assert config.warnings == ()
    assert (config.exclude, config.max_file_bytes, config.prefer_implementation) == (
        ("*.snap", "/vendor/"),
        4194304,
        False,
    )


def test_every_variable_that_the_code_names_is_in_the_reference(reference: ModuleType) -> None:
    settings = reference.settings()
    found = reference.variables_in_the_code()
    assert [name for name in found if f"`{name}`" not in settings] == []
    assert set(reference.VARIABLES) <= found


def test_every_tool_route_and_command_is_a_view_of_some_operation(reference: ModuleType) -> None:
    operations = reference.operations()
    for view in ("tool `helix_context_packet`", "route `POST /context/packet`", "command `helix.packet`"):
        assert view in operations.split("## packet\n")[1].split("\n## ")[0]
    shown = {view for views in reference._shown_as().values() for view in views}
    assert len(shown) > 30
    assert [view for view in shown if view not in operations] == []


def test_every_key_that_is_explained_is_in_some_answer(reference: ModuleType) -> None:
    known = {key.rsplit(".", 1)[-1] for shape in reference.objects().values() for key in shape.kinds}
    assert sorted(set(reference.KEYS) - known) == []
    whole = {f"{name} {key}" for name, shape in reference.objects().items() for key in shape.kinds}
    assert sorted(set(reference.OF) - whole) == []
