"""The workspaces this server answers for: those it was started with. A request chooses one of them, and opens none."""

from __future__ import annotations

from collections.abc import Sequence

from helix_ls.host.open_workspace import OpenWorkspace
from helix_ls.proxy.refused import RefusedError


class Workspaces:
    """By name, which is the folder's own (with a number where two have the same) or its whole path."""

    def __init__(self, opened: Sequence[OpenWorkspace]) -> None:
        self.by_name: dict[str, OpenWorkspace] = {}
        self._by_path = {str(workspace.folder): workspace for workspace in opened}
        for workspace in opened:
            name, number = workspace.folder.name or "root", 2
            while name in self.by_name:
                name, number = f"{workspace.folder.name}-{number}", number + 1
            self.by_name[name] = workspace

    def chosen(self, name: str) -> OpenWorkspace:
        """The workspace of that name, the first where none is named. Raises RefusedError when it is not served."""
        if not name:
            return next(iter(self.by_name.values()))
        found = self.by_name.get(name) or self._by_path.get(name.rstrip("/") or "/")
        if found is None:
            raise RefusedError(
                404, "unknown_workspace", "that workspace is not served here; see /stats for those that are"
            )
        return found
