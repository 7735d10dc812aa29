"""Hover and code lenses: what is known about the symbol under the cursor, as properly escaped Markdown."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from lsprotocol import types

from helix_core.engine import Helix
from helix_core.engine.verdict import reason_words
from helix_core.errors import WorkspaceError
from helix_core.model import LineSpan, Overlays
from helix_core.printable import count, one_line
from helix_core.workspace import source_id_of
from helix_ls.lsp.connection import ClientConnection
from helix_ls.lsp.documents import name_at, to_column, to_units
from helix_ls.lsp.folders import FileInFolder
from helix_ls.lsp.replies import CONTENT_MODIFIED, RequestError

_MARKUP = frozenset("\\`*_{}[]()<>#+-.!|~$&:@^=\"'")


def escaped(text: str) -> str:
    """Escape a text for Markdown, so that it is shown literally."""
    return "".join("\\" + character if character in _MARKUP else character for character in one_line(text))


def code(text: str) -> str:
    """Return the text as a code span (CommonMark §6.1: fenced by more backticks than it contains)."""
    shown = one_line(text)
    longest = run = 0
    for character in shown:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def link(text: str, address: str) -> str:
    """Return a Markdown link that shows ``text``."""
    target = quote(address, safe="/:#%?&=,;@!$'*+~")
    return f"[{escaped(text)}]({target})"


SHOWN = 3
LONGEST_MEMORY = 240
MARKS = {"verified": "✓ verified", "stale_risk": "~ stale risk", "needs_refresh": "! needs refresh"}
_UNITS = (
    (31_536_000, "year"),
    (2_592_000, "month"),
    (604_800, "week"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


async def hover(connection: ClientConnection, params: types.HoverParams) -> types.Hover | None:
    """Handle ``textDocument/hover``: describe the identifier at the position, or return None.

    Raises RequestError (ContentModified) if the document changed meanwhile.
    """
    uri = params.text_document.uri
    place, document = connection.place(uri), connection.documents.get(uri)
    if place is None or document is None or document.is_large or not place.folder.settings.hover:
        return None
    encoding, number = connection.documents.encoding, params.position.line
    line = document.line(number)
    name, start, end = name_at(line, to_column(line, params.position.character, encoding))
    if not name:
        return None
    edition = document.edition
    known, memories, unread = await around(connection, place, name, number + 1)
    if document.edition != edition:
        raise RequestError(CONTENT_MODIFIED, "the document changed meanwhile")
    if known is None and not memories and not unread:
        return None
    is_markdown = connection.client.reads_markdown
    kind = types.MarkupKind.Markdown if is_markdown else types.MarkupKind.PlainText
    return types.Hover(
        contents=types.MarkupContent(kind, render(known, time.time(), memories, unread, markdown=is_markdown)),
        range=types.Range(
            types.Position(number, to_units(line, start, encoding)),
            types.Position(number, to_units(line, end, encoding)),
        ),
    )


async def symbol(connection: ClientConnection, place: FileInFolder, name: str, line: int) -> dict[str, Any] | None:
    """Return the ``helix.symbol/1`` object of a name at a 1-based line of a file, or None if it is unknown."""

    def act(helix: Helix, overlays: Overlays, cancelled: Any) -> dict[str, Any] | None:
        return helix.symbols.about(name, path=place.path, line=line, overlays=overlays, k=None, cancelled=cancelled)

    try:
        return await connection.ask(place.folder, act)
    except WorkspaceError:
        # The status already reports that the folder is missing.
        return None


async def around(
    connection: ClientConnection, place: FileInFolder, name: str, line: int
) -> tuple[dict[str, Any] | None, list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the ``helix.symbol/1`` object of a name at a 1-based line of a file, None if it is unknown, the memories
    that cite the line or a definition of the name, and for an unknown name the files that may define it unread.
    """

    def act(
        helix: Helix, overlays: Overlays, cancelled: Any
    ) -> tuple[dict[str, Any] | None, list[dict[str, Any]], list[dict[str, Any]]]:
        known = helix.symbols.about(name, path=place.path, line=line, overlays=overlays, k=None, cancelled=cancelled)
        defined = known["definitions"] if known is not None else []
        lines = [(place["source_id"], LineSpan(**place.get("buffer", _span(place)))) for place in defined]
        symbols = {(place["source_id"], place["symbol"]) for place in defined if place["symbol"]}
        pointed = (source_id_of(place.path), LineSpan(line, line))
        unread = helix.symbols.unread(name) if known is None else []
        return known, helix.memory.answers.citing([pointed, *lines], symbols, overlays=overlays), unread

    try:
        return await connection.ask(place.folder, act)
    except WorkspaceError:
        # The status already reports that the folder is missing.
        return None, [], []


def _span(place: dict[str, Any]) -> dict[str, int]:
    return {name: place[name] for name in ("start_line", "end_line")}


def render(
    symbol: dict[str, Any] | None,
    now: float,
    memories: Sequence[dict[str, Any]] = (),
    unread: Sequence[dict[str, Any]] = (),
    *,
    markdown: bool = True,
) -> str:
    """Return the text of a hover; ``now`` in Unix seconds. ``unread`` files may define a name that is unknown."""
    lines = _about(symbol, now, markdown) if symbol is not None else []
    lines += [f"Perhaps defined in {_link(each, markdown)} {_mark(each, markdown)}" for each in unread]
    lines += [_memory(each, markdown) for each in memories[:SHOWN]]
    if len(memories) > SHOWN:
        lines.append(f"… and {count(len(memories) - SHOWN, 'more memory', 'more memories')}")
    return ("\n\n" if markdown else "\n").join(line for line in lines if line)


def _memory(memory: dict[str, Any], markdown: bool) -> str:
    """Return the line of a memory: its verdict, who said it where that is not the user, and its text as it was said."""
    text = memory["text"] if len(memory["text"]) <= LONGEST_MEMORY else memory["text"][: LONGEST_MEMORY - 1] + "…"
    said_by = "" if memory["origin"] == "user" else f", by {memory['origin']}"
    about = f"{one_line(memory['kind'])} {memory['id']}{said_by}"
    shown, named = (escaped(text), escaped(about)) if markdown else (one_line(text), about)
    return f"Remembered {_mark(memory, markdown, since='cited')}: {shown} ({named})"


def _about(symbol: dict[str, Any], now: float, markdown: bool) -> list[str]:
    lines = [_heading(symbol, markdown)]
    definitions = symbol["definitions"]
    lines += [_definition(each, now, markdown, marked=each is definitions[0]) for each in definitions[:SHOWN]]
    if len(definitions) > SHOWN:
        lines.append(f"… and {count(len(definitions) - SHOWN, 'more definition')}")
    lines += _places(_used(symbol), symbol["users"], symbol["users_total"], markdown)
    lines += _places("Tested by", symbol["tests"], len(symbol["tests"]), markdown)
    lines += _places("Documented in", symbol["documents"], len(symbol["documents"]), markdown)
    lines += _places("Changes together with", symbol.get("co_changed", []), 0, markdown)
    lines += [escaped(note) if markdown else one_line(note) for note in symbol["notes"]]
    return lines


def _used(symbol: dict[str, Any]) -> str:
    """Return how many use it: a function counts once, however often it does, and so does a line outside of one."""
    about = "" if symbol.get("totals_exact", True) else "about "
    return f"Used at {about}{count(symbol['users_total'], 'place')} (a function counts once)"


def _heading(symbol: dict[str, Any], markdown: bool) -> str:
    name, kind = symbol["symbol"] or symbol["name"], symbol["kind"]
    shown = code(name) if markdown else one_line(name)
    return f"**{shown}**" + (f" · {escaped(kind)}" if kind else "") if markdown else f"{shown} ({one_line(kind)})"


def _definition(place: dict[str, Any], now: float, markdown: bool, *, marked: bool) -> str:
    lines = [_link(place, markdown)]
    if marked or place["status"] != "verified":
        lines[0] += f" {_mark(place, markdown)}"
    if place.get("uncommitted"):
        lines.append("edited and not committed")
    if place.get("commit"):
        author = escaped(place["author"]) if markdown else one_line(place["author"])
        commit = f"`{place['commit'][:8]}`" if markdown else place["commit"][:8]
        what = "last changed" if place.get("commit_of") == "lines" else "file last changed"
        what = what.replace("changed", "committed") if place.get("uncommitted") else what
        lines.append(f"{what} {age(now - place['committed_at'])} by {author} in {commit}")
    return "Defined in " + " · ".join(lines)


def _places(title: str, places: list[dict[str, Any]], total: int, markdown: bool) -> list[str]:
    """Return the line of a group: one mark where all that is shown is verified, else one at each place in doubt."""
    if not places:
        return []
    shown = [
        _link(place, markdown)
        + (" (by name only)" if place.get("by_name") else "")
        + ("" if place["status"] == "verified" else f" {_mark(place, markdown, short=True)}")
        for place in places[:SHOWN]
    ]
    more = total - min(len(places), SHOWN)
    is_plain = all(place["status"] == "verified" and not place.get("by_name") for place in places[:SHOWN])
    mark = f" {MARKS['verified'][0]}" if is_plain else ""
    return [f"{title}{mark}: {', '.join(shown)}" + (f" … and {more} more" if more > 0 else "")]


def _link(place: dict[str, Any], markdown: bool) -> str:
    text = f"{place['source_id']}:{place['start_line']}"
    return link(text, f"{place['uri']}#L{place['start_line']}") if markdown else one_line(text)


def _mark(place: dict[str, Any], markdown: bool, *, short: bool = False, since: str = "indexed") -> str:
    status = place["status"]
    mark = MARKS.get(status, str(status))
    if status == "verified":
        return mark[0] if short else mark
    why = ": ".join(each for each in (reason_words(place["reason"], since), place.get("detail") or "") if each)
    shown = escaped(why) if markdown else one_line(why)
    return f"{mark[0]} {shown}" if short else f"{mark} ({shown})"


def age(seconds: float) -> str:
    """Return how long ago something was, in the largest unit that fits."""
    for length, name in _UNITS:
        count = int(max(seconds, 0) // length)
        if count:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"


async def lenses(connection: ClientConnection, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Handle ``textDocument/codeLens``: return a lens with uses, tests and verdict for each definition."""
    place, document = connection.place(params.text_document.uri), connection.documents.get(params.text_document.uri)
    if place is None or document is None or document.is_large or not place.folder.settings.code_lens:
        return []
    try:
        found = await connection.ask(
            place.folder, lambda helix, overlays, _: helix.symbols.lenses(place.path, overlays=overlays)
        )
    except WorkspaceError:
        return []
    return [_lens(each) for each in found]


def _lens(found: dict[str, Any]) -> types.CodeLens:
    line = max(found["start_line"] - 1, 0)
    span = types.Range(types.Position(line, 0), types.Position(line, 0))
    return types.CodeLens(range=span, command=types.Command(title=title(found), command=""))


def title(found: dict[str, Any]) -> str:
    """Return the title of a lens: uses, tests and verdict."""
    uses = _counted(found["uses"], "use")
    if found.get("same_name", 1) > 1:
        uses += f" of {found['same_name']} of that name"
    tests = _counted(found["tests"], "test")
    status, reason = found["status"], reason_words(found["reason"])
    mark = MARKS.get(status, str(status))
    return f"{uses} · {tests} · {mark}" + ("" if status == "verified" else f" ({reason})")


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"
