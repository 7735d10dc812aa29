"""A follow-up gets what it asks of the subject that the turns before it have."""

from helix_core.conversation import read_conversation
from helix_core.engine import Helix
from tests.engine.repository import begin

FILES = {
    "shop/sessions.py": (
        '"""Sessions of customers."""\n\n\ndef sign_session(value, key):\n    """Sign the session of a customer."""\n'
        "    return seal(value, key)\n\n\ndef open_session(value, key):\n"
        '    """Open the signed session of a customer."""\n    return unseal(value, key)\n'
    ),
    "tests/test_sessions.py": (
        "from shop.sessions import sign_session\n\n\ndef test_a_signed_session_is_sealed():\n"
        '    assert sign_session("a", "b") == "ab"\n'
    ),
    "tests/test_mail.py": 'def test_a_mail_is_sent():\n    assert "mail"\n',
}
CHAT = [
    {"role": "user", "content": "where is the session of a customer signed?"},
    {"role": "assistant", "content": "`sign_session` in shop/sessions.py seals it with the key."},
]


def blocks(helix, text):
    asked = read_conversation([*CHAT, {"role": "user", "content": text}])
    return [block["source_id"] for block in helix.context(text, asked=asked)["blocks"]]


def test_a_follow_up_that_asks_for_tests_gets_the_tests_of_its_subject_first(tmp_path):
    with Helix.open(begin(tmp_path / "shop", FILES)) as helix:
        helix.refresh()
        for text in ("and where is that tested?", "show me the test", "und wo wird das getestet?"):
            assert blocks(helix, text)[0] == "tests/test_sessions.py", text
        assert blocks(helix, "and how is it opened again?")[0] == "shop/sessions.py"


def test_a_feature_that_is_not_here_is_not_answered_with_what_was_talked_of(tmp_path):
    more = {f"shop/part{at}.py": f'"""Part {at} of the shop: mail, cart, stock."""\nPART = {at}\n' for at in range(6)}
    with Helix.open(begin(tmp_path / "shop", FILES | more)) as helix:
        helix.refresh()
        for text in ("does it have an orm?", "does it support kubernetes?"):
            asked = read_conversation([*CHAT, {"role": "user", "content": text}])
            answer = helix.context(text, asked=asked)
            assert (answer["known_empty"], answer["blocks"]) == (True, []), text
        asked = read_conversation([*CHAT, {"role": "user", "content": "does it need a key?"}])
        assert helix.context("does it need a key?", asked=asked)["known_empty"] is False


def test_a_follow_up_that_says_what_it_is_about_gets_that_first(tmp_path):
    more = {
        "shop/stock.py": '"""Stock."""\n\n\ndef reserve_articles(stock, articles):\n    """Reserve articles of the'
        ' stock."""\n    return stock - articles\n'
    }
    with Helix.open(begin(tmp_path / "shop", FILES | more)) as helix:
        helix.refresh()
        assert blocks(helix, "and how are articles of the stock reserved?")[0] == "shop/stock.py"
