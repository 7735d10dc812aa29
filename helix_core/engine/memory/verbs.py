"""The verbs of the memory, ``helix.memory``: remember, recall, forget, review, consolidate, export, and the like."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from helix_core.config import current
from helix_core.engine.memory.in_answers import MemoryInAnswers
from helix_core.engine.memory.session_records import SessionRecords
from helix_core.engine.opened import MemoryFile, WorkspaceSession, answers_from_index, heals_index
from helix_core.engine.requests import NO_OVERLAYS, bounded_tokens, checked_task, stop_when
from helix_core.errors import StoreError, UsageError
from helix_core.model import (
    Attribution,
    MemoryOrigin,
    MemoryStatus,
    TaskType,
    UseKind,
)
from helix_core.printable import count

if TYPE_CHECKING:
    from helix_core.engine.memory.extracting import Extraction, ModelReply, TieBreak
    from helix_core.engine.memory.remembering import RememberRequest
    from helix_core.engine.memory.strands import ImportRequest, StrandSelection
    from helix_core.engine.memory.text_ingest import TextIngest
    from helix_core.memory import NoteInput
    from helix_core.model import KeptExchange, NoteItem
    from helix_core.store import Memory
    from helix_core.strand import StrandRecord

CONSOLIDATED = 10
LEARNED = "learn"
"""The session of exchanges that are learned without one."""
NOBODY = Attribution()
T = TypeVar("T")
_GENE_ID = re.compile(r"[0-9a-f]{16}")
_MEMORY_ID = re.compile(r"m_\w{1,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class WorkspaceMemory:
    """The user's memory, as one open workspace uses it. Without a memory every answer is as if it were empty.

    Attributes:
        session: The folder, settings and files that all verbs use.
        answers: What answers, hovers and diagnostics take from it.
        sessions: What clients' sessions were given and opened.
    """

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session
        self.answers = MemoryInAnswers(session)
        self.sessions = SessionRecords(session)

    def ingest(
        self,
        given: NoteInput,
        by: Attribution = NOBODY,
        *,
        origin: MemoryOrigin = MemoryOrigin.USER,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Keep a text: ``{gene_ids, count, stored, …}``; ``stored`` is ``file`` where a file of the workspace is used
        instead. What a program gives waits for a person, as its memories do: ``status`` is ``quarantined`` then.

        Args:
            given: The text with its type and metadata.
            by: The author.
            origin: Who asserts it: a user, an agent, or an import.
            dry_run: Answer the same, and write nothing.

        Raises:
            EmptyError: The text is empty.
            UnfitError: It is not text, or too long.
            UsageError: It is invalid otherwise.
            StoreError: The memory cannot be written.
        """
        self.session.follow()
        taking = self._text_ingest()
        file = taking.file_of(given.checked())
        if file is not None:
            if not self.session.never_waits and not dry_run:
                self._take_in(file.path)
            return file.to_wire() | {"notes": []}
        from helix_core.engine.memory.remembering import KEPT_AS_PROPOSAL
        from helix_core.memory import is_in_force_at_once

        note = taking.note(given, by, time.time())
        waits = not is_in_force_at_once(origin, reviews_agents=self.session.config.review_agents)
        if not dry_run:

            def keep(memory: Memory) -> bool:
                return memory.notes.is_waiting(memory.notes.put(note, waits=waits))

            waits = self._file.write(keep)
        status = MemoryStatus.QUARANTINED if waits else MemoryStatus.ACTIVE
        stored = {"gene_ids": list(note.gene_ids), "count": len(note.gene_ids), "stored": "note"}
        return stored | {"status": status.value, "notes": [KEPT_AS_PROPOSAL] if waits else []}

    def remember(
        self,
        wanted: RememberRequest | str,
        by: Attribution = NOBODY,
        *,
        cites: Sequence[str] = (),
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Keep a text as a memory: the ``helix.memory/1`` object, whose one item may be a memory that says the same.

        Args:
            wanted: The text, alone or with kind, scope and the like.
            by: The author.
            cites: Places of this workspace, ``path:first-last``.
            dry_run: Answer the same, and write nothing.

        Raises:
            UsageError: The text is a question or an acknowledgment, or a place cannot be cited.
            StoreError: The memory cannot be written.
        """
        from helix_core.engine.memory.remembering import Remembering, RememberRequest
        from helix_core.memory import left_out

        request = RememberRequest(wanted, cites) if isinstance(wanted, str) else wanted
        answer = Remembering(self.session, by).remember(request, dry_run=dry_run)
        if characters := left_out(request.text):
            what = f"{count(characters, 'invisible character')} {'was' if characters == 1 else 'were'}"
            answer["notes"] = [*answer.get("notes", ()), f"{what} left out of the text"]
        known = [one["id"] for one in answer["items"] if not one["is_new"]]
        if known and request.origin is MemoryOrigin.USER and not dry_run:
            self.note_memory_use(known, UseKind.CONFIRMED)
        return answer

    def propose(
        self, text: str, origin: MemoryOrigin, by: Attribution = NOBODY, *, session: str = ""
    ) -> dict[str, Any]:
        """Keep what a slice of a conversation states as proposals, which nothing recalls before a person approves them.

        Most slices state nothing durable, and nothing of them is kept.

        Args:
            text: The slice.
            origin: Who asserts what it states.
            by: The author.
            session: The conversation's name.
        """
        from helix_core.engine.memory.remembering import Remembering

        return Remembering(self.session, by).propose(text, origin, session)

    def edit(
        self,
        id_: str,
        text: str,
        by: Attribution = NOBODY,
        *,
        cites: Sequence[str] | None = None,
        kind: str = "",
        origin: MemoryOrigin = MemoryOrigin.USER,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Replace the text of a memory: the ``helix.memory/1`` object of a new one that supersedes it.

        Its scope and what it depends on stay. An agent's edit of a user's memory waits for review.

        Args:
            id_: The memory's id or handle.
            text: The new text.
            by: The author of the edit.
            cites: Places, ``path:first-last``; by default those of the old one that are still there, and a note names
                those that are not.
            kind: Another kind; empty keeps the old one.
            origin: Who asserts the new text.
            dry_run: Answer the same, and write nothing.

        Raises:
            UsageError: There is no such memory, or the new one cannot be kept.
        """
        from helix_core.engine.memory.curating import Curating, no_memory

        curating = Curating(self.session, by)
        edited = self._file.read(lambda memory: curating.edited(memory, id_, text, kind, origin, cites=cites))
        if edited is None:
            raise no_memory(id_)
        request, notes = edited
        answer = self.remember(request, by, dry_run=dry_run)
        return answer | {"notes": [*answer.get("notes", ()), *notes]}

    def relate(
        self, id_: str, relation: str, other: str, by: Attribution = NOBODY, *, dry_run: bool = False
    ) -> dict[str, Any]:
        """Link a memory to another one: the ``helix.changed/1`` object with both.

        Args:
            id_: The memory's id or handle.
            relation: The kind of link.
            other: The other memory's id or handle.
            by: The author of the link.
            dry_run: Answer the same, and write nothing.

        Raises:
            UsageError: There is no such memory or relation.
        """
        from helix_core.engine.memory.curating import Curating, no_memory

        curating = Curating(self.session, by)
        related = self._file.read(lambda memory: curating.relate(memory, id_, relation, other, dry_run=dry_run))
        if related is None:
            raise no_memory(id_)
        return related

    def diff(self, since: float, until: float | None = None, limit: int = 50) -> dict[str, Any]:
        """The ``helix.memoryDiff/1`` object: which memories were added, removed or are in another state between two
        times (Unix seconds; until now). Raises UsageError.
        """
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)
        return self._file.read(lambda memory: curating.diff(memory, since, until, limit)) or curating.no_diff(
            since, until
        )

    @heals_index()
    def recall(
        self,
        question: str,
        k: int = 8,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        kinds: Sequence[str] = (),
        as_of: float | None = None,
        scope: str = "all",
        max_tokens: int | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.recall/1`` object: memories that answer, each with a verdict of now; or known empty.

        Args:
            question: In plain words.
            k: The most memories.
            task: What the answer is for; it decides how strict a verdict is.
            kinds: Only memories of these kinds; empty for all.
            as_of: What was known then, in Unix seconds; verdicts are of now.
            scope: ``all``, ``workspace`` or ``global``.
            max_tokens: How large the JSON may be; the best memories that fit are in it.

        Raises:
            UsageError: The call is invalid.
        """
        from helix_core.engine.memory.curating import Curating

        if not question.strip():
            raise UsageError("the question is empty; ask for something")
        curating, chosen = Curating(self.session, NOBODY), checked_task(task)
        bounded_tokens(max_tokens)

        def ask(memory: Memory) -> dict[str, Any]:
            return curating.recall(memory, question, k, chosen, kinds, as_of=as_of, scope=scope, max_tokens=max_tokens)

        answer = self.session.read_memory(ask) or curating.nothing(question, chosen)
        return answer | {"notes": [*answer["notes"], *filter(None, [self.session.memory_problem])]}

    @heals_index()
    def context(
        self,
        question: str = "",
        k: int = 8,
        *,
        task: TaskType | str = TaskType.EXPLAIN,
        kinds: Sequence[str] = (),
        scope: str = "all",
        max_tokens: int = 2_000,
    ) -> dict[str, Any]:
        """Return the ``helix.memoryContext/1`` object: what is remembered of a topic, with the cited lines as they are
        now, what it rests on, and the contradictions that are undecided.

        Args:
            question: The topic; empty for the memories that matter most.
            k: The most memories.
            task: What the answer is for; it decides how strict a verdict is.
            kinds: Only memories of these kinds; empty for all.
            scope: ``all``, ``workspace`` or ``global``.
            max_tokens: How large the JSON may be.

        Raises:
            UsageError: The call is invalid.
        """
        from helix_core.engine.memory.topic import Topic, TopicRequest

        wanted = TopicRequest(question, k, checked_task(task), tuple(kinds), max_tokens, scope)
        topic = Topic(self.session, wanted.checked())
        answer = self.session.read_memory(topic.of) or topic.nothing()
        return answer | {"notes": [self.session.memory_problem] if self.session.memory_problem else []}

    @heals_index()
    def listed(
        self,
        *,
        statuses: Sequence[str] = (),
        kinds: Sequence[str] = (),
        limit: int = 50,
        verify: bool = False,
        scope: str = "all",
    ) -> dict[str, Any]:
        """Return the ``helix.memory/1`` object of the memories of this workspace and of all, the newest first.

        Args:
            statuses: Only memories of these statuses; empty for those that are in use.
            kinds: Only memories of these kinds; empty for all.
            limit: The most memories.
            verify: Each has a verdict of this moment.
            scope: ``all``, ``workspace`` or ``global``.
        """
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)

        def ask(memory: Memory) -> dict[str, Any]:
            return curating.listed(memory, statuses, kinds, limit, verify=verify, scope=scope)

        return self._file.read(ask) or curating.nothing_listed()

    @heals_index()
    def get(self, id_: str) -> dict[str, Any]:
        """Return the ``helix.memory/1`` object of one memory, with its verdict and ``uses``; it counts as used.

        Raises:
            UsageError: There is no such memory.
        """
        from helix_core.engine.memory.curating import Curating, no_memory

        curating = Curating(self.session, NOBODY)
        found = self._file.read(lambda memory: curating.one(memory, id_))
        if found is None:
            raise no_memory(id_)
        self.note_memory_use([id_], UseKind.OPENED)
        return found

    def note_memory_use(self, ids: Sequence[str], kind: UseKind) -> None:
        """Record that memories were really used, unless the settings keep none; those not in force are skipped.

        A memory that cannot be written costs nothing but this.
        """
        if not self.session.records_uses:
            return
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)
        self.session.read_memory(lambda memory: curating.used(memory, ids, kind))

    def restore(self, id_: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Bring a forgotten or archived memory back, with its evidence: the ``helix.changed/1`` object."""
        return self._change("restore", id_, by, dry_run=dry_run)

    def approve(self, id_: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Accept a memory that waits for review; what it supersedes is superseded from then on."""
        if not _MEMORY_ID.fullmatch(id_):
            return self._approve_note(id_, by, dry_run=dry_run)
        approved = self._change("approve", id_, by, dry_run=dry_run)
        if not dry_run:
            self.note_memory_use([id_], UseKind.CONFIRMED)
        return approved

    def _approve_note(self, id_: str, by: Attribution, *, dry_run: bool) -> dict[str, Any]:
        """Put a note of a program in force; ``id_`` is the gene_id of a chunk of it. Raises UsageError."""
        from helix_core.engine.memory.curating import CHANGED_SCHEMA, note_shown, only_a_person

        gene = gene_bytes(id_)

        def act(memory: Memory) -> list[dict[str, Any]]:
            found = {item.note_id: item for item in memory.notes.items_with(self._place, gene, waiting=True)}
            if found and by.agent:
                raise only_a_person(f"helix review --approve {id_}")
            if not dry_run:
                memory.notes.approve(self._place, gene)
            status = MemoryStatus.QUARANTINED if dry_run else MemoryStatus.ACTIVE
            return [note_shown(item, "") | {"status": status.value} for item in found.values()]

        items = self._file.read(act)
        if not items:
            from helix_core.secrets import quoted

            raise UsageError(
                f"no note with the id {quoted(id_, 80)} waits for approval; helix review shows those that do"
            )
        return {"schema": CHANGED_SCHEMA, "change": "approved", "items": items, "dry_run": dry_run}

    def archive(self, id_: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Take a memory out of recall without calling it wrong."""
        return self._change("archive", id_, by, dry_run=dry_run)

    def _change(self, verb: str, id_: str, by: Attribution, *, dry_run: bool) -> dict[str, Any]:
        from helix_core.engine.memory.curating import Curating, no_memory

        curating = Curating(self.session, by)
        changed = self._file.read(lambda memory: curating.change(memory, verb, id_, dry_run=dry_run))
        if changed is None:
            raise no_memory(id_)
        return changed

    def rollback(self, to: int, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Make what was in force after an operation of the log be in force again, by new operations; nothing is erased.

        The ``helix.changed/1`` object, with ``left``: what a relation or a purge since then keeps from being as it was.
        Raises UsageError for an operation that is not in the log.
        """
        from helix_core.engine.memory.upkeep import Upkeep

        upkeep = Upkeep(self.session, by)
        rolled = self._file.read(lambda memory: upkeep.rollback(memory, to, dry_run=dry_run))
        if rolled is None:
            raise UsageError("nothing was remembered here yet, so there is nothing to roll back")
        return rolled

    def maintenance(self, limit: int = 50) -> dict[str, Any]:
        """The ``helix.maintenance/1`` object: memories that could be archived or purged. Proposals: nothing changes."""
        from helix_core.engine.memory.upkeep import Upkeep

        upkeep = Upkeep(self.session, NOBODY)
        return self._file.read(lambda memory: upkeep.maintenance(memory, limit)) or upkeep.no_maintenance()

    def purge(self, id_: str, confirm: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Remove a memory from the file, every word of it.

        Args:
            id_: The memory's id or handle.
            confirm: ``purge`` and its handle, as in ``purge m_k3xq7a2b``.
            by: Who removes it.
            dry_run: Answer the same, and write nothing.

        Raises:
            UsageError: There is no such memory, or ``confirm`` does not name it.
        """
        from helix_core.engine.memory.curating import Curating, no_memory

        curating = Curating(self.session, by)
        purged = self._file.read(lambda memory: curating.purge(memory, id_, confirm, dry_run=dry_run))
        if purged is None:
            raise no_memory(id_)
        return purged

    def exported(self, *, is_shared: bool = False, scope: str = "") -> tuple[StrandRecord, ...]:
        """Return all memories as records of a strand, or with ``is_shared`` those of this workspace for others.

        With the ``scope`` workspace or global only what is of that scope is shared.
        """
        from helix_core.engine.memory.strands import MemoryStrands

        return MemoryStrands(self.session, NOBODY).exported(is_shared=is_shared, scope=scope)

    def selected(self, workspaces: Sequence[str] = (), *, is_shared: bool = False, scope: str = "") -> StrandSelection:
        """Return the records that a file takes of this workspace, or of those that are named, and whose they are.

        Raises UsageError for a workspace without memories here.
        """
        from helix_core.engine.memory.strands import MemoryStrands

        return MemoryStrands(self.session, NOBODY).selected(workspaces, is_shared=is_shared, scope=scope)

    def imported(self, wanted: ImportRequest, by: Attribution = NOBODY) -> dict[str, Any]:
        """Take in the memories of an opened strand, or say what would come in. Raises StrandError, StoreError."""
        from helix_core.engine.memory.strands import MemoryStrands

        return MemoryStrands(self.session, by).imported(wanted, os.urandom)

    def manifest(self) -> dict[str, Any]:
        """The ``helix.strandManifest/1`` object: what a strand of all memories would be, in counts and hashes."""
        from helix_core.engine.memory.strands import MemoryStrands

        return MemoryStrands(self.session, NOBODY).manifest()

    def graph(self, limit: int = 200) -> dict[str, Any]:
        """Return the ``helix.memoryGraph/1`` object: memories, how they are related, and the files they cite."""
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)
        return self._file.read(lambda memory: curating.graph(memory, limit)) or curating.no_graph()

    def log(self, limit: int = 50, id_: str = "", *, verify: bool = False, everywhere: bool = False) -> dict[str, Any]:
        """Return the ``helix.log/1`` object: what was done to memories of this workspace and of all, the last first.

        Args:
            limit: The most operations.
            id_: Only those of this memory; empty for all.
            verify: Check every hash of the file.
            everywhere: Include those of other workspaces.
        """
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)

        def ask(memory: Memory) -> dict[str, Any]:
            return curating.log(memory, limit, id_, verify=verify, everywhere=everywhere)

        return self._file.read(ask) or curating.no_log()

    @heals_index()
    def review(self, limit: int = 50) -> dict[str, Any]:
        """The ``helix.review/1`` object: what waits for a decision: proposals, contradictions, stale citations."""
        from helix_core.engine.memory.curating import Curating

        curating = Curating(self.session, NOBODY)
        return self._file.read(lambda memory: curating.review(memory, limit)) or curating.no_review()

    def forget(self, id_: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Take a memory out of recall; ``restore`` brings it back. A ``gene_id`` deletes the notes that contain it.

        Of notes: ``{deleted: [gene_id…], count}``; of a memory also ``items``.
        """
        if _MEMORY_ID.fullmatch(id_):
            return self._change("forget", id_, by, dry_run=dry_run) | {"deleted": [], "count": 1}
        wanted = gene_bytes(id_)

        from helix_core.memory import UNNAMED

        def act(memory: Memory) -> list[str]:
            there = memory.notes.items_with(self._place, wanted, waiting=None)
            if by.agent:
                waiting = memory.notes.items_with(self._place, wanted, waiting=True)
                own = {one.note_id for one in waiting if (memory.notes.agent_of(one.note_id) or UNNAMED) == by.agent}
                if {item.note_id for item in there} - own:
                    from helix_core.engine.memory.curating import only_a_person

                    raise only_a_person(f"helix forget {id_}")
            if dry_run:
                return [*dict.fromkeys(item.gene_id for item in there)]
            return list(memory.notes.forget(self._place, wanted))

        gone = self._file.read(act) or []
        return {"deleted": gone, "count": len(gone)} | ({"dry_run": True} if dry_run else {})

    def reject(self, id_: str, by: Attribution = NOBODY, *, dry_run: bool = False) -> dict[str, Any]:
        """Turn down what waits for review: the ``helix.changed/1`` object. A memory is forgotten, a note deleted.

        Raises UsageError for an agent, and for a note that does not wait.
        """
        if _MEMORY_ID.fullmatch(id_):
            return self._change("forget", id_, by, dry_run=dry_run) | {"deleted": [], "count": 1}
        from helix_core.engine.memory.curating import CHANGED_SCHEMA, note_shown, only_a_person

        gene = gene_bytes(id_)

        def act(memory: Memory) -> tuple[list[dict[str, Any]], list[str]]:
            there = memory.notes.items_with(self._place, gene, waiting=None)
            found = {item.note_id: item for item in memory.notes.items_with(self._place, gene, waiting=True)}
            if by.agent and there:
                raise only_a_person(f"helix review --reject {id_}")
            if {item.note_id for item in there} - found.keys():
                raise UsageError(f"the note {id_} is in force and waits for no decision; helix forget {id_} deletes it")
            genes = [*dict.fromkeys(item.gene_id for item in there)]
            if found and not dry_run:
                genes = list(memory.notes.forget(self._place, gene))
            status = MemoryStatus.QUARANTINED if dry_run else MemoryStatus.FORGOTTEN
            return [note_shown(item, "") | {"status": status.value} for item in found.values()], genes

        items, genes = self._file.read(act) or ([], [])
        if not items:
            raise UsageError(f"no note with the id {id_} waits for approval; helix review shows those that do")
        answer = {"schema": CHANGED_SCHEMA, "change": "rejected", "items": items, "dry_run": dry_run}
        return answer | {"deleted": genes, "count": len(genes)}

    def forget_found(
        self, query: str, confirm: str = "", by: Attribution = NOBODY, *, dry_run: bool = False
    ) -> dict[str, Any]:
        """Forget by a query: the ``candidates`` that it finds, each with its ``confirm``, and nothing changes; with one
        of these given, that memory is forgotten.

        Args:
            query: What the memory is about.
            confirm: The ``confirm`` of a candidate; empty to list them.
            by: Who forgets it.
            dry_run: Answer the same, and write nothing.

        Raises:
            UsageError: The query is invalid, or ``confirm`` is not of one of its candidates.
        """
        from helix_core.engine.memory.curating import Curating

        if not query.strip():
            raise UsageError("the query is empty; say what is to be forgotten")
        curating = Curating(self.session, by)
        found = self._file.read(lambda memory: curating.forget_found(memory, query, confirm, dry_run=dry_run))
        answer = found or curating.no_candidates(query)
        return answer | {"deleted": [], "count": len(answer["items"])}

    def forget_session(self, session: str) -> dict[str, Any]:
        """Delete the exchanges of a session and its deliveries: ``{exchanges}``, the number deleted."""
        from helix_core.memory import session_name

        name = session_name(session)
        return {"exchanges": self._file.read(lambda memory: memory.exchanges.forget_session(self._place, name)) or 0}

    def learn(self, question: str, answer: str, by: Attribution = NOBODY, *, session: str = LEARNED) -> dict[str, Any]:
        """Keep an exchange, as the proxy keeps a chat, and return what ``consolidate`` draws from its session.

        The call is the consent: ``memory.learn`` is about chats that pass the proxy. Secrets are masked and long texts
        cut. The same exchange learned again gives the same proposals.

        Args:
            question: The user's message.
            answer: The model's answer.
            by: The author.
            session: The conversation's name.

        Raises:
            UsageError: The question or the answer is empty.
            StoreError: The memory cannot be written.
        """
        from helix_core.memory import ObservedExchange, kept

        exchange = kept(ObservedExchange(self._place, session, question, answer, "", "", time.time(), "stop"), by)
        if exchange is None:
            raise UsageError("an exchange has a question and an answer, and one of them is empty; give both as text")
        self._file.write(lambda memory: memory.exchanges.add(exchange))
        return self.consolidate(session)

    def consolidate(self, session: str = "", *, dry_run: bool = False) -> dict[str, Any]:
        """Draw facts, by rules, from the last exchanges of a session, or of all: ``{facts_extracted, gene_ids, …}``.

        Each fact is a proposal as it was said, with its handle as ``gene_id``: nothing recalls it before a person
        approves it. Drawn again it is the same memory, whatever was decided on it. With ``dry_run`` nothing is kept.
        """
        from helix_core.engine.memory.remembering import KEPT_AS_PROPOSAL, Remembering
        from helix_core.memory import facts_in

        exchanges = self._last_exchanges(session)
        by = {exchange.id: exchange.by for exchange in exchanges}
        drawn = [
            (fact, item)
            for fact in facts_in(exchanges)
            if (item := Remembering(self.session, by[fact.exchanges[0]]).draw(fact, dry_run=dry_run)) is not None
        ]
        waits = any(item["status"] == MemoryStatus.QUARANTINED for _, item in drawn)
        return {
            "facts_extracted": len(drawn),
            "gene_ids": [item["id"] for _, item in drawn],
            "exchanges": len(exchanges),
            "facts": [
                {
                    "gene_id": item["id"],
                    "text": fact.text,
                    "status": item["status"],
                    "rule": fact.rule,
                    "said_by": fact.said_by,
                    "exchanges": list(fact.exchanges),
                    "citations": list(fact.citations),
                }
                for fact, item in drawn
            ],
            "notes": [KEPT_AS_PROPOSAL] if waits and not dry_run else [],
        }

    def begin_extraction(self, session: str = "", by: Attribution = NOBODY, *, dry_run: bool = False) -> Extraction:
        """Return the question to the user's model about the same exchanges, or why none is asked.

        Its worst case is set aside from the month's budget until ``end_extraction``; with ``dry_run`` it is not.
        """
        from helix_core.engine.memory.extracting import Extracting

        return Extracting(self.session, by).begin(self._last_exchanges(session), dry_run=dry_run)

    def end_extraction(self, work: Extraction, reply: ModelReply | None, by: Attribution = NOBODY) -> dict[str, Any]:
        """Keep what the model drew as proposals: the member ``extractor`` of ``helix.consolidated/1``."""
        from helix_core.engine.memory.extracting import Extracting

        return Extracting(self.session, by).end(work, reply)

    def begin_ties(self, by: Attribution = NOBODY, *, dry_run: bool = False) -> TieBreak | None:
        """Return the question about proposals that no rule relates to a memory like them; None without a model."""
        if not current(self.session.config).tie_break_model:
            return None
        from helix_core.engine.memory.extracting import Extracting

        extracting = Extracting(self.session, by)
        return self._file.read(lambda memory: extracting.begin_ties(memory, dry_run=dry_run))

    def end_ties(self, work: TieBreak, reply: ModelReply | None, by: Attribution = NOBODY) -> dict[str, Any]:
        """Take a model's verdicts: the member ``tie_break`` of ``helix.consolidated/1``."""
        from helix_core.engine.memory.extracting import Extracting

        extracting = Extracting(self.session, by)
        return self._file.write(lambda memory: extracting.end_ties(memory, work, reply))

    def extractor_budget(self) -> dict[str, Any]:
        """Return what the models of the memory cost this month, empty where the settings name none."""
        config = current(self.session.config)
        if not config.extractor_model and not config.tie_break_model:
            return {}
        from helix_core.engine.memory.extracting import Extracting

        return Extracting(self.session, NOBODY).budget()

    def _last_exchanges(self, session: str) -> list[KeptExchange]:
        from helix_core.memory import session_name

        name = session_name(session) if session else None
        return self._file.read(lambda memory: memory.exchanges.last(self._place, name, CONSOLIDATED)) or []

    @answers_from_index()
    def expand(
        self,
        *,
        gene_id: str = "",
        source_id: str = "",
        start_line: int = 0,
        direction: str = "all",
        k: int = 5,
        task: TaskType | str = TaskType.EXPLAIN,
        session: str = "",
        cancelled: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Return the ``helix.expand/1`` object: what surrounds a place, each neighbor with a verdict of this moment.

        Args:
            gene_id: The place, as an earlier answer named it; or
            source_id: its file, and
            start_line: its line, 1-based.
            direction: Which neighbors.
            k: The most of each kind.
            task: What the answer is for; it decides how strict a verdict is.
            session: What this session received in full is left out; empty leaves nothing out.
            cancelled: Polled between steps.

        Raises:
            UsageError: The call is invalid, or the place is not here.
            Cancelled: Soon after ``cancelled`` returned True.
        """
        from helix_core.engine.memory.related import ExpandRequest, Expansion, expanded, note_hash, note_in

        had = self.sessions.delivered(session) if session else frozenset()
        asked = ExpandRequest(gene_id, source_id, start_line, direction, k, checked_task(task), had)
        wanted, check = asked.checked(), stop_when(cancelled)
        gene, note = gene_bytes(gene_id) if gene_id else b"", note_hash(source_id)

        def find(memory: Memory) -> tuple[list[NoteItem], list[NoteItem]]:
            found = (
                memory.notes.items_of_text(self._place, note) if note else memory.notes.items_with(self._place, gene)
            )
            meant = note_in(found, wanted)
            return found, memory.notes.items_of(meant.note_id) if meant is not None else []

        notes, siblings = self.session.read_memory(find) or ([], [])
        expansion = Expansion(self.session.index.reader, self.session.weigher(NO_OVERLAYS, check))
        return expanded(wanted, gene, expansion, notes, siblings)

    def kv_backfill(self) -> dict[str, Any]:
        """Parse notes of an older chunker again: ``{backfilled, total}``, in notes.

        A file's claims are made with its chunks; a refresh does so for everything that an older Helix made.
        """
        from helix_core.engine.memory.text_ingest import backfilled

        def fill(memory: Memory) -> tuple[int, int]:
            return backfilled(memory, self._place, self.session.parse_guard)

        done, total = self._file.read(fill) or (0, 0)
        return {"backfilled": done, "total": total}

    def totals(self) -> dict[str, Any]:
        """Return the memory's size over all workspaces: ``{exists, exchanges, notes, items, claims}``; ``error``."""
        try:
            totals = self._file.read(lambda memory: memory.totals())
        except StoreError as error:
            return {"exists": True, "error": str(error)}
        return {"exists": totals is not None, **(totals or {})}

    @property
    def _file(self) -> MemoryFile:
        return self.session.memory_file

    @property
    def _place(self) -> bytes:
        return self.session.place

    def _text_ingest(self) -> TextIngest:
        from helix_core.engine.memory.text_ingest import TextIngest

        one = self.session
        return TextIngest(one.root, one.git_facts.git, one.file_options(), one.parse_guard, one.place)

    def _take_in(self, path: bytes) -> None:
        """Refresh the file in the index; an unfinished index will reach it later."""
        if self.session.index.reader.meta("complete") == "1":
            with self.session.write_lock(None):
                self.session.new_refresh("", None).run_only([path])


def gene_bytes(gene_id: str) -> bytes:
    """Return the id as bytes. Raises UsageError."""
    if _GENE_ID.fullmatch(gene_id) is None:
        from helix_core.secrets import quoted

        raise UsageError(
            f"{quoted(gene_id, 80)} is not an id; give a memory's (m_…, as helix list has it), or the 16 hexadecimal "
            "digits of a place or a note, as an answer has them"
        )
    return bytes.fromhex(gene_id)
