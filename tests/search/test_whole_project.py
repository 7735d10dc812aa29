"""Questions about the whole project are answered by the documents and files that say it, not by who has their words."""

from __future__ import annotations

import pytest

from helix_core.conversation import Need, read_conversation
from helix_core.search.question import Intent, parse_question
from helix_core.search.search import SearchRequest, search


def _document(*sections: tuple[str, str]) -> str:
    """Return a document whose sections are long enough to be places of their own."""
    return "\n\n".join(f"{heading}\n\n{said}\n" + f"More of what {said} means.\n" * 14 for heading, said in sections)


TREE = {
    "README.md": _document(
        ("# Shop", "a shop"),
        ("## Installation", "pip install shop"),
        ("### On a new Mac", "brew"),
        ("### With conda", "conda"),
        ("## Packages", "cart and mail"),
    ),
    "CONTRIBUTING.md": _document(
        ("# Contributing", "kindness"), ("## Running tests", "pytest"), ("## Style", "plain words")
    ),
    "CHANGELOG.md": _document(
        ("# Changes", "the carts"), ("## v2.1.0", "kept carts"), ("## v2.0.0", "new carts"), ("## 1.9", "mail")
    ),
    "Makefile": "build:\n\tpython -m build\n\ntest:\n\tpytest\n",
    "src/run.py": 'def run(tests):\n    """Run the tests, all of them."""\n    return [one() for one in tests]\n',
    "src/install.py": 'def install(packages):\n    """Install packages on this machine."""\n    return packages\n',
    "src/changed.py": 'def changed(version):\n    """What changed in a version."""\n    return version\n',
    "tests/test_run.py": 'def test_run():\n    """Run the tests, all the unit tests."""\n    assert run([]) == []\n',
}
OF_TESTS = [
    "how do I run the tests?",
    "how can I run the test suite",
    "what command runs the unit tests?",
    "how are the tests run",
    "how to run a single test locally",
    "running the tests",
]
OF_SETUP = [
    ("how do I install this?", "Installation"),
    ("how to install this on a new mac", "On a new Mac"),
    ("how can I install it with conda", "With conda"),
    ("how do I set up this project on my laptop", "Installation"),
]
OF_VERSIONS = [
    "what changed in version 2.1.0?",
    "what was fixed in v2.1.0",
    "what's new in 2.1.0",
    "changes in release 2.1.0",
]


@pytest.mark.parametrize("question", OF_TESTS)
def test_who_runs_the_tests_is_led_to_what_says_how(question: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(TREE))
    first, second = (one.item for one in found.ranked[:2])
    assert (first.source.source_id, first.name) == ("CONTRIBUTING.md", "Running tests")
    assert second.source.source_id == "Makefile"
    assert found.confidence >= 0.5
    assert Intent.TESTS not in parse_question(question).intents


@pytest.mark.parametrize(("question", "section"), OF_SETUP)
def test_who_installs_is_led_to_the_section_for_it(question: str, section: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(TREE))
    assert (found.ranked[0].item.source.source_id, found.ranked[0].item.name) == ("README.md", section)
    assert found.confidence >= 0.5


@pytest.mark.parametrize("question", ["list all packages of this monorepo", "which packages does this repo have?"])
def test_who_wants_the_packages_gets_their_list(question: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(TREE))
    assert found.ranked[0].item.name == "Packages"


@pytest.mark.parametrize("question", OF_VERSIONS)
def test_what_a_version_brought_is_in_its_section(question: str, indexed) -> None:  # type: ignore[no-untyped-def]
    asked = read_conversation([{"role": "user", "content": question}])
    assert asked is not None
    assert asked.need is Need.EVIDENCE
    assert "2.1.0" in asked.text
    found = search(SearchRequest(asked.text, 5, may_be_general=asked.may_be_general), indexed(TREE))
    assert found.ranked[0].item.name == "v2.1.0"
    assert found.confidence >= 0.5


@pytest.mark.parametrize(
    "question",
    [
        "where is the test of run?",
        "which tests cover install",
        "how does the runner run tests in parallel threads",
        "how do I install a plugin",
        "what does install do with its packages",
        "why was the cart changed",
    ],
)
def test_a_question_for_code_is_none_about_the_whole_project(question: str) -> None:
    assert parse_question(question).intents.isdisjoint({Intent.TESTING, Intent.SETUP, Intent.PACKAGES})


@pytest.mark.parametrize(
    "text",
    ["how do I install this on ubuntu", "how do I build this on windows", "how do I run the tests in docker?"],
)
def test_the_name_of_a_system_makes_no_general_knowledge_of_it(text: str) -> None:
    asked = read_conversation([{"role": "user", "content": text}])
    assert asked is not None
    assert asked.need is Need.EVIDENCE


def test_a_version_beside_another_question_is_none_of_its_words() -> None:
    asked = read_conversation([{"role": "user", "content": "why does the cart lose its items in version 2.1.0?"}])
    assert asked is not None
    assert "2.1.0" not in asked.text


OF_RELEASES = [
    "how do I release this?",
    "how do we make a new release",
    "what is the release process",
    "how do I release shop",
]
WORKED_ON = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "README.md": _document(
        ("# Shop, the installer of shops", "a shop"),
        ("## Usage", "calls"),
        ("### CMake", "run make install"),
        ("### Swift Package Manager", "packages"),
    ),
    "LICENSE-MIT": "Permission is granted.\n",
    "NEWS.rst": _document(("Changes\n=======", "all"), ("1.7.0\n-----", "carts"), ("1.2\n---", "mails")),
    "docs/html/development/getting-started.rst": _document(
        ("Getting Started\n===============", "clone"), ("Running Tests\n=============", "nox")
    ),
    "docs/html/development/release-process.rst": _document(
        ("Release process\n===============", "cadence"), ("Creating a new release\n----------------------", "tag")
    ),
    "noxfile.py": "def typecheck(session):\n    session.run('test', 'tests')\n\n\ndef test(session):\n    pass\n",
    ".github/CONTRIBUTING.md": _document(("# Contribution guidelines", "install and build this before anything")),
    "src/release_control.py": "class ReleaseControl:\n    def release(self):\n        return self.license\n",
    "src/licenses.py": "class License:\n    license = 'MIT'\n\n\ndef changelog():\n    return License\n",
}


@pytest.mark.parametrize("question", OF_RELEASES)
def test_who_releases_the_project_is_led_to_what_says_how(question: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(WORKED_ON))
    assert found.ranked[0].item.source.source_id == "docs/html/development/release-process.rst"
    assert found.confidence >= 0.5


@pytest.mark.parametrize("question", ["how is a lock released", "how do we release the connection", "release the cart"])
def test_what_code_releases_is_no_release_of_the_project(question: str) -> None:
    assert Intent.RELEASING not in parse_question(question).intents


@pytest.mark.parametrize("question", ["how do I run the tests", "how do I test shop", "how do I run the tests of shop"])
def test_a_guide_deep_in_the_documents_says_how_tests_run(question: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(WORKED_ON))
    assert found.ranked[0].item.name == "Running Tests"


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("how do I install this", "CMake"),
        ("install with SPM", "Swift Package Manager"),
        ("install with cmake", "CMake"),
        ("how do I install shop with cmake", "CMake"),
    ],
)
def test_a_section_that_says_how_comes_before_a_document_that_mentions_it(question, section, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(question, 5), indexed(WORKED_ON))
    assert (found.ranked[0].item.source.source_id, found.ranked[0].item.name) == ("README.md", section)


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("README", "README.md"),
        ("readme", "README.md"),
        ("license", "LICENSE-MIT"),
        ("the licence file", "LICENSE-MIT"),
        ("where is the changelog?", "NEWS.rst"),
        ("Change log", "NEWS.rst"),
        ("contributing", ".github/CONTRIBUTING.md"),
    ],
)
def test_the_name_of_a_document_alone_leads_to_it(text: str, file: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(text, 5), indexed(WORKED_ON))
    assert found.ranked[0].item.source.source_id == file
    assert found.confidence >= 0.5


@pytest.mark.parametrize("text", ["what changed in 7.0", "what's new in 2.0?", "what changed in version 1.9"])
def test_a_version_that_no_history_has_is_said_to_be_none(text: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(text, 5), indexed(WORKED_ON))
    assert found.known_empty
    assert any(note.startswith("no changelog or release notes here have anything on version") for note in found.notes)


@pytest.mark.parametrize(("text", "section"), [("what changed in 1.7", "1.7.0"), ("what changed in 1.2", "1.2")])
def test_a_version_that_a_history_has_is_found(text: str, section: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(text, 5), indexed(WORKED_ON))
    assert found.ranked[0].item.name == section


@pytest.mark.parametrize("text", ["who made this", "who built this?", "who wrote it"])
def test_who_made_this_is_no_complaint(text: str) -> None:
    asked = read_conversation([{"role": "user", "content": text}])
    assert asked is not None
    assert asked.need is Need.EVIDENCE
    assert Intent.AUTHORSHIP in parse_question(text).intents
