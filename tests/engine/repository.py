"""A small real repository to ask about, and the two ways tests change it."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine.opened import index_folder

FILES = {
    "app/sessions.py": '''"""Signed cookies for sessions."""

SESSION_COOKIE_AGE = 3600


def sign_cookie(secret_key, payload):
    """Return the payload with a signature."""
    return payload + "." + signature_of(secret_key, payload)


def verify_cookie(secret_key, cookie):
    """Raise ValueError when the signature of the cookie does not fit."""
    payload, _, signature = cookie.rpartition(".")
    if signature != signature_of(secret_key, payload):
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
    "tests/test_sessions.py": """from app.sessions import sign_cookie


def test_sign_cookie():
    assert sign_cookie("k", "a")
""",
    "docs/sessions.md": """# Sessions

The function `sign_cookie(secret_key, payload)` signs the session cookie before it is sent to the browser.

`SESSION_COOKIE_AGE = 3600` seconds is how long a session cookie lives.
""",
    "README.md": "# A small application\n\nServes addresses with handlers.\n",
}


# A commit starts another git that asks whether to pack the objects, unless it is told not to.
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "maintenance.auto=false")


def git(folder: Path, *arguments: str, check: bool = True, date: str = "") -> str:
    """Run git in a folder with an identity of its own and nobody's settings, now or at a date."""
    done = subprocess.run(
        ["git", *IDENTITY, *arguments],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
            **({"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}),
        },
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


def begin(folder: Path, files: dict[str, str] = FILES) -> Path:
    """Make a folder a repository with one commit of these files; git runs once for all that begin alike."""
    shutil.copytree(_begun(tuple(files.items())).name, folder, symlinks=True, dirs_exist_ok=True)
    return folder


def put_index(folder: Path, cache_dir: Path, files: dict[str, str] = FILES) -> None:
    """Put the index of a repository that began with these files where an engine on the folder looks for it.

    A refresh then finds each file touched and no byte changed: it parses and stores nothing, less than half of what a
    first one costs. One that began otherwise, and one that has an index, are left alone.
    """
    head, place = Path(".git", "refs", "heads", "main"), index_folder(cache_dir, folder)
    same = (folder / head).read_text() == Path(_begun(tuple(files.items())).name, head).read_text()
    if same and not place.exists():
        shutil.copytree(_indexed(tuple(files.items())).name, place)


@cache
def _indexed(files: tuple[tuple[str, str], ...]) -> tempfile.TemporaryDirectory:
    with tempfile.TemporaryDirectory(prefix="indexing") as base:
        folder, environ = begin(Path(base, "project"), dict(files)), {"HELIX_CACHE_DIR": f"{base}/cache"}
        with Helix.open(folder, config=load_config(folder, environ=environ, user=Path(base, "none.toml"))) as helix:
            helix.refresh()
        made = tempfile.TemporaryDirectory(prefix="indexed")
        shutil.copytree(index_folder(Path(base, "cache"), folder), made.name, dirs_exist_ok=True)
    return made


@cache
def _begun(files: tuple[tuple[str, str], ...]) -> tempfile.TemporaryDirectory:
    made = tempfile.TemporaryDirectory(prefix="begun")
    folder = Path(made.name)
    # Copied with its mode: another user may read a project.
    folder.chmod(0o755)
    write(folder, dict(files))
    git(folder, "init", "-q", "-b", "main", "--template=")
    (folder / ".git" / "info").mkdir()
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    # One file of objects instead of a folder each: a copy takes half the time.
    git(folder, "repack", "-adqn")
    return made
