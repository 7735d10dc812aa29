"""Watch a workspace for changes. Changes are hints; a walk of the disk is the truth.

In: a root, its git, the matcher's options. Out: paths relative to the root, and whether events may have been missed.
Its threads put paths into a queue and call ``on_change``; they never read a file, follow a symlink or watch what does
not count. No loss is silent: overflow, lost watches, sleep and a dead thread all set ``whole``.
"""

from helix_core.workspace.watch.change_queue import ChangeBatch, Mode, PendingChanges, Settled, WatchState, settle
from helix_core.workspace.watch.watch import Watch

__all__ = ["ChangeBatch", "Mode", "PendingChanges", "Settled", "Watch", "WatchState", "settle"]
