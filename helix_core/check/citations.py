"""Find the citations of a text: ``path:line``, paths, symbols in code marks, and fenced blocks that quote a place.

A citation is a claim unless its sentence, or a heading above it, proposes something, denies it, or speaks of other
times and versions: those cannot be compared with today's code. Fenced blocks without a place, commands, comments and
addresses contain no citations. Patterns are single runs or possessive, so that no text makes them backtrack.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, islice
from urllib.parse import unquote

from helix_core.check.imports import BLOCKS, ImportedName, imported_names, language_of_code
from helix_core.ingest import arguments_at, code_spans
from helix_core.lines import with_line_feeds

MOST_CITATIONS = 1_000
LONGEST_PATH = 300
LONGEST_SYMBOL = 200
LONGEST_SENTENCE = 1_000
# Text after so many characters of one paragraph is not read.
LONGEST_PARAGRAPH = 8_000
# Between a symbol and its place there are at most so many characters.
LONGEST_GAP = 40
LONGEST_PLACE_LINE = 120
MOST_QUOTED_LINES = 400


class CitationKind(StrEnum):
    """What a citation points at."""

    PLACE = "place"
    PATH = "path"
    SYMBOL = "symbol"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation of a text.

    Attributes:
        kind: What it points at.
        line, column, end_column: Where it is in the text, 1-based; the end is exclusive, in characters.
        written: The citation as written; of a quote its place.
        path: The path as written, without lines; empty for a symbol.
        start_line, end_line: The cited lines of that file, 1-based and inclusive; 0 without any.
        parts: The names of a symbol, outermost first; of a place the symbol named right next to it.
        is_call: The symbol is written with parentheses.
        is_link: The path is the target of a link.
        is_claim: It states how the code is now.
        is_of_now: Nothing around it speaks of another time, nor does it propose just this: wrong where it is known to
            be gone, also in a sentence that is too unsure to be a claim of what is there.
        quoted: The lines of a quote.
        is_explicit: The block itself names its lines, so that it can only be a quote.
        also: The names of a second symbol of a place (``a.py:3 `f` and `g```): one of the two is there.
        is_import: The symbol is written as what an import takes from a module.
        module, language: Of an import in another language than Python the module as written, and ``script``, ``rust``
            or ``go``.
    """

    kind: CitationKind
    line: int
    column: int
    end_column: int
    written: str
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    parts: tuple[str, ...] = ()
    is_call: bool = False
    is_link: bool = False
    is_claim: bool = True
    is_of_now: bool = True
    quoted: tuple[str, ...] = ()
    is_explicit: bool = False
    also: tuple[str, ...] = ()
    is_import: bool = False
    module: str = ""
    language: str = ""

    @property
    def name(self) -> str:
        """Return the last name of the symbol, which is the one meant."""
        return self.parts[-1] if self.parts else ""

    @property
    def symbol(self) -> str:
        """Return the names joined by dots."""
        return ".".join(self.parts)


# Sentences that state nothing about the code as it is now.
_NOT_A_CLAIM = re.compile(
    r"\b(?:add(?:s|ed|ing)?|creat(?:e|es|ed|ing)|introduc\w{1,5}|new|propos\w{1,6}|suggest\w{0,7}|suppose|imagine"
    r"|hypothetical\w{0,2}|renam\w{1,3}|refactor\w{0,3}|would|implement|define|extract|e\.g\.|for (?:example|instance)"
    r"|no|not|cannot|never|without|lacks?|lacking|missing|absent|non-?exist\w{0,5}|invented|unlike|neither|nor"
    r"|remov\w{1,3}|delet\w{1,3}|deprecat\w{1,4}|no longer|formerly|previous(?:ly)?|used to|instead of|replac\w{1,3}"
    r"|obsolete|legacy|dropped|gone|old(?:er)?|earlier|moved|migrat\w{1,4}|planned|will|future|prior to|up to"
    r"|change(?:s|d)? (?:it |this |that )?(?:to|into|from)|as of|TODO|should (?:become|be called)|there (?:was|were)"
    # The same in German, French, Spanish and Portuguese.
    r"|entfernt\w{0,2}|gelöscht\w{0,2}|umbenannt\w{0,2}|heißt|hieß\w{0,2}|früher\w{0,2}|ehemal\w{1,4}|statt|anstelle|anstatt"
    r"|ersetzt\w{0,2}|veraltet\w{0,2}|kein\w{0,2}|nicht|nie|ohne|fehlt|wurde\w{0,1}|wird|werden|soll\w{0,3}|neue?[rsnm]?"
    r"|supprim\w{1,4}|renomm\w{1,4}|remplac\w{1,4}|ancien\w{0,4}|plus de|n'(?:existe|est|a|y)|jamais|sans|obsol\w{1,5}"
    r"|elimin\w{1,4}|renombr\w{1,4}|renome\w{1,4}|reemplaz\w{1,4}|substitu\w{1,4}|ya no|já não|antes|antigu\w{1,2}"
    r"|nunca)\b|n't\b|n’t\b"
    r"|\b(?:v|version )\d|\b\d+\.\d+"
    r"|\b(?:in|with|since|under|using|until|from|before|after) (?!lines?\b|steps?\b)[a-z][\w-]{1,40}"
    r" [1-9]\d{0,2}(?![\w.-]|:\d)",
    re.I,
)
# Of these only a place with its line is left unjudged: the line itself is proposed, or was there before. Code that
# removes something is there.
_NOT_A_PLACE = re.compile(
    r"\b(?:creat(?:e|es|ed|ing)|new file|propos\w{1,6}|suppose|imagine|hypothetical\w{0,2}|e\.g\."
    r"|(?:was|were|been|got) (?:\w{1,20} )?(?:removed|deleted)|no longer|formerly|previous(?:ly)?|used to"
    r"|renam\w{1,3}|moved|no such|not exist"
    r"|will be)\b|n't exist",
    re.I,
)
# What a sentence says of something that is no more, or is to come.
_OF_OTHER_TIMES = re.compile(
    r"\b(?:remov\w{1,3}|delet(?:ed|es|ion)|deprecat\w{1,4}|renam\w{1,3}|replac\w{1,3}|no longer|any ?more|formerly"
    r"|previous(?:ly)?|used to be|instead of|obsolete|legacy|dropped|gone|old(?:er)?|earlier|moved|migrat\w{1,4}"
    r"|planned|will be|would be|future|prior to|up to|as of|TODO|histor(?:y|ic\w{0,4})|superseded|retired|merged"
    r"|chang(?:e|es|ed) (?:it |this |that )?(?:to|into|from)|restor\w{1,3}|revert\w{0,3}|re-?add\w{0,3}|bring back"
    r"|introduc\w{1,5}|new|propos\w{1,6}|suggest\w{0,7}|suppose|imagine|hypothetical\w{0,2}|no such|exist\w{0,3}"
    r"|there (?:is|are|was|were) no|lacks?|lacking|missing|absent|invented|(?:was|were) (?:called|named|known)"
    r"|should (?:become|be called)"
    r"|entfernt\w{0,2}|gelöscht\w{0,2}|umbenannt\w{0,2}|hieß\w{0,2}|früher\w{0,2}|ehemal\w{1,4}|statt|anstelle|anstatt"
    r"|ersetzt\w{0,2}|veraltet\w{0,2}|fehlt|wurde\w{0,1}|supprim\w{1,4}|renomm\w{1,4}|remplac\w{1,4}|ancien\w{0,4}|obsol\w{1,5}"
    r"|elimin\w{1,4}|renombr\w{1,4}|renome\w{1,4}|reemplaz\w{1,4}|substitu\w{1,4}|ya no|já não|antes|antigu\w{1,2})\b"
    r"|\b(?:v|version )\d|\b\d+\.\d+"
    r"|\b(?:before|since|until|from|in|with) [a-z][\w-]{1,40} [1-9]\d{0,2}(?![\w.-]|:\d)",
    re.I,
)
# The words right before code that is to be written: "add a function `f`".
_PROPOSES_IT = re.compile(
    r"\b(?:add|creat|implement|defin|writ|extract|build|mak)(?:e|es|ed|ing|s)?(?:[ \n]+(?:a|an|the|your|own|new|another"
    r"|function|method|class|constant|file|module|macro|type|called|named)){0,5}[ \n`*_\[x(]{0,4}$",
    re.I,
)
LONGEST_PROPOSAL = 80
_NOT_A_QUOTE = re.compile(
    r"\b(?:chang\w{1,3}|replac\w{1,3}|add(?:s|ed|ing)?|insert\w{0,3}|new|updat\w{1,3}|modif\w{1,5}|fix\w{0,3}|after"
    r"|rewrit\w{1,3}|refactor\w{0,3}|propos\w{1,6}|suggest\w{0,7}|would|should|could|becomes?|instead|like this"
    r"|patch\w{0,3}|edit\w{0,3}|creat\w{1,3}|remov\w{1,3}|delet\w{1,3}|previous(?:ly)?|used to|before|usage|use it"
    r"|example|call(?:ed)? (?:it )?like|pseudo\w{0,5}|simplified|roughly|abridged|shortened|sketch\w{0,2}"
    r"|equivalent\w{0,2}|similar\w{0,2})\b",
    re.I,
)
_PROPOSING_HEADING = re.compile(
    r"\b(?:propos\w{1,6}|plan|planned|suggest\w{0,7}|next steps|todo|roadmap|migrat\w{1,4}|upgrad\w{1,3}|removed"
    r"|deprecat\w{1,4}|changelog|history|release notes|changes|changed|implementation steps|refactor\w{0,3}"
    r"|entfernt|veraltet|geplant|vorschlag|änderungen|supprim\w{1,4}|modifications|eliminad\w{1,2}|cambios)\b"
    r"|\b(?:v|version )?\d+\.\d+",
    re.I,
)

_RUN = r"(?<![\w.@+~/\\-])[\w.@+~/-]++"
_PLACE = re.compile(
    rf"({_RUN})(?:"
    r":(\d{1,7}+)(?::\d{1,5}+)?+(?:[-–](\d{1,7}+))?+(?!\w|:\S)"
    r"|#L(\d{1,7}+)(?:C\d{1,5}+)?+(?:-L?(\d{1,7}+))?+(?!\w)"
    r"|`?+(?:, ?|,? \(|,? (?:at |on )?)lines? (\d{1,7}+)(?:(?:[-–]| to )(\d{1,7}+))?+(?!\w))",
    re.I,
)
_LINES_OF = re.compile(
    rf"\blines? (\d{{1,7}}+)(?:(?:[-–]| to )(\d{{1,7}}+))?+ (?:of|in) (?:the file )?`?+({_RUN})", re.I
)
# A frame of a Python traceback.
_FRAME = re.compile(r"\bFile \"([^\"\n]{1,300}+)\", line (\d{1,7}+)")
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300}+)\]\(<?([^()\s<>]{1,400}+)>?(?: +\"[^\"\n]{0,200}+\")?\)")
_TARGET_LINES = re.compile(r"#L?(\d{1,7})(?:C\d{1,5})?(?:-L?(\d{1,7}))?$|:(\d{1,7})(?::\d{1,5})?(?:-(\d{1,7}))?$")
_ADDRESS = re.compile(r"(?<![\w+.-])(?!file:)[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>()`\"]++")
_SYMBOL = re.compile(
    r"@?(?:async )?(?:def |class |function |fn |func )?([A-Za-z_$][\w$]*+(?:(?:\.|::|#)[A-Za-z_$][\w$]*+)*+)"
    r"(\([^()`]{0,200}+\))?+:?"
)
_JOINT = re.compile(r"\.|::|#")
_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})([^\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}([=~^\"#*+-])\1{2,200}+[ \t]*")
_LEVELS = {"=": 1, "-": 2}
_CODE = frozenset(("code", "code-block", "sourcecode", "testcode", "doctest"))
_DIRECTIVE = re.compile(
    rf"([ \t]*)\.\. +(?:py:)?({'|'.join(_CODE)}|auto(?:module|class|exception|function|method|attribute|data)):: *(.*)$"
)
_DOCUMENTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?=$|[ (])")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)")
_APART = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|\||#{1,6}[ \t])")
_SENTENCE_END = re.compile(r"[.!?;](?=[\s)\"'])|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
# What may lie between a symbol and the place where it is: "`run()` is defined in `app.py:12`".
_SYMBOL_THEN_PLACE = re.compile(
    r"`?[\s*_]*(?:\(|\[|[-–—:,@→]+|(?:(?:is|are|lives|sits|begins|starts)\s+)?(?:(?:defined|declared|implemented|located|found)\s+)?"
    r"(?:in|at)(?:\s+file)?)?[\s*_(\[]*`?",
)
_PLACE_AND_SYMBOL = re.compile(r"`?[ *_]+`?")
_AND = re.compile(r"`?[ *_]*(?:,? and|,|&|\+|/)[ *_]*`?")
_BARE_PATH = re.compile(rf"({_RUN})(?![\w/@-])")
_IMPORT_LINE = re.compile(
    r"^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\([^()]{1,1000}\)|[A-Za-z_][\w, \t]{0,400})", re.M
)
# In a sentence the module has a dot: "from one import to the next" is English.
_IMPORT_IN_TEXT = re.compile(
    r"(?<![\w.])from[ \t]+[A-Za-z_]\w*(?:\.\w+)+[ \t]+import[ \t]+[A-Za-z_]\w*(?:[ \t]+as[ \t]+\w+)?"
    r"(?:,[ \t]*[A-Z_]\w*(?:[ \t]+as[ \t]+\w+)?)*"
)
_PROPOSED = re.compile(f"{_NOT_A_QUOTE.pattern}|{_NOT_A_CLAIM.pattern}", re.I)
_DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:class|def)[ \t]+(\w+)", re.M)
_PLACE_THEN_SYMBOL = re.compile(r"`?[\s*_]*(?:\(|[-–—→]+|:)[\s*_]*`?")
_COMMENT_PATH = re.compile(
    r"[ \t]*(?:#|//|--|;|/\*|<!--|%)[ \t]*(?:(?:file(?:name)?|path|from|in):?[ \t]+)?([^\s]{1,300})"
)
_FILE_NAMES = frozenset(("makefile", "dockerfile", "jenkinsfile", "rakefile", "gemfile", "procfile", "justfile"))
_ENDINGS = frozenset(
    (
        *(
            "py",
            "pyi",
            "pyx",
            "js",
            "jsx",
            "mjs",
            "cjs",
            "ts",
            "tsx",
            "mts",
            "cts",
            "vue",
            "svelte",
            "go",
            "rs",
            "java",
        ),
        *("kt", "kts", "scala", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "fs", "rb", "php", "swift", "m", "mm"),
        *("lua", "pl", "sh", "bash", "zsh", "ps1", "bat", "sql", "r", "jl", "ex", "exs", "erl", "hs", "ml", "clj"),
        *("dart", "zig", "proto", "md", "mdx", "rst", "txt", "adoc", "toml", "yaml", "yml", "json", "jsonc", "json5"),
        *("ini", "cfg", "conf", "xml", "html", "htm", "css", "scss", "sass", "less", "graphql", "gradle", "tf", "lock"),
        *("csv", "env", "j2", "jinja", "ipynb", "po", "in", "cmake", "nix", "vim", "el", "tex", "bib", "properties"),
    )
)


def citations_in(text: str) -> tuple[Citation, ...]:
    """Return the citations of a Markdown text in the order of their places, at most ``MOST_CITATIONS``."""
    return tuple(islice(_AnswerParser(with_line_feeds(text).split("\n")).read(), MOST_CITATIONS))


def file_names_in(text: str) -> tuple[str, ...]:
    """Return the words of a text that are names of files without a folder, such as ``setup.py``, each once.

    Outside code marks they are no citations, as most such names are of any file of that name.
    """
    found = (match[1].rstrip(".,;:") for match in _BARE_PATH.finditer(text))
    return tuple(dict.fromkeys(name for name in found if "/" not in name and is_path(name)))


def names_a_file(text: str) -> bool:
    """Return whether a text names a file, by its path or by its name alone."""
    return bool(file_names_in(text)) or any(one.path for one in citations_in(text))


_NOTHING = Citation(CitationKind.PATH, 1, 1, 1, "")


@dataclass(frozen=True, slots=True)
class _CitedSpan:
    """A place of a paragraph with its offsets, code marks or link included."""

    start: int
    end: int
    citation: Citation


class _AnswerParser:
    """Splits a text into paragraphs and fenced blocks, and reads each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line.removesuffix("\r") for line in lines]
        self._headings: list[tuple[int, bool]] = []
        # What the text itself defines is to be written yet.
        self._defined = frozenset(_DEFINED.findall("\n".join(self._lines)))

    def read(self) -> Iterator[Citation]:
        """Yield the citations in order."""
        first, row, container, was_blank, is_comment = -1, 0, 0, True, False
        caption = -1
        while row < len(self._lines):
            line = self._lines[row]
            fence = _FENCE.match(line)
            is_fence = fence is not None and not (fence[1][0] == "`" and "`" in fence[2])
            directive = _DIRECTIVE.match(line) if "::" in line else None
            is_apart = is_fence or directive is not None or not line.strip() or _APART.match(line) is not None
            if first >= 0 and (is_apart or is_comment):
                yield from self._paragraph(first, row)
                first = -1
            if is_comment or line.lstrip().startswith("<!--"):
                is_comment = "-->" not in line
                row += 1
                continue
            if directive is not None:
                end = self._end_of_directive(row, directive)
                yield from self._directive(row, end, directive)
                row, was_blank, caption = end, True, -1
                continue
            if is_fence and fence is not None:
                end = self._end_of_fence(row, fence[1])
                yield from self._block(row, end, fence[2].strip(), caption)
                row, was_blank, caption = end + 1, True, -1
                continue
            heading = _HEADING.match(line)
            if heading is not None:
                self._enter(len(heading[1]), heading[2])
            elif first >= 0 and (underline := _UNDERLINE.fullmatch(line)) is not None:
                # reST may draw a line above a title too.
                has_line_above = _UNDERLINE.fullmatch(self._lines[first]) is not None
                if row - first == 1 + has_line_above:
                    level = 0 if has_line_above else _LEVELS.get(underline[1], 3)
                    self._enter(level, self._lines[row - 1])
            if line.strip():
                indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
                if was_blank and not indent and not is_apart:
                    container = 0
                is_code = first < 0 and was_blank and indent >= container + 4
                if is_apart and not is_code:
                    container = indent + 2
                if first < 0 and not is_code:
                    first = caption = row
            was_blank = not line.strip()
            if heading is not None and first >= 0:
                yield from self._paragraph(first, row + 1)
                first = -1
            row += 1
        if first >= 0:
            yield from self._paragraph(first, len(self._lines))

    def _enter(self, level: int, title: str) -> None:
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, _PROPOSING_HEADING.search(title) is not None))

    @property
    def _is_about_now(self) -> bool:
        """Return whether no heading above speaks of a plan or another version."""
        return not any(is_other for _, is_other in self._headings)

    def _end_of_fence(self, row: int, mark: str) -> int:
        """Return the row that closes the fence opened at ``row``; the last row where nothing does."""
        for other in range(row + 1, len(self._lines)):
            text = self._lines[other].lstrip(" \t>")
            if text.startswith(mark) and not text.strip(mark[0] + " \t"):
                return other
        return len(self._lines) - 1

    # Directives of reStructuredText

    def _end_of_directive(self, row: int, directive: re.Match[str]) -> int:
        """Return the row after a directive, the code that it shows included."""
        end = row + 1
        while directive[2] in _CODE and end < len(self._lines):
            line = self._lines[end]
            if line.strip() and len(line) - len(line.lstrip()) <= len(directive[1]):
                break
            end += 1
        return end

    def _directive(self, row: int, end: int, directive: re.Match[str]) -> Iterator[Citation]:
        """Yield what a directive documents, or what the imports of its code take."""
        name, argument = directive[2], directive[3].strip()
        if name in _CODE:
            language = argument.lower() or "python"
            quoted = self._lines[row + 1 : end]
            if language in ("python", "py", "python3", "pycon"):
                yield from self._imports(row, quoted, 0, is_claim=self._is_about_now)
            elif language in BLOCKS:
                yield from self._imports_of(BLOCKS[language], row, quoted, 0, is_claim=self._is_about_now)
            return
        documented = _DOCUMENTED.match(argument)
        if documented is None:
            return
        column = directive.start(3) + 1
        parts = tuple(documented[0].split("."))
        is_module = name == "automodule" or (len(parts) > 1 and parts[-2][:1].islower())
        yield Citation(
            CitationKind.SYMBOL,
            row + 1,
            column,
            column + len(documented[0]),
            documented[0],
            parts=parts,
            is_claim=self._is_about_now,
            is_of_now=self._is_about_now,
            is_import=is_module,
        )

    # Paragraphs

    def _paragraph(self, first: int, end: int) -> Iterator[Citation]:
        text = "\n".join(self._lines[first:end])[:LONGEST_PARAGRAPH]
        if text.lstrip().startswith(">>> "):
            yield from self._imports(first - 1, self._lines[first:end], 0, is_claim=self._is_about_now)
            return
        if text.lstrip().startswith(("$ ", "% ")):
            return
        paragraph = _Paragraph(text, first, self._is_about_now, self._defined)
        yield from paragraph.citations()

    # Fenced blocks

    def _block(self, row: int, end: int, info: str, caption: int) -> Iterator[Citation]:
        """Yield the quote that a fenced block is, if it names the place that it quotes."""
        is_closed = end > row and _FENCE.match(self._lines[end]) is not None
        body = self._lines[row + 1 : end if is_closed else end + 1]
        indent = len(self._lines[row]) - len(self._lines[row].lstrip(" \t"))
        quoted = [line[indent:] if not line[:indent].strip() else line for line in body[: MOST_QUOTED_LINES + 1]]
        if len(quoted) > MOST_QUOTED_LINES or not any(line.strip() for line in quoted):
            return
        language = info.split(" ", 1)[0].lower()
        if language in ("diff", "patch", "console", "shell-session", "text", "output", "mermaid"):
            return
        is_claim = self._is_about_now
        # A block usually has one sentence about it, in the paragraph before: what proposes there makes a proposal.
        before = " ".join(self._lines[caption:row])[-LONGEST_SENTENCE:] if caption >= 0 else ""
        if caption > 0 and len(before) < LONGEST_PLACE_LINE:
            # A line with the place alone: what the block is for is in the paragraph above it.
            before = " ".join(self._lines[max(caption - 3, 0) : row])[-LONGEST_SENTENCE:]
        if language in ("python", "py", "python3", ""):
            yield from self._imports(row, quoted, indent, is_claim=is_claim and _PROPOSED.search(before) is None)
        if language in BLOCKS:
            is_now = is_claim and _PROPOSED.search(before) is None
            yield from self._imports_of(BLOCKS[language], row, quoted, indent, is_claim=is_now)
        is_claim = is_claim and _NOT_A_QUOTE.search(before) is None and _NOT_A_QUOTE.search(info) is None
        own = _cited_in_info(info) or _cited_in_comment(quoted[0])
        if own is not None:
            is_comment = own[3]
            is_claim = is_claim and not (is_comment and _NOT_A_QUOTE.search(quoted[0]))
            quote = self._quote(row + is_comment, own[:3], quoted[is_comment:], is_claim=is_claim)
            yield replace(quote, is_explicit=bool(quote.start_line))
            return
        captioned = self._captioned(caption, row) if caption >= 0 else None
        if captioned is not None:
            place = (captioned.path, captioned.start_line, captioned.end_line)
            yield self._quote(row, place, quoted, is_claim=is_claim)

    def _imports(self, row: int, quoted: Sequence[str], indent: int, *, is_claim: bool) -> Iterator[Citation]:
        """Yield what the imports of a fenced block take from modules."""
        # The prompt of a session is as wide as the blanks that stand for it.
        text = "\n".join(_PROMPT.sub(lambda prompt: " " * len(prompt[0]), line) for line in quoted)
        if " import " not in text:
            return
        rows = [0, *accumulate(len(line) + 1 for line in quoted)]

        def cited(start: int, end: int, parts: tuple[str, ...]) -> Citation:
            at = bisect_right(rows, start) - 1
            column = start - rows[at] + indent + 1
            place = Citation(CitationKind.SYMBOL, row + at + 2, column, column + end - start, ".".join(parts))
            is_now = is_claim and parts[-1] not in self._defined
            return replace(place, parts=parts, is_claim=is_now, is_of_now=is_now, is_import=True)

        imported = list(_imported(text))
        for start, end, parts in imported:
            yield cited(start, end, parts)
        for start, end, parts, arguments in _calls(text, imported):
            written = f"{parts[-1]}({arguments})"
            yield replace(cited(start, end, parts), written=written, is_call=True)

    def _imports_of(
        self, language: str, row: int, quoted: Sequence[str], indent: int, *, is_claim: bool
    ) -> Iterator[Citation]:
        """Yield what the imports of a fenced block in another language than Python take from modules."""
        rows = [0, *accumulate(len(line) + 1 for line in quoted)]
        for one in imported_names("\n".join(quoted), language):
            at = bisect_right(rows, one.start) - 1
            column = one.start - rows[at] + indent + 1
            place = Citation(CitationKind.SYMBOL, row + at + 2, column, column + one.end - one.start, one.name)
            yield _as_import(place, one, is_claim=is_claim)

    def _captioned(self, caption: int, row: int) -> Citation | None:
        """Return the only place that the paragraph right before a block ends with, or consists of."""
        lines = self._lines[caption:row]
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines or len(lines) < row - caption - 1 or sum(map(len, lines)) > LONGEST_SENTENCE:
            return None
        text = "\n".join(lines)
        found = [one for one in _Paragraph(text, caption, True).citations() if one.kind is CitationKind.PLACE]
        said = text.rstrip("* _:")
        is_alone = [one.written for one in found] == [text.strip("* _`")]
        is_named = text.rstrip("* _").endswith(":") or said.endswith(("`", ")", "]")) or _HEADING.match(text)
        is_caption = is_alone or is_named
        return found[0] if len(found) == 1 and is_caption else None

    def _quote(self, row: int, place: tuple[str, int, int], quoted: Sequence[str], *, is_claim: bool) -> Citation:
        path, first, last = place
        return Citation(
            CitationKind.QUOTE,
            row + 1,
            1,
            len(self._lines[row]) + 1,
            f"{path}:{first}{f'-{last}' if last != first else ''}" if first else path,
            path,
            first,
            last,
            is_claim=is_claim,
            quoted=tuple(quoted),
        )


class _Paragraph:
    """One paragraph, list item, heading or table row: its places, paths and symbols."""

    def __init__(self, text: str, first_row: int, is_about_now: bool, defined: frozenset[str] = frozenset()) -> None:
        self._text, self._first_row, self._is_about_now, self._defined = text, first_row, is_about_now, defined
        self._codes = list(code_spans(text))
        self._rows = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        # Addresses are not paths, and a dot in code or in an address ends no sentence.
        self._plain = _ADDRESS.sub(lambda match: " " * len(match[0]), text)
        self._words = _blanked(self._plain, [(start, end) for start, end, _ in self._codes])
        self._ends = [match.end() for match in _SENTENCE_END.finditer(self._words)]
        self._searched: dict[tuple[int, int, re.Pattern[str]], bool] = {}

    def citations(self) -> Iterator[Citation]:
        """Yield the citations of the paragraph in order."""
        places = self._places()
        taken = _Taken(places)
        others = [
            found
            for start, end, code in self._codes
            if not taken.overlaps(start, end) and (found := self._code(start, end, code)) is not None
        ]
        others += self._imports(taken, others)
        others += self._imports_in_code()
        others += self._bare_paths(_Taken(sorted([*places, *others], key=lambda span: span.start)))
        symbols = [
            one for one in others if one.citation.kind is CitationKind.SYMBOL and not one.citation.is_import
        ]  # fmt: skip
        starts = [one.start for one in symbols]
        named = []
        named_after = -1
        for one in places:
            index = bisect_right(starts, one.start)
            right_after = self._right_after(one, symbols[index : index + 2])
            if right_after is not None:
                named_after = index + bool(right_after.citation.also)
                named.append(right_after)
                continue
            # The nearest before the place, then the nearest after it.
            before = symbols[max(index - 1, 0) : index] if index - 1 > named_after else []
            named.append(self._with_symbol(one, [*before, *symbols[index : index + 1]]))
        for one in sorted([*named, *others], key=lambda span: span.start):
            yield one.citation

    def _sentence_matches(self, pattern: re.Pattern[str], position: int) -> bool:
        """Return whether the words of the sentence around an offset, code left out, match the pattern."""
        index = bisect_right(self._ends, position)
        piece = position // LONGEST_SENTENCE
        asked = (index, piece, pattern)
        if asked not in self._searched:
            start = self._ends[index - 1] if index else 0
            end = self._ends[index] if index < len(self._ends) else len(self._words)
            first, last = (piece - 1) * LONGEST_SENTENCE, (piece + 2) * LONGEST_SENTENCE
            self._searched[asked] = pattern.search(self._words[max(start, first) : min(end, last)]) is not None
        return self._searched[asked]

    def _at(self, kind: CitationKind, start: int, end: int, written: str, is_claim: bool) -> Citation:
        row = bisect_right(self._rows, start) - 1
        column = start - self._rows[row] + 1
        place = (self._first_row + row + 1, column, column + end - start)
        return Citation(kind, *place, written, is_claim=is_claim, is_of_now=is_claim or self._is_of_now(start))

    def _places(self) -> list[_CitedSpan]:
        matches = list(_LINK.finditer(self._plain))
        links = [one for match in matches if (one := self._link(match)) is not None]
        # What is in the parentheses of a link is not a place of its own.
        plain = _blanked(self._plain, [match.span(3) for match in matches], " ")
        found = _Taken(links)
        texts: list[_CitedSpan] = []
        for match in _PLACE.finditer(plain):
            lines = (match[2] or match[4] or match[6], match[3] or match[5] or match[7])
            one = self._place(match.span(), match[1], *lines)
            if one is not None and not found.overlaps(one.start, one.end):
                texts.append(one)
        stated = _Taken(texts)
        for match in _LINES_OF.finditer(plain):
            one = self._place(match.span(), match[3].rstrip(".,;:"), match[1], match[2])
            if one is not None and not found.overlaps(one.start, one.end) and not stated.overlaps(one.start, one.end):
                texts.append(one)
        for match in _FRAME.finditer(plain):
            one = self._place(match.span(), match[1], match[2], None)
            if one is not None and not found.overlaps(one.start, one.end) and not stated.overlaps(one.start, one.end):
                texts.append(one)
        return sorted([*links, *texts], key=lambda span: span.start)

    def _place(self, at: tuple[int, int], path: str, first: str, last: str | None) -> _CitedSpan | None:
        start, end = at
        lines = (int(first), int(last) if last else int(first))
        if not is_file_name(path):
            return None
        written = self._text[start:end].strip("`")[:LONGEST_PATH]
        one = self._at(CitationKind.PLACE, start, end, written, not self._sentence_matches(_NOT_A_PLACE, start))
        # Backticks around it belong to it.
        before, after = self._text[start - 1 : start] == "`", self._text[end : end + 1] == "`"
        return _CitedSpan(start - before, end + after, replace(one, path=path, start_line=lines[0], end_line=lines[1]))

    def _link(self, match: re.Match[str]) -> _CitedSpan | None:
        label, target = match[2], match[3]
        is_address = "://" in target and not target.startswith("file://")
        if match[1] or is_address or target.startswith(("#", "mailto:", "{")):
            return None
        lines = _TARGET_LINES.search(target)
        path = unquote(target[: lines.start()] if lines is not None else target.partition("#")[0])
        if path.startswith("file://"):
            path = "/" + path.removeprefix("file://").lstrip("/")
        numbers = [int(one) for one in (lines.groups() if lines is not None else ()) if one]
        first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
        if not is_file_name(path):
            return None
        kind = CitationKind.PLACE if numbers else CitationKind.PATH
        is_claim = not self._sentence_matches(_NOT_A_PLACE, match.start()) if numbers else self._is_claim(match.start())
        one = self._at(kind, match.start(3), match.end(3), target[:LONGEST_PATH], is_claim)
        shown = label.strip("`* ")
        parts, is_call = _symbol(shown) or ((), False)
        is_name = numbers and not is_file_name(shown) and (len(parts) > 1 or is_call or "`" in label)
        names = parts if is_name else ()
        one = replace(one, path=path, start_line=first, end_line=last, parts=names, is_call=is_call, is_link=True)
        return _CitedSpan(match.start(), match.end(), one)

    def _is_claim(self, position: int) -> bool:
        return self._is_about_now and not self._sentence_matches(_NOT_A_CLAIM, position)

    def _is_of_now(self, position: int) -> bool:
        before = self._words[max(position - LONGEST_PROPOSAL, 0) : position]
        return (
            self._is_about_now
            and not self._sentence_matches(_OF_OTHER_TIMES, position)
            and _PROPOSES_IT.search(before) is None
        )

    def _code(self, start: int, end: int, code: str) -> _CitedSpan | None:
        text = code.strip()
        if not text or text.startswith(("$ ", "-", "http:", "https:")):
            return None
        at = start + max((end - start - len(code)) // 2, 1)
        if is_path(text):
            one = self._at(CitationKind.PATH, at, at + len(text), text, self._is_claim(start))
            return _CitedSpan(start, end, replace(one, path=text))
        named = _symbol(text)
        if named is None:
            return None
        one = self._at(CitationKind.SYMBOL, at, at + len(text), text[:LONGEST_SYMBOL], self._is_claim(start))
        return _CitedSpan(start, end, replace(one, parts=named[0], is_call=named[1]))

    def _imports(self, taken: _Taken, others: Sequence[_CitedSpan]) -> list[_CitedSpan]:
        """Return what imports take from modules, in code marks or in the sentence."""
        found: list[_CitedSpan] = []
        if " import " not in self._text:
            return found
        known = _Taken(others)
        for first, written in self._import_statements():
            for start, end, parts in _imported(written):
                at = first + start
                if taken.overlaps(at, at + end - start) or known.overlaps(at, at + end - start):
                    continue
                is_claim = self._is_claim(at) and parts[-1] not in self._defined
                one = self._at(CitationKind.SYMBOL, at, at + end - start, ".".join(parts), is_claim)
                found.append(_CitedSpan(at, at + end - start, replace(one, parts=parts, is_import=True)))
        return found

    def _import_statements(self) -> Iterator[tuple[int, str]]:
        """Yield the imports of Python with where each begins: whole code marks, then what stands in the sentence."""
        read: list[_CitedSpan] = []
        for start, end, code in self._codes:
            if _IMPORT_LINE.fullmatch(code.strip()) is not None:
                read.append(_CitedSpan(start, end, _NOTHING))
                yield start + (end - start - len(code)) // 2, code
        in_code = _Taken(read)
        for match in _IMPORT_IN_TEXT.finditer(self._text):
            if not in_code.overlaps(*match.span()):
                yield match.start(), match[0]

    def _imports_in_code(self) -> list[_CitedSpan]:
        """Return what an import in code marks takes, in another language than Python."""
        found: list[_CitedSpan] = []
        for start, end, code in self._codes:
            language = language_of_code(code.strip())
            for one in imported_names(code, language) if language else ():
                at = start + (end - start - len(code)) // 2 + one.start
                place = self._at(CitationKind.SYMBOL, at, at + one.end - one.start, one.name, self._is_claim(start))
                found.append(_CitedSpan(at, at + one.end - one.start, _as_import(place, one, is_claim=place.is_claim)))
        return found

    def _bare_paths(self, taken: _Taken) -> list[_CitedSpan]:
        """Return the paths of files with a folder that stand in the text without code marks."""
        found: list[_CitedSpan] = []
        if "/" not in self._plain:
            return found
        codes = _Taken([_CitedSpan(start, end, _NOTHING) for start, end, _ in self._codes])
        links = _Taken([_CitedSpan(*match.span(), _NOTHING) for match in _LINK.finditer(self._plain)])
        for match in _BARE_PATH.finditer(self._plain):
            path = match[1].rstrip(".,;:")
            start, end = match.start(), match.start() + len(path)
            if "/" not in path or not is_path(path) or self._plain[end : end + 1] in (":", "#"):
                continue
            if not any(each.overlaps(start, end) for each in (taken, codes, links)):
                one = self._at(CitationKind.PATH, start, end, path[:LONGEST_PATH], self._is_claim(start))
                found.append(_CitedSpan(start, end, replace(one, path=path)))
        return found

    def _right_after(self, place: _CitedSpan, symbols: Sequence[_CitedSpan]) -> _CitedSpan | None:
        """Return the place with the symbols in code marks that follow it with nothing but a blank between, if any."""
        if place.citation.parts or not symbols:
            return None
        first = symbols[0]
        if first.start <= place.end or _PLACE_AND_SYMBOL.fullmatch(self._text[place.end : first.start]) is None:
            return None
        citation = replace(place.citation, parts=first.citation.parts, is_call=first.citation.is_call)
        if len(symbols) > 1 and _AND.fullmatch(self._text[first.end : symbols[1].start]):
            citation = replace(citation, also=symbols[1].citation.parts)
        return replace(place, citation=citation)

    def _with_symbol(self, place: _CitedSpan, symbols: Sequence[_CitedSpan]) -> _CitedSpan:
        """Return the place with the symbol that is named right before or after it, if one is."""
        if place.citation.parts:
            return place
        for one in symbols:
            is_before = one.end <= place.start
            start, end = (one.end, place.start) if is_before else (place.end, one.start)
            between = self._text[start:end] if 0 <= end - start <= LONGEST_GAP else "\n"
            pattern = _SYMBOL_THEN_PLACE if is_before else _PLACE_THEN_SYMBOL
            if "\n" not in between and pattern.fullmatch(between):
                parts, is_call = one.citation.parts, one.citation.is_call
                return replace(place, citation=replace(place.citation, parts=parts, is_call=is_call))
        return place


class _Taken:
    """Spans of a paragraph, in order and without overlaps."""

    def __init__(self, spans: Sequence[_CitedSpan]) -> None:
        self._starts = [one.start for one in spans]
        self._ends = [one.end for one in spans]

    def overlaps(self, start: int, end: int) -> bool:
        """Return whether one of them overlaps the half-open span."""
        index = bisect_right(self._starts, end - 1)
        return index > 0 and self._ends[index - 1] > start


def _imported(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield start and end of each name that an import takes from a module in code, with its parts."""
    for match in _IMPORT_LINE.finditer(text):
        for name in re.finditer(r"(?<!\bas )\b[A-Za-z_]\w*", match[2]):
            if name[0] != "as":
                start = match.start(2) + name.start()
                yield start, start + len(name[0]), (*match[1].split("."), name[0])


def _calls(
    text: str, imported: Sequence[tuple[int, int, tuple[str, ...]]]
) -> Iterator[tuple[int, int, tuple[str, ...], str]]:
    """Yield start and end of the name of each call of what code imports under its own name and gives no other meaning,
    with its parts and arguments.
    """
    names = {parts[-1]: parts for _, _, parts in imported}
    for name, parts in names.items():
        if re.search(rf"\b{name}\s*(?:=(?!=)|,[^()\n]*=(?!=)|:)|\bas\s+{name}\b|\b{name}\s+as\b", text):
            continue
        for match in re.finditer(rf"(?<![\w.]){name}\(", text):
            arguments = arguments_at(text, match.end() - 1, LONGEST_SYMBOL)
            if arguments is not None:
                yield match.start(), match.end() - 1, parts, arguments


def _as_import(place: Citation, one: ImportedName, *, is_claim: bool) -> Citation:
    written = one.module if one.language == "go" else one.name
    return replace(
        place,
        written=written,
        parts=(one.name,),
        is_import=True,
        is_claim=is_claim,
        module=one.module,
        language=one.language,
    )


def is_file_name(path: str) -> bool:
    """Return whether the last part of a path is the name of a file, by its ending."""
    name = path.rstrip("/").rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if path.endswith("/") or len(path) > LONGEST_PATH:
        return False
    if not dot:
        return name.lower() in _FILE_NAMES
    return ending.lower() in _ENDINGS and (bool(stem.strip(".")) or name.startswith("."))


def is_path(text: str) -> bool:
    """Return whether a code span is the path of a file and nothing else."""
    return (
        re.fullmatch(r"[\w.@+~/-]++", text) is not None and is_file_name(text) and not text.startswith(("~", "-", "@"))
    )


def _symbol(text: str) -> tuple[tuple[str, ...], bool] | None:
    """Return the names of a symbol and whether it is called, or None."""
    match = _SYMBOL.fullmatch(text) if len(text) <= LONGEST_SYMBOL + 200 else None
    if match is None:
        return None
    parts = tuple(_JOINT.split(match[1]))
    return parts, match[2] is not None


def _cited_in_info(info: str) -> tuple[str, int, int, bool] | None:
    """Return path and lines that an info string cites: ``12:20:a.py``, ``python a.py:12-20``, ``title="a.py"``."""
    cited = re.match(r"(\d{1,7}):(\d{1,7}):(\S{1,300})$", info)
    if cited is not None and is_file_name(cited[3]) and 0 < int(cited[1]) <= int(cited[2]):
        return cited[3], int(cited[1]), int(cited[2]), False
    for word in info.split()[:4]:
        found = _place_of(re.sub(r"^(?:title|file|filename|path)=", "", word).strip("\"'{}()"))
        if found is not None:
            return (*found, False)
    return None


def _cited_in_comment(line: str) -> tuple[str, int, int, bool] | None:
    """Return path and lines that a comment in the first line of a block cites."""
    match = _COMMENT_PATH.match(line)
    found = _place_of(match[1].strip("`*:,()")) if match is not None else None
    return (*found, True) if found is not None else None


def _place_of(word: str) -> tuple[str, int, int] | None:
    match = _PLACE.fullmatch(word)
    if match is not None and is_file_name(match[1]):
        first = int(match[2] or match[4] or match[6])
        last = int(match[3] or match[5] or match[7] or first)
        return (match[1], first, last) if 0 < first <= last else None
    return (word, 0, 0) if is_path(word) else None


def _blanked(text: str, spans: Sequence[tuple[int, int]], filler: str = "x") -> str:
    """Return the text with each span replaced by as many fillers."""
    pieces, position = [], 0
    for start, end in spans:
        pieces += [text[position:start], filler * (end - start)]
        position = end
    return "".join(pieces) + text[position:]
