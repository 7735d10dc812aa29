"""One range everywhere: each surface begins the same definition at the same line, its comment or its decorators."""

import pytest

FILES = {
    "app/shop.py": '''import functools


# Why this one is cached:
# the sum is slow.
@functools.lru_cache(
    maxsize=8,
)
@functools.wraps(print)
def total_price(lines, currency="EUR"):
    """Return the sum of all prices.

    Rounded at the end.
    """
    total = 0
    for line in lines:
        total += line
    return round(total, 2)
''',
    "app/shop.ts": """import { x } from './x'

/**
 * Rounds a price to cents.
 */
export function roundPrice(price: number): number {
  const cents = price * 100
  return Math.round(cents) / 100
}

/** A cart. */
@Injectable()
export class CartOfPrices {
  /**
   * Adds a line.
   */
  @Log()
  addCartLine(line: string): void {
    this.lines.push(line)
    this.count += 1
  }
}
""",
    "app/shop.rs": """use std::fmt;

/// Returns the weight of a parcel.
#[inline]
#[must_use]
pub fn parcel_weight(parcel: &Parcel) -> u32 {
    let base = parcel.base;
    base + 1
}
""",
    "app/Shop.java": """package shop;

/**
 * An order of a customer.
 */
@Entity
@Table(
  name = "orders"
)
public class CustomerOrder {
  int shipOrder(int a) {
    return a + 1;
  }
}
""",
    "app/cart.cc": """#include <vector>

// A cart of a shop.
template <class T>
class ShopCart {
  int size;
  int weight;
};
""",
}
FIRST = {
    "total_price": ("app/shop.py", 4),
    "roundPrice": ("app/shop.ts", 3),
    "CartOfPrices": ("app/shop.ts", 11),
    "parcel_weight": ("app/shop.rs", 3),
    "CustomerOrder": ("app/Shop.java", 3),
    "ShopCart": ("app/cart.cc", 3),
}


@pytest.mark.parametrize("name", FIRST)
def test_each_surface_begins_a_definition_at_its_comment_or_decorators(helix, repository, name):
    for path, text in FILES.items():
        (repository / path).write_text(text)
    helix.refresh()
    about = helix.symbols.about(name)["definitions"][0]
    found = helix.search(name, k=3)["items"][0]
    packet = helix.packet(name, k=3)["verified"][0]
    assert [(one["source_id"], one["start_line"]) for one in (about, found, packet)] == [FIRST[name]] * 3
    text = FILES[FIRST[name][0]].splitlines()
    ends = {about["end_line"], found["end_line"], packet["end_line"]}
    assert not "".join(text[min(ends) : max(ends)]).strip(), "they differ by blank lines at most"


def test_a_member_begins_with_its_own_comment_and_not_where_a_blank_line_ends_it(helix, repository):
    (repository / "app" / "shop.ts").write_text(FILES["app/shop.ts"])
    plain = (
        "# About the file.\n\nLIMIT_OF_CARTS = 3\ntotal = (\n    1\n)\ndef count_carts():\n    return LIMIT_OF_CARTS\n"
    )
    (repository / "app" / "plain.py").write_text(plain)
    helix.refresh()
    lines = [helix.symbols.about(name)["definitions"][0]["start_line"] for name in ("addCartLine", "count_carts")]
    assert lines == [14, 7]
    assert helix.symbols.about("LIMIT_OF_CARTS")["definitions"][0]["start_line"] == 3
