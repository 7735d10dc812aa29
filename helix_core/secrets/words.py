"""Decide whether plain words are a password that a person chose, where a place gives one. Pure functions.

``krokodil`` and ``moss on old stones`` have no shape of their own. Two signs tell them from the words of code, of user
interfaces and of sentences about passwords: what such texts say of a password belongs to a small vocabulary, and the
rest of it is common English, of which the built-in word table knows each word in one piece.
"""

from __future__ import annotations

from functools import cache, lru_cache

from helix_core.embed import static_table
from helix_core.secrets.names import names_password, names_secret
from helix_core.secrets.typed import (
    FUNCTION_WORDS,
    PREDICATE_END,
    PREDICATES,
    is_plain_passphrase,
    is_typed_password,
)
from helix_core.secrets.values import FILLER, JOINING, VALUES_KEPT, LazyPattern, is_template
from helix_core.words import split_identifier

_LONGEST = 64
_MOST_WORDS = 6
_FIRST_UNUSUAL = "\u0530"
"""Of the scripts before it words are typed as passwords: Latin, Greek, Cyrillic."""
_WORDS_KEPT = 1 << 12
_TELLING_ENDS = (b"ed", b"able", b"ible", b"less", b"ful", b"ous", b"ical", b"ory")
_ENDINGS = ("s", "es", "er", "ers", "or", "ors", "r", "rs", "tion", "ness", "ity", "ize", "izer", "y", "al")

_CODE_WORDS = frozenset(
    b"abort addr agnostic alias alphanumeric android annotation annotations anon ansible apache apis app appended "
    b"apps arent arg args argument argv array ascii askpass assert asterisk asterisks async asynchronous attr "
    b"attribute attrs auth0 authenticator autocommit autocomplete autofill autoincrement await aws azure backend "
    b"bcrypt bitte bitwarden bitwise blob bool boolean break breakpoint bruteforce btw buffer builtin builtins "
    b"byte bytea bytearray bytestring callables callback callbacks cant captcha caption celery certbot changelog "
    b"character chararray charfield chars charset checkbox checkout chrome ciphertext class cleartext cli "
    b"cloudflare codec coerce collate comma comparator compile conf config configurable configure configuring "
    b"const continue correlate couldnt crypto csrf ctrl ctx cypher danke datatype datatypes datetime debug "
    b"debugger debugging declarative decode decoder decrypt def defer deferred del delete deletes deleting "
    b"deletion dependencies deprecated deprecation desc descriptor descriptors dest deterministic dev devops "
    b"dialog dialogs dict dictionaries didnt diff digit digitalocean dir directories disabling disallowed "
    b"disconnect django docker dockerfile docs docstring doctest doesnt dont dotenv dovecot dropdown dynamically "
    b"editable eight elasticsearch element eleven elif else emit emits encode encrypt endpoint enum env environ "
    b"errno eval except exec expiration expire expires expiry expr facebook fallback feature fieldset filename "
    b"filenames filesystem finally fingerprint firebase firefox first firstname five fixes flag flask float foobar "
    b"foreach formatter four from frontend fullname func fyi generative getattr getenv getpass gitea github gitlab "
    b"global gmail google gpg gracias grazie gssapi guid gzip haproxy hardcoded hash hasher hashers hashlib hasnt "
    b"havent hello heres heroku hidden hmac homebrew hostname href html htpasswd hundred identifier identifiers "
    b"iframe impl implicitly import incomplete increment indent informative init initialization inline inliner "
    b"insensitive instagram instantiate int invalidate invoke iphone ipsum isnt iter iterable iterate iterator ive "
    b"javascript jenkins jenkinsfile json keepalive keepass kerberos keychain keycloak keyfile keygen keyring "
    b"keystore keytab keyvault keyword keywords kubernetes kwargs lambda laravel lastname lastpass ldap length "
    b"letsencrypt letter linkedin linux locale localhost localstorage lockout logger lookup lorem lowercase macos "
    b"mailbox mailer makefile mariadb markup masked masking memcached merci metadata mfa middleware middlewares "
    b"mime misc mixin modifier mongo mutated mysql namespace namespaces nargs netrc newline newlines nginx nine "
    b"noop notify npmrc ntlm null nullable num number numeric nvarchar oauth obfuscation octet offline okay okta "
    b"omit onchange onclick one onepassword online openid openssl openvpn operand optgroup optimized option "
    b"optionally optionparser orm otp overflow overlay overridden override overrides overwrite overwritten page "
    b"param params parenthesis parse parseable parser pass passthrough payload pbkdf pgpass pickle pinentry "
    b"plaintext please pls plugin plugins png populate populates popup postfix postgres postgresql pragma "
    b"predicate preprocess prev print prod prompts propagate proxies proxy ptr pypi pytest queried queries "
    b"rabbitmq radius rails raise range rationale readable readline readme readonly realname reconnect recursion "
    b"recursive redact redirect redirects redis refactor referrer refresh regex regexp reload repo repr resize "
    b"resp retry return rewrite rewritten rollback rsa runtime safari samba saml sampler sasl schema scram "
    b"screenshot scrypt sdk second secretstr section serialization serializer sessionid setattr seven sha shader "
    b"shadow shortcut shouldnt shutdown signup six smtp snapshot spring sqlalchemy ssh ssl ssn sso stack staging "
    b"stderr stdin stdout str strlen strong struct stubs subclass subclasses submit subquery substring sudo "
    b"superclass symbol symlink symlinks synchronize synchronous synopsis sys tabs teardown telnet temp ten "
    b"terraform testing textarea textbox textfield textinput thanks thats theres theyre third thirty thousand "
    b"three thx timeout timestamp timezone tls tmp toggle tomcat toolkit tooltip toplevel totp transparently "
    b"truncate truststore tuple tuples tutorial twelve twenty twitter two txt typedef ubuntu uint uncompressed "
    b"unconditionally undefined underline underlined unicode unittest unix unlocked until upload uppercase upsert "
    b"uri url urllib urls usecase userinfo utf util utils uuid vagrant validate validates validator varchar "
    b"sqlite varnish vars vault verbose visible wallet wasnt webhook webpage website whats while whitespace widget "
    b"widgets wiki wildcard windows wireguard with wont word wordlist wordpress workaround wrapper www xml yaml "
    b"yield yml youre yubikey".split()
)
_COMMON = _CODE_WORDS | PREDICATES | FUNCTION_WORDS | JOINING
_FOREIGN_PREDICATES = (
    "erforderlich falsch richtig gültig ungültig leer nötig korrekt unbekannt sicher unsicher optional "
    "obligatorisch pflichtfeld notwendig schwach stark kurz lang geheim obligatoire requis requise incorrecte "
    "invalide vide valide expiré oublié faux faible nécessaire obligatoria obligatorio incorrecta requerida "
    "requerido vacía válida inválida errónea correcta correcto incorrecto caducada olvidada débil segura incorreta "
    "errada vazia necessária obrigatória senha sbagliata errata vuota scaduta obbligatoria corretta valida invalida "
    "verplicht onjuist ongeldig vergeten verlopen fout leeg felaktigt fel tomt krävs forkert nieprawidłowe puste "
    "wymagane błędne nesprávné prázdné povinné неверный неправильный пустой обязателен нужен nicht nur auch noch "
    "wieder sehr kein eine einen einem pas plus toujours dans avec trop très muy más demasiado siempre también non "
    "più molto troppo sempre niet geen altijd "
)
_GERMAN_PARTICIPLE = LazyPattern(
    rb"(?i)^(?:(?:ab|an|auf|aus|ein|vor|zu|um)?ge[a-z]+(?:t|en)|(?:ver|be|er|ent|zer|un)[a-z\x80-\xff]+(?:t|lich|ig|bar|sam|et))$"
)
_LABEL = LazyPattern(
    rb"(?i)pass|kennw|contrase|wachtw|senha|l\xc3\xb6senord|heslo|has\xc5\x82o|parol|pwd|token|secret|secre|cred|auth|user|login"
    rb"|usuario|benutzer|hash|crypt|encod|input|field|param|value|config|setting|default|generat|require|\bkeys?(?:\b|_)|api.?key|_key"
    rb"|valid|confirm|prompt|reset|change|enter\b|please|current|locali[sz]|i18n|\bmsg\b"
)
"""Parts of words that only name what a password is about."""
_REFERENCE = LazyPattern(
    rb"^[A-Z][A-Z0-9_\-]*$|^[A-Za-z]+\.[A-Za-z_]+\.[A-Za-z_.]+$|[()\[\]{}<>=;|\\\"'`]|::|://|^[0-9.,:\-]+$|@[\w\-]+\.|^[./~]|/$"
    rb"|(?i:\.(?:txt|key|pem|json|ya?ml|toml|conf|cfg|ini|py|pyc|jsx?|tsx?|sh|com|org|net|io|dev|local|html?|xml|p12|pfx|jks|crt"
    rb"|cer|env|gpg|asc|md|rst|log|db|sql|go|rs|rb|php|java|cs?|cpp|h|css|zip|gz|tar|dll|exe|so|plist|lock)$)"
)
_ATTRIBUTE = LazyPattern(rb"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_LETTER = LazyPattern(rb"[A-Za-z\x80-\xff]{3}")


@lru_cache(VALUES_KEPT)
def is_word_password(value: bytes, *, is_sure: bool, is_said: bool = False) -> bool:
    """Return whether words, perhaps with digits and marks, may be a password that stands where a place gives one.

    Args:
        value: The whole literal, or the bare word.
        is_sure: A user's name is next to it, or nothing but a password can stand in its place. Where it is false,
            a word that is not common English must be among them.
        is_said: A sentence gives it, which may tell of a password instead.
    """
    if (
        value.lower() in _COMMON
        or not 4 + (not is_sure) <= len(value) <= _LONGEST
        or not _LETTER.search(value)
        or is_template(value)
    ):
        return False
    if value[:1] in b"-$%&*#+,.:!?@" or _REFERENCE.search(value) or _LABEL.search(value):
        return False
    if not is_sure and _ATTRIBUTE.search(value):
        return False
    words = [word for word in split_identifier_words(value) if not word.isdigit()]
    if not words or any(max(word) >= _FIRST_UNUSUAL for word in words) or len(words) > _MOST_WORDS:
        return False
    untold = [
        word
        for word in words
        if not (_is_sentence_word(word) or ((is_said or not is_sure) and _is_descriptive(word, is_said)))
    ]
    if is_sure:
        return bool(untold)
    most = 0 if len(words) < 3 else len(words) // 2
    return len(words) - len(untold) <= most and any(len(word) >= 4 and not is_english(word) for word in untold)


def is_plain_answer(value: bytes, *, is_phrase: bool) -> bool:
    """Return whether two to six words that end ``the passphrase is …`` are the phrase: few of them join or tell.

    ``is_phrase`` is true where the sentence speaks of a passphrase, which may hold more of those.
    """
    words = split_identifier_words(value)
    told = sum(_is_sentence_word(word) or _is_descriptive(word, is_said=True) for word in words)
    return 2 <= len(words) <= _MOST_WORDS and told * (2 if is_phrase else 4) <= len(words)


def is_chosen_word(value: bytes) -> bool:
    """Return whether the value is a word with a number behind it that no program gives its things."""
    return not is_code_word(value) and is_typed_password(value, is_linked=True)


def is_worded(name: bytes, value: bytes, *, is_sure: bool | None = True) -> bool:
    """Return whether the name is one of a password or of a secret itself, and the words of the value may be one.

    ``is_sure`` tells whether the value is that of the name: false where it may be, None where it is not.
    """
    if is_sure is None:
        return False
    if names_password(name):
        words = len(value.split())
        is_given = is_word_password(value, is_sure=is_sure and words == 1) or (words > 2 and is_plain_passphrase(value))
        return is_given or (is_sure and is_lower_phrase(value))
    return names_secret(name) and (is_word_password(value, is_sure=False) or (is_sure and is_lower_phrase(value)))


def is_lower_phrase(value: bytes) -> bool:
    """Return whether a literal has two words or more in lower case, as no label of a field has."""
    return value.islower() and _LABEL.search(value) is None and is_plain_answer(value, is_phrase=False)


def is_code_word(value: bytes) -> bool:
    """Return whether the word is one of programs with a number behind it: ``bcrypt4``, ``win32``."""
    letters = value.rstrip(b"0123456789.-_").lower()
    if letters in _CODE_WORDS or letters in PREDICATES:
        return True
    words = [word for word in split_identifier_words(value) if len(word) > 2 and not word.isdigit()]
    return bool(words) and all(word.encode() in _COMMON for word in words)


def split_identifier_words(value: bytes) -> list[str]:
    """Return the lower-case words of a literal, split at blanks, marks, case and digits."""
    return [
        part
        for word in value.decode("utf-8", "ignore").replace("-", " ").replace(".", " ").split()
        for part in split_identifier(word.strip("!?#$&*+~%^"))
        if part.isalnum()
    ]


def _is_sentence_word(word: str) -> bool:
    """Return whether code, a user interface or a sentence says the word of a password."""
    data = word.removesuffix("s").encode() if len(word) > 4 else word.encode()
    return (
        len(word) < 3
        or data in _CODE_WORDS
        or data in PREDICATES
        or word.encode() in _CODE_WORDS
        or data in FUNCTION_WORDS
        or data in JOINING
        or word in _foreign_predicates()
        or _is_made_of_english(word)
        or len(set(word)) < 2
        or FILLER.sub(b"", data) in (b"", b"my", b"the", b"your", b"some")
    )


def _is_descriptive(word: str, is_said: bool) -> bool:
    """Return whether the word has an ending of adjectives: ``weekly``, ``abgelaufen``."""
    data = word.encode()
    end = PREDICATE_END.search(data) if len(word) > 4 and is_english(word) else None
    stem = word[: end.start()] if end is not None else ""
    is_adjective = end is not None and (end.group() in _TELLING_ENDS or is_english(stem) or is_english(stem + "e"))
    return is_adjective or (is_said and _GERMAN_PARTICIPLE.search(data) is not None)


def _is_made_of_english(word: str) -> bool:
    """Return whether the word is a form of a common verb: ``rehashed``, ``autofilling``."""
    end = next((end for end in ("ible", "able", "ing", "ed") if word.endswith(end)), "")
    whole = word.removesuffix(end)
    start = next((start for start in ("re", "un", "pre", "auto", "over") if whole.startswith(start)), "")
    stem = whole.removeprefix(start) if start or end else ""
    stems = (stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem, stem.removesuffix("i") + "y")
    return len(stem) > 2 and any(one.encode() in _CODE_WORDS or is_english(one) for one in stems)


@cache
def _foreign_predicates() -> frozenset[str]:
    return frozenset(_FOREIGN_PREDICATES.split())


@lru_cache(_WORDS_KEPT)
def is_english(word: str) -> bool:
    """Return whether the word table knows the lower-case word, or what it is derived from, in one piece."""
    table = static_table()
    if table.row(word.encode()) >= 0:
        return True
    stems = (word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) - len(end) > 3)
    return any(table.row((stem + more).encode()) >= 0 for stem in stems for more in ("", "e", "y"))
