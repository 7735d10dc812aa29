"""The status says what is known and what is not."""


def test_where_git_cannot_tell_nothing_is_told_of_it_but_why(repository, open_helix):
    assert open_helix(repository).status()["git"]["branch"] == "main"
    (repository / ".git/config").write_text("[core\n")
    status = open_helix(repository).status()
    assert status["git"] is None
    assert any("bad config" in note for note in status["notes"])
