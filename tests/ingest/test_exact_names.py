"""Two chains that are written differently never compare equal, whatever is in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.ingest import Chains, ingest
from helix_core.ingest.exact_names import LONGEST_NAME, bounded, heading_text, name_text
from helix_core.model import joined_symbol

BODY = "The first line of what is kept.\n\nThe second line of it.\n"
LONG = "transaction_" * 20
PAIRS = [
    (b"a.md", "# One > Two\n\n{}", "# One\n\n## Two\n\n{}"),
    (b"a.md", "# One >\n\n## Two\n\n{}", "# One\n\n## > Two\n\n{}"),
    (b"a.md", "# One \\> Two\n\n{}", "# One > Two\n\n{}"),
    (b"a.md", "# One.Two\n\n{}", "# One\n\n## Two\n\n{}"),
    (b"a.md", '# "Two"\n\n{}', "# Two\n\n{}"),
    (b"a.md", f"# {LONG}a\n\n{{}}", f"# {LONG}b\n\n{{}}"),
    (b"a.rst", f"{LONG}a\n{'=' * 250}\n\n{{}}", f"{LONG}b\n{'=' * 250}\n\n{{}}"),
    (b"a.md", "# caf\udce9\n\n{}", "# caf\udce8\n\n{}"),
    (b"a.md", "# caf\udce9\n\n{}", "# caf\ufffd\n\n{}"),
    (b"a.txt", "caf\udce9\n====\n\n{}", "caf\udce8\n====\n\n{}"),
    (b"a.py", f"class {LONG}a:\n{{}}", f"class {LONG}b:\n{{}}"),
]
METHOD = "    def keep(self, letter):\n        return letter.text\n"


def chains_of(path: bytes, before: str, after: str) -> tuple[str, str | None]:
    """What the same text is called in one file, and in the other."""
    text = METHOD if path.endswith(b".py") else BODY
    first, second = (whole.format(text).encode("utf-8", "surrogateescape") for whole in (before, after))
    start = first.index(text.encode())
    document = ingest(path, first, embed=False)
    chains = Chains(path, first, 5.0)
    name = chains.label(start, start + len(text)).symbol
    labels = {joined_symbol(one.breadcrumb, one.name, document.source_kind) for one in document.chunks}
    assert name and (name in labels or any(name.startswith(label) for label in labels))
    at = second.index(text.encode())
    return name, Chains(path, second, 5.0).name(at, at + len(text), name).symbol


@pytest.mark.parametrize(("path", "one", "other"), PAIRS)
def test_the_same_text_under_another_chain_is_called_otherwise(path: bytes, one: str, other: str) -> None:
    for before, after in ((one, other), (other, one)):
        name, now = chains_of(path, before, after)
        assert now != name
        assert chains_of(path, before, before)[1] == name


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_bytes_that_differ_are_names_that_differ(one: bytes, other: bytes) -> None:
    assert (name_text(one) == name_text(other)) == (one == other)


@given(
    *[st.lists(st.text(alphabet="a> \\.", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=3)] * 2,
)
def test_titles_that_differ_are_joined_to_chains_that_differ(one: list[str], other: list[str]) -> None:
    plain = [[" ".join(title.split()) for title in titles] for titles in (one, other)]
    joined = [" > ".join(heading_text(title) for title in titles) for titles in (one, other)]
    assert (joined[0] == joined[1]) == (plain[0] == plain[1])


@given(st.text(min_size=LONGEST_NAME - 5, max_size=LONGEST_NAME + 60), st.text(min_size=1, max_size=60))
def test_long_names_that_differ_stay_different(name: str, more: str) -> None:
    assert bounded(name) != bounded(name + more)
    assert len(bounded(name + more)) <= LONGEST_NAME


def test_a_table_with_a_dot_in_quotes_is_another_than_a_table_in_a_table() -> None:
    known = [
        Chains(b"a.toml", text, 5.0).definitions[0][1] for text in (b"[one.two]\na = 1\n", b'["one.two"]\na = 1\n')
    ]
    assert known == ["one.two", '"one.two"']
