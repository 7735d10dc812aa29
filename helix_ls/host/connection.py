"""The client's end of the daemon's socket: where it is, who answers there, the handshake, and messages in frames.

Every client speaks this one protocol: the shim of an editor, the shim of an agent, ``helix daemon`` and the commands
that ask. Each message is a frame (``framing.py``) with one JSON object. The client's first message is its hello, with
the protocol, the version and its kind; the daemon answers it with its own version and process id. Over TCP the daemon
speaks first, with a challenge. After the hello an ``lsp`` connection carries LSP, a ``call`` connection requests
(``calls.py``).

Imports little, because a command that asks the daemon loads it: no dataclass, no ``pathlib``, no ``typing``.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import time

from helix_core import __version__
from helix_core.errors import HelixError
from helix_ls.host.framing import FrameReader, framed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, Protocol

    Transport = Literal["unix", "tcp"]

    class DaemonAddress(Protocol):
        """Where a daemon listens: the path of its Unix socket, or of the file with its TCP port and token."""

        @property
        def socket(self) -> str | os.PathLike[str]: ...

        @property
        def token(self) -> str | os.PathLike[str]: ...


PROTOCOL = 2
# `sockaddr_un.sun_path` holds 108 bytes on Linux and 104 on macOS, the final NUL included.
LONGEST_ADDRESS = 103
LOOPBACK = "127.0.0.1"


class NoDaemonError(HelixError):
    """No daemon of this user and version answers at the endpoint."""


class SilentDaemonError(NoDaemonError):
    """A daemon accepted the connection, and does not answer the hello."""


def runtime_folder(environ: Mapping[str, str]) -> str:
    """Return the runtime folder: ``HELIX_RUNTIME_DIR``, else one in ``XDG_RUNTIME_DIR``, else in the cache folder."""
    if named := environ.get("HELIX_RUNTIME_DIR", ""):
        return os.path.abspath(named)
    session = environ.get("XDG_RUNTIME_DIR", "")
    if session and os.path.isabs(session) and os.path.isdir(session):
        return os.path.join(session, "helix-context")
    if cache := environ.get("HELIX_CACHE_DIR", ""):
        return os.path.join(os.path.abspath(cache), "run")
    from helix_core.config import load_config

    return str(load_config(None, environ=environ).cache_dir / "run")


def endpoint_name(version: str = __version__) -> str:
    """Return the name that the files of a daemon begin with: one daemon a protocol and version."""
    return f"helix-{PROTOCOL}-{version}"


def short_folders(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Return the folders for the socket of a runtime folder whose path is too long for one, best first."""
    import hashlib

    user = os.getuid() if hasattr(os, "getuid") else 0
    name = f"helix-{user}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    found = [os.path.join(base, name) for base in (environ.get("TMPDIR", ""), "/tmp")]
    return [path for path in found if os.path.isabs(path) and len(os.fsencode(path)) + 40 <= LONGEST_ADDRESS]


def transport_of(environ: Mapping[str, str]) -> Transport:
    """Return the transport: tcp if ``HELIX_TRANSPORT`` says so or the platform has no Unix sockets, else unix."""
    return "tcp" if environ.get("HELIX_TRANSPORT") == "tcp" or not hasattr(socket, "AF_UNIX") else "unix"


def is_own_user(peer: socket.socket) -> bool:
    """Return whether the peer runs as the same user; True on TCP, where the HMAC proof authenticates the peer."""
    if not hasattr(socket, "AF_UNIX") or peer.family != socket.AF_UNIX:
        return True
    return may_enter(peer_user(peer), os.getuid())


def may_enter(peer: int | None, own: int) -> bool:
    """Return whether a peer's user id may connect: only the daemon's own, not root's and not an unknown one."""
    return peer is not None and peer == own


def peer_user(peer: socket.socket) -> int | None:
    """Return the user id of the peer of a Unix socket, or None if the platform does not provide peer credentials."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    if sys.platform == "darwin":
        # struct xucred, <sys/ucred.h>: version, user id, groups; SOL_LOCAL is 0 and LOCAL_PEERCRED 1.
        return int(struct.unpack("2I", peer.getsockopt(0, 1, 76)[:8])[1])
    return None


def proof(token: str, role: str, *nonces: str) -> str:
    """Return the HMAC-SHA-256 (RFC 2104) by which one side proves that it has read the token file."""
    import hashlib
    import hmac

    return hmac.new(token.encode(), "\n".join((role, *nonces)).encode(), hashlib.sha256).hexdigest()


def encoded(message: Mapping[str, Any]) -> bytes:
    """Return a message as the body of a frame."""
    return json.dumps(message, separators=(",", ":")).encode()


class DaemonConnection:
    """A connection to a daemon. ``frames`` reads its messages; ``pid`` and ``version`` are 0 and empty until the hello.

    A read takes as long as the socket's timeout, and within ``exchange`` no longer than its deadline.
    """

    def __init__(self, peer: socket.socket) -> None:
        self.socket = peer
        self.frames = FrameReader(self._read)
        self.pid, self.version = 0, ""
        self._deadline: float | None = None

    def send(self, body: bytes) -> None:
        """Send the body of a message. Raises OSError."""
        self.socket.sendall(framed(body))

    def exchange(self, body: bytes, timeout_s: float) -> dict[str, Any]:
        """Send a message and return the daemon's next one.

        Raises TimeoutError after ``timeout_s`` seconds, OSError if the daemon dies, ValueError for no JSON object.
        """
        self._deadline = time.monotonic() + timeout_s
        try:
            self.socket.settimeout(timeout_s)
            self.send(body)
            return self._receive()
        finally:
            self._deadline = None
            self.socket.settimeout(None)

    def greet(self, hello: Mapping[str, Any], timeout_s: float, token: str = "") -> None:
        """Complete the handshake; ``token`` is that of a TCP endpoint. Raises as ``exchange`` does, and NoDaemonError
        if the daemon refuses, is of another version, or does not know the token.
        """
        greeting = {"protocol": PROTOCOL, "version": __version__, **hello}
        nonce = challenge = ""
        if token:
            self.socket.settimeout(timeout_s)
            challenge, nonce = str(self._receive()["challenge"]), os.urandom(16).hex()
            greeting |= {"nonce": nonce, "proof": proof(token, "client", challenge, nonce)}
        reply = self.exchange(encoded(greeting), timeout_s)
        if reply.get("ok") is not True or reply.get("version") != __version__:
            raise NoDaemonError(str(reply.get("error", "the daemon is of another version")))
        if token:
            import hmac

            if not hmac.compare_digest(str(reply.get("proof")), proof(token, "daemon", nonce, challenge)):
                raise NoDaemonError("the listener is not this user's daemon")
        self.pid, self.version = int(reply["pid"]), str(reply["version"])

    def _receive(self) -> dict[str, Any]:
        body = self.frames.next()
        if body is None:
            raise ConnectionError("the daemon closed the connection")
        message = json.loads(body)
        if not isinstance(message, dict):
            raise ValueError("the message is not an object")
        return message

    def _read(self, size: int) -> bytes:
        if self._deadline is not None:
            self.socket.settimeout(max(0.001, self._deadline - time.monotonic()))
        return self.socket.recv(size)


def connected(
    place: DaemonAddress, transport: Transport, hello: Mapping[str, Any], *, timeout_s: float
) -> DaemonConnection:
    """Connect to the daemon and complete the handshake within ``timeout_s`` seconds a message; never start a daemon.

    Raises NoDaemonError if none runs, if it is shutting down, or is not this user's, and SilentDaemonError if it does
    not answer.
    """
    try:
        if transport == "unix":
            return _greeted(socket.AF_UNIX, os.fspath(place.socket), hello, timeout_s)
        with open(place.token, encoding="ascii") as file:
            kept = json.load(file)
        return _greeted(socket.AF_INET, (LOOPBACK, int(kept["port"])), hello, timeout_s, str(kept["token"]))
    except TimeoutError as error:
        raise SilentDaemonError(f"the daemon at {place.socket} does not answer") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoDaemonError(f"no daemon answers at {place.socket} ({type(error).__name__})") from error


def _greeted(
    family: int, address: Any, hello: Mapping[str, Any], timeout_s: float, token: str = ""
) -> DaemonConnection:
    peer = socket.socket(family, socket.SOCK_STREAM)
    try:
        peer.settimeout(timeout_s)
        peer.connect(address)
        if not is_own_user(peer):
            raise NoDaemonError("the daemon's socket belongs to another user; remove it")
        connection = DaemonConnection(peer)
        connection.greet(hello, timeout_s, token)
    except BaseException:
        peer.close()
        raise
    return connection
