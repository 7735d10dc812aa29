"""What is known of the names of one open workspace: the verbs behind hover, code lenses and diagnostics."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from helix_core.engine.opened import WorkspaceSession, answers_from_index, heals_index
from helix_core.engine.requests import (
    HINT_FILES,
    MOST_TYPED,
    NO_OVERLAYS,
    USES_SHOWN,
    PageCursor,
    go_on,
    page_at,
    stop_when,
)
from helix_core.errors import GitError, UsageError
from helix_core.model import Overlays, Reason, Status
from helix_core.packet import round_share
from helix_core.tuples import NamedTuple
from helix_core.workspace import path_of, uri_of

if TYPE_CHECKING:
    from helix_core.engine.symbols.lenses import Findings
    from helix_core.engine.symbols.typed import TypedNames

FINDINGS_MS = 150.0
HINT_MS = 2_000.0
"""For one file of a scan of all files, for which no user waits."""
MOST_NAMES_FOLLOWED = 12
"""Names whose users are looked up for what a change reaches: each costs about as much as a hover."""


class Symbols:
    """Definitions, users and tests of a name, and the lenses and findings of a file."""

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session
        self._typed: TypedNames | None = None

    @answers_from_index()
    def about(
        self,
        name: str,
        *,
        path: bytes = b"",
        line: int = 0,
        overlays: Overlays = NO_OVERLAYS,
        k: int | None = USES_SHOWN,
        depth: int = 1,
        page: str = "",
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any] | None:
        """Return the ``helix.symbol/1`` object: what is known of a name; None where no definition has it.

        ``totals_exact`` says whether every use was looked at on disk, and none is one by its name alone.

        Args:
            name: The name, qualified or not.
            path: The file in which the name was pointed at, and
            line: the line, 1-based, in the buffer where one is open.
            overlays: The editor's unsaved buffers.
            k: The most places of each kind. None for what a hover waits for: of the nearest files alone, and the
                totals are estimates.
            depth: With 2 or 3 the object also has ``reached``: users and tests of the users on this page, each with
                ``depth`` and the name it uses (``via``), and ``reached_all``, false where names were left unfollowed.
            page: The ``next_page`` of the answer before: the places after those.
            cancelled: Polled between steps.

        Raises:
            UsageError: The ``page`` is of another symbol.
            Cancelled: Soon after ``cancelled`` returned True.
            GitError: What the name was cannot be asked of git.
        """
        from helix_core.engine.symbols.lookup import SymbolAnswer

        session = self.session
        lacking = session.not_indexed()
        weigher = session.weigher(overlays, stop_when(cancelled))
        part, history = page_at(page, k or USES_SHOWN, name), session.git_facts.lines()
        counts = k is not None or bool(page)

        def look_up(name: str, path: bytes, line: int, part: PageCursor) -> dict[str, Any] | None:
            looked_up = SymbolAnswer(session.index.reader, weigher, history, part, counts=counts)
            return looked_up.about(name, path, line, overlays)

        looked_up = SymbolAnswer(session.index.reader, weigher, history, part, counts=counts)
        answer = looked_up.about(name, path, line, overlays)
        if (answer is None or looked_up.is_of_others) and not path and session.git_facts.git is not None:
            # What had the name lately is meant rather than what another owner has.
            former = SymbolAnswer(session.index.reader, weigher, history, part, counts=counts)
            git, is_whole = session.git_facts.git, lacking.is_whole and not lacking.over_limit
            answer = former.about_former(name, git, session.parse_guard, is_whole=is_whole) or answer
        if answer is not None and depth > 1:
            first = PageCursor(0, part.size, "")
            answer["reached"], answer["reached_all"] = _reached(answer, depth, partial(look_up, part=first))
        if answer is not None:
            answer["indexed_share"] = round_share(lacking.share)
            answer["notes"] += self._may_define(name)
        return answer

    @heals_index()
    def unread(self, name: str) -> list[dict[str, Any]]:
        """Return the files that are named like a symbol and are not indexed, so that they may define it:
        ``{source_id, uri, start_line, status, reason}`` each, a few at most.
        """
        session = self.session
        lacking = session.not_indexed()
        if not lacking.paths:
            return []
        from helix_core.search import parse_question

        observer = session.weigher(NO_OVERLAYS, go_on, mends=False).observer
        sources = [one.ranked.item.source for one in lacking.named_by(parse_question(name)) if one.surely]
        return [
            {
                "source_id": source.source_id,
                "uri": uri_of(session.workspace, source.path),
                "start_line": 1,
                "status": Status.NEEDS_REFRESH.value,
                "reason": Reason.NOT_INDEXED.value,
            }
            for source in sources
            if observer.is_there(source.path)
        ]

    def _may_define(self, name: str) -> list[str]:
        """Return the note on each file that is not indexed and is named like a symbol."""
        return [f"{one['source_id']} may define {name[:80]!a} and is not indexed: read it" for one in self.unread(name)]

    @heals_index()
    def missing_notes(self) -> tuple[str, ...]:
        """Return the notes on files that count and are not in the index."""
        return self.session.not_indexed().all_notes

    def unknown(self, name: str, search: str = "helix_search") -> str:
        """Return the sentence for a name that no indexed definition has, with what the index lacks; ``search`` is what
        the asker calls a search.
        """
        if of_others := self._of_other_owners(name):
            return of_others
        missing = [*self._may_define(name), *self.missing_notes()] or self._unrecognized(name)
        if not missing:
            return f"no definition of {name[:80]!a} was recognized in the indexed files; look for it with {search}"
        return f"no definition of {name[:80]!a} was recognized in the indexed files, but {'; '.join(missing)}"

    def _of_other_owners(self, name: str) -> str:
        """Return the sentence for a name that is defined, but not with the owner that it is asked with; else ""."""
        from helix_core.engine.symbols.choice import CursorContext, choose, owners_note, parse_name

        wanted = parse_name(name)
        if wanted is None or not wanted.owners:
            return ""
        candidates = self.session.index.reader.names.defined_at(wanted.name, b"")
        known = choose(candidates, wanted, CursorContext()).definitions
        return owners_note(wanted, known) if known else ""

    def _unrecognized(self, name: str) -> list[str]:
        """Return why a name may be defined though no parser has seen it: a line, or a file that was read in part."""
        from helix_core.engine.symbols.choice import parse_name
        from helix_core.search import half_read_note

        session, wanted = self.session, parse_name(name)
        if wanted is None:
            return []
        reader = session.index.reader
        if place := session.weigher(NO_OVERLAYS, go_on, mends=False).reads_like_definition(wanted.name):
            return [f"{place} reads like a definition: read it"]
        return [
            f"{half_read_note(path)}: read it" for path in reader.uses.code_mentioning(wanted.name, 1, half_read=True)
        ]

    @answers_from_index(fills=False)
    def typed(
        self,
        text: str,
        *,
        k: int = MOST_TYPED,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.names/1`` object: definitions and files by what is typed of their names.

        The names are kept in memory; each place is compared with the disk, and with ``overlays``.

        Args:
            text: What is typed so far.
            k: The most definitions and files.
            overlays: The editor's unsaved buffers.
            cancelled: Polled between steps.

        Raises:
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.symbols.typed import NameSearch, TypedNames

        session, check = self.session, stop_when(cancelled)
        if self._typed is None:
            self._typed = TypedNames()
        search = NameSearch(session.index.reader, self._typed, session.weigher(overlays, check, mends=False), check)
        share = round_share(session.not_indexed().share)
        answer = search.answer(text, k)
        answer["items"] = [*map(_unread_file, self.unread(text.strip())), *answer["items"]][:k]
        return {**answer, "indexed_share": share}

    @answers_from_index()
    def changes(
        self,
        since: str = "",
        *,
        k: int = 10,
        uses: int = 5,
        page: str = "",
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.changes/1`` object: definitions that changed their signature or were removed since a
        commit, with the places that use, override, test or document them. What is not committed counts.

        Args:
            since: A commit, tag or branch; ``starting_point`` of the object says which it is by default.
            k: The most definitions.
            uses: The most places of each kind of a definition.
            page: The ``next_page`` of the answer before.
            cancelled: Polled between steps.

        Raises:
            UsageError: ``since`` names no commit, or there is no repository.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.symbols.changes import ChangesAnswer
        from helix_core.workspace import ChangedSince, starting_point, tracked_changes

        part = page_at(page, k, since, uses)
        session, git = self.session, self.session.git_facts.git
        if git is None:
            raise UsageError(
                "what changed is known from git, and this folder is in no repository; begin one with git init and a "
                "first commit, or ask who uses a single name, as in: helix uses NAME"
            )
        try:
            start = starting_point(git, since)
            changed = ChangedSince(start.commit, tracked_changes(git, start.commit))
        except GitError as error:
            raise UsageError(f"what changed is not known: {error}") from error
        share = round_share(session.not_indexed().share)
        weigher = session.weigher(NO_OVERLAYS, stop_when(cancelled))
        answer = ChangesAnswer(session.index.reader, weigher, session.parse_guard, uses)
        return answer.since(start, changed, part) | {"indexed_share": share}

    @heals_index()
    def lenses(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS) -> list[dict[str, Any]]:
        """For each definition of a file ``{symbol, start_line, uses, tests, same_name, status, reason}``."""
        from helix_core.engine.symbols.lenses import lenses

        return lenses(path, self.session.index.reader, self.session.weigher(overlays, go_on))

    @heals_index()
    def findings(self, path: bytes, *, overlays: Overlays = NO_OVERLAYS, budget_ms: float = FINDINGS_MS) -> Findings:
        """What is wrong in a file: ``{code, message, start_line, end_line, text_hash, other}`` each.

        The list's ``partial`` says that ``budget_ms`` of CPU time were over before all was looked at.
        """
        from helix_core.engine.symbols.lenses import FileFindings

        return FileFindings(self.session.index.reader, self.session.weigher(overlays, go_on), budget_ms).of(path)

    @heals_index()
    def hints(
        self,
        after: bytes = b"",
        *,
        files: int = HINT_FILES,
        overlays: Overlays = NO_OVERLAYS,
        cancelled: Callable[[], bool] | None = None,
    ) -> HintPage:
        """Return the findings of the next files of the index, in path order.

        Args:
            after: The path after which to begin.
            files: How many files.
            overlays: The editor's unsaved buffers.
            cancelled: Polled between steps.

        Raises:
            Cancelled: Soon after ``cancelled`` returned True.
        """
        check = stop_when(cancelled)
        missing = self.session.not_indexed().all_notes
        paths = self.session.index.reader.files.live_paths()
        first = bisect_right(paths, after)
        found: dict[bytes, Findings] = {}
        for path in paths[first : first + files]:
            check()
            findings = self.findings(path, overlays=overlays, budget_ms=HINT_MS)
            if findings or findings.partial:
                found[path] = findings
        done = min(first + files, len(paths))
        return HintPage(found, done, len(paths), paths[done - 1] if 0 < done < len(paths) else None, missing)


class HintPage(NamedTuple):
    """The findings of some files by path: ``done`` of ``total`` files are looked at, and ``last`` is where to go on,
    None at the end. ``notes`` say which files are not among them, because the index lacks them.
    """

    found: Mapping[bytes, Findings]
    done: int
    total: int
    last: bytes | None
    notes: tuple[str, ...] = ()


def _reached(
    first: dict[str, Any], depth: int, look_up: Callable[[str, bytes, int], dict[str, Any] | None]
) -> tuple[list[dict[str, Any]], bool]:
    """Return the users and tests of the users of a symbol, nearest first, and whether every name was followed.

    A place that only has the name is neither followed nor reached.
    """
    known = {_place(place) for kind in ("definitions", "users", "tests") for place in first[kind]}
    followed, left = {first["symbol"], first["name"], ""}, MOST_NAMES_FOLLOWED
    reached: list[dict[str, Any]] = []
    is_all = first["users_total"] <= len(first["users"])
    level = _sure(first["users"])
    for steps in range(2, depth + 1):
        following: list[dict[str, Any]] = []
        for user in level:
            via = user["symbol"]
            if via in followed:
                continue
            if not left:
                return reached, False
            followed.add(via)
            left -= 1
            found = look_up(via, path_of(user["source_id"]), user["start_line"])
            if found is None:
                continue
            is_all = is_all and found["users_total"] <= len(found["users"])
            for place in _sure([*found["users"], *found["tests"]]):
                if _place(place) not in known:
                    known.add(_place(place))
                    reached.append(place | {"depth": steps, "via": via})
            following += _sure(found["users"])
        level = following
    return reached, is_all


def _sure(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [place for place in places if not place.get("by_name")]


def _unread_file(unread: dict[str, Any]) -> dict[str, Any]:
    """Return a file that is not indexed as an item of ``helix.names/1``."""
    name = unread["source_id"].rpartition("/")[2]
    place = {member: unread[member] for member in ("source_id", "start_line", "status", "reason")}
    return {"symbol": name, "kind": "file", **place, "end_line": unread["start_line"]}


def _place(place: dict[str, Any]) -> tuple[str, int]:
    return place["source_id"], place["start_line"]
