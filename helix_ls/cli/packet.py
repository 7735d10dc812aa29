"""``helix packet``: where is it, and is it still true?"""

from __future__ import annotations

from typing import Annotated

from helix_core.model import Kept, TaskType
from helix_core.packet import Quotes
from helix_ls.cli.filters import Author, Docs, Globs, LanguageName, Since, Tests, filters
from helix_ls.cli.opened import bring_as_far_as_possible, opened, question_text, waiting
from helix_ls.cli.options import HERE, Json, PathOption, Question, option
from helix_ls.cli.output import is_at_terminal, is_cancelled, print_json
from helix_ls.operations.questions import PACKET

_TASK, _K, _MAX_TOKENS = map(PACKET.parameter, ("task_type", "k", "max_tokens"))


def packet(
    question: Question,
    path: PathOption = HERE,
    *,
    task: Annotated[TaskType, option("--task", help=_TASK.about.description)] = TaskType.EXPLAIN,
    k: Annotated[int | None, option("--limit", "-k", help=_K.about.description)] = None,
    max_tokens: Annotated[int | None, option("--max-tokens", help=_MAX_TOKENS.about.description)] = None,
    glob: Globs = None,
    language: LanguageName = None,
    tests: Tests = Kept.WITH,
    docs: Docs = Kept.WITH,
    since: Since = None,
    author: Author = None,
    as_json: Json = False,
) -> None:
    """Answer with pointers, each with a verdict."""
    from helix_core.engine.requests import checked_places, checked_spending

    text = question_text(question)
    kept = filters(glob, language, tests=tests, docs=docs, since=since, author=author)
    _K.check(k, "--limit")
    _MAX_TOKENS.check(max_tokens, "--max-tokens")
    # Text costs less than the same items as JSON, so count the printed form, and shorten quotes while it is made.
    is_counted_here = max_tokens is not None and not as_json
    # Quotes cost a person at a terminal nothing; a reader of a pipe pays tokens for them.
    is_shown = is_at_terminal() and not as_json
    quotes = Quotes.WHOLE if is_shown or is_counted_here else Quotes.CHOSEN
    most = checked_places(k, max_tokens)
    checked_spending(quotes, max_tokens, task)
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        within_json = None if is_counted_here else max_tokens
        with waiting("searching"):
            answer = helix.packet(
                text, task=task, k=most, quotes=quotes, max_tokens=within_json, filters=kept, cancelled=is_cancelled
            )
        shown = {*helix.notices, helix.behind}
    if as_json:
        print_json(answer)
        return
    from helix_ls.cli.render.packet import draw, printed, within

    draw(within(answer, max_tokens, printed) if is_counted_here and max_tokens is not None else answer, shown)
