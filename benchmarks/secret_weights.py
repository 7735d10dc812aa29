"""Fit the weights of words that could be secrets (``helix_core/ingest/secret_odds.py``), and show what they give.

    python benchmarks/secret_weights.py [--trees FOLDER...] [--seed 0] [--show 20] [--write]

The labelled sentences are those of ``fixtures/secrets/built-with.jsonl``; of each with a secret, more are made with
other secrets in its place. Ordinary text are the messages of ``fixtures/conversations``, the sayings of ``masking.py``,
sentences made of ``THINGS`` in ``CONTEXTS``, and the lines of ``--trees`` that speak of credentials or of access.
A ridge regression of the log-odds, by Newton's method. The table shows, for thresholds, sentences whose secret no rule
and no weight masks and sentences without one that a weight touches, each in a fold that its weights were not fit to.
--write puts the weights that all sentences give into ``helix_core/ingest/secret_weights.py``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

import masking
import numpy as np
from numpy.typing import NDArray

from helix_core.ingest import secret_odds, secret_weights
from helix_core.ingest.secret_odds import candidates_of

ROOT = Path(__file__).parents[1]
LABELED = ROOT / "fixtures" / "secrets" / "built-with.jsonl"
CONVERSATIONS = ROOT / "fixtures" / "conversations"
FOLDS, OTHER_SECRETS, MOST_LINES = 10, 5, 6_000
PENALTY, STEPS, LONGEST = 1.0, 60, 1_500
MADE_WEIGHT, TYPED_WEIGHT, TREE_WEIGHT, SWAPPED_WEIGHT = 0.04, 0.2, 0.05, 0.12
THRESHOLDS = (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
SUFFIXES = {".py", ".md", ".rst", ".txt", ".js", ".c", ".rb", ".go", ".toml", ".yml", ".yaml", ".cfg", ".ini", ".sh"}
Array = NDArray[np.float64]

THINGS = [
    "v2.14.3",
    "1.25.3-alpine",
    "eu-central-1",
    "us-east-2",
    "python3.12",
    "node18",
    "ubuntu22.04",
    "web-01",
    "db-int.local",
    "build01",
    "payments-6d4f8b9c7-x2x8k",
    "feature/PAY-1142-retry",
    "release-1.8.0.tar.gz",
    "gpt-4o-mini",
    "claude-3-opus",
    "PAY-1142",
    "INC-5530",
    "SO-2024-00817",
    "CN-0H723K-74445-2B9",
    "1Z999AA10123456784",
    "a94f2c1e",
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "index_v2_final.html",
    "docker-compose.yml",
    "settings.py",
    "user_id",
    "lastName",
    "parseToken",
    "get_user_by_id",
    "HttpClientFactory",
    "AUTH-1007",
    "ERR_CONN_RESET",
    "ENOENT",
    "utf8mb4",
    "sha256",
    "argon2id",
    "8443",
    "3000",
    "5432",
    "2024",
    "2026",
    "16GB",
    "30s",
    "100ms",
    "4417",
    "100482",
    "2048",
    "65535",
    "nginx",
    "postgres",
    "redis",
    "kubernetes",
    "staging-db",
    "prod-cluster-2",
    "Q3-report",
    "2024-06-11",
    "10.2.0.8",
    "localhost:8080",
    "alice",
    "k.osei",
    "ext_novak",
    "svc-orders",
    "admin2",
    "us-intl",
    "TLS1.3",
    "http2",
    "log4j",
    "lodash@4.17.21",
    "react-dom",
    "@types/node",
    "us-dollar",
    "first-class",
    "R2D2",
    "MacBookPro16",
    "ThinkPad-X1",
    "iPhone15",
    "Windows11",
    "Excel2019",
    "B204",
    "A17",
    "LH2034",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "00:1B:44:11:3A:B7",
    "ISO-27001",
    "RFC-2617",
    "RFC6749",
    "MX-5",
    "F-150",
    "B2B",
    "OAuth2",
    "SAML2",
    "X-Api-Key",
    "test_login_form",
    "login-button",
    "#submit",
    ".btn-primary",
    "max_connections=200",
    "--verbose",
    "DEBUG=1",
    "4096",
    "1024x768",
    "3.14",
    "99.9%",
    "12:30",
]
CONTEXTS = """use {v} for now|try {v}|try {v} instead|it's {v}|it is {v} now|I set it to {v}|set it to {v}
we changed it to {v}|the server is {v}|log in to {v} first|log in on {v}|the branch is {v}|the account lives in {v}
ask the admin of {v}|user reported it on {v}|the token is checked in {v}|the password field is in {v}
login fails since {v}|login broken on {v}|auth moved to {v}|the key is called {v}|primary key is {v}|the header is {v}
secret is mounted at {v}|connect to {v}|ssh into {v} and look|the vpn runs on {v}|type {v} and press enter
enter {v} in the search box|choose {v} from the list|answer is {v}|order number {v}|ticket {v}|the serial is {v}
see {v}|version {v}|bump to {v}|the user {v} cannot log in|account {v} was closed|role is {v}|token limit is {v}
password rules changed in {v}|reset the counter to {v}|replace foo with {v}|signed in from {v}|it says {v}|he picked {v}
she said {v}|works with {v}|with {v} it works|deploy with {v}|error {v}, access denied|default is {v}
the default, {v}|we use {v}|{v} is the user|unlock the {v} first|decrypt the file {v}|router model {v}
wifi network {v}|the wifi is called {v}|sticker says {v}|passkeys work on {v}|cookie named {v}
password hashing uses {v}|tokens are stored in {v}|the vault entry is {v}|PIN pad model {v}|meet in {v}|call me at {v}
my extension is {v}|the ssh key in {v}|public key {v}|the login page is {v}|admin of {v}""".replace("\n", "|").split(
    "|"
)
THINGS_EACH = 22


@dataclass(frozen=True, slots=True)
class Sample:
    """A word with the signs of its place: is it a secret, how much it counts, and which labelled sentence it is of."""

    signs: frozenset[str]
    word: str
    is_secret: bool
    weight: float
    sentence: int = -1
    is_own: bool = True


def words_of(text: str, *, is_typed: bool) -> Iterator[tuple[str, frozenset[str]]]:
    """Each word or phrase that could be a secret, with its signs."""
    data = text.encode()
    for one in candidates_of(data, is_typed=is_typed):
        yield data[one.start : one.end].decode("utf-8", "replace"), one.signs


def of_sentence(
    text: str, secret: str | None, number: int, weight: float, *, is_typed: bool, is_own: bool
) -> Iterator[Sample]:
    """The samples of a labelled sentence; words that share a part with its secret tell nothing, and are left out."""
    for word, signs in words_of(text, is_typed=is_typed):
        is_secret = secret is not None and (word == secret or (secret in word and len(word) < len(secret) + 3))
        if is_secret or secret is None or not (secret in word or word in secret):
            yield Sample(signs, word, is_secret, weight, number, is_own)


def labeled(rows: Sequence[dict[str, str]]) -> Iterator[Sample]:
    """The samples of all labelled sentences, and of the same with other secrets."""
    chance = Random(3)
    known = [row["secret"] for row in rows if row["secret"]]
    single = [one for one in known if " " not in one and len(one) < 30]
    for number, row in enumerate(rows):
        is_typed, secret = row["kind"] == "chat", row["secret"]
        yield from of_sentence(row["text"], secret, number, 1.0, is_typed=is_typed, is_own=True)
        for _ in range(OTHER_SECRETS if secret else 0):
            if secret.isdigit():
                other = str(chance.randrange(1000, 10 ** chance.choice((4, 6, 8))))
            elif " " in secret:
                other = chance.choice(masking.spaced(chance))[1]
            elif chance.random() < 0.5:
                other = chance.choice(single)
            else:
                other = chance.choice(chance.choice(OF_A_WORD)(chance))[1]
            if other.isdigit() == secret.isdigit():
                text = row["text"].replace(secret, other)
                yield from of_sentence(text, other, number, SWAPPED_WEIGHT, is_typed=is_typed, is_own=False)


OF_A_WORD = (masking.passwords, masking.typed, masking.strange, masking.keys)


def ordinary(trees: Sequence[Path]) -> Iterator[Sample]:
    """The samples of texts that hold no secret."""
    chance = Random(9)
    made = [context.format(v=thing) for context in CONTEXTS for thing in chance.sample(THINGS, THINGS_EACH)]
    for text, weight in (
        *((text, MADE_WEIGHT) for text in made),
        *((text, TYPED_WEIGHT) for text in chance.sample(masking.sayings(), 300)),
    ):
        for is_typed in (True, False):
            for word, signs in words_of(text, is_typed=is_typed):
                yield Sample(signs, f"{word}: {text}", False, weight)
    for file in sorted(CONVERSATIONS.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            for message in json.loads(line).get("messages", ()):
                text = message["content"]
                if message["role"] == "user" and isinstance(text, str) and len(text) < LONGEST:
                    for word, signs in words_of(text, is_typed=True):
                        yield Sample(signs, f"{word}: {text[:90]}", False, TYPED_WEIGHT)
    files = sorted(path for tree in trees for path in tree.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    chance.shuffle(files)
    lines = 0
    for path in files:
        data = path.read_bytes()
        for one in candidates_of(data, is_typed=False) if len(data) < masking.MOST_BYTES else ():
            lines += 1
            start = data.rfind(b"\n", 0, one.start) + 1
            text = data[start : start + 100].decode("utf-8", "replace").strip()
            word = data[one.start : one.end].decode("utf-8", "replace")
            yield Sample(one.signs, f"{word}: {text}", False, TREE_WEIGHT)
        if lines > 2 * MOST_LINES:
            return


def fitted(signs: Array, is_secret: Array, weights: Array) -> Array:
    """Weights of the signs; the first is that of every word, and not penalized."""
    found = np.zeros(signs.shape[1])
    penalty = np.eye(len(found)) * PENALTY
    penalty[0, 0] = PENALTY / 100
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-np.clip(signs @ found, -30, 30)))
        slope = signs.T @ (weights * (odds - is_secret)) + penalty @ found
        curve = (signs * (weights * odds * (1 - odds))[:, None]).T @ signs + penalty
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < 1e-5:
            break
    return found


def is_masked_by_rule(row: dict[str, str]) -> bool:
    """Is the secret masked without any weight?"""
    case = masking.Case("chat" if row["kind"] == "chat" else "prose", "", row["text"], (row["secret"],))
    return not masking.is_leak(case)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=Path, nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    kept = dict(secret_weights.weights())
    rows = [json.loads(line) for line in LABELED.read_text().splitlines()]
    with patch.object(secret_odds, "LEAST_TYPED", 99.0), patch.object(secret_odds, "LEAST_WRITTEN", 99.0):
        ruled = [bool(row["secret"]) and is_masked_by_rule(row) for row in rows]
    samples = [*labeled(rows), *ordinary(asked.trees)]
    names = ["any", *sorted({sign for one in samples for sign in one.signs} - {"any"})]
    place = {name: number for number, name in enumerate(names)}
    signs = np.zeros((len(samples), len(names)))
    for number, one in enumerate(samples):
        for sign in one.signs:
            signs[number, place[sign]] = 1
    is_secret = np.array([float(one.is_secret) for one in samples])
    counts = np.array([one.weight for one in samples])
    sentence = np.array([one.sentence for one in samples])
    chance = Random(asked.seed)
    fold = np.array([chance.randrange(FOLDS) for _ in rows] + [-1])[sentence]
    scores = signs @ fitted(signs, is_secret, counts)
    for number in range(FOLDS):
        other = fold != number
        scores[~other] = signs[~other] @ fitted(signs[other], is_secret[other], counts[other])
    own = np.array([one.is_own for one in samples])
    of = [np.flatnonzero(own & (sentence == number)) for number in range(len(rows))]
    for least in THRESHOLDS:
        leaks = [
            number
            for number, row in enumerate(rows)
            if row["secret"] and not ruled[number] and not np.any(scores[of[number]][is_secret[of[number]] > 0] > least)
        ]
        touched = [n for n, row in enumerate(rows) if not row["secret"] and np.any(scores[of[n]] > least)]
        text = int(np.sum(scores[sentence < 0] > least))
        with_secret = sum(bool(row["secret"]) for row in rows)
        print(
            f"above {least:5.2f}: {len(leaks)} of {with_secret} leak, {len(touched)} of {len(rows) - with_secret} "
            f"touched, {text} of {int(np.sum(sentence < 0))} ordinary words"
        )
    for number in leaks[: asked.show]:
        print(
            "  leak",
            rows[number]["text"][:120].replace("\n", " "),
            np.round(scores[of[number]][is_secret[of[number]] > 0], 1),
        )
    for number in touched[: asked.show]:
        print("  touched", rows[number]["text"][:120].replace("\n", " "))
    for number in np.argsort(-np.where(sentence < 0, scores, -99))[: asked.show]:
        print(f"  ordinary {scores[number]:.1f} {samples[number].word}")
    found = dict(zip(names, fitted(signs, is_secret, counts), strict=True))
    changed = sorted(found, key=lambda name: -abs(found[name] - kept.get(name, 0)))[: asked.show]
    print("  ".join(f"{name} {kept.get(name, 0):.1f} to {found[name]:.1f}" for name in changed))
    if asked.write:
        secret_weights_file = Path(secret_weights.__file__)
        head = secret_weights_file.read_text().partition('_TABLE = """')[0]
        lines = "".join(f"{name} {value:.2f}\n" for name, value in found.items())
        tail = secret_weights_file.read_text().rpartition('"""\n\n\n@cache')[2]
        secret_weights_file.write_text(f'{head}_TABLE = """\n{lines}"""\n\n\n@cache{tail}')


if __name__ == "__main__":
    main()
