"""``[proxy.upstreams.<name>]``: the servers that answer chats, where there is more than one.

A table each, in the order they are written: ``url``, ``models`` (patterns of names, none: all it has), ``key_env`` (the
variable that holds its key). Only the user's own file may have them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helix_core.config.values import address, is_line
from helix_core.errors import ConfigError

MOST = 16
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_KEYS = ("url", "models", "key_env")


@dataclass(frozen=True, slots=True)
class UpstreamSetting:
    """One of them; an empty ``models`` stands for every model, an empty ``key_env`` for no variable."""

    name: str
    url: str
    models: tuple[str, ...] = ()
    key_env: str = ""

    def __str__(self) -> str:
        """One line, for people."""
        told = [f"models {', '.join(self.models)}"] if self.models else []
        told += [f"key from {self.key_env}"] if self.key_env else []
        return f"{self.name} at {self.url}" + (f" ({'; '.join(told)})" if told else "")


def upstreams(value: Any, where: str, lines: Mapping[str, int], warnings: list[str]) -> tuple[UpstreamSetting, ...]:
    """What the tables of the file ``where`` say; ``lines`` has the line of each key below them. Raises ConfigError."""
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise ConfigError(f"{where}, key proxy.upstreams: expected tables; write [proxy.upstreams.NAME] with a url")
    if len(value) > MOST:
        raise ConfigError(f"{where}, key proxy.upstreams: more than {MOST} upstreams; remove some")
    return tuple(_one(name, table, where, lines, warnings) for name, table in value.items())


def _one(
    name: str, table: dict[str, Any], where: str, lines: Mapping[str, int], warnings: list[str]
) -> UpstreamSetting:
    def place(key: str) -> str:
        line = lines.get(f"{name}.{key}") or lines.get(name)
        return f"{where}{f' line {line}' if line else ''}, key proxy.upstreams.{name}{f'.{key}' if key else ''}"

    if _NAME.fullmatch(name) is None:
        raise ConfigError(f"{place('')}: a name is up to 40 letters, digits, - or _; choose such a one")
    for key in table:
        if key not in _KEYS:
            warnings.append(f"{place(key)}: nothing is called {key}; the keys are {', '.join(_KEYS)}")
    url, models, variable = (table.get(key) for key in _KEYS)
    if not isinstance(url, str) or not is_line(url):
        raise ConfigError(f"{place('url')}: expected an address; write it as http://127.0.0.1:11434/v1")
    if models is not None and not (isinstance(models, list) and all(is_line(each) for each in models)):
        raise ConfigError(f'{place("models")}: expected a list of text; write patterns as ["llama*", "qwen*"]')
    if variable is not None and not (isinstance(variable, str) and _VARIABLE.fullmatch(variable)):
        # A key that was written here by mistake is not said again.
        raise ConfigError(f"{place('key_env')}: expected the name of an environment variable; never write a key here")
    return UpstreamSetting(name, address(url, place("url")), tuple(models or ()), variable or "")
