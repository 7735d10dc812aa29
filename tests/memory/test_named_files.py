"""A memory whose own text names a file: its lines are cited, and a value that the file gives otherwise is told."""

import pytest

from helix_core.engine.memory import RememberRequest
from helix_core.memory import agrees, comparable, stated_values
from helix_core.model import MemoryOrigin

RETRY = (
    '"""Try again."""\n\nimport time\n\n# How often a job is tried.\nMAX_ATTEMPTS = 25\nWAIT_S = 1.5\n\n\n'
    "class Retry:\n    backoff = 2\n\n    def wait(self):\n        time.sleep(WAIT_S)\n        return self.backoff\n"
)
CAP = "Retries are capped at MAX_ATTEMPTS = 25 in app/retry.py"


@pytest.fixture
def retry(project, helix):
    path = project / "app/retry.py"
    path.write_text(RETRY)
    helix.refresh()
    return path


def remembered(helix, text, **given):
    return helix.memory.remember(RememberRequest(text, **given))


def recalled(helix, question):
    (found,) = helix.memory.recall(question)["items"]
    return found


def cited(found):
    return [(one["source_id"], one["start_line"], one["end_line"]) for one in found["evidence"]]


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_value_that_its_named_file_gives_otherwise_is_contradicted(helix, retry, is_indexed):
    remembered(helix, CAP)
    assert recalled(helix, "how many retries?")["status"] == "verified"
    retry.write_text(RETRY.replace("= 25", "= 30"))
    if is_indexed:
        helix.refresh()
    found = recalled(helix, "how many retries?")
    assert (found["status"], found["reason"]) == ("needs_refresh", "contradicted")
    assert found["detail"] == "MAX_ATTEMPTS is 30 in app/retry.py:6"
    retry.write_text(RETRY)
    assert recalled(helix, "how many retries?")["status"] == "verified"


def test_a_value_is_contradicted_also_where_other_lines_are_cited(helix, retry):
    remembered(helix, CAP, cites=["app/retry.py:13-15"])
    retry.write_text(RETRY.replace("= 25", "= 30"))
    found = recalled(helix, "how many retries?")
    assert (found["status"], found["reason"]) == ("stale_risk", "contradicted")
    packet = helix.packet("how many retries are there?")
    assert [one["reason"] for one in packet["memories"]] == ["contradicted"]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Retries: MAX_ATTEMPTS is 30", "MAX_ATTEMPTS is 25 in app/retry.py:6"),
        ("Retries: WAIT_S is 2e-3", "WAIT_S is 1.5 in app/retry.py:7"),
        ("Retries: MAX_ATTEMPTS is 25", ""),
        ("Retries: WAIT_S is 15e-1", ""),
        ("Retries: WAIT_MS is 7", ""),
        ("Retries: MAX_ATTEMPTS is nine", "MAX_ATTEMPTS is 25 in app/retry.py:6"),
        ("Retries: MAX_ATTEMPTS is twenty-five", ""),
        ("Retries: WAIT_S is 7 milliseconds", "WAIT_S is 1.5 in app/retry.py:7"),
        ("Retries: WAIT_S is 1500 ms", ""),
    ],
)
def test_a_value_that_the_cited_file_gives_otherwise_is_contradicted(helix, retry, text, detail):
    remembered(helix, text, cites=["app/retry.py:6-7"])
    found = recalled(helix, "what of retries?")
    assert found["reason"] == ("contradicted" if detail else "unchanged")
    assert found.get("detail", "") == detail


@pytest.mark.parametrize("text", ["Retries: MAX_ATTEMPTS is 30 per hour", "Retries: Retry.backoff is 2 seconds long"])
def test_a_value_that_cannot_be_compared_is_no_more_than_asserted(helix, retry, text):
    notes = remembered(helix, text, cites=["app/retry.py:6-11"])["notes"]
    assert len(notes) == 1 and notes[0].startswith("not compared: ")
    found = recalled(helix, "what of retries?")
    assert (found["reason"], found["detail"]) == ("asserted", notes[0])
    assert [one["status"] for one in found["evidence"]] == ["verified"]


def test_a_file_at_the_root_is_known_by_its_name_alone(helix, project):
    (project / "b.py").write_text("import time\n\nLIMIT = 9\n")
    helix.refresh()
    answer = remembered(helix, "The retries end at LIMIT = 7 in b.py")
    assert "contradicted: LIMIT is 9 in b.py:3" in answer["notes"]
    found = recalled(helix, "where do the retries end?")
    assert (found["reason"], found["detail"]) == ("contradicted", "LIMIT is 9 in b.py:3")
    assert [path for path, _, _ in cited(found)] == ["b.py"]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("MAX_ATTEMPTS is 30", {}),
        ("MAX_ATTEMPTS is 30", {"cites": ["app/retry.py:6"]}),
        ("MAX_ATTEMPTS in app/retry.py is 30", {}),
        ("MAX_ATTEMPTS is nine", {}),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_what_the_disk_contradicts_takes_the_place_of_nothing_that_it_confirms(helix, retry, text, given, dry_run):
    remembered(helix, "MAX_ATTEMPTS is 25", cites=["app/retry.py:6-7"])
    answer = helix.memory.remember(RememberRequest(text, **given), dry_run=dry_run)
    assert "contradicted: MAX_ATTEMPTS is 25 in app/retry.py:6" in answer["notes"]
    (item,) = answer["items"]
    assert [(one["relation"], one["text"]) for one in item["links"]] == [("conflicts_with", "MAX_ATTEMPTS is 25")]
    if not dry_run:
        found = {one["text"]: one for one in helix.memory.recall("what is MAX_ATTEMPTS?")["items"]}
        right, wrong = found["MAX_ATTEMPTS is 25"], found[text]
        assert (right["status"], right["reason"]) == ("verified", "unchanged")
        assert (wrong["reason"], wrong["detail"]) == ("contradicted", "MAX_ATTEMPTS is 25 in app/retry.py:6")


def test_what_the_disk_confirms_takes_the_place_of_what_it_contradicts(helix, retry):
    remembered(helix, "MAX_ATTEMPTS is 25", cites=["app/retry.py:6-7"])
    retry.write_text(RETRY.replace("= 25", "= 30"))
    (item,) = remembered(helix, "MAX_ATTEMPTS is 30", cites=["app/retry.py:6-7"])["items"]
    assert [one["relation"] for one in item["links"]] == ["supersedes"]
    assert recalled(helix, "what is MAX_ATTEMPTS?")["status"] == "verified"


def test_what_the_disk_confirms_is_not_over_because_something_newer_was_said(helix, retry):
    remembered(helix, "MAX_ATTEMPTS is 30")
    (item,) = remembered(helix, "MAX_ATTEMPTS is 25", cites=["app/retry.py:6-7"], valid_from=1.0)["items"]
    assert [one["relation"] for one in item["links"]] == ["conflicts_with"]
    found = {one["text"]: one["reason"] for one in helix.memory.recall("what is MAX_ATTEMPTS?")["items"]}
    assert found == {"MAX_ATTEMPTS is 25": "unchanged", "MAX_ATTEMPTS is 30": "contradicted"}


def test_two_files_that_give_one_name_different_values_confirm_a_memory_each(helix, retry, project):
    (project / "app/other.py").write_text("import time\n\n# Tried so often.\nMAX_ATTEMPTS = 3\n")
    helix.refresh()
    remembered(helix, "MAX_ATTEMPTS is 25", cites=["app/retry.py:5-6"])
    (item,) = remembered(helix, "MAX_ATTEMPTS is 3", cites=["app/other.py:3-4"])["items"]
    assert item["links"] == []
    assert [one["state"] for one in helix.memory.recall("what is MAX_ATTEMPTS?")["items"]] == ["active"] * 2


def test_what_the_user_names_is_superseded_and_the_contradiction_told(helix, retry):
    (first,) = remembered(helix, "MAX_ATTEMPTS is 25", cites=["app/retry.py:5-6"])["items"]
    answer = remembered(helix, "MAX_ATTEMPTS is 30", cites=["app/retry.py:5-6"], supersedes=[first["id"]])
    assert "contradicted: MAX_ATTEMPTS is 25 in app/retry.py:6" in answer["notes"]
    assert [one["relation"] for one in answer["items"][0]["links"]] == ["supersedes"]


@pytest.mark.parametrize(
    "text",
    [
        "Retries are capped at MAX_ATTEMPTS = 30 in app/other.py",
        "Retries wait for WAIT_MS = 7 in app/retry.py",
        "Retries: MAX_ATTEMPTS was 30 in app/retry.py",
        "Retries: never set MAX_ATTEMPTS = 30 in app/retry.py",
        "Retries: if MAX_ATTEMPTS = 30 in app/retry.py, jobs pile up",
        "Retries: MAX_ATTEMPTS is 30 per hour in app/retry.py",
        "Retries: MAX_ATTEMPTS = 25 and WAIT_S is 1500 ms in app/retry.py",
        "Retries: Retry.backoff is 2.0 in app/retry.py",
    ],
)
def test_what_a_file_does_not_give_otherwise_is_no_contradiction(helix, retry, text):
    remembered(helix, text)
    assert recalled(helix, "what of retries?")["reason"] != "contradicted"


def test_a_memory_of_all_workspaces_is_compared_with_no_file_of_one(helix, retry):
    remembered(helix, CAP.replace("25", "30"), is_global=True)
    assert recalled(helix, "how many retries?")["reason"] == "asserted"


def test_the_lines_that_a_text_names_are_cited_and_said(helix, retry):
    answer = remembered(helix, CAP)
    assert answer["notes"] == ["cites app/retry.py:5-6, which the text names; --cite PATH:LINES cites others"]
    assert cited(recalled(helix, "how many retries?")) == [("app/retry.py", 5, 6)]
    remembered(helix, "A pause follows the backoff of `Retry.wait` in app/retry.py")
    assert cited(recalled(helix, "what follows the backoff?")) == [("app/retry.py", 13, 15)]
    remembered(helix, "The imports stand at app/retry.py:1-3")
    assert cited(recalled(helix, "where do the imports stand?")) == [("app/retry.py", 1, 3)]


def test_a_citation_that_was_read_from_the_text_is_followed_and_noticed_as_any(helix, retry):
    remembered(helix, CAP)
    retry.write_text(RETRY.replace("import time", "import os\nimport time"))
    found = recalled(helix, "how many retries?")
    assert (found["status"], cited(found)) == ("verified", [("app/retry.py", 6, 7)])


def test_a_file_that_is_named_without_a_place_is_said_not_to_be_cited(helix, retry):
    answer = remembered(helix, "All about retries is in app/retry.py")
    note = "cites no lines of app/retry.py, so no change there is noticed; --cite PATH:LINES cites some"
    assert answer["notes"] == [note]
    assert recalled(helix, "where are retries?")["evidence"] == []
    assert remembered(helix, "Deploys need app/gone.py and example.org/x.py")["notes"] == []


def test_what_is_cited_by_hand_or_proposed_takes_nothing_from_the_text(helix, retry):
    assert remembered(helix, CAP, cites=["app/retry.py:13-15"])["notes"] == []
    assert cited(recalled(helix, "how many retries?")) == [("app/retry.py", 13, 15)]
    helix.memory.propose("We decided that MAX_ATTEMPTS = 25 in app/retry.py stays.", MemoryOrigin.AGENT)
    (waiting,) = helix.memory.listed(statuses=["quarantined"], verify=True)["items"]
    assert waiting["evidence"] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Retries are capped at MAX_ATTEMPTS = 25 in a/b.py", [("MAX_ATTEMPTS", "25")]),
        ("`MAX` is `4`.", [("MAX", "4")]),
        ("`timeout` is 30, `Settings.port` is 8080", [("timeout", "30"), ("Settings.port", "8080")]),
        ("HOST = 'a.b', and CACHE_DIR: \"/x\" too", [("HOST", "'a.b'"), ("CACHE_DIR", '"/x"')]),
        ("MAX_AGE = 60 * 60 * 24 in a/b.py", [("MAX_AGE", "60 * 60 * 24")]),
        ("Config::strict is set to true", [("Config.strict", "true")]),
        ("MAX_ROWS is 1,000.", [("MAX_ROWS", "1,000")]),
        ("REQUEST_TIMEOUT is 30 seconds", [("REQUEST_TIMEOUT", "30")]),
        ("MAX_ATTEMPTS is nine", [("MAX_ATTEMPTS", "9")]),
        ("MAX_ROWS is twenty-five, MIN_ROWS is two thousand five hundred", [("MAX_ROWS", "25"), ("MIN_ROWS", "2500")]),
        ("MAX_MODE is one of several, MIN_MODE is two or three", []),
        ("LIMIT in app/b.py is 7", [("LIMIT", "7")]),
        ("MAX_AGE = 5 was raised to 6", []),
        ("Do not set MAX_AGE = 5. MIN_AGE = 2 holds", [("MIN_AGE", "2")]),
        ("the answer is 42 and what we use is 5", []),
        ("http://host:8080 and x.y/z:12", []),
    ],
)
def test_the_values_that_a_text_states_are_read(text, expected):
    assert [(one.name, one.value) for one in stated_values(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TIMEOUT_MS is 5 seconds", ("5", "second", True)),
        ("MAX_AGE = 25ms.", ("25", "ms", True)),
        ("MAX_TRIES is nine tries", ("9", "trie", True)),
        ("MAX_SIZE is 5 pages", ("5", "", False)),
        ("MAX_AGE = 5-10", ("5", "", False)),
        ("MAX_SIZE is 5, 6 or 7", ("5", "", False)),
        ("The version of API_LEVEL is 5.1.2", ("5.1", "", False)),
        ("MAX_ATTEMPTS is 30 per hour", ("30", "", False)),
    ],
)
def test_the_unit_of_a_stated_value_is_read_and_what_is_no_whole_value_is_marked(text, expected):
    (found,) = stated_values(text)
    assert (found.value, found.unit, found.is_whole) == expected


@pytest.mark.parametrize(
    ("text", "value", "line", "expected"),
    [
        ("MIN_TIME is 7 milliseconds", "5e-3", "pub const MIN_TIME: Second = 5e-3;", False),
        ("MIN_TIME is 5 milliseconds", "5e-3", "pub const MIN_TIME: units::Second = 5e-3;", True),
        ("MIN_TIME is 7 milliseconds", "5e-3", "pub const MIN_TIME: f64 = 5e-3;", None),
        ("MIN_TIME is 30 seconds", "30", "MIN_TIME = 30", True),
        ("MIN_TIME is 30 seconds", "30000", "MIN_TIME = 30000", None),
        ("MIN_TIME is 30 seconds", "30000", "MIN_TIME = 30000  # milliseconds", True),
        ("MIN_TIME is 30 seconds", "30000", "MIN_TIME = 30000  # milliseconds are too many", None),
        ("WAIT_MS is 2 minutes", "120000", "", True),
        ("WAIT_MS is 2 minutes", "2", "", False),
        ("WAIT_MS is 2 bytes", "2", "", None),
        ("MAX_KB is 2 kB", "3", "", False),
        ("MAX_BYTES is 2 kB", "2000", "", None),
        ("MAX_BYTES is 2 KiB", "2048", "", True),
        ("COUNT_MIN is 2 hours", "120", "", None),
        ("MAX_TRIES is 3 requests", "4", "", False),
        ("`timeout` is 30 seconds", "30s", "timeout: 30s", True),
        ("`timeout` is 30 seconds", "1m", "timeout: 1m", None),
        ("MAX_SIZE is 5-6", "5", "", None),
    ],
)
def test_values_are_compared_only_where_their_units_are_known(text, value, line, expected):
    (stated,) = stated_values(text)
    assert agrees(stated, value, line) is expected


@pytest.mark.parametrize(
    "same", [("1_000", "1,000", "1000.0", "10 * 100", "1000L"), ("'a b'", '"a b"'), ("True", "true")]
)
def test_literals_of_one_value_are_equal(same):
    assert len({comparable(one) for one in same}) == 1
    assert comparable("1000") != comparable("1001") and comparable("'a'") != comparable("'A'")
