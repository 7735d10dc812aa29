"""What is known of the names of one open workspace: the verbs behind hover, code lenses and diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from helix_core.engine.opened import WorkspaceSession, heals_index
from helix_core.engine.requests import NO_OVERLAYS, go_on, stop_when
from helix_core.model import Overlays
from helix_core.packet import round_share

if TYPE_CHECKING:
    from helix_core.engine.symbols.lenses import Findings

FINDINGS_MS = 150.0


class Symbols:
    """Definitions, users and tests of a name, and the lenses and findings of a file."""

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session

    @heals_index()
    def about(
        self,
        name: str,
        *,
        path: bytes = b"",
        line: int = 0,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any] | None:
        """The ``helix.symbol/1`` object: what is known of a name; None where no definition has it.

        ``path`` and ``line`` (1-based, in the buffer where one is open) say where the name was pointed at. Raises
        Cancelled soon after ``cancelled`` says so.
        """
        from helix_core.engine.symbols.lookup import SymbolAnswer

        session = self.session
        lacking = session.not_indexed()
        weigher = session.weigher(overlays, stop_when(cancelled))
        answer = SymbolAnswer(session.index.reader, weigher, session.git_facts.lines()).about(
            name, path, line, overlays
        )
        if answer is not None:
            answer["indexed_share"] = round_share(lacking.share)
            answer["notes"] += [lacking.partial_note] if lacking.partial_note else []
        return answer

    @heals_index()
    def lenses(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS) -> list[dict[str, Any]]:
        """For each definition of a file ``{symbol, start_line, uses, tests, same_name, status, reason}``."""
        from helix_core.engine.symbols.lenses import lenses

        return lenses(path, self.session.index.reader, self.session.weigher(overlays, go_on))

    @heals_index()
    def findings(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS, budget_ms: float = FINDINGS_MS) -> Findings:
        """What is wrong in a file: ``{code, message, start_line, end_line, text_hash, other}`` each.

        The list's ``partial`` says that ``budget_ms`` was over before all was looked at.
        """
        from helix_core.engine.symbols.lenses import FileFindings

        return FileFindings(self.session.index.reader, self.session.weigher(overlays, go_on), budget_ms).of(path)
