"""A real index over a small tree, made by the real ingest."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helix_core.ingest.document import ingest
from helix_core.model import StatSignature
from helix_core.store import Index, Reader, open_index

Indexed = Callable[[dict[str, str]], Reader]

SHOP = {
    "src/shop/cart.py": '''
"""The shopping cart."""


class Cart:
    """What a customer is about to buy."""

    def add_article(self, article, count):
        """Put an article into the cart, or raise its count."""
        self.articles[article] = self.articles.get(article, 0) + count

    def total_price(self):
        """Sum of the prices, with discounts taken off."""
        return sum(article.price * count for article, count in self.articles.items())
''',
    "src/shop/mail.py": '''
"""Mails to customers."""

RETRY_DELAY = 30


def send_confirmation(order):
    """Tell the customer by mail that the order was received."""
    if not order.address:
        raise ValueError("the order %s has no mail address to confirm to" % order.number)
    return deliver(order.address, retry=RETRY_DELAY)


def parseMailHeader(text):
    return text.split(":")
''',
    "src/shop/stock.py": '''
"""What lies in the warehouse."""


def reserve(article, count):
    """Set articles aside until the order is paid."""
    return count


def connect(host, port=5432):
    return host, port
''',
    "tests/test_cart.py": '''
from shop.cart import Cart


def test_total_price():
    """The total price of a cart is the sum of the prices with discounts taken off."""
    assert Cart().total_price() == 0


def test_add_article():
    """Put an article into the cart, raise the count of an article in the cart."""
    Cart().add_article("pen", 1)
''',
    "examples/demo.py": '''
"""Add an article to the cart and print the total price of the cart."""
from shop.cart import Cart
cart = Cart()
cart.add_article("pen", 2)
print(cart.total_price())
''',
    "CHANGES.md": "# Changes\n\n## 1.2\n\nThe total price of the cart takes discounts off.\n",
    "docs/guide.md": "# Guide\n\n## Sending mails\n\nA confirmation is sent for every order.\n",
    "settings.toml": "[mail]\nretry_delay = 30\nsender = 'shop'\n",
}


def fill(index: Index, files: dict[str, str]) -> None:
    """Index the files."""
    with index.writer().batch():
        for number, (path, text) in enumerate(files.items(), start=1):
            document = ingest(path.encode(), text.encode())
            signature = StatSignature(document.size_bytes, number, number, number)
            index.writer().replace(document, signature, number)


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[Indexed]:
    """Index a tree given as ``{path: text}`` and read it."""
    opened: list[Reader | Index] = []

    def make(files: dict[str, str]) -> Reader:
        index = open_index(tmp_path / f"{len(opened)}" / "index.db")
        opened.append(index)
        fill(index, files)
        reader = index.reader(budget_ms=5_000)
        opened.append(reader)
        return reader

    yield make
    for one in reversed(opened):
        one.close()


@pytest.fixture(scope="session")
def shop_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the shop, closed: each test has a copy."""
    file = tmp_path_factory.mktemp("shop") / "index.db"
    with open_index(file) as index:
        fill(index, SHOP)
    return file


@pytest.fixture
def shop(shop_index: Path, tmp_path: Path) -> Iterator[Reader]:
    """A small shop with tests, an example, a changelog, a guide and settings."""
    folder = tmp_path / "shop"
    shutil.copytree(shop_index.parent, folder)
    with open_index(folder / shop_index.name) as index, index.reader(budget_ms=5_000) as reader:
        yield reader
