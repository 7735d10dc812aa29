"""A command that a running daemon answers: the same as without it, sooner, and never an error because of it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helix_core import __version__
from helix_core.embed.model import choose
from helix_core.embed.model_sources import take_folder
from helix_ls.cli.delegate import running_place
from helix_ls.cli.served import has_same_settings
from helix_ls.host.connection import encoded
from helix_ls.host.election import daemon_status, reach
from helix_ls.host.endpoint import place
from helix_ls.host.framing import FrameReader, framed

from ..embed.test_token_rows import write_model
from .conftest import Ran, RunHelix, environment, runner
from .terminal import Terminal

pytestmark = pytest.mark.slow

HANGS = "the daemon did not answer"
# Times, and the digits of times, which packets count as tokens.
VARIABLE = re.compile(
    r'"(elapsed_ms|last_verified_at|tokens)":[^,}]+|=== helix [0-9a-f]+|[\d.]+ m?s\b|about [\d,]+|;id=\d+'
)
SPINNER = re.compile(r"\x1b\[\?25l.*\x1b\[2K", re.DOTALL)
TEXT = "`Basket.totl()` is at `shop/basket.py:900`, see `shop/baskt.py`.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def environ(home: Path, starts_processes: None) -> dict[str, str]:
    return environment(home, HELIX_RUNTIME_DIR=str(home / "run"), HELIX_IDLE_S="600")


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for that of a socket, whatever the test is called."""
    with tempfile.TemporaryDirectory(prefix="helix-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def daemon(environ: dict[str, str]) -> Iterator[int]:
    """The process id of a daemon that runs."""
    connection = reach(environ, {"kind": "call"})
    connection.socket.close()
    yield connection.pid
    os.kill(connection.pid, signal.SIGKILL)


@pytest.fixture
def asked(home: Path, environ: dict[str, str]) -> RunHelix:
    """Run a command where the daemon can be found."""
    run = runner(home)

    def ask(*arguments: str | Path, **more: Any) -> Ran:
        return run(*arguments, HELIX_RUNTIME_DIR=environ["HELIX_RUNTIME_DIR"], **more)

    return ask


def answered(environ: dict[str, str]) -> dict[str, int]:
    counts: dict[str, int] = daemon_status(environ)["commands"]
    return counts


def comparable(ran: Ran) -> tuple[int, str, str]:
    return ran.status, VARIABLE.sub("<>", ran.out), VARIABLE.sub("<>", ran.err)


@contextmanager
def posing(environ: dict[str, str], act: Callable[[socket.socket, FrameReader], None]) -> Iterator[None]:
    """Something that listens where a daemon would, and treats each client with ``act``."""
    where = place(environ)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(where.socket))
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    act(peer, FrameReader(peer.recv))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def greet(peer: socket.socket, frames: FrameReader, version: str = __version__) -> None:
    frames.next()
    peer.sendall(framed(encoded({"ok": True, "pid": 1, "version": version})))


ASKING: list[tuple[str, ...]] = [
    ("search", "shipping_cost by weight", "--json"),
    ("search", "shipping_cost by weight"),
    ("search", "total price", "-k", "3", "--explain"),
    ("packet", "how is the price limited?", "--task", "edit", "-k", "3", "--json"),
    ("packet", "how is the price limited?", "--max-tokens", "700"),
    ("packet", "kubernetes ingress retries"),
    ("context", "how is the price limited?", "--json"),
    ("context", "hello there"),
    ("check", "text.md"),
    ("check", "text.md", "--json"),
    ("status", "--json"),
    ("status", "--skipped"),
]


@pytest.mark.process
def test_a_daemon_answers_as_the_command_does(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    assert helix("index", shop).status == 0
    (shop / "text.md").write_text(TEXT)
    (shop / "helix.toml").write_text("nothing = 1\n")
    helix("search", "x", "--path", shop)
    for arguments in ASKING:
        alone, through = helix(*arguments, cwd=shop), asked(*arguments, cwd=shop)
        assert comparable(through) == comparable(alone), arguments
    elsewhere = [("search", "x", "--path", str(shop), "--json"), ("status", str(shop), "--json")]
    for arguments in elsewhere:
        assert comparable(asked(*arguments)) == comparable(helix(*arguments)), arguments
    assert answered(environ) == {"answered": len(ASKING) + len(elsewhere), "declined": 0}


@pytest.mark.process
def test_at_a_terminal_it_shows_the_same(
    shop: Path, helix: RunHelix, environ: dict[str, str], home: Path, daemon: int
) -> None:
    assert helix("index", shop).status == 0
    shown = []
    for folder in ("nowhere", environ["HELIX_RUNTIME_DIR"]):
        more = {"HELIX_RUNTIME_DIR": folder, "COLORTERM": "truecolor"}
        with Terminal(home, "packet", "total price of the Basket", "--path", str(shop), **more) as terminal:
            terminal.read_until(None)
            shown.append(VARIABLE.sub("<>", SPINNER.sub("", terminal.said)))
    assert "\x1b[" in shown[0] and "Basket" in shown[0]
    assert shown[0] == shown[1]
    assert answered(environ)["answered"] == 1


@pytest.mark.process
def test_standard_input_reaches_the_daemon_and_is_not_lost_where_it_declines(
    shop: Path, asked: RunHelix, helix: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    assert helix("index", shop).status == 0
    question = "shipping_cost \xff".encode("latin-1")
    through = asked("search", "-", "--path", shop, "--json", stdin=question)
    assert comparable(through) == comparable(helix("search", "-", "--path", shop, "--json", stdin=question))
    checked = asked("check", "-", "--path", shop, "--json", stdin=TEXT.encode())
    assert checked.status == 1 and len(checked.answer["findings"]) == 3
    assert answered(environ) == {"answered": 2, "declined": 0}
    # A path that names another thing in another process.
    (shop / "pipe.md").symlink_to("/dev/stdin")
    for path in ("/dev/stdin", "/proc/self/fd/0", shop / "pipe.md"):
        own = helix("check", path, "--path", shop, stdin=TEXT.encode())
        assert own.status == 1
        assert comparable(asked("check", path, "--path", shop, stdin=TEXT.encode())) == comparable(own)
    assert answered(environ)["answered"] == 2
    declined = asked("search", "-", "--path", shop, "--json", stdin=question, HELIX_INDEX_WORKERS="1")
    assert comparable(declined) == comparable(through)
    assert answered(environ)["answered"] == 2


@pytest.mark.process
def test_what_the_command_must_do_itself_is_left_to_it(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int, home: Path
) -> None:
    first = asked("search", "shipping_cost", "--path", shop, "--json")
    assert first.status == 0 and first.answer["items"][0]["source_id"] == "shop/shipping.py"
    for number in range(40):
        (shop / f"new_{number}.py").write_text(f"def brand_new_{number}():\n    return {number}\n")
    many = asked("search", "brand_new_39", "--path", shop, "--json")
    assert many.answer["items"][0]["source_id"] == "new_39.py"
    for wrong in (
        ("search", "x", "-k", "0"),
        ("search", "x", "--nonsense"),
        ("search",),
        ("search", "x", "--path", str(shop / "nowhere")),
        ("search", "x", "--path", "/"),
        ("search", ""),
        ("packet", "x", "--task", "dance"),
        ("check", str(shop / "nowhere.md")),
        ("search", "--help"),
    ):
        assert comparable(asked(*wrong)) == comparable(helix(*wrong)), wrong
    assert answered(environ)["answered"] == 0
    (home / "user.toml").write_text("cache_dir = 7\n")
    broken = asked("search", "x", "--path", shop)
    assert broken.status == 2 and "user.toml" in broken.complaint


@pytest.mark.process
def test_settings_of_the_command_hold(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int, tmp_path: Path
) -> None:
    assert helix("index", shop).status == 0
    excluded = {"HELIX_INDEX_EXCLUDE": "shipping.py"}
    assert "shop/shipping.py" not in asked("search", "shipping_cost", "--path", shop, "--json", **excluded).out
    elsewhere = {"HELIX_CACHE_DIR": str(tmp_path / "other")}
    assert asked("search", "shipping_cost", "--path", shop, "--json", **elsewhere).status == 0
    assert list((tmp_path / "other" / "workspaces").iterdir())
    assert answered(environ) == {"answered": 0, "declined": 2}
    assert "shop/shipping.py" in asked("search", "shipping_cost", "--path", shop, "--json").out
    assert answered(environ) == {"answered": 1, "declined": 2}


def test_the_settings_are_the_same_where_no_setting_differs(tmp_path: Path) -> None:
    own = {"HOME": str(tmp_path), "HELIX_CONFIG": str(tmp_path / "none.toml"), "HELIX_INDEX_WORKERS": "2"}
    assert has_same_settings(own, own)
    assert has_same_settings(own | {"HELIX_IDLE_S": "3", "HELIX_AGENT": "x", "HELIX_UPSTREAM_KEY": "k"}, own)
    # The default, named or not.
    assert has_same_settings({name: value for name, value in own.items() if name != "HELIX_INDEX_WORKERS"}, own)
    for name, value in (
        ("HELIX_INDEX_WORKERS", "3"),
        ("HELIX_INDEX_EXCLUDE", "*.py"),
        ("HELIX_SEARCH_NONSENSE", "1"),
        ("HELIX_CONFIG", "relative.toml"),
        ("HOME", "/elsewhere"),
        ("XDG_CACHE_HOME", "/elsewhere"),
    ):
        assert not has_same_settings(own | {name: value}, own), name
    assert not has_same_settings(own | {"HELIX_CONFIG": "x.toml"}, own | {"HELIX_CONFIG": "x.toml"})


@pytest.mark.process
def test_a_file_changed_just_before_the_question_is_judged_as_it_is(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    assert helix("index", shop).status == 0
    basket, text = shop / "shop" / "basket.py", (shop / "shop" / "basket.py").read_text()
    for number in range(12):
        # The same length, so that only the bytes differ.
        basket.write_text(text.replace("total_price", f"total_pri{number:02d}"))
        ran = asked("packet", f"total_pri{number:02d} of the Basket", "--path", shop, "--json")
        packet, lines = ran.answer, basket.read_text().split("\n")
        items = [item for item in packet["verified"] if item["source_id"] == "shop/basket.py"]
        assert any(f"total_pri{number:02d}" in item["quote"] for item in items), packet
        for item in items:
            quoted = item["quote"].split("\n")
            assert quoted == lines[item["start_line"] - 1 :][: len(quoted)]
    (shop / "shop" / "shipping.py").unlink()
    assert "shop/shipping.py" not in asked("search", "shipping_cost", "--path", shop, "--json").out
    assert answered(environ) == {"answered": 13, "declined": 0}


@pytest.mark.process
def test_a_daemon_that_hangs_costs_a_note(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    assert helix("index", shop).status == 0
    os.kill(daemon, signal.SIGSTOP)
    try:
        ran = asked("search", "shipping_cost", "--path", shop, "--json")
    finally:
        os.kill(daemon, signal.SIGCONT)
    assert ran.status == 0 and ran.answer["items"]
    assert ran.err.count(HANGS) == ran.err.count("\n") == 1


@pytest.mark.process
@pytest.mark.parametrize("behavior", ["dies", "garbles", "is of another version", "refuses", "is of another protocol"])
def test_a_daemon_that_does_not_answer_is_no_error(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], behavior: str
) -> None:
    assert helix("index", shop).status == 0
    alone = comparable(helix("search", "shipping_cost", "--path", shop, "--json"))

    def act(peer: socket.socket, frames: FrameReader) -> None:
        if behavior == "is of another protocol":
            peer.recv(10)
            peer.sendall(b'{"ok": false, "error": "this daemon speaks protocol 1"}\n')
            return
        greet(peer, frames, version="0.0.1" if behavior == "is of another version" else __version__)
        request = frames.next()
        if behavior == "dies":
            peer.sendall(b"Content-Length: 1000\r\n\r\n{")
        elif request is not None:
            peer.sendall(framed(b"[1" if behavior == "garbles" else b'{"error": {"message": "no"}}'))

    with posing(environ, act):
        assert comparable(asked("search", "shipping_cost", "--path", shop, "--json")) == alone


@pytest.mark.process
def test_an_interrupt_ends_a_command_that_waits_for_the_daemon(shop: Path, environ: dict[str, str]) -> None:
    waits, over = threading.Event(), threading.Event()

    def act(peer: socket.socket, frames: FrameReader) -> None:
        greet(peer, frames)
        frames.next()
        waits.set()
        over.wait()

    with posing(environ, act):
        command = [sys.executable, "-m", "helix_ls.cli", "search", "x", "--path", str(shop)]
        process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        waits.wait()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        over.set()
    assert (process.returncode, out, err) == (130, "", "helix: interrupted; run the same command to continue\n")


@pytest.mark.process
def test_a_command_asks_the_model_of_the_daemon(
    shop: Path, home: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    cache = Path(environ["HELIX_CACHE_DIR"])
    (shop / "rows.py").write_text("def purge(row):\n    return row\n")
    model = take_folder(write_model(home / "given"), cache)
    choose(cache, model)
    assert helix("index", shop).status == helix("embed", "run", "--path", shop).status == 0
    until = time.monotonic() + 60
    while True:
        answer = asked("search", "purge row", "--path", shop, "--json").answer
        if not any("built-in" in note for note in answer["notes"]):
            break
        assert time.monotonic() < until, answer["notes"]
    alone = helix("search", "purge row", "--path", shop, "--json").answer
    assert any(f"does not load {model.name}" in note for note in alone["notes"])
    assert answered(environ)["answered"] > 0


@pytest.mark.process
def test_many_commands_at_once_are_all_answered(
    shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str], daemon: int
) -> None:
    assert helix("index", shop).status == 0
    expected = comparable(helix("search", "shipping_cost", "--path", shop, "--json"))
    with ThreadPoolExecutor(40) as pool:
        ran = list(pool.map(lambda _: asked("search", "shipping_cost", "--path", shop, "--json"), range(100)))
    assert {comparable(one) for one in ran} == {expected}


@pytest.mark.process
@pytest.mark.parametrize("verb", ["search", "packet"])
def test_a_command_that_the_daemon_answers_imports_little(
    shop: Path, helix: RunHelix, environ: dict[str, str], daemon: int, verb: str
) -> None:
    assert helix("index", shop).status == 0
    script = (
        "import sys; from helix_ls.cli.main import run\n"
        "try: run()\n"
        "finally: print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    command = [sys.executable, "-c", f"import json; {script}", verb, "shipping_cost", "--path", str(shop)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert "shop/shipping.py" in done.stdout
    loaded = set(json.loads(done.stderr))
    heavy = {"numpy", "apsw", "tree_sitter", "typer", "click", "rich", "pydantic", "asyncio", "dataclasses", "typing"}
    assert not loaded & heavy
    own = {one for one in loaded if one.startswith(("helix_core", "helix_ls"))}
    assert own == {
        *("helix_core", "helix_core.errors", "helix_ls", "helix_ls.cli", "helix_ls.cli.delegate", "helix_ls.cli.main"),
        *("helix_ls.host", "helix_ls.host.connection", "helix_ls.host.framing", "helix_ls.host.parent"),
    }
    assert len(loaded) <= 90, "somebody waits for it: 80 modules, Python's own start among them"


def test_only_an_endpoint_of_this_user_alone_is_used(
    tmp_path: Path, environ: dict[str, str], short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ["HELIX_RUNTIME_DIR"] = str(short_folder / "run")
    where = place(environ)
    assert where.socket.parent == where.folder == short_folder / "run"
    assert running_place(environ) is None
    listener = socket.socket(socket.AF_UNIX)
    with listener:
        listener.bind(str(where.socket))
        assert running_place(environ) is not None
        os.chmod(where.folder, 0o755)
        assert running_place(environ) is None
        os.chmod(where.folder, 0o700)
        (tmp_path / "link").symlink_to(where.folder)
        assert running_place(environ | {"HELIX_RUNTIME_DIR": str(tmp_path / "link")}) is None
        moved = where.socket.rename(short_folder / "elsewhere.sock")
        where.socket.symlink_to(moved)
        assert running_place(environ) is None
        where.socket.unlink()
        moved.rename(where.socket)
        monkeypatch.setattr(os, "getuid", lambda: os.stat(where.socket).st_uid + 1)
        assert running_place(environ) is None


@pytest.mark.process
def test_a_stale_socket_is_passed_over(shop: Path, helix: RunHelix, asked: RunHelix, environ: dict[str, str]) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place(environ).socket))
    ran = asked("search", "shipping_cost", "--path", shop, "--json")
    assert (ran.status, ran.err) == (0, "") and ran.answer["items"]
    assert not running_place(environ | {"HELIX_RUNTIME_DIR": str(shop / "nowhere")})
    assert not (shop / "nowhere").exists()


@pytest.mark.process
def test_a_long_runtime_folder_and_loopback_work_too(
    shop: Path, helix: RunHelix, home: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    assert helix("index", shop).status == 0
    for more in (
        {"HELIX_RUNTIME_DIR": str(tmp_path / ("deep" * 30)), "TMPDIR": str(tmp_path)},
        {"HELIX_RUNTIME_DIR": str(tmp_path / "tcp"), "HELIX_TRANSPORT": "tcp"},
    ):
        connection = reach(environ | more, {"kind": "call"})
        connection.socket.close()
        try:
            assert runner(home)("search", "shipping_cost", "--path", shop, "--json", **more).status == 0
            assert answered(environ | more) == {"answered": 1, "declined": 0}
        finally:
            os.kill(connection.pid, signal.SIGKILL)
