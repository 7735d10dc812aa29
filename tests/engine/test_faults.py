"""The index breaks, vanishes, is newer, or has no room: a clear error or a rebuild that is said, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw
import pytest

from helix_core.engine import Helix
from helix_core.engine.indexing import PendingNotices
from helix_core.errors import StoreError
from helix_core.store import open_index
from tests.engine.conftest import config_in
from tests.engine.repository import FILES, write

QUESTION = "where is the session cookie signed?"
ROOT = Path(__file__).parents[2]


def garbage_over(path: Path, start: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xa5" * (path.stat().st_size - start))


def harm_rows(path: Path) -> None:
    """Damage that opening cannot see: the first pages of what is known of files, and of their parts."""
    with apsw.Connection(str(path)) as connection:
        roots = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name IN ('source', 'item')").fetchall()
    connection.close()
    with path.open("r+b") as file:
        for (root,) in roots:
            file.seek((root - 1) * 4096)
            file.write(b"\xa5" * 4096)


def replaced(path: Path) -> None:
    path.with_name("other").write_bytes(b"something else\n" * 500)
    os.replace(path.with_name("other"), path)


DAMAGES = {
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut after a page": lambda path: os.truncate(path, 4096),
    "emptied": lambda path: os.truncate(path, 0),
    "garbage": lambda path: garbage_over(path, 0),
    "garbage after the first page": lambda path: garbage_over(path, 4096),
    "deleted": lambda path: path.unlink(),
    "folder deleted": lambda path: shutil.rmtree(path.parent),
    "replaced": replaced,
}
ACTS = {
    "packet": lambda helix: None,
    "search": lambda helix: helix.search(QUESTION),
    "status": lambda helix: helix.status(),
    "refresh": lambda helix: helix.refresh(),
    "saved file": lambda helix: helix.refresh_paths([b"app/sessions.py"]),
    "rebuild": lambda helix: helix.rebuild(),
}


def assert_answers_right(helix: Helix) -> None:
    packet = helix.packet(QUESTION)
    # While files are missing from the index, an answer is too unsure to be verified.
    is_whole = packet["accounting"].get("indexed_share", 1.0) == 1.0
    items = packet["verified"] if is_whole else packet["verified"] + packet["stale_risk"]
    found = {(item["source_id"], item["symbol"]): item for item in items}
    quote = found["app/sessions.py", "sign_cookie"]["quote"]
    assert quote.startswith("def sign_cookie(secret_key, payload):")


def cold_digest(folder: Path, base: Path) -> str:
    with Helix.open(folder, config=config_in(base, folder, "cold")) as cold:
        cold.refresh()
        return cold.digest()


def test_an_index_that_comes_back_after_it_could_not_be_replaced_answers_again(repository, tmp_path: Path) -> None:
    """Its file is the same one again: only that it was closed tells that it must be opened."""
    cache = tmp_path / "kept"
    with Helix.open(repository, config=config_in(cache, repository)) as helix:
        helix.refresh()
        cache.rename(tmp_path / "away")
        cache.write_text("no folder any more\n")
        with pytest.raises(StoreError):
            helix.packet(QUESTION)
        cache.unlink()
        (tmp_path / "away").rename(cache)
        assert_answers_right(helix)
        assert helix.packet(QUESTION)["notes"] == []


def run_child(program: str, *arguments: object, timeout: float = 60) -> str:
    """Run a program in another process; what it says, or a failure of the test."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


REFRESH_ELSEWHERE = """
    import sys
    from pathlib import Path
    from helix_core.engine import Helix
    from tests.engine.conftest import config_in
    folder, base = Path(sys.argv[1]), Path(sys.argv[2])
    with Helix.open(folder, config=config_in(base, folder)) as helix:
        helix.refresh()
        print(len(helix.notices))
"""


# A third of all pairs: each kind of damage is met by several acts, and each act by several kinds of damage.
PAIRS = [(d, a) for i, d in enumerate(DAMAGES) for j, a in enumerate(ACTS) if (i + j) % 3 == 0]


@pytest.mark.slow
@pytest.mark.parametrize(("damage", "act"), PAIRS)
def test_an_index_harmed_while_open_is_rebuilt_and_answers_at_once(
    damage, act, helix, repository, tmp_path, open_helix
):
    digest = helix.digest()
    DAMAGES[damage](helix.index_path)
    ACTS[act](helix)
    assert_answers_right(helix)
    assert len(helix.notices) <= 1
    helix.close()
    again = open_helix(repository)
    again.refresh()
    assert_answers_right(again)
    assert again.digest() == digest
    again.close()
    last = open_helix(repository)
    assert last.notices == ()
    assert last.refresh().parsed == 0
    with open_index(last.index_path) as index:
        assert index.damage() == ""


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_an_index_harmed_between_two_runs_is_rebuilt_and_said_once(damage, helix, repository, open_helix):
    path, digest = helix.index_path, helix.digest()
    helix.close()
    DAMAGES[damage](path)
    if damage == "emptied":
        os.utime(path, (0, 0))
    second = open_helix(repository)
    second.refresh()
    assert_answers_right(second)
    assert second.digest() == digest
    assert len(second.notices) == (0 if "deleted" in damage else 1)
    assert all("\n" not in notice and str(path) in notice for notice in second.notices)
    aside = list(path.parent.glob("*.damaged-*Z"))
    assert len(aside) == (0 if "deleted" in damage or damage == "emptied" else 1)
    second.close()
    assert open_helix(repository).notices == ()


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_damage_met_in_the_middle_of_a_question_is_mended_before_the_answer(act, helix, repository, open_helix):
    digest = helix.digest()
    helix.close()
    harm_rows(helix.index_path)
    again = open_helix(repository)
    assert again.notices == ()
    ACTS[act](again)
    assert_answers_right(again)
    assert len(again.notices) == 1
    assert "damaged" in again.notices[0]
    assert str(again.index_path) in again.notices[0]
    assert again.digest() == digest


def test_that_the_index_was_rebuilt_is_told_by_the_first_answer_after_it_only(helix):
    for _ in range(3):
        shutil.rmtree(helix.index_path.parent)
        told = [helix.packet(QUESTION)["notes"], helix.search(QUESTION)["notes"], helix.packet(QUESTION)["notes"]]
        assert told == [
            [f"The index {helix.index_path} was removed or replaced while open; it was built again."],
            [],
            [],
        ]


@pytest.mark.parametrize("damage", ["deleted", "scribbled"])
@pytest.mark.parametrize("losses", [2, 3])
def test_an_index_lost_several_times_within_one_question_is_built_again(damage, losses, helix, monkeypatch):
    digest, left = helix.digest(), [losses]
    real = type(helix.session).new_refresh

    def lose_again(self, *args):
        refresh = real(self, *args)
        if left[0]:
            left[0] -= 1
            _lose(helix.index_path, damage)
        return refresh

    monkeypatch.setattr(type(helix.session), "new_refresh", lose_again)
    _lose(helix.index_path, "deleted")
    packet = helix.packet(QUESTION)
    assert left == [0]
    assert packet["known_empty"] is False
    assert packet["verified"]
    assert [note for note in packet["notes"] if "built again" in note or "damaged" in note]
    assert helix.digest() == digest


def _lose(path, damage):
    if damage == "deleted":
        shutil.rmtree(path.parent)
    else:
        path.write_bytes(b"no database at all " * 400)


def test_threads_that_lose_the_same_index_tell_it_once(helix, repository, open_helix):
    other = open_helix(repository)
    untold = PendingNotices()
    for one in (helix, other):
        one.session.index.share(untold)
    for first, second in ((helix, other), (other, helix), (other, helix)):
        shutil.rmtree(helix.index_path.parent)
        told = [one.packet(QUESTION)["notes"] for one in (first, second, first, second)]
        assert [len(notes) for notes in told] == [1, 0, 0, 0]
        assert "was removed or replaced while open" in told[0][0]


@pytest.mark.process
def test_an_index_rebuilt_by_another_process_is_taken_up(helix, repository, tmp_path):
    garbage_over(helix.index_path, 0)
    assert run_child(REFRESH_ELSEWHERE, repository, tmp_path) == "1"
    write(repository, {"app/extra.py": "def unheard_of_name():\n    return 1\n"})
    helix.refresh()
    assert len(helix.notices) == 1
    assert "replaced" in helix.notices[0]
    assert_answers_right(helix)
    assert helix.search("unheard_of_name")["items"][0]["source_id"] == "app/extra.py"
    assert helix.digest() == cold_digest(repository, tmp_path)
    assert len(list(helix.index_path.parent.glob("*.damaged-*Z"))) == 1


@pytest.mark.slow
@pytest.mark.process
def test_questions_are_answered_while_another_process_rebuilds(helix, repository, tmp_path):
    program = """
        import sys
        from pathlib import Path
        from helix_core.engine import Helix
        from tests.engine.conftest import config_in
        folder, base = Path(sys.argv[1]), Path(sys.argv[2])
        with Helix.open(folder, config=config_in(base, folder)) as helix:
            for _ in range(20):
                helix.rebuild()
    """
    other = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program), str(repository), str(tmp_path)], cwd=ROOT)
    asked = 0
    while other.poll() is None:
        answer = helix.packet(QUESTION)
        assert all(item["source_id"] in FILES for item in answer["verified"])
        asked += 1
    assert other.returncode == 0
    assert asked > 10
    assert_answers_right(helix)
    assert helix.notices == ()


@pytest.mark.process
def test_a_cache_that_turns_read_only_is_one_clear_error_and_nothing_is_lost(repository, tmp_path):
    """In a child that gives up root's rights for good, as root may write anywhere."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and "pytest" in str(folder):
            folder.chmod(0o755)
    (tmp_path / "theirs").mkdir(mode=0o777)
    (tmp_path / "theirs").chmod(0o777)
    program = """
        import os, shutil, sys
        from pathlib import Path
        from helix_core.engine import Helix
        from helix_core.errors import StoreError
        from tests.engine.conftest import config_in

        def attempt(folder, base):
            with Helix.open(folder, config=config_in(base, folder)) as helix:
                report = helix.refresh()
                assert helix.packet("where is the session cookie signed?")["verified"]
                return report, helix.digest(), helix.index_path

        # Once with all rights, so that all modules are loaded before the interpreter's own files cannot be read.
        attempt(Path(sys.argv[1]), Path(sys.argv[2]) / "before")
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        base = Path(sys.argv[2]) / "theirs"
        base.mkdir()
        folder = base / "project"
        shutil.copytree(sys.argv[1], folder, ignore=shutil.ignore_patterns(".git"))
        os.environ["HOME"] = str(base)
        _, digest, path = attempt(folder, base)
        (folder / "new.py").write_text("def new_function(): return 1\\n")
        for mode_of_folder, mode_of_file in ((0o555, 0o600), (0o555, 0o400), (0o700, 0o400), (0o000, 0o600)):
            path.chmod(mode_of_file)
            path.parent.chmod(mode_of_folder)
            try:
                attempt(folder, base)
                print("no error with", oct(mode_of_folder), oct(mode_of_file))
            except StoreError as error:
                assert "writable" in str(error) and "\\n" not in str(error), error
            path.parent.chmod(0o700)
            path.chmod(0o600)
        (folder / "new.py").unlink()
        report, again, _ = attempt(folder, base)
        assert again == digest
        print("parsed", report.parsed)
    """
    assert run_child(program, repository, tmp_path / "theirs").endswith("parsed 0")


def mounted(folder: Path, size: str, *, again: bool = False) -> bool:
    options = f"remount,size={size}" if again else f"size={size}"
    command = ["mount", "-t", "tmpfs", "-o", options, "helix-test", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def small_disk(tmp_path, starts_processes):
    """A disk of a megabyte and a half at the cache folder."""
    folder = tmp_path / "cache"
    folder.mkdir()
    if not mounted(folder, "1536k"):
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def many_modules(folder: Path) -> None:
    text = "".join(f"def function_{line}(argument):\n    return argument + {line}\n\n\n" for line in range(40))
    write(folder, {f"many/module_{number}.py": f"NUMBER = {number}\n{text}" for number in range(150)})


@pytest.mark.slow
def test_a_full_disk_is_one_clear_error_and_work_goes_on_when_there_is_room(
    small_disk, repository, open_helix, tmp_path
):
    helix = open_helix(repository)
    helix.refresh()
    many_modules(repository)
    for _ in range(2):
        with pytest.raises(StoreError, match="free space") as told:
            helix.refresh()
        assert "\n" not in str(told.value)
        assert_answers_right(helix)
    filler = small_disk / "filler"
    with pytest.raises(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with pytest.raises(StoreError):
        helix.refresh()
    filler.unlink()
    assert mounted(small_disk, "64m", again=True)
    report = helix.refresh()
    assert report.files == len(FILES) + 150
    assert helix.notices == ()
    assert helix.digest() == cold_digest(repository, tmp_path / "elsewhere")
    with open_index(helix.index_path) as index:
        assert index.damage() == ""
    helix.close()


def test_an_index_that_cannot_be_written_still_answers_truly_and_says_so(repository, open_helix):
    helix = open_helix(repository)
    helix.refresh()
    path = repository / "app/sessions.py"
    path.write_text("# one more line\n" + path.read_text().replace('payload + "."', 'payload + "|"'))
    other = apsw.Connection(str(helix.index_path))
    other.execute("BEGIN IMMEDIATE")
    packet = helix.packet("sign_cookie and verify_cookie")
    other.execute("ROLLBACK")
    other.close()
    reasons = {item["symbol"]: item["reason"] for group in ("verified", "needs_refresh") for item in packet[group]}
    assert (reasons["sign_cookie"], reasons["verify_cookie"]) == ("changed", "moved")
    assert any("not brought up to date" in note for note in packet["notes"])


def test_no_room_for_an_index_at_all_is_one_clear_error(small_disk, repository, open_helix):
    filler = small_disk / "filler"
    with pytest.raises(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    with pytest.raises(StoreError):
        open_helix(repository).refresh()
    filler.unlink()
    helix = open_helix(repository)
    helix.refresh()
    assert_answers_right(helix)
    helix.close()


@pytest.mark.slow
@pytest.mark.process
def test_a_limit_on_file_size_is_one_clear_error_and_nothing_is_lost(repository, tmp_path):
    program = """
        import resource, sys
        from pathlib import Path
        from helix_core.engine import Helix
        from helix_core.errors import StoreError
        from tests.engine.conftest import config_in
        from tests.engine.test_faults import many_modules
        folder, base = Path(sys.argv[1]), Path(sys.argv[2])
        with Helix.open(folder, config=config_in(base, folder)) as helix:
            helix.refresh()
            digest = helix.digest()
            many_modules(folder)
            resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, -1))
            try:
                helix.refresh()
            except StoreError as error:
                print(error)
            packet = helix.packet("where is the session cookie signed?")
            assert packet["accounting"]["indexed_share"] < 1 and packet["verified"] + packet["stale_risk"]
            resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
            assert helix.refresh().files == 155
    """
    said = run_child(program, repository, tmp_path)
    assert "check the disk" in said or "free space" in said
    with Helix.open(repository, config=config_in(tmp_path, repository)) as helix:
        assert helix.notices == ()
        assert helix.refresh().parsed == 0
        assert helix.digest() == cold_digest(repository, tmp_path)
