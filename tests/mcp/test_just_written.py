"""A file written just before the question: no long-lived process calls it absent without saying that it is behind."""

import os

import pytest

from tests.engine.repository import git, write
from tests.host.clients import until
from tests.proxy.conftest import Server

BEHIND = ("not complete yet", "behind the disk")
FILES = 10


def is_honest(text, file, notes):
    """Whether an answer shows the file, or says that the index may lack it."""
    return file in text or any(word in note for note in notes for word in BEHIND)


@pytest.fixture(params=[(), ("--solo",)], ids=["daemon", "solo"])
def agent(request, start, project):
    """An agent on a folder whose index is up to date, asking the daemon or its own process."""
    one = start(project, *request.param)
    one.initialize()
    until(lambda: one.answer("helix_status")["live"]["state"] == "fresh", "the index is fresh")
    return one


@pytest.mark.parametrize("tool", ["helix_context_packet", "helix_search", "helix_uses"])
def test_a_file_written_just_before_is_found_by_an_agent(agent, project, tool):
    found = 0
    for number in range(FILES):
        name, file = f"zeta_{number}_{tool[-4:]}", f"zeta_{number}.py"
        write(project, {file: f"def {name}(x):\n    return x\n"})
        asked = {"symbol": name} if tool == "helix_uses" else {"question": f"where is {name} defined"}
        result = agent.call(tool, **asked)
        text = "\n".join(one["text"] for one in result["content"])
        assert is_honest(text, file, [text]), text
        assert "known_empty: nothing" not in text
        found += file in text
    assert found > FILES // 2


def test_a_file_in_a_new_folder_and_one_that_git_moved_are_found(agent, project):
    for number in range(FILES):
        write(project, {f"pack_{number}/inner.py": f"def omega_{number}(x):\n    return x\n"})
        answer = agent.answer("helix_search", question=f"omega_{number}")
        assert is_honest(str(answer["items"]), f"pack_{number}/inner.py", answer["notes"]), answer
        git(project, "add", "-A")
        git(project, "mv", f"pack_{number}/inner.py", f"pack_{number}/outer.py")
        answer = agent.answer("helix_search", question=f"omega_{number}")
        assert is_honest(str(answer["items"]), f"pack_{number}/outer.py", answer["notes"]), answer


def test_a_folder_whose_only_file_is_rewritten_is_never_called_empty(start, tmp_path):
    folder = tmp_path / "one"
    write(folder, {"only_0.py": "def only():\n    pass\n"})
    agent = start(folder)
    agent.initialize()
    until(lambda: agent.answer("helix_status")["live"]["state"] == "fresh", "the index is fresh")
    for number in range(3 * FILES):
        os.rename(folder / f"only_{number}.py", folder / f"only_{number + 1}.py")
        notes = agent.answer("helix_search", question="only")["notes"]
        assert not [note for note in notes if "has no files" in note], notes


def test_a_file_written_just_before_is_found_over_http(environ, project, tmp_path):
    server = Server(environ | {"HELIX_STATE_DIR": str(tmp_path / "state")}, project)
    try:
        with server.http() as client:

            def packet(name):
                return client.post("/context/packet", json={"query": f"where is {name} defined"}).json()

            until(lambda: packet("sign_cookie")["verified"], "the index is there")
            for number in range(FILES):
                name, file = f"eta_{number}", f"eta_{number}.py"
                write(project, {file: f"def {name}(x):\n    return x\n"})
                answer = packet(name)
                items = [*answer["verified"], *answer["stale_risk"], *answer["needs_refresh"]]
                assert is_honest(str([one["source_id"] for one in items]), file, answer["notes"]), answer
                assert not answer["known_empty"]
    finally:
        server.close()
