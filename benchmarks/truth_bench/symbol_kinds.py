"""Mutations that keep a text byte for byte and make something else of it: its name, or nothing that has one.

Pure functions like those of ``content_kinds``; the span is mostly that of a definition. What they leave behind is
judged by ``symbol_oracle``, which knows what the text is now.
"""
# ruff: noqa: ARG001 - every kind is called alike

from __future__ import annotations

import re
from random import Random

from truth_bench.content_kinds import Edit
from truth_bench.git_kinds import git_kind, one_of_changed
from truth_bench.repository import MAIN, RENAMING
from truth_bench.world import Target, World

SYMBOL_EDITS: dict[str, Edit] = {}
_OWNER = re.compile(
    rb"^([ \t]*)(?:(?:export|default|public|protected|private|static|final|abstract) +|pub(?:\([^)]*\))? +)*"
    rb"(class|struct|enum|trait|impl|interface) +(\w+)"
)
_DEFINITION = re.compile(rb"^([ \t]*)(?:async +)?(?:def|class) +(\w+)")


def symbol_edit(edit: Edit) -> Edit:
    SYMBOL_EDITS[edit.__name__] = edit
    return edit


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _owner(lines: list[bytes], first: int) -> int | None:
    """The line of the class around the span, or of the class the span begins with."""
    here = next((at for at in range(first, min(first + 8, len(lines))) if lines[at].strip()), first)
    depth = _depth(lines[here])
    for at in range(here, -1, -1):
        match = _OWNER.match(lines[at])
        if match is not None and (at == here or _depth(lines[at]) < depth):
            return at
        if lines[at].strip() and _depth(lines[at]) == 0 and at < here and depth == 0:
            return None
    return None


@symbol_edit
def enclosing_class_renamed(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """Only the line that begins the class changes; the methods below read as before."""
    lines = data.split(b"\n")
    at = _owner(lines, first)
    if at is None:
        return None
    match = _OWNER.match(lines[at])
    assert match is not None
    new = rng.choice((b"RenamedByBench", match[3] + b"2", b"New" + match[3]))
    lines[at] = lines[at][: match.start(3)] + new + lines[at][match.end(3) :]
    return b"\n".join(lines)


@symbol_edit
def moved_into_another_class(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """A line ``class Other:`` over a method: it and what follows belong to that class now."""
    lines = data.split(b"\n")
    at = _owner(lines, first)
    start = _definition_start(lines, first, last)
    if at is None or start is None or at >= start or _depth(lines[start]) <= _depth(lines[at]):
        return None
    indent = lines[at][: _depth(lines[at])]
    lines.insert(start, indent + b"class BenchOther%d:" % rng.randrange(100))
    return b"\n".join(lines)


_METHOD = re.compile(
    rb"[ \t]+(?:(?:public|protected|private|static|final|abstract|override|async|get|set) +)*"
    rb"(?:(?!return|if|for|while|switch|catch|else|new|throw|function)[\w<>\[\].]+ +)?"
    rb"(?!(?:if|for|while|switch|catch|function|constructor|super)\b)[A-Za-z_]\w*\([^;={}]*\)[^;={}()]*\{[ \t\r]*$"
)


@symbol_edit
def moved_into_another_class_of_braces(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """The class ends in front of a method, which begins another one together with all that follows."""
    lines = data.split(b"\n")
    at = _owner(lines, first)
    if at is None or not lines[at].rstrip().endswith(b"{"):
        return None
    depth = _depth(lines[at])
    members = min(
        (_depth(line) for line in lines[at + 1 : first + 1] if line.strip() and _depth(line) > depth), default=0
    )
    start = next((n for n in range(first, last + 1) if _METHOD.match(lines[n]) and _depth(lines[n]) == members), None)
    if start is None or start <= at:
        return None
    while start - 1 > at and re.match(rb"[ \t]*(?:@|\*|/\*|//)", lines[start - 1]):
        start -= 1
    indent = lines[at][:depth]
    head = rng.choice(
        (b"class BenchOther%d {", b"abstract class BenchOther%d {", b"class BenchOther%d extends Object {")
    )
    lines[start:start] = [indent + b"}", b"", indent + head % rng.randrange(100)]
    return b"\n".join(lines)


def _definition_start(lines: list[bytes], first: int, last: int) -> int | None:
    """The first line of the first definition in the span, its decorators included."""
    found = next((at for at in range(first, last + 1) if _DEFINITION.match(lines[at])), None)
    while found is not None and found > 0 and lines[found - 1].lstrip().startswith(b"@"):
        found -= 1
    return found


@symbol_edit
def text_into_string_literal(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """The span stands in a literal or a comment of several lines now: the same bytes, dead."""
    lines = data.split(b"\n")
    block = b"\n".join(lines[first : last + 1])
    indent = lines[first][: _depth(lines[first])]
    marks = [
        (opening, closing)
        for opening, closing in _quoting(data)
        if closing.strip() not in block and b"\\" not in block and not block.rstrip().endswith(closing.strip()[:1])
    ]
    if not marks:
        return None
    opening, closing = rng.choice(marks)
    return b"\n".join([*lines[:first], indent + opening, block, indent + closing, *lines[last + 1 :]])


DROPPING = (
    (b"#if 0", b"#endif"),
    (b"#if (0)", b"#endif"),
    (b"#if !1", b"#endif"),
    (b"#if 1 - 1", b"#endif"),
    (b"#if 0 && defined(BENCH)", b"#endif"),
    (b"#ifdef BENCH\n#elif 0", b"#endif"),
    (b"#if 1\nextern int bench_other;\n#else", b"#endif"),
    (b"#if 1 || BENCH\n#elif defined(BENCH)", b"#endif"),
    (b"#undef BENCH\n#ifdef BENCH", b"#endif"),
    (b"#ifdef BENCH\n#ifndef BENCH", b"#endif\n#endif"),
    (b"#if 'a' == 'b'", b"#endif"),
    (b"#define BENCH_YES 1\n#if BENCH_YES\nextern int bench_other;\n#else", b"#endif"),
)
NEVER = (
    *(b"if False:", b"if 0:", b"while False:", b"while 0:", b"if not True:", b'if "":', b"if BENCH and False:"),
    *(b"if (  # off\n    False):", b"if False \\\n    and BENCH:", b"if (BENCH or BENCH2) and not 1:"),
)
ENDINGS = (b"raise SystemExit", b"sys.exit()", b"exit(1)", b"os._exit(\n    1\n)\n", b"raise BenchError from None")


@symbol_edit
def class_that_is_never_made(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """The class around the span is in a block of Python that is never run; the methods below read as before."""
    lines = data.split(b"\n")
    at = _owner(lines, first)
    if at is None or re.match(rb"[ \t]*class +\w+[^#]*:[ \t\r]*$", lines[at]) is None:
        return None
    if at and lines[at - 1].lstrip().startswith(b"@"):
        return None
    indent = lines[at][: _depth(lines[at])]
    return b"\n".join([*lines[:at], indent + rng.choice(NEVER), indent + b" " + lines[at].lstrip(), *lines[at + 1 :]])


@symbol_edit
def behind_a_statement_that_ends_the_run(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """No run of Python comes to the definition around the span, nor to what follows; all of it reads as before."""
    lines = data.split(b"\n")
    at = next((at for at in range(first, -1, -1) if re.match(rb"(?:async +def|def|class) +\w+", lines[at])), None)
    if at is None or re.search(rb"^(?:async +def|def|class) +\w+[^#]*:[ \t\r]*$", lines[at]) is None:
        return None
    while at and lines[at - 1].startswith(b"@"):
        at -= 1
    # Inside of a literal the line ends nothing, and the lines of a decorator may go on.
    if at and lines[at - 1].strip():
        return None
    return b"\n".join([*lines[:at], rng.choice(ENDINGS), *lines[at:]])


@symbol_edit
def behind_a_condition_that_is_never_met(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """The preprocessor of C always drops the lines now."""
    lines = data.split(b"\n")
    block = b"\n".join(lines[first : last + 1])
    is_c = re.search(rb"^#[ \t]*include\b", data, re.M) is not None
    if not is_c or b"#" in block or block.count(b"{") != block.count(b"}") or lines[max(first - 1, 0)].endswith(b"\\"):
        return None
    opening, closing = rng.choice(DROPPING)
    return b"\n".join([*lines[:first], opening, block, closing, *lines[last + 1 :]])


@symbol_edit
def argument_of_a_macro_that_makes_a_string(data: bytes, first: int, last: int, rng: Random) -> bytes | None:
    """The lines of C are a string now, as shaders are written."""
    lines = data.split(b"\n")
    block = b"\n".join(lines[first : last + 1])
    is_c = re.search(rb"^#[ \t]*include\b", data, re.M) is not None
    if not is_c or b"#" in block or b"{" not in block or any(block.count(a) != block.count(b) for a, b in _PAIRS):
        return None
    opening = rng.choice(
        (
            b"static const char *bench = STRINGIFY(",
            b"#define BENCH_TEXT(...) #__VA_ARGS__\nstatic const char *b = BENCH_TEXT(",
        )
    )
    return b"\n".join([*lines[:first], opening, block, b");", *lines[last + 1 :]])


_PAIRS = ((b"{", b"}"), (b"(", b")"))


def _quoting(data: bytes) -> list[tuple[bytes, bytes]]:
    if re.search(rb"^[ \t]*(?:def|class) +\w+.*:[ \t]*(?:#.*)?\r?$", data, re.M):
        return [(b'BENCH_TEXT = """', b'"""'), (b"BENCH_TEXT = '''", b"'''")]
    if re.search(rb"^#[ \t]*include\b", data, re.M):
        return [(b"/*", b"*/"), (b"#if 0", b"#endif")]
    return [(b"/*", b"*/")] if re.search(rb"[{;]\r?$", data, re.M) else []


@git_kind
def branch_switch_renames_classes(world: World, target: Target) -> Target | None:
    """On the other branch every class of every file has another name; the methods read as before."""
    world.repository.git("checkout", "-q", RENAMING)
    world.asked_again = 5
    return one_of_changed(world, MAIN, RENAMING)


@git_kind
def branch_switch_and_back_renames_classes(world: World, target: Target) -> Target | None:
    """There, a question, and back: whatever was taken in meanwhile is out of date again."""
    world.repository.git("checkout", "-q", RENAMING)
    world.level(0.5)
    world.repository.git("checkout", "-q", MAIN)
    world.asked_again = 5
    return one_of_changed(world, RENAMING, MAIN)
