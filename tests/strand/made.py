"""Strands made for tests: a fixed stream of random bytes, fixed keys, and records of the shapes a memory has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from helix_core.strand import Lock, Manifest, RecoveryCode, StrandKeys, StrandRecord, record_of, seal

SCHEMA = 1
MADE_AT = 1_700_000_000


def fixed_random(seed: str) -> Callable[[int], bytes]:
    """Bytes that look random and are the same in each run."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.shake_256(f"{seed} {count}".encode()).digest(size)

    return draw


OWN = StrandKeys.made(fixed_random("own keys"))
STRANGER = StrandKeys.made(fixed_random("a stranger's keys"))
CODE = RecoveryCode.made(fixed_random("recovery"))


def memory(identity: str, text: str, **more: Any) -> StrandRecord:
    return record_of({"type": "memory", "id": identity, "text": text, **more})


FACTS = (
    memory("m1", "the queue is NATS", scope="global"),
    memory("m2", "always squash merges", scope="shop"),
    memory("m3", "der Port heißt 8080", scope="shop", confidence=0.5),
    record_of({"type": "link", "id": "l1", "src": "m1", "rel": "supersedes", "dst": "m2", "weight": 1}),
)


def made(
    records: Sequence[StrandRecord] = FACTS,
    *,
    keys: StrandKeys = OWN,
    locks: Sequence[Lock] = (CODE,),
    label: str = "Ada's laptop",
    seed: str = "seal",
    schema: int = SCHEMA,
) -> bytes:
    """The bytes of a strand; the recovery code opens it, because that derives nothing slow."""
    manifest = Manifest(schema, MADE_AT, label)
    return seal(manifest, records, keys=keys, locks=locks, random=fixed_random(seed))
