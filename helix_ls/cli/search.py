"""``helix search``: where is it?"""

from __future__ import annotations

from typing import Annotated

from helix_core.errors import UsageError
from helix_core.model import Kept
from helix_ls.cli.filters import Author, Docs, Globs, LanguageName, Since, Tests, filters
from helix_ls.cli.opened import bring_as_far_as_possible, opened, question_text, waiting
from helix_ls.cli.options import HERE, Json, PathOption, Question, option
from helix_ls.cli.output import is_cancelled, print_json
from helix_ls.operations.questions import SEARCH

_K, _PAGE = map(SEARCH.parameter, ("k", "page"))


def search(
    question: Question,
    path: PathOption = HERE,
    *,
    k: Annotated[int, option("--limit", "-k", help=_K.about.description)] = _K.default,
    explained: Annotated[
        bool,
        option("--explain", help="Show why: each ranker's list, rank and share, and what makes up the confidence."),
    ] = False,
    glob: Globs = None,
    language: LanguageName = None,
    tests: Tests = Kept.WITH,
    docs: Docs = Kept.WITH,
    since: Since = None,
    author: Author = None,
    page: Annotated[str, option("--page", metavar="PAGE", help=_PAGE.about.description)] = "",
    as_json: Json = False,
) -> None:
    """List the places that answer a question, best first."""
    text = question_text(question)
    kept = filters(glob, language, tests=tests, docs=docs, since=since, author=author)
    _K.check(k, "--limit")
    if explained and page:
        raise UsageError("--explain is of the first page; leave --page out, or raise --limit")
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        with waiting("searching"):
            if explained:
                answer = helix.explain_search(text, k=k, previews=not as_json, filters=kept, cancelled=is_cancelled)
            else:
                answer = helix.search(text, k=k, previews=not as_json, filters=kept, page=page, cancelled=is_cancelled)
        workspace, shown = helix.workspace, {*helix.notices, helix.behind}
    if as_json:
        print_json(answer)
    else:
        from helix_ls.cli.render.search import draw

        draw(answer, workspace, shown)
