"""A verdict covers the symbol: the same text under another name is no longer what was shown."""

import hashlib

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from helix_core.model import Pointer
from tests.engine.repository import begin

FIELDS = Pointer._fields
NAME = "bank/vault.py"
SEAL, OPEN = "OldVault.seal_letter", "OldVault.open_letter"


def method(name, purpose, lines=20):
    """A method that is a chunk of its own in its class."""
    body = "".join(f"        wax_{number} = self.temperature * {number}\n" for number in range(lines))
    return f'    def {name}(self, letter):\n        """{purpose}"""\n{body}        return wax_{lines - 1}, letter\n'


SEAL_TEXT = method("seal_letter", "Drip sealing wax on the quokka letter.")
OPEN_TEXT = method("open_letter", "Break the sealing wax of the quokka letter.")
OTHER_TEXT = method("stamp_letter", "Press a ring into it.")
VAULT = (
    'class OldVault:\n    """Keeps quokka letters."""\n\n    temperature = 70\n\n'
    f"{SEAL_TEXT}\n{OPEN_TEXT}\n\ndef count_letters(vault):\n    return len(vault)\n"
)
PADDING = "\n\n" + "".join(
    f"def padding_{number}(value):\n    return value + {number}  # {'-' * 400}\n\n\n" for number in range(250)
)


@pytest.fixture(params=["a small file", "a file of 100 KB"])
def text(request):
    return VAULT if request.param == "a small file" else VAULT + PADDING


@pytest.fixture
def folder(tmp_path, text):
    return begin(tmp_path / "bank-project", {NAME: text, "README.md": "# Bank\n"})


@pytest.fixture
def helix(folder, tmp_path):
    """An engine that never ingests a file while it answers."""
    user = tmp_path / "user.toml"
    user.write_text("[packet]\nreingest_budget_ms = 0\n")
    config = load_config(folder, environ={"HELIX_CACHE_DIR": str(tmp_path / "cache")}, user=user)
    with Helix.open(folder, config=config) as engine:
        assert engine.refresh()
        yield engine


def items(helix, question="quokka letter sealing wax", **asked):
    packet = helix.packet(question, **asked)
    return [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]


def item(helix, symbol, **asked):
    (one,) = [one for one in items(helix, **asked) if one["symbol"] == symbol]
    return one


def word(item):
    return item["status"], item["reason"], item.get("detail", "")


def pointers(helix):
    return {one["symbol"]: Pointer(**{name: one[name] for name in FIELDS}) for one in items(helix)}


def judged(helix, pointer, **asked):
    (one,), _ = helix.judge([pointer], **asked)
    return str(one.verdict.status), str(one.verdict.reason), one.verdict.detail


def edit(folder, before, after, name=NAME):
    path = folder / name
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def test_a_packet_names_the_class_that_took_the_place_of_the_other(helix, folder):
    assert word(item(helix, SEAL)) == ("verified", "unchanged", "")
    edit(folder, "class OldVault", "class NewVault")
    one = item(helix, SEAL)
    assert word(one) == ("stale_risk", "renamed", f"{SEAL} -> NewVault.seal_letter")
    assert one["quote"].split("\n")[0] == "    def seal_letter(self, letter):"
    assert one["live_truth_score"] == 0.0
    assert not [one for one in items(helix) if one["status"] == "verified" and "OldVault" in one["symbol"]]


def test_text_that_only_moved_stays_verified(helix, folder):
    edit(folder, "class OldVault", "# a remark\n\n\nclass OldVault")
    one = item(helix, SEAL)
    assert (word(one), one["start_line"]) == (("verified", "moved", ""), 9)


@pytest.mark.slow
@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_an_open_packet_is_told_the_new_name(helix, folder, indexed):
    shown = pointers(helix)
    edit(folder, "class OldVault", "class NewVault")
    if indexed:
        helix.refresh()
    for symbol in (SEAL, OPEN):
        now = symbol.replace("Old", "New")
        assert judged(helix, shown[symbol]) == ("stale_risk", "renamed", f"{symbol} -> {now}")


@pytest.mark.slow
@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_a_method_put_into_another_class_is_renamed(helix, folder, indexed):
    shown = pointers(helix)
    edit(folder, OPEN_TEXT, f"    limit = 3\n\n\nclass Desk:\n    size = 2\n\n{OPEN_TEXT}")
    if indexed:
        helix.refresh()
    assert judged(helix, shown[OPEN]) == ("stale_risk", "renamed", f"{OPEN} -> Desk.open_letter")
    assert judged(helix, shown[SEAL])[0] == "verified"


@pytest.mark.slow
@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_text_in_a_string_defines_nothing(helix, folder, indexed):
    shown = pointers(helix)
    edit(folder, f"{OPEN_TEXT}\n\n", f"\nOLD = '''\n{OPEN_TEXT}\n\n'''\n")
    if indexed:
        helix.refresh()
    else:
        assert word(item(helix, OPEN))[:2] == ("needs_refresh", "changed")
    status, reason, detail = judged(helix, shown[OPEN])
    assert (status, reason) == ("needs_refresh", "changed")
    assert "in a string or a comment" in detail


def test_of_equal_texts_the_one_under_the_same_symbol_counts(helix, folder):
    copy = f"class First:\n    size = 1\n\n{SEAL_TEXT}\n\n"
    edit(folder, "class OldVault", f"{copy}class OldVault")
    one = item(helix, SEAL)
    assert word(one) == ("verified", "moved", "")
    assert one["start_line"] > SEAL_TEXT.count("\n")


def test_a_text_that_another_symbol_always_had_too_was_not_renamed(helix, folder):
    edit(
        folder,
        "\n\ndef count_letters",
        f"\n\nclass Twin:\n    size = 1\n\n{SEAL_TEXT}\n{OTHER_TEXT}\n\ndef count_letters",
    )
    helix.refresh()
    edit(folder, "class OldVault", "class NewVault")
    edit(folder, f"\n    temperature = 70\n\n{SEAL_TEXT}", "\n    temperature = 70\n")
    assert [word(one)[:2] for one in items(helix) if one["symbol"] == SEAL] == [("needs_refresh", "changed")]


def test_a_decorator_above_a_method_leaves_it_its_name(helix, folder):
    edit(folder, "    def seal_letter", "    @staticmethod\n    def seal_letter")
    assert word(item(helix, SEAL)) == ("verified", "moved", "")


def test_a_buffer_that_renames_the_class_touches_its_methods(helix, folder, text):
    shown = pointers(helix)
    overlays = {NAME.encode(): text.replace("class OldVault", "class NewVault").encode()}
    assert word(item(helix, SEAL, overlays=overlays)) == ("stale_risk", "unsaved", "")
    assert judged(helix, shown[SEAL], overlays=overlays) == ("stale_risk", "unsaved", "")
    below = {NAME.encode(): (text + "\n\nclass Other:\n    pass\n").encode()}
    assert word(item(helix, SEAL, overlays=below)) == ("verified", "unchanged", "")
    above = {NAME.encode(): ("import wax\n\n\n" + text).encode()}
    assert word(item(helix, SEAL, overlays=above)) == ("verified", "unchanged", "")
    quoted = {NAME.encode(): text.replace(SEAL_TEXT, f"    OLD = '''\n{SEAL_TEXT}'''\n").encode()}
    assert word(item(helix, SEAL, overlays=quoted)) == ("stale_risk", "unsaved", "")


def test_the_explanation_names_both(helix, folder):
    edit(folder, "class OldVault", "class NewVault")
    one = item(helix, SEAL)
    answer = helix.explain(NAME, one["start_line"], one["end_line"])
    assert (answer["status"], answer["reason"]) == ("stale_risk", "renamed")
    (step,) = [step for step in answer["observations"] if step["decides"]]
    assert step["observation"].endswith(f"under another name: {SEAL} -> NewVault.seal_letter.")
    assert helix.show(NAME, one["start_line"], one["end_line"])["reason"] == "renamed"


@pytest.mark.slow
@pytest.mark.parametrize("indexed", [True, False], ids=["after the index followed", "before the index followed"])
def test_the_explanation_of_an_open_packets_item_is_about_the_name_it_was_shown_with(helix, folder, indexed):
    shown = pointers(helix)[SEAL]
    edit(folder, "class OldVault", "class NewVault")
    if indexed:
        helix.refresh()
    for symbol, status in ((SEAL, "stale_risk"), ("NewVault.seal_letter", "verified")):
        answer = helix.explain(NAME, shown.start_line, shown.end_line, symbol=symbol)
        if indexed or symbol == SEAL:
            assert (answer["symbol"], answer["status"]) == (symbol, status)
    assert helix.explain(NAME, shown.start_line, shown.end_line)["status"] == ("verified" if indexed else "stale_risk")


def test_a_chat_is_told_that_the_name_is_another(helix, folder):
    edit(folder, "class OldVault", "class NewVault")
    window = helix.context("where is seal_letter defined?")
    blocks = {block["symbol"]: block for block in window["blocks"]}
    assert (blocks[SEAL]["status"], blocks[SEAL]["reason"]) == ("stale_risk", "renamed")
    assert f"(renamed: {SEAL} -> NewVault.seal_letter)" in window["text"]


def test_what_cannot_be_told_in_time_is_not_verified(helix, folder, monkeypatch):
    from helix_core.engine import opened

    monkeypatch.setattr(opened, "CHAIN_BUDGET_MS", 0.0)
    edit(folder, "class OldVault", "# a remark\nclass OldVault")
    one = item(helix, SEAL)
    assert word(one)[:2] == ("needs_refresh", "changed")
    assert "within the time" in one["detail"]


def test_bytes_that_must_not_be_parsed_here_are_not(folder, tmp_path):
    from contextlib import nullcontext

    user = tmp_path / "user.toml"
    user.write_text("[packet]\nreingest_budget_ms = 0\n")
    config = load_config(folder, environ={"HELIX_CACHE_DIR": str(tmp_path / "cache")}, user=user)
    denied = []

    def may_parse(content_hash):
        return nullcontext(content_hash not in denied)

    with Helix.open(folder, config=config, parse_guard=may_parse) as helix:
        helix.refresh()
        edit(folder, "class OldVault", "# a remark\nclass OldVault")
        denied.append(hashlib.sha256((folder / NAME).read_bytes()).hexdigest())
        assert word(item(helix, SEAL))[:2] == ("needs_refresh", "changed")
