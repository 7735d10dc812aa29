"""Find what is pasted into a message, and the coordinates in it: stack traces, compiler and test output, diffs, logs.

Reads line by line, the start of each line up to a bound; every pattern is anchored, and its repeats are bounded or
possessive. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from helix_core.tuples import NamedTuple
from helix_core.words import lazy_pattern

MOST_COORDINATES = 16
LINE_READ = 500
MOST_LINES = 2_000


class Coordinate(NamedTuple):
    """A place as a tool prints it: ``path`` with ``/``, ``line`` 1-based or 0 where none is given."""

    path: str
    line: int = 0
    symbol: str = ""


class PastedBlock(NamedTuple):
    """Neighboring lines of one kind: ``trace``, ``diff``, ``log``, ``code``, ``quote``, or empty for prose."""

    kind: str
    text: str


_PYTHON = lazy_pattern(r'\s*File "([^"\n]{1,400})", line (\d{1,7})(?:, in (\S{1,200}))?')
_JAVA = lazy_pattern(r"\s*at ([\w.$<>/]{1,300}+)\(([\w$]{1,120}+\.(?:java|kt|scala|groovy)):(\d{1,7})\)")
_SCRIPT = lazy_pattern(
    r"\s*at (?:(?:async |new )?([\w$.<>\[\]#]{1,160}+)[^(\n]{0,80}\()?(?:file://)?([^\s()]{1,300}?):(\d{1,7}):\d{1,7}\)?\s*$"
)
_RUBY = lazy_pattern(
    r"\s*(?:\d{1,3}: )?(?:from )?([^\s:]{1,300}\.(?:rb|rake|erb)):(\d{1,7}):in [`']"
    r"(?:(?:block|rescue|ensure)(?: \(\d{1,3} levels\))? in )?(?:[\w:]{1,160}[#.])?([\w?!=]{1,120})'"
)
_RUST = lazy_pattern(r"\s*(?:-->|:::) ([^\s:]{1,300}+):(\d{1,7}):\d{1,6}")
_PANIC = lazy_pattern(
    r"thread '[^'\n]{0,100}' (?:\(\d{1,12}\) )?panicked at (?:'[^'\n]{0,200}', )?([^\s:,]{1,300}+):(\d{1,7})"
)
_COMPILER = lazy_pattern(
    r"(?:ERROR:?\s|\[ERROR\]\s|In file included from\s"
    r"|\s{1,20}from\s)?((?:[A-Za-z]:[\\/])?[^\s:()\"'<>|,]{1,300}):\[?(\d{1,7})\b"
)
_PARENTHESES = lazy_pattern(r"((?:[A-Za-z]:[\\/])?[^\s:()\"'<>|]{1,300}+)\((\d{1,7})(?:,\d{1,7})?\)\s?:")
_DOTNET = lazy_pattern(r"\s*at .{1,300}? in ((?:[A-Za-z]:)?[^\s:]{1,300}+):line (\d{1,7})")
_PHP = lazy_pattern(r"(?:#\d{1,4} |.{1,200}? in )(/[^\s:()]{1,300}+)(?:\((\d{1,7})\)| on line (\d{1,7}))")
_PYTEST = lazy_pattern(r"(FAILED|ERROR|PASSED|XFAIL|FAIL|✕|●)\s+([^\s:]{1,300}+)(?:::([\w:]{1,200}))?")
_PYTEST_VERBOSE = lazy_pattern(
    r"([^\s:]{1,300}+)::([\w:]{1,200})(?:\[[^\n]{0,200}\])? (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b"
)
_UNITTEST = lazy_pattern(r"(?:FAIL|ERROR): (\w{1,120}) \(([\w.]{3,300})\)")
_NODE = lazy_pattern(r"(?<![\w.@+~/\\:-])([\w.@+~/\\-]{3,300}+)::([A-Za-z_][\w:]{0,200})")
_NOT_FAILED = frozenset({"PASSED", "SKIPPED", "XFAIL", "XPASS"})
_LOGGER = lazy_pattern(r"(?<![\w./@:-])([a-z_]\w{1,60}(?:\.\w{1,60}){1,8})(?=[\]:\s(,]|$)")
_LOGGER_READ = 160
SHORT = 3
"""A word of at most so many letters does not identify a message that a program printed."""
# Every form but pytest's has a line's number behind one of these.
_NUMBERED = lazy_pattern(r"[:(\[]\d|\bline \d")
_DIGIT = lazy_pattern(r"\d")
_ADDED_FILE = lazy_pattern(r"(?:\+\+\+|---) (?:[abciw]/)?([^\t\n]{1,300})")
_HUNK = lazy_pattern(
    r"@@ -\d{1,7}(?:,\d{1,7})? \+(\d{1,7})(?:,(\d{1,7}))? @@(?:\s(?:.{0,60}?\b(?:def|class|func|fn"
    r"|function)\s)?(\w{1,100}))?"
)
_INLINE = lazy_pattern(
    r"(?<![\w.@+~/\\:-])((?:[A-Za-z]:(?=[\\/]))?[\w.@+~/\\-]{3,300}+)(?::|#L|, line | line |\((?=\d))(\d{1,7})\b"
)
_FILE = lazy_pattern(r"(?<![\w.@+~/\\:-])(?!(?:e\.g|i\.e)\b)[\w@+~/\\.-]{1,300}+")
_LINE_NUMBER = lazy_pattern(r"\blines? (?:number |no\. ?|#)?(\d{1,7})\b", re.IGNORECASE)
_ERROR = lazy_pattern(
    r"(?:E\s{1,8}|Caused by: |Exception in thread \"[^\"\n]{0,80}\" |Uncaught |Unhandled |fatal: |fatal error: "
    r"|error: |panic: )?"
    r"((?:[\w$]{1,100}\.){0,12}[A-Z]\w{0,100}(?:Error|Exception|Warning|Exit|Interrupt|Fault|NotFound|Invalid"
    r"|Failure|Panic|DoesNotExist)\b"
    r"(?::\s.{0,400})?)"
)
_COMPLAINT = lazy_pattern(
    r".{0,320}?\b(?:error|panicked|panic|fatal|undefined reference|cannot find)\b(?:\[\w{1,12}\]"
    r"| TS\d{1,6})?:?\s{1,4}(\S.{0,300})",
    re.IGNORECASE,
)
_COMPLAINS = lazy_pattern(r"error|panic|fatal|undefined reference|cannot find", re.IGNORECASE)
_STAMP = lazy_pattern(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\].,: ]|\w{3} [ \d]\d \d\d:\d\d:\d\d "
    r"|\[[\w.]{3,120}\] (?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE):|\[?(?:DEBUG"
    r"|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\b[\]:\s|-]"
    r"|(?:\d{1,3}\.){3}\d{1,3} - )"
)
_FENCE = lazy_pattern(r"\s{0,8}(`{3,}|~{3,})\s{0,4}([\w+#.-]{0,30})")
_DIFF_LINE = lazy_pattern(
    r"diff --git |index [0-9a-f]{7,40}\.\.|@@ -\d|\+\+\+ \S|--- \S{1,300}(?:\t|$)|(?:new|deleted) file mode "
    r"|similarity index |rename (?:from|to) "
)
_TRACE_HEADS = (
    "Traceback (most recent call last)", "Exception in thread ", "Caused by: ", "goroutine ", "panic: ", "thread '",
    "During handling of the above", "The above exception was", "stack backtrace:", "Stack trace:", "Uncaught ",
    "==== FAILURES", "=== FAIL", "--- FAIL", "FAILED ", "E   ", "Segmentation fault", "[ERROR] ",
)  # fmt: skip
_CODE_TONGUES = frozenset({"diff", "patch"})
_EXTENSION = lazy_pattern(r"\.[A-Za-z]\w{0,9}$")


def split_pasted(text: str) -> list[PastedBlock]:
    """Return the blocks of a message in order; without any paste, the text as one block of prose."""
    if "\n" not in text:
        return [PastedBlock("log" if _is_log(text) else "", text)]
    kinds: list[str] = []
    lines = text.split("\n", MOST_LINES)
    fence, fence_tongue, fenced_from = "", "", -1
    for number, line in enumerate(lines):
        mark = _FENCE.match(line[:60]) if "```" in line[:20] or "~~~" in line[:20] else None
        if fence:
            kinds.append("fence")
            if mark is not None and line.strip().startswith(fence):
                kinds[fenced_from : number + 1] = [_kind_of_code(lines[fenced_from + 1 : number], fence_tongue)] * (
                    number + 1 - fenced_from
                )
                fence = ""
        elif mark is not None:
            fence, fence_tongue, fenced_from = mark.group(1), mark.group(2).lower(), number
            kinds.append("fence")
        else:
            kinds.append(_kind_of_line(line))
    if fence:
        rest = lines[fenced_from + 1 :]
        kinds[fenced_from:] = [_kind_of_code(rest, fence_tongue)] * (len(lines) - fenced_from)
    return _blocks(lines, _filled(lines, kinds))


def _is_log(line: str) -> bool:
    """Is a message of one line what a program logged: a time or a level with its mark first, and no question?"""
    stamp = _STAMP.match(line[:LINE_READ])
    return stamp is not None and not stamp.group().endswith((" ", "-")) and not line.rstrip().endswith("?")


def _kind_of_line(line: str) -> str:
    line = line[:LINE_READ]
    bare = line.strip()
    if not bare:
        return ""
    if bare.startswith(_TRACE_HEADS) or _frame(line) is not None:
        return "trace"
    if _DIFF_LINE.match(line):
        return "diff"
    if _STAMP.match(line):
        return "log"
    if bare.startswith(">") and not bare.startswith(">>>"):
        return "quote"
    error = _ERROR.match(bare)
    if error is not None and (error.end() == len(bare) or ": " in error.group()) and " " not in bare.partition(":")[0]:
        return "trace"
    return ""


def _kind_of_code(lines: Sequence[str], tongue: str) -> str:
    if tongue in _CODE_TONGUES:
        return "diff"
    found = [kind for line in lines[:200] if (kind := _kind_of_line(line))]
    for kind in ("trace", "diff", "log"):
        if kind in found and (
            kind != "log" or 2 * found.count("log") >= len([line for line in lines[:200] if line.strip()])
        ):
            return kind
    return "code"


def _filled(lines: Sequence[str], kinds: list[str]) -> list[str]:
    """Give lines between frames, and the indented or marked lines that belong to a paste, the kind of their paste."""
    for number in range(1, len(lines)):
        line, before = lines[number], kinds[number - 1]
        if kinds[number] or not before or before in {"code", "quote"}:
            continue
        if before == "trace" and (
            line[:2] in {"  ", "E ", "> "} or line[:1] in {"\t", "^", "|"} or line.lstrip()[:1] in {"|", "^", "~"}
        ):
            kinds[number] = "trace"
        elif before == "diff" and line[:1] in {"+", "-", " ", "\\"} and line.strip():
            kinds[number] = "diff"
        elif not line.strip() and any(kinds[number + 1 : number + 3]):
            kinds[number] = before
    return kinds


def _blocks(lines: Sequence[str], kinds: Sequence[str]) -> list[PastedBlock]:
    blocks: list[PastedBlock] = []
    start = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or kinds[number] != kinds[start]:
            text = "\n".join(lines[start:number])
            if text.strip():
                blocks.append(PastedBlock(kinds[start], text))
            start = number
    return blocks


def _frame(line: str) -> Coordinate | None:
    """The place that one line of a trace or of a tool's output points at, or None."""
    if _NUMBERED.search(line) is not None and (one := _numbered_frame(line)) is not None:
        return one
    if (found := _PYTEST.match(line)) is not None and _EXTENSION.search(found.group(2)):
        return Coordinate(found.group(2), 0, _dotted(found.group(3) or ""))
    if (found := _PYTEST_VERBOSE.match(line)) is not None and _EXTENSION.search(found.group(1)):
        return Coordinate(found.group(1), 0, _dotted(found.group(2)))
    if (found := _UNITTEST.match(line)) is not None:
        path, names = _module_and_names(found.group(2))
        return Coordinate(path, 0, ".".join(dict.fromkeys((*names, found.group(1))))) if path else None
    return None


def _module_and_names(dotted: str) -> tuple[str, list[str]]:
    """Return the file of a module of Python and the names in it that ``shop.stock.Reserver`` says; a class is written
    with a capital. The file is empty where no module is named.
    """
    parts = dotted.split(".")
    owner = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts))
    return "/".join(parts[:owner]) + ".py" if owner else "", parts[owner:]


def _dotted(node: str) -> str:
    """Return the name in a test's id of pytest, ``TestCart::test_add``, as code has it."""
    return node.strip(":").replace("::", ".")


def _is_no_failure(line: str) -> bool:
    """Is the line that of a test which did not fail?"""
    found = _PYTEST_VERBOSE.match(line)
    outcome = found.group(3) if found is not None else line.partition(" ")[0]
    return outcome in _NOT_FAILED


def _numbered_frame(line: str) -> Coordinate | None:
    if (found := _PYTHON.match(line)) is not None:
        return Coordinate(found.group(1), int(found.group(2)), found.group(3) or "")
    if (found := _JAVA.match(line)) is not None:
        package, name = found.group(1).rpartition("/")[2].split("."), found.group(2)
        folders = package[:-2] if len(package) > 2 else []
        return Coordinate("/".join([*folders, name]), int(found.group(3)), package[-1])
    if (found := _DOTNET.match(line)) is not None:
        return Coordinate(found.group(1), int(found.group(2)))
    if line.lstrip().startswith("at ") and (found := _SCRIPT.match(line)) is not None:
        return Coordinate(found.group(2), int(found.group(3)), (found.group(1) or "").rpartition(".")[2])
    if (found := _RUBY.match(line)) is not None:
        return Coordinate(found.group(1), int(found.group(2)), found.group(3))
    for pattern in (_RUST, _PANIC):
        if (found := pattern.match(line)) is not None:
            return Coordinate(found.group(1), int(found.group(2)))
    for pattern in (_COMPILER, _PARENTHESES):
        found = pattern.match(line)
        if found is not None and _EXTENSION.search(found.group(1)) and not found.group(1).startswith(("http", "//")):
            return Coordinate(found.group(1), int(found.group(2)))
    if line.startswith(("#", "PHP ", "Fatal ", "Warning: ", "Notice: ")) and (found := _PHP.match(line)) is not None:
        return Coordinate(found.group(1), int(found.group(2) or found.group(3)))
    return None


def coordinates(text: str) -> tuple[Coordinate, ...]:
    """Return the places that a text names with a line, the likeliest cause first.

    A Python trace ends with the innermost frame, all others begin with it.
    """
    frames: list[Coordinate] = []
    python: list[Coordinate] = []
    inline: list[Coordinate] = []
    others: list[Coordinate] = []
    path = ""
    for whole in text.split("\n", MOST_LINES)[:MOST_LINES]:
        line = whole[:LINE_READ]
        if line.startswith(("+++ ", "--- ")) and (named := _ADDED_FILE.match(line)) is not None:
            path = named.group(1).strip() if named.group(1).strip() != "/dev/null" else path
            continue
        if path and line.startswith("@@ ") and (hunk := _HUNK.match(line)) is not None:
            middle = int(hunk.group(1)) + min(int(hunk.group(2) or 1) // 2, 3)
            frames.append(Coordinate(path, middle, hunk.group(3) or ""))
            continue
        frame = _frame(line)
        if frame is not None:
            (python if _PYTHON.match(line) else others if _is_no_failure(line) else frames).append(frame)
        else:
            inline.extend([*_inline(line)] or _spoken(line))
        if _STAMP.match(line) is not None:
            others.extend(_loggers(line[:_LOGGER_READ]))
    ordered = (*reversed(python), *frames, *inline, *others)
    distinct: dict[tuple[str, int], Coordinate] = {}
    for one in ordered:
        clean = _clean(one)
        distinct.setdefault((clean.path, clean.line), clean)
        if len(distinct) == MOST_COORDINATES:
            break
    return tuple(distinct.values())


def _loggers(line: str) -> Iterable[Coordinate]:
    """Yield the module that a log line names as its logger, ``shop.stock`` or ``shop.stock.Reserver``."""
    for found in _LOGGER.finditer(line):
        # A logger's name begins with a small letter, so with a module.
        path, names = _module_and_names(found.group(1))
        yield Coordinate(path, 0, ".".join(names))


def _inline(line: str) -> Iterable[Coordinate]:
    for found in _NODE.finditer(line) if "::" in line else ():
        if _EXTENSION.search(found.group(1)):
            yield Coordinate(found.group(1), 0, _dotted(found.group(2)))
    if _DIGIT.search(line) is None:
        return
    for found in _INLINE.finditer(line):
        path = found.group(1).rstrip(".:")
        if _EXTENSION.search(path) and "://" not in line[max(0, found.start() - 8) : found.start() + 8]:
            yield Coordinate(path, int(found.group(2)))


def _spoken(line: str) -> list[Coordinate]:
    """Return the place of prose that has one file and one line number, in whatever order."""
    numbers = {int(found.group(1)) for found in _LINE_NUMBER.finditer(line)}
    if len(numbers) != 1 or "://" in line:
        return []
    paths = {path for found in _FILE.finditer(line) if _EXTENSION.search(path := found.group().rstrip(".:"))}
    return [Coordinate(paths.pop(), numbers.pop())] if len(paths) == 1 else []


def _clean(one: Coordinate) -> Coordinate:
    path = one.path.replace("\\", "/").partition("://")[2] or one.path.replace("\\", "/")
    path = path.partition("?")[0]
    if path[1:3] == ":/":
        path = path[3:]
    return Coordinate(path.strip("/").removeprefix("./"), one.line, one.symbol)


def log_messages(text: str) -> tuple[tuple[str, ...], ...]:
    """Return what log lines say as runs of words, without stamp, level and values: of the severest lines, where any is
    more than a note, and the last line first.
    """
    lines = [line[:LINE_READ] for line in text.split("\n", MOST_LINES)[:MOST_LINES] if _STAMP.match(line) is not None]
    severe = [line for line in lines if _SEVERE.search(line[:_LOGGER_READ]) is not None]
    said = (without_values(_LOG_HEAD.sub("", line)) for line in reversed(severe or lines))
    return tuple(dict.fromkeys(one for one in said if one))


def has_values(text: str) -> bool:
    """Return whether a text has values as only a program prints them: an address, a UUID, an object's form."""
    return _PRINTED.search(text[:LINE_READ]) is not None


def without_values(text: str) -> tuple[str, ...]:
    """Return the runs of words of a program's message between its values, which no source has: the longest first."""
    runs = [run.strip(" .,:;=()[]{}-–|/") for run in _VALUE.split(text[:LINE_READ])]
    told = [run for run in runs if any(map(str.isalpha, run))]
    return tuple(sorted(told, key=lambda run: -sum(len(word) > SHORT for word in run.split())))


def without_printed(text: str) -> str:
    """Return a text without addresses, UUIDs and the forms of objects; the same text where nothing else is in it."""
    left = _PRINTED.sub(" ", text)
    return " ".join(left.split()) if any(map(str.isalpha, left)) else text


_SEVERE = lazy_pattern(r"\b(?:WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b")
_LOG_HEAD = lazy_pattern(
    r"^\s*(?:(?:\[[^\]\n]{1,120}\]|\d[\d:.,/TZ+-]{3,40}|\w{3} [ \d]\d|[a-z_]\w{1,60}(?:\.\w{1,60}){1,8}(?=[:\s])"
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\b|[A-Za-z_]\w{1,60}(?=:\S))[\s:|,-]{0,6})+"
)
_PRINTED = lazy_pattern(
    r"<[^<>\n]{0,200}(?:://| at 0x| object)[^<>\n]{0,200}>|\b\w{2,10}://\S{1,300}|\b0x[0-9a-fA-F]{6,}\b"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b"
)
_VALUE = lazy_pattern(
    r"<[^<>\n]{1,300}>|\b\w{2,10}://[^\s<>\"')\]]{1,300}|(?<!\w)'[^'\n]{0,200}'(?!\w)|\"[^\"\n]{0,200}\""
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\b0x[0-9a-fA-F]+\b|(?<![\w/.])[\d][\d.,:%]{0,40}\w{0,2}\b"
)


def errors_of(text: str) -> tuple[str, ...]:
    """Return the messages of a paste that say what went wrong, the last ones first, at most three."""
    found: dict[str, None] = {}
    for line in reversed(text.split("\n", MOST_LINES)[:MOST_LINES]):
        bare = line[:LINE_READ].strip()
        if not bare:
            continue
        error = _ERROR.match(bare)
        if error is not None:
            found[error.group(1)] = None
        elif _COMPLAINS.search(bare) and (complaint := _COMPLAINT.match(bare)) is not None:
            found[complaint.group(1)] = None
        if len(found) >= 3:
            break
    return tuple(found)


def error_message(error: str) -> str:
    """Return what an error of ``errors_of`` says, without its kind: ``no address`` of ``AddressError: no address``."""
    kind, colon, said = error.partition(": ")
    return said.strip() if colon and " " not in kind and kind[-1:].isalpha() else error
