"""Write a memory: read what a text states, pin the code that it cites, compare it with what is there, and keep it.

One call is one transaction; its answer names what was kept, what it supersedes, and what waits for review.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helix_core.engine.memory.disk_values import cited_paths, compared_values, current_citations
from helix_core.engine.opened import WorkspaceSession
from helix_core.engine.requests import NO_OVERLAYS, go_on
from helix_core.errors import UsageError
from helix_core.memory import (
    NOTHING_ON_DISK,
    USER,
    DrawnFact,
    Fact,
    OnDisk,
    Statement,
    consolidated,
    is_in_force_at_once,
    is_order,
    plain,
    refusal,
    says_the_same,
    session_name,
    stated_values,
    statement,
    statements_in,
    template_key,
    text_key,
)
from helix_core.model import (
    DEPENDS_ON,
    DERIVED_FROM,
    GLOBAL_SCOPE,
    SUPERSEDES,
    USABLE,
    Attribution,
    Clean,
    Consolidation,
    LineSpan,
    MemoryDraft,
    MemoryEvidence,
    MemoryFact,
    MemoryLink,
    MemoryOrigin,
    MemoryStatus,
    Pointer,
    Slot,
    StoredMemory,
    memory_id,
)
from helix_core.secrets import Masked, is_only_masks, mask, mask_typed, quoted
from helix_core.store import Memory, WrittenMemory
from helix_core.words import spread, wide_pairs
from helix_core.workspace import path_of

if TYPE_CHECKING:
    from helix_core.engine.verdict import Weigher

MEMORY_SCHEMA = "helix.memory/1"
LONGEST_TEXT = 4_000
MOST_CITED = 16
MOST_CITED_LINES = 400
LONGEST_KIND = 32
_CITE = re.compile(r"(.+?):(\d{1,7})(?:-(\d{1,7}))?$")
_MAY_NAME_A_FILE = re.compile(r"\w\.\w|\w/\w")
_KIND = re.compile(r"[a-z][a-z0-9_]{0,31}$")
KEPT_AS_PROPOSAL = "kept as a proposal, which nothing recalls; a person approves it with helix review"
DRAWN = "consolidate"
"""The first part of the keys of facts that are drawn from exchanges."""
CITES_LEFT_OUT = "the same is in force already; only a person adds citations to it, so these were left out"
RULES = "rules/1"
"""The extractor of the evidence that is made here."""
MODEL_RULES = "model/1"
"""The extractor of what a model drew, followed by the model's name."""


class PurgedError(UsageError):
    """The memory of a key was purged, so the key keeps nothing more."""


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """A text to remember. Times are Unix seconds; ``depends_on`` and the like name memories by id or handle."""

    text: str
    cites: Sequence[str] = ()
    kind: str = ""
    is_global: bool = False
    origin: MemoryOrigin = MemoryOrigin.USER
    supersedes: Sequence[str] = ()
    depends_on: Sequence[str] = ()
    derived_from: Sequence[str] = ()
    valid_from: float | None = None
    valid_to: float | None = None
    key: str = ""
    session: str = ""
    force: bool = False
    is_proposal: bool = False

    def checked(self) -> RememberRequest:
        """Return the request. Raises UsageError for what is not a memory."""
        why = refusal(self.text)
        has_words = any(one.isalnum() for one in self.text)
        if why and not (self.force and has_words):
            forced = ", or keep it as it is with --force (in a call force: true)" if has_words else ""
            raise UsageError(f"this is not remembered: {why}; state the fact{forced}")
        if len(self.text) > LONGEST_TEXT:
            raise UsageError(f"the text is longer than {LONGEST_TEXT:,} characters; state the fact, and cite the rest")
        if "\0" in self.text:
            raise UsageError("the text holds a zero byte, so it is not text; give text")
        if self.kind and _KIND.match(self.kind) is None:
            raise UsageError(f"{quoted(self.kind, 40)} is not a kind; use a word such as decision, preference or fact")
        if len(self.cites) > MOST_CITED:
            raise UsageError(f"{len(self.cites)} places are cited; cite at most {MOST_CITED}")
        if self.valid_to is not None and self.valid_to <= (self.valid_from or 0):
            raise UsageError("it ends to be valid before it begins; give valid_to after valid_from")
        return self


class Remembering:
    """Write memories of one open workspace. ``by`` is who asserts them."""

    def __init__(self, session: WorkspaceSession, by: Attribution) -> None:
        self._session, self._by = session, by

    def remember(self, wanted: RememberRequest, *, dry_run: bool = False) -> dict[str, Any]:
        """Keep one text; the ``helix.memory/1`` object. With ``dry_run`` say what would be kept, and keep nothing."""
        given = wanted.checked()
        if given.valid_to is not None and given.valid_to <= time.time():
            raise UsageError("its end is past already; give one that is yet to come")
        masked = mask_typed(plain(given.text))
        if is_only_masks(masked.text()):
            raise UsageError("this is not remembered: it is nothing but a secret; say where the secret is kept instead")
        text = masked.text().strip()
        stated = statement(text)
        stated = dataclasses.replace(stated, text=text, kind=given.kind or stated.kind)
        return self._write_statements(given, masked, [stated], dry_run=dry_run)

    def propose(self, text: str, origin: MemoryOrigin, session: str = "") -> dict[str, Any]:
        """Keep what a slice of a conversation states, as proposals that wait for review; most of a slice is dropped."""
        masked = mask_typed(plain(text))
        given = RememberRequest(text, origin=origin, session=session, is_proposal=True)
        return self._write_statements(given, masked, list(statements_in(masked.text())), dry_run=False)

    def proposed_by_model(self, drawn: DrawnFact, session: str, extractor: str) -> dict[str, Any]:
        """Keep a fact that a model drew as a proposal, with its quote as evidence, and return its wire object."""
        masked, quote = mask_typed(drawn.text), mask_typed(drawn.quote)
        stated = dataclasses.replace(statement(masked.text()), text=masked.text(), kind=drawn.kind)
        given = RememberRequest(drawn.text, origin=MemoryOrigin.AGENT, session=session, is_proposal=True)
        at = int(time.time() * 1e3)
        by = actor_of(given.origin, self._by)
        drafting = Drafting(given, masked, (), "", by, at, session_name(extractor), quote.text())

        def write(memory: Memory) -> dict[str, Any]:
            scope = memory.items.scope(self._session.place, create=True)
            return drafting.written(memory, stated, scope, dry_run=False)

        return self._session.memory_file.write(write)

    def draw(self, fact: Fact, *, dry_run: bool) -> dict[str, Any] | None:
        """Keep a fact of an exchange as a proposal, citing those of its places that are there, and return its item.

        A fact has a key of its own, so that it is proposed once, whatever a person decided; None if it was purged.
        """
        text = " ".join(fact.text.split())
        given = RememberRequest(
            text,
            cites=_there(self._session, fact.citations),
            kind="decision" if fact.rule == "decision" else "",
            origin=MemoryOrigin.USER if fact.said_by == USER else MemoryOrigin.AGENT,
            key=f"{DRAWN}/{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}",
            force=True,
            is_proposal=True,
        )
        try:
            (item,) = self.remember(given, dry_run=dry_run)["items"]
        except PurgedError:
            return None
        return dict(item)

    def _write_statements(
        self, given: RememberRequest, masked: Masked, found: Sequence[Statement], *, dry_run: bool
    ) -> dict[str, Any]:
        session, started = self._session, time.monotonic()
        pointers, named = pinned(session, given.cites), ""
        if not pointers and not given.is_proposal and not given.is_global:
            pointers, named = named_in(session, masked.text())
        head = session.git_facts.state().head if pointers else ""
        actor, at = actor_of(given.origin, self._by), int(time.time() * 1e3)
        reviews = session.config.review_agents
        drafting = Drafting(given, masked, pointers, head, actor, at, reviews_agents=reviews)
        items: list[dict[str, Any]] = []
        told: list[str] = []
        for stated in found:
            on_disk, says = _on_disk(session, drafting, stated)
            told += says

            def write(memory: Memory, stated: Statement = stated, on_disk: OnDisk = on_disk) -> dict[str, Any]:
                scope = memory.items.scope(session.place, create=not dry_run)
                return drafting.written(memory, stated, scope, on_disk, dry_run=dry_run)

            if not dry_run:
                items.append(session.memory_file.write(write))
            else:
                items.append(session.memory_file.read(write) or drafting.refused_object(stated))
        counts = Counter(finding.kind for finding in masked.findings)
        is_waiting = any(one["status"] == MemoryStatus.QUARANTINED for one in items)
        notes = [KEPT_AS_PROPOSAL] if is_waiting and not dry_run else []
        if given.cites and any(drafting.leaves_cites(one) for one in items):
            notes.append(CITES_LEFT_OUT)
        elif named and any(one["is_new"] for one in items):
            notes.append(named)
        notes += dict.fromkeys(told)
        return {
            "schema": MEMORY_SCHEMA,
            "items": items,
            "notes": notes,
            "redactions": [{"rule": rule, "count": count} for rule, count in sorted(counts.items())],
            "dry_run": dry_run,
            "elapsed_ms": round((time.monotonic() - started) * 1e3, 1),
        }


@dataclass(frozen=True, slots=True)
class Drafting:
    """What the memories of one call have in common. ``at`` is in Unix milliseconds, ``head`` the commit cited at.

    ``quote`` is what was said where it is not the memory's own text.
    With ``reviews_agents`` what an agent asserts waits for a person.
    """

    given: RememberRequest
    masked: Masked
    pointers: Sequence[tuple[Pointer, str]]
    head: str
    actor: str
    at: int
    extractor: str = RULES
    quote: Clean | None = None
    reviews_agents: bool = True

    def written(
        self, memory: Memory, stated: Statement, scope: str, on_disk: OnDisk = NOTHING_ON_DISK, *, dry_run: bool
    ) -> dict[str, Any]:
        """Write one statement, or only decide about it, and return its wire object."""
        draft, replaces = self.draft(memory, stated, scope), _ids(memory, self.given.supersedes)

        def decide(one: MemoryDraft, alike: Sequence[StoredMemory]) -> Consolidation:
            return consolidated(one, stated, alike, replaces, on_disk)

        if dry_run:
            decided = memory.items.preview(draft, decide, stated.replaces)
            waits = decided.needs_review or ("proposed" if draft.is_proposal else "")
            planned = tuple(dict.fromkeys((*draft.links, *decided.links)))
            done = WrittenMemory(decided.same_as, is_new=not decided.same_as, needs_review=waits, links=planned)
        else:
            done = memory.items.write(draft, decide, stated.replaces, self.actor, self.at)
        if done.id:
            stored = memory.items.by_ids([done.id])
            if not stored:
                raise PurgedError("a memory of this key was purged; use another key to remember it again")
            if not done.is_new and self.given.key and not says_the_same(stored[0].fact.text, draft.fact.text):
                key, handle = quoted(self.given.key, 80), stored[0].fact.handle
                raise UsageError(f"the key {key} is that of {handle}, which says something else; use another key")
            item = memory_object(stored[0])
        else:
            item = self.refused_object(stated, waits=bool(done.needs_review))
        named = {one.id: one.fact for one in memory.items.by_ids(link.dst for link in done.links)}
        links = [
            {"relation": link.rel, "id": named[link.dst].handle, "text": named[link.dst].text}
            for link in done.links
            if link.dst in named
        ]
        return item | {"is_new": done.is_new, "links": links, "why": self._why(stated, done.needs_review)}

    def refused_object(self, stated: Statement, *, waits: bool = False) -> dict[str, Any]:
        """Return the wire object of a memory that was not kept."""
        status = MemoryStatus.QUARANTINED if waits or self._waits(stated) else MemoryStatus.ACTIVE
        return {
            "id": "",
            "kind": stated.kind,
            "text": stated.text,
            "status": status.value,
            "is_new": True,
            "links": [],
            "why": self._why(stated, ""),
        }

    def leaves_cites(self, item: dict[str, Any]) -> bool:
        """Return whether the citations were left out, as those of an agent are of a memory that is in force."""
        is_known = not item["is_new"] and item["status"] in USABLE
        is_persons = item.get("origin") == MemoryOrigin.USER or self.reviews_agents or self.given.is_proposal
        return is_known and is_persons and (self.given.is_proposal or self.given.origin is not MemoryOrigin.USER)

    def draft(self, memory: Memory, stated: Statement, scope: str) -> MemoryDraft:
        """Return the memory to write, with its evidence: the words as they were said, and the lines that are cited."""
        given, at, clean = self.given, self.at, self.masked.clean
        id_, text = memory_id(at, os.urandom(10)), clean(stated.text)
        fact = MemoryFact(
            id=id_,
            handle=f"m_{base64.b32encode(os.urandom(5)).decode().lower()}",
            kind=stated.kind,
            scope=GLOBAL_SCOPE if given.is_global else scope,
            text=text,
            slot=Slot(clean(stated.subject), clean(stated.attribute), clean(stated.value)),
            origin=given.origin,
            importance=_IMPORTANCE.get(stated.kind, 50),
            confidence=_CONFIDENCE[given.origin],
            valid_from=at if given.valid_from is None else int(given.valid_from * 1e3),
            valid_to=None if given.valid_to is None else int(given.valid_to * 1e3),
            salt=os.urandom(16).hex(),
            text_key=text_key(text),
            template_key=template_key(text),
            extra=clean(found_by(text, stated.choice, stated.subject)),
        )
        session = session_name(given.session)
        evidence = [
            MemoryEvidence(
                memory_id(at, os.urandom(10)), id_, self.quote or text, self.actor, self.extractor, session, at
            )
        ]
        for pointer, layout in self.pointers:
            own = memory_id(at, os.urandom(10))
            bare = MemoryEvidence(own, id_, clean(""), self.actor, self.extractor, session, at, scope, commit=self.head)
            evidence.append(dataclasses.replace(cited(bare, pointer), layout_hash=layout))
        links = [
            MemoryLink(id_, relation, dst)
            for relation, names in (
                (DEPENDS_ON, given.depends_on),
                (DERIVED_FROM, given.derived_from),
                (SUPERSEDES, given.supersedes),
            )
            for dst in _ids(memory, names)
        ]
        key = hashlib.sha256(f"{fact.scope}\0{given.key}".encode()).hexdigest() if given.key else ""
        return MemoryDraft(fact, tuple(evidence), tuple(links), is_proposal=self._waits(stated), key=key)

    def _waits(self, stated: Statement) -> bool:
        """Return whether a text waits for review, whatever else is known."""
        at_once = is_in_force_at_once(self.given.origin, reviews_agents=self.reviews_agents)
        return self.given.is_proposal or not at_once or self._orders(stated)

    def _orders(self, stated: Statement) -> bool:
        """Return whether a text waits for review whatever else is known; a user's own words never do."""
        return self.given.origin is not MemoryOrigin.USER and is_order(stated.text)

    def _why(self, stated: Statement, needs_review: str) -> str:
        if self._orders(stated):
            return "it gives orders instead of stating a fact"
        return "" if needs_review == "proposed" else needs_review


_CONFIDENCE = {MemoryOrigin.USER: 80, MemoryOrigin.AGENT: 50, MemoryOrigin.IMPORTED: 40}
_IMPORTANCE = {"decision": 70, "convention": 65, "identity": 65, "preference": 60, "project": 60, "procedure": 60}


def memory_object(one: StoredMemory) -> dict[str, Any]:
    """Return the wire object of a memory; ``id`` is its handle, ``status`` its lifecycle."""
    fact = one.fact
    # Its text was masked by the rules of its time.
    text = mask(fact.text.encode("utf-8", "replace")).text()
    return {
        "id": fact.handle,
        "uuid": fact.id,
        "kind": fact.kind,
        "text": text,
        "status": one.status.value,
        "scope": "global" if fact.scope == GLOBAL_SCOPE else "workspace",
        "origin": fact.origin.value,
        "subject": fact.slot.subject,
        "attribute": fact.slot.attribute,
        "value": fact.slot.value if text == fact.text else "",
        "at": one.at / 1e3,
        "valid_from": fact.valid_from / 1e3,
        "valid_to": fact.valid_to / 1e3 if fact.valid_to is not None else None,
        "tx_from": one.tx_from,
        "tx_to": one.tx_to,
    }


def actor_of(origin: MemoryOrigin, by: Attribution) -> str:
    """Return who acts, for the log: the origin, and the name of the agent or user where one is known."""
    names = {MemoryOrigin.AGENT: by.agent, MemoryOrigin.IMPORTED: by.agent or by.user}
    name = names.get(origin, by.user)
    return f"{origin.value}:{name}" if name else origin.value


def _on_disk(session: WorkspaceSession, drafting: Drafting, stated: Statement) -> tuple[OnDisk, list[str]]:
    """Return what files say to the values of a statement and of the memories that it may take the place of, and the
    notes of it.

    The disk is read before the write begins, so that no other writer waits for it.
    """
    if drafting.given.is_global or not (stated.is_exclusive or stated_values(stated.text)):
        return NOTHING_ON_DISK, []

    def read(memory: Memory) -> tuple[str, list[StoredMemory], dict[str, list[MemoryEvidence]]]:
        key, alike = memory.items.scope(session.place), list[StoredMemory]()

        def decide(_: MemoryDraft, found: Sequence[StoredMemory]) -> Consolidation:
            alike.extend(one for one in found if one.fact.scope == key and stated_values(one.fact.text))
            return Consolidation()

        memory.items.preview(drafting.draft(memory, stated, key), decide, stated.replaces)
        evidence: dict[str, list[MemoryEvidence]] = {}
        for each in memory.items.evidence(one.id for one in alike):
            evidence.setdefault(each.item_id, []).append(each)
        return key, alike, evidence

    def weigher() -> Weigher:
        session.follow()
        return session.weigher(NO_OVERLAYS, go_on, mends=False)

    key, alike, evidence = session.memory_file.read(read) or ("", [], {})
    cited = {one.id: cited_paths(current_citations(evidence.get(one.id, ())), key) for one in alike}
    texts: dict[str, tuple[str, list[bytes]]] = {one.id: (one.fact.text, cited[one.id]) for one in alike}
    own, by_others = "own", "by others"
    texts[own] = (stated.text, [path_of(one.source_id) for one, _ in drafting.pointers])
    found = compared_values(session, weigher, texts)
    confirmed = {one.id for one in alike if one.id in found and found[one.id].is_confirmed}
    says = found.get(own)
    if confirmed and (says is None or not (says.confirmed or says.denied)):
        # It names no file that gives the value, so that it is of the file that the others cite.
        paths = [path for id_ in confirmed for path in cited[id_]]
        says = compared_values(session, weigher, {by_others: (stated.text, paths)}).get(by_others, says)
    if says is None:
        return OnDisk(confirmed=frozenset(confirmed)), []
    denying = frozenset(id_ for id_ in confirmed if says.denied & found[id_].confirmed)
    notes = [f"contradicted: {says.otherwise}"] if says.otherwise else []
    notes += [says.uncompared] if says.uncompared else []
    return OnDisk(says.is_confirmed, frozenset(confirmed), denying), notes


def pinned(session: WorkspaceSession, cites: Sequence[str]) -> list[tuple[Pointer, str]]:
    """Return pointers at cited places, ``path:first-last`` each, with their layouts. Raises UsageError."""
    if not cites:
        return []
    from helix_core.engine.verdict import Judgement

    session.follow()
    for cite in cites:
        if mask(cite.encode("utf-8", "replace")).findings:
            raise UsageError("a cited path looks like a secret, and is not kept; cite another file")
    judgement = Judgement(session.index.reader, session.weigher(NO_OVERLAYS, go_on, mends=False))
    return [judgement.pinned(path, lines) for path, lines in map(_place, cites)]


def named_in(session: WorkspaceSession, text: str) -> tuple[list[tuple[Pointer, str]], str]:
    """Return pointers at the places that a text itself names and that can be followed, with their layouts, and a note
    of them; of a text that names files without such places the note alone.
    """
    if not _MAY_NAME_A_FILE.search(text):
        return [], ""
    from helix_core.check import names_a_file

    # A weigher asks git, which takes longer than all else of a write.
    if not names_a_file(text):
        return [], ""
    from helix_core.engine.verdict import Judgement, NamedFiles

    session.follow()
    weigher = session.weigher(NO_OVERLAYS, go_on, mends=False)
    judgement, named = Judgement(session.index.reader, weigher), NamedFiles(session.index.reader, weigher)
    found: list[tuple[Pointer, str]] = []
    for path, lines in named.places(text):
        if lines.end_line - lines.start_line < MOST_CITED_LINES:
            with contextlib.suppress(UsageError):
                found.append(judgement.pinned(path, lines))
    if found:
        places = ", ".join(f"{one.source_id}:{one.start_line}-{one.end_line}" for one, _ in found)
        return found, f"cites {places}, which the text names; --cite PATH:LINES cites others"
    files = named.files(text)
    if not files:
        return [], ""
    return [], f"cites no lines of {', '.join(files)}, so no change there is noticed; --cite PATH:LINES cites some"


def _there(session: WorkspaceSession, cites: Sequence[str]) -> list[str]:
    """Return those of the places that can be cited now."""
    found = []
    for cite in cites:
        try:
            pinned(session, [cite])
        except UsageError:
            continue
        found.append(cite)
    return found


def _place(cite: str) -> tuple[str, LineSpan]:
    found = _CITE.match(cite.strip())
    if found is None:
        raise UsageError(
            f"{quoted(cite, 200)} names no lines; cite a place as path:first-last, such as app/db.py:10-24"
        )
    first, last = int(found.group(2)), int(found.group(3) or found.group(2))
    if last - first >= MOST_CITED_LINES:
        raise UsageError(f"{quoted(cite, 200)} is over {MOST_CITED_LINES} lines; cite the lines that matter")
    return found.group(1), LineSpan(first, last)


def cited(bare: MemoryEvidence, pointer: Pointer) -> MemoryEvidence:
    """Return the citation of a pointer's lines."""
    return dataclasses.replace(
        bare,
        path=pointer.source_id,
        start_line=pointer.start_line,
        end_line=pointer.end_line,
        span_hash=pointer.gene_id,
        content_hash=pointer.content_hash,
        symbol=pointer.symbol,
    )


def _ids(memory: Memory, names: Sequence[str]) -> list[str]:
    """Return the ids of memories that are named. Raises UsageError for one that is not here."""
    return [found_memory(memory, name).id for name in names]


def found_memory(memory: Memory, name: str) -> StoredMemory:
    """Return a memory by its id or handle. Raises UsageError with the next action."""
    found = memory.items.named(name.strip())
    if found is None:
        raise UsageError(f"there is no memory of the id {quoted(name, 80)}; helix list shows those that are here")
    return found


def found_by(text: str, choice: str, subject: str) -> str:
    """Return further words that a memory is found by: parts of names, what its value is one of, pairs of letters."""
    return " ".join((spread(_names(text)), choice, subject, *wide_pairs(text)))


def _names(text: str) -> list[str]:
    """Return the words of a text that are names of code."""
    return [word for word in re.findall(r"[A-Za-z_][\w.]{2,}", text) if not word.islower() or set(word) & {"_", "."}]
