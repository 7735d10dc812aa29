"""Recovery codes survive being written down, keys being pasted; trust is by key, never by label."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.errors import ConfigError, UsageError
from helix_core.strand import Passphrase, Recipient, RecoveryCode, TrustedSigners, signer_of, signer_text
from tests.strand.made import CODE, OWN, STRANGER


@given(st.binary(min_size=16, max_size=16))
def test_a_recovery_code_is_read_as_people_type_it(secret: bytes) -> None:
    text = RecoveryCode(secret).text()
    assert [len(group) for group in text.split("-")] == [4] * 8
    typed = text.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert RecoveryCode.read(text).secret == RecoveryCode.read(f" {typed}\n").secret == secret
    # A word processor makes other dashes of hyphens, and another reader may know other blanks.
    assert RecoveryCode.read(text.replace("-", "\u2013\ufeff\x85")).secret == secret


def test_a_typing_error_in_a_recovery_code_is_found() -> None:
    text = CODE.text()
    for place, letter in enumerate(text):
        if letter != "-":
            wrong = text[:place] + ("7" if letter != "7" else "8") + text[place + 1 :]
            with pytest.raises(UsageError, match="typing error"):
                RecoveryCode.read(wrong)
    for short in ("", text[:-1], text + "7", text[:-1] + "U"):
        with pytest.raises(UsageError, match="8 groups of 4"):
            RecoveryCode.read(short)


def test_keys_are_read_from_their_text_and_secrets_are_in_no_repr() -> None:
    assert signer_of(signer_text(OWN.signer)) == OWN.signer
    assert Recipient.read(OWN.recipient.text()) == OWN.recipient
    for wrong in ("", OWN.recipient.text(), signer_text(OWN.signer)[:-1], signer_text(OWN.signer).upper()):
        with pytest.raises(UsageError):
            signer_of(wrong)
    shown = repr((OWN, CODE, Passphrase("canary")))
    assert repr(CODE.secret) not in shown
    assert repr(OWN.signing_seed) not in shown
    assert "canary" not in shown


def test_one_passphrase_typed_in_two_ways_of_unicode_is_one() -> None:
    assert Passphrase("caf\u00e9").secret == Passphrase("cafe\u0301").secret


@pytest.mark.parametrize("text", ["", "x" * 1_025])
def test_a_passphrase_has_a_length(text: str) -> None:
    with pytest.raises(UsageError):
        Passphrase(text)


def test_a_signer_is_known_by_the_key_and_not_by_the_label() -> None:
    pins = TrustedSigners().accepted(OWN.signer, "Ada", now=5)
    assert STRANGER.signer not in pins.pins
    both = pins.accepted(STRANGER.signer, "Ada", now=6)
    assert [pin.label for pin in both.pins.values()] == ["Ada", "Ada"]
    assert both.removed(STRANGER.signer) == pins


def test_the_first_acceptance_is_kept_and_the_list_comes_back_from_its_text() -> None:
    pins = TrustedSigners().accepted(OWN.signer, "Ada", now=5).accepted(OWN.signer, "Ada's laptop", now=9)
    assert pins.pins[OWN.signer].accepted_at == 5
    assert TrustedSigners.read(pins.text(), "signers.json") == pins


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema":"helix.signers/2","signers":{}}'])
def test_a_list_of_signers_that_is_damaged_is_an_error_and_not_an_empty_list(text: str) -> None:
    with pytest.raises(ConfigError, match=r"signers\.json"):
        TrustedSigners.read(text, "signers.json")


def test_a_pin_with_a_wrong_key_is_refused() -> None:
    said = json.loads(TrustedSigners().accepted(OWN.signer, "Ada", now=5).text())
    said["signers"]["dna-signer:xyz"] = {"accepted_at": 1, "label": "Eve"}
    with pytest.raises(ConfigError):
        TrustedSigners.read(json.dumps(said), "signers.json")
