"""Detect what a sentence tells somebody to type, to say or to use in order to get in, also where it is a plain word.

Bytes in, spans out. ``prose`` reads what a credential is said to be; here a verb gives the secret, and the word for the
credential may stand on either side of it or not at all: ``uses chinook as its password``, ``when asked for the key,
type plugandpray``, ``log in as demo with butterscotch``, ``key in 314159 as the service code``.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.secrets.typed import is_plain_passphrase, is_predicate, is_typed_code, is_typed_password
from helix_core.secrets.values import LazyPattern, is_masked
from helix_core.secrets.words import is_code_word, is_plain_answer, is_word_password
from helix_core.tuples import NamedTuple

Span = tuple[int, int]

_NOUN = (
    rb"(?:p[asor]{1,5}w[aswor]{0,4}[dt]{1,2}s?|pass[ \-]?(?:phrase|code)s?|pass|pwd?|passwort|kennwort|kenncode"
    rb"|contrase(?:\xc3\xb1|n)a|mots? de passe|mdp|senha|wachtwoord|parola d'ordine|has(?:\xc5\x82|l)o|heslo"
    rb"|l(?:\xc3\xb6|o)senord|adgangskode|salasana|(?:secret|code|magic)[ \-]?word|codewort|losungswort)"
)
_NUMBER = (
    rb"(?:pins?|pin[ \-]?code|puk|pass-?code|digicode|geheimzahl|kiosk|voicemail|combination|tresor\w*"
    rb"|(?:door|gate|alarm|service|unlock|access|entry|safe|vault|lock|locker|maintenance|keypad|admin|technician'?s?)"
    rb"[ \-]code|(?:zugangs|t\xc3\xbcr|wartungs|service|alarm)code|c(?:\xc3\xb3|o)digo de \w+|code d[eu'] ?\w+)"
)
_GIVES = (
    rb"(?:use[sd]?|using|gets?|got|with|takes?|took|accepts?|typ(?:e|ed|es|ing)|enter(?:ed|s|ing)?|try|tried|has|had"
    rb"|have|put|set|pick(?:ed)?|chose|con|mit|avec|com|nimm|nehmt|usa[dr]?|usen?|word|palabra|wort|mot"
    rb"|utilise[rz]?|verwende[nt]?|gebruik)"
)
_TYPE = (
    rb"(?:type|enter|say|use|give|key in|write|put in|tape[rz]?|tippe[n]?|saisi(?:r|ssez)|entrez|escrib[ae]|introduzca"
    rb"|introduce|teclee|digite|inserisci|metti|geben sie|gib|nimm)"
)
_NUMBER_TYPED = (
    rb"(?:key(?:ing)? in|punch(?:ing)? in|enter(?:ing)?|typ(?:e|ing)|dial(?:ing)?|tapp?(?:ing)?|tippen(?: sie)?|tapez"
    rb"|teclea|saisissez|introduzca|geben sie|use)"
)
_AS = rb"(?:as|for|als|comme|como|pour|come|som|jako)"
_VALUE = rb"[\"'`*]{0,3}([^\s\"'`<>()\[\]{}|\\,;:*]{4,64})[\"'`*]{0,3}"
_USER = rb"[\"'`*]{0,3}[A-Za-z][\w.@\-]{1,30}[\"'`*]{0,3}"
_ENDS = (
    rb"(?:[.,;!?)]|[ \t]*(?:\r?\n|\z)"
    rb"|[ \t]+(?:for|on|in|at|and|but|or|so|because|y|und|et|e|which|that|when|auf|bei|en)\b)"
)


class _Pattern(NamedTuple):
    """A way to give a secret, group 1 of ``shape``; ``is_sure`` where any plain word is one in files, too, and
    ``is_typed`` where only a person's message is read so.
    """

    shape: LazyPattern
    is_sure: bool = False
    is_typed: bool = False


_WORDS = (
    # ``uses chinook as its password``
    _Pattern(
        LazyPattern(
            rb"(?i)\b" + _GIVES + rb"[ ]" + _VALUE + rb"(?:[ ]\([^()\r\n]{1,30}\))?[ ]" + _AS + rb"[ ]"
            rb"(?:[a-z\xc3\xa4\xb6\xbc]{1,10}[ ]){0,3}" + _NOUN + _ENDS
        ),
        is_sure=True,
    ),
    # ``the verbal password for the console ("blanket")``
    _Pattern(
        LazyPattern(
            rb"(?i)\b" + _NOUN + rb"[^.;:()\r\n\"'`]{0,40}[ ][(](?:[\"'`]|\xc2\xab ?|\xe2\x80[\x9c\x9e])"
            rb"([^\s\"'`<>()\[\]{}|\\,;:*\xc2\xe2]{4,64})(?:[\"'`]| ?\xc2\xbb|\xe2\x80[\x9c\x9d])[)]"
        ),
        is_sure=True,
    ),
    # ``when asked for the key, type plugandpray``
    _Pattern(
        LazyPattern(
            rb"(?i)\b(?:ask(?:s|ed)?|prompt(?:s|ed)?|fragt|gefragt|demande[rs]?|demand\xc3\xa9e?|pid[ae]n?|verlangt"
            rb"|chiede)\b[^.!?;\r\n]{0,50}(?:"
            + _NOUN
            + rb"|key|code|secret)\b[^.!?\r\n]{0,30}[ ](?:please[ ])?"
            + _TYPE
            + rb"[ ]"
            + _VALUE
        )
    ),
    # ``log in as demo with butterscotch``
    _Pattern(
        LazyPattern(
            rb"(?i)\b(?:log(?:s|ged|ging)?[ \-]?(?:in|on)(?:to)?|sign(?:s|ed)?[ \-]?in|einloggen|anmelden|meldet man"
            rb" sich|connecte[rz]?(?:-toi|-vous)?|entrar?|acceder?)\b[^.;\r\n]{0,30}?[ ](?:as|with|using|als|mit|con"
            rb"|avec|como)[ ](?:(?:user|the user|benutzer)[ ])?"
            + _USER
            + rb"(?:[ ](?:and|with|using|then|und|mit|y|con|et|avec|&|\+|/)[ ]|, then[ ]|[ ][(])"
            + _VALUE
        )
    ),
    # ``you need quokka to open it``
    _Pattern(
        LazyPattern(
            rb"(?i)\b(?:need|use|type|say|enter|give it)[ ]"
            + _VALUE
            + rb"[ ]to[ ](?:open|unlock|decrypt|unzip|mount|log in|get in|sign in)\b"
        ),
        is_sure=True,
        is_typed=True,
    ),
    # ``Orange-Bicycle-Seven is what opens the vault``
    _Pattern(
        LazyPattern(
            rb"(?i)(?:^|[.:;!?\n][ ]?)"
            + _VALUE
            + rb"[ ](?:is what[ ])?(?:opens|unlocks|decrypts|gets (?:you|me|us) in|lets (?:you|me|us) in)\b"
        ),
        is_typed=True,
    ),
    # ``pw for the old box? try butler``
    _Pattern(
        LazyPattern(
            rb"(?i)\b"
            + _NOUN
            + rb"[^.!?\r\n]{0,40}[?][ ](?:i think |should be |probably |maybe |still |it's |its |try |use "
            rb"|vermutlich |immer noch |essaie |prueba ){1,2}"
            + _VALUE
            + rb"(?:[.,!]|\s*\z|\r?\n|[ ](?:i think|or|but|and|nobody)\b)"
        ),
        is_sure=True,
        is_typed=True,
    ),
    # ``the zip opens with octopus-ink``
    _Pattern(
        LazyPattern(
            rb"(?i)\b(?:decrypt(?:ed|s)?|unlock(?:ed|s)?|unzip|protected|locked|opens?|secured|log(?:s|ged)?[ \-]?in"
            rb"|sign in)[ ](?:it[ ])?(?:with|w/|using|mit|avec|con)[ ](?:the (?:word|words)[ ])?"
            + _VALUE
            + rb"(?:[.,;!?)]{0,2}[ \t]*(?:\r?\n|\z)|[,;.][ ])"
        ),
        is_typed=True,
    ),
)
_ACCOUNT = LazyPattern(
    rb"(?:^|[\s`'\"(|*:])(?i:root|admin|administrator|postgres|sa|pi|ubnt|netadmin|sysadmin|operator|superuser|guest|demo"
    rb"|student)[`'\"*]{0,3}(?:,[ ](?:then[ ])?|[ ](?i:together with|and|with|mit|con|avec|y|et|und|plus|then|dann"
    rb"|\+|&)[ ]|[ ]\|[ ]|[ ]\()" + _VALUE
)
"""What stands beside the name of a common account."""
_KNOWN = LazyPattern(
    rb"(?i)(?:[,:;]|--|\b(?:to|at|is|was|type[ds]?|with|used?|try|tried|still|e\.|as|it's))[ ][\"'`*]{0,3}"
    rb"(letmein[0-9]{0,3}|trustno1|toor|ubnt|minioadmin|changeit|iloveyou[0-9]{0,2})\b"
)
"""A word that is nothing but a password, where a sentence gives one."""
_NUMBERS = (
    LazyPattern(
        rb"(?i)\b"
        + _NUMBER
        + rb"\b[^.!?\r\n]{0,60}?[ ]"
        + _NUMBER_TYPED
        + rb"[ ]([0-9]{4,8})(?:[^0-9.\-]|[.](?:[^0-9]|\z)|\z)"
    ),
    LazyPattern(
        rb"(?i)\b"
        + _NUMBER_TYPED
        + rb"[ ]([0-9]{4,8})[#*]?[ ]"
        + _AS
        + rb"[ ][^.\r\n]{0,20}(?:"
        + _NUMBER
        + rb"|code|pin)\b"
    ),
    LazyPattern(
        rb"(?i)\b(?:pin|puk|pass-?code|digicode)s?(?:[ ][\w\xc3\xa9 ]{0,30}?)?[ ](?:of"
        rb"|(?:went|set|reset|changed|back)(?: back)? to|pass\xc3\xa9 \xc3\xa0|auf|ge\xc3\xa4ndert auf)[ ]"
        rb"([0-9]{4,8})(?:[^0-9.\-]|[.](?:[^0-9]|\z)|\z)"
    ),
    LazyPattern(rb"(?i)\b(?:safe|alarm|door|gate|locker|tresor|keypad|code|pin|puk)[ ]?[(]([0-9][0-9#*\-]{3,10})\b"),
)
_PHRASE_SHAPE = rb"([A-Za-z\x80-\xff]{1,14}(?:[ ][A-Za-z\x80-\xff']{1,14}){2,8}?(?:[ ][0-9]{1,4})?)"
_PHRASE_NOUN = rb"(?:pass[ \-]?phrase|(?:secret|seed|recovery)[ ]phrase|phrase secr\xc3\xa8te|the phrase|phrase)"
_PHRASES = (
    # In quotes or brackets, or behind a verb or a colon.
    LazyPattern(
        rb"(?i)\b"
        + _PHRASE_NOUN
        + rb"(?:[ ][^.;:()\r\n\"`]{0,40}?)?(?:,?[ ](?:\xc3\xa0 savoir|namely|being|i\.e\.)[ ]|[ ](?:is|was|ist|est|es)"
        rb"(?:[ ](?:now|still))?:?[ ]|:[ ]|[ ]?[(\"'`]|[ ]\xe2\x80[\x9c\x9e]|[ ]\xc2\xab ?)[\"'`]?"
        + _PHRASE_SHAPE
        + rb"(?:[.,;)!?\"'`]|\xe2\x80|[ ]?\xc2\xbb|[ ]\(|[ \t]*(?:\r?\n|\z))"
    ),
    LazyPattern(
        rb"(?i)\b(?:"
        + _PHRASE_NOUN
        + rb"|password|passphrase)[ ]"
        + _PHRASE_SHAPE
        + rb"(?:[.,;)!?]|[ \t]*(?:\r?\n|\z))"
    ),
    LazyPattern(
        rb"(?i)\b(?:"
        + _PHRASE_NOUN
        + rb"|"
        + _NOUN
        + rb")[^.!?;\r\n]{0,30}[,:]?[ ](?:please[ ])?"
        + _TYPE
        + rb"[ ]"
        + _PHRASE_SHAPE
        + rb"(?:[.,;)!?]|[ ](?:and|at|then)[ ]|[ \t]*(?:\r?\n|\z))"
    ),
)


def instructed(data: bytes, *, is_typed: bool = False) -> Iterator[Span]:
    """Yield the secrets that sentences tell somebody to use.

    Args:
        data: The text.
        is_typed: A person typed it into a chat or a memory.
    """
    for pattern in _WORDS:
        if pattern.is_typed and not is_typed:
            continue
        for match in pattern.shape.finditer(data):
            span = _trimmed(data, *match.span(1))
            quote = data[span[0] - 1 : span[0]]
            is_quoted = quote in _QUOTES and quote == data[span[1] : span[1] + 1]
            if _is_given(data[slice(*span)], is_sure=pattern.is_sure or is_typed or is_quoted):
                yield span
    yield from _beside_accounts(data)
    yield from (match.span(1) for match in _KNOWN.finditer(data))
    for shape in _NUMBERS:
        yield from (match.span(1) for match in shape.finditer(data) if is_typed_code(match.group(1), is_linked=True))
    for place, shape in enumerate(_PHRASES):
        for match in shape.finditer(data):
            if _is_phrase(match.group(1).rstrip(b"0123456789 "), is_set_off=place == 0):
                yield match.span(1)


def _beside_accounts(data: bytes) -> Iterator[Span]:
    for match in _ACCOUNT.finditer(data):
        start, end = _trimmed(data, *match.span(1))
        value = data[start:end]
        is_shaped = is_typed_password(value, is_linked=True) and not value.isdigit()
        if not is_masked(value) and (is_shaped or value.lower() in _DEFAULTS):
            yield start, end


_QUOTES = (b'"', b"'", b"`", b"*")
_DEFAULTS = frozenset(
    b"calvin toor ubnt raspberry changeme changeit letmein minioadmin vagrant alpine welcome qwerty nimda".split()
)
"""Passwords that makers give to such an account."""
_JOINING = frozenset(b"for to in on at by from if is was are and or of must should can will has when which".split())
"""With which no phrase begins that somebody chose."""


def _is_phrase(words: bytes, *, is_set_off: bool) -> bool:
    """Return whether words behind the one for a phrase are it: of those that nothing sets off, more is asked."""
    if is_masked(words) or words.split()[0].lower() in _JOINING:
        return False
    is_answer = is_plain_answer(words, is_phrase=True) and not is_predicate(words)
    return (is_answer or is_plain_passphrase(words)) if is_set_off else (is_answer and is_plain_passphrase(words))


def _is_given(value: bytes, *, is_sure: bool) -> bool:
    """Return whether a word that a verb gives is a password: one with a digit or a mark in it, or a plain one."""
    if is_masked(value) or is_code_word(value) or is_predicate(value):
        return False
    return is_typed_password(value, is_linked=True) or is_word_password(value, is_sure=is_sure, is_said=True)


def _trimmed(data: bytes, start: int, end: int) -> Span:
    while end > start and data[end - 1] in b".,;:?!*_":
        end -= 1
    return start, end
