"""Frames as clients really send them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_ls.host.shim import MAX_BODY, FrameReader, frame


def bodies_of(data, early=b"", piece=1 << 16):
    stream = io.BytesIO(data)
    frames = FrameReader(lambda size: stream.read(min(size, piece)), early)
    found = []
    while (body := frames.next()) is not None:
        found.append(body)
    return found


@given(st.lists(st.binary(min_size=1, max_size=200), max_size=8), st.integers(1, 50), st.integers(0, 60))
def test_what_is_framed_comes_out_however_it_is_cut(bodies, piece, early):
    data = b"".join(map(frame, bodies))
    assert bodies_of(data[early:], data[:early], piece) == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length:    2\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: x\r\n\r\n",
        b"X-Unknown: 1\nContent-Length : 2\n\n",
        b"\r\n\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_headers_are_read_leniently(header):
    assert bodies_of(header + b"{}" + frame(b"[1]")) == [b"{}", b"[1]"]


@pytest.mark.parametrize(
    "fault",
    [
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"hello\r\n\r\n",
        b"hello there\n",
        b"\0" * 200_000 + b"\n",
    ],
)
def test_what_has_no_usable_length_is_skipped(fault):
    assert bodies_of(fault + frame(b"{}")) == [b"{}"]


def test_a_body_too_large_is_skipped_and_said_to_be(monkeypatch):
    monkeypatch.setattr("helix_ls.host.shim.MAX_BODY", 10)
    assert bodies_of(frame(b"x" * 5000) + frame(b"{}"), piece=100) == [b"", b"{}"]
    assert MAX_BODY == 256 << 20


def test_a_body_cut_short_by_the_end_is_none():
    assert bodies_of(frame(b"{}")[:-1]) == []
