"""Name the natural language of a question by its script and its function words. Pure.

Names and documents of code are mostly English: words of another language match hardly any of them, so an answer that
found nothing must say which language it could not search in. No library: those for short texts carry tables of
megabytes, and eight languages of questions are told apart by the words that every question needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from helix_core.words import lazy_pattern, words_in

READ_CHARS = 2_000
LEAST_WORDS = 2
LEAST_SHARE = 0.25
LEAST_LETTERS = 2
LETTERS_SHARE = 0.2

_SCRIPTS = (
    ("Japanese", lazy_pattern(r"[\u3040-\u30ff]")),
    ("Korean", lazy_pattern(r"[\uac00-\ud7af]")),
    ("Chinese", lazy_pattern(r"[\u4e00-\u9fff]")),
    ("Russian", lazy_pattern(r"[\u0400-\u04ff]")),
)
"""Kana come before Han: Japanese has both."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\S*[/\\_]\S*", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
_FUNCTION_WORDS = {
    "German": """
        wie wo was warum wieso wann wer welche welcher welches wird werden wurde ist sind war kann können der
        die das den dem des ein eine einen einer eines und oder nicht für mit von auf im zu zum zur bei beim
        wenn durch über nach gibt es man ich wir dass hier dieser diese dieses mir mich uns noch auch nur aus an
        """,
    "Spanish": """
        cómo dónde qué cuándo cuál por para el la los las un una unos se es son está están del de y en con
        cuando hace puede pueden hay que esto este esta lo como donde al su sus me más pero
        """,
    "French": """
        où comment pourquoi quel quelle quels quelles quand le la les des du de est sont dans une un et avec
        pour sur qui que ce cette fait il elle on je ne pas au aux se si ou
        """,
    "Portuguese": """
        como onde qual quais quando por o os a as da do das dos em um uma é são para com que não no na se está
        estão isso este esta de e
        """,
    "Italian": """
        come dove perché quale quali quando il lo gli la le della del dei delle di è sono una un uno per con che
        non nel nella si viene vengono questo questa e
        """,
}
_ASKING = {
    "German": "wie wo warum wieso weshalb wann welche welcher welches woher wozu",
    "Spanish": "cómo dónde qué cuándo cuál cuáles",
    "Spanish or Portuguese": "como",
    "French": "où pourquoi quel quelle quels quelles",
    "Portuguese": "onde qual quais",
    "Portuguese or Italian": "quando",
    "Italian": "perché quale quali",
}
"""Words that begin a question in their language and are no words of English: one is enough beside names alone."""
_ASKED_IN = {word: name for name, words in _ASKING.items() for word in words.split()}
_ENGLISH = """
the a an is are was were be how where what why when who which does do did can could should would will of to in on at by
with from for and or not it its this that these those there if as has have had get gets happens i we you my our
"""
WORDS_OF_CODE = words_in(
    """klasse funktion methode datei modul definiert implementiert aufgerufen clase función funcion método metodo
    fichero archivo módulo define definida definido implementa implementada implementado llama classe fonction méthode
    fichier définie défini définit implémentée implémenté appelée appelé função arquivo funzione definita
    definito"""
)
"""Words of other languages for what all code has: "la clase Retry" asks for ``Retry``."""
_LOANED = {
    "German": lazy_pattern(r"(\w{4,30}?)(?:iert|ieren|ierung|iere|ierte)\Z"),
    "Spanish": lazy_pattern(r"(\w{4,30}?)(?:ados?|adas?|ar|an|ación)\Z"),
    "French": lazy_pattern(r"(\w{4,30}?)(?:ées?|és?|er|ent|ation)\Z"),
    "Portuguese": lazy_pattern(r"(\w{4,30}?)(?:ados?|adas?|ar|am|ação)\Z"),
    "Italian": lazy_pattern(r"(\w{4,30}?)(?:at[oaie]|are|ano|azione)\Z"),
}
"""Endings of verbs that many languages have from Latin: ``invalidiert`` and ``invalidate`` begin alike."""
_KNOWN = {name: frozenset(words.split()) for name, words in (*_FUNCTION_WORDS.items(), ("English", _ENGLISH))}
_MULTILINGUAL = lazy_pattern(r"multilingual|bge-m3|(?:^|[/_-])e5(?:[_-]|$)|labse|gte-multi|jina-embeddings-v3|xlm")


def language_of(text: str) -> str:
    """Return the English name of the language that ``text`` asks in; "" for English, for code and where unsure."""
    said = _CODE.sub(" ", text[:READ_CHARS])
    letters = len(_LETTER.findall(said))
    for name, script in () if said.isascii() else _SCRIPTS:
        if (count := len(script.findall(said))) >= LEAST_LETTERS and count >= LETTERS_SHARE * letters:
            return name
    words = [word.lower() for word in _WORD.findall(said)]
    counts = {name: sum(word in known for word in words) for name, known in _KNOWN.items()}
    best = max(counts, key=lambda name: (counts[name], name == "English"))
    if best != "English" and counts[best] >= max(LEAST_WORDS, LEAST_SHARE * len(words)):
        return best
    return _ASKED_IN.get(words[0], "") if len(words) > 1 and not counts["English"] else ""


def function_words(language: str) -> frozenset[str]:
    """Return the words that every question in a language may have; none for one that is told by its script."""
    words = frozenset(word for name in language.split(" or ") for word in _KNOWN.get(name, ()))
    return words | WORDS_OF_CODE if words else words


def loan_stems(words: Iterable[str], language: str) -> list[str]:
    """Return how the words of a language begin that English may have, too, with another ending."""
    ending = _LOANED.get(language)
    found = (ending.fullmatch(word) for word in words) if ending is not None else ()
    return [match[1] for match in found if match is not None]


def is_multilingual(model: str) -> bool:
    """Return whether the name of an embedding model says that it brings languages together."""
    return _MULTILINGUAL.search(model.lower()) is not None


LANGUAGE_NOTE = "the question is in "
"""How the note begins."""


def meaning_note(language: str) -> str:
    """Return the sentence for an answer that a multilingual model found by meaning."""
    return f"{LANGUAGE_NOTE}{language}: its places were found by meaning, which cannot say whether they answer it"


def language_note(language: str) -> str:
    """Return the sentence for an answer that a question in ``language`` did not find."""
    return (
        f"{LANGUAGE_NOTE}{language}, and only words and names that the files share with it were searched; ask in "
        "English, or set up a multilingual model with: helix embed setup"
    )
