"""Which places of the best files are shown, in which order, and which of their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.model import SourceKind
from helix_core.search import question
from helix_core.search.question import parse_question, weigh_terms
from helix_core.search.rankers import RankerInput
from helix_core.search.search import SearchRequest, known_words, search
from helix_core.search.second_stage import (
    ENOUGH,
    GROUP,
    ITEMS_PER_FILE,
    LINES_SHOWN,
    LONG_FILE,
    LONGEST,
    FirstStage,
    Scored,
    diversify,
    narrow,
    read_files,
    shares,
)
from helix_core.store import Reader
from helix_core.store.hits import Weights
from helix_core.store.lexical import FileChunk, PhraseOffsets
from tests.search.conftest import Indexed

REFUND = {
    "pay/__init__.py": "from pay.refunds import refund_payment\nfrom pay.charges import charge\n",
    "pay/refunds.py": '"""Money back."""\n\nimport decimal\nfrom pay.charges import charge\n\n\n'
    'def refund_payment(payment, amount):\n    """Give the customer the money back."""\n    payment.refunded = amount\n'
    "    return payment\n",
    "pay/charges.py": "def charge(card, amount):\n    return card.take(amount)\n",
}


def place(lines: int, number: int = 1, name: str = "f") -> FileChunk:
    return FileChunk(number, 1, "function", name, "", 10, 9 + lines, (name,))


@given(st.lists(st.integers(1, 300), max_size=GROUP))
def test_ranges_share_the_lines_and_none_that_fits_is_cut(lengths: list[int]) -> None:
    given_ = shares(lengths)
    assert sum(given_) <= LINES_SHOWN
    assert all(1 <= got <= min(length, LONGEST) for got, length in zip(given_, lengths, strict=True))
    if sum(min(length, LONGEST) for length in lengths) <= LINES_SHOWN:
        assert given_ == [min(length, LONGEST) for length in lengths]


scored = st.lists(st.tuples(st.integers(0, 7), st.floats(-5, 5)), max_size=60).map(
    lambda drawn: [Scored(place(3, number), rank, score) for number, (rank, score) in enumerate(drawn)]
)


@given(scored, st.integers(1, 20))
def test_the_best_file_leads_and_every_file_comes_before_the_rest(places: list[Scored], limit: int) -> None:
    shown = diversify(places, limit)
    assert len(shown) <= limit
    assert len({one.place.id for one in shown}) == len(shown)
    ranks = [one.file_rank for one in shown]
    assert all(ranks.count(rank) <= ITEMS_PER_FILE for rank in ranks)
    if any(one.file_rank == 0 for one in places):
        assert ranks[0] == 0
    first_seen = [rank for number, rank in enumerate(ranks) if rank not in ranks[:number]]
    assert first_seen[GROUP:] == sorted(first_seen[GROUP:])


def test_a_place_that_fits_is_shown_whole_and_a_long_one_from_its_head() -> None:
    assert narrow(place(8), 8, None, ()) is None
    span = narrow(place(100), 20, None, ())
    assert span is not None
    assert (span.start_line, span.end_line) == (10, 29)


def test_what_is_found_deep_inside_outweighs_the_head() -> None:
    spots = PhraseOffsets(body_tokens=1000, doc_tokens=0, body=((0, 900), (1, 905)), doc=())
    span = narrow(place(100), 20, spots, (1.0, 1.0))
    assert span is not None
    assert span.start_line <= 100 <= span.end_line
    part = narrow(FileChunk(1, 1, "block", "", "", 1, 100, ()), 10, spots, (1.0, 1.0))
    assert part is not None
    assert part.start_line <= 91 <= part.end_line


def test_a_word_of_a_docstring_is_looked_for_below_the_head() -> None:
    spots = PhraseOffsets(body_tokens=100, doc_tokens=900, body=((0, 1),), doc=((1, 0),))
    span = narrow(place(100), 30, spots, (1.0, 1.0))
    assert span is not None
    assert span.start_line == 10


def test_the_definition_comes_before_the_imports_that_name_it(indexed: Indexed) -> None:
    found = search(SearchRequest("How does a refund work?", 5), indexed(REFUND))
    assert found.ranked[0].item.name == "refund_payment"


def test_a_range_is_part_of_its_chunk_and_five_show_no_more_lines_than_are_read(indexed: Indexed) -> None:
    body = "".join(f"    parcel_{n} = weigh(n)\n" for n in range(70))
    files = {f"post/office_{n}.py": f"def send_parcel_{n}(box):\n    # stamp the parcel\n{body}" for n in range(6)}
    ranked = search(SearchRequest("where is a parcel stamped?", 8), indexed(files)).ranked
    assert sum(one.lines.end_line - one.lines.start_line + 1 for one in ranked[:GROUP]) <= LINES_SHOWN
    for one in ranked:
        assert one.item.start_line <= one.lines.start_line <= one.lines.end_line <= one.item.end_line


def test_the_inside_of_a_file_is_counted_by_where_words_stand(shop: Reader) -> None:
    source = shop.files.source(b"src/shop/cart.py")
    assert source is not None
    inside = shop.text.chunks_in([source.id])[source.id]
    assert [one.id for one in inside] == [item.id for item in shop.files.items_of(source.id)]
    places = {one.name: one for one in inside}
    only_comments = Weights(path=0.0, names=0.0, doc=1.0, body=0.0, extra=0.0)
    only_code = Weights(path=0.0, names=0.0, doc=0.0, body=1.0, extra=0.0)
    match = '"customer" OR "article"'
    in_comments, in_code = (shop.text.evidence_in(match, 2, inside, one) for one in (only_comments, only_code))
    assert in_comments[places["Cart"].id].counts[0] == 1.0
    assert in_code[places["Cart"].id].counts[1] > 1.0
    assert set(in_code) <= {one.id for one in inside}
    spots = shop.text.phrase_offsets('"customer"', [places["Cart"].id])
    assert [phrase for phrase, _ in spots[places["Cart"].id].doc] == [0]


@pytest.mark.parametrize("rare", [ENOUGH, ENOUGH - 1])
def test_a_long_file_is_read_for_rare_words_alone_where_enough_chunks_have_them(
    indexed: Indexed, monkeypatch: pytest.MonkeyPatch, rare: int
) -> None:
    """Of an index of a few files every word would be rare."""
    monkeypatch.setattr(question, "CORE_POSTINGS", LONG_FILE)
    count = LONG_FILE + 10
    tests = [
        f"def test_parcel_{n}():\n    assert {'refund' if n < rare else 'weigh'}({n})\n    assert {n}\n"
        for n in range(count)
    ]
    reader = indexed({"tests/test_post.py": "\n\n".join(tests)})
    source = reader.files.source(b"tests/test_post.py")
    assert source is not None
    asked = parse_question("which test is about a refund?")
    _, items = reader.text.size()
    known = known_words(asked.words, items, reader).frequency
    terms = tuple(sorted(weigh_terms(asked.words, known, items), key=lambda term: term.frequency))
    assert [(term.word, term.frequency) for term in terms] == [("refund", rare), ("test", count)]
    query = RankerInput(asked, terms, known, items, reader)
    (read,) = read_files(query, FirstStage([(source.id, 1.0)], {source.id: SourceKind.CODE}, {}))
    assert len(read.places) == count
    assert len(read.counts) == (rare if rare == ENOUGH else count)
    # Also the words that do not decide are counted.
    assert sum(all(one.counts) for one in read.counts.values()) == rare
