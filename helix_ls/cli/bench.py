"""``helix bench``: how well and how fast a folder's questions are answered, and whether a second run is better."""

from __future__ import annotations

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.errors import HelixError, UsageError
from helix_ls.cli.opened import TerminalProgress, bring_up_to_date, opened
from helix_ls.cli.output import complain, print_json, warn
from helix_ls.cli.verbs import Json

if TYPE_CHECKING:
    from helix_core.engine import Helix

MOST_BYTES = 32 * 1024 * 1024
UNDECIDED = 4


class BenchAction(StrEnum):
    """What can be done."""

    RUN = "run"
    COMPARE = "compare"


def bench(
    action: Annotated[
        BenchAction, typer.Argument(metavar="ACTION", help="run asks the questions, compare compares two runs.")
    ],
    paths: Annotated[list[Path] | None, typer.Argument(help="run: the folder. compare: the files of two runs.")] = None,
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

    Compare exits 0 to ship, 1 slower, 2 no gain, 3 worse, 4 when that cannot be said.
    """
    given = paths or []
    if action is BenchAction.COMPARE:
        raise typer.Exit(_compare(given, quality_only=quality_only, as_json=as_json))
    if len(given) > 1:
        raise UsageError("bench run takes one folder; name it, or omit it for the current folder")
    raise typer.Exit(_run(given[0] if given else Path(), questions, rounds=rounds, out=out, as_json=as_json))


def _run(folder: Path, questions: Path | None, *, rounds: int, out: Path | None, as_json: bool) -> int:
    from helix_core.bench.measure import bench as run_bench
    from helix_core.bench.questions import SHAPE, read_questions

    if questions is None:
        raise UsageError(f"bench run asks questions of yours; name a file with --questions: {SHAPE}")
    asked = read_questions(_read(questions), str(questions))
    with opened(folder) as helix:
        bring_up_to_date(helix)
        _give_what_hosts_give(helix, folder)
        bar = TerminalProgress()
        with bar:
            run = run_bench(helix, asked, rounds=rounds, progress=bar.show)
        kept = out or helix.index_path.parent.parent / "bench" / helix.index_path.parent.name / _name()
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(run, indent=1), encoding="utf-8")
    if as_json:
        print_json({**run, "path": str(kept)})
    else:
        from helix_ls.cli.render.reports import draw_run

        draw_run(run, kept)
    warn(doubt["detail"] for doubt in run["doubts"])
    return 0 if run["figures"] is not None else 1


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
    from helix_core.bench.compare import compare

    try:
        if len(files) != 2:
            raise UsageError("bench compare takes two files of runs, the earlier one first")
        found = compare(_loaded(files[0]), _loaded(files[1]), quality_only=quality_only)
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
