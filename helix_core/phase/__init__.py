"""Phase codes, exact machines on phases, and the trail of what was looked at.

In: names, tokens, bits, random numbers, the time. Out: phases, codes and states that are a pure function of them.
Pure: opens no file, reads no clock, knows no workspace; needs numpy and nothing heavier.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.phase.counter import (
        BRACKETS,
        WORD_BITS,
        BitWord,
        CounterState,
        PhaseCounter,
        is_balanced,
        learn_majority,
        learn_parity,
        modular,
        next_samples,
        pack,
        unpack,
    )
    from helix_core.phase.lattice import (
        DIM,
        Code,
        apply,
        bind,
        bundle,
        code,
        delta,
        harmonics,
        invert,
        similarity,
        unbind,
        wound,
    )
    from helix_core.phase.log import (
        MOST_EVENTS,
        Look,
        TrailEntry,
        TrailItem,
        TrailLog,
        TrailVersion,
        checked_log,
        entry_of,
        entry_text,
        log_bytes,
        merged_log,
        next_step,
        read_log,
    )
    from helix_core.phase.trail import Moment, Trail, TrailDiff, TrailHit, item_code

__all__ = [
    "BRACKETS",
    "DIM",
    "MOST_EVENTS",
    "WORD_BITS",
    "BitWord",
    "Code",
    "CounterState",
    "Look",
    "Moment",
    "PhaseCounter",
    "Trail",
    "TrailDiff",
    "TrailEntry",
    "TrailHit",
    "TrailItem",
    "TrailLog",
    "TrailVersion",
    "apply",
    "bind",
    "bundle",
    "checked_log",
    "code",
    "delta",
    "entry_of",
    "entry_text",
    "harmonics",
    "invert",
    "is_balanced",
    "item_code",
    "learn_majority",
    "learn_parity",
    "log_bytes",
    "merged_log",
    "modular",
    "next_samples",
    "next_step",
    "pack",
    "read_log",
    "similarity",
    "unbind",
    "unpack",
    "wound",
]

__getattr__ = lazy_face(
    __name__,
    {
        "counter": (
            *("BRACKETS", "WORD_BITS", "BitWord", "CounterState", "PhaseCounter", "is_balanced"),
            *("learn_majority", "learn_parity", "modular", "next_samples", "pack", "unpack"),
        ),
        "lattice": (
            *("DIM", "Code", "apply", "bind", "bundle", "code", "delta", "harmonics", "invert"),
            *("similarity", "unbind", "wound"),
        ),
        "log": (
            *("MOST_EVENTS", "Look", "TrailEntry", "TrailItem", "TrailLog", "TrailVersion"),
            *("checked_log", "entry_of", "entry_text", "log_bytes", "merged_log", "next_step", "read_log"),
        ),
        "trail": ("Moment", "Trail", "TrailDiff", "TrailHit", "item_code"),
    },
)
