"""Find the class of an expression, as far as the code of the workspace says it, without running a type checker.

A variable has the type that is written at it, or that of what is assigned to it; a call the class that it constructs,
or that its function says it returns; an attribute what its class makes of it. What is written nowhere is not guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set

from helix_core.engine.symbols.choice import chain_of
from helix_core.engine.symbols.hierarchy import ClassAt, ClassHierarchy
from helix_core.engine.symbols.receivers import (
    BY_PACKAGE,
    JVM,
    LITERAL,
    MOST_LINES,
    PYTHON,
    SCRIPTS,
    SELF,
    Binding,
    Chain,
    CodeText,
    Made,
    Step,
    chain_of_value,
    head_of,
    made_of,
    module_named,
    package_in,
    returned_type,
    type_words,
)
from helix_core.engine.verdict import Weigher
from helix_core.ingest import language_of
from helix_core.model import FUNCTIONS, TYPES, Source
from helix_core.search import Imports, module_of, resolves_to
from helix_core.store import DefinedAt, DefinitionHit, Reader

SPACES = frozenset(("module", "namespace"))
_DEEPEST = 4
"""Steps from a variable to what it is made of, to what that is made of, and so on."""
_FAMILIES = {
    **dict.fromkeys(PYTHON, "python"),
    **dict.fromkeys(SCRIPTS, "script"),
    **dict.fromkeys(JVM, "jvm"),
    **dict.fromkeys(("c", "cpp", "objective_c"), "c"),
}
IMPLICIT_THIS = JVM | {"c_sharp", "cpp", "swift", "ruby", "dart", "php"}
"""Languages in which a bare name may be a member of the class around it."""
MODULES_ALONE = PYTHON | SCRIPTS | {"go", "rust"}
"""Languages in which a file has no name of another one that it does not import."""
FOREIGN = "foreign"
"""The type of what is surely no class of the workspace, where the text does not name it."""
Type = ClassAt | str | None
"""A class of the workspace, the name of one that is surely from elsewhere, or None for what is not told."""
_ANY_TYPE = frozenset(("any", "unknown", "object", "Object", "dynamic", "Any", "AnyRef", "AnyObject", "id", "mixed"))
"""Types that a value of any class has."""
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?|T[A-Z]\w*")
"""What a parameter of a generic type is called."""
_MODULE_STEP = re.compile(r"[./]")


class ExpressionTypes:
    """The types of one answer. ``owners`` are classes that are known already by their paths and chains, ``former`` the
    packages of files that are not there any more.
    """

    def __init__(
        self,
        reader: Reader,
        weigher: Weigher,
        hierarchy: ClassHierarchy,
        owners: Set[ClassAt],
        former: Mapping[bytes, str],
    ) -> None:
        self._reader, self._weigher, self._hierarchy, self._owners = reader, weigher, hierarchy, owners
        self._former = former
        self._texts: dict[bytes, CodeText | None] = {}
        self._around: dict[tuple[bytes, int], list[ClassAt]] = {}
        self._packages: dict[bytes, str] = {}

    def text_of(self, source: Source) -> CodeText | None:
        """Return a file's text as it is on disk; None where it cannot be read, or the index has another version."""
        if source.path not in self._texts:
            file = self._weigher.observer.look(source).file
            now = self._reader.files.source(source.path)
            stands = file is not None and now is not None and file.content_hash == now.content_hash
            self._texts[source.path] = (
                CodeText(now, file.data, self._reader.names.defined_in(now.id))
                if stands and file is not None and now is not None
                else None
            )
        return self._texts[source.path]

    def package_of(self, one: DefinedAt) -> str:
        """Return the package of a definition, as of ``package_in``."""
        if not one.hit.item_id and one.path in self._former:
            return self._former[one.path]
        source = self._reader.files.source(one.path)
        file = self.text_of(source) if source is not None else None
        return package_in(one.path, file.text if file is not None else "", _language(one.path), one.hit.start_line)

    def php_name(self, one: DefinedAt) -> str:
        """Return the fully qualified name of a class, a function or a constant of PHP, in lower case."""
        chain = [part for part in chain_of(one) if "\\" not in part]
        return "\\".join(filter(None, (self.package_of(one), *chain))).lower()

    def is_of_package(self, target: str, path: bytes) -> bool:
        """Return whether an import of a script names the package of npm in whose folder the file at ``path`` lies."""
        *above, _ = path.split(b"/")
        folders = (b"/".join((*above[:count], b"package.json")) for count in range(len(above), -1, -1))
        manifest = next((source for each in folders if (source := self._reader.files.source(each)) is not None), None)
        name = self._package_named(manifest) if manifest is not None else ""
        return bool(name) and (target == name or target.startswith(f"{name}/"))

    def _package_named(self, manifest: Source) -> str:
        if manifest.path not in self._packages:
            file = self._weigher.observer.look(manifest).file
            self._packages[manifest.path] = _name_in(file.data) if file is not None else ""
        return self._packages[manifest.path]

    def leads_nowhere(self, target: str, importer: bytes, path: bytes) -> bool:
        """Return whether an import means a file that is not here, such as one beside ``path`` that was renamed."""
        *above, stem = _MODULE_STEP.split(target)
        folder, _, name = path.rpartition(b"/")
        if folder and not above:
            # A library.
            return False
        beside = b"/".join((*([folder] if folder else []), stem.encode() + b"." + name.rpartition(b".")[2]))
        if not stem or not resolves_to(target, importer, beside, is_named=True):
            return False
        known = self._reader.related.sources_of_stems([stem], MOST_LINES)
        return not any(resolves_to(target, importer, there, is_named=True) for _, there in known)

    def classes_at(self, file: CodeText, line: int) -> list[ClassAt]:
        """Return the classes around a line, the innermost first; of a method outside of its class the class too."""
        around = file.around(line)
        asked = (file.path, around[0].start_line if around else 0)
        if asked in self._around:
            return self._around[asked]
        found: list[ClassAt] = []
        for depth, hit in enumerate(around):
            if hit.kind in TYPES:
                outer = [one.name for one in reversed(around[depth + 1 :]) if one.kind in TYPES | SPACES]
                exact = next(
                    (
                        (at.path, chain_of(at))
                        for at in self._hierarchy.named(hit.name)
                        if at.path == file.path and at.hit.start_line == hit.start_line
                    ),
                    (file.path, (*outer, hit.name)),
                )
                found.append(exact)
            elif hit.kind in FUNCTIONS and file.language in ("go", "rust", "cpp", "swift", "kotlin"):
                for at in self._reader.names.defined_at(hit.name, file.path, MOST_LINES):
                    if at.path == file.path and at.hit.start_line == hit.start_line and at.trail:
                        found.append(self._canonical(at.path, at.trail, file))
                        break
        self._around[asked] = list(dict.fromkeys(found))
        return self._around[asked]

    def _canonical(self, path: bytes, trail: tuple[str, ...], file: CodeText) -> ClassAt:
        """Return where the type of a method is declared, which need not be its file."""
        if any((own_path, chain) == (path, trail) for own_path, chain in self._owners):
            return path, trail
        at = self.class_at(trail[-1:], file)
        return at if isinstance(at, tuple) else (path, trail)

    def type_of(self, file: CodeText, line: int, chain: Chain, depth: int) -> Type:
        """Return the class of an expression, as of ``Type``."""
        if chain is LITERAL:
            return FOREIGN
        if not chain or depth > _DEEPEST:
            return None
        self._weigher.facts.check()
        first = chain[0]
        if first.name in SELF:
            classes = self.classes_at(file, line)
            return self._follow(classes[0], chain[1:], depth) if classes else None
        for count in range(len(chain), 0, -1):
            if any(step.is_called for step in chain[: count - 1]):
                continue
            at = self.class_at([step.name for step in chain[:count]], file)
            if isinstance(at, tuple) and (count > 1 or not self._is_variable(chain[0], at, file, line)):
                rest = chain[count:]
                if rest and rest[0].name in ("new", "default", "class") and file.language in ("rust", "ruby", "kotlin"):
                    rest = rest[1:]
                return self._follow(at, rest, depth)
        if first.is_called:
            found = self._returned(first.name, None, file)
            return self._follow(found, chain[1:], depth) if isinstance(found, tuple) else found
        made = self._made(first.name, file, line)
        if made:
            return self._agreed([self._type_made(one, file, line, depth) for one in made], chain[1:], depth)
        bound = file.binding_of(first.name, line)
        if bound is not None and len(chain) > 1 and chain[1].is_called:
            found = self._returned(chain[1].name, None, file, bound)
            if found is not None:
                return self._follow(found, chain[2:], depth) if isinstance(found, tuple) else found
        if bound is not None:
            return self._imported(file, bound, chain)
        if first.name[:1].isupper() and not self._hierarchy.named(first.name) and file.language != "go":
            # A class of a library.
            return first.name if len(chain) == 1 else FOREIGN if first.is_called else None
        return None

    def _is_variable(self, step: Step, at: ClassAt, file: CodeText, line: int) -> bool:
        """Return whether a name is a variable around a line, which hides a class of another file."""
        return at[0] != file.path and not step.is_called and bool(self._made(step.name, file, line))

    def _agreed(self, types: Sequence[Type], rest: Chain, depth: int) -> Type:
        """Return the type that a variable has wherever it is made; None where these differ, or one is not told."""
        known = {self._follow(one, rest, depth) if isinstance(one, tuple) else one for one in types}
        if len(known) > 1 and all(isinstance(one, str) for one in known):
            return FOREIGN
        return known.pop() if len(known) == 1 else None

    def _type_made(self, made: Made, file: CodeText, line: int, depth: int) -> Type:
        if made.type:
            words = type_words(made.type)
            return self._type_written(words, file) if words else None
        if not made.value or made.value in ("None", "null", "nil", "undefined"):
            return None
        return self.type_of(file, line, chain_of_value(made.value), depth + 1)

    def _made(self, name: str, file: CodeText, line: int) -> list[Made]:
        """Return what a variable is made of in the function around a line, in its class, or at the top of its file."""
        around = file.around(line)
        for hit in around:
            if hit.kind in FUNCTIONS:
                lines = file.lines[hit.start_line - 1 : hit.end_line]
                head = head_of(lines)
                made = made_of(name, [head, *lines[head.count("\n") + 1 :]], file.language)
                made = made or made_of(name, lines, file.language)
                if made:
                    return _without_none(made)
                if re.search(rf"[(,*&]\s*{re.escape(name)}\s*(?:[,)=]|$)", head):
                    return [Made()]
        if file.language in IMPLICIT_THIS:
            for hit in around:
                if hit.kind in TYPES and (made := self._fields(name, file, hit)):
                    return made
        return _without_none(made_of(name, file.top_lines, file.language))

    def _fields(self, name: str, file: CodeText, hit: DefinitionHit) -> list[Made]:
        """Return what an attribute is made of in the lines of a class."""
        lines = file.lines[hit.start_line - 1 : hit.end_line]
        found: list[Made] = []
        for own in ("self.", "this.", "@", "cls."):
            found += made_of(name, lines, file.language, own=own)
        bodies = [
            each for each in file.defined
            if each.kind in FUNCTIONS and hit.start_line <= each.start_line and each.end_line <= hit.end_line
        ]  # fmt: skip
        inside = {row for body in bodies for row in range(body.start_line, body.end_line + 1)}
        own_lines = [text for row, text in enumerate(lines, hit.start_line) if row not in inside]
        found = _without_none([*found, *made_of(name, own_lines, file.language)])
        return [one for one in found if one.type] or found

    def _follow(self, at: ClassAt, rest: Chain, depth: int) -> Type:
        """Return the class of an attribute, or of what a method returns, step by step."""
        of: Type = at
        for step in rest:
            if not isinstance(of, tuple) or depth > _DEEPEST:
                return FOREIGN if isinstance(of, str) else None
            of = self._returned(step.name, of, None) if step.is_called else self._attribute(of, step.name, depth)
        return of

    def _attribute(self, at: ClassAt, name: str, depth: int, seen: frozenset[ClassAt] = frozenset()) -> Type:
        if at in seen or len(seen) > _DEEPEST:
            return None
        nested = [
            one for one in self._hierarchy.named(name) if one.hit.kind in TYPES and chain_of(one) == (*at[1], name)
        ]
        if nested:
            return nested[0].path, chain_of(nested[0])
        written = self._hierarchy.written(*at)
        source = self._reader.files.source(written[0])
        file = self.text_of(source) if source is not None else None
        if file is None:
            return None
        for hit in file.defined:
            if hit.name == written[1][-1] and hit.kind in TYPES and (made := self._fields(name, file, hit)):
                line = min(hit.start_line + 1, hit.end_line)
                return self._agreed([self._attribute_made(one, file, hit, line, depth) for one in made], (), depth)
        for _, above in self._hierarchy.bases(written):
            if above is not None and (found := self._attribute(above, name, depth, seen | {at})) is not None:
                return found
        return None

    def _attribute_made(self, made: Made, file: CodeText, hit: DefinitionHit, line: int, depth: int) -> Type:
        """Return the type of an attribute; one that is a parameter of its constructor has that one's type."""
        chain = chain_of_value(made.value) if made.value and not made.type else ()
        if len(chain) == 1 and not chain[0].is_called:
            for body in file.defined:
                is_own = hit.start_line <= body.start_line and body.end_line <= hit.end_line
                row = next(
                    (
                        row
                        for row in range(body.start_line, body.end_line + 1)
                        if is_own and body.kind in FUNCTIONS and made.value in file.lines[row - 1]
                    ),
                    0,
                )
                if row:
                    return self.type_of(file, row, chain, depth + 1)
        return self._type_made(made, file, line, depth)

    def _callable(
        self, name: str, known: Sequence[DefinedAt], file: CodeText, through: Binding | None
    ) -> list[DefinedAt]:
        """Return those functions that a file calls by a name, ``through`` a module that it imports or by its own."""
        if through is not None:
            return [one for one in known if self._is_from(one, file, through, module_named(through))]
        bound = file.bindings.get(name)
        if own := [one for one in known if one.path == file.path]:
            return own
        if bound is not None:
            return [one for one in known if resolves_to(bound.target, file.path, one.path, is_named=True)]
        if file.language in BY_PACKAGE:
            return [one for one in known if self.package_of(one) == file.package]
        return [] if file.language in MODULES_ALONE else list(known)

    def _returned(
        self, name: str, owner: ClassAt | None, file: CodeText | None, through: Binding | None = None
    ) -> Type:
        """Return the class that a function or a method says it returns; None where that is not told."""
        known = [one for one in self._reader.names.defined_at(name, b"", MOST_LINES) if one.hit.name == name]
        if owner is not None:
            at: list[ClassAt] = [owner]
            for _ in range(_DEEPEST):
                own = [one for one in known if (one.path, one.trail) in at or self._same_type(one, at)]
                if own or not at:
                    known = own
                    break
                at = [above for each in at for _, above in self._hierarchy.bases(each) if above is not None]
            else:
                return None
        else:
            known = [one for one in known if not self._is_method(one)]
            known = self._callable(name, known, file, through) if file is not None else []
        types = {self._returned_by(one, owner) for one in known}
        return types.pop() if len(types) == 1 else None

    @staticmethod
    def _same_type(one: DefinedAt, at: Iterable[ClassAt]) -> bool:
        return one.path.endswith((b".go", b".rs", b".cpp", b".cc", b".hpp", b".h")) and any(
            one.trail[-1:] == chain[-1:] for _, chain in at
        )

    @staticmethod
    def _is_method(one: DefinedAt) -> bool:
        return one.hit.kind == "method"

    def _returned_by(self, one: DefinedAt, owner: ClassAt | None) -> Type:
        source = self._reader.files.source(one.path)
        file = self.text_of(source) if source is not None else None
        if file is None:
            return None
        head = head_of(file.lines[one.hit.start_line - 1 : one.hit.end_line])
        words = type_words(returned_type(one.hit.name, head, file.language))
        if not words:
            return None
        if words[-1] in ("Self", "this"):
            return owner
        return self._type_written(words, file)

    def _type_written(self, words: Sequence[str], file: CodeText) -> Type:
        """Return the class that a type means in a file: of a parameter of a generic one that of its bound."""
        at = self.class_at(words, file)
        if at is not None:
            return at
        if words[-1] in _ANY_TYPE or self._hierarchy.named(words[-1]):
            return None
        if len(words) > 1 or _TYPE_PARAMETER.fullmatch(words[0]) is None:
            return words[-1]
        bounds = set(
            re.findall(rf"[<\[,]\s*(?:\w+\s+)?{words[0]}\s*(?:extends|<?:)\s*([\w.:]+)", "\n".join(file.lines))
        )
        bound = type_words(bounds.pop()) if len(bounds) == 1 else ()
        return self.class_at(bound, file) if bound else None

    def class_at(self, words: Sequence[str], file: CodeText) -> Type:
        """Return the class that a name means in a file; ``FOREIGN`` where an import takes it from elsewhere, None where
        it is no class here, or may be several.
        """
        bound = file.bindings.get(words[0])
        name = bound.name if bound is not None and len(words) == 1 and bound.name not in ("", "default") else words[-1]
        known = [one for one in self._hierarchy.named(name) if one.hit.kind in TYPES and one.hit.name == name]
        known = [one for one in known if family(one.path) == family(file.path)]
        if not known:
            return None
        if len(words) > 1:
            nested = [one for one in known if one.trail[-1:] == (words[-2],)]
            known = nested or (
                [one for one in known if self._is_from(one, file, bound, module_named(bound, words[1:-1]))]
                if bound
                else []
            )
            return _only(known)
        own = [one for one in known if one.path == file.path]
        if own:
            return _only(own)
        if bound is not None and file.language == "php":
            # The name alone, where the class went to another namespace: it may be the one that is meant.
            named = [one for one in known if self.php_name(one) == bound.target.lower()]
            return _only(named) if named else bound.name
        if bound is not None and file.language not in ("rust", "php"):
            imported = [one for one in known if self._is_from(one, file, bound, bound.target)]
            return _only(imported) if imported else FOREIGN
        packaged = [
            one for one in known
            if file.language in BY_PACKAGE | {"php"} and not one.trail and self.package_of(one) == file.package
        ]  # fmt: skip
        if packaged:
            return _only(packaged)
        stars = [one for one in known if self.takes_all_of(one, file)]
        if stars:
            return _only(stars)
        if file.language == "go":
            # A type of another package is named with it.
            return None
        if family(file.path) in ("python", "script"):
            return FOREIGN if not known else None
        return _only(known)

    def _is_from(self, one: DefinedAt, file: CodeText, bound: Binding, target: str) -> bool:
        """Return whether an import takes a class from the module ``target``, or from a package that may hand it on."""
        if file.language in JVM:
            whole = ".".join((self.package_of(one), *chain_of(one)))
            return whole in (bound.target, f"{bound.target}.{bound.name}")
        if file.language == "go":
            folder = "/".join(module_of(one.path)[:-1])
            return bound.target == folder or bound.target.endswith(f"/{folder}") or not folder
        if resolves_to(target, file.path, one.path, is_named=True):
            return True
        if file.language in SCRIPTS and self.is_of_package(target, one.path):
            return True
        return may_hand_on(target, file.path, one.path)

    def _imported(self, file: CodeText, bound: Binding, chain: Chain) -> Type:
        """Return the type of what an import binds: a module and what is from elsewhere have no members of a class."""
        module, whole = bound.target, module_named(bound)
        stems = [word for word in re.split(r"[./\\\\:]+", whole) if word]
        known = self._reader.related.sources_of_stems(stems, 2 * MOST_LINES)
        paths = [path for _, path in known if family(path) == family(file.path)]
        if len(chain) == 1 and any(resolves_to(whole, file.path, path, is_named=not bound.name) for path in paths):
            return FOREIGN
        handed_on = (one.path for one in self._hierarchy.named(bound.name or chain[0].name))
        is_here = any(resolves_to(module, file.path, path, is_named=True) for path in paths)
        is_here = is_here or any(may_hand_on(module, file.path, path) for path in handed_on)
        return None if is_here or module.startswith(".") else FOREIGN

    def takes_all_of(self, one: DefinedAt, file: CodeText, through: Iterable[bytes] = ()) -> bool:
        """Return whether an import takes in all names of the definition's module, or of one ``through`` which it goes;
        in Rust whether one takes in all of any.
        """
        stars = [bound.target for name, bound in file.bindings.items() if name.startswith("*")]
        if file.language in JVM:
            return ".".join((self.package_of(one), *one.trail)) in stars
        if file.language == "go":
            return any(target.endswith("/".join(module_of(one.path)[:-1])) for target in stars)
        if file.language == "rust":
            return bool(stars)
        return any(
            resolves_to(target, file.path, path, is_named=True) for target in stars for path in (one.path, *through)
        )


def may_hand_on(target: str, importer: bytes, path: bytes) -> bool:
    """Return whether an import means a package in whose folder a file lies, and which may hand on what is in it."""
    is_top = family(importer) == "python" and module_of(path)[:1] == (target,)
    return is_top or Imports(importer, [target]).depth(path) > 0


def _name_in(manifest: bytes) -> str:
    """Return the name of the package that a ``package.json`` describes; empty where it has none or is no JSON."""
    try:
        described = json.loads(manifest)
    except (ValueError, RecursionError):
        return ""
    name = described.get("name") if isinstance(described, dict) else None
    return name if isinstance(name, str) else ""


def _without_none(made: Sequence[Made]) -> list[Made]:
    """Return what a variable is made of, without that it is nothing yet."""
    return [one for one in made if one.type or one.value.rstrip(";") not in ("None", "null", "nil", "undefined")]


def _only(known: Sequence[DefinedAt]) -> Type:
    places = {(one.path, chain_of(one)) for one in known}
    return places.pop() if len(places) == 1 else None


def family(path: bytes) -> str:
    """Return the group of languages that a file's belongs to, whose files may use each other."""
    language = _language(path)
    return _FAMILIES.get(language, language)


def _language(path: bytes) -> str:
    return language_of(path, b"").name
