"""What the client at the other end can do, read once from its capabilities.

Pure. A capability that is not named is not there; nothing is ever sent to a client that did not say it understands it.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability


@dataclass(frozen=True, slots=True)
class Client:
    """``watches`` and ``registers_configuration``: may we register for it while running?"""

    watches: bool = False
    pulls_configuration: bool = False
    registers_configuration: bool = False
    shows_progress: bool = False
    shows_documents: bool = False
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    refreshes_lenses: bool = False
    reads_markdown: bool = False
    takes_actions: bool = False
    relates_diagnostics: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """From the ``capabilities`` of initialize."""

        def has(name: str) -> bool:
            return bool(get_capability(capabilities, name, False))

        formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
        return cls(
            watches=has("workspace.did_change_watched_files.dynamic_registration"),
            pulls_configuration=has("workspace.configuration"),
            registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
            shows_progress=has("window.work_done_progress"),
            shows_documents=has("window.show_document.support"),
            pulls_diagnostics=capabilities.text_document is not None
            and capabilities.text_document.diagnostic is not None,
            refreshes_diagnostics=has("workspace.diagnostics.refresh_support"),
            refreshes_lenses=has("workspace.code_lens.refresh_support"),
            reads_markdown=types.MarkupKind.Markdown in formats,
            takes_actions=has("text_document.code_action.code_action_literal_support"),
            relates_diagnostics=has("text_document.publish_diagnostics.related_information"),
        )
