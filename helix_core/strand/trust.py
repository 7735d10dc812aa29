"""Whose strands are believed: signers' public keys that the user accepted once, each with the label it then had.

A key identifies a signer, a label never does: two keys may have one label, and a label in a strand proves nothing.
Pure: the text of the file of pins comes in and goes out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from helix_core.errors import ConfigError, UsageError
from helix_core.strand.keys import signer_of, signer_text

PINS_SCHEMA = "helix.signers/1"
MOST_LABEL_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Pin:
    """One accepted key: the user's own name for it, and when it was accepted in Unix seconds."""

    label: str
    accepted_at: int


@dataclass(frozen=True, slots=True)
class TrustedSigners:
    """The accepted keys, 32 bytes each; a value: accepting or removing one returns another."""

    pins: Mapping[bytes, Pin] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def read(cls, text: str, where: str) -> TrustedSigners:
        """Return the pins of a file's text; ``where`` names it. Raises ConfigError."""
        try:
            decoded = json.loads(text)
            if decoded["schema"] != PINS_SCHEMA:
                raise ValueError
            pins = {
                signer_of(key): Pin(str(pin["label"]), int(pin["accepted_at"]))
                for key, pin in decoded["signers"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError, UsageError):
            raise ConfigError(f"{where} is not a list of trusted signers; remove it, and accept them again") from None
        return cls(MappingProxyType(pins))

    def text(self) -> str:
        """Return the text of the file."""
        signers: dict[str, Any] = {
            signer_text(key): {"accepted_at": pin.accepted_at, "label": pin.label}
            for key, pin in sorted(self.pins.items())
        }
        return json.dumps({"schema": PINS_SCHEMA, "signers": signers}, indent=1, ensure_ascii=False) + "\n"

    def accepted(self, signer: bytes, label: str, now: int) -> TrustedSigners:
        """Return the pins with a key; one that is there keeps the time of its first acceptance."""
        first = self.pins.get(signer)
        pin = Pin(label[:MOST_LABEL_CHARACTERS], first.accepted_at if first else now)
        return TrustedSigners(MappingProxyType({**self.pins, signer: pin}))

    def removed(self, signer: bytes) -> TrustedSigners:
        """Return the pins without a key."""
        return TrustedSigners(MappingProxyType({key: pin for key, pin in self.pins.items() if key != signer}))
