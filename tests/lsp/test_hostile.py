"""Forty ways to send nonsense: the server stays, and whatever has an id that can be told is answered exactly once."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from helix_ls.host.framing import MAX_LINE_BYTES
from tests.lsp.conftest import StartWire, serving
from tests.lsp.wire import Wire, framed

HOVER = {"textDocument": {"uri": "file:///nowhere.py"}, "position": {"line": 0, "character": 0}}


def hover(number: object, **more: object) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": "textDocument/hover", "params": HOVER, **more}
    ).encode()


@dataclass(frozen=True)
class Case:
    """Bytes; what each id they hold is answered with (0: a result); how often the answer has no id."""

    name: str
    data: bytes
    answered: tuple[tuple[object, int], ...] = ()
    without_id: int = 0


DEEP = b'{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
DEEP_MAP = (
    b'{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001
)
LESS_DEEP = b'{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":' + b'{"a":' * 600 + b"1" + b"}" * 601
PLACE = b'{"textDocument":{"uri":"a"},"position":{"line":%s,"character":0}}'
DIGITS = b'{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":' + PLACE + b"}"
BIG_ID = b'{"jsonrpc":"2.0","id":%s,"method":"textDocument/hover","params":{}}' % (b"9" * 10_000)

CASES = [
    Case("not JSON", framed(b"{not json"), without_id=1),
    Case("an empty object", framed(b"{}"), without_id=1),
    Case("bytes that are not UTF-8", framed(b'{"jsonrpc":"2.0","id":77,"method":"\xff\xfe"}'), without_id=1),
    Case("a body in UTF-16", framed(hover(77).decode().encode("utf-16")), without_id=1),
    Case("a byte order mark", framed(b"\xef\xbb\xbf" + hover(77)), without_id=1),
    Case("null", framed(b"null"), without_id=1),
    Case("a number", framed(b"42"), without_id=1),
    Case("a text", framed(b'"text"'), without_id=1),
    Case("true", framed(b"true"), without_id=1),
    Case("an empty batch", framed(b"[]"), without_id=1),
    Case("a batch", framed(b"[" + hover(77) + b"]"), without_id=1),
    Case("NaN", framed(b'{"jsonrpc":"2.0","id":77,"method":"x","params":NaN}'), without_id=1),
    Case("a hundred thousand arrays deep", framed(DEEP), without_id=1),
    Case("a hundred thousand objects deep", framed(DEEP_MAP), without_id=1),
    Case("six hundred objects deep", framed(LESS_DEEP), ((77, -32602),)),
    Case("a line number of ten thousand digits", framed(DIGITS % (b"9" * 10_000)), ((77, -32602),)),
    Case("a line number beyond every float", framed(DIGITS % b"1e999"), ((77, -32602),)),
    Case("a line number that is a part", framed(DIGITS % b"-3"), ((77, -32602),)),
    Case("an id of ten thousand digits", framed(BIG_ID), without_id=1),
    Case("an id that is a part", framed(hover(1.5)), without_id=1),
    Case("an id that is true", framed(hover(True)), without_id=1),
    Case("an id that is an object", framed(hover({"a": 1})), without_id=1),
    Case("an id that is null", framed(hover(None)), without_id=1),
    Case("an empty id", framed(hover("")), (("", 0),)),
    Case("an id of a megabyte", framed(hover("x" * 1_000_000)), (("x" * 1_000_000, 0),)),
    Case("no version", framed(b'{"id":77,"method":"textDocument/hover"}'), ((77, -32600),)),
    Case("another version", framed(hover(77, jsonrpc="1.0")), ((77, -32600),)),
    Case("a method that is a number", framed(hover(77, method=5)), ((77, -32600),)),
    Case("a method that is null", framed(hover(77, method=None)), ((77, -32600),)),
    Case("a method of a megabyte", framed(hover(77, method="m" * 1_000_000)), ((77, -32601),)),
    Case("odd keys", framed(hover(77, **{"": 1, "\0": 2, "__class__": 3, "type_name": "x"})), ((77, 0),)),
    Case("a method and a result", framed(hover(77, result=1, error={"code": 1})), ((77, 0),)),
    Case("an id and nothing else", framed(b'{"jsonrpc":"2.0","id":77}'), ((77, -32600),)),
    Case("two of one key", framed(b'{"id":1,' + hover(77)[1:]), ((77, 0),)),
    Case("an id that was used before", framed(hover(77)), ((77, 0),)),
    Case("a length of zero", b"Content-Length: 0\r\n\r\n"),
    Case("a negative length", b"Content-Length: -5\r\n\r\n"),
    Case("a length that is not a number", b"Content-Length: many\r\n\r\n"),
    Case("no length", b"Content-Type: x\r\n\r\n"),
    Case("a header in small letters", b"content-length:%d\r\n\r\n%s" % (len(hover(77)), hover(77)), ((77, 0),)),
    Case("a header in capitals", b"CONTENT-LENGTH :  %d \r\n\r\n%s" % (len(hover(77)), hover(77)), ((77, 0),)),
    Case("lines that end in LF alone", b"Content-Length: %d\n\n%s" % (len(hover(77)), hover(77)), ((77, 0),)),
    Case("two lengths", b"Content-Length: 3\r\nContent-Length: %d\r\n\r\n%s" % (len(hover(77)), hover(77)), ((77, 0),)),
    Case("other headers", b"X: y\r\n" + framed(hover(77)), ((77, 0),)),
    Case("a giant header", b"X-Giant: " + b"x" * (3 * MAX_LINE_BYTES) + b"\r\n" + framed(hover(77)), ((77, 0),)),
    Case("a thousand headers", b"X-More: y\r\n" * 1000 + framed(hover(77)), ((77, 0),)),
    Case("a length that is too small", b"Content-Length: 20\r\n\r\n" + hover(66) + framed(hover(77)), ((77, 0),), 1),
    Case(
        "a length that is too large",
        b"Content-Length: %d\r\n\r\n%s" % (len(hover(66)) + 9, hover(66)) + framed(hover(77)) + framed(hover(88)),
        ((66, 0), (77, 0), (88, 0)),
    ),
    Case(
        "a length that swallows three messages",
        b"Content-Length: %d\r\n\r\n%s" % (len(hover(66)) + 2 * len(framed(hover(77))), hover(66))
        + framed(hover(77))
        + framed(hover(88)),
        ((66, 0), (77, 0), (88, 0)),
    ),
    Case("noise between the messages", b"\0\1\2 noise {} \r\n" * 50 + framed(hover(77)), ((77, 0),)),
    Case("blanks around the body", framed(b" \r\n\t" + hover(77) + b"\r\n "), ((77, 0),)),
    Case("a body over the limit", framed(b'"' + b"x" * 500 + b'"') + framed(hover(77)), ((77, 0),), 1),
]


@pytest.fixture(scope="module")
def tormented(tmp_path_factory: pytest.TempPathFactory, starts_processes):
    """One server for all of it: what a case leaves behind, the next one meets."""
    with serving(tmp_path_factory.mktemp("hostile"), "-c", SMALL_LIMIT) as wire:
        yield wire


@pytest.mark.parametrize(
    "case", [each for each in CASES if each.name != "a body over the limit"], ids=lambda one: one.name
)
def test_nonsense_does_no_harm(tormented: Wire, case: Case) -> None:
    check(tormented, case)


def test_a_body_over_the_limit_is_passed_over(start: StartWire) -> None:
    wire = start("-c", SMALL_LIMIT.replace("10**9", "400"))
    wire.initialize()
    check(wire, next(each for each in CASES if each.name == "a body over the limit"))


def check(wire: Wire, case: Case) -> None:
    """Send it; everything is answered, once, in any order, and the server answers what comes next."""
    before = len(wire.heard)
    wire.raw(case.data)
    assert wire.is_alive()
    answers = [one for one in wire.heard[before:] if "method" not in one]
    said = [(one["id"], one.get("error", {"code": 0})["code"]) for one in answers][:-1]
    nameless = [code for number, code in said if number is None]
    assert sorted(map(str, case.answered)) == sorted(str(one) for one in said if one[0] is not None)
    assert len(nameless) == case.without_id
    assert set(nameless) <= {-32700, -32600}


SMALL_LIMIT = """
from helix_ls.host import framing
from helix_ls.lsp import session
whole = framing.Frames
session.Frames = lambda source: whole(source, max_body_bytes=10**9)
from helix_ls.lsp.session import run
raise SystemExit(run())
"""
