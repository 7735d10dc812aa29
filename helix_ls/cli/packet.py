"""``helix packet``: where is it, and is it still true?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from helix_core.model import TaskType
from helix_core.packet import Quotes
from helix_ls.cli.opened import bring_as_far_as_possible, opened
from helix_ls.cli.output import print_json
from helix_ls.cli.question import asked
from helix_ls.cli.verbs import HERE, Json, PathOption, Question


def packet(
    question: Question,
    path: PathOption = HERE,
    *,
    task: Annotated[
        TaskType, typer.Option("--task", help="What the answer is for; the risk rises.")
    ] = TaskType.EXPLAIN,
    k: Annotated[int | None, typer.Option("-k", help="At most so many items: 8, or 12 within --max-tokens.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="At most so many tokens in all; items then say less.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer with pointers, each with a verdict."""
    text = asked(question)
    # A person at a terminal reads quotes for nothing; whoever reads a pipe pays for them.
    quotes = Quotes.WHOLE if sys.stdout.isatty() and not as_json else Quotes.CHOSEN
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        answer = helix.packet(text, task=task, k=k, quotes=quotes, max_tokens=max_tokens)
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.packet import draw

        draw(answer)
