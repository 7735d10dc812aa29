"""An index that an older parser made: it says so, is never taken for fresh, and is made level."""

import time


def _settle(helix):
    """A file read as it was written may be written once more without a trace: look again when the clock has ticked."""
    time.sleep(helix.unsettled()[1])
    helix.refresh()


def _made_by_an_older_parser(helix):
    with helix.session.index.writer.batch():
        helix.session.index.writer.set_meta("parsers", "older")


def test_what_an_older_parser_made_is_pending_until_it_was_looked_at_again(helix, repository):
    _settle(helix)
    before = helix.digest()
    files = helix.status()["index"]["files"]
    assert helix.status()["fresh"] is True
    _made_by_an_older_parser(helix)
    status = helix.status()
    assert (status["fresh"], status["pending"]["changed_or_new"]) == (False, files)
    helix.refresh()
    status = helix.status()
    assert (status["fresh"], status["pending"]["changed_or_new"]) == (True, 0)
    assert helix.digest() == before


def test_a_single_saved_file_does_not_hide_that_the_others_are_older(helix, repository):
    _made_by_an_older_parser(helix)
    (repository / "app/sessions.py").write_text("def saved_after_the_upgrade():\n    return 1\n")
    helix.refresh_paths([b"app/sessions.py"])
    assert helix.status()["fresh"] is False
    helix.refresh()
    _settle(helix)
    assert helix.status()["fresh"] is True
