"""Long measurements in steps: what was done is kept in a folder, so that a run that was cut short goes on where it was.

A step remembers which state of the code it measured, and whoever prints its figures can say so.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]


class Steps:
    """Results by name in ``folder``; those whose name begins with a word of ``again`` are made anew."""

    def __init__(self, folder: Path, again: tuple[str, ...] = ()) -> None:
        self._folder, self._again = folder, again
        self.code = code_state()
        self.notes: list[str] = []

    def result(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What the step gave, now or in an earlier run; what ``make`` returns must fit into JSON."""
        kept = self._folder / f"{name}.json"
        if kept.exists() and not (self._again and name.startswith(self._again)):
            told: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
            if told["code"] != self.code:
                self.notes.append(f"{name} was measured with {told['code']}, this is {self.code}")
            return told
        told = {**make(), "code": self.code}
        kept.write_text(json.dumps(told) + "\n", encoding="utf-8")
        return told


def code_state() -> str:
    """The commit of this repository, and whether the package differs from it."""
    described = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"]
    return subprocess.run(described, check=True, capture_output=True, text=True).stdout.strip()
