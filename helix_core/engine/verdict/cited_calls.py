"""Compare a call or a signature that a text writes in code marks with the parameters of what it names.

In: a citation with parentheses and the definitions that it may mean. Out: wrong only where none of them takes what is
written: an argument too many, or a keyword that is no parameter. What is left out of an abridged call proves nothing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Sequence

from helix_core.check import Citation
from helix_core.engine.verdict.citation_outcome import (
    RIGHT,
    CitationOutcome,
    CitedPlace,
    Unjudged,
    uncompared,
    wrong_citation,
)
from helix_core.engine.verdict.declaration_changes import parse_call, signature
from helix_core.engine.verdict.outdated import OutdatedDocuments
from helix_core.ingest import Declaration
from helix_core.model import Reason, Role, SourceKind
from helix_core.store import DefinedAt
from helix_core.words import is_compound

MOST_DEFINITIONS = 8
_ARGUMENTS = re.compile(r"[^(]*\((.*)\)\s*", re.S)
_RECEIVERS = ("self", "cls")
_KEEPS_PARAMETERS = frozenset(("staticmethod", "classmethod", "abstractmethod", "override", "final"))


def compare_call(
    one: Citation, definitions: Sequence[DefinedAt], known: OutdatedDocuments, placed: Collection[tuple[str, ...]]
) -> CitationOutcome:
    """Return what became of the arguments of a symbol that is there.

    Args:
        one: The symbol, as it is written.
        definitions: What it may mean.
        known: Reads their declarations as they are on disk.
        placed: The symbols that the text names beside a place of this workspace.
    """
    written = _ARGUMENTS.fullmatch(one.written)
    call = parse_call(written[1]) if one.is_call and written is not None else None
    if call is None or not any(call) or "[" in one.written or len(definitions) > MOST_DEFINITIONS:
        return RIGHT
    definitions = [at for at in definitions if at.source_kind is SourceKind.CODE and at.role is not Role.TEST]
    given, named = call
    given = given[given[:1] in ([name] for name in _RECEIVERS) :]
    meant: list[tuple[DefinedAt, Declaration]] = []
    for at in definitions:
        code = known.code(at)
        if code is None or code.language != "python" or not _is_plain(code.declaration, code.data):
            return RIGHT
        if _accepts(code.declaration, given, named):
            return RIGHT
        meant.append((at, code.declaration))
    is_telling = one.parts in placed or len(one.parts) > 1 or is_compound(one.name)
    if len(meant) != 1 or (one.name in dir(builtins) and len(one.parts) == 1):
        return RIGHT
    if not is_telling:
        return uncompared(Unjudged.ARGUMENTS)
    at, declaration = meant[0]
    now = CitedPlace(at.path, declaration.line, one.symbol)
    return wrong_citation("arguments-differ", Reason.CHANGED, f"it is {signature(declaration)}", now)


def _is_plain(one: Declaration, data: bytes) -> bool:
    """Return whether the parameters are those of a call: no decorator may have changed them, and no class makes its
    instances in another way than by its own ``__init__``.
    """
    if one.kind == "class":
        is_made_otherwise = any("=" in base for base in one.bases) or b"__new__" in data or b"metaclass" in data
        return one.parameters is not None and not one.decorators and not is_made_otherwise
    return one.kind == "function" and one.parameters is not None and _KEEPS_PARAMETERS.issuperset(one.decorators)


def _accepts(one: Declaration, given: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether a call may go on from these arguments: there is a parameter for each."""
    parameters = one.parameters or ()
    kinds = {parameter.kind for parameter in parameters}
    positional = [parameter for parameter in parameters if parameter.kind in ("", "/")]
    names = {parameter.name for parameter in parameters if parameter.kind in ("", "=")}
    return ("*" in kinds or len(given) <= len(positional)) and ("**" in kinds or names.issuperset(named))
