"""Who may ask: the decision for every combination, and the same over real sockets."""

import contextlib
import http.client
import itertools
import os
import socket
import stat
import time

import psutil
import pytest

from helix_ls.proxy.guard import MAX_BODY_BYTES, GuardRules, head_of, refusal
from helix_ls.proxy.keys import proof, users_key
from helix_ls.proxy.route_table import ADMIN_ROUTES
from helix_ls.proxy.running import knows_key

PORT = 11437
KEY = "helix-right"
HOSTS = {"127.0.0.1:11437": 0, "evil.example:11437": 421}
ORIGINS = {"": 0, "http://localhost:3000": 403, "null": 403}
KEYS = {"Bearer helix-right": 0, "Bearer helix-wrong": 401}
KINDS = {"application/json": 0, "text/plain": 415}
COMBINATIONS = list(itertools.product(HOSTS, ORIGINS, KEYS, KINDS))


def expected(host, origin, key, kind):
    return HOSTS[host] or ORIGINS[origin] or KEYS[key] or KINDS[kind]


def status_of(path="/context", method="POST", **headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items() if value]
    refused = refusal(head_of(method, path, pairs), GuardRules(PORT, KEY, admin_routes=ADMIN_ROUTES))
    return refused.status if refused else 0


def test_there_are_24_combinations_and_one_is_right():
    assert len(COMBINATIONS) == 24
    assert [expected(*each) for each in COMBINATIONS].count(0) == 1


@pytest.mark.parametrize(("host", "origin", "key", "kind"), COMBINATIONS)
def test_each_combination_of_host_origin_key_and_type_has_its_status(host, origin, key, kind):
    assert status_of(host=host, origin=origin, authorization=key, content_type=kind) == expected(
        host, origin, key, kind
    )


@pytest.mark.parametrize(
    "host",
    ["localhost:11437.evil.example", "localhost:1", "127.0.0.1", "localhost:114370", "0.0.0.0:11437", "[::1]", ""],
)
def test_a_host_that_is_not_ours_to_the_letter_is_refused(host):
    assert status_of(host=host, authorization=f"Bearer {KEY}", content_type="application/json") == 421


@pytest.mark.parametrize("host", ["localhost:11437", "LOCALHOST:11437", "127.0.0.1:11437", "[::1]:11437"])
def test_our_own_names_are_let_in(host):
    assert status_of(host=host, authorization=f"bearer {KEY}", content_type="application/json; charset=utf-8") == 0


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "same-origin"}, 0),
        ({"content_encoding": "gzip"}, 415),
        ({"content_length": str(MAX_BODY_BYTES + 1)}, 413),
        ({"x_long": "x" * 40_000}, 431),
        ({"content_type": "multipart/form-data"}, 415),
        ({"content_type": ""}, 415),
        ({"authorization": ""}, 401),
        ({"authorization": KEY}, 401),
    ],
)
def test_the_rest_of_the_head_is_looked_at_too(more, status):
    right = {"host": "127.0.0.1:11437", "authorization": f"Bearer {KEY}", "content_type": "application/json"}
    assert status_of(**{**right, **more}) == status


def test_only_health_is_open_and_that_only_to_read():
    assert status_of("/health", "GET", host="127.0.0.1:11437") == 0
    assert status_of("/health", "POST", host="127.0.0.1:11437") == 401
    assert status_of("/health", "GET", host="evil.example") == 421
    for path in ("/w/a/health", "/stats", "/metrics", "/v1/models", "/nothing"):
        assert status_of(path, "GET", host="127.0.0.1:11437") == 401, path


@pytest.mark.parametrize(
    ("path", "prints"),
    [
        ("/context", "helix connect openai --json"),
        ("/hitl/recent", "helix connect openai --json"),
        ("/hitl/emit", "helix connect admin"),
        ("/memory/rollback", "helix connect admin"),
        ("/admin/refresh", "helix connect admin"),
        ("/forget", "helix connect admin"),
    ],
)
def test_a_wrong_key_is_told_what_prints_the_key_of_that_route(path, prints):
    for sent in (b"Bearer helix-wrong", b""):
        pairs = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"authorization", sent)]
        refused = refusal(
            head_of("POST", path, pairs), GuardRules(PORT, KEY, "helix-admin-right", admin_routes=ADMIN_ROUTES)
        )
        assert (refused.status, refused.code) == (401, "invalid_api_key")
        assert refused.message.endswith(f"get it with: {prints}")


def test_two_values_where_one_belongs_are_refused():
    pairs = [(b"host", b"127.0.0.1:11437"), (b"host", b"evil.example")]
    assert refusal(head_of("GET", "/health", pairs), GuardRules(PORT, KEY, admin_routes=ADMIN_ROUTES)).status == 421


def ask(server, method, path, headers, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.ready["port"], timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.parametrize(("host", "origin", "key", "kind"), COMBINATIONS)
def test_over_a_socket_only_the_right_one_reaches_a_handler(server, host, origin, key, kind):
    headers = {
        "Host": host.replace("11437", str(server.ready["port"])),
        "Authorization": key.replace(KEY, server.key),
        "Content-Type": kind,
    }
    answer = ask(server, "POST", "/context", {**headers, **({"Origin": origin} if origin else {})}, b'{"query":"a"}')
    assert answer.status == (expected(host, origin, key, kind) or 200)
    assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]


def test_no_options_request_opens_anything(server):
    host = f"127.0.0.1:{server.ready['port']}"
    asks = {"Host": host, "Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    assert ask(server, "OPTIONS", "/context", asks).status == 403
    own = ask(server, "OPTIONS", "/context", {"Host": host, "Authorization": f"Bearer {server.key}"})
    assert own.status == 405
    assert own.getheader("access-control-allow-origin") is None


def test_the_server_listens_on_loopback_only(server):
    process = psutil.Process(server.ready["pid"])
    connections = process.net_connections("inet")
    for child in process.children(recursive=True):
        # A child that has ended since it was listed listens no more.
        with contextlib.suppress(psutil.NoSuchProcess):
            connections += child.net_connections("inet")
    ports = [connection.laddr for connection in connections if connection.status == psutil.CONN_LISTEN]
    assert [(address.ip, address.port) for address in ports] == [("127.0.0.1", server.ready["port"])]


def test_key_and_folder_are_the_users_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        environ = {"HELIX_STATE_DIR": str(tmp_path / "state")}
        key = users_key(environ)
    finally:
        os.umask(before)
    file = tmp_path / "state" / "api-key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert users_key(environ) == key
    assert len(key) == len("helix-") + 43
    file.chmod(0o644)
    assert users_key(environ) == key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_health_says_nothing_without_the_key_but_proves_the_server(server):
    with server.http() as client:
        nonce = "n" * 20
        said = client.get(f"/health?nonce={nonce}", headers={"Authorization": ""}).json()
        assert said == {"status": "ok", "proof": proof(server.key, nonce, server.ready["port"])}
        assert client.get("/health?nonce=short").status_code == 400
        assert client.get("/health").json()["pid"] == server.ready["pid"]
    assert knows_key(server.ready["port"], server.key)
    assert not knows_key(server.ready["port"], "helix-other")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"a":' * 100_000, "too_deep"),
        (b"[" * 100_000, "invalid_json"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "too_deep"),
        (b'{"query": NaN}', "invalid_json"),
        (b'{"query": "\xff"}', "invalid_json"),
        (b'{"query": "a"} {}', "invalid_json"),
        (b'{"query": "a", "query": "b"}', "invalid_json"),
        (b"[]", "invalid_json"),
        (b'{"messages": [' + b"1," * 5_000 + b"1]}", "too_many_messages"),
    ],
)
def test_bodies_that_mean_harm_are_refused_in_words(server, body, code):
    with server.http() as client:
        answer = client.post("/context", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_a_head_without_end_is_cut_off(server):
    with socket.create_connection(("127.0.0.1", server.ready["port"]), timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nX: ")
        try:
            for _ in range(100):
                connection.sendall(b"x" * 4096)
                time.sleep(0.001)
            assert connection.recv(1) == b""
        except ConnectionError:
            pass
    assert knows_key(server.ready["port"], server.key)
