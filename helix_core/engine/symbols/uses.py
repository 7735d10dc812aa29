"""Tell uses of a definition from lines that only have its name: by import, receiver and scope.

Three answers: it is meant for sure, its name alone speaks for it, or it is another's. What stands before the name is
followed as far as the text says it (``self``, a class, a module, a variable that is made of a class here); nothing is
guessed, so that what cannot be followed is never a use for sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import islice
from types import MappingProxyType

from helix_core.engine.symbols.choice import chain_of
from helix_core.engine.symbols.expression_types import (
    IMPLICIT_THIS,
    MODULES_ALONE,
    ExpressionTypes,
    Type,
    family,
    may_hand_on,
)
from helix_core.engine.symbols.fixtures import is_asked_for, is_fixture, nearest_fixture
from helix_core.engine.symbols.hierarchy import ClassAt, ClassHierarchy, MemberOrigin
from helix_core.engine.symbols.receivers import (
    BY_PACKAGE,
    JVM,
    LITERAL,
    LONGEST_DECLARATION,
    PYTHON,
    SCRIPTS,
    SELF,
    SUPER,
    Binding,
    Chain,
    CodeText,
    Step,
    chain_before,
    head_of,
    made_of,
    module_named,
)
from helix_core.engine.verdict import Weigher, whole_word
from helix_core.model import FUNCTIONS, TYPES, Role, Source, SourceKind
from helix_core.search import module_of, resolves_to
from helix_core.store import DefinedAt, DefinitionHit, Reader
from helix_core.words import is_compound

MOST_LINKED = 40
"""So many definitions of a name of C are read for whether the linker takes them for one."""
MOST_OTHERS = 12
"""A name of which there are more other definitions is never one that stands for its definition alone."""
_NAMES_KEPT = 64
_ANNOTATED = re.compile(r"(?:[:|&*?.]|(?<!\btype)(?<!\blet)(?<!\bvar)(?<!\bval)(?<!\bconst)(?<!\busing)(?<=\w)\s)\s*$")
"""Ends what stands before the type of a variable that is assigned: ``one: Type = 1``, ``var one Type = 1``."""
_OF_SELF = re.compile(r"\(\s*(?:self|cls)\b")
_STATIC = re.compile(r"\bstatic\b")
_HEADERS = (b".h", b".hh", b".hpp", b".hxx", b".inc")
_TYPE_BEFORE = re.compile(r"\s*(?:[A-Za-z_][\w:]*(?:<[^;()]{0,200}>)?[\s*&]++)+")
_NO_TYPE_BEFORE = frozenset(
    ("return", "else", "do", "throw", "new", "delete", "case", "goto", "co_return", "co_await", "co_yield", "typedef")
)
_CALLED_WITH_PARENTHESES = frozenset(("java", "c_sharp", "cpp", "swift", "dart"))
_MADE_IN_PHP = re.compile(r"(?:\bnew\s+|#\[(?:[^\]]*,)?\s*|\bfunction\s+)[\w\\]*$", re.I)
"""Stands before a name of PHP that has parentheses behind it and is no function that is called."""
_KEYED = re.compile(r"\s*:(?!:)")
_TAKEN_APART = re.compile(r"[^{}]{0,400}\}\s*=(?![=>])")
_ASSIGNED = re.compile(r"\s*=(?![=>~])")
_WITH_RECEIVERS = frozenset(("kotlin", "groovy"))
_WITH_BARS = frozenset(("rust", "ruby"))
"""Languages in which bars are around the parameters of a block."""
_LUA_JOINT = re.compile(r"(?<=[\w)\]]):(?=\w|$)")
_LOADED_BY_NAME = re.compile(r"\b(?:importorskip|import_module)\(\s*['\"]([\w.]{1,200})['\"]\s*\)\.$")
"""A module of Python that is loaded by its name, before what is taken from it."""
_LOADED = (Step("require", is_called=True), Step("import", is_called=True))
_EXTENSIONS = {
    "kotlin": r"\b(?:fun|va[lr])\s[^=({{]{{0,200}}?[\w>?)]\.{name}\b",
    "c_sharp": r"\b{name}\s*(?:<[^()]{{0,200}}>)?\s*\(\s*this\s",
    "scala": r"\bimplicit\s+class\s+{owner}\b",
    "swift": r"\bextension\s+(?:\w+\.)*{owner}\b",
}
"""How a definition begins that gives a member to a type from outside of it."""
_EXTENDED_AROUND = frozenset(("scala", "swift"))
"""Languages where that stands above the definition."""


class Standing(IntEnum):
    """What a name on a line is: of another or of nothing here, not told, likely by its name, or surely meant."""

    OTHER = 0
    UNTOLD = 1
    BY_NAME = 2
    SURE = 3


@dataclass(frozen=True, slots=True)
class _NameAt:
    """A name on a line: the code before and after it, and the chain that it is taken from, None where there is none;
    ``raw`` is the text before it on its line, with its strings.
    """

    file: CodeText
    line: int
    before: str
    chain: Chain | None
    after: str
    raw: str


class UseJudge:
    """Judges the uses of one name for one answer.

    Args of the constructor:
        meant: The definitions that are meant.
        candidates: All definitions of the name.
        importing: Source ids and paths of the files that import the first definition's file.
        moved: Where what is meant is now; it is no other definition.
        packages: The packages of files that are not there any more.
    """

    def __init__(
        self,
        reader: Reader,
        weigher: Weigher,
        hierarchy: ClassHierarchy,
        name: str,
        *,
        meant: Sequence[DefinedAt],
        candidates: Sequence[DefinedAt],
        importing: Callable[[], Mapping[int, bytes]],
        moved: Collection[DefinedAt] = (),
        packages: Mapping[bytes, str] = MappingProxyType({}),
    ) -> None:
        self._hierarchy, self._name, self._reader = hierarchy, name, reader
        self._importing = importing
        self._word = whole_word(name)
        same_case = [one for one in candidates if one.hit.name == meant[0].hit.name]
        meant = [*meant, *(one for one in same_case if one not in meant and _is_variant(one, meant[0]))]
        self._meant = meant
        # What a document describes under a heading of its own is no other definition.
        self._others = [one for one in same_case if one not in meant and one.source_kind is not SourceKind.DOC]
        self._members = [one for one in meant if self._is_member(one)]
        self._free = [one for one in meant if one not in self._members]
        self._families = {family(one.path) for one in meant}
        self._meant_owners = hierarchy.owners(self._members)
        self._other_owners = hierarchy.owners(one for one in self._others if self._is_member(one)) - self._meant_owners
        self._rivals = [one for one in self._others if one not in moved]
        owners = self._meant_owners | self._other_owners
        self._types = ExpressionTypes(reader, weigher, hierarchy, owners, packages)
        self._known: dict[tuple[bytes, int, Chain], Type] = {}
        self._in_classes: dict[tuple[ClassAt, bool], Standing] = {}
        self._in_others: dict[str, Standing] = {}

    @cached_property
    def _paths_importing(self) -> list[bytes]:
        return list(self._importing().values())

    @cached_property
    def _is_sole(self) -> bool:
        """Return whether nothing else outside of tests has the name, apart from what overrides it or is overridden."""
        if self._is_linked:
            return True
        others = [one for one in self._rivals if one.role is not Role.TEST]
        if len(others) > MOST_OTHERS or not all(self._is_member(one) for one in others):
            return False
        return all(
            (one.path, one.trail) in self._meant_owners
            or self._hierarchy.extends((one.path, one.trail), self._meant_owners)
            or any(self._hierarchy.extends(own, {(one.path, one.trail)}) for own in self._meant_owners)
            for one in others
        )

    @cached_property
    def _is_linked(self) -> bool:
        """Return whether all definitions of a name of C are one to its users: a function and its prototype, one for
        each platform, types of headers. A static function and a type of one file are their own.
        """
        known = [one for one in (*self._meant, *self._rivals) if one.role is not Role.TEST]
        return (
            self._families == {"c"}
            and len(known) <= MOST_LINKED
            and not any(self._is_member(one) for one in known)
            and all(self._is_shared(one) for one in known)
        )

    def _is_shared(self, one: DefinedAt) -> bool:
        """Return whether other files may mean this definition of C."""
        source = self._reader.files.source(one.path)
        if family(one.path) != "c" or source is None:
            return False
        if one.hit.kind in TYPES or one.path.endswith(_HEADERS):
            return one.path.endswith(_HEADERS)
        file = self._types.text_of(source)
        head = file.lines[max(one.hit.start_line - 2, 0) : one.hit.start_line] if file is not None else ()
        return file is not None and not any(map(_STATIC.search, head))

    @cached_property
    def _fixtures(self) -> list[DefinedAt]:
        """Return the definitions of the name that are fixtures of pytest."""
        found = []
        for one in (*self._meant, *self._others):
            if one.role is Role.TEST and family(one.path) == "python" and one.hit.kind in FUNCTIONS:
                source = self._reader.files.source(one.path)
                file = self._types.text_of(source) if source is not None else None
                if file is not None and is_fixture(file, one.hit):
                    found.append(one)
        return found

    def _of_fixture(self, file: CodeText, line: int) -> Standing | None:
        """Return the standing of the name of a fixture that a line asks for; None where it asks for none."""
        if family(file.path) != "python" or not self._fixtures or not is_asked_for(self._name, file, line):
            return None
        nearest = nearest_fixture(self._fixtures, file, line)
        return None if nearest is None else Standing.SURE if nearest in self._meant else Standing.OTHER

    def text_of(self, source: Source) -> CodeText | None:
        """Return a file's text as it is on disk; None where it cannot be read, or the index has another version."""
        return self._types.text_of(source)

    def _is_member(self, one: DefinedAt) -> bool:
        """Return whether a definition belongs to a class, and is no class itself."""
        if not one.trail or one.hit.kind in TYPES:
            return False
        if one.hit.kind == "method":
            return True
        kinds = {at.hit.kind for at in self._hierarchy.named(one.trail[-1]) if at.hit.name == one.trail[-1]}
        return bool(kinds & TYPES)

    @property
    def is_telling(self) -> bool:
        """Return whether the name alone nearly tells that its definition is meant."""
        return is_compound(self._name) and self._is_sole

    def standing(self, source: Source, line: int, *, as_owner: bool = True, is_declared: bool = False) -> Standing:
        """Return what the name is on a line of a file; ``as_owner`` as of ``lines_of_use``. Where ``is_declared``, the
        first name on the line is another definition.
        """
        file = self._types.text_of(source)
        if file is None or not 0 < line <= len(file.lines):
            return Standing.OTHER
        if family(file.path) not in self._families:
            return self._quoted(file, line)
        if (asked := self._of_fixture(file, line)) is not None:
            return asked
        code = file.lines[line - 1]
        found = Standing.OTHER
        for match in islice(self._word.finditer(code), is_declared, None):
            after = code[match.end() :]
            if as_owner or re.match(r"\s*(?:\?\.|\.|::)\s*\w", after) is None:
                found = max(found, self._one(file, line, match.start(), after))
        if found is Standing.OTHER and not is_declared and self._word.search(code) is None:
            return self._quoted(file, line)
        return found

    def is_inner_test(self, source: Source, line: int) -> bool:
        """Return whether a line of Rust is in a test, or in a module of tests, beside the code that it tests."""
        file = self._types.text_of(source) if source.language == "rust" else None
        return file is not None and file.is_inner_test(line)

    def imported(self, source: Source, line: int) -> Standing:
        """Return what the name is that a file imports under its own name on a line."""
        file = self._types.text_of(source) if self._free and family(source.path) in self._families else None
        bound = file.binding_of(self._name, line) if file is not None else None
        if file is None or bound is None or bound.name not in (self._name, "default"):
            return Standing.OTHER
        return max(self._by_import(one, file, bound) for one in self._free)

    def aliases(self, source: Source) -> dict[str, Standing]:
        """Return the other names under which a file imports what is meant."""
        file = self._types.text_of(source) if self._free and family(source.path) in self._families else None
        renamed = {
            alias: bound
            for alias, bound in (file.bindings.items() if file is not None else ())
            if bound.name == self._name != alias
        }
        if file is None or not renamed:
            return {}
        found = {
            alias: max(self._by_import(one, file, bound) for one in self._free) for alias, bound in renamed.items()
        }
        return {alias: standing for alias, standing in found.items() if standing >= Standing.BY_NAME}

    def is_alias(self, alias: str, source: Source, line: int) -> bool:
        """Return whether a line of a file that imports what is meant as ``alias`` uses it under that name."""
        file = self._types.text_of(source)
        code = file.lines[line - 1] if file is not None and 0 < line <= len(file.lines) else ""
        if file is None or self._is_shadowed(file, line, alias):
            return False
        return any(
            chain_before(file.before(line, match.start())) is None
            and _ASSIGNED.match(code, match.end()) is None
            and not _is_key(file, code[: match.start()], code[match.end() :])
            for match in whole_word(alias).finditer(code)
        )

    def _quoted(self, file: CodeText, line: int) -> Standing:
        """Return what a name is that only a string has: with its owner or its module before it, it is meant."""
        raw = file.text.split("\n")[line - 1]
        owners = {one.trail[-1] if one.trail else module_of(one.path)[-1] for one in (*self._members, *self._free)}
        match = re.search(rf"(\w+)(?:\.|::|#|:){re.escape(self._name)}(?!\w)", raw)
        if match is not None:
            return Standing.BY_NAME if match[1] in owners else Standing.OTHER
        return Standing.BY_NAME if self.is_telling else Standing.OTHER

    def _one(self, file: CodeText, line: int, column: int, after: str) -> Standing:
        before = file.before(line, column)
        if family(file.path) == "c" and _is_prototype(before, after):
            return Standing.OTHER
        if file.language != "ruby" and before.lstrip().startswith("@"):
            # A decorator or an annotation; in Ruby it begins the name of a variable.
            before = before.lstrip()[1:]
        if file.language == "lua":
            before = _LUA_JOINT.sub(".", before)
        raw = file.text.split("\n")[line - 1][:column]
        at = _NameAt(file, line, before, chain_before(before), after, raw)
        found = max((self._of_free(one, at) for one in self._free), default=Standing.OTHER)
        if self._members and found is not Standing.SURE:
            found = max(found, self._of_members(at))
        return found

    # Functions, classes and values of a module

    def _of_free(self, one: DefinedAt, at: _NameAt) -> Standing:
        file, line, chain = at.file, at.line, at.chain
        if chain is None:
            return self._bare(one, at)
        if file.language == "kotlin" and one in self._extensions:
            return self._of_extension(one, at)
        if chain is not LITERAL and one in self._ownerless:
            return self._in_doubt
        if not chain or chain is LITERAL:
            return Standing.OTHER
        if len(chain) == 1 and chain[0] in _LOADED and file.language in SCRIPTS:
            # A module that is taken in where it is used; strings are blanked.
            return Standing.BY_NAME if self._is_sole else Standing.UNTOLD
        words = [step.name for step in chain]
        if any(step.is_called for step in chain):
            loaded = _LOADED_BY_NAME.search(at.raw) if len(chain) == 1 and not one.trail else None
            return self._by_module(one, file, Binding(loaded[1]), ()) if loaded is not None else Standing.OTHER
        if one.trail and (one.trail[-1] == words[-1] or (words[-1] in SELF and self._is_within(one, file, line))):
            return self._of_owner(one, file, words)
        if words[0] in SELF:
            return Standing.SURE if file.language == "rust" and file.path == one.path else Standing.OTHER
        bound = file.binding_of(".".join(words), line) or file.binding_of(words[0], line)
        if bound is not None:
            rest = [] if file.bindings.get(".".join(words)) else words[1:]
            return self._by_module(one, file, bound, rest)
        if file.language in MODULES_ALONE - {"rust"} or one.trail:
            return Standing.OTHER
        if family(file.path) == "c" and words[0] != "std" and not self._hierarchy.named(words[-1]):
            # A namespace that a macro opens is in no text.
            return Standing.SURE if self._is_sole else Standing.BY_NAME
        parts = (*module_of(one.path), *one.path.decode("utf-8", "replace").split("/")[:-1])
        if words[-1] in parts or words[-1] in ("crate", "super"):
            return Standing.SURE if self._is_sole else Standing.BY_NAME
        if file.language == "java" and file.path != one.path:
            return Standing.SURE if ".".join(words) == self._types.package_of(one) else Standing.OTHER
        return Standing.OTHER

    def _of_owner(self, one: DefinedAt, file: CodeText, words: Sequence[str]) -> Standing:
        """Return the standing of what is named with the class or namespace that it lies in."""
        if words[-1] in SELF or one.path == file.path:
            return Standing.SURE
        owner = self._types.class_at(words, file)
        if isinstance(owner, tuple):
            return Standing.SURE if owner == (one.path, one.trail) else Standing.OTHER
        if isinstance(owner, str):
            return Standing.OTHER
        return Standing.SURE if self._is_sole else Standing.BY_NAME

    def _is_within(self, one: DefinedAt, file: CodeText, line: int) -> bool:
        return file.path == one.path and file.is_within(one.trail[-1], line)

    @staticmethod
    def _is_within_hit(one: DefinedAt, file: CodeText, hit: DefinitionHit) -> bool:
        return (
            one.path == file.path
            and one.trail[-1:] == (hit.name,)
            and hit.start_line <= one.hit.start_line <= hit.end_line
        )

    def _bare(self, one: DefinedAt, at: _NameAt) -> Standing:
        file, line, before, after = at.file, at.line, at.before, at.after
        is_value = one.hit.kind not in (*TYPES, *FUNCTIONS, "declaration")
        is_type = one.hit.kind in TYPES and _ANNOTATED.search(before) is not None
        if _ASSIGNED.match(after) and not is_type and not (is_value and file.path == one.path):
            return Standing.OTHER
        if _is_key(file, before, after):
            return Standing.OTHER
        if file.language in MODULES_ALONE and self._is_shadowed(file, line):
            # One with a decorator of its own may be a fixture, too; of a known one the tests that ask for it are known.
            is_near = b"conftest" in one.path or one.path == file.path
            is_fixture = one.role is Role.TEST and is_near and one not in self._fixtures
            return Standing.BY_NAME if is_fixture and family(file.path) == "python" else Standing.OTHER
        if file.language == "php" and one.hit.kind != "variable":
            return self._in_php(one, at)
        if file.path == one.path:
            return self._in_own_file(one, file, line)
        is_anothers = any(other.path == file.path and not self._is_member(other) for other in self._others)
        if is_anothers and not self._is_linked:
            return Standing.OTHER
        bound = file.binding_of(self._name, line)
        if bound is not None:
            return self._by_import(one, file, bound)
        if self._types.takes_all_of(one, file, self._paths_importing):
            return Standing.SURE if file.language != "rust" or self._is_sole else Standing.BY_NAME
        found = self._unbound(one, file, line)
        is_doubted = one in self._ownerless and re.match(r"\s*(?:<[^()]*>\s*)?[({]", after) is not None
        return max(found, self._in_doubt) if is_doubted else found

    def _in_php(self, one: DefinedAt, at: _NameAt) -> Standing:
        """Return the standing of a name of PHP, whose namespace and imports say what it means."""
        names = at.file.php_name(self._name, at.line, at.before)
        is_called = re.match(r"\s*\(", at.after) is not None and _MADE_IN_PHP.search(at.before) is None
        if at.before.endswith("$") or is_called is not (one.hit.kind in FUNCTIONS):
            return Standing.OTHER
        return self._php_standing(one, names)

    def _php_standing(self, one: DefinedAt, names: Sequence[str]) -> Standing:
        """Return the standing of what may have one of these qualified names, the first that is defined."""
        own = self._types.php_name(one)
        # Only functions and constants are looked for in the global namespace, too.
        found = names[:1] if one.hit.kind in TYPES else names
        others = {self._types.php_name(other) for other in self._others if not self._is_member(other)}
        first = next((name for name in found if name == own or name in others), "")
        if first == own:
            return Standing.SURE
        # What is of the same project and is nowhere may be what went to another namespace.
        is_lost = not first and one.hit.kind in TYPES and names[0].count("\\") and self._is_sole
        return Standing.BY_NAME if is_lost and names[0].split("\\")[0] == own.split("\\")[0] else Standing.OTHER

    @property
    def _in_doubt(self) -> Standing:
        return Standing.BY_NAME if self.is_telling else Standing.UNTOLD

    @cached_property
    def _ownerless(self) -> list[DefinedAt]:
        """Return the definitions that are members of a class of which the parser has lost the head."""
        return [one for one in self._free if not one.trail and self._is_ownerless(one)]

    def _is_ownerless(self, one: DefinedAt) -> bool:
        if one.hit.kind not in FUNCTIONS or family(one.path) not in ("jvm", "c_sharp", "swift", "python"):
            return False
        source = self._reader.files.source(one.path)
        file = self._types.text_of(source) if source is not None else None
        head = file.lines[one.hit.start_line - 1] if file is not None else ""
        return head[:1] in (" ", "\t") and (family(one.path) != "python" or _OF_SELF.search(head) is not None)

    def _in_own_file(self, one: DefinedAt, file: CodeText, line: int) -> Standing:
        """Return the standing of a bare name in the file that defines it: a local one only inside its owner."""
        if not one.trail or one.hit.kind in TYPES:
            return Standing.SURE
        return Standing.SURE if file.is_within(one.trail[-1], line) else Standing.OTHER

    def _unbound(self, one: DefinedAt, file: CodeText, line: int) -> Standing:
        """Return the standing of a bare name that is neither defined nor imported in its file."""
        language = file.language
        if language in BY_PACKAGE:
            if one.trail and not file.is_within(one.trail[-1], line):
                inherited = any(
                    self._hierarchy.extends(at, {(one.path, one.trail)}) for at in self._types.classes_at(file, line)
                )
                return Standing.SURE if inherited else Standing.OTHER
            return Standing.SURE if file.package == self._types.package_of(one) else Standing.OTHER
        if language in MODULES_ALONE:
            # A part of a script, or a mistake.
            is_loose = self.is_telling and language not in ("go", "rust") and not one.trail
            return Standing.BY_NAME if is_loose else Standing.OTHER
        if one.trail and one.hit.kind not in TYPES and language not in ("cpp", "c_sharp", "ruby", "php"):
            return Standing.OTHER
        is_near = file.source.id in self._importing()
        if self._is_sole and (is_near or is_compound(self._name) or one.hit.kind in TYPES or language in ("c", "cpp")):
            return Standing.SURE
        return Standing.BY_NAME if self._is_sole or is_near else Standing.UNTOLD

    def _is_shadowed(self, file: CodeText, line: int, name: str = "") -> bool:
        """Return whether a function around a line has a parameter or a variable of the name, or of another one."""
        name = name or self._name
        parameter, arrow = _parameters(name, has_bars=file.language in _WITH_BARS)
        own = file.lines[line - 1]
        if family(file.path) == "python" and len(own) <= LONGEST_DECLARATION and _loop_variable(name).search(own):
            return True
        for hit in file.around(line):
            if hit.kind not in FUNCTIONS:
                continue
            if hit.name == name == self._name and any(one.path == file.path for one in self._free):
                continue
            if name == self._name and any(self._is_within_hit(one, file, hit) for one in self._free):
                # What the function defines is what is meant, not what hides it.
                return False
            lines = file.lines[hit.start_line - 1 : hit.end_line]
            head = head_of(lines)
            alone = _without_body(head, file.language)
            is_typed = file.language == "go" and made_of(name, [alone], "go")
            if (
                is_typed
                or parameter.search(alone)
                or any(arrow.search(each) for each in lines if name in each and len(each) <= LONGEST_DECLARATION)
            ):
                return True
            if any(f"global {name}" in each or f"nonlocal {name}" in each for each in lines):
                return False
            # In ``let x = x(1)`` the second one is still that of outside.
            until = line - hit.start_line if file.language in ("go", "rust") else None
            if made_of(name, lines[1:until], file.language):
                return True
        return False

    def _by_import(self, one: DefinedAt, file: CodeText, bound: Binding) -> Standing:
        """Return the standing of a name that an import binds."""
        if bound.name not in (self._name, "default", "") and bound.name:
            return Standing.OTHER
        if file.language in JVM:
            whole = ".".join((self._types.package_of(one), *one.trail, self._name))
            is_own = bound.target == whole or whole.endswith(f".{bound.target}")
            return Standing.SURE if is_own or f"{bound.target}.{bound.name}" == whole else Standing.OTHER
        if file.language == "php":
            return self._php_standing(one, (bound.target.lower(),))
        if file.language == "rust":
            module = bound.target.split("::")
            parts = (*module_of(one.path), *one.trail)
            is_own = module[-1] in parts or module[-1] in ("crate", "self", "super")
            return Standing.SURE if is_own or self._is_sole else Standing.OTHER
        return self._by_module(one, file, bound if not bound.name else Binding(bound.target), ())

    def _by_module(self, one: DefinedAt, file: CodeText, bound: Binding, words: Sequence[str]) -> Standing:
        """Return the standing of what is taken from a module: of the definition's, or of one that hands it on."""
        if file.language == "go":
            folder = "/".join(module_of(one.path)[:-1])
            is_own = bool(folder) and (bound.target == folder or bound.target.endswith(f"/{folder}"))
            is_root = not folder and self._is_sole
            return Standing.SURE if is_own or is_root else Standing.OTHER
        if file.language in JVM:
            return Standing.OTHER
        target = module_named(bound, words)
        if resolves_to(target, file.path, one.path, is_named=True):
            return Standing.SURE
        if file.language in SCRIPTS and self._types.is_of_package(target, one.path):
            alike = [other for other in self._others if not other.trail and other.role is not Role.TEST]
            is_told = not any(self._types.is_of_package(target, other.path) for other in alike)
            return Standing.SURE if is_told else Standing.BY_NAME
        if any(resolves_to(target, file.path, other.path, is_named=True) for other in self._others if not other.trail):
            return Standing.OTHER
        if any(resolves_to(target, file.path, path, is_named=True) for path in self._paths_importing):
            # A module that imports the definition hands it on.
            return Standing.SURE
        if file.language in ("rust", "php", "ruby"):
            return Standing.BY_NAME if self._is_sole else Standing.OTHER
        is_near = may_hand_on(target, file.path, one.path)
        # Who imports a file that is not here any more has not followed it.
        is_near = is_near or self._types.leads_nowhere(target, file.path, one.path)
        return Standing.BY_NAME if is_near and self._is_sole else Standing.OTHER

    def _of_members(self, at: _NameAt) -> Standing:
        file, line, chain = at.file, at.line, at.chain
        if chain is None:
            return self._bare_member(at)
        if len(chain) == 1 and (chain[0].name in SUPER) and file.language != "go":
            return self._above(file, line)
        body = next((hit.start_line for hit in file.around(line) if hit.kind in FUNCTIONS), -line)
        asked = (file.path, body, chain)
        if asked not in self._known:
            self._known[asked] = self._types.type_of(file, line, chain, 0) if chain else None
        of = self._known[asked]
        if isinstance(of, str):
            return self._in_foreign(of)
        if isinstance(of, tuple):
            standing = self._in_class(of, is_self=chain[0].name in SELF and len(chain) == 1)
            return max(standing, self._added)
        return self._untyped(file, chain)

    def _in_foreign(self, name: str) -> Standing:
        """Return the standing of a member of a class from elsewhere: what is meant may be added to it, or extend it."""
        if name not in self._in_others:
            owned = any(one.trail[-1] == name for one in self._members)
            above = {(b"", (name,))}
            if owned:
                standing = Standing.SURE
            elif any(self._hierarchy.extends(own, above) for own in self._meant_owners):
                standing = Standing.BY_NAME
            else:
                standing = self._added
            self._in_others[name] = standing
        return self._in_others[name]

    @cached_property
    def _added(self) -> Standing:
        """Return the standing of a member on an object of a class that does not have it: ``OTHER`` unless what is meant
        is an extension, which gives a member to classes of others.
        """
        if not self._extensions:
            return Standing.OTHER
        return Standing.BY_NAME if self._is_sole else Standing.UNTOLD

    @cached_property
    def _extensions(self) -> list[DefinedAt]:
        """Return the definitions that give a member to a type from outside of it."""
        return [one for one in (*self._members, *self._free) if self._is_extension(one)]

    def _is_extension(self, one: DefinedAt) -> bool:
        source = self._reader.files.source(one.path)
        file = self._types.text_of(source) if source is not None else None
        pattern = _EXTENSIONS.get(file.language) if file is not None else None
        if file is None or pattern is None:
            return False
        owner = one.trail[-1] if one.trail else ""
        if file.language == "swift" and any(at.hit.kind in TYPES for at in self._hierarchy.named(owner)):
            return False
        begins = re.compile(pattern.format(name=re.escape(self._name), owner=re.escape(owner)))
        if file.language in _EXTENDED_AROUND:
            lines = file.lines[: one.hit.start_line]
        else:
            # Annotations may stand before the line that has the name.
            own = file.lines[one.hit.start_line - 1 : one.hit.end_line]
            lines = list(islice(filter(self._word.search, own), 1))
        return any(begins.search(line[:LONGEST_DECLARATION]) for line in lines)

    def _of_extension(self, one: DefinedAt, at: _NameAt) -> Standing:
        """Return the standing of a function of Kotlin that is called on an object: where it is not of the file's
        package, it is imported.
        """
        if not self._is_visible(one, at):
            return Standing.OTHER
        if self.is_telling:
            return Standing.SURE
        return self._added

    def _is_visible(self, one: DefinedAt, at: _NameAt) -> bool:
        bound = at.file.binding_of(self._name, at.line)
        if bound is not None:
            return self._by_import(one, at.file, bound) is Standing.SURE
        return at.file.package == self._types.package_of(one) or self._types.takes_all_of(one, at.file)

    def _untyped(self, file: CodeText, chain: Chain) -> Standing:
        """Return the standing where the class of what stands before the name is not known."""
        if (
            file.language == "lua"
            and len(chain) == 1
            and any(one.path == file.path and one.trail[-1] == chain[0].name for one in self._members)
        ):
            # A table of Lua has no type: its functions are named with it.
            return Standing.SURE
        if self.is_telling:
            return Standing.BY_NAME
        last = chain[-1].name.strip("_@$").replace("_", "").lower() if chain else ""
        owners = {one.trail[-1] for one in self._members}
        is_alike = len(last) > 2 and any(owner.lower().endswith(last) for owner in owners)
        has_class = any(whole_word(owner).search(file.text) for owner in owners)
        if is_alike or has_class or (self._is_sole and file.source.id in self._importing()):
            return Standing.BY_NAME
        return Standing.UNTOLD

    def _in_class(self, at: ClassAt, *, is_self: bool) -> Standing:
        """Return the standing of a member of a class that is known."""
        if (at, is_self) not in self._in_classes:
            self._in_classes[at, is_self] = self._of_class(at, is_self=is_self)
        return self._in_classes[at, is_self]

    def _of_class(self, at: ClassAt, *, is_self: bool) -> Standing:
        origin = self._hierarchy.origin(at, self._meant_owners, self._other_owners)
        if origin is MemberOrigin.MEANT:
            return Standing.SURE
        if any(self._hierarchy.extends(own, {at}) for own in self._meant_owners):
            # Called on a class above, which may be the one that is meant when it runs.
            return Standing.BY_NAME
        if origin is MemberOrigin.OTHER:
            return Standing.BY_NAME if self._is_implied(at) else Standing.OTHER
        return Standing.BY_NAME if origin is MemberOrigin.OPEN or (is_self and self._is_sole) else Standing.OTHER

    def _is_implied(self, at: ClassAt) -> bool:
        """Return whether a class is an interface of Go or TypeScript, which anything satisfies that has its members,
        unsaid.
        """
        return family(at[0]) in ("go", "script") and any(
            one.hit.kind in ("interface", "type") and (one.path, chain_of(one)) == at
            for one in self._hierarchy.named(at[1][-1])
        )

    def _above(self, file: CodeText, line: int) -> Standing:
        """Return the standing of a member of ``super``."""
        classes = self._types.classes_at(file, line)
        if not classes:
            return Standing.UNTOLD
        origin = self._hierarchy.origin(classes[0], self._meant_owners, self._other_owners, own=False)
        if origin is MemberOrigin.MEANT:
            return Standing.SURE
        return Standing.BY_NAME if origin is MemberOrigin.OPEN else Standing.OTHER

    def _bare_member(self, place: _NameAt) -> Standing:
        file, line, before, after = place.file, place.line, place.before, place.after
        is_callable = all(one.hit.kind in FUNCTIONS for one in self._members)
        classes = self._types.classes_at(file, line)
        if file.language not in IMPLICIT_THIS:
            around = [hit for hit in file.around(line) if hit.kind in FUNCTIONS or hit.kind in TYPES]
            is_body = bool(around) and around[0].kind in TYPES and classes[:1] and classes[0] in self._meant_owners
            is_field = not is_callable and (_KEYED.match(after) or _ASSIGNED.match(after))
            is_taken = file.language in SCRIPTS and re.search(r"\{[^{}]*$", before) and _TAKEN_APART.match(after)
            if is_taken and self._is_sole:
                return Standing.BY_NAME
            return Standing.SURE if is_body else Standing.BY_NAME if is_field and self._is_sole else Standing.OTHER
        is_new = re.search(r"\bnew\s+(?:\w+\.)*$", before) is not None
        if is_new and any(one.trail[-1] == self._name for one in self._members):
            return Standing.SURE if self._types.class_at([self._name], file) in self._meant_owners else Standing.OTHER
        is_typed = file.language != "ruby" and re.search(r"[)\w>]\s+$", before) is not None
        if is_new or (is_typed and _is_declared(before)):
            return Standing.OTHER
        if is_callable and file.language in _CALLED_WITH_PARENTHESES and not re.match(r"\s*(?:<[^()]*>)?\(", after):
            return Standing.OTHER
        if not is_callable and self._is_shadowed(file, line):
            return Standing.OTHER
        found = Standing.OTHER
        for at in classes:
            standing = self._in_class(at, is_self=True)
            origin = self._hierarchy.origin(at, self._meant_owners, self._other_owners)
            if origin is MemberOrigin.OTHER:
                return found
            if standing is Standing.SURE:
                return standing
            found = max(found, standing)
        bound = file.binding_of(self._name, line)
        stars = [one.target for name, one in file.bindings.items() if name.startswith("*")]
        for one in self._members:
            whole = ".".join((self._types.package_of(one), *one.trail))
            if (bound is not None and whole.endswith(bound.target.removesuffix(f".{self._name}"))) or whole in stars:
                return Standing.SURE
        is_near = self._is_sole and any(one.path == file.path for one in self._members)
        is_loose = file.language == "ruby" and (is_near or self.is_telling)
        if is_loose and not _ASSIGNED.match(after) and not _KEYED.match(after):
            # A block may run in an object of any class, and a module be included anywhere.
            return Standing.BY_NAME
        is_named = bound is not None or any(one.path == file.path for one in self._others)
        if found is Standing.OTHER and is_callable and file.language in _WITH_RECEIVERS and not is_named:
            # A block may run in an object of another class, which no text around it names.
            is_called = re.match(r"\s*(?:<[^()]*>\s*)?[({]", after) is not None
            return Standing.OTHER if not is_called else Standing.BY_NAME if self._is_sole else Standing.UNTOLD
        return found


@lru_cache(_NAMES_KEPT)
def _parameters(name: str, *, has_bars: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what a name is as a parameter of a function, of a block where bars are around it, and of an arrow
    function.
    """
    word = re.escape(name)
    # Behind a colon, or ``typeof``, is a type.
    arrow = rf"(?:\([^()]*(?<!\w)(?<!:)(?<!: )(?<!\btypeof ){word}(?!\w)[^()]*\)|(?<![\w.]){word})\s*=>"
    bar = r"|" if has_bars else ""
    return re.compile(rf"[(,*&{bar}{{]\s*{word}\s*(?:[,:)={bar}}}]|$)"), re.compile(arrow)


def _without_body(head: str, language: str) -> str:
    """Return the head of a function without the body that begins on its last line."""
    ends = ":" if language in PYTHON else "{"
    depth = 0
    for at, character in enumerate(head):
        if not depth and (character == ends or head.startswith("=>", at)):
            return head[:at]
        depth += (character in "([{") - (character in ")]}")
    return head


@lru_cache(_NAMES_KEPT)
def _loop_variable(name: str) -> re.Pattern[str]:
    """Return what a name is as a variable of a loop or a comprehension of Python, which hides it on its line."""
    return re.compile(rf"\bfor\s[\w,\s()*]{{0,200}}?\b{re.escape(name)}\b[\w,\s()*]{{0,200}}?\sin\b")


def _is_key(file: CodeText, before: str, after: str) -> bool:
    """Return whether a name is a key of an object of JavaScript."""
    return family(file.path) == "script" and bool(_KEYED.match(after)) and before.rstrip()[-1:] in ("", "{", ",")


def _is_variant(one: DefinedAt, other: DefinedAt) -> bool:
    """Return whether two definitions of Go are of one package, of which a build has one: by their tags or platforms."""
    folders = {each.path.rpartition(b"/")[0] for each in (one, other)}
    is_go = all(each.path.endswith(b".go") and each.role is not Role.TEST for each in (one, other))
    return is_go and len(folders) == 1 and one.trail == other.trail


def _is_prototype(before: str, after: str) -> bool:
    """Return whether a name of C is declared as a function: a type stands before it, and parentheses behind it."""
    words = re.findall(r"\w+", before[-LONGEST_DECLARATION:]) if after.lstrip().startswith("(") else []
    return bool(words) and _TYPE_BEFORE.fullmatch(before) is not None and _NO_TYPE_BEFORE.isdisjoint(words)


def _is_declared(before: str) -> bool:
    """Return whether the word before a name is a type, so that the name is declared there."""
    word = re.search(r"(\w+)[>\])]*\s+$", before)
    return word is not None and word[1] not in ("return", "throw", "else", "yield", "await", "case", "in", "not", "do")
