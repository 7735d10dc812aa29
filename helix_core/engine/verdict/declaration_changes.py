"""Compare a declaration with what it was when a document was committed, as far as the document states it. Pure.

In: a reference in a document, and the declaration then and now. Out: a flag for each value, parameter or signature that
the document gives and that is another now.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from helix_core.ingest import (
    Declaration,
    Parameter,
    Reference,
    block,
    python_parameters,
    split,
    value_of,
)
from helix_core.model import DocumentChange, DocumentFlag

# The longest distance, in characters, between a name and a value that belongs to it.
_NEAR = 60
ALIKE = 0.6
"""Least Jaccard coefficient of the lines of two definitions of which one is the other under a new name."""
_PAST = re.compile(
    r"\b(?:remov(?:ed?|es|al|ing)|deprecat\w+|renam\w+|no longer|formerly|previous(?:ly)?|used to be|prior to"
    r"|was called|were called|instead of|replac(?:ed?|es|ing)|obsolete|legacy|dropp?(?:ed)?|gone|old(?:er)?"
    r"|(?:before|until|since|in) version|as of|up to|earlier|backwards?[- ]compat\w+|migrat\w+|historic\w+|moved"
    r"|not exist|doesn't exist|will be|would be|could be|future|planned|propos\w+)\b|\b[v<>=]*\d+\.\d+(?:\.\d+)?\b",
    re.I,
)
# The words allowed between a name and its value; with any other word the number belongs to something else.
_GIVES = re.compile(
    r"[\W_]*(?:(?:is|are|be|equals?|defaults?|value|set|to|of|by|at|from|currently|initially|which|that|it|the|an?|and"
    r"|means|hours?|days?|minutes?|seconds?|weeks?|years?|int|float|str|bool|string|number|integer)\b[\W_]*){1,9}"
    r"|[\W_]*[=:(][\W_]*"
)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d_]*+(?:\.\d++)?(?![\w.]*\w)")
_UNIT = re.compile(r"\b(days|hours|minutes|seconds|weeks|milliseconds)=(\d+)\b")
_VALUE = re.compile(r"\d|\b(?:True|False|true|false)\b|[\"']")
_MEASURED = re.compile(r"\d[\s-]+(?:days?|hours?|minutes?|seconds?|weeks?|milliseconds?)\b")
_FACTOR = re.compile(r"(?<![\w.])\d[\d_]*+(?: ?\* ?\d[\d_]*+)++")


def changes(reference: Reference, then: Declaration, now: Declaration) -> tuple[DocumentFlag, ...]:
    """Return what the reference states that held for ``then`` and not for ``now``, one flag per kind of change."""
    if reference.is_generated:
        return ()
    if speaks_of_other_times(reference.sentence) and not reference.is_signature:
        return ()
    found = [*_value(reference, then, now), *_parameters(reference, then, now)]
    return tuple({flag.change: flag for flag in reversed(found)}.values())


def states_something(reference: Reference) -> bool:
    """Return whether ``changes`` can find anything: a document that only mentions a name states nothing about it."""
    if reference.is_generated:
        return False
    if reference.is_signature or reference.arguments:
        return True
    codes = _codes_of(reference.sentence)
    others = {code.partition("=")[0].strip() for code in reference.other_code} - {reference.name}
    return (
        not codes.isdisjoint(others)
        or _VALUE.search(reference.sentence) is not None
        or (_MEASURED.search(reference.paragraph) is not None)
    )


def speaks_of_other_times(sentence: str) -> bool:
    """Return whether a sentence is about another version or a plan, which today's code cannot contradict."""
    return _PAST.search(sentence) is not None


def signature(declaration: Declaration) -> str:
    """Return the declaration as ``Owner.name(a, b=1)``."""
    return f"{dotted(declaration.chain)}({', '.join(_shown(declaration.parameters or ()))})"


def dotted(chain: Sequence[str]) -> str:
    """Return the last two names of a chain, joined by a dot."""
    return ".".join(chain[-2:])


def renamed(
    one: Declaration,
    before: Container[tuple[str, ...]],
    after: Iterable[Declaration],
    *,
    then: bytes,
    now: bytes,
) -> Declaration | None:
    """Return the only new declaration of the same owner and kind with nearly the same lines.

    Args:
        one: A declaration that is gone.
        before: The chains that its file had.
        after: The declarations that it has now.
        then: The bytes of the file that had it.
        now: Its bytes now.
    """
    text = block(then, one)[1:]
    alike = [
        other
        for other in after
        if other.chain not in before and other.chain[:-1] == one.chain[:-1] and other.kind == one.kind
        and text and share(text, block(now, other)[1:]) >= ALIKE
    ]  # fmt: skip
    return alike[0] if len(alike) == 1 else None


def share(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the Jaccard coefficient of two sets of lines."""
    first, second = set(one), set(other)
    return len(first & second) / max(len(first | second), 1)


def _shown(parameters: Sequence[Parameter]) -> Iterator[str]:
    kind = ""
    for parameter in parameters:
        if kind == "/" and parameter.kind != "/":
            yield "/"
        if parameter.kind == "=" and kind not in ("=", "*"):
            yield "*"
        kind = parameter.kind
        yield str(parameter)
    if kind == "/":
        yield "/"


# Values


def _value(reference: Reference, then: Declaration, now: Declaration) -> Iterator[DocumentFlag]:
    is_value = then.kind == now.kind == "value" and then.value != now.value
    if is_value and (
        _is_stated(reference, then.chain[-1], then.value, now.value)
        or _is_measured(reference.paragraph, then.value, now.value)
    ):
        yield _flag(DocumentChange.VALUE, reference, now, (then.value, now.value), dotted(now.chain))


def _literal(text: str) -> tuple[str, object] | None:
    """Return type and value of a literal, or None for an expression."""
    stated = value_of(text.encode())
    if stated is None:
        return None
    value, kind = stated[0].decode("utf-8", "replace"), stated[1]
    if kind in ("int", "float"):
        number = 1.0
        for factor in value.replace("_", "").split("*"):
            try:
                number *= float(factor) if "x" not in factor.lower() else float(int(factor, 0))
            except ValueError:
                return kind, value
        return "number", number
    return kind, value.casefold() if kind == "bool" else value


def _is_stated(reference: Reference, name: str, was: str, now: str) -> bool:
    """Return whether the sentence assigns the name the old value, and contains the new one nowhere."""
    before, after = _literal(was), _literal(now)
    if before is None or after is None:
        return False
    position = reference.sentence.find(name)
    rest = reference.sentence[position + len(name) :] if position >= 0 else reference.sentence
    at = _place(rest[:_NEAR], before)
    return at >= 0 and _GIVES.fullmatch(rest[:at]) is not None and _place(reference.sentence, after) < 0


def _is_measured(paragraph: str, was: str, now: str) -> bool:
    """Return whether a paragraph has the old number with its unit: ``timedelta(days=30)`` and "30 days"."""
    before, after = _UNIT.findall(was), _UNIT.findall(now)
    if len(before) != 1 or len(after) != 1 or before[0][0] != after[0][0] or before[0][1] == after[0][1]:
        return False
    unit = before[0][0].removesuffix("s")
    numbers = (before[0][1], after[0][1])
    matches = [re.search(rf"(?<![\w.]){number}[\s-]+{unit}s?\b", paragraph, re.I) for number in numbers]
    return matches[0] is not None and matches[1] is None


def _place(text: str, literal: tuple[str, object]) -> int:
    """Return the first offset of the literal in a text, or -1."""
    kind, value = literal
    if kind == "number":
        found = [*_FACTOR.finditer(text), *_NUMBER.finditer(text)]
        return min((match.start() for match in found if _literal(match[0]) == literal), default=-1)
    if kind == "bool":
        match = re.search(rf"\b{value}\b", text, re.I)
        return match.start() if match is not None else -1
    places = [text.find(f"{quote}{value}{quote}") for quote in "\"'`"]
    return min((place for place in places if place >= 0), default=-1)


# Parameters


def _parameters(reference: Reference, then: Declaration, now: Declaration) -> Iterator[DocumentFlag]:
    if then.parameters is None or now.parameters is None:
        return
    before, after = _public(then.parameters), _public(now.parameters)
    if _alike(before, after) or then.kind != now.kind:
        return
    if reference.is_signature:
        is_kept = _is_declared(reference.arguments or "", after) or _takes_all(before, after)
        if _is_declared(reference.arguments or "", before) and not is_kept:
            yield _signature_flag(reference, then, now)
        return
    if reference.arguments and "=" in reference.arguments and _is_declared(reference.arguments, before):
        # All parameters by their names, with a default of then: a signature in code, and no call.
        if not _is_declared(reference.arguments, after):
            yield _signature_flag(reference, then, now)
        return
    call = parse_call(reference.arguments) if reference.arguments else None
    if call is not None and _takes(before, *call) and not (_takes(after, *call) and _keeps(call[0], before, after)):
        yield _signature_flag(reference, then, now)
        return
    yield from _spoken_of(reference, then, now)


def parameters_differ(before: Sequence[Parameter], after: Sequence[Parameter]) -> str:
    """Return how two parameter lists differ, phrased to follow the name of the function."""
    old, new = ({one.name: one for one in some} for some in (before, after))
    gone = [name for name in old if name not in new]
    added = [str(one) for name, one in new.items() if name not in old]
    other = [
        f"{name}={old[name].default} as {name}={new[name].default}"
        for name in old
        if name in new
        and None not in (old[name].default, new[name].default)
        and old[name].as_called[2] != new[name].as_called[2]
    ]
    differences = [
        f"has no parameter {', '.join(gone)} any more" if gone else "",
        f"also takes {', '.join(added)} now" if added else "",
        f"has {', '.join(other)} now" if other else "",
    ]
    return " and ".join(filter(None, differences)) or "takes its parameters in another way now"


def _public(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    return tuple(
        parameter for parameter in parameters if not parameter.name.startswith("_") or parameter.kind in ("*", "**")
    )


def _alike(before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether no documented call distinguishes the parameters: the names of ``*args`` and ``**kwargs`` do not
    matter, nor do keywords that are taken in addition now.
    """
    takes_any = any(one.kind == "**" for one in before)
    old = [one.as_called for one in before]
    return old == [one.as_called for one in after if takes_any or one.kind != "**"]


def _is_declared(arguments: str, parameters: Sequence[Parameter]) -> bool:
    """Return whether a documented signature has exactly these parameters, with the defaults that it states."""
    stated = python_parameters(arguments.replace("[", "").replace("]", "").replace("\\", ""))
    if [(one.name, one.kind in ("*", "**")) for one in stated] != [
        (parameter.name, parameter.kind in ("*", "**")) for parameter in parameters
    ]:
        return False
    return all(
        one.default is None or other.default is None or _same_default(one.default, other.default)
        for one, other in zip(stated, parameters, strict=True)
    )


def _takes_all(before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether only optional parameters are gone and ``**kwargs`` takes them all, so that the documented call
    still works.
    """
    left = {one.name for one in after}
    gone = [one for one in before if one.name not in left and one.kind != "**"]
    kept = [one.name for one in before if one.name in left and one.kind != "**"]
    is_optional = all(one.default is not None and one.kind in ("", "=") for one in gone)
    takes_any = any(one.kind == "**" for one in after)
    return bool(gone) and is_optional and takes_any and kept == [one.name for one in after if one.kind != "**"]


def _same_default(stated: str, real: str) -> bool:
    """Return whether two defaults are equal; a name or call has many spellings, so only two literals can differ."""
    one, other = _literal(stated), _literal(real)
    return one is None or other is None or one == other


def parse_call(arguments: str) -> tuple[list[str], list[str]] | None:
    """Return the positional arguments and the keyword names of a call, or None if it is abbreviated."""
    if "..." in arguments or "…" in arguments:
        return None
    given, named = [], []
    for piece in split(arguments):
        text = piece.strip()
        if text.startswith("*"):
            return None
        match = re.match(r"([A-Za-z_]\w*)\s*=(?!=)", text)
        if match is not None:
            named.append(match[1])
        elif text:
            given.append(text)
    return given, named


def _takes(parameters: Sequence[Parameter], given: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether the parameters accept the call."""
    positional = [parameter for parameter in parameters if parameter.kind in ("", "/")]
    names = {parameter.name for parameter in parameters if parameter.kind in ("", "=")}
    if len(given) > len(positional) and not any(parameter.kind == "*" for parameter in parameters):
        return False
    if not names.issuperset(named) and not any(parameter.kind == "**" for parameter in parameters):
        return False
    filled = {one.name for one in positional[: len(given)]} | set(named)
    return all(parameter.name in filled or not _is_required(parameter) for parameter in parameters)


def _keeps(given: Sequence[str], before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether positional arguments that equal the parameters' names still do."""
    old, new = ([one.name for one in some if one.kind in ("", "/")] for some in (before, after))
    return old[: len(given)] != list(given) or new[: len(given)] == list(given)


def _is_required(one: Parameter) -> bool:
    return one.default is None and one.kind not in ("*", "**")


def _spoken_of(reference: Reference, then: Declaration, now: Declaration) -> Iterator[DocumentFlag]:
    """Flag parameters that the paragraph marks up as code next to the name: removed, or with another default."""
    before = {one.name: one for one in then.parameters or ()}
    after = {one.name: one for one in now.parameters or ()}
    takes_any = any(one.kind == "**" for one in now.parameters or ())
    for code in reference.other_code:
        name = code.partition("=")[0].strip()
        old = before.get(name)
        if old is None or name not in _codes_of(reference.sentence):
            continue
        new = after.get(name)
        if new is None:
            if not takes_any and old.kind not in ("*", "**"):
                added = [one.name for one in after.values() if one.name not in before]
                became = added[0] if len(added) == 1 else ""
                yield _flag(DocumentChange.PARAMETER, reference, now, (name, became), dotted(now.chain))
            continue
        sides = (old.default or "", new.default or "")
        if all(sides) and old.as_called[2] != new.as_called[2] and _is_stated(reference, name, *sides):
            yield _flag(DocumentChange.DEFAULT, reference, now, sides, f"{name} of {dotted(now.chain)}")


def _codes_of(sentence: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_]\w*", sentence))


def _signature_flag(reference: Reference, then: Declaration, now: Declaration) -> DocumentFlag:
    return DocumentFlag(
        DocumentChange.SIGNATURE,
        dotted(now.chain),
        reference.line,
        signature(then),
        signature(now),
        code_line=now.line,
        written=reference.written,
        difference=parameters_differ(then.parameters or (), now.parameters or ()),
    )


def _flag(
    change: DocumentChange, reference: Reference, now: Declaration, sides: tuple[str, str], symbol: str
) -> DocumentFlag:
    was, is_now = sides
    return DocumentFlag(change, symbol, reference.line, was, is_now, code_line=now.line, written=reference.written)
