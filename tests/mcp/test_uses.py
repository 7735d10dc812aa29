"""Who uses, overrides, tests and documents a symbol, and what a change of it reaches: one call, with verdicts."""

import pytest

from tests.mcp.agent import Agent, text_of
from tests.mcp.conftest import apart, repository

FILES = {
    "tea/water.py": "class Kettle:\n    def boil(self, water):\n        return heat_up(water)\n\n\n"
    "def heat_up(water):\n    return water + 80\n",
    "tea/samovar.py": "from tea.water import Kettle\n\n\nclass Samovar(Kettle):\n    def boil(self, water):\n"
    "        return super().boil(water)\n",
    "tea/pot.py": "from tea.samovar import Samovar\n\n\nclass ClayPot(Samovar):\n    def boil(self, water):\n"
    "        return water\n",
    "tea/wool.py": "class Wool:\n    def boil(self, dye):\n        return dye\n",
    "tea/brew.py": "from tea.water import heat_up\n\n\ndef brew_tea(leaves):\n    return leaves, heat_up(20)\n",
    "tea/serve.py": "from tea.brew import brew_tea\n\n\ndef serve_guests(guests):\n"
    "    return [brew_tea(guest) for guest in guests]\n",
    "tests/test_brew.py": "from tea.brew import brew_tea\n\n\ndef test_brewing():\n    assert brew_tea(1)[1] == 100\n",
    "docs/tea.md": "# Tea\n\n`heat_up(water)` makes water hot.\n",
}


@pytest.fixture(scope="module")
def agent(tmp_path_factory, starts_processes):
    home = tmp_path_factory.mktemp("uses")
    folder = repository(home / "tea", FILES)
    with apart(home) as environ:
        agent = Agent(environ, folder)
        agent.initialize()
        yield agent
        agent.close()


def names(places):
    return {(place["source_id"], place["symbol"]) for place in places}


def test_users_documents_and_others_of_the_name_come_in_one_call(agent):
    said = agent.answer("helix_uses", symbol="heat_up")
    assert names(said["users"]) == {("tea/water.py", "Kettle.boil"), ("tea/brew.py", "brew_tea")}
    assert names(said["documents"]) == {("docs/tea.md", "Tea")}
    assert {place["status"] for place in said["users"]} == {"verified"}
    assert "reached" not in said
    boil = agent.answer("helix_uses", symbol="Kettle.boil")
    assert names(boil["definitions"]) == {("tea/water.py", "Kettle.boil")}


def test_overrides_are_told_apart_from_others_of_the_name(agent):
    boil = agent.answer("helix_uses", symbol="Kettle.boil")
    overriding = {("tea/samovar.py", "Samovar.boil"), ("tea/pot.py", "ClayPot.boil")}
    assert names(boil["overrides"]) == overriding, "also what overrides an override"
    assert {place["status"] for place in boil["overrides"]} == {"verified"}
    assert names(boil["same_name"]) == overriding | {("tea/wool.py", "Wool.boil")}
    below = agent.answer("helix_uses", symbol="Samovar.boil")
    assert names(below["overrides"]) == {("tea/pot.py", "ClayPot.boil")}
    assert agent.answer("helix_uses", symbol="Wool.boil")["overrides"] == []
    assert agent.answer("helix_uses", symbol="heat_up")["overrides"] == []


def test_a_model_reads_each_override_once_and_page_by_page(agent):
    lines = text_of(agent.call("helix_uses", symbol="Kettle.boil")).split("\n")
    overriding = lines[lines.index("overrides:") + 1 : lines.index("same name:")]
    assert sorted(overriding) == ["tea/pot.py:5-6 ClayPot.boil", "tea/samovar.py:5-6 Samovar.boil"]
    assert lines[lines.index("same name:") + 1] == "tea/wool.py:2-3 Wool.boil"
    seen, page = [], ""
    for _ in range(3):
        answer = agent.answer("helix_uses", symbol="Kettle.boil", k=1, page=page)
        seen.append((names(answer["overrides"]), names(answer["same_name"])))
        page = answer["next_page"]
    assert page == ""
    assert seen[0][0] | seen[1][0] == {("tea/samovar.py", "Samovar.boil"), ("tea/pot.py", "ClayPot.boil")}
    assert [one == other for one, other in seen] == [True, True, False], "overrides come first of the same name"
    assert seen[2] == (set(), {("tea/wool.py", "Wool.boil")})


def test_what_a_change_reaches_is_followed_as_deep_as_it_is_asked(agent):
    two = agent.answer("helix_uses", symbol="heat_up", depth=2)
    assert {("tea/serve.py", "serve_guests"), ("tests/test_brew.py", "test_brewing")} <= names(two["reached"])
    assert {place["depth"] for place in two["reached"]} == {2}
    assert {place["via"] for place in two["reached"]} >= {"brew_tea"}
    assert "depth must be a whole number from 1 to 3" in agent.refusal("helix_uses", symbol="heat_up", depth=9)


def test_a_model_reads_one_line_a_place_and_is_told_how_a_change_gets_there(agent):
    text = text_of(agent.call("helix_uses", symbol="heat_up", depth=2))
    lines = text.split("\n")
    assert lines[:2] == ["definitions:", "tea/water.py:6-7 heat_up"]
    assert "tea/serve.py:5 serve_guests via brew_tea" in lines
    assert lines[-1] == "verified unless marked"


def test_a_name_that_nothing_defines_says_what_to_do(agent):
    assert "look for it with helix_search" in agent.refusal("helix_uses", symbol="no_such_name")


def test_what_is_cut_is_counted_and_says_how_to_get_the_rest(agent):
    text = text_of(agent.call("helix_uses", symbol="heat_up", k=1))
    assert "users (1 of 2; k=2 shows all):" in text.split("\n")
    every = text_of(agent.call("helix_uses", symbol="heat_up", k=2))
    assert "users:" in every.split("\n")
