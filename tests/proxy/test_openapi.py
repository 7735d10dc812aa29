"""The served document is true: every request it describes is answered as it says, and no other one is taken."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance, status_code_conformance

from helix_core.errors import UsageError
from helix_ls.operations.questions import PACKET, READ_CHARACTERS
from helix_ls.operations.table import OPERATIONS
from helix_ls.operations.validation import validated
from helix_ls.proxy.dialects import DIALECTS
from helix_ls.proxy.guard import FORM_PATHS, GuardRules, needs_admin
from helix_ls.proxy.openapi import document
from helix_ls.proxy.route_table import ADMIN_ROUTES, HTTP_ROUTES, HttpRoute, body_schema
from tests.proxy.conftest import Server

pytestmark = pytest.mark.slow

CONFIG = SchemathesisConfig(
    projects=ProjectsConfig(default=ProjectConfig(generation=GenerationConfig(max_examples=12, deterministic=True)))
)
MOST_GENERATED = 100_000

RULES = GuardRules(0, "", admin_routes=ADMIN_ROUTES)


def without_long_bounds(value):
    """The document without the bounds of strings that are too long to be generated in order to be exceeded."""
    if isinstance(value, list):
        return [without_long_bounds(one) for one in value]
    if not isinstance(value, dict):
        return value
    is_long = isinstance(value.get("maxLength"), int) and value["maxLength"] > MOST_GENERATED
    return {name: without_long_bounds(one) for name, one in value.items() if not (is_long and name == "maxLength")}


API = schemathesis.openapi.from_dict(without_long_bounds(document()), config=CONFIG)
# Which of their members go together, which names are defined, which ids there are, and what is a statement, is said in
# words only; what a chat must be is the upstream's to say.
OF_MEMORY = tuple(each.path for each in HTTP_ROUTES if each.path.startswith("/memory/"))
IN_WORDS = (
    "/uses",
    "/forget",
    "/trail/forget",
    "/context/expand",
    "/hitl/emit",
    *OF_MEMORY,
    *(each.route for each in DIALECTS),
)


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
    key = fuzzed.admin_key if needs_admin(case.path, RULES) else fuzzed.key
    # What an agent's message must be is the protocol's to say: tests/mcp/test_http.py.
    # A form's parts are the upstream's to say.
    is_free = case.path == "/mcp" or case.path in FORM_PATHS
    checks = [not_a_server_error, status_code_conformance] if is_free else None
    # Which commits, languages and pages there are, and what is a glob, no schema says.
    is_vague = isinstance(case.body, dict) and any(case.body.get(name) for name in ("filters", "since", "page"))
    excluded = [positive_data_acceptance] if case.path in IN_WORDS or is_vague else None
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
    assert {(each.path, each.method.lower()) for each in HTTP_ROUTES} | agents == {
        (path, method) for path, methods in served["paths"].items() for method in methods
    }
    assert server.ready["workspace"] not in json.dumps(served)


@pytest.mark.parametrize(
    ("given", "k"), [({}, None), ({"k": None, "max_genes": 3}, 3), ({"k": 4.0}, 4), ({"k": 5, "max_genes": 3}, 5)]
)
def test_names_of_before_and_null_are_read_as_the_document_says(given, k):
    assert validated(PACKET, {"query": "", "question": "a", **given}, "http").k == k


def test_of_a_question_without_end_the_beginning_is_read():
    assert len(validated(PACKET, {"query": "where " * 1_000_000}, "http").question) == READ_CHARACTERS
    assert validated(PACKET, {"query": " " * 10_000 + "where"}, "http").question == "where"


@pytest.mark.parametrize(
    "wrong",
    [{"k": True}, {"k": 1.5}, {"k": 101}, {"k": 10**400}, {"task_type": "x"}, {"query": "\ud800"}],
)
def test_what_no_schema_allows_is_refused(wrong):
    with pytest.raises(UsageError):
        validated(PACKET, {"query": "a", **wrong}, "http")


@pytest.mark.parametrize(
    "route", [each for each in HTTP_ROUTES if each.operation is not None], ids=lambda one: one.path
)
def test_a_route_shows_the_arguments_bounds_and_defaults_of_the_table(route: HttpRoute) -> None:
    operation = route.operation
    assert OPERATIONS[operation.name] is operation
    assert route.needs == ("nothing" if route.is_open else operation.access)
    schema = body_schema(operation)
    names = {name: each for each in operation.parameters("http") for name in each.names}
    assert schema["properties"].keys() == names.keys()
    for name, each in names.items():
        about = schema["properties"][name]
        one = [{"type": "string", "maxLength": each.about.most}] if each.about.takes_one else []
        assert about["anyOf"] == [each.schema(), *one, {"type": "null"}]
        assert about.get("default") == (None if each.is_required else each.default)
    assert len(schema.get("allOf", ())) == len(operation.required("http"))
