"""The line that a search shows of a place is its whole signature, wherever it begins and ends."""

import pytest

from helix_core.engine.verdict.spans import LONGEST_SIGNATURE, declaring_line

LONG = ", ".join(f"parameter_{number}" for number in range(40))


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        ("def total(items):\n    return sum(items)\n", "total", "def total(items):"),
        (
            "def total(\n    items,\n    *,\n    tax: float = 0.2,  # a share\n"
            "    sign: str = ')',\n) -> float:\n    ...\n",
            "total",
            "def total(items, *, tax: float = 0.2, sign: str = ')') -> float:",
        ),
        (
            "# The total.\n@cached\n@route(\n    name='total',\n)\ndef total(items):\n    ...\n",
            "total",
            "def total(items):",
        ),
        ("class Total(\n    Base,\n    Other,\n):\n    x = 1\n", "Total", "class Total(Base, Other):"),
        ("/** The total. */\nexport function total(\n  items: Item[],\n  tax = 0.2,\n): number {\n", "total",
         "export function total(items: Item[], tax = 0.2): number {"),
        ("// Total adds.\nfunc (b *Basket) Total(\n\tctx context.Context,\n) (int, error) {\n", "Total",
         "func (b *Basket) Total(ctx context.Context) (int, error) {"),
        ("pub fn total<T>(\n    items: &[T],\n) -> u32\nwhere\n", "total", "pub fn total<T>(items: &[T]) -> u32"),
        ("def total(\n" + "    # nothing closes it\n" * 40, "total", "def total("),
        ("def total(items,\n          tax):\n    ...\n", "total", "def total(items, tax):"),
        ("# only a comment\n", "total", "# only a comment"),
        ("# What total adds.\ndef total(items):\n    ...\n", "total", "def total(items):"),
        ("/**\n * What total adds.\n */\nfunction total(items) {\n", "total", "function total(items) {"),
        ("#[rt::main]\n#[derive(\n    main,\n)]\nasync fn main() {\n", "main", "async fn main() {"),
        ("#define TOTAL(a, b) \\\n    ((a) + TOTAL_OF(b))\n", "TOTAL", "#define TOTAL(a, b) \\"),
        ("static char\n*total(int items)\n{\n", "total", "*total(int items)"),
    ],
)  # fmt: skip
def test_a_signature_is_whole_on_one_line(text, name, shown):
    assert declaring_line(text, name) == shown


def test_a_very_long_signature_is_cut_between_two_parameters():
    shown = declaring_line(f"def total(\n    {LONG},\n):\n    ...\n", "total")
    assert shown.startswith("def total(parameter_0, parameter_1, ") and shown.endswith(", …")
    assert len(shown) <= LONGEST_SIGNATURE + 3
