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

__all__ = [
    "BRACKETS",
    "DIM",
    "WORD_BITS",
    "BitWord",
    "Code",
    "CounterState",
    "PhaseCounter",
    "apply",
    "bind",
    "bundle",
    "code",
    "delta",
    "harmonics",
    "invert",
    "is_balanced",
    "learn_majority",
    "learn_parity",
    "modular",
    "next_samples",
    "pack",
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
    },
)
