"""Two keys: one asks, one may also write; and the one key there was before still asks."""

import json
import os
import stat

import pytest

from helix_ls.proxy.guard import GuardRules, head_of, needs_admin, refusal, scope_of
from helix_ls.proxy.keys import admins_key, is_admins, proof, users_key
from helix_ls.proxy.route_table import ADMIN_ROUTES, HTTP_ROUTES
from helix_ls.proxy.running import knows_key
from tests.proxy.test_process import connect

PORT, ASK, ADMIN = 11437, "helix-ask", "helix-admin-all"
WRITING = ["/admin/refresh", "/admin/vacuum", "/admin/nothing", "/ingest", "/consolidate"]


RULES = GuardRules(PORT, ASK, ADMIN, admin_routes=ADMIN_ROUTES)


def status_of(path, key, method="POST", route=None, rules=RULES):
    headers = [
        (b"host", b"127.0.0.1:11437"),
        (b"authorization", f"Bearer {key}".encode()),
        (b"content-type", b"application/json"),
    ]
    refused = refusal(head_of(method, path, headers, route), rules)
    return (refused.status, refused.code) if refused else 0


@pytest.mark.parametrize("path", WRITING)
def test_what_writes_wants_the_other_key(path):
    assert status_of(path, ASK) == (403, "insufficient_scope")
    assert status_of(path, ADMIN) == 0
    assert status_of(path, "helix-wrong") == (401, "invalid_api_key")
    assert status_of(f"/w/a{path}", ASK, route=path) == (403, "insufficient_scope")


@pytest.mark.parametrize("path", ["/context", "/context/packet", "/v1/chat/completions", "/stats", "/mcp", "/ingested"])
def test_what_only_reads_takes_either(path):
    assert status_of(path, ASK) == status_of(path, ADMIN) == 0


def test_no_key_is_everybodys_where_there_is_no_admin():
    none = GuardRules(PORT, ASK, admin_routes=ADMIN_ROUTES)
    for said in ("", " ", "helix-ask"):
        assert status_of("/admin/refresh", said, rules=none) != 0
    assert scope_of(head_of("GET", "/", [(b"authorization", b"Bearer ")]), none) == "none"


def test_the_guard_asks_for_the_key_that_the_operation_declares():
    declared = {each.path: each.operation.access for each in HTTP_ROUTES if each.operation and not each.is_open}
    assert {path for path in declared if needs_admin(path, RULES)} == {
        path for path, access in declared.items() if access == "admin"
    }
    assert {"/ingest", "/forget", "/memory/remember", "/trail/forget", "/hitl/emit"} <= ADMIN_ROUTES
    # The guard compares whole paths: a parameter in one would never match.
    assert [path for path in ADMIN_ROUTES if "{" in path] == []
    for route in ADMIN_ROUTES:
        assert status_of(route, ASK) == (403, "insufficient_scope")
    assert [each.path for each in HTTP_ROUTES if each.needs == "nothing"] == [
        *("/health", "/dashboard", "/dashboard/dashboard.js", "/dashboard/dashboard.css", "/dashboard/session")
    ]


@pytest.mark.parametrize(
    "path", ["/admin/refresh", "/w/project/admin/refresh", "/%61dmin/refresh", "/w/project/%61dmin/refresh"]
)
def test_over_a_socket_no_way_of_writing_the_path_gets_round_it(server, path):
    with server.http() as client:
        answer = client.post(path, json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "insufficient_scope")
        assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]
        assert client.post("//admin/refresh", json={}).status_code == 404
    with server.admin() as client:
        assert client.post(path, json={}).json()["schema"] == "helix.index/1"
        assert client.post("/context/packet", json={"query": "sign_cookie"}).json()["verified"]


def test_the_one_key_of_before_still_asks_and_another_is_made_to_write(tmp_path):
    environ = {"HELIX_STATE_DIR": str(tmp_path / "state")}
    (tmp_path / "state").mkdir(mode=0o700)
    old = "helix-" + "k" * 43
    (tmp_path / "state" / "api-key").write_text(f"{old}\n")
    before = os.umask(0)
    try:
        admin = admins_key(environ)
    finally:
        os.umask(before)
    assert users_key(environ) == old
    assert admins_key(environ) == admin != old
    assert is_admins(admin) and not is_admins(old)
    assert stat.S_IMODE((tmp_path / "state" / "admin-key").stat().st_mode) == 0o600


def test_connect_prints_the_one_that_was_asked_for_once_the_server_has_proved_that_it_has_it(server):
    assert connect(server, "openai", "--json").stdout.count(server.admin_key) == 0
    said = json.loads(connect(server, "admin", "--json").stdout)
    assert said["api_key"] == server.admin_key
    assert f"HELIX_ADMIN_KEY={server.admin_key}" in connect(server, "admin").stdout
    port = server.ready["port"]
    assert knows_key(port, server.admin_key)
    assert not knows_key(port, "helix-admin-" + "x" * 43)
    with server.http() as client:
        nonce = "n" * 20
        both = [client.get(f"/health?nonce={nonce}&of={of}").json()["proof"] for of in ("ask", "admin")]
        assert both == [proof(server.key, nonce, port), proof(server.admin_key, nonce, port)]
        assert client.get(f"/health?nonce={nonce}&of=other").status_code == 400


def test_where_anything_lies_is_for_the_admin(server, project):
    with server.http() as client:
        said = client.get("/stats")
        named = client.get("/stats", headers={"X-Helix-Workspace": project.name}).json()
    with server.admin() as client:
        whole = client.get("/stats").json()
    assert whole["workspace"] == whole["workspaces"][project.name] == str(project)
    assert whole["index"]["path"].startswith("/") and whole["live"]["uri"].startswith("file://")
    told = said.json()
    assert told["workspace"] == told["live"]["workspace"] == told["workspaces"][project.name] == project.name
    assert named["workspace"] == project.name
    assert (told["index"]["path"], told["live"]["uri"]) == ("index.db", "")
    assert str(project.parent) not in said.text
    assert told.keys() == whole.keys()
