"""A slip of the keyboard does not hide what is there, and does not make up what is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from helix_core.search.judge import LOOSE_CONFIDENCE
from helix_core.search.known_words import known_words
from helix_core.search.named import NAMED_CONFIDENCE
from helix_core.search.question import parse_question
from helix_core.search.search import SearchRequest, search
from helix_core.search.spelling import corrected, corrections, in_one_word
from helix_core.store import Reader

Indexed = Callable[[dict[str, str]], Reader]


def read_as(text: str, reader: Reader) -> str:
    question = parse_question(text)
    _, items = reader.text.size()
    return corrected(text, corrections(text, question, known_words(question.words, items, reader).frequency, reader))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how are dicsounts taken off?", "how are discounts taken off?"),
        ("where is the total prcie of articles?", "where is the total price of articles?"),
        ("where is the warehuse stock?", "where is the warehouse stock?"),
        ("where is the warehoouse stock?", "where is the warehouse stock?"),
        ("where is the warejouse stock?", "where is the warehouse stock?"),
        ("where is the count raisd?", "where is the count raised?"),
        ("where is the count raied?", "where is the count raised?"),
        ("whree are customers told by mail?", "where are customers told by mail?"),
        ("hwo does the cart wrk", "how does the cart work"),
        ("how dose the cart wrok?", "how does the cart work?"),
        ("wher is teh total prcie of articles", "where is the total price of articles"),
        ("how are articles raisd adn counted?", "how are articles raised and counted?"),
    ],
)
def test_a_slip_is_read_as_the_word_of_the_index(typed: str, meant: str, shop: Reader) -> None:
    assert read_as(typed, shop) == meant


STATED = {
    f"docs/rules{at}.md": "# Rules\n\nAs stated here, metrics are collected, consulted and sent.\n" for at in range(4)
} | {"src/metrics.py": "def send_metrics(stated, consult, grade):\n    return stated or consult or grade\n"}


@pytest.mark.parametrize("name", ["statsd", "consul", "collectd", "metricsdb"])
def test_a_name_of_software_is_no_slip_of_common_english(name: str, indexed: Indexed) -> None:
    reader = indexed(STATED)
    asked = f"where are metrics sent to {name}?"
    assert read_as(asked, reader) == asked


COLORS = {
    "src/shop/colors.py": "def normalize_color(color, catalog):\n    return catalog.gray if color else None\n",
    "docs/colors.md": "# Colors\n\nThe centre of a shop: colors and their licence. Filters are filed and raised.\n",
}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("where are colours normalised?", "where are colors normalized?"),
        ("colours", "colors"),
        ("what is in the catalogue of grey", "what is in the catalog of gray"),
        ("where is the center and the license", "where is the centre and the licence"),
        ("where do u handel the color?", "where do u handle the color?"),
        ("how are filters filed and raised in four hours", "how are filters filed and raised in four hours"),
        ("what does `normalise` do", "what does `normalise` do"),
        ("where is Handel played?", "where is Handel played?"),
    ],
)
def test_the_other_english_is_read_as_that_of_the_index(typed: str, meant: str, indexed: Indexed) -> None:
    assert read_as(typed, indexed(COLORS)) == meant


def test_a_short_form_of_programmers_is_read_as_that_of_the_index(indexed: Indexed) -> None:
    files = {
        f"{name}.go": f"package chi\n\n// {name} compiles the regexp of a route.\nfunc {name}(regexp string) {{}}\n"
        for name in ("walk", "match", "insert", "find", "split", "merge")
    }
    files["tree_test.go"] = "package chi\n\nfunc TestRouteRegex() {}\n"
    reader = indexed(files)
    assert read_as("regex of a route", reader) == "regexp of a route"
    found = search(SearchRequest("route regex", 5), reader)
    assert not found.known_empty and found.ranked[0].item.source.source_id != "tree_test.go"


def test_a_word_that_the_index_has_in_both_spellings_stays(indexed: Indexed) -> None:
    both = {**COLORS, "docs/colours.md": "# Colours\n\nColours are spelled like that too.\n"}
    assert read_as("where are the colours?", indexed(both)) == "where are the colours?"


@pytest.mark.parametrize(
    "text",
    [
        "where are prices kept in Dicsounts?",
        "what does `prcie` do with the cart?",
        "what calls add_artcile of the cart?",
        "how does the cart talk to grpc and kafka?",
        "dicsounts",
        "where is the dose computed?",
        "how is wrk used?",
        "where is HSA paid?",
        "where are the pricers kept?",
        "which sha is taken?",
    ],
)
def test_names_and_unknown_words_stay_as_they_are(text: str, shop: Reader) -> None:
    assert read_as(text, shop) == text


def test_a_misspelled_question_is_answered_like_the_meant_one_and_says_so(shop: Reader) -> None:
    meant = search(SearchRequest("how are discounts taken off the total price?", 5), shop)
    typed = search(SearchRequest("how are dicsounts taken off the total prcie?", 5, explained=True), shop)
    assert [one.item.id for one in typed.ranked] == [one.item.id for one in meant.ranked]
    assert typed.confidence == meant.confidence and not typed.known_empty
    assert typed.account is not None
    assert dict(typed.account.read_as) == {"dicsounts": "discounts", "prcie": "price"}


READY = {
    f"src/{name}.py": f"def {name}_client_ready(client):\n    # The client is ready for {name}.\n    return client\n"
    for name in ("read", "write", "control", "dispatch")
}


def test_a_product_that_is_not_here_is_not_taken_for_the_stem_of_another_word(indexed: Indexed) -> None:
    reader = indexed(READY)
    for text in ("redis client", "does our code use redis?"):
        assert read_as(text, reader) == text
        assert search(SearchRequest(text, 5), reader).known_empty, text
    assert read_as("is the client reayd?", reader) == "is the client ready?"


def test_an_answer_tells_what_a_word_was_taken_for(indexed: Indexed, shop: Reader) -> None:
    told = search(SearchRequest("where is the total prcie of articles made?", 5), shop).notes
    assert 'prcie is not in the index and was read as "price"' in told
    assert not search(SearchRequest("hwo does the cart work", 5), shop).notes
    files = {f"src/{n}.py": f"def {n}_fzwidget(pane):\n    # Draw the fzwidget.\n    return pane\n" for n in "abcd"}
    guess = search(SearchRequest("where is the fzwdget drawn?", 5), indexed(files))
    assert 'fzwdget is not in the index and was read as "fzwidget"' in guess.notes
    assert guess.confidence <= LOOSE_CONFIDENCE


def test_a_follow_up_does_not_repeat_what_a_word_of_an_earlier_turn_was_taken_for(shop: Reader) -> None:
    note = 'prcie is not in the index and was read as "price"'
    earlier = "where is the total prcie of articles made?"

    def told(own: str) -> tuple[str, ...]:
        return search(SearchRequest(f"{own} {earlier}", 5, said=own), shop).notes

    assert note not in told("and where is it rounded?")
    assert note in told("and who calls the prcie?")


@pytest.mark.parametrize("typed", ["totalprice", "totalPrice", "where is totalprice computed?"])
def test_a_name_without_its_underscore_is_the_name(typed: str, shop: Reader) -> None:
    found = search(SearchRequest(typed, 5), shop)
    assert "total_price" in found.terms and not found.known_empty
    assert found.confidence >= NAMED_CONFIDENCE


@pytest.mark.parametrize("name", ["nextTick", "NextTick"])
def test_a_slip_of_a_name_in_lower_case_leads_to_the_name_in_its_own_case(name: str, indexed: Indexed) -> None:
    users = {f"src/{n}.ts": f"import {{ {name} }} from './tick'\n{name}(() => {n}())\n" for n in "abcd"}
    reader = indexed({**users, "src/tick.ts": f"export function {name}(run: () => void) {{\n  queue.then(run)\n}}\n"})
    found = search(SearchRequest("where is nextick implemented", 3), reader)
    assert f'nextick is not in the index and was read as "{name}"' in found.notes
    assert not found.known_empty and not found.seems_empty
    assert found.ranked[0].item.source.source_id == "src/tick.ts"


def test_a_misspelled_word_of_any_question_is_not_what_is_missing(shop: Reader) -> None:
    for text in ("hwo does teh cart wrk", "how dose the discount wrok"):
        assert not search(SearchRequest(text, 5), shop).known_empty, text
    for text in ("hwo does teh kafka broker wrk", "where is the dose of the medicine kept"):
        assert search(SearchRequest(text, 5), shop).known_empty, text


def test_what_may_be_about_anything_is_answered_only_with_what_the_index_names(shop: Reader) -> None:
    chat = [SearchRequest(text, 5, may_be_general=True) for text in ("what is the price of bread?", "the second one")]
    assert all(search(one, shop).seems_empty for one in chat)
    here = SearchRequest("how is the total price made?", 5, may_be_general=True)
    assert not search(here, shop).seems_empty


SIGNALS = {
    "src/arbiter.py": "class Arbiter:\n    '''Reloads the workers on SIGHUP.'''\n\n    def handle_hup(self):\n"
    "        '''SIGHUP: reload.'''\n        self.reload()\n",
    "src/worker.py": "class Worker:\n    def cycle(self, loop):\n        '''Run once.'''\n        return loop\n",
}


def test_what_happens_on_an_event_is_asked_of_the_files_in_a_chat_too(indexed: Indexed) -> None:
    reader = indexed(SIGNALS)
    asked = SearchRequest("what happens on SIGHUP exactly?", 5, may_be_general=True)
    assert not search(asked, reader).seems_empty
    assert search(asked._replace(question="what happens on SIGPIPE exactly?"), reader).seems_empty
    assert not search(SearchRequest("worker.cycle impl", 5), reader).known_empty


def test_what_a_chat_spoke_of_is_here_where_the_index_defines_it(shop: Reader) -> None:
    asked = SearchRequest("why? how does Zebra talk to Kafka? total_price", 5, judged="how does Zebra talk to Kafka?")
    assert search(asked, shop).seems_empty
    assert not search(asked._replace(discussed=("total_price",)), shop).seems_empty
    assert search(asked._replace(discussed=("no_such_name",)), shop).seems_empty


COMPOUNDS = {
    "src/server.py": "def write_pidfile(path):\n    '''Write, with keepalive.'''\n    return path\n",
    "src/heart.py": "def heartbeat_check(pool):\n    '''Bound and send after the pool timeout.'''\n    return pool\n",
    "src/login.py": "def login(user):\n    return user\n\n\ndef after_login(user):\n    return login(user)\n\n\n"
    "def login_page(user):\n    # Log in here.\n    return user\n",
    "src/binding.py": "def bind_flags(flags):\n    return flags\n\n\ndef bind_all():\n    return None\n\n\n"
    "def bind_one():\n    return bind_all()\n\n\ndef bind_two():\n    return bind_one()\n",
    "src/rebinding.py": "def rebind_flags(flags):\n    return flags\n",
}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("heartbeatcheck", "heartbeat_check"),
        ("where is the heartbeatCheck()?", "where is the heartbeat_check()?"),
        ("bindall", "bind_all"),
        ("pooltimeout", "pool timeout"),
        ("where are the flags bound?", "where are the flags bind?"),
        ("where are the flags rebound?", "where are the flags rebind?"),
        ("the bound of a flag", "the bound of a flag"),
        ("poolheartbeat", "poolheartbeat"),
        ("writepidfile", "write_pidfile"),
        ("`heartbeatcheck`", "`heartbeatcheck`"),
    ],
)
def test_a_compound_and_a_participle_are_read_as_in_the_index(typed: str, meant: str, indexed: Indexed) -> None:
    assert read_as(typed, indexed(COMPOUNDS)) == meant


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("pid file", {"pid file": "pidfile"}),
        ("where is the PID file written, and the keep alive?", {"PID file": "pidfile", "keep alive": "keepalive"}),
        ("where is the heartbeat check", {}),
        ("keep pid file", {"pid file": "pidfile"}),
        ("how do users log in?", {"log in": "login"}),
        ("how do we log in the pool", {}),
        ("what is bound in", {}),
        ("is `pid file` there, or pid file.txt, or a-pid file-b", {}),
    ],
)
def test_two_words_are_read_as_the_one_that_the_index_has(typed: str, read: dict[str, str], indexed: Indexed) -> None:
    assert in_one_word(typed, indexed(COMPOUNDS)) == read


def test_a_word_is_part_of_one_compound_alone(indexed: Indexed) -> None:
    reader = indexed({"src/temp.py": "def tempfile():\n    return open(filename)\n"})
    assert in_one_word("where is the temp file name made?", reader) == {"temp file": "tempfile"}


def test_a_question_about_a_split_compound_finds_it(indexed: Indexed) -> None:
    reader = indexed(COMPOUNDS)
    for question in ("pid file", "where is the pid file written", "heartbeatcheck"):
        found = search(SearchRequest(question, 5), reader)
        assert not found.known_empty, question
        assert found.ranked[0].item.name in {"write_pidfile", "heartbeat_check"}


LENGTHS = {
    "src/store.py": "".join(f"def dict_{at}(regex):\n    return dict(regex)\n\n\n" for at in range(8)),
    "src/kubernetes.py": "def kubernetes_pods(authorization):\n    return authorization\n",
    "docs/store.md": "# Dictionaries\n\nA dictionary of a regular expression, sys, log.\n",
    "src/print.py": "import sys\n\nlog = sys.stdout\n",
    "src/request.py": "".join(f"def xhr_{at}(headers):\n    return headers\n\n\n" for at in range(4)),
    "src/links.py": "".join(f"def resolve_{at}(link):\n    return link\n\n\n" for at in range(8)),
}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how are dictionaries stored", "how are dict stored"),
        ("where is the env read", "where is the env read"),
        ("where is the auth checked", "where is the authorization checked"),
        ("where is the directory opened", "where is the directory opened"),
        ("where is the syslog handler", "where is the syslog handler"),
        ("symlink resolution setting", "symlink resolve setting"),
        ("where is the decision kept", "where is the decision kept"),
        ("is it an ajax request", "is it an xhr request"),
    ],
)
def test_what_code_writes_in_another_length_is_read_as_that(typed: str, meant: str, indexed: Indexed) -> None:
    assert read_as(typed, indexed(LENGTHS)) == meant


def test_two_words_that_code_writes_short_are_read_as_that(indexed: Indexed) -> None:
    reader = indexed(LENGTHS)
    assert in_one_word("rules in regular expressions", reader) == {"regular expressions": "regex"}
    assert in_one_word("the standard error", reader) == {}
