"""Read a misspelled word of a question as the word of the index that its writer meant.

A word is a typo where the index and common English lack it, and one stroke makes it a word that they have: two letters
exchanged, one left out, doubled, or replaced by a neighboring key. A word that may be made of an English one, as
"wokers" of "woke", is a typo where the index lacks it and has a common word with a letter exchanged or added.
Names as only code has them, quoted text and capitalized names are never changed, nor is the only word of a question,
which may be what is not here. A word of three letters, or one of common English, is a typo of a function word only
where such a word is expected: ``hwo does``, ``how dose``, ``… pool wrk``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from helix_core.embed import static_table
from helix_core.search.question import QUESTION_WORDS, Question, is_request_word
from helix_core.store import QueryBudgetError, Reader, phrase
from helix_core.words import is_compound, lazy_pattern, split_identifier

SHORTEST, LONGEST = 5, 24
SHORTEST_KNOWN = 4
MOST_SLIPS = 4
LEAST_FREQUENCY = 3
"""In so many chunks a word that is not common English must be before a slip is read as it."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = "aeiou"


def _adjacent_keys() -> dict[str, str]:
    """Return the letters that are next to each on a keyboard, and for a vowel the other vowels."""
    near: dict[str, set[str]] = {letter: set() for letter in _LETTERS}
    for row, keys in enumerate(_ROWS):
        for place, key in enumerate(keys):
            for other in (keys[place - 1 : place] if place else "") + keys[place + 1 : place + 2]:
                near[key].add(other)
            for other in _ROWS[row + 1][max(0, place - 1) : place + 1] if row + 1 < len(_ROWS) else "":
                near[key].add(other)
                near[other].add(key)
    for vowel in _VOWELS:
        near[vowel].update(_VOWELS.replace(vowel, ""))
    return {key: "".join(sorted(others)) for key, others in near.items()}


_ADJACENT_KEYS: Mapping[str, str] = _adjacent_keys()


def _strokes(word: str) -> Iterator[list[str]]:
    """Yield the words that one stroke makes of ``word``, the commonest kinds of slips first.

    The first letter stays unless it is exchanged with the second: hardly anybody misses it.
    """
    places = range(len(word))
    yield [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1] if word[at] != word[at + 1]]
    yield [word[:at] + word[at + 1 :] for at in places[1:] if word[at] == word[at - 1]]
    yield [word[:at] + letter + word[at:] for at in range(1, len(word) + 1) for letter in _LETTERS]
    yield [word[:at] + letter + word[at + 1 :] for at in places[1:] for letter in _ADJACENT_KEYS.get(word[at], "")]


def is_one_stroke(word: str, meant: str) -> bool:
    """Return whether one stroke makes ``meant`` of ``word``, whatever their case."""
    low, wanted = word.lower(), meant.lower()
    return abs(len(low) - len(wanted)) <= 1 and any(wanted in near for near in _strokes(low))


def corrections(text: str, question: Question, frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the misspelled words of a question with what they are read as; ``frequency`` is that of its words."""
    names = (*question.identifiers, *question.paths)
    known = {
        part for name in names for word in re.findall(r"\w+", name) for part in (word.lower(), *split_identifier(word))
    }
    known |= question.proper | {word for quoted in question.quoted for word in quoted}
    read = _as_defined(text, question, frequency, reader)
    words = [word for word in question.words if word not in known and word not in read]
    read |= _spelled_elsewhere(words, frequency, reader)
    read |= _other_forms([word for word in words if word not in read], frequency, reader)
    read |= _in_two_words([word for word in words if word not in read], frequency, reader)
    if len(text.split()) < 2:
        return read
    read |= _verbs([word for word in words if word not in read], text, frequency, reader)
    unknown = [word for word in words if not frequency.get(word) and word not in read]
    read |= _function_words(text, frozenset(unknown))
    slips = [
        word
        for word in unknown
        if word not in read and not _is_technical(word) and (_is_strange(word) or _may_be_derived(word))
    ]
    found = {
        word: _correction(word, reader) if _is_strange(word) else _likely_correction(word, reader)
        for word in slips[:MOST_SLIPS]
    }
    return read | _as_named({word: meant for word, meant in found.items() if meant}, reader)


def _as_named(read: Mapping[str, str], reader: Reader) -> dict[str, str]:
    """Return the corrections with a word that is only a name as it is defined: ``nextick`` is ``nextTick``, of which
    the index has the lower case, too.
    """
    bold = [meant for meant in read.values() if is_bold(meant)]
    try:
        hits = reader.names.definitions(bold) if bold else []
    except QueryBudgetError:
        return dict(read)
    defined = {hit.name for hit in hits}
    names = {name.lower(): name for name in sorted(defined) if is_compound(name) and name.lower() not in defined}
    return {word: names.get(meant, meant) for word, meant in read.items()}


def slips(read: Mapping[str, str]) -> dict[str, str]:
    """Return those of the corrections that are guesses of what was meant: not the other English, nor a word that any
    question has.
    """
    return {
        typed: meant
        for typed, meant in read.items()
        if is_one_stroke(typed, meant)
        and not (meant in QUESTION_WORDS or is_request_word(meant))
        and not (meant in _other_spellings(typed) or _base_of(typed) == meant)
    }


def is_bold(meant: str) -> bool:
    """Return whether a guess is no word of common English: another name may be meant, which is not here."""
    return _is_strange(meant)


SHORTEST_NAME, LONGEST_NAME = 6, 24
_IN_QUOTES = lazy_pattern(r"(?<=[`\"'“])[A-Za-z]+(?=[`\"'”])", cues="`|\"|'")


def _as_defined(text: str, question: Question, frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the words that are names of definitions but for their underscores: ``getvalue``, or ``getValue``, for
    ``get_value``. A name in quotes is meant as it is.
    """
    meant = {word.lower() for word in _IN_QUOTES.findall(text)}
    meant |= {word.lower() for path in question.paths for word in re.findall(r"\w+", path)}
    wanted = [
        word
        for word in question.words
        if word not in meant
        and word.isascii()
        and word.isalpha()
        and SHORTEST_NAME <= len(word) <= LONGEST_NAME
        and frequency.get(word, 0) < LEAST_FREQUENCY
        and not _is_english(word)
    ][:MOST_SLIPS]
    if not wanted:
        return {}
    names = {word: list(_with_underscores(word)) for word in wanted}
    try:
        hits = reader.names.definitions({name for own in names.values() for name in own} | set(wanted))
    except QueryBudgetError:
        return {}
    defined = {hit.name.lower(): hit.name for hit in hits}
    return {
        word: next(defined[name] for name in own if name in defined)
        for word, own in names.items()
        if word not in defined and any(name in defined for name in own)
    }


def _with_underscores(word: str) -> Iterator[str]:
    """Yield the names of two and of three parts that are the word without their underscores; also private ones."""
    cuts = range(2, len(word) - 1)
    for name in (
        *(f"{word[:at]}_{word[at:]}" for at in cuts),
        *(f"{word[:at]}_{word[at:end]}_{word[end:]}" for at in cuts for end in cuts if end > at + 1),
    ):
        yield from (name, f"_{name}")


_ENGLISH_OF_TWO = (
    (r"(?<=[a-z]{2})our(?=$|s$|ed$|ing$|able$|ful$|less$|ite|al)", "or"),
    (r"(?<=[a-z]{2})or(?=$|s$|ed$|ing$|able$|ful$|less$|ite|al)", "our"),
    (r"is(?=(?:e[ds]?|ers?|ing|ations?|able)$)", "iz"), (r"iz(?=(?:e[ds]?|ers?|ing|ations?|able)$)", "is"),
    (r"ys(?=(?:e[ds]?|ers?|ing)$)", "yz"), (r"yz(?=(?:e[ds]?|ers?|ing)$)", "ys"),
    (r"tre(?=s?$)", "ter"), (r"ter(?=s?$)", "tre"), (r"logue(?=s?$)", "log"), (r"log(?=s?$)", "logue"),
    (r"ence(?=s?$)", "ense"), (r"ense(?=s?$)", "ence"), (r"dgement", "dgment"), (r"dgment", "dgement"),
    (r"^grey", "gray"), (r"^gray", "grey"), (r"^artefact", "artifact"), (r"^artifact", "artefact"),
    (r"^programme(?=s?$)", "program"), (r"^regex(?=$|es$)", "regexp"), (r"^regexp(?=s?$)", "regex"),
    (r"adapter(?=s?$)", "adaptor"), (r"adaptor(?=s?$)", "adapter"),
)  # fmt: skip
"""How British and American English, and programmers, spell the same word, either way."""
_SPELLING = lazy_pattern("|".join(f"({pattern})" for pattern, _ in _ENGLISH_OF_TWO))
SHORTEST_SPELLED = 4
MUCH_MORE = 5
"""So many times more chunks than the word itself must have the other spelling."""


def _spelled_elsewhere(words: Sequence[str], frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the words that the index spells as the other English does: ``colours`` for ``colors``."""
    others = {word: _other_spellings(word) for word in words if word.isascii() and len(word) >= SHORTEST_SPELLED}
    wanted = list(dict.fromkeys(other for each in others.values() for other in each))
    try:
        known = reader.words.known(wanted) if wanted else {}
    except QueryBudgetError:
        return {}
    best = {word: max(each, key=lambda other: known.get(other, 0)) for word, each in others.items() if each}
    return {word: other for word, other in best.items() if known.get(other, 0) > MUCH_MORE * frequency.get(word, 0)}


def _other_spellings(word: str) -> list[str]:
    return [
        f"{word[: found.start()]}{_ENGLISH_OF_TWO[(found.lastindex or 0) - 1][1]}{word[found.end() :]}"
        for found in _SPELLING.finditer(word)
    ]


_SHORT_FORM_LINES = """
dictionary dict, directory dir, parameter param, argument arg, configuration config cfg, environment env, message msg,
exception exc, temporary tmp temp, asynchronous async, synchronous sync, authentication auth, authorization auth,
database db, application app, repository repo, integer int, boolean bool, character char, reference ref, pointer ptr,
maximum max, minimum min, previous prev, response resp, context ctx, connection conn, address addr, destination dst
dest, buffer buf, attribute attr, property prop, specification spec, library lib, package pkg, variable var, statistics
stats, utility util, memory mem, expression expr, statement stmt, declaration decl, separator sep, sequence seq,
millisecond ms, certificate cert, credential cred, administrator admin, concatenate concat, evaluate eval, execute exec,
iterator iter, allocate alloc, identifier ident id, interface iface, kubernetes k8s, internationalization i18n,
localization l10n, accessibility a11y, registration registry register, abbreviation abbr, keybinding bind binding,
ajax xhr
"""
_SHORT_FORMS = {long: tuple(short) for long, *short in map(str.split, _SHORT_FORM_LINES.split(","))}
"""What programmers write short, with how code has it."""
_VERB_LINES = """
resolution resolve, conversion convert, comparison compare, subscription subscribe, decision decide, submission submit,
transmission transmit, emission emit, omission omit, exclusion exclude, inclusion include, invocation invoke, collision
collide, division divide, suspension suspend, expansion expand, description describe, reduction reduce, resumption
resume, consumption consume, destruction destroy, notification notify, verification verify, modification modify,
classification classify, identification identify, multiplication multiply, simplification
simplify, expiry expire, retrieval retrieve, removal remove, disposal dispose, renewal renew, recursion recurse,
reception receive, redefinition redefine, substitution substitute, transposition transpose, permutation permute
"""
_VERB_OF_NOUN = {noun: (verb,) for noun, verb in map(str.split, _VERB_LINES.split(","))}
"""Nouns of what code says with a verb, whose stems differ."""
_LONG_FORMS = {
    short: tuple(long for long, own in _SHORT_FORMS.items() if short in own)
    for each in _SHORT_FORMS.values()
    for short in each
    if len(short) > 2
}
_SHORT_OF_PAIRS = {
    "regular expression": "regex",
    "standard output": "stdout",
    "standard error": "stderr",
    "standard input": "stdin",
    "file descriptor": "fd",
    "process id": "pid",
    "environment variable": "env",
    "command line": "cli",
}
FORM_MUCH_MORE = 3
"""So many times more chunks than the form that was typed must have the other one."""


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > SHORTEST:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _other_forms(words: Sequence[str], frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the words that code has in another form: ``dict`` for "dictionaries", ``resolve`` for "resolution", and
    "authorization" for ``auth`` where nothing is called that.
    """
    shorter = {
        word: forms[one]
        for word in words
        for one in (word, _singular(word))
        for forms in (_SHORT_FORMS, _VERB_OF_NOUN)
        if one in forms
    }
    longer = {word: _LONG_FORMS[word] for word in words if word in _LONG_FORMS and not frequency.get(word)}
    wanted = list(dict.fromkeys(form for each in (*shorter.values(), *longer.values()) for form in each))
    if not wanted:
        return {}
    try:
        known = reader.words.known(wanted)
    except QueryBudgetError:
        return {}
    best = {word: max(each, key=lambda form: known.get(form, 0)) for word, each in (shorter | longer).items()}
    return {word: form for word, form in best.items() if known.get(form, 0) > FORM_MUCH_MORE * frequency.get(word, 0)}


SHORTEST_HALF = 3
FEW = 2
"""In so many chunks two words may merely follow each other."""
SHORTEST_COMPOUND, SHORTEST_PHRASAL = 6, 5


def _in_two_words(words: Sequence[str], frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the words that the index has not, or hardly, in one piece, and in two: ``pidfile`` for ``pid_file``. What
    merely follows each other, as in ``import sys``, ``log = …``, is no word.
    """
    unknown = [
        word
        for word in words
        if frequency.get(word, 0) < LEAST_FREQUENCY
        and word.isalpha()
        and len(word) in range(SHORTEST_COMPOUND, LONGEST)
    ][:MOST_SLIPS]
    found: dict[str, str] = {}
    for word in unknown:
        halves = [(word[:at], word[at:]) for at in range(SHORTEST_HALF, len(word) - SHORTEST_HALF + 1)]
        try:
            known = reader.words.known(list(dict.fromkeys(half for pair in halves for half in pair)))
            both = [f"{one} {other}" for one, other in halves if one in known and other in known]
            most = MUCH_MORE * frequency.get(word, 0)
            apart = next((pair for pair in both if _has_pair(pair, most, reader)), "")
        except QueryBudgetError:
            return found
        if apart:
            found[word] = apart
    return found


def _has_pair(pair: str, most: int, reader: Reader) -> bool:
    """Return whether more than ``most`` chunks have the two words in sequence: a few of them in a name, a path or a
    comment, or several in code.
    """
    for match, least in ((f"{{path names doc extra}} : {phrase(pair)}", most), (phrase(pair), max(most, FEW))):
        if len(reader.text.chunk_matches(match, least + 1)) > least:
            return True
    return False


_PAIR = re.compile(r"(?<![\w.`'/-])([A-Za-z]{2,20}) ([A-Za-z]{2,20})(?![\w`'/(-]|\.\w)")
_SECOND_HALVES = frozenset({"in", "on", "off", "out", "up", "down", "over", "back"})
_BEFORE_AN_OBJECT = lazy_pattern(r" (?:the|an?|this|that|these|those|our|my|your|its|which|what)\b", re.IGNORECASE)
_HALVES = frozenset({"file", "code", "name", "path"})
MOST_PAIRS = 12


def in_one_word(text: str, reader: Reader) -> dict[str, str]:
    """Return the pairs of words that the index has in one word: as ``_joined``, or short, as ``regex`` for "regular
    expressions".
    """
    return _joined(text, reader) | _short_pairs(text, reader)


_SHORT_PAIR = lazy_pattern(
    rf"(?i)(?<![\w.`'/-])({'|'.join(_SHORT_OF_PAIRS)})s?(?![\w`'/(-]|\.\w)", cues="|".join(_SHORT_OF_PAIRS)
)


def _short_pairs(text: str, reader: Reader) -> dict[str, str]:
    pairs = {found.group(): _SHORT_OF_PAIRS[found.group(1).lower()] for found in _SHORT_PAIR.finditer(text)}
    if not pairs:
        return {}
    try:
        known = reader.words.known(list(pairs.values()))
        return {
            pair: short
            for pair, short in pairs.items()
            if _is_rare(pair.lower(), known.get(short, 0) // FORM_MUCH_MORE, reader)
        }
    except QueryBudgetError:
        return {}


def _is_rare(pair: str, most: int, reader: Reader) -> bool:
    """Return whether fewer chunks than ``most`` have the pair."""
    return most > 0 and len(reader.text.chunk_matches(phrase(pair), most)) < most


def _joined(text: str, reader: Reader) -> dict[str, str]:
    """Return the pairs of words that the index writes as one: "pid file" for ``pidfile``, where it never has them as
    two, and "log in" for ``login``, of whose words the second tells nothing.
    """
    pairs: dict[str, str] = {}
    spans: dict[str, tuple[int, int]] = {}
    particles: set[str] = set()
    for start in (0, text.find(" ") + 1):
        # Each word is in two pairs.
        for found in _PAIR.finditer(text, start):
            first, second = found.group(1).lower(), found.group(2).lower()
            is_first = first not in QUESTION_WORDS or first in _HALVES
            is_particle = second in _SECOND_HALVES and _BEFORE_AN_OBJECT.match(text, found.end()) is None
            is_second = is_particle or second not in QUESTION_WORDS or second in _HALVES
            if (
                is_first
                and is_second
                and len(first + second) >= (SHORTEST_PHRASAL if is_particle else SHORTEST_COMPOUND)
            ):
                pairs[found.group()] = first + second
                spans.setdefault(found.group(), found.span())
                particles.update({found.group()} if is_particle else ())
    wanted = dict(list(pairs.items())[:MOST_PAIRS])
    if not wanted:
        return {}
    try:
        known = reader.words.known(list(wanted.values()))
        joined = {
            pair: whole
            for pair, whole in wanted.items()
            if known.get(whole, 0) >= (LEAST_FREQUENCY if pair in particles else 1)
            and (pair in particles or not reader.text.occurs(phrase(pair.lower())))
        }
    except QueryBudgetError:
        return {}
    # "temp file name" is a "tempfile name" or a "temp filename", and no "tempfilename".
    apart, end = {}, -1
    for pair in sorted(joined, key=lambda one: spans[one]):
        if spans[pair][0] >= end:
            apart[pair], end = joined[pair], spans[pair][1]
    return apart


_VERB_FORMS = """
bind bound build built send sent keep kept throw thrown write written choose chosen catch caught hold held draw drawn
break broken hide hidden spend spent steal stolen wake woken bend bent lend lent seek sought wind wound freeze frozen
swear sworn tear torn wear worn shrink shrunk sink sunk
"""
_BASE_OF = dict(zip(_VERB_FORMS.split()[1::2], _VERB_FORMS.split()[::2], strict=True))
_AUXILIARY = lazy_pattern(r"(?i)\b(?:is|are|was|were|be|been|being|gets?|getting|has|have|had)\b")


def _base_of(word: str) -> str:
    """Return the verb of an irregular participle, also behind "re" and the like: ``redrawn``; "" for any other word."""
    for before in ("", "re", "un", "over"):
        rest = word.removeprefix(before)
        if word.startswith(before) and rest in _BASE_OF:
            return before + _BASE_OF[rest]
    return ""


def _verbs(words: Sequence[str], text: str, frequency: Mapping[str, int], reader: Reader) -> dict[str, str]:
    """Return the irregular participles of a question whose verb the index has far more often: ``bound`` for "bind"."""
    asked = {word: base for word in words if (base := _base_of(word))}
    if not asked or _AUXILIARY.search(text) is None:
        return {}
    try:
        known = reader.words.known(list(asked.values()))
    except QueryBudgetError:
        return {}
    return {word: base for word, base in asked.items() if known.get(base, 0) > FORM_MUCH_MORE * frequency.get(word, 0)}


def corrected(text: str, read: Mapping[str, str]) -> str:
    """Return the text with the words replaced, whatever their case."""
    return _ALONE.sub(lambda found: read.get(found.group().lower(), found.group()), text) if read else text


_ALONE = re.compile(r"(?<!\w)[A-Za-z]+(?!\w)")

_ASKING = ("how", "where", "what", "why", "which", "when", "who", "whose")
_AUXILIARIES = ("does", "do", "did", "is", "are", "was", "were", "has", "have", "can", "should", "will", "gets")
_WORKING = ("work", "works", "working", "worked")
_ANYWHERE = ("the", "and", "for")
_SHORTEST_FUNCTION = 3


def _function_words(text: str, unknown: frozenset[str]) -> dict[str, str]:
    """Return the unknown words of a text that are typos of the words that any question has, by their position."""
    words = [word.lower() for word in _ALONE.findall(text)]
    read: dict[str, str] = {}
    for at, word in enumerate(words):
        if word in unknown and word not in read and len(word) >= _SHORTEST_FUNCTION:
            before = words[at - 1] if at else ""
            following = words[at + 1] if at + 1 < len(words) else ""
            if meant := _function_word(word, read.get(before, before), following, is_first=not at):
                read[word] = meant
    return read


def _function_word(word: str, before: str, following: str, *, is_first: bool) -> str:
    exchanged = next(_strokes(word))
    near = [one for stroke in _strokes(word) for one in stroke]
    if _is_english(word):
        # "how dose the pool work": only two letters exchanged, and only where no noun is expected.
        is_verb = before in _ASKING and before not in {"what", "which", "whose"}
        asked = _first_of(_AUXILIARIES, exchanged) if is_verb else ""
        # "where do we handel errors": no question has the one, and any may have the other.
        return asked or next((one for one in exchanged if is_request_word(one)), "")
    if before in _ASKING and (meant := _first_of(_AUXILIARIES, near)):
        return meant
    if is_first and following and (meant := _first_of(_ASKING, near) or _first_of(_AUXILIARIES, exchanged)):
        return meant
    if not (following or is_first) and (meant := _first_of(_WORKING, near)):
        return meant
    return _first_of(_ANYWHERE, exchanged)


def _first_of(words: Sequence[str], near: Sequence[str]) -> str:
    return next((word for word in words if word in near), "")


def _is_strange(word: str) -> bool:
    """Return whether the word is neither common English nor made of it: the word table knows it only in pieces."""
    if not (word.isascii() and word.isalpha() and SHORTEST_KNOWN <= len(word) <= LONGEST):
        return False
    return not any(map(_is_english, (word, *_bases(word))))


_TECHNICAL_LINES = """
ansible argon bazel bcrypt bower btrfs cassandra celery ceph cgroup chrony clickhouse collectd consul cron crond ctags
cypress deno django docker duckdb dynamodb elastic envoy erlang etcd fastapi fluentd flink fontconfig gcloud gevent
gitea grafana gradle graphql gunicorn hadoop haproxy helm heroku hugo httpd influx inotify ipfs ipset iptables istio
jaeger jenkins journald kafka kerberos kibana knex kubectl kvm lambda lerna libuv loki lxc mariadb maven memcached
minio mongod mongo mqtt mypy mysqld nats netty nginx nomad ntpd numba numpy nuxt oauth okta openssl oracle pandas
pgbouncer podman prisma puma pulsar pylint pyodide pytest qemu qdrant rabbit raft redis riak rollup rsync rsyslog
rubocop samba sass scipy scss selenium sentry sidekiq snmpd solr spark splunk sqlite sshd statsd svelte syslog syslogd
systemd tauri telegraf thanos thrift tokio traefik udev unicorn uvicorn vagrant varnish vercel vite vitest wasm
webpack xdebug yarn zabbix zipkin zookeeper zuul
"""
_TECHNICAL = frozenset(_TECHNICAL_LINES.split())
"""Names of software, which one stroke may turn into common English, as ``statsd`` into "stated"."""
_OF_SOFTWARE = ("ctl", "db", "js", "ql", "ssl", "fs")
"""Endings of such names behind a word."""


def _is_technical(word: str) -> bool:
    """Return whether the word is a name of software, and no slip of another word, however near that is."""
    ending = next((end for end in _OF_SOFTWARE if word.endswith(end)), "")
    return word in _TECHNICAL or bool(ending and _is_english(word.removesuffix(ending)))


def _may_be_derived(word: str) -> bool:
    """Return whether common English lacks the word and has what it may be made of: "wokers" of "woke"."""
    return word.isascii() and word.isalpha() and SHORTEST <= len(word) <= LONGEST and not _is_english(word)


def _is_english(word: str) -> bool:
    return len(word) > 2 and static_table().row(word.encode()) >= 0


_ENDINGS = ("s", "es", "d", "ed", "r", "er", "ers", "or", "ors", "ing", "ings", "ly", "able", "ation", "ations", "less")
_BEGINNINGS = ("re", "un", "de", "pre", "sub", "non", "multi", "auto", "over")


def _bases(word: str) -> Iterator[str]:
    """Yield what the word may be derived from: ``mapper`` of ``map``, ``retries`` of ``try``."""
    for end in _ENDINGS:
        # "cached" is made of "cache", "signd" is a slip.
        if word.endswith(end) and len(word) - len(end) > 2 and (end not in {"d", "r"} or word[-2] == "e"):
            stem = word[: -len(end)]
            # An "e" is dropped only before a vowel: "caching" is made of "cache", "requird" is not made of "require".
            yield from (stem, stem + "e" if end[0] in _VOWELS else stem)
            # "tries" and "carrier" are made of words with a "y", "readis" is not.
            if stem[-1] == "i" and end != "s":
                yield stem[:-1] + "y"
            if stem[-1] == stem[-2]:
                yield stem[:-1]
    for start in _BEGINNINGS:
        rest = word.removeprefix(start)
        if rest != word and len(rest) > 2:
            yield from (rest, rest.removesuffix("s"), rest.removesuffix("ies") + "y", rest.removesuffix("ing"))


def _correction(word: str, reader: Reader) -> str:
    for near in _strokes(word):
        read = next((one for one in near if one in QUESTION_WORDS and len(one) >= SHORTEST_KNOWN), "")
        if not read and len(word) >= SHORTEST:
            read = _best_known(near, reader)
        if read:
            return read
    return ""


def _likely_correction(word: str, reader: Reader) -> str:
    """Return the word of common English that the index has often and one letter exchanged, doubled or left out makes of
    one that may be a word, too: "wokers" is rather "workers" than somebody who woke. No other ending is a correction.
    """
    for near in islice(_strokes(word), 3):
        others = [one for one in near if not (one.startswith(word) or word.startswith(one)) and _is_english(one)]
        try:
            known = reader.words.known(others) if others else {}
        except QueryBudgetError:
            return ""
        often = [one for one in others if known.get(one, 0) >= LEAST_FREQUENCY]
        if often:
            return max(often, key=lambda one: (known[one], one))
    return ""


def _best_known(near: Sequence[str], reader: Reader) -> str:
    """Return the word among ``near`` that the index has most, common English first; empty where it has none."""
    try:
        known = reader.words.known(near)
    except QueryBudgetError:
        return ""
    english = {word for word in known if _is_english(word)}
    known = {word: count for word, count in known.items() if word in english or not _is_of_another(word, reader)}
    worth = [word for word, count in known.items() if word in english or count >= LEAST_FREQUENCY]
    return min(worth, key=lambda word: (word not in english, -known[word], word), default="")


def _is_of_another(word: str, reader: Reader) -> bool:
    """Return whether the index may have the stem of a word from common English alone: "readis" has that of "ready"."""
    own = {word, *_bases(word)}
    return any(
        owner not in own and _is_english(owner)
        for stem in reader.words.tokens(word)
        for owner in (stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else "")
    )
