"""The ``.dna`` file: a signed and encrypted container of records, whom to believe, and the merge of record sets.

In: bytes, keys, random bytes, the time. Out: bytes, or records that were checked whole. Never opens a file, never knows
what a record says beyond what merging needs, and hands nothing over of a file that is not whole.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.strand.container import (
        FORMAT,
        MOST_FILE_BYTES,
        NEWEST_SCHEMA,
        Manifest,
        OpenedStrand,
        SealedStrand,
        data_key_of,
        inspect,
        open_strand,
        opened,
        rekeyed,
        require_trusted,
        rotated,
        seal,
    )
    from helix_core.strand.keys import (
        LEAST_MEMORY_MIB,
        LEAST_PASSES,
        SIGNER_PREFIX,
        Key,
        Lock,
        Passphrase,
        Recipient,
        RecoveryCode,
        StrandKeys,
        signer_of,
        signer_text,
    )
    from helix_core.strand.merge import (
        ClashPolicy,
        Difference,
        ItemChange,
        ItemStatus,
        accepted_after_all,
        active,
        altered,
        altered_error,
        applied,
        clashes,
        difference,
        item_changes,
        link_record,
        merged,
        owner_of,
        purged_ids,
        quarantined,
        statuses,
        union,
    )
    from helix_core.strand.primitives import RandomBytes
    from helix_core.strand.records import StrandRecord, canonical, content_root, ordered, parse_record, record_of
    from helix_core.strand.trust import Pin, TrustedSigners

__all__ = [
    "FORMAT",
    "LEAST_MEMORY_MIB",
    "LEAST_PASSES",
    "MOST_FILE_BYTES",
    "NEWEST_SCHEMA",
    "SIGNER_PREFIX",
    "ClashPolicy",
    "Difference",
    "ItemChange",
    "ItemStatus",
    "Key",
    "Lock",
    "Manifest",
    "OpenedStrand",
    "Passphrase",
    "Pin",
    "RandomBytes",
    "Recipient",
    "RecoveryCode",
    "SealedStrand",
    "StrandKeys",
    "StrandRecord",
    "TrustedSigners",
    "accepted_after_all",
    "active",
    "altered",
    "altered_error",
    "applied",
    "canonical",
    "clashes",
    "content_root",
    "data_key_of",
    "difference",
    "inspect",
    "item_changes",
    "link_record",
    "merged",
    "open_strand",
    "opened",
    "ordered",
    "owner_of",
    "parse_record",
    "purged_ids",
    "quarantined",
    "record_of",
    "rekeyed",
    "require_trusted",
    "rotated",
    "seal",
    "signer_of",
    "signer_text",
    "statuses",
    "union",
]

__getattr__ = lazy_face(
    __name__,
    {
        "container": (
            *("FORMAT", "MOST_FILE_BYTES", "NEWEST_SCHEMA", "Manifest", "OpenedStrand", "SealedStrand", "data_key_of"),
            *("inspect", "open_strand", "opened", "rekeyed", "require_trusted", "rotated", "seal"),
        ),
        "keys": (
            *(
                "LEAST_MEMORY_MIB",
                "LEAST_PASSES",
                "SIGNER_PREFIX",
                "Key",
                "Lock",
                "Passphrase",
                "Recipient",
                "RecoveryCode",
                "StrandKeys",
            ),
            *("signer_of", "signer_text"),
        ),
        "merge": (
            *(
                "ClashPolicy",
                "Difference",
                "ItemChange",
                "ItemStatus",
                "accepted_after_all",
                "active",
                "altered",
                "altered_error",
                "applied",
                "clashes",
                "difference",
            ),
            *("item_changes", "link_record", "merged", "owner_of", "purged_ids"),
            *("quarantined", "statuses", "union"),
        ),
        "primitives": ("RandomBytes",),
        "records": ("StrandRecord", "canonical", "content_root", "ordered", "parse_record", "record_of"),
        "trust": ("Pin", "TrustedSigners"),
    },
)
