"""Values as people write them: one line of text, an address of a server. Raises ConfigError, naming where it stands."""

from __future__ import annotations

from helix_core.errors import ConfigError


def is_line(value: object) -> bool:
    """Text that is one line and not empty."""
    return isinstance(value, str) and value != "" and "\0" not in value and "\n" not in value


def address(text: str, where: str) -> str:
    """An http address of a server, without a closing slash, a query, or a name and password in it."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if not fits or " " in text or parts.query or parts.fragment or "@" in parts.netloc:
        # What was written may hold a password: it is not said again.
        raise ConfigError(f"{where}: this is no plain http address; write it as http://127.0.0.1:11434/v1")
    return text.rstrip("/")
