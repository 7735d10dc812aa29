"""The order of what is recalled: the exact name first, nothing twice, and never more than the budget."""

import dataclasses
import random
import time

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.engine.memory.remembering import Drafting
from helix_core.ingest import mask
from helix_core.memory import asked_names, asked_words, named_share, statement

VERBS = ("read", "write", "parse", "load", "flush", "open", "merge", "order", "token", "cache", "batch", "retry")
NOUNS = ("Order", "User", "Token", "Page", "Frame", "Event", "Batch", "Chunk", "Index", "Queue", "State", "Header")
SAID = ("{} is called once", "{} must never run twice", "{} was added for the audit", "{} means that the disk is full")
PHRASES = ("网关端口", "夜间备份", "再試行の上限", "認証サーバー", "결제 서비스")


def names(draw, count):
    """Identifiers, paths and codes of errors that differ from each other in little."""
    found = {}
    while len(found) < count:
        verb, noun, other, number = draw.choice(VERBS), draw.choice(NOUNS), draw.choice(NOUNS), draw.randint(1, 20)
        path = f"{draw.choice(['src', 'app', 'lib'])}/{verb}/{draw.choice(VERBS)}_{noun.lower()}"
        made = (
            *(f"{verb}{noun}{number}", f"{verb}{noun}_{number}", f"{verb}_{noun.lower()}_{number}", f"{noun}{other}"),
            *(
                f"{noun}{other}::{verb}",
                f"{noun}.{verb}{number}",
                f"_{verb}_{noun.lower()}",
                f"{path}.py",
                f"{path}{number}.ts",
            ),
            *(
                f"E{1_000 + number * 7}",
                f"ERR_{noun.upper()}_{number}",
                f"0x8007{number * 11:04X}",
                f"{noun}{other}Error",
            ),
        )
        found[draw.choice(made)] = None
    return list(found)


def fill(helix, texts):
    """Keep texts without comparing them with each other."""

    def load(memory):
        scope = memory.items.scope(helix.session.place, create=True)
        drafting = [
            Drafting(RememberRequest(text), mask(b""), (), "", "user", int(time.time() * 1e3)) for text in texts
        ]
        drafts = [
            one.draft(memory, dataclasses.replace(statement(text), text=text), scope)
            for one, text in zip(drafting, texts, strict=True)
        ]
        return memory.items.load(drafts, "user", int(time.time() * 1e3))

    helix.memory.remember("this store is there")
    helix.session.memory_file.write(load)


@pytest.mark.slow
def test_of_five_hundred_names_that_differ_in_little_the_asked_one_comes_first(helix):
    draw = random.Random(5)
    said = {name: draw.choice(SAID).format(name) for name in names(draw, 495)}
    said |= {phrase: f"{phrase}: {number}" for number, phrase in enumerate(PHRASES)}
    fill(helix, said.values())
    missed = [
        name
        for name, text in said.items()
        if [helix.memory.recall(f"what is {name}?", 1)["items"][0]["text"]] != [text]
    ]
    assert len(missed) <= 10, missed


def test_the_parts_of_a_name_are_those_it_is_written_with():
    assert asked_words("what is readOrder9?") == ["readorder9", "read", "order"]
    assert asked_names("Why is readOrder9 in src/db.py slow?") == {"readOrder9", "src/db.py"}


def test_a_name_counts_as_written_more_than_in_another_case_and_not_as_a_part():
    names = asked_names("readOrder9?")
    assert [
        named_share(names, text) for text in ("`readOrder9` is slow.", "READORDER9 is slow", "readOrder90 is slow")
    ] == [
        1.0,
        0.5,
        0.0,
    ]
