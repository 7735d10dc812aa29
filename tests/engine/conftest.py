"""A small real repository and an engine on it, each test with a cache of its own."""

import subprocess
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix

FILES = {
    "app/sessions.py": '''"""Signed cookies for sessions."""

SESSION_COOKIE_AGE = 3600


class SessionSigner:
    """Signs and checks the session cookie."""

    def __init__(self, secret_key):
        self.secret_key = secret_key

    def sign_cookie(self, payload):
        """Return the payload with a signature."""
        return payload + "." + self.signature(payload)

    def verify_cookie(self, cookie):
        """Raise ValueError when the signature of the cookie does not fit."""
        payload, _, signature = cookie.rpartition(".")
        if signature != self.signature(payload):
            raise ValueError("bad cookie signature")
        return payload
''',
    "app/routing.py": '''"""Maps addresses to handlers."""


def match_route(routes, address):
    """Find the handler whose pattern fits the address."""
    for pattern, handler in routes:
        if pattern == address:
            return handler
    raise LookupError("no route matches " + address)


def build_address(pattern, **values):
    """Fill the pattern with values."""
    return pattern.format(**values)
''',
    "tests/test_sessions.py": '''from app.sessions import SessionSigner


def test_sign_cookie():
    assert SessionSigner("k").sign_cookie("a")
''',
    "docs/sessions.md": """# Sessions

The class `SessionSigner.sign_cookie` signs the session cookie before it is sent to the browser.

`SESSION_COOKIE_AGE = 3600` seconds is how long a session cookie lives.
""",
    "README.md": "# A small application\n\nServes addresses with handlers.\n",
}


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Run git in a folder with an identity of its own and nobody's settings."""
    done = subprocess.run(
        ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=check,
    )
    return done.stdout


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, making their folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def repository(tmp_path):
    """A repository of one commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    write(folder, FILES)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


@pytest.fixture
def open_helix(tmp_path, monkeypatch):
    """Open an engine on a folder; all are closed at the end."""
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    opened = []

    def start(folder: Path) -> Helix:
        opened.append(Helix.open(folder, config=load_config(folder, user=tmp_path / "no-user-file.toml")))
        return opened[-1]

    yield start
    for helix in opened:
        helix.close()


@pytest.fixture
def helix(repository, open_helix):
    """An engine on the repository, up to date."""
    engine = open_helix(repository)
    engine.refresh()
    return engine
