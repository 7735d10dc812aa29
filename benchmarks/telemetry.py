"""What telemetry that is off costs: a packet's spans, which do nothing, as a share of the packet's time.

    python benchmarks/telemetry.py [FOLDER] [--questions N]

FOLDER is this repository by default; its index is built in a scratch folder. Both times are CPU time of this process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from helix_core.config import Config
from helix_core.engine import Helix
from helix_core.telemetry import no_span

REPOSITORY = Path(__file__).resolve().parents[1]
QUESTION = "where are the spans of a question begun?"
SPANS = 100_000


def one_span() -> None:
    """A span as the engine begins and ends one."""
    with no_span("helix.question", verb="packet", task="explain", k=8, query=QUESTION) as span:
        span.set(verified=8, stale_risk=0, needs_refresh=0, returned=8, known_empty=False, confidence=0.9)


def cpu_s(act: Callable[[], object], count: int) -> float:
    """The least CPU time of one call among five rounds, in seconds."""
    rounds = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(count):
            act()
        rounds.append((time.process_time() - began) / count)
    return min(rounds)


def main() -> int:
    """Measure and print; end with 1 where a packet's span costs more than a thousandth of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "helix_core")
    parser.add_argument("--questions", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Helix.open(options.folder, config=Config(Path(scratch))) as helix:
        helix.refresh()
        helix.packet(QUESTION)
        packet_s = cpu_s(lambda: helix.packet(QUESTION), options.questions)
    span_s = cpu_s(one_span, SPANS)
    loaded = sorted(name for name in sys.modules if name.startswith("opentelemetry"))
    print(
        f"a span that is off: {span_s * 1e9:.0f} ns; a packet: {packet_s * 1e3:.2f} ms; ratio {span_s / packet_s:.2e}"
    )
    print(f"modules of opentelemetry that are loaded: {len(loaded)}")
    return 1 if loaded or span_s > packet_s / 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
