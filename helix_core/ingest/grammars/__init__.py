"""Per-language tables: data only, loaded at once because it is small; the grammars themselves load when used."""

from __future__ import annotations

from helix_core.ingest.grammars import data, managed, prose, scripting, systems, web
from helix_core.ingest.grammars.table import Grammar

GRAMMARS: dict[str, Grammar] = {
    **scripting.GRAMMARS,
    **web.GRAMMARS,
    **systems.GRAMMARS,
    **managed.GRAMMARS,
    **data.GRAMMARS,
    **prose.GRAMMARS,
}

__all__ = ["GRAMMARS", "Grammar"]
