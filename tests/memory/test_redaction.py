"""Planted secrets are in no file of the store, whatever way they come in, and no error repeats one."""

from __future__ import annotations

import importlib.util
import random
import string
import sys
import uuid
from pathlib import Path

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.errors import HelixError
from helix_core.memory import NoteInput, PauseInput, attributed
from helix_core.model import MemoryOrigin, PauseType
from helix_core.secrets import Masked, mask, mask_typed
from helix_core.strand import merged
from tests.memory.test_strands import holding, person, strand_of, take  # noqa: F401
from tests.secrets.test_masking import TOKENS

MASKING = Path(__file__).parents[2] / "benchmarks" / "masking.py"
LEAST = 12
PART = 500
SHARES = 7
LINE_ENDS = ("\n", "\r\n", "\r")
KNOWN_BY_LINES = (
    *("kubernetes", "kubernetes first", "kubernetes block", "kubernetes list", "redis conf", "redis list"),
    *("markdown column", "python next line", "yaml block", "plist"),
)


def cases_of(*seeds):
    """The cases of the rules of the benchmark's generator."""
    spec = importlib.util.spec_from_file_location("masking_benchmark", MASKING)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    every = [one for seed in seeds for one in module.cases(seed)]
    return [one for one in every if one.group == "rules" and max(map(len, one.pieces)) >= LEAST]


def planted_by(cases):
    """Return for each case a text that plants a secret, and what must not be left of it."""
    return [(f"{one.text.strip()}\n", max(one.pieces, key=len)) for one in cases if len(one.text) < 3_000]


@pytest.fixture(scope="module")
def planted():
    found = planted_by(cases_of(11, 12))
    assert len(found) >= 9_000
    tokens = [(f"we sign in with {token}\n", token) for token in TOKENS.values()]
    return found[::2] + found[1:601:2] + tokens


@pytest.fixture(scope="module")
def known_by_lines():
    """A secret of each of some syntaxes that only their lines tell, and a token that its own form tells."""
    found = {one.syntax.partition(" (")[0]: one for one in cases_of(11)}
    token = TOKENS["discord-token"]
    return [*planted_by(found[syntax] for syntax in KNOWN_BY_LINES), (f"we sign in with {token}", token)]


def remembering(helix):
    return lambda number, text: helix.memory.remember(RememberRequest(text, force=True))


def editing(helix):
    id_ = helix.memory.remember("The queue is NATS")["items"][0]["id"]

    def plant(number, text):
        nonlocal id_
        id_ = helix.memory.edit(id_, text)["items"][0]["id"]

    return plant


def naming_a_kind(helix):
    return lambda number, text: helix.memory.remember(RememberRequest(f"The port {number} is free", kind=text))


def naming_a_key(helix):
    return lambda number, text: helix.memory.remember(
        RememberRequest(f"The port {number} is free", key=f"{number} {text}")
    )


def naming_a_session(helix):
    return lambda number, text: helix.memory.remember(RememberRequest(f"The port {number} is free", session=text))


def citing(helix):
    return lambda number, text: helix.memory.remember(RememberRequest(f"The port {number} is free", cites=[text]))


def acting(helix):
    def plant(number, text):
        by = attributed({"org_id": text, "party_id": text, "participant_handle": text, "agent_handle": text}, {})
        helix.memory.ingest(NoteInput(f"The port {number} is free"), by)
        helix.memory.remember(RememberRequest(f"The port {number} is free"), by)

    return plant


def relating(helix):
    one, two = (helix.memory.remember(f"The queue {name} is NATS")["items"][0]["id"] for name in ("one", "two"))
    return lambda number, text: helix.memory.relate(one, text, two)


def proposing(helix):
    return lambda number, text: helix.memory.propose(
        f"From now on we use this: {text}", MemoryOrigin.AGENT, session=text
    )


def noting(helix):
    return lambda number, text: helix.memory.ingest(NoteInput(text))


def titling(helix):
    def plant(number, text):
        metadata = {"title": text, "path": text, "about": {"said": [text]}, text: number}
        helix.memory.ingest(NoteInput(f"The port {number} is free", metadata=metadata))

    return plant


def asking(helix):
    return lambda number, text: helix.memory.learn(text, f"We decided to free the port {number}.", session=text)


def answering(helix):
    return lambda number, text: helix.memory.learn(f"Which port is {number}?", text)


def pausing(helix):
    def plant(number, text):
        helix.pauses.emit(
            PauseInput(
                PauseType.UNCERTAINTY_CHECK,
                session=text,
                participant=text,
                party=text,
                task_context=text,
                risk_keywords=[text],
                metadata={"why": text},
            )
        )

    return plant


WAYS = {
    "remember": remembering,
    "edit": editing,
    "kind": naming_a_kind,
    "key": naming_a_key,
    "session name": naming_a_session,
    "citation": citing,
    "attribution": acting,
    "relate": relating,
    "proposal": proposing,
    "note": noting,
    "title, path and metadata of a note": titling,
    "question and session of a chat": asking,
    "answer of a chat": answering,
    "pause": pausing,
}
REFUSED = {"kind", "citation", "relate"}
"""Ways that take a word or a place only, so that nothing of a text comes in."""


def refused(act):
    """Run what may refuse; return what it says, empty where it did not refuse."""
    try:
        act()
    except HelixError as error:
        return str(error)
    return ""


def left_in(folder, secrets):
    """Which of the secrets have a run of bytes in some file of a folder, whatever its case."""
    held = b"\0".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()).lower()
    starts = {secret[:LEAST].lower().encode() for secret in secrets}
    return sorted(start for start in starts if start in held)


def plant_all(helix, way, planted):
    """Plant each text by one way, with another line end each time. No error repeats a secret."""
    plant, said = WAYS[way](helix), []
    for number, (text, secret) in enumerate(planted):
        given = text.replace("\n", LINE_ENDS[number % len(LINE_ENDS)])
        said.append(refused(lambda number=number, given=given: plant(number, given)))
        assert secret[:LEAST].lower() not in said[-1].lower()
    count = sum(map(bool, said))
    assert count == len(planted) if way in REFUSED else count < len(planted) / 20


def benign_lines(draw):
    """Lines as they stand in notes about code: hashes, ids, paths, and code that speaks of tokens, secrets and keys."""

    def digits(count):
        return "".join(draw.choices("0123456789abcdef", k=count))

    def base64(count):
        return "".join(draw.choices(string.ascii_letters + string.digits + "+/", k=count))

    def word():
        return draw.choice(("session", "order", "cache", "invoice", "upload", "worker", "tenant", "report"))

    yield from (f"The {word()} regression came in with {digits(40)}" for _ in range(60))
    yield from (f"{word()} {number} was fixed in commit {digits(8)}" for number in range(40))
    yield from (f"request {uuid.UUID(int=draw.getrandbits(128), version=4)} timed out in {word()}" for _ in range(60))
    yield from (f'integrity="sha384-{base64(64)}"' for _ in range(30))
    yield from (f"{word()}@1.{number}.0 has integrity sha512-{base64(86)}==" for number in range(30))
    yield from (f"image registry.example.org/{word()}@sha256:{digits(64)}" for _ in range(40))
    yield from (f"see src/{word()}/{word()}_handlers/{word()}Controller{number}.test.ts" for number in range(40))
    yield from (f"the secret of {word()} {number} is rotated by the operator" for number in range(20))
    yield from (f"token = parser.next_token({word()}_{number})" for number in range(20))
    yield from (f"if key not in {word()}_by_key: raise KeyError(key)  # {number}" for number in range(20))
    yield from (f"def verify_token(self, token: str, {word()}_secret: bytes = b'') -> bool:" for _ in range(10))
    yield from (f"api_key = os.environ['{word().upper()}_API_KEY_{number}']" for number in range(20))


def test_of_four_hundred_lines_without_a_secret_none_is_altered():
    lines = list(benign_lines(random.Random(5)))
    assert len(lines) >= 390
    assert [line for line in lines if mask(line.encode()).text() != line] == []
    # In what a person types, a hash of a lock file is read as a user's name and password at each slash.
    typed = [line for line in lines if "integrity" not in line]
    assert [line for line in typed if mask_typed(line).text() != line] == []


@pytest.mark.parametrize("way", WAYS)
def test_no_secret_that_is_known_by_its_lines_comes_in_whatever_the_way(helix, tmp_path, known_by_lines, way):
    plant_all(helix, way, known_by_lines * len(LINE_ENDS))
    assert left_in(tmp_path, [secret for _, secret in known_by_lines]) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_planted_secret_comes_in_whatever_the_way(open_helix, project, tmp_path, planted, way):
    """Each secret comes by two ways in all. A memory of thousands alike takes long to compare, so there are several."""
    share = planted[list(WAYS).index(way) % SHARES :: SHARES]
    for first in range(0, len(share), PART):
        helix = open_helix(project, [("HELIX_DATA_DIR", str(tmp_path / f"data{first}"))])
        helix.refresh()
        plant_all(helix, way, share[first : first + PART])
    assert left_in(tmp_path, [secret for _, secret in share]) == []


@pytest.mark.slow
def test_no_error_about_a_kind_a_relation_or_an_id_repeats_a_secret(helix, planted):
    ids = [helix.memory.remember(f"The queue {name} is NATS")["items"][0]["id"] for name in ("one", "two")]
    for text, secret in planted[::25]:
        for act in (
            lambda text=text: helix.memory.remember(RememberRequest("The port is 8080", kind=text)),
            lambda text=text: helix.memory.relate(ids[0], text, ids[1]),
            lambda text=text: helix.memory.get(text),
            lambda text=text: helix.memory.approve(text),
            lambda text=text: helix.memory.recall("port", scope=text),
        ):
            said = refused(act)
            assert said
            assert secret[:LEAST].lower() not in said.lower()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_planted_secret_comes_in_by_a_strand_or_by_a_merged_one(person, tmp_path, planted, monkeypatch):  # noqa: F811
    """The senders' rules knew nothing of secrets; the receiver's do."""
    half = len(planted) // 2
    senders = {"ada": planted[:half], "carol": planted[half:]}
    strands = []
    with monkeypatch.context() as older:
        older.setattr("helix_core.engine.memory.remembering.mask_typed", lambda text: Masked(text.encode()))
        for name, texts in senders.items():
            sender = person(name)
            for number, (text, _) in enumerate(texts):
                wanted = RememberRequest(f"{name} {number}:\n{text}", is_global=True, force=True)
                refused(lambda sender=sender, wanted=wanted: sender.memory.remember(wanted))
            strands.append(strand_of(sender))
    lines = b"".join(one.line for strand in strands for one in strand.records)
    assert sum(secret[:LEAST].encode() in lines for _, secret in planted) > len(planted) * 0.9, "the strands hold them"
    bob, dora = person("bob"), person("dora")
    for strand in strands:
        take(bob, strand)
    _, records = merged(strands, now=1)
    take(dora, holding(records))
    for name in ("bob", "dora"):
        assert left_in(tmp_path / name / "data", [secret for _, secret in planted]) == []
