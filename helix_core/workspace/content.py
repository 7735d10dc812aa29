"""What a file's bytes say about whether they are worth reading: binary, minified, generated, a private key.

Pure: a path and its bytes in, a reason out. Only the first kilobytes and the line lengths are looked at.
"""

from __future__ import annotations

from helix_core.lines import line_breaks

_HEAD_BYTES = 8192
_MARKER_BYTES = 1024
_MAX_LINES = 50_000
_MINIFIED_BYTES = 5000
_MINIFIED_MEAN = 500
_PROSE = (b".md", b".markdown", b".mdx", b".rst", b".txt", b".adoc", b".tex", b".org")
_LOCKS = frozenset(
    b"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock pipfile.lock pdm.lock "
    b"uv.lock cargo.lock composer.lock gemfile.lock go.sum flake.lock mix.lock pubspec.lock podfile.lock "
    b"packages.lock.json".split()
)
_COMMENT = (b"#", b"//", b"/*", b"*", b"<!--", b"--", b";", b"%", b'"""', b"..", b"{#", b"(*")
_GENERATED = b"generated"
_HANDS_OFF = (b"@" + _GENERATED, b"do not edit", b"do not modify")
_KEY_OPENING = b"-----BEGIN "
_KEY_MARK = b"PRIVATE KEY"


def content_reason(path: bytes, data: bytes) -> str:
    """Why these bytes do not count: ``binary``, ``minified``, ``generated``, ``too_large``, ``private``, or ``""``."""
    head = data[:_HEAD_BYTES]
    if b"\0" in head:
        return "binary"
    if _is_private_key(head):
        return "private"
    name = path.rpartition(b"/")[2].lower()
    if name in _LOCKS or _says_generated(head[:_MARKER_BYTES]):
        return "generated"
    if b".min." in name or _is_minified(name, data):
        return "minified"
    return "too_large" if line_breaks(data) > _MAX_LINES else ""


def _is_private_key(head: bytes) -> bool:
    """A file that *is* a key (PEM, RFC 7468, or OpenPGP armour); one that quotes a key is left to masking."""
    opening, _, _ = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if opening.startswith(_KEY_OPENING) and opening.rstrip().endswith(b"-----"):
        return _KEY_MARK in head
    return False


def _says_generated(head: bytes) -> bool:
    """A comment near the top with the tag, or with both words tools write: made by a program, hands off."""
    for line in head.splitlines()[:15]:
        text = line.strip().lower()
        if text.startswith(_COMMENT) and _GENERATED in text and any(words in text for words in _HANDS_OFF):
            return True
    return False


def _is_minified(name: bytes, data: bytes) -> bool:
    """Lines no person writes: over 500 bytes on average, the longest over 5,000. Prose may have long paragraphs."""
    if len(data) < _MINIFIED_BYTES or len(data) < _MINIFIED_MEAN * (line_breaks(data) + 1):
        return False
    if name.endswith(_PROSE):
        return False
    return max(map(len, data.splitlines())) > _MINIFIED_BYTES
