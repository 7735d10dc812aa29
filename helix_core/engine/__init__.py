"""Opens a workspace and wires the rooms: the Python API of Helix.

In: a folder, a question, a task. Out: the wire objects. The only place where workspace, ingest, store, search, weigh
and packet meet; holds no ranking, no verdict and no SQL of its own. Every surface speaks through it.
"""

from helix_core.engine.helix import Helix
from helix_core.engine.indexing.report import Progress, RefreshReport

__all__ = ["Helix", "Progress", "RefreshReport"]
