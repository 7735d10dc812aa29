"""Why a file is left as it is."""

from __future__ import annotations

from helix_core.errors import HelixError


class MergeError(HelixError):
    """The file cannot be understood, or not be changed in its place; ``str()`` is the cause alone."""
