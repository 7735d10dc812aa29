"""Find the places that speak of the whole project: what it is, how to begin, how to test and release it, of which
packages it consists, and who wrote it; and the documents that every project has, by what they are called.

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
_RELEASING_NAMES = {
    "releasing": 1.0,
    "release_process": 1.0,
    "release": 0.95,
    "making_a_release": 0.95,
    "publishing": 0.9,
    "maintaining": 0.9,
    "maintainers": 0.8,
    **{name: 0.8 * score for name, score in _WORKING_NAMES.items() if name != "install"},
}
"""Names of the files that say how a project is released, and how well each says it."""
_OF_WORK: Mapping[Intent, frozenset[str]] = {
    Intent.TESTING: frozenset({"getting_started", "setup", "index", "tests", "running_tests", "workflow"}),
    Intent.RELEASING: frozenset({"index", "release", "releases", "workflow"}),
}
"""Names of files that say it in a folder whose name does: ``development/getting-started.rst``."""
_FOLDERS_OF_DOCUMENTS = frozenset({"docs", "doc", "documentation", "html", "source", "content", "en", ".github"})
OF_THE_WHOLE: Mapping[Intent, Mapping[str, float]] = {
    Intent.OVERVIEW: _OVERVIEW_NAMES,
    Intent.SETUP: {**_OVERVIEW_NAMES, "installation": 0.9, "install": 0.9, "installing": 0.9, "building": 0.8},
    Intent.TESTING: _WORKING_NAMES,
    Intent.PACKAGES: {**_OVERVIEW_NAMES, **_WORKING_NAMES},
    Intent.AUTHORSHIP: _AUTHOR_NAMES,
    Intent.RELEASING: _RELEASING_NAMES,
}
_PACKAGES = ("package.json", "pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml", "composer.json", "mix.exs")
_GEM = ".gemspec"
_OF_AUTHORS = ("author", "authors", "maintainer", "maintainers", "contributors")
OF_A_PACKAGE = 0.95
"""How well the data of a package say who wrote it, beside a file of authors."""
MOST_OVERVIEWS, DEEPEST_OVERVIEW = 4, 2
MOST_WITH_HEADINGS = 12
"""So many documents are looked through for a heading."""
SHORTEST_BEGINNING = 10
"""A first section of fewer lines is a logo or a title: the next one belongs to it."""
DEEPER = 0.7
_SETUP_HEADING = lazy_pattern(r"(?i)getting started|quick ?start|install(?!er|ed)|set ?up|usage|build|compil(?!e-)")
_TEST_HEADINGS = (
    lazy_pattern(r"(?i)\b(?:run|running|execut\w{1,3})\b.{0,20}\btests?\b"),
    lazy_pattern(r"(?i)\b(?:tests?|testing|test suite|specs)\W*\Z"),
)
_RELEASE_HEADINGS = (
    lazy_pattern(
        r"(?i)\b(?:creat\w{1,3}|mak(?:e|ing)|cut\w{0,4}|prepar\w{1,3}|do(?:ing)?|publish\w{0,3}|how to)\b.{0,20}"
        r"\b(?:releas\w{1,3}|version)|\breleas(?:e|ing) (?:process|procedure|checklist|steps|instructions)"
    ),
    lazy_pattern(r"(?i)\A\W*(?:releas(?:es?|ing)|publishing)\b"),
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
_RELEASE_FILES = {
    "Makefile": "release|publish",
    "justfile": "release|publish",
    "Rakefile": "release",
    "package.json": "release|publish",
    "noxfile.py": "release",
    "tasks.py": "release",
    ".github/workflows/release.yml": "release",
    ".github/workflows/release.yaml": "release",
    ".github/workflows/publish.yml": "publish",
    ".github/workflows/publish.yaml": "publish",
    ".goreleaser.yml": "release|builds",
    ".goreleaser.yaml": "release|builds",
}
"""The files with the commands of a release, and the words by which one finds them."""
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
_LETTERS = lazy_pattern(r"[^\W\d_]+")
STEM_LETTERS = 5
OF_A_COMMAND = 0.8
"""How well a file of commands, or of members, says it, beside a document that has a heading for it."""


_CALLED = (
    ("readme",),
    ("license", "licence", "copying", "unlicense"),
    ("changelog", "changes", "news", "history", "release_notes", "releases"),
    ("contributing", "contribute", "contributing_guide"),
    ("code_of_conduct",),
)
"""The names of the documents that every project has, those of one kind together."""


def documents_called(name: str, reader: Reader) -> list[WholePlace]:
    """Return the documents at the top of the project, or of its documentation, that are called by a name or by another
    of the same kind, each with its beginning: ``NEWS.rst`` for a changelog. Raises QueryBudgetError.
    """
    told = name.lower().replace(" ", "")
    kind = next((names for names in _CALLED if told in {one.replace("_", "") for one in names}), ())
    found = reader.files.sources_by_id(
        id_ for one in kind for id_, _ in reader.text.paths_like([" ".join(one.split("_"))], HITS)
    )
    ranks: dict[int, tuple[int, int, int, str]] = {}
    for id_, source in found.items():
        *folders, last = source.source_id.lower().split("/")
        stem = _stem(last)
        of = next((at for at, one in enumerate(kind) if stem == one or stem.startswith(f"{one}_")), None)
        if of is not None and source.role in _OF_DOCUMENTS and _FOLDERS_OF_DOCUMENTS.issuperset(folders):
            ranks[id_] = (len(folders), of, len(last), last)
    nearest = min((rank[0] for rank in ranks.values()), default=0)
    own = sorted((id_ for id_, rank in ranks.items() if rank[0] == nearest), key=ranks.__getitem__)[:MOST_OVERVIEWS]
    chunks = reader.text.chunks_in(own)
    return [WholePlace(id_, 1.0 / at, _first_section(chunks.get(id_, []))) for at, id_ in enumerate(own, 1)]


_OF_DOCUMENTS = frozenset({Role.DOC, Role.HISTORY})


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
        begun = reader.text.chunks_in(id_ for id_, _ in ranked)
        places = [WholePlace(id_, score, _first_section(begun.get(id_, []))) for id_, score in ranked]
        return _sorted([*places, *(WholePlace(id_, OF_A_PACKAGE, (item,)) for id_, item in own.items())])
    chunks = reader.text.chunks_in(id_ for id_, _ in ranked)
    if intent is Intent.TESTING:
        return _headed(ranked, chunks, _TEST_HEADINGS, _in_files(_TEST_FILES, reader))
    if intent is Intent.PACKAGES:
        return _headed(ranked, chunks, _PACKAGES_HEADINGS, _in_files(_MEMBER_FILES, reader))
    if intent is Intent.RELEASING:
        return _headed(ranked, chunks, _RELEASE_HEADINGS, _in_files(_RELEASE_FILES, reader))
    said = _said(words, chunks, reader) if intent is Intent.SETUP else frozenset()
    if intent is not Intent.SETUP:
        return [WholePlace(id_, score, _first_section(chunks.get(id_, []))) for id_, score in ranked]
    acts = [word for word in words if _SETUP_HEADING.search(word)]
    means = [word for word in words if word not in acts]
    telling = _items_with(means, chunks, reader) or _items_with(acts, chunks, reader)
    wanted = _Setup(said, telling, tuple(act[:STEM_LETTERS] for act in acts))
    steps = {id_: wanted.section(chunks.get(id_, [])) for id_, _ in ranked}
    # A document without any such section begins with something else.
    return _sorted(
        WholePlace(id_, score, (section.id,)) if (section := steps[id_]) else _less_of(id_, score, chunks)
        for id_, score in ranked
    )


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
        if source.role is Role.DOC and (score := _score_of(source.source_id, intent)):
            scored[id_] = score
    most = MOST_WITH_HEADINGS if intent in _OF_WORK else MOST_OVERVIEWS
    return sorted(scored.items(), key=lambda entry: (-entry[1], entry[0]))[:most]


def _score_of(path: str, intent: Intent) -> float:
    """Return how well a document of this path says what is asked of the whole project; 0 where it does not."""
    *folders, name = path.lower().split("/")
    names, stem = OF_THE_WHOLE[intent], _stem(name)
    score = names.get(stem, 0.0)
    if intent in _OF_WORK or (intent is Intent.SETUP and stem.startswith("install")):
        folders = [folder for folder in folders if folder not in _FOLDERS_OF_DOCUMENTS]
        if intent in _OF_WORK and folders and (own := names.get(folders[-1].replace("-", "_"), 0.0)):
            score = max(score, own * (stem in _OF_WORK[intent]))
            folders = folders[:-1]
    depth = len([folder for folder in folders if folder != ".github"])
    return score * DEEPER**depth if len(folders) <= DEEPEST_OVERVIEW else 0.0


def _stem(name: str) -> str:
    return name.partition(".")[0].replace("-", "_")


def _first_section(own: Sequence[FileChunk]) -> tuple[int, ...]:
    """Return where a document begins: its first section, with the next where that is a logo or a title."""
    is_logo = bool(own) and own[0].end_line - own[0].start_line < SHORTEST_BEGINNING
    return tuple(one.id for one in own[: 1 + is_logo])


def _less_of(source_id: int, score: float, chunks: Mapping[int, Sequence[FileChunk]]) -> WholePlace:
    return WholePlace(source_id, score * DEEPER**2, _first_section(chunks.get(source_id, [])))


def _items_with(words: Sequence[str], chunks: Iterable[int], reader: Reader) -> frozenset[int]:
    """Return the sections of the documents whose text has one of the words."""
    found = reader.text.matches_in(f"{{doc body}} : ({any_of(words)})", chunks, HITS) if words else []
    return frozenset(item for item, _, _ in found)


class _Setup(NamedTuple):
    """What a question for the first steps says: ``said`` are the sections whose heading has where or by what means,
    ``telling`` those whose text has it, or what is to be done, and ``acts`` how that begins.
    """

    said: frozenset[int]
    telling: frozenset[int]
    acts: tuple[str, ...]

    def section(self, own: Sequence[FileChunk]) -> FileChunk | None:
        """Return the section of a document about the first steps: rather one with a word of the question in its
        heading, or with what is to be done; None where the document has none.
        """
        sections = [one for one in own if one.id in self.said or _SETUP_HEADING.search(_heading(one))]
        return min(sections, key=self._order) if sections else None

    def _order(self, one: FileChunk) -> tuple[bool, bool, bool, bool]:
        name = one.name.lower()
        is_act = any(act in name for act in self.acts)
        return one.id not in self.said, not is_act, one.id not in self.telling, _SETUP_HEADING.search(name) is None


def _heading(chunk: FileChunk) -> str:
    return f"{chunk.breadcrumb} {chunk.name}"


def _said(words: Sequence[str], chunks: Mapping[int, Sequence[FileChunk]], reader: Reader) -> frozenset[int]:
    """Return the sections whose heading has a word by which the question says where, or by what means."""
    telling = [word for word in words if not _SETUP_HEADING.search(word)]
    found = reader.text.matches_in(f"names : ({any_of(telling)})", chunks, HITS) if telling else []
    said = {item for item, _, _ in found}
    if not said:
        own = (one for sections in chunks.values() for one in sections)
        said = {one.id for one in own if _initials(one.name) in telling}
    return frozenset(said)


def _initials(heading: str) -> str:
    """Return the first letters of a heading of several words, in lower case: ``spm`` of "Swift Package Manager"."""
    words = _LETTERS.findall(heading.lower())
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _headed(
    ranked: Sequence[tuple[int, float]],
    chunks: Mapping[int, Sequence[FileChunk]],
    headings: Sequence[re.Pattern[str]],
    commands: Sequence[WholePlace],
) -> list[WholePlace]:
    """Return the documents that have a heading for it, those of the first pattern before others, and the files of
    commands; of documents the first such section that is more than a title.
    """
    found = []
    for id_, score in ranked:
        for less, pattern in enumerate(headings):
            sections = [one for one in chunks.get(id_, ()) if pattern.search(one.name)]
            if sections:
                told = (one for one in sections if one.end_line - one.start_line >= SHORTEST_BEGINNING)
                section = next(told, sections[0])
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
        words = any_of(said.split("|"))
        # A session that is called so comes before one that only has the word.
        hits = reader.text.matches_in(f"names : ({words})", [id_], 1) or reader.text.matches_in(words, [id_], 1)
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
    if any(_gem(one.source_id).lower() == name for one in packages) or _is_root_package(name, reader):
        return True
    items = [item.id for one in packages for item in reader.files.items_of(one.id)]
    claims_ = (claim for own in reader.claims.of_items(items).values() for claim in own)
    return any(
        claim.key.lower() in {"name", "project.name", "package.name", "tool.poetry.name", "metadata.name"}
        and claim.value.lower().rpartition("/")[2] == name.rpartition("/")[2]
        for claim in claims_
    )


def _is_root_package(name: str, reader: Reader) -> bool:
    """Return whether the code is one package of that name, or the title of the README at the top is the name."""
    module = name.replace("-", "_")
    found = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like([f"{module} __init__"], HITS))
    if any(one.source_id.lower() in {f"{module}/__init__.py", f"src/{module}/__init__.py"} for one in found.values()):
        return True
    readmes = reader.files.sources_by_id(id_ for id_, _ in reader.text.paths_like(["readme"], HITS))
    top = [id_ for id_, one in readmes.items() if "/" not in one.source_id]
    titles = (one.name for own in reader.text.chunks_in(top).values() for one in own[:1])
    return any(_LETTERS.findall(title.lower()) == _LETTERS.findall(name) for title in titles)
