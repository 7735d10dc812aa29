"""``helix lsp --solo``: the whole host inside this process, on standard input and output.

For tests, for debugging, and where no daemon can start. Leaves when its input ends, when the client exits, or when
the editor's process has gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from helix_ls.host.host import Chats
from helix_ls.lsp.frames import framed
from helix_ls.lsp.stdio import Input, Output, take_stdio

if TYPE_CHECKING:
    from helix_ls.host.host import Host

FLUSH_S = 1.0
CLOSE_S = 2.0


def run(*, notice: str = "", chats: Callable[[Host], Chats] | None = None) -> int:
    """Serve one client; returns the exit status. ``notice`` is logged at the client behind its first answer.

    ``chats`` makes the chat proxy.
    """
    source, sink = take_stdio()
    sys.stdout = sys.stderr
    _log_to_stderr()
    from helix_ls.host.loop import LoopLag, new_loop

    lag = LoopLag()
    with asyncio.Runner(loop_factory=lambda: new_loop(lag)) as runner:
        status = runner.run(_serve(source, sink, lag, notice, chats))
    # Threads that still read or compute are told to stop, and are not waited for.
    sys.stderr.flush()
    os._exit(status)


def _log_to_stderr() -> None:
    from helix_ls.host.log import ContentFree

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ContentFree("helix: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Telling:
    """A sink that sends the notice behind the first message: before it a client hears nothing."""

    def __init__(self, output: Output, notice: str) -> None:
        self._output, self._notice = output, notice

    def write(self, data: bytes) -> None:
        """Send, in order."""
        self._output.write(data)
        if self._notice:
            notice, self._notice = self._notice, ""
            params = {"type": 2, "message": notice}
            message = {"jsonrpc": "2.0", "method": "window/logMessage", "params": params}
            self._output.write(framed(json.dumps(message).encode()))

    @property
    def transport(self) -> Output:
        """What knows how much is still unsent."""
        return self._output.transport

    def close(self) -> None:
        """Send nothing more."""
        self._output.close()


async def _serve(source: int, sink: int, lag: object, notice: str, chats: Callable[[Host], Chats] | None) -> int:
    from helix_ls.host.host import Host
    from helix_ls.host.loop import LoopLag
    from helix_ls.lsp.session import serve

    assert isinstance(lag, LoopLag)
    host = Host(mode="solo", lag=lag, linger_s=0.0)
    host.chats = chats(host) if chats is not None else None
    incoming = Input(source)
    output = Output(sink, incoming.reader.feed_eof)
    status = await serve(host, incoming.reader, _Telling(output, notice), mode="solo")
    await asyncio.to_thread(output.finish, FLUSH_S)
    try:
        await asyncio.wait_for(host.close(), CLOSE_S)
    except TimeoutError:
        logging.getLogger(__name__).warning("a question was still being answered at the end")
    return status
