"""``helix bench``: how well and how fast a folder's questions are answered, and whether a second run is better."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import HelixError, UsageError
from helix_ls.cli.opened import TerminalProgress, bring_up_to_date, opened
from helix_ls.cli.options import Json
from helix_ls.cli.output import complain, print_json, warn

if TYPE_CHECKING:
    from helix_core.bench import BenchQuestion
    from helix_core.engine import Helix

MOST_BYTES = 32 * 1024 * 1024
UNDECIDED = 4


class BenchAction(StrEnum):
    """Actions of ``helix bench``."""

    RUN = "run"
    MODEL = "model"
    COMPARE = "compare"


def bench(
    action: Annotated[
        BenchAction,
        typer.Argument(
            metavar="ACTION", help="run asks the questions, model tries a model, compare compares two runs."
        ),
    ],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="run: the folder. model: the model, and the folder. compare: the files of two runs."),
    ] = None,
    *,
    questions: Annotated[
        Path | None, typer.Option("--questions", help="A file of questions, one JSON object per line.")
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=50, help="The number of times each question is measured.")
    ] = 3,
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the results.")] = None,
    quality_only: Annotated[bool, typer.Option("--quality-only", help="Compare answers, not their speed.")] = False,
    as_json: Json = False,
) -> None:
    """Measure a folder's answers to questions of your own, and compare two runs.

    Compare and model exit 0 to ship, 1 slower, 2 no gain, 3 worse, 4 when that cannot be said. Model embeds the folder
    with a model that is set up, or that is a folder, asks with the built-in vectors and with it, and chooses none.
    """
    given = paths or []
    if action is BenchAction.COMPARE:
        raise typer.Exit(_compare(given, quality_only=quality_only, as_json=as_json))
    if action is BenchAction.MODEL:
        if not 1 <= len(given) <= 2:
            raise UsageError("bench model takes a model and one folder; name both, or omit the folder for the current")
        folder = given[1] if len(given) == 2 else Path()
        status = _try_model(str(given[0]), folder, questions, rounds=rounds, out=out, as_json=as_json)
        raise typer.Exit(status)
    if len(given) > 1:
        raise UsageError("bench run takes one folder; name it, or omit it for the current folder")
    raise typer.Exit(_run(given[0] if given else Path(), questions, rounds=rounds, out=out, as_json=as_json))


def _run(folder: Path, questions: Path | None, *, rounds: int, out: Path | None, as_json: bool) -> int:
    asked = _questions(questions)
    with opened(folder) as helix:
        bring_up_to_date(helix)
        _give_what_hosts_give(helix, folder)
        run = _measured(helix, asked, rounds)
        kept = _keep(run, helix, out)
    if as_json:
        print_json({**run, "path": str(kept)})
    else:
        from helix_ls.cli.render.reports import draw_run

        draw_run(run, kept)
    warn(doubt["detail"] for doubt in run["doubts"])
    return 0 if run["figures"] is not None else 1


def _try_model(
    wanted: str, folder: Path, questions: Path | None, *, rounds: int, out: Path | None, as_json: bool
) -> int:
    """Embed the folder with a model, ask with the built-in vectors and with it, and return the decision."""
    from helix_core.bench import compare_runs
    from helix_core.config import load_config
    from helix_core.embed import FastModel, ModelEncoder, StaticEncoder, chosen_model, take_folder
    from helix_core.engine import Embedding

    asked, config = _questions(questions), load_config(folder)
    is_folder = os.sep in wanted and Path(wanted).is_dir()
    model = take_folder(Path(wanted), config.cache_dir) if is_folder else chosen_model(config.cache_dir, wanted)
    if model is None:
        raise UsageError("the built-in vectors are what a model is compared with; name a model or a folder of one")
    bar = TerminalProgress()
    with opened(folder) as helix:
        bring_up_to_date(helix)
    with Embedding.open(folder, config) as embedding, bar:
        embedding.run(FastModel(model), progress=bar.show)
    with opened(folder) as helix:
        helix.session.encoder = StaticEncoder()
        before = _measured(helix, asked, rounds)
        encoder = helix.session.encoder = ModelEncoder(config.cache_dir, str(model.folder))
        encoder.follow()
        after = _measured(helix, asked, rounds)
        kept = _keep(after, helix, out)
    warn(doubt["detail"] for doubt in (*before["doubts"], *after["doubts"]))
    try:
        found = compare_runs(before, after, quality_only=before["latency_ms"] is None or after["latency_ms"] is None)
    except HelixError as error:
        complain(str(error))
        return UNDECIDED
    if as_json:
        print_json({**found.wire(), "model": model.name, "path": str(kept)})
    else:
        from helix_ls.cli.render.reports import draw_comparison, draw_run

        draw_run(after, kept)
        draw_comparison(found.wire())
    return int(found.decision)


def _questions(file: Path | None) -> Sequence[BenchQuestion]:
    from helix_core.bench import SHAPE, read_questions

    if file is None:
        raise UsageError(f"helix bench asks questions of yours; name a file with --questions: {SHAPE}")
    return read_questions(_read(file), str(file))


def _measured(helix: Helix, asked: Sequence[BenchQuestion], rounds: int) -> dict[str, Any]:
    from helix_core.bench import bench as run_bench

    bar = TerminalProgress()
    with bar:
        return run_bench(helix, asked, rounds=rounds, progress=bar.show)


def _keep(run: dict[str, Any], helix: Helix, out: Path | None) -> Path:
    kept = out or helix.index_path.parent.parent / "bench" / helix.index_path.parent.name / _name()
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(run, indent=1), encoding="utf-8")
    return kept


def _give_what_hosts_give(helix: Helix, folder: Path) -> None:
    """Load the configured models at the start, as an editor's host does."""
    from helix_core.config import load_config
    from helix_core.embed import LoadedReranker, ModelEncoder

    config = load_config(folder)
    encoder = ModelEncoder(config.cache_dir, config.embed_model)
    encoder.follow()
    if encoder.problem:
        warn([f"the built-in vectors are used: {encoder.problem}"])
    helix.session.encoder = encoder
    if config.rerank:
        reranker = LoadedReranker(config.cache_dir)
        reranker.follow()
        if reranker.problem:
            warn([f"reranking is off: {reranker.problem}"])
        helix.session.reranker = reranker


def _compare(files: list[Path], *, quality_only: bool, as_json: bool) -> int:
    """Return the decision as the exit status; 4 also without two runs to compare."""
    from helix_core.bench import compare_runs

    try:
        if len(files) != 2:
            raise UsageError("bench compare takes two files of runs, the earlier one first")
        found = compare_runs(_loaded(files[0]), _loaded(files[1]), quality_only=quality_only)
    except (HelixError, OSError) as error:
        complain(str(error))
        return UNDECIDED
    if as_json:
        print_json(found.wire())
    else:
        from helix_ls.cli.render.reports import draw_comparison

        draw_comparison(found.wire())
    return int(found.decision)


def _loaded(file: Path) -> dict[str, Any]:
    try:
        run = json.loads(_read(file))
    except (ValueError, RecursionError):
        raise UsageError(f"{file} is not JSON; name a file that helix bench run wrote") from None
    if not isinstance(run, dict):
        raise UsageError(f"{file} is not a run of helix bench; name a file that helix bench run wrote")
    return run


def _read(file: Path) -> str:
    if not file.is_file():
        raise UsageError(f"{file} is not a file; name an existing file")
    if file.stat().st_size > MOST_BYTES:
        raise UsageError(f"{file} is larger than {MOST_BYTES:,} bytes; name a smaller file")
    return file.read_bytes().decode("utf-8", "replace")


def _name() -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + f"-{time.time_ns() % 10**9 // 10**6:03d}.json"
