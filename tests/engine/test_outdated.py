"""A document is outdated by what it names, not by what stands near it, and never by an index that lags."""

import pytest

from tests.engine.repository import git, write

QUESTION = "docs: how long does a session cookie live, SESSION_COOKIE_AGE seconds"


@pytest.fixture
def helix(repository, open_helix, tmp_path, monkeypatch):
    monkeypatch.setenv("HELIX_CACHE_DIR", str(tmp_path / "cache"))
    helix = open_helix(repository)
    helix.refresh()
    return helix


def guide(helix):
    packet = helix.packet(QUESTION, k=20)
    items = [*packet["verified"], *packet["stale_risk"], *packet["needs_refresh"]]
    (found,) = [item for item in items if item["source_id"] == "docs/sessions.md"]
    return found["status"], found["reason"], found.get("detail", "")


def test_a_change_beside_the_named_constant_does_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(path.read_text().replace("Signed cookies", "Cookies with a signature"))
    helix.refresh()
    assert guide(helix)[0] == "verified"


def test_lines_inserted_above_what_is_named_do_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text("# a word before\n" * 3 + path.read_text())
    assert guide(helix)[0] == "verified"


def test_the_name_the_document_writes_is_the_name_it_is_told(helix, repository):
    path = repository / "app/sessions.py"
    path.write_text(
        path.read_text().replace("sign_cookie(secret_key, payload):", "sign_cookie(secret_key, payload, salt):")
    )
    assert guide(helix) == (
        "stale_risk",
        "outdated_doc",
        "sign_cookie(secret_key, payload) is sign_cookie(secret_key, payload, salt) now",
    )


def test_a_conflict_elsewhere_in_the_file_does_not_outdate_the_document(helix, repository):
    path = repository / "app/sessions.py"
    text = path.read_text()
    for branch, age in (("theirs", "bad"), ("main", "wrong")):
        git(repository, "checkout", "-q", "-B", branch, "HEAD" if branch == "theirs" else "HEAD~1")
        path.write_text(text.replace("bad cookie signature", f"{age} signature of a cookie"))
        git(repository, "commit", "-q", "-am", branch)
    git(repository, "merge", "-q", "theirs", check=False)
    assert "<<<<<<<" in path.read_text()
    assert guide(helix)[0] == "verified"


CODE = '''LIMIT = 30


class Gate(Base):
    def open_gate(self, key):
        """Open it with the key, slowly, so that nobody is hurt by it."""
        self.opened_by = key
        turn(key)
        wait(LIMIT)
        return key

    def close_gate(self):
        return None


def ring_bell(times, pause=1):
    return times * pause
'''
DOCUMENT = """# Gates

Call `Gate.open_gate(key)`, then `ring_bell(2)`.

`LIMIT` is 30 seconds; see `app/bell.py` for more.
"""


@pytest.fixture
def gates(tmp_path):
    folder = tmp_path / "gates"
    write(folder, {"app/gate.py": CODE, "app/bell.py": "def bell_tower(): ...\n", "docs/gate.md": DOCUMENT})
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "Begin")
    return folder


def commit(folder, message):
    """Commit everything, each time a day after the last."""
    count = git(folder, "rev-list", "--count", "--all", check=False).strip() or "0"
    day = f"2024-01-{int(count) + 1:02}T12:00:00Z"
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message, date=day)


def change(folder, name, *pairs):
    path = folder / name
    text = path.read_text()
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text)


def found(open_helix, folder, document="docs/gate.md"):
    helix = open_helix(folder)
    helix.refresh()
    flagged = helix.symbols.findings(document.encode(), budget_ms=60_000)
    return [(one["start_line"], one["message"].partition(", since")[0]) for one in flagged]


def test_nothing_is_said_of_an_untouched_repository(open_helix, gates):
    assert found(open_helix, gates) == []


def test_a_name_that_is_gone_is_told_with_what_it_became(open_helix, gates):
    change(gates, "app/gate.py", ("open_gate", "unlock_gate"))
    commit(gates, "Rename")
    assert found(open_helix, gates) == [
        (3, "Gate.open_gate is gone; Gate.unlock_gate has nearly its text (app/gate.py:5)")
    ]


def test_a_rename_that_is_not_committed_is_told_as_the_committed_one(open_helix, gates):
    change(gates, "app/gate.py", ("open_gate", "unlock_gate"), ("ring_bell", "sound_bell"))
    said = [
        (3, "Gate.open_gate is gone; Gate.unlock_gate has nearly its text (app/gate.py:5)"),
        (3, "ring_bell is gone"),
    ]
    assert found(open_helix, gates) == said
    commit(gates, "Rename")
    assert found(open_helix, gates) == said


def test_a_name_that_came_back_before_a_commit_is_not_gone(open_helix, gates):
    change(gates, "app/gate.py", ("ring_bell", "sound_bell"))
    commit(gates, "Rename")
    change(gates, "app/gate.py", ("sound_bell", "ring_bell"))
    assert found(open_helix, gates) == []


def test_a_file_that_is_deleted_and_not_committed_is_gone(open_helix, gates):
    (gates / "app/bell.py").unlink()
    assert found(open_helix, gates) == [(5, "app/bell.py is gone")]


def test_a_check_and_a_verdict_agree_in_the_middle_of_a_rename(open_helix, gates):
    helix = open_helix(gates)
    helix.refresh()
    change(gates, "app/gate.py", ("open_gate", "unlock_gate"))
    assert helix.check(DOCUMENT, source_id="docs/gate.md")["wrong"] == 1
    (seen,) = [one for one in helix.packet("Gates", k=20)["stale_risk"] if one["source_id"] == "docs/gate.md"]
    assert seen["reason"] == "outdated_doc"


def test_a_renamed_class_is_told_of_a_member_that_the_document_calls(open_helix, gates):
    change(gates, "app/gate.py", ("class Gate(Base)", "class Portal(Base)"))
    commit(gates, "Rename the class")
    assert found(open_helix, gates) == [(3, "Gate is gone; Portal has nearly its text (app/gate.py:4)")]
    change(gates, "app/bell.py", ("def bell_tower(): ...", "from app.gate import Portal as Gate\n"))
    commit(gates, "Keep the old name")
    assert found(open_helix, gates) == []


def test_a_class_of_somebody_else_is_not_gone_with_a_class_of_that_name(open_helix, gates):
    change(gates, "docs/gate.md", ("`ring_bell(2)`", "`Gate.ring_bell()`"), ("`Gate.open_gate(key)`", "it"))
    commit(gates, "Speak of a gate that never rang")
    change(gates, "app/gate.py", ("class Gate(Base)", "class Portal(Base)"))
    commit(gates, "Rename the class")
    assert found(open_helix, gates) == []


def test_a_name_that_examples_import_from_another_package_is_not_gone(open_helix, gates):
    change(gates, "app/gate.py", ("ring_bell", "strike_bell"))
    commit(gates, "Rename")
    assert [line for line, _ in found(open_helix, gates)] == [3]
    example = "# Bells\n\n```python\nfrom {} import ring_bell\n```\n"
    write(gates, {"docs/bells.md": example.format("app.gate")})
    commit(gates, "Import it from here")
    assert [line for line, _ in found(open_helix, gates)] == [3]
    write(gates, {"docs/bells.md": example.format("bell_maker.bells")})
    commit(gates, "Import it from somebody else")
    assert found(open_helix, gates) == []


def test_a_signature_whose_options_any_keyword_takes_now_still_holds(open_helix, gates):
    write(gates, {"docs/bells.rst": "Bells\n=====\n\n.. function:: ring_bell(times, pause=1)\n\n   Rings.\n"})
    commit(gates, "Write the signature")
    change(
        gates, "app/gate.py", ("ring_bell(times, pause=1)", "ring_bell(times, **options)"), ("times * pause", "times")
    )
    commit(gates, "Take any option")
    assert found(open_helix, gates, "docs/bells.rst") == []
    change(gates, "app/gate.py", ("ring_bell(times, **options)", "ring_bell(times, tone, **options)"))
    commit(gates, "Require a tone")
    assert [line for line, _ in found(open_helix, gates, "docs/bells.rst")] == [4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "is_flagged"),
    [
        ("(*bells)", "(*all_bells)", False),
        ("(times)", "(times, **_)", False),
        ("(times)", "(times, **options)", False),
        ("(times)", "(times, *more)", True),
        ("(*bells)", "(*bells, tone=1)", True),
    ],
)
def test_a_signature_is_outdated_by_what_a_caller_can_tell(open_helix, gates, before, after, is_flagged):
    change(gates, "app/gate.py", ("ring_bell(times, pause=1)", f"ring_bell{before}"))
    write(gates, {"docs/bells.rst": f"Bells\n=====\n\n.. function:: ring_bell{before}\n\n   Rings.\n"})
    commit(gates, "Write the signature")
    change(gates, "app/gate.py", (f"ring_bell{before}", f"ring_bell{after}"))
    commit(gates, "Take something else")
    assert bool(found(open_helix, gates, "docs/bells.rst")) is is_flagged


@pytest.mark.parametrize(("call", "is_flagged"), [("ring_bell(BellOfTower)", False), ("ring_bell(2)", True)])
def test_a_name_that_an_example_passes_is_the_readers_whatever_the_parameter_is(open_helix, gates, call, is_flagged):
    change(gates, "app/gate.py", ("ring_bell(times, pause=1)", "ring_bell(BellOfTower, pause=1)"))
    write(gates, {"docs/bells.md": f"# Bells\n\n```python\n{call}\n```\n\n`ring_bell` rings `BellOfTower` at once.\n"})
    commit(gates, "Write an example")
    change(gates, "app/gate.py", ("ring_bell(BellOfTower, pause=1)", "ring_bell(bell, pause=1)"))
    commit(gates, "Rename the parameter")
    assert bool(found(open_helix, gates, "docs/bells.md")) is is_flagged


def test_a_function_that_is_commented_out_is_gone(open_helix, gates):
    body = "def ring_bell(times, pause=1):\n    return times * pause\n"
    change(gates, "app/gate.py", (body, "# def ring_bell(times, pause=1):\n#     return times * pause\n"))
    commit(gates, "Comment it out")
    assert found(open_helix, gates) == [(3, "ring_bell is gone")]
    change(gates, "app/bell.py", ("def bell_tower(): ...", "CALLS = 'ring_bell'  # by name\n"))
    commit(gates, "Call it by name")
    assert found(open_helix, gates) == []


def test_a_name_that_is_still_said_anywhere_in_the_code_is_not_gone(open_helix, gates):
    change(
        gates, "app/gate.py", ("def ring_bell(times, pause=1):\n    return times * pause\n", "NAMES = ['ring_bell']\n")
    )
    commit(gates, "Give the bell away")
    assert found(open_helix, gates) == []


def test_a_member_that_an_unseen_base_may_give_is_not_gone(open_helix, gates):
    body = CODE[CODE.index("    def open_gate") : CODE.index("    def close_gate")]
    change(gates, "app/gate.py", (body, ""))
    commit(gates, "Leave it to the base")
    assert found(open_helix, gates) == []
    change(gates, "app/gate.py", ("class Gate(Base):", "class Gate(object):"))
    commit(gates, "No base")
    assert found(open_helix, gates) == [(3, "Gate.open_gate is gone")]


def test_a_short_word_that_some_function_once_took_is_no_parameter_of_this_document(open_helix, gates):
    change(gates, "docs/gate.md", ("Call `Gate", "It takes `bell_rope` to heart. Call `Gate"))
    change(gates, "app/bell.py", ("def bell_tower(): ...", "def climb(bell_rope): ...\ndef bell_tower(): ..."))
    commit(gates, "Ropes")
    change(gates, "app/bell.py", ("def climb(bell_rope): ...\n", ""))
    commit(gates, "No ropes")
    assert found(open_helix, gates) == []
    git(gates, "reset", "-q", "--hard", "HEAD~1")
    change(gates, "docs/gate.md", ("`bell_rope` to heart", "`bell_rope` to climb"))
    commit(gates, "The function is named")
    change(gates, "app/bell.py", ("def climb(bell_rope): ...\n", ""))
    commit(gates, "No ropes again")
    assert found(open_helix, gates) == [(3, "parameter bell_rope of climb is gone")]


def test_a_numbered_proposal_is_of_its_own_time(open_helix, gates):
    for name in ("docs/sep-016.md", "docs/0001-use-gates.md", "rfcs/gates.md"):
        write(gates, {name: DOCUMENT})
    commit(gates, "Proposals")
    change(gates, "app/gate.py", ("open_gate", "unlock_gate"))
    commit(gates, "Rename")
    for name in ("docs/sep-016.md", "docs/0001-use-gates.md", "rfcs/gates.md"):
        assert found(open_helix, gates, name) == []


def test_a_member_that_left_its_class_is_gone_though_another_class_has_one(open_helix, gates):
    body = CODE[CODE.index("    def close_gate") : CODE.index("def ring_bell")]
    change(gates, "app/gate.py", (body, "\n\n"), ("class Gate(Base):", "class Gate:"))
    change(gates, "app/bell.py", ("def bell_tower(): ...", "class Tower:\n    def close_gate(self): ..."))
    change(gates, "docs/gate.md", ("`ring_bell(2)`", "`Gate.close_gate()`"))
    git(gates, "checkout", "-q", "HEAD", "--", "app/gate.py", "app/bell.py")
    commit(gates, "Speak of closing")
    change(gates, "app/gate.py", (body, "\n\n"), ("class Gate(Base):", "class Gate:"))
    change(gates, "app/bell.py", ("def bell_tower(): ...", "class Tower:\n    def close_gate(self): ..."))
    commit(gates, "Close elsewhere")
    assert found(open_helix, gates) == [(3, "Gate.close_gate is gone")]


def test_a_file_that_moved_is_told_with_its_new_place(open_helix, gates):
    git(gates, "mv", "app/bell.py", "app/tower.py")
    commit(gates, "Move")
    assert found(open_helix, gates) == [(5, "app/bell.py is gone; app/tower.py has its text or its name")]


def test_a_plain_file_name_is_the_readers_own_and_a_telling_one_is_not(open_helix, gates):
    for name in ("app.py", "NOTES.md", "tox.ini", "docs/app.py"):
        (gates / name).write_text("x = 1\n")
    text = "# Read\n\nWrite `app.py` with `tox.ini`.\n\nMore is in `NOTES.md`, in `docs/app.py` and [here](tox.ini).\n"
    for name in ("README.md", "docs/more.md"):
        (gates / name).write_text(text)
    commit(gates, "Files")
    git(gates, "rm", "-q", "app.py", "NOTES.md", "tox.ini", "docs/app.py")
    commit(gates, "No files")
    gone = [f"{name} is gone" for name in ("NOTES.md", "docs/app.py", "tox.ini")]
    assert sorted(found(open_helix, gates, "README.md")) == [(5, each) for each in gone]
    assert found(open_helix, gates, "docs/more.md") == [(5, "docs/app.py is gone")]


def test_a_stated_value_is_told_once(open_helix, gates):
    change(gates, "app/gate.py", ("LIMIT = 30", "LIMIT = 60"))
    commit(gates, "Wait longer")
    (one,) = found(open_helix, gates)
    assert one[0] == 5 and "30" in one[1] and "60" in one[1]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("settings.toml", "[server]\nrequest_timeout = 30\n", "[server]\nrequest_timeout = 60\n"),
        ("settings.json", '{"server": {"request_timeout": 30}}\n', '{"server": {"request_timeout": 60}}\n'),
    ],
)
def test_the_value_of_a_setting_is_compared_with_its_file(open_helix, gates, name, before, after):
    (gates / name).write_text(before)
    (gates / "docs/settings.md").write_text(
        "# Settings\n\n`request_timeout` is 30 seconds.\n\n`server.request_timeout` too.\n"
    )
    commit(gates, "Settings")
    (gates / name).write_text(after)
    commit(gates, "Wait longer")
    flags = found(open_helix, gates, "docs/settings.md")
    assert flags == [(3, f"server.request_timeout was 30 and is 60 now ({name}:{2 if 'toml' in name else 1})")]


def test_a_comment_in_a_long_block_of_code_is_no_heading_and_refers_to_nothing(open_helix, gates):
    lines = "\n".join(f"step_{number}()" for number in range(60))
    comment = "# Then `ring_bell(2)`, as one does."
    change(gates, "docs/gate.md", ("# Gates\n", f"# Gates\n\n```python\n{lines}\n{comment}\n{lines}\n```\n"))
    commit(gates, "An example")
    change(gates, "app/gate.py", ("(times, pause=1)", "(times, pause)"))
    commit(gates, "Pause")
    text = (gates / "docs/gate.md").read_text().splitlines()
    flagged = [text[line - 1] for line, _ in found(open_helix, gates)]
    assert flagged == ["Call `Gate.open_gate(key)`, then `ring_bell(2)`."]


def test_code_of_one_character_before_a_name_hides_nothing(open_helix, gates):
    change(gates, "docs/gate.md", ("Call `Gate", "Set `-k` or `x` and call `Gate"))
    commit(gates, "Options")
    change(gates, "app/gate.py", ("(self, key)", "(self, key, by)"))
    commit(gates, "Ask who")
    assert [line for line, _ in found(open_helix, gates)] == [3]


@pytest.mark.parametrize("code", [("(self, key)", "(self, key, by)"), ("open_gate", "unlock")])
def test_a_document_changed_together_with_its_code_or_later_is_not_flagged(open_helix, gates, code):
    change(gates, "app/gate.py", code)
    change(gates, "docs/gate.md", ("# Gates", "# All gates"))
    commit(gates, "Change both")
    assert found(open_helix, gates) == []


def test_a_paragraph_changed_after_its_code_is_not_flagged_and_its_neighbour_is(open_helix, gates):
    change(gates, "app/gate.py", ("(self, key)", "(self, key, by)"))
    git(gates, "rm", "-q", "app/bell.py")
    commit(gates, "Ask who, and drop the tower")
    change(gates, "docs/gate.md", ("Call `Gate", "Please call `Gate"))
    commit(gates, "Be kind")
    assert found(open_helix, gates) == [(5, "app/bell.py is gone")]


def test_a_sentence_about_the_past_is_right_for_ever(open_helix, gates):
    change(gates, "docs/gate.md", ("Call `Gate", "Before version 2 one called `Gate"))
    commit(gates, "History")
    change(gates, "app/gate.py", ("open_gate", "unlock_gate"))
    commit(gates, "Rename")
    assert found(open_helix, gates) == []


def test_types_and_comments_and_commands_outdate_nothing(open_helix, gates):
    change(gates, "docs/gate.md", ("Call `Gate", "Run `gate open_gate` or `$ ring_bell 2`. Call `Gate"))
    commit(gates, "Commands")
    change(
        gates,
        "app/gate.py",
        ("def open_gate(self, key):", "def open_gate(self, key: str) -> str:"),
        (
            "def ring_bell(times, pause=1):",
            "def ring_bell(\n    times: int,  # how often\n    pause: int = 1,\n) -> int:",
        ),
        ("slowly, so", "slowly; so"),
        ("    return None", "    # Nothing.\n    return   None"),
    )
    commit(gates, "Types")
    assert found(open_helix, gates) == []


def test_a_file_of_notes_is_a_document_too_and_a_changelog_is_none(open_helix, gates):
    for name in ("NOTES.md", "CHANGES.md"):
        (gates / name).write_text(DOCUMENT)
    commit(gates, "Notes")
    change(gates, "app/gate.py", ("(self, key)", "(self, key, by)"))
    commit(gates, "Ask who")
    assert [line for line, _ in found(open_helix, gates, "NOTES.md")] == [3]
    assert found(open_helix, gates, "CHANGES.md") == []


def test_a_secret_value_is_not_quoted(open_helix, gates):
    one, other = ("sk_live_" + part for part in ("4eC39HqLyjWDarjtT1zdp7dc", "9zD39HqLyjWDarjtT1zdp7qq"))
    change(gates, "app/gate.py", ("LIMIT = 30", f'SERVICE_API_KEY = "{one}"'))
    change(gates, "docs/gate.md", ("`LIMIT` is 30 seconds", f'`SERVICE_API_KEY` is `"{one}"`'))
    commit(gates, "Keys")
    change(gates, "app/gate.py", (one, other))
    commit(gates, "Other keys")
    assert not any("sk_live" in message for _, message in found(open_helix, gates))


def _is_back(folder):
    """What ``test_an_index_that_lags…`` does before the index is asked: the file was away and is there again."""
    path = folder / "app/gate.py"
    text = path.read_bytes()
    path.unlink()
    return lambda: path.write_bytes(text)


def _folder_is_renamed(folder):
    return lambda: (folder / "app").rename(folder / "lib")


def _is_moved_by_a_commit(folder):
    def move():
        (folder / "lib").mkdir()
        git(folder, "mv", "app/gate.py", "lib/portal.py")
        commit(folder, "Move")

    return move


@pytest.mark.parametrize("before", [_is_back, _folder_is_renamed, _is_moved_by_a_commit])
def test_an_index_that_lags_behind_the_disk_calls_nothing_gone(open_helix, gates, before):
    change(gates, "app/gate.py", ("hurt by it", "hurt"))
    commit(gates, "Shorten")
    helix = open_helix(gates)
    helix.refresh()
    after = before(gates)
    if before is _is_back:
        helix.refresh()
    after()
    said = [one["message"] for one in helix.symbols.findings(b"docs/gate.md", budget_ms=60_000)]
    # A folder that is renamed on disk is, whatever is committed.
    assert [one for one in said if " is gone" in one and "gone; lib/bell.py has" not in one] == []


def test_a_default_in_a_signature_written_as_code_is_compared(open_helix, gates):
    change(gates, "docs/gate.md", ("then `ring_bell(2)`", "then `ring_bell(times, pause=1)`"))
    commit(gates, "Write the signature")
    assert found(open_helix, gates) == []
    change(gates, "app/gate.py", ("pause=1", "pause=4"))
    commit(gates, "Pause longer")
    assert found(open_helix, gates) == [
        (3, "ring_bell(times, pause=1) is ring_bell(times, pause=4) now (app/gate.py:16)")
    ]


GUARDED = """#ifndef NESTING_LIMIT
#define NESTING_LIMIT 1000
#endif

int nesting_depth(void);
"""


@pytest.mark.parametrize(
    "said",
    [
        "limits the depth to `NESTING_LIMIT` which is 1000 by default but can be changed at compile time.",
        "`NESTING_LIMIT` (1000 by default) limits how deep arrays are nested.",
        "`NESTING_LIMIT` (default: 1000) limits how deep arrays are nested.",
        "The `NESTING_LIMIT` of nested arrays: `NESTING_LIMIT` defaults to `1000`.",
        "`NESTING_LIMIT`, 1000 by default, limits how deep arrays are nested.",
    ],
)
def test_a_guarded_macro_that_changed_in_the_second_of_the_index_contradicts_its_document(open_helix, tmp_path, said):
    folder = tmp_path / "nested"
    write(folder, {"nest.h": GUARDED, "README.md": f"# Nesting\n\n{said}\n"})
    git(folder, "init", "-q", "-b", "main")
    second = "2024-01-01T12:00:00Z"
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin", date=second)
    helix = open_helix(folder)
    helix.refresh()

    def readme():
        packet = helix.packet("docs: how deep are arrays nested, NESTING_LIMIT", k=20)
        items = [*packet["verified"], *packet["stale_risk"], *packet["needs_refresh"]]
        return next((one["status"], one["reason"]) for one in items if one["source_id"] == "README.md")

    assert readme()[0] == "verified"
    change(folder, "nest.h", ("NESTING_LIMIT 1000", "NESTING_LIMIT 500"))
    git(folder, "commit", "-q", "-am", "Nest less", date=second)
    assert readme() == ("stale_risk", "contradicted")
    helix.refresh()
    assert readme() == ("stale_risk", "contradicted")


BOX_C = """int box_add_item(int *items, int count, int item)
{
    items[count] = item;
    return count + 1;
}
"""
OTHERS = {
    "box.c": BOX_C,
    "src/Shelf.java": "public class Shelf {\n    public int putBook(int book) {\n        return book;\n    }\n}\n",
    "pack/__init__.py": "from pack.waiting import Wait\n",
    "pack/waiting.py": "class Wait:\n    pass\n",
    "README.md": "# Box\n\nTo add an item, call `box_add_item`.\n\nBooks go into `Shelf.putBook(1)`.\n",
    "docs/wait.rst": "Waiting\n=======\n\n>>> from pack.waiting import Wait\n\n.. automodule:: pack.waiting\n",
    "docs/wait.md": "# Waiting\n\n```python\nfrom pack.waiting import (\n    Wait,\n)\n```\n",
}


@pytest.fixture
def others(tmp_path):
    folder = tmp_path / "others"
    write(folder, OTHERS)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "Begin")
    return folder


def test_names_of_other_languages_that_no_code_has_any_more_are_gone(open_helix, others):
    assert found(open_helix, others, "README.md") == []
    change(others, "box.c", ("box_add_item", "box_put_item"))
    change(others, "src/Shelf.java", ("putBook", "addBook"))
    commit(others, "Rename")
    assert found(open_helix, others, "README.md") == [
        (3, "box_add_item is gone; box_put_item has nearly its text (box.c:1)"),
        (5, "Shelf.putBook is gone"),
    ]


def test_a_name_of_c_that_code_still_has_is_not_gone(open_helix, others):
    (others / "use.c").write_text("int use(int *items) { return box_add_item(items, 0, 1); }\n")
    change(others, "box.c", ("box_add_item", "box_put_item"))
    commit(others, "Rename")
    assert found(open_helix, others, "README.md") == []


@pytest.mark.parametrize(("document", "lines"), [("docs/wait.rst", [4, 6]), ("docs/wait.md", [4])])
def test_an_example_that_imports_from_a_module_that_is_gone_is_left_behind(open_helix, others, document, lines):
    assert found(open_helix, others, document) == []
    git(others, "mv", "pack/waiting.py", "pack/patience.py")
    commit(others, "Rename")
    assert found(open_helix, others, document) == [
        (line, "pack.waiting is gone; pack/patience.py has nearly its text") for line in lines
    ]
