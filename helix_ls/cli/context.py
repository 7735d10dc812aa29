"""``helix context``: the evidence as text for a chat model."""

from __future__ import annotations

from typing import Annotated

from helix_core.model import Kept
from helix_ls.cli.filters import Author, Docs, Globs, LanguageName, Since, Tests, filters
from helix_ls.cli.opened import bring_as_far_as_possible, opened, question_text, waiting
from helix_ls.cli.options import HERE, Json, PathOption, Question, option
from helix_ls.cli.output import is_cancelled, print_json, print_text, warn
from helix_ls.operations.questions import CONTEXT

_BUDGET, _DECODER, _MODEL = map(CONTEXT.parameter, ("budget", "decoder_mode", "downstream_model"))


def context(
    question: Question,
    *,
    path: PathOption = HERE,
    budget: Annotated[int, option("--budget", help=_BUDGET.about.description)] = _BUDGET.default,
    decoder: Annotated[
        str, option("--decoder", help=f"{_DECODER.about.description} {_DECODER.wanted.capitalize()}.")
    ] = _DECODER.default,
    model: Annotated[str, option("--model", help=_MODEL.about.description)] = _MODEL.default,
    glob: Globs = None,
    language: LanguageName = None,
    tests: Tests = Kept.WITH,
    docs: Docs = Kept.WITH,
    since: Since = None,
    author: Author = None,
    as_json: Json = False,
) -> None:
    """Answer with text for a chat model, within a budget of tokens."""
    from helix_core.engine.answer import ContextRequest, checked_decoder

    text = question_text(question)
    kept = filters(glob, language, tests=tests, docs=docs, since=since, author=author)
    _BUDGET.check(budget, "--budget")
    _DECODER.check(decoder, "--decoder")
    request = ContextRequest(budget_tokens=budget, decoder=checked_decoder(decoder), model=model).checked()
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        with waiting("searching"):
            answer = helix.context(text, request, filters=kept, cancelled=is_cancelled)
        shown = {*helix.notices, helix.behind}
    if as_json:
        print_json(answer)
        return
    warn(note for note in answer["notes"] if note not in shown)
    if not answer["text"] and "unsearched" in answer:
        # The note above says why.
        return
    if not answer["text"] or (answer["known_empty"] and answer.get("memories") and not answer["blocks"]):
        nearest = ", ".join(answer["nearest"])
        warn([f"nothing in this folder answers that{f'; the nearest names are {nearest}' if nearest else ''}"])
    if answer["text"]:
        print_text(answer["text"] + "\n")
