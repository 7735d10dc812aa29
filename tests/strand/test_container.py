"""A strand is read whole or not at all: every bit of it counts, and what is wrong with it is said."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.errors import (
    DamagedStrandError,
    LockedStrandError,
    NewerStrandError,
    StrandError,
    StrandKdfError,
    StrandLimitError,
    TamperedStrandError,
    UntrustedSignerError,
    UsageError,
)
from helix_core.strand import (
    Manifest,
    OpenedStrand,
    Passphrase,
    RecoveryCode,
    StrandRecord,
    content_root,
    inspect,
    open_strand,
    primitives,
    record_of,
    rekeyed,
    rotated,
)
from helix_core.strand import container as layout
from tests.strand.made import CODE, FACTS, MADE_AT, OWN, SCHEMA, STRANGER, fixed_random, made, memory

PASSPHRASE = Passphrase("correct horse battery staple", memory_mib=64, passes=2)
CHUNK = primitives.CHUNK_BYTES + primitives.CHUNK_OVERHEAD


def opened(data: bytes, **more: object) -> OpenedStrand:
    return open_strand(data, CODE, newest_schema=SCHEMA, **more)  # type: ignore[arg-type]


def signed_again(data: bytes) -> bytes:
    """The bytes with a valid signature of their own signer: what is left are the checks of the data key."""
    unsigned = data[: -primitives.SIGNATURE_BYTES]
    size = int.from_bytes(data[10:14], "big")
    start = 14 + size + layout.MAC_BYTES
    return layout._signed(unsigned[:start], unsigned[start:], OWN)


def data_key(data: bytes) -> bytes:
    return layout.data_key_of(inspect(data), CODE)


def sealed_anew(data: bytes, plain: bytes) -> bytes:
    """Another plaintext in the same container, by somebody who has the data key and the signer's key."""
    sealed, key = inspect(data), data_key(data)
    header = sealed.body[: primitives.STREAM_HEADER_BYTES]
    binding = layout._binding(layout.FORMAT, sealed.id, sealed.signer)
    body = header + primitives.encrypt_stream(plain, layout._body_key(key), header, binding)
    return layout._signed(sealed.head, body, OWN)


def plain_of(data: bytes) -> bytes:
    sealed = inspect(data)
    size = primitives.STREAM_HEADER_BYTES
    binding = layout._binding(layout.FORMAT, sealed.id, sealed.signer)
    plain = primitives.decrypt_stream(sealed.body[size:], layout._body_key(data_key(data)), sealed.body[:size], binding)
    assert plain is not None
    return plain


def flips(data: bytes) -> Iterator[bytes]:
    for place in range(len(data)):
        for bit in range(8):
            yield data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def test_what_was_sealed_comes_out_again() -> None:
    strand = opened(made())
    assert strand.signer == OWN.signer
    assert strand.manifest == Manifest(SCHEMA, MADE_AT, "Ada's laptop")
    assert [record.fields()["id"] for record in strand.records] == ["l1", "m1", "m2", "m3"]
    assert strand.records[3].fields()["text"] == "der Port heißt 8080"
    assert strand.counts() == {"link": 1, "memory": 3}


def test_a_strand_may_hold_nothing() -> None:
    strand = opened(made(()))
    assert (strand.records, strand.root) == ((), content_root(()))


@pytest.mark.slow
def test_every_single_bit_counts() -> None:
    data = made(FACTS[:3])
    accepted = 0
    for flipped in flips(data):
        try:
            inspect(flipped)
        except StrandError:
            continue
        accepted += 1
    assert accepted == 0


@pytest.mark.slow
def test_every_single_bit_before_the_signature_is_bound_to_the_data_key_too() -> None:
    # The same flips, and the signer signs each of them again: the header's MAC and the stream have to find them.
    data = made(FACTS[:3])
    key = data_key(data)
    start = len(inspect(data).head)
    for flipped in flips(data[: -primitives.SIGNATURE_BYTES]):
        try:
            sealed = inspect(signed_again(flipped + data[-primitives.SIGNATURE_BYTES :]))
        except StrandError:
            continue
        if flipped[:start] == data[:start]:
            with pytest.raises(DamagedStrandError):
                layout.opened(sealed, key, SCHEMA)
        else:
            message, mac = sealed.head[: -layout.MAC_BYTES], sealed.head[-layout.MAC_BYTES :]
            assert layout._header_mac(message, key) != mac


def test_a_strand_cut_off_anywhere_or_with_bytes_behind_it_is_refused() -> None:
    data = made()
    for size in range(len(data)):
        with pytest.raises(StrandError):
            inspect(data[:size])
    for size in range(1, 65):
        for more in (bytes(size), data[:size], data[-size:]):
            with pytest.raises(DamagedStrandError):
                inspect(data + more)


def test_a_strand_cut_off_at_a_chunk_is_refused_though_its_signer_signs_it_again() -> None:
    data = made(LARGE)
    sealed = inspect(data)
    chunks = chunks_of(sealed.body)
    assert len(chunks) == 4
    for kept in range(1, 4):
        shorter = layout._signed(sealed.head, join(sealed.body, chunks[:kept]), OWN)
        with pytest.raises(DamagedStrandError, match="a chunk is damaged, missing or out of place"):
            opened(shorter)


LARGE = [memory(f"m{number:02}", f"{number} " * 2_500) for number in range(32)]


def chunks_of(body: bytes) -> list[bytes]:
    rest = body[primitives.STREAM_HEADER_BYTES :]
    return [rest[start : start + CHUNK] for start in range(0, len(rest), CHUNK)]


def join(body: bytes, chunks: Sequence[bytes]) -> bytes:
    return body[: primitives.STREAM_HEADER_BYTES] + b"".join(chunks)


def test_chunks_swapped_dropped_or_doubled_are_refused_also_when_signed_again() -> None:
    data = made(LARGE)
    sealed = inspect(data)
    chunks = chunks_of(sealed.body)
    orders = [[1, 0, 2, 3], [2, 1, 0, 3], [0, 2, 1, 3], [3, 1, 2, 0], [0, 3, 2, 1], [0, 1, 3, 2]]
    orders += [[0, 1, 2, 3][:drop] + [0, 1, 2, 3][drop + 1 :] for drop in range(4)]
    orders += [[0, 0, 1, 2, 3], [0, 1, 1, 2, 3], [0, 1, 2, 2, 3], [0, 1, 2, 3, 3]]
    for order in orders:
        body = join(sealed.body, [chunks[place] for place in order])
        with pytest.raises(DamagedStrandError):
            inspect(sealed.head + body + data[-primitives.SIGNATURE_BYTES :])
        with pytest.raises(DamagedStrandError):
            opened(layout._signed(sealed.head, body, OWN))
    assert opened(layout._signed(sealed.head, join(sealed.body, chunks), OWN)).records == tuple(LARGE)


def test_a_body_of_another_strand_under_the_same_key_is_refused() -> None:
    # A stanza may be copied, and with it the data key: the header's id still binds the chunks to their own file.
    data = made()
    sealed, key = inspect(data), data_key(data)
    other = layout._head(bytes(16), sealed.stanzas, key, OWN)
    with pytest.raises(DamagedStrandError):
        opened(layout._signed(other, sealed.body, OWN))


def test_a_strand_signed_again_by_a_stranger_with_the_same_label_is_not_trusted() -> None:
    theirs = made(keys=STRANGER)
    assert opened(theirs).manifest.label == "Ada's laptop"
    with pytest.raises(
        UntrustedSignerError, match=f"dna-signer:{STRANGER.signer.hex()}.*compare the key.*helix strand"
    ):
        opened(theirs, trusted={OWN.signer})
    assert opened(made(), trusted={OWN.signer}).records


def test_an_untrusted_strand_is_refused_before_anything_is_derived() -> None:
    def derive(*_: object) -> bytes:
        raise AssertionError("derived")

    with pytest.raises(UntrustedSignerError):
        open_strand(made(keys=STRANGER), PASSPHRASE, newest_schema=SCHEMA, trusted=(), derive=derive)


def test_another_signer_inside_than_outside_is_refused_as_tampered() -> None:
    # Somebody who has the data key puts their own name on what another signer sealed.
    data = made()
    sealed, key = inspect(data), data_key(data)
    header = sealed.body[: primitives.STREAM_HEADER_BYTES]
    binding = layout._binding(layout.FORMAT, sealed.id, STRANGER.signer)
    body = header + primitives.encrypt_stream(plain_of(data), layout._body_key(key), header, binding)
    head = layout._head(sealed.id, sealed.stanzas, key, STRANGER)
    with pytest.raises(TamperedStrandError, match="another signer sealed its records than signed the file"):
        opened(layout._signed(head, body, STRANGER), trusted={STRANGER.signer})


@pytest.mark.slow
def test_a_thousand_wrong_keys_are_one_error_and_none_of_them_reads_the_body(monkeypatch: pytest.MonkeyPatch) -> None:
    def decrypt(*_: object) -> bytes:
        raise AssertionError("the body was read before the header's MAC was right")

    draw = fixed_random("wrong keys")
    data = made(locks=[CODE, PASSPHRASE])
    monkeypatch.setattr(layout, "decrypt_stream", decrypt)
    messages = set()
    for number in range(1_000):
        with pytest.raises(LockedStrandError) as refused:
            open_strand(data, RecoveryCode(draw(16)), newest_schema=SCHEMA)
        messages.add(str(refused.value))
        with pytest.raises(LockedStrandError) as refused:
            open_strand(data, Passphrase(f"guess {number}"), newest_schema=SCHEMA, derive=lambda *_: draw(32))
        messages.add(str(refused.value))
    with pytest.raises(LockedStrandError) as refused:
        open_strand(data, Passphrase("correct horse battery stapler"), newest_schema=SCHEMA)
    assert messages == {str(refused.value)}
    assert "it opens with a recovery code or a passphrase" in str(refused.value)


def test_a_key_of_a_kind_the_strand_has_no_stanza_for_is_the_same_error() -> None:
    with pytest.raises(LockedStrandError, match="it opens with a recovery code"):
        open_strand(made(), PASSPHRASE, newest_schema=SCHEMA)


def test_a_data_key_that_unwraps_but_does_not_commit_to_the_header_is_refused() -> None:
    # XChaCha20-Poly1305 commits to no key: a stanza may open with several. The header's MAC decides.
    data = made()
    other = made(seed="another")
    sealed = inspect(data)
    head = layout._head(sealed.id, inspect(other).stanzas, data_key(data), OWN)
    with pytest.raises(LockedStrandError):
        opened(layout._signed(head, sealed.body, OWN))


@pytest.mark.slow
@pytest.mark.parametrize(("memory_mib", "passes"), [(63, 3), (1025, 3), (2**40, 3), (256, 1), (256, 11), (256, 0)])
def test_a_derivation_out_of_bounds_is_refused_before_deriving(
    memory_mib: int, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = made(locks=[PASSPHRASE])
    sealed = inspect(data)
    stanza = {**sealed.stanzas[0], "memory_mib": memory_mib, "passes": passes}
    key = layout.data_key_of(sealed, PASSPHRASE)
    asking = layout._signed(layout._head(sealed.id, [stanza], key, OWN), sealed.body, OWN)

    def derive(*_: object) -> bytes:
        raise AssertionError("derived")

    with pytest.raises(StrandKdfError, match="64 to 1,024 MiB and 2 to 10 passes"):
        open_strand(asking, PASSPHRASE, newest_schema=SCHEMA, derive=derive)
    with pytest.raises(StrandKdfError):
        Passphrase("x", memory_mib, passes)


def test_without_a_key_nothing_of_the_content_can_be_seen() -> None:
    data = made(locks=[CODE, OWN.recipient])
    sealed = inspect(data)
    assert (sealed.signer, sealed.size_bytes) == (OWN.signer, len(data))
    hidden = [b"Ada", b"laptop", b"NATS", b"squash", b"memory", b"link", b"supersedes", b"1700000000"]
    assert [word for word in hidden if word in data] == []
    assert OWN.recipient.public.hex().encode() not in data
    assert content_root(FACTS).hex().encode() not in data
    assert b"records" not in data


def test_the_same_keys_clock_and_random_bytes_give_the_same_file() -> None:
    first = made(locks=[CODE, OWN.recipient])
    assert made(locks=[CODE, OWN.recipient]) == first
    again = opened(first)
    assert made(again.records, locks=[CODE, OWN.recipient]) == first
    other = made(again.records, seed="other random bytes")
    assert other != first
    assert opened(other).root == again.root


@pytest.fixture(scope="module")
def threefold() -> bytes:
    return made(locks=[PASSPHRASE, CODE, STRANGER.recipient])


def test_each_stanza_alone_opens_the_strand(threefold: bytes) -> None:
    roots = {open_strand(threefold, key, newest_schema=SCHEMA).root for key in (PASSPHRASE, CODE, STRANGER)}
    assert roots == {content_root(tuple(sorted(FACTS, key=lambda each: each.order)))}
    with pytest.raises(LockedStrandError):
        open_strand(threefold, OWN, newest_schema=SCHEMA)


def test_rekey_leaves_the_body_as_it_is_and_rotate_does_not(threefold: bytes) -> None:
    draw = fixed_random("rekey")
    new = RecoveryCode.made(draw)
    other = rekeyed(threefold, CODE, keys=OWN, locks=[new], random=draw)
    assert inspect(other).body == inspect(threefold).body
    assert open_strand(other, new, newest_schema=SCHEMA).records == opened(threefold).records
    with pytest.raises(LockedStrandError):
        opened(other)
    # The data key is the same after a rekey: an old stanza put back into the file opens it.
    put_back = rekeyed(other, new, keys=OWN, locks=[new, STRANGER.recipient], random=draw)
    assert open_strand(put_back, STRANGER, newest_schema=SCHEMA).records
    turned = rotated(put_back, new, keys=OWN, locks=[new], random=draw, newest_schema=SCHEMA)
    assert inspect(turned).body[:100] != inspect(threefold).body[:100]
    assert open_strand(turned, new, newest_schema=SCHEMA).root == opened(threefold).root
    for old in (CODE, STRANGER):
        with pytest.raises(LockedStrandError):
            open_strand(turned, old, newest_schema=SCHEMA)


def test_after_rotate_an_old_stanza_put_back_does_not_open_the_file(threefold: bytes) -> None:
    draw = fixed_random("rotate")
    turned = inspect(rotated(threefold, CODE, keys=OWN, locks=[CODE], random=draw, newest_schema=SCHEMA))
    head = layout._head(turned.id, inspect(threefold).stanzas, data_key(threefold), OWN)
    with pytest.raises(DamagedStrandError):
        opened(layout._signed(head, turned.body, OWN))


def test_only_the_signer_changes_the_keys(threefold: bytes) -> None:
    with pytest.raises(UsageError, match="only its signer changes its keys"):
        rekeyed(threefold, CODE, keys=STRANGER, locks=[CODE], random=fixed_random("x"))


def test_a_newer_format_is_refused_with_both_versions_and_a_remedy() -> None:
    data = made()
    newer = data[:8] + (2).to_bytes(2, "big") + data[10:]
    with pytest.raises(NewerStrandError, match="has format 2, and this Helix reads format 1; update Helix"):
        inspect(newer)


def test_a_newer_schema_is_refused_with_both_versions_and_a_remedy() -> None:
    with pytest.raises(NewerStrandError, match="have schema 7, and this Helix reads up to 1; update Helix"):
        opened(made(schema=7))


def test_an_unknown_stanza_is_ignored_and_still_authenticated() -> None:
    data = made()
    sealed, key = inspect(data), data_key(data)
    strange = {"type": "shamir", "share": [1, 2, {"of": 3}]}
    head = layout._head(sealed.id, [strange, *sealed.stanzas], key, OWN)
    assert opened(layout._signed(head, sealed.body, OWN)).records


def test_a_malicious_payload_is_refused_and_unknown_types_come_through_as_they_are() -> None:
    data = made()
    manifest, *lines = plain_of(data).removesuffix(b"\n").split(b"\n")

    def refusal(*payload: bytes, first: bytes = manifest) -> StrandError:
        with pytest.raises(StrandError) as refused:
            opened(sealed_anew(data, b"".join(line + b"\n" for line in (first, *payload))))
        return refused.value

    assert isinstance(refusal(*lines, lines[-1]), DamagedStrandError)  # one id twice
    assert isinstance(refusal(*reversed(lines)), DamagedStrandError)
    assert isinstance(refusal(*lines[:-1]), TamperedStrandError)
    assert isinstance(refusal(*lines[:-1], lines[-1].replace(b"8080", b"8081")), TamperedStrandError)
    long = b'{"id":"m4","text":"' + b"x" * 1_000_000 + b'","type":"memory"}'
    assert isinstance(refusal(*lines, long), StrandLimitError)
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b',"id":"m4","type":"memory"}'
    assert isinstance(refusal(*lines, deep), StrandLimitError)
    for wrong in (
        b'{"id":"m4","text":"\\u0000","type":"memory"}',
        b'{"id":"m4","text":"\\ud800","type":"memory"}',
        b'{"id":"m4","text":"\xff","type":"memory"}',
        b'{"id":"m4","n":1e999,"type":"memory"}',
        b'{"id":"m4","n":NaN,"type":"memory"}',
        b'{"id":"m4","n":9007199254740993,"type":"memory"}',
        b'{"id":"m4","n":' + b"9" * 5_000 + b',"type":"memory"}',
        b'{"id":"m4","id":"m5","type":"memory"}',
        b'{"type":"memory","id":"m4"}',
        b'{"id":"m4", "type":"memory"}',
        b'{"id":"","type":"memory"}',
        b'{"id":4,"type":"memory"}',
        b"[]",
        b"",
    ):
        assert isinstance(refusal(*lines, wrong), DamagedStrandError), wrong
    assert isinstance(refusal(*lines, first=manifest.replace(b'"schema":1', b'"schema":-1')), DamagedStrandError)
    assert isinstance(refusal(*lines, first=b"{}"), TamperedStrandError)

    unknown = record_of({"type": "hologram", "id": "h1", "of": ["h2", {"é": 1.5, "z": None}], "cycle": "h1"})
    assert opened(made([*FACTS, unknown])).records[0].line == unknown.line


def test_a_plaintext_without_a_last_line_feed_is_refused() -> None:
    data = made()
    with pytest.raises(DamagedStrandError):
        opened(sealed_anew(data, plain_of(data)[:-1]))


def test_a_file_of_something_else_is_no_strand() -> None:
    for other in (b"", b"\x89", b"PK\x03\x04" * 100, b"\x89DNA\n\x1a\n" * 30, bytes(1_000)):
        with pytest.raises(DamagedStrandError):
            inspect(other)


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_random_bytes_behind_the_magic_never_crash(rest: bytes) -> None:
    with pytest.raises(StrandError):
        inspect(layout.MAGIC + b"\0\1" + rest)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_a_header_of_any_json_is_refused_by_a_typed_error(data: st.DataObject) -> None:
    values = st.recursive(
        st.none() | st.booleans() | st.integers(-9, 2**60) | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
        max_leaves=8,
    )
    whole = inspect(made())
    stanzas = data.draw(st.lists(values | st.fixed_dictionaries({"type": st.sampled_from(NAMES)}), max_size=3))
    try:
        head = layout._head(whole.id, stanzas, bytes(32), OWN)
    except StrandError:
        return
    try:
        sealed = inspect(layout._signed(head, whole.body, OWN))
    except StrandError:
        return
    with pytest.raises(LockedStrandError):
        layout.data_key_of(sealed, CODE)


NAMES = [
    "type",
    "salt",
    "nonce",
    "wrapped",
    "sealed",
    "kdf",
    "passphrase",
    "recovery",
    "x25519",
    "memory_mib",
    "passes",
]


def random_records(draw: random.Random, count: int) -> list[StrandRecord]:
    kinds = ["memory", "evidence", "link", "event", "zebra"]
    return [
        record_of({"type": draw.choice(kinds), "id": f"{number:03}", "n": draw.random(), "at": draw.randrange(10**9)})
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 100])
def test_any_order_of_records_gives_one_file(count: int) -> None:
    draw = random.Random(count)
    records = random_records(draw, count)
    first = made(records)
    draw.shuffle(records)
    assert made(records) == first
    assert opened(first).root == content_root(opened(first).records)


def test_two_records_of_one_type_and_id_are_not_sealed() -> None:
    with pytest.raises(DamagedStrandError, match="two records are memory 'm1'"):
        made([memory("m1", "a"), memory("m1", "b")])


def test_a_strand_needs_a_lock_and_takes_one_passphrase() -> None:
    with pytest.raises(UsageError):
        made(locks=[])
    with pytest.raises(UsageError, match="at most one passphrase"):
        made(locks=[PASSPHRASE, Passphrase("another", 64, 2)])
