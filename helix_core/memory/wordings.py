"""Other wordings of a question's word: forms of irregular verbs, words of the same meaning, and names of its kind.

Data and pure look-ups. English words of software teams; no word is here only because it is near to another.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from helix_core.memory.cues import CHOICES

_VERBS = """
awake awoke awoken, bear bore borne, beat beaten, become became, begin began begun, bend bent, bind bound,
bite bit bitten, bleed bled, blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought,
catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found,
flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen, get got gotten,
give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept,
know knew known, lay laid, lead led, learn learnt, leave left, lend lent, light lit, lose lost, make made, mean meant,
meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought,
sell sold, send sent, sew sewn, shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk,
sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, spend spent, spin spun,
stand stood, steal stole stolen, stick stuck, strike struck, swear swore sworn, sweep swept, swim swam swum,
swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
understand understood, wake woke woken, wear wore worn, weave wove woven, win won, wind wound, write wrote written
"""
_SAME = """
pr, mr, pull request, merge request
repo, repository
db, database
config, configuration, settings
env, environment
auth, authentication
authorization, authz
credentials, secrets
password, passphrase
docs, documentation
prod, production
dev, development
deps, dependencies
perf, performance
kubernetes, k8s
javascript, js
typescript, ts
python, py
ms, milliseconds
timeout, time out
timezone, time zone
login, log in, sign in, signin
logout, log out, sign out
setup, set up
rollback, roll back, revert
deploy, release, rollout, roll out, ship
backup, back up, dump
cleanup, clean up
ci, continuous integration, pipeline
cli, command line
ui, user interface, gui
os, operating system
vm, virtual machine
frontend, front end
backend, back end
delete, remove, erase
begin, start
choose, pick, select
fix, repair
buy, purchase
big, large
dir, directory, folder
func, function, method
arg, argument, parameter, param
var, variable
spec, specification
license, licence
color, colour
email, mail
phone, telephone
invoice, billing, bill
error, exception
outage, incident, downtime
retry, try again
container, pod
app, application
limit, maximum, max, cap, at most
minimum, min, at least
job, profession, occupation
short, brief
answer, reply, response
flag, toggle
codename, name
formatter, format
linter, lint
editor, ide
sign, signature
"""
_KINDS = CHOICES | {
    "merge": CHOICES["merge style"],
    "indent": CHOICES["indentation"],
    "queue": CHOICES["message queue"],
    "framework": f"{CHOICES['web framework']} {CHOICES['front end']} {CHOICES['test framework']}",
    "cloud": f"{CHOICES['cloud']} ovh linode scaleway",
    "store": CHOICES["database"],
    "storage": CHOICES["database"],
    "provider": CHOICES["cloud"],
    "chat": "slack zulip mattermost discord teams",
    "browser": "firefox chrome chromium safari edge",
    "profession": "engineer developer designer architect administrator analyst manager",
    "timezone": "utc",
    "broker": CHOICES["message queue"],
}
_APART = """
production prod, staging, development dev
import, export
upload, download
inbound incoming ingress, outbound outgoing egress
upstream, downstream
internal, external
public, private
frontend, backend
primary, secondary replica
input, output
synchronous sync, asynchronous async
minimum min, maximum max
sender, receiver recipient
buyer, seller
source, target
encoder, decoder
encryption, decryption
weekday, weekend
"""
"""Words of which one thing is never two: what is so of the one says nothing of the other."""
_LEAST_REGULAR = 4
_FORMS: dict[str, tuple[str, ...]] = {
    word: tuple(other for other in verb.split() if other != word) for verb in _VERBS.split(",") for word in verb.split()
}


_BASE = {form: verb.split()[0] for verb in reversed(_VERBS.split(",")) for form in verb.split()}


def base_form(word: str) -> str:
    """Return what a verb and its participle have in common: "merg" of "merge" and "merged", "keep" of "kept".

    It is no word in itself: regular verbs lose a last "e" and a doubled consonant.
    """
    if word in _BASE:
        return _BASE[word]
    root = word
    if word.endswith("ied"):
        root = f"{word[:-3]}y"
    elif word.endswith("ed") and len(word) >= _LEAST_REGULAR:
        root = word[:-2]
    root = root.removesuffix("e")
    return root[:-1] if len(root) > 2 and root[-1] == root[-2] else root


def is_participle(word: str) -> bool:
    """Return whether a lower-case word is a participle of an irregular verb, or another form than its first."""
    return word in _BASE and word != _BASE[word]


def other_forms(word: str, beside: Collection[str] = ()) -> tuple[str, ...]:
    """Return other wordings of a lower-case word, each of one word or more; of most words none.

    ``beside`` are the other words of the question: "time out" is another wording where both stand there.
    """
    known = _phrases()
    forms = [*_FORMS.get(word, ())]
    for one in (word, word.removesuffix("s")):
        for group, phrase in known.get(one, ()):
            if all(part in beside or part == one for part in phrase.split()):
                forms += [other for other in group if other != phrase and word not in other.split()]
    return tuple(dict.fromkeys(forms))


def apart_from(word: str) -> tuple[str, ...]:
    """Return the words that exclude a lower-case word, of most none: what is "staging" is not "production"."""
    known = _excluding()
    return known.get(word) or known.get(word.removesuffix("s"), ())


@cache
def _excluding() -> dict[str, tuple[str, ...]]:
    groups = [[cell.split() for cell in line.split(", ")] for line in _APART.strip().splitlines()]
    return {
        word: tuple(other for others in group if others is not cell for other in others)
        for group in groups
        for cell in group
        for word in cell
    }


@cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return by each word the groups that it is in, with the wording there that has it."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in _SAME.strip().splitlines():
        group = tuple(line.split(", "))
        for phrase in group:
            for part in phrase.split():
                found.setdefault(part, []).append((group, phrase))
    for kind, names in _KINDS.items():
        for part in kind.split():
            found.setdefault(part, []).append((tuple(names.split()), kind))
    return found
