"""Say what the words around a word tell of it: what its sentence speaks of, and how it is joined to that.

Pure functions of the words of a line. Each word has classes (a word for a credential, a verb that gives one, …), looked
up once per word; a line has ``Passage``, from which the context of any of its words is read in constant time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from helix_core.tuples import NamedTuple

_WORDS_KEPT, _CLASSES_KEPT, _LONGEST_WORD = 1 << 13, 1 << 10, 64
_LEAD, _TAIL = b"\"'`(<[{*_", b"\"'`)>]}.,;:!?*_"
_NEAR, _STILL_AT_MOST, _NAMED_BEFORE = 5, 2, 8
_ENDS = (b".", b"!", b"?", b";")
_OPENING_QUOTES = frozenset("« „ “ > ‹".encode().split())
_SIGNS = frozenset("-> => → ⇒ = := : -- - – — | ==".encode().split())

_TABLE: dict[str, str] = {
    "password": (
        "pw pwd psw pass passphrase passphrases passcode passcodes passkey pword passw p/w creds cred "
        "credential credentials kennwort kennwörter contraseña contrasena contraseñas mdp senha senhas "
        "wachtwoord wachtwoorden heslo hasło haslo hasła lösenord lösenordet losenord parola psk passe phrase "
        "zugangsdaten passord adgangskode jelszó parool storepass keypass requirepass pin-code"
    ),
    "key": (
        "key keys token tokens secret secrets apikey pat jwt bearer hmac dsn cookie cookies seed mnemonic "
        "license licence licencia lizenz schlüssel clave claves clé chiave chave community salt wpa wpa2 wpa3 "
        "keyfile session share unseal psk webhook signing"
    ),
    "number": (
        "pin pins puk code codes passcode otp totp 2fa mfa combo combination digicode keypad geheimzahl sms "
        "alarm authenticator voicemail lock safe tresor candado código codigo codice door gate garage tür "
        "puerta porte locker disarm arm telefonbanking zugangscode türcode"
    ),
    "access": (
        "login logins logon log-in log logged logs logging signin sign-in signon sign signed signs signing "
        "account accounts user users username usernames admin administrator root unlock unlocks unlocked "
        "unlocking decrypt decrypts decrypted encrypt encrypted encrypts prompt prompts prompted vault wifi "
        "wi-fi wlan vpn router ssh sftp ftp imap smtp ldap snmp sudo luks rdp vnc bios nas auth access "
        "protected protects secured console mailbox anmelden anmeldung einloggen eingeloggt nutzer benutzer "
        "benutzername konto geschützt usuario usuarios utilisateur identifiant compte connexion protégé "
        "protégée connecte connecter connectez connect connects connected connecting entra entrar entré "
        "entrei zugang keepass bitwarden bitlocker authenticate authenticates authenticated authentication "
        "superuser sudoers bastion jump ipmi idrac ilo bmc drac kiosk hotspot ssid psql mysql enable locked "
        "usr uid sa"
    ),
    "opens": (
        "open opens opened unlock unlocks work works worked working accept accepts accepted let lets takes "
        "take wants want wanted asks ask asked asking expects expect get gets got pide pidió demande fragt "
        "fragte geht öffnet abre ouvre entrar reinkommst rein kommst listens answers answered protects "
        "protected"
    ),
    "service": (
        "grafana jenkins postgres postgresql mongo mongodb redis rabbitmq kibana elastic elasticsearch zabbix "
        "minio harbor gitlab github jira confluence nexus artifactory kafka tomcat wordpress phpmyadmin "
        "vcenter esxi proxmox synology portainer keycloak okta splunk sentry datadog slack twilio stripe aws "
        "azure gcp openai huggingface npm pypi docker registry printer drucker switch firewall camera nvr "
        "cluster server db database bucket laptop phone tablet zip pdf"
    ),
    "be": (
        "is was be became equals ist war lautet lautete heißt hieß es est era c'est sera it's its são é è är "
        "er je jest to being stays remains been are bleibt sigue étant that's"
    ),
    "give": (
        "use uses using used try tried type typed typing types enter entered entering enters chose picked "
        "pick choose gave give giving got said say says reads put puts set keep kept take takes took wants "
        "want accepts expects nimm nehmt usa usen uso pon puse pone saisir tape tapez escribe escribí prueba "
        "probé mets mettez mis essaie essayez utilise gib gebt geben eingeben eingetippt tippe tenta tente "
        "usei coloca answer answered send sent paste pasted insert supply specify replace replaced "
        "rotated pass passing submit had tenemos haben need requires was: verwende benutze probier versuch "
        "versuche insere digite digita inserisci metti gebruik vul"
    ),
    "with": "with w/ mit con avec com via by using through met med s",
    "to": "to as into onto auf zu als como come comme a à en at zum",
    "and": "and then y und et e & + plus dann luego puis poi i and/or",
    "place": (
        "for on in at of from für im von vom de del du la el le les para pour under behind see about over "
        "after before since until bis seit desde hasta depuis per beim bei zum zur op van voor do da dos das "
        "no na nos au aux dans sur sous"
    ),
    "article": (
        "the an this that these my your our his her their each every any some no der die das den dem ein eine "
        "einen mein meine dein unser el la los las un una mi tu su le les une mon ton son notre votre o um "
        "uma meu de het een mijn"
    ),
    "worded": "word words wort palabra mot frase phrase losung codewort codeword keyword passwort-wort parole",
    "user": (
        "user username account nutzer benutzer benutzername usuario host server login usr u bob uid name "
        "utilisateur compte konto usuário"
    ),
    "named": (
        "rfc iso http error branch ticket version column field table function class file page option flag "
        "setting port parameter variable extension order build commit uuid id serial number nr customer "
        "tracking release image model pod node request room phase step section line row entry called named "
        "group role database schema bucket region zone package module library disk mac sha256 checksum "
        "fingerprint case issue method header tag hash digest trace revision rev bisect revert rollback "
        "review merge cherry-pick rebase squash checkout pr job run chart algorithm folder path dir directory "
        "branch: heißt llamado appelé"
    ),
    "other_number": (
        "rfc ports port count limit error errors status http page pages line lines year years since until "
        "version extension ticket tickets issue room customer tracking serial order max min maximum minimum "
        "timeout seconds bytes model request requests sha256 checksum commit cve iterations rounds "
        "combinations permissions chmod mode attempts tries times entries records hits accounts people bits "
        "release hours minutes days characters digits zeichen caracteres caractères call seats item items "
        "rows users mb gb ms"
    ),
    "telling": (
        "must should require requires required invalid characters character digits expired expire expires "
        "forgot forgotten valid least stored hashed hash hashes hashing generate generated generates header "
        "environment default bump rename renamed renames revert merge typo return returns raise raises "
        "deprecated muss müssen debe doit ttl warranty lifetime policy length rotate rotation reset optional "
        "missing wrong incorrect stores compared compare lost unknown vergessen abgelaufen olvidado caduca "
        "obligatoria oublié expiré perdu"
    ),
    "asking": (
        "what which who where why how when whose can could does did is are was were wer wie wo wann hast "
        "kannst qué quién dónde cómo qui quel comment où"
    ),
    "still": (
        "now literally just simply still currently only again always probably maybe actually also too really "
        "jetzt noch nur ahora todavía toujours maintenant erstmal here so jetzt: well ok yes yeah sure "
        "exactly basically"
    ),
    "not": (
        "not never no nicht kein keine nie nunca jamais pas non nao não isn't wasn't don't doesn't didn't "
        "won't can't cannot"
    ),
    "it": "it that this one ones es das ça lo eso him her them me you us",
    "conjunction": (
        "and but or so until till because which who if when while since then und aber oder bis weil y pero o "
        "e mais ou mas et car donc than although though"
    ),
    "default": (
        "changeme letmein admin root guest password passw0rd qwerty qwertz azerty calvin toor ubnt cisco "
        "raspberry default secret test demo welcome vagrant minioadmin postgres oracle tiger superuser public "
        "private administrator ansible alpine pi backup user manager support service supervisor operator "
        "hunter iloveyou dragon monkey shadow master sunshine princess football baseball passwort kennwort "
        "geheim hallo motdepasse contraseña opensesame abracadabra"
    ),
}
"""The words of each class."""
_CLASSES: dict[bytes, frozenset[str]] = {}
for _name, _words in _TABLE.items():
    for _word in _words.encode().split():
        _CLASSES[_word] = _CLASSES.get(_word, frozenset()) | {_name}

_PASSWORD = re.compile(
    rb"p[asor]{1,5}w[aswor]{0,4}[dt]{1,2}s?|.*[_\-](?:pass|pw|pwd)|.*passw(?:ort|\xc3\xb6rter|ord)s?|.*(?:kennwort|password|passphrase|passwd)|pass-?phrase"
)
_KEY = re.compile(
    rb".*(?:schl(?:\xc3\xbc|ue)ssel|[_\-](?:key|token|secret)s?)|(?:api|ssh|gpg|aes|pre-?shared)[_\-]?keys?"
)
_NUMBER = re.compile(rb".*(?:[\-](?:pin|code)s?|code)|(?:zugangs|t\xc3\xbcr|tuer|alarm)code")
_NAMING = frozenset(
    b"user role group team tenant host machine server cluster node worker pod job service deployment namespace "
    b"container image module package library firmware driver browser release version model device branch ticket issue "
    b"database schema bucket table column field class function file folder nutzer benutzer rolle rechner usuario "
    b"utilisateur".split()
)
"""Words behind which stands the name of what they say."""
_AMBIGUOUS = frozenset((b"pass", b"code", b"codes"))
_PROGRAM_CODES = frozenset(
    b"error status exit return response http source close country zip postal area reason result product this the-same "
    b"python java c our sample example generated legacy dead machine byte".split()
)
_BEFORE_VERB = frozenset(
    b"to must can could should will would you we i they not only tests test don't doesn't didn't never always they'll "
    b"all checks which".split()
)
_AFTER_VERB = frozenset(
    b"to the a an it in on through as all no any this that them along these those by either".split()
)
_NOUNS = frozenset(("password", "key", "number"))
_CREDENTIALS = frozenset(("password", "key"))
_JOINING = frozenset(("be", "and"))
_NOTHING: frozenset[str] = frozenset()


@lru_cache(_WORDS_KEPT)
def classes_of_word(word: bytes) -> frozenset[str]:
    """Return the classes of a word in lower case, without the punctuation around it."""
    found = _CLASSES.get(word, _NOTHING)
    if word[-2:] == b"'s" or word[-3:] == "’s".encode():
        found |= _CLASSES.get(word.partition(b"'")[0].partition("’".encode())[0], _NOTHING) | {"be"}
        word = word.partition(b"'")[0].partition("’".encode())[0]
    if len(word) <= 40:
        if "password" not in found and _PASSWORD.fullmatch(word) is not None:
            found |= {"password"}
        if _KEY.fullmatch(word) is not None:
            found |= {"key"}
        if _NUMBER.fullmatch(word) is not None:
            found |= {"number"}
    return found


class WordRoles(NamedTuple):
    """What a word of some classes is to its neighbors: by what it joins the word behind it, what it is before one that
    joins, and what it is behind a word.
    """

    link: str
    prior: str
    follower: str


@lru_cache(_CLASSES_KEPT)
def _roles(classes: frozenset[str]) -> WordRoles:
    return WordRoles(
        next((name for name in _ORDER if name in classes), "other"),
        next((name for name in _PRIOR_ORDER if name in classes), "other"),
        next((name for name in _NEXT_ORDER if name in classes), "word"),
    )


class Word(NamedTuple):
    """A word of a line: where its bytes begin, what it is, and in which sentence of the line it stands."""

    start: int
    raw: bytes
    lowered: bytes
    classes: frozenset[str]
    sentence: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A line with what its sentences speak of, and what the line before it does."""

    data: bytes
    words: list[Word]
    nouns: list[int]
    about: list[frozenset[str]]
    before: frozenset[str]

    @classmethod
    def of(cls, line: bytes, before: frozenset[str] = _NOTHING) -> Passage:
        """Return the passage of a line; ``before`` are the classes of the words of the line before it."""
        words = list(_words_of(line))
        for place, word in enumerate(words):
            if word.lowered in _AMBIGUOUS and _is_other_sense(words, place):
                words[place] = word._replace(classes=_NOTHING)
        about: list[set[str]] = [set() for _ in range(words[-1].sentence + 1)] if words else []
        nouns: list[int] = []
        for place, word in enumerate(words):
            if word.classes:
                about[word.sentence] |= word.classes
                if not word.classes.isdisjoint(_NOUNS):
                    nouns.append(place)
        return cls(line, words, nouns, [frozenset(one) for one in about], before)

    @property
    def classes(self) -> frozenset[str]:
        """Return the classes of all words of the line."""
        return _NOTHING.union(*self.about)


def classes_of_line(line: bytes) -> frozenset[str]:
    """Return the classes of all words of a line, as its passage does."""
    found: set[str] = set()
    for raw in line.split():
        lowered, classes, _ = _read_long(raw) if len(raw) >= _LONGEST_WORD else _read(raw)
        if lowered in _AMBIGUOUS:
            return Passage.of(line).classes
        if classes:
            found |= classes
    return frozenset(found)


def _is_other_sense(words: list[Word], place: int) -> bool:
    """Return whether ``pass`` is a verb, or ``code`` that of a program."""
    before = words[place - 1].lowered if place else b""
    if words[place].lowered != b"pass":
        return before in _PROGRAM_CODES
    if words[place].raw[-1:] in (b":", b"=", b","):
        return words[place].raw == b"PASS:"
    after = words[place + 1].lowered if place + 1 < len(words) else b""
    return after in _AFTER_VERB or before in _BEFORE_VERB


def _words_of(line: bytes) -> Iterator[Word]:
    end = sentence = 0
    make = tuple.__new__
    for raw in line.split():
        start = line.index(raw, end)
        end = start + len(raw)
        lowered, classes, is_last = _read(raw) if len(raw) < _LONGEST_WORD else _read_long(raw)
        yield make(Word, (start, raw, lowered, classes, sentence))
        sentence += is_last


@lru_cache(_WORDS_KEPT)
def _read(raw: bytes) -> tuple[bytes, frozenset[str], bool]:
    """Return a word without the punctuation around it, its classes, and whether a sentence ends with it."""
    lowered = raw.strip(_LEAD + _TAIL).lower() or raw
    return lowered, classes_of_word(lowered), raw[-1:] in _ENDS


def _read_long(raw: bytes) -> tuple[bytes, frozenset[str], bool]:
    """Return of a long word its begin, the classes of that, and whether a sentence ends with the word."""
    return raw[:_LONGEST_WORD], classes_of_word(raw[:_LONGEST_WORD]), raw[-1:] in _ENDS


def names_credential(raw: bytes) -> bool:
    """Return whether the word, with the punctuation around it, is one for a credential in some sense."""
    classes = (_read(raw) if len(raw) < _LONGEST_WORD else _read_long(raw))[1]
    return not classes.isdisjoint(_NOUNS)


def topic(passage: Passage, place: int) -> str:
    """Return how near to the word its line speaks of a credential: from ``near`` to ``none``."""
    words = passage.words
    sentence = words[place].sentence
    nearest = _nearest(passage.nouns, place, words, sentence)
    if nearest is not None:
        return nearest
    about = passage.about[sentence]
    if "access" in about:
        return "access"
    around = passage.about[sentence - 1] if sentence else passage.before
    if around & _NOUNS:
        return "noun_before"
    if sentence + 1 < len(passage.about) and passage.about[sentence + 1] & _NOUNS:
        return "noun_after"
    if sentence > 1 and any(one & _NOUNS for one in passage.about[:sentence]):
        return "noun_before"
    if "access" in around:
        return "access_before"
    if sentence and passage.before & _NOUNS:
        return "noun_line"
    return "service" if "service" in about else "none"


def _nearest(nouns: list[int], place: int, words: list[Word], sentence: int) -> str | None:
    before = after = None
    low, high = 0, len(nouns)
    while low < high:
        middle = (low + high) // 2
        if nouns[middle] < place:
            low = middle + 1
        else:
            high = middle
    if low and words[nouns[low - 1]].sentence == sentence:
        before = place - nouns[low - 1]
    follows = low + (low < len(nouns) and nouns[low] == place)
    if follows < len(nouns) and words[nouns[follows]].sentence == sentence:
        after = nouns[follows] - place
    if before is not None and (before <= _NEAR or after is None):
        return "near" if before <= _NEAR else "far"
    if after is not None:
        return "follows" if after <= _NEAR else "follows_far"
    return None


_ORDER = (
    "be",
    "give",
    "with",
    "and",
    "to",
    "worded",
    "password",
    "key",
    "number",
    "user",
    "named",
    "place",
    "article",
    "opens",
)


def link(passage: Passage, place: int, opening: bytes, *, is_second: bool) -> tuple[str, str]:
    """Return how the word is joined to what precedes it, and what that is: ``("be", "noun")`` for ``the pw is …``.

    Args:
        passage: The line.
        place: The number of the word in it.
        opening: The marks before the word itself.
        is_second: It is the second half of a pair as ``bob/…``.
    """
    words = passage.words
    at = place - 1
    if is_second:
        return "pair", _prior(words, at)
    if at < 0:
        return "start", "nothing"
    if b"(" in opening:
        return "bracket", _prior(words, at)
    if words[at].sentence != words[place].sentence:
        return "start", _prior(words, at)
    if words[at].raw.lstrip(b"([") in _OPENING_QUOTES and at > 0:
        at -= 1
    skipped = 0
    while at > 0 and skipped < _STILL_AT_MOST and "still" in words[at].classes and words[at].raw[-1:] not in b",:":
        at -= 1
        skipped += 1
    previous = words[at]
    raw, last = previous.raw, previous.raw[-1:]
    if raw in _SIGNS or last in (b":", b"=") or raw[-2:] == b"->":
        return "sign", _prior(words, at - (raw in _SIGNS))
    if last == b"," and previous.classes.isdisjoint(_JOINING):
        return "comma", _prior(words, at)
    found = _roles(previous.classes).link
    if found == "be" and at > 0 and "not" in previous.classes:
        return "not", _prior(words, at - 1)
    if "not" in previous.classes and found in ("other", "article", "place"):
        return "not", _prior(words, at - 1)
    return ("noun" if found in _NOUNS else found), _prior(words, at if found in _NOUNS else at - 1)


_PRIOR_ORDER = (
    "password",
    "key",
    "number",
    "it",
    "access",
    "give",
    "opens",
    "user",
    "be",
    "service",
    "named",
    "place",
    "and",
)


def _prior(words: list[Word], at: int) -> str:
    """Return what the word at a place is to what follows the next one."""
    while at > 0 and "still" in words[at].classes:
        at -= 1
    if at < 0:
        return "nothing"
    return _roles(words[at].classes).prior


_NEXT_ORDER = (
    "password",
    "other_number",
    "be",
    "opens",
    "conjunction",
    "to",
    "place",
    "with",
    "article",
    "it",
    "key",
    "number",
    "access",
)
FOLLOWERS = (*_NEXT_ORDER, "word", "end", "comma", "closing", "sign")
"""All that ``follower`` returns."""


def follower(passage: Passage, place: int, end: int) -> str:
    """Return what follows the word that ends at ``end``."""
    words, line = passage.words, passage.data
    behind = line[end : end + 1]
    if place + 1 >= len(words) or (behind and behind in b".!?;" and words[place + 1].sentence != words[place].sentence):
        return "end"
    if behind and behind not in b" \t":
        return "comma" if behind in b",:" else "closing"
    if words[place + 1].raw in _SIGNS:
        return "sign"
    return _roles(words[place + 1].classes).follower


def names_next(raw: bytes) -> bool:
    """Return whether the word behind this one is the name of what this one calls it: ``user``, ``firmware``."""
    return raw.lower() in _NAMING


def is_named(passage: Passage, place: int, reach: int = _NAMED_BEFORE) -> bool:
    """Return whether one of the ``reach`` words of the sentence before it says that the word is the name of something
    else, and none between them is for a credential.
    """
    words = passage.words
    sentence, at = words[place].sentence, place - 1
    first = max(0, place - reach)
    while at >= first and words[at].sentence == sentence:
        classes = words[at].classes
        if classes:
            if not classes.isdisjoint(_CREDENTIALS):
                return False
            if "named" in classes:
                return True
        at -= 1
    return False
