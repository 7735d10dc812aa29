"""Real folders and real repositories for the workspace's tests, and a home of their own for git."""

from __future__ import annotations

import os
import pickle
import subprocess
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

GIT_CONFIG = """\
[user]
    name = Ada
    email = ada@example.org
[init]
    defaultBranch = main
[protocol "file"]
    allow = always
[advice]
    detachedHead = false
[maintenance]
    auto = false
"""


class Repository:
    """A repository made with plain git."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet")

    def git(self, *arguments: str | bytes, check: bool = True, **options: Any) -> bytes:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, capture_output=True, timeout=60, check=False, **options
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def write(self, path: str | bytes, text: str = "text\n") -> None:
        file = os.fsencode(self.path) + b"/" + os.fsencode(path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        Path(os.fsdecode(file)).write_bytes(text.encode())

    def commit(self, message: str = "change", author: str = "Ada", at: int = 1_700_000_000) -> str:
        when = f"{at} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_NAME": author}
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message, env={**os.environ, **dates})
        return self.git("rev-parse", "HEAD").decode().strip()


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GIT_CONFIG)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    return home


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def make_repository() -> Callable[[Path], Repository]:
    return Repository


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def unprivileged(starts_processes: None) -> Callable[[Callable[[], Any]], Any]:
    """Runs a function as a user whom file permissions bind, in a forked child where we are root."""
    return _unprivileged


def _unprivileged(function: Callable[[], Any]) -> Any:
    if os.geteuid() != 0:
        return function()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(writing, pickle.dumps(function()))
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    assert answer, "the child died"
    return pickle.loads(answer)
