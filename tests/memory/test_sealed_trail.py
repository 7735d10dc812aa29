"""A sealed trail is the strand's own envelope: it comes back whole, or not at all, and says nothing outside."""

from __future__ import annotations

import re

import pytest

from helix_core.engine.memory import opened_trail, sealed_trail
from helix_core.errors import LockedStrandError, StrandError, TrailError, UntrustedSignerError, UsageError
from helix_core.phase import Trail, TrailItem
from helix_core.strand import Passphrase
from tests.strand.made import CODE, OWN, STRANGER, fixed_random, made

PASSPHRASE = Passphrase("correct horse battery staple", memory_mib=64, passes=2)


@pytest.fixture(scope="module")
def trail() -> Trail:
    whole = Trail()
    for step in range(30):
        item = TrailItem(f"billing/invoice{step % 5}.py", "Invoice.total")
        whole.observe(item, 1_700_000_000.5 + step, span_hash="ab" * 8, lines=(3, 9))
    whole.rollback(whole.commit("before the refactoring", 1.0).number, 2.0)
    whole.flag("never-index billing/private.py")
    return whole


def seal_of(trail: Trail, seed: str = "one") -> bytes:
    return sealed_trail(trail.log, keys=OWN, locks=[PASSPHRASE], random=fixed_random(seed), at=1_700_000_000.0)


def test_a_sealed_trail_brings_back_log_flags_versions_and_states(trail: Trail) -> None:
    log = opened_trail(seal_of(trail), PASSPHRASE, [OWN.signer])
    again = Trail(log)
    assert log == trail.log
    assert (again.flags, again.versions, again.digest()) == (trail.flags, trail.versions, trail.digest())


@pytest.mark.slow
def test_every_bit_that_is_turned_is_refused(trail: Trail) -> None:
    data = seal_of(trail)
    for place in range(len(data)):
        turned = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        with pytest.raises(StrandError):
            opened_trail(turned, PASSPHRASE, [OWN.signer])


def test_another_passphrase_or_signer_is_refused(trail: Trail) -> None:
    data = seal_of(trail)
    with pytest.raises(LockedStrandError):
        opened_trail(data, Passphrase("correct horse battery stapler", 64, 2))
    with pytest.raises(UntrustedSignerError):
        opened_trail(data, PASSPHRASE, [STRANGER.signer])


def test_nothing_of_the_trail_is_outside_and_two_seals_differ(trail: Trail) -> None:
    one, other = seal_of(trail), seal_of(trail, "two")
    assert [word for word in (b"billing", b"invoice", b"Invoice", b"refactoring", b"never-index") if word in one] == []
    assert one != other
    assert opened_trail(one, PASSPHRASE) == opened_trail(other, PASSPHRASE)


def test_a_strand_of_memories_is_no_trail() -> None:
    with pytest.raises(TrailError, match="not a trail"):
        opened_trail(made(), CODE)


def test_a_refusal_speaks_of_a_sealed_trail_and_of_no_strand(trail: Trail) -> None:
    data = seal_of(trail)
    newer = data[:8] + (2).to_bytes(2, "big") + data[10:]
    refused = []
    for file, key in ((b"text", PASSPHRASE), (data[:-1], PASSPHRASE), (newer, PASSPHRASE), (data, CODE)):
        with pytest.raises(StrandError) as error:
            opened_trail(file, key, [OWN.signer])
        refused.append(str(error.value))
    assert [said for said in refused if "sealed trail" not in said or re.search(r"strand|\.dna", said)] == []
    assert "name a .hxe file" in refused[0]
    with pytest.raises(UntrustedSignerError, match=r"the sealed trail is signed by .* helix strand trust KEY"):
        opened_trail(data, PASSPHRASE, [STRANGER.signer])
    with pytest.raises(UsageError, match="a sealed trail has at most one passphrase"):
        sealed_trail(trail.log, keys=OWN, locks=[PASSPHRASE] * 2, random=fixed_random("one"), at=1.0)
