"""Frames as clients really send them."""

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_ls.host.framing import MAX_BODY_BYTES, FrameReader, Frames, TooLarge, framed


def bodies_of(data, piece=1 << 16, **limits):
    stream = io.BytesIO(data)
    frames = FrameReader(lambda size: stream.read(min(size, piece)), **limits)
    found = []
    while (body := frames.next()) is not None:
        found.append(body)
    return found


@given(st.lists(st.binary(min_size=1, max_size=200), max_size=8), st.integers(1, 50))
def test_what_is_framed_comes_out_however_it_is_cut(bodies, piece):
    data = b"".join(map(framed, bodies))
    assert bodies_of(data, piece) == bodies


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
    assert bodies_of(header + b"{}" + framed(b"[1]")) == [b"{}", b"[1]"]


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
    assert bodies_of(fault + framed(b"{}")) == [b"{}"]


def test_a_body_too_large_is_skipped_and_said_to_be():
    assert bodies_of(framed(b"x" * 5000) + framed(b"{}"), piece=100, max_body_bytes=10) == [b"", b"{}"]
    assert MAX_BODY_BYTES == 256 << 20


def test_a_body_cut_short_by_the_end_is_none():
    assert bodies_of(framed(b"{}")[:-1]) == []


@given(st.binary(max_size=40), st.lists(st.binary(min_size=1, max_size=40), max_size=4), st.integers(1, 30))
def test_the_shim_finds_the_frames_that_the_server_behind_it_finds(noise, bodies, piece):
    data = noise + b"".join(map(framed, bodies))

    class Source:
        def __init__(self):
            self.stream = io.BytesIO(data)

        async def read(self, n=-1):
            return self.stream.read(min(n, piece))

    async def by_the_server():
        frames, found = Frames(Source()), []
        while (body := await frames.next()) is not None:
            found.append(b"" if isinstance(body, TooLarge) else body)
        return found

    assert bodies_of(data, piece=piece) == asyncio.run(by_the_server())
