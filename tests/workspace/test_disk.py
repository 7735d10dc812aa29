import hashlib
import os
import socket
import threading
from pathlib import Path

import pytest

from helix_core.errors import WorkspaceError
from helix_core.model import Reason
from helix_core.workspace.disk import DiskError, Root

TWINS = ("caf\u00e9.py".encode(), "cafe\u0301.py".encode())
ODD_NAMES = (
    *TWINS,
    b"\xff\xfe.py",
    b"a\nb.py",
    b"-rf",
    b":(glob)x",
    b"back\\slash",
    b"quote\"'.py",
    b"\x01tab\t",
    b"...",
)


@pytest.fixture
def root(tmp_path: Path):
    with Root.open(tmp_path) as root:
        yield root


def reason(call, *arguments) -> Reason:
    with pytest.raises(DiskError) as caught:
        call(*arguments)
    return caught.value.reason


def put(folder: Path, name: bytes, data: bytes = b"text\n") -> None:
    with open(os.fsencode(folder) + b"/" + name, "wb") as file:
        file.write(data)


def test_a_read_gives_bytes_hash_and_the_signature_stat_gives(root, tmp_path):
    (tmp_path / "a").mkdir()
    put(tmp_path, b"a/b.py", b"x = 1\n")
    file = root.read(b"a/b.py")
    assert file.data == b"x = 1\n"
    assert file.content_hash == hashlib.sha256(b"x = 1\n").hexdigest()
    assert file.signature == root.stat(b"a/b.py")
    assert file.signature.size_bytes == 6


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_can_be_read(root, tmp_path, name):
    put(tmp_path, name, name)
    assert root.read(name).data == name


def test_names_differing_only_in_normalisation_are_two_files(root, tmp_path):
    for name in TWINS:
        put(tmp_path, name, name)
    if len(os.listdir(tmp_path)) == 2:
        assert [root.read(name).data for name in TWINS] == list(TWINS)


@pytest.mark.parametrize(
    "path", [b"", b".", b"..", b"../a", b"a/../../b", b"/etc/passwd", b"a//b", b"./a", b"a\0b", b"a\0b/c"]
)
def test_unsafe_paths_are_outside_the_root(root, tmp_path, path):
    (tmp_path / "a").mkdir()
    assert reason(root.read, path) is Reason.OUTSIDE_ROOT
    assert reason(root.stat, path) is Reason.OUTSIDE_ROOT


def test_what_is_missing_is_gone(root, tmp_path):
    put(tmp_path, b"file")
    for path in (b"nothing", b"no/folder", b"file/below", b"n" * 300, b"/".join([b"x" * 200] * 30)):
        assert reason(root.read, path) is Reason.GONE
        assert reason(root.stat, path) is Reason.GONE


def test_a_folder_a_socket_and_a_fifo_are_not_files_and_do_not_block(root, tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        for path in (b"folder", b"fifo", b"socket"):
            assert reason(root.read, path) is Reason.NOT_A_FILE
            assert reason(root.stat, path) is Reason.NOT_A_FILE


def test_symlinks_are_never_followed(root, tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    put(outside, b"secret.py", b"outside")
    (tmp_path / "inside").mkdir()
    put(tmp_path, b"inside/a.py")
    (tmp_path / "inside" / "up").symlink_to("..")
    (tmp_path / "out").symlink_to(outside)
    (tmp_path / "file").symlink_to(outside / "secret.py")
    (tmp_path / "alias.py").symlink_to("inside/a.py")
    assert reason(root.read, b"file") is Reason.NOT_A_FILE
    assert reason(root.read, b"alias.py") is Reason.NOT_A_FILE
    assert reason(root.read, b"out/secret.py") is Reason.OUTSIDE_ROOT
    assert reason(root.read, b"inside/up/inside/a.py") is Reason.OUTSIDE_ROOT
    assert reason(root.stat, b"out/secret.py") is Reason.OUTSIDE_ROOT


def test_a_folder_swapped_for_a_link_while_reading_leads_nowhere(root, tmp_path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    put(outside, b"a.py", b"outside")
    (tmp_path / "real").mkdir()
    put(tmp_path, b"real/a.py", b"inside!")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            os.rename(tmp_path / "real", tmp_path / "kept")
            os.symlink(outside, tmp_path / "real")
            os.unlink(tmp_path / "real")
            os.rename(tmp_path / "kept", tmp_path / "real")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(2000):
            try:
                seen.add(root.read(b"real/a.py").data)
            except DiskError as error:
                seen.add(error.reason)
    finally:
        done.set()
        swapper.join()
    assert b"outside" not in seen
    assert seen <= {b"inside!", Reason.GONE, Reason.OUTSIDE_ROOT, Reason.CHANGED}


def test_a_file_over_the_limit_is_too_large_by_its_stat_alone(root, tmp_path):
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    assert reason(root.read, b"huge") is Reason.TOO_LARGE
    put(tmp_path, b"eleven", b"x" * 11)
    assert reason(root.read, b"eleven", 10) is Reason.TOO_LARGE
    assert root.read(b"eleven", 11).data == b"x" * 11


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs a file that lies about its size")
def test_a_file_that_never_agrees_with_its_stat_is_changed():
    with Root.open(Path("/proc/self")) as proc:
        assert reason(proc.read, b"status") is Reason.CHANGED


@pytest.mark.slow
def test_what_is_read_while_a_file_is_rewritten_was_there_as_a_whole(root, tmp_path):
    """Atomic saves only: one version or the other, never a mix, and the signature belongs to it."""
    versions = [bytes([65 + number]) * (1000 + number * 500) for number in range(8)]
    put(tmp_path, b"a.py", versions[0])
    done = threading.Event()

    def save() -> None:
        number = 0
        while not done.is_set():
            number = (number + 1) % len(versions)
            put(tmp_path, b".a.tmp", versions[number])
            os.replace(tmp_path / ".a.tmp", tmp_path / "a.py")

    saver = threading.Thread(target=save)
    saver.start()
    try:
        for _ in range(1000):
            try:
                file = root.read(b"a.py")
            except DiskError as error:
                assert error.reason is Reason.CHANGED
                continue
            assert file.data in versions
            assert file.signature.size_bytes == len(file.data)
    finally:
        done.set()
        saver.join()


@pytest.mark.slow
def test_a_file_growing_and_shrinking_under_the_reading_is_whole_or_changed(root, tmp_path):
    put(tmp_path, b"log", b"x" * 100_000)
    done = threading.Event()

    def grow_and_truncate() -> None:
        with open(tmp_path / "log", "r+b") as file:
            while not done.is_set():
                file.seek(0, os.SEEK_END)
                file.write(b"x" * 5000)
                file.flush()
                if file.tell() > 200_000:
                    file.truncate(1000)

    writer = threading.Thread(target=grow_and_truncate)
    writer.start()
    try:
        for _ in range(20):
            try:
                file = root.read(b"log")
            except DiskError as error:
                assert error.reason is Reason.CHANGED
                continue
            assert len(file.data) == file.signature.size_bytes
    finally:
        done.set()
        writer.join()


def test_what_may_not_be_read_is_unreadable(open_folder, unprivileged):
    (open_folder / "closed").mkdir()
    put(open_folder, b"closed/a.py")
    put(open_folder, b"b.py")
    os.chmod(open_folder / "b.py", 0)
    os.chmod(open_folder / "closed", 0)

    def look() -> list[str]:
        with Root.open(open_folder) as root:
            return [reason(root.read, b"b.py"), reason(root.read, b"closed/a.py"), root.stat(b"b.py").size_bytes]

    try:
        assert unprivileged(look) == [Reason.UNREADABLE, Reason.UNREADABLE, 5]
    finally:
        os.chmod(open_folder / "closed", 0o755)


def test_a_root_must_be_a_readable_folder(tmp_path, open_folder, unprivileged):
    put(tmp_path, b"file")
    (open_folder / "closed").mkdir(mode=0o000)

    def opened() -> str:
        with pytest.raises(WorkspaceError) as caught:
            Root.open(open_folder / "closed")
        return str(caught.value)

    assert "permissions" in unprivileged(opened)
    with pytest.raises(WorkspaceError, match="does not exist"):
        Root.open(tmp_path / "nothing")
    with pytest.raises(WorkspaceError, match="not a folder"):
        Root.open(tmp_path / "file")
    with pytest.raises(WorkspaceError, match="cannot be opened"):
        Root.open(Path("a\0b"))


def test_a_root_given_by_a_link_is_its_target(tmp_path):
    (tmp_path / "real").mkdir()
    put(tmp_path, b"real/a.py")
    (tmp_path / "link").symlink_to("real")
    with Root.open(tmp_path / "link") as root:
        assert root.path == (tmp_path / "real").resolve()
        assert root.read(b"a.py").data == b"text\n"


def test_a_closed_root_says_so(tmp_path):
    root = Root.open(tmp_path)
    root.close()
    root.close()
    with pytest.raises(WorkspaceError, match="closed"):
        root.stat(b"a")


def test_a_scan_answers_like_the_root_and_leaves_no_descriptor(root, tmp_path):
    paths = [b"a", b"a/b", b"a/b/c", b"d"]
    for folder in paths:
        os.makedirs(os.fsencode(tmp_path) + b"/" + folder, exist_ok=True)
        put(tmp_path, folder + b"/f.py", folder)
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with root.scan() as scan:
        for folder in [*paths, *reversed(paths)]:
            assert scan.read(folder + b"/f.py") == root.read(folder + b"/f.py")
            assert reason(scan.stat, folder + b"/gone/f.py") is Reason.GONE
    for _ in range(50):
        reason(root.read, b"a/b/nothing")
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after == before


def test_a_folder_that_opens_and_cannot_be_listed_is_named(tmp_path, monkeypatch):
    def refusing(place):
        raise PermissionError(13, "Permission denied", place)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(WorkspaceError, match=f"{tmp_path} cannot be read; check the folder's permissions"):
        Root.open(tmp_path)
