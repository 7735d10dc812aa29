"""Who asks: a program that names an agent is that agent, whatever is left of the name."""

from __future__ import annotations

import pytest

from helix_core.memory import UNNAMED
from helix_core.model import MemoryOrigin
from helix_ls.operations.attribution import attribution
from helix_ls.operations.memory import asserted, by_of


@pytest.mark.parametrize("name", [" ", "\t\n", "\u200b", "\u2063 \u202e", " " * 5_000])
def test_an_agent_whose_name_nothing_is_left_of_is_no_person(name: str) -> None:
    assert by_of(name).agent == UNNAMED
    assert attribution({"agent_id": name}, {}).agent == UNNAMED


def test_blanks_before_an_agents_name_hide_nothing_of_it() -> None:
    assert by_of(" " * 1_500 + "x").agent == attribution({"agent_id": " " * 1_500 + "x"}, {}).agent == "x"


def test_a_person_has_no_agents_name() -> None:
    assert attribution({}, {}).agent == ""
    assert attribution({"agent_handle": "Claude"}, {}).agent == "claude"


def test_who_names_an_agent_relays_no_persons_words() -> None:
    assert asserted("user", "bot") is asserted("user", " ") is MemoryOrigin.AGENT
    assert asserted("user", "") is MemoryOrigin.USER
    assert asserted("imported", "bot") is MemoryOrigin.IMPORTED


def test_a_program_without_a_name_is_a_person_only_where_it_relays_one() -> None:
    assert by_of("", "agent").agent == UNNAMED
    assert by_of("", "user").agent == ""
    assert by_of("robin", "user").agent == "robin"
