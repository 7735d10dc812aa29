"""The dashboard over real sockets: who gets the page, who gets what it shows, and what it may not ask for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from importlib.resources import files
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest

from helix_ls.proxy.dashboard.pages import FILES
from helix_ls.proxy.guard import GuardRules, head_of, refusal
from helix_ls.proxy.route_table import ADMIN_ROUTES, HTTP_ROUTES
from helix_ls.proxy.sessions import (
    MOST_USED,
    READS,
    SESSION_S,
    TICKET_S,
    Tickets,
    is_session,
    may_read,
    session_key,
    ticket,
)
from tests.mcp.conftest import repository
from tests.proxy.test_context import ASK, chat
from tests.proxy.test_memories import remember

KEY, PORT, NOW = "helix-right", 11437, 1_800_000_000.0
BUILT = files("helix_ls.proxy.dashboard") / "built"
HOSTILE = "We decided on <script>alert(1)</script> <img src=x onerror=alert(1)> \u202egnp.exe"


@pytest.fixture
def page(server):
    """A browser's client without any key."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        yield client


def linked(server, project):
    """The parts of the link that ``helix dashboard`` prints."""
    said = subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", "dashboard", str(project), "--json"],
        env=server.environ,
        capture_output=True,
        check=True,
    )
    return urlsplit(json.loads(said.stdout)["url"])


@pytest.fixture
def session(server, project, page):
    """The key of a session, by the way a browser gets it."""
    told = parse_qs(linked(server, project).fragment)
    answer = page.post("/dashboard/session", json={"ticket": told["ticket"][0]}, headers={"Origin": server.url})
    assert answer.status_code == 200, answer.text
    return {"Authorization": f"Bearer {answer.json()['key']}"}


def test_the_page_is_open_and_runs_only_its_own_script(page):
    for path, (name, media) in FILES.items():
        answer = page.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == media
        assert answer.content == (BUILT / name).read_bytes()
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = dict(one.partition(" ")[::2] for one in answer.headers["content-security-policy"].split("; "))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["form-action"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        again = page.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_the_page_loads_nothing_but_what_is_served_beside_it(page):
    html = page.get("/dashboard").text
    assert set(re.findall(r'(?:src|href)="([^"]+)"', html)) == {*FILES, "data:,"} - {"/dashboard"}
    assert not re.search(r"<script>|\son\w+=|style=", html)
    styles = page.get("/dashboard/dashboard.css").text
    assert "url(" not in styles and "@import" not in styles


def test_every_license_of_what_the_page_carries_is_beside_it():
    said = (BUILT / "LICENSES.md").read_text()
    named = set(re.findall(r"^## (\S+) - ", said, re.MULTILINE))
    assert {"react", "react-dom", "chart.js", "chartjs-chart-graph", "chartjs-chart-treemap"} <= named
    assert set(re.findall(r"^## .* \((.*)\)$", said, re.MULTILINE)) <= {"MIT", "ISC", "BSD-3-Clause"}


def test_the_page_stays_small():
    assert sum(one.stat().st_size for one in BUILT.iterdir() if not one.name.endswith(".md")) < 500_000


def test_without_a_key_the_page_gets_no_datum(page):
    for each in HTTP_ROUTES:
        if may_read(each.path):
            answer = page.request(each.method, each.path, json={} if each.method == "POST" else None)
            assert answer.status_code == 401, each.path


def test_a_session_reads_what_the_page_shows_and_nothing_else():
    rules = GuardRules(PORT, KEY, "helix-admin-right", clock=lambda: NOW, admin_routes=ADMIN_ROUTES)
    key = session_key(KEY, PORT, NOW)
    pairs = [
        (b"host", f"127.0.0.1:{PORT}".encode()),
        (b"authorization", f"Bearer {key}".encode()),
        (b"content-type", b"application/json"),
    ]
    admitted = set()
    for each in HTTP_ROUTES:
        refused = refusal(head_of(each.method, each.path, pairs), rules)
        if refused is None and each.needs != "nothing":
            admitted.add(each.path)
        elif refused is not None:
            assert (refused.status, refused.code) == (403, "insufficient_scope"), each.path
    assert admitted == {*READS, "/context/sent/{packet_id}"}
    assert all(each.needs == "ask" for each in HTTP_ROUTES if each.path in admitted)
    for path in ("/context/sent/a/b", "/mcp", "/memory/graph/", "/v1/chat/completions"):
        assert refusal(head_of("POST", path, pairs), rules).status == 403, path


def test_a_session_ends_and_is_of_one_server_and_one_key():
    key = session_key(KEY, PORT, NOW).encode()
    assert is_session(key, KEY, PORT, NOW + SESSION_S - 1)
    assert not is_session(key, KEY, PORT, NOW + SESSION_S)
    assert not is_session(key, KEY, PORT + 1, NOW)
    assert not is_session(key, "helix-other", PORT, NOW)
    assert not is_session(key.replace(b"helix-view-1", b"helix-view-2"), KEY, PORT, NOW)
    assert not is_session(ticket(KEY, PORT, NOW).encode(), KEY, PORT, NOW), "a ticket is not a session"
    assert not is_session(b"helix-view-" + ticket(KEY, PORT, NOW).encode(), KEY, PORT, NOW)


def test_a_ticket_is_worth_one_session_for_two_minutes():
    tickets, given = Tickets(KEY, PORT, NOW), ticket(KEY, PORT, NOW)
    assert is_session(tickets.take(given, NOW).encode(), KEY, PORT, NOW)
    assert tickets.take(given, NOW) == ""
    assert tickets.take(ticket(KEY, PORT, NOW), NOW + TICKET_S) == ""
    assert tickets.take(ticket("helix-other", PORT, NOW), NOW) == ""
    assert tickets.take(ticket(KEY, PORT + 1, NOW), NOW) == ""
    assert tickets.take(session_key(KEY, PORT, NOW).removeprefix("helix-view-"), NOW) == ""
    for said in ("", "1.a.b", "٣" * 12, f"{'9' * 99}.{'a' * 22}.{'0' * 64}"):
        assert tickets.take(said, NOW) == ""


def test_the_tickets_that_were_used_are_bounded_and_leave():
    tickets = Tickets(KEY, PORT, NOW)
    assert all(tickets.take(ticket(KEY, PORT, NOW), NOW) for _ in range(20))
    tickets._used = {str(one): NOW + 1 for one in range(MOST_USED)}
    assert tickets.take(ticket(KEY, PORT, NOW), NOW) == ""
    assert tickets.take(ticket(KEY, PORT, NOW + 2), NOW + 2)


def test_a_server_takes_no_ticket_that_was_made_before_it_started():
    given = ticket(KEY, PORT, NOW)
    assert Tickets(KEY, PORT, NOW).take(given, NOW)
    after = Tickets(KEY, PORT, NOW + 1.5)
    assert after.take(given, NOW + 2) == "", "the server before may have taken it"
    assert after.take(ticket(KEY, PORT, NOW + 1.6), NOW + 2), "a ticket of the second of the start is taken"


def test_a_link_works_once_and_says_what_to_do_afterwards(server, project, page):
    link = linked(server, project)
    assert (link.scheme, link.hostname, link.path, link.query) == ("http", "127.0.0.1", "/dashboard", "")
    given = {"ticket": parse_qs(link.fragment)["ticket"][0]}
    first = page.post("/dashboard/session", json=given)
    assert first.status_code == 200 and first.headers["cache-control"] == "no-store"
    second = page.post("/dashboard/session", json=given)
    assert second.status_code == 401 and second.json()["error"]["message"].endswith("helix dashboard")
    assert server.key not in first.text


def test_only_the_page_of_this_server_may_ask_by_script(server, page, session):
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    port = server.ready["port"]
    assert page.post("/activity", json={}, headers={**session, **own}).status_code == 200
    assert page.get("/stats", headers={**session, **own}).status_code == 200
    for origin in (
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{port}",
        f"http://localhost:{port}",
        server.url + "0",
    ):
        for path in ("/activity", "/dashboard/session"):
            answer = page.post(path, json={}, headers={**session, "Origin": origin})
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "origin_refused"), origin
    for path in FILES:
        assert page.get(path, headers={"Host": "evil.example"}).status_code == 421
        assert page.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_the_workspace_of_a_link_is_the_one_that_was_named(server, project, page, session):
    folder = parse_qs(linked(server, project).fragment)["workspace"][0]
    assert folder == str(project)
    answer = page.get(f"/w/{quote(folder, safe='')}/stats", headers=session)
    assert answer.status_code == 200
    assert folder not in answer.text, "the page is told names, not where anything lies"


def test_activity_has_the_numbers_of_chats_and_packets_and_no_question(start, upstream, tmp_path):
    server = start(repository(tmp_path / "project"), HELIX_DATA_DIR=str(tmp_path / "data"))
    chat(server, [{"role": "user", "content": ASK}])
    began = time.time()
    with server.http() as client:
        client.post("/context/packet", json={"query": "where is the cookie signed?", "task_type": "edit"})
        said = client.post("/activity", json={})
        activity = said.json()
        assert client.post("/activity", json={"limit": 1}).json()["answers"] == activity["answers"][:1]
    packet, window = activity["answers"]
    assert (packet["verb"], packet["task"], window["verb"]) == ("packet", "edit", "window")
    assert packet["verified"] >= 1 and window["tokens"] > 0
    assert packet["elapsed_ms"] > 0 and began <= packet["at"] <= time.time()
    (one,) = activity["chats"]
    assert one["status"] == 200 and one["ttft_ms"] > 0 and one["context"] == "added"
    assert len(activity["sent"]) == 1
    assert "cookie" not in said.text and ASK not in said.text


def test_freshness_counts_what_the_disk_has_and_the_index_has_not(start, upstream, tmp_path):
    project = repository(tmp_path / "project")
    (project / "app" / "blob.txt").write_bytes(b"a\0b\0" * 100)
    (project / "app" / "keys.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n")
    server = start(project)
    with server.http() as client:
        before = client.post("/freshness", json={}).json()
        # What the index leaves out is neither fresh nor named.
        tracked = subprocess.run(["git", "ls-files"], cwd=project, capture_output=True, text=True, check=True)
        assert before["files"]["total"] == len(tracked.stdout.split())
        assert before["files"]["fresh"] == before["files"]["total"] > 0 and before["not_fresh"] == []
        assert sum(one["total"] for one in before["folders"]) == before["files"]["total"]
        (project / "app" / "keys.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nBBBBBB\n")
        (project / "app" / "sessions.py").write_text("# other\n")
        (project / "app" / "more").mkdir()
        (project / "app" / "more" / "new.py").write_text("x = 1\n")
        seen = client.post("/freshness", json={"limit": 1}).json()
        assert len(seen["folders"]) == 1 < seen["folders_total"]
        named = {one["source_id"]: one["state"] for one in seen["not_fresh"]}
        # The watcher may have taken them in by now; what is named is right either way.
        assert named.items() <= {"app/sessions.py": "changed", "app/more/new.py": "new"}.items()


def test_the_graph_has_memories_their_relations_and_what_they_cite(start, upstream, tmp_path):
    server = start(repository(tmp_path / "project"), HELIX_DATA_DIR=str(tmp_path / "data"))
    with server.http() as client:
        empty = client.post("/memory/graph", json={}).json()
    assert (empty["items"], empty["links"], empty["cites"], empty["is_whole"]) == ([], [], [], True)
    first = remember(server, "Session cookies are signed with Ed25519", cites=["app/sessions.py:6-8"])
    second = remember(server, HOSTILE, depends_on=[first])
    with server.http() as client:
        said = client.post("/memory/graph", json={})
        graph = said.json()
        assert client.post("/memory/graph", json={"limit": 1}).json()["is_whole"] is False
    assert [one["id"] for one in graph["items"]] == [second, first]
    assert graph["links"] == [{"id": second, "relation": "depends_on", "other": first}]
    assert graph["cites"] == [{"id": first, "source_id": "app/sessions.py"}]
    assert graph["is_whole"] is True
    assert "\u202e" not in json.dumps(graph, ensure_ascii=False), "what turns text around is written out"


def test_a_pause_that_an_agent_raised_is_in_the_timeline_that_a_session_reads(server, project, page, session):
    script = "".join(file.read_text("utf-8") for file in BUILT.iterdir() if file.name.endswith(".js"))
    assert "Agents that paused for a person" in script and "/hitl/recent" in script
    raised = {"pause_type": "rollback_confirm", "task_context": "undo app/sessions.py:6-8?", "participant_id": "max"}
    with server.admin() as admin:
        event_id = admin.post("/hitl/emit", json=raised).json()["event_id"]
        first = page.post("/hitl/recent", json={"limit": 50}, headers=session).json()["events"]
        admin.post("/hitl/emit", json={"pause_type": "other", "resolves": event_id, "resolved_without_operator": True})
    (shown,) = [one for one in first if one["event_id"] == event_id]
    assert (shown["is_open"], shown["pause_type"], shown["task_context"]) == (
        True,
        "rollback_confirm",
        raised["task_context"],
    )
    assert [(one["source_id"], one["status"]) for one in shown["files"]] == [("app/sessions.py", "verified")]
    after = page.post("/hitl/recent", json={"limit": 50}, headers=session).json()["events"]
    assert {one["event_id"]: one["is_open"] for one in after}[event_id] is False
    # The page can look and cannot raise.
    assert page.post("/hitl/emit", json=raised, headers=session).status_code == 403
