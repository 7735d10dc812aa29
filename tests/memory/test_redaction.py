"""Planted secrets that come in with a strand are in no file of the store, and no error repeats one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.errors import HelixError
from helix_core.ingest import Masked
from helix_core.strand import merged
from tests.memory.test_strands import holding, person, strand_of, take  # noqa: F401

MASKING = Path(__file__).parents[2] / "benchmarks" / "masking.py"
LEAST = 12


@pytest.fixture(scope="module")
def planted():
    """Texts that plant a secret by rule, with what must not be left of each; the generator of the benchmark."""
    spec = importlib.util.spec_from_file_location("masking_benchmark", MASKING)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    every = [one for seed in (11, 12) for one in module.cases(seed)]
    made = [one for one in every if one.group == "rules" and max(map(len, one.pieces)) >= LEAST]
    found = [(f"{one.text.strip()}\n", max(one.pieces, key=len)) for one in made if len(one.text) < 3_000]
    assert len(found) >= 9_000
    return found[::2] + found[1:601:2]


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
    return [secret for secret in secrets if secret.lower().encode() in held or secret[:LEAST].lower().encode() in held]


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
    some = planted[::12]
    half = len(some) // 2
    senders = {"ada": some[:half], "carol": some[half:]}
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
    assert sum(secret[:LEAST].encode() in lines for _, secret in some) > len(some) * 0.9, "the strands hold them"
    bob, dora = person("bob"), person("dora")
    for strand in strands:
        take(bob, strand)
    _, records = merged(strands, now=1)
    take(dora, holding(records))
    for name in ("bob", "dora"):
        assert left_in(tmp_path / name / "data", [secret for _, secret in some]) == []
