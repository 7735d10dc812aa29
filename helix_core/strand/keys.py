"""Who can open a strand: its random data key, wrapped once in each stanza of the header.

A lock makes a stanza when a strand is sealed; a key opens the stanza that fits it. Random bytes are passed in, and so
is the derivation from a passphrase, the one step that takes seconds. Never sees the content.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from helix_core.errors import DamagedStrandError, LockedStrandError, StrandKdfError, UsageError
from helix_core.strand.primitives import (
    KEY_BYTES,
    NONCE_BYTES,
    SALT_BYTES,
    SEALED_BYTES,
    WRAPPED_BYTES,
    Purpose,
    RandomBytes,
    argon2id,
    blake2b,
    box_public,
    open_sealed,
    seal_to,
    signer_public,
    unwrap,
    wrap,
)

KDF_NAME = "argon2id13"
DEFAULT_MEMORY_MIB, LEAST_MEMORY_MIB, MOST_MEMORY_MIB = 256, 64, 1024
DEFAULT_PASSES, LEAST_PASSES, MOST_PASSES = 3, 2, 10
MOST_STANZAS = 64
MOST_PASSPHRASE_BYTES = 1024
RECOVERY_BYTES, RECOVERY_CHECK_BYTES = 16, 4
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Base 32 as Crockford writes it: no I, L, O and U."""
_GROUP = 4
_WRAP_LABEL = b"dna1.wrap."
SIGNER_PREFIX, RECIPIENT_PREFIX = "dna-signer:", "dna-recipient:"

Derivation: TypeAlias = Callable[[bytes, bytes, int, int], bytes]
"""``(passphrase, salt, memory_mib, passes)`` → 32 bytes; ``argon2id`` but in tests."""
Stanza: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Passphrase:
    """A passphrase, as a lock and as a key; memory and passes count only where it locks.

    Raises:
        UsageError: It is empty or longer than 1,024 bytes.
        StrandKdfError: Memory or passes lie outside the bounds of the format.
    """

    text: str = field(repr=False)
    memory_mib: int = DEFAULT_MEMORY_MIB
    passes: int = DEFAULT_PASSES

    def __post_init__(self) -> None:
        """Refuse what no strand accepts."""
        if not 0 < len(self.secret) <= MOST_PASSPHRASE_BYTES:
            raise UsageError(f"the passphrase has {len(self.secret):,} bytes; use 1 to {MOST_PASSPHRASE_BYTES:,}")
        _require_bounds(self.memory_mib, self.passes)

    @property
    def secret(self) -> bytes:
        """The bytes that the key is derived from: UTF-8 of Unicode's form NFC."""
        return unicodedata.normalize("NFC", self.text).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class RecoveryCode:
    """128 random bits, written down by a person; as a lock and as a key."""

    secret: bytes = field(repr=False)

    @classmethod
    def made(cls, random: RandomBytes) -> RecoveryCode:
        """Return a new code."""
        return cls(random(RECOVERY_BYTES))

    @classmethod
    def read(cls, text: str) -> RecoveryCode:
        """Return the code of what a person typed: its ASCII letters and digits; case does not count, O is 0, I
        and L are 1.

        Raises:
            UsageError: It has another length, another letter, or a typing error that the checksum found.
        """
        typed = re.sub(r"[^0-9A-Za-z]", "", text).upper().translate(str.maketrans("OIL", "011"))
        size = RECOVERY_BYTES + RECOVERY_CHECK_BYTES
        if len(typed) != size * 8 // 5 or any(letter not in ALPHABET for letter in typed):
            raise UsageError("that is not a recovery code: it has 8 groups of 4 letters and digits; compare it again")
        number = 0
        for letter in typed:
            number = number * 32 + ALPHABET.index(letter)
        whole = number.to_bytes(size, "big")
        code = cls(whole[:RECOVERY_BYTES])
        if code._check() != whole[RECOVERY_BYTES:]:
            raise UsageError("the recovery code has a typing error; compare it letter by letter")
        return code

    def text(self) -> str:
        """Return the code as 8 groups of 4, with its checksum."""
        number = int.from_bytes(self.secret + self._check(), "big")
        count = (RECOVERY_BYTES + RECOVERY_CHECK_BYTES) * 8 // 5
        letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(count)))
        return "-".join(letters[start : start + _GROUP] for start in range(0, count, _GROUP))

    def _check(self) -> bytes:
        return blake2b(Purpose.RECOVERY_CHECK, self.secret, size=RECOVERY_CHECK_BYTES)


@dataclass(frozen=True, slots=True)
class Recipient:
    """An X25519 public key that a strand is locked to."""

    public: bytes

    @classmethod
    def read(cls, text: str) -> Recipient:
        """Return the recipient of ``dna-recipient:`` and 64 hexadecimal digits. Raises UsageError."""
        return cls(_key_of(text, RECIPIENT_PREFIX))

    def text(self) -> str:
        """Return the recipient as text."""
        return RECIPIENT_PREFIX + self.public.hex()


@dataclass(frozen=True, slots=True)
class StrandKeys:
    """A person's own keys: one signs strands, the other opens strands that were locked to it."""

    signing_seed: bytes = field(repr=False)
    box_secret: bytes = field(repr=False)

    @classmethod
    def made(cls, random: RandomBytes) -> StrandKeys:
        """Return new keys made of random bytes."""
        return cls(random(KEY_BYTES), random(KEY_BYTES))

    @property
    def signer(self) -> bytes:
        """The Ed25519 public key."""
        return signer_public(self.signing_seed)

    @property
    def recipient(self) -> Recipient:
        """What others lock a strand to."""
        return Recipient(box_public(self.box_secret))


Lock: TypeAlias = Passphrase | RecoveryCode | Recipient
Key: TypeAlias = Passphrase | RecoveryCode | StrandKeys


def signer_text(signer: bytes) -> str:
    """Return a signer's public key as text."""
    return SIGNER_PREFIX + signer.hex()


def signer_of(text: str) -> bytes:
    """Return the public key of ``dna-signer:`` and 64 hexadecimal digits. Raises UsageError."""
    return _key_of(text, SIGNER_PREFIX)


def stanzas_for(
    locks: Sequence[Lock], data_key: bytes, random: RandomBytes, *, derive: Derivation = argon2id
) -> list[dict[str, Any]]:
    """Return the stanzas that wrap the data key once for each lock.

    Raises:
        UsageError: There is no lock, more than 64, or more than one passphrase or recovery code.
        StrandKdfError: There is no memory for the derivation.
    """
    for kind in (Passphrase, RecoveryCode):
        if sum(isinstance(lock, kind) for lock in locks) > 1:
            raise UsageError("a strand has at most one passphrase and one recovery code")
    if not 0 < len(locks) <= MOST_STANZAS:
        raise UsageError(f"a strand needs 1 to {MOST_STANZAS} of: passphrase, recovery code, recipients")
    return [_stanza(lock, data_key, random, derive) for lock in locks]


def _stanza(lock: Lock, data_key: bytes, random: RandomBytes, derive: Derivation) -> dict[str, Any]:
    if isinstance(lock, Recipient):
        return {"type": "x25519", "sealed": seal_to(lock.public, data_key, random).hex()}
    salt, nonce = random(SALT_BYTES), random(NONCE_BYTES)
    kept = {"nonce": nonce.hex(), "salt": salt.hex()}
    if isinstance(lock, RecoveryCode):
        wrapped = wrap(data_key, _recovery_key(lock, salt), nonce, _WRAP_LABEL + b"recovery")
        return {"type": "recovery", **kept, "wrapped": wrapped.hex()}
    key = derive(lock.secret, salt, lock.memory_mib, lock.passes)
    wrapped = wrap(data_key, key, nonce, _WRAP_LABEL + b"passphrase")
    kdf = {"kdf": KDF_NAME, "memory_mib": lock.memory_mib, "passes": lock.passes}
    return {"type": "passphrase", **kdf, **kept, "wrapped": wrapped.hex()}


def require_stanzas(stanzas: Any) -> None:
    """Check the stanzas of a header from a file; those of an unknown type may be anything.

    Raises:
        DamagedStrandError: They are not as the format says.
        StrandKdfError: A derivation lies outside the bounds; nothing is derived to find that out.
    """
    if not isinstance(stanzas, list) or not 0 < len(stanzas) <= MOST_STANZAS:
        raise DamagedStrandError(f"the strand is refused: its header has no list of 1 to {MOST_STANZAS} stanzas")
    for stanza in stanzas:
        kind = stanza.get("type") if isinstance(stanza, dict) else None
        if not isinstance(kind, str):
            raise DamagedStrandError("the strand is refused: a stanza of its header has no type")
        if kind not in _SIZES:
            continue
        sizes = _SIZES[kind]
        numbers = ("memory_mib", "passes") if kind == "passphrase" else ()
        names = {"type", *sizes, *numbers} | ({"kdf"} if numbers else set())
        whole = stanza.keys() == names and all(_is_hex(stanza[name], size) for name, size in sizes.items())
        if not whole or not all(type(stanza[name]) is int for name in numbers):
            raise DamagedStrandError(f"the strand is refused: its {kind} stanza is not as the format says")
        if numbers and stanza["kdf"] != KDF_NAME:
            raise StrandKdfError(f"the strand is refused: its key derivation is not {KDF_NAME}; update Helix")
        if numbers:
            _require_bounds(stanza["memory_mib"], stanza["passes"])
    for kind in ("passphrase", "recovery"):
        if sum(stanza["type"] == kind for stanza in stanzas) > 1:
            raise DamagedStrandError(f"the strand is refused: its header has two {kind} stanzas")


_SIZES: Mapping[str, Mapping[str, int]] = {
    "passphrase": {"nonce": NONCE_BYTES, "salt": SALT_BYTES, "wrapped": WRAPPED_BYTES},
    "recovery": {"nonce": NONCE_BYTES, "salt": SALT_BYTES, "wrapped": WRAPPED_BYTES},
    "x25519": {"sealed": SEALED_BYTES},
}
"""The bytes of each hexadecimal field, by the stanza's type."""


def data_keys(stanzas: Sequence[Stanza], key: Key, *, derive: Derivation = argon2id) -> Iterator[bytes]:
    """Yield the data keys that a key opens in checked stanzas: none where it is wrong.

    Raises:
        StrandKdfError: There is no memory for the derivation.
    """
    for stanza in stanzas:
        opened = _opened(stanza, key, derive)
        if opened is not None and len(opened) == KEY_BYTES:
            yield opened


def _opened(stanza: Stanza, key: Key, derive: Derivation) -> bytes | None:
    match key, stanza["type"]:
        case StrandKeys(), "x25519":
            return open_sealed(bytes.fromhex(stanza["sealed"]), key.box_secret)
        case Passphrase(), "passphrase":
            salt = bytes.fromhex(stanza["salt"])
            wrapping = derive(key.secret, salt, stanza["memory_mib"], stanza["passes"])
        case RecoveryCode(), "recovery":
            wrapping = _recovery_key(key, bytes.fromhex(stanza["salt"]))
        case _:
            return None
    label = _WRAP_LABEL + stanza["type"].encode()
    return unwrap(bytes.fromhex(stanza["wrapped"]), wrapping, bytes.fromhex(stanza["nonce"]), label)


def locked(stanzas: Sequence[Stanza]) -> LockedStrandError:
    """Return the error of a key that does not fit; it says what would."""
    words = {"passphrase": "a passphrase", "recovery": "a recovery code", "x25519": "the key of a recipient"}
    kinds = dict.fromkeys(words.get(stanza["type"], "a kind of key of a newer Helix") for stanza in stanzas)
    return LockedStrandError(f"the strand does not open with this key; it opens with {' or '.join(kinds)}")


def _recovery_key(code: RecoveryCode, salt: bytes) -> bytes:
    return blake2b(Purpose.RECOVERY_KEY, salt, key=code.secret)


def _require_bounds(memory_mib: int, passes: int) -> None:
    if not LEAST_MEMORY_MIB <= memory_mib <= MOST_MEMORY_MIB or not LEAST_PASSES <= passes <= MOST_PASSES:
        raise StrandKdfError(
            f"the key derivation is refused: {memory_mib:,} MiB and {passes:,} passes, accepted are "
            f"{LEAST_MEMORY_MIB} to {MOST_MEMORY_MIB:,} MiB and {LEAST_PASSES} to {MOST_PASSES} passes; "
            "ask for a strand exported with the defaults"
        )


def _is_hex(text: Any, size: int) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]*", text) is not None and len(text) == 2 * size


def _key_of(text: str, prefix: str) -> bytes:
    digits = text.strip().removeprefix(prefix)
    if not text.strip().startswith(prefix) or not _is_hex(digits, KEY_BYTES):
        raise UsageError(f"that is not a key: it is {prefix} and 64 hexadecimal digits")
    return bytes.fromhex(digits)
