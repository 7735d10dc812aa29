"""The pages hold together: links, paths, commands and figures that they name are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *DOCS.rglob("*.md")])
FENCE = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
TABLE = re.compile(r"(?:^ *\|.*\n?)+", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
ROOMS = ("helix_core", "helix_ls", "tests", "benchmarks", "docs", "fixtures", "vscode-extension", ".ci")
BUILT = ("vscode-extension/helix-context.vsix",)


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """The ids of a page's headings, as Markdown's toc makes them."""
    heads = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", head.lower()).strip()) for head in heads}


def commands(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    yield from (line.strip() for block in FENCE.finditer(text) for line in block.group().splitlines())
    yield from CODE.findall(FENCE.sub("", text))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_page_a_picture_or_a_heading(page: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.is_file() or (anchor and anchor not in anchors(file)):
            broken.append(target)
        # What the site links must be part of the site.
        if page.is_relative_to(DOCS) and not file.is_relative_to(DOCS):
            broken.append(f"{target} leads out of docs/")
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_row_stands_in_a_table_with_a_head_and_as_many_cells(page: Path) -> None:
    broken = []
    for table in TABLE.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        rows = [row.strip() for row in table.splitlines()]
        cells = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
        if len(rows) < 2 or not re.fullmatch(r"\|( *:?-+:? *\|)+", rows[1]) or len(set(cells)) > 1:
            broken.append(rows[0][:80])
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_path_of_the_repository_that_a_page_names_is_there(page: Path) -> None:
    missing = []
    for code in CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path = code.split()[-1] if code.startswith("python ") else code.split()[0] if code.split() else ""
        if path.split("/")[0] in ROOMS and "/" in path and path not in BUILT and not set(path) & set("*{}<>…"):
            missing += [path] if not (ROOT / path).exists() else []
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_module_that_a_page_names_below_its_package_is_there(page: Path) -> None:
    roots = (ROOT, ROOT / "helix_core", ROOT / "helix_ls", ROOT / "vscode-extension" / "src", ROOT / "benchmarks")
    named = {
        each
        for each in CODE.findall(page.read_text(encoding="utf-8"))
        if re.fullmatch(r"[\w./-]+/[\w-]+\.(py|ts)", each)
    }
    assert sorted(each for each in named if not any((root / each).is_file() for root in roots)) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_benchmark_and_make_target_that_a_page_names_is_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    wrong = []
    for command in commands(page):
        wrong += [each for each in re.findall(r"benchmarks/\w+\.py", command) if not (ROOT / each).is_file()]
        made = re.match(r"make ([a-z-]+)", command)
        wrong += [made.group()] if made and made.group(1) not in targets else []
    assert wrong == []


def test_every_verb_that_a_page_shows_is_a_verb() -> None:
    from helix_ls.cli.verbs import VERBS

    shown = {
        (name(page), found)
        for page in PAGES
        for command in commands(page)
        for found in re.findall(r"^(?:\$ )?helix ([a-z]+)\b", command)
    }
    assert {(page, verb) for page, verb in shown if verb not in VERBS} == set()


def test_every_benchmark_has_a_line_on_the_page_of_benchmarks() -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    scripts = sorted(file.name for file in (ROOT / "benchmarks").glob("*.py"))
    assert [script for script in scripts if f"benchmarks/{script}" not in page] == []


def test_every_picture_is_shown_somewhere() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [file.name for file in sorted((DOCS / "pictures").iterdir()) if f"pictures/{file.name}" not in text] == []


def test_a_figure_of_the_readme_is_on_the_page_of_benchmarks() -> None:
    rows = re.findall(
        r"^\| (?!what|---)(.+) \| `python (\S+)[^`]*` \|$", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert len(rows) >= 6
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    for row, script in rows:
        assert script in page
        figures = [each for each in row.split(" | ")[1].replace(" ms", "").replace(" s", "").split(", ") if each != "0"]
        assert [figure for figure in figures if figure not in page] == [], row


def test_the_comparison_of_the_readme_names_every_tool_with_figures_of_the_benchmarks() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (semble|cocoindex-code|helix-context|ripgrep)\b([^|]*)\|(.+)\|$", readme, re.MULTILINE)
    assert [row[0] for row in rows] == ["semble", "cocoindex-code", "helix-context", "ripgrep"]
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    for tool, version, said in rows:
        assert f"{tool}{version}".strip() in page or tool == "ripgrep"
        about = [line for line in page.splitlines() if tool in line]
        numbers = re.findall(r"\b\d[\d.]*\b", said)
        assert [each for each in numbers if not any(each in line for line in about)] == [], tool


def test_the_readme_names_the_platforms_and_the_languages_of_their_page() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    page = " ".join((DOCS / "platforms.md").read_text(encoding="utf-8").split())
    languages = re.search(r"by their syntax tree: ([^.]+)\.", page)
    assert languages is not None and f"**Symbols of:** {languages[1]};" in readme
    for platform in ("Linux", "WSL", "macOS", "Windows"):
        assert platform in page and platform in readme.split("## Three commands")[0]


def test_a_release_is_installed_without_a_clone_by_the_names_of_its_files() -> None:
    import helix_core

    wheel = f"helix_context_engine-{helix_core.__version__}-py3-none-any.whl"
    for page in (ROOT / "README.md", DOCS / "getting-started.md"):
        text = page.read_text(encoding="utf-8")
        assert f"uv tool install ./{wheel}" in text
        assert text.index(wheel) < text.index("pip install ."), "the clone comes after"
        assert "code --install-extension helix-context.vsix" in text
    assert "To upgrade, " in (DOCS / "getting-started.md").read_text(encoding="utf-8")


class Loader(yaml.SafeLoader):
    """Reads mkdocs' own tags as nothing."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def nav(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for each in entry.values():
            yield from nav(each) if isinstance(each, list) else [each]


def test_the_site_has_every_page_once_and_loads_nothing_from_another_host() -> None:
    config = yaml.load((ROOT / ".ci" / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    pages = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
    assert sorted(nav(config["nav"])) == pages
    assert config["theme"]["font"] is False
    # The plugin "offline" loads a script from another host.
    assert config["plugins"] == ["search"]
    assert "extra_javascript" not in config
    assert all((DOCS / file).is_file() for file in config["extra_css"])
    assert "analytics" not in config["extra"]
    assert not [
        page for page in PAGES if "](http" in "".join(re.findall(r"!\[[^\]]*\]\(http[^)]*\)", page.read_text()))
    ]


def test_every_message_of_the_troubleshooting_page_is_a_message_of_the_code() -> None:
    sources = [file for room in ("helix_core", "helix_ls") for file in (ROOT / room).rglob("*.py")]
    # Adjacent literals are one string.
    code = re.sub(r'"\s*\n\s*[rf]?"', "", "\n".join(file.read_text(encoding="utf-8") for file in sources))
    table = (DOCS / "troubleshooting.md").read_text(encoding="utf-8").split("## At the terminal")[1].split("\n## ")[0]
    messages = [message for row in table.splitlines() for message in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    assert len(messages) > 8
    fragments = {part.strip(" .;") for message in messages for part in message.split("…") if len(part.strip(" .;")) > 9}
    assert {fragment for fragment in fragments if fragment not in code} == set()
