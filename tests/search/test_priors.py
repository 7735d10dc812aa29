"""The implementation comes first unless something else is asked for."""

from __future__ import annotations

import pytest

from helix_core.model import Hints, Role
from helix_core.search.priors import prior, role_prior
from helix_core.search.question import Intent, parse_question
from tests.search.conftest import Indexed


@pytest.mark.parametrize("role", [Role.TEST, Role.EXAMPLE, Role.HISTORY, Role.VENDORED])
def test_what_is_not_the_implementation_counts_less_and_says_so(role: Role) -> None:
    prior = role_prior(role, frozenset())
    assert 0 < prior.factor < 1
    assert prior.names == (f"{role.value} x{prior.factor:g}",)


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (Role.TEST, "which tests cover the retry"),
        (Role.EXAMPLE, "an example with two handlers"),
        (Role.HISTORY, "in which release was the retry added"),
        (Role.CONFIG, "what is the default retry count"),
    ],
)
def test_the_prior_is_lifted_when_the_question_asks_for_it(role: Role, text: str) -> None:
    assert role_prior(role, parse_question(text).intents).factor == 1.0


@pytest.mark.parametrize("path", [".gitignore", "src/Makefile.am", "lib/CMakeLists.txt"])
def test_a_list_of_files_counts_least_unless_the_configuration_is_asked_for(indexed: Indexed, path: str) -> None:
    reader = indexed({path: "config.c parse.c file.c\n", "tox.ini": "[tox]\n"})
    listing, settings = (reader.files.source(name.encode()) for name in (path, "tox.ini"))
    assert listing and settings
    found = prior(listing, parse_question("where is the config file parsed?").intents, Hints())
    assert found.factor < prior(settings, frozenset(), Hints()).factor
    assert found.names == (f"list of files x{found.factor:g}",)
    assert prior(listing, parse_question("which compile options are set?").intents, Hints()).factor == 1.0


def test_the_implementation_has_no_prior() -> None:
    assert role_prior(Role.IMPLEMENTATION, frozenset()).names == ()


def test_the_implementation_steps_back_when_something_beside_it_is_asked_for() -> None:
    prior = role_prior(Role.IMPLEMENTATION, parse_question("which tests cover the retry").intents)
    assert prior.factor < 1
    assert prior.names == (f"implementation x{prior.factor:g}",)
    assert role_prior(Role.IMPLEMENTATION, frozenset(Intent)).factor == 1.0
