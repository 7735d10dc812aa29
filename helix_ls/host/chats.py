"""The chat proxy of this process, as far as those below it need to know: it is asked for, and it is ended.

The main program passes in what it is made of; the host knows no HTTP.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol


class Chats(Protocol):
    """Belongs to the host's loop, and does its work elsewhere."""

    async def facts(self, *, folder: Path | None = None, start: bool = True) -> dict[str, Any]:
        """``helix.proxy/1``; begins to listen where it does not yet, unless ``start`` is false. Raises HelixError.

        ``folder`` is the one that ``base_url`` is about; None for whichever has the focus.
        """
        ...

    def active_at(self) -> float:
        """When there was last a chat under way, monotonic seconds."""
        ...

    async def close(self) -> None:
        """Answer nobody any more."""
        ...
