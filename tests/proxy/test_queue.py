"""Many chats at once: each gets its evidence in its turn, and what would wait in vain is told so at once."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from helix_ls.proxy.bodies import parse_body
from helix_ls.proxy.chat import Reply
from helix_ls.proxy.evidence import SEEN, ChatEvidence, EvidenceQueue
from helix_ls.proxy.metrics import LastChat, Measures
from tests.proxy.test_context import ASK, chat


def test_sixty_four_chats_at_once_all_get_evidence(server, upstream):
    asked = [[{"role": "user", "content": f"{ASK} This is question {number}."}] for number in range(64)]
    chat(server, [{"role": "user", "content": ASK}])
    upstream.forget()
    with ThreadPoolExecutor(64) as threads:
        answers = list(threads.map(lambda messages: chat(server, messages)[1], asked))
    outcomes = {(answer.headers["x-helix-context"], answer.headers.get("x-helix-late")) for answer in answers}
    assert outcomes == {("added", None)}
    assert all(len(body["messages"]) == 2 for body in upstream.bodies())


def test_equal_chats_at_once_are_searched_once(server, upstream):
    messages = [{"role": "user", "content": f"{ASK} Twenty people ask this."}]
    with ThreadPoolExecutor(20) as threads:
        list(threads.map(lambda _: chat(server, messages), range(20)))
    assert len({json.dumps(body) for body in upstream.bodies()}) == 1


def test_questions_are_answered_in_their_order_and_no_more_than_so_many_at_once():
    async def play():
        queue, begun, running, most = EvidenceQueue(at_once=2), [], 0, 0

        async def ask(number):
            nonlocal running, most
            async with queue.turn() as is_mine:
                assert is_mine
                begun.append(number)
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*(ask(number) for number in range(20)))
        return begun, most

    assert asyncio.run(play()) == (list(range(20)), 2)


def test_who_would_wait_too_long_is_told_so_at_once():
    async def play():
        now = 0.0
        queue = EvidenceQueue(at_once=1, most_s=30.0, clock=lambda: now)
        async with queue.turn():
            now += 60.0
        for _ in range(SEEN):
            async with queue.turn():
                now += 20.0
        holding, go_on = asyncio.Event(), asyncio.Event()

        async def hold():
            async with queue.turn():
                holding.set()
                await go_on.wait()

        async def ask():
            async with queue.turn() as is_mine:
                return is_mine

        first = asyncio.ensure_future(hold())
        await holding.wait()
        waiting = [asyncio.ensure_future(ask()) for _ in range(2)]
        await asyncio.sleep(0)
        refused = await ask()
        go_on.set()
        await first
        return refused, await asyncio.gather(*waiting)

    assert asyncio.run(play()) == (False, [True, True])


@pytest.mark.parametrize("leaves", ["late", "cancelled"])
def test_who_leaves_the_queue_keeps_nobody_from_a_turn(leaves):
    async def play():
        queue = EvidenceQueue(at_once=1, most_s=0.01 if leaves == "late" else 30.0)

        async def ask():
            async with queue.turn() as is_mine:
                return is_mine

        async with queue.turn():
            waiting = asyncio.ensure_future(ask())
            await asyncio.sleep(0.05)
            if leaves == "cancelled":
                waiting.cancel()
                await asyncio.wait((waiting,))
            else:
                assert not await waiting
        return await ask(), queue.expected_s

    assert asyncio.run(play()) == (True, 0)


def test_a_chat_that_gets_no_turn_is_answered_without_evidence_and_says_that_the_server_is_busy(tmp_path):
    sent = []

    async def send(message):
        sent.append(message)

    async def play():
        evidence = ChatEvidence(4_000, Measures())
        evidence._queues[str(tmp_path)] = EvidenceQueue(at_once=0, most_s=0.0)
        body = parse_body(json.dumps({"model": "m", "messages": [{"role": "user", "content": ASK}]}).encode())
        context = await evidence.for_chat(SimpleNamespace(folder=tmp_path), body)
        await Reply(send, context, LastChat(0.0, "m", "default", context.became)).begin(200, [])
        return context

    context = asyncio.run(play())
    assert context.blocks == ()
    headers = dict(sent[0]["headers"])
    assert (headers[b"x-helix-context"], headers[b"x-helix-late"]) == (b"late", b"busy")
