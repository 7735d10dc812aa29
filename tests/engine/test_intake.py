"""What becomes of a file that the listing named and that cannot be read when its turn comes."""

import os
import threading
import time

from helix_core.engine.indexing.intake import Intake
from helix_core.engine.indexing.plan import is_pending, work_plan
from helix_core.engine.indexing.report import RefreshReport
from helix_core.ingest.parse_guard import no_parse_guard
from helix_core.model import FileEntry, Listing, SourceState, StatSignature
from helix_core.store.index import open_index
from helix_core.workspace.disk import Root
from tests.engine.repository import write


def take(folder, writer, known, entries, tell=lambda _: None):
    report = RefreshReport()
    with Root.open(folder) as root:
        intake = Intake(
            root,
            writer,
            known,
            report,
            tell=tell,
            check=lambda: None,
            max_bytes=1 << 20,
            parse_guard=no_parse_guard,
            set_aside={},
            again=(),
            leaving={},
            leave=lambda _: None,
        )
        intake.take(entries, workers=1)
    return report


def test_what_cannot_be_read_is_remembered_with_its_reason_until_it_is_gone(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    path = folder / "turned.py"
    path.write_text("def turned():\n    return 1\n")
    os.utime(path, ns=(1, 1))
    time.sleep(0.06)  # longer than the clock's grain, so that the signature is trusted
    with Root.open(folder) as root:
        entry = FileEntry(b"turned.py", root.stat(b"turned.py"))
    with open_index(tmp_path / "index.db") as index:
        reader = index.reader()
        take(folder, index.writer(), {}, [entry])
        path.unlink()
        os.mkfifo(path)
        report = take(folder, index.writer(), reader.files.states(), [entry])
        assert (report.skipped, report.removed) == ({"not_a_file": 1}, 1)
        assert [(one.path, one.reason) for one in reader.files.skipped()] == [(b"turned.py", "not_a_file")]
        assert reader.files.counts().live.sources == 0
        assert work_plan(Listing((entry,), ()), reader.files.states(), True).read == ()
        path.unlink()
        take(folder, index.writer(), reader.files.states(), [entry])
        assert reader.files.states() == {}
        reader.close()


def test_a_file_that_could_not_be_read_is_tried_again_but_is_no_news():
    signature = StatSignature(3, 1, 1, 7)
    entry = FileEntry(b"closed.py", signature)
    known = {b"closed.py": SourceState(b"closed.py", "", signature, time.time_ns(), "", "unreadable")}
    assert work_plan(Listing((entry,), ()), known, True).read == (entry,)
    now = {"same_generation": True, "now_ns": time.time_ns()}
    assert not is_pending(entry, known, **now)
    assert is_pending(FileEntry(b"closed.py", StatSignature(3, 1, 2, 7)), known, **now)
    assert is_pending(FileEntry(b"new.py", signature), known, **now)


def test_a_save_handed_in_during_a_bulk_is_written_before_the_next_file_of_it(tmp_path):
    """The save queues while the fourth file is stored: the fifth comes after it, whatever else the batch holds."""
    folder, path, queued = tmp_path / "project", tmp_path / "index.db", threading.Event()
    folder.mkdir()
    names = [f"bulk{number:02}.py" for number in range(20)]
    for name in [*names, "saved.py"]:
        (folder / name).write_text(f"def {name[:-3]}():\n    return 1\n")
    with Root.open(folder) as root:
        *bulk, saved = [FileEntry(name.encode(), root.stat(name.encode())) for name in [*names, "saved.py"]]

    def save():
        with open_index(path) as own, own.writer().first_in_line(), own.writer().as_secondary_writer():
            queued.set()
            take(folder, own.writer(), {}, [saved])

    saving = threading.Thread(target=save)

    def hand_in(progress):
        if progress.done == 4:
            saving.start()
            assert queued.wait(60)

    with open_index(path) as index, index.reader() as reader:
        take(folder, index.writer(), {}, bulk, hand_in)
        saving.join()
        order = sorted([*names, "saved.py"], key=lambda name: reader.files.source(name.encode()).id)
    assert order == [*names[:4], "saved.py", *names[4:]]


def test_progress_counts_the_files_that_the_index_will_have(tmp_path, open_helix):
    files = {f"app/part_{number}.py": f"PART = {number}\n" for number in range(5)}
    write(tmp_path / "project", files)
    for number in range(3):
        (tmp_path / f"project/app/picture_{number}.dat").write_bytes(bytes(range(256)) * 4)
    helix = open_helix(tmp_path / "project")
    told = []
    report = helix.refresh(progress=told.append)
    last = [one for one in told if one.phase == "indexing"][-1]
    assert (last.done, last.total, report.files) == (5, 5, 5)
