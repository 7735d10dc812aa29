"""Turn a file's bytes into a ``Document``: language, chunks, symbols, claims, provenance, with secrets masked.

``document.ingest`` is the entry point; ``pool.IngestPool`` does the same for many files in worker processes with
resource limits. Pure: bytes in, values out. Never reads the disk, runs git or knows SQL, and never decides freshness.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.ingest.chains import Chains, ClassSpan
    from helix_core.ingest.claim_config import value_of
    from helix_core.ingest.claims import find
    from helix_core.ingest.document import ingest, parser_version, preload_grammar
    from helix_core.ingest.generation import is_current_generation, parser_generation
    from helix_core.ingest.grammars import GRAMMARS
    from helix_core.ingest.languages import language_of
    from helix_core.ingest.parse_guard import ParseGuard, no_parse_guard
    from helix_core.ingest.pool import FAILURES, IngestPool, Limits, Quarantined, ingest_in_process
    from helix_core.ingest.references import Reference, code_spans, references_in
    from helix_core.ingest.signatures import (
        COROUTINE,
        MEMBERLESS_BASES,
        PROPERTIES,
        Declaration,
        Parameter,
        arguments_at,
        base_name,
        block,
        declarations,
        declared,
        may_differ,
        plain_base,
        python_parameters,
        record_fields,
        sole,
        split,
    )
    from helix_core.ingest.syntax import Deadline, is_worth_parsing, load, parse, time_for
    from helix_core.ingest.tree_declarations import (
        TREE_LANGUAGES,
        UNSTATED_RESULTS,
        FileDeclarations,
        file_declarations,
        may_declare,
    )

__all__ = [
    "COROUTINE",
    "FAILURES",
    "GRAMMARS",
    "MEMBERLESS_BASES",
    "PROPERTIES",
    "TREE_LANGUAGES",
    "UNSTATED_RESULTS",
    "Chains",
    "ClassSpan",
    "Deadline",
    "Declaration",
    "FileDeclarations",
    "IngestPool",
    "Limits",
    "Parameter",
    "ParseGuard",
    "Quarantined",
    "Reference",
    "arguments_at",
    "base_name",
    "block",
    "code_spans",
    "declarations",
    "declared",
    "file_declarations",
    "find",
    "ingest",
    "ingest_in_process",
    "is_current_generation",
    "is_worth_parsing",
    "language_of",
    "load",
    "may_declare",
    "may_differ",
    "no_parse_guard",
    "parse",
    "parser_generation",
    "parser_version",
    "plain_base",
    "preload_grammar",
    "python_parameters",
    "record_fields",
    "references_in",
    "sole",
    "split",
    "time_for",
    "value_of",
]

__getattr__ = lazy_face(
    __name__,
    {
        "chains": ("Chains", "ClassSpan"),
        "claim_config": ("value_of",),
        "claims": ("find",),
        "document": ("ingest", "parser_version", "preload_grammar"),
        "generation": ("is_current_generation", "parser_generation"),
        "grammars": ("GRAMMARS",),
        "languages": ("language_of",),
        "parse_guard": ("ParseGuard", "no_parse_guard"),
        "pool": ("FAILURES", "IngestPool", "Limits", "Quarantined", "ingest_in_process"),
        "references": ("Reference", "code_spans", "references_in"),
        "signatures": (
            "COROUTINE",
            "MEMBERLESS_BASES",
            "PROPERTIES",
            "Declaration",
            "Parameter",
            "arguments_at",
            "base_name",
            "block",
            "declarations",
            "declared",
            "may_differ",
            "plain_base",
            "python_parameters",
            "record_fields",
            "sole",
            "split",
        ),
        "syntax": ("Deadline", "is_worth_parsing", "load", "parse", "time_for"),
        "tree_declarations": (
            "TREE_LANGUAGES",
            "UNSTATED_RESULTS",
            "FileDeclarations",
            "file_declarations",
            "may_declare",
        ),
    },
)
