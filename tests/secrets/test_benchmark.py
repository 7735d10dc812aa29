"""The benchmark of masking, small: a sample of its generated secrets, and of ordinary lines."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from helix_core.secrets import mask_typed

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("masking", REPOSITORY / "benchmarks" / "masking.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["masking"] = module
    spec.loader.exec_module(module)
    return module


def test_more_than_five_thousand_secrets_are_generated_the_same_each_time(bench: ModuleType) -> None:
    made = bench.cases()
    assert made == bench.cases() and made != bench.cases(seed=8)
    assert len(made) > 5_000
    assert all(piece in case.text for case in made for piece in case.pieces)


@pytest.mark.slow
def test_of_a_sample_no_secret_leaks_by_rule_and_few_in_prose(bench: ModuleType) -> None:
    made = random.Random(3).sample(bench.cases(seed=11), 900)
    leaked = [case for case in made if bench.is_leak(case)]
    assert [case for case in leaked if case.group == "rules"] == []
    assert len(leaked) <= 0.02 * len(made), leaked


@pytest.mark.slow
def test_of_what_people_type_little_leaks_and_no_sentence_about_it_is_touched(bench: ModuleType) -> None:
    made = random.Random(3).sample([case for case in bench.cases(seed=5) if case.group == "typed"], 600)
    leaked = [case for case in made if bench.is_leak(case)]
    assert len(leaked) <= 0.02 * len(made), leaked
    told = random.Random(3).sample(bench.sayings(), 600)
    assert [line for line in told if bench.mask_typed(line).data != line.encode()] == []


@pytest.mark.slow
def test_of_words_and_of_what_people_write_in_chats_little_leaks(bench: ModuleType) -> None:
    made = [case for case in bench.cases(seed=4) if case.group in ("words", "chat")]
    leaked = [case for case in random.Random(3).sample(made, 500) if bench.is_leak(case)]
    assert len(leaked) <= 0.02 * 500, leaked


def test_what_others_write_is_kept_apart_from_what_the_weights_are_fit_to(bench: ModuleType) -> None:
    sets = [bench.by_others(name) for name in bench.BY_OTHERS]
    sizes = [(len(with_secret), len(without)) for with_secret, without in sets]
    assert sizes == [(480, 300), (160, 100), (128, 0), (64, 0), (190, 130)]
    texts = [{case.text for case in (*with_secret, *without)} for with_secret, without in sets]
    assert len(texts[0] & texts[1]) <= 2
    assert not texts[2] & texts[3]
    assert all(case.pieces[0] in case.text for with_secret, _ in sets for case in with_secret)


@pytest.mark.slow
def test_of_what_others_write_not_more_leaks_than_is_said(bench: ModuleType) -> None:
    for name, most, most_touched in (
        ("built with", 56, 1),
        ("held out", 35, 9),
        ("ways", 1, 0),
        ("ways held out", 8, 0),
        ("later", 77, 20),
    ):
        with_secret, without = bench.by_others(name)
        assert sum(map(bench.is_leak, with_secret)) <= most
        assert sum(bench.masked_of(case) != case.text.encode() for case in without) <= most_touched


@pytest.mark.slow
def test_of_messages_of_teams_hardly_one_in_a_hundred_is_touched() -> None:
    files = sorted((REPOSITORY / "fixtures" / "memory").glob("slices-*.jsonl"))
    texts = [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]
    assert len(texts) > 6_000
    assert sum(bool(mask_typed(text).findings) for text in texts) <= 68


def test_a_leak_is_seen(bench: ModuleType) -> None:
    assert bench.is_leak(bench.Case("rules", "none", "colour = kX9mP2vLq8", ("kX9mP2vLq8",)))


@pytest.mark.slow
def test_few_lines_of_ordinary_code_are_touched(bench: ModuleType) -> None:
    counted = bench.measure(REPOSITORY / "helix_core", show=0)
    assert counted.lines > 20_000
    assert counted.touched <= 0.0005 * counted.lines
