"""How long a memory takes to be written and recalled among very many, and how often a recall is right or rightly empty.

    python benchmarks/memory.py [--sizes 1000,10000] [--writes 60] [--questions 100] [--seed 7] [--json FILE] [--gate]
    python benchmarks/memory.py --slices
    python benchmarks/memory.py --topics
    python benchmarks/memory.py --reworded [--model FOLDER] [--open]
    python benchmarks/memory.py --dialogues [--reference FOLDER]

A store is filled with made facts through the store's own writer (``load``). Then, through the engine as a surface uses
it: writes, each compared with what is there and committed to the disk; questions of eight words whose one answer is
known; questions of topics that no memory has. The labeled slices of ``fixtures/memory`` measure the gate; with
``--slices`` nothing else is measured, which takes a second.

``--topics`` asks the questions of ``fixtures/memory`` of the statements in its two open sets of slices: questions that
one of them answers, in other words too, and questions near to them that none answers. Only the development half may be
looked at to fit what is known empty; of the other one only these totals are.

``--reworded`` asks for the statements of ``paraphrases-*`` in other words, and what is near to them and nowhere:
how often the one is an answer, or among those that are named as the nearest. The held-out half is for totals alone, and
with ``--open`` is not asked. With ``--model`` the vectors of that model serve, as those of one that is set up do.

``--dialogues`` keeps the turns of made dialogues as episodes, and asks for the turn that answers a question
(``memorybench/dialogues.py``); BM25 alone stands beside. What turns count for one another was chosen on other
seeds of the first set; of the second, other topics and sentences, only the totals were looked at.
With ``--reference`` the MCP reference memory, which npm has installed in that folder, does the same work beside.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "speedbench"))

sys.path.insert(0, str(Path(__file__).parent / "memorybench"))

from dialogues import LIFE, WORK, Dialogue, Matter, Turn, dialogues
from figures import Figure, missed_gates, percentile, table
from reference_memory import ReferenceMemory, kept_of_writers

from helix_core.config import load_config
from helix_core.embed import FastModel, ModelEncoder, read_model
from helix_core.engine import Embedding, Helix
from helix_core.engine.memory import RememberRequest
from helix_core.engine.memory.remembering import Drafting
from helix_core.memory import asked_words, statement, statements_in
from helix_core.packet import estimated_tokens
from helix_core.secrets import mask
from helix_core.store import Memory
from helix_core.tokens import estimate
from helix_ls.mcp.text import rendered

SETS = (
    *("development", "held-out", "blind-open", "blind-held-out", "manners-open", "manners-held-out"),
    *("shut-1", "shut-2", "shut-3"),
)
SLICES = Path(__file__).parents[1] / "fixtures" / "memory"
WRITE_MS, LOAD_S, RECALL_MS = 20.0, 120.0, {1_000: 15.0, 10_000: 80.0, 100_000: 80.0}
DIALOGUES = 8
WRITERS, EACH = 8, 20
SYLLABLES = [consonant + vowel for consonant in "bdfgklmn" for vowel in "aeio"]
ROLES = ["service", "worker", "gateway", "table", "queue", "topic", "cache", "bucket", "job", "cluster", "schema"]
ACTS = (
    "owns {0} {1} and retries after {2} seconds",
    "writes its backups to {0} {1} every {2} hours",
    "is limited by {0} {1} to {2} requests",
    "was moved next to {0} {1} in sprint {2}",
)


def name(draw: random.Random) -> str:
    """A made word of three or four syllables."""
    return "".join(draw.choice(SYLLABLES) for _ in range(draw.randint(3, 4)))


def fact(draw: random.Random) -> tuple[str, str]:
    """A made statement, and a question of about eight words that it answers."""
    subject, other, role, target = name(draw), name(draw), draw.choice(ROLES), draw.choice(ROLES)
    act = draw.choice(ACTS).format(target, other, draw.randint(2, 9_000))
    question = f"what do we know about the {subject} {role} and the {other} {target}?"
    return f"The {subject} {role} {act}", question


def filled(helix: Helix, draw: random.Random, size: int) -> list[tuple[str, str]]:
    """Fill the memory up to a size; return some of its facts with their questions."""
    made: list[tuple[str, str]] = []

    def drafts(memory: Memory) -> Iterator[object]:
        scope = memory.items.scope(helix.session.place, create=True)
        for _ in range(size - memory.items.count()):
            text, question = fact(draw)
            made.append((text, question))
            request = RememberRequest(text)
            drafting = Drafting(request, mask(b""), (), "", "user", int(time.time() * 1e3))
            yield drafting.draft(memory, dataclasses.replace(statement(text), text=text), scope)

    def load(memory: Memory) -> int:
        memory.items.scope(helix.session.place, create=True)
        return memory.items.load(drafts(memory), "user", int(time.time() * 1e3))

    helix.memory.remember("the first fact is that this store exists")
    helix.session.memory_file.write(load)
    return made


def timed_ms(act: Callable[[], object]) -> tuple[float, float]:
    """How long a call takes, and how much CPU time of it is ours: a busy machine adds to the first alone."""
    started, worked = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - started) * 1e3, (time.process_time() - worked) * 1e3


def _commit(memory: Memory) -> int:
    """Commit one row, as the yardstick of what the disk takes of a write."""
    return memory.items.change("restore", "nothing", "bench", int(time.time() * 1e3))


def recall_into(helix: Helix, question: str, texts: list[str]) -> None:
    """Recall, and add the texts of the answer."""
    texts.extend(one["text"] for one in helix.memory.recall(question)["items"])


def measured(helix: Helix, draw: random.Random, size: int, writes: int, questions: int) -> list[Figure]:
    """The figures of one size."""
    facts: list[tuple[str, str]] = []
    load_ms, load_cpu = timed_ms(lambda: facts.extend(filled(helix, draw, size)))
    each = load_ms / max(len(facts), 1)
    figures = [
        Figure(f"load to {size:,}", round(load_ms / 1e3, 1), "s", target=LOAD_S if size == 100_000 else None),
        Figure(f"load to {size:,}, a memory", round(each, 2), "ms"),
        Figure(f"load to {size:,}, CPU time", round(load_cpu / 1e3, 1), "s"),
    ]
    write = [timed_ms(lambda: helix.memory.remember(fact(draw)[0])) for _ in range(writes)]
    wall, cpu = zip(*write, strict=True)
    figures.append(Figure(f"write at {size:,}, median", round(percentile(wall, 0.5), 1), "ms", target=WRITE_MS))
    figures.append(Figure(f"write at {size:,}, p95", round(percentile(wall, 0.95), 1), "ms"))
    figures.append(Figure(f"write at {size:,}, median of CPU time", round(percentile(cpu, 0.5), 1), "ms"))
    commit = [timed_ms(lambda: helix.session.memory_file.write(_commit)) for _ in range(writes)]
    figures.append(
        Figure("a commit of one row on this disk, median", round(percentile([one for one, _ in commit], 0.5), 1), "ms")
    )
    asked = draw.sample(facts, min(questions, len(facts)))
    times, worked, first, within = [], [], 0, 0
    for text, question in asked:
        texts: list[str] = []
        wall_ms, cpu_ms = timed_ms(partial(recall_into, helix, question, texts))
        times.append(wall_ms)
        worked.append(cpu_ms)
        first += texts[:1] == [text]
        within += text in texts
    figures.append(
        Figure(f"recall at {size:,}, p95", round(percentile(times, 0.95), 1), "ms", target=RECALL_MS.get(size))
    )
    figures.append(Figure(f"recall at {size:,}, p95 of CPU time", round(percentile(worked, 0.95), 1), "ms"))
    figures.append(Figure(f"recall at {size:,}, answer first", round(first / len(asked), 3), ""))
    figures.append(Figure(f"recall at {size:,}, answer among eight", round(within / len(asked), 3), ""))
    absent = [f"which {name(draw)} does the {name(draw)} license of {name(draw)} need?" for _ in range(questions)]
    empty: list[bool] = []
    # The first one reads the vectors from the file.
    helix.memory.recall(absent[0])
    embedded = [timed_ms(lambda one=one: empty.append(helix.memory.recall(one)["known_empty"])) for one in absent]
    wall, cpu = zip(*embedded, strict=True)
    figures.append(Figure(f"absent topics at {size:,}, known empty", round(sum(empty) / len(absent), 3), ""))
    limit = RECALL_MS.get(size)
    figures.append(
        Figure(f"the same by vectors, too, at {size:,}, p95", round(percentile(wall, 0.95), 1), "ms", target=limit)
    )
    figures.append(Figure(f"the same at {size:,}, p95 of CPU time", round(percentile(cpu, 0.95), 1), "ms"))
    figures.append(Figure(f"resident at {size:,}, the bench with it", resident_mib(), "MiB"))
    return figures


def resident_mib() -> float:
    """The memory of this process that is in use now."""
    with open("/proc/self/statm") as file:
        return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def gate_figures() -> list[Figure]:
    """The gate, the kinds and the slots, on each set of labeled slices."""
    figures = []
    for half in SETS:
        rows = [json.loads(line) for line in (SLICES / f"slices-{half}.jsonl").read_text("utf-8").splitlines()]
        found = [(row["kind"], [one.kind for one in statements_in(row["text"])]) for row in rows]
        durable = [(kind, kinds) for kind, kinds in found if kind]
        chatter = [kinds for kind, kinds in found if not kind]
        kept = [(kind, kinds) for kind, kinds in durable if kinds]
        passed = sum(map(bool, chatter))
        right = sum(kind == kinds[0] for kind, kinds in kept)
        slots = [row for row in rows if row.get("value")]
        shares = {
            f"durable kept, recall (of {len(durable)})": len(kept) / len(durable),
            f"kept is durable, precision (of {len(kept) + passed})": len(kept) / max(len(kept) + passed, 1),
            f"chatter dropped (of {len(chatter)})": 1 - passed / len(chatter),
            "kind right": right / max(len(kept), 1),
        }
        if slots:
            shares[f"slot right (of {len(slots)})"] = sum(map(has_slot, slots)) / len(slots)
            wrong = sum(bool(statement(row["text"]).subject) and not has_slot(row) for row in slots)
            shares[f"slot wrong (of {len(slots)})"] = wrong / len(slots)
        figures += [Figure(f"gate, {half}: {what}", round(share, 3), "") for what, share in shares.items()]
    return figures


def topic_figures(helix: Helix) -> list[Figure]:
    """How many absent topics are told as such, and what becomes of present ones, on each half of the questions."""
    figures = []
    for half in ("development", "blind-open"):
        for line in (SLICES / f"slices-{half}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["kind"]:
                helix.memory.remember(RememberRequest(row["text"], force=True))
    for half in ("development", "held-out"):
        lines = (SLICES / f"questions-{half}.jsonl").read_text("utf-8").splitlines()
        absent: list[bool] = []
        present: list[list[bool]] = []
        for row in map(json.loads, lines):
            texts = [one["text"] for one in helix.memory.recall(row["question"])["items"]]
            if row["answer"]:
                present.append([not texts, texts[:1] == [row["answer"]], row["answer"] in texts])
            else:
                absent.append(not texts)
        empty, first, within = (sum(one) / len(present) for one in zip(*present, strict=True))
        figures += [
            Figure(f"topics, {half}: absent told (of {len(absent)})", round(sum(absent) / len(absent), 3), ""),
            Figure(f"topics, {half}: present called empty (of {len(present)})", round(empty, 3), ""),
            Figure(f"topics, {half}: answer first", round(first, 3), ""),
            Figure(f"topics, {half}: answer among eight", round(within, 3), ""),
        ]
    return figures


def reworded_figures(helix: Helix, halves_of: Sequence[str], model: Path | None) -> list[Figure]:
    """How often a statement is found by a question in other words, and how often what is near to it is told absent."""
    halves = {
        half: [json.loads(line) for line in (SLICES / f"paraphrases-{half}.jsonl").read_text("utf-8").splitlines()]
        for half in halves_of
    }
    for rows in halves.values():
        for row in rows:
            helix.memory.remember(RememberRequest(row["memory"], force=True))
    if model is not None:
        encoder = helix.session.encoder = ModelEncoder(model.parent.parent, str(model))
        encoder.follow()
        Embedding(helix.session).run(FastModel(read_model(model)))
    figures = []
    for half, rows in halves.items():
        answers = [helix.memory.recall(row["question"]) for row in rows]
        texts = [[one["text"] for one in answer["items"]] for answer in answers]
        named = [[one["text"] for one in answer["nearest"]] for answer in answers]
        wanted = [row["memory"] for row in rows]
        answered = [memory in those for memory, those in zip(wanted, texts, strict=True)]
        near = [memory in those for memory, those in zip(wanted, named, strict=True)]
        told = [helix.memory.recall(row["near"])["known_empty"] for row in rows]
        shares = {
            "an answer": sum(answered) / len(rows),
            "an answer, or named as near": (sum(answered) + sum(near)) / len(rows),
            "near and absent, told": sum(told) / len(rows),
        }
        of = f"in other words, {half} (of {len(rows)})"
        figures += [Figure(f"{of}: {what}", round(share, 3), "") for what, share in shares.items()]
    return figures


def dialogue_figures(
    open_helix: Callable[[str], Helix], seed: int, count: int, of: str, matter: Matter
) -> list[Figure]:
    """How often the turn that answers is among the first of a recall, and how often an absent topic is told."""
    hits, alone = {5: 0, 10: 0}, {5: 0, 10: 0}
    present = told = absent = empty = largest = 0
    sizes: list[tuple[int, int]] = []
    for number, one in enumerate(dialogues(seed, count, matter)):
        with open_helix(f"{of} {number}") as helix:
            kept = kept_turns(helix, one)
            scope = helix.session.memory_file.read(lambda memory: memory.items.scope(helix.session.place)) or ""
            whole = estimated_tokens("\n".join(turn.text for turn in one.turns))
            for asked in one.asked:
                answer = helix.memory.recall(asked.question, k=10)
                sizes.append((estimate(rendered(answer)), whole))
                largest = max(largest, estimated_tokens(answer))
                found = [item["id"] for item in answer["items"]]
                if asked.evidence is None:
                    absent += 1
                    told += not found
                    continue
                present += 1
                empty += not found
                matched = helix.session.memory_file.read(partial(by_words, question=asked.question, scope=scope)) or []
                for most in hits:
                    hits[most] += kept[asked.evidence] in found[:most]
                    alone[most] += kept[asked.evidence] in matched[:most]
    figures = [
        Figure(
            f"{of}: answer among {most} (of {present})",
            round(hits[most] / present, 3),
            "",
            yardstick=round(alone[most] / present, 3),
            beside="BM25 alone",
        )
        for most in hits
    ]
    figures.append(Figure(f"{of}: present called empty", round(empty / present, 3), ""))
    figures.append(
        Figure(f"{of}: the largest answer", largest, "tokens", target=7_000, note="of ten memories, as JSON")
    )
    figures.append(Figure(f"{of}: the same as a model reads it", max(sizes)[0], "tokens", target=7_000))
    above = sum(size >= whole for size, whole in sizes)
    figures.append(Figure(f"{of}: answers not below pasting the dialogue (of {len(sizes)})", above, "", target=0))
    return [*figures, Figure(f"{of}: absent told (of {absent})", round(told / absent, 3), "")]


def reference_figures(open_helix: Callable[[str], Helix], folder: Path, home: Path, seed: int) -> list[Figure]:
    """The MCP reference memory at the same dialogues: what it finds, what has to be read, and what writers lose."""
    hits, read, ours, present = {5: 0, 10: 0}, 0, 0, 0
    for number, one in enumerate(dialogues(seed, DIALOGUES)):
        names = {turn: f"turn {place}" for place, turn in enumerate(one.turns)}
        with (
            ReferenceMemory(folder, home / f"reference{number}.jsonl") as peer,
            open_helix(f"beside{number}") as helix,
        ):
            peer.keep({name: turn.text for turn, name in names.items()})
            kept_turns(helix, one)
            for asked in one.asked:
                if asked.evidence is not None:
                    found, size = peer.search(asked_words(asked.question), 10)
                    read, present = read + size, present + 1
                    ours += len(json.dumps(helix.memory.recall(asked.question, k=10)))
                    for most in hits:
                        hits[most] += names[asked.evidence] in found[:most]
    figures = [
        Figure(f"reference memory: answer among {most}", round(hits[most] / present, 3), "", note="theirs")
        for most in hits
    ]
    read_each, ours_each = round(read / present), round(ours / present)
    figures.append(
        Figure("characters to read for an answer", ours_each, "", yardstick=read_each, beside="reference memory")
    )
    kept = kept_of_writers(folder, home / "writers.jsonl", WRITERS, EACH)
    text = f"kept of {WRITERS} clients with {EACH} writes each, at once"
    return [*figures, Figure(text, own_kept_of_writers(home), "", yardstick=kept, beside="reference memory")]


def own_kept_of_writers(home: Path) -> int:
    """Return how many of the same memories Helix has, each client a process of its own."""
    folder = home / "writers"
    folder.mkdir()
    environ = {"HELIX_CACHE_DIR": str(home / "writers-cache"), "HELIX_DATA_DIR": str(home / "writers-data")}
    write = (
        "import os, sys; from pathlib import Path; from helix_core.config import load_config; "
        "from helix_core.engine import Helix; from helix_core.engine.memory import RememberRequest; "
        "folder = Path(sys.argv[1]); config = load_config(folder, environ=os.environ, user=folder / 'none.toml'); "
        "helix = Helix.open(folder, config=config); [helix.memory.remember(RememberRequest("
        "f'writer {sys.argv[2]} says {place}', force=True)) for place in range(int(sys.argv[3]))]; helix.close()"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", write, str(folder), str(number), str(EACH)], env=os.environ | environ)
        for number in range(WRITERS)
    ]
    codes = [one.wait() for one in running]
    if any(codes):
        raise RuntimeError("a writer failed")
    with Helix.open(folder, config=load_config(folder, environ=environ, user=home / "none.toml")) as helix:
        return helix.session.memory_file.read(lambda memory: memory.items.count()) or 0


def kept_turns(helix: Helix, one: Dialogue) -> dict[Turn, str]:
    """Keep the turns of a dialogue as episodes; return the handle of each."""
    kept: dict[Turn, str] = {}

    def drafts(memory: Memory) -> Iterator[object]:
        scope = memory.items.scope(helix.session.place, create=True)
        for turn in one.turns:
            request = RememberRequest(turn.text, kind="episode", session=turn.session)
            drafting = Drafting(request, mask(b""), (), "", "user", int(time.time() * 1e3))
            said = dataclasses.replace(statement(turn.text), text=turn.text, kind="episode")
            draft = drafting.draft(memory, said, scope)
            kept[turn] = draft.fact.handle
            yield draft

    helix.memory.remember("the first fact is that this store exists")
    helix.session.memory_file.write(lambda memory: memory.items.load(drafts(memory), "user", int(time.time() * 1e3)))
    return kept


def by_words(memory: Memory, question: str, scope: str) -> list[str]:
    """Return the handles of the ten memories that BM25 alone finds first."""
    ids = [id_ for id_, _ in memory.items.matches(asked_words(question), [scope], 10)]
    return [one.fact.handle for one in memory.items.by_ids(ids)]


def has_slot(row: dict[str, str]) -> bool:
    """Return whether the labeled subject and value are in the slot that is read from the text."""
    one = statement(row["text"])
    # In the form in which they are compared: without articles and marks, and PostgreSQL is postgres there.
    named = statement(f"{row['subject']} is 7").subject or row["subject"].lower()
    is_subject = set(named.split()) <= set(one.subject.split())
    value = statement(f"The thing is {row['value']}").value
    return is_subject and bool(one.value) and value in one.value


def report(figures: list[Figure], file: Path | None) -> None:
    """Print the figures, and write them to a file where one is named."""
    print(table(figures))
    if file is not None:
        file.write_text(json.dumps([dataclasses.asdict(one) for one in figures], indent=1))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--writes", type=int, default=60)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--slices", action="store_true")
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--reworded", action="store_true")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--dialogues", action="store_true")
    parser.add_argument("--reference", type=Path)
    given = parser.parse_args()
    figures = gate_figures()
    if given.slices:
        print(table(figures))
        return
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)

        def open_helix(name: str) -> Helix:
            (home / name).mkdir()
            environ = {"HELIX_CACHE_DIR": str(home / name / "cache"), "HELIX_DATA_DIR": str(home / f"{name}-data")}
            return Helix.open(home / name, config=load_config(home / name, environ=environ, user=home / "none.toml"))

        if given.reworded:
            said: list[Figure] = []
            for halves in (("open", "held-out"), ("written-open", "written-shut")):
                asked = halves[:1] if given.open else halves
                with open_helix(halves[0]) as helix:
                    said += reworded_figures(helix, asked, given.model)
            report(said, given.json)
            return
        said = dialogue_figures(open_helix, given.seed, DIALOGUES, "dialogues", LIFE)
        said += dialogue_figures(open_helix, given.seed, DIALOGUES, "held-out dialogues", WORK)
        if given.reference is not None:
            said += reference_figures(open_helix, given.reference, home, given.seed)
        if given.dialogues:
            report(said, given.json)
            return
        figures += said
        for name_ in ("project", "topics"):
            (home / name_).mkdir()
        environ = {"HELIX_CACHE_DIR": str(home / "cache"), "HELIX_DATA_DIR": str(home / "data")}
        config = load_config(home / "project", environ=environ, user=home / "none.toml")
        topics = load_config(
            home / "topics", environ=environ | {"HELIX_DATA_DIR": str(home / "t")}, user=home / "none.toml"
        )
        with Helix.open(home / "topics", config=topics) as helix:
            figures += topic_figures(helix)
        if given.topics:
            print(table(figures))
            return
        with Helix.open(home / "project", config=config) as helix:
            draw = random.Random(given.seed)
            for size in map(int, given.sizes.split(",")):
                figures += measured(helix, draw, size, given.writes, given.questions)
        figures.append(Figure("file", round(os.path.getsize(home / "data" / "memory.db") / 2**20, 1), "MiB"))
    report(figures, given.json)
    if given.gate and (missed := missed_gates(figures)):
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    main()
