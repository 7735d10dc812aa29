"""Who may speak with the daemon."""

import json
import os
import socket
import stat
import threading

import pytest

from helix_core import __version__
from helix_ls.host.connection import (
    PROTOCOL,
    DaemonConnection,
    NoDaemonError,
    connected,
    encoded,
    is_own_user,
    may_enter,
    peer_user,
    transport_of,
)
from helix_ls.host.endpoint import bound_socket, place
from helix_ls.host.framing import framed
from tests.host.clients import Caller


@pytest.fixture
def where(environ):
    return place(environ)


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_what_clients_find_is_the_users_alone_whatever_the_mask(where, transport):
    before = os.umask(0)
    try:
        listener = bound_socket(where, transport).listener
    finally:
        os.umask(before)
    with listener:
        path = where.socket if transport == "unix" else where.token
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_only_the_same_user_may_enter():
    assert may_enter(1000, 1000)
    assert not may_enter(1001, 1000)
    assert not may_enter(0, 1000)
    assert not may_enter(None, 1000)


def test_the_kernel_names_the_peer():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_user(ours) == os.getuid()
        assert is_own_user(ours)


def test_the_transport_is_chosen_by_a_variable():
    assert transport_of({}) == "unix"
    assert transport_of({"HELIX_TRANSPORT": "tcp"}) == "tcp"


def test_a_dead_daemons_socket_is_nobody_and_is_replaced(where):
    bound_socket(where, "unix").listener.close()
    assert where.socket.exists()
    with pytest.raises(NoDaemonError):
        connected(where, "unix", {"kind": "call"}, timeout_s=2)
    bound_socket(where, "unix").listener.close()


@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_a_daemon_removes_only_its_own_file(where, transport):
    older = bound_socket(where, transport)
    assert older.is_in_place()
    older.file.unlink()
    assert not older.is_in_place()
    newer = bound_socket(where, transport)
    with older.listener, newer.listener:
        assert newer.file == older.file
        assert not older.is_in_place()
        older.remove()
        assert newer.is_in_place()
        newer.remove()
        assert not newer.file.exists()
        newer.remove()


def test_a_folder_that_cannot_be_looked_into_says_nothing_of_the_socket(where, monkeypatch):
    endpoint = bound_socket(where, "unix")

    def refused(path):
        raise PermissionError(path)

    with endpoint.listener, monkeypatch.context() as patched:
        patched.setattr(os, "lstat", refused)
        assert endpoint.is_in_place()


def test_a_stranger_on_our_port_learns_no_secret_and_is_not_believed(where):
    endpoint = bound_socket(where, "tcp")
    listener, secret = endpoint.listener, endpoint.secret
    heard = []

    def pose():
        peer, _ = listener.accept()
        with peer:
            peer.sendall(framed(b'{"challenge": "00"}'))
            heard.append(peer.recv(65536))
            reply = {"ok": True, "pid": 1, "version": __version__, "proof": "00"}
            peer.sendall(framed(encoded(reply)))

    with listener:
        listener.listen()
        posing = threading.Thread(target=pose)
        posing.start()
        with pytest.raises(NoDaemonError, match="not this user's daemon"):
            connected(where, "tcp", {"kind": "call"}, timeout_s=5)
        posing.join()
    assert secret.token.encode() not in heard[0]


def test_over_loopback_only_who_has_read_the_token_is_served(environ, helix, editor, project):
    environ = environ | {"HELIX_TRANSPORT": "tcp"}
    one = editor(HELIX_TRANSPORT="tcp")
    one.begin(project)
    with Caller(environ) as call:
        assert call("daemon.status")["result"]["transport"] == "tcp"
    kept = json.loads(place(environ).token.read_text())
    with socket.create_connection(("127.0.0.1", kept["port"])) as peer:
        stranger = DaemonConnection(peer)
        assert b"challenge" in stranger.frames.next()
        hello = {"protocol": PROTOCOL, "version": __version__, "kind": "call", "nonce": "0", "proof": "0"}
        assert stranger.exchange(encoded(hello), 60)["ok"] is False
        assert stranger.frames.next() is None
    assert json.loads(helix("daemon", "status", "--json", HELIX_TRANSPORT="tcp").stdout)["running"]
