"""One class delays every notice: a debounce has a longest wait, a throttle runs at a time that later calls keep."""

from __future__ import annotations

import asyncio

import pytest

from helix_ls.lsp.debounce import MOST_WAITING, Debouncer, OneAtATime
from helix_ls.lsp.progress import StatusNotices

pytestmark = pytest.mark.asyncio


async def _called(debouncer: Debouncer, quiet_s: float, gap_s: float, calls: int) -> list[int]:
    """The calls that ran, while each came ``gap_s`` seconds after the one before."""
    ran: list[int] = []
    for call in range(calls):
        debouncer.soon("key", quiet_s, lambda call=call: ran.append(call))
        await asyncio.sleep(gap_s)
    return ran


async def test_calls_that_do_not_pause_run_after_the_longest_wait():
    assert await _called(Debouncer(60), 0.2, 0.02, 10) == []
    assert await _called(Debouncer(0.1), 60, 0.02, 20) != []


async def test_a_closed_debouncer_runs_nothing():
    debouncer, ran = Debouncer(60), []
    debouncer.soon("one", 0.01, lambda: ran.append(1))
    debouncer.soon("two", 0.01, lambda: ran.append(2))
    debouncer.close()
    await asyncio.sleep(0.05)
    assert ran == []


class _IndexingFolder:
    """A folder whose status is another at each look."""

    uri = "file:///w"
    done = 0

    def wire_status(self) -> dict[str, object]:
        self.done += 1
        return {"state": "indexing", "done": self.done}


async def test_a_status_while_indexing_is_sent_at_once_and_then_once_an_interval():
    sent: list[int] = []
    shown: list[object] = []
    notices = StatusNotices(lambda method, status: sent.append(status["done"]), shown.append)
    folder = _IndexingFolder()
    for _ in range(20):
        notices.changed(folder)
    assert len(sent) == 1
    await asyncio.sleep(0.5)
    assert len(sent) == 2
    assert sent[-1] == folder.done
    # The bars have no throttle of their own.
    assert shown == [folder, folder]
    notices.changed(folder)
    notices.changed(folder)
    notices.close()
    count = len(sent)
    await asyncio.sleep(0.3)
    assert len(sent) == count


async def test_a_flood_is_handled_one_at_a_time_and_of_what_waits_only_the_last_is_kept():
    handled: list[tuple[str, float]] = []
    running, most = 0, 0

    async def handle(key: str, at: float) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        handled.append((key, at))
        if key == "broken":
            raise ValueError(key)

    tasks: list[asyncio.Task[None]] = []
    queue = OneAtATime(handle, lambda work: tasks.append(asyncio.ensure_future(work)))
    for number in range(1000):
        queue.add(f"file {number % 40}", float(number))
    queue.add("broken", 1000.0)
    queue.add("the last", 1001.0)
    while len(handled) < MOST_WAITING + 1:
        await asyncio.sleep(0.01)
    await asyncio.gather(*tasks, return_exceptions=True)
    assert most == 1
    assert handled[0] == ("file 0", 0.0)
    assert handled[1:] == [(f"file {number % 40}", float(number)) for number in range(994, 1000)] + [
        ("broken", 1000.0),
        ("the last", 1001.0),
    ]
    queue.add("the last", 1002.0)
    queue.add("the last", 1003.0)
    queue.add("the last", 1004.0)
    await asyncio.gather(*tasks, return_exceptions=True)
    while len(handled) < MOST_WAITING + 3:
        await asyncio.sleep(0.01)
    assert handled[MOST_WAITING + 1 :] == [("the last", 1002.0), ("the last", 1004.0)]
