"""The operations that answer a query. Each is a named tuple of arguments, one function and one entry."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from helix_core.engine.requests import LEAST_BUDGET, MAX_K, MOST_BUDGET, NO_FILTERS
from helix_core.errors import UsageError
from helix_core.model import Decoder, Filters, Kept, Pointer, Status, TaskType
from helix_core.packet import LEAST_TOKENS, MOST_TOKENS, Quotes
from helix_core.tuples import NamedTuple
from helix_ls.operations.arguments import DAEMON, HTTP, LAST_LINE, LSP, MCP, Argument, AskContext, Operation

if TYPE_CHECKING:
    from helix_core.engine import Helix

# The query is truncated to so many characters.
READ_CHARACTERS = 8_000
LONGEST_NAME = 200
LONGEST_ID = 64
LONGEST_PATH = 4_096
MOST_FINGERPRINTS = 200
# Candidates evaluated per place returned.
PROFILES = {"fast": 1, "balanced": 2, "quality": 3}

_FOLDERS = MCP | LSP
QUESTION = Argument(
    "The question: words, names, or a quoted message.",
    also=("query", "fullInput"),
    reads=READ_CHARACTERS,
)
TASK = Argument(
    "What the answer is for; edit, debug and ops trust less.",
    choices=tuple(task.value for task in TaskType),
    also=("task",),
)
PLACES = Argument(
    "The maximum number of places; 8, or 12 within max_tokens.",
    1,
    MAX_K,
    also=("max_items", "max_genes"),
)
_BUDGET = Argument("The maximum number of tokens of evidence.", LEAST_BUDGET, MOST_BUDGET, also=("budget_tokens",))
_RESULTS = Argument("The maximum number of places.", 1, MAX_K, also=("max_results", "max_items", "max_genes"))
PAGE = Argument("The next_page of an answer.", most=LONGEST_ID)
SESSION = Argument(
    "A name for the session, chosen by the caller.", most=LONGEST_NAME, also=("session",), on=HTTP | DAEMON
)
URI = Argument("The URI of a document in the editor.", most=LONGEST_PATH, on=LSP)

SOURCE = Argument("The file, as a path from the workspace folder.", most=LONGEST_PATH, also=("path", "file"))
GENE = Argument("The gene_id of an item, as an answer has it.", most=LONGEST_ID, also=("id",))

FORMAT = Argument("json adds hashes, ids, scores, commits.", choices=("text", "json"), on=MCP)

Page = Annotated[str, PAGE]
Question = Annotated[str, QUESTION]
OptionalQuestion = Annotated[str | None, QUESTION]
Task = Annotated[str, TASK]
Workspace = Annotated[
    str | None, Argument("The name of an open folder; defaults to the first one.", also=("root",), on=_FOLDERS)
]


class WorkspaceArguments(NamedTuple):
    """The arguments of an operation that takes only its workspace."""

    workspace: Workspace = None


class GivenItem(NamedTuple):
    """An item of a packet, reduced to its pointer."""

    source_id: Annotated[str, SOURCE]
    gene_id: Annotated[str, GENE]
    start_line: Annotated[int, Argument("The first line.", 0, LAST_LINE)]
    end_line: Annotated[int, Argument("The last line.", 0, LAST_LINE)]
    symbol: Annotated[str, Argument("What the packet calls the lines.")] = ""
    content_hash: Annotated[str, Argument("The SHA-256 of the file.", most=LONGEST_ID)] = ""

    @property
    def pointer(self) -> Pointer:
        """Return the item as the engine takes it."""
        return Pointer(
            source_id=self.source_id,
            gene_id=self.gene_id,
            symbol=self.symbol,
            start_line=self.start_line,
            end_line=self.end_line,
            content_hash=self.content_hash,
        )


_KEPT = tuple(kept.value for kept in Kept)


class FilterArguments(NamedTuple):
    """Which files are searched: the one declaration of the filters of search, packet and context."""

    paths: Annotated[
        tuple[str, ...],
        Argument("Globs as in .gitignore, such as src/ or *.py; one that begins with ! excludes.", most=1_000),
    ] = ()
    language: Annotated[str | None, Argument("A language, such as python.", most=LONGEST_NAME)] = None
    tests: Annotated[str, Argument("Whether tests are searched.", choices=_KEPT)] = Kept.WITH.value
    docs: Annotated[str, Argument("Whether documents are searched.", choices=_KEPT)] = Kept.WITH.value
    since: Annotated[
        str | None, Argument("A git commit, tag or branch: only files that differ from it on disk.", most=LONGEST_NAME)
    ] = None
    author: Annotated[
        str | None,
        Argument(
            "A part of a name or e-mail address: only files that commits of this author touched.", most=LONGEST_NAME
        ),
    ] = None

    @property
    def filters(self) -> Filters:
        """Return the filters as the engine takes them. Raises UsageError for a name that is given and blank."""
        return Filters(
            self.paths,
            filter_name("language", self.language),
            Kept(self.tests),
            Kept(self.docs),
            since=filter_name("since", self.since),
            author=filter_name("author", self.author),
        )


def filter_name(shown: str, value: str | None) -> str:
    """Return a filter's name, empty where none is given. Raises UsageError for a blank one, such as an unset variable:
    it would filter nothing.
    """
    if value is not None and not value.strip():
        raise UsageError(f"{shown} is empty; give it a value, or leave it out to filter nothing")
    return value or ""


FILTERS = Argument(
    "Which files: paths (globs; ! excludes), language, tests, docs (with, without, only), since (commit), author."
)
FilterOption = Annotated[FilterArguments | None, FILTERS]


def filters_of(given: FilterArguments | None) -> Filters:
    """Return the filters of a call; without any, all files are searched."""
    return given.filters if given is not None else NO_FILTERS


class PacketArguments(NamedTuple):
    """The arguments of ``packet``; ``open`` keeps the packet in the editor's session, judged at every change."""

    question: Question
    task_type: Task = TaskType.EXPLAIN.value
    k: Annotated[int | None, PLACES] = None
    max_tokens: Annotated[
        int | None,
        Argument(
            "The maximum number of tokens in total; 1000 hold the best places with their most useful lines.",
            LEAST_TOKENS,
            MOST_TOKENS,
        ),
    ] = None
    filters: FilterOption = None
    quotes: Annotated[
        str,
        Argument(
            "Whether quotes are cut to their most useful lines, or whole.",
            choices=tuple(quotes.value for quotes in Quotes),
            on=HTTP | LSP | DAEMON,
        ),
    ] = Quotes.CHOSEN.value
    workspace: Workspace = None
    uri: Annotated[str | None, URI] = None
    items: Annotated[
        list[GivenItem] | None, Argument("Show these places, judged now, instead of searching.", on=LSP)
    ] = None
    open: Annotated[bool, Argument("Update the packet's verdicts on every change until it is closed.", on=LSP)] = False
    format: Annotated[str, FORMAT] = "text"
    as_text: Annotated[bool, Argument("Add the packet as compact text.", on=DAEMON)] = False


def packet(helix: Helix, given: PacketArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.packet/1`` object: pointers with verdicts."""
    if given.items is not None:
        return helix.packet_of(
            [item.pointer for item in given.items],
            given.question,
            task=given.task_type,
            overlays=context.overlays,
            quotes=given.quotes,
            cancelled=context.cancelled,
        )
    return helix.packet(
        given.question,
        task=given.task_type,
        k=given.k,
        hints=context.hints,
        overlays=context.overlays,
        quotes=given.quotes,
        max_tokens=given.max_tokens,
        as_text=given.as_text,
        filters=filters_of(given.filters),
        cancelled=context.cancelled,
    )


PACKET = Operation(
    "packet",
    "Context packet",
    "Find the places that answer a question, with quotes, each with a verdict made at this moment: verified (as it is "
    "on disk), stale_risk (true text that may mislead, and why) or needs_refresh (read it again first).",
    PacketArguments,
    packet,
    "helix.packet/1",
)


class SearchArguments(NamedTuple):
    """The arguments of ``search``."""

    question: Question
    k: Annotated[int, _RESULTS] = 10
    page: Page = ""
    filters: FilterOption = None
    previews: Annotated[
        bool,
        Argument(
            "Compare each place with the disk, and return its status and the line that declares it.",
            on=HTTP | LSP | DAEMON,
        ),
    ] = False
    workspace: Workspace = None
    format: Annotated[str, FORMAT] = "text"


def search(helix: Helix, given: SearchArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.search/1`` object: ranked items."""
    return helix.search(
        given.question,
        k=given.k,
        hints=context.hints,
        overlays=context.overlays,
        previews=given.previews,
        filters=filters_of(given.filters),
        page=given.page,
        cancelled=context.cancelled,
    )


SEARCH = Operation(
    "search",
    "Search",
    "List places by words, symbol, file name or error message: path, lines and symbol, without contents or verdicts.",
    SearchArguments,
    search,
    "helix.search/1",
)


class ContextArguments(NamedTuple):
    """The arguments of ``context``. What a session has received before is left out of its next answer."""

    question: Question
    budget: Annotated[int, _BUDGET] = 6_000
    filters: FilterOption = None
    decoder_mode: Annotated[
        str,
        Argument(
            "How much explanation precedes the evidence.",
            choices=tuple(decoder.value for decoder in Decoder),
            also=("decoder",),
        ),
    ] = Decoder.CONDENSED.value
    downstream_model: Annotated[
        str,
        Argument("The model that reads it; small models get literal facts first.", most=LONGEST_NAME, also=("model",)),
    ] = ""
    workspace: Workspace = None
    prompt_tokens: Annotated[
        int, Argument("Tokens that the caller's prompt already has; the more, the less is added.", on=HTTP)
    ] = 0
    format: Annotated[
        str,
        Argument("helix for helix.context/1, otherwise Continue's list of one item.", also=("response_mode",), on=HTTP),
    ] = ""
    session_id: Annotated[str, SESSION] = ""
    ignore_delivered: Annotated[bool, Argument("Repeat evidence that the session already has.", on=HTTP | DAEMON)] = (
        False
    )


def context(helix: Helix, given: ContextArguments, context: AskContext) -> dict[str, Any]:
    """Return the ``helix.context/1`` object: current text within a token budget."""
    from helix_core.engine.answer import ContextRequest

    request = ContextRequest(
        budget_tokens=given.budget,
        decoder=Decoder(given.decoder_mode),
        model=given.downstream_model,
        prompt_tokens=given.prompt_tokens,
    )
    session = given.session_id
    if session and not given.ignore_delivered:
        request = replace(request, delivered=helix.memory.sessions.delivered(session))
    found = helix.context(
        given.question,
        request,
        hints=context.hints,
        filters=filters_of(given.filters),
        cancelled=context.cancelled,
    )
    if session:
        helix.memory.sessions.deliver(session, found)
    return found


CONTEXT = Operation(
    "context",
    "Evidence as text",
    "Get the evidence for a question as one text within a budget of tokens, each block with its place and verdict.",
    ContextArguments,
    context,
    "helix.context/1",
)


class PreviewArguments(NamedTuple):
    """The arguments of ``preview``."""

    question: Question
    budget: Annotated[int, _BUDGET] = 6_000
    workspace: Workspace = None


_PLACE = ("source_id", "start_line", "end_line", "symbol")


def preview(helix: Helix, given: PreviewArguments, asking: AskContext) -> dict[str, Any]:
    """Return ``helix.context/1`` without its text, as the ``helix.preview/1`` object."""
    window = context(helix, ContextArguments(given.question, given.budget), asking)
    kept = ("query", "workspace", "tokens", "budget", "budget_tier", "known_empty", "nearest", "left_out", "notes")
    return {
        "schema": "helix.preview/1",
        **{name: window[name] for name in kept},
        "blocks": [
            {name: block[name] for name in (*_PLACE, "gene_id", "status", "reason", "tokens", "hidden_lines")}
            for block in window["blocks"]
        ],
        "facts": len(window["facts"]),
        "context_health": window["context_health"],
    }


PREVIEW = Operation(
    "preview",
    "Preview of a context window",
    "Preview what helix_context returns for a question, without the text: each place with its tokens and how many of "
    "its lines would be cut, what would be left out and why, the tier and the health of the whole.",
    PreviewArguments,
    preview,
    "helix.preview/1",
)


class ResonanceArguments(NamedTuple):
    """The arguments of ``resonance``."""

    question: Question
    k: Annotated[
        int,
        Argument("The number of places to examine.", 1, MAX_K, also=("max_results", "downsample")),
    ] = 20
    workspace: Workspace = None


def resonance(helix: Helix, given: ResonanceArguments, context: AskContext) -> dict[str, Any]:
    """Return ``helix.search/1`` by ranker, as ``helix.resonance/1``; ``share`` is its mean share of a score."""
    found = search(helix, SearchArguments(given.question, given.k), context)
    shares: Counter[str] = Counter()
    ranks: dict[str, list[tuple[int, int]]] = {}
    for number, item in enumerate(found["items"]):
        for signal in item["signals"]:
            shares[signal["ranker"]] += signal["share"]
            ranks.setdefault(signal["ranker"], []).append((signal["rank"], number))
    count = max(1, len(found["items"]))
    return {
        "schema": "helix.resonance/1",
        "query": found["query"],
        "rankers": [
            {
                "ranker": ranker,
                "share": round(share / count, 4),
                "places": len(ranks[ranker]),
                "best_rank": min(ranks[ranker])[0],
                "strongest": {name: found["items"][min(ranks[ranker])[1]][name] for name in _PLACE},
            }
            for ranker, share in shares.most_common()
        ],
        "items": [{name: item[name] for name in (*_PLACE, "score", "signals")} for item in found["items"]],
        "known_empty": found["known_empty"],
        "confidence": found["confidence"],
        "notes": found["notes"],
    }


RESONANCE = Operation(
    "resonance",
    "Which rankers found it",
    "Show what each ranker of the search contributed to a question, and to which places: words, names, the graph or "
    "vectors.",
    ResonanceArguments,
    resonance,
    "helix.resonance/1",
)


class FingerprintArguments(NamedTuple):
    """The arguments of ``fingerprint``: at most ``max_results`` places with a score of at least ``score_floor``."""

    question: Question
    profile: Annotated[str, Argument("How many candidates are examined.", choices=tuple(PROFILES))] = "balanced"
    max_results: Annotated[int, Argument("The maximum number of places.", 1, MOST_FINGERPRINTS)] = 40
    score_floor: Annotated[float, Argument("Omit places with a lower score.", 0, 999_999_999)] = 0.0
    filters: FilterOption = None

    @property
    def evaluated(self) -> int:
        """The number of candidates to evaluate: more than are returned if a score floor may exclude some."""
        return min(max(self.max_results * PROFILES[self.profile], 50 if self.score_floor else 1), MAX_K)


def fingerprint(helix: Helix, given: FingerprintArguments, context: AskContext) -> dict[str, Any]:
    """Return the places of ``helix.search/1``, with counts of those evaluated, passed, returned and left out."""
    found = search(helix, SearchArguments(given.question, given.evaluated, filters=given.filters), context)
    above = [item for item in found["items"] if item["score"] >= given.score_floor]
    returned = above[: given.max_results]
    return {
        "schema": "helix.fingerprint/1",
        "mode": "fingerprint",
        "query": found["query"],
        "profile": given.profile,
        "fingerprints": [
            {
                "rank": rank,
                "score": item["score"],
                "source": item["source_id"],
                "path": item["source_id"],
                **{name: item[name] for name in ("source_id", "start_line", "end_line", "symbol", "kind")},
                "tier_contributions": item["signals"],
            }
            for rank, item in enumerate(returned, 1)
        ],
        "count": len(returned),
        "max_results": given.max_results,
        "score_floor": given.score_floor,
        "evaluated_total": len(found["items"]),
        "above_floor_total": len(above),
        "returned": len(returned),
        "filtered_by_floor": len(found["items"]) - len(above),
        "truncated_by_cap": len(above) - len(returned),
        "known_empty": found["known_empty"],
        "confidence": found["confidence"],
        "notes": found["notes"],
        **({"unsearched": found["unsearched"]} if "unsearched" in found else {}),
        "elapsed_ms": found["elapsed_ms"],
    }


FINGERPRINT = Operation(
    "fingerprint",
    "Places without text",
    "List places that answer a question, without text: how many were looked at, passed, returned and left out.",
    FingerprintArguments,
    fingerprint,
    "helix.fingerprint/1",
)


class PlanArguments(NamedTuple):
    """The arguments of ``plan``: a packet of the session, or a question."""

    packet_id: Annotated[str | None, Argument("Of an earlier packet.", most=LONGEST_ID, on=MCP | LSP)] = None
    question: OptionalQuestion = None
    task_type: Task = TaskType.EXPLAIN.value
    k: Annotated[int | None, PLACES] = None
    workspace: Workspace = None


def plan(helix: Helix, given: PlanArguments, context: AskContext) -> dict[str, Any]:
    """Return the refresh targets of a packet as the ``helix.refreshPlan/1`` object."""
    assert given.question is not None
    whole = packet(helix, PacketArguments(given.question, given.task_type, given.k), context)
    kept = ("query", "task_type", "workspace", "head", "refresh_targets", "known_empty", "notes")
    counts = {status.value: len(whole[status.value]) for status in Status}
    return {"schema": "helix.refreshPlan/1", **{name: whole[name] for name in kept}, "counts": counts}


PLAN = Operation(
    "plan",
    "What to read again",
    "List what to read again before you act: of an earlier packet, with the verdict and the lines of each item "
    "now (use it after edits), or for a new question.",
    PlanArguments,
    plan,
    "helix.refreshPlan/1",
    needs=(("packet_id",), ("question",)),
    is_exclusive=True,
)
