"""A hover's words, exactly; and what a hover is, to the letter of the positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helix_ls.lsp.hover import age, render
from tests.lsp.conftest import StartWire, make_project, visiting
from tests.lsp.wire import Wire
from tests.operations.test_missing_files import ASIDE, build_without_scaffold

NOW = 1_700_000_000.0
DAYS_AGO = int(NOW) - 3 * 86_400
MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}


def place(source_id: str, line: int, **more: Any) -> dict[str, Any]:
    known = {
        "source_id": source_id,
        "uri": f"file:///w/{source_id}",
        "start_line": line,
        "end_line": line + 4,
        "symbol": "",
        "status": "verified",
        "reason": "unchanged",
        "detail": "",
        "commit": None,
        "author": None,
        "committed_at": None,
    }
    return {**known, **more}


def known(**more: Any) -> dict[str, Any]:
    symbol = {
        "schema": "helix.symbol/1",
        "name": "sign",
        "kind": "method",
        "symbol": "Signer.sign",
        "definitions": [
            place("a.py", 10, commit="0123456789abcdef", commit_of="lines", author="Ada *L*", committed_at=DAYS_AGO)
        ],
        "users": [place("b.py", 3), place("c.py", 5, status="stale_risk", reason="unsaved")],
        "users_total": 12,
        "tests": [place("tests/test_a.py", 7)],
        "documents": [place("docs/a_b.md", 2, status="stale_risk", reason="outdated_doc", detail="names sign")],
        "importers_total": 0,
        "co_changed": [],
        "notes": [],
        "elapsed_ms": 1.0,
    }
    return {**symbol, **more}


def test_a_hover_reads_like_this() -> None:
    assert render(known(), NOW) == "\n\n".join(
        [
            "**`Signer.sign`** · method",
            "Defined in [a\\.py\\:10](file:///w/a.py#L10) ✓ verified"
            " · last changed 3 days ago by Ada \\*L\\* in `01234567`",
            "Used at 12 places (a function counts once): "
            "[b\\.py\\:3](file:///w/b.py#L3), [c\\.py\\:5](file:///w/c.py#L5) ~ has unsaved edits in"
            " the editor … and 10 more",
            "Tested by ✓: [tests/test\\_a\\.py\\:7](file:///w/tests/test_a.py#L7)",
            "Documented in: [docs/a\\_b\\.md\\:2](file:///w/docs/a_b.md#L2)"
            " ~ describes code that changed after it was written\\: names sign",
        ]
    )


def test_a_group_is_marked_once_and_its_doubts_each() -> None:
    documents = [place("docs/a.md", 2), place("docs/b.md", 4)]
    definitions = [place("a.py", 10), place("b.py", 12)]
    lines = render(known(definitions=definitions, documents=documents), NOW, markdown=False).splitlines()
    assert lines[1:3] == ["Defined in a.py:10 ✓ verified", "Defined in b.py:12"]
    assert lines[-1] == "Documented in ✓: docs/a.md:2, docs/b.md:4"
    definitions[1] |= {"status": "needs_refresh", "reason": "changed"}
    documents[0] |= {"status": "stale_risk", "reason": "outdated_doc"}
    lines = render(known(definitions=definitions, documents=documents), NOW, markdown=False).splitlines()
    assert lines[1:3] == [
        "Defined in a.py:10 ✓ verified",
        "Defined in b.py:12 ! needs refresh (changed on disk since it was indexed)",
    ]
    assert lines[-1] == "Documented in: docs/a.md:2 ~ describes code that changed after it was written, docs/b.md:4"


def test_a_commit_is_said_to_be_the_files_where_it_is_not_known_to_be_the_lines() -> None:
    for commit_of in ("file", ""):
        definition = place("a.py", 10, commit="01234567", commit_of=commit_of, author="Ada", committed_at=DAYS_AGO)
        assert "· file last changed 3 days ago by Ada in `01234567`" in render(known(definitions=[definition]), NOW)


def test_a_client_without_markdown_reads_it_too() -> None:
    text = render(known(), NOW, markdown=False)
    assert text.splitlines()[0] == "Signer.sign (method)"
    assert "](" not in text
    assert "\\" not in text
    assert "a.py:10 ✓ verified · last changed 3 days ago by Ada *L*" in text


def test_every_note_of_the_answer_is_shown_though_the_index_is_whole() -> None:
    note = "1 file is set aside and not searched, parsing them failed or took too long: a_b.py"
    assert render(known(notes=[note], indexed_share=1), NOW, markdown=False).split("\n")[-1] == note
    assert render(known(notes=[note]), NOW).split("\n\n")[-1] == note.replace("_", "\\_").replace(".", "\\.").replace(
        ":", "\\:"
    )


def test_what_others_wrote_cannot_become_markup() -> None:
    evil = "](command:evil) <img src=x> `code` \N{RIGHT-TO-LEFT OVERRIDE}\n# big"
    shown = render(known(symbol=evil, definitions=[place(evil, 1, author=evil, commit="0" * 40, committed_at=0)]), NOW)
    # Every line begins with our own words, and no bracket or tag of theirs is left unescaped.
    assert all(line.startswith(("**", "Defined", "Used", "Tested", "Documented")) for line in shown.split("\n\n"))
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown
    assert "\n# big" not in shown
    assert " <img" not in shown.replace("`", "", 1).split("** · ")[1]
    assert "](command:" not in shown.split("** · ")[1]


def test_many_definitions_are_counted() -> None:
    assert "… and 1 more definition" in render(known(definitions=[place("a.py", n) for n in range(1, 5)]), NOW).split(
        "\n\n"
    )
    assert "… and 2 more definitions" in render(known(definitions=[place(f"{n}.py", n) for n in range(1, 6)]), NOW)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7200, "2 hours ago"), (86_400 * 800, "2 years ago")],
)
def test_ages_are_told_in_the_largest_unit(seconds: float, words: str) -> None:
    assert age(seconds) == words


LINE = 'note = "{}"; sign_cookie("k", note)'
MARKED = {
    "emoji": "\N{PILE OF POO}\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}",
    "combining": "e\N{COMBINING ACUTE ACCENT}\N{COMBINING DOT BELOW}",
    "both": "\N{PILE OF POO}e\N{COMBINING ACUTE ACCENT} 日本 \N{PILE OF POO}",
}
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def units(text: str, encoding: str) -> int:
    codec, width = UNITS[encoding]
    return len(text.encode(codec)) // width


@pytest.mark.slow
@pytest.mark.parametrize("encoding", UNITS)
def test_right_of_marks_of_all_kinds_every_encoding_finds_the_same(
    start: StartWire, project: Path, encoding: str
) -> None:
    wire = start()
    wire.initialize(project, capabilities={"general": {"positionEncodings": [encoding]}, **MARKDOWN})
    assert wire.capabilities["positionEncoding"] == encoding
    wire.until_fresh(project)
    uri = wire.open(project / "tests/test_sessions.py")
    shown = []
    for version, mark in enumerate(MARKED.values(), 2):
        line = LINE.format(mark)
        wire.change(uri, "from app.sessions import sign_cookie\n" + line + "\n", version)
        start_at = line.index("sign_cookie")
        where = {"line": 1, "character": units(line[: start_at + 4], encoding)}
        hover = wire.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})
        assert hover["range"] == {
            "start": {"line": 1, "character": units(line[:start_at], encoding)},
            "end": {"line": 1, "character": units(line[: start_at + len("sign_cookie")], encoding)},
        }
        # Behind that stands who changed it last, which git tells later.
        shown.append(hover["contents"]["value"].split("\n")[2].partition(" · ")[0])
    assert "app/sessions" in shown[0]
    assert len(set(shown)) == 1


@pytest.mark.slow
def test_edits_in_the_clients_own_units_land_where_it_means(start: StartWire, project: Path) -> None:
    for encoding in UNITS:
        wire = start()
        wire.initialize(project, capabilities={"general": {"positionEncodings": [encoding]}, **MARKDOWN})
        wire.until_fresh(project)
        uri = wire.open(project / "app/routing.py", "\N{PILE OF POO}\N{PILE OF POO} = nothing_here\n")
        line = "\N{PILE OF POO}\N{PILE OF POO} = nothing_here"
        at = line.index("nothing")
        span = {
            "start": {"line": 0, "character": units(line[:at], encoding)},
            "end": {"line": 0, "character": units(line, encoding)},
        }
        params = {
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [{"range": span, "text": "sign_cookie"}],
        }
        wire.notify("textDocument/didChange", params)
        where = {"line": 0, "character": units(line[:at], encoding) + 2}
        hover = wire.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})
        assert "sign_cookie" in hover["contents"]["value"]


def test_a_hover_is_null_where_helix_knows_nothing(visited: Wire, project: Path, tmp_path: Path) -> None:
    def at(uri: str, line: int, character: int) -> Any:
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return visited.result("textDocument/hover", params)

    uri = visited.open(project / "app/sessions.py")
    assert at(uri, 0, 10) is None
    assert at(uri, 10_000, 3) is None
    outside = tmp_path / "outside.py"
    outside.write_text("sign_cookie\n")
    assert at(visited.open(outside), 0, 3) is None
    for odd in (
        "untitled:Untitled-1",
        "git:/a.py?x",
        "file://server/share.py",
        "file:relative",
        "http://[bad",
        "",
        "%",
    ):
        item = {"uri": odd, "languageId": "python", "version": 1, "text": "sign_cookie\n"}
        visited.notify("textDocument/didOpen", {"textDocument": item})
        assert at(odd, 0, 3) is None


def test_a_document_that_changes_under_a_hover_is_content_modified(start: StartWire, project: Path) -> None:
    wire = start("-c", WAITING)
    wire.initialize(project)
    wire.until_fresh(project)
    uri = wire.open(project / "app/sessions.py")
    params = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
    number = wire.ask("textDocument/hover", params)
    wire.change(uri, "other = 1\n")
    assert wire.answer(number)["error"]["code"] == -32801


WAITING = """
import time
from helix_core.engine.symbols import Symbols
whole = Symbols.about
def symbol(self, *args, **more):
    time.sleep(1)
    return whole(self, *args, **more)
Symbols.about = symbol
from helix_ls.lsp.session import run
raise SystemExit(run())
"""


def test_hovers_are_off_when_they_are_turned_off(start: StartWire, project: Path) -> None:
    wire = start()
    wire.initialize(project, hover=False)
    wire.until_fresh(project)
    uri = wire.open(project / "app/sessions.py")
    params = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
    assert wire.result("textDocument/hover", params) is None


def test_a_folder_opened_through_a_link_is_found_by_both_names(running: Wire, tmp_path: Path) -> None:
    real = make_project(tmp_path / "real")
    link = tmp_path / "link"
    link.symlink_to(real)
    with visiting(running, link) as wire:
        for folder in (link, real):
            uri = wire.open(folder / "app/sessions.py")
            params = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
            assert wire.result("textDocument/hover", params) is not None


def test_a_hover_over_a_name_that_a_file_set_aside_may_define_points_at_it(running: Wire) -> None:
    project = build_without_scaffold(running.home)
    with visiting(running, project) as wire:
        for path, line, said in (
            ("app/use.py", 3, f"Perhaps defined in {ASIDE}:1 ! needs refresh (not indexed"),
            ("app/sessions.py", 5, "1 file is set aside and not searched"),
        ):
            where = {"textDocument": {"uri": wire.open(project / path)}, "position": {"line": line, "character": 8}}
            assert said in wire.result("textDocument/hover", where)["contents"]["value"]


@pytest.mark.parametrize("filler", ["", "\n\ndef filler(value):\n    return value\n" * 3_000], ids=["small", "large"])
def test_a_hover_never_shows_a_method_under_the_name_that_its_class_had(
    running: Wire, tmp_path: Path, filler: str
) -> None:
    text = "class OldVault:\n    def seal_letter(self, letter):\n        return letter\n" + filler
    use = "from bank.vault import OldVault\n\n\ndef close(letter):\n    return OldVault().seal_letter(letter)\n"
    project = make_project(tmp_path / "bank", {"bank/vault.py": text, "bank/close.py": use})
    with visiting(running, project) as wire:
        check_renaming(wire, project, text)


def check_renaming(wire: Wire, project: Path, text: str) -> None:
    """Rename the class on disk, and see that no hover verifies the old name."""
    uri = wire.open(project / "bank/close.py")
    where = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 24}}

    def hovered() -> list[str]:
        return str(wire.result("textDocument/hover", where)["contents"]["value"]).split("\n")

    place = "Defined in bank/vault.py:2"
    heading, defined = hovered()[:2]
    assert heading == "OldVault.seal_letter (method)" and defined.startswith(f"{place} ✓ verified")
    (project / "bank/vault.py").write_text(text.replace("OldVault", "NewVault"))
    renamed = "OldVault.seal_letter -> NewVault.seal_letter"
    for _ in range(3):
        heading, defined = [line for line in hovered() if line][:2]
        if heading.startswith("NewVault.seal_letter"):
            assert defined.startswith(place)
        else:
            assert heading.startswith("OldVault.seal_letter") and "✓" not in defined
            assert renamed in defined or "needs refresh" in defined
    wire.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (project / "bank/vault.py").as_uri(), "type": 2}]},
    )
    wire.command("helix.index.refresh")
    assert hovered()[0].startswith("NewVault.seal_letter")


@pytest.mark.slow
def test_a_hover_links_to_the_lines_an_editor_shows(start: StartWire, tmp_path: Path) -> None:
    # VS Code sends the file with the line ends of its majority; the lines are the same.
    text = "import os\rimport sys\rX = 1\n\n\ndef return_victim():\r\n    return X\n\nY = return_victim()\n"
    project = make_project(tmp_path / "returns", {"main.py": ""})
    (project / "main.py").write_bytes(text.encode())
    wire = start()
    wire.initialize(project, capabilities=MARKDOWN)
    wire.until_fresh(project)
    for buffer in (text, text.replace("\r\n", "\n").replace("\r", "\n")):
        uri = wire.open(project / "main.py", buffer)
        where = {"textDocument": {"uri": uri}, "position": {"line": 8, "character": 6}}
        shown = wire.result("textDocument/hover", where)
        assert "main.py#L6)" in shown["contents"]["value"]
        assert "main.py#L9)" in shown["contents"]["value"]
        asked = {"command": "helix.packet", "arguments": [{"question": "return_victim"}]}
        packet = wire.result("workspace/executeCommand", asked)
        assert packet["verified"][0]["start_line"] == 6


def memory(text: str, **more: Any) -> dict[str, Any]:
    known = {"id": "m_k3xq7a2b", "kind": "decision", "text": text, "status": "verified", "reason": "unchanged"}
    return {**known, "state": "active", "origin": "user", "confidence": 0.8, "evidence": [], **more}


def test_a_hover_has_a_line_for_each_memory_with_its_mark() -> None:
    many = [memory(f"Sign with Ed25519, part {n}") for n in range(5)]
    many[1] |= {"status": "needs_refresh", "reason": "changed", "origin": "agent"}
    lines = render(known(), NOW, many).split("\n\n")[5:]
    assert lines == [
        "Remembered ✓ verified: Sign with Ed25519, part 0 (decision m\\_k3xq7a2b)",
        "Remembered ! needs refresh (changed on disk since it was cited): "
        "Sign with Ed25519, part 1 (decision m\\_k3xq7a2b, by agent)",
        "Remembered ✓ verified: Sign with Ed25519, part 2 (decision m\\_k3xq7a2b)",
        "… and 2 more memories",
    ]
    assert render(known(), NOW, many[:4]).split("\n\n")[-1] == "… and 1 more memory"
    assert render(None, NOW, many[:1], markdown=False) == (
        "Remembered ✓ verified: Sign with Ed25519, part 0 (decision m_k3xq7a2b)"
    )


def test_a_memory_cannot_become_markup_or_a_line_of_its_own() -> None:
    evil = "](command:evil) <img src=x>\n\n# big `code` \N{RIGHT-TO-LEFT OVERRIDE}"
    shown = render(known(), NOW, [memory(evil, detail=evil, status="stale_risk")])
    assert len(shown.split("\n\n")) == 6
    assert " <img" not in shown and "\n# big" not in shown and "](command:" not in shown
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown


@pytest.mark.slow
def test_a_hover_lists_the_memories_that_cite_the_symbol_or_the_line(visited: Wire, project: Path) -> None:
    def remembered(path: str, line: int, character: int) -> list[str]:
        uri = visited.open(project / path)
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        hover = visited.result("textDocument/hover", params)
        text = hover["contents"]["value"] if hover is not None else ""
        return [line for line in text.splitlines() if line.startswith("Remembered")]

    assert remembered("app/sessions.py", 5, 6) == []
    for text, cite in (
        ("Cookies are signed before they are sent", "app/sessions.py:6-8"),
        ("Routes are tried in their order", "app/routing.py:4-9"),
        ("The test signs with a short key", "tests/test_sessions.py:4-5"),
    ):
        visited.command("helix.memory.remember", {"text": text, "cites": [cite]})
    (definition,) = remembered("app/sessions.py", 5, 6)
    assert "✓ verified: Cookies are signed" in definition
    assert remembered("app/sessions.py", 11, 6) == [], "another symbol of the file"
    use = remembered("tests/test_sessions.py", 4, 13)
    assert [("Cookies are" in line, "The test signs" in line) for line in use] == [(True, False), (False, True)]
    path = project / "app/sessions.py"
    path.write_text("# one\n# two\n" + path.read_text().replace('payload + "."', 'payload + ":"'))
    visited.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    (changed,) = remembered("app/sessions.py", 7, 6)
    assert "! needs refresh (changed" in changed


def test_a_hover_follows_a_memory_into_the_unsaved_buffer(visited: Wire, project: Path) -> None:
    visited.command("helix.memory.remember", {"text": "The age is in seconds", "cites": ["app/sessions.py:1-3"]})
    path = project / "app/sessions.py"
    uri = visited.open(path)
    visited.change(uri, "# one\n# two\n# three\n# four\n" + path.read_text())
    said = []
    for line in (2, 6):
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 4}}
        hover = visited.result("textDocument/hover", params)
        said.append(hover is not None and "The age is in seconds" in hover["contents"]["value"])
    assert said == [False, True]
