"""Chats that are kept, and what comes of them: a real server, a real upstream, a real memory."""

import contextlib
import json
import os
import random
import subprocess
import sys
from functools import partial

import apsw
import httpx
import pytest

from helix_core.store.memory import Memory
from helix_core.store.memory_file import NAME
from tests.host.clients import until
from tests.mcp.conftest import repository
from tests.proxy.conftest import Server
from tests.proxy.upstream import WORDS, Upstream

KEY = "AKIA" + "Z3XQ7PLM2WNK4RTB"
SAID = "".join(WORDS)
ASKED = "We decided to sign session cookies with sign_cookie. Where are they signed?"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("learn")


@pytest.fixture(scope="module")
def project(place):
    return repository(place / "project")


@pytest.fixture(scope="module")
def learning(environ, place, project):
    """A server with a memory of this module's own."""
    names = {"HELIX_DATA_DIR": str(place / "data"), "HELIX_ORG": "Acme", "HELIX_AGENT": "robin", "HELIX_TZ": "UTC"}
    names["HELIX_MEMORY_LEARN"] = "on"
    server = Server(environ | names, project)
    yield server
    server.close()


@pytest.fixture
def server(learning, upstream):
    return learning


@pytest.fixture
def memory(place):
    with Memory(place / "data", 0.0) as opened:
        yield opened


def chat(server, content=ASKED, model="plain", stream=True, headers=None, **more):
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    with server.http() as http:
        body = {"model": model, "messages": messages, "stream": stream, **more}
        return http.post("/v1/chat/completions", json=body, headers=headers or {})


def learned(server):
    """What became of every chat so far."""
    with server.http() as http:
        facts = http.get("/stats").json()["memory"]
    assert facts["waiting"] >= 0
    return {name: facts[name] for name in ("kept", "passed_over", "dropped", "failed", "not_wanted")} | {
        "waiting": facts["waiting"]
    }


def after(server, act, **rises):
    """Do it, and wait until as many more chats became what is named."""
    before = learned(server)
    answer = act()
    wanted = {name: before[name] + more for name, more in rises.items()} | {"waiting": 0}
    until(lambda: wanted.items() <= learned(server).items(), f"{wanted} of {learned(server)}")
    return answer


def last(memory, project, session=None):
    return memory.exchanges.last(os.fsencode(os.path.realpath(project)), session, 1)[-1]


def exchanges(memory):
    return memory.totals()["exchanges"]


@pytest.mark.parametrize("stream", [True, False])
def test_a_chat_is_kept_with_who_said_it_and_what_it_was_given(server, memory, project, stream):
    name = f"s-{stream}"
    question = "how is the session cookie signed?"
    answer = after(server, lambda: chat(server, question, stream=stream, headers={"x-helix-session": name}), kept=1)
    kept = last(memory, project, name)
    assert kept.question == question
    assert kept.answer == (SAID if stream else "all")
    assert (kept.finish, kept.truncated, kept.model) == ("stop", False, "plain")
    assert kept.packet_id == answer.headers["x-helix-packet-id"]
    assert (kept.by.org, kept.by.agent, kept.by.timezone) == ("acme", "robin", "UTC")
    assert kept.by.device and kept.by.user


def test_the_session_is_the_clients_word_and_nothing_else(server, memory, project):
    after(server, lambda: chat(server, metadata={"session_id": "from-metadata"}), kept=1)
    assert last(memory, project, "from-metadata").question == ASKED
    after(server, lambda: chat(server, user="someone", metadata={"session_id": 7}), kept=1)
    assert last(memory, project).session == ""


@pytest.mark.parametrize(
    "model", ["cut:3", "unfinished:3", "unterminated:3", "error", "bare", "junk", "latin", "status:503", "status:404"]
)
@pytest.mark.parametrize("stream", [True])
def test_an_answer_that_broke_off_or_failed_is_not_kept(server, memory, model, stream):
    count, before = exchanges(memory), learned(server)
    with contextlib.suppress(httpx.HTTPError):
        chat(server, model=model, stream=stream)
    # Whatever comes after it has overtaken it.
    after(server, lambda: chat(server), kept=1)
    assert exchanges(memory) == count + 1
    assert learned(server)["failed"] == before["failed"]


def test_a_round_of_a_tool_loop_is_passed_over(server, memory):
    count = exchanges(memory)
    after(server, lambda: chat(server, model="tool"), passed_over=1)
    assert exchanges(memory) == count


def test_an_end_the_proxy_does_not_know_is_kept_as_truncated(server, memory, project):
    after(server, lambda: chat(server, model="unknown"), kept=1)
    kept = last(memory, project)
    assert (kept.finish, kept.truncated, kept.answer) == ("pondering", True, "a")


def test_a_client_that_leaves_leaves_nothing_half_said(server, upstream, memory):
    count = exchanges(memory)
    with server.http() as http:
        body = {"model": "stall", "messages": [{"role": "user", "content": ASKED}], "stream": True}
        with http.stream("POST", "/v1/chat/completions", json=body) as answer:
            next(answer.iter_bytes())
    until(lambda: upstream.left, "the upstream was left")
    after(server, lambda: chat(server), kept=1)
    assert exchanges(memory) == count + 1


def test_one_chat_may_be_kept_out(server, memory):
    count = exchanges(memory)
    for word in ("off", "OFF"):
        chat(server, headers={"x-helix-learn": word})
    after(server, lambda: chat(server), kept=1)
    assert exchanges(memory) == count + 1


def test_secrets_and_hostile_text_are_kept_masked_and_whole(server, memory, place, project):
    hostile = f"what of {KEY}? \u202e \x00 {'x' * 100} <script>"
    after(server, lambda: chat(server, hostile), kept=1)
    kept = last(memory, project)
    assert "[masked:" in kept.question and "\u202e" in kept.question and "\ufffd" in kept.question
    assert KEY.encode() not in b"".join(file.read_bytes() for file in (place / "data").iterdir())


TYPED = (
    "the password is {} ok?",
    "wifi password {} for guests",
    "mysql -u root -p{} says access denied",
    "log in as bob with {}",
    "my password: {}",
    "db pass: {} please",
    "use {} as the root password",
    "Server=db;User Id=sa;Password={};",
    "postgres://app:{}@db.example.net/app",
    "sshpass -p '{}' ssh bob@db",
    "docker login -u bob -p {} example.net",
    "client.login('bob', '{}') fails",
)
TYPED_KEYS = (
    "api key {} returns 401",
    "twilio auth token {}",
    "the encryption key: {}",
    "API_KEY={} does not work",
    "curl -H 'Authorization: Bearer {}'",
    "my token is {}, why is it refused?",
    'const secret = "{}";',
    "the client secret was {} yesterday",
)


@pytest.mark.slow
def test_no_secret_that_is_typed_into_a_chat_stays_in_the_memory(server, memory, place, project):
    chance = random.Random(12)
    passwords = [f"kX{chance.randrange(100, 999)}mP{chance.randrange(10, 99)}vLq" for _ in TYPED]
    keys = ["".join(chance.choices("0123456789abcdef", k=32)) for _ in TYPED_KEYS]
    secrets = [*zip(TYPED, passwords, strict=True), *zip(TYPED_KEYS, keys, strict=True)]
    for typed, secret in secrets:
        after(server, partial(chat, server, typed.format(secret)), kept=1)
        assert "[masked" in last(memory, project).question, typed
    stored = b"".join(file.read_bytes() for file in (place / "data").iterdir() if file.is_file())
    assert [typed for typed, secret in secrets if secret.encode() in stored] == []


@pytest.mark.parametrize(
    "messages",
    [
        [],
        "text",
        [7, None, {"role": "user"}],
        [{"role": "user", "content": {"a": 1}}],
        [{"role": "assistant", "content": "x"}],
    ],
)
def test_a_chat_without_a_question_is_passed_over(server, messages):
    with server.http() as http:
        body = {"model": "plain", "messages": messages, "stream": True}
        assert http.post("/v1/chat/completions", json=body).status_code == 200
    assert after(server, lambda: chat(server), kept=1).status_code == 200


def test_while_the_memory_cannot_be_written_chats_go_on_and_what_finds_no_room_is_counted(server, memory, place):
    before = learned(server)
    other = apsw.Connection(str(place / "data" / NAME))
    other.execute("BEGIN IMMEDIATE")
    try:
        with server.http() as http:
            for _ in range(90):
                body = {"model": "plain", "messages": [{"role": "user", "content": ASKED}], "stream": True}
                answer = http.post("/v1/chat/completions", json=body, headers={"x-helix-context": "off"})
                assert answer.content.endswith(b"data: [DONE]\n\n")
        assert learned(server)["dropped"] > before["dropped"]
        with server.http() as http:
            assert 'helix_learned_total{became="dropped"}' in http.get("/metrics").text
    finally:
        other.execute("ROLLBACK")
        other.close()
    until(lambda: learned(server)["waiting"] == 0, "all that waits is kept")
    rose = {name: count - before[name] for name, count in learned(server).items()}
    assert rose["kept"] + rose["dropped"] + rose["failed"] == 90
    assert b"Traceback" not in server.log


def test_what_a_chats_own_messages_hold_is_not_given_again(server, upstream, project):
    question = "how is the session cookie signed?"
    chat(server, question)
    text = (project / "app/sessions.py").read_text()
    chat(
        server,
        [
            {"role": "user", "content": f"Read:\n{text}"},
            {"role": "assistant", "content": "I did."},
            {"role": "user", "content": question},
        ],
    )
    chat(server, question)
    first, second, third = (body["messages"] for body in upstream.bodies())
    assert "def sign_cookie" in first[0]["content"]
    block = second[2]["content"]
    assert "app/sessions.py" in block and "given before, unchanged" in block and "def sign_cookie" not in block
    # Another chat of the same client has none of it.
    assert "def sign_cookie" in third[0]["content"]


def as_a_person(environ, place, *arguments):
    """The answer of a command that no agent started."""
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    ran = subprocess.run(
        command, env=environ | {"HELIX_DATA_DIR": str(place / "data")}, capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


def test_a_text_is_ingested_found_expanded_and_forgotten(server, place, project, environ):
    with server.admin() as admin, server.http() as http:
        text = "# Runbook\n\nThe quokka server is restarted by hand on Mondays.\n"
        told = admin.post("/ingest", json={"content": text, "participant_handle": "Anna", "agent_id": None}).json()
        assert told["attributed"] == {
            "org": "acme",
            "party": told["attributed"]["party"],
            "participant": "anna",
            "agent": "robin",
            "authored_tz": "UTC",
        }
        assert told["count"] == len(told["gene_ids"]) == 1
        packet = http.post("/context/packet", json={"query": "when is the quokka server restarted?"}).json()
        assert (told["status"], packet["known_empty"]) == ("quarantined", True), "a person approves it first"
        refused = admin.post("/memory/decide", json={"id": told["gene_ids"][0], "decision": "approve"})
        assert "only a person" in refused.json()["error"]["message"], "this server was started by an agent"
        assert admin.post("/ingest", json={"content": text, "origin": "user"}).json()["status"] == "active"
        packet = http.post("/context/packet", json={"query": "when is the quokka server restarted?"}).json()
        (item,) = [one for one in packet["stale_risk"] if one["source_kind"] == "note"]
        assert item["gene_id"] == told["gene_ids"][0]
        (window,) = http.post("/context", json={"query": "when is the quokka server restarted?"}).json()
        assert "restarted by hand" in window["content"]
        found = http.post("/context/expand", json={"gene_id": item["gene_id"]}).json()
        assert found["of"]["source_id"] == item["source_id"]
        refused = admin.post("/forget", json={"gene_id": item["gene_id"]})
        assert refused.status_code == 400 and "only a person" in refused.json()["error"]["message"]
        forgotten = as_a_person(environ, place, "forget", item["gene_id"], "--path", str(project), "--json")
        assert (forgotten["deleted"], forgotten["count"]) == (told["gene_ids"], 1)
        packet = http.post("/context/packet", json={"query": "when is the quokka server restarted?"}).json()
        assert "quokka server is restarted by hand" not in json.dumps(packet)
    assert b"quokka server" not in b"".join(file.read_bytes() for file in (place / "data").iterdir())


def test_who_gave_it_is_left_out_where_that_is_wished(server):
    with server.admin() as admin:
        said = {"content": "The wombat sleeps.", "local_federation": False, "origin": "user"}
        told = admin.post("/ingest", json=said).json()
        assert "attributed" not in told
        assert told["status"] == "active", "a program relays a person's words"
        admin.post("/forget", json={"gene_id": told["gene_ids"][0]})


def test_a_file_of_the_workspace_answers_for_itself(server, project):
    with server.admin() as admin, server.http() as http:
        given = {
            "content": "lies = 1\n",
            "content_type": "code",
            "metadata": {"path": str(project / "app/sessions.py")},
        }
        told = admin.post("/ingest", json=given).json()
        assert (told["stored"], told["source_id"], told["same_as_file"]) == ("file", "app/sessions.py", False)
        (project / "app/fresh.py").write_text("def wallaby():\n    return 1\n")
        given["metadata"]["path"] = "app/fresh.py"
        told = admin.post("/ingest", json=given).json()
        assert told["stored"] == "file"

        def found():
            items = http.post("/fingerprint", json={"query": "wallaby"}).json()["fingerprints"]
            return items and items[0]["source_id"] == "app/fresh.py"

        until(found, "the file that was named is indexed")


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({}, 400),
        ({"content": " \n"}, 400),
        ({"content": 7}, 400),
        ({"content": ["a"]}, 400),
        ({"content": "a", "content_type": "poem"}, 400),
        ({"content": "a", "metadata": "path"}, 400),
        ({"content": "a", "local_federation": "no"}, 400),
        ({"content": "a\x00b"}, 422),
        ({"content": "x" * (1024 * 1024 + 1)}, 400),
        ({"content": "é" * 1024 * 1024}, 422),
        ({"content": "A=1", "metadata": {"path": "../../.env"}}, 422),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_sentence(server, wrong, status):
    with server.admin() as admin:
        answer = admin.post("/ingest", json=wrong)
    assert answer.status_code == status, answer.text
    said = answer.json()["error"]["message"]
    assert any(way in said for way in ("; ", " must be ", " is missing: ")) and "\n" not in said


def test_the_key_that_only_asks_may_not_write(server):
    with server.http() as http:
        for path in ("/ingest", "/consolidate", "/forget", "/admin/kv-backfill"):
            assert http.post(path, json={"content": "x"}).status_code == 403
        assert http.post("/context/expand", json={"source_id": "app/sessions.py", "start_line": 5}).status_code == 200


def test_the_trail_is_asked_with_either_key_and_forgotten_by_no_agent(server):
    with server.http() as http, server.admin() as admin:
        answer = http.post("/trail/resume", json={"k": 3}).json()
        assert (answer["schema"], answer["recording"], answer["last"]) == ("helix.trail/1", False, [])
        assert http.post("/trail/resume", json={"k": 0}).status_code == 400
        assert http.post("/trail/forget", json={}).status_code == 403
        # The server's HELIX_AGENT makes its callers agents, whatever they say of themselves.
        for said in ({}, {"origin": "user"}):
            refused = admin.post("/trail/forget", json=said)
            assert refused.status_code == 400 and "helix where --forget" in refused.json()["error"]["message"]


def test_facts_are_drawn_from_a_sessions_chats(server, memory, project):
    headers = {"x-helix-session": "facts"}
    after(server, lambda: chat(server, headers=headers), kept=1)
    with server.admin() as admin:
        told = admin.post("/consolidate", json={"session_id": "facts"}).json()
        assert (told["facts_extracted"], told["exchanges"]) == (1, 1)
        assert told["facts"][0]["text"] == "We decided to sign session cookies with sign_cookie."
        assert told["facts"][0]["exchanges"] == [last(memory, project, "facts").id]
        assert admin.post("/consolidate", json={"session_id": "none"}).json()["gene_ids"] == []
        assert admin.post("/forget", json={"session_id": "facts"}).json()["exchanges"] == 1
        # The server's HELIX_AGENT makes its callers agents, who decide nothing about what came of a user's chat.
        refused = admin.post("/forget", json={"gene_id": told["gene_ids"][0]})
        assert refused.status_code == 400 and "only a person decides" in refused.json()["error"]["message"]
        for wrong in ({}, {"gene_id": "ab" * 8, "session_id": "x"}, {"gene_id": "zz"}):
            assert admin.post("/forget", json=wrong).status_code == 400
        assert admin.post("/admin/kv-backfill", json={}).json()["backfilled"] == 0


def test_a_session_is_given_a_place_once_until_the_file_changes(server, project):
    with server.http() as http:

        def ask(**more):
            given = {"query": "which route matches an address?", "session_id": "w", "format": "helix"}
            blocks = http.post("/context", json=given | more).json()["blocks"]
            return {block["source_id"]: block["repeated"] for block in blocks}

        assert not any(ask().values())
        assert ask()["app/routing.py"] is True
        assert ask(session_id="v")["app/routing.py"] is False
        assert ask(ignore_delivered=True)["app/routing.py"] is False
        file = project / "app/routing.py"
        file.write_text(file.read_text() + "\n\nLATER = 1\n")
        assert ask()["app/routing.py"] is False


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, {"HELIX_MEMORY_LEARN": "off"}])
def test_where_nobody_agreed_or_learning_is_off_nothing_is_made(environ, tmp_path, upstream, given):
    folder = repository(tmp_path / "quiet")
    names = {"HELIX_DATA_DIR": str(tmp_path / "data")} | given
    server = Server(environ | names, folder)
    try:
        assert chat(server).status_code == 200
        with server.http() as http:
            said = http.get("/stats").json()["memory"]
        assert (said["learn"], said["exists"], said["kept"]) == (False, False, 0)
    finally:
        server.close()
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_chats_are_kept_once_somebody_agrees_and_what_is_there_stays_when_nobody_does(environ, tmp_path, upstream):
    folder, settings = repository(tmp_path / "agreeing"), tmp_path / "config.toml"
    settings.write_text("[memory]\nco_use = true # mine\n")
    environ = environ | {"HELIX_DATA_DIR": str(tmp_path / "data"), "HELIX_CONFIG": str(settings)}
    headers = {"x-helix-session": "s"}

    def answer(word):
        command = [sys.executable, "-m", "helix_ls.cli", "config", word]
        said = subprocess.run(command, env=environ, cwd=folder, capture_output=True, check=True, text=True)
        assert f"memory.learn = {'true' if word == '--keep-chats' else 'false'}" in said.stdout

    server = Server(environ, folder)
    try:
        after(server, lambda: chat(server, headers=headers), not_wanted=1)
        answer("--keep-chats")
        assert settings.read_text() == "[memory]\nco_use = true # mine\nlearn = true\n"
        after(server, lambda: chat(server, headers=headers), kept=1)
        answer("--no-keep-chats")
        after(server, lambda: chat(server, headers=headers), not_wanted=1)
        with server.admin() as admin:
            assert admin.post("/consolidate", json={"session_id": "s"}).json()["exchanges"] == 1
    finally:
        server.close()
    with Memory(tmp_path / "data", 0.0) as memory:
        assert exchanges(memory) == 1


@pytest.mark.slow
def test_a_folder_that_is_a_link_is_refused_by_its_name_and_chats_go_on(environ, tmp_path, upstream):
    folder = repository(tmp_path / "linked")
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "real")
    names = {"HELIX_DATA_DIR": str(tmp_path / "data"), "HELIX_MEMORY_LEARN": "on"}
    server = Server(environ | names, folder)
    try:
        assert after(server, lambda: chat(server), failed=1).content.endswith(b"data: [DONE]\n\n")
        with server.admin() as admin:
            answer = admin.post("/ingest", json={"content": "a note"})
        assert answer.status_code == 500
        assert "is not a folder of yours" in answer.json()["error"]["message"]
        assert b"Traceback" not in server.log
    finally:
        server.close()
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.slow
def test_what_waits_is_kept_when_the_server_ends(environ, tmp_path, upstream):
    folder = repository(tmp_path / "ending")
    names = {"HELIX_DATA_DIR": str(tmp_path / "data"), "HELIX_MEMORY_LEARN": "on"}
    server = Server(environ | names, folder)
    for _ in range(5):
        chat(server)
    assert server.close() == 0
    with Memory(tmp_path / "data", 0.0) as memory:
        assert memory.totals()["exchanges"] == 5
    assert isinstance(upstream, Upstream)
