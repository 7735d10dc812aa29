"""What is taken out of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.search.question import MAX_NAMES, MAX_PHRASES, MAX_SPOKEN, MAX_WORDS, Intent, parse_question


def test_question_words_are_dropped_and_the_others_keep_their_order() -> None:
    assert parse_question("where is the retry delay of the client?").words == ("retry", "delay", "client")


def test_a_question_is_read_once_for_all_that_ask_for_it() -> None:
    first, again = (parse_question(f"where is {name} defined?") for name in ("render_widget", "render_widget"))
    assert first is again


def test_identifiers_are_kept_whole_and_split() -> None:
    question = parse_question("what does parseHTTPHeader2 do with max_form_parts")
    assert question.identifiers == ("parseHTTPHeader2", "max_form_parts")
    assert {"parsehttpheader2", "parse", "http", "header"} <= set(question.words)
    assert {"max_form_parts", "max", "form", "parts"} <= set(question.words)


@pytest.mark.parametrize("typed", ["session.commit()", "Session::commit", "session->commit", "Session#commit"])
def test_a_dotted_name_asks_for_its_last_part_first(typed: str) -> None:
    assert parse_question(f"what follows {typed} in the end").identifiers[0] == "commit"


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("walk", "walk"),
        ("Where is `walk` defined?", "walk"),
        ("what's the walk", "walk"),
        ("where does walk live?", "walk"),
        ("how does a walk work?", ""),
        ("what does walk do", ""),
        ("heap_walk", ""),
    ],
)
def test_one_word_is_asked_for_only_where_nothing_else_is(typed: str, word: str) -> None:
    assert parse_question(typed).word == word


def test_a_called_name_is_an_identifier_even_if_it_is_a_plain_word() -> None:
    assert "flash" in parse_question("who calls flash() twice").identifiers


def test_a_name_in_backticks_is_an_identifier() -> None:
    assert "reducer" in parse_question("why is `reducer` needed").identifiers


def test_paths_and_file_names_are_recognised_with_either_slash() -> None:
    assert parse_question(r"look at src\net\pool.py and setup.cfg").paths == ("src/net/pool.py", "setup.cfg")


def test_a_method_call_is_not_taken_for_a_file_name() -> None:
    assert parse_question("what follows session.commit").paths == ()


def test_placeholders_and_numbers_break_an_error_text_into_phrases() -> None:
    phrases = parse_question("pool limit of size 5 overflow %s reached, connection timed out").phrases
    assert ("pool", "limit", "of") in phrases
    assert ("connection", "timed", "out") in phrases
    assert not any("overflow" in phrase and "size" in phrase for phrase in phrases)


def test_quoted_text_is_kept_apart() -> None:
    question = parse_question('who raises "cannot be entered again"')
    assert question.quoted == (("cannot", "be", "entered"), ("be", "entered", "again"))


def test_names_with_capitals_inside_a_sentence_cannot_be_paraphrased() -> None:
    question = parse_question("Which class sends items to Kafka? Where is numPy used")
    assert {"kafka", "numpy"} <= question.proper
    assert not {"which", "where", "class", "items"} & question.proper


def test_the_plural_of_an_acronym_is_the_acronym() -> None:
    assert "uuid" in parse_question("how do UUIDs keep their type").words


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("which tests cover the pool", Intent.TESTS),
        ("hi, who wrote this project?", Intent.AUTHORSHIP),
        ("who are the maintainers of this library", Intent.AUTHORSHIP),
        ("show me an example of a listener", Intent.EXAMPLES),
        ("in which version was the timeout added", Intent.HISTORY),
        ("where is this documented", Intent.DOCS),
        ("what is the default timeout", Intent.CONFIG),
        ("where is retry_after defined", Intent.DEFINITION),
    ],
)
def test_the_question_says_what_sort_of_place_it_wants(text: str, intent: Intent) -> None:
    assert intent in parse_question(text).intents


@pytest.mark.parametrize(
    "text",
    [
        "how does tmux parse the config file?",
        "config file parsing",
        "where are the user settings loaded",
        "who reads our environment variables?",
    ],
)
def test_code_that_reads_settings_is_no_value_of_them(text: str) -> None:
    assert Intent.CONFIG not in parse_question(text).intents
    assert Intent.CONFIG in parse_question(f"{text} what is the default then?").intents


def test_for_example_does_not_ask_for_examples() -> None:
    assert Intent.EXAMPLES not in parse_question("split at a script change, for example Latin to Cyrillic").intents


def test_chinese_is_read_as_pairs_of_characters() -> None:
    words = parse_question("数据库连接").words
    assert {"数据库连接", "数据", "连接"} <= set(words)


def test_accents_and_other_scripts_are_words() -> None:
    assert {"größe", "файл"} <= set(parse_question("Größe файл?").words)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "a.", "a-", "/", "'", '"', "%", "A ", "x::", "{", "<a", "a/b ", "数", "_", "\n"])
def test_a_question_of_a_million_characters_is_bounded(unit: str) -> None:
    question = parse_question(unit * (1_000_000 // len(unit)))
    assert len(question.words) <= MAX_WORDS
    assert max(len(question.identifiers), len(question.paths)) <= MAX_NAMES
    assert len(question.phrases) <= MAX_PHRASES


def test_an_empty_question_asks_for_nothing() -> None:
    assert parse_question(" \n\0 ").words == ()


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_is_understood_the_same_way_twice(text: str) -> None:
    question = parse_question(text)
    assert question == parse_question(text)
    assert all(word and word == word.lower() for word in question.words)
    assert all("\0" not in word for word in question.words)


def test_a_word_with_a_number_is_not_an_identifier() -> None:
    assert parse_question("hashing with argon2 and sha256 over HTTP2").identifiers == ()
    assert parse_question("what does base64encode do").identifiers == ("base64encode",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("where do validators live", ("validators",)),
        ("Where does the registry sit?", ("registry",)),
        ("where in the code is the parser located, and why", ("parser",)),
        ("how does live reload work", ("live", "reload")),
        ("how is work distributed to workers", ("work", "distributed", "workers")),
        ("where is the kept value written", ("kept", "value", "written")),
    ],
)
def test_the_verb_of_a_question_for_a_place_is_no_word_to_search(text, words):
    assert parse_question(text).words == words


def test_adjacent_words_may_be_the_parts_of_one_name() -> None:
    spoken = parse_question("how is the shortest path length, or the diameter, computed?").spoken
    assert spoken == (("shortest", "path", "length"), ("shortest", "path"), ("path", "length"))


def test_the_runs_of_a_long_text_are_few() -> None:
    assert len(parse_question("one two three four five six seven eight nine ten " * 400).spoken) <= MAX_SPOKEN


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("what changed in version 3.20?", ("3.20",)),
        ("what is new in 3.19?", ("3.19",)),
        ("when was Python 3.7 dropped", ("3.7",)),
        ("upgrade from v2.0.x to 3.1", ("2.0", "3.1")),
        ("where is the HTTP/2 server push?", ("http/2",)),
        ("why does it wait 0.5 seconds for 10.0.0.1", ()),
        ("the file src/v1/2", ()),
    ],
)
def test_a_version_is_one_word(text: str, versions: tuple[str, ...]) -> None:
    question = parse_question(text)
    assert question.versions == versions
    assert set(versions) <= set(question.words) and set(versions) <= question.proper
    assert not {"20", "19"} & set(question.words)


@pytest.mark.parametrize("text", ["/{id:[0-9]+}", "`<div>{children}</div>`", "a && b || c"])
def test_a_piece_of_code_is_searched_as_it_stands(text: str) -> None:
    assert parse_question(text).literals[0] == parse_question(text).fragment == text.strip("`")


@pytest.mark.parametrize(
    "text", ["src/shop/cart.py", "get_value(name)", "thanks :) :) :)", "--max-restarts", "what is $PATH?", "** bold **"]
)
def test_a_name_a_path_and_prose_are_no_piece_of_code(text: str) -> None:
    assert parse_question(text).fragment == ""


@pytest.mark.parametrize(
    "text",
    [
        "what does our app.render do with null options",
        "who wrote our app.render?",
        "explain our app.render",
        "give me an overview of the app.settings",
        "how do I use the app.render",
    ],
)
def test_a_member_of_what_is_called_like_the_whole_is_not_the_whole(text: str) -> None:
    assert parse_question(text).intents.isdisjoint({Intent.OVERVIEW, Intent.AUTHORSHIP, Intent.SETUP})


@pytest.mark.parametrize(
    "text",
    [
        "refactor res.send and keep the tests green",
        "Refactor res.send. Make sure that the tests still pass!",
        "refactor res.send without breaking any existing tests",
        "refactor res.send, all tests must still pass",
        "refactor res.send so that the specs keep passing",
    ],
)
def test_the_proviso_that_tests_still_pass_asks_for_nothing(text: str) -> None:
    asked = parse_question(text)
    assert Intent.TESTS not in asked.intents
    assert {"tests", "green", "pass", "specs"}.isdisjoint(asked.words)


@pytest.mark.parametrize("text", ["keep the tests green", "which tests must pass?", "where is res.send tested"])
def test_who_asks_of_tests_alone_asks_for_tests(text: str) -> None:
    assert Intent.TESTS in parse_question(text).intents
