"""What a turn of a conversation answers: who says it, what it replies to, and in which wording it is asked for."""

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.memory import expected_form, has_form, least_share, other_forms

SAID = (
    ("one", "Mira: How was the pottery class, Jonas?"),
    ("one", "Jonas: So much fun! I made a crooked mug."),
    ("one", "Mira: That sounds wonderful."),
    ("two", "Jonas: How was the pottery class, Mira?"),
    ("two", "Mira: I was nervous, but it went well. I made two bowls."),
    ("two", "Jonas: My back still hurts since the flea market."),
    ("three", "Jonas: I finally went to the choir."),
    ("three", "Mira: Nice! Who came along?"),
    ("three", "Jonas: My old neighbor. It was late."),
    ("four", "Mira: Tell me about the aquarium!"),
    ("four", "Jonas: Better than I thought. It was last Saturday."),
)


@pytest.fixture
def conversation(helix):
    for session, text in SAID:
        helix.memory.remember(RememberRequest(text, kind="episode", session=session, force=True))
    return helix.memory


def recalled(memory, question):
    return [one["text"] for one in memory.recall(question)["items"]]


def test_a_reply_answers_what_was_asked_just_before_it_and_the_question_does_not(conversation):
    found = recalled(conversation, "What did Jonas make at the pottery class?")
    assert found[0] == "Jonas: So much fun! I made a crooked mug."
    assert found.index("Mira: How was the pottery class, Jonas?") > 0


def test_what_somebody_says_is_about_that_person_and_not_about_who_is_spoken_to(conversation):
    found = recalled(conversation, "What did Mira make at the pottery class?")
    assert found[0] == "Mira: I was nervous, but it went well. I made two bowls."


def test_who_and_when_are_answered_by_a_turn_with_a_person_or_a_time(conversation):
    assert "Jonas: My old neighbor. It was late." in recalled(conversation, "Who went to the choir with Jonas?")[:3]
    when = recalled(conversation, "When was Jonas at the aquarium?")
    assert when[0] == "Jonas: Better than I thought. It was last Saturday."


def test_a_turn_is_found_by_words_near_in_meaning_where_it_has_one_of_the_question(conversation):
    assert recalled(conversation, "What did Mira make in the ceramics lesson?")
    assert recalled(conversation, "What did Mira sign at the lawyer meeting?") == []


def test_another_wording_of_a_word_is_found_and_ranked_behind_the_word_itself(helix):
    helix.memory.remember("Squash PRs before they land on main")
    helix.memory.remember("A pull request is open for two days at most")
    assert "Squash PRs before they land on main" in recalled(helix.memory, "how do we merge?")
    found = recalled(helix.memory, "how long may a pull request be open?")
    assert found[0] == "A pull request is open for two days at most"


def test_a_question_for_an_amount_or_a_time_is_not_answered_by_what_has_none(helix):
    helix.memory.remember("The memory leak came from the image cache")
    assert recalled(helix.memory, "what leaked memory?")
    assert recalled(helix.memory, "how large is the image cache?") == []
    helix.memory.remember("The image cache holds 2 GB")
    assert recalled(helix.memory, "how large is the image cache?") == ["The image cache holds 2 GB"]


@pytest.mark.parametrize(
    ("question", "form", "answer", "other"),
    [
        ("when do we ship?", "time", "it ships on Tuesdays", "it ships to Poland"),
        ("and which day is it?", "time", "before the holidays", "in the office"),
        ("who owns it?", "person", "Anna does", "postgres does"),
        ("how many retries?", "quantity", "we retry five times", "we retry with backoff"),
        ("how many attempts does it add?", "quantity", "it adds one attempt", "it adds an attempt"),
        ("why is it slow?", "", "anything", ""),
    ],
)
def test_the_form_of_an_answer(question, form, answer, other):
    assert expected_form(question) == form
    assert has_form(answer, form)
    assert least_share(answer, form) == 0.0
    assert not form or least_share(other, form) > 0.5


def test_wordings_of_several_words_need_all_of_them_in_the_question():
    assert "pr" in other_forms("pull", ["pull", "request"])
    assert "pr" not in other_forms("pull", ["pull", "lever"])
    assert "made" in other_forms("make")
    assert "make" in other_forms("made")
    assert other_forms("giraffe") == ()
