"""Cutting a text to a budget: at the borders of statements, with the question's words kept, and never broken."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.ingest.languages import language_of
from helix_core.tokens import estimate
from helix_core.window.fit import code_units, syntax_errors, trim

HERE = Path(__file__).resolve().parents[2]
GLOBS = (
    *("helix_core/**/*.py", "helix_core/**/*.sql", "docs/*.md", "pyproject.toml"),
    *(
        "vscode-extension/src/**/*.ts",
        "vscode-extension/*.json",
        "vscode-extension/**/*.sh",
        "vscode-extension/media/*",
    ),
)
SOURCES = [
    file
    for pattern in GLOBS
    for file in sorted(HERE.glob(pattern))
    if file.is_file() and "node_modules" not in file.parts and file.suffix not in (".png", ".vsix")
]

PYTHON = '''def charge(account, amount):
    """Take money from an account."""
    if amount <= 0:
        raise ValueError("amount")
    ledger = account.ledger
    for entry in ledger.entries:
        if entry.pending:
            entry.settle()
    refund = ledger.refund_of(amount)
    return refund
'''

SAMPLES = {
    "typescript": "export class Cart {\n  total(): number {\n    const tax = 1;\n    return tax;\n  }\n"
    "  clear(): void {\n    this.items = [];\n    this.notify();\n  }\n}\n",
    "rust": "impl Queue {\n    fn push(&mut self) {\n        self.len += 1;\n        self.wake();\n    }\n"
    "    fn pop(&mut self) {\n        self.len -= 1;\n    }\n}\n",
    "go": "func Charge(a int) int {\n\tif a > 0 {\n\t\treturn a\n\t}\n\tlog(a)\n\treturn 0\n}\n",
    "c": "int charge(int a)\n{\n    int b = a;\n    b += tax(a);\n    log_it(b);\n    return b;\n}\n",
    "css": ".a {\n  color: red;\n}\n\n.b {\n  color: blue;\n}\n\n.c {\n  color: green;\n}\n",
    "json": '{\n  "name": "shop",\n  "ports": [\n    1,\n    2,\n    3\n  ],\n  "limit": 5,\n  "last": true\n}\n',
    "toml": '[shop]\nname = "a"\nport = 1\nhosts = [\n  "x",\n  "y",\n]\n\n[limits]\nmost = 3\nleast = 1\n',
    "html": "<div>\n  <p>\n    one\n  </p>\n  <p>\n    two\n  </p>\n  <ul>\n    <li>three</li>\n  </ul>\n</div>\n",
    "yaml": "shop:\n  name: a\n  ports:\n    - 1\n    - 2\n    - 3\n  limit: 5\nother: true\n",
    "bash": "charge() {\n  echo one\n  echo two\n  echo three\n}\n",
}


def cut(text: str, language: str, share: float, terms: tuple[str, ...] = ()) -> str | None:
    most = int(estimate(text) * share)
    made = trim(text, language, start_line=1, terms=terms, most_tokens=most, count=estimate)
    assert made is None or estimate(made.text) <= most
    return made.text if made is not None else None


def test_a_text_that_fits_is_left_as_it_is() -> None:
    made = trim(PYTHON, "python", start_line=1, terms=(), most_tokens=10_000, count=estimate)
    assert made is not None
    assert (made.text, made.hidden_lines) == (PYTHON, 0)


def test_the_signature_stays_and_what_the_question_speaks_of_comes_first() -> None:
    text = cut(PYTHON, "python", 0.6, ("refund",))
    assert text is not None
    assert text.startswith("def charge(account, amount):")
    assert "refund = ledger.refund_of(amount)" in text
    assert "entry.settle()" not in text


def test_hidden_lines_are_named_by_their_numbers_in_the_file() -> None:
    most = int(estimate(PYTHON) * 0.6)
    made = trim(PYTHON, "python", start_line=101, terms=("refund",), most_tokens=most, count=estimate)
    assert made is not None
    assert "lines 103-108 left out" in made.text
    assert made.hidden_lines > 0


def test_nothing_is_made_of_what_cannot_fit() -> None:
    assert trim(PYTHON, "python", start_line=1, terms=(), most_tokens=5, count=estimate) is None


@pytest.mark.parametrize("language", SAMPLES)
@pytest.mark.parametrize("share", [0.4, 0.6, 0.8])
def test_code_that_parsed_parses_again(language: str, share: float) -> None:
    whole = SAMPLES[language]
    assert syntax_errors(whole, language) == 0
    text = cut(whole, language, share)
    if text is not None:
        assert syntax_errors(text, language) == 0
    if share == 0.8:
        assert text is not None


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(
    file=st.sampled_from(SOURCES),
    first=st.integers(0, 200),
    length=st.integers(3, 150),
    share=st.floats(0.1, 0.95),
    term=st.sampled_from(["reader", "path", "commit", "verdict", "zzz"]),
)
def test_a_cut_holds_its_budget_keeps_order_and_breaks_nothing(
    file: Path, first: int, length: int, share: float, term: str
) -> None:
    text = "\n".join(file.read_text("utf-8").split("\n")[first : first + length])
    language = language_of(str(file).encode(), b"").name
    made = cut(text, language, share, (term,))
    if made is None:
        return
    lines = iter(text.split("\n"))
    kept = [line for line in made.split("\n") if " left out" not in line]
    assert all(line in lines for line in kept), "the lines that stay are lines of the text, in its order"
    before, after = syntax_errors(text, language), syntax_errors(made, language)
    if before is not None and code_units(text, language) is not None:
        assert after is not None
        assert after <= before
    if language == "python" and parses(text):
        assert parses(made), "what Python itself could read it still can"


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def test_paragraphs_of_prose_are_left_out_whole() -> None:
    prose = "# Refunds\n\nA refund goes back.\n\n" + "\n\n".join(f"Paragraph {n} about nothing." for n in range(20))
    text = cut(prose, "markdown", 0.4, ("refund",))
    assert text is not None
    assert "A refund goes back." in text
    assert "<!-- lines" in text
