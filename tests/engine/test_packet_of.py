"""A packet of given places: exactly these, each with the verdict of this moment."""

import pytest

from helix_core.errors import UsageError
from helix_core.model import Pointer
from tests.engine.test_judge import FIELDS, edit, shown

GROUPS = ("verified", "stale_risk", "needs_refresh")


def items(packet):
    return [item for group in GROUPS for item in packet[group]]


def test_it_has_the_given_places_and_nothing_else(helix):
    pointers = shown(helix)[:2]
    packet = helix.packet_of(pointers, "what the model was sent")
    assert packet["schema"] == "helix.packet/1"
    assert packet["query"] == "what the model was sent"
    assert [Pointer(**{name: item[name] for name in FIELDS}) for item in items(packet)] == pointers
    assert {item["status"] for item in items(packet)} == {"verified"}
    assert all(item["quote"] for item in items(packet))


def test_what_changed_since_is_told_and_has_no_quote(helix, repository):
    pointers = shown(helix)
    edit(repository, "def sign_cookie(", "def seal_cookie(")
    packet = helix.packet_of(pointers, "q")
    assert len(items(packet)) == len(pointers)
    lost = [item for item in packet["needs_refresh"] if item["symbol"] == "sign_cookie"]
    assert [(item["reason"], item["quote"]) for item in lost] == [("changed", "")]
    assert packet["refresh_targets"]


def test_a_file_that_is_gone_is_an_item_too(helix, repository):
    pointers = shown(helix)
    (repository / "app/sessions.py").unlink()
    packet = helix.packet_of(pointers, "q")
    gone = {item["reason"] for item in packet["needs_refresh"] if item["source_id"] == "app/sessions.py"}
    assert gone == {"gone"}


@pytest.mark.parametrize("path", ["../secret.py", "/etc/passwd"])
def test_a_place_out_of_the_workspace_is_refused(helix, path):
    with pytest.raises(UsageError):
        helix.packet_of([Pointer(path, "0" * 16, "", 1, 1, "")], "q")
