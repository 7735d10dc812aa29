"""Where clients and the daemon meet: a Unix socket, or loopback TCP with a shared secret where there are none.

The socket lies in the user's own folder, is 0600, and the peer's user is asked of the kernel. On TCP both sides prove
that they know the secret of the token file (0600) and neither sends it: whoever else listens there learns nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from helix_core.errors import HelixError
from helix_ls.host.place import PROTOCOL, Place

Transport = Literal["unix", "tcp"]
MAX_LINE = 1 << 20
_LOOPBACK = "127.0.0.1"


class NoDaemonError(HelixError):
    """Nobody answers there, or nobody who is our daemon."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What the token file of a TCP endpoint holds."""

    port: int
    token: str


def transport_of(environ: Mapping[str, str]) -> Transport:
    """``HELIX_TRANSPORT=tcp``, or tcp where the platform has no Unix sockets."""
    return "tcp" if environ.get("HELIX_TRANSPORT") == "tcp" or not hasattr(socket, "AF_UNIX") else "unix"


def bound_socket(place: Place, transport: Transport) -> tuple[socket.socket, Secret | None]:
    """A listening socket of the daemon, which holds the lock: what lies in its place is a dead one's."""
    if transport == "tcp":
        return _bound_tcp(place)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        place.socket.unlink(missing_ok=True)
        listener.bind(str(place.socket))
        os.chmod(place.socket, 0o600)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener, None


def _bound_tcp(place: Place) -> tuple[socket.socket, Secret]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((_LOOPBACK, 0))
    secret = Secret(listener.getsockname()[1], os.urandom(32).hex())
    unfinished = place.token.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(unfinished, flags, 0o600), "w", encoding="ascii") as file:
        json.dump({"port": secret.port, "token": secret.token}, file)
    os.replace(unfinished, place.token)
    return listener, secret


def remove_traces(place: Place) -> None:
    """Take the names away by which clients find the daemon; only who holds the lock may."""
    place.socket.unlink(missing_ok=True)
    place.token.unlink(missing_ok=True)


def is_own_user(peer: socket.socket) -> bool:
    """Is the process at the other end the same user's? On TCP that is not the kernel's to say: the proof says it."""
    if not hasattr(socket, "AF_UNIX") or peer.family != socket.AF_UNIX:
        return True
    return may_enter(peer_user(peer), os.getuid())


def may_enter(peer: int | None, own: int) -> bool:
    """Only the user the daemon works for; not even the superuser, and nobody the kernel cannot name."""
    return peer is not None and peer == own


def peer_user(peer: socket.socket) -> int | None:
    """The user id at the other end of a Unix socket, None where the platform cannot say."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    if sys.platform == "darwin":
        # struct xucred, <sys/ucred.h>: version, user id, groups; SOL_LOCAL is 0 and LOCAL_PEERCRED 1.
        return int(struct.unpack("2I", peer.getsockopt(0, 1, 76)[:8])[1])
    return None


def proof(secret: Secret, role: str, *nonces: str) -> str:
    """HMAC-SHA-256 (RFC 2104) by which one side shows that it has read the token file."""
    return hmac.new(secret.token.encode(), "\n".join((role, *nonces)).encode(), hashlib.sha256).hexdigest()


def connected(place: Place, transport: Transport, hello: dict[str, Any], *, timeout_s: float) -> Connection:
    """Greet the daemon. Raises NoDaemonError when there is none, or when it is leaving; never starts one."""
    try:
        if transport == "unix":
            return _greeted(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), str(place.socket), hello, timeout_s)
        kept = json.loads(place.token.read_text("ascii"))
        secret = Secret(int(kept["port"]), str(kept["token"]))
        address = (_LOOPBACK, secret.port)
        return _greeted(socket.socket(socket.AF_INET, socket.SOCK_STREAM), address, hello, timeout_s, secret)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoDaemonError(f"no daemon answers at {place.socket} ({type(error).__name__})") from error


@dataclass(frozen=True, slots=True)
class Connection:
    """A greeted connection; ``early`` is what the daemon sent right behind its greeting."""

    socket: socket.socket
    pid: int
    version: str
    early: bytes


def _greeted(
    peer: socket.socket, address: Any, hello: dict[str, Any], timeout_s: float, secret: Secret | None = None
) -> Connection:
    try:
        peer.settimeout(timeout_s)
        peer.connect(address)
        if peer.family == getattr(socket, "AF_UNIX", None) and not is_own_user(peer):
            raise NoDaemonError("the daemon's socket belongs to another user; remove it")
        greeting = {"protocol": PROTOCOL, **hello}
        early, nonce, challenge = b"", "", ""
        if secret is not None:
            line, early = _line(peer, early)
            challenge, nonce = str(line["challenge"]), os.urandom(16).hex()
            greeting |= {"nonce": nonce, "proof": proof(secret, "client", challenge, nonce)}
        peer.sendall(json.dumps(greeting).encode() + b"\n")
        reply, early = _line(peer, early)
        if reply.get("ok") is not True:
            raise NoDaemonError(str(reply.get("error", "the daemon refused")))
        if secret is not None and not hmac.compare_digest(
            str(reply.get("proof")), proof(secret, "daemon", nonce, challenge)
        ):
            raise NoDaemonError("who listens there is not our daemon")
        peer.settimeout(None)
        return Connection(peer, int(reply["pid"]), str(reply["version"]), early)
    except BaseException:
        peer.close()
        raise


def _line(peer: socket.socket, early: bytes) -> tuple[dict[str, Any], bytes]:
    """The next JSON line, and what came behind it."""
    while b"\n" not in early:
        more = peer.recv(65536)
        if not more or len(early) > MAX_LINE:
            raise ConnectionError("closed before it greeted")
        early += more
    line, _, rest = early.partition(b"\n")
    said = json.loads(line)
    if not isinstance(said, dict):
        raise ValueError("not an object")
    return said, rest
