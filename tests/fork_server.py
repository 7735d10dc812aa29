"""``helix`` commands without the time in which a new interpreter imports what they use.

A process that has imported it forks once for each command, which is a process of its own with its own pipes,
environment, folder and exit status, and runs as ``python -m helix_ls.cli`` does. What depends on how the interpreter
starts (encodings, ``PYTHON*`` variables, a terminal) takes a new one; that each module can be imported first is shown
by ``test_architecture.py``, which allows no circle, and what a command imports by ``cli/test_start.py``.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
IMPORTED = (
    *("email.parser", "git", "numpy", "platformdirs.unix", "tree_sitter_python", "typer"),
    *(f"helix_core.engine.{name}" for name in ("answer.answer", "helix", "indexing.write_lock", "memory.curating")),
    *("helix_core.engine.verdict.judge", "helix_core.engine.verdict.outdated", "helix_core.ingest.syntax"),
    *(f"helix_ls.cli.{name}" for name in ("direct", "index", "main", "memory", "packet", "search", "status", "verbs")),
    *("helix_ls.cli.render.memory", "helix_ls.cli.render.reports", "helix_ls.operations.places"),
    *(f"helix_ls.host.{name}" for name in ("connection", "parse_journal", "private_files")),
)
"""What most commands import, by the modules that import the rest."""
# A fork cannot be told these any more.
AT_START = ("PYTHON", "LANG", "LC_", "OPENBLAS", "TERMINAL_WIDTH", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS")
KEYRING = "PYTHON_KEYRING_BACKEND"
"""A variable of the library of that name, not of the interpreter."""
INTERPRETER = {"LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
"""The variables that tell an interpreter how to start, as the process that forks has them."""
HEAD = struct.Struct("!Q")


Completed = subprocess.CompletedProcess[bytes]


def run_helix(
    arguments: Sequence[str], *, stdin: bytes = b"", env: Mapping[str, str], cwd: Path, timeout_s: float = 120
) -> Completed:
    """Run ``helix`` to its end, in a fork where that is the same as in a new interpreter.

    Args:
        arguments: What stands behind ``helix``.
        stdin: Its standard input.
        env: All of its environment.
        cwd: Its folder.
        timeout_s: It is killed after that many seconds.

    Raises:
        subprocess.TimeoutExpired: It was killed for that.
    """
    at_start = {name: value for name, value in env.items() if name.startswith(AT_START) and name != KEYRING}
    if at_start == INTERPRETER:
        return _fork_server().run(arguments, stdin, env, cwd, timeout_s)
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=env, cwd=cwd, timeout=timeout_s, check=False)


def run_helix_as_text(
    arguments: Sequence[str], *, stdin: str = "", env: Mapping[str, str], cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run ``helix`` as ``run_helix`` does, with text in and out."""
    done = run_helix(arguments, stdin=stdin.encode(), env=env, cwd=cwd)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@cache
def _fork_server() -> ForkServer:
    server = ForkServer()
    atexit.register(server.close)
    return server


class ForkServer:
    """The process that forks."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._sending = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                # Pipes, as a command's are: streams remember whether they can seek.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={"PATH": os.environ["PATH"], **INTERPRETER},
            )

    def close(self) -> None:
        """End the process; it has no command left."""
        self._control.close()
        self._process.communicate()

    def run(
        self, arguments: Sequence[str], stdin: bytes, env: Mapping[str, str], cwd: Path, timeout_s: float
    ) -> Completed:
        """Run a command as ``run_helix`` does."""
        command = ["helix", *arguments]
        (reads, writes), *outputs = (os.pipe() for _ in range(3))
        status, their_status = socket.socketpair()
        theirs = (reads, *(writing for _, writing in outputs))
        request = json.dumps([command, dict(env), str(cwd)]).encode()
        with self._sending:
            socket.send_fds(self._control, [HEAD.pack(len(request))], [*theirs, their_status.fileno()])
            self._control.sendall(request)
        their_status.close()
        for fd in theirs:
            os.close(fd)
        with status, ThreadPoolExecutor(2) as readers:
            said = [readers.submit(_content, reading) for reading, _ in outputs]
            with suppress(BrokenPipeError), open(writes, "wb") as stream:
                stream.write(stdin)
            status.settimeout(timeout_s)
            [pid] = HEAD.unpack(status.recv(HEAD.size))
            try:
                ended = int(status.recv(HEAD.size))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout_s) from None
            return subprocess.CompletedProcess(command, ended, *(each.result() for each in said))


def _content(fd: int) -> bytes:
    with open(fd, "rb") as stream:
        return stream.read()


def serve(control: socket.socket) -> None:
    """Fork for each request until the other end is closed; a command returns from here by ending."""
    while True:
        head, fds, *_ = socket.recv_fds(control, HEAD.size, 4)
        if not head:
            return
        [left] = HEAD.unpack(head)
        request = bytearray()
        while len(request) < left:
            request += control.recv(left - len(request))
        if not os.fork():
            control.close()
            start(json.loads(request), fds)
            return
        for fd in fds:
            os.close(fd)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def start(request: Any, fds: Sequence[int]) -> None:
    """Fork once more, and tell the command's process id and, once it has ended, its exit status."""
    *streams, status = fds
    pid = os.fork()
    if pid:
        for fd in streams:
            os.close(fd)
        os.write(status, HEAD.pack(pid))
        os.write(status, b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os._exit(0)
    os.close(status)
    for target, fd in enumerate(streams):
        os.dup2(fd, target)
        os.close(fd)
    command, environ, folder = request
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv[:] = command
    sys.path[0] = folder
    runpy.run_module("helix_ls.cli", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as each process of Helix sets it before numpy is imported
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
