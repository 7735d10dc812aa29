"""Weighed places made for a test."""

from itertools import count

from helix_core.model import (
    Authority,
    Item,
    Ranked,
    Reason,
    Role,
    Source,
    SourceKind,
    StatSignature,
    Status,
    Verdict,
    Volatility,
    Weighed,
)

_NUMBERS = count(1)


def place(source_id: str, *, score: float = 1.0, quote: str = "", name: str = "") -> Weighed:
    """A verified place of a file, unlike every other."""
    number = next(_NUMBERS)
    source = Source(
        number, source_id.encode(), source_id, "0" * 64, StatSignature(1, 1, 1, 1), 0.0, 0.0, "python",
        SourceKind.CODE, Volatility.MEDIUM, Authority.PRIMARY, Role.IMPLEMENTATION, 100,
    )  # fmt: skip
    item = Item(number, source, "function", name, "", 0, len(quote), 1, 1 + quote.count("\n"), f"{number:016x}")
    verdict = Verdict(Status.VERIFIED, Reason.UNCHANGED)
    return Weighed(Ranked(item, score, ()), verdict, 1.0, "0" * 64, quote, 0.0, f"file:///{source_id}")
