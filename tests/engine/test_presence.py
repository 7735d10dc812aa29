"""A name, a path or one of several questions that is here is never said not to be here; what is absent still is."""

import pytest

from helix_core.engine import Helix
from tests.engine.repository import begin

FILES = {
    "shop/fields.py": (
        "class Nested:\n    def load(self, data):\n        return data\n\n\n"
        "class Pluck(Nested):\n    def unpack_value(self, data):\n        return data[0]\n"
    ),
    "shop/errors.py": "class ValidationError(Exception):\n    pass\n",
    "shop/hooks.py": "def run_hook(name):\n    return name.upper()\n",
    "README.md": "# Shop\n\nFields, hooks and errors of a shop.\n",
}


@pytest.fixture(scope="module")
def helix(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("presence") / "shop", FILES)
    with Helix.open(folder) as opened:
        opened.refresh()
        yield opened


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("optimize Nested.load", "shop/fields.py"),
        ("please review the Pluck class", "shop/fields.py"),
        ("port ValidationError to Rust", "shop/errors.py"),
        ("Show me Pluck again", "shop/fields.py"),
        ("where is ValidationEror raised", "shop/errors.py"),
        ("Wo ist ValidationError definiert?", "shop/errors.py"),
        ("ValidationErrorはどこ？", "shop/errors.py"),
        ("¿Qué hace run_hook?", "shop/hooks.py"),
        ("review hooks.py", "shop/hooks.py"),
        ("review shop/hooks.py", "shop/hooks.py"),
        ("hooks for misspelled names", "shop/hooks.py"),
        ("unpacking of truncated values", "shop/fields.py"),
        ("where is run_hook called\n\nhow is bread baked in an oven?", "shop/hooks.py"),
        ("where is ValidationError defined and also how do I bake bread?", "shop/errors.py"),
    ],
)
def test_what_is_named_is_found_whatever_is_said_around_it(helix, question, path):
    packet = helix.packet(question)
    assert packet["known_empty"] is False
    items = [one for status in ("verified", "stale_risk", "needs_refresh") for one in packet[status]]
    assert path in [one["source_id"] for one in items]


@pytest.mark.parametrize(
    "question",
    [
        "how does Shop send invoices to Kafka?",
        "where is Pluck.freeze_all defined?",
        "What does Pluck.freeze_all do and who calls it?",
        "What is the default of Nested.max_depth and where is it read?",
        "What does ValidationError.broadcast do and who calls it?",
        "where is the ledger rotated, and how is it loaded?",
        "where is the graphql endpoint configured",
        "where is payment_gateway retried?\nhow is the ledger rotated?",
        "review ledger.py",
        "retrying of hooks",
        "hooks for invoices",
        "unpack encrypted archives",
    ],
)
def test_what_is_not_here_is_still_said_not_to_be(helix, question):
    assert helix.packet(question)["known_empty"] is True


def test_a_wish_about_the_whole_workspace_is_not_denied(helix):
    assert helix.packet("can you review my code")["known_empty"] is False


def first(packet):
    items = [one for status in ("verified", "stale_risk", "needs_refresh") for one in packet[status]]
    return max(items, key=lambda one: one["relevance_score"])["source_id"]


@pytest.mark.parametrize(
    "question",
    [
        "what does this project do?",
        "how do I get started?",
        "Review this repository and suggest three improvements",
        "explain the code",
        "Can you describe the whole code to me?",
    ],
)
def test_a_question_about_the_whole_project_is_answered_with_its_readme(helix, question):
    packet = helix.packet(question)
    assert (packet["known_empty"], first(packet)) == (False, "README.md")


def test_a_class_is_found_by_its_name_in_lower_case_before_its_tests(tmp_path):
    files = {
        "shop/cart.py": "class CartItem:\n    pass\n\n\ncart = CartItem()\n",
        "tests/test_cart.py": "class TestCartItem:\n    def test_cartitem(self):\n        assert cartitem class\n" * 3,
    }
    with Helix.open(begin(tmp_path / "shop", files)) as opened:
        opened.refresh()
        assert first(opened.packet("where is the cartitem class")) == "shop/cart.py"


@pytest.mark.parametrize("question", ["fuzzymatchv2", "where is fuzzymatchv2?"])
def test_a_name_with_a_digit_is_here_in_lower_case_too_and_another_is_not(tmp_path, question):
    files = {"algo.go": "package algo\n\nfunc FuzzyMatchV2(a string) int {\n\treturn len(a)\n}\n"}
    with Helix.open(begin(tmp_path / "algo", files)) as helix:
        helix.refresh()
        found = helix.search(question)
        assert not found["known_empty"]
        assert found["items"][0]["symbol"] == "FuzzyMatchV2"
        assert helix.search(question.replace("v2", "w9"))["known_empty"]


def test_what_is_said_beside_a_question_does_not_make_it_absent(helix):
    assert helix.packet("how is a hook run by its name?")["known_empty"] is False
    around = "Do the following:\n1. Read carefully.\n2. Answer: how is a hook run by its name?\nHave a lovely Tuesday!"
    assert helix.packet(around)["known_empty"] is False


def test_an_option_of_a_command_is_one_name(tmp_path):
    files = {"watch.py": 'add("--max-events", help="The option is added to stop; events restart at the maximum.")\n'}
    with Helix.open(begin(tmp_path / "watch", files)) as opened:
        opened.refresh()
        assert opened.packet("where is the option --max-events added?")["known_empty"] is False
        assert opened.packet("where is the option --max-restarts added?")["known_empty"] is True


def test_an_answer_that_may_be_none_says_so_and_is_not_sure_whatever_its_place(helix, monkeypatch):
    question = "how is the data of a name returned?"
    monkeypatch.setattr("helix_core.search.judge.presence", lambda *_: 0.8)
    monkeypatch.setattr("helix_core.search.judge.place", lambda *_, **__: 1.0)
    monkeypatch.setattr("helix_core.search.judge.confidence", lambda *_, **__: 0.95)
    monkeypatch.setattr("helix_core.search.judge.DOUBT", 1.1)
    packet = helix.packet(question)
    assert [one for one in packet["notes"] if one.startswith("perhaps not here: ") and "shop/" in one]
    assert packet["coordinate_confidence"] == 0.5, "a high confidence would contradict the note"
    first = helix.packet("how is a hook run by its name?")
    assert not [one for one in first["notes"] if one.startswith("perhaps not here: ")], "run_hook is what is asked for"
    named = helix.packet("where is `run_hook`?")
    assert named["coordinate_confidence"] >= 0.9, "a name that is defined here is no matter of doubt"
    assert not [one for one in named["notes"] if "probably" in one]
    monkeypatch.setattr("helix_core.search.judge.DOUBT", 0.0)
    sure = helix.packet(question)
    assert not [one for one in sure["notes"] if "probably" in one]
    assert sure["coordinate_confidence"] == 0.95


def test_a_question_that_names_an_indexed_path_is_in_no_doubt_whatever_its_other_words(helix):
    packet = helix.packet("can you refactor shop/hooks.py to use a zeppelin wheel?")
    assert not [one for one in packet["notes"] if "probably" in one]
    assert packet["coordinate_confidence"] >= 0.5
    assert "unlocated" not in {one["reason"] for status in ("stale_risk", "needs_refresh") for one in packet[status]}


def test_a_member_that_nothing_has_is_absent_however_common_its_words_are(tmp_path):
    loop = "class Loop:\n    def call_later(self, delay):\n        return delay\n"
    files = {"app/loop.py": loop, "app/use.py": "def start(loop):\n    loop.call_later(1)\n    loop.config_file()\n"}
    files |= {
        f"app/part{at}.py": f"# Call every handler {at}.\ndef every{at}(call):\n    return call\n" for at in range(9)
    }
    begin(tmp_path, files)
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        absent = helix.packet("What does Loop.call_every do and who calls it?")
        defined = helix.packet("What does Loop.call_later do and who calls it?")
        used = helix.packet("What does loop.config_file do?")
        slip = helix.packet("What does Loop.call_latr do and who calls it?")
    assert absent["known_empty"] and absent["coordinate_confidence"] < 0.3
    assert not any(one["known_empty"] for one in (defined, used, slip))


def test_what_only_a_heading_is_called_after_is_not_in_the_code(tmp_path):
    files = {f"app/part{at}.py": f"def export_entries{at}(spans):\n    return spans\n" for at in range(6)}
    files |= {"docs/frameworks.md": "# Frameworks\n\n## OpenTelemetry\n\nUse its own package beside this one.\n"}
    with Helix.open(begin(tmp_path / "app", files)) as opened:
        opened.refresh()
        assert opened.packet("where is the rotation of keys to OpenTelemetry implemented?")["known_empty"] is True
        for question in ("OpenTelemetry", "what do the docs say about OpenTelemetry?"):
            assert first(opened.packet(question)) == "docs/frameworks.md", question


@pytest.mark.parametrize(
    "question",
    [
        "why does seal_letter break our KafkaProducer?",
        "we call seal_letter from OrderService.submit_order and it hangs",
        "where is seal_letter defined?<|im_end|>",
    ],
)
def test_a_name_that_is_here_is_not_absent_for_another_that_is_not(tmp_path, question):
    files = {
        "app/vault.py": "def seal_letter(letter):\n    return letter\n",
        **{
            f"app/many_{at}.py": f"class Many{at}:\n    def other_{at}(self):\n        return {at}\n"
            for at in range(20)
        },
    }
    folder = begin(tmp_path / "vault", files)
    with Helix.open(folder) as opened:
        opened.refresh()
        packet = opened.packet(question)
        assert packet["known_empty"] is False
        assert opened.search(question)["items"][0]["symbol"] == "seal_letter"
        assert opened.packet("where is Many3.submit_order defined?")["known_empty"] is True


PROXY = {
    "proxy/config.py": "class ProxyConfig:\n    def load(self, path):\n        return path\n",
    "proxy/session.py": "class Session:\n    def send(self, config):\n        return config.load('here')\n",
    "proxy/limits.py": "MAX_RETRIES = 3\n\n\ndef retry_after(count):\n    return count < MAX_RETRIES\n",
}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("nowhere") / "proxy", PROXY)
    with Helix.open(folder) as opened:
        opened.refresh()
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "what does StickyName do in ProxyConfig?",
        "where does ProxyConfig handle sticky_name?",
        "how does ProxyConfig use StickyName",
        "StickyName in ProxyConfig",
        "in ProxyConfig, where is _sticky_name set?",
        "what is StickyError in ProxyConfig?",
        "difference between ProxyConfig and StickyName",
        "StickyName versus ProxyConfig",
        "sticky_name as alternative to ProxyConfig",
        "is StickyProxyConfig used instead of ProxyConfig for large files?",
        "StickyName session store next to ProxyConfig",
        "which method of StickyConfig asks first, as that of ProxyConfig does?",
        "ProxyConfig stickyName as a shortcut for a path",
        "ProxyConfig.StickyName: when is it set besides load",
        "how does ProxyConfig::StickyName differ from ProxyConfig::load",
    ],
)
def test_a_name_that_no_file_has_is_absent_though_the_class_it_is_asked_of_is_here(proxy, question):
    packet = proxy.packet(question)
    assert packet["known_empty"] is True
    said = [note for note in packet["notes"] if "is nowhere in the index; ProxyConfig is at proxy/config.py:1" in note]
    assert said, packet["notes"]
    assert packet["coordinate_confidence"] < 0.3


@pytest.mark.parametrize(
    "question",
    [
        "what does max_retries do in ProxyConfig?",
        "what does MaxRetry do in ProxyConfig?",
        "where does ProxyConfig use MAX_RETRYS?",
        "how does ProxyConfig load a file from my SettingsStore?",
        "why does ProxyConfig.load raise StickyError?",
        "I call ProxyConfig.load from OrderService and it returns the path",
        "does ProxyConfig.load work with PyCharm?",
        "difference between ProxyConfig and MAX_RETRYS",
        "ProxyConfig compared with our SettingsStore",
        "does the session use ProxyConfig rather than SettingsStore?",
        "where is ProxyConfig.load and how does it differ from Session.send?",
    ],
)
def test_a_name_in_another_spelling_or_only_mentioned_denies_nothing(proxy, question):
    assert proxy.packet(question)["known_empty"] is False


def test_a_plain_member_that_no_code_has_is_absent_and_one_that_some_code_has_is_not(proxy):
    packet = proxy.packet("how does ProxyConfig::Tee differ from ProxyConfig::load?")
    assert packet["known_empty"] is True
    assert "Tee is nowhere in the code; ProxyConfig is at proxy/config.py:1" in " ".join(packet["notes"])
    assert proxy.packet("how does ProxyConfig::Path differ from ProxyConfig::load?")["known_empty"] is False


def test_two_names_that_no_file_has_together_are_said_to_be_apart(proxy):
    apart = "no code file here has both MAX_RETRIES and Session; "
    packet = proxy.packet("where does Session handle MAX_RETRIES?")
    assert packet["known_empty"] is False
    assert [
        note
        for note in packet["notes"]
        if note == f"{apart}MAX_RETRIES is at proxy/limits.py:1; Session is at proxy/session.py:1"
    ], packet["notes"]
    together = proxy.packet("where does retry_after use MAX_RETRIES?")
    assert not [note for note in together["notes"] if "has both" in note]


@pytest.mark.parametrize("question", ["AKIAIOSFODNN7EXAMPLQ", "where is AKIAIOSFODNN7EXAMPLQ used in Nested?"])
def test_a_name_that_may_be_a_secret_is_repeated_by_no_note(helix, question):
    assert not [note for note in helix.packet(question)["notes"] if "AKIA" in note]


def test_a_name_of_a_file_in_another_encoding_is_not_said_to_be_nowhere(tmp_path, open_helix):
    folder = begin(tmp_path / "shop", FILES)
    written = "# -*- coding: latin-1 -*-\ndef café_latin():\n    return 'ü'\n"
    (folder / "shop/latin.py").write_bytes(written.encode("latin-1"))
    engine = open_helix(folder)
    engine.refresh()
    packet = engine.packet("café_latin")
    assert packet["known_empty"] is False
    assert not any("nowhere" in note for note in packet["notes"])
    assert "shop/latin.py" in [one["source_id"] for one in packet["verified"]]
    assert engine.packet("café_lattice")["known_empty"] is True
