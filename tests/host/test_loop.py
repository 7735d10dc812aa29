"""A loop knows how long it was kept from its next turn, and for how long that is worth telling."""

import asyncio
import time

from helix_ls.host.loop import LoopLag, new_loop


def test_the_worst_turn_of_the_loop_is_known_for_a_minute():
    now = [0.0]
    lag = LoopLag(clock=lambda: now[0])
    lag.note(0.2)
    now[0] = 30.0
    lag.note(0.05)
    lag.note(0.0001)
    assert lag.worst_ms() == 200.0
    now[0] = 61.0
    assert lag.worst_ms() == 50.0
    now[0] = 100.0
    assert lag.worst_ms() == 0.0
    assert lag.worst_ever_s == 0.2


def test_a_loop_that_is_kept_says_so():
    async def main():
        await asyncio.sleep(0)
        time.sleep(0.12)
        await asyncio.sleep(0)

    lag = LoopLag()
    with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
        runner.run(main())
    assert lag.worst_ms() >= 100
