"""A turn may leave the subject, pick an item of the list before it, or go on from what was pasted."""

import pytest

from helix_core.conversation import Need, read_conversation


def turns(*texts):
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]


CART = ("how does the `Cart` reserve stock?", "`Cart.reserve` in `shop/cart.py` asks `Stock`.")


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("ok different question: how are invoices numbered?", "how are invoices numbered?"),
        ("different topic: mail templates, where are they rendered", "mail templates, where are they rendered"),
        ("new question. how are invoices numbered", "how are invoices numbered"),
        ("forget that. what does it take to print an invoice?", "what does it take to print an invoice?"),
        ("nvm, how are invoices numbered?", "how are invoices numbered?"),
        ("never mind how are invoices numbered?", "how are invoices numbered?"),
        ("something else: who prints it?", "who prints it?"),
        ("Thanks! Completely unrelated question\nhow are invoices numbered?", "how are invoices numbered?"),
        ("andere Frage: wo werden Rechnungen nummeriert?", "wo werden Rechnungen nummeriert?"),
        ("otra pregunta: ¿dónde se numeran las facturas?", "¿dónde se numeran las facturas?"),
        ("unrelated, but how are invoices numbered?", "how are invoices numbered?"),
        ("mail templates, where are they rendered", "mail templates, where are they rendered"),
    ],
)
def test_a_new_subject_takes_nothing_of_the_old_one_along(text, searched):
    asked = read_conversation(turns(*CART, text))
    assert asked.text == searched or asked.need is Need.NOTHING, "a pronoun without its turn asks nothing"
    assert (asked.carried, asked.discussed) == ((), ())
    assert asked.files == () or "," in searched


@pytest.mark.parametrize(
    "text",
    [
        "how is a new subject numbered there",
        "is there a different thing that calls it?",
        "and does it forget that?",
        "is it unrelated to invoices",
        "and the tests?",
        "about the very first thing I asked, who calls it?",
        "going back to the beginning, how would I test that one?",
        "in the tests, where is it used?",
    ],
)
def test_words_of_a_change_within_a_follow_up_leave_the_subject(text):
    assert "how does the `Cart` reserve stock?" in read_conversation(turns(*CART, text)).carried


def test_a_follow_up_of_the_new_subject_goes_back_to_where_it_began():
    chat = turns(*CART, "different question: how are invoices numbered?", "In `shop/invoice.py`.", "is that tested?")
    asked = read_conversation(chat)
    assert asked.carried == ("how are invoices numbered?",)
    assert asked.files == ("shop/invoice.py",)
    assert read_conversation(turns(*CART, "new topic.")).need is Need.NOTHING


LIST = (
    "Three things may do that:\n\n1. `Cart.expire` in `shop/cart.py`, which\n   runs every minute\n"
    "2. **the `Sweeper`** of `shop/sweep.py:40`\n   - it sleeps\n   - it wakes\n3) the queue\n\nWhich one do you use?"
)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("second:", "**the `Sweeper`** of `shop/sweep.py:40`"),
        ("2", "**the `Sweeper`** of `shop/sweep.py:40`"),
        ("option 2 please", "**the `Sweeper`** of `shop/sweep.py:40`"),
        ("the 2nd one", "**the `Sweeper`** of `shop/sweep.py:40`"),
        ("das zweite", "**the `Sweeper`** of `shop/sweep.py:40`"),
        ("explain the first", "`Cart.expire` in `shop/cart.py`, which runs every minute"),
        ("let's look at the last one", "the queue"),
    ],
)
def test_an_ordinal_means_its_item_of_the_list_before_it(text, item):
    asked = read_conversation(turns("why do reservations vanish?", LIST, text))
    assert asked.need is Need.EVIDENCE and asked.carried[0].startswith(item)
    assert asked.text.startswith(item) and asked.text.endswith("why do reservations vanish?")
    assert asked.why == "the message picks 1 item of the list before it"
    if "sweep" in item:
        assert (asked.files[0], asked.places[0].line) == ("shop/sweep.py", 40)


@pytest.mark.parametrize(
    "text", ["wait a second", "9", "the second argument of reserve", "one moment", "see you next time"]
)
def test_a_number_that_picks_nothing_is_no_choice(text):
    asked = read_conversation(turns("why do reservations vanish?", LIST, text))
    assert "picks" not in asked.why


def test_an_item_of_a_list_about_nothing_here_needs_nothing():
    jokes = "1. One about a chicken\n2. One about a road"
    assert read_conversation(turns("tell me a joke", jokes, "the second")).need is Need.NOTHING


TRACE = """Traceback (most recent call last):
  File "shop/cart.py", line 12, in reserve_all
    raise SoldOutError(kind)
SoldOutError: tea
"""


@pytest.mark.parametrize("text", ["fix it", "who calls that?", "and where does this come from", "why?"])
def test_a_follow_up_goes_on_from_a_paste_that_asked_nothing(text):
    asked = read_conversation(turns(TRACE, "There is no tea left.", text))
    assert asked.need is Need.EVIDENCE
    assert "SoldOutError: tea" in asked.text and "reserve_all" in asked.text
    assert asked.files == ("shop/cart.py",)
