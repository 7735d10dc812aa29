"""The served workspaces. A request chooses one of them, and opens none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.proxy.refused import HttpError

Served = Callable[[], Sequence[OpenWorkspace]]


class Workspaces:
    """Workspaces by name, which is the folder's own (with a number where two have the same) or its whole path.

    ``served`` returns those of this moment; ``focused`` the default folder of a request.
    """

    def __init__(self, served: Served, focused: Callable[[], Path | None] = lambda: None) -> None:
        self._served, self._focused = served, focused

    @property
    def by_name(self) -> dict[str, OpenWorkspace]:
        """Return the workspaces of this moment, by name."""
        found: dict[str, OpenWorkspace] = {}
        for workspace in self._served():
            name, number = workspace.folder.name or "root", 2
            while name in found:
                name, number = f"{workspace.folder.name}-{number}", number + 1
            found[name] = workspace
        return found

    def any(self, name: str) -> OpenWorkspace | None:
        """Return the workspace of that name; without a name the focused one, else the first, or None if none is open.

        Raises RefusedError when the named one is not served.
        """
        served = self._served()
        if not name:
            focused = self._focused()
            return next((workspace for workspace in served if workspace.folder == focused), next(iter(served), None))
        path = name.rstrip("/") or "/"
        found = self.by_name.get(name) or next(
            (workspace for workspace in served if str(workspace.folder) == path), None
        )
        if found is None:
            raise HttpError(
                404, "unknown_workspace", "that workspace is not served here; see /stats for those that are"
            )
        return found

    def chosen(self, name: str) -> OpenWorkspace:
        """Return the same; raises RefusedError also when none is open."""
        found = self.any(name)
        if found is None:
            said = "no folder is open in an editor that trusts it; open one, or start helix serve on it"
            raise HttpError(503, "no_workspace", said, {"retry-after": "1"})
        return found
