"""No secret of a workspace is in its index, or in anything that is said about it, whatever it stands in."""

import json
import random
import string

import pytest

from helix_core.engine.verdict import MaskedFiles
from helix_core.ingest.document import parser_of
from helix_core.ingest.generation import parser_generation
from helix_core.secrets.masked import Masked
from tests.engine.repository import write

CHANCE = random.Random(20)


def some(length, alphabet=string.ascii_letters + string.digits):
    return "".join(CHANCE.choices(alphabet, k=length))


def token():
    return "ghp_" + some(36)


SECRETS = {
    "constant": token(),
    "comment": token(),
    "docstring": token(),
    "symbol": token(),
    "heading": token(),
    "imported": token(),
    "key": token(),
    "yaml": "Tr0ub4dor&3xyQ!9",
    "ini": "s3cr3tPW99zz",
    "url": "pa55Wd88xQz",
    "json": some(32),
    "docker": "Xk9vLq82mZp0Rt5",
    "shell": some(40),
    "default": "aB3$kk99QzX",
    "block": some(64),
    "private": some(50),
}
FILES = {
    "client.py": f'''API_TOKEN = "{SECRETS["constant"]}"  # not {SECRETS["comment"]}


def connect(url, password="{SECRETS["default"]}"):
    """Connect with {SECRETS["docstring"]} and raise the alarm otherwise."""
    return url, password


def {SECRETS["symbol"]}():
    import {SECRETS["imported"]}
''',
    "service.yaml": f'db:\n  connect_retries: 3\n  password: "{SECRETS["yaml"]}"\n  {SECRETS["key"]}: 1\n',
    "other.yaml": f'db:\n  connect_retries: 5\n  password: "{SECRETS["yaml"]}9"\n',
    "db.ini": f"[db]\npassword = {SECRETS['ini']}\nurl = postgres://user:{SECRETS['url']}@host/db\n",
    "package.json": json.dumps({"connect": 1, "secretKey": SECRETS["json"]}),
    "Dockerfile": f"FROM python:3.11\nENV DB_PASSWORD={SECRETS['docker']}\n",
    "connect.sh": f"export AWS_SECRET_ACCESS_KEY={SECRETS['shell']}\n",
    "key.py": f'KEY = """-----BEGIN PRIVATE KEY-----\n{SECRETS["block"]}\n-----END PRIVATE KEY-----"""\n',
    "guide.md": f"# Connect with {SECRETS['heading']}\n\n`connect_retries` is `3`, see `connect`.\n",
    ".env": f"CONNECT={SECRETS['private']}\n",
    "id_ed25519": SECRETS["private"],
}
QUESTIONS = (
    "API_TOKEN",
    "how does connect raise the alarm",
    "db password and connect_retries",
    "which secret key is in the configuration",
    "connect with the guide",
    "KEY",
    "conect_retrys",
)


@pytest.fixture
def said_and_stored(tmp_path, open_helix):
    """All text the engine gives away about the workspace, and the bytes of all its own files."""
    folder = tmp_path / "project"
    write(folder, FILES)
    helix = open_helix(folder)
    helix.refresh()
    said = [helix.status(skipped=True)]
    for question in QUESTIONS:
        said.append(helix.search(question, k=20))
        said += [helix.packet(question, task=task, k=20) for task in ("explain", "quote")]
    stored = b"".join(file.read_bytes() for file in helix.index_path.parent.iterdir() if file.is_file())
    return json.dumps(said), stored.lower()


def test_no_secret_is_stored_or_said(said_and_stored):
    said, stored = said_and_stored
    assert "connect_retries" in said
    assert b"connect_retries" in stored
    assert "[masked:" in said
    for place, secret in SECRETS.items():
        assert secret not in said, place
        assert secret.lower().encode() not in stored, place
        assert secret[4:16].lower().encode() not in stored, place


def test_a_file_that_was_stored_by_older_rules_is_masked_by_those_of_today(helix, repository):
    # A daemon of an older Helix goes on writing to an index that a newer one has brought up to date.
    write(repository, {"client.py": FILES["client.py"]})
    helix.refresh()
    connection = helix.session.index.writer._connection
    connection.execute("UPDATE source SET masked_count = 0 WHERE path = CAST('client.py' AS BLOB)")
    connection.execute(
        "INSERT INTO profile SELECT NULL, 'chunker/0 lines', language, source_kind, volatility, "
        "authority, role FROM profile WHERE id = (SELECT profile_id FROM source "
        "WHERE path = CAST('client.py' AS BLOB))"
    )
    connection.execute(
        "UPDATE source SET profile_id = (SELECT max(id) FROM profile) WHERE path = CAST('client.py' AS BLOB)"
    )
    said = json.dumps([helix.show("client.py", 1, 9), helix.packet("connect", task="edit", quotes="whole")])
    assert "def connect" in said
    for secret in SECRETS.values():
        assert secret not in said


WITHOUT_SPANS = "DELETE FROM secret"
SPANS_PAST_THE_END = "UPDATE secret SET end_byte = 1000000"
FEWER_SPANS = "DELETE FROM secret WHERE start_byte > 20"


@pytest.mark.parametrize("spoil", [WITHOUT_SPANS, SPANS_PAST_THE_END, FEWER_SPANS])
def test_masks_are_the_same_by_the_spans_of_the_index_and_by_the_rules(
    tmp_path, open_helix, repository, monkeypatch, spoil
):
    write(repository, {name: text for name, text in FILES.items() if "." in name})

    def said():
        with open_helix(repository) as opened:
            shown = [opened.show(name, 1, 9)["text"] for name in ("client.py", "service.yaml", "db.ini", "key.py")]
            packet = opened.packet("connect", quotes="whole")
            found = [one for name in (b"service.yaml", b"other.yaml") for one in opened.symbols.findings(name)]
            assert found
            return [
                *shown,
                *(one["text_hash"] for one in found),
                *(one["quote"] for one in (*packet["verified"], *packet["stale_risk"])),
            ]

    with open_helix(repository) as opened:
        opened.refresh()
    with monkeypatch.context() as patched:
        patched.setattr(MaskedFiles, "of", lambda *_: pytest.fail("the rules were asked about an unchanged file"))
        by_spans = said()
    assert "".join(by_spans).count("[masked:") > 5
    with open_helix(repository) as opened:
        opened.session.index.writer._connection.execute(spoil)
    assert said() == by_spans


def forget_generation():
    parser_generation.cache_clear()
    parser_of.cache_clear()


def test_no_byte_is_left_of_what_older_rules_stored(tmp_path, open_helix, monkeypatch):
    folder = tmp_path / "project"
    write(folder, {name: text for name, text in FILES.items() if "." in name})
    with monkeypatch.context() as older:
        older.setattr("helix_core.ingest.document.mask", Masked)
        for module in ("generation", "document"):
            older.setattr(f"helix_core.ingest.{module}.MADE_BY", "chunker/0 table/0")
        forget_generation()
        helix = open_helix(folder)
        helix.refresh()
        helix.close()
    forget_generation()
    stored = b"".join(file.read_bytes() for file in helix.index_path.parent.iterdir() if file.is_file()).lower()
    assert SECRETS["yaml"].lower().encode() in stored, "the older rules let it through"
    helix = open_helix(folder)
    for question in QUESTIONS:
        helix.packet(question, k=20)
    helix.refresh()
    stored = b"".join(file.read_bytes() for file in helix.index_path.parent.iterdir() if file.is_file()).lower()
    assert b"connect_retries" in stored
    assert [place for place, secret in SECRETS.items() if secret.lower().encode() in stored] == []
