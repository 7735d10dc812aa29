"""Frames out of a stream, however its bytes arrive."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_ls.host.framing import Frames, TooLarge, framed


class Pieces:
    """A stream that gives what it has in pieces of the given sizes."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.sizes = data, sizes or [1]
        self.number = 0

    async def read(self, n: int = -1) -> bytes:
        size = min(self.sizes[self.number % len(self.sizes)], n)
        self.number += 1
        piece, self.data = self.data[:size], self.data[size:]
        return piece


def all_of(frames: Frames) -> list[bytes | TooLarge]:
    async def read() -> list[bytes | TooLarge]:
        found = []
        while (frame := await frames.next()) is not None:
            found.append(frame)
        return found

    return asyncio.run(read())


@given(st.lists(st.binary(min_size=1, max_size=80), max_size=6), st.lists(st.integers(1, 50), min_size=1, max_size=5))
def test_bodies_come_out_as_they_went_in(bodies: list[bytes], sizes: list[int]) -> None:
    assert all_of(Frames(Pieces(b"".join(map(framed, bodies)), sizes))) == bodies


def test_half_a_frame_at_the_end_is_no_frame() -> None:
    assert all_of(Frames(Pieces(framed(b"whole") + framed(b"half")[:-1], [3]))) == [b"whole"]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_body_over_the_limit_is_passed_over_and_named(size: int) -> None:
    data = framed(b"a") + framed(b"b" * 300) + framed(b"c")
    assert all_of(Frames(Pieces(data, [size]), max_body_bytes=100)) == [b"a", TooLarge(300), b"c"]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_length_that_nobody_means_is_named_and_the_next_message_is_found(size: int) -> None:
    data = b"Content-Length: 99999999999\r\n\r\n{}" + framed(b"a") + framed(b"b")
    assert all_of(Frames(Pieces(data, [size]))) == [TooLarge(99_999_999_999), b"a", b"b"]


def test_what_is_put_back_is_read_again() -> None:
    async def read() -> list[bytes | TooLarge | None]:
        frames = Frames(Pieces(framed(b"one") + framed(b"three"), [100]))
        first = await frames.next()
        frames.put_back(framed(b"two"))
        return [first, await frames.next(), await frames.next(), await frames.next()]

    assert asyncio.run(read()) == [b"one", b"two", b"three", None]


def test_a_line_without_an_end_takes_no_memory() -> None:
    frames = Frames(Pieces(b"x" * 3_000_000, [100_000]))
    assert all_of(frames) == []
    assert len(frames._buffer._buffer) < 300_000
