"""What moved in a workspace since it was last asked: hints, never the truth, which is a walk.

In: a root, its git, the matcher's options. Out: paths from the root, and whether more may have been missed. Its threads
put paths into a set and call ``heard``; they never read a file, follow a symlink or watch what does not count, and
nothing they lose goes unsaid: overflow, lost watches, sleep and a dead thread all end in ``whole``.
"""

from helix_core.workspace.watch.change_queue import ChangeBatch, Mode, PendingChanges, Settled, WatchState, settle
from helix_core.workspace.watch.watch import Watch

__all__ = ["ChangeBatch", "Mode", "PendingChanges", "Settled", "Watch", "WatchState", "settle"]
