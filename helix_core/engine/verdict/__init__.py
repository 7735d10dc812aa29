"""Verdicts, in one place from observation to mark: observe, judge, overlays, contradictions, explain.

Reads the files an answer points at, at that moment. Never ranks, never searches, never writes but to mend the index.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.engine.verdict.chains import ChainLookup, KeptChains
    from helix_core.engine.verdict.citation_outcome import Unjudged, reasons_unjudged
    from helix_core.engine.verdict.cited import CheckedText
    from helix_core.engine.verdict.contradictions import Disputes, opposed, settled
    from helix_core.engine.verdict.declaration_changes import ALIKE, parameters_differ, renamed, share, signature
    from helix_core.engine.verdict.explain import ExplainStep, Explanation, explained
    from helix_core.engine.verdict.judge import Judgement, OnlyInBuffer, UnsavedNames, all_lost
    from helix_core.engine.verdict.named_files import ComparedValues, NamedFiles
    from helix_core.engine.verdict.not_indexed import NotIndexed, set_aside_note, with_named
    from helix_core.engine.verdict.observe import ABSENT, FileObservation, MaskedFiles, Observer
    from helix_core.engine.verdict.outdated import CommittedText, KeptLookups, OutdatedDocuments
    from helix_core.engine.verdict.overlay import Buffers, edits, line_on_disk
    from helix_core.engine.verdict.reasons import REASONS, ReasonText, reason_words
    from helix_core.engine.verdict.shown import OPEN_SCHEMA, Shown, lines_shown, reason_now
    from helix_core.engine.verdict.spans import (
        code_lines,
        is_document,
        line_of_mention,
        lines_of_import,
        lines_of_use,
        narrowed,
        owners_in,
        whole_word,
    )
    from helix_core.engine.verdict.table import (
        Observation,
        freshness,
        live_truth,
        memory_verdict,
        refresh_plan,
        specificity,
        verdict,
    )
    from helix_core.engine.verdict.weigher import ObservedItem, Placed, VerdictContext, Weigher

__all__ = [
    "ABSENT",
    "ALIKE",
    "OPEN_SCHEMA",
    "REASONS",
    "Buffers",
    "ChainLookup",
    "CheckedText",
    "CommittedText",
    "ComparedValues",
    "Disputes",
    "ExplainStep",
    "Explanation",
    "FileObservation",
    "Judgement",
    "KeptChains",
    "KeptLookups",
    "MaskedFiles",
    "NamedFiles",
    "NotIndexed",
    "Observation",
    "ObservedItem",
    "Observer",
    "OnlyInBuffer",
    "OutdatedDocuments",
    "Placed",
    "ReasonText",
    "Shown",
    "Unjudged",
    "UnsavedNames",
    "VerdictContext",
    "Weigher",
    "all_lost",
    "code_lines",
    "edits",
    "explained",
    "freshness",
    "is_document",
    "line_of_mention",
    "line_on_disk",
    "lines_of_import",
    "lines_of_use",
    "lines_shown",
    "live_truth",
    "memory_verdict",
    "narrowed",
    "opposed",
    "owners_in",
    "parameters_differ",
    "reason_now",
    "reason_words",
    "reasons_unjudged",
    "refresh_plan",
    "renamed",
    "set_aside_note",
    "settled",
    "share",
    "signature",
    "specificity",
    "verdict",
    "whole_word",
    "with_named",
]

__getattr__ = lazy_face(
    __name__,
    {
        "chains": ("ChainLookup", "KeptChains"),
        "citation_outcome": ("Unjudged", "reasons_unjudged"),
        "cited": ("CheckedText",),
        "contradictions": ("Disputes", "opposed", "settled"),
        "declaration_changes": ("ALIKE", "parameters_differ", "renamed", "share", "signature"),
        "explain": ("ExplainStep", "Explanation", "explained"),
        "judge": ("Judgement", "OnlyInBuffer", "UnsavedNames", "all_lost"),
        "named_files": ("ComparedValues", "NamedFiles"),
        "not_indexed": ("NotIndexed", "set_aside_note", "with_named"),
        "observe": ("ABSENT", "MaskedFiles", "Observer", "FileObservation"),
        "outdated": ("CommittedText", "KeptLookups", "OutdatedDocuments"),
        "overlay": ("Buffers", "edits", "line_on_disk"),
        "reasons": ("REASONS", "ReasonText", "reason_words"),
        "shown": ("OPEN_SCHEMA", "Shown", "lines_shown", "reason_now"),
        "spans": (
            "code_lines",
            "is_document",
            "line_of_mention",
            "lines_of_import",
            "lines_of_use",
            "narrowed",
            "owners_in",
            "whole_word",
        ),
        "table": ("Observation", "freshness", "live_truth", "memory_verdict", "refresh_plan", "specificity", "verdict"),
        "weigher": ("ObservedItem", "Placed", "VerdictContext", "Weigher"),
    },
)
