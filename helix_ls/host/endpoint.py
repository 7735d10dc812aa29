"""The daemon's endpoint: runtime folder, Unix socket or loopback TCP with a token, peer credentials and handshake."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from helix_core import __version__
from helix_core.errors import HelixError

PROTOCOL = 1
# `sockaddr_un.sun_path` holds 108 bytes on Linux and 104 on macOS, the final NUL included.
LONGEST_ADDRESS = 103
_PASSED_ON = frozenset(
    {
        *("HOME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "USERNAME"),
        *("USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC"),
        *("PATHEXT", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    }
)
_PASSED_ON_PREFIXES = ("LC_", "XDG_", "HELIX_")


class PlaceError(HelixError):
    """The daemon's runtime folder cannot be made, or other users can enter it."""


@dataclass(frozen=True, slots=True)
class DaemonPaths:
    """The file paths of one daemon: one set per user, protocol and version.

    ``socket`` lies in another folder if its path would be too long for a Unix socket.
    """

    folder: Path
    socket: Path
    lock: Path
    starting: Path
    log: Path
    token: Path
    in_hand: Path


def runtime_folder(environ: Mapping[str, str]) -> Path:
    """Return the runtime folder: ``HELIX_RUNTIME_DIR``, else one in ``XDG_RUNTIME_DIR``, else in the cache folder."""
    if named := environ.get("HELIX_RUNTIME_DIR", ""):
        return Path(os.path.abspath(named))
    session = environ.get("XDG_RUNTIME_DIR", "")
    if session and os.path.isabs(session) and os.path.isdir(session):
        return Path(session) / "helix-context"
    if cache := environ.get("HELIX_CACHE_DIR", ""):
        return Path(os.path.abspath(cache)) / "run"
    from helix_core.config import load_config

    return load_config(None, environ=environ).cache_dir / "run"


def place(environ: Mapping[str, str], *, version: str = __version__) -> DaemonPaths:
    """Return the daemon's paths and make the runtime folder. Raises PlaceError."""
    folder = runtime_folder(environ)
    make_private(folder)
    name = f"helix-{PROTOCOL}-{version}"
    socket = folder / f"{name}.sock"
    if len(os.fsencode(socket)) > LONGEST_ADDRESS:
        socket = _short_folder(folder, environ) / f"{name}.sock"
    return DaemonPaths(
        folder=folder,
        socket=socket,
        lock=folder / f"{name}.lock",
        starting=folder / f"{name}.starting",
        log=folder / f"{name}.log",
        token=folder / f"{name}.token",
        in_hand=folder / f"{name}.in-hand",
    )


def make_private(folder: Path, variable: str = "HELIX_RUNTIME_DIR") -> None:
    """Make a folder with mode 0700, or verify that an existing one is the user's alone. Raises PlaceError.

    ``variable`` is the environment variable that the error text names as the way out.
    """
    try:
        if not os.path.isdir(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            # The umask reduces mkdir's mode, and a umask of 0777 would lock this process out: set the mode explicitly.
            folder.mkdir(mode=0o700, exist_ok=True)
            os.chmod(folder, 0o700)
        status = os.lstat(folder)
    except OSError as error:
        raise PlaceError(
            f"The folder {folder} cannot be created ({error.strerror}); set {variable} to another folder."
        ) from error
    if not hasattr(os, "getuid"):
        return
    if fault := private_fault(status.st_mode, status.st_uid, os.getuid()):
        if fault != "mode":
            raise PlaceError(f"The folder {folder} {fault}; remove it, or set {variable} to another.")
        os.chmod(folder, 0o700)


def private_fault(mode: int, owner: int, user: int) -> str:
    """Return why a folder is not private, ``mode`` if only its permission bits are wrong, or an empty string."""
    if not stat.S_ISDIR(mode):
        return "is not a folder"
    if owner != user:
        return "belongs to another user"
    return "mode" if stat.S_IMODE(mode) & 0o077 else ""


def process_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Filter an environment for a child process by an allowlist, so that no secrets and no hooks are passed on."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_PREFIXES)
    }


def _short_folder(folder: Path, environ: Mapping[str, str]) -> Path:
    """Return a private folder with a short path for the socket, named by a digest of ``folder``. Raises PlaceError."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    temporary = environ.get("TMPDIR", "")
    for base in (temporary, "/tmp"):
        short = Path(base) / f"helix-{user}-{digest}"
        if os.path.isabs(short) and len(os.fsencode(short)) + 40 <= LONGEST_ADDRESS:
            make_private(short)
            return short
    raise PlaceError(f"The folder {folder} has a path too long for a socket; set HELIX_RUNTIME_DIR to a shorter one.")


Transport = Literal["unix", "tcp"]
MAX_LINE = 1 << 20
_LOOPBACK = "127.0.0.1"


class NoDaemonError(HelixError):
    """No daemon of this user answers at the endpoint."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The port and token that the token file of a TCP endpoint holds."""

    port: int
    token: str


def transport_of(environ: Mapping[str, str]) -> Transport:
    """Return the transport: tcp if ``HELIX_TRANSPORT`` says so or the platform has no Unix sockets, else unix."""
    return "tcp" if environ.get("HELIX_TRANSPORT") == "tcp" or not hasattr(socket, "AF_UNIX") else "unix"


def bound_socket(place: DaemonPaths, transport: Transport) -> tuple[socket.socket, Secret | None]:
    """Bind the daemon's socket with mode 0600, or loopback TCP with a new token; replace a stale socket file.

    Call it only with the daemon's lock held.
    """
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


def _bound_tcp(place: DaemonPaths) -> tuple[socket.socket, Secret]:
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


def remove_traces(place: DaemonPaths) -> None:
    """Unlink the socket and token files; call it only with the daemon's lock held."""
    place.socket.unlink(missing_ok=True)
    place.token.unlink(missing_ok=True)


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


def proof(secret: Secret, role: str, *nonces: str) -> str:
    """Return the HMAC-SHA-256 (RFC 2104) by which one side proves that it has read the token file."""
    return hmac.new(secret.token.encode(), "\n".join((role, *nonces)).encode(), hashlib.sha256).hexdigest()


def connected(place: DaemonPaths, transport: Transport, hello: dict[str, Any], *, timeout_s: float) -> DaemonConnection:
    """Connect to the daemon and complete the handshake within ``timeout_s`` seconds a read; never start a daemon.

    Raises NoDaemonError if none runs, if it is shutting down, or if it is not this user's.
    """
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
class DaemonConnection:
    """A connection after the handshake; ``early`` holds the bytes that were received behind the daemon's greeting."""

    socket: socket.socket
    pid: int
    version: str
    early: bytes


def _greeted(
    peer: socket.socket, address: Any, hello: dict[str, Any], timeout_s: float, secret: Secret | None = None
) -> DaemonConnection:
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
            raise NoDaemonError("the listener is not this user's daemon")
        peer.settimeout(None)
        return DaemonConnection(peer, int(reply["pid"]), str(reply["version"]), early)
    except BaseException:
        peer.close()
        raise


def _line(peer: socket.socket, early: bytes) -> tuple[dict[str, Any], bytes]:
    """Read a JSON line; return it and the bytes received behind it. Raises ConnectionError at EOF or if overlong."""
    while b"\n" not in early:
        more = peer.recv(65536)
        if not more or len(early) > MAX_LINE:
            raise ConnectionError("the connection was closed before the handshake")
        early += more
    line, _, rest = early.partition(b"\n")
    said = json.loads(line)
    if not isinstance(said, dict):
        raise ValueError("not an object")
    return said, rest
