"""The served document is true: every request it describes is answered as it says, and no other one is taken."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance, status_code_conformance

from helix_core.errors import UsageError
from helix_ls.proxy.guard import needs_admin
from helix_ls.proxy.openapi import document
from helix_ls.proxy.operations import OPERATIONS, PACKET, READ_CHARACTERS, checked
from tests.proxy.conftest import Server

CONFIG = SchemathesisConfig(
    projects=ProjectsConfig(default=ProjectConfig(generation=GenerationConfig(max_examples=12, deterministic=True)))
)
API = schemathesis.openapi.from_dict(document(), config=CONFIG)
# Which of their members go together is said in words only.
IN_WORDS = ("/forget", "/context/expand")


@pytest.fixture(scope="module")
def fuzzed(environ, project, tmp_path_factory):
    """A server with a memory of its own: what is generated is kept there."""
    server = Server(environ | {"HELIX_DATA_DIR": str(tmp_path_factory.mktemp("fuzzed") / "data")}, project)
    yield server
    server.close()


@API.parametrize()
@settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_every_route_answers_as_the_document_says(case, fuzzed):
    key = fuzzed.admin_key if needs_admin(case.path) else fuzzed.key
    # What an agent's message must be is the protocol's to say: tests/mcp/test_http.py.
    checks = [not_a_server_error, status_code_conformance] if case.path == "/mcp" else None
    excluded = [positive_data_acceptance] if case.path in IN_WORDS else None
    case.call_and_validate(
        base_url=fuzzed.url, headers={"Authorization": f"Bearer {key}"}, checks=checks, excluded_checks=excluded
    )


def test_the_document_that_is_served_is_this_one_and_names_every_route(server):
    with server.http() as client:
        served = client.get("/openapi.json").json()
        assert served == json.loads(json.dumps(document()))
        assert client.get("/openapi.json", headers={"Authorization": ""}).status_code == 401
        for path, methods in served["paths"].items():
            for method in methods:
                assert client.request(method, path, headers={"Authorization": ""}).status_code != 404
    agents = {("/mcp", method) for method in ("post", "get", "delete")}
    assert {(each.path, each.method.lower()) for each in OPERATIONS} | agents == {
        (path, method) for path, methods in served["paths"].items() for method in methods
    }
    assert server.ready["workspace"] not in json.dumps(served)


@pytest.mark.parametrize(
    ("given", "k"), [({}, 8), ({"k": None, "max_genes": 3}, 3), ({"k": 4.0}, 4), ({"k": 5, "max_genes": 3}, 5)]
)
def test_names_of_before_and_null_are_read_as_the_document_says(given, k):
    assert checked(PACKET, {"query": "", "question": "a", **given})["k"] == k


def test_of_a_question_without_end_the_beginning_is_read():
    assert len(checked(PACKET, {"query": "where " * 1_000_000})["query"]) == READ_CHARACTERS
    assert checked(PACKET, {"query": " " * 10_000 + "where"})["query"] == "where"


@pytest.mark.parametrize(
    "wrong",
    [{"k": True}, {"k": 1.5}, {"k": 101}, {"k": 10**400}, {"task_type": "x"}, {"query": "\ud800"}, {"query": " "}],
)
def test_what_no_schema_allows_is_refused(wrong):
    with pytest.raises(UsageError):
        checked(PACKET, {"query": "a", **wrong})
