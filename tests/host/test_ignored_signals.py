"""Every process works where its starter ignores or blocks signals, as ``nohup … &`` and some launchers do."""

import json
import signal
import subprocess
import sys

import psutil
import pytest

from helix_ls.host.child_processes import Indexing, RefreshRequest
from helix_ls.host.settings import Settings
from tests.host.clients import until

IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)


def deaf():
    """In a child before it becomes the program: what is ignored and blocked here is inherited."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, IGNORED)


def started(environ, *arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=deaf,  # noqa: PLW1509
        start_new_session=True,
        **more,
    )


def many_files(project, count):
    for number in range(count):
        (project / f"many{number}.py").write_text(f"def function_{number}():\n    return {number}\n" * 60)


def ended(process):
    """Its exit status and complaints."""
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def test_an_order_to_the_indexer_is_cancelled(project, environ):
    many_files(project, 300)
    with started(environ, "helix_ls.host.child", "index", str(project)) as process:
        order = {"rebuild": False, "paths": [], "restricted": False, "exclude": None, "max_file_bytes": None}
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if json.loads(line).get("done", 0) > 20:
                break
        process.stdin.close()
        assert json.loads(process.stdout.readlines()[-1]) == {"cancelled": True}
        assert process.wait(60) == 0


def test_a_refresh_is_stopped_below_a_host_that_ignores_the_signal(project, environ, monkeypatch):
    """The host's own process: what it ignores, its child would."""
    many_files(project, 300)
    monkeypatch.setenv("HELIX_CACHE_DIR", environ["HELIX_CACHE_DIR"])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        indexing = Indexing(project)

        def stop_when_under_way(phase, done, total):
            if done > 20:
                indexing.stop()

        assert indexing.run(RefreshRequest(), Settings(), stop_when_under_way).end == "cancelled"
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_command_is_interrupted(project, environ):
    many_files(project, 600)
    with started(environ, "helix_ls.cli", "index", str(project)) as process:
        running = psutil.Process(process.pid)
        until(lambda: process.poll() is not None or running.children(), "its workers have come")
        process.send_signal(signal.SIGINT)
        status, err = ended(process)
    assert status == 130, err
    assert err.startswith("helix: interrupted; ")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_leaves(project, environ, number):
    with started(environ, "helix_ls.cli", "serve", str(project), "--port", "0", "--json") as process:
        assert json.loads(process.stdout.readline())["pid"]
        process.send_signal(number)
        status, err = ended(process)
    assert status in (0, -number), err
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", ["mcp", "lsp"])
def test_what_serves_a_client_is_ended(project, environ, verb):
    more = ["--solo"] if verb == "lsp" else []
    with started(environ, "helix_ls.cli", verb, *more, cwd=project) as process:
        ours = psutil.Process(process.pid)
        until(lambda: ours.cpu_times().user > 0.2, "it has begun")
        process.send_signal(signal.SIGTERM)
        status, err = ended(process)
    assert status != 0
    assert "Traceback" not in err


INTERRUPTED_IN_A_VERB = """
import signal, sqlite3, sys
import helix_ls.cli.embed as embed
from helix_core.errors import HelixError

def broken(_):
    database = sqlite3.connect(":memory:")
    database.create_function("interrupt", 0, lambda: signal.raise_signal(signal.SIGINT))
    try:
        database.execute("select interrupt()")
    except sqlite3.OperationalError as error:
        raise HelixError("the index cannot be written") from error

embed.load_config = broken
sys.argv = ["helix", "embed", "status"]
from helix_ls.cli.main import run
run()
"""


def test_an_interrupt_is_reported_as_one_whatever_it_breaks(environ):
    """SQLite has an error of its own for an exception in a callback; a class in the making has another."""
    interrupted = (130, "helix: interrupted; run the same command to continue\n")
    in_a_callback = INTERRUPTED_IN_A_VERB
    by_itself = in_a_callback.replace(
        "embed.load_config = broken", "embed.load_config = lambda _: signal.raise_signal(2)"
    )
    without = in_a_callback.replace("signal.raise_signal(signal.SIGINT)", "1 / 0")
    for code, expected in (
        (in_a_callback, interrupted),
        (by_itself, interrupted),
        (without, (1, "helix: the index cannot be written\n")),
    ):
        ended = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == expected


INTERRUPTED_IN_AN_EXEC = """
import signal, sys
import helix_ls.cli.main as main

def interrupted(_):
    try:
        exec("import signal; signal.raise_signal(signal.SIGINT)")
    except KeyboardInterrupt:
        sys.exit(130)

main._run = interrupted
main.run()
"""


def test_an_interrupt_in_an_exec_of_text_leaves_the_exit_status(environ, tmp_path):
    """CPython, run with ``-m``, ends itself by the signal then: a dataclass may have been in the making."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IN_AN_EXEC)
    command = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"")
