"""Declarations of all settings: default, bounds and meaning; everything else is derived from them.

Includes ``[proxy.upstreams.<name>]``, the chat servers where there is more than one. Raises ConfigError with the place
of the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from helix_core.errors import ConfigError
from helix_core.tuples import NamedTuple


def is_line(value: object) -> bool:
    """Return whether the value is non-empty text on one line."""
    return isinstance(value, str) and value != "" and "\0" not in value and "\n" not in value


_ANY_ADDRESS = "http://127.0.0.1:11434/v1"


def address(text: str, where: str, example: str = "") -> str:
    """Validate a server's http URL without a trailing slash, a query, or credentials."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if not fits or " " in text or parts.query or parts.fragment or "@" in parts.netloc:
        example = example or _ANY_ADDRESS
        # The value may contain a password, so do not repeat it.
        raise ConfigError(f"{where}: not a plain http address; write it as {example}, without credentials or a query")
    return text.rstrip("/")


_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)[ \t]{0,9}(?:([KMG])(?:i?B)?|B|bytes)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def size_bytes(value: object) -> int | None:
    """Return a size in bytes: of a whole number of bytes, or of text such as ``2 MB``; None for anything else.

    A unit is a power of 1,024 with or without the ``i`` of IEC 80000-13, as in git's settings.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= 40 else None
    return None if found is None else int(float(found[1]) * _UNITS[(found[2] or "").upper()])


def size_text(size: int) -> str:
    """Return a size in bytes as text that ``size_bytes`` reads, in the largest unit that is exact: ``2 MB``."""
    unit = next(unit for unit in ("G", "M", "K", "") if size % _UNITS[unit] == 0)
    return f"{size // _UNITS[unit]} {unit}B" if unit and size else f"{size} bytes"


MOST = 16
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
NO_SECRETS = "a secret is never written in a settings file; remove it, and name its variable as key_env, or set that"
_SECRET_NAME = re.compile(r"(?:^|[._-])(?:(?:api_?)?keys?|secrets?|token|pass(?:phrase|word|wd))$", re.IGNORECASE)


def names_secret(key: str) -> bool:
    """Return whether a key of a settings file says that its value is a secret; no setting has such a name."""
    return _SECRET_NAME.search(key) is not None


_KEYS = ("url", "models", "key_env", "dialects", "auth", "query")
DIALECTS = ("chat", "responses", "messages", "ollama")
"""The APIs an upstream may speak: OpenAI's chat completions and responses, Anthropic's messages, Ollama's own."""
AUTHS = ("bearer", "x-api-key", "api-key")
"""How an upstream wants its key: ``Authorization: Bearer``, or as the header of that name."""


class UpstreamSetting(NamedTuple):
    """One upstream server; empty ``models`` mean every model, an empty ``key_env`` no variable.

    ``dialects`` are of ``DIALECTS``, ``auth`` is of ``AUTHS``; empty for what is known of the server. ``query`` is
    added to each request's URL, such as Azure's api-version.
    """

    name: str
    url: str
    models: tuple[str, ...] = ()
    key_env: str = ""
    dialects: tuple[str, ...] = ()
    auth: str = ""
    query: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """Return the setting on one line, for people."""
        told = [f"models {', '.join(self.models)}"] if self.models else []
        told += [f"key from {self.key_env}"] if self.key_env else []
        told += [f"speaks {', '.join(self.dialects)}"] if self.dialects else []
        told += [f"key as {self.auth}"] if self.auth else []
        told += [f"query {', '.join(name for name, _ in self.query)}"] if self.query else []
        return f"{self.name} at {self.url}" + (f" ({'; '.join(told)})" if told else "")


def upstreams(value: Any, where: str, lines: Mapping[str, int], warnings: list[str]) -> tuple[UpstreamSetting, ...]:
    """Parse the tables of the file ``where``; ``lines`` has the line of each key below them. Raises ConfigError."""
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
        raise ConfigError(f"{place('')}: a name is up to 40 letters, digits, - or _; choose another name")
    for key in table:
        if names_secret(key):
            raise ConfigError(f"{place(key)}: {NO_SECRETS}")
        if key not in _KEYS:
            warnings.append(f"{place(key)}: unknown key {key}; the keys are {', '.join(_KEYS)}")
    url, models, variable = (table.get(key) for key in _KEYS[:3])
    if not isinstance(url, str) or not is_line(url):
        raise ConfigError(f"{place('url')}: expected an address; write it as http://127.0.0.1:11434/v1")
    if models is not None and not (isinstance(models, list) and all(is_line(each) for each in models)):
        raise ConfigError(f'{place("models")}: expected a list of text; write patterns as ["llama*", "qwen*"]')
    if variable is not None and not (isinstance(variable, str) and _VARIABLE.fullmatch(variable)):
        # The value may be a key written here by mistake, so do not repeat it.
        raise ConfigError(f"{place('key_env')}: expected the name of an environment variable; never write a key here")
    dialects, auth = table.get("dialects"), table.get("auth")
    if dialects is not None and not (isinstance(dialects, list) and all(each in DIALECTS for each in dialects)):
        raise ConfigError(f"{place('dialects')}: expected a list of {', '.join(DIALECTS)}; write those it speaks")
    if auth is not None and auth not in AUTHS:
        raise ConfigError(f"{place('auth')}: expected one of {', '.join(AUTHS)}; leave it out for bearer")
    return UpstreamSetting(
        name,
        address(url, place("url")),
        tuple(models or ()),
        variable or "",
        tuple(dialects or ()),
        auth or "",
        _query(table.get("query"), place("query")),
    )


def _query(value: Any, where: str) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, dict) or not all(is_line(name) and is_line(text) for name, text in value.items()):
        # The value may contain a key, so do not repeat it.
        raise ConfigError(f'{where}: expected a table of text; write it as {{ "api-version" = "2024-10-21" }}')
    return tuple(value.items())


Value = int | float | bool | str | tuple[str, ...] | tuple[UpstreamSetting, ...]
Kind = Literal[
    "whole number", "number", "size", "true or false", "list of text", "text", "folder", "file", "address", "upstreams"
]
From = Literal["default", "user", "workspace", "environment"]


class Setting(NamedTuple):
    """One setting: ``key`` in a file, ``field`` of ``Config``; bounds are inclusive.

    A workspace's file is untrusted and may not set what is ``trusted``: paths, programs and where text is sent.
    ``named`` is the environment variable, unless it is derived from the key. ``switch`` is the key of the setting
    without which this one has no effect. ``older`` is a key it had before, which is read where its own is not given
    in the same place. A size has bounds and a default in bytes.
    """

    key: str
    field: str
    kind: Kind
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    trusted: bool = False
    named: str = ""
    switch: str = ""
    older: str = ""

    @property
    def variable(self) -> str:
        """Return the environment variable that sets it."""
        return self.named or _variable_of(self.key)

    @property
    def older_variable(self) -> str:
        """Return the environment variable of the older key, or ""."""
        return _variable_of(self.older) if self.older else ""

    def shown(self, value: Any) -> Any:
        """Return a value of this setting as a file would have it."""
        if self.kind == "upstreams":
            return tuple(map(str, value))
        if self.kind == "size":
            return size_text(value)
        return str(value) if isinstance(value, Path) else value


def _variable_of(key: str) -> str:
    return "HELIX_" + key.replace(".", "_").upper()


class Origin(NamedTuple):
    """The source of a value; ``place`` is ``file:line``, a variable's name, or "" for a default."""

    source: From
    place: str = ""


class Valued(NamedTuple):
    """A setting with its effective value and origin, for ``helix config --explain``."""

    setting: Setting
    value: Value
    origin: Origin


def _setting(key: str, kind: Kind, default: Value, meaning: str, **bounds: Any) -> Any:
    return field(default=default, metadata={"key": key, "kind": kind, "default": default, "meaning": meaning, **bounds})


class Reload(NamedTuple):
    """How to reload settings: the ``files``, their signatures when they were read, and the function that reads them."""

    files: tuple[Path, ...]
    seen: tuple[object, ...]
    load: Callable[[], Config]


@dataclass(frozen=True, slots=True)
class Config:
    """The effective settings. Folders are absolute; without ``data_dir`` there is no memory. ``origins`` has an
    entry for every key that is not a default. ``warnings`` are lines for the user: unknown keys, keys a workspace
    may not set. ``own_paths`` are the real paths of what Helix itself writes, which is not part of any workspace.
    ``reload`` lets ``current`` follow the files, None for settings made by hand.
    """

    cache_dir: Path = field(
        metadata={
            "key": "cache_dir",
            "kind": "folder",
            "default": "",
            "meaning": "folder for the indexes, which can be rebuilt",
            "trusted": True,
        }
    )
    data_dir: Path | None = field(
        default=None,
        metadata={
            "key": "data_dir",
            "kind": "folder",
            "default": "",
            "meaning": "folder for the memory, which cannot be rebuilt",
            "trusted": True,
        },
    )
    max_file_bytes: int = _setting(
        "index.max_file_size",
        "size",
        2 * 1024 * 1024,
        "maximum size of an indexed file, such as 500 KB or a number of bytes; larger files are left out; "
        "index.max_file_bytes, its older name, is still read",
        low=1024,
        high=16 * 1024 * 1024,
        older="index.max_file_bytes",
    )
    max_files: int = _setting(
        "index.max_files",
        "whole number",
        0,
        "maximum number of indexed files, those in the fewest folders first; answers and helix status say how many are "
        "left out; 0 for no limit",
        low=0,
        high=10_000_000,
    )
    workers: int = _setting(
        "index.workers", "whole number", 2, "number of processes that parse files during a full index", low=1, high=8
    )
    exclude: tuple[str, ...] = _setting(
        "index.exclude", "list of text", (), "patterns of files to leave out, as in .gitignore"
    )
    include: tuple[str, ...] = _setting(
        "index.include",
        "list of text",
        (),
        "patterns of the only files to index, as in .gitignore; one with ! leaves files out again, none of them takes "
        "in what git ignores, and an empty list means every file",
    )
    prefer_implementation: bool = _setting(
        "search.prefer_implementation",
        "true or false",
        True,
        "rank the implementation above tests, examples and changelogs, unless the question asks for these",
    )
    rerank: bool = _setting(
        "search.rerank",
        "true or false",
        False,
        "rerank the first places of an answer with the model of helix embed setup --reranker; "
        "does not apply to one-shot commands",
    )
    rerank_budget_ms: float = _setting(
        "search.rerank_budget_ms",
        "number",
        150.0,
        "CPU budget for reranking one answer, in milliseconds",
        low=1,
        high=5_000,
    )
    co_change: bool = _setting(
        "search.co_change",
        "true or false",
        True,
        "rank files slightly higher if they change in git together with open files",
    )
    embed_model: str = _setting(
        "embed.model",
        "text",
        "",
        "model for vectors: empty for the one that helix embed setup chose, static for the built-in table only, or the "
        "name or folder of another",
        trusted=True,
    )
    embed_background: bool = _setting(
        "embed.background",
        "true or false",
        True,
        "embed the files of open folders with that model while the machine is idle",
    )
    reingest_budget_ms: float = _setting(
        "packet.reingest_budget_ms",
        "number",
        25.0,
        "work on changed files in a packet, in ms of 3,000 bytes each; a window for a model has twenty times that",
        low=0,
        high=1000,
    )
    tokenizer: str = _setting(
        "window.tokenizer",
        "file",
        "",
        "tokenizer.json of the model that reads the windows, to count by; else tokens are estimated, a fifth too many",
        trusted=True,
    )
    small_models: tuple[str, ...] = _setting(
        "window.small_models",
        "list of text",
        ("*moe*", "gemma4*", "gpt-oss*", "deepseek-v2*", "deepseek-v3*", "qwen3-next*"),
        "models that get literal facts first, in addition to those whose name says ten billion parameters or fewer; "
        "a pattern with ! excludes a model",
    )
    condense_prose: bool = _setting(
        "window.condense_prose",
        "true or false",
        True,
        "condense prose that does not fit, if headroom-ai is installed (the extra codec)",
    )
    upstream: str = _setting(
        "proxy.upstream",
        "address",
        "",
        "address of the OpenAI-compatible server that answers chats; its key is HELIX_UPSTREAM_KEY",
        trusted=True,
        named="HELIX_UPSTREAM",
    )
    upstreams: tuple[UpstreamSetting, ...] = _setting(
        "proxy.upstreams",
        "upstreams",
        (),
        "more of them, each a table [proxy.upstreams.NAME] of the user's own file with url, models, key_env, "
        "dialects, auth and query",
        trusted=True,
    )
    proxy_port: int = _setting(
        "proxy.port",
        "whole number",
        11_437,
        "port of the proxy, or the next free one; 0 for any",
        low=0,
        high=65_535,
        trusted=True,
    )
    proxy_budget_tokens: int = _setting(
        "proxy.budget_tokens",
        "whole number",
        3_000,
        "maximum number of tokens that are added to a chat",
        low=200,
        high=200_000,
        trusted=True,
    )
    no_thinking: tuple[str, ...] = _setting(
        "proxy.no_thinking",
        "list of text",
        (),
        "models that answer without thinking, each with the way to request it: MODEL=reasoning_effort, "
        "MODEL=reasoning_effort=low, MODEL=chat_template_kwargs or MODEL=/no_think",
        trusted=True,
    )
    proxy_idle_s: float = _setting(
        "proxy.idle_s",
        "number",
        120.0,
        "seconds without a byte after which an answer of the upstream times out",
        low=1,
        high=3600,
        trusted=True,
    )
    memory_learn: bool = _setting(
        "memory.learn",
        "true or false",
        False,
        "keep the questions and answers of chats, on this machine only, so that facts can be extracted from them; off "
        "until helix config --keep-chats, or the editor's question, says so",
        trusted=True,
    )
    extractor_model: str = _setting(
        "memory.extractor_model",
        "text",
        "",
        "model of an upstream that extracts facts from kept chats when somebody asks for it (consolidate): masked "
        "paragraphs of chats go to it, and what it extracts waits for review; empty for none",
        switch="memory.learn",
        trusted=True,
    )
    tie_break_model: str = _setting(
        "memory.tie_break_model",
        "text",
        "",
        "model of an upstream that says of facts that wait for review how they relate to memories like them, where no "
        "rule does: both texts go to it; empty for none",
        switch="memory.learn",
        trusted=True,
    )
    monthly_token_budget: int = _setting(
        "memory.monthly_token_budget",
        "whole number",
        0,
        "tokens that these two models may cost in a month, questions and answers; 0 for none, and nothing is sent",
        low=0,
        high=1_000_000_000,
        trusted=True,
        named="HELIX_MONTHLY_TOKEN_BUDGET",
    )
    co_use: bool = _setting(
        "memory.co_use",
        "true or false",
        True,
        "record which files are opened or cited together, on this machine only, and rank them slightly higher when one "
        "of them is open again; and when a memory is opened, cited or confirmed, so that it fades later",
        trusted=True,
    )
    review_agents: bool = _setting(
        "memory.review_agents",
        "true or false",
        True,
        "keep what agents and other programs remember as proposals, which nothing recalls before you approve them; off "
        "puts their memories in force at once",
        trusted=True,
    )
    trail_record: bool = _setting(
        "trail.record",
        "true or false",
        False,
        "record which places are opened, on this machine only, for helix where; helix where --forget removes it all",
        trusted=True,
    )
    trail_prior: float = _setting(
        "trail.prior",
        "number",
        0.0,
        "raise the score of the files that the trail expects next by up to this share, where a trail is recorded; an "
        "item moves one place at most, and 0 leaves every answer as it is",
        low=0,
        high=0.5,
        trusted=True,
    )
    mcp_write_tools: bool = _setting(
        "mcp.write_tools",
        "true or false",
        False,
        "offer agents tools that write notes; over HTTP only with the administrator key",
        trusted=True,
    )
    otel_enabled: bool = _setting(
        "otel.enabled",
        "true or false",
        False,
        "export spans and metrics by OpenTelemetry (the extra otel): counts, durations and kinds",
        trusted=True,
    )
    otel_endpoint: str = _setting(
        "otel.endpoint",
        "address",
        "http://127.0.0.1:4318",
        "address of the OpenTelemetry collector, for OTLP over HTTP",
        switch="otel.enabled",
        trusted=True,
    )
    otel_insecure: bool = _setting(
        "otel.insecure",
        "true or false",
        False,
        "allow an otel.endpoint on another machine without https",
        switch="otel.enabled",
        trusted=True,
    )
    otel_sampler_ratio: float = _setting(
        "otel.sampler_ratio",
        "number",
        1.0,
        "share of the traces that is exported",
        low=0,
        high=1,
        switch="otel.enabled",
        trusted=True,
    )
    otel_redact_query: bool = _setting(
        "otel.redact_query",
        "true or false",
        True,
        "export no question; false adds its text to spans, secrets masked",
        switch="otel.enabled",
        trusted=True,
    )
    origins: dict[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    own_paths: tuple[Path, ...] = ()
    reload: Reload | None = field(default=None, compare=False, repr=False)


SETTINGS: dict[str, Setting] = {
    each.metadata["key"]: Setting(field=each.name, **each.metadata) for each in fields(Config) if each.metadata
}
OLDER = {setting.older: setting for setting in SETTINGS.values() if setting.older}
SECTIONS = frozenset(key.split(".")[0] for key in SETTINGS if "." in key)
