"""Tables of document languages: Markdown (block grammar) and reStructuredText. Their headings make the sections."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_MARKDOWN = Grammar(
    module="tree_sitter_markdown",
    headings=True,
    definitions="""
(atx_heading heading_content: (_) @name) @section
(setext_heading heading_content: (_) @name) @section
""",
)

_RST = Grammar(
    module="tree_sitter_rst",
    headings=True,
    definitions="(section (title) @name) @section",
    text="(comment) @comment",
)

GRAMMARS = {"markdown": _MARKDOWN, "rst": _RST}
