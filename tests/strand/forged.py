"""Signed files, right and wrong, and what the reader in Python says of each: for holding another reader against it.

    python -m tests.strand.forged

Writes one JSON object a line: ``{case, data, lines}``, ``data`` in Base64, ``lines`` null where the file is refused.
The last lines are ``{code, bytes}`` of recovery codes as people type them, and ``{passphrase, opens}``.

The files are made from the specification with the bindings of libsodium, not by the writer in Python, which would
refuse to write most of them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nacl import bindings

from helix_core.errors import HelixError
from helix_core.strand import NEWEST_SCHEMA, Passphrase, RecoveryCode, open_strand, record_of, signer_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "strands"
KEYS: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))["keys"]
PUBLIC, SECRET = bindings.crypto_sign_seed_keypair(bytes.fromhex(KEYS["signer_ed25519_seed"]))
CODE = RecoveryCode.read(KEYS["recovery_code"])
DATA_KEY, ID, SALT, NONCE = bytes(range(32)), bytes(16), bytes(range(16)), bytes(range(24))
CHUNK = 65_536
MESSAGE, PUSH, REKEY, FINAL = 0, 1, 2, 3
Line = bytes


def labeled(label: str, data: bytes, key: bytes = b"", size: int = 32) -> bytes:
    """``B`` of the specification."""
    return hashlib.blake2b(data, digest_size=size, key=key, person=label.encode()).digest()


def written(value: Any) -> bytes:
    """Canonical JSON of plain values: of names and texts that every encoder sorts and escapes alike."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def root(lines: list[Line]) -> bytes:
    """The content root of lines, whatever they hold."""
    if len(lines) < 2:
        leaf = b"".join(b"\0" + len(line).to_bytes(8, "big") + line for line in lines)
        return hashlib.blake2b(leaf, digest_size=32).digest()
    middle = 1 << ((len(lines) - 1).bit_length() - 1)
    return hashlib.blake2b(b"\1" + root(lines[:middle]) + root(lines[middle:]), digest_size=32).digest()


def recovery(code: bytes | None = None) -> dict[str, str]:
    """The stanza that the golden strands' recovery code opens."""
    key = labeled("dna1.recovery", SALT, code or bytes.fromhex(code_hex()))
    wrapped = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(DATA_KEY, b"dna1.wrap.recovery", NONCE, key)
    return {"type": "recovery", "salt": SALT.hex(), "nonce": NONCE.hex(), "wrapped": wrapped.hex()}


def code_hex() -> str:
    """The 16 bytes of the golden recovery code, by the specification's rule for reading one."""
    number = 0
    for letter in KEYS["recovery_code"].replace("-", ""):
        number = number * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(letter)
    return number.to_bytes(20, "big")[:16].hex()


def passphrase(**more: Any) -> dict[str, Any]:
    """A passphrase stanza that nothing opens."""
    fixed = {"type": "passphrase", "kdf": "argon2id13", "memory_mib": 64, "passes": 2}
    return fixed | {"salt": SALT.hex(), "nonce": NONCE.hex(), "wrapped": "00" * 48} | more


@dataclass(frozen=True, slots=True)
class Forgery:
    """What a file is made of; everything that is left out is as it should be."""

    lines: list[Line] = field(default_factory=list)
    stanzas: Any = None
    header: dict[str, Any] = field(default_factory=dict)
    raw_header: bytes | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
    raw_manifest: bytes | None = None
    drop: tuple[str, ...] = ()
    plain: Callable[[bytes], bytes] = bytes
    chunks: Callable[[bytes], list[tuple[bytes, int]]] | None = None
    binding: bytes = b""
    mac_key: bytes = DATA_KEY
    head: Callable[[bytes], bytes] = bytes
    tail: bytes = b""

    def data(self) -> bytes:
        """The bytes of the file, signed."""
        stanzas = [recovery()] if self.stanzas is None else self.stanzas
        said = {"id": ID.hex(), "signer": PUBLIC.hex(), "stanzas": stanzas} | self.header
        header = self.raw_header if self.raw_header is not None else written(_without(said, self.drop))
        start = self.head(b"\x89DNA\r\n\x1a\n\0\1" + len(header).to_bytes(4, "big") + header)
        head = start + labeled("dna1.header-mac", start, labeled("dna1.header-key", b"", self.mac_key))
        body = self._body() + self.tail
        signed = b"dna1.signature\0\0" + head + labeled("dna1.body-digest", body, size=64)
        return head + body + bindings.crypto_sign(signed, SECRET)[:64]

    def text(self) -> bytes:
        """The plaintext."""
        said = {
            "created_at": 1_700_000_000,
            "label": "",
            "parents": [],
            "records": len(self.lines),
            "root": root(self.lines).hex(),
            "schema": 1,
            "signer": PUBLIC.hex(),
        }
        first = (
            self.raw_manifest if self.raw_manifest is not None else written(_without(said | self.manifest, self.drop))
        )
        return self.plain(b"".join(line + b"\n" for line in (first, *self.lines)))

    def _body(self) -> bytes:
        state = bindings.crypto_secretstream_xchacha20poly1305_state()
        body_key = labeled("dna1.body-key", b"", DATA_KEY)
        sealed = bindings.crypto_secretstream_xchacha20poly1305_init_push(state, body_key)
        binding = self.binding or labeled("dna1.binding", b"\0\1" + ID + PUBLIC)
        for chunk, tag in (self.chunks or cut)(self.text()):
            sealed += bindings.crypto_secretstream_xchacha20poly1305_push(state, chunk, binding, tag)
        return bytes(sealed)


def cut(plain: bytes) -> list[tuple[bytes, int]]:
    """The chunks as they should be."""
    parts = [plain[start : start + CHUNK] for start in range(0, len(plain), CHUNK)] or [b""]
    return [*((part, MESSAGE) for part in parts[:-1]), (parts[-1], FINAL)]


def _without(said: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name not in names}


def record(rest: bytes = b"", *, id_: bytes = b'"r"', type_: bytes = b'"t"') -> Line:
    """A record; ``rest`` are members that are sorted before ``id``, with a comma behind each."""
    return b"{" + rest + b'"id":' + id_ + b',"type":' + type_ + b"}"


def flipped(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each bit of the bytes, flipped."""
    for place in range(len(data)):
        for bit in range(8):
            yield f"byte {place}, bit {bit}", data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def cases() -> Iterator[tuple[str, bytes]]:
    """Every file with a name."""
    for file in sorted(FOLDER.glob("*.dna")):
        yield f"golden {file.name}", file.read_bytes()
    for name, data in flipped((FOLDER / "empty.dna").read_bytes()):
        yield f"empty.dna, {name}", data
    line = record(b'"a":[1.5,"\\u001f\xc3\xa9",{}],')
    for name, wrong in flipped(line):
        yield f"signed record, {name}", Forgery([wrong]).data()
    for name, wrong in flipped(written(passphrase())):
        header = written({"id": ID.hex(), "signer": PUBLIC.hex(), "stanzas": ["x", recovery()]})
        yield f"signed stanza, {name}", Forgery(raw_header=header.replace(b'"x"', wrong)).data()
    for group in (_headers, _manifests, _records, _numbers, _texts, _bodies, _drawn):
        for name, forgery in group():
            yield name, forgery.data()


def _headers() -> Iterator[tuple[str, Forgery]]:
    ours = recovery()
    for name, said in {
        "id of 15 bytes": {"id": ID.hex()[2:]},
        "id in capitals": {"id": "AB" * 16},
        "id that is a number": {"id": 5},
        "signer of 31 bytes": {"signer": PUBLIC.hex()[2:]},
        "one more member": {"more": 1},
    }.items():
        yield f"header: {name}", Forgery(header=said)
    for name in ("id", "signer", "stanzas"):
        yield f"header without {name}", Forgery(drop=(name,))
    sealed = {"type": "x25519", "sealed": "00" * 80}
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    shallow: Any = 1
    for _ in range(28):
        shallow = [shallow]
    for name, stanzas in {
        "none": [],
        "no list": {"type": "recovery"},
        "no object": [1, ours],
        "64": [ours, *[sealed] * 63],
        "65": [ours, *[sealed] * 64],
        "two recovery": [ours, ours],
        "two passphrase": [ours, passphrase(), passphrase()],
        "a passphrase beside it": [passphrase(), ours],
        "unknown": [{"type": "later", "x": 1}, ours],
        "unknown alone": [{"type": "later"}],
        "without a type": [{"x": 1}, ours],
        "type that is a number": [{"type": 1}, ours],
        "empty type": [{"type": ""}, ours],
        "long type": [{"type": "x" * 1000}, ours],
        "type of Object's own": [{"type": "constructor"}, {"type": "__proto__"}, ours],
        "unknown, nested deep": [{"type": "later", "x": deep}, ours],
        "unknown, nested": [{"type": "later", "x": shallow}, ours],
        "unknown with NUL": [{"type": "later", "x": "\0"}, ours],
        "unknown with a large number": [{"type": "later", "x": 2**53}, ours],
        "one more member": [ours | {"more": 1}],
        "one member less": [_without(ours, ("salt",))],
        "short salt": [ours | {"salt": "00" * 15}],
        "salt in capitals": [ours | {"salt": "AB" * 16}],
        "salt with a line feed": [ours | {"salt": SALT.hex()[:-1] + "\n"}],
        "short wrapped": [ours | {"wrapped": ours["wrapped"][2:]}],
        "another wrapped": [ours | {"wrapped": "00" * 48}],
        "short sealed": [{"type": "x25519", "sealed": "00" * 79}, ours],
    }.items():
        yield f"stanzas: {name}", Forgery(stanzas=stanzas)
    for memory in (63, 64, 1024, 1025, 64.5, "64", None, True, -64, 2**53):
        yield f"stanzas: memory_mib {memory!r}", Forgery(stanzas=[passphrase(memory_mib=memory), ours])
    for passes in (1, 2, 10, 11, 2.5, "2", None):
        yield f"stanzas: passes {passes!r}", Forgery(stanzas=[passphrase(passes=passes), ours])
    yield "stanzas: another derivation", Forgery(stanzas=[passphrase(kdf="scrypt"), ours])
    right = written({"id": ID.hex(), "signer": PUBLIC.hex(), "stanzas": [ours]})
    for name, raw in {
        "white space": right.replace(b":", b": ", 1),
        "another order": written({"signer": PUBLIC.hex()})[:-1] + b"," + right[1:],
        "a member twice": b'{"id":"' + ID.hex().encode() + b'",' + right[1:],
        "a line feed behind it": right + b"\n",
        "a byte order mark": b"\xef\xbb\xbf" + right,
        "no UTF-8": right.replace(b"recovery", b"recover\xff"),
        "a list": b"[" + right + b"]",
        "nothing": b"",
        "null": b"null",
    }.items():
        yield f"header: {name}", Forgery(raw_header=raw)
    for size in (65_536, 65_537):
        empty = written({"id": ID.hex(), "signer": PUBLIC.hex(), "stanzas": [ours, {"type": "later", "x": ""}]})
        pad = "x" * (size - len(empty))
        yield f"header of {size} bytes", Forgery(stanzas=[ours, {"type": "later", "x": pad}])
    for name, head in {
        "format 2": lambda start: start[:9] + b"\2" + start[10:],
        "format 0": lambda start: start[:9] + b"\0" + start[10:],
        "another magic": lambda start: b"\x88" + start[1:],
        "length one less": lambda start: start[:13] + bytes([start[13] - 1]) + start[14:],
        "length of 4 GiB": lambda start: start[:10] + b"\xff\xff\xff\xff" + start[14:],
    }.items():
        yield f"head: {name}", Forgery(head=head)
    yield "head: MAC of another key", Forgery(mac_key=bytes(32))


def _manifests() -> Iterator[tuple[str, Forgery]]:
    values: dict[str, tuple[Any, ...]] = {
        "created_at": (0, -1, 1.5, 1e20, 10**21, 2**53 - 1, 2**53, "1", None, True, []),
        "label": ("", "x" * 1_000, "x" * 10_000, "x" * 262_144, "x" * 262_145, "a\nb", "\u202e", None, 1, []),
        "parents": (
            ["00" * 32],
            ["00" * 32] * 2,
            ["00" * 32] * 1_000,
            ["AA" * 32],
            ["00" * 31],
            [""],
            [1],
            None,
            {},
            "00",
        ),
        "records": (1, -1, 0.5, "0", None, True, []),
        "root": ("00" * 32, root([]).hex().upper(), "", None, 1),
        "schema": (0, 2, -1, 1.5, "1", None, True, 2**53 - 1),
        "signer": ("00" * 32, PUBLIC.hex().upper(), "", None),
        "more": (1,),
    }
    for name, some in values.items():
        for number, value in enumerate(some):
            yield f"manifest: {name} {number}", Forgery(manifest={name: value})
    for name in ("created_at", "label", "parents", "records", "root", "schema"):
        yield f"manifest without {name}", Forgery(drop=(name,))
    for name, raw in {"a list": b"[]", "nothing": b"", "null": b"null", "an empty object": b"{}"}.items():
        yield f"manifest: {name}", Forgery(raw_manifest=raw)


def _records() -> Iterator[tuple[str, Forgery]]:
    a, b = record(id_=b'"a"'), record(id_=b'"b"')
    for name, lines in {
        "two": [a, b],
        "in another order": [b, a],
        "twice": [a, a],
        "types before ids": [record(id_=b'"z"', type_=b'"a"'), record(id_=b'"a"', type_=b'"b"')],
        "a type that begins another": [record(type_=b'"a"'), record(type_=b'"aa"')],
        "sorted by UTF-8": [record(id_='"\uffff"'.encode()), record(id_='"\U00010000"'.encode())],
        "sorted by UTF-16": [record(id_='"\U00010000"'.encode()), record(id_='"\uffff"'.encode())],
        "type of 64 bytes": [record(type_=b'"' + b"x" * 64 + b'"')],
        "type of 65 bytes": [record(type_=b'"' + b"x" * 65 + b'"')],
        "type of 64 characters": [record(type_=('"' + "\u00e9" * 64 + '"').encode())],
        "id of 200 bytes": [record(id_=b'"' + b"x" * 200 + b'"')],
        "id of 201 bytes": [record(id_=b'"' + b"x" * 201 + b'"')],
        "empty type": [record(type_=b'""')],
        "empty id": [record(id_=b'""')],
        "number as type": [record(type_=b"1")],
        "number as id": [record(id_=b"1")],
        "id with a line feed": [record(id_=b'"a\\nb"')],
        "no type": [b'{"id":"a"}'],
        "no id": [b'{"type":"a"}'],
        "a list": [b"[]"],
        "null": [b"null"],
        "a text": [b'"a"'],
        "an empty line": [b""],
        "a carriage return": [a + b"\r"],
        "a space": [a + b" "],
        "a byte order mark": [b"\xef\xbb\xbf" + a],
        "cut off": [a[:-1]],
        "two on a line": [a + a],
        "fields that are not an object": [record(b'"fields":1,')],
    }.items():
        yield f"records: {name}", Forgery(lines)
    for depth in (31, 32, 33, 500, 100_000):
        inner = depth - 1
        yield f"records: lists {depth} deep", Forgery([record(b'"a":' + b"[" * inner + b"]" * inner + b",")])
        if depth < 1_000:
            objects = b'{"a":' * (inner - 1) + b"{}" + b"}" * (inner - 1)
            yield f"records: objects {depth} deep", Forgery([record(b'"a":' + objects + b",")])
    yield "records: brackets in a text", Forgery([record(b'"a":"' + b"[" * 100 + b'\\"[",')])
    for name, plain in {
        "no line feed at the end": lambda text: text[:-1],
        "an empty line at the end": lambda text: text + b"\n",
        "an empty line before": lambda text: b"\n" + text,
        "nothing": lambda _: b"",
        "a line feed": lambda _: b"\n",
        "many line feeds": lambda text: text + b"\n" * 100_000,
    }.items():
        yield f"plaintext: {name}", Forgery(plain=plain)
    for size in (1_048_576, 1_048_577):
        rest = b"".join(b'"%s":"%s",' % (name, b"x" * 200_000) for name in (b"a", b"b", b"c", b"d"))
        left = size - len(record(rest + b'"e":"",'))
        yield f"records: line of {size} bytes", Forgery([record(rest + b'"e":"' + b"x" * left + b'",')])
    for size in (262_144, 262_145):
        yield f"records: text of {size} bytes", Forgery([record(b'"a":"' + b"x" * size + b'",')])
        yield f"records: name of {size} bytes", Forgery([record(b'"' + b"a" * size + b'":1,')])
        accents = "\u00e9".encode() * (size // 2) + b"x" * (size % 2)
        yield f"records: accents of {size} bytes", Forgery([record(b'"a":"' + accents + b'",')])
        escapes = b"\\n" * size
        yield f"records: {size} escapes", Forgery([record(b'"a":"' + escapes + b'",')])


NUMBERS = (
    "0 -0 1 -1 1.0 1e0 1E5 1e5 100000 01 +1 .5 5. 0.1 -0.1 0.10 1e-7 0.0000001 0.000001 1e-6 5e-324 2e-324 1e-400 "
    "9007199254740991 9007199254740992 9007199254740993 -9007199254740991 -9007199254740992 18014398509481984 "
    "99999999999999990000 100000000000000000000 123456789012345680000 999999999999999900000 1e21 1e+21 1e22 1e+22 "
    "1.5e+300 1.7976931348623157e+308 1.7976931348623159e+308 1e309 -1e309 0.30000000000000004 333333333.3333333 "
    "333333333.33333329 4.5 9007199254740991.5 4503599627370495.5 1e+23 9.999999999999999e+22 NaN Infinity "
    "-Infinity true false null True None undefined 0x10 1_000 \u0661 1e+021 1e+21.0"
)


def _numbers() -> Iterator[tuple[str, Forgery]]:
    for number in NUMBERS.split():
        yield f"number {number}", Forgery([record(b'"a":' + number.encode() + b",")])
        yield f"number {number} in a list", Forgery([record(b'"a":[' + number.encode() + b"],")])
    yield "number of many digits", Forgery([record(b'"a":' + b"9" * 5_000 + b",")])


def _texts() -> Iterator[tuple[str, Forgery]]:
    for name, text in {
        "accent": "\u00e9".encode(),
        "accent, escaped": b"\\u00e9",
        "accent, decomposed": "e\u0301".encode(),
        "solidus": b"/",
        "solidus, escaped": b"\\/",
        "quotation mark": b'\\"',
        "backslash": b"\\\\",
        "control": b"\\u001f",
        "control in capitals": b"\\u001F",
        "control, raw": b"\x1f",
        "tab": b"\\t",
        "tab, by its number": b"\\u0009",
        "tab, raw": b"\t",
        "form feed": b"\\f",
        "vertical tab": b"\\u000b",
        "vertical tab, escaped": b"\\v",
        "delete": b"\x7f",
        "delete, escaped": b"\\u007f",
        "NUL": b"\\u0000",
        "NUL, raw": b"\0",
        "line separator": "\u2028".encode(),
        "line separator, escaped": b"\\u2028",
        "noncharacter": "\uffff".encode(),
        "byte order mark": "\ufeff".encode(),
        "astral": "\U0001f9ec".encode(),
        "astral, escaped": b"\\ud83e\\uddec",
        "half a pair, escaped": b"\\ud83e",
        "the other half, escaped": b"\\uddec",
        "halves in the wrong order": b"\\uddec\\ud83e",
        "half a pair in UTF-8": b"\xed\xa0\x80",
        "a pair in CESU-8": b"\xed\xa0\xbe\xed\xb7\xac",
        "overlong": b"\xc0\xaf",
        "beyond Unicode": b"\xf4\x90\x80\x80",
        "cut off": b"\xc3",
        "Latin-1": b"\xe9",
        "unknown escape": b"\\q",
        "short escape": b"\\u12",
    }.items():
        yield f"text: {name}", Forgery([record(b'"a":"' + text + b'",')])
        yield f"name: {name}", Forgery([record(b'"' + text + b'":1,')])
        yield f"id: {name}", Forgery([record(id_=b'"' + text + b'"')])
    for name, rest in {
        "by code units": '"\u20ac":1,"\U0001f600":2,"\ufb33":3',
        "by code points": '"\u20ac":1,"\ufb33":3,"\U0001f600":2',
    }.items():
        yield f"names sorted {name}", Forgery([record()[:-1] + b"," + rest.encode() + b"}"])
    for name, members in {
        "twice": b'"a":1,"a":1,',
        "twice, the other escaped": b'"a":1,"\\u0061":1,',
        "prototype": b'"__proto__":{"x":1},',
        "prototype twice": b'"__proto__":1,"__proto__":2,',
        "constructor": b'"constructor":1,',
        "empty": b'"":1,',
        "numbers": b'"1":1,"10":1,"2":1,',
        "numbers by value": b'"1":1,"2":1,"10":1,',
        "out of order": b'"b":1,"a":1,',
        "trailing comma": b'"a":[1,],',
        "single quotes": b"'a':1,",
        "a comment": b'/**/"a":1,',
    }.items():
        yield f"names: {name}", Forgery([record(members)])


def _bodies() -> Iterator[tuple[str, Forgery]]:
    shortest = len(Forgery([record(b'"a":"",')]).text())
    for size in (CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK):
        yield f"body: plaintext of {size} bytes", Forgery([record(b'"a":"' + b"x" * (size - shortest) + b'",')])
    long = [record(b'"a":"' + b"x" * (2 * CHUNK) + b'",')]
    whole: dict[str, Callable[[bytes], list[tuple[bytes, int]]]] = {
        "last one is MESSAGE": lambda plain: [(part, MESSAGE) for part, _ in cut(plain)],
        "all are FINAL": lambda plain: [(part, FINAL) for part, _ in cut(plain)],
        "one is PUSH": lambda plain: [(cut(plain)[0][0], PUSH), *cut(plain)[1:]],
        "one is REKEY": lambda plain: [(cut(plain)[0][0], REKEY), *cut(plain)[1:]],
        "an empty one before the last": lambda plain: [*cut(plain)[:-1], (b"", MESSAGE), cut(plain)[-1]],
        "an empty one at the end": lambda plain: [*((part, MESSAGE) for part, _ in cut(plain)), (b"", FINAL)],
        "in another order": lambda plain: [cut(plain)[1], cut(plain)[0], *cut(plain)[2:]],
        "one dropped": lambda plain: cut(plain)[1:],
        "one twice": lambda plain: [cut(plain)[0], *cut(plain)],
        "smaller": lambda plain: [(plain[:10], MESSAGE), *cut(plain[10:])],
        "larger": lambda plain: [(plain, FINAL)],
        "none": lambda _: [],
    }
    for name, chunks in whole.items():
        yield f"chunks: {name}", Forgery(long, chunks=chunks)
        yield f"chunks of a short one: {name}", Forgery(chunks=_if_possible(chunks))
    yield "body: another binding", Forgery(binding=bytes(32))
    yield "body: bytes behind the last chunk", Forgery(tail=b"x")
    yield "body: a chunk's worth behind the last", Forgery(long, tail=bytes(17))


def _drawn() -> Iterator[tuple[str, Forgery]]:
    """What the writer in Python makes of numbers of any bits, and of texts and names of any characters."""
    draw = random.Random(7)
    for number in range(40):
        doubles = [struct.unpack(">d", draw.randbytes(8))[0] for _ in range(50)]
        # The format has no whole numbers between these.
        values = [each for each in doubles if math.isfinite(each) and not 2**53 <= abs(each) < 1e21]
        values += [draw.uniform(-1e15, 1e15) for _ in range(20)]
        values += [draw.randrange(-(10 ** draw.randrange(1, 16)), 10 ** draw.randrange(1, 16)) for _ in range(20)]
        names = {_text(draw): draw.choice([1, "x", None]) for _ in range(20)}
        drawn = {"type": "drawn", "id": str(number), "values": values, "names": names, "text": _text(draw)}
        yield f"drawn: {number}", Forgery([record_of(drawn).line])


def _text(draw: random.Random) -> str:
    """Characters of every plane, but for NUL and halves of pairs."""
    spans = ((1, 0x20), (0x20, 0x7F), (0x7F, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000))
    return "".join(chr(draw.randrange(*draw.choice(spans))) for _ in range(draw.randrange(1, 12)))


def _if_possible(chunks: Callable[[bytes], list[tuple[bytes, int]]]) -> Callable[[bytes], list[tuple[bytes, int]]]:
    def made(plain: bytes) -> list[tuple[bytes, int]]:
        try:
            return chunks(plain)
        except IndexError:
            return cut(plain)

    return made


def lines_of(data: bytes) -> list[str] | None:
    """What the reader in Python finds; None where it refuses the file."""
    try:
        strand = open_strand(data, CODE, newest_schema=NEWEST_SCHEMA, trusted={signer_of(KEYS["signer"])})
    except HelixError:
        return None
    return [each.line.decode() for each in strand.records]


TYPED = KEYS["recovery_code"]
CODES = (
    TYPED,
    TYPED.lower(),
    TYPED.replace("-", ""),
    TYPED.replace("-", " "),
    TYPED.replace("-", "\t\n"),
    TYPED.replace("0", "O").replace("1", "l"),
    TYPED.replace("1", "i"),
    *(
        TYPED.replace("-", chr(space))
        for space in (0xA0, 0x2003, 0x3000, 0x85, 0x1C, 0x0B, 0x0C, 0xFEFF, 0x200B, 0x180E, 0x2010, 0x5F)
    ),
    TYPED.replace("1", "\u0131"),
    TYPED.replace("S", "\u017f"),
    TYPED.replace("0", "\uff10"),
    TYPED.replace("0", "\u0660"),
    TYPED[:-1],
    TYPED + "0",
    TYPED[:-1] + ("0" if TYPED[-1] != "0" else "1"),
    TYPED.replace("Z", "U", 1),
    "",
    "-",
    "0" * 32,
)


def code_of(typed: str) -> str | None:
    """The key that a typed code gives, told by what it opens; None where it is refused."""
    try:
        code = RecoveryCode.read(typed)
    except HelixError:
        return None
    return "the golden one" if code == CODE else "another"


PASSPHRASES = (
    KEYS["passphrase"],
    KEYS["passphrase"].replace("\u00e9", "e\u0301"),
    KEYS["passphrase"] + " ",
    KEYS["passphrase"].upper(),
    "",
    "x" * 1_025,
    "e\u0301" * 513,
    "\ud800",
)


def opens(text: str) -> bool:
    """Whether a passphrase opens the golden strand with one."""
    try:
        open_strand(
            (FOLDER / "memories.dna").read_bytes(),
            Passphrase(text),
            newest_schema=NEWEST_SCHEMA,
            trusted={signer_of(KEYS["signer"])},
        )
    except HelixError:
        return False
    return True


def main() -> None:
    """Write every case with what Python says of it."""
    for name, data in cases():
        print(json.dumps({"case": name, "data": base64.b64encode(data).decode(), "lines": lines_of(data)}))  # noqa: T201
    for typed in CODES:
        print(json.dumps({"code": typed, "bytes": code_of(typed)}))  # noqa: T201
    for text in PASSPHRASES:
        print(json.dumps({"passphrase": text, "opens": opens(text)}))  # noqa: T201
    sys.stdout.flush()


if __name__ == "__main__":
    main()
