"""Find the places that speak of the whole project: what it is, how to begin, how to run its tests, of which packages it
consists, and who wrote it.

In: an intent and the words of the question. Out: files with a score and the chunks in them, best first. Goes by the
names of files and of headings, never by how often a word occurs: every file has the words of such a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from helix_core.model import Role, Source
from helix_core.search.question import Intent, any_of
from helix_core.store import FileChunk, Reader
from helix_core.tuples import NamedTuple
from helix_core.words import lazy_pattern

HITS = 60
_OVERVIEW_NAMES = {
    "readme": 1.0,
    "overview": 0.8,
    "quickstart": 0.8,
    "quick_start": 0.8,
    "getting_started": 0.8,
    "gettingstarted": 0.8,
    "architecture": 0.7,
    "introduction": 0.7,
    "intro": 0.7,
    "index": 0.6,
    "installation": 0.6,
    "install": 0.6,
    "contributing": 0.4,
}
"""Names of the files that say what a project is, without extension, and how well each says it."""
_AUTHOR_NAMES = {
    "authors": 1.0,
    "maintainers": 1.0,
    "contributors": 0.9,
    "credits": 0.8,
    "copyright": 0.7,
    "license": 0.5,
    "licence": 0.5,
    "copying": 0.5,
    "readme": 0.4,
}
"""Names of the files that say who wrote a project, and how well each says it."""
_WORKING_NAMES = {
    "contributing": 1.0,
    "testing": 1.0,
    "development": 0.95,
    "developing": 0.95,
    "hacking": 0.95,
    "readme": 0.9,
    "building": 0.7,
    "contribute": 0.7,
    "install": 0.5,
}
"""Names of the files that say how one works on a project, and how well each says it."""
OF_THE_WHOLE: Mapping[Intent, Mapping[str, float]] = {
    Intent.OVERVIEW: _OVERVIEW_NAMES,
    Intent.SETUP: _OVERVIEW_NAMES,
    Intent.TESTING: _WORKING_NAMES,
    Intent.PACKAGES: {**_OVERVIEW_NAMES, **_WORKING_NAMES},
    Intent.AUTHORSHIP: _AUTHOR_NAMES,
}
_PACKAGES = ("package.json", "pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml", "composer.json", "mix.exs")
_GEM = ".gemspec"
_OF_AUTHORS = ("author", "authors", "maintainer", "maintainers", "contributors")
OF_A_PACKAGE = 0.95
"""How well the data of a package say who wrote it, beside a file of authors."""
MOST_OVERVIEWS, DEEPEST_OVERVIEW = 4, 2
SHORTEST_BEGINNING = 10
"""A first section of fewer lines is a logo or a title: the next one belongs to it."""
DEEPER = 0.7
_SETUP_HEADING = lazy_pattern(r"(?i)getting started|quick ?start|install|set ?up|usage|build|compil")
_TEST_HEADINGS = (
    lazy_pattern(r"(?i)\b(?:run|running|execut\w{1,3})\b.{0,20}\btests?\b"),
    lazy_pattern(r"(?i)\b(?:tests?|testing|test suite|specs)\W*\Z"),
)
_PACKAGES_HEADINGS = (
    lazy_pattern(r"(?i)\A\W*(?:(?:the|all|our|list of|about the) ){0,2}(?:packages|crates|workspaces?|monorepo)\b"),
    lazy_pattern(r"(?i)\b(?:structure|layout|organi[sz]ation|(?:project|repository|codebase) overview)\b"),
)
_TEST_FILES = {
    "Makefile": "test",
    "GNUmakefile": "test",
    "justfile": "test",
    "Rakefile": "test|spec",
    "package.json": "test",
    "tox.ini": "commands",
    "tox.toml": "commands",
    "noxfile.py": "tests|test",
    "Taskfile.yml": "test",
    "composer.json": "test",
    "Makefile.am": "test",
}
"""The files at the top that hold commands, and the words by which one finds that of the tests."""
_MEMBER_FILES = {
    "pnpm-workspace.yaml": "packages",
    "lerna.json": "packages",
    "Cargo.toml": "members",
    "go.work": "use",
    "settings.gradle": "include",
    "settings.gradle.kts": "include",
    "package.json": "workspaces",
    "pom.xml": "modules",
}
"""The files at the top that list the packages of a repository, and the words that stand before the list."""
STEM_LETTERS = 5
OF_A_COMMAND = 0.8
"""How well a file of commands, or of members, says it, beside a document that has a heading for it."""


class WholePlace(NamedTuple):
    """A file that speaks of the whole project, how well it does, and its chunks that do; none where it is not known."""

    source_id: int
    score: float
    items: tuple[int, ...] = ()


def places_of_the_whole(intent: Intent, words: Sequence[str], reader: Reader) -> list[WholePlace]:
    """Return the places that say what an intent of the whole project asks for, best first; ``words`` are those of the
    question. Raises QueryBudgetError.
    """
    ranked = _documents(intent, reader)
    if intent is Intent.AUTHORSHIP:
        packages = [source.id for source in _packages(reader)]
        found = reader.text.matches_in(any_of(_OF_AUTHORS), packages, HITS) if packages else []
        own = {source_id: item for item, source_id, _ in reversed(found)}
        places = [WholePlace(id_, score) for id_, score in ranked]
        return _sorted([*places, *(WholePlace(id_, OF_A_PACKAGE, (item,)) for id_, item in own.items())])
    chunks = reader.text.chunks_in(id_ for id_, _ in ranked)
    if intent is Intent.TESTING:
        return _headed(ranked, chunks, _TEST_HEADINGS, _in_files(_TEST_FILES, reader))
    if intent is Intent.PACKAGES:
        return _headed(ranked, chunks, _PACKAGES_HEADINGS, _in_files(_MEMBER_FILES, reader))
    said = _said(words, chunks, reader) if intent is Intent.SETUP else frozenset()
    acts = [word[:STEM_LETTERS] for word in words if _SETUP_HEADING.search(word)]
    return [WholePlace(id_, score, _beginning(chunks.get(id_, []), intent, said, acts)) for id_, score in ranked]


def _sorted(places: Iterable[WholePlace]) -> list[WholePlace]:
    return sorted(places, key=lambda one: -one.score)


def _documents(intent: Intent, reader: Reader) -> list[tuple[int, float]]:
    """Return documents by name with a score, best first."""
    names = OF_THE_WHOLE[intent]
    found = reader.files.sources_by_id(
        id_ for name in names for id_, _ in reader.text.paths_like([" ".join(name.split("_"))], HITS)
    )
    scored = {}
    for id_, source in found.items():
        *folders, name = source.source_id.lower().split("/")
        stem = name.partition(".")[0].replace("-", "_")
        if stem in names and source.role is Role.DOC and len(folders) <= DEEPEST_OVERVIEW:
            scored[id_] = names[stem] * DEEPER ** len([folder for folder in folders if folder != ".github"])
    return sorted(scored.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_OVERVIEWS]


def _beginning(own: Sequence[FileChunk], intent: Intent, said: frozenset[int], acts: Sequence[str]) -> tuple[int, ...]:
    """Return where a document begins to say it: for a setup its first section about that, rather one with a word of the
    question in its heading, or with what is to be done; else its first section.
    """
    if not own:
        return ()
    sections = [one for one in own if _SETUP_HEADING.search(_heading(one))] if intent is Intent.SETUP else []
    if sections:

        def order(one: FileChunk) -> tuple[bool, bool, bool]:
            name = one.name.lower()
            return one.id not in said, not any(act in name for act in acts), _SETUP_HEADING.search(name) is None

        return (min(sections, key=order).id,)
    is_logo = own[0].end_line - own[0].start_line < SHORTEST_BEGINNING
    return tuple(one.id for one in own[: 1 + is_logo])


def _heading(chunk: FileChunk) -> str:
    return f"{chunk.breadcrumb} {chunk.name}"


def _said(words: Sequence[str], chunks: Iterable[int], reader: Reader) -> frozenset[int]:
    """Return the sections whose heading has a word by which the question says where, or by what means."""
    telling = [word for word in words if not _SETUP_HEADING.search(word)]
    found = reader.text.matches_in(f"names : ({any_of(telling)})", chunks, HITS) if telling else []
    return frozenset(item for item, _, _ in found)


def _headed(
    ranked: Sequence[tuple[int, float]],
    chunks: Mapping[int, Sequence[FileChunk]],
    headings: Sequence[re.Pattern[str]],
    commands: Sequence[WholePlace],
) -> list[WholePlace]:
    """Return the documents that have a heading for it, those of the first pattern before others, and the files of
    commands; of documents the first such section.
    """
    found = []
    for id_, score in ranked:
        for less, pattern in enumerate(headings):
            section = next((one for one in chunks.get(id_, ()) if pattern.search(one.name)), None)
            if section is not None:
                found.append(WholePlace(id_, score * DEEPER**less, (section.id,)))
                break
    return _sorted([*found, *commands])


def _in_files(names: Mapping[str, str], reader: Reader) -> list[WholePlace]:
    """Return the files at the top of the workspace with such a name, and in each the chunk with one of its words."""
    sources = reader.files.sources_by_id(id_ for name in names for id_, _ in reader.text.paths_like([name], HITS))
    found = []
    for id_, source in sources.items():
        if (said := names.get(source.source_id)) is None:
            continue
        hits = reader.text.matches_in(any_of(said.split("|")), [id_], 1)
        found += [WholePlace(id_, OF_A_COMMAND, (hits[0][0],))] if hits else []
    return found


def _packages(reader: Reader) -> list[Source]:
    """Return the files at the top that hold the data of the project's package."""
    ids = (id_ for name in (*_PACKAGES, _GEM[1:]) for id_, _ in reader.text.paths_like([name], HITS))
    sources = reader.files.sources_by_id(ids).values()
    return [one for one in sources if one.source_id in _PACKAGES or _gem(one.source_id)]


def _gem(path: str) -> str:
    return path.removesuffix(_GEM) if path.endswith(_GEM) and "/" not in path else ""


def is_project(name: str, reader: Reader) -> bool:
    """Return whether the data of the project's package call it so, whatever its case."""
    packages = _packages(reader)
    if any(_gem(one.source_id).lower() == name for one in packages):
        return True
    items = [item.id for one in packages for item in reader.files.items_of(one.id)]
    claims_ = (claim for own in reader.claims.of_items(items).values() for claim in own)
    return any(
        claim.key.lower() in {"name", "project.name", "package.name", "tool.poetry.name", "metadata.name"}
        and claim.value.lower().rpartition("/")[2] == name.rpartition("/")[2]
        for claim in claims_
    )
