"""A question beside another process that indexes: it is answered from what is there, and says what that means."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.engine import helix as engine_module
from helix_core.engine.indexing.intake import Intake
from helix_core.engine.indexing.write_lock import is_ordered
from helix_core.errors import BusyStoreError
from helix_ls.cli.render.packet import printed as text_of
from helix_ls.cli.render.search import draw
from tests.cli.conftest import environment

BUSY = "another process is indexing"
HOLDER = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


NAMED_HOLDER = """
import sys
from pathlib import Path
from helix_core.engine.indexing.write_lock import turn
with turn(Path(sys.argv[1]), lambda: None, name="a server"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(index: Path, *, is_named: bool = False) -> Iterator[int]:
    """Another process has the index for writing, and goes on having it; its process id."""
    code, file = (NAMED_HOLDER, index) if is_named else (HOLDER, index.with_suffix(".lock"))
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        yield holder.pid
    finally:
        holder.communicate()


def index_of(home: Path) -> Path:
    (index,) = (home / "cache" / "workspaces").glob("*/index.db")
    return index


@pytest.fixture
def indexed(helix, shop, tmp_path):
    assert helix("index", shop).status == 0
    return index_of(tmp_path / "home")


def test_a_packet_beside_an_indexing_process_has_verdicts_from_the_disk(helix, shop, indexed):
    basket = shop / "shop" / "basket.py"
    basket.write_text(basket.read_text().replace("def total_price", "def sum_of_prices"))
    with held(indexed):
        ran = helix("packet", "where is the price limit of the Basket", "--path", shop, "--json")
    assert ran.status == 0, ran.err
    packet = ran.answer
    (note,) = [note for note in packet["notes"] if BUSY in note]
    assert note in ran.err
    items = [item for item in packet["verified"] if item["source_id"] == "shop/basket.py"]
    lines = basket.read_text().split("\n")
    assert items
    for item in items:
        quoted = item["quote"].split("\n")
        assert quoted == lines[item["start_line"] - 1 :][: len(quoted)]
        assert "total_price" not in item["quote"]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["search", "context"])
def test_every_question_beside_an_indexing_process_is_answered(helix, shop, indexed, verb):
    (shop / "shop" / "new.py").write_text("def brand_new():\n    return 1\n")
    with held(indexed):
        ran = helix(verb, "shipping_cost by weight", "--path", shop, "--json")
        shown = helix(verb, "shipping_cost by weight", "--path", shop)
    assert ran.status == 0 and any(BUSY in note for note in ran.answer["notes"])
    assert shown.status == 0 and "shipping_cost" in shown.out and BUSY in shown.err
    after = helix(verb, "brand_new", "--path", shop, "--json")
    assert after.status == 0 and not any(BUSY in note for note in after.answer["notes"])
    assert "shop/new.py" in after.out


def test_a_question_about_a_folder_that_another_process_indexes_for_the_first_time_is_no_error(helix, shop, tmp_path):
    assert helix("status", shop).status == 0
    with held(index_of(tmp_path / "home")):
        ran = helix("search", "shipping_cost", "--path", shop, "--json")
    assert ran.status == 0
    assert any(BUSY in note for note in ran.answer["notes"])
    assert any("only just been begun" in note for note in ran.answer["notes"]), ran.answer["notes"]


def test_an_order_to_index_still_waits_its_turn(helix, shop, indexed):
    (shop / "shop" / "new.py").write_text("def brand_new():\n    return 1\n")
    with held(indexed), pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(
            [sys.executable, "-m", "helix_ls.cli", "index", str(shop)],
            env=environment_of(indexed),
            timeout=4,
            check=False,
            capture_output=True,
        )


@pytest.fixture
def unindexed(shop, tmp_path, monkeypatch):
    """An engine on a folder of 40 files that was never indexed; its questions build the index at once or never."""
    for number in range(40):
        (shop / f"new_{number}.py").write_text(f"def brand_new_{number}():\n    return {number}\n")
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setattr(engine_module, "FIRST_INDEX_WAIT_S", 0)
    with Helix.open(shop, config=load_config(shop, environ=environment(home), user=home / "user.toml")) as engine:
        yield engine


@pytest.mark.process
def test_a_question_that_builds_the_first_index_leaves_it_to_an_order_that_waits(unindexed, monkeypatch):
    fresh, ordered = Intake._fresh_files, []

    def order_meanwhile(self, entries):
        files = fresh(self, entries)
        yield next(files)
        command = [sys.executable, "-m", "helix_ls.cli", "index", str(unindexed.workspace)]
        ordered.append(subprocess.Popen(command, env=environment_of(unindexed.index_path), stdout=subprocess.DEVNULL))
        while not is_ordered(unindexed.index_path):
            assert ordered[0].poll() is None
            time.sleep(0.01)
        yield from files

    with monkeypatch.context() as patch:
        patch.setattr(Intake, "_fresh_files", order_meanwhile)
        unindexed.catch_up()
    assert BUSY in unindexed.behind
    packet = unindexed.packet("what does new_39.py do?")
    assert any(BUSY in note for note in packet["notes"])
    assert ordered[0].wait() == 0
    unindexed.catch_up()
    assert unindexed.behind == ""
    after = unindexed.packet("what does new_39.py do?")
    assert after["accounting"]["indexed_share"] == 1
    assert after["verified"][0]["source_id"] == "new_39.py"


@pytest.mark.process
def test_what_was_taken_in_before_the_rest_was_left_to_an_order_is_kept(unindexed, monkeypatch, capsys):
    monkeypatch.setattr("helix_core.engine.indexing.write_lock.is_ordered", lambda _: True)
    unindexed.catch_up()
    packet = unindexed.packet("what does new_39.py do?")
    assert 0 < packet["accounting"]["indexed_share"] < 1
    assert any("not complete yet" in note for note in packet["notes"])
    (item,) = [one for one in packet["needs_refresh"] if one["source_id"] == "new_39.py"]
    assert item["reason"] == "not_indexed"
    draw(unindexed.search("what does new_39.py do?"), Path(packet["workspace"]))
    for printed in (capsys.readouterr().out, text_of(packet)):
        assert "% of the files indexed" in printed.partition("\n")[0]


@pytest.mark.process
def test_a_question_that_nobody_waits_behind_builds_the_whole_first_index(unindexed):
    unindexed.catch_up()
    assert unindexed.behind == ""
    assert unindexed.packet("what does new_39.py do?")["accounting"]["indexed_share"] == 1


def environment_of(index: Path) -> dict[str, str]:
    return environment(index.parents[3])


@pytest.mark.parametrize(("files", "waits"), [(1, "FIRST_INDEX_WAIT_S"), (600, "QUESTION_WAIT_S")])
def test_a_question_waits_for_a_first_index_only_where_it_can_be_whole_soon(unindexed, monkeypatch, files, waits):
    waited = []

    def refresh(engine, progress, *, wait_s, **others):
        waited.append(wait_s)
        raise BusyStoreError("Another Helix holds the index.")

    monkeypatch.setattr(Helix, "refresh", refresh)
    unindexed.session.index.writer.set_pending([b"new_%d.py" % number for number in range(files)])
    unindexed.catch_up()
    assert waited == [getattr(engine_module, waits)]
    assert BUSY in unindexed.behind


def test_a_status_beside_an_indexing_process_says_who_it_is_and_how_far(helix, shop, tmp_path):
    unknown = helix("status", "--path", shop)
    assert "not indexed yet: helix index" in unknown.out
    index = index_of(tmp_path / "home")
    with held(index, is_named=True) as pid:
        first = helix("status", shop)
    assert "not indexed yet" not in first.out
    assert f"being indexed by a server (process {pid})" in " ".join(first.out.split())
    assert helix("index", shop).status == 0
    (shop / "shop" / "new.py").write_text("def brand_new():\n    return 1\n")
    with held(index, is_named=True) as pid:
        indexing = helix("status", shop, "--json").answer["indexing"]
    assert (indexing["by"], indexing["pid"]) == ("a server", pid)
    assert indexing["done"] == helix("status", shop, "--json").answer["index"]["files"]
    assert "indexing" not in helix("status", shop, "--json").answer
    with held(index):
        assert "being indexed by another process" in helix("status", shop).out


def test_a_fresh_index_is_fresh_whoever_holds_it(helix, shop, indexed):
    with held(indexed, is_named=True):
        assert "fresh" in helix("status", shop).out
