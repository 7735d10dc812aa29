"""What one benchmark imports from another is there: no type checker reads them, and few are run by a test."""

import ast
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.parametrize("script", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_from_another_is_defined_there(script: Path) -> None:
    missing = [
        f"{one.module}.{name.name}"
        for one in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(one, ast.ImportFrom) and one.module and (modules := _modules(one.module))
        for name in one.names
        if not any(name.name in _defined(module) for module in modules)
    ]
    assert not missing


def _modules(name: str) -> list[Path]:
    """The files that may be a module of the benchmarks, which are started with some of their folders on the path."""
    return list(BENCHMARKS.rglob(f"{name.replace('.', '/')}.py"))


def _defined(module: Path) -> set[str]:
    """The names that a module binds at its top."""
    names: set[str] = set()
    for one in ast.parse(module.read_text("utf-8")).body:
        for inner in ast.walk(one):
            match inner:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    names.add(name)
                case ast.alias(name=name, asname=other):
                    names.add(other or name.partition(".")[0])
    return names
