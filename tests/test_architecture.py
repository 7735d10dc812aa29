"""The rules of docs/ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "helix_core", ROOT / "helix_ls"]
SOURCES = sorted(file for package in PACKAGES for file in package.rglob("*.py"))
SQL = re.compile(
    r"\b(?:SELECT\s.+\sFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM"
    r"|(?:CREATE|DROP|ALTER)\s+(?:VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)|PRAGMA\s+\w+)\b",
    re.DOTALL,
)


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(file)))


def texts(file: Path) -> Iterator[str]:
    """Every string of a module that is not a docstring, f-strings included."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes(file)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(file):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def calls(file: Path, called: str) -> list[int]:
    """The lines on which something of that name is called."""
    return [
        node.lineno
        for node in nodes(file)
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == called
    ]


@pytest.mark.process
def test_imports_run_down_the_floors() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_every_named_tuple_is_one_that_is_made_quickly() -> None:
    slow = [
        name(file)
        for file in SOURCES
        for node in nodes(file)
        if isinstance(node, ast.ImportFrom) and node.module == "typing" and file.name != "tuples.py"
        if any(alias.name == "NamedTuple" for alias in node.names)
    ]
    assert not slow, "import NamedTuple from helix_core.tuples"


MOST_WITHOUT_FLOORS = 12
"""Modules of a folder that needs no contract of floors."""


def test_the_modules_of_a_large_room_lie_on_floors_and_a_new_one_is_given_one() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    floors = {room for one in contracts if one.get("exhaustive") for room in one["containers"]}
    modules = Counter(".".join(file.parent.relative_to(ROOT).parts) for file in SOURCES if file.name != "__init__.py")
    large = {room for room, count in modules.items() if count > MOST_WITHOUT_FLOORS}
    assert large <= floors, sorted(large - floors)


@pytest.mark.parametrize("room", ["proxy", "lsp", "mcp", "host", "operations"])
def test_the_page_names_each_module_of_a_room_and_none_that_is_gone(room: str) -> None:
    """The verbs of the command line are a module each, by their names."""
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.search(rf"^\| \*\*{room}\*\* .*\n(?:\| \| .*\n)*", page, re.M)
    assert rows is not None
    named = set(re.findall(r"`(\w+)/?`", rows[0]))
    folder = ROOT / "helix_ls" / room
    there = {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}
    assert named == there - {"__init__", "__main__"}


@pytest.mark.slow
def test_only_the_store_knows_sql() -> None:
    others = (file for file in SOURCES if "store" not in file.parts)
    assert [(name(file), text) for file in others for text in texts(file) if SQL.search(text)] == []


@pytest.mark.slow
def test_the_search_for_sql_would_find_some() -> None:
    found = [text for file in SOURCES if "store" in file.parts for text in texts(file) if SQL.search(text)]
    assert len(found) > 10


def test_only_masked_bytes_make_text_clean() -> None:
    assert {name(file) for file in SOURCES if calls(file, "Clean")} == {"helix_core/secrets/masked.py"}


def test_every_package_says_what_it_is_for() -> None:
    packages = {name(file): ast.get_docstring(parsed(file)) or "" for file in SOURCES if file.name == "__init__.py"}
    assert [package for package, doc in packages.items() if len(doc) <= 60 or "under construction" in doc] == []


def test_every_module_says_what_it_is_for() -> None:
    assert [name(file) for file in SOURCES if not ast.get_docstring(parsed(file))] == []


def _imported(file: Path) -> set[Path]:
    """The modules of Helix that a module imports anywhere, also for its types only, but for ``__init__`` files."""
    names = set()
    for node in nodes(file):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    files = {ROOT / f"{module.replace('.', '/')}.py" for module in names}
    return files & set(SOURCES) - {file}


ROOMS = sorted(
    ".".join(file.parent.relative_to(ROOT).parts)
    for file in SOURCES
    if file.name == "__init__.py" and "helix_core" in file.parts and file.parent.name != "helix_core"
)
PAST_A_FACE = {
    ("helix_core.search.search", "search"): "a function named like its module: the face would give either",
    ("helix_core.ingest.provenance", "provenance"): "a function named like its module",
    ("helix_core.ingest.languages", "LANGUAGES"): "signatures has another table of this name",
    ("helix_core.ingest.signatures", "LANGUAGES"): "languages has another table of this name",
}
"""Imports past a face that are allowed, and why."""
OPEN_MODULES = ("helix_core.engine.requests",)
"""Modules that are a face of their own for other rooms: what their ``__all__`` lists."""


def _face_of(module: str) -> str:
    """The innermost room a module lies in; empty outside all."""
    return max((room for room in ROOMS if module == room or module.startswith(f"{room}.")), key=len, default="")


def test_what_a_room_gives_to_others_goes_through_its_face() -> None:
    past, used = [], set()
    for file in SOURCES:
        own = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in nodes(file):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            room = _face_of(node.module)
            # The rooms of the engine see the modules beside them, not the face that is for others.
            is_inside = f"{own}.".startswith(f"{room}.") if room == "helix_core.engine" else _face_of(own) == room
            if not room or node.module == room or is_inside:
                continue
            for alias in node.names:
                if node.module in OPEN_MODULES and alias.name in import_module(node.module).__all__:
                    continue
                if (node.module, alias.name) in PAST_A_FACE:
                    used.add((node.module, alias.name))
                else:
                    past.append(f"{name(file)}:{node.lineno} takes {alias.name} from {node.module}, not from {room}")
    for module, one in sorted(used):
        print(f"allowed past a face: {module}.{one}: {PAST_A_FACE[module, one]}")  # noqa: T201
    assert past == []
    assert used == PAST_A_FACE.keys()


SHOWN_TO_OTHERS = {
    "cli": {"served"},
    "lsp": {"session"},
    "mcp": {"run", "server", "session", "tools"},
    "proxy": {"clients", "config_files", "embedded", "keys", "presets", "running", "server", "sessions", "upstream"},
}
"""The modules of a surface that other rooms import: a face would cost each start of a command an import."""
WITHIN_THE_HOST = {"child", "index_thread", "otel", "settings", "watcher"}
"""The modules of the host that no surface knows."""


def test_a_surface_shows_few_modules_to_the_other_rooms() -> None:
    surfaces = ROOT / "helix_ls"
    shown: dict[str, set[str]] = {}
    for file in SOURCES:
        for imported in _imported(file):
            room, *below = imported.relative_to(ROOT).with_suffix("").parts[1:]
            if surfaces in imported.parents and below and surfaces / room not in file.parents:
                shown.setdefault(room, set()).add(below[0])
    assert {room: shown[room] for room in SHOWN_TO_OTHERS} == SHOWN_TO_OTHERS
    assert {file.stem for file in (surfaces / "host").glob("[a-z]*.py")} - shown["host"] == WITHIN_THE_HOST


CORE = [file for file in SOURCES if "helix_core" in file.parts and file.name != "__init__.py"]


def test_a_module_imports_its_siblings_by_their_names() -> None:
    # The face of its own room imports it: that would be a circle.
    assert [
        f"{name(file)}:{node.lineno}"
        for file in CORE
        for node in nodes(file)
        if isinstance(node, ast.ImportFrom) and node.module == ".".join(file.parent.relative_to(ROOT).parts)
    ] == []


@pytest.mark.parametrize("room", [*ROOMS, *OPEN_MODULES])
def test_a_face_gives_what_it_lists_and_nothing_else(room: str) -> None:
    face = import_module(room)
    assert face.__all__
    assert all(getattr(face, one) is not None for one in face.__all__)
    with pytest.raises(AttributeError):
        _ = face.no_such_name


MOST_ROOMS, MOST_FLOORS, MOST_ARROWS = 9, 4, 20
LONGEST_FACE = 24
"""Lines. A longer face is one more room of the drawing, with an arrow to each room it exports from."""
ENGINE = ROOT / "helix_core" / "engine"


def _room(file: Path) -> str:
    """The room of the engine a module lies in: its folder, or itself."""
    return file.relative_to(ENGINE).parts[0].removesuffix(".py")


def _engine_arrows() -> set[tuple[str, str]]:
    """``(importing room, imported room)`` of the engine, imports inside functions and for types included."""
    arrows = set()
    for file in (file for file in SOURCES if ENGINE in file.parents and file != ENGINE / "__init__.py"):
        for node in nodes(file):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("helix_core.engine"):
                parts = str(node.module).split(".")[2:]
                arrows |= {(_room(file), room) for room in (parts[:1] or [alias.name for alias in node.names])}
    return {(importing, imported) for importing, imported in arrows if importing != imported}


def test_a_drawing_of_the_engine_fits_on_a_page() -> None:
    assert len((ENGINE / "__init__.py").read_text(encoding="utf-8").splitlines()) <= LONGEST_FACE
    rooms = {_room(file) for file in SOURCES if ENGINE in file.parents} - {"__init__"}
    arrows = _engine_arrows()
    floors: dict[str, int] = {}
    while left := rooms - floors.keys():
        ready = {room for room in left if all(below in floors for above, below in arrows if above == room)}
        assert ready, f"a circle among {sorted(left)}"
        floors |= {room: 1 + max((floors[b] for a, b in arrows if a == room), default=0) for room in ready}
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
    assert max(floors.values()) <= MOST_FLOORS, floors
    assert len(arrows) <= MOST_ARROWS, sorted(arrows)


MOST_BASES = 2
"""Classes of ours above each other, the lowest included."""
NO_LADDER = {"HelixError", "Protocol", "Exception", "NamedTuple", "TypedDict"}
"""Below these a ladder says what a thing is: errors are caught by their kind, a protocol has no code to share."""


def _bases() -> dict[str, list[str]]:
    """The names of the bases of each class of ours."""
    return {
        node.name: [getattr(base, "id", getattr(base, "attr", "")) for base in node.bases]
        for file in SOURCES
        for node in nodes(file)
        if isinstance(node, ast.ClassDef)
    }


def test_no_class_stands_on_a_ladder_of_our_own() -> None:
    bases = _bases()

    def above(name: str) -> list[str]:
        """The longest way up from a class, itself included."""
        return max(([name, *above(base)] for base in bases.get(name, ()) if base in bases), key=len, default=[name])

    def names_above(name: str) -> set[str]:
        return {name}.union(*(names_above(base) for base in bases.get(name, ())))

    ladders = {name: above(name) for name in bases if not NO_LADDER & names_above(name)}
    assert {name: way for name, way in ladders.items() if len(way) > MOST_BASES} == {}


def test_no_state_is_hidden_in_a_dict_of_attributes() -> None:
    hidden = [
        f"{name(file)}:{node.lineno}"
        for file in SOURCES
        for node in nodes(file)
        if isinstance(node, ast.Attribute) and node.attr == "__dict__"
    ]
    assert hidden == []


def test_a_class_name_means_one_thing_in_the_whole_house() -> None:
    places: dict[str, list[str]] = {}
    for file in SOURCES:
        for node in nodes(file):
            if isinstance(node, ast.ClassDef):
                # A reader who greps the word finds private classes, too.
                places.setdefault(node.name.lstrip("_"), []).append(f"{name(file)}:{node.lineno}")
    assert {one: files for one, files in places.items() if len(files) > 1} == {}


def test_no_module_is_part_of_a_circle_of_imports_not_even_for_types() -> None:
    waiting = {file: _imported(file) for file in SOURCES}
    while free := {file for file, wanted in waiting.items() if not wanted & waiting.keys()}:
        waiting = {file: wanted for file, wanted in waiting.items() if file not in free}
    assert sorted(map(name, waiting)) == []
