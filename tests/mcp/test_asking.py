"""Asking the engine: what is taken back ends there, and arguments of calls are read with care."""

import asyncio
import json

import pytest

from helix_ls.host.calls import Asker, Calls
from helix_ls.host.host import Host
from tests.mcp import conftest
from tests.mcp.conftest import repository


def in_process(act):
    """``act(calls, asker)`` on a host in this process."""

    async def main():
        host = Host(mode="solo", linger_s=0.0)
        asker = Asker(host)
        calls = Calls(host, lambda: {"pid": host.pid}, lambda: None)
        try:
            return await act(calls, asker)
        finally:
            await asker.leave()
            await host.close()

    return asyncio.run(main())


async def said(calls, asker, method, **params):
    return json.loads(await calls.answer(json.dumps({"method": method, "params": params}).encode(), asker))


@pytest.fixture(scope="module")
def environ(tmp_path_factory, starts_processes):
    """Of the module: what is asked here changes no index."""
    with conftest.apart(tmp_path_factory.mktemp("asking")) as variables:
        yield variables


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return repository(tmp_path_factory.mktemp("asked") / "project")


@pytest.fixture
def apart(environ, monkeypatch):
    for name in ("HELIX_CACHE_DIR", "HELIX_RUNTIME_DIR", "HELIX_CONFIG"):
        monkeypatch.setenv(name, environ[name])


@pytest.mark.usefixtures("apart")
def test_a_question_taken_back_is_stopped_where_it_is_answered(tmp_path):
    files = {f"src/m{n}.py": "".join(f"def f{n}_{k}(a):\n    return a\n\n" for k in range(30)) for n in range(60)}
    folder = str(repository(tmp_path / "wide", files))

    async def act(calls, asker):
        asked = asyncio.create_task(said(calls, asker, "helix.packet", path=folder, question="f1_1", call="c1"))
        while not (await said(calls, asker, "helix.cancel", call="c1"))["result"]["cancelled"]:
            await asyncio.sleep(0)
        assert "taken back" in (await asked)["error"]["message"]
        assert (await said(calls, asker, "helix.cancel", call="c1"))["result"] == {"cancelled": False}
        assert (await said(calls, asker, "helix.search", path=folder, question="f1_1"))["result"]["items"]

    in_process(act)


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize(
    ("method", "params", "wrong"),
    [
        ("helix.judge", {"items": "all"}, "items must be a list of objects"),
        ("helix.judge", {"items": [{"source_id": 3}]}, "items[0].source_id must be a string"),
        ("helix.judge", {"items": [], "confidence": "high"}, "confidence must be a number from 0 to 1"),
        ("helix.open", {"source_id": "a", "start_line": "1"}, "start_line must be a whole number from 1 to 10,000,000"),
        ("helix.explain", {"source_id": "a"}, "give source_id with start_line and end_line, or question"),
        ("helix.context", {"question": "x", "decoder": "loud"}, "decoder must be one of full, condensed"),
        ("helix.context", {"question": "x", "budget": 1}, "budget must be a whole number from 200 to 200,000"),
        ("helix.symbol", {}, "name is missing"),
        ("helix.packet", {"question": "x", "call": 7}, "call must be a string"),
        ("helix.nothing", {}, "there is no such call"),
    ],
)
def test_a_wrong_argument_of_a_call_is_named(project, method, params, wrong):
    async def act(calls, asker):
        return await said(calls, asker, method, path=str(project), **params)

    error = in_process(act)["error"]
    assert error["usage"] is True
    assert wrong in error["message"]
