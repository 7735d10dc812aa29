"""The served document is true: every request it describes is answered as it says, and no other one is taken."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig

from helix_core.errors import UsageError
from helix_ls.proxy.fields import checked
from helix_ls.proxy.openapi import document
from helix_ls.proxy.table import OPERATIONS, PACKET

CONFIG = SchemathesisConfig(
    projects=ProjectsConfig(default=ProjectConfig(generation=GenerationConfig(max_examples=12, deterministic=True)))
)
API = schemathesis.openapi.from_dict(document(), config=CONFIG)


@API.parametrize()
@settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_every_route_answers_as_the_document_says(case, running):
    key = running.admin_key if case.path.startswith("/admin/") else running.key
    case.call_and_validate(base_url=running.url, headers={"Authorization": f"Bearer {key}"})


def test_the_document_that_is_served_is_this_one_and_names_every_route(server):
    with server.http() as client:
        served = client.get("/openapi.json").json()
        assert served == json.loads(json.dumps(document()))
        assert client.get("/openapi.json", headers={"Authorization": ""}).status_code == 401
        for path, methods in served["paths"].items():
            for method in methods:
                assert client.request(method, path, headers={"Authorization": ""}).status_code != 404
    assert {(each.path, each.method.lower()) for each in OPERATIONS} == {
        (path, method) for path, methods in served["paths"].items() for method in methods
    }
    assert server.ready["workspace"] not in json.dumps(served)


@pytest.mark.parametrize(
    ("given", "k"), [({}, 8), ({"k": None, "max_genes": 3}, 3), ({"k": 4.0}, 4), ({"k": 5, "max_genes": 3}, 5)]
)
def test_names_of_before_and_null_are_read_as_the_document_says(given, k):
    assert checked(PACKET, {"query": "", "question": "a", **given})["k"] == k


@pytest.mark.parametrize(
    "wrong",
    [{"k": True}, {"k": 1.5}, {"k": 101}, {"k": 10**400}, {"task_type": "x"}, {"query": "\ud800"}, {"query": " "}],
)
def test_what_no_schema_allows_is_refused(wrong):
    with pytest.raises(UsageError):
        checked(PACKET, {"query": "a", **wrong})
