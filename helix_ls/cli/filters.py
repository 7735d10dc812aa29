"""The options of search, packet and context that say which files are searched."""

from __future__ import annotations

from typing import Annotated

from helix_core.errors import UsageError
from helix_core.model import Filters, Kept
from helix_ls.cli.options import OptionDeclaration, option
from helix_ls.operations.arguments import parameters_of
from helix_ls.operations.questions import FilterArguments, filter_name

_FILTER = {each.name: each for each in parameters_of(FilterArguments)}


def _option(name: str, *flags: str, metavar: str) -> OptionDeclaration:
    return option(*flags, metavar=metavar, help=_FILTER[name].about.description)


Globs = Annotated[list[str] | None, _option("paths", "--glob", "-g", metavar="GLOB")]
LanguageName = Annotated[str | None, _option("language", "--language", metavar="NAME")]
Tests = Annotated[Kept, _option("tests", "--tests", metavar="with|without|only")]
Docs = Annotated[Kept, _option("docs", "--docs", metavar="with|without|only")]
Since = Annotated[str | None, _option("since", "--since", metavar="COMMIT")]
Author = Annotated[str | None, _option("author", "--author", metavar="NAME")]


def filters(
    paths: list[str] | None, language: str | None, *, tests: Kept, docs: Kept, since: str | None, author: str | None
) -> Filters:
    """Return the filters of a command, checked as every surface checks them. Raises UsageError."""
    for name, given in (("language", language), ("since", since), ("author", author)):
        if len(filter_name(f"--{name}", given)) > _FILTER[name].most:
            raise UsageError(f"--{name} is longer than {_FILTER[name].most:,} characters; shorten it")
    return Filters(tuple(paths or ()), language or "", tests, docs, since or "", author or "")
