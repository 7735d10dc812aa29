"""Have the user's model draw facts from kept chats, as proposals: what is sent, what it may cost, what is taken.

The one who calls the model is passed nothing but a question. Tokens are reserved before it is asked and settled after,
in ``model-use.json`` of the data folder: the tokens of each month, and per hash of a slice which memories came from it.
It holds no word of a chat. Where it cannot be read nothing is asked.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix_core.config import current
from helix_core.engine.memory.remembering import MODEL_RULES, Remembering, actor_of, memory_object
from helix_core.engine.memory.strands import PRIVATE_KINDS
from helix_core.engine.opened import WorkspaceSession
from helix_core.engine.verdict import reason_now
from helix_core.errors import MemoryStoreError, StoreError
from helix_core.memory import (
    MOST_PAIRS,
    MOST_SLICES,
    AnswerError,
    DrawnFact,
    ModelPrompt,
    Slice,
    content_words,
    drawn_from,
    is_in_doubt,
    is_sendable,
    is_within,
    kept_path,
    month_of,
    prompt_of,
    slice_key,
    slices_in,
    tie_key,
    tie_prompt_of,
    verdicts_in,
    withheld,
)
from helix_core.model import (
    CONFLICTS,
    REFINES,
    USABLE,
    Attribution,
    KeptExchange,
    MemoryLink,
    MemoryOrigin,
    MemoryStatus,
    StoredMemory,
)
from helix_core.printable import count
from helix_core.store import Memory
from helix_core.workspace import ignored_files, name_reason

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = "model-use.json"
SCHEMA = "helix.modelUse/1"
MOST_KNOWN = 4_096
MOST_MONTHS = 24
MOST_COUNTED = 10**15
MOST_PATHS = 64
MOST_PROPOSALS, MOST_ALIKE = 64, 8
LOCK_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered; ``tokens`` is what the whole call cost, ``problem`` why there is no answer."""

    text: str = ""
    tokens: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """What is to be asked of ``model``, or ``why`` it is not. ``reserved`` tokens of ``month`` are set aside for it."""

    model: str
    month: str
    prompt: ModelPrompt | None = None
    why: str = ""
    reserved: int = 0

    @property
    def is_asked(self) -> bool:
        """Return whether the model is to be asked."""
        return self.prompt is not None and not self.why


@dataclass(frozen=True, slots=True)
class Extraction:
    """A question about ``slices``. ``known`` are the ids of memories that came from the ``cached`` slices which were
    asked about before.
    """

    question: ModelQuestion
    slices: tuple[Slice, ...] = ()
    known: tuple[str, ...] = ()
    cached: int = 0


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A question about pairs of a proposal and a memory that is like it."""

    question: ModelQuestion
    pairs: tuple[tuple[StoredMemory, StoredMemory], ...] = ()


class Extracting:
    """The model's part of a consolidation in one open workspace. ``by`` is the actor that asks for it."""

    def __init__(self, session: WorkspaceSession, by: Attribution) -> None:
        self._session, self._by = session, by
        self._config = current(session.config)
        self._use = ModelUse(self._config.data_dir)

    def begin(self, exchanges: Sequence[KeptExchange], *, dry_run: bool) -> Extraction:
        """Return what is to be asked, with its worst case set aside; ``dry_run`` sets nothing aside."""
        model = self._config.extractor_model
        usage, why = self._budget_state(model, dry_run=dry_run)
        if usage is None:
            return Extraction(self._question(model, None, why))
        found = slices_in(exchanges, self._hidden())
        new = [one for one in found if slice_key(model, one) not in usage.known][:MOST_SLICES]
        known = [usage.known[key] for one in found if (key := slice_key(model, one)) in usage.known]
        ids = tuple(dict.fromkeys(id_ for group in known for id_ in group))
        question = self._question(model, prompt_of(new) if new else None, why, usage if dry_run else None)
        return Extraction(question, tuple(new), ids, len(known))

    def end(self, work: Extraction, reply: ModelReply | None) -> dict[str, Any]:
        """Store the reply's facts as proposals, and return the member ``extractor`` of ``helix.consolidated/1``.

        ``reply`` is None where nothing was asked. What fails is in the member ``note``.
        """
        items, note = self._known(work.known), work.question.why
        refused: dict[str, int] = {}
        if reply is not None:
            try:
                drawn, refused = drawn_from(self._settled(work.question, reply), work.slices)
                items += self._proposed(work, drawn)
            except (AnswerError, StoreError) as error:
                note = f"the model gave no facts: {error}"
        about = {
            "slices": len(work.slices),
            "cached": work.cached,
            "items": list({one["uuid"]: one for one in items}.values()),
            "refused": refused,
        }
        return self._about(work.question, reply, about, note)

    def begin_ties(self, memory: Memory, *, dry_run: bool) -> TieBreak:
        """Return the question about proposals that no rule relates to a memory like them; once for each pair."""
        model = self._config.tie_break_model
        usage, why = self._budget_state(model, dry_run=dry_run)
        if usage is None:
            return TieBreak(self._question(model, None, why))
        doubtful = _doubtful(self._session, memory, self._hidden())
        pairs = [pair for pair in doubtful if _tie_key(model, pair) not in usage.known][:MOST_PAIRS]
        prompt = tie_prompt_of([_texts(pair) for pair in pairs]) if pairs else None
        return TieBreak(self._question(model, prompt, why, usage if dry_run else None), tuple(pairs))

    def end_ties(self, memory: Memory, work: TieBreak, reply: ModelReply | None) -> dict[str, Any]:
        """Take the verdicts, and return the member ``tie_break`` of ``helix.consolidated/1``.

        Only proposals change: one that says the same as a memory is forgotten, which ``restore`` undoes; another is
        linked to it.
        """
        decided, note = [], work.question.why
        if reply is not None:
            try:
                verdicts = verdicts_in(self._settled(work.question, reply), len(work.pairs))
                for at, verdict in verdicts.items():
                    proposal, other = work.pairs[at]
                    self._decide(memory, proposal, other, verdict)
                    decided.append({"id": proposal.fact.handle, "other": other.fact.handle, "verdict": verdict})
                self._use.note({_tie_key(work.question.model, work.pairs[at]): [] for at in verdicts})
            except (AnswerError, StoreError) as error:
                note = f"the model gave no verdicts: {error}"
        return self._about(work.question, reply, {"pairs": len(work.pairs), "decided": decided}, note)

    def _budget_state(self, model: str, *, dry_run: bool) -> tuple[ModelUsage | None, str]:
        """Return what was asked before, and why nothing may be asked now; None where a question is not even made."""
        config = self._config
        why = withheld(model=model, learns=config.memory_learn, budget=config.monthly_token_budget)
        if why and not dry_run:
            return None, why
        try:
            return self._use.read(), why
        except StoreError as error:
            return None, str(error)

    def _question(
        self, model: str, prompt: ModelPrompt | None, why: str, compared: ModelUsage | None = None
    ) -> ModelQuestion:
        """Set the worst case of a question aside; only compare it with what is ``compared``, in a dry run."""
        month, limit = month_of(time.time()), self._config.monthly_token_budget
        if prompt is None or why:
            return ModelQuestion(model, month, prompt, why)
        worst = prompt.worst_tokens()
        if compared is not None:
            used = compared.used(month)
            return ModelQuestion(
                model, month, prompt, "" if is_within(limit, used, worst) else _used_up(worst, used, limit)
            )
        why = self._reserve(month, worst)
        return ModelQuestion(model, month, prompt, why, 0 if why else worst)

    def _settled(self, question: ModelQuestion, reply: ModelReply) -> str:
        """Count what a call cost in place of what was set aside; return the answer. Raises AnswerError, StoreError."""
        self._use.add(question.month, reply.tokens - question.reserved, calls=1)
        if reply.problem:
            raise AnswerError(reply.problem)
        return reply.text

    def _about(
        self, question: ModelQuestion, reply: ModelReply | None, about: dict[str, Any], note: str
    ) -> dict[str, Any]:
        return {
            "model": question.model,
            "asked": reply is not None,
            **about,
            "tokens": reply.tokens if reply is not None else 0,
            "budget": self.budget(question.month),
            "note": note,
        }

    def _decide(self, memory: Memory, proposal: StoredMemory, other: StoredMemory, verdict: str) -> None:
        at, actor = int(time.time() * 1e3), actor_of(MemoryOrigin.AGENT, self._by)
        now = memory.items.by_ids([proposal.id])
        if not now or now[0].status is not MemoryStatus.QUARANTINED:
            # It was decided in the meantime.
            return
        if verdict == "same":
            memory.items.change("forget", proposal.id, actor, at)
        elif relation := {"refines": REFINES, "conflicts": CONFLICTS}.get(verdict):
            memory.items.relate(MemoryLink(proposal.id, relation, other.id), actor, at)

    def budget(self, month: str = "") -> dict[str, Any]:
        """Return the month's budget: ``{model, month, used, limit, calls}``; ``error`` where it cannot be read."""
        month, limit = month or month_of(time.time()), self._config.monthly_token_budget
        about = {"model": self._config.extractor_model, "month": month, "limit": limit}
        try:
            usage = self._use.read()
        except StoreError as error:
            return about | {"used": 0, "calls": 0, "error": str(error)}
        return about | {"used": usage.used(month), "calls": usage.calls(month)}

    def _reserve(self, month: str, worst: int) -> str:
        limit = self._config.monthly_token_budget
        try:
            used = self._use.reserve(month, worst, limit)
        except StoreError as error:
            return str(error)
        return "" if used is None else _used_up(worst, used, limit)

    def _proposed(self, work: Extraction, drawn: Sequence[DrawnFact]) -> list[dict[str, Any]]:
        """Write the facts, note which memories came from each slice, and return their wire objects."""
        remembering = Remembering(self._session, self._by)
        items, model = [], work.question.model
        made: dict[str, list[str]] = {slice_key(model, one): [] for one in work.slices}
        for fact in drawn:
            source = work.slices[fact.slice]
            item = remembering.proposed_by_model(fact, source.session, f"{MODEL_RULES} {model}")
            items.append(item | {"quote": fact.quote, "exchange": source.exchange})
            made[slice_key(model, source)].append(item["uuid"])
        self._use.note(made)
        return items

    def _known(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return the memories that are still here and wait for a decision, or are in force."""
        there = self._session.memory_file.read(lambda memory: memory.items.by_ids(ids)) or []
        return [memory_object(one) | {"is_new": False} for one in there if one.status is not MemoryStatus.FORGOTTEN]

    def _hidden(self) -> Callable[[str], bool]:
        """Return the test for words that name ignored or secret files; beyond ``MOST_PATHS`` files all are."""
        session = self._session
        asked: dict[str, bool] = {}

        def is_hidden(named: str) -> bool:
            if name_reason(named.encode("utf-8", "replace")) == "private":
                return True
            if not os.path.lexists(session.root.path / named):
                return False
            if named not in asked:
                asked[named] = len(asked) >= MOST_PATHS or _is_ignored(session, named)
            return asked[named]

        return is_hidden


def _doubtful(
    session: WorkspaceSession, memory: Memory, is_hidden: Callable[[str], bool]
) -> Iterator[tuple[StoredMemory, StoredMemory]]:
    """Yield each proposal of an agent that has no relation, with the memory in force that is most like it.

    Neither may hold what a sentence of a chat may not hold, or say who a person is.
    """

    def may_be_sent(one: StoredMemory) -> bool:
        text = str(memory_object(one)["text"])
        return one.fact.kind not in PRIVATE_KINDS and is_sendable(text, is_hidden)

    scope = memory.items.scope(session.place)
    proposals = memory.items.listed([scope], [MemoryStatus.QUARANTINED.value], (), MOST_PROPOSALS) if scope else []
    for one in proposals:
        if one.fact.origin is not MemoryOrigin.AGENT or memory.items.links([one.id]) or not may_be_sent(one):
            continue
        ids = [id_ for id_, _ in memory.items.matches(content_words(one.fact.text), [scope], MOST_ALIKE)]
        order = {id_: at for at, id_ in enumerate(ids)}
        alike = sorted(memory.items.by_ids(ids), key=lambda other: order[other.id])
        found = next(
            (o for o in alike if o.status in USABLE and is_in_doubt(*_texts((one, o))) and may_be_sent(o)), None
        )
        if found is not None:
            yield one, found


def _texts(pair: tuple[StoredMemory, StoredMemory]) -> tuple[str, str]:
    """Return the two texts, masked by the rules of now."""
    new, known = (str(memory_object(one)["text"]) for one in pair)
    return new, known


def _tie_key(model: str, pair: tuple[StoredMemory, StoredMemory]) -> str:
    return tie_key(model, *_texts(pair))


def _is_ignored(session: WorkspaceSession, named: str) -> bool:
    """Return whether an entry of the root does not count; a folder counts where git does not ignore it."""
    path = named.encode("utf-8", "replace")
    if (session.root.path / named).is_dir():
        hidden = ignored_files(session.root, session.git_facts.git)
        return any(one.path.rstrip(b"/") == path for one in hidden)
    return kept_path(path) is None or bool(
        reason_now(session.root, session.git_facts.git, session.file_options(), path)
    )


def _used_up(worst: int, used: int, limit: int) -> str:
    return (
        f"the month's budget does not allow it: {used:,} of {count(limit, 'token')} are used, "
        f"and this may cost {worst:,} (HELIX_MONTHLY_TOKEN_BUDGET)"
    )


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The content of the file: tokens and calls by month, and the ids of memories by hash of their slice."""

    months: dict[str, dict[str, int]]
    known: dict[str, list[str]]

    def used(self, month: str) -> int:
        """Return the tokens of a month, those set aside included."""
        return self.months.get(month, {}).get("tokens", 0)

    def calls(self, month: str) -> int:
        """Return the calls of a month."""
        return self.months.get(month, {}).get("calls", 0)


def _count_of(value: Any) -> int:
    """Return a count of the file. Raises ValueError for what none can be."""
    if type(value) is not int or not 0 <= value <= MOST_COUNTED:
        raise ValueError("no count")
    return value


class ModelUse:
    """The file of what models cost and what was asked. Any process may change it; each change is whole."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self) -> ModelUsage:
        """Return what the file says; empty without one. Raises MemoryStoreError for one that cannot be understood."""
        try:
            state = json.loads(self._file().read_bytes())
            if state["schema"] != SCHEMA:
                raise ValueError(state["schema"])
            months = {
                str(month): {name: _count_of(one[name]) for name in ("tokens", "calls")}
                for month, one in state["months"].items()
            }
            return ModelUsage(months, {str(key): [str(id_) for id_ in ids] for key, ids in state["known"].items()})
        except FileNotFoundError:
            return ModelUsage({}, {})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            said_why = f"{self._file()} cannot be read ({type(error).__name__}), so no model is asked; remove the file"
            raise MemoryStoreError(said_why) from error

    def reserve(self, month: str, tokens: int, limit: int) -> int | None:
        """Set tokens aside and return None; return what is used where they do not fit into the limit."""
        with self._changing() as usage:
            used = usage.used(month)
            if not is_within(limit, used, tokens):
                return used
            self._count(usage, month, tokens, 0)
        return None

    def add(self, month: str, tokens: int, *, calls: int) -> None:
        """Add tokens, which may be negative where fewer were used than were set aside, and calls."""
        with self._changing() as usage:
            self._count(usage, month, tokens, calls)

    def note(self, known: dict[str, list[str]]) -> None:
        """Note which memories came from slices, by their hash; the oldest beyond the limit are dropped."""
        with self._changing() as usage:
            usage.known.update(known)
            for key in list(usage.known)[: max(0, len(usage.known) - MOST_KNOWN)]:
                del usage.known[key]

    @staticmethod
    def _count(usage: ModelUsage, month: str, tokens: int, calls: int) -> None:
        usage.months[month] = {
            "tokens": min(max(usage.used(month) + tokens, 0), MOST_COUNTED),
            "calls": min(usage.calls(month) + calls, MOST_COUNTED),
        }
        others = sorted(set(usage.months) - {month})
        for old in others[: max(0, len(usage.months) - MOST_MONTHS)]:
            del usage.months[old]

    @contextmanager
    def _changing(self) -> Iterator[ModelUsage]:
        from filelock import FileLock, Timeout

        file = self._file()
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(f"{file}.lock", timeout=LOCK_WAIT_S, mode=0o600):
                usage = self.read()
                yield usage
                self._write(file, {"schema": SCHEMA, "months": usage.months, "known": usage.known})
        except (Timeout, OSError) as error:
            message = f"{file} cannot be written ({type(error).__name__}), so no model is asked; check the folder"
            raise MemoryStoreError(message) from error

    @staticmethod
    def _write(file: Path, state: dict[str, Any]) -> None:
        fresh = file.with_name(f"{file.name}.new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as writer:
            json.dump(state, writer, sort_keys=False)
        os.replace(fresh, file)

    def _file(self) -> Path:
        if self._folder is None:
            raise MemoryStoreError("No folder is set for the memory; set HELIX_DATA_DIR to one.")
        return self._folder / FILE
