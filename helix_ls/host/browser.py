"""The user's own browser. Nothing here knows what is shown in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def has_screen(environ: Mapping[str, str]) -> bool:
    """Return whether a window can be shown: on Linux a display server runs for this session."""
    return sys.platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def open_in_browser(url: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Open a page in a window of the user's browser, and return whether that was done.

    Where no window can be shown nothing is started: a browser for terminals would take over this one.
    """
    if not has_screen(environ):
        return False
    import webbrowser

    return webbrowser.open(url)
