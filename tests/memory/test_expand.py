"""The context of a place: neighbours of this moment, each with its verdict."""

import pytest

from helix_core.errors import UsageError
from helix_core.memory.notes import NoteInput


def gene(helix, question):
    return helix.packet(question)["verified"][0]


def relations(found):
    return [(one["relation"], one["source_id"], one["symbol"]) for one in found["neighbours"]]


def test_a_function_has_its_neighbours_tests_and_documents(helix):
    place = gene(helix, "sign_cookie")
    found = helix.memory.expand(gene_id=place["gene_id"], k=10)
    assert (found["of"]["source_id"], found["of"]["symbol"]) == ("app/sessions.py", "sign_cookie")
    around = relations(found)
    assert ("next", "app/sessions.py", "verify_cookie") in around
    assert ("test", "tests/test_sessions.py", "test_sign_cookie") in around
    assert any(relation == "document" and source == "docs/sessions.md" for relation, source, _ in around)
    sideways = relations(helix.memory.expand(source_id="app/sessions.py", start_line=1, k=10, direction="sideways"))
    assert ("imports", "tests/test_sessions.py") in {one[:2] for one in sideways}
    assert found["count"] == len(around)
    assert all(one["status"] == "verified" and one["quote"] for one in found["neighbours"])


def test_directions_and_k_choose_among_them(helix):
    where = {"source_id": "app/sessions.py", "start_line": gene(helix, "sign_cookie")["start_line"]}
    assert {relation for relation, *_ in relations(helix.memory.expand(**where, direction="forward"))} == {"next"}
    assert {relation for relation, *_ in relations(helix.memory.expand(**where, direction="backward"))} <= {
        "previous",
        "enclosing",
    }
    assert {relation for relation, *_ in relations(helix.memory.expand(**where, direction="sideways"))} <= {
        "test",
        "user",
        "document",
        "imports",
    }
    assert len(helix.memory.expand(**where, k=1)["neighbours"]) == 1


def test_a_method_knows_its_class(helix, project):
    body = "".join(f"\n    def method_{n}(self):\n" + "        x = 1\n" * 20 + "        return x\n" for n in range(6))
    (project / "app/big.py").write_text(f'class Big:\n    """Large."""\n{body}')
    helix.refresh()
    found = helix.memory.expand(gene_id=gene(helix, "method_3")["gene_id"], direction="backward")
    assert ("enclosing", "app/big.py", "Big") in relations(found)


def test_a_file_that_changed_is_looked_at_as_it_is(helix, project):
    place = gene(helix, "sign_cookie")
    file = project / "app/sessions.py"
    file.write_text("# one line more\n" + file.read_text().replace("def verify_cookie", "def check_cookie"))
    found = helix.memory.expand(gene_id=place["gene_id"])
    assert found["of"]["status"] == "verified"
    assert found["of"]["start_line"] == place["start_line"] + 1
    assert any(one["symbol"] == "check_cookie" for one in found["neighbours"])
    assert not any(one["symbol"] == "verify_cookie" for one in found["neighbours"])
    file.unlink()
    found = helix.memory.expand(gene_id=found["of"]["gene_id"])
    assert (found["of"]["reason"], found["of"]["quote"]) == ("gone", "")
    assert all(one["source_id"] != "app/sessions.py" for one in found["neighbours"])
    with pytest.raises(UsageError, match="nothing here is"):
        helix.memory.expand(source_id="app/sessions.py", start_line=3)


def test_what_a_session_has_is_counted_and_left_out(helix):
    place = gene(helix, "sign_cookie")
    everything = helix.memory.expand(gene_id=place["gene_id"], k=10)
    helix.memory.sessions.deliver("s", helix.context("how is the session cookie verified?"))
    rest = helix.memory.expand(gene_id=place["gene_id"], k=10, session="s")
    assert rest["skipped_delivered"] > 0
    assert rest["count"] + rest["skipped_delivered"] == everything["count"]


def test_a_note_has_the_parts_of_its_text_around_it(helix):
    told = helix.memory.ingest(NoteInput("".join(f"# Part {n}\n\n" + f"quokka{n} " * 300 + "\n\n" for n in range(3))))
    first, second, third = told["gene_ids"][:3]
    found = helix.memory.expand(gene_id=second)
    assert [one["gene_id"] for one in found["neighbours"]] == [first, third]
    assert {one["status"] for one in found["neighbours"]} == {"stale_risk"}
    source = found["of"]["source_id"]
    assert helix.memory.expand(source_id=source, start_line=1)["of"]["gene_id"] == first
    assert helix.memory.expand(gene_id=second, source_id=source, direction="forward")["count"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({}, "no place is named"),
        ({"gene_id": "zz"}, "is not an id"),
        ({"gene_id": "ab" * 8}, "nothing here is"),
        ({"source_id": "helix-note:zz"}, "nothing here is"),
        ({"source_id": "helix-note:" + "ab" * 8}, "nothing here is"),
        ({"source_id": "../x"}, "not a path inside"),
        ({"source_id": "missing.py"}, "nothing here is"),
        ({"gene_id": "ab" * 8, "direction": "up"}, "unknown direction"),
        ({"gene_id": "ab" * 8, "k": 0}, "k is 0"),
        ({"gene_id": "ab" * 8, "task": "x"}, "unknown task"),
    ],
)
def test_a_bad_call_is_refused_by_its_cause(helix, wrong, why):
    with pytest.raises(UsageError, match=why):
        helix.memory.expand(**wrong)
