"""The Python client asks a real server, and is what the OpenAPI document says."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from helix_ls.proxy.openapi import OPERATIONS_TAG, document
from helix_ls.sdk import HelixClient, SdkError
from tests.mcp.conftest import repository
from tests.proxy.conftest import Server

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CALLS = json.loads((Path(__file__).parent / "sdk_calls.json").read_text(encoding="utf-8"))
OPERATIONS = {
    said["operationId"]: said
    for methods in document()["paths"].values()
    for said in methods.values()
    if OPERATIONS_TAG in said.get("tags", ())
}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The script that writes the clients."""
    spec = importlib.util.spec_from_file_location("docs_sdk", ROOT / "docs" / "sdk.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def asked(environ, project, tmp_path_factory):
    """A server with a memory and an announced restart of its own."""
    own = {"HELIX_DATA_DIR": str(tmp_path_factory.mktemp("sdk") / "data")}
    own["HELIX_STATE_DIR"] = own["HELIX_DATA_DIR"].replace("data", "state")
    server = Server(environ | own, project)
    yield server
    server.close()


def test_the_committed_clients_are_what_the_document_says(generator):
    assert generator.stale() == [], f"the clients are out of date: run {generator.RENEW} and commit them"


def test_a_new_operation_becomes_a_method_of_both_clients(generator):
    said = json.loads(json.dumps(document()))
    said["paths"]["/brand/new"] = {"post": said["paths"]["/search"]["post"] | {"operationId": "brand_new"}}
    assert "    def brand_new(\n        self,\n        question: str," in generator.python(said)
    assert "async brand_new(given: BrandNewGiven, options?: CallOptions): Promise<SearchReply>" in generator.typescript(
        said
    )


def test_each_operation_is_called_once_and_answers_in_its_shape(asked):
    kept = {}
    schemas = {"components": document()["components"]}
    with HelixClient(asked.url, asked.admin_key) as client:
        for step in CALLS:
            given = {
                name: kept.get(value, value) if isinstance(value, str) else value
                for name, value in step["given"].items()
            }
            answer = getattr(client, step["call"])(**given)
            shape = OPERATIONS[step["call"]]["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.validate(json.loads(json.dumps(answer)), shape | schemas)
            for name, path in step.get("keep", {}).items():
                kept[name] = answer
                for part in path:
                    kept[name] = kept[name][part]
    assert sorted(step["call"] for step in CALLS) == sorted(OPERATIONS)


def test_the_server_is_found_as_helix_connect_finds_it(asked, project, monkeypatch):
    for name, value in asked.environ.items():
        monkeypatch.setenv(name, value)
    with HelixClient.connect(project) as client:
        found = client.packet("where are session cookies signed?")
        assert found["verified"][0]["source_id"] == "app/sessions.py"
        with pytest.raises(SdkError) as refused:
            client.remember("Nobody may do this.")
    assert (refused.value.status, "helix connect admin" in refused.value.next_action) == (403, True)
    with HelixClient.connect(project, admin=True) as client:
        assert client.remember("This is for the administrator.", dry_run=True)["items"]


def test_a_client_of_a_folder_asks_and_writes_no_other_of_the_same_server(start, project, tmp_path, monkeypatch):
    other = repository(tmp_path / "größe", {"zebra.py": "def stripes():\n    return 2\n"})
    (tmp_path / "link").symlink_to(other)
    own = {f"HELIX_{name}_DIR": str(tmp_path / name) for name in ("DATA", "STATE", "RUNTIME")}
    server = start(project, "--also", str(other), **own)
    for name, value in (server.environ | own).items():
        monkeypatch.setenv(name, value)
    with HelixClient.connect(tmp_path / "link", admin=True) as client:
        assert client.packet("stripes")["workspace"] == str(other)
        client.remember("Zebras have stripes.", origin="user")
        assert client.memories()["items"]
    with HelixClient.connect(project) as client:
        assert not client.memories()["items"]
    with HelixClient(server.url, server.key, workspace="größe") as client:
        assert client.packet("stripes")["workspace"] == str(other)
    with HelixClient(server.url, server.key, workspace="日本") as client, pytest.raises(SdkError) as unknown:
        client.packet("stripes")
    assert unknown.value.code == "unknown_workspace"
    with pytest.raises(SdkError) as unserved:
        HelixClient.connect(tmp_path)
    assert unserved.value.next_action == f"serve it with: helix serve {tmp_path}"


def test_a_wrong_key_and_a_wrong_argument_are_errors_with_cause_and_next_action(asked):
    with HelixClient(asked.url, "helix-wrong") as client, pytest.raises(SdkError) as wrong:
        client.search("anything")
    assert (wrong.value.status, "helix connect openai" in wrong.value.next_action) == (401, True)
    with HelixClient(asked.url, asked.key) as client, pytest.raises(SdkError) as refused:
        client.search("anything", k=0)
    assert refused.value.status == 400
    assert "k must be" in refused.value.cause
    assert str(refused.value) == f"{refused.value.cause}; {refused.value.next_action}"
    with HelixClient(asked.url, asked.key, workspace="none") as client, pytest.raises(SdkError) as unknown:
        client.search("anything")
    assert unknown.value.status == 404


def test_the_example_of_the_documentation_runs(asked, project):
    page = (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    command = [sys.executable, "-W", "error", "-c", example]
    done = subprocess.run(command, cwd=project, env=asked.environ, capture_output=True, text=True, check=True)
    place, *_, empty, refused = done.stdout.splitlines()
    assert (place.split()[0], empty) == ("app/sessions.py", "False")
    assert refused.startswith("403 ") and "helix connect admin" in refused


def test_no_server_is_an_error_that_says_how_to_start_one(environ, project, monkeypatch, tmp_path):
    for name, value in (environ | {"HELIX_RUNTIME_DIR": str(tmp_path / "run")}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SdkError, match="start one with: helix serve"):
        HelixClient.connect(project)
    with HelixClient("http://127.0.0.1:9", "helix-key") as client, pytest.raises(SdkError, match="helix serve"):
        client.search("anything")


def test_a_request_is_sent_once_however_it_fails(starts_processes):
    heard = []
    stop = threading.Event()

    class Failing(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(self.path)
            if self.path == "/search":
                stop.wait(60)
                return
            self.send_response(503)
            self.send_header("Retry-After", "7")
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Failing) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with HelixClient(f"http://127.0.0.1:{server.server_port}", "k", timeout_s=0.2) as client:
                with pytest.raises(SdkError) as busy:
                    client.remember("one")
                assert (busy.value.status, busy.value.retry_after_s) == (503, 7.0)
                with pytest.raises(SdkError, match="in time"):
                    client.search("two")
        finally:
            stop.set()
            server.shutdown()
            thread.join()
    assert heard == ["/memory/remember", "/search"]


def test_a_type_checker_of_a_program_that_imports_the_client_reads_its_types():
    # PEP 561: without this file the types of an installed package are not read.
    assert all(files(package).joinpath("py.typed").is_file() for package in ("helix_core", "helix_ls"))


def test_the_client_needs_no_extra(starts_processes):
    script = (
        "import sys\n"
        "for name in ('starlette', 'uvicorn', 'aiohttp', 'keyring'): sys.modules[name] = None\n"
        "from helix_ls.sdk import HelixClient\n"
        "HelixClient('http://127.0.0.1:9', 'k').close()\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
