"""Which claims disagree, and which only look as if they did."""

import itertools

import pytest

from helix_core.engine.verdict.contradictions import UNCOMMITTED, contradictions, opposed
from helix_core.model import (
    Authority,
    Role,
    Source,
    SourcedClaim,
    SourceKind,
    StatSignature,
    Volatility,
)

COUNT = itertools.count(1)


def claim(path, key, value, kind=SourceKind.CODE, role=Role.IMPLEMENTATION, value_type="int"):
    source = Source(
        id=next(COUNT),
        path=path.encode(),
        source_id=path,
        content_hash="0" * 64,
        signature=StatSignature(1, 1, 1, 1),
        observed_at=1.0,
        verified_at=1.0,
        language="python",
        source_kind=kind,
        volatility=Volatility.STABLE,
        authority=Authority.PRIMARY,
        role=role,
        line_count=1,
    )
    return SourcedClaim(next(COUNT), source, key, value, value_type, 1)


DOC = {"kind": SourceKind.DOC, "role": Role.DOC}


def test_a_guide_and_the_code_that_disagree_contradict_each_other_and_the_fresher_side_is_named():
    code = claim("app/settings.py", "CACHE_TIMEOUT", "60")
    guide = claim("docs/guide.md", "CACHE_TIMEOUT", "30", **DOC)
    (pair,) = contradictions([guide, code], {(b"app/settings.py", 1): 200.0, (b"docs/guide.md", 1): 100.0})
    assert (pair.key, pair.fresher, pair.older, pair.order_known) == ("CACHE_TIMEOUT", code, guide, True)


def test_a_line_without_a_commit_is_fresher_than_any_commit_and_two_of_them_have_no_order():
    code, guide = claim("app/settings.py", "CACHE_TIMEOUT", "60"), claim("docs/guide.md", "CACHE_TIMEOUT", "30", **DOC)
    (pair,) = contradictions([code, guide], {(b"app/settings.py", 1): 2e9, (b"docs/guide.md", 1): UNCOMMITTED})
    assert (pair.fresher, pair.order_known) == (guide, True)
    (pair,) = contradictions([code, guide], {(b"app/settings.py", 1): UNCOMMITTED, (b"docs/guide.md", 1): UNCOMMITTED})
    assert not pair.order_known


def test_of_a_line_that_nobody_dated_no_order_is_claimed_and_each_side_opposes_the_other():
    code, guide = claim("app/settings.py", "CACHE_TIMEOUT", "60"), claim("docs/guide.md", "CACHE_TIMEOUT", "30", **DOC)
    (pair,) = contradictions([code, guide], {(b"app/settings.py", 1): 7.0})
    assert (pair.order_known, pair.older) == (False, guide)
    assert opposed(pair, code.item_id) == (code, guide) and opposed(pair, guide.item_id) == (guide, code)
    (pair,) = contradictions([code, guide], {(b"app/settings.py", 1): 7.0, (b"docs/guide.md", 1): 6.0})
    assert opposed(pair, code.item_id) is None and opposed(pair, guide.item_id) == (guide, code)


def test_equal_values_agree_whatever_their_quotes():
    one = claim("a/x.py", "CACHE_NAME", '"main"', value_type="string")
    two = claim("a/README.md", "CACHE_NAME", "`main`", value_type="string", **DOC)
    assert contradictions([one, two], {}) == []


@pytest.mark.parametrize("key", ["port", "name", "version"])
def test_a_plain_word_means_something_else_in_every_file(key):
    assert contradictions([claim("a/x.py", key, "1"), claim("a/y.py", key, "2")], {}) == []


def test_two_services_may_differ():
    assert contradictions([claim("a/x.py", "CACHE_TIMEOUT", "1"), claim("b/y.py", "CACHE_TIMEOUT", "2")], {}) == []


def test_two_documents_may_set_what_they_like():
    one, two = claim("docs/a.md", "CACHE_TIMEOUT", "1", **DOC), claim("docs/b.md", "CACHE_TIMEOUT", "2", **DOC)
    assert contradictions([one, two], {}) == []


def test_tests_and_examples_claim_nothing():
    test = claim("a/test_x.py", "CACHE_TIMEOUT", "1", role=Role.TEST)
    assert contradictions([test, claim("a/x.py", "CACHE_TIMEOUT", "2")], {}) == []


def test_a_key_that_very_many_files_set_is_no_fact_about_one_thing():
    many = [claim(f"a/x{number}.py", "app_label", str(number)) for number in range(40)]
    assert contradictions(many, {}) == []


def test_a_constant_of_which_each_module_has_its_own_contradicts_no_other_module_but_a_document():
    ports = [claim(f"transport/{name}.py", "DEFAULT_PORT", str(port)) for port, name in enumerate(("a", "b", "c"))]
    assert contradictions(ports, {}) == []
    assert len(contradictions(ports[:2], {})) == 1
    guide = claim("transport/README.md", "DEFAULT_PORT", "9", **DOC)
    assert len(contradictions([*ports, guide], {})) == 3


def test_the_same_place_in_two_lists_means_two_things():
    config = {"kind": SourceKind.CONFIG, "role": Role.CONFIG, "value_type": "string"}
    one, two = (claim(f"a/{name}.yaml", "skills[15].name", name, **config) for name in ("x", "y"))
    assert contradictions([one, two], {}) == []
    named = (claim(f"a/{name}.yaml", "skills.first_name", name, **config) for name in ("x", "y"))
    assert len(contradictions(named, {})) == 1


def test_a_file_that_gives_a_key_two_values_settles_nothing():
    both = [claim("a/x.py", "CACHE_TIMEOUT", "1"), claim("a/x.py", "CACHE_TIMEOUT", "2")]
    assert contradictions([*both, claim("a/y.py", "CACHE_TIMEOUT", "3")], {}) == []


def test_of_two_that_changed_in_one_commit_the_document_was_left_behind():
    for guide in ("a.md", "z.md"):
        claims = [claim(guide, "CACHE_SECONDS", "60", **DOC), claim("cache.py", "CACHE_SECONDS", "30")]
        (pair,) = contradictions(claims, {(b"cache.py", 1): 7.0, (guide.encode(), 1): 7.0})
        assert pair.older.source.source_id == guide


def test_a_constant_of_one_word_that_one_file_has_is_compared_with_what_a_document_says_of_it():
    code, guide = claim("app/limits.py", "MAX", "3"), claim("README.md", "MAX", "4", **DOC)
    (pair,) = contradictions([code, guide], {})
    assert {pair.fresher, pair.older} == {code, guide}
    other = claim("app/sizes.py", "MAX", "4")
    assert contradictions([code, other, guide], {}) == []
    assert contradictions([code, other], {}) == []
    setting = claim("config.ini", "MAX", "4", kind=SourceKind.CONFIG, role=Role.CONFIG)
    assert contradictions([code, setting], {}) == []


@pytest.mark.parametrize("written", ["1000U", "1_000", "0x3E8", "10 * 100", "1000ul"])
def test_a_number_that_is_written_in_another_way_contradicts_nothing(written):
    code, guide = claim("a/limits.h", "NESTING_LIMIT", written), claim("a/guide.md", "NESTING_LIMIT", "1000", **DOC)
    assert contradictions([code, guide], {}) == []
    other = claim("a/guide.md", "NESTING_LIMIT", "500", **DOC)
    assert len(contradictions([code, other], {})) == 1
