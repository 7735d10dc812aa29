"""Ask the user's upstream for the facts of kept chats, on a request for a consolidation, and never otherwise.

The engine says what is sent and whether it may be (``begin_extraction``), and takes what comes of it
(``end_extraction``). No question thread waits for the model. Whatever fails leaves the facts that rules draw, and one
note.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp

from helix_core.engine import Helix
from helix_core.engine.memory import Extraction, ModelQuestion, ModelReply, TieBreak
from helix_core.memory import MOST_ANSWER_TOKENS, ModelPrompt
from helix_core.tokens import estimate
from helix_ls.operations.memory import ConsolidateArguments, by_of
from helix_ls.proxy.dialects import CHAT, OLLAMA_CHAT, RESPONSES
from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.presets import traits_of
from helix_ls.proxy.refused import HttpError
from helix_ls.proxy.upstream import (
    ANTHROPIC_VERSION,
    Address,
    ChosenUpstream,
    UpstreamError,
    Upstreams,
    read_bounded,
)

CALL_S = 20.0
"""For all requests of one consolidation."""
MAX_REPLY_BYTES = 1024 * 1024
MOST_TOKENS = 4_000_000
"""More than one call can cost: a count above it is not believed."""
T = TypeVar("T")
Ask = Callable[[Callable[[Helix], T]], Awaitable[T]]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is sent to an upstream: the dialect, the path below its base, and the body as JSON."""

    dialect: str
    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Return the body as it is sent."""
        return json.dumps(self.body, ensure_ascii=False)


class ModelExtractor:
    """Bound to one event loop. One question at a time, so that no slice is paid for twice."""

    def __init__(self, upstreams: Upstreams, measures: Measures | None = None) -> None:
        self._upstreams, self._measures = upstreams, measures
        self._turn = asyncio.Lock()

    async def extended(self, ask: Ask[Any], given: ConsolidateArguments, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of ``consolidate`` with what the model drew, as the member ``extractor``.

        ``ask`` runs a function on the engine in a thread. Without a model in the user's settings it is the answer.
        ``tie_break`` is what another model says of proposals like memories.
        """
        by, session, dry_run = by_of(""), given.session_id, given.dry_run
        extended = dict(answer)
        notes: list[str] = []
        async with self._turn:
            until = asyncio.get_running_loop().time() + CALL_S
            # What waited before is compared first, so that a dry run can show it.
            ties: TieBreak | None = await ask(lambda helix: helix.memory.begin_ties(by, dry_run=dry_run))
            if ties is not None:
                reply = await self._reply(ties.question, until, dry_run=dry_run)
                extended["tie_break"] = await ask(lambda helix: helix.memory.end_ties(ties, reply, by))
                notes += self._noted(ties.question, extended["tie_break"], "Only rules compared facts", dry_run=dry_run)
            work: Extraction = await ask(lambda helix: helix.memory.begin_extraction(session, by, dry_run=dry_run))
            if work.question.model:
                drawn = await self._reply(work.question, until, dry_run=dry_run)
                extended["extractor"] = await ask(lambda helix: helix.memory.end_extraction(work, drawn, by))
                notes += self._noted(work.question, extended["extractor"], "Only rules drew facts", dry_run=dry_run)
        return extended | {"notes": [*notes, *answer["notes"]]}

    def _noted(self, question: ModelQuestion, told: dict[str, Any], lost: str, *, dry_run: bool) -> list[str]:
        """Return why the model is not asked; in a dry run, add what would be sent to the report."""
        notes = [f"{lost}: {told['note']}."] if told["note"] else []
        if dry_run:
            told["would_send"], problem = self._shown(question)
            notes += [problem] if problem else []
        return notes

    async def _reply(self, question: ModelQuestion, until: float, *, dry_run: bool) -> ModelReply | None:
        """Return what the model answers, None where it is not asked."""
        if not question.is_asked or dry_run:
            return None
        reply = await self._ask_upstream(question, until)
        if self._measures is not None:
            self._measures.add("helix_extractions_total", became="failed" if reply.problem else "answered")
            self._measures.add("helix_extraction_tokens_total", reply.tokens)
        return reply

    async def _ask_upstream(self, question: ModelQuestion, until: float) -> ModelReply:
        assert question.prompt is not None
        try:
            async with asyncio.timeout_at(until):
                chosen = self._upstreams.named(question.model)
                request = request_of(question.prompt, chosen)
                status, data = await _posted(chosen, request)
        except HttpError as error:
            return ModelReply(problem=str(error))
        except UpstreamError as error:
            # What never reached it cost nothing; the cost of anything else is not known.
            is_unsent = isinstance(error.__cause__, aiohttp.ClientConnectorError)
            return ModelReply(tokens=0 if is_unsent else question.reserved, problem=str(error))
        except TimeoutError:
            return ModelReply(
                tokens=question.reserved,
                problem=f"the upstream did not answer in {CALL_S:.0f} s, the time of all questions",
            )
        return reply_of(status, data, question.prompt, request.dialect)

    def _shown(self, question: ModelQuestion) -> tuple[dict[str, Any] | None, str]:
        """Return what would be sent, and where to; None and why where that is not known."""
        if question.prompt is None:
            return None, ""
        try:
            chosen = self._upstreams.named(question.model)
        except HttpError as error:
            return None, f"Nothing would be sent: {error}."
        request = request_of(question.prompt, chosen)
        where = chosen.upstream.where
        # A query of the user's settings may hold a key.
        url = where.url(request.path).partition("?")[0]
        return {"upstream": where.name, "url": url, "body": request.text}, ""


def extended_apart(
    upstreams: Sequence[Address], ask: Ask[Any], given: ConsolidateArguments, answer: dict[str, Any]
) -> dict[str, Any]:
    """Return what ``ModelExtractor.extended`` does, on a loop and connections of its own. Blocks."""

    async def extended() -> dict[str, Any]:
        above = Upstreams(upstreams)
        try:
            return await ModelExtractor(above).extended(ask, given, answer)
        finally:
            await above.close()

    return asyncio.run(extended())


def request_of(prompt: ModelPrompt, chosen: ChosenUpstream) -> ModelRequest:
    """Return the request of a question to an upstream, with its schema as the upstream's dialect has it."""
    where = chosen.upstream.where
    return _REQUESTS[dialect_for(where)](prompt, chosen.model, where)


def dialect_for(where: Address) -> str:
    """Return the dialect to ask an upstream in: chat, unless it speaks it not or takes no schema in it."""
    # Anthropic's compatible API ignores response_format.
    is_anthropics = (where.auth or traits_of(where.base).auth) == "x-api-key"
    order = ("messages", "chat") if is_anthropics else ("chat", "responses", "messages", "ollama")
    return next((each for each in order if where.speaks(each)), "chat")


def _chat(prompt: ModelPrompt, model: str, where: Address) -> ModelRequest:
    # OpenAI's models that think refuse the older name, and several local servers know no other.
    most = "max_completion_tokens" if traits_of(where.base).dialects == ("chat", "responses") else "max_tokens"
    schema = {"name": prompt.name, "strict": True, "schema": prompt.schema}
    body = {
        "model": model,
        "messages": _messages(prompt),
        "response_format": {"type": "json_schema", "json_schema": schema},
        most: MOST_ANSWER_TOKENS,
        "stream": False,
    }
    return ModelRequest("chat", "/chat/completions", body)


def _responses(prompt: ModelPrompt, model: str, _where: Address) -> ModelRequest:
    form = {"type": "json_schema", "name": prompt.name, "strict": True, "schema": prompt.schema}
    body = {
        "model": model,
        "instructions": prompt.system,
        "input": prompt.user,
        "text": {"format": form},
        "max_output_tokens": MOST_ANSWER_TOKENS,
        "store": False,
        "stream": False,
    }
    return ModelRequest("responses", "/responses", body)


def _anthropic(prompt: ModelPrompt, model: str, _where: Address) -> ModelRequest:
    tool = {"name": prompt.name, "description": "Return the answer.", "input_schema": prompt.schema}
    body = {
        "model": model,
        "max_tokens": MOST_ANSWER_TOKENS,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.user}],
        "tools": [tool],
        "tool_choice": {"type": "tool", "name": prompt.name},
        "stream": False,
    }
    return ModelRequest("messages", "/messages", body)


def _ollama(prompt: ModelPrompt, model: str, _where: Address) -> ModelRequest:
    body = {
        "model": model,
        "messages": _messages(prompt),
        "format": prompt.schema,
        "options": {"num_predict": MOST_ANSWER_TOKENS},
        "stream": False,
    }
    return ModelRequest("ollama", "/api/chat", body)


def _messages(prompt: ModelPrompt) -> list[dict[str, str]]:
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]


_REQUESTS = {"chat": _chat, "responses": _responses, "messages": _anthropic, "ollama": _ollama}
_TEXTS = {"chat": CHAT.whole, "responses": RESPONSES.whole, "ollama": OLLAMA_CHAT.whole}


def text_of(dialect: str, answer: Mapping[str, Any]) -> str:
    """Return the JSON text of an answer; Anthropic's is the input of the tool that was to be called."""
    if dialect != "messages":
        return _TEXTS[dialect](answer).text
    content = answer.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    called = next((block.get("input") for block in blocks if block.get("type") == "tool_use"), None)
    return json.dumps(called, ensure_ascii=False) if called is not None else ""


async def _posted(chosen: ChosenUpstream, request: ModelRequest) -> tuple[int, bytes]:
    body = request.text.encode("utf-8", "replace")
    headers = [(b"anthropic-version", ANTHROPIC_VERSION.encode())] if request.dialect == "messages" else []
    answer = await chosen.upstream.open("POST", request.path, headers, body, wait_s=CALL_S)
    try:
        return answer.status, await read_bounded(answer, CALL_S, MAX_REPLY_BYTES)
    finally:
        answer.close()


def reply_of(status: int, data: bytes, prompt: ModelPrompt, dialect: str) -> ModelReply:
    """Return what an upstream's answer says, and what it cost by its own count, else by an estimate."""
    if status in (401, 403):
        return ModelReply(problem=f"the upstream refuses the key that Helix has for it ({status})")
    if status != 200:
        return ModelReply(problem=f"the upstream answered {status}")
    guessed = estimate(prompt.system) + estimate(prompt.user)
    try:
        decoded = json.loads(data)
    except (ValueError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        return ModelReply(tokens=guessed, problem="the upstream's answer is not valid JSON")
    text = text_of(dialect, decoded)
    return ModelReply(text, tokens_of(decoded) or guessed + estimate(text))


def tokens_of(answer: Mapping[str, Any]) -> int:
    """Return the tokens that an answer says it cost, 0 where it does not say, or says what cannot be."""
    usage = answer.get("usage")
    counted: list[Any] = [usage.get(name) for name in _USAGE] if isinstance(usage, Mapping) else []
    counted = [
        tokens for tokens in (*counted, answer.get("prompt_eval_count"), answer.get("eval_count")) if tokens is not None
    ]
    is_count = all(type(tokens) is int and 0 <= tokens <= MOST_TOKENS for tokens in counted)
    total = sum(counted) if is_count else 0
    return total if total <= MOST_TOKENS else 0


# Of chats, of responses and messages, and what messages count apart from input; Ollama's are in the answer itself.
_USAGE = (
    *("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"),
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
)
