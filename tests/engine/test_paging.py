"""Page after page gives each place once, and a list that changed between two pages is said to have changed."""

import pytest

from helix_core.engine.requests import LAST_PAGE_NOTE, PAGE_NOTE
from helix_core.errors import UsageError
from helix_core.model import Filters
from tests.engine.repository import begin, git, write

QUESTION = "how is a teapot weighed?"
LEAF = "from app.core import weigh_leaf\n\n\ndef {0}():\n    return weigh_leaf({1})\n"


def kettle(number):
    return f"def weigh_teapot_{number}(teapot):\n    total = 0\n" + "    total += teapot.weight\n" * (number + 2)


@pytest.fixture
def kitchen(tmp_path, open_helix, starts_processes):
    """Forty definitions of which each answers the question a little less, and thirty users of one name."""
    files = {f"pots/pot_{number}.py": kettle(number) for number in range(40)}
    files |= {f"app/use_{number}.py": LEAF.format(f"use_{number}", number) for number in range(18)}
    files |= {f"tests/test_{number}.py": LEAF.format(f"test_{number}", number) for number in range(12)}
    folder = begin(tmp_path / "kitchen", files | {"app/core.py": "def weigh_leaf(leaf):\n    return leaf\n"})
    helix = open_helix(folder)
    helix.refresh()
    return folder, helix


def pages(ask):
    """Every page of an answer, from the first to the last."""
    answers = [ask("")]
    while answers[-1]["next_page"]:
        answers.append(ask(answers[-1]["next_page"]))
        assert len(answers) < 40
    return answers


def lines_of(answers):
    return [(one["source_id"], one["start_line"], one["end_line"]) for answer in answers for one in answer["items"]]


def test_every_page_of_a_search_has_places_that_no_other_has_and_none_is_left_out(kitchen):
    _, helix = kitchen
    answers = pages(lambda page: helix.search(QUESTION, k=7, page=page))
    found = lines_of(answers)
    assert [answer["offset"] for answer in answers] == list(range(0, 7 * len(answers), 7))
    assert {len(answer["items"]) for answer in answers[:-1]} == {7}
    assert len(found) == len(set(found)) >= 40
    assert {f"pots/pot_{number}.py" for number in range(40)} <= {path for path, *_ in found}
    assert set(lines_of([helix.search(QUESTION, k=100)])) <= set(found)
    assert not any(PAGE_NOTE in answer["notes"] for answer in answers)
    assert lines_of(answers[:1]) == lines_of([helix.search(QUESTION, k=7)]), "the first page is what it was"


def test_a_page_keeps_the_size_of_the_first_and_refuses_another_question(kitchen):
    _, helix = kitchen
    following = helix.search(QUESTION, k=5)["next_page"]
    assert len(helix.search(QUESTION, k=50, page=following)["items"]) == 5
    for ask in (
        lambda: helix.search("something else about a teapot", page=following),
        lambda: helix.search(QUESTION, filters=Filters(("pots/",)), page=following),
        lambda: helix.symbols.about("weigh_leaf", k=5, page=following),
        lambda: helix.search(QUESTION, page="2"),
        lambda: helix.search(QUESTION, page=following.replace("-5-", "-0-")),
        lambda: helix.search(QUESTION, page=following.replace("-5-", "-999-")),
        lambda: helix.search(QUESTION, page=f"{following}\n"),
    ):
        with pytest.raises(UsageError):
            ask()


def test_a_page_after_the_last_one_is_empty_and_says_so(kitchen):
    _, helix = kitchen
    far = "9999" + helix.search(QUESTION, k=5)["next_page"][1:]
    answer = helix.search(QUESTION, page=far)
    assert (answer["items"], answer["next_page"]) == ([], "")
    assert LAST_PAGE_NOTE in answer["notes"]


def test_an_answer_that_has_all_there_is_or_nothing_names_no_next_page(kitchen):
    _, helix = kitchen
    assert helix.search("weigh_leaf", k=100)["next_page"] == ""
    assert helix.search("kubernetes ingress webhook certificate rotation")["next_page"] == ""


def test_a_search_says_when_what_it_gave_before_has_changed(kitchen):
    folder, helix = kitchen
    first = helix.search(QUESTION, k=5)
    write(folder, {"README.md": "# Nothing of interest\n"})
    helix.refresh()
    assert PAGE_NOTE not in helix.search(QUESTION, page=first["next_page"])["notes"], "another file changes nothing"
    write(folder, {first["items"][0]["source_id"]: "def boil_water():\n    return 100\n"})
    helix.refresh()
    assert PAGE_NOTE in helix.search(QUESTION, page=first["next_page"])["notes"]


def test_every_page_of_the_uses_of_a_name_has_others_and_the_last_has_the_last(kitchen):
    _, helix = kitchen
    answers = pages(lambda page: helix.symbols.about("weigh_leaf", k=5, page=page))
    for kind, count in (("users", 18), ("tests", 12)):
        found = [(one["source_id"], one["start_line"]) for answer in answers for one in answer[kind]]
        assert len(found) == len(set(found)) == count == answers[0][f"{kind}_total"] == answers[-1][f"{kind}_total"]
    assert all(answer["definitions"] for answer in answers)
    assert [len(answer["users"]) for answer in answers] == [5, 5, 5, 3]
    assert helix.symbols.about("weigh_leaf", k=18)["next_page"] == ""
    assert helix.symbols.about("weigh_leaf", k=None)["next_page"] == "", "a hover has one page"


def test_the_uses_of_a_name_say_when_those_before_have_changed(kitchen):
    folder, helix = kitchen
    first = helix.symbols.about("weigh_leaf", k=5)
    write(folder, {first["users"][0]["source_id"]: "def nobody():\n    return 1\n"})
    helix.refresh()
    assert PAGE_NOTE in helix.symbols.about("weigh_leaf", k=5, page=first["next_page"])["notes"]


def test_what_changed_since_a_commit_comes_page_by_page_in_one_order(kitchen):
    folder, helix = kitchen
    write(folder, {f"pots/pot_{number}.py": kettle(number).replace("(teapot)", "(teapot, cup)") for number in range(9)})
    git(folder, "commit", "-qam", "Weigh with a cup")
    helix.refresh()
    answers = pages(lambda page: helix.symbols.changes("HEAD~1", k=4, page=page))
    found = [one["symbol"] for answer in answers for one in answer["changes"]]
    assert found == [one["symbol"] for one in helix.symbols.changes("HEAD~1", k=100)["changes"]]
    assert len(found) == len(set(found)) == answers[0]["changes_total"] == 9
    assert [answer["offset"] for answer in answers] == [0, 4, 8]
    write(folder, {"pots/pot_0.py": kettle(0)})
    helix.refresh()
    moved = helix.symbols.changes("HEAD~1", k=4, page=answers[0]["next_page"])
    assert PAGE_NOTE in moved["notes"]
