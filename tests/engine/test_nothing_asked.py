"""A message that asks nothing gets an honest answer from every verb; a name of the code is searched all the same."""

import pytest

from helix_core.conversation import Need, read_conversation, read_question
from helix_core.engine import Helix
from helix_core.engine.answer import ContextRequest
from helix_core.memory.notes import NoteInput
from tests.engine.repository import begin

FILES = {
    "shop/order.py": "class Order:\n    def save(self):\n        pass\n\n    def thanks(self):\n        pass\n",
    "shop/message_queue.py": "def push_message(queue, message):\n    queue.append(message)\n",
    "shop/help.go": "package shop\n\nfunc (c *Command) Help() error {\n\treturn c.version()\n}\n",
    "web/app.js": "app.all = function all() {\n  return app.letters\n}\n",
    "tests/test_order.py": "def hello():\n    return Order().save()\n\n\ndef ok():\n    return 1\n",
    "shop/limits.py": "PORT = 4567\nPROTOCOL = '3.1.5'\n",
    "docs/manners.md": "# Manners\n\nSay hi, ok, thanks and please. Good morning is a greeting; cool is none.\n",
}
NOTHING = {
    "ok": "the message is small talk",
    "ok thanks!": "the message is small talk",
    "Thanks!": "the message is small talk",
    "hi": "the message is small talk",
    "hello": "the message is small talk",
    "good morning": "the message is small talk",
    "👍": "the message has no words",
    "wait a minute": "the message is small talk",
    "Generate a short title for this conversation": "the client asks for its own purpose",
    "Generate a title for this chat:\nwhere is push_message defined": "the client asks for its own purpose",
    "Generate a title for this chat about push_letter": "the client asks for its own purpose",
    "what's the weather in Paris?": "the message is about no code",
    "what is dependency injection?": "the message asks for general knowledge",
    "fix it": "the message names nothing to look for",
    "explain this": "the message refers to something said before it, and nothing was",
    "help": "the message has no question, only a call for help",
    "go ahead": "the message has no question, only an acknowledgement",
    "please help me": "the message names nothing to look for",
    "I love this project": "the message is small talk",
    "what is the difference between a thread and a process?": "the message asks for general knowledge",
    "remove the second paragraph of your answer": "the message is about the answer before it",
    "9999": "the message asks for general knowledge",
    "where is it tested?": "the message refers to something said before it, and nothing was",
}


@pytest.fixture(scope="module")
def helix(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("manners") / "shop", FILES)
    with Helix.open(folder) as opened:
        opened.refresh()
        opened.memory.ingest(NoteInput("Say thanks, ok, hi and hello in the good morning; wait a minute, and fix it."))
        yield opened


def items_of(packet):
    return [one for status in ("verified", "stale_risk", "needs_refresh") for one in packet[status]]


@pytest.mark.parametrize(("text", "why"), NOTHING.items())
def test_a_message_that_asks_nothing_gets_an_empty_answer_that_says_why(helix, text, why):
    packet, found = helix.packet(text), helix.search(text)
    window = helix.context(text, ContextRequest(budget_tokens=1_000))
    assert (items_of(packet), found["items"], window["blocks"], window["left_out"]) == ([], [], [], [])
    for answer in (packet, found, window):
        assert answer["known_empty"] is False, "nothing was asked, so nothing is known to be missing"
        assert answer["unsearched"].startswith(f"nothing was searched: {why}")
        assert answer["unsearched"].endswith("; ask for a name, a file, or what the code here does")
    assert packet["notes"] == found["notes"] == [packet["unsearched"]]
    assert (packet["coordinate_confidence"], found["confidence"], window["text"]) == (0.0, 0.0, "")
    assert helix.explain_search(text)["items"] == helix.explain_answer(text)["items"] == []


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("save", "shop/order.py"),
        ("thanks", "shop/order.py"),
        ("message", "shop/message_queue.py"),
        ("message queue", "shop/message_queue.py"),
        ("`ok`", "tests/test_order.py"),
        ("ok()", "tests/test_order.py"),
        ("`help`", "shop/help.go"),
        ("what does `help` do", "shop/help.go"),
        ("what does help do", "shop/help.go"),
        ("how does help work?", "shop/help.go"),
        ("Command.Help", "shop/help.go"),
        ("what does app.all do?", "web/app.js"),
        ("app.all", "web/app.js"),
        ("app.all.", "web/app.js"),
        ("go help", "shop/help.go"),
        ("4567", "shop/limits.py"),
        ("version 3.1.5", "shop/limits.py"),
        ("generate a title for this chat: where is push_message defined", "shop/message_queue.py"),
        ("fix the <fim_prefix> bug in push_message", "shop/message_queue.py"),
        ("where is the context window of the message queue?", "shop/message_queue.py"),
        ("where is it tested that Order can save?", "tests/test_order.py"),
    ],
)
def test_what_the_code_names_is_searched_though_it_is_also_said_in_small_talk(helix, text, file):
    packet = helix.packet(text)
    assert "unsearched" not in packet
    assert file in [one["source_id"] for one in items_of(packet)[:3]]
    assert "unsearched" not in helix.context(text, ContextRequest(budget_tokens=1_000))


@pytest.mark.parametrize("text", ["app.get", "what does app.get do?", "what does app::del do", "App#all is broken"])
def test_a_member_of_a_name_is_asked_for_whatever_words_it_has(text):
    assert read_question(text).need is Need.EVIDENCE


def test_a_greeting_is_a_name_only_as_the_code_writes_it():
    names = {
        text: read_question(text).bare_names for text in ("thanks", "thanks!", "ok thanks", "the message", "hi, all")
    }
    assert names == {"thanks": ("thanks",), "thanks!": (), "ok thanks": (), "the message": (), "hi, all": ()}


WORLDLY = {
    "app/weather.py": "def fetch_weather(city):\n    '''Ask for the weather of a city.'''\n    return city\n",
    "app/recipes.py": "class Recipe:\n    def scaled(self, servings):\n        '''The recipe for more servings.'''\n",
    "go.mod": "module example.org/app\n\ngo 1.21\n",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("world") / "app", WORLDLY)
    with Helix.open(folder) as opened:
        opened.refresh()
        yield opened


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("how is the weather of a city fetched in the widget?", "app/weather.py"),
        ("how are recipes scaled for more servings", "app/recipes.py"),
        ("go version", "go.mod"),
        ("what go version do I need?", "go.mod"),
        ("which version of go does this need", "go.mod"),
    ],
)
def test_what_is_of_the_world_elsewhere_is_searched_where_the_code_has_its_name(world, helix, text, file):
    packet = world.packet(text)
    assert "unsearched" not in packet and not packet["known_empty"]
    assert items_of(packet)[0]["source_id"] == file
    elsewhere = helix.packet(text)
    assert "unsearched" in elsewhere or "go" in text.split()


@pytest.mark.parametrize(
    "text", ["what's the weather in Paris?", "a good recipe for pancakes?", "who won the world cup?"]
)
def test_the_world_stays_the_world_where_the_code_has_its_names(world, text):
    packet = world.packet(text)
    assert "unsearched" in packet or packet["known_empty"]


@pytest.mark.parametrize("text", ["go on", "go ahead", "ok go", "make it so"])
def test_a_verb_of_small_talk_is_no_program(text):
    assert read_question(text).need is Need.NOTHING


STEPS = {
    "shop/retry.py": "class Retry:\n    def call(self):\n        return self\n",
    "shop/walk.go": "package shop\n\nfunc Next() int {\n\treturn 1\n}\n",
    "shop/proceed.py": "LIMIT = 3\n",
    "shop/states.py": "DONE = 1\nOK = 2\n",
    "tests/test_again.py": "def again():\n    return 1\n",
}


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("steps") / "shop", STEPS)
    with Helix.open(folder) as opened:
        opened.refresh()
        yield opened


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("retry", "shop/retry.py"),
        ("Retry", "shop/retry.py"),
        ("retry logic", "shop/retry.py"),
        ("where is the retry logic?", "shop/retry.py"),
        ("next", "shop/walk.go"),
        ("proceed", "shop/proceed.py"),
    ],
)
def test_a_word_to_go_on_is_searched_where_the_code_is_called_so(steps, text, file):
    packet = steps.packet(text)
    assert "unsearched" not in packet
    assert items_of(packet)[0]["source_id"] == file


@pytest.mark.parametrize("text", ["done", "ok", "again", "continue", "retry!", "ok next"])
def test_a_word_to_go_on_asks_nothing_where_only_values_and_tests_are_called_so(steps, text):
    assert "unsearched" in steps.packet(text)


def test_in_a_conversation_a_word_to_go_on_goes_on(steps):
    said = [{"role": "user", "content": "where is Retry?"}, {"role": "assistant", "content": "In shop/retry.py."}]
    asked = read_conversation([*said, {"role": "user", "content": "retry"}])
    assert asked is not None
    assert not asked.is_bare_step
    assert asked.need is Need.NOTHING
