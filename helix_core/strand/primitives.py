"""The cryptographic primitives of a strand: libsodium through PyNaCl, BLAKE2b from the standard library.

The only module that knows PyNaCl, which is imported when a function first needs it. Each hash has a personalization of
its own, so that a value computed for one purpose never serves another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType

from helix_core.errors import MissingSodiumError, StrandKdfError, UsageError

KEY_BYTES = 32
SALT_BYTES = 16
NONCE_BYTES = 24
SIGNATURE_BYTES = 64
STREAM_HEADER_BYTES = 24
CHUNK_BYTES = 65_536
CHUNK_OVERHEAD = 17
WRAPPED_BYTES = KEY_BYTES + 16
SEALED_BYTES = KEY_BYTES + 48

RandomBytes = Callable[[int], bytes]
"""Returns that many random bytes, fit for keys: ``os.urandom``, or a fixed stream in tests."""


class Purpose(Enum):
    """What a BLAKE2b value is for; the value is its personalization, padded to 16 bytes with NUL."""

    HEADER_MAC_KEY = b"dna1.header-key"
    HEADER_MAC = b"dna1.header-mac"
    BODY_KEY = b"dna1.body-key"
    BODY_DIGEST = b"dna1.body-digest"
    BINDING = b"dna1.binding"
    RECOVERY_KEY = b"dna1.recovery"
    RECOVERY_CHECK = b"dna1.rec-check"


def blake2b(purpose: Purpose, data: bytes, *, key: bytes = b"", size: int = KEY_BYTES) -> bytes:
    """Return BLAKE2b (RFC 7693) of the data, keyed and personalized, ``size`` bytes long."""
    return hashlib.blake2b(data, digest_size=size, key=key, person=purpose.value).digest()


def argon2id(passphrase: bytes, salt: bytes, memory_mib: int, passes: int) -> bytes:
    """Return a key of 32 bytes by Argon2id version 1.3 (RFC 9106), one lane. Raises StrandKdfError without memory."""
    bindings, exceptions = _libsodium()

    try:
        key: bytes = bindings.crypto_pwhash_alg(
            KEY_BYTES, passphrase, salt, passes, memory_mib << 20, bindings.crypto_pwhash_ALG_ARGON2ID13
        )
    except exceptions.RuntimeError:
        raise StrandKdfError(
            f"the key needs {memory_mib} MiB of memory for a moment, which are not free; close something and try again"
        ) from None
    return key


def wrap(secret: bytes, key: bytes, nonce: bytes, associated: bytes) -> bytes:
    """Encrypt a key with XChaCha20-Poly1305 (IETF): 16 bytes longer."""
    bindings, _ = _libsodium()

    wrapped: bytes = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(secret, associated, nonce, key)
    return wrapped


def unwrap(wrapped: bytes, key: bytes, nonce: bytes, associated: bytes) -> bytes | None:
    """Decrypt what ``wrap`` made; None for another key."""
    bindings, exceptions = _libsodium()

    try:
        secret: bytes = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(wrapped, associated, nonce, key)
    except exceptions.CryptoError:
        return None
    return secret


def seal_to(recipient: bytes, secret: bytes, random: RandomBytes) -> bytes:
    """Encrypt to an X25519 public key as libsodium's sealed box, with the ephemeral key drawn from ``random``.

    Raises:
        UsageError: The public key is one for which no secret key exists.
    """
    bindings, exceptions = _libsodium()

    ephemeral, ephemeral_secret = bindings.crypto_box_seed_keypair(random(KEY_BYTES))
    nonce = hashlib.blake2b(ephemeral + recipient, digest_size=NONCE_BYTES).digest()
    try:
        sealed: bytes = ephemeral + bindings.crypto_box(secret, nonce, recipient, ephemeral_secret)
    except exceptions.CryptoError:
        raise UsageError("that is not a recipient's key; ask its owner for it again") from None
    return sealed


def open_sealed(sealed: bytes, secret_key: bytes) -> bytes | None:
    """Decrypt a sealed box with an X25519 secret key; None where it is for another."""
    bindings, exceptions = _libsodium()

    try:
        opened: bytes = bindings.crypto_box_seal_open(sealed, box_public(secret_key), secret_key)
    except exceptions.CryptoError:
        return None
    return opened


def box_public(secret_key: bytes) -> bytes:
    """Return the X25519 public key of a secret key."""
    bindings, _ = _libsodium()

    public: bytes = bindings.crypto_scalarmult_base(secret_key)
    return public


def signer_public(seed: bytes) -> bytes:
    """Return the Ed25519 public key of a seed."""
    bindings, _ = _libsodium()

    public: bytes = bindings.crypto_sign_seed_keypair(seed)[0]
    return public


def sign(message: bytes, seed: bytes) -> bytes:
    """Return the Ed25519 signature (RFC 8032) of a message, 64 bytes."""
    bindings, _ = _libsodium()

    signed: bytes = bindings.crypto_sign(message, bindings.crypto_sign_seed_keypair(seed)[1])
    return signed[:SIGNATURE_BYTES]


def is_signed(message: bytes, signature: bytes, signer: bytes) -> bool:
    """Return whether the signature of the message is that of the public key."""
    bindings, exceptions = _libsodium()

    try:
        bindings.crypto_sign_open(signature + message, signer)
    except exceptions.CryptoError:
        return False
    return True


def encrypt_stream(plain: bytes, key: bytes, header: bytes, associated: bytes) -> bytes:
    """Encrypt with secretstream XChaCha20-Poly1305 in chunks of 64 KiB; the last one has TAG_FINAL.

    Args:
        plain: The plaintext; not empty.
        key: 32 bytes.
        header: 24 random bytes, which the caller stores in front of the result.
        associated: Authenticated with each chunk.
    """
    bindings, _ = _libsodium()

    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    # init_push draws the header itself; init_pull makes the same state of a given one.
    bindings.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    starts = range(0, len(plain), CHUNK_BYTES)
    message, final = (
        bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE,
        bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL,
    )
    return b"".join(
        bindings.crypto_secretstream_xchacha20poly1305_push(
            state, plain[start : start + CHUNK_BYTES], associated, final if start == starts[-1] else message
        )
        for start in starts
    )


def decrypt_stream(sealed: bytes, key: bytes, header: bytes, associated: bytes) -> bytes | None:
    """Decrypt what ``encrypt_stream`` made; None unless every chunk is whole, in place, and the last one final."""
    bindings, exceptions = _libsodium()

    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    bindings.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    final = bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
    message = bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
    chunks = list(_chunks(sealed))
    opened: list[bytes] = []
    for number, chunk in enumerate(chunks, 1):
        if len(chunk) <= CHUNK_OVERHEAD:
            return None
        try:
            plain, tag = bindings.crypto_secretstream_xchacha20poly1305_pull(state, chunk, associated)
        except exceptions.CryptoError:
            return None
        if tag != (final if number == len(chunks) else message):
            return None
        opened.append(plain)
    return b"".join(opened)


def _libsodium() -> tuple[ModuleType, ModuleType]:
    """Return PyNaCl's bindings and exceptions. Raises MissingSodiumError where it cannot be imported."""
    try:
        from nacl import bindings, exceptions
    except ImportError as error:
        raise MissingSodiumError(
            f"sealed files need PyNaCl, which cannot be imported ({error}); run: pip install pynacl"
        ) from error
    return bindings, exceptions


def _chunks(sealed: bytes) -> Iterator[bytes]:
    size = CHUNK_BYTES + CHUNK_OVERHEAD
    return (sealed[start : start + size] for start in range(0, len(sealed), size))
