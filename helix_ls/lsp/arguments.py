"""The one object a command gets → a value with types, or one sentence about what is wrong with it.

Pure. What a field is named on the wire is what it is named here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, get_args, get_type_hints

from helix_ls.lsp.replies import INVALID_PARAMS, RequestError

_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object"}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Nothing:
    """No arguments."""


@dataclass(frozen=True, slots=True)
class Packet:
    """``helix.packet``; ``quotes`` and ``max_tokens`` as the engine's ``packet`` has them."""

    question: str
    task: str = "explain"
    k: int = 8
    quotes: str = "chosen"
    max_tokens: int | None = None
    workspace: str | None = None
    uri: str | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class PacketId:
    """``helix.packet.close``."""

    packet_id: str


@dataclass(frozen=True, slots=True)
class Search:
    """``helix.search``."""

    question: str
    k: int = 10
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """``helix.refreshPlan``: an open packet, or a question."""

    packet_id: str | None = None
    question: str | None = None
    task: str = "explain"
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Explain:
    """``helix.explain``: a span as a packet names it, a place in a document, or how an open packet, or the answer to a
    question, came about. ``symbol`` is what the packet calls the span."""

    source_id: str | None = None
    start_line: int = 0
    end_line: int = 0
    symbol: str = ""
    task: str = "explain"
    workspace: str | None = None
    uri: str | None = None
    position: dict[str, Any] | None = None
    packet_id: str | None = None
    question: str | None = None
    k: int = 8


@dataclass(frozen=True, slots=True)
class Open:
    """``helix.open``: lines of a file or a note, as an answer names it; ``end_line`` 0: as many as there are."""

    source_id: str
    start_line: int = 1
    end_line: int = 0
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class SymbolArguments:
    """``helix.symbol``: a place in a document, or a name."""

    uri: str | None = None
    position: dict[str, Any] | None = None
    name: str | None = None
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Workspace:
    """What is about one folder."""

    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Proxy:
    """``helix.proxy``: ``focused`` says that the window has come to the front, ``start`` false only asks how it is."""

    workspace: str | None = None
    focused: bool = False
    start: bool = True


@dataclass(frozen=True, slots=True)
class File:
    """``helix.refreshFile``."""

    uri: str


@dataclass(frozen=True, slots=True)
class Dismiss:
    """``helix.dismiss``: a finding is not shown again while the text it is about stays as it is."""

    uri: str
    code: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class Sides:
    """``helix.openSides``: both places of a finding; lines are 1-based."""

    uri: str
    start_line: int
    other_uri: str
    other_start_line: int


def read(shape: type[T], command: str, given: Sequence[Any] | None) -> T:
    """The arguments of a command. Raises RefusedError (-32602), naming the command and the field."""
    arguments = list(given or [])
    if len(arguments) > 1 or (arguments and not isinstance(arguments[0], dict | None)):
        raise _refused(command, "takes one object, or nothing")
    values = dict(arguments[0] or {}) if arguments else {}
    types = get_type_hints(shape)
    known: dict[str, Any] = {}
    for each in fields(shape):  # type: ignore[arg-type]
        value = values.pop(each.name, None)
        if value is not None:
            known[each.name] = _checked(command, each.name, value, types[each.name])
        elif each.default is MISSING:
            raise _refused(command, f"needs {each.name}")
    if values:
        raise _refused(command, f"knows no {next(iter(values))[:100]!r}; it takes {', '.join(types) or 'nothing'}")
    return shape(**known)


def _checked(command: str, name: str, value: Any, wanted: Any) -> Any:
    kinds = [_origin(each) for each in get_args(wanted) or (wanted,)] if not hasattr(wanted, "__origin__") else [dict]
    kind = next(each for each in kinds if each is not type(None))
    # In Python a truth value is a number too; on the wire it is not.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _refused(command, f"needs {_NAMES[kind]} as {name}")
    return value


def _origin(wanted: Any) -> Any:
    return getattr(wanted, "__origin__", wanted)


def _refused(command: str, sentence: str) -> RequestError:
    return RequestError(INVALID_PARAMS, f"{command} {sentence}")
