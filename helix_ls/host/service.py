"""Start the daemon with the user's session: the unit of systemd or the agent of launchd that does it, as text.

In: a platform, an environment, the Python that runs Helix. Out: a path, a text, and what to run next. Pure: writes
nothing and starts nothing.
"""

from __future__ import annotations

import plistlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helix_core.errors import UsageError
from helix_ls.host.election import DAEMON_MODULE

UNIT = "helix.service"
LABEL = "dev.helix.daemon"
STAYS_S = 10 * 365 * 86_400
"""Idle seconds of a daemon that the session runs: it leaves with the session, not before."""
_KEPT = ("HELIX_CONFIG", "HELIX_CACHE_DIR", "HELIX_DATA_DIR", "HELIX_STATE_DIR", "HELIX_RUNTIME_DIR", "HELIX_TRANSPORT")


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """A file that makes the user's session run the daemon; ``start`` and ``remove`` are commands for the user."""

    path: Path
    text: str
    start: str
    remove: str


def service_file(platform: str, environ: Mapping[str, str], home: Path, python: str) -> ServiceFile:
    """Return the file for a platform as ``sys.platform`` names it; ``python`` is the absolute path of the interpreter.

    Settings of places that ``environ`` names are kept in the file, keys are not. Raises UsageError for a platform
    without such sessions, and for a value that no such file can hold.
    """
    command = (python, "-P", "-m", DAEMON_MODULE)
    variables = {name: environ[name] for name in _KEPT if environ.get(name)} | {"HELIX_IDLE_S": str(STAYS_S)}
    if wrong := next((text for text in (*command, *variables.values()) if not text.isprintable()), None):
        raise UsageError(f"{wrong!a} holds a control character, which no service file can; use another path")
    if platform == "darwin":
        return _launchd(home, command, variables)
    if platform.startswith("linux"):
        folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        return _systemd(folder / "systemd" / "user" / UNIT, command, variables)
    raise UsageError(f"helix daemon install knows systemd and launchd, not {platform}; start it with: helix up")


def _systemd(path: Path, command: tuple[str, ...], variables: Mapping[str, str]) -> ServiceFile:
    # A dollar begins a variable in an argument; in the program's path, and in an assignment, it does not.
    arguments = [_quoted(argument).replace("$", "$$") for argument in command[1:]]
    lines = [
        "[Unit]",
        "Description=Helix, which serves editors and agents of this user",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={' '.join((_quoted(command[0]), *arguments))}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in sorted(variables.items())),
        "Restart=on-failure",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    start = f"systemctl --user daemon-reload && systemctl --user enable --now {UNIT}"
    remove = f"systemctl --user disable --now {UNIT} && rm {path}"
    return ServiceFile(path, "\n".join(lines) + "\n", start, remove)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _launchd(home: Path, command: tuple[str, ...], variables: Mapping[str, str]) -> ServiceFile:
    path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    about = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
    }
    text = plistlib.dumps(about).decode("utf-8")
    return ServiceFile(path, text, f"launchctl load -w {path}", f"launchctl unload -w {path} && rm {path}")
