"""The editor's settings for a folder: initializationOptions, then workspace/configuration. Pure.

A value that is missing or has the wrong type leaves the setting unchanged; of text only a size is converted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from helix_core.config import size_bytes

SECTION = "helix"
WATCH_MODES = ("auto", "polling", "off")
SEVERITIES = ("hint", "information")


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The settings of a folder. None: Helix' own settings say."""

    hover: bool = True
    code_lens: bool = False
    diagnostics: bool = True
    paused: bool = False
    watch: str = "auto"
    exclude: tuple[str, ...] | None = None
    max_file_bytes: int | None = None
    severity: str = "hint"
    record_trail: bool | None = None
    include: tuple[str, ...] | None = None
    max_files: int | None = None

    def index_options(self) -> dict[str, Any]:
        """Return what ``OpenWorkspace.set_index_options`` takes."""
        names = ("exclude", "include", "max_file_bytes", "max_files")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Options:
    """The ``initializationOptions.helix`` of a client. Its folders are trusted unless it says otherwise."""

    trusted: bool = True
    trace: str = "off"
    settings: EditorSettings = EditorSettings()


def options_of(initialization_options: Any) -> Options:
    """Read the options of an ``initialize`` request."""
    given = _section(initialization_options, SECTION)
    settings = EditorSettings(
        hover=_flag(given, "hover", True),
        code_lens=_flag(given, "codeLens", False),
        diagnostics=_flag(given, "diagnostics", True),
        severity=_one_of(SEVERITIES, given, "severity", "hint"),
        paused=_flag(given, "paused", False),
        watch=_one_of(WATCH_MODES, given, "watch", "auto"),
    )
    trace = given.get("trace")
    return Options(_flag(given, "trusted", True), trace if isinstance(trace, str) else "off", settings)


def with_configuration(settings: EditorSettings, section: Any) -> EditorSettings:
    """Return the settings updated from the client's ``helix`` configuration section.

    What the section has as null or as empty text is given back to Helix' own settings. ``index.maxFileSize`` comes
    before ``index.maxFileBytes``, its older name.
    """
    if not isinstance(section, dict):
        return settings
    index = _section(section, "index")
    record = _section(section, "trail").get("record")
    return replace(
        settings,
        hover=_flag(_section(section, "hover"), "enabled", settings.hover),
        code_lens=_flag(_section(section, "codeLens"), "enabled", settings.code_lens),
        diagnostics=_flag(_section(section, "diagnostics"), "enabled", settings.diagnostics),
        severity=_one_of(SEVERITIES, _section(section, "diagnostics"), "severity", settings.severity),
        paused=_flag(index, "paused", settings.paused),
        watch=_one_of(WATCH_MODES, _section(section, "watch"), "mode", settings.watch),
        exclude=_texts(index.get("exclude"), settings.exclude),
        include=_texts(index.get("include"), settings.include),
        max_file_bytes=_max_file_bytes(index, settings.max_file_bytes),
        max_files=_number(index, "maxFiles", settings.max_files),
        record_trail=record if isinstance(record, bool) else settings.record_trail,
    )


def _section(value: Any, name: str) -> dict[str, Any]:
    section = value.get(name) if isinstance(value, dict) else None
    return section if isinstance(section, dict) else {}


def _flag(section: dict[str, Any], name: str, default: bool) -> bool:
    value = section.get(name)
    return value if isinstance(value, bool) else default


def _one_of(choices: tuple[str, ...], section: dict[str, Any], name: str, default: str) -> str:
    value = section.get(name)
    return value if value in choices else default


def _max_file_bytes(index: dict[str, Any], default: int | None) -> int | None:
    given = [index[name] for name in ("maxFileSize", "maxFileBytes") if index.get(name, "") not in (None, "")]
    size = next((size for value in given if (size := size_bytes(value)) is not None), None)
    is_given_back = not given and ("maxFileSize" in index or "maxFileBytes" in index)
    return None if is_given_back else default if size is None else size


def _number(section: dict[str, Any], name: str, default: int | None) -> int | None:
    value = section.get(name, default)
    return value if value is None or (isinstance(value, int) and not isinstance(value, bool)) else default


def _texts(value: Any, default: tuple[str, ...] | None) -> tuple[str, ...] | None:
    is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return tuple(value) if is_list else default
