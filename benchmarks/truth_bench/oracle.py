"""What is true right now, found with plain means: open, read, hash, count lines, parse with ``ast``, ask git.

In: a packet as any client sees it, or an open packet's marks as they are displayed, and the folder they speak of. Out:
what is wrong with them. Only masking is borrowed from Helix, to tell a masked secret from a wrong quote.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes

from helix_core.secrets.masking import holds_mask, mask
from truth_bench.proofs import Proofs
from truth_bench.repository import OPERATIONS, Repository
from truth_bench.symbol_oracle import can_tell, is_broken, is_dead, is_decorator_of, leads_to, symbol_fault

BUDGET_BYTES = 64 * 1024
MENDED = {"reingested", "moved", "changed"}
_LINE_END = re.compile(r"\r\n|\n|\r")
_LAST_END = re.compile(r"(?:\r\n|\n|\r)\Z")
FATAL = (
    "false_verified",
    "wrong_symbol",
    "uncounted",
    "wrong_quote",
    "wrong_hash",
    "wrong_commit",
    "leaked_secret",
    "stored_secret",
    "malformed",
    "unsaid",
    "waited",
    "hurried",
    "not_interrupted",
    "wrong_flag",
)
STATUSES = ("verified", "stale_risk", "needs_refresh")
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")


@dataclass(slots=True)
class Judgement:
    """What the oracle says of one packet; ``wrong`` lists (kind of wrong, text). ``told`` counts the verified items
    whose symbol was checked, ``untold`` those whose file nobody here can parse, ``half_written`` those read while
    somebody had written a part of the file."""

    items: int = 0
    verified: int = 0
    unlocated: int = 0
    told: int = 0
    untold: int = 0
    half_written: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    needless: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file as the oracle finds it: a word for what is wrong with the place, or its bytes."""

    trouble: str
    data: bytes = b""


class Oracle:
    """Judges packets about one folder. Used right after the packet, while nobody else writes."""

    def __init__(self, repository: Repository, max_bytes: int) -> None:
        self._repository = repository
        self._root = os.fsencode(os.path.realpath(repository.root))
        self._max_bytes = max_bytes
        self._proofs = Proofs(repository)
        self._unsafe: set[bytes] = set()
        self._uncounted: frozenset[bytes] = frozenset()

    def judge(
        self,
        packet: dict[str, Any],
        *,
        versions: Mapping[bytes, set[bytes]],
        secrets: Mapping[str, str],
        expected: bytes | None,
        task: str,
        uncounted: frozenset[bytes] = frozenset(),
        halves: frozenset[str] = frozenset(),
    ) -> Judgement:
        """``versions`` are contents a path had while the packet was made; ``expected`` the path asked for, if sure;
        ``uncounted`` the paths that the user's rules exclude at this moment; ``halves`` the hashes of a file between
        two versions."""
        self._unsafe, self._uncounted = self._unsettled(), uncounted
        said = Judgement()
        groups = [(status, item) for status in STATUSES for item in packet[status]]
        ranked = sorted(groups, key=lambda pair: -pair[1]["relevance_score"])
        first = self._path(ranked[0][1]) if ranked else None
        mended = {item["source_id"] for _, item in groups if item["reason"] in MENDED}
        for status, item in groups:
            said.items += 1
            path = self._path(item)
            if path is None or item["status"] != status:
                said.wrong.append(("malformed", f"{item['source_id']} {item.get('uri')} {item['status']}"))
                continue
            if path in uncounted and (item["quote"] or status == "verified"):
                said.wrong.append(("uncounted", f"{item['source_id']} does not count, but is {status}, or is quoted"))
            if item["content_hash"] in halves:
                said.half_written += 1
                continue
            if wrong := self._proofs.commit_fault(path, item.get("commit") or ""):
                said.wrong.append(("wrong_commit", f"{item['source_id']}: {wrong}"))
            found = self._look(path)
            possible = versions.get(path) or ({found.data} if not found.trouble else set())
            data = self._told(item, possible)
            for kind, text in self._faults(status, item, path, found, data):
                said.wrong.append((kind, f"{item['source_id']}:{item['start_line']}-{item['end_line']} {text}"))
            if status == "verified":
                said.verified += 1
                self._count_told(said, item, path, data)
                continue
            said.reasons[item["reason"]] = said.reasons.get(item["reason"], 0) + 1
            # What somebody rewrites meanwhile may have read either way when it was looked at.
            if path in versions or (versions and item["reason"] == "outdated_doc"):
                continue
            if item["reason"] == "unlocated":
                said.unlocated += 1
                if expected is None or not first == path == expected:
                    continue
            others = len(mended - {item["source_id"]})
            if not self._is_due(item, path, found, others):
                said.needless.append(f"{item['reason']} {item['source_id']} {item.get('detail', '')} task={task}")
        text = str(packet)
        said.wrong += [("leaked_secret", f"{rule}: {secret}") for secret, rule in secrets.items() if secret in text]
        return said

    def judge_marks(
        self,
        marks: Sequence[Mapping[str, Any]],
        *,
        secrets: Mapping[str, str],
        task: str,
        uncounted: frozenset[bytes] = frozenset(),
    ) -> Judgement:
        """What a client displays of an open packet: each item of the packet with the last verdict told of it and the
        lines (``now``) where it is said to stand."""
        self._unsafe, self._uncounted = self._unsettled(), uncounted
        said = Judgement()
        for mark in marks:
            said.items += 1
            path = self._path(dict(mark))
            if path is None:
                said.wrong.append(("malformed", f"{mark['source_id']} {mark.get('uri')}"))
                continue
            found = self._look(path)
            name = f"{mark['source_id']}:{mark['start_line']}-{mark['end_line']}"
            if mark["status"] != "verified":
                said.reasons[mark["reason"]] = said.reasons.get(mark["reason"], 0) + 1
                if not self._is_due_of_mark(mark, path, found):
                    said.needless.append(f"open: {mark['reason']} {name} {mark.get('detail', '')} task={task}")
                continue
            said.verified += 1
            now = {**mark, **(mark["now"] or {})}
            if path in uncounted:
                said.wrong.append(("uncounted", f"open: {name} does not count"))
            if found.trouble:
                said.wrong.append(("false_verified", f"open: {name}: the file is {found.trouble}"))
            elif path in self._unsafe or _is_half_merged(found.data):
                said.wrong.append(("false_verified", f"open: {name}: in conflict, or touched by what is under way"))
            elif wrong := _span_fault(path, now, found.data):
                said.wrong.append(("false_verified", f"open: {name}: {wrong} ({mark['reason']}, now {mark['now']})"))
            elif wrong := symbol_fault(path, found.data, mark["symbol"], now["start_line"], now["end_line"]):
                said.wrong.append(("wrong_symbol", f"open: {name}: {wrong} ({mark['reason']}, now {mark['now']})"))
            self._count_told(said, dict(mark), path, found.data)
        text = str(marks)
        said.wrong += [("leaked_secret", f"{rule}: {secret}") for secret, rule in secrets.items() if secret in text]
        return said

    @staticmethod
    def _count_told(said: Judgement, item: dict[str, Any], path: bytes, data: bytes | None) -> None:
        if item["symbol"] and data is not None:
            is_told = can_tell(path, data)
            said.told += is_told
            said.untold += not is_told

    def _is_due_of_mark(self, mark: Mapping[str, Any], path: bytes, found: OnDisk) -> bool:
        """``changed`` is due when the text stands nowhere under its symbol, ``renamed`` when it does under another."""
        if mark["reason"] in {"changed", "renamed", "not_indexed"}:
            no_text = b"\0" in found.data or b"@" + b"generated" in found.data
            return bool(found.trouble) or no_text or not _stands_as_told(path, found.data, mark)
        # Of a packet, a verdict that speaks of the question rather than of the file stays with it.
        if mark["reason"] == "unlocated":
            return True
        return self._is_due({**mark, "authority_class": mark.get("authority_class", "inferred")}, path, found, 0)

    def _is_named_beside(self, path: bytes) -> bool:
        """Does an ignore file of its own folder name the file?"""
        folder, _, name = os.path.join(self._root, path).rpartition(b"/")
        for rules in (b".gitignore", b".helixignore"):
            with contextlib.suppress(OSError), open(folder + b"/" + rules, "rb") as file:
                if name in file.read().splitlines():
                    return True
        return False

    def _path(self, item: dict[str, Any]) -> bytes | None:
        """The path by the item's address; None when address and name disagree or lead outside.

        An agent is given no address: there the name alone says it, with unseen characters as ``\\xNN``.
        """
        if "uri" not in item:
            return self._named(item["source_id"])
        if not item["uri"].startswith("file://"):
            return None
        path = unquote_to_bytes(item["uri"][len("file://") :])
        if not path.startswith(self._root + b"/"):
            return None
        relative = path[len(self._root) + 1 :]
        if {b"..", b".", b""} & set(relative.split(b"/")):
            return None
        printable = relative.decode("utf-8", "backslashreplace")
        return relative if printable == item["source_id"] else None

    def _named(self, name: str) -> bytes | None:
        written, unescaped, position = os.fsencode(name), b"", 0
        for match in _ESCAPED.finditer(name):
            unescaped += os.fsencode(name[position : match.start()]) + bytes([int(match[1], 16)])
            position = match.end()
        unescaped += os.fsencode(name[position:])
        for path in (written, unescaped):
            if {b"..", b".", b""} & set(path.split(b"/")):
                return None
            if os.path.lexists(self._root + b"/" + path):
                return path
        return written

    def _look(self, path: bytes) -> OnDisk:
        place = self._root
        parts = path.split(b"/")
        try:
            for part in parts[:-1]:
                place += b"/" + part
                mode = os.lstat(place).st_mode
                if stat.S_ISLNK(mode):
                    return OnDisk("outside_root")
                if not stat.S_ISDIR(mode):
                    return OnDisk("gone")
            place += b"/" + parts[-1]
            status = os.lstat(place)
            if not stat.S_ISREG(status.st_mode):
                return OnDisk("not_a_file")
            if status.st_size > self._max_bytes:
                return OnDisk("too_large")
            with open(place, "rb") as file:
                return OnDisk("", file.read())
        except PermissionError:
            return OnDisk("unreadable")
        except FileNotFoundError:
            return OnDisk("gone")

    @staticmethod
    def _told(item: dict[str, Any], possible: set[bytes]) -> bytes | None:
        """Which of the possible contents the item speaks of, by its hash."""
        for data in possible:
            if hashlib.sha256(data).hexdigest() == item["content_hash"]:
                return data
        return None

    def _faults(
        self, status: str, item: dict[str, Any], path: bytes, found: OnDisk, data: bytes | None
    ) -> list[tuple[str, str]]:
        faults = []
        if item["content_hash"] and data is None:
            faults.append(("wrong_hash", f"hash is not the file's ({found.trouble or 'regular file'})"))
        if status == "verified":
            if found.trouble or data is None:
                faults.append(("false_verified", f"the file is {found.trouble or 'another'} ({item['reason']})"))
            elif path in self._unsafe or _is_half_merged(data):
                faults.append(("false_verified", "in conflict, or touched by what is under way in git"))
            elif wrong := _span_fault(path, item, data):
                faults.append(("false_verified", f"{wrong} ({item['reason']}, {item['symbol']!r})"))
            elif wrong := symbol_fault(path, data, item["symbol"], item["start_line"], item["end_line"]):
                faults.append(("wrong_symbol", f"{wrong} ({item['reason']})"))
            elif not item["quote"] and "uri" in item and _short(item, data):
                faults.append(("wrong_quote", "verified without a quote"))
        if item["quote"] and (data is None or not _is_quote(item, data)):
            faults.append(("wrong_quote", f"{item['quote'][:80]!r} ({item['status']}, {item['reason']})"))
        return faults

    def _unsettled(self) -> set[bytes]:
        """Paths unmerged in git, and those that what is under way has staged."""
        git, folder = self._repository.git, self._repository.git_dir
        if not folder.exists():
            return set()
        unmerged = {line.partition(b"\t")[2] for line in git("ls-files", "-u", "-z").split(b"\0") if line}
        if any(os.path.lexists(folder / name) for name in OPERATIONS):
            staged = git("diff", "--cached", "--name-only", "--no-renames", "-z", "HEAD").split(b"\0")
            unmerged.update(path for path in staged if path)
        return unmerged

    def _is_due(self, item: dict[str, Any], path: bytes, found: OnDisk, others: int) -> bool:
        """Does the verdict table ask for what was said?"""
        reason = item["reason"]
        if reason in {"gone", "unreadable", "outside_root", "not_a_file", "too_large"}:
            return found.trouble == reason or (reason == "gone" and found.trouble == "outside_root")
        if reason == "ignored":
            return path in self._uncounted or self._is_named_beside(path)
        if reason == "conflicted":
            return path in self._unsafe or _is_half_merged(found.data)
        if reason == "changed":
            if found.trouble or others > 0 or len(found.data) > BUDGET_BYTES:
                return True
            return not item["symbol"] or not _stands_as_told(path, found.data, item)
        if reason == "renamed":
            return not _stands_as_told(path, found.data, item)
        if reason == "not_indexed":
            return True
        if reason == "outdated_doc":
            return self._proofs.is_outdated(path, found.data, item.get("outdated", []))
        if reason == "contradicted":
            return self._proofs.is_contradicted(item.get("detail", ""))
        return bool(reason == "weak_authority" and item["authority_class"] == "inferred")


def _is_half_merged(data: bytes) -> bool:
    """Do git's conflict markers stand in the text? They outlast the index that knew of them."""
    return bool(re.search(rb"(?:\A|\n)<<<<<<< (?s:.*)\n=======(?s:.*)\n>>>>>>> ", data))


@lru_cache(maxsize=256)
def _masked(data: bytes) -> bytes:
    """Return a file as the index has it, without what looks like a secret."""
    return mask(data).data


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends; of bytes, ``splitlines`` knows \\n, \\r\\n and \\r, which are an editor's line ends."""
    return data.splitlines(keepends=True)


def _stands_as_told(path: bytes, data: bytes, item: Mapping[str, Any]) -> bool:
    """Does the item's text stand anywhere in the file, as the symbol it is said to be?"""
    if not can_tell(path, data) and item["reason"] != "changed":
        return False
    if "does not parse" in item.get("detail", "") and is_broken(path, data):
        return False
    lines = _lines(_masked(data))
    count = item["end_line"] - item["start_line"] + 1
    for start in range(len(lines) - count + 1):
        text = b"".join(lines[start : start + count])
        if _is_text(item, text) and not symbol_fault(path, data, item["symbol"], start + 1, start + count):
            return item["symbol"] != "" or not is_dead(path, data, start + 1, start + count)
    return False


def _span_fault(path: bytes, item: Mapping[str, Any], data: bytes) -> str:
    """Why the span is not the item; empty when it is."""
    start, end = item["start_line"], item["end_line"]
    if not 1 <= start <= end <= len(_lines(data)):
        return f"the span is outside the file of {len(_lines(data))} lines"
    # A long name ends with its hash, and a byte that is no text stands as its two digits behind a mark.
    names = re.findall(r"\w+", re.sub(r"…[0-9a-f]{12}|\ufffd[0-9a-f]{2}", " ", item["symbol"]))
    # A part of a long symbol does not repeat the name, which then stands above it; below only a part of its decorators.
    above = b"".join(_lines(data)[:end]).decode("utf-8", "replace")
    is_named = not names or names[-1] in above or is_decorator_of(names[-1], start, end, data)
    is_named = is_named or leads_to(path, data, names[-1], start, end)
    if not is_named and not holds_mask(item["symbol"]):
        return f"the name {names[-1]!r} is not there"
    for text in (data, _masked(data)):
        lines = _lines(text)
        span = b"".join(lines[start - 1 : end])
        if _is_text(item, span) or _is_text(item, span.rstrip(b"\r\n")):
            return ""
        # What ended the file without a newline may be followed by more on its last line now.
        last = lines[end - 1]
        if any(_is_text(item, span[: len(span) - cut]) for cut in range(1, min(len(last), 400))):
            return ""
    return "the text of the span is another"


def _is_text(item: Mapping[str, Any], span: bytes) -> bool:
    return bool(hashlib.sha256(span).hexdigest()[:16] == item["gene_id"])


def _is_quote(item: dict[str, Any], data: bytes) -> bool:
    """Is the quote whole lines from the start line on, within the span, without the end of the last one? One that is
    said to be escaped may show a character as its escape, and no carriage return at the end of a line."""
    quote, start = item["quote"], item["start_line"]
    most = item["end_line"] - start + 1
    # A lone CR may be shown as an escape, beside others that the text itself holds, and then ends a line.
    shown = {quote, quote.replace("\\r", "\r"), quote.replace("\\r", "\n")}
    counts = {len(_LINE_END.split(one)) for one in shown}
    if item.get("escaped"):
        counts.update(range(1, max(counts)))
    texts = [_lines(text)[start - 1 :] for text in (data, _masked(data))]
    for count in sorted(one for one in counts if one <= most):
        for lines in texts:
            exact = _LAST_END.sub("", b"".join(lines[:count]).decode("utf-8", "replace"))
            if exact in shown or (item.get("escaped") and _shows(quote, exact)):
                return True
    return False


def _shows(quote: str, exact: str) -> bool:
    """Is the quote the text, with some characters as ``\\r``, ``\\xNN``, ``\\uNNNN`` or ``\\UNNNNNNNN``?"""
    position = 0
    for character in exact:
        code = ord(character)
        forms = (character, f"\\x{code:02x}", f"\\u{code:04x}", f"\\U{code:08x}", *(["\\r", ""] if code == 13 else []))
        form = next((one for one in forms if quote.startswith(one, position)), None)
        if form is None:
            return False
        position += len(form)
    return position == len(quote)


def _short(item: dict[str, Any], data: bytes) -> bool:
    """Is the first line of the span something that ought to be quoted?"""
    line = _lines(data)[item["start_line"] - 1]
    return 0 < len(line.strip()) < 2000
