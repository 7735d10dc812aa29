"""Check whether Helix can work on this machine; each finding has its next action.

In: the folder in question. Out: values; the decisions are pure functions of observations, which ``examine`` makes.
Never repairs anything.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from helix_core.config import Config, default_cache_dir, load_config
from helix_core.errors import ConfigError, GitError, WorkspaceError
from helix_core.extras import EXTRAS, missing
from helix_core.telemetry import why_off

DOCTOR_SCHEMA = "helix.doctor/1"
OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 51, 3)
OLDEST_GIT = (2, 31)
LOW_SPACE_BYTES = 1_000_000_000
NO_SPACE_BYTES = 50_000_000
FEW_WATCHES = 65_536
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs", "fuse.rclone"})


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; ``action`` is empty when all is well."""

    name: str
    state: Literal["ok", "warn", "fail"]
    detail: str
    action: str = ""


def doctor_answer(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the ``helix.doctor/1`` object; ``ok`` means that no check fails."""
    ok = all(check.state != "fail" for check in checks)
    return {"schema": DOCTOR_SCHEMA, "ok": ok, "checks": [asdict(check) for check in checks]}


def examine(folder: Path, environ: Mapping[str, str] | None = None) -> tuple[Check, ...]:
    """Run all checks of this machine and of ``folder``, independent of each other's results."""
    settings, cache, config = _settings(folder, os.environ if environ is None else environ)
    return (
        python(sys.version_info[:3], sys.executable),
        _sqlite(),
        _grammars(),
        _git(folder),
        _folder(folder),
        _cache_folder(cache),
        _watches(),
        locale(sys.getfilesystemencoding(), sys.platform),
        settings,
        extras({name: missing(name) for name in EXTRAS}),
        *(() if config is None else (telemetry(config, why_off(config)),)),
    )


def python(version: tuple[int, int, int], executable: str) -> Check:
    """Check that the interpreter is new enough."""
    detail = f"{'.'.join(map(str, version))} at {executable}"
    if version[:2] < OLDEST_PYTHON:
        return Check("Python", "fail", detail, f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer")
    return Check("Python", "ok", detail)


def sqlite(version: str, options: frozenset[str], *, loads_extensions: bool) -> Check:
    """Check that SQLite is new enough (before 3.51.3 a WAL can be corrupted), with FTS5 and loadable extensions."""
    missing = [] if "ENABLE_FTS5" in options else ["full-text search (FTS5)"]
    missing += [] if loads_extensions and "OMIT_LOAD_EXTENSION" not in options else ["loadable extensions"]
    if _numbers(version) < OLDEST_SQLITE:
        missing.insert(0, f"version {'.'.join(map(str, OLDEST_SQLITE))} or newer")
    if missing:
        return Check("SQLite", "fail", f"{version}, without {', '.join(missing)}", "reinstall apsw from its wheel")
    return Check("SQLite", "ok", f"{version} with FTS5 and loadable extensions")


def grammars(count: int, failures: Mapping[str, str]) -> Check:
    """Check that the grammars load. Files of a language without its grammar are chunked by lines."""
    if failures:
        detail = "; ".join(f"{name}: {cause}" for name, cause in sorted(failures.items()))
        return Check(
            "grammars",
            "warn",
            f"{len(failures)} of {count} {'does' if len(failures) == 1 else 'do'} not load ({detail})",
            "reinstall Helix",
        )
    return Check("grammars", "ok", f"{count} languages")


def git(answer: str) -> Check:
    """Check that git is installed, and new enough to run safely in an untrusted repository."""
    version = answer.removeprefix("git version ").split(" ")[0].strip()
    if not version[:1].isdigit():
        return Check("git", "warn", answer or "not found", "install git; without it packets have no commits")
    if _numbers(version)[:2] < OLDEST_GIT:
        return Check("git", "warn", version, f"install git {'.'.join(map(str, OLDEST_GIT))} or newer")
    return Check("git", "ok", version)


def cache_folder(folder: Path, *, problem: str, free_bytes: int, file_system: str) -> Check:
    """Check that the index can be written there, with enough space, on a local disk."""
    place = "set HELIX_CACHE_DIR to another folder"
    if problem:
        return Check("cache folder", "fail", f"{folder}: {problem}", f"make it writable, or {place}")
    detail = f"{folder}, {free_bytes / 1e9:.1f} GB free"
    if free_bytes < NO_SPACE_BYTES:
        return Check("cache folder", "fail", detail, f"free some space, or {place}")
    if file_system in _REMOTE:
        return Check(
            "cache folder", "warn", f"{detail}, on {file_system}", f"a database over a network breaks; {place}"
        )
    if free_bytes < LOW_SPACE_BYTES:
        return Check("cache folder", "warn", detail, f"free some space, or {place}")
    return Check("cache folder", "ok", detail)


def watch_limits(watches: int | None, instances: int | None) -> Check:
    """Check the limits on watched folders; None where this system has no such limit."""
    if watches is None or instances is None:
        return Check("watch limits", "ok", "none on this system")
    detail = f"{watches:,} folders, {instances:,} watchers"
    if watches < FEW_WATCHES:
        return Check("watch limits", "warn", detail, "sudo sysctl fs.inotify.max_user_watches=524288")
    return Check("watch limits", "ok", detail)


def locale(encoding: str, platform: str) -> Check:
    """Check that file names are UTF-8."""
    if encoding.lower().replace("-", "") != "utf8" and platform != "win32":
        return Check("locale", "warn", f"file names are {encoding}", "set LC_ALL=C.UTF-8 (or PYTHONUTF8=1)")
    return Check("locale", "ok", encoding)


def extras(lacking: Mapping[str, Sequence[str]]) -> Check:
    """List the optional parts and the packages that each lacks; none is needed to answer questions."""
    here = ", ".join(name for name, absent in lacking.items() if not absent) or "none"
    listed = (f"{name} (without {', '.join(absent)})" for name, absent in lacking.items() if absent)
    return Check("extras", "ok", "; not installed: ".join(filter(None, (here, ", ".join(listed)))))


def telemetry(config: Config, problem: str) -> Check:
    """Name where telemetry goes, or that it is off; ``problem`` is why it is off although the settings want it."""
    if problem:
        cause, _, action = problem.rpartition("; ")
        return Check("telemetry", "warn", f"off: {cause}", action)
    if not config.otel_enabled:
        return Check("telemetry", "ok", "off")
    shown = "questions redacted" if config.otel_redact_query else "with the text of questions"
    return Check(
        "telemetry", "ok", f"to {config.otel_endpoint}, {config.otel_sampler_ratio:.0%} of the traces, {shown}"
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _sqlite() -> Check:
    import apsw

    return sqlite(
        apsw.sqlite_lib_version(),
        frozenset(apsw.compile_options),
        loads_extensions=hasattr(apsw.Connection, "enable_load_extension"),
    )


def _grammars() -> Check:
    from helix_core.ingest import GRAMMARS, load

    failures: dict[str, str] = {}
    for name, grammar in GRAMMARS.items():
        try:
            load(grammar)
        except (ImportError, AttributeError, ValueError, OSError) as error:
            failures[name] = " ".join(str(error).split())[:80]
    return grammars(len(GRAMMARS), failures)


def _git(folder: Path) -> Check:
    from helix_core.workspace import Git

    try:
        return git(Git(folder if folder.is_dir() else Path.cwd()).run(["version"]).decode("utf-8", "replace"))
    except GitError as error:
        return git(str(error))


def _folder(folder: Path) -> Check:
    from helix_core.workspace import Git, Root

    try:
        with Root.open(folder) as root:
            repository = Git.open(root.path)
    except WorkspaceError as error:
        cause, _, action = str(error).rpartition("; ")
        return Check("folder", "fail", cause, action)
    if repository is None:
        return Check("folder", "ok", f"{folder.absolute()}, not in a git repository")
    if repository.problem:
        return Check("folder", "warn", repository.problem, "git facts are missing until this is mended")
    return Check("folder", "ok", f"{folder.absolute()}, in a git repository")


def _cache_folder(folder: Path) -> Check:
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"helix")
        problem = ""
    except OSError as error:
        problem = error.strerror or str(error)
    free_bytes = shutil.disk_usage(there).free
    return cache_folder(folder, problem=problem, free_bytes=free_bytes, file_system=_file_system(there))


def _file_system(folder: Path) -> str:
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    found = [line.split(" ")[1:3] for line in mounts if folder.resolve().is_relative_to(line.split(" ")[1])]
    return max(found, key=lambda mount: len(mount[0]), default=["", ""])[1]


def _watches() -> Check:
    return watch_limits(_limit("max_user_watches"), _limit("max_user_instances"))


def _limit(name: str) -> int | None:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return None


def _settings(folder: Path, environ: Mapping[str, str]) -> tuple[Check, Path, Config | None]:
    """Return the check of the settings, the cache folder, and the settings; None and the default when invalid."""
    try:
        config = load_config(folder, environ=environ)
    except ConfigError as error:
        cause, _, action = str(error).rpartition("; ")
        return Check("settings", "fail", cause, action), default_cache_dir(), None
    if config.warnings:
        return (
            Check("settings", "warn", "; ".join(config.warnings), "see helix config --explain"),
            config.cache_dir,
            config,
        )
    return Check("settings", "ok", f"{len(config.origins)} set, the rest are defaults"), config.cache_dir, config
