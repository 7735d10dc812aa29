"""What a trace points at comes first, wherever the code was installed when it ran."""

import pytest

from helix_core.conversation import coordinates, read_question
from helix_core.search.coordinates import located
from helix_core.search.named import NAMED_CONFIDENCE
from helix_core.search.search import SearchRequest, search
from tests.search.conftest import SHOP

TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3.12/runpy.py", line 88, in _run_code
  File "/home/somebody/venv/lib/python3.12/site-packages/shop/stock.py", line 6, in reserve
ValueError: zzyzx
"""


def test_the_place_of_a_trace_is_first_and_its_question_is_never_called_empty(shop):
    found = search(SearchRequest("zzyzx qwrtplk", 5, places=coordinates(TRACE)), shop)
    first = found.ranked[0]
    assert (first.item.source.source_id, first.signals[0].ranker) == ("src/shop/stock.py", "pasted")
    assert first.item.start_line <= 6 <= first.item.end_line
    assert not found.known_empty
    assert search(SearchRequest("zzyzx qwrtplk", 5), shop).known_empty


@pytest.mark.parametrize("text", ["/usr/lib/other/runpy.py:3", "stock.py:9999", "elsewhere/nothing.py:2"])
def test_a_frame_of_a_library_or_past_the_end_of_a_file_is_no_place(shop, text):
    found = search(SearchRequest("price of the cart", 5, places=coordinates(text)), shop)
    assert all(signal.ranker != "pasted" for one in found.ranked for signal in one.signals)


def test_a_function_of_a_built_bundle_is_a_place_where_one_file_defines_it(indexed):
    store = "export function makeStore(options) {\n  return options.reducer\n}\n"
    files = {"src/makeStore.ts": store, "tests/makeStore.ts": store, "src/other.ts": "export function run() {}\n"}
    reader = indexed({**SHOP, **files})

    def places(function: str, path: str) -> list[str]:
        trace = (
            f"TypeError: zzyzx\n    at {function} ({path}:512:27)\n    at Object.<anonymous> (/app/src/store.ts:7:15)"
        )
        asked = read_question(trace)
        found = search(SearchRequest(asked.text, 5, judged=asked.judged, places=asked.places), reader)
        pasted = [one for one in found.ranked if any(signal.ranker == "pasted" for signal in one.signals)]
        assert found.known_empty is not bool(pasted)
        return [one.item.source.source_id for one in pasted]

    for bundle in ("store.esm-bundler.js", "store.cjs.prod.js", "store.global.js"):
        assert places("makeStore", bundle) == ["src/makeStore.ts"]
    built = "/home/joe/app/node_modules/@shop/store/dist/store.cjs"
    assert places("makeStore", built) == ["src/makeStore.ts"]
    assert places("run", built) == places("renderPage", built) == []


def test_a_frame_of_a_built_bundle_whose_function_is_first_is_no_doubtful_answer(indexed):
    parts = {f"src/part{at}.ts": f"export function processPart{at}(a) {{\n  return a\n}}\n" for at in range(9)}
    update = "export function shouldUpdate(a) {\n  return a.emits\n}\n"
    trace = "TypeError: Cannot read properties of null\n    at shouldUpdate (core.esm-bundler.js:1012:25)\nhelp???"
    asked = read_question(trace)
    request = SearchRequest(asked.text, 5, judged=asked.judged, places=asked.places, message=asked.message)
    found = search(request, indexed({**SHOP, **parts, "src/update.ts": update}))
    assert found.ranked[0].item.name == "shouldUpdate"
    assert found.confidence >= NAMED_CONFIDENCE and not found.notes


def test_a_frame_of_the_jvm_is_in_no_source_set_of_another_platform(indexed):
    code = 'package org.shop\n\nobject Cart {\n    fun get(): Int = error("the cart is empty")\n}\n'
    sets = {f"core/src/{name}Main/kotlin/org/shop/Cart.kt": code for name in ("js", "jvm", "native", "wasmJs")}
    asked = read_question("java.lang.IllegalStateException: empty\n    at org.shop.Cart.get(Cart.kt:4)")
    found = search(SearchRequest(asked.text, 5, judged=asked.judged, places=asked.places), indexed(sets))
    assert found.ranked[0].item.source.source_id == "core/src/jvmMain/kotlin/org/shop/Cart.kt"


def test_a_word_that_is_not_judged_takes_no_present_thing_away(shop):
    wrapped = "price of the cart qwrtplk Zzyzx"
    assert search(SearchRequest(wrapped, 5), shop).known_empty
    found = search(SearchRequest(wrapped, 5, judged="price of the cart"), shop)
    assert not found.known_empty and found.ranked[0].item.source.source_id == "src/shop/cart.py"


def test_what_is_far_from_the_best_match_is_not_told_beside_the_places_of_a_trace(indexed):
    tail = {f"src/shop/other_{number}.py": f"def customer_{number}(text):\n    return text\n" for number in range(6)}
    trace = (
        'Traceback (most recent call last):\n  File "/app/src/shop/mail.py", line 9, in send_confirmation\n'
        '    raise ValueError("the order %s has no mail address to confirm to" % order.number)\n'
        "ValueError: the order 7 has no mail address to confirm to"
    )
    reader = indexed({**SHOP, **tail})
    asked = read_question(f"why is the customer not told?\n{trace}")
    alone = search(SearchRequest(asked.text, 20, judged=asked.judged), reader)
    beside = search(SearchRequest(asked.text, 20, judged=asked.judged, places=asked.places), reader)
    assert beside.ranked[0].item.source.source_id == "src/shop/mail.py"
    assert len(beside.ranked) < len(alone.ranked) / 2


_ASSERTS = "        assert shop\n" * 12
TESTS = "".join(f"class Test{name}:\n    def test_add(self):\n{_ASSERTS}\n" for name in ("Cart", "Stock"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("FAILED tests/test_shop.py::TestStock::test_add - assert 1 == 2", 17),
        ("FAIL: test_add (tests.test_shop.TestCart.test_add)", 2),
        ("tests/test_shop.py::TestStock::test_add FAILED [ 45%]", 17),
    ],
)
def test_a_test_that_failed_is_the_first_place_by_its_own_name(indexed, text, line):
    reader = indexed({**SHOP, "tests/test_shop.py": TESTS})
    asked = read_question(text)
    found = search(SearchRequest(asked.text, 5, judged=asked.judged, places=asked.places), reader)
    first = found.ranked[0]
    assert (first.item.source.source_id, first.signals[0].ranker) == ("tests/test_shop.py", "pasted")
    assert first.lines.start_line <= line <= first.lines.end_line and first.lines.end_line - line <= 13
    assert found.confidence >= 0.9 and not found.known_empty


def test_a_logger_points_at_the_best_place_of_its_module(indexed):
    module = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(30))
    module += 'def reserve(order):\n    log.warning("Reservations exhausted for order %r", order)\n'
    other = 'def refuse(order):\n    return "Reservations exhausted for order, exhausted, exhausted"\n'
    reader = indexed({**SHOP, "src/shop/reserving.py": module, "src/shop/refusing.py": other})
    asked = read_question("2026-03-01 10:12:44 [shop.reserving] WARNING: Reservations exhausted for order 'a-17'")
    found = search(SearchRequest(asked.text, 5, judged=asked.judged, places=asked.places), reader)
    first = found.ranked[0]
    assert (first.item.source.source_id, first.item.symbol) == ("src/shop/reserving.py", "reserve")
    assert not found.known_empty


MOVED = {
    "src/shop/wire.py": "import socket\n\n\nclass Wire:\n    def resolve(self):\n"
    + "        host = self.host\n" * 30
    + "\n    def connect(self):\n        return self._connect()\n\n    def _connect(self):\n        return socket\n",
    "lib/shop/worker.rb": "require 'shop'\n\nmodule Shop\n  class Worker\n    def stop\n      1\n    end\n\n"
    "    def process_one\n      2\n    end\n  end\nend\n",
    "Source/Core/Session.swift": "class Session {\n    func start() -> Int {\n        return 1\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("trace", "line"),
    [
        ('  File "/venv/site-packages/shop/wire.py", line 9, in connect\n    self._connect()', 37),
        ('  File "/venv/site-packages/shop/wire.py", line 9, in _connect', 40),
        ('  File "/venv/site-packages/shop/wire.py", line 9, in resolve', 9),
        ('  File "/venv/site-packages/shop/wire.py", line 9, in gone_since', 9),
        ("/gems/lib/shop/worker.rb:5:in `process_one'", 9),
        ("/gems/lib/shop/worker.rb:5:in 'block in Shop::Worker#process_one'", 9),
    ],
)
def test_a_frame_means_its_function_where_its_line_has_moved(trace: str, line: int, indexed) -> None:  # type: ignore[no-untyped-def]
    [one] = coordinates(trace)
    [place] = located([one], indexed(MOVED))
    shown = place.lines
    assert shown.start_line <= line <= shown.end_line
    # Around that line and no wider, where the chunk has more than the function.
    assert (shown.start_line, shown.end_line) == (
        max(place.item.start_line, line - 6),
        min(place.item.end_line, line + 6),
    )


def test_swift_prints_a_file_behind_its_module(indexed) -> None:  # type: ignore[no-untyped-def]
    places = coordinates("Fatal error: Index out of range: file Shop/Session.swift, line 2")
    found = search(SearchRequest("zzyzx qwrtplk", 5, places=places), indexed(MOVED))
    assert found.ranked[0].item.source.source_id == "Source/Core/Session.swift"
