"""What is measured through the Python API, each in a fresh process, one JSON object on standard output.

python inside.py files   FOLDER LIST_FILE       write the indexed paths, NUL between them
python inside.py words   FOLDER INDEX_FILE      a cold index without vectors
python inside.py ingest  FOLDER STEP            ingest every STEP-th file without vectors, to count instructions
python inside.py restart FOLDER                 open, find that nothing changed, close; beside bare stat walks
python inside.py save    FOLDER COUNT SEED      edit files one by one, each until it can be found
python inside.py alone   FOLDER COUNT           what counts of one path, in a made tree of COUNT files without git
python inside.py packets FOLDER QUESTIONS_FILE  a packet a question, warm; questions as JSON texts, one a line
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import resident_bytes
from yardsticks import timed_stat_walk

WARM_UP = 20
TASKS = ("explain", "edit")
K = 8


def files(folder: Path, list_file: Path) -> dict[str, Any]:
    """The files that became searchable, and their bytes."""
    from helix_core.engine import Helix

    with Helix.open(folder) as helix:
        live = indexed(helix)
        index = helix.index_path
    list_file.write_bytes(b"\0".join(live))
    kept = [index, index.with_name(index.name + "-wal")]
    return {
        "files": len(live),
        "bytes": sum(os.path.getsize(os.path.join(os.fsencode(folder), path)) for path in live),
        "index_bytes": sum(each.stat().st_size for each in kept if each.exists()),
    }


def indexed(helix: Any) -> list[bytes]:
    """The live paths, in byte order."""
    from helix_core.store import open_index

    index = open_index(helix.index_path)
    with index.reader() as reader:
        states = reader.files.states()
    index.close()
    return sorted(path for path, state in states.items() if not state.skipped)


def ingested(folder: Path, step: int) -> dict[str, Any]:
    """Ingest in this process; run it under valgrind with one step and with another, as starting costs two billion."""
    from helix_core.ingest.document import ingest
    from helix_core.workspace.disk import Root
    from helix_core.workspace.files import content_reason, list_files

    with Root.open(folder) as root, root.scan() as scan:
        read = [(file.path, scan.read(file.path).data) for file in list_files(root, None).files[::step]]
    chosen = [(path, data) for path, data in read if not content_reason(path, data)]
    chunks = sum(len(ingest(path, data, embed=False).chunks) for path, data in chosen)
    return {"files": len(chosen), "bytes": sum(len(data) for _, data in chosen), "chunks": chunks}


def restart(folder: Path) -> dict[str, Any]:
    """The walk first, so that both find the same warm caches; the second number leaves the imports out."""
    walk_s = timed_stat_walk(str(folder))
    cpu = cpu_seconds()
    started = time.perf_counter()
    from helix_core.engine import Helix

    imported = time.perf_counter()
    with Helix.open(folder) as helix:
        report = helix.refresh()
    ended = time.perf_counter()
    if report.parsed or report.changed or report.added:
        raise SystemExit(f"nothing had changed, but the refresh says {report}")
    return {
        "walk_s": walk_s,
        "restart_s": ended - started,
        "without_imports_s": ended - imported,
        "cpu_s": cpu_seconds() - cpu,
    }


def cpu_seconds() -> float:
    """Of this process and the children it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def save(folder: Path, count: int, seed: int) -> dict[str, Any]:
    """Append a line with a new word to files picked at random; time until the index has it; then see that it has."""
    from helix_core.engine import Helix

    taken, cpu, sizes, lost = [], [], [], 0
    with Helix.open(folder) as helix:
        chosen = random.Random(seed).sample(indexed(helix), count)
        for number, path in enumerate(chosen):
            word = _new_word(seed, number)
            with open(os.path.join(os.fsencode(folder), path), "ab") as file:
                file.write(f"\n{word}\n".encode())
            started, spent = time.perf_counter(), cpu_seconds()
            helix.refresh_paths([path])
            taken.append((time.perf_counter() - started) * 1e3)
            cpu.append((cpu_seconds() - spent) * 1e3)
            sizes.append(os.path.getsize(os.path.join(os.fsencode(folder), path)))
            lost += not any(item["source_id"].encode() == path for item in helix.search(word)["items"])
    slowest = sorted(zip(taken, sizes, (os.fsdecode(path) for path in chosen), strict=True), reverse=True)[:5]
    return {"ms": taken, "cpu_ms": cpu, "lost": lost, "slowest": slowest}


def alone(folder: Path, count: int) -> dict[str, Any]:
    """CPU time of one path alone beside that of the whole listing; ``folder`` is made, and must not exist."""
    from helix_core.workspace.disk import Root
    from helix_core.workspace.files import list_files

    for number in range(count):
        target = folder / f"a{number % 50}" / f"b{number // 50 % 40}"
        target.mkdir(parents=True, exist_ok=True)
        (target / f"f{number}.py").write_text("x = 1\n", encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    path = b"a7/b3/f157.py"
    with Root.open(folder) as root:
        whole = _cpu_ms(lambda: list_files(root, None), 3)
        return {"ms": _cpu_ms(lambda: list_files(root, None, only=[path]), 50), "whole_ms": whole}


def _cpu_ms(act: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        started = time.process_time()
        act()
        taken.append((time.process_time() - started) * 1e3)
    return sorted(taken)[times // 2]


def _new_word(seed: int, number: int) -> str:
    """One word that nobody wrote before, without parts that would be words of their own."""
    chance = random.Random(f"{seed} {number}")
    return "zq" + "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12))


def packets(folder: Path, questions_file: Path) -> dict[str, Any]:
    """Each question once, after a warm-up with others of the same kinds; tasks in turn. Memory at rest at the end."""
    from helix_core.engine import Helix
    from helix_core.printable import count
    from helix_ls.host.parent import set_up_process

    # As every process of Helix that answers.
    set_up_process()
    questions = [json.loads(line) for line in questions_file.read_text(encoding="utf-8").splitlines()]
    # A small folder gives few questions: a third of them warm up, so that some are left to measure.
    warm_up = min(WARM_UP, len(questions) // 3)
    if not warm_up:
        raise SystemExit(f"of {count(len(questions), 'question')} none is left after a warm-up; give more: --questions")
    taken, cpu, statuses = [], [], {"verified": 0, "stale_risk": 0, "needs_refresh": 0}
    with Helix.open(folder) as helix:
        for question in questions[:warm_up]:
            helix.packet(question, task="explain", k=K)
        for number, question in enumerate(questions[warm_up:]):
            started, spent = time.perf_counter(), time.process_time()
            packet = helix.packet(question, task=TASKS[number % len(TASKS)], k=K)
            taken.append((time.perf_counter() - started) * 1e3)
            cpu.append((time.process_time() - spent) * 1e3)
            for status in statuses:
                statuses[status] += len(packet[status])
        idle = resident_bytes(os.getpid())
    slowest = sorted(zip(taken, questions[warm_up:], strict=True), reverse=True)[:5]
    return {"ms": taken, "cpu_ms": cpu, "statuses": statuses, "idle_bytes": idle, "slowest": slowest}


def main(arguments: list[str]) -> dict[str, Any]:
    """Dispatch."""
    what, folder, *rest = arguments
    if what == "files":
        return files(Path(folder), Path(rest[0]))
    if what == "words":
        from without_vectors import words

        from helix_ls.host.parent import set_up_process

        # As every process of Helix that indexes.
        set_up_process()
        return words(Path(folder), Path(rest[0]))
    if what == "ingest":
        return ingested(Path(folder), int(rest[0]))
    if what == "restart":
        return restart(Path(folder))
    if what == "save":
        return save(Path(folder), int(rest[0]), int(rest[1]))
    if what == "alone":
        return alone(Path(folder), int(rest[0]))
    return packets(Path(folder), Path(rest[0]))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1:])))
