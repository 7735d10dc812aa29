"""The container of a strand: bytes of a ``.dna`` file ↔ a manifest and its records, each byte authenticated.

``docs/strand-format.md`` is the specification. Pure: bytes, keys and random bytes come in, bytes or checked values go
out; opens no file. Nothing of a strand is handed over before the last byte was checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any

from helix_core.errors import (
    DamagedStrandError,
    NewerStrandError,
    StrandLimitError,
    TamperedStrandError,
    UntrustedSignerError,
    UsageError,
)
from helix_core.strand.keys import (
    Derivation,
    Key,
    Lock,
    Stanza,
    StrandKeys,
    data_keys,
    locked,
    require_stanzas,
    signer_text,
    stanzas_for,
)
from helix_core.strand.primitives import (
    CHUNK_OVERHEAD,
    KEY_BYTES,
    SIGNATURE_BYTES,
    STREAM_HEADER_BYTES,
    Purpose,
    RandomBytes,
    argon2id,
    blake2b,
    decrypt_stream,
    encrypt_stream,
    is_signed,
    sign,
)
from helix_core.strand.records import (
    MOST_INTEGER,
    MOST_PLAIN_BYTES,
    MOST_RECORDS,
    StrandRecord,
    canonical,
    content_root,
    ordered,
    parse_canonical,
    parse_record,
    require_order,
)

MAGIC = b"\x89DNA\r\n\x1a\n"
FORMAT = 1
NEWEST_SCHEMA = 1
"""The newest meaning of records that this Helix reads."""
ID_BYTES = 16
MAC_BYTES = 32
BODY_DIGEST_BYTES = 64
MOST_HEADER_BYTES = 65_536
MOST_FILE_BYTES = MOST_PLAIN_BYTES + (1 << 20)
_FORMAT_BYTES, _LENGTH_BYTES = 2, 4
_PREFIX_BYTES = len(MAGIC) + _FORMAT_BYTES + _LENGTH_BYTES
_SIGNED_LABEL = b"dna1.signature\0\0"
_HEADER_NAMES = {"id", "signer", "stanzas"}
_MANIFEST_NAMES = {"created_at", "label", "parents", "records", "root", "schema", "signer"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a strand says about itself; sealed with the records.

    ``created_at`` are Unix seconds, ``schema`` is the version of the records' meaning, ``parents`` are the content
    roots that this one was made from. ``label`` is for people and does not identify the signer.
    """

    schema: int
    created_at: int
    label: str = ""
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SealedStrand:
    """A whole, signed file that was not opened: what can be said of it without a key.

    ``head`` are the bytes up to and including the header's MAC, ``body`` those up to the signature.
    """

    signer: bytes
    id: bytes
    stanzas: tuple[Stanza, ...]
    head: bytes
    body: bytes

    @property
    def size_bytes(self) -> int:
        """The size of the file."""
        return len(self.head) + len(self.body) + SIGNATURE_BYTES


@dataclass(frozen=True, slots=True)
class OpenedStrand:
    """A strand that was checked whole. ``root`` is the content root of its records."""

    signer: bytes
    manifest: Manifest
    records: tuple[StrandRecord, ...]
    root: bytes

    def counts(self) -> dict[str, int]:
        """Return the number of records by type."""
        return dict(sorted(Counter(record.type for record in self.records).items()))


def seal(
    manifest: Manifest,
    records: Iterable[StrandRecord],
    *,
    keys: StrandKeys,
    locks: Sequence[Lock],
    random: RandomBytes,
    derive: Derivation = argon2id,
) -> bytes:
    """Return the file of these records, signed by ``keys`` and opened by any of ``locks``.

    Args:
        manifest: What the file says of itself.
        records: In any order; they are sorted.
        keys: The signer's.
        locks: Recipients, a passphrase, a recovery code: each opens the file.
        random: Random bytes of a length.
        derive: Derives a key from a passphrase.

    Raises:
        DamagedStrandError: Two records have one type and id, or a value has no canonical form.
        StrandLimitError: They are more than the format allows.
        StrandKdfError: There is no memory for the derivation from a passphrase.
        UsageError: There is no lock, or too many.
    """
    in_order = ordered(records)
    if len(in_order) > MOST_RECORDS:
        raise StrandLimitError(f"a strand takes {MOST_RECORDS:,} records, and these are {len(in_order):,}")
    fields = {
        "created_at": manifest.created_at,
        "label": manifest.label,
        "parents": list(manifest.parents),
        "records": len(in_order),
        "root": content_root(in_order).hex(),
        "schema": manifest.schema,
        "signer": keys.signer.hex(),
    }
    plain = b"".join(line + b"\n" for line in (canonical(fields).encode(), *(each.line for each in in_order)))
    if len(plain) > MOST_PLAIN_BYTES:
        raise StrandLimitError(f"a strand takes {MOST_PLAIN_BYTES:,} bytes of records, and these have {len(plain):,}")
    data_key, identity = random(KEY_BYTES), random(ID_BYTES)
    stream_header = random(STREAM_HEADER_BYTES)
    associated = _binding(FORMAT, identity, keys.signer)
    body = stream_header + encrypt_stream(plain, _body_key(data_key), stream_header, associated)
    stanzas = stanzas_for(locks, data_key, random, derive=derive)
    return _signed(_head(identity, stanzas, data_key, keys), body, keys)


def inspect(data: bytes) -> SealedStrand:
    """Check what can be checked without a key: the layout, the bounds of the derivation, and the signature.

    Raises:
        DamagedStrandError: The bytes are not a strand, or not those that were signed.
        NewerStrandError: A newer Helix wrote them.
        StrandKdfError: The header asks for a derivation outside the bounds.
        StrandLimitError: The file or its header is too large.
    """
    if len(data) > MOST_FILE_BYTES:
        raise StrandLimitError(f"the strand is refused: it has {len(data):,} bytes, allowed are {MOST_FILE_BYTES:,}")
    if data[: len(MAGIC)] != MAGIC:
        raise DamagedStrandError("this is not a strand, or its first bytes are damaged; name a .dna file")
    version = int.from_bytes(data[len(MAGIC) : len(MAGIC) + _FORMAT_BYTES], "big")
    if len(data) < _PREFIX_BYTES or version < FORMAT:
        raise _damaged("its first bytes are cut off or damaged")
    if version > FORMAT:
        raise NewerStrandError(
            f"the strand has format {version}, and this Helix reads format {FORMAT}; update Helix, or export it "
            f"with format {FORMAT}"
        )
    size = int.from_bytes(data[_PREFIX_BYTES - _LENGTH_BYTES : _PREFIX_BYTES], "big")
    if size > MOST_HEADER_BYTES:
        raise StrandLimitError(
            f"the strand is refused: its header has {size:,} bytes, allowed are {MOST_HEADER_BYTES:,}"
        )
    body_start, body_end = _PREFIX_BYTES + size + MAC_BYTES, len(data) - SIGNATURE_BYTES
    if body_end - body_start <= STREAM_HEADER_BYTES + CHUNK_OVERHEAD:
        raise _damaged("it is cut off")
    header = parse_canonical(data[_PREFIX_BYTES : _PREFIX_BYTES + size], "its header")
    signer, identity = _hex(header.get("signer"), KEY_BYTES), _hex(header.get("id"), ID_BYTES)
    if header.keys() != _HEADER_NAMES or signer is None or identity is None:
        raise _damaged("its header is not as the format says")
    require_stanzas(header["stanzas"])
    head, body = data[:body_start], data[body_start:body_end]
    if not is_signed(_signed_message(head, body), data[body_end:], signer):
        raise _damaged("its signature does not fit its bytes: it is cut off, damaged or altered")
    return SealedStrand(signer, identity, tuple(header["stanzas"]), head, body)


def open_strand(
    data: bytes,
    key: Key,
    *,
    newest_schema: int,
    trusted: Collection[bytes] | None = None,
    derive: Derivation = argon2id,
) -> OpenedStrand:
    """Check a strand whole and return what it holds.

    Args:
        data: The bytes of the file.
        key: A passphrase, a recovery code, or the keys of a recipient.
        newest_schema: The newest version of the records' meaning that the caller reads.
        trusted: The signers' keys that are accepted; None accepts any, to look at a strand.
        derive: The derivation from a passphrase.

    Raises:
        UntrustedSignerError: The file is whole, and its signer is not among ``trusted``; nothing was derived.
        LockedStrandError: The key does not open it.
        TamperedStrandError: It opens, and its inside contradicts its outside.
        NewerStrandError: Its format or its schema is newer.
        DamagedStrandError, StrandKdfError, StrandLimitError: As ``inspect``, and for what was sealed.
    """
    sealed = inspect(data)
    require_trusted(sealed, trusted)
    return opened(sealed, data_key_of(sealed, key, derive=derive), newest_schema)


def require_trusted(sealed: SealedStrand, trusted: Collection[bytes] | None) -> None:
    """Raise UntrustedSignerError unless the signer's key is among ``trusted``; None accepts any."""
    if trusted is not None and sealed.signer not in trusted:
        raise UntrustedSignerError(
            f"the strand is signed by {signer_text(sealed.signer)}, whom you do not trust; compare the key with its "
            "owner over another way, then run: helix strand trust KEY"
        )


def data_key_of(sealed: SealedStrand, key: Key, *, derive: Derivation = argon2id) -> bytes:
    """Return the data key, proved by the header's MAC. The body is not read. Raises LockedStrandError."""
    message, mac = sealed.head[:-MAC_BYTES], sealed.head[-MAC_BYTES:]
    for data_key in data_keys(sealed.stanzas, key, derive=derive):
        if compare_digest(_header_mac(message, data_key), mac):
            return data_key
    raise locked(sealed.stanzas)


def opened(sealed: SealedStrand, data_key: bytes, newest_schema: int) -> OpenedStrand:
    """Decrypt and check a body whose data key was proved.

    Raises:
        DamagedStrandError: The body does not decrypt, or is not as the format says.
        TamperedStrandError: The records are not those that the manifest counts and hashes.
        StrandLimitError: The body has too many records or bytes.
        NewerStrandError: A newer Helix wrote it.
    """
    associated = _binding(FORMAT, sealed.id, sealed.signer)
    stream_header, chunks = sealed.body[:STREAM_HEADER_BYTES], sealed.body[STREAM_HEADER_BYTES:]
    plain = decrypt_stream(chunks, _body_key(data_key), stream_header, associated)
    if plain is None:
        raise _damaged("its body does not decrypt: a chunk is damaged, missing or out of place")
    if not plain.endswith(b"\n"):
        raise _damaged("its last record has no end")
    if len(plain) > MOST_PLAIN_BYTES or plain.count(b"\n") > MOST_RECORDS + 1:
        raise StrandLimitError(
            f"the strand is refused: it holds more than {MOST_RECORDS:,} records or {MOST_PLAIN_BYTES:,} bytes of them"
        )
    first, *lines = plain[:-1].split(b"\n")
    fields = parse_canonical(first, "its manifest")
    manifest, count, root = _manifest(fields, sealed.signer, newest_schema)
    records = tuple(map(parse_record, lines))
    require_order(records)
    found = content_root(records)
    if (count, root) != (len(records), found):
        raise TamperedStrandError(
            "the strand is refused: its records are not those that its manifest counts and hashes"
        )
    return OpenedStrand(sealed.signer, manifest, records, found)


def rekeyed(
    data: bytes,
    key: Key,
    *,
    keys: StrandKeys,
    locks: Sequence[Lock],
    random: RandomBytes,
    derive: Derivation = argon2id,
) -> bytes:
    """Return the file with other stanzas, signed again; the bytes of the body stay as they are.

    An older copy of the file still opens with the older stanzas, and so does this one for anyone who kept its data key:
    ``rotated`` ends that.

    Args:
        data: The file.
        key: What opens it.
        keys: Its signer's.
        locks: What opens it from now on.
        random: Random bytes of a length.
        derive: Derives a key from a passphrase.

    Raises:
        UsageError: Another signer signed the file.
        LockedStrandError: The key does not open it. Others as ``inspect`` and ``seal``.
    """
    sealed = inspect(data)
    _require_own(sealed, keys)
    data_key = data_key_of(sealed, key, derive=derive)
    stanzas = stanzas_for(locks, data_key, random, derive=derive)
    return _signed(_head(sealed.id, stanzas, data_key, keys), sealed.body, keys)


def rotated(
    data: bytes,
    key: Key,
    *,
    keys: StrandKeys,
    locks: Sequence[Lock],
    random: RandomBytes,
    newest_schema: int,
    derive: Derivation = argon2id,
) -> bytes:
    """Return the same records under a new data key, signed again. Raises as ``rekeyed`` and ``open_strand``.

    Args:
        data: The file.
        key: What opens it.
        keys: Its signer's.
        locks: What opens the new one.
        random: Random bytes of a length.
        newest_schema: The newest schema of records that can be read.
        derive: Derives a key from a passphrase.
    """
    sealed = inspect(data)
    _require_own(sealed, keys)
    strand = opened(sealed, data_key_of(sealed, key, derive=derive), newest_schema)
    return seal(strand.manifest, strand.records, keys=keys, locks=locks, random=random, derive=derive)


def _require_own(sealed: SealedStrand, keys: StrandKeys) -> None:
    if sealed.signer != keys.signer:
        raise UsageError(
            f"the strand is signed by {signer_text(sealed.signer)}, and only its signer changes its keys; import it "
            "and export one of your own"
        )


def _head(identity: bytes, stanzas: Sequence[Stanza], data_key: bytes, keys: StrandKeys) -> bytes:
    """Return magic, format, length, header and MAC."""
    header = canonical({"id": identity.hex(), "signer": keys.signer.hex(), "stanzas": list(stanzas)}).encode()
    prefix = MAGIC + FORMAT.to_bytes(_FORMAT_BYTES, "big") + len(header).to_bytes(_LENGTH_BYTES, "big")
    return prefix + header + _header_mac(prefix + header, data_key)


def _signed(head: bytes, body: bytes, keys: StrandKeys) -> bytes:
    return head + body + sign(_signed_message(head, body), keys.signing_seed)


def _signed_message(head: bytes, body: bytes) -> bytes:
    return _SIGNED_LABEL + head + blake2b(Purpose.BODY_DIGEST, body, size=BODY_DIGEST_BYTES)


def _header_mac(message: bytes, data_key: bytes) -> bytes:
    return blake2b(Purpose.HEADER_MAC, message, key=blake2b(Purpose.HEADER_MAC_KEY, b"", key=data_key))


def _body_key(data_key: bytes) -> bytes:
    return blake2b(Purpose.BODY_KEY, b"", key=data_key)


def _binding(version: int, identity: bytes, signer: bytes) -> bytes:
    """Return what binds each chunk to its file. Not the stanzas: ``rekeyed`` replaces those."""
    return blake2b(Purpose.BINDING, version.to_bytes(_FORMAT_BYTES, "big") + identity + signer)


def _manifest(fields: Mapping[str, Any], signer: bytes, newest_schema: int) -> tuple[Manifest, int, bytes]:
    """Return the manifest with the number of records and the root that it promises."""
    if _hex(fields.get("signer"), KEY_BYTES) != signer:
        raise TamperedStrandError(
            "the strand is refused: another signer sealed its records than signed the file; ask its owner for another"
        )
    schema, created_at, count = (fields.get(name) for name in ("schema", "created_at", "records"))
    label, parents, root = fields.get("label"), fields.get("parents"), _hex(fields.get("root"), KEY_BYTES)
    if type(schema) is int and schema > newest_schema:
        raise NewerStrandError(
            f"the records of the strand have schema {schema}, and this Helix reads up to {newest_schema}; update Helix"
        )
    is_whole = fields.keys() == _MANIFEST_NAMES and isinstance(label, str) and root is not None
    numbers = all(type(number) is int and 0 <= number <= MOST_INTEGER for number in (schema, created_at, count))
    if (
        not is_whole
        or not numbers
        or not isinstance(parents, list)
        or not all(_hex(each, KEY_BYTES) for each in parents)
    ):
        raise _damaged("its manifest is not as the format says")
    assert isinstance(schema, int)
    assert isinstance(created_at, int)
    assert isinstance(count, int)
    return Manifest(schema, created_at, str(label), tuple(parents)), count, root or b""


def _hex(text: Any, size: int) -> bytes | None:
    """Return the bytes of lower-case hexadecimal digits; None for anything else."""
    try:
        found = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return found if len(found) == size and found.hex() == text else None


def _damaged(cause: str) -> DamagedStrandError:
    return DamagedStrandError(f"the strand is refused: {cause}; copy it again from where it was whole")
