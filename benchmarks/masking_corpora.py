"""How many secrets of two other projects leave Helix unmasked: samples of gitleaks' rules, and detect-secrets' tests.

    python benchmarks/masking_corpora.py GITLEAKS DETECT_SECRETS [--seed 3] [--show 20]
    python benchmarks/masking_corpora.py --written DETECT_SECRETS [--show 20]

The arguments are checkouts of both. For each rule of ``config/gitleaks.toml`` texts are drawn that match its pattern
and have its least entropy; the secret is the pattern's first group. Each stands in 25 syntaxes, those that gitleaks
draws its own samples in. It is a leak where seven characters in a row are left of what the samples of a rule do not
share. ``ids`` are rules whose pattern is that of an identifier (a UUID, or digits alone), ``contexts`` those whose
pattern is no secret but a whole command, manifest or address; both are counted apart.

Of detect-secrets each line is counted that a test of a plugin expects to be found, but for entropy, addresses and the
base class; a leak is a line that is not altered. Most that are left are placeholders (``AKCxxxxxxxxxx``,
``EXAMPLEKEY``), which Helix leaves alone on purpose, so the same lines are asked again with drawn characters in the
place of each run of ``x``. The lines of the keyword plugin share three texts for a secret; they are asked as they
are, and with ``PASSWORDS``.

Texts are masked as what a person types (a memory, a chat, a note) and as a file is.

With ``--written`` each such text of detect-secrets is kept as a memory, and so is each line of its ``test_data`` in
which its own plugins find a secret, but for entropy and addresses. For each plugin it is printed how many secrets are
left in what was kept; of lines whose secret no test names, how many were kept as they were.
"""

from __future__ import annotations

import argparse
import importlib
import math
import random
import re
import string
import sys
import tomllib
import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from memorybench.apart import helix_apart

from helix_core.engine.memory import RememberRequest
from helix_core.errors import UsageError
from helix_core.secrets.masking import mask, mask_typed
from helix_core.secrets.values import without_masks

ALNUM = string.ascii_letters + string.digits
RUN = 7
TRIES = 60
SYNTAXES = (
    *('{i}Token="{s}"', '{i}Token = "{s}"', "{i}Token={s}", "{i}Token = {s}", '{{\n    "{i}_token": "{s}"\n}}'),
    *('{{"config.ini": "{I}_TOKEN={s}\\nBACKUP_ENABLED=true"}}', "<{i}Token>\n    {s}\n</{i}Token>", "{i}_token: {s}"),
    *("{i}_token: '{s}'", '{i}_token: "{s}"', 'string {i}Token = "{s}";', 'var {i}Token string = "{s}"'),
    *('{i}Token := "{s}"', "{i}Token := `{s}`", 'String {i}Token = "{s}";', 'var {i}Token = "{s}"'),
    *('${i}Token .= "{s}"', "{i}Token = '{s}'", 'const {i}Token = "{s}"', 'System.setProperty("{I}_TOKEN", "{s}")'),
    *('  "{i}Token" => "{s}"', '{I}_TOKEN := "{s}"', '{I}_TOKEN ?= "{s}"', "export {I}_TOKEN='{s}'"),
    'curl -H "{i}-token: {s}" https://x.example/',
)
CONTEXTS = frozenset(
    ("curl-auth-header", "curl-auth-user", "kubernetes-secret-yaml", "nuget-config-password", "sidekiq-sensitive-url")
)
PASSWORDS = ("kX9#vTq2&mLp7!wZ", "Tr0ub4dor&3kX9", "hT7(wq>-_$#9x]zP", "sUn-flower_92-Pelican")
LEFT_OUT = frozenset(("base_test", "high_entropy_strings_test", "ip_public_test", "keyword_test"))
WAYS: dict[str, Callable[[str], str]] = {
    "typed": lambda text: mask_typed(text).text(),
    "in a file": lambda text: mask(text.encode()).text(),
}


class Drawn:
    """Draws texts that match a pattern, and what its groups hold."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def text(self, tree: Any, groups: dict[int, str]) -> str:
        """Return a text of a parsed pattern; assertions are not obeyed."""
        return "".join(self._part(str(operation), given, groups) for operation, given in tree)

    def _part(self, operation: str, given: Any, groups: dict[int, str]) -> str:
        match operation:
            case "LITERAL":
                return chr(given)
            case "NOT_LITERAL":
                return self._chance.choice([one for one in ALNUM if ord(one) != given])
            case "ANY":
                return self._chance.choice(ALNUM)
            case "IN":
                return self._chance.choice(list(_members(given)))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, part = given
                more = 0 if operation == "MIN_REPEAT" else min(3, int(most) - least)
                return "".join(self.text(part, groups) for _ in range(self._chance.randint(least, least + more)))
            case "SUBPATTERN":
                number, _, _, part = given
                found = self.text(part, groups)
                if number:
                    groups.setdefault(number, found)
                return found
            case "BRANCH":
                return self.text(self._chance.choice(given[1]), groups)
            case "GROUPREF":
                return groups.get(given, "")
            case "ATOMIC_GROUP":
                return self.text(given, groups)
        return ""


def _members(given: Any) -> Sequence[str]:
    found: list[str] = []
    is_negated = False
    for operation, value in given:
        match str(operation):
            case "NEGATE":
                is_negated = True
            case "LITERAL":
                found.append(chr(value))
            case "RANGE":
                found += map(chr, range(value[0], value[1] + 1))
            case "CATEGORY":
                kinds = {"DIGIT": string.digits, "SPACE": " ", "WORD": f"{ALNUM}_"}
                name = str(value)
                found += next((kinds[one] for one in kinds if one in name and "NOT" not in name), ALNUM)
    return [one for one in ALNUM if one not in found] or [" "] if is_negated else found


def readable(pattern: str) -> str:
    """Return a pattern of Go as one of Python; case is ignored."""
    plain = re.sub(r"\(\?[ims]+\)", "", pattern)
    plain = re.sub(r"\(\?-i:", "(?:", plain).replace(r"\z", r"\Z")
    return plain.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9")


def samples(rule: dict[str, Any], chance: random.Random) -> list[str]:
    """Return secrets that a rule of gitleaks finds, one for each syntax; none where none could be drawn."""
    pattern = readable(rule["regex"])
    tree, compiled, drawn = parser.parse(pattern), re.compile(pattern, re.I), Drawn(chance)
    found: list[str] = []
    for _ in range(len(SYNTAXES) * TRIES):
        groups: dict[int, str] = {}
        try:
            whole = drawn.text(tree, groups)
        except IndexError:
            return []
        secret = groups.get(rule.get("secretGroup", 1), whole).strip()
        if compiled.search(whole) and len(secret) >= RUN and entropy(secret) >= rule.get("entropy", 0):
            found.append(secret)
        if len(found) == len(SYNTAXES):
            break
    return found


def entropy(text: str) -> float:
    """Return Shannon's entropy of the characters, in bits."""
    counts = Counter(text).values()
    return -sum(one / len(text) * math.log2(one / len(text)) for one in counts)


def is_left(text: str, secret: str) -> bool:
    """Return whether a run of a secret is left in a text."""
    return any(secret[at : at + RUN] in text for at in range(max(len(secret) - RUN + 1, 1)))


def shared_start(found: Sequence[str]) -> int:
    """Return how many characters all of several texts begin with; 0 for one text."""
    least, most = min(found), max(found)
    alike = (at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other)
    return 0 if least == most else next(alike, len(least))


def group_of(rule: str, found: Sequence[str]) -> str:
    """Return how a rule is counted."""
    if rule in CONTEXTS:
        return "contexts"
    is_uuid = all(re.fullmatch(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", one) for one in found)
    return "ids" if is_uuid or all(one.isdigit() for one in found) else "secrets"


def of_gitleaks(folder: Path, chance: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """Yield group, rule, text and what of the secret may not be left."""
    rules = tomllib.loads((folder / "config/gitleaks.toml").read_text("utf-8"))["rules"]
    for rule in rules:
        found = samples(rule, chance) if "regex" in rule else []
        if not found:
            print(f"no sample of {rule['id']}", file=sys.stderr)
            continue
        shared = shared_start(found)
        name, group = rule["id"].split("-")[0], group_of(rule["id"], found)
        for number, syntax in enumerate(SYNTAXES):
            secret = found[number % len(found)]
            yield group, rule["id"], syntax.format(i=name, I=name.upper(), s=secret), secret[shared:] or secret


def of_detect_secrets(folder: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the plugins with the lines that their tests expect to be found, and the lines of the keyword plugin with
    their secrets.
    """
    sys.path.insert(0, str(folder))
    # Some tests answer requests with it; none of them is run here.
    sys.modules.setdefault("responses", types.ModuleType("responses")).activate = lambda test: test  # type: ignore[attr-defined]
    lines: dict[str, str] = {}
    for file in sorted((folder / "tests/plugins").glob("*_test.py")):
        if file.stem in LEFT_OUT:
            continue
        try:
            module = importlib.import_module(f"tests.plugins.{file.stem}")
        except ImportError as error:
            print(f"{file.name} is left out: {error}", file=sys.stderr)
            continue
        tests = [
            test
            for one in vars(module).values()
            for name, test in (vars(one).items() if isinstance(one, type) else [("", one)])
            # What finds the account beside a secret.
            if not name.startswith("test_find")
        ]
        for mark in (mark for test in tests for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"):
            for given in mark.args[1]:
                line, *more = given if isinstance(given, tuple | list) else (given,)
                if isinstance(line, str) and (not more or more[0]) and more[:1] != [0]:
                    lines.setdefault(line, file.stem.removesuffix("_test"))
    module = importlib.import_module("tests.plugins.keyword_test")
    keywords = {case: None for name, cases in vars(module).items() if name.endswith("TEST_CASES") for case in cases}
    return [(plugin, line) for line, plugin in lines.items()], [(line, secret) for line, secret in keywords if secret]


def of_test_data(folder: Path) -> list[tuple[str, str, str]]:
    """Return plugin, line and secret for what the plugins find in the files of ``test_data``.

    Of a private key they find the mark above it alone: the line below is the secret, and both are the text.
    """
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    plugins = [
        one()
        for kind, one in get_mapping_from_secret_type_to_class().items()
        if "Entropy" not in kind and "IP" not in kind
    ]
    found: dict[tuple[str, str, str], None] = {}
    for file in sorted(path for path in (folder / "test_data").rglob("*") if path.is_file()):
        rows = file.read_text("utf-8", "replace").splitlines()
        for line, below in zip(rows, [*rows, ""][1:], strict=True):
            for plugin in plugins:
                # A line with the mark of an allowed one is none that is to be found.
                if "pragma: allowlist" not in line and line.strip():
                    for secret in plugin.analyze_string(line.strip()):
                        name, is_mark = type(plugin).__name__, "BEGIN" in secret and "PRIVATE KEY" in secret
                        text = (f"{line}\n{below}", below) if is_mark else (line.strip(), secret)
                        found[name, *text] = None
    return [*found]


def print_written(folder: Path, show: int) -> int:
    """Keep each text as a memory, print for each plugin what is left of its secrets, and return how many are."""
    lines, keywords = of_detect_secrets(folder)
    cases = [(f"tests, {plugin}", line, "") for plugin, line in lines]
    cases += [("tests, keyword", line, secret) for line, secret in keywords]
    cases += [(f"test_data, {plugin}", line, secret) for plugin, line, secret in of_test_data(folder)]
    left: dict[str, list[str]] = {}
    with helix_apart() as helix:
        for plugin, line, secret in cases:
            try:
                (item,) = helix.memory.remember(RememberRequest(line, force=True))["items"]
            except UsageError:
                # Nothing but a secret is not remembered.
                continue
            kept = without_masks(item["text"].encode()).decode()
            if is_left(kept, secret) if secret else " ".join(kept.split()) == " ".join(line.split()):
                left.setdefault(plugin, []).append(line)
    for plugin, total in Counter(plugin for plugin, _, _ in cases).items():
        several = left.get(plugin, [])
        print(f"{plugin}: {len(several)} of {total} left")
        for line in several[:show]:
            print(f"  {line!r}")
    return sum(map(len, left.values()))


def main() -> int:
    """Count and print."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("gitleaks", type=Path, nargs="?")
    arguments.add_argument("detect_secrets", type=Path, nargs="?")
    arguments.add_argument("--written", type=Path, metavar="DETECT_SECRETS")
    arguments.add_argument("--seed", type=int, default=3)
    arguments.add_argument("--show", type=int, default=0)
    given = arguments.parse_args()
    if given.written is not None:
        print_written(given.written, given.show)
        return 0
    if given.gitleaks is None or given.detect_secrets is None:
        arguments.error("give checkouts of gitleaks and of detect-secrets, or --written and one of detect-secrets")
    chance = random.Random(given.seed)
    cases = [*of_gitleaks(given.gitleaks, chance)]
    tested, keywords = of_detect_secrets(given.detect_secrets)
    lines = [line for _, line in tested]
    drawn = [re.sub("x{4,}", lambda run: "".join(chance.choices(ALNUM, k=len(run[0]))), line) for line in lines]
    for way, masked in WAYS.items():
        left = [case for case in cases if is_left(masked(case[2]), case[3])]
        for group, total in Counter(case[0] for case in cases).items():
            of_group = [case for case in left if case[0] == group]
            print(f"gitleaks, {group}, {way}: {len(of_group)} of {total} left")
            if given.show:
                print(f"  {Counter(case[1] for case in of_group).most_common(given.show)}")
                for case in of_group[:: max(len(of_group) // given.show, 1)]:
                    print(f"  {case[1]}: {case[2]!r}")
        for name, several in (("as written", lines), ("with drawn characters for x", drawn)):
            same = [line for line in several if masked(line) == line]
            print(f"detect-secrets, {name}, {way}: {len(same)} of {len(several)} left")
            for line in same[: given.show]:
                print(f"  {line!r}")
        asked = [(line, secret, secret) for line, secret in keywords]
        asked += [(line, secret, other) for line, secret in keywords for other in PASSWORDS]
        for name, several in (("as written", asked[: len(keywords)]), ("with other passwords", asked[len(keywords) :])):
            same = [
                (line, other) for line, secret, other in several if is_left(masked(line.replace(secret, other)), other)
            ]
            print(f"detect-secrets' keywords, {name}, {way}: {len(same)} of {len(several)} left")
            print(
                f"  {Counter(other for _, other in same).most_common(given.show)}" if given.show else "",
                end="\n" * bool(given.show),
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
