"""The daemon's folder and names."""

import os
import stat

import pytest

from helix_ls.host.connection import LONGEST_ADDRESS
from helix_ls.host.endpoint import place, process_environment
from helix_ls.host.private_files import (
    ForeignFileError,
    PlaceError,
    make_private,
    private_fault,
    read_private,
    write_whole,
)


def test_the_folder_is_the_users_alone_whatever_the_mask(tmp_path):
    before = os.umask(0)
    try:
        where = place({"HELIX_RUNTIME_DIR": str(tmp_path / "run")})
    finally:
        os.umask(before)
    assert stat.S_IMODE(where.folder.stat().st_mode) == 0o700


def test_a_folder_open_to_others_is_closed_to_them(tmp_path):
    (tmp_path / "run").mkdir(mode=0o755)
    where = place({"HELIX_RUNTIME_DIR": str(tmp_path / "run")})
    assert stat.S_IMODE(where.folder.stat().st_mode) == 0o700


def test_a_link_or_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(PlaceError, match="not a folder"):
        make_private(tmp_path / "link")
    (tmp_path / "file").write_text("x")
    with pytest.raises(PlaceError, match="HELIX_RUNTIME_DIR"):
        make_private(tmp_path / "file")


def test_another_users_folder_is_refused():
    assert "another user" in private_fault(stat.S_IFDIR | 0o700, owner=1000, user=1001)
    assert private_fault(stat.S_IFDIR | 0o777, owner=1000, user=1000) == "mode"
    assert private_fault(stat.S_IFDIR | 0o700, owner=1000, user=1000) == ""


def test_protocol_and_version_are_in_every_name(tmp_path):
    where = place({"HELIX_RUNTIME_DIR": str(tmp_path)}, version="9.8.7")
    for path in (where.socket, where.lock, where.starting, where.log, where.token, where.parse_guard):
        assert path.name.startswith("helix-2-9.8.7.")


def test_a_folder_of_a_long_name_has_its_socket_where_names_are_short(tmp_path):
    folder = tmp_path / ("long" * 40)
    where = place({"HELIX_RUNTIME_DIR": str(folder)})
    try:
        assert len(os.fsencode(where.socket)) <= LONGEST_ADDRESS
        assert where.log.parent == folder
        assert stat.S_IMODE(where.socket.parent.stat().st_mode) == 0o700
        assert place({"HELIX_RUNTIME_DIR": str(folder)}).socket == where.socket
        assert place({"HELIX_RUNTIME_DIR": str(folder) + "er"}).socket != where.socket
    finally:
        for each in (folder, tmp_path / (folder.name + "er")):
            place({"HELIX_RUNTIME_DIR": str(each)}).socket.parent.rmdir()


def test_processes_get_no_secrets_and_no_hooks_of_their_starter():
    given = {"HOME": "/home/u", "AWS_SECRET_ACCESS_KEY": "x", "GIT_SSH_COMMAND": "y", "LD_PRELOAD": "z", "LC_ALL": "C"}
    assert process_environment(given | {"HELIX_CACHE_DIR": "/c"}) == {
        "HOME": "/home/u",
        "LC_ALL": "C",
        "HELIX_CACHE_DIR": "/c",
    }


def test_a_private_file_is_whole_or_absent_and_the_first_of_two_writers_wins(tmp_path):
    file = tmp_path / "secret"
    before = os.umask(0)
    try:
        assert write_whole(file, "one\n", replaces=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not write_whole(file, "two\n", replaces=False)
    assert file.read_bytes() == b"one\n"
    assert write_whole(file, b"three\n", is_durable=True, mode=0o640)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"three\n", 0o640)
    assert os.listdir(tmp_path) == ["secret"]


def test_a_private_file_that_cannot_be_put_in_its_place_leaves_nothing_behind(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError) as refused:
        write_whole(tmp_path / "taken", "x")
    assert (refused.value.filename, refused.value.filename2) == (str(tmp_path / "taken"), None)
    assert os.listdir(tmp_path) == ["taken"]


def test_a_private_file_is_read_from_its_user_alone(tmp_path):
    file = tmp_path / "secret"
    file.write_bytes(b"0123456789")
    file.chmod(0o644)
    assert read_private(file, 4) == b"0123"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(file)
    with pytest.raises(OSError):
        read_private(tmp_path / "link", 4)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ForeignFileError, match="not a file of yours"):
        read_private(tmp_path / "pipe", 4)
