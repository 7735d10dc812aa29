"""A helix process on a pseudo terminal that controls it, as in a real window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from .conftest import environment

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
_ATTACH = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.executable, sys.argv[1:])"


class Terminal:
    """``said`` is everything the process wrote so far, escape sequences included."""

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, 60))
        command = [sys.executable, "-m", "helix_ls.cli", *arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _ATTACH, *command],
            env=environment(home, TERM="xterm-256color", **more),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._bytes = bytearray()

    @property
    def said(self) -> str:
        return self._bytes.decode("utf-8", "replace")

    def read_until(self, words: str | None) -> None:
        """Read until the words were said; None: until the process closes the terminal."""
        while words is None or words not in self.said:
            try:
                piece = os.read(self._ours, 65536)
            except OSError:
                return
            if not piece:
                return
            self._bytes += piece

    def press(self, key: bytes) -> None:
        """What the keyboard sends."""
        os.write(self._ours, key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)
