"""The user's own strand keys and the signers they trust, in the data folder; the keys in the key ring where it works.

``strand-keys.json`` says where the keys are kept, so that a key ring that is away for a while never makes Helix draw
other keys in silence. Files are the user's alone (0600) and replaced as a whole.
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from helix_core.errors import HelixError
from helix_core.extras import missing, why_missing
from helix_core.strand import StrandKeys, TrustedSigners, signer_of, signer_text
from helix_ls.host.private_files import ForeignFileError, make_private, read_private, write_whole

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
    stored = _read(file)
    if stored is None:
        return None
    kept = _object(stored, file)
    secret = _from_ring(kept["signer"]) if kept["kept_in"] == IN_RING else kept.get("secret")
    keys = _decoded(secret, file)
    if signer_text(keys.signer) != kept["signer"]:
        raise StrandKeyError(f"the keys of {file} are not those of {kept['signer']}; restore both from one backup")
    return keys


def own_signer(folder: Path) -> bytes | None:
    """Return the user's public key without asking the key ring; None where none was made. Raises StrandKeyError."""
    file = folder / KEYS_FILE
    stored = _read(file)
    return None if stored is None else signer_of(_object(stored, file)["signer"])


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
    text = json.dumps({**kept, **where}, indent=1) + "\n"
    if not write_whole(folder / KEYS_FILE, text, is_durable=True, replaces=False):
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
    write_whole(folder / SIGNERS_FILE, signers.text(), is_durable=True)


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
        decoded = json.loads(text)
    except ValueError:
        decoded = None
    is_whole = (
        isinstance(decoded, dict) and decoded.get("schema") == KEYS_SCHEMA and isinstance(decoded.get("signer"), str)
    )
    if not is_whole or decoded.get("kept_in") not in (IN_RING, IN_FILE):
        raise StrandKeyError(f"{file} holds no strand keys; restore it from a backup, or remove it to get others")
    return dict(decoded)


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
    """Return the text of a file of the user's own; None where there is none."""
    try:
        return read_private(file, _MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StrandKeyError(f"{file} cannot be read ({error.strerror}); it has to be a file of yours") from error
    except ForeignFileError as error:
        raise StrandKeyError(str(error)) from error
