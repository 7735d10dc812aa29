"""Compare the values that memories state with the files that they name or cite, as these are on disk now.

A memory of all workspaces, and one of another one, is compared with no file of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from helix_core.engine.opened import WorkspaceSession
from helix_core.memory import stated_values
from helix_core.model import MemoryEvidence
from helix_core.workspace import path_of

if TYPE_CHECKING:
    from helix_core.engine.verdict import ComparedValues, Weigher


def compared_values(
    session: WorkspaceSession, weigher: Callable[[], Weigher], texts: Mapping[str, tuple[str, Sequence[bytes]]]
) -> dict[str, ComparedValues]:
    """Compare texts with files, and return by their keys what was found.

    Args:
        session: The open workspace.
        weigher: Returns what reads the disk; asked only where a text states a value and a file may be known.
        texts: By any key a text with the paths that are cited for it.
    """
    stating = {key: (text, paths) for key, (text, paths) in texts.items() if stated_values(text)}
    if not stating:
        return {}
    from helix_core.check import names_a_file
    from helix_core.engine.verdict import NamedFiles

    stating = {key: (text, paths) for key, (text, paths) in stating.items() if paths or names_a_file(text)}
    if not stating:
        return {}
    reads = weigher()
    named = NamedFiles(session.index.reader, reads)
    return {key: named.compared(text, paths) for key, (text, paths) in stating.items()}


def current_citations(evidence: Sequence[MemoryEvidence]) -> list[MemoryEvidence]:
    """Return the citations that no other one replaces."""
    healed = {one.heals for one in evidence if one.heals}
    return [one for one in evidence if one.path and one.id not in healed]


def cited_paths(citations: Iterable[MemoryEvidence], workspace: str) -> list[bytes]:
    """Return the paths that citations name in a workspace, which is given by its key, each once."""
    return list(dict.fromkeys(path_of(one.path) for one in citations if one.scope == workspace and one.path))
