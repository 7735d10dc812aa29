"""The features as VS Code, Neovim and Emacs meet them: each with the capabilities it really sends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from tests.engine.repository import git
from tests.lsp.conftest import make_project
from tests.lsp.wire import environment

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]
DEADLINE_S = 60.0
EDITORS = ("visual-studio-code", "neovim", "emacs")
COMMANDS = {
    "helix.packet",
    "helix.packet.close",
    "helix.search",
    "helix.refreshPlan",
    "helix.explain",
    "helix.symbol",
    "helix.names",
    "helix.check",
    "helix.changes",
    "helix.index.refresh",
    "helix.index.rebuild",
    "helix.index.pause",
    "helix.index.resume",
    "helix.status",
    "helix.proxy",
    "helix.doctor",
    "helix.dismiss",
    "helix.hints",
    "helix.refreshFile",
    "helix.open",
    "helix.openSides",
    "helix.trail.resume",
    "helix.trail.forget",
    *(f"helix.memory.{name}" for name in ("remember", "recall", "context", "list", "review", "decide")),
    *(f"helix.memory.{name}" for name in ("forget", "restore", "purge", "log", "edit", "relate", "diff")),
    *(f"helix.memory.{name}" for name in ("get", "rollback", "maintain")),
    *(f"helix.strand.{name}" for name in ("export", "import", "verify", "trust")),
}


@dataclass
class Window:
    """An editor with the small repository open, and what it was asked to register."""

    name: str
    client: LanguageClient
    project: Path
    result: types.InitializeResult
    registered: list[types.Registration]
    told: list[tuple[str, Any]]

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait for what the server sends on its own."""
        async with asyncio.timeout(DEADLINE_S):
            while not wanted():
                await asyncio.sleep(0.02)

    def states(self) -> list[str]:
        return [params.state for method, params in self.told if method == "helix/status"]

    def open(self, name: str) -> str:
        file = self.project / name
        item = types.TextDocumentItem(file.as_uri(), "python", 1, file.read_text())
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return file.as_uri()

    async def command(self, name: str, /, **given: Any) -> Any:
        params = types.ExecuteCommandParams(command=name, arguments=[given])
        return await self.client.workspace_execute_command_async(params)


@pytest_asyncio.fixture(params=EDITORS, scope="module", loop_scope="module")
async def window(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, starts_processes: None
) -> AsyncIterator[Window]:
    """One editor after the other, each for all of the tests."""
    tmp_path = tmp_path_factory.mktemp("editor")
    client = make_test_lsp_client()
    home = tmp_path / "home"
    home.mkdir()
    registered: list[types.Registration] = []
    told: list[tuple[str, Any]] = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        registered.extend(params.registrations)

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params: None) -> None:
        told.append((types.WORKSPACE_CODE_LENS_REFRESH, params))

    for method in ("helix/status", "helix/verdicts"):
        client.feature(method)(lambda params, method=method: told.append((method, params)))
    project = make_project(tmp_path / "project")
    await client.start_io(sys.executable, "-m", "helix_ls.lsp", env=environment(home), cwd=home)
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(str(request.param)),
            process_id=os.getpid(),
            workspace_folders=[types.WorkspaceFolder(project.as_uri(), "project")],
            initialization_options={"helix": {"codeLens": True}},
        )
    )
    opened = Window(str(request.param), client, project, result, registered, told)
    await opened.until(lambda: "fresh" in opened.states())
    yield opened
    await client.shutdown_session()
    await client.stop()


async def test_capabilities_are_what_this_editor_can_use(window: Window) -> None:
    capabilities = window.result.capabilities
    expected = {"visual-studio-code": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}[window.name]
    assert capabilities.position_encoding == expected
    assert capabilities.hover_provider is True
    assert set(capabilities.execute_command_provider.commands) == COMMANDS
    assert capabilities.text_document_sync.change == types.TextDocumentSyncKind.Incremental
    assert capabilities.workspace.workspace_folders.change_notifications is True
    assert capabilities.code_lens_provider.resolve_provider is False
    assert capabilities.code_action_provider.code_action_kinds == ("quickfix",)
    if window.name == "neovim":
        assert capabilities.diagnostic_provider.inter_file_dependencies is True
    else:
        assert capabilities.diagnostic_provider is None
    unused = {
        name
        for name in ("completion_provider", "definition_provider", "references_provider", "inlay_hint_provider")
        if getattr(capabilities, name) is not None
    }
    assert unused == set()


async def test_only_what_the_editor_lets_be_registered_is_registered(window: Window) -> None:
    expected = {
        "visual-studio-code": {"workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"},
        "neovim": set(),
        "emacs": {"workspace/didChangeWatchedFiles"},
    }[window.name]
    assert {each.method for each in window.registered} == expected
    assert len(window.registered) == len(expected)


async def test_a_hover_says_where_it_is_and_that_it_is_so(window: Window) -> None:
    uri = window.open("app/sessions.py")
    where = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(5, 8))
    hover = await window.client.text_document_hover_async(where)
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "app/sessions" in hover.contents.value
    assert "✓ verified" in hover.contents.value
    assert f"{uri}#L6" in hover.contents.value
    assert hover.range == types.Range(types.Position(5, 4), types.Position(5, 15))
    nothing = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(4, 0))
    assert await window.client.text_document_hover_async(nothing) is None


async def test_an_open_packet_hears_of_an_edit_and_of_its_undoing(window: Window) -> None:
    uri = window.open("app/sessions.py")
    packet = await window.command("helix.packet", question="sign a cookie", task="edit", open=True)
    assert packet["schema"] == "helix.packet/1"

    def said(status: str, reason: str) -> bool:
        return any(
            item.source_id == "app/sessions.py" and (item.status, item.reason) == (status, reason)
            for method, params in window.told
            if method == "helix/verdicts" and params.packet_id == packet["packet_id"]
            for item in params.items
        )

    change = types.TextDocumentContentChangePartial(
        types.Range(types.Position(6, 0), types.Position(6, 0)), "    # x\n"
    )
    document = types.VersionedTextDocumentIdentifier(version=2, uri=uri)
    window.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
    await window.until(lambda: said("stale_risk", "unsaved"))
    back = types.TextDocumentContentChangePartial(types.Range(types.Position(6, 0), types.Position(7, 0)), "")
    document = types.VersionedTextDocumentIdentifier(version=3, uri=uri)
    before = len(window.told)
    window.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [back]))
    await window.until(lambda: any(method == "helix/verdicts" for method, _ in window.told[before:]))
    last = [params for method, params in window.told if method == "helix/verdicts"][-1]
    assert {item.status for item in last.items} == {"verified"}
    assert await window.command("helix.packet.close", packet_id=packet["packet_id"]) is None


async def test_lenses_count_uses_and_tests(window: Window) -> None:
    uri = window.open("app/sessions.py")
    lenses = await window.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    titles = {lens.range.start.line: lens.command.title for lens in lenses}
    assert "1 test" in titles[5]
    assert "✓ verified" in titles[5]


async def test_every_command_that_asks_answers_with_its_schema(window: Window) -> None:
    assert (await window.command("helix.search", question="cookie"))["schema"] == "helix.search/1"
    assert (await window.command("helix.symbol", name="sign_cookie"))["schema"] == "helix.symbol/1"
    assert (await window.command("helix.status"))["live"]["state"] == "fresh"
    assert (await window.command("helix.doctor"))["schema"] == "helix.doctor/1"
    plan = await window.command("helix.refreshPlan", question="cookie", task="edit")
    assert plan["schema"] == "helix.refreshPlan/1"
    explained = await window.command("helix.explain", source_id="app/sessions.py", start_line=6, end_line=8)
    assert (explained["schema"], explained["status"]) == ("helix.explain/1", "verified")
    assert (await window.command("helix.index.rebuild"))["parsed"] == 5


async def test_a_document_that_code_left_behind_is_hinted_at_and_can_be_put_away(window: Window) -> None:
    code = window.project / "app/sessions.py"
    code.write_text(
        code.read_text().replace("def sign_cookie(secret_key, payload)", "def sign_cookie(key, payload, salt)")
    )
    git(window.project, "commit", "-qam", "Salt")
    await window.command("helix.index.refresh")
    uri = window.open("docs/sessions.md")
    items: list[types.Diagnostic] = []

    async def look() -> list[types.Diagnostic]:
        if window.result.capabilities.diagnostic_provider is None:
            return list(window.client.diagnostics.get(uri, []))
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await window.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async with asyncio.timeout(DEADLINE_S):
        while not (items := await look()):
            await asyncio.sleep(0.1)
    assert [item.code for item in items] == ["outdated_doc"]
    assert items[0].severity == types.DiagnosticSeverity.Hint
    assert items[0].source == "helix"
    assert "sign_cookie" in items[0].message
    is_pushed = window.result.capabilities.diagnostic_provider is None
    assert (uri in window.client.diagnostics) == is_pushed
    given = types.Diagnostic(items[0].range, items[0].message, code=items[0].code, source="helix")
    context = types.CodeActionContext(diagnostics=[given])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), items[0].range, context)
    actions = await window.client.text_document_code_action_async(params)
    titles = [each.title for each in actions]
    assert titles[0] == "Helix: refresh this file"
    assert titles[-1] == "Helix: don't show again for this text"
    await window.command("helix.dismiss", uri=uri, code=items[0].code, text_hash=items[0].data["text_hash"])
    async with asyncio.timeout(DEADLINE_S):
        while await look():
            await asyncio.sleep(0.1)
