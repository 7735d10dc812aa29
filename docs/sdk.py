"""Write the clients in Python and TypeScript from the OpenAPI document.

    python docs/sdk.py            write helix_ls/sdk/client.py and vscode-extension/sdk/src/client.ts
    python docs/sdk.py --check    exit with 1 and name the files that differ from what the document says

Whatever the document marks as an operation becomes a method of its name. No file is edited by hand.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RENEW = "python docs/sdk.py"
WIDTH = 120
FIXED = {"context": ("format", "helix", "window")}
"""An argument that chooses between two forms of an answer is fixed to the form of ours: name, value, component."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: an argument, or a part of an answer. ``type`` is a ``Type``."""

    name: str
    type: Any
    is_required: bool
    about: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One method. ``answer`` is the type of what it returns, ``fixed`` a member that it always sends."""

    name: str
    method: str
    path: str
    about: str
    members: tuple[Member, ...]
    answer: Any
    is_admins: bool
    fixed: tuple[str, str] | None = None


Type = tuple[Any, ...]
"""``("string",)``, ``("list", of)``, ``("literal", values)``, ``("union", types)``, ``("named", name)`` and so on."""


class Shapes:
    """The objects of the document as named types, in the order in which they can be declared."""

    def __init__(self, components: Mapping[str, Any]) -> None:
        self._components = components
        self.declared: dict[str, tuple[Member, ...]] = {}

    def component(self, name: str) -> Type:
        """Return the type of a component's name; its objects are declared."""
        return self.of(self._components[name], _camel(name) + "Reply")

    def of(self, schema: Mapping[str, Any], name: str) -> Type:
        """Return the type of a schema; an object in it is declared under the name, or one that begins with it."""
        if "$ref" in schema:
            return self.component(schema["$ref"].rsplit("/", 1)[-1])
        if "const" in schema:
            return ("literal", (schema["const"],))
        if "enum" in schema:
            return ("literal", tuple(schema["enum"]))
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return _union([self.of(each, name) for each in schema[word]])
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return _union([self.of({"type": each}, name) for each in kind])
        if kind == "array":
            return ("list", self.of(schema.get("items", {}), name + "Item"))
        if kind == "object" and schema.get("properties"):
            return self._declare(schema, name)
        return (kind,)

    def _declare(self, schema: Mapping[str, Any], name: str) -> Type:
        needed = schema.get("required", ())
        members = tuple(
            Member(
                each, self.of(of, name.removesuffix("Reply") + _camel(each)), each in needed, of.get("description", "")
            )
            for each, of in schema["properties"].items()
        )
        if self.declared.setdefault(name, members) != members:
            raise ValueError(f"two objects of the document would be called {name}")
        return ("named", name)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _union(types: list[Type]) -> Type:
    flat = [one for each in types for one in (each[1] if each[0] == "union" else (each,))]
    only = tuple(dict.fromkeys(flat))
    return only[0] if len(only) == 1 else ("union", only)


def calls(document: Mapping[str, Any], shapes: Shapes) -> Iterator[Call]:
    """Yield the methods of the document's operations."""
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            if "operations" not in said.get("tags", ()):
                continue
            name = said["operationId"]
            answer = said["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
            body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            members = tuple(_arguments(body, shapes))
            fixed = None
            if name in FIXED:
                argument, value, answer = FIXED[name]
                members, fixed = tuple(each for each in members if each.name != argument), (argument, value)
            yield Call(
                name,
                method.upper(),
                path,
                f"{said['summary']}{'' if said['summary'].endswith('?') else '.'} {said['description']}",
                tuple(sorted(members, key=lambda each: not each.is_required)),
                shapes.component(answer),
                all("ask" not in key for key in said["security"]),
                fixed,
            )


def _arguments(body: Mapping[str, Any], shapes: Shapes) -> Iterator[Member]:
    needed = {name for each in body.get("allOf", ()) for one in each["anyOf"] for name in one["required"]}
    for name, said in body.get("properties", {}).items():
        if not said.get("deprecated"):
            value = next(each for each in said["anyOf"] if each != {"type": "null"})
            about = said["description"] + _bounds(value, said.get("default"))
            yield Member(name, shapes.of(value, _camel(name) + "Argument"), name in needed, about)


def _bounds(schema: Mapping[str, Any], default: Any) -> str:
    said = []
    if "minimum" in schema and schema["maximum"] < 1_000_000_000:
        said.append(f"{schema['minimum']:,} to {schema['maximum']:,}")
    if default not in (None, ""):
        said.append(f"{json.dumps(default)} by default")
    return f" {'; '.join(said)}." if said else ""


# --- Python

PYTHON_HEAD = f'''"""A client of a Helix server over HTTP, and the shapes of its answers.

Made by ``{RENEW}``; edit nothing here.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Literal, NotRequired, Self, TypedDict, cast

from helix_ls.sdk.sending import Sender, address
'''
PYTHON_CLIENT = '''

class HelixClient:
    """A server of Helix, asked over HTTP. Safe for several threads; each request is sent once."""

    def __init__(self, url: str, key: str, *, workspace: str = "", timeout_s: float = 60.0) -> None:
        """Take the address and the key that ``helix connect openai`` or ``helix connect admin`` prints.

        Args:
            url: Such as ``http://127.0.0.1:11437``.
            key: The key; that of the administrator where the memory or the index is changed.
            workspace: The name or the path of one of the server's workspaces; the first one where it is empty.
            timeout_s: Seconds until a request without an answer is an error.
        """
        self._sender = Sender(url, key, workspace, timeout_s)

    @classmethod
    def connect(
        cls,
        folder: str | os.PathLike[str] = ".",
        *,
        admin: bool = False,
        timeout_s: float = 60.0,
    ) -> Self:
        """Return a client of the server that runs for a folder, as ``helix connect`` finds it.

        Raises SdkError where no server runs, or none that serves the folder.

        Args:
            folder: A folder that a server serves. Every request is about this one of the server's folders.
            admin: Take the administrator's key, which may change the memory and the index.
            timeout_s: Seconds until a request without an answer is an error.
        """
        url, key, workspace = address(folder, admin=admin, environ=os.environ)
        return cls(url, key, workspace=workspace, timeout_s=timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self._sender.close()

    def __enter__(self) -> Self:
        """Return the client; its connections are closed at the end of the block."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()
'''
_PYTHON = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
    "any": "Any",
}


def _python_type(type_: Type) -> str:
    match type_:
        case ("list", of):
            return f"list[{_python_type(of)}]"
        case ("literal", values):
            return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
        case ("union", types):
            return " | ".join(map(_python_type, types))
        case ("named", name):
            return str(name)
    return _PYTHON[type_[0]]


def python(document: Mapping[str, Any]) -> str:
    """Return the Python client."""
    shapes = Shapes(document["components"]["schemas"])
    methods = [_python_method(each) for each in calls(document, shapes)]
    declared = [_python_shape(name, members) for name, members in shapes.declared.items()]
    return PYTHON_HEAD + "".join(declared) + PYTHON_CLIENT + "".join(methods)


def _python_shape(name: str, members: tuple[Member, ...]) -> str:
    lines = ["", "", f"class {name}(TypedDict):"]
    for each in members:
        said = _python_type(each.type)
        line = f"    {each.name}: {said if each.is_required else f'NotRequired[{said}]'}"
        lines += [line] if len(line) <= WIDTH or not each.is_required else _a_value_a_line(line)
        if each.about:
            lines += textwrap.wrap(f'"""{each.about}"""', WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join(lines) + "\n"


def _a_value_a_line(line: str) -> list[str]:
    """Return the line of a field with ``Literal[…]`` with each of its values on a line of its own."""
    head, _, values = line.removesuffix("]").partition("[")
    return [f"{head}[", *(f"        {value}," for value in values.split(", ")), "    ]"]


def _python_method(call: Call) -> str:
    signature = [f"{each.name}: {_python_type(each.type)}," for each in call.members if each.is_required]
    options = [
        f"{each.name}: {_python_type(each.type)} | None = None," for each in call.members if not each.is_required
    ]
    signature += ["*,", *options] if options else []
    answer = _python_type(call.answer)
    head = [f"def {call.name}(self) -> {answer}:"]
    if signature:
        head = [f"def {call.name}(", "    self,", *(f"    {each}" for each in signature), f") -> {answer}:"]
    said = textwrap.wrap(f'"""{" ".join(call.about.split())}', WIDTH - 8)
    if call.members:
        said += ["", "Args:"]
        for each in call.members:
            said += textwrap.wrap(
                f"{each.name}: {each.about}", WIDTH - 8, initial_indent="    ", subsequent_indent=" " * 8
            )
    needs = " Needs the administrator's key." if call.is_admins else ""
    said += ["", f"Raises SdkError.{needs}", '"""']
    sent = [f'"{each.name}": {each.name},' for each in call.members]
    sent += [f'"{call.fixed[0]}": "{call.fixed[1]}",'] if call.fixed else []
    given = ["{", *(f"    {each}" for each in sent), "},"] if sent else ["{},"] if call.method == "POST" else []
    body = ["return cast(", f"    {answer},", "    self._sender.send("]
    body += [
        f'        "{call.method}",',
        f'        "{call.path}",',
        *(f"        {each}" for each in given),
        "    ),",
        ")",
    ]
    lines = ["", *(f"    {line}" for line in head), *(f"        {line}" if line else "" for line in (*said, *body))]
    return "\n".join(lines) + "\n"


# --- TypeScript

TYPESCRIPT_HEAD = f"""// A client of a Helix server over HTTP, and the shapes of its answers.
// Made by `{RENEW}`; edit nothing here.
import {{ Sender, type Address, type CallOptions }} from './sending.js';
"""
TYPESCRIPT_CLIENT = """
/** A server of Helix, asked over HTTP with `fetch`. Each request is sent once. */
export class HelixClient {
  readonly #sender: Sender;

  /** Takes the address and the key that `helix connect openai` or `helix connect admin` prints. */
  constructor(address: Address) {
    this.#sender = new Sender(address);
  }
"""
_TYPESCRIPT = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "Record<string, unknown>",
    "any": "unknown",
}


def _typescript_type(type_: Type) -> str:
    match type_:
        case ("list", of):
            said = _typescript_type(of)
            return f"({said})[]" if "|" in said else f"{said}[]"
        case ("literal", values):
            return " | ".join(f"'{value}'" for value in values)
        case ("union", types):
            return " | ".join(map(_typescript_type, types))
        case ("named", name):
            return str(name)
    return _TYPESCRIPT[type_[0]]


def typescript(document: Mapping[str, Any]) -> str:
    """Return the TypeScript client."""
    shapes = Shapes(document["components"]["schemas"])
    made = list(calls(document, shapes))
    declared = [_typescript_shape(name, members) for name, members in shapes.declared.items()]
    given = [_typescript_shape(f"{_camel(each.name)}Given", each.members) for each in made if each.members]
    methods = [_typescript_method(each) for each in made]
    return TYPESCRIPT_HEAD + "".join((*declared, *given)) + TYPESCRIPT_CLIENT + "".join(methods) + "}\n"


def _typescript_shape(name: str, members: tuple[Member, ...]) -> str:
    lines = ["", f"export interface {name} {{"]
    for each in members:
        lines += _comment(each.about, "  ") if each.about else []
        said = _typescript_type(each.type)
        lines.append(f"  {each.name}: {said};" if each.is_required else f"  {each.name}?: {said} | undefined;")
    return "\n".join([*lines, "}"]) + "\n"


def _comment(text: str, indent: str) -> list[str]:
    text = " ".join(text.split()).replace("*/", "*\\/")
    if len(text) + len(indent) + 7 <= WIDTH:
        return [f"{indent}/** {text} */"]
    return [
        f"{indent}/**",
        *textwrap.wrap(text, WIDTH, initial_indent=f"{indent} * ", subsequent_indent=f"{indent} * "),
        f"{indent} */",
    ]


def _typescript_method(call: Call) -> str:
    answer = _typescript_type(call.answer)
    given = f"{_camel(call.name)}Given"
    arguments = ""
    if call.members:
        arguments = (
            f"given: {given}, " if any(each.is_required for each in call.members) else f"given: {given} = {{}}, "
        )
    sent = "" if call.method == "GET" else ", given" if call.members else ", {}"
    if call.fixed:
        sent = f", {{ ...given, {call.fixed[0]}: '{call.fixed[1]}' }}"
    options = ", undefined, options" if call.method == "GET" else ", options"
    needs = " Needs the administrator's key." if call.is_admins else ""
    lines = [
        "",
        *_comment(f"{call.about}{needs}", "  "),
        f"  async {call.name}({arguments}options?: CallOptions): Promise<{answer}> {{",
        f"    return (await this.#sender.send('{call.method}', '{call.path}'{sent}{options})) as {answer};",
        "  }",
    ]
    return "\n".join(lines) + "\n"


MADE: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "helix_ls/sdk/client.py": python,
    "vscode-extension/sdk/src/client.ts": typescript,
}


def stale() -> list[str]:
    """Return the files that are not what the document says."""
    from helix_ls.proxy.openapi import document

    made = {ROOT / name: write(document()) for name, write in MADE.items()}
    return sorted(
        file.relative_to(ROOT).as_posix()
        for file, text in made.items()
        if not file.is_file() or file.read_text(encoding="utf-8") != text
    )


def main(arguments: list[str]) -> int:
    """Write the clients, or say which are out of date."""
    from helix_ls.proxy.openapi import document

    if "--check" in arguments:
        wrong = stale()
        for name in wrong:
            sys.stdout.write(f"{name} is out of date; run {RENEW}\n")
        return 1 if wrong else 0
    for name, write in MADE.items():
        file = ROOT / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(write(document()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
