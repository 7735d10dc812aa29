"""Fit the weights of words that could be secrets (``helix_core/secrets/odds.py``), and show what they give.

    python benchmarks/secret_weights.py [--trees FOLDER...] [--seed 0] [--show 20] [--write]

The labelled sentences are those of ``fixtures/secrets/built-with*.jsonl``, of authors who had not seen the rules, and
of ``written.jsonl``, by those who made them; of each with a secret, more are made with other secrets in its place.
Ordinary text are the messages of ``fixtures/conversations``, the sayings of ``masking.py``, sentences made of
``THINGS`` in ``CONTEXTS``, and of ``--trees`` the messages of commits and the lines of documents as if they were
typed, and the lines that speak of credentials or of access as they are.
A ridge regression of the log-odds, by L-BFGS. The table shows, for thresholds, sentences of the authors whose secret no
rule and no weight masks and sentences without one that a rule or a weight touches, each in a fold that its weights were
not fit to.
--write puts the weights that all sentences give into ``helix_core/secrets/weights.py``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

import masking
import numpy as np
from lbfgs import Array, minimized
from numpy.typing import NDArray

from helix_core.secrets import odds as secret_odds
from helix_core.secrets import weights as secret_weights
from helix_core.secrets.odds import candidates_of

ROOT = Path(__file__).parents[1]
SENTENCES = ROOT / "fixtures" / "secrets"
AUTHORS, OURS = ("built-with.jsonl", "built-with-2.jsonl", "built-with-3.jsonl"), "written.jsonl"
CONVERSATIONS = ROOT / "fixtures" / "conversations"
FOLDS, OTHER_SECRETS, MOST_LINES, MOST_DOCUMENT_LINES, MOST_COMMITS = 5, 6, 15_000, 6_000, 4_000
PENALTY, STEPS, LONGEST, LEAST_SEEN, LEAST_WEIGHT = 0.25, 250, 1_500, 4, 0.05
OTHER_MODE_WEIGHT, SWAPPED_WEIGHT, PHRASE_WEIGHT = 0.3, 0.25, 2.0
MADE_WEIGHT, SAYING_WEIGHT, MESSAGE_WEIGHT, COMMIT_WEIGHT, DOCUMENT_WEIGHT, TREE_WEIGHT = (
    0.03,
    0.3,
    0.25,
    0.2,
    0.15,
    0.25,
)
THRESHOLDS = ((-0.5, 0.5), (0.0, 1.0), (0.5, 1.5), (1.0, 2.0), (1.5, 2.5))
"""For messages, and for files."""
SUFFIXES = {".py", ".md", ".rst", ".txt", ".js", ".c", ".rb", ".go", ".toml", ".yml", ".yaml", ".cfg", ".ini", ".sh"}
DOCUMENTS = {".md", ".rst", ".txt"}
LONG_KEY = re.compile(r"[0-9a-f]{16,}|[A-Za-z0-9_\-+/=.]{20,}")

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
THINGS_EACH = 12


@dataclass(frozen=True, slots=True)
class Sample:
    """A word with the signs of its place: is it a secret, how much it counts, and which labelled sentence it is of."""

    signs: frozenset[str]
    word: str
    is_secret: bool
    weight: float
    is_typed: bool
    sentence: int = -1
    is_own: bool = True


def words_of(text: str, *, is_typed: bool) -> Iterator[tuple[str, frozenset[str]]]:
    """Each word or phrase that could be a secret, with its signs."""
    data = text.encode()
    for one in candidates_of(data, is_typed=is_typed):
        yield data[one.start : one.end].decode("utf-8", "replace"), one.signs


def is_secret_of(word: str, secret: str | None) -> bool:
    """Is the word the secret, or hardly more than it?"""
    if secret is None:
        return False
    if " " in secret and secret in word:
        return len(word) < 1.6 * len(secret)
    if word.replace("-", " ") == secret or (secret in word and len(word) < len(secret) + 3):
        return True
    return word in secret and len(word) >= max(len(secret) - 1, 4)


def of_sentence(
    text: str, secret: str | None, number: int, weight: float, *, is_typed: bool, is_own: bool
) -> Iterator[Sample]:
    """The samples of a labelled sentence; words that share a part with its secret tell nothing, and are left out."""
    for word, signs in words_of(text, is_typed=is_typed):
        is_secret = is_secret_of(word, secret)
        counts = weight * PHRASE_WEIGHT if is_secret and " " in word else weight
        if is_secret or secret is None or not (secret in word or word in secret):
            yield Sample(signs, word, is_secret, counts, is_typed, number, is_own)


def kind_of(secret: str) -> str:
    """What may stand in the place of a secret."""
    if " " in secret:
        return "phrase"
    if secret.isdigit():
        return "number"
    if secret.isalpha() and secret[1:].islower():
        return "word"
    return "key" if LONG_KEY.fullmatch(secret) else "shaped"


def others(secret: str, known: dict[str, list[str]], chance: Random) -> Iterator[str]:
    """Other secrets of the same kind: half of them from other sentences."""
    kind = kind_of(secret)
    for number in range(OTHER_SECRETS):
        is_known = number % 2 == 0
        if kind == "number":
            yield str(chance.randrange(1000, 10 ** chance.choice((4, 4, 6, 8))))
        elif kind == "phrase":
            yield chance.choice(known[kind]) if is_known else chance.choice(masking.spaced(chance))[1]
        elif kind == "key":
            yield chance.choice(known[kind]) if is_known else chance.choice(masking.keys(chance))[1]
        elif kind == "word":
            yield chance.choice(known["word" if is_known else "shaped"])
        else:
            yield chance.choice(known[kind]) if is_known else chance.choice(chance.choice(OF_A_WORD)(chance))[1]


OF_A_WORD = (masking.passwords, masking.typed, masking.strange, masking.keys)


def labeled(rows: Sequence[dict[str, str]]) -> Iterator[Sample]:
    """The samples of all labelled sentences, in files and in messages, and of the same with other secrets."""
    chance = Random(3)
    known: dict[str, list[str]] = {}
    for row in rows:
        if row["secret"] and len(row["secret"]) < 40:
            known.setdefault(kind_of(row["secret"]), []).append(row["secret"])
    for number, row in enumerate(rows):
        is_typed, secret, text = row["kind"] in masking.TYPED_KINDS, row["secret"], row["text"]
        yield from of_sentence(text, secret, number, 1.0, is_typed=is_typed, is_own=True)
        yield from of_sentence(text, secret, number, OTHER_MODE_WEIGHT, is_typed=not is_typed, is_own=False)
        for other in others(secret, known, chance) if secret else ():
            if other not in text:
                swapped = text.replace(secret, other)
                yield from of_sentence(swapped, other, number, SWAPPED_WEIGHT, is_typed=is_typed, is_own=False)


def made() -> Iterator[tuple[str, float]]:
    """Sentences that hold no secret, with their weights."""
    chance = Random(9)
    for context in CONTEXTS:
        yield from ((context.format(v=thing), MADE_WEIGHT) for thing in chance.sample(THINGS, THINGS_EACH))
    yield from ((text, SAYING_WEIGHT) for text in chance.sample(masking.sayings(), 1_000))


def messages() -> Iterator[str]:
    """What people typed about projects."""
    for file in sorted(CONVERSATIONS.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            for message in record.get("messages", ()):
                if message["role"] == "user" and isinstance(message["content"], str):
                    yield message["content"]
            yield from (record[key] for key in ("text", "question", "message") if isinstance(record.get(key), str))


def commits(trees: Sequence[Path]) -> Iterator[str]:
    """The messages of the commits of the trees that are repositories."""
    for tree in trees:
        asked = ["git", "-C", str(tree), "log", f"-{MOST_COMMITS}", "--format=%B%x00"]
        said = subprocess.run(asked, capture_output=True, check=False)
        yield from said.stdout.decode("utf-8", "replace").split("\0")


def files_of(trees: Sequence[Path], suffixes: set[str], seed: int) -> list[Path]:
    """The files of all trees, shuffled."""
    files = sorted(path for tree in trees for path in tree.rglob("*") if path.suffix in suffixes and path.is_file())
    Random(seed).shuffle(files)
    return files


def document_lines(trees: Sequence[Path]) -> Iterator[str]:
    """The sentences of documents."""
    left = MOST_DOCUMENT_LINES
    for path in files_of(trees, DOCUMENTS, 4):
        for line in path.read_text("utf-8", "replace").splitlines():
            if len(line) > 30 and line.count(" ") > 3:
                left -= 1
                yield line
        if left < 0:
            return


def ordinary(trees: Sequence[Path]) -> Iterator[Sample]:
    """The samples of texts that hold no secret."""
    for text, weight in made():
        for is_typed in (True, False):
            for word, signs in words_of(text, is_typed=is_typed):
                yield Sample(signs, f"{word}: {text}", False, weight, is_typed)
    typed = [(text, MESSAGE_WEIGHT) for text in dict.fromkeys(messages())]
    typed += ((text.strip(), COMMIT_WEIGHT) for text in dict.fromkeys(commits(trees)))
    typed += ((text, DOCUMENT_WEIGHT) for text in document_lines(trees))
    for text, weight in typed:
        for word, signs in words_of(text, is_typed=True) if len(text) < LONGEST else ():
            yield Sample(signs, f"{word}: {text[:90]}", False, weight, True)
    lines = 0
    for path in files_of(trees, SUFFIXES, 9):
        data = path.read_bytes()
        for one in candidates_of(data, is_typed=False) if len(data) < masking.MOST_BYTES else ():
            lines += 1
            start = data.rfind(b"\n", 0, one.start) + 1
            text = data[start : start + 100].decode("utf-8", "replace").strip()
            word = data[one.start : one.end].decode("utf-8", "replace")
            yield Sample(one.signs, f"{word}: {text}", False, TREE_WEIGHT, False)
        if lines > MOST_LINES:
            return


@dataclass(frozen=True, slots=True)
class Problem:
    """Samples as rows of the numbers of their signs, of which each has one that all have; equal ones count together."""

    signs: NDArray[np.int64]
    starts: NDArray[np.int64]
    is_secret: Array
    weights: Array
    count: int

    @classmethod
    def of(cls, samples: Sequence[Sample], place: dict[str, int]) -> Problem:
        together: Counter[tuple[frozenset[str], bool]] = Counter()
        for one in samples:
            together[one.signs, one.is_secret] += one.weight  # type: ignore[assignment]
        rows = [sorted(place[sign] for sign in signs if sign in place) for signs, _ in together]
        starts = np.cumsum([0, *map(len, rows)])[:-1]
        signs = np.array([sign for row in rows for sign in row])
        is_secret = np.array([float(secret) for _, secret in together])
        return cls(signs, starts, is_secret, np.array(list(together.values()), float), len(place))

    def loss(self, found: Array) -> tuple[float, Array]:
        """The penalized loss of weights and its slope; the first weight is that of every word, hardly penalized."""
        penalty = np.full(self.count, PENALTY)
        penalty[0] = PENALTY / 100
        odds = np.clip(np.add.reduceat(found[self.signs], self.starts), -30, 30)
        loss = np.sum(self.weights * (np.logaddexp(0, odds) - self.is_secret * odds)) + np.sum(penalty * found**2) / 2
        rest = self.weights * (1 / (1 + np.exp(-odds)) - self.is_secret)
        lengths = np.diff(np.append(self.starts, len(self.signs)))
        slope = np.bincount(self.signs, weights=np.repeat(rest, lengths), minlength=self.count)
        return float(loss), slope + penalty * found


def table_of(samples: Sequence[Sample]) -> dict[str, float]:
    """The weight of each sign that is seen often enough."""
    seen = Counter(sign for signs in {one.signs for one in samples} for sign in signs)
    names = ["any", *sorted(sign for sign, count in seen.items() if count >= LEAST_SEEN and sign != "any")]
    place = {name: number for number, name in enumerate(names)}
    problem = Problem.of(samples, place)
    fitted = minimized(problem.loss, np.zeros(problem.count), steps=STEPS)
    return dict(zip(names, map(float, fitted), strict=True))


def score(signs: frozenset[str], table: dict[str, float]) -> float:
    return sum(table.get(sign, 0.0) for sign in signs)


def is_masked_by_rule(row: dict[str, str]) -> bool:
    """Is the secret masked without any weight, or the sentence touched that has none?"""
    case = masking.case_of(row)
    return not masking.is_leak(case) if row["secret"] else masking.masked_of(case) != row["text"].encode()


def show(rows: Sequence[dict[str, str]], own: Sequence[Sequence[tuple[bool, float, str]]], most: int) -> None:
    """Print what leaks and what is touched at each pair of thresholds."""
    with patch.object(secret_odds, "LEAST_TYPED", 99.0), patch.object(secret_odds, "LEAST_WRITTEN", 99.0):
        ruled = [is_masked_by_rule(row) for row in rows]
    for typed, written in THRESHOLDS:
        leaks, touched = [], []
        for row, by_rule, words in zip(rows, ruled, own, strict=True):
            least = typed if row["kind"] in masking.TYPED_KINDS else written
            if row["secret"] and not by_rule and not any(is_secret and odds > least for is_secret, odds, _ in words):
                leaks.append(row)
            elif not row["secret"] and (by_rule or any(odds > least for _, odds, _ in words)):
                touched.append(row)
        with_secret = sum(bool(row["secret"]) for row in rows)
        print(
            f"above {typed:5.2f} typed, {written:5.2f} in files: {len(leaks)} of {with_secret} leak, "
            f"{len(touched)} of {len(rows) - with_secret} touched"
        )
        if (typed, written) == (secret_odds.LEAST_TYPED, secret_odds.LEAST_WRITTEN):
            for name, some in (("leak", leaks), ("touched", touched)):
                for row in some[:most]:
                    print(f"  {name}: {row['text'][:120]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=Path, nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    of_authors = [json.loads(line) for name in AUTHORS for line in (SENTENCES / name).read_text().splitlines()]
    rows = of_authors + [json.loads(line) for line in (SENTENCES / OURS).read_text().splitlines()]
    sentences, texts = list(labeled(rows)), list(ordinary(asked.trees))
    chance = Random(asked.seed)
    fold = [chance.randrange(FOLDS) for _ in rows]
    own: list[list[tuple[bool, float, str]]] = [[] for _ in of_authors]
    for number in range(FOLDS):
        table = table_of([one for one in sentences if fold[one.sentence] != number] + texts)
        for one in sentences:
            if one.is_own and one.sentence < len(own) and fold[one.sentence] == number:
                own[one.sentence].append((one.is_secret, score(one.signs, table), one.word))
    show(of_authors, own, asked.show)
    table = table_of(sentences + texts)
    for is_typed, least in ((True, secret_odds.LEAST_TYPED), (False, secret_odds.LEAST_WRITTEN)):
        odds = [(score(one.signs, table), one.word) for one in texts if one.is_typed is is_typed]
        above = sorted((one for one in odds if one[0] > least), reverse=True)
        print(f"{len(above)} of {len(odds)} words of ordinary text {'as typed' if is_typed else 'in files'} are masked")
        for value, word in above[: asked.show]:
            print(f"  {value:.1f} {word}")
    if asked.write:
        write(table)


TABLE = "WEIGHTS: Mapping[str, float] = {\n"
"""What the table begins with."""


def write(table: dict[str, float]) -> None:
    """Put the weights that matter into the product, several a line."""
    file = Path(secret_weights.__file__)
    head = file.read_text().partition(TABLE)[0]
    lines, line = [], "   "
    for one in (f' "{name}": {value:.2f},' for name, value in table.items() if abs(value) >= LEAST_WEIGHT):
        if len(line) + len(one) > 120:
            lines.append(line)
            line = "   "
        line += one
    body = "\n".join([*lines, line])
    file.write_text(f"{head}{TABLE}{body}\n}}\n# fmt: on\n")


if __name__ == "__main__":
    main()
