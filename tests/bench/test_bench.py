"""``helix bench`` on a real repository: through the command, and with index, clock and machine that do not hold."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helix_core.bench import measure
from helix_core.bench.measure import bench
from helix_core.bench.questions import BenchQuestion
from helix_core.config import load_config
from helix_core.embed.model import choose, chosen_model
from helix_core.embed.model_sources import take_folder
from helix_core.engine import Helix
from helix_core.engine.indexing.report import Progress

from ..embed.test_token_rows import write_model

QUESTIONS = [
    {"question": "where is postage by weight computed?", "files": ["shipping.py"], "contains": ["def shipping_cost"]},
    {"question": "what is the dearest item a basket takes?", "files": ["basket.py"]},
    {"question": "how are zeppelins moored to the quantum mast?", "files": []},
]
ASKED = [BenchQuestion(one["question"], tuple(one["files"])) for one in QUESTIONS]
SHIPPING = (
    '"""Sending parcels."""\n\n\ndef shipping_cost(grams):\n    """Postage by weight."""\n    return 300 + grams\n'
)
BASKET = 'PRICE_LIMIT = 5000\n\n\nclass Basket:\n    """What a basket takes, up to the dearest item."""\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shipping.py").write_text(SHIPPING)
    (folder / "basket.py").write_text(BASKET)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)))
    return folder


def helix_bench(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HELIX_")}
    environ |= {"HELIX_CACHE_DIR": str(folder.parent / "cache"), "HELIX_CONFIG": str(folder.parent / "none.toml")}
    environ["HELIX_DATA_DIR"] = str(folder.parent / "data")
    return subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "bench", *arguments],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.process
def test_a_run_is_kept_with_what_it_stands_on_and_two_are_compared(project: Path) -> None:
    own, first, second = (str(project.parent / name) for name in ("own.jsonl", "first.json", "second.json"))
    ran = helix_bench(project, "run", str(project), "--questions", own, "--rounds", "1", "--json", "--out", first)
    assert ran.returncode == 0, ran.stderr
    run = json.loads(ran.stdout)
    assert run.pop("path") == first
    assert run == json.loads(Path(first).read_text())
    assert run["schema"] == "helix.bench/1"
    assert run["figures"]["hit@1"]["mean"] == 1.0
    assert run["figures"]["lines@5"]["mean"] == 1.0
    assert run["abstention"]["absent_known"] == 1.0
    assert len(run["code"]["head"]) == 40 and run["code"]["dirty"] is False
    assert len(run["index"]["digest"]) == 64 and run["index"]["files"] == 2
    assert run["machine"]["cores"] >= 1 and run["machine"]["memory_bytes"] > 0
    assert (run["latency_ms"] is None) == bool(run["doubts"])
    assert all(row["median_ms"] > 0 for row in run["rows"])

    (project / "basket.py").write_text(BASKET + "\nEMPTY = Basket()\n")
    assert helix_bench(project, "run", str(project), "--questions", own, "--out", second).returncode == 0
    again = json.loads(Path(second).read_text())
    assert again["code"]["dirty"] is True
    assert again["index"]["digest"] != run["index"]["digest"]
    compared = helix_bench(project, "compare", first, second, "--quality-only", "--json")
    assert compared.returncode == 2, "the same answers are no gain"
    assert json.loads(compared.stdout)["decision"] == "no_gain"
    assert len(json.loads(compared.stdout)["notes"]) == 2


@pytest.mark.process
def test_a_model_is_tried_in_one_command_and_not_chosen(project: Path) -> None:
    cache, own = project.parent / "cache", str(project.parent / "own.jsonl")
    given = write_model(project.parent / "given")
    ran = helix_bench(project, "model", str(given), str(project), "--questions", own, "--rounds", "1", "--json")
    answer = json.loads(ran.stdout)
    assert (answer["schema"], answer["exit_status"]) == ("helix.benchCompared/1", ran.returncode)
    assert ran.returncode in (0, 1, 2, 3)
    kept = json.loads(Path(answer["path"]).read_text())
    assert answer["model"] == kept["model"] != "static"
    assert not any(doubt["kind"] == "model_not_ready" for doubt in kept["doubts"])
    assert chosen_model(cache) is None
    wrong: tuple[tuple[tuple[str, ...], int], ...] = (((), 2), (("static",), 2), (("nowhere", str(project)), 1))
    for arguments, status in wrong:
        refused = helix_bench(project, "model", *arguments, "--questions", own)
        assert (refused.returncode, refused.stderr.count("\n")) == (status, 1), refused.stderr


@pytest.mark.process
def test_figures_of_the_built_in_vectors_are_not_a_models(project: Path) -> None:
    """A model that is set up and has embedded nothing here answers nothing."""
    cache, own = project.parent / "cache", str(project.parent / "own.jsonl")
    choose(cache, take_folder(write_model(project.parent / "given"), cache))
    ran = helix_bench(project, "run", str(project), "--questions", own, "--rounds", "1", "--json")
    run = json.loads(ran.stdout)
    assert run["model"] == "static" and run["latency_ms"] is None
    assert "model_not_ready" in [doubt["kind"] for doubt in run["doubts"]]
    assert "run helix embed run" in ran.stderr


@pytest.mark.process
@pytest.mark.parametrize(("change", "status"), [({"mrr@10": 1.0}, 0), ({"mrr@10": 0.0}, 3), ({"ms": 3.0}, 1), ({}, 2)])
def test_the_exit_status_is_the_decision(project: Path, change: dict[str, float], status: int) -> None:
    def made(scores: dict[str, float], ms: float) -> dict[str, Any]:
        rows = [
            {
                "question": str(n),
                "scores": {"mrr@10": 0.5} | scores,
                "known_empty": False,
                "absent": False,
                "median_ms": ms,
            }
            for n in range(30)
        ]
        return {
            "schema": "helix.bench/1", "questions": {"sha256": "0"}, "machine": {"cpu": "x", "cores": 2},
            "index": {"digest": ""}, "code": {"dirty": False}, "figures": {}, "latency_ms": {}, "rows": rows,
        }  # fmt: skip

    ms = 1.0 + change.pop("ms", 0.0)
    files = [project.parent / "a.json", project.parent / "b.json"]
    files[0].write_text(json.dumps(made({}, 1.0)))
    files[1].write_text(json.dumps(made(change, ms)))
    assert helix_bench(project, "compare", *map(str, files)).returncode == status


@pytest.mark.process
def test_misuse_is_one_line_with_what_to_do(project: Path) -> None:
    missing = helix_bench(project, "run", str(project))
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1 and '{"question": ' in missing.stderr
    for files in (["a.json"], [str(project / "basket.py"), str(project / "basket.py")], ["gone.json", "gone.json"]):
        refused = helix_bench(project, "compare", *files)
        assert refused.returncode == 4
        assert refused.stdout == "" and refused.stderr.count("\n") == 1 and refused.stderr.startswith("helix: ")


@pytest.fixture
def opened(project: Path, tmp_path: Path) -> Iterator[Helix]:
    config = replace(load_config(project), cache_dir=tmp_path / "cache", data_dir=tmp_path / "data")
    with Helix.open(project, config=config) as helix:
        helix.refresh()
        yield helix


def kinds(run: dict[str, Any]) -> set[str]:
    return {doubt["kind"] for doubt in run["doubts"]}


def test_files_that_change_underneath_leave_no_figure(opened: Helix, project: Path) -> None:
    def edit(progress: Progress) -> None:
        if progress.done == 2:
            (project / "shipping.py").write_text(SHIPPING.replace("300", "400"))

    run = bench(opened, ASKED, rounds=1, progress=edit)
    assert "index_changed" in kinds(run)
    assert (run["figures"], run["abstention"], run["latency_ms"], run["rows"]) == (None, None, None, [])


def test_a_run_ends_as_soon_as_a_look_between_sees_a_change(opened: Helix, project: Path) -> None:
    seen: list[int] = []

    def edit(progress: Progress) -> None:
        seen.append(progress.done)
        if progress.done == 2:
            (project / "shipping.py").write_text(SHIPPING.replace("300", "400"))

    whole = bench(opened, ASKED, rounds=2, watch_s=0.0)
    assert (whole["doubts"], whole["figures"] is not None) == ([], True) or kinds(whole) == {"busy_machine"}
    run = bench(opened, ASKED, rounds=2, watch_s=0.0, progress=edit)
    assert kinds(run) >= {"index_changed"} and run["figures"] is None
    assert seen == [1, 2], "no question was asked after the change"


def test_an_index_that_another_brings_up_to_date_meanwhile_is_seen_too(opened: Helix, project: Path) -> None:
    def edit(progress: Progress) -> None:
        if progress.done == 2:
            (project / "shipping.py").write_text(SHIPPING.replace("300", "400"))
            opened.refresh()

    assert "index_changed" in kinds(bench(opened, ASKED, rounds=1, progress=edit))


def test_a_question_that_is_never_answered_ends_the_run(opened: Helix) -> None:
    run = bench(opened, ASKED, rounds=1, stall_s=0.0)
    assert "stalled" in kinds(run)
    assert run["figures"] is None
    assert any(ASKED[0].text in doubt["detail"] for doubt in run["doubts"])


def _burn() -> None:
    while True:
        pass


@pytest.mark.slow
@pytest.mark.process
def test_another_process_that_eats_the_machine_leaves_answers_but_no_latency(opened: Helix) -> None:
    context = multiprocessing.get_context("spawn")
    eaters = [context.Process(target=_burn, daemon=True) for _ in range(measure.cores() + 1)]
    for eater in eaters:
        eater.start()
    try:
        before = measure.sample()

        def wait(progress: Progress) -> None:
            deadline = time.monotonic() + 2.0
            while progress.done == 1 and time.monotonic() < deadline:
                time.sleep(0.05)

        assert before.all_cpu_s is not None
        deadline = time.monotonic() + 60
        while (measure.sample().all_cpu_s or 0.0) - before.all_cpu_s < 1.0 and time.monotonic() < deadline:
            time.sleep(0.1)
        run = bench(opened, ASKED, rounds=1, progress=wait)
    finally:
        for eater in eaters:
            eater.terminate()
            eater.join()
    assert "busy_machine" in kinds(run)
    assert run["latency_ms"] is None
    assert run["figures"]["hit@1"]["mean"] == 1.0
