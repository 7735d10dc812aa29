"""References in a text: every place, path, symbol and quote of code that it cites, with what it states about them.

In: Markdown, as a model's answer or a document, or a diff of documents. Out: citations, not yet compared with anything.
Pure and linear in the size of the text: never reads the disk, the index or git. ``engine.verdict`` compares them with
the disk.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.check.citations import (
        MOST_CITATIONS,
        Citation,
        CitationKind,
        citations_in,
        file_names_in,
        names_a_file,
    )
    from helix_core.check.diffs import Diff, DiffedDocument, diff_in

__all__ = [
    "MOST_CITATIONS",
    "Citation",
    "CitationKind",
    "Diff",
    "DiffedDocument",
    "citations_in",
    "diff_in",
    "file_names_in",
    "names_a_file",
]

__getattr__ = lazy_face(
    __name__,
    {
        "citations": ("MOST_CITATIONS", "Citation", "CitationKind", "citations_in", "file_names_in", "names_a_file"),
        "diffs": ("Diff", "DiffedDocument", "diff_in"),
    },
)
