"""The table of operations: every operation by its name."""

from __future__ import annotations

from typing import Any

from helix_ls.operations import hosting, memory, places, questions, strands
from helix_ls.operations.arguments import Operation

OPERATIONS: dict[str, Operation[Any]] = {
    each.name: each
    for module in (questions, places, memory, strands, hosting)
    for each in vars(module).values()
    if isinstance(each, Operation)
}
