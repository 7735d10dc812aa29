"""Masked files are kept between answers by what is in them, never by where they are, and never without bound."""

import hashlib

from helix_core.engine.verdict.observe import MaskedFiles
from helix_core.model import StatSignature
from helix_core.workspace.disk import DiskFile


def file_of(data: bytes) -> DiskFile:
    return DiskFile(data, StatSignature(len(data), 1, 1, 1), hashlib.sha256(data).hexdigest())


def test_the_same_bytes_are_masked_once_and_other_bytes_anew():
    kept = MaskedFiles()
    secret = b'key = "AKIA' + b'IOSFODNN7EXAMPLQ"\n'
    first = kept.of(file_of(secret))
    assert b"IOSFODNN7" not in first.data
    assert kept.of(file_of(secret)) is first
    assert kept.of(file_of(b"port = 1\n")).data == b"port = 1\n"


def test_the_least_used_file_goes_when_there_is_no_room():
    kept = MaskedFiles(kept_bytes=25)
    files = [file_of(b"%d" % number * 10) for number in range(3)]
    first, second = kept.of(files[0]), kept.of(files[1])
    assert kept.of(files[0]) is first
    kept.of(files[2])
    assert kept.of(files[0]) is first
    assert kept.of(files[1]) is not second
