"""Read what the text of one file of code says of a name: what stands before it, what its variables are made of, and
what its imports bind.

Pure: text in, words out. No types are resolved here; ``expression_types`` looks the words up. Texts are cut before they
are matched, so that none makes a pattern backtrack far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from helix_core.engine.verdict import code_lines
from helix_core.ingest import language_of
from helix_core.lines import with_line_feeds
from helix_core.model import FUNCTIONS, Source
from helix_core.search import FROM_IMPORT
from helix_core.store import DefinitionHit

MOST_LINES = 40
"""Lines of one expression, and of a list of imports, that are joined."""
LONGEST = 2_000
LONGEST_DECLARATION = 400
"""Longer lines say nothing of a variable here: a pattern takes quadratic time on some of them."""
MOST_IMPORTS = 100_000
"""Characters of a file in which its imports are looked for."""
_KEPT = 256

SELF = frozenset({"self", "this", "cls", "Self", "@", "$this", "static", "self()"})
SUPER = frozenset({"super", "base", "parent"})
_JOINT = re.compile(r"(?:\?\.|!!\.|!\.|&\.|->|::|\.)$")
_NEXT_JOINT = re.compile(r"\s*(?:\?\.|!!\.|!\.|&\.|->|::|\.)\s*(?=[\w$<])")
_NAME_BEFORE = re.compile(r"[\w$@]+$")
_NAME = re.compile(r"[\w$@]+")
_NEW_BEFORE = re.compile(r"\bnew\s+(?:[\w$]+\.)*$")
_PAIRS = {")": "(", "]": "[", ">": "<", "}": "{"}
_OPEN = {opening: closing for closing, opening in _PAIRS.items()}
_PREFIX = re.compile(r"(?:(?:await|new|yield|mut|ref|move|try[!?]?|return)\s+|[&*]+)*")
_FOR = re.compile(r"\bfor\b[^:]*$")
_IN = re.compile(r"[\w\s,.*()]*\bin\b")
_ENDS = re.compile(r"\s*(?:$|[;,){}\]:?]|as\b|#|//)")

PYTHON = frozenset({"python", "cython"})
SCRIPTS = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
JVM = frozenset({"java", "kotlin", "scala", "groovy"})
TYPED_FIRST = frozenset({"java", "c_sharp", "c", "cpp", "dart", "groovy", "objective_c"})
"""Languages that write a variable's type before its name."""
TYPED_AFTER = SCRIPTS | {"kotlin", "scala", "swift", "rust"}
"""Languages that write it behind a colon, or may."""
_NO_TYPES = frozenset(
    (
        *("return", "new", "else", "throw", "in", "case", "package", "import", "goto", "delete", "await", "yield"),
        *("not", "and", "or", "is", "as", "typeof", "instanceof"),
    )
)
_NO_CALLS = _NO_TYPES | {"if", "elif", "while", "for", "switch", "match", "catch", "when", "assert"}
_UNTYPED = frozenset(("var", "auto", "val", "let", "const", "final", "def", "dynamic", "late"))
_WRAPPERS = frozenset(
    (
        *("Optional", "Type", "type", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable"),
        *("Arc", "Rc", "Box", "Option", "Ref", "RefCell", "shared_ptr", "unique_ptr", "Readonly", "Partial", "Lazy"),
    )
)


@dataclass(frozen=True, slots=True)
class Step:
    """One name of an expression; ``is_called`` where arguments follow it, or it constructs something."""

    name: str
    is_called: bool = False


Chain = tuple[Step, ...]
"""An expression of names and calls, outermost first; empty for one that is made otherwise."""
LITERAL: Chain = (Step("''", True),)
"""The chain of a string or a number."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What an import binds a name to: ``name`` of the module ``target``, or the module itself where it is empty."""

    target: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """What a variable is said to be: of a type, as written, or the value of an expression; unknown without either."""

    type: str = ""
    value: str = ""


def chain_before(text: str) -> Chain | None:
    """Return the expression that ends a text with a joint (``a.b().``); None where no joint ends it."""
    rest = text[-LONGEST:].rstrip()
    joint = _JOINT.search(rest)
    if joint is None or rest.endswith(".."):
        return None
    steps: list[Step] = []
    while joint is not None:
        rest = rest[: joint.start()].rstrip()
        rest = rest.rstrip("?!") if rest.endswith(("?", "!")) else rest
        is_called, at = False, len(rest)
        while at and rest[at - 1] in _PAIRS:
            bracket = rest[at - 1]
            opening = _opening(rest, at - 1)
            if opening < 0 or bracket in "]}" or (bracket == ">" and not is_called and not rest[:opening].strip()):
                return ()
            is_called, at = is_called or bracket == ")", len(rest[:opening].rstrip())
            rest = rest[:at].removesuffix("::") if bracket == ">" else rest[:at]
            at = len(rest)
        if rest.endswith(("'", '"', "`")):
            return LITERAL
        name = _NAME_BEFORE.search(rest)
        # ``return (a or b).c``: a keyword is called by nobody.
        if name is None or (is_called and name[0] in _NO_CALLS):
            return ()
        steps.insert(0, Step(name[0], is_called))
        rest = (
            rest[: name.start()].rstrip()
            if rest[: name.start()].rstrip().endswith((".", "::", "->"))
            else rest[: name.start()]
        )
        joint = _JOINT.search(rest) if not rest.endswith("..") else None
    return tuple(steps)


def _opening(text: str, closing: int) -> int:
    """Return the offset of the bracket that the one at ``closing`` closes; -1 for none."""
    bracket, depth = text[closing], 0
    for at in range(closing, -1, -1):
        if text[at] == bracket:
            depth += 1
        elif text[at] == _PAIRS[bracket]:
            depth -= 1
            if not depth:
                return at
    return -1


def _closing(text: str, opening: int) -> int:
    """Return the offset after the bracket that closes the one at ``opening``; of the end where none does."""
    bracket, depth = text[opening], 0
    for at in range(opening, len(text)):
        if text[at] == bracket:
            depth += 1
        elif text[at] == _OPEN[bracket]:
            depth -= 1
            if not depth:
                return at + 1
    return len(text)


def chain_of_value(text: str) -> Chain:
    """Return the chain of an expression at the start of a text; empty for one with operators, brackets or the like."""
    text = text[:LONGEST].strip()
    if text[:1] in ("'", '"', "`") or text[:1].isdigit() or re.match(r"[bfru]{1,2}['\"]", text):
        return LITERAL
    at = prefixed.end() if (prefixed := _PREFIX.match(text)) else 0
    steps: list[Step] = []
    while (name := _NAME.match(text, at)) is not None:
        at, is_called = name.end(), False
        if text[at : at + 1] == "<" or text[at : at + 3] == "::<":
            end = _closing(text, text.index("<", at))
            at = end if text[end : end + 1] in ("(", "{", ":") else at
        if text[at : at + 1] == "[" and name[0][:1].isupper():
            at = _closing(text, at)
        if text[at : at + 1] == "!" and text[at + 1 : at + 2] in ("(", "["):
            return ()
        after = text[at:].lstrip()
        if after.startswith("(") or (after.startswith("{") and name[0][:1].isupper()):
            is_called = True
            at = _closing(text, at + len(text[at:]) - len(after))
        steps.append(Step(name[0], is_called))
        joint = _NEXT_JOINT.match(text, at)
        if joint is None:
            return tuple(steps) if _ENDS.match(text, at) else ()
        at = joint.end()
    return ()


def type_words(written: str) -> tuple[str, ...]:
    """Return the names of a type as written, outermost first, without wrappers, arguments and marks; empty where it
    names none, or several.
    """
    text = written[:LONGEST_DECLARATION].strip().strip("'\"").strip()
    for _ in range(6):
        marked, text = (
            text,
            re.sub(r"^(?:[&*]|mut\b|const\b|final\b|readonly\b|dyn\b|impl\b|'\w+\b|\?|in\b|out\b|ref\b)\s*", "", text),
        )
        if "|" in text:
            kept = [one.strip() for one in text.split("|") if one.strip() not in ("None", "null", "undefined", "")]
            if len(kept) != 1:
                return ()
            text = kept[0]
        match = re.match(r"(?:[\w$]+(?:\.|::))*([\w$]+)\s*[<\[]\s*(.+?)\s*[>\]]\s*$", text)
        if match is None or match[1] not in _WRAPPERS:
            if marked == text:
                break
            continue
        text = match[2].split(",")[0].strip().strip("'\"")
    if re.search(r"\[\s*\]\s*$", text) or text.startswith(("[", "(", "{")):
        return ("[]",)
    match = re.match(r"[\w$]+(?:(?:\.|::)[\w$]+)*", text)
    return tuple(re.split(r"\.|::", match[0])) if match is not None else ()


def made_of(name: str, lines: Sequence[str], language: str, *, own: str = "") -> list[Made]:
    """Return what a variable is declared or assigned in some lines of code, in their order.

    Args:
        name: The variable.
        lines: The lines, strings blanked.
        language: The language of the file.
        own: What stands before an attribute (``self.``), empty for a variable.
    """
    found: list[Made] = []
    word = re.compile(rf"(?<![\w.$@]){re.escape(own + name)}(?![\w$])")
    for number, line in enumerate(lines):
        at = word.search(line) if len(line) <= LONGEST_DECLARATION else None
        if at is None:
            continue
        if _FOR.search(line[: at.start()]) and _IN.match(line[at.end() :]):
            found.append(Made())
            continue
        for pattern in _patterns(name, language, own):
            match = pattern.search(line)
            if match is None:
                continue
            parts = match.groupdict()
            written, value = (parts.get("type") or "").strip(), parts.get("value")
            if written in _NO_TYPES:
                continue
            if written in _UNTYPED:
                written = ""
            if value is not None:
                value = value.strip() + " " + _continued(value, lines, number)
            if "anew" in parts and any(one.type for one in found):
                break
            found.append(Made(written, (value or "").strip()))
            break
    return found


def _continued(value: str, lines: Sequence[str], number: int) -> str:
    """Return the lines after ``number`` that belong to the same expression, joined."""
    more: list[str] = []
    depth = sum(map(value.count, "([{")) - sum(map(value.count, ")]}"))
    for line in lines[number + 1 : number + MOST_LINES]:
        text = line.strip()
        if depth <= 0 and not text.startswith((".", "?.", "->")):
            break
        more.append(text)
        depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return " ".join(more)[:LONGEST]


@lru_cache(_KEPT)
def _patterns(name: str, language: str, own: str) -> tuple[re.Pattern[str], ...]:
    v = rf"(?<![\w.$@]){re.escape(own + name)}(?![\w$])"
    assigned = rf"(?:^|[;{{(]|\b(?:then|do)\b)\s*{v}\s*(?P<anew>)=(?![=>~])\s*(?P<value>.*)"
    made: list[str] = []
    if language in PYTHON:
        made = [
            rf"(?:^|[(,*])\s*{v}\s*:\s*(?P<type>['\"A-Za-z_][^=,)#]*)(?:=\s*(?P<value>.*))?",
            rf"^\s*{v}\s*=(?!=)\s*(?P<value>.*)",
            rf"\bwith\b\s*(?P<value>.*?)\s+as\s+{v}",
            rf"\bexcept\b\s*(?P<type>[\w.]+)\s+as\s+{v}",
            rf"^\s*(?:[\w\s.*,]*,\s*\*?)?{v}\s*(?:,[\w\s.*,]*)?=(?!=)",
        ]
    elif language in TYPED_FIRST:
        made = [
            rf"(?P<type>[A-Za-z_][\w.:]*(?:<[^;=()]*>)?(?:\[\])*)[&*\s]+{v}\s*(?:=(?!=)\s*(?P<value>.*)|[;,):\[{{]|$)",
            assigned,
        ]
        if own:
            made = [assigned]
    elif language == "go":
        made = [
            rf"{v}\s*(?:,\s*\w+\s*)*:=\s*(?P<value>.*)",
            rf"(?:[(,]\s*|\bvar\s+){v}\s+(?P<type>[*\w.\[\]]+)",
            rf"^\s*{v}\s+(?P<type>[*\w.\[\]]+)",
            rf",\s*{v}\s*:?=",
            assigned,
        ]
    elif language in TYPED_AFTER:
        made = [
            rf"\b(?:const|let|var|val)\s+(?:mut\s+)?{v}\s*(?::\s*(?P<type>[^=;]+))?(?:=(?!=)\s*(?P<value>.*))?",
            rf"(?:^|[(,])\s*(?:(?:public|private|protected|readonly|override|static|pub|mut|val|var|_)\s+)*{v}[?!]?\s*:\s*"
            r"(?P<type>[^=,);]+)(?:=\s*(?P<value>.*))?",
            assigned,
        ]
    elif language == "php":
        made = [rf"(?P<type>[A-Z\\][\w\\]*)\s+\$?{v}", rf"\$?{v}\s*=(?![=>])\s*(?P<value>.*)"]
    else:
        made = [rf"(?:^|[\s;(])\$?{v}\s*=(?![=>~])\s*(?P<value>.*)"]
    return tuple(re.compile(one) for one in made)


_RETURNS = {
    **dict.fromkeys((*PYTHON, "rust", "swift"), r"\)\s*->\s*(?P<type>[^:{{]+)"),
    **dict.fromkeys(("typescript", "tsx", "kotlin", "scala"), r"\)\s*:\s*(?P<type>[^={{]+)"),
    # A result may have a name: ``(c *Context, err error)``.
    "go": r"\b{name}\s*\([^)]*\)\s*(?:\((?:\w+[ \t]+)?)?(?P<type>[*\w.]+)",
    **dict.fromkeys(TYPED_FIRST, r"(?P<type>[A-Za-z_][\w.:]*(?:<[^;=()]*>)?(?:\[\])*)[&*\s]+{name}\s*\("),
}


def returned_type(name: str, head: str, language: str) -> str:
    """Return the type, as written, that the head of a function says it returns; empty where it says none."""
    pattern = _RETURNS.get(language)
    if pattern is None:
        return ""
    match = re.search(pattern.format(name=re.escape(name)), head[:LONGEST])
    written = match["type"].strip() if match is not None else ""
    return "" if written in _NO_TYPES | _UNTYPED | {"void"} else written


# Imports

_PY_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w., \t]{1,1000})", re.M)
_JS_FROM = re.compile(r"\b(?:import|export)\s+(?:type\s+)?([^;'\"`()]{1,600}?)\s*\bfrom\s*['\"]([^'\"\n]{1,300})['\"]")
_JS_REQUIRE = re.compile(
    r"(?:const|let|var)\s+(\{[^{}]{1,1000}\}|[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['\"]([^'\"\n]{1,300})['\"]"
)
_GO_IMPORT = re.compile(r"^[ \t]*(?:import[ \t]+)?(?:([\w.]+)[ \t]+)?\"([^\"\n]{1,300})\"[ \t]*(?://.*)?$", re.M)
_JVM_IMPORT = re.compile(r"^[ \t]*import[ \t]+(static[ \t]+)?([\w.]+)(\.\*|\._)?(?:[ \t]+as[ \t]+(\w+))?", re.M)
_CLASS_OF_PHP = re.compile(r"^[ \t]*(?:(?:abstract|final|readonly)[ \t]+)*(?:class|trait|interface|enum)[ \t]+\w", re.M)
_USE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+([^;]{1,2000});", re.M)


@lru_cache(64)
def bindings(text: str, language: str) -> dict[str, Binding]:
    """Return what the imports of a file bind, by name, which begins with ``*`` where all names are taken in."""
    found: dict[str, Binding] = {}
    for _, name, target, original in _bound(text[:MOST_IMPORTS], language):
        found[f"*{len(found)}" if name == "*" else name] = Binding(target, original)
    return found


@lru_cache(64)
def placed_bindings(text: str, language: str) -> dict[str, list[tuple[int, Binding]]]:
    """Return what the imports of a file bind, by name, in their order and with the line, 1-based, of each."""
    found: dict[str, list[tuple[int, Binding]]] = {}
    line, before = 1, 0
    for at, name, target, original in sorted(_bound(text[:MOST_IMPORTS], language)):
        line, before = line + text.count("\n", before, at), at
        found.setdefault(name, []).append((line, Binding(target, original)))
    return found


_Bound = Iterator[tuple[str, str, str]]
"""Names that an import binds, each with its target and the name that it has there."""


@lru_cache(64)
def _bound(text: str, language: str) -> tuple[tuple[int, str, str, str], ...]:
    """Return what each import binds, behind the offset of the import."""
    return tuple(
        (match.start(), name, target, original)
        for pattern, read in _IMPORTS.get(language, ())
        for match in pattern.finditer(text)
        for name, target, original in read(match)
    )


def _from_module(match: re.Match[str]) -> _Bound:
    listed = re.sub(r"#[^\n]*", "", match[2]).strip("() \t\n\\")
    for original, name in _listed(listed, " as "):
        yield name, match[1], original


def _of_modules(match: re.Match[str]) -> _Bound:
    for original, name in _listed(match[1], " as "):
        yield (name, original, "") if name != original else (original.split(".")[0], original.split(".")[0], "")
        if name == original and "." in original:
            yield original, original, ""


def _required(match: re.Match[str]) -> _Bound:
    if match[1].startswith("{"):
        for original, name in _listed(match[1].strip("{} \n"), ":"):
            yield name, match[2], original
    else:
        yield match[1], match[2], ""


def _of_go(match: re.Match[str]) -> _Bound:
    name = match[1] or match[2].rpartition("/")[2]
    yield "*" if name == "." else name, match[2], ""


def _of_jvm(match: re.Match[str]) -> _Bound:
    package, _, name = match[2].rpartition(".")
    if match[3]:
        yield "*", match[2], ""
    else:
        yield match[4] or name, package if match[1] else match[2], name


def _of_php(match: re.Match[str]) -> _Bound:
    """Yield the classes, functions and constants that a ``use`` takes in: inside of a class it names traits."""
    if match[0][:1] in " \t" and _CLASS_OF_PHP.search(match.string, 0, match.start()) is not None:
        return
    clause = re.sub(r"^(?:function|const)\s+", "", re.sub(r"\s+", " ", match[1]).strip())
    prefix, brace, rest = clause.partition("{")
    for original, name in _listed(rest.rpartition("}")[0] if brace else clause, " as "):
        whole = (prefix.strip() + original if brace else original).strip("\\")
        last = whole.rpartition("\\")[2]
        yield (last if name == original else name), whole, last


def _listed(text: str, joint: str) -> Iterator[tuple[str, str]]:
    """Yield the original and the local name of each entry of a list."""
    for entry in text.split(","):
        original, renamed, name = (part.strip() for part in entry.partition(joint))
        name = re.split(r"[\s=]", name)[0] if name else ""
        if original:
            yield original.split(" ")[0], name if renamed and name else original.split(" ")[0]


def _bound_in_script(clause: str, target: str) -> Iterator[tuple[str, str, str]]:
    braces = re.search(r"\{([^{}]*)\}", clause)
    for original, name in _listed(re.sub(r"\btype\s+", "", braces[1]) if braces else "", " as "):
        yield name, target, original
    rest = clause[: braces.start()] if braces else clause
    for part in rest.split(","):
        space = re.fullmatch(r"\s*\*(?:\s+as\s+([\w$]+))?\s*", part)
        if space is not None:
            yield space[1] or "*", target, ""
        elif re.fullmatch(r"\s*[\w$]+\s*", part):
            yield part.strip(), target, "default"


def _bound_in_rust(prefix: str, text: str, depth: int) -> Iterator[tuple[str, str, str]]:
    head, brace, rest = text.partition("{")
    if brace and depth < 4:
        inner, level, start = rest.rpartition("}")[0], 0, 0
        for at, character in enumerate(f"{inner},"):
            level += (character == "{") - (character == "}")
            if character == "," and not level:
                if entry := inner[start:at].strip():
                    yield from _bound_in_rust(prefix + head.strip(), entry, depth + 1)
                start = at + 1
        return
    original, _, name = (part.strip() for part in (prefix + text).partition(" as "))
    module, _, last = original.rpartition("::")
    if last == "self":
        module, _, last = module.rpartition("::")
    yield name or last, module, last


def module_named(bound: Binding, words: Sequence[str] = ()) -> str:
    """Return the module that a binding and the names after it mean."""
    joint = "::" if "::" in bound.target else "/" if "/" in bound.target else "."
    module = bound.target
    for part in (bound.name if bound.name != "default" else "", *words):
        if part:
            module += part if module.endswith(joint) else f"{joint}{part}"
    return module


def head_of(lines: Sequence[str]) -> str:
    """Return the lines of a function up to the end of its parameters."""
    head: list[str] = []
    depth = 0
    for line in lines[:MOST_LINES]:
        head.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0 and ("(" in "".join(head)) and not line.lstrip().startswith("@"):
            break
    return "\n".join(head)


_IMPORTS: dict[str, tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Bound]], ...]] = {
    **dict.fromkeys(PYTHON, ((FROM_IMPORT, _from_module), (_PY_IMPORT, _of_modules))),
    **dict.fromkeys(
        SCRIPTS, ((_JS_FROM, lambda match: _bound_in_script(match[1], match[2])), (_JS_REQUIRE, _required))
    ),
    **dict.fromkeys(JVM, ((_JVM_IMPORT, _of_jvm),)),
    "go": ((_GO_IMPORT, _of_go),),
    "rust": ((_USE, lambda match: _bound_in_rust("", re.sub(r"\s+", " ", match[1]).strip(), 0)),),
    "php": ((_USE, _of_php),),
}


# Files

_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.M)
_QUALIFIED_IN_PHP = re.compile(r"(?:\\?(?:\w+\\)+|\\)?$")
_NAMESPACE_OF_PHP = re.compile(r"^[ \t]*(?:<\?php\s+)?namespace[ \t]+([\w\\]+)[ \t]*[;{]", re.M)
BY_PACKAGE = JVM | {"go"}
"""Languages in which a file has the names of its package without an import."""


def package_in(path: bytes, text: str, language: str, line: int = 0) -> str:
    """Return the package that a file says it belongs to, its folder where it says none; of PHP the namespace on a line,
    1-based, or the first one.
    """
    if language == "php":
        said = [(text.count("\n", 0, match.start()) + 1, match[1]) for match in _NAMESPACE_OF_PHP.finditer(text)]
        above = [name for at, name in said if at <= line]
        return above[-1] if above else said[0][1] if said else ""
    found = _PACKAGE.search(text[:20_000]) if language in BY_PACKAGE else None
    folder = path.rpartition(b"/")[0].decode("utf-8", "replace")
    return folder if found is None or language == "go" else found[1]


_TEST_OF_RUST = re.compile(
    r"#\[\s*(?:cfg\(\s*(?:test\b|all\(\s*test\b)|(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck)\b)"
)


class CodeText:
    """The text of one file of code as it is on disk: its lines without strings and comments, and what it imports."""

    def __init__(self, source: Source, data: bytes, defined: Sequence[DefinitionHit]) -> None:
        self.source, self.path, self.defined = source, source.path, defined
        self.language = language_of(source.path, data).name
        self.text = with_line_feeds(data.decode("utf-8", "replace"))

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines of code; strings are blanked, comments cut off."""
        return code_lines(self.text, self.language)

    @cached_property
    def top_lines(self) -> list[str]:
        """Return the lines of code that are not indented."""
        return [line for line in self.lines if line[:1].strip()]

    @cached_property
    def bindings(self) -> dict[str, Binding]:
        """Return what the imports bind."""
        return bindings(self.text, self.language)

    def binding_of(self, name: str, line: int) -> Binding | None:
        """Return what an import binds a name to on a line: one in a function around the line, else one outside of
        functions, the first where several could run.
        """
        if name not in self.bindings:
            return None
        placed = placed_bindings(self.text, self.language).get(name, [])
        for hit in self._functions_around(line):
            for at, bound in placed:
                if hit.start_line <= at <= hit.end_line:
                    return bound
        return next((bound for at, bound in placed if not self._functions_around(at)), None)

    def _functions_around(self, line: int) -> list[DefinitionHit]:
        return [hit for hit in self.around(line) if hit.kind in FUNCTIONS]

    @cached_property
    def package(self) -> str:
        """Return the package of the file, as of ``package_in``."""
        return package_in(self.path, self.text, self.language)

    def php_name(self, name: str, line: int, before: str) -> tuple[str, ...]:
        """Return what a name of PHP means on a line, fully qualified and in lower case, as the rules of its name
        resolution say: behind a backslash, by an import, else in the namespace; a function may be the global one, too.

        Args:
            name: The name as written.
            line: The line, 1-based.
            before: The code before it.
        """
        written = f"{_QUALIFIED_IN_PHP.search(before)[0]}{name}".lower()  # type: ignore[index]  # It may be empty.
        if written.startswith("\\"):
            return (written[1:],)
        first, joint, rest = written.partition("\\")
        here = package_in(self.path, self.text, self.language, line).lower()
        bound = next((one for alias, one in self.bindings.items() if alias.lower() == first), None)
        if bound is not None:
            return (f"{bound.target.lower()}{joint}{rest}",)
        if first == "namespace" and joint:
            written = rest
        whole = f"{here}\\{written}" if here else written
        return (whole,) if joint or not here else (whole, written)

    def is_inner_test(self, line: int) -> bool:
        """Return whether a definition around a line of Rust is a test by its attribute, or a module of tests."""
        return any(
            (hit.kind in ("module", "namespace") and hit.name in ("test", "tests"))
            or any(map(_TEST_OF_RUST.match, self._attributes(hit)))
            for hit in self.around(line)
        )

    def _attributes(self, hit: DefinitionHit) -> Iterator[str]:
        """Yield the lines of attributes and comments above a definition, from its head upwards."""
        for row in range(hit.start_line - 1, max(hit.start_line - 1 - MOST_LINES, 0), -1):
            text = self.lines[row - 1].strip()
            if text and not text.startswith("#["):
                return
            yield text

    def around(self, line: int) -> list[DefinitionHit]:
        """Return the definitions around a line, the innermost first."""
        found = [hit for hit in self.defined if hit.start_line <= line <= hit.end_line]
        return sorted(found, key=lambda hit: (hit.end_line - hit.start_line, -hit.start_line))

    def is_within(self, name: str, line: int) -> bool:
        """Return whether a line is in a definition of this name."""
        return any(hit.name == name for hit in self.around(line))

    def before(self, line: int, column: int) -> str:
        """Return the code before a place, with the lines above where the expression began there."""
        text, row = self.lines[line - 1][:column], line - 2
        for _ in range(MOST_LINES):
            stripped = text.lstrip()
            is_open = stripped.count(")") > stripped.count("(") or stripped.count("}") > stripped.count("{")
            if row < 0 or not (stripped.startswith((".", "?.", "->", "&.", "!!.")) or (is_open and stripped)):
                break
            text, row = self.lines[row].rstrip() + stripped, row - 1
        return text
