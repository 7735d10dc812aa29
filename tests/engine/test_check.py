"""A text is compared with the disk: what is wrong is found with what it means now, and what may be right is left."""

import os

import pytest

from helix_core.errors import UsageError
from tests.engine.repository import begin, put_index, write

SHOP = {
    "shop/basket.py": '''"""What a customer buys."""

from collections import UserDict

from shop.prices import Priced


class Basket(Priced):
    """Items with their prices."""

    limit = 10

    def __init__(self):
        self.lines = []

    def add_line(self, name, price):
        """Put an item into the basket."""
        self.lines.append((name, price))

    def total_price(self):
        """Add all prices."""
        return sum(price for _, price in self.lines)


class Registry(UserDict):
    """Takes most of its members from a library."""
''',
    "shop/prices.py": '''"""Prices."""


class Priced:
    """Has a price."""

    def price_in(self, currency):
        return currency


def round_price(cents):
    """Round to the next five cents."""
    return round(cents / 5) * 5
''',
    "shop/shelf.py": '''"""Shelves."""


class Shelf:
    """Holds baskets."""

    class Meta:
        """Options of a shelf."""

        width = 3
''',
    "docs/guide.md": "# Guide\n\nItems go into a basket with `Basket.add_line()`, see [the code](../shop/basket.py).\n",
}


@pytest.fixture
def shop(tmp_path, open_helix):
    folder = begin(tmp_path / "project", SHOP)
    put_index(folder, tmp_path / "cache", SHOP)
    engine = open_helix(folder)
    engine.refresh()
    return engine


def rules(helix, text, **asked):
    return [one["rule"] for one in helix.check(text, **asked)["findings"]]


def finding(helix, text):
    (one,) = helix.check(text)["findings"]
    return one


TRUE = """`Basket.add_line()` is defined in `shop/basket.py:16`, and `Basket.total_price` at `basket.py:20-22`.
`Basket.price_in()` comes from [`Priced`](shop/prices.py#L4). `Basket.lines` holds them; `Registry.popitem()` too.

```16:18:shop/basket.py
    def add_line(self, name, price):
        ...
        self.lines.append((name, price))
```
"""


def test_an_answer_that_is_right_has_no_findings(shop):
    answer = shop.check(TRUE)
    assert answer["findings"] == []
    assert answer["checked"] >= 6
    assert answer["schema"] == "helix.check/1"


def test_a_line_that_the_file_does_not_have_is_wrong(shop):
    one = finding(shop, "The limit is checked in `shop/basket.py:400`.")
    assert (one["rule"], one["message"]) == ("line-missing", "the file has 26 lines")
    assert (one["line"], one["kind"], one["verdict"], one["now"]) == (1, "place", "needs_refresh", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("The limit is checked in `shop/basket.py:0`.", "lines are counted from 1"),
        ("See [it](shop/basket.py#L0).", "lines are counted from 1"),
        ("It is at shop/basket.py:20-3.", "the range ends before it begins"),
        ('It fails here:\n\n  File "shop/basket.py", line 400, in add', "the file has 26 lines"),
    ],
)
def test_lines_that_no_file_has_are_wrong(shop, text, message):
    one = finding(shop, text)
    assert (one["rule"], one["message"]) == ("line-missing", message)


def test_a_frame_of_a_traceback_that_is_there_is_right(shop):
    answer = shop.check('  File "shop/basket.py", line 4, in add')
    assert (answer["findings"], answer["checked"]) == ([], 1)


def test_a_symbol_beside_the_wrong_line_is_told_where_it_is(shop):
    one = finding(shop, "`Basket.total_price()` is at `shop/basket.py:3`.")
    assert one["rule"] == "symbol-elsewhere"
    assert one["now"] == {"source_id": "shop/basket.py", "start_line": 20, "symbol": "Basket.total_price"}
    assert (one["verdict"], one["reason"]) == ("stale_risk", "moved")


@pytest.mark.parametrize(
    "text",
    [
        "The call (shop/basket.py:400) removes an item.",
        "Items are deleted at shop/basket.py:400.",
        "What shop/basket.py:400 creates is moved later.",
        "The line shop/basket.py:400 is no longer needed.",
    ],
)
def test_a_line_beyond_the_end_is_wrong_whatever_the_sentence_says(shop, text):
    assert finding(shop, text)["rule"] == "line-missing"


def test_lines_that_are_proposed_at_the_end_of_a_file_are_left_alone(shop):
    answer = shop.check("Create `Basket.empty()` at `shop/basket.py:27-40`.")
    assert (answer["findings"], answer["unknown"] > 0) == ([], True)


def test_code_that_removes_something_is_checked(shop):
    one = finding(shop, "`Basket.total_price` (`shop/basket.py:3`) removes a price.")
    assert one["rule"] == "symbol-elsewhere"


CART = {
    "cart.py": """MAX_ITEMS = 50


def add_item(cart, name, count=1):
    if len(cart) >= MAX_ITEMS:
        raise ValueError("the cart is full")
    cart.append(name)


def remove_item(cart, name):
    cart.remove(name)


# What it costs.
def total_price(cart, prices):
    return sum(prices[name] for name in cart)
"""
}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("`add_item` (cart.py:10)", 4),
        ("See `remove_item` (cart.py:4-9).", 10),
        ("`remove_item` (cart.py:7)", 10),
        ("`total_price` (cart.py:11)", 15),
    ],
)
def test_a_symbol_beside_lines_of_another_function_is_elsewhere(shop, text, line):
    write(shop.workspace, CART)
    shop.refresh()
    one = finding(shop, text)
    assert (one["rule"], one["now"]["start_line"]) == ("symbol-elsewhere", line)


@pytest.mark.parametrize(
    "text",
    [
        "`add_item` (cart.py:3)",
        "`add_item` (cart.py:4-9)",
        "`add_item` (cart.py:7)",
        "`remove_item` (cart.py:9)",
        "`total_price` (cart.py:14)",
        "`MAX_ITEMS` (cart.py:4-6)",
    ],
)
def test_a_symbol_beside_its_own_lines_or_those_around_it_is_right(shop, text):
    write(shop.workspace, CART)
    shop.refresh()
    assert rules(shop, text) == []


@pytest.mark.parametrize("line", [13, 14, 24])
def test_an_alias_of_its_last_part_does_not_stand_for_a_qualified_name(shop, line):
    text = """class Registry:
    def register(self, name):
        return name

    def find(self, name):
        return name


# A registry of one kind, for everybody, and its methods as functions of the module.



registry = Registry()
register = registry.register








def other():
    return None
"""
    write(shop.workspace, {"shop/registry.py": text})
    shop.refresh()
    one = finding(shop, f"See `Registry.register` at `shop/registry.py:{line}`.")
    assert (one["rule"], one["now"]["start_line"]) == ("symbol-elsewhere", 2)
    assert rules(shop, "See `Registry.register` at `shop/registry.py:2`.") == []
    assert rules(shop, "See `registry.register` at `shop/registry.py:14`.") == []


def test_a_line_is_judged_by_the_disk_and_not_by_an_index_that_lags_behind(shop):
    file = shop.workspace / "shop/basket.py"
    assert rules(shop, "`Basket.total_price` (`shop/basket.py:20`)") == []
    file.write_text("# a line\n" * 40 + file.read_text())
    one = finding(shop, "`Basket.total_price` (`shop/basket.py:20`)")
    assert (one["rule"], one["now"]["start_line"]) == ("symbol-elsewhere", 60)


def test_a_name_that_is_on_disk_again_is_not_gone_before_it_is_indexed(shop):
    file, text = shop.workspace / "shop/prices.py", SHOP["shop/prices.py"]
    file.write_text(text.replace("round_price", "rounded_price"))
    shop.refresh()
    assert rules(shop, "Call `round_price()` for each.") == ["name-gone"]
    file.write_text(text)
    assert rules(shop, "Call `round_price()` for each.") == []


def test_a_name_is_looked_for_in_files_that_are_not_indexed_yet(shop):
    file, text = shop.workspace / "shop/prices.py", SHOP["shop/prices.py"]
    file.write_text(text.replace("round_price", "rounded_price"))
    shop.refresh()
    claims = "Call `round_price()`, `Basket.clear_all()` and `from shop.prices import round_price`."
    assert rules(shop, claims) == ["name-gone", "member-missing", "name-missing"]
    write(shop.workspace, {"docs/new.md": claims})
    assert rules(shop, claims) == ["name-gone", "member-missing", "name-missing"], "a document proves nothing"
    write(shop.workspace, {"shop/rounding.py": "def round_price(cents):\n    return cents\n"})
    assert rules(shop, claims) == ["member-missing"]


def test_a_symbol_is_never_told_to_be_where_the_disk_has_it_no_more(shop):
    file, other = shop.workspace / "shop/prices.py", shop.workspace / "shop/shelf.py"
    moved = "def round_price(cents):\n    return cents\n"
    file.write_text(SHOP["shop/prices.py"].partition("def round_price")[0])
    other.write_text(other.read_text() + "\n\n" + moved)
    line = other.read_text().count("\n") - 1
    one = finding(shop, "`round_price` (`shop/prices.py:1`)")
    assert (one["rule"], one["now"]["source_id"], one["now"]["start_line"]) == (
        "symbol-elsewhere",
        "shop/shelf.py",
        line,
    )


def test_a_misspelled_path_is_told_the_near_one(shop):
    one = finding(shop, "The prices are in `shop/baskt.py`.")
    assert (one["rule"], one["now"]["source_id"]) == ("file-missing", "shop/basket.py")


def test_a_file_that_is_deleted_but_committed_is_gone(shop):
    (shop.workspace / "shop/prices.py").unlink()
    shop.refresh()
    assert rules(shop, "The prices are in `shop/prices.py`.") == ["file-gone"]


@pytest.mark.parametrize(
    "text",
    [
        "Create `shop/checkout.py` for it.",
        "Put it into `web/views.py`.",
        "Run `manage.py`.",
        "It is written to `/etc/passwd` and `../../secret.py`, `~/notes.md`.",
        "`shop/checkout.py` will hold it.",
    ],
)
def test_files_to_be_made_and_files_elsewhere_are_left_alone(shop, text):
    assert rules(shop, text) == []


def test_a_member_that_a_class_of_the_workspace_lacks_is_wrong(shop):
    one = finding(shop, "Call `Basket.add_lines()` for each.")
    assert (one["rule"], one["message"]) == ("member-missing", "Basket has no such member; nearest is Basket.add_line")
    assert one["now"] == {"source_id": "shop/basket.py", "start_line": 16, "symbol": "Basket.add_line"}


def test_a_member_that_no_class_of_the_name_has_is_wrong(shop):
    old = (
        "from shop import basket\n\n\nclass Basket(basket.Basket):\n    def empty_all(self):\n        self.lines = []\n"
    )
    write(shop.workspace, {"shop/old.py": old})
    shop.refresh()
    one = finding(shop, "Call `Basket.frobnicate()` for each.")
    assert (one["rule"], one["message"]) == ("member-missing", "Basket has no such member")
    for member in ("empty_all", "add_line", "price_in"):
        assert rules(shop, f"Call `Basket.{member}()` for each.") == []
    # A class of the name from a library, perhaps.
    write(shop.workspace, {"shop/sync.py": "def sync(basket):\n    return basket.pull_items()\n"})
    shop.refresh()
    assert rules(shop, "Call `Basket.pull_items()` for each.") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "`Registry.setdefault_all()` is inherited.",
        "`json.dumps()`, `os.path.join`, `requests.Session.send` and `print()` do it.",
        "`Customer.name` is a field.",
        "Add `Basket.clear_all()` for that.",
        "There is no `Basket.clear_all()`.",
        "`basket.anything()` on an instance",
        "`Basket.__len__()` may be inherited.",
        "the logger `shop.server`",
        "In shop 2: `Basket.clear_all()` and `Basket.add_lines()`",
        "Users write a `Shelf.Meta.custom_option`.",
        "`Promise.withResolvers()` and `str.removeprefixes()` are of a language",
    ],
)
def test_what_may_come_from_elsewhere_is_unknown(shop, text):
    assert rules(shop, text) == []


def test_a_base_of_the_same_name_that_is_imported_from_a_library_proves_nothing(shop):
    write(shop.workspace, {"shop/special.py": "from library import Priced\n\n\nclass Special(Priced):\n    pass\n"})
    shop.refresh()
    assert rules(shop, "`Special.anything_at_all()` does it.") == []


def test_a_member_that_other_code_sets_is_unknown(shop):
    write(shop.workspace, {"shop/patch.py": "from shop.basket import Basket\n\nBasket.clear_all = lambda self: None\n"})
    shop.refresh()
    assert rules(shop, "`Basket.clear_all()` empties it.") == []


def test_a_name_of_a_module_that_lacks_it_is_wrong(shop):
    one = finding(shop, "`shop.prices.round_prices()` rounds.")
    assert (one["rule"], one["message"]) == ("name-missing", "shop.prices has no such name")


def test_a_function_that_was_renamed_is_told_its_new_name(shop):
    assert rules(shop, "`round_price()` rounds.") == []
    file = shop.workspace / "shop/prices.py"
    file.write_text(file.read_text().replace("round_price", "to_five_cents"))
    shop.refresh()
    one = finding(shop, "`round_price()` rounds.")
    assert (one["rule"], one["reason"], one["now"]["symbol"]) == ("name-gone", "renamed", "to_five_cents")


QUOTED = (
    '    def total_price(self):\n        """Add all prices."""\n        return sum(price for _, price in self.lines)\n'
)


@pytest.mark.parametrize(
    "text", [QUOTED, QUOTED.replace("        ", "    ").replace("    def", "def"), QUOTED + "  \n"]
)
def test_a_quote_is_right_whatever_its_indentation_and_trailing_blanks(shop, text):
    assert rules(shop, f"```20:22:shop/basket.py\n{text}```") == []


def test_a_quote_at_other_lines_is_told_its_lines_now(shop):
    one = finding(shop, f"```1:3:shop/basket.py\n{QUOTED}```")
    assert (one["rule"], one["message"]) == ("quote-moved", "this text is at lines 20-22 now")


def test_a_quote_with_another_line_differs(shop):
    text = QUOTED.replace("sum(", "max(")
    one = finding(shop, f"```20:22:shop/basket.py\n{text}```")
    assert (one["rule"], one["message"]) == (
        "quote-differs",
        "the text differs: 1 of 3 lines is not in the file (line 3 of the quote)",
    )
    assert rules(shop, f"Change it to:\n\n```20:22:shop/basket.py\n{text}```") == []


def test_a_link_starts_at_the_folder_of_the_text(shop):
    text = (shop.workspace / "docs/guide.md").read_text()
    assert rules(shop, text, source_id="docs/guide.md") == []
    assert shop.check(text, source_id="docs/guide.md")["checked"] == 2


def test_a_link_to_a_file_that_is_not_indexed_means_that_file(shop):
    write(shop.workspace, {".gitignore": "built/\n", "built/prices.py": "a = 1\n" * 900})
    shop.refresh()
    assert rules(shop, "See [it](prices.py#L800).", source_id="built/notes.md") == []
    assert rules(shop, "See [it](prices.py#L800).", source_id="docs/notes.md") == ["line-missing"]


def test_a_name_that_other_code_sets_in_a_module_is_unknown(shop):
    write(shop.workspace, {"shop/testing.py": "from shop import prices\n\nprices.all_rates = []\n"})
    shop.refresh()
    assert rules(shop, "`shop.prices.all_rates` has them.") == []


def test_the_whole_path_of_a_file_of_the_workspace_is_understood(shop):
    assert rules(
        shop, f"See `{shop.workspace}/shop/basket.py:16`, [it](file://{shop.workspace}/shop/basket.py#L400)."
    ) == ["line-missing"]


def test_ignored_and_private_files_are_never_opened(shop):
    write(shop.workspace, {".gitignore": "hidden.py\n", "hidden.py": "a = 1\n", ".env": "TOKEN=1\n"})
    shop.refresh()
    for name in ("hidden.py", ".env"):
        # Reading would block for ever.
        (shop.workspace / name).unlink()
        os.mkfifo(shop.workspace / name)
    answer = shop.check("`hidden.py:900`, `.env:900`, `shop/../hidden.py:3` and `hidden.py`")
    assert answer["findings"] == []
    assert answer["notes"] == []


def test_a_text_that_is_too_long_is_refused(shop):
    with pytest.raises(UsageError, match="262,144"):
        shop.check("a" * 262_145)


def test_a_masked_secret_is_compared_as_it_was_shown(shop):
    write(shop.workspace, {"shop/keys.py": 'API_KEY = "sk-proj-4f8a9c2e7b1d6053af92c8e4"\nOTHER = 1\n'})
    shop.refresh()
    shown = shop.show("shop/keys.py", 1, 2)["text"]
    assert "4f8a9c2e" not in shown
    assert rules(shop, f"```1:2:shop/keys.py\n{shown}```") == []


@pytest.mark.parametrize(
    ("text", "reference", "message"),
    [
        ("See `shop/pices.py` for that.", "shop/pices.py", "there is no such file; there is shop/prices.py"),
        ("See shop/pirces.py for that.", "shop/pirces.py", "there is no such file; there is shop/prices.py"),
        ("See shop/shell.py for that.", "shop/shell.py", "there is no such file; there is shop/shelf.py"),
        (
            "It does `from shop.prices import Currency`.",
            "shop.prices.Currency",
            "shop.prices has no such name",
        ),
        (
            "It does from shop.prices import round_price, Currency at the top.",
            "shop.prices.Currency",
            "shop.prices has no such name",
        ),
        (
            "So it goes:\n\n```python\nfrom shop.prices import (\n    Priced,\n    Currency as Money,\n)\n```\n",
            "shop.prices.Currency",
            "shop.prices has no such name",
        ),
        (
            "It does `from shop.pricse import Priced`.",
            "shop.pricse.Priced",
            "there is no module shop.pricse; there is shop/prices.py",
        ),
        (
            "shop/basket.py:2 `Basket.add_line` and `Basket.total_price`",
            "shop/basket.py:2",
            "Basket.add_line is at shop/basket.py:16 now",
        ),
    ],
)
def test_a_path_without_code_marks_an_import_and_a_pair_of_symbols_are_compared(shop, text, reference, message):
    (found,) = shop.check(text)["findings"]
    assert (found["reference"], found["message"]) == (reference, message)


def test_the_place_alone_above_a_block_says_what_it_quotes(shop):
    block = '```python\n    def total_price(self):\n        """Add all prices."""\n```\n'
    (found,) = shop.check(f"shop/basket.py:2-3\n\n{block}")["findings"]
    assert (found["rule"], found["message"]) == ("quote-moved", "this text is at lines 20-21 now")
    assert shop.check(f"shop/basket.py:20-21\n\n{block}")["findings"] == []


@pytest.mark.parametrize(
    "text",
    [
        "Add `from shop.prices import Currency` once it exists.",
        "Create shop/pirces.py for that.",
        "Use from now on import duties, e.g. from china.imports import and so on.",
        "```python\nfrom shop.prices import Currency\n\n\nclass Currency:\n    pass\n```\n",
        "The new module:\n\n```python\nfrom shop.prices import Currency\n```\n",
        "`from shop.prices import Priced` and `from shop import prices`",
        "`from library.prices import Currency`, `from json import loadz`",
        "shop/prices2.py and shop/price.py",
        "https://example.org/shop/pirces.py and [it](https://example.org/shop/pirces.py)",
        "```ts\nfrom shop.prices import Currency\n```\n",
        "shop/basket.py:16 `Basket.total_price` and `Basket.add_line`",
        "`Basket.total_price`, shop/basket.py:16 `Basket.add_line`, shop/prices.py:12 `round_price`",
    ],
)
def test_what_is_proposed_is_foreign_or_is_right_is_no_finding(shop, text):
    assert shop.check(text)["findings"] == []


DIFF = """diff --git a/shop/basket.py b/shop/basket.py
index 89a1860..2f5f6d3 100644
--- a/shop/basket.py
+++ b/shop/basket.py
@@ -1,2 +1,2 @@
-# see `Basket.lost_in_code()`
+# see `Basket.found_in_code()`
 import this
diff --git a/docs/old.md b/docs/guide.md
--- a/docs/old.md
+++ b/docs/guide.md
@@ -10,4 +10,5 @@ # Guide
 `Basket.lost_above()` stands there.

-`Basket.lost_before()` is removed.
+Prices are in `../shop/prices.py:400`, `Basket.add_line()` adds.
+
 The end.
@@ -30 +31 @@
-x
+`Basket.lost_now()` is wrong.
\\ No newline at end of file
diff --git a/docs/away.md b/docs/away.md
deleted file mode 100644
--- a/docs/away.md
+++ /dev/null
@@ -1 +0,0 @@
-`Basket.lost_file()`
"""


@pytest.mark.parametrize(
    "begin_with", ["", "commit 1234567890123456789012345678901234567890\n\n    `Basket.told()`\n\n"]
)
def test_of_a_diff_only_what_it_adds_to_documents_is_checked(shop, begin_with):
    answer = shop.check(begin_with + DIFF)
    found = [(one["path"], one["line"], one["column"], one["reference"]) for one in answer["findings"]]
    assert found == [
        ("docs/guide.md", 12, 16, "../shop/prices.py:400"),
        ("docs/guide.md", 31, 2, "Basket.lost_now()"),
    ]
    assert (answer["checked"], answer["unknown"]) == (3, 0)
    assert answer["notes"] == [
        "this is a diff: checked are the lines that it adds to docs/guide.md; its other files (2) are not documents"
    ]


def test_a_diff_of_code_alone_has_no_claims(shop):
    answer = shop.check(DIFF.partition("diff --git a/docs")[0])
    assert (answer["checked"], answer["findings"], answer["unknown"]) == (0, [], 0)
    assert answer["notes"] == ["this is a diff: checked is nothing, as it adds to no document"]


def test_a_text_that_shows_a_diff_is_no_diff(shop):
    text = f"`Basket.add_lines()` is wrong.\n\n```diff\n{DIFF}```\n"
    assert rules(shop, text) == ["member-missing"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Add `Basket.clear_all()` for that.", "no_claim"),
        ("`requests_toolbelt()` does it.", "not_here"),
        ("`Registry.setdefault_all()` does it.", "open"),
        ("`Promise.withResolvers()` waits.", "of_language"),
        ("It is written to `../../secret/keys.py`.", "outside"),
        ("Run `manage.py`.", "readers_own"),
        ("Look at `shop/readme_of_it/gone.py`.", "not_here"),
    ],
)
def test_why_a_reference_is_not_compared_is_said(shop, text, reason):
    answer = shop.check(text, source_id="docs/guide.md")
    (one,) = answer["unjudged"]
    assert (one["reason"], one["path"], one["line"], answer["unknown"]) == (reason, "docs/guide.md", 1, 1)
    assert one["message"]


def test_of_a_place_beside_an_unknown_name_it_is_not_said_that_it_is_elsewhere(shop):
    answer = shop.check("See `Basket.fly_away` in shop/basket.py:16.")
    assert [one["rule"] for one in answer["findings"]] == ["member-missing"]
    (place,) = answer["unjudged"]
    assert (place["reference"], place["reason"]) == ("shop/basket.py:16", "name_beside")
    assert place["message"].startswith("the lines are there")


@pytest.mark.parametrize("before", ["total_price, ", "round_price as r, "])
def test_each_name_of_an_import_in_code_marks_is_compared(shop, before):
    text = f"`from shop.prices import {before}round_prize, Priced` takes three."
    names = [one["reference"] for one in shop.check(text)["findings"]]
    assert names[-1:] == ["shop.prices.round_prize"]
    assert shop.check(text)["checked"] + shop.check(text)["unknown"] == 3


PACKAGES = {
    "package.json": '{"name": "@shop/web", "version": "1.0.0"}\n',
    "src/index.ts": "export { openCart, type CartOptions } from './cart.js';\n",
    "src/cart.ts": "export interface CartOptions {}\nexport function openCart(options: CartOptions) {\n"
    "  return options;\n}\n",
    "src/all.ts": "export * from './cart';\n",
    "crates/till/Cargo.toml": '[package]\nname = "shop-till"\nversion = "0.1.0"\n',
    "crates/till/src/lib.rs": "pub mod drawer;\npub use drawer::Drawer;\n",
    "crates/till/src/drawer.rs": "pub struct Drawer {}\n\npub fn open_drawer() {}\n",
    "go.mod": "module example.com/shop/v2\n\ngo 1.22\n",
    "stock/stock.go": "package stock\n\nfunc Count() int { return 1 }\n",
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    from helix_core.config import Config
    from helix_core.engine import Helix

    folder = tmp_path_factory.mktemp("packages")
    write(folder, PACKAGES)
    with Helix.open(folder, config=Config(cache_dir=tmp_path_factory.mktemp("cache"))) as engine:
        engine.refresh()
        yield engine


def fenced(language, code):
    return f"Call it so:\n\n```{language}\n{code}\n```\n"


@pytest.mark.parametrize(
    ("language", "code", "wrong"),
    [
        ("ts", "import { openCart, type CartOptions as Options } from '@shop/web';", []),
        ("js", "const { openCart, openCarts } = require('@shop/web')", ["openCarts"]),
        (
            "tsx",
            "import React, { useState } from 'react';\nimport { closeCart } from '@shop/web/extra';",
            ["closeCart"],
        ),
        ("ts", "import { openCart, shutCart } from './src/cart.js';", ["shutCart"]),
        ("ts", "import { shutCart } from './src/all';\nimport { nothing } from './mine';", []),
        ("rust", "use shop_till::Drawer;\nuse shop_till::drawer::{self, open_drawer, Drawer as D};", []),
        ("rust", "use shop_till::{Drawer, close_drawer};\nuse std::io::Read;\nuse serde::Serialize;", ["close_drawer"]),
        (
            "go",
            'import (\n\t"fmt"\n\ts "example.com/shop/v2/stock"\n'
            '\t"example.com/shop/v2/store"\n\t"example.com/shop/old"\n)',
            ["example.com/shop/v2/store"],
        ),
    ],
)
def test_imports_of_other_languages_are_compared(packages, language, code, wrong):
    answer = packages.check(fenced(language, code))
    assert [(one["rule"], one["reference"]) for one in answer["findings"]] == [("name-missing", name) for name in wrong]
    assert answer["checked"] + answer["unknown"] > 0


def test_an_import_is_told_the_nearest_name_and_its_place_in_the_text(packages):
    (one,) = packages.check(fenced("js", "const { openCarts } = require('@shop/web')"))["findings"]
    assert (one["line"], one["column"], one["end_column"]) == (4, 9, 18)
    assert one["message"] == "no code of the package @shop/web has the name; nearest is openCart"
    assert one["now"] == {"source_id": "src/cart.ts", "start_line": 2, "symbol": "openCart"}


@pytest.mark.parametrize(
    "text",
    [
        "Write `import { shutCart } from '@shop/web'` first.",
        "Write `use shop_till::close_drawer;` first.",
        'Write `import "example.com/shop/v2/store"` first.',
    ],
)
def test_an_import_in_code_marks_is_compared(packages, text):
    (one,) = packages.check(text)["findings"]
    assert text[one["column"] - 1 : one["end_column"] - 1] == one["reference"]


@pytest.mark.parametrize(
    ("language", "code", "reason"),
    [
        ("ts", "import { useState } from 'react';", "not_here"),
        ("rust", "use std::fmt;", "of_language"),
        ("rust", "use crate::mine::Thing;", "readers_own"),
        ("go", 'import "net/http"', "of_language"),
        ("go", 'import "example.com/other/thing"', "not_here"),
        ("ts", "import { anything } from './mine';", "readers_own"),
    ],
)
def test_why_an_import_is_not_compared_is_said(packages, language, code, reason):
    assert [one["reason"] for one in packages.check(fenced(language, code))["unjudged"]] == [reason]


def test_an_import_that_is_proposed_is_left_alone(packages):
    text = "Add a new export, and then:\n\n```ts\nimport { shutCart } from '@shop/web';\n```\n"
    assert rules(packages, text) == []


def test_a_renamed_member_is_told_though_others_use_or_have_the_old_name(shop):
    write(
        shop.workspace,
        {
            "shop/cart.py": "class Cart:\n    def total_price(self):\n        return 0\n",
            "tests/test_basket.py": "from shop.basket import Basket\n\nassert not Basket().total_price()\n",
        },
    )
    shop.refresh()
    assert rules(shop, "`Basket.total_price` sums, and `Basket.add_line` puts.") == []
    file = shop.workspace / "shop/basket.py"
    file.write_text(file.read_text().replace("def total_price", "def sum_of_prices"))
    one = finding(shop, "`Basket.total_price` sums them up.")
    assert (one["rule"], one["reason"], one["now"]["symbol"]) == ("name-gone", "renamed", "Basket.sum_of_prices")
    assert one["message"] == "shop/basket.py had it, and has it no more; it may be Basket.sum_of_prices now"
    assert rules(shop, "`Cart.total_price` sums them up.") == []


CALLS = "def greet(name):\n    return name\n\n\ndef say_hello(name, *, loud=False):\n    return name\n"


def test_a_call_that_the_one_function_of_its_name_does_not_take_is_wrong(shop):
    write(shop.workspace, {"shop/words.py": CALLS})
    shop.refresh()
    for text, message in (
        ("`say_hello(name, loud)` greets.", "it is say_hello(name, *, loud=False)"),
        ("`say_hello(name, shout=True)` greets.", "it is say_hello(name, *, loud=False)"),
        ("`greet(name, loud)` in shop/words.py:1 says hello.", "it is greet(name)"),
    ):
        one = finding(shop, text)
        assert (one["rule"], one["message"]) == ("arguments-differ", message)
        assert one["now"]["source_id"] == "shop/words.py"
    (left,) = shop.check("`greet(name, loud)` says hello.")["unjudged"]
    assert left["reason"] == "arguments"


@pytest.mark.parametrize(
    "text",
    [
        "`say_hello(name)`, `say_hello(name, loud=True)` and `say_hello()` greet.",
        "`say_hello(name, ...)` and `say_hello(name[, loud])` greet.",
        "`Basket.add_line(name, price)` and `Basket.add_line(self, name, price)` put.",
        "`open(path, mode, more)` is of a language.",
        "Say hello without `say_hello(name, shout)`.",
    ],
)
def test_a_call_that_may_be_right_is_left(shop, text):
    write(shop.workspace, {"shop/words.py": CALLS + "\n\ndef open(path):\n    return path\n"})
    shop.refresh()
    assert rules(shop, text) == []


def test_a_quote_that_names_one_line_is_shown_with_that_line(shop):
    one = finding(shop, f"```python shop/basket.py:3\n{QUOTED}```")
    assert (one["reference"], one["message"]) == ("shop/basket.py:3", "this text is at lines 20-22 now")
