"""Watch a workspace for changes. Changes are hints; a walk of the disk is the truth.

In: a root, its git, the matcher's options. Out: paths relative to the root, and whether events may have been missed.
Its threads put paths into a queue and call ``on_change``; they never read a file, follow a symlink or watch what does
not count. No loss is silent: overflow, lost watches, sleep and a dead thread all set ``whole``.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.workspace.watch.change_queue import (
        ChangeBatch,
        Mode,
        PendingChanges,
        Settled,
        WatchState,
        is_locked,
        settle,
    )
    from helix_core.workspace.watch.watch import Watch

__all__ = ["ChangeBatch", "Mode", "PendingChanges", "Settled", "Watch", "WatchState", "is_locked", "settle"]

__getattr__ = lazy_face(
    __name__,
    {
        "change_queue": ("ChangeBatch", "Mode", "PendingChanges", "Settled", "WatchState", "is_locked", "settle"),
        "watch": ("Watch",),
    },
)
