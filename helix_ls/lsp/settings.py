"""The editor's settings for a folder: initializationOptions, then workspace/configuration. Pure.

A value that is missing or has the wrong type leaves the setting unchanged; text is never converted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

SECTION = "helix"
WATCH_MODES = ("auto", "polling", "off")
SEVERITIES = ("hint", "information")


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The settings of a folder. ``exclude``, ``max_file_bytes`` and ``record_trail`` None: Helix' own settings say."""

    hover: bool = True
    code_lens: bool = False
    diagnostics: bool = True
    paused: bool = False
    watch: str = "auto"
    exclude: tuple[str, ...] | None = None
    max_file_bytes: int | None = None
    severity: str = "hint"
    record_trail: bool | None = None


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
    """Return the settings updated from the client's ``helix`` configuration section."""
    if not isinstance(section, dict):
        return settings
    index = _section(section, "index")
    record = _section(section, "trail").get("record")
    exclude, most = index.get("exclude", settings.exclude), index.get("maxFileBytes", settings.max_file_bytes)
    return replace(
        settings,
        hover=_flag(_section(section, "hover"), "enabled", settings.hover),
        code_lens=_flag(_section(section, "codeLens"), "enabled", settings.code_lens),
        diagnostics=_flag(_section(section, "diagnostics"), "enabled", settings.diagnostics),
        severity=_one_of(SEVERITIES, _section(section, "diagnostics"), "severity", settings.severity),
        paused=_flag(index, "paused", settings.paused),
        watch=_one_of(WATCH_MODES, _section(section, "watch"), "mode", settings.watch),
        exclude=_texts(exclude, settings.exclude),
        max_file_bytes=most if isinstance(most, int) and not isinstance(most, bool) else settings.max_file_bytes,
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


def _texts(value: Any, default: tuple[str, ...] | None) -> tuple[str, ...] | None:
    is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return tuple(value) if is_list else default
