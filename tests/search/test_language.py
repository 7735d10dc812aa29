"""Which language a question is in, and what an answer says that could not search in it."""

import pytest

from helix_core.conversation import Need, read_question
from helix_core.engine import Helix
from helix_core.search.language import is_multilingual, language_of
from helix_core.search.search import SearchRequest, search
from tests.engine.repository import begin


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wie werden unbekannte felder behandelt?", "German"),
        ("wo steht der test dafür", "German"),
        ("¿Dónde se firman las sesiones?", "Spanish"),
        ("où est le code qui signe les cookies", "French"),
        ("como são validados os campos", "Portuguese"),
        ("dove viene firmata la sessione", "Italian"),
        ("Wie verhindert Sinatra CSRF?", "German"),
        ("¿Cómo funciona CSRF?", "Spanish"),
        ("como funciona csrf?", "Spanish or Portuguese"),
        ("セッションはどこで署名されますか", "Japanese"),
        ("会话在哪里签名?", "Chinese"),
        ("где подписывается сессия", "Russian"),
        ("세션은 어디에서 서명되나요", "Korean"),
    ],
)
def test_a_question_of_another_language_is_named(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fix it",
        "where do validators live",
        "get_la_de el_los",
        "what does `der die das` do in src/de/la/el.py?",
        "```\nder die das ist nicht\n```\nwhy does this fail?",
        "die in a fire, or not?",
        "wo",
        "comment parsing",
        "wie is this parsed?",
        "TypeError: con is not a function",
        "how is 日 parsed in the date format of the calendar",
    ],
)
def test_english_and_code_are_not_taken_for_another_language(text):
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("model", "is_so"),
    [
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", True),
        ("intfloat/multilingual-e5-large", True),
        ("BAAI/bge-m3", True),
        ("sentence-transformers/all-MiniLM-L6-v2", False),
        ("static", False),
    ],
)
def test_a_model_that_brings_languages_together_is_known_by_its_name(model, is_so):
    assert is_multilingual(model) is is_so


def test_what_is_asked_in_another_language_is_never_called_absent(tmp_path):
    begin(tmp_path, {"app/sessions.py": "def sign_session(value):\n    return seal(value)\n"})
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        asked = helix.packet("wie werden die abgelaufenen rechnungen verschickt?")
        english = helix.packet("how are the expired invoices sent by mail?")
    assert asked["known_empty"] is False
    assert any("the question is in German" in note for note in asked["notes"])
    assert english["known_empty"] is True and not any("the question is in" in note for note in english["notes"])


def test_a_file_name_in_a_question_of_another_language_is_searched_without_the_words_of_every_question(tmp_path):
    files = {
        "crawler/robotstxt.py": '"""Rules of robots.txt."""\n\n\ndef parse_robots_txt(body):\n    return body\n',
        "crawler/names.py": 'PLACES = ["wo", "wa"]\n',
    }
    files |= {f"crawler/part{number}.py": f"# Reads robots.txt.\nPART = {number}\n" for number in range(9)}
    begin(tmp_path, files)
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        here = helix.context("Wo wird eigentlich robots.txt ausgewertet?")
        absent = helix.context("Wo wird eigentlich wetter.txt ausgewertet?")
    assert here["blocks"][0]["source_id"] == "crawler/robotstxt.py"
    assert absent["blocks"] == []


def test_one_name_of_the_index_bears_out_a_question_of_another_language(tmp_path):
    files = {
        "shop/cookies.py": "def sign_cookies(value):\n    return value\n",
        "shop/images.py": 'def show(image):\n    """Give the alt text."""\n    return image\n',
    }
    files |= {f"shop/part{number}.py": f"# Reads cookies.\nPART = {number}\n" for number in range(9)}
    begin(tmp_path, files)
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        here = helix.context("Wie werden Cookies signiert und wie alt dürfen sie sein?")
        absent = helix.context("Wie werden Rechnungen bezahlt und wie alt dürfen sie sein?")
    assert "shop/cookies.py" in [block["source_id"] for block in here["blocks"]]
    assert absent["blocks"] == []


def test_a_name_that_says_nothing_in_an_english_sentence_is_one_in_another_language(tmp_path):
    files = {"web/filters.py": "def before(handler):\n    return handler\n"}
    files |= {f"web/part{number}.py": f"# What comes before {number}.\nPART = {number}\n" for number in range(9)}
    begin(tmp_path, files)
    with Helix.open(tmp_path) as helix:
        helix.refresh()
        here = helix.context("como funciona el filtro before?")
        absent = helix.context("como funciona el filtro after?")
    assert here["blocks"][0]["source_id"] == "web/filters.py"
    assert absent["blocks"] == []


ABROAD = {
    "shop/retry.py": "class Retry:\n    def call(self):\n        return self\n",
    "shop/clauses.py": "def clause(text):\n    return text\n",
    "shop/keeping.py": "def invalidate(cache):\n    cache.clear()\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "¿dónde se define la clase Retry?",
        "Wo ist die Klasse Retry definiert?",
        "où est définie la classe Retry ?",
    ],
)
def test_a_name_in_a_question_of_another_language_is_found(text, indexed):
    found = search(SearchRequest(text, 5), indexed(ABROAD))
    assert found.ranked[0].item.name == "Retry"
    assert found.confidence >= 0.5
    assert not any("was read as" in note for note in found.notes)


@pytest.mark.parametrize("text", ["Wo wird das alles invalidiert?", "où est-ce que tout est invalidé dans le code ?"])
def test_a_loan_word_finds_what_begins_alike(text, indexed):
    assert search(SearchRequest(text, 5), indexed(ABROAD)).ranked[0].item.name == "invalidate"


@pytest.mark.parametrize(
    "text",
    [
        "Was ist die Hauptstadt von Frankreich?",
        "Quelle est la capitale de l'Italie ?",
        "¿Cuál es la capital de Italia?",
        "Wer hat das Telefon erfunden?",
    ],
)
def test_general_knowledge_of_any_language_needs_nothing(text):
    assert read_question(text).need is Need.NOTHING
