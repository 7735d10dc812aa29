"""Status and packet say what git could not tell: a conflict it did not see is not the absence of one."""


def test_where_git_cannot_tell_nothing_is_told_of_it_but_why(repository, open_helix):
    assert open_helix(repository).status()["git"]["branch"] == "main"
    (repository / ".git/config").write_text("[core\n")
    status = open_helix(repository).status()
    assert status["git"] is None
    assert any("bad config" in note for note in status["notes"])


def test_a_packet_without_the_facts_of_git_says_so(repository, open_helix):
    (repository / ".git/config").write_text("[core\n")
    helix = open_helix(repository)
    helix.refresh()
    packet = helix.packet("sign_cookie")
    assert packet["head"] == ""
    assert [note for note in packet["notes"] if "git facts are missing" in note and "bad config" in note]
