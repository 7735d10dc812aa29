"""The project's own questions are well formed, and their verifier finds what is wrong with a key."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "questions"
FIELDS = {"id", "corpus", "kind", "question", "expect_files", "expect_symbol", "names_identifier", "evidence"}


def read(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "least", "projects"),
    [
        ("answerable.jsonl", 60, 6),
        ("absent.jsonl", 60, 6),
        ("third-development.jsonl", 115, 5),
        ("third-shut.jsonl", 115, 5),
        ("near-development.jsonl", 192, 4),
        ("near-shut.jsonl", 240, 5),
    ],
)
def test_questions_are_distinct_and_whole(name: str, least: int, projects: int) -> None:
    questions = read(name)
    assert len(questions) >= least
    assert len({one["id"] for one in questions}) == len({one["question"] for one in questions}) == len(questions)
    assert all(one.keys() >= FIELDS for one in questions)
    assert len({one["corpus"] for one in questions}) == projects


def test_absent_ones_name_what_would_be_there_and_are_of_every_kind() -> None:
    absent = read("absent.jsonl")
    assert all(one["absent_terms"] and not one["expect_files"] for one in absent)
    assert {one["absence"] for one in absent} == {"feature", "config", "symbol", "wrong-project"}
    assert all(one["evidence"] for one in read("answerable.jsonl"))


def test_the_halves_of_the_third_set_share_no_project_and_its_paraphrases_do_not_name_their_answer() -> None:
    development, shut = read("third-development.jsonl"), read("third-shut.jsonl")
    others = [*read("answerable.jsonl"), *read("absent.jsonl")]
    projects = [{one["corpus"] for one in questions} for questions in (development, shut, others)]
    assert not projects[0] & projects[1] and not (projects[0] | projects[1]) & projects[2]
    paraphrases = [one for one in (*development, *shut) if one["kind"] == "paraphrase"]
    assert len(paraphrases) >= 160
    assert not [one["id"] for one in paraphrases if f"{one['expect_symbol']}".lower() in f"{one['question']}".lower()]


def test_the_near_questions_are_half_absent_of_every_kind_and_their_halves_share_no_project() -> None:
    halves = read("near-development.jsonl"), read("near-shut.jsonl")
    projects = [{one["corpus"] for one in questions} for questions in halves]
    assert not projects[0] & projects[1]
    for questions in halves:
        absent = [one for one in questions if one["kind"] == "absent"]
        assert len(absent) == len(questions) / 2
        assert not any(one["expect_files"] or one["evidence"] for one in absent)
        assert {one["absence"] for one in absent} == {"symbol", "feature", "aspect", "technology"}


@pytest.mark.process
def test_the_verifier_finds_a_missing_file_and_a_term_that_occurs(tmp_path: Path) -> None:
    for name in {str(one["corpus"]) for one in read("absent.jsonl")}:
        (tmp_path / name).mkdir()
    (tmp_path / "flask" / "limits.py").write_text("class RateLimit: pass\n")
    for name, complaint in (("absent.jsonl", "'ratelimit' occurs"), ("answerable.jsonl", "no file src/click/core.py")):
        run = subprocess.run(
            [sys.executable, FOLDER / "verify.py", name, tmp_path], capture_output=True, text=True, check=False
        )
        assert run.returncode == 1
        assert complaint in run.stdout
