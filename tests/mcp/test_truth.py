"""What an agent was told is true at the moment it was told, whatever happens to the files between two calls."""

from hashlib import sha256

from tests.engine.repository import git, write
from tests.host.clients import until
from tests.lsp.test_truth import vault
from tests.mcp.agent import text_of


def placed(agent, question="sign_cookie"):
    packet = agent.answer("helix_context_packet", question=question, max_items=1)
    return packet, [item for group in ("verified", "stale_risk", "needs_refresh") for item in packet[group]]


def test_an_edit_on_disk_shows_in_the_next_call(start, project):
    agent = start(project, "--profile", "full")
    agent.initialize()
    packet, [item] = placed(agent)
    assert (item["status"], item["reason"]) == ("verified", "unchanged")
    number = packet["packet_id"]
    file = project / "app/sessions.py"

    before = file.read_text()
    file.write_text("# One line more.\n" + before)
    plan = agent.answer("helix_refresh_targets", packet_id=number)
    assert (plan["items"][0]["status"], plan["items"][0]["reason"]) == ("verified", "moved")
    assert plan["items"][0]["now"]["start_line"] == item["start_line"] + 1
    assert plan["refresh_targets"] == []
    assert agent.answer("helix_gene_get", id=item["gene_id"])["start_line"] == item["start_line"] + 1

    file.write_text(before.replace('payload + "."', 'payload + ":"'))
    plan = agent.answer("helix_refresh_targets", packet_id=number)
    assert (plan["items"][0]["status"], plan["items"][0]["reason"]) == ("needs_refresh", "changed")
    assert plan["refresh_targets"][0]["source_id"] == "app/sessions.py"
    shown = agent.answer("helix_open", source_id="app/sessions.py", start_line=6, end_line=8)
    assert 'payload + ":"' in shown["text"]
    assert shown["content_hash"] == sha256(file.read_bytes()).hexdigest()
    assert shown["status"] == "verified"
    _, [again] = placed(agent)
    assert again["status"] == "verified"
    assert 'payload + ":"' in again["quote"]

    file.unlink()
    plan = agent.answer("helix_refresh_targets", packet_id=number)
    assert (plan["items"][0]["status"], plan["items"][0]["reason"]) == ("needs_refresh", "gone")
    assert plan["items"][0]["now"] is None
    gone = agent.answer("helix_open", source_id="app/sessions.py")
    assert (gone["status"], gone["reason"], gone["text"], gone["content_hash"]) == ("needs_refresh", "gone", "", "")
    text = text_of(agent.call("helix_open", source_id="app/sessions.py"))
    assert "the file is gone (deleted or renamed, or the path is wrong): nothing to show" in text
    assert "find where it went with helix_search" in text
    assert "SHA-256" not in text
    assert "```" not in text


def test_a_method_whose_class_was_renamed_is_never_verified_under_its_old_name(start, project):
    text = vault("OldVault")
    write(project, {"bank/vault.py": text})
    agent = start(project, "--profile", "full")
    agent.initialize()
    until(lambda: agent.answer("helix_status")["fresh"], "the index is level with the disk")
    packet = agent.answer("helix_context_packet", question="seal_letter quokka wax", max_items=3)
    (shown,) = [item for item in packet["verified"] if item["symbol"] == "OldVault.seal_letter"]
    write(project, {"bank/vault.py": text.replace("OldVault", "NewVault")})
    for _ in range(2):
        plan = agent.answer("helix_refresh_targets", packet_id=packet["packet_id"])
        (now,) = [item for item in plan["items"] if item["gene_id"] == shown["gene_id"]]
        assert (now["status"], now["reason"]) == ("stale_risk", "renamed")
        assert now["detail"] == "OldVault.seal_letter -> NewVault.seal_letter"
        text_now = text_of(agent.call("helix_refresh_targets", packet_id=packet["packet_id"]))
        assert "[stale_risk: renamed, OldVault.seal_letter -> NewVault.seal_letter]" in text_now
        again = agent.answer("helix_context_packet", question="seal_letter quokka wax", max_items=3)
        assert "OldVault.seal_letter" not in {item["symbol"] for item in again["verified"]}
        until(lambda: agent.answer("helix_status")["fresh"], "the index has followed")
    uses = agent.answer("helix_uses", symbol="seal_letter")
    assert {(one["symbol"], one["status"]) for one in uses["definitions"]} == {("NewVault.seal_letter", "verified")}


def test_a_new_file_is_shown_and_found(start, project):
    agent = start(project)
    agent.initialize()
    placed(agent)
    write(project, {"app/teapot.py": "def brew_tea(leaves):\n    return leaves\n"})
    assert agent.answer("helix_open", source_id="app/teapot.py")["text"].startswith("def brew_tea")

    def found_first() -> bool:
        items = agent.answer("helix_search", question="brew_tea")["items"]
        return bool(items) and items[0]["source_id"] == "app/teapot.py"

    until(found_first, "the new file is found")


def test_a_folder_that_is_no_repository_and_was_never_indexed_is_answered_from(start, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    write(folder, {"notes.md": "# Harvest\n\nThe apples are picked in September.\n"})
    agent = start(folder)
    agent.initialize()
    _, [item] = placed(agent, "when are apples picked")
    assert (item["source_id"], item["commit"]) == ("notes.md", None)
    assert agent.answer("helix_status")["git"] is None


def test_a_folder_that_goes_away_is_said_to_be_gone(start, project):
    agent = start(project)
    agent.initialize()
    placed(agent)
    project.rename(project.with_name("elsewhere"))
    said = agent.refusal("helix_search", question="sign_cookie")
    assert "project" in said
    assert str(project.parent) not in said
    project.with_name("elsewhere").rename(project)
    assert agent.answer("helix_search", question="sign_cookie")["items"]


def test_what_is_private_ignored_or_binary_is_not_shown_and_secrets_are_masked(start, project):
    token = "ghp_" + "a1B2" * 9
    write(project, {".gitignore": "build/\n", ".env": "KEY=sesame\n", "build/out.py": "SESAME = 1\n"})
    write(project, {".helixignore": "drafts/\n", "drafts/idea.md": "sesame\n", "app/keys.py": f'TOKEN = "{token}"\n'})
    (project / "app/blob.dat").write_bytes(b"sesame\0\1\2")
    (project / "link.py").symlink_to(project.parent / "outside.py")
    (project.parent / "outside.py").write_text("sesame\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "More")
    agent = start(project)
    agent.initialize()
    for source_id in (".env", "build/out.py", "drafts/idea.md", "app/blob.dat"):
        said = agent.refusal("helix_open", source_id=source_id)
        assert "is not shown" in said, said
    link = agent.answer("helix_open", source_id="link.py")
    assert (link["status"], link["text"]) == ("needs_refresh", "")
    assert agent.call("helix_open", source_id=".git/config")["isError"]
    assert agent.answer("helix_open", source_id="app/keys.py")["text"].startswith('TOKEN = "')
    said = b"".join(agent.lines).decode()
    assert token not in said
    assert "sesame" not in said.lower().replace("sesame.py", "")
