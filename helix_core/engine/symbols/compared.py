"""Compare the declarations of two versions of a file: what went away, and what is called in another way now. Pure.

In: the masked bytes of both versions and what each declares. Out: the changes that a user of a name may have to follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from helix_core.engine.verdict import parameters_differ, renamed, signature, whole_word
from helix_core.ingest import (
    COROUTINE,
    PROPERTIES,
    TREE_LANGUAGES,
    UNSTATED_RESULTS,
    Declaration,
    FileDeclarations,
    Parameter,
    declarations,
    file_declarations,
    language_of,
    record_fields,
)
from helix_core.secrets import mask
from helix_core.workspace import source_id_of

_IMPORTING = (b"import ", b"from ", b"export {", b"use ", b"pub use ")
_AROUND_A_MARK = re.compile(r" ?([^\w ]) ?")
_WORDS = re.compile(rb"\w+")
_CONSTRUCTORS = frozenset(("__construct", "constructor", "init", "initialize"))
ReadDeclarations = Callable[[bytes, bytes], FileDeclarations]
"""Returns what the file at a path declares, of its masked bytes."""


@dataclass(frozen=True, slots=True)
class Change:
    """A declaration that is not as it was: ``then`` in the file at ``path``, ``now`` where it is, None if it is gone.

    ``kind`` is ``signature``, ``gone``, ``renamed`` (the same text under another name), ``moved`` (to ``now_path``) or
    ``inherited`` (a base class has it now). Users of what moved and ``is_reached`` need not follow.
    """

    kind: str
    path: bytes
    then: Declaration
    now: Declaration | None = None
    now_path: bytes = b""
    is_reached: bool = False

    @property
    def breaks(self) -> bool:
        """Return whether a call or an import that was right before may be wrong now."""
        if self.kind not in ("signature", "inherited") or self.now is None:
            return not self.is_reached
        before, after = self.then.parameters or (), self.now.parameters or ()
        if is_of_tree(self.then):
            return self.then.result != self.now.result or not still_takes(before, after)
        return _use(self.then) != _use(self.now) or not still_binds(before, after)

    @property
    def called(self) -> tuple[str, ...]:
        """Return the chain that users write: that of the class for its constructor."""
        chain = self.then.chain
        is_constructor = len(chain) > 1 and is_of_tree(self.then) and chain[-1] in (*_CONSTRUCTORS, chain[-2])
        return chain[:-1] if is_constructor else chain

    @property
    def order(self) -> tuple[object, ...]:
        """Return the sort key: what breaks first, of that another result last, public names before private ones."""
        is_result = self.kind == "signature" and self.now is not None and bound(self.then) == bound(self.now)
        return (not self.breaks, is_result, self.then.chain[-1].startswith("_"), self.path, self.then.line)


def still_binds(before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether every call that the parameters ``before`` accept is accepted by those ``after``."""
    new = {one.name: one for one in after}
    if {one.kind for one in before} & {"*", "**"} - {one.kind for one in after}:
        return False
    plain = [one for one in before if one.kind not in ("*", "**")]
    for one in plain:
        other = new.pop(one.name, None)
        if other is None or (one.default is not None and other.default is None):
            return False
        if one.kind != other.kind and (one.kind, other.kind) != ("=", "") and (one.kind, other.kind) != ("/", ""):
            return False
    by_place = [one.name for one in plain if one.kind != "="]
    if [one.name for one in after if one.kind in ("", "/")][: len(by_place)] != by_place:
        return False
    return all(one.default is not None or one.kind in ("*", "**") for one in new.values())


def still_takes(before: Sequence[Parameter], after: Sequence[Parameter]) -> bool:
    """Return whether each call that the parameters ``before`` accept is accepted by those ``after``, where types count.

    A call gives most of them by their places.
    """
    sides = [
        ([one for one in some if one.kind == ""], [one for one in some if one.kind != ""]) for some in (before, after)
    ]
    (old, old_others), (new, new_others) = sides
    if len(new) < len(old) or any(one.default is None for one in new[len(old) :]):
        return False
    if any(
        (one.name, one.type) != (other.name, other.type) or (one.default is not None and other.default is None)
        for one, other in zip(old, new, strict=False)
    ):
        return False
    named = {(one.name, one.kind, one.type): one for one in new_others}
    for one in old_others:
        other = named.pop((one.name, one.kind, one.type), None)
        if other is None or (one.default is not None and other.default is None):
            return False
    return all(one.default is not None or one.kind in ("*", "**") for one in named.values())


def is_of_tree(one: Declaration) -> bool:
    """Return whether a declaration was read from a syntax tree, so that types count."""
    return one.end_line > 0


def compared(path: bytes, then: bytes, now: bytes, read: ReadDeclarations = file_declarations) -> list[Change]:
    """Return the changes between two versions of a file; ``now`` is empty where there is no file any more.

    What went away with its owner is reported by the owner alone, a constructor in Python and JavaScript by its class.
    Local names, private constants and fields are never reported.

    Args:
        path: The file's path.
        then: Its bytes then.
        now: Its bytes now.
        read: Reads what the masked bytes declare.
    """
    language = language_of(path, then or now).name
    if then == now:
        return []
    if language in TREE_LANGUAGES:
        then, now = mask(then).data, mask(now).data
        return list(_of_trees(path, (then, read(path, then)), (now, read(path, now)), language))
    if declarations(then, language) == declarations(now, language):
        return []
    # Signatures and values are shown, so secrets among them are masked; most files need none of that.
    then, now = mask(then).data, mask(now).data
    return list(_of_lines(path, (then, declarations(then, language)), (now, declarations(now, language)), language))


def members_compared(one: Change, then: bytes, now: bytes, read: ReadDeclarations = file_declarations) -> list[Change]:
    """Return the changes of the members of what is called or lies in another way now.

    Args:
        one: The change of their owner.
        then: The bytes of the file that had it.
        now: Those of the file that has it.
        read: Reads what the masked bytes declare.
    """
    language = language_of(one.path, then).name
    if one.now is None or not then or not now:
        return []
    then, now = mask(then).data, mask(now).data
    old, new = one.then.chain, one.now.chain
    before = read(one.path, then)
    after = read(one.now_path, now)
    own = [each for each in before.declared if each.chain[: len(old)] == old != each.chain]
    there = [
        replace(each, chain=(*old, *each.chain[len(new) :]))
        for each in after.declared
        if each.chain[: len(new)] == new != each.chain
    ]
    if language in TREE_LANGUAGES:
        sides = ((then, replace(before, declared=tuple(own))), (now, replace(after, declared=tuple(there))))
        found = _of_trees(one.path, *sides, language)
    else:
        found = _of_lines(one.path, (then, own), (now, there), language)
    return [
        change
        if change.now is None
        else replace(
            change, now=replace(change.now, chain=(*new, *change.now.chain[len(old) :])), now_path=one.now_path
        )
        for change in found
    ]


def _of_lines(
    path: bytes,
    of_then: tuple[bytes, Sequence[Declaration]],
    of_now: tuple[bytes, Sequence[Declaration]],
    language: str,
) -> Iterator[Change]:
    (then, olds), (now, news) = of_then, of_now
    before, after = _by_chain(olds), _by_chain(news)
    # Overloads, and definitions by platform, are several under one chain: they are there, and not compared.
    several = {declaration.chain for declaration in news} - after.keys()
    for chain, one in before.items():
        if chain in several:
            continue
        if chain not in after:
            is_said = any(chain[:depth] in before and chain[:depth] not in after for depth in range(1, len(chain)))
            if not is_said and _counts(one, language) and not _is_imported(one, now):
                other = renamed(one, before, after.values(), then=then, now=now)
                yield Change("gone" if other is None else "renamed", path, one, other, path if other else b"")
            continue
        other = after[chain]
        if one.kind == other.kind == "class" and language == "python":
            yield from _of_records(
                path, (one, record_fields(one, olds, then)), (other, record_fields(other, news, now))
            )
        is_constructor = chain[-1] in ("__init__", "constructor") and chain[:-1] in before
        # Whether a value can be called, and how, is not known.
        if "value" in (one.kind, other.kind) or is_constructor:
            continue
        if bound(one) != bound(other) or _use(one) != _use(other):
            yield Change("signature", path, one, other, path)


def _of_records(
    path: bytes,
    then: tuple[Declaration, tuple[Parameter, ...] | None],
    now: tuple[Declaration, tuple[Parameter, ...] | None],
) -> Iterator[Change]:
    """Yield the change of a class of Python whose fields make its constructor, as those of a dataclass do."""
    (one, before), (other, after) = then, now
    if before is not None and after is not None:
        old, new = replace(one, parameters=before), replace(other, parameters=after)
        if bound(old) != bound(new):
            yield Change("signature", path, old, new, path)


def _of_trees(
    path: bytes, then: tuple[bytes, FileDeclarations], now: tuple[bytes, FileDeclarations], language: str
) -> Iterator[Change]:
    before, after = (_overloads(one.declared) for _, one in (then, now))
    for chain, olds in before.items():
        if chain in after:
            yield from _of_overloads(path, olds, after[chain], language)
            continue
        is_said = any(chain[:depth] in before and chain[:depth] not in after for depth in range(1, len(chain)))
        if is_said or _may_be_there(chain[-1], *now) or not _counts(olds[0], language):
            continue
        if _is_imported(olds[0], now[0]) or (language == "ruby" and _is_aliased(chain[-1], now[0])):
            continue
        others = [one for several in after.values() for one in several]
        other = renamed(olds[0], before, others, then=then[0], now=now[0])
        yield Change("gone" if other is None else "renamed", path, olds[0], other, path if other else b"")


def _overloads(declared: Sequence[Declaration]) -> dict[tuple[str, ...], list[Declaration]]:
    """Return the declarations by chain; of those with the same parameters, as prototypes have, the first."""
    found: dict[tuple[str, ...], list[Declaration]] = {}
    for one in declared:
        several = found.setdefault(one.chain, [])
        if not any(_types(one) == _types(other) and one.kind == other.kind for other in several):
            several.append(one)
    return found


def _of_overloads(
    path: bytes, olds: Sequence[Declaration], news: Sequence[Declaration], language: str
) -> Iterator[Change]:
    """Yield the changes of what has one name: each overload that is not there any more, with what may be instead."""
    if language in UNSTATED_RESULTS and not all(one.result for one in (*olds, *news)):
        olds, news = ([replace(one, result="") for one in some] for some in (olds, news))
    shapes = {(bound(one), one.result) for one in news if one.parameters is not None}
    left = [one for one in olds if one.parameters is not None and (bound(one), one.result) not in shapes]
    known = {(bound(one), one.result) for one in olds if one.parameters is not None}
    added = [one for one in news if one.parameters is not None and (bound(one), one.result) not in known]
    for at, one in enumerate(left):
        there = added[at] if at < len(added) else next((new for new in news if new.parameters is not None), None)
        if there is not None and there.kind == one.kind:
            yield Change("signature", path, one, there, path)


def _may_be_there(name: str, now: bytes, found: FileDeclarations) -> bool:
    """Return whether a file may still define a name that was not found in it: its tree is in doubt about it."""
    if name in found.in_doubt:
        return True
    return found.has_errors and whole_word(name).search(now.decode("utf-8", "replace")) is not None


def _is_aliased(name: str, now: bytes) -> bool:
    """Return whether a file of Ruby keeps a name for a method that is called in another way now."""
    pattern = rf"(?m)^[ \t]*(?:alias_method[ (][ \t]*[:\"']|alias[ \t]+:?){re.escape(name)}(?![\w?!=])"
    return re.search(pattern, now.decode("utf-8", "replace")) is not None


def before_renaming(data: bytes, name: str) -> str:
    """Return what an import calls by this name (``Other as name``); the name itself where none does."""
    alias = name.encode()
    for words in _imports(data):
        for own, joint, other in zip(words, words[1:], words[2:], strict=False):
            if joint == b"as" and other == alias:
                return own.decode("utf-8", "replace")
    return name


def _by_chain(declared: Sequence[Declaration]) -> dict[tuple[str, ...], Declaration]:
    """Return the declarations by chain, without those of which there are several."""
    found: dict[tuple[str, ...], Declaration] = {}
    several: set[tuple[str, ...]] = set()
    for declaration in declared:
        several |= {declaration.chain} & found.keys()
        found.setdefault(declaration.chain, declaration)
    return {chain: one for chain, one in found.items() if chain not in several}


def bound(one: Declaration) -> tuple[tuple[object, ...], ...]:
    """Return the parameters as far as a call tells them."""
    return tuple((*parameter.as_called, parameter.type) for parameter in one.parameters or ())


def _use(one: Declaration) -> str:
    """Return how a function of Python is used: it is read as a property, awaited, or called, which is empty."""
    return (
        "is a property" if PROPERTIES.intersection(one.decorators) else "is awaited" if one.result == COROUTINE else ""
    )


def _types(one: Declaration) -> tuple[tuple[str, str, str], ...]:
    return tuple((parameter.name, parameter.kind, parameter.type) for parameter in one.parameters or ())


def _counts(one: Declaration, language: str) -> bool:
    """Return whether others may refer to it: of values only constants of a module, in Python those in capitals."""
    name = one.chain[-1]
    if language == "rust" and one.chain[0] in ("test", "tests"):
        return False
    if is_of_tree(one):
        return one.kind != "value" or name[0] != "_"
    return one.kind != "value" or (len(one.chain) == 1 and name[0] != "_" and (name.isupper() or language != "python"))


def _is_imported(one: Declaration, now: bytes) -> bool:
    """Return whether the file has the name by an import now: who imports it from here still gets it."""
    return len(one.chain) == 1 and any(one.chain[0].encode() in words for words in _imports(now))


def _imports(data: bytes) -> Iterator[list[bytes]]:
    """Yield the words of each line that belongs to an import, or to an export from elsewhere, brackets included.

    Line by line, because a pattern for whole statements takes quadratic time on hostile text.
    """
    is_open = False
    for line in data.splitlines():
        if is_open or line.lstrip().startswith(_IMPORTING):
            yield _WORDS.findall(line)
            opening, closing = max(map(line.rfind, (b"(", b"{"))), max(map(line.rfind, (b")", b"}")))
            is_open = opening > closing or (is_open and closing < 0)


def change_object(one: Change) -> dict[str, Any]:
    """Return what changed, without the places."""
    then, now = one.then, one.now
    is_shown = one.kind in ("signature", "inherited") and now is not None
    return {
        "change": one.kind,
        "breaks": one.breaks,
        "symbol": ".".join(then.chain),
        "kind": then.kind,
        "source_id": source_id_of(one.path),
        "line_then": then.line,
        "was": _signature(then) + _result(then, now) if then.kind != "value" else ".".join(then.chain),
        "now": "" if now is None else _signature(now) + _result(now, then) if is_shown else ".".join(now.chain),
        "detail": _differing(then, now) if one.kind == "signature" and now else "",
    }


def _signature(one: Declaration) -> str:
    """Return the signature; of a class of which no constructor is known, and of a property, the name alone."""
    if PROPERTIES.intersection(one.decorators):
        return f"@property {'.'.join(one.chain)}"
    if one.kind == "class" and one.parameters is None:
        return ".".join(one.chain)
    return f"async {signature(one)}" if one.result == COROUTINE else signature(one)


def _result(one: Declaration, other: Declaration | None) -> str:
    """Return what a function returns, where that is another type now."""
    if other is None or not is_of_tree(other) or one.result == other.result or not one.result:
        return ""
    return f" -> {_compact(one.result)}"


def _compact(tokens: str) -> str:
    """Return the tokens of a type as they are usually written."""
    return _AROUND_A_MARK.sub(r"\1", tokens).replace(",", ", ")


def _differing(then: Declaration, now: Declaration) -> str:
    if is_of_tree(then):
        return _tokens_differ(then, now)
    if then.kind == "class" and then.parameters is None:
        return "has a constructor of its own now"
    if now.kind == "class" and now.parameters is None:
        return "has no constructor of its own any more"
    if _use(then) != _use(now):
        return f"{_use(now) or 'is called'} now"
    return parameters_differ(then.parameters or (), now.parameters or ())


def _tokens_differ(then: Declaration, now: Declaration) -> str:
    """Return how two signatures differ, phrased to follow the name of the function."""
    old, new = (list(zip(bound(one), map(str, one.parameters or ()), strict=True)) for one in (then, now))
    gone, added = (", ".join(_only(*sides)) for sides in ((old, new), (new, old)))
    if gone and added:
        return f"takes {added} instead of {gone} now"
    if gone or added:
        return f"has no parameter {gone} any more" if gone else f"also takes {added} now"
    if then.result != now.result:
        sides = (_compact(one.result) or "nothing" for one in (now, then))
        return "returns {} instead of {} now".format(*sides)
    return "takes its parameters in another way now"


def _only(some: Sequence[tuple[object, str]], others: Sequence[tuple[object, str]]) -> Iterator[str]:
    """Yield the texts of what the others have less often."""
    left = [key for key, _ in others]
    for key, text in some:
        if key in left:
            left.remove(key)
        else:
            yield text
