"""What a packet costs until its reader has the right file: asked by benchmarks/search.py.

A reader takes the pointers in order of relevance. The measure is the share of questions whose right file is named by a
pointer within the first ``BUDGET`` tokens, counting pointers as the packet carries them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_core.engine import Helix
from helix_core.model import Status
from helix_core.packet import estimated_tokens

BUDGET = 1000
TARGET = 0.88
PARTS_SHOWN = 6


@dataclass
class Costs:
    """What was met: for each question whether the right file came in time, and the tokens of each part of pointers."""

    in_time: list[bool] = field(default_factory=list)
    pointers: list[int] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)

    def ask(self, helix: Helix, question: dict[str, Any]) -> None:
        """One question that has an answer, of an index brought up to date."""
        packet = helix.packet(question["question"])
        items = [item for status in Status for item in packet[status.value]]
        items.sort(key=lambda item: -item["relevance_score"])
        self.in_time.append(in_time(items, question["expect_files"]))
        for item in items:
            self.pointers.append(estimated_tokens(item))
            for key, value in item.items():
                self.parts[key] = self.parts.get(key, 0) + estimated_tokens({key: value})

    def report(self) -> None:
        """Prints the share, and what of a pointer costs most."""
        share = sum(self.in_time) / max(len(self.in_time), 1)
        mean = sum(self.pointers) / max(len(self.pointers), 1)
        print(f"right file within {BUDGET} tokens of packet  {share:.3f} of {len(self.in_time)} (wanted {TARGET})")
        costliest = sorted(self.parts.items(), key=lambda part: -part[1])[:PARTS_SHOWN]
        parts = ", ".join(f"{key} {tokens / max(len(self.pointers), 1):.0f}" for key, tokens in costliest)
        print(f"tokens of a pointer: mean {mean:.0f}; {parts}")


def in_time(items: Sequence[dict[str, Any]], expected: Sequence[str]) -> bool:
    """Is an expected file named before more than ``BUDGET`` tokens of pointers are read?"""
    read = 0
    for item in items:
        read += estimated_tokens(item)
        if read > BUDGET:
            return False
        if item["source_id"] in expected:
            return True
    return False
