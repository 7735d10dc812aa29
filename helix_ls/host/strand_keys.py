"""The user's own strand keys and the signers they trust, in the data folder; the keys in the key ring where it works.

``strand-keys.json`` says where the keys are kept, so that a key ring that is away for a while never makes Helix draw
other keys in silence. Files are the user's alone (0600) and replaced as a whole.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from helix_core.errors import HelixError
from helix_core.extras import missing, why_missing
from helix_core.strand import StrandKeys, TrustedSigners, signer_of, signer_text
from helix_ls.host.endpoint import make_private

KEYS_FILE, SIGNERS_FILE = "strand-keys.json", "strand-signers.json"
KEYS_SCHEMA = "helix.strand-keys/1"
SERVICE = "helix-context"
IN_RING, IN_FILE = "key ring", "file"
_MOST_BYTES = 1 << 20
_VARIABLE = "HELIX_DATA_DIR"


class StrandKeyError(HelixError):
    """The user's own strand keys cannot be read or made."""


def own_keys(folder: Path) -> StrandKeys | None:
    """Return the user's keys, or None where none were made yet. Raises StrandKeyError."""
    file = folder / KEYS_FILE
    said = _read(file)
    if said is None:
        return None
    kept = _object(said, file)
    secret = _from_ring(kept["signer"]) if kept["kept_in"] == IN_RING else kept.get("secret")
    keys = _decoded(secret, file)
    if signer_text(keys.signer) != kept["signer"]:
        raise StrandKeyError(f"the keys of {file} are not those of {kept['signer']}; restore both from one backup")
    return keys


def own_signer(folder: Path) -> bytes | None:
    """Return the user's public key without asking the key ring; None where none was made. Raises StrandKeyError."""
    file = folder / KEYS_FILE
    said = _read(file)
    return None if said is None else signer_of(_object(said, file)["signer"])


def own_or_new_keys(folder: Path) -> StrandKeys:
    """Return the user's keys; make them where there are none. Raises StrandKeyError, PlaceError."""
    found = own_keys(folder)
    if found is not None:
        return found
    make_private(folder, _VARIABLE)
    keys = StrandKeys.made(secrets.token_bytes)
    secret = (keys.signing_seed + keys.box_secret).hex()
    signer = signer_text(keys.signer)
    is_in_ring = _keeps(signer, secret)
    kept = {"schema": KEYS_SCHEMA, "signer": signer, "recipient": keys.recipient.text()}
    where = {"kept_in": IN_RING} if is_in_ring else {"kept_in": IN_FILE, "secret": secret}
    if not _write(folder / KEYS_FILE, json.dumps({**kept, **where}, indent=1) + "\n", replaces=False):
        # Another process made keys at the same moment: those are the user's.
        return own_or_new_keys(folder)
    return keys


def trusted_signers(folder: Path) -> TrustedSigners:
    """Return the accepted signers. Raises ConfigError for a damaged file."""
    file = folder / SIGNERS_FILE
    text = _read(file)
    return TrustedSigners() if text is None else TrustedSigners.read(text, str(file))


def keep_trusted(folder: Path, signers: TrustedSigners) -> None:
    """Write the accepted signers. Raises PlaceError."""
    make_private(folder, _VARIABLE)
    _write(folder / SIGNERS_FILE, signers.text(), replaces=True)


def _from_ring(signer: str) -> str | None:
    if why := why_missing("keyring"):
        raise StrandKeyError(f"your strand keys are in the system's key ring: {why}")
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, _account(signer))
    except (KeyringError, OSError, RuntimeError) as error:
        raise StrandKeyError(
            f"your strand keys are in the system's key ring, which cannot be used ({type(error).__name__}); unlock it"
        ) from None


def _keeps(signer: str, secret: str) -> bool:
    """Return whether the key ring took the keys and gives them back; there may be none."""
    if missing("keyring"):
        return False
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, _account(signer), secret)
        return keyring.get_password(SERVICE, _account(signer)) == secret
    except (KeyringError, OSError, RuntimeError):
        return False


def _account(signer: str) -> str:
    return f"strand {signer}"


def _object(text: str, file: Path) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError:
        said = None
    is_whole = isinstance(said, dict) and said.get("schema") == KEYS_SCHEMA and isinstance(said.get("signer"), str)
    if not is_whole or said.get("kept_in") not in (IN_RING, IN_FILE):
        raise StrandKeyError(f"{file} holds no strand keys; restore it from a backup, or remove it to get others")
    return dict(said)


def _decoded(secret: str | None, file: Path) -> StrandKeys:
    try:
        both = bytes.fromhex(secret or "")
    except (ValueError, TypeError):
        both = b""
    if len(both) != 64:
        raise StrandKeyError(
            f"the keys that {file} names are gone; restore them from a backup, or remove the file to get others"
        )
    return StrandKeys(both[:32], both[32:])


def _read(file: Path) -> str | None:
    """Return the text of a file of the user's own, private from now on; None where there is none."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StrandKeyError(f"{file} cannot be read ({error.strerror}); it has to be a file of yours") from error
    with open(descriptor, encoding="utf-8", errors="replace") as reader:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            raise StrandKeyError(f"{file} is not a file of yours; remove it")
        if stat.S_IMODE(status.st_mode) & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        return reader.read(_MOST_BYTES)


def _write(file: Path, text: str, *, replaces: bool) -> bool:
    """Write a private file as a whole; without ``replaces`` False where there is one already."""
    unfinished = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(unfinished, flags, 0o600), "w", encoding="utf-8") as writer:
            writer.write(text)
            writer.flush()
            os.fsync(writer.fileno())
        if replaces:
            os.replace(unfinished, file)
            return True
        os.link(unfinished, file)
    except FileExistsError:
        return False
    finally:
        unfinished.unlink(missing_ok=True)
    return True
