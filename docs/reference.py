"""Write the reference pages of the documentation from the tables of the code.

    python docs/reference.py            write docs/reference/*.md
    python docs/reference.py --check    exit with 1 and name the pages that differ from what the code says

The pages are made from the settings table, the command line's parsers, the table of operations, the tools for agents,
the OpenAPI document, the verdict table, and the snapshot of answers in ``tests/golden``. No page is edited by hand.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reference"
GOLDEN = ROOT / "tests" / "golden"
RENEW = "python docs/reference.py"
HEAD = f"<!-- Made by `{RENEW}` from the code; edit the code, then run it again. -->\n\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _value(value: Any) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    first = text.split(" ")[0]
    if "." in first.rstrip(".") or "_" in first:
        return text + "."
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else ""


# --- settings

VARIABLES = {
    "HELIX_CONFIG": "Your settings file, instead of the platform's.",
    "HELIX_UPSTREAM_KEY": "The key of `HELIX_UPSTREAM`. It is taken out of the environment of everything Helix starts.",
    "HELIX_STATE_DIR": "The folder of the server's keys and announcements.",
    "HELIX_RUNTIME_DIR": "The folder of the daemon's socket, where the platform's name is too long for one.",
    "HELIX_IDLE_S": "Seconds after the last client until the daemon leaves; 30.",
    "HELIX_TRANSPORT": "`tcp` makes the daemon listen on loopback instead of a Unix socket.",
    "HELIX_DEBUG": "Any value: a defect prints its whole traceback.",
    "HELIX_ORG": "The organization that a note or chat is attributed to.",
    "HELIX_DEVICE": "The device, instead of the host's name.",
    "HELIX_PARTY": "The device, under an older name.",
    "HELIX_USER": "The user, instead of the name of the account.",
    "HELIX_AGENT": "The agent.",
    "HELIX_TZ": "The time zone, by its IANA name.",
}
# Written for other programs, or set by Helix for git; nobody sets these for Helix.
NOT_READ = {"HELIX_URL", "HELIX_ADMIN_KEY", "HELIX_API_KEY", "HELIX_FSMONITOR"}


def variables_in_the_code() -> set[str]:
    """Every ``HELIX_`` variable that a source file names in full."""
    sources = (file for room in ("helix_core", "helix_ls") for file in (ROOT / room).rglob("*.py"))
    found = {
        name for file in sources for name in re.findall(r"\bHELIX_[A-Z_]*[A-Z]\b", file.read_text(encoding="utf-8"))
    }
    return found - NOT_READ


EXAMPLE = """\
[index]
exclude = ["*.snap", "/vendor/"]    # as in .gitignore
max_file_size = "4 MB"
max_files = 50000

[search]
prefer_implementation = false
"""


def settings() -> str:
    """The page of the settings table."""
    from helix_core.config.settings import SETTINGS

    said = [
        "# Settings\n",
        "Helix reads settings from four places. A later one wins:\n",
        "1. the default,",
        "2. your own `config.toml` (`helix config --explain` prints its path; `HELIX_CONFIG` names another file),",
        "3. `helix.toml` in the workspace folder,",
        "4. the environment variable.\n",
        "A `helix.toml` comes with a repository, so Helix does not trust it: it cannot set what is marked "
        "*user only*. `helix config --explain` prints every setting, its value, and the file and line it came from.\n",
    ]
    said.append(f"A `helix.toml` may look like this:\n\n```toml\n{EXAMPLE}```\n")
    sections: dict[str, list[Any]] = {}
    for setting in SETTINGS.values():
        section, _, _ = setting.key.rpartition(".")
        sections.setdefault(section, []).append(setting)
    for section, entries in sections.items():
        said.append(f"## `[{section}]`\n" if section else "## Top level\n")
        rows = []
        for one in entries:
            default = "the platform's folder" if one.kind == "folder" else _value(one.shown(one.default))
            bounds = ""
            if one.low is not None and one.high is not None:
                low, high = ((one.shown(int(end)) if one.kind == "size" else f"{end:,}") for end in (one.low, one.high))
                bounds = f", {low} to {high}"
            variable = "" if one.kind == "upstreams" else f"`{one.variable}`"
            who = "user only" if one.trusted else ""
            rows.append((f"`{one.key}`", f"{one.kind}{bounds}", default, variable, who, _sentence(one.meaning)))
        said.append(_table(("setting", "type", "default", "variable", "", "meaning"), rows))
    said.append(
        'A size is a whole number of bytes, or text with a unit: `"500 KB"`, `"2 MB"`; 1 KB is 1,024 bytes. Where an '
        "older name of a setting is given beside its own name in one of the four places, its own name counts.\n"
    )
    said.append(
        "In a variable, a list of text is separated by `:` (`;` on Windows), and true or false may be written as "
        "`1`/`0`, `true`/`false`, `yes`/`no` or `on`/`off`.\n"
    )
    said.append("## Other variables\n")
    said.append("These have no key in a file.\n")
    said.append(_table(("variable", "meaning"), [(f"`{name}`", meaning) for name, meaning in VARIABLES.items()]))
    return "\n".join(said)


# --- command line


def commands() -> str:
    """The page of the command line's parsers."""
    import click

    from helix_ls.cli.verbs import command

    group = command()
    assert isinstance(group, click.Group)
    context = click.Context(group, info_name="helix")
    said = [
        "# Commands\n",
        "`helix VERB --help` prints the same.\n",
        "Exit status: 0 is an answer, also an empty one; 1 a failure; 2 a misuse; 130 an interrupt, which keeps what "
        "was done. `helix bench compare` has its own. A failure is one line on standard error: the cause, then the "
        "next action. With `--json` a verb prints one JSON object; [JSON objects](json.md) lists them.\n",
    ]
    for name in group.list_commands(context):
        verb = group.get_command(context, name)
        assert verb is not None
        said.append(f"## helix {name}\n")
        said.append(f"{inspect.cleandoc(verb.help or '')}\n")
        said.append(
            f"```\n{' '.join(verb.get_usage(click.Context(verb, info_name=f'helix {name}')).split()[1:])}\n```\n"
        )
        rows = [_parameter(each) for each in verb.params if not getattr(each, "hidden", False)]
        said.append(_table(("argument", "values", "default", "meaning"), rows))
    return "\n".join(said)


def _parameter(each: Any) -> tuple[str, str, str, str]:
    import click

    names = (
        f"`{each.name.upper()}`"
        if isinstance(each, click.Argument)
        else ", ".join(f"`{n}`" for n in (*each.opts, *each.secondary_opts))
    )
    values = "" if getattr(each, "is_flag", False) else _values(each.type)
    default = each.default
    has_default = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    shown = f"`{default}`" if has_default else "this folder" if isinstance(default, Path) else ""
    return names, values, "required" if each.required else shown, getattr(each, "help", "") or ""


def _values(kind: Any) -> str:
    import click

    if isinstance(kind, click.Choice):
        return ", ".join(f"`{getattr(each, 'value', each)}`" for each in kind.choices)
    if isinstance(kind, click.IntRange):
        return f"{kind.min} to {kind.max:,}" if kind.max is not None else f"from {kind.min}"
    names = {"text": "text", "integer": "whole number", "float": "number", "path": "path", "uuid": "text"}
    return names.get(kind.name, "path" if "folder" in kind.name else kind.name)


# --- operations, tools, HTTP


def operations() -> str:
    """The page of the one table from which the surfaces are made."""
    from helix_ls.operations.arguments import parameters_of
    from helix_ls.operations.table import OPERATIONS

    said = [
        "# Operations\n",
        "Each verb of Helix is declared once, and the surfaces are views of it: the [tools for agents](tools.md), the "
        "[HTTP API](http.md), the commands of the language server, and the daemon's own calls. A surface may show an "
        "argument under an older name. *Access* says which key may ask over HTTP, *changes* what a call may change.\n",
    ]
    shown = _shown_as()
    for operation in sorted(OPERATIONS.values(), key=lambda each: each.name):
        declared = parameters_of(operation.arguments)
        if declared and all(one.about.on == {"daemon"} for one in declared):
            continue
        said.append(f"## {operation.name}\n")
        said.append(f"{_sentence(operation.description)}\n")
        answer = f"[`{operation.answer}`](json.md)" if operation.answer else "none of its own"
        if surfaces_of := shown.get(operation.name):
            said.append(f"Shown as {', '.join(surfaces_of)}.\n")
        change = operation.changes + (" (takes something away)" if operation.destroys else "")
        said.append(f"Answer: {answer}. Access: {operation.access}. Changes: {change}.\n")
        surfaces = ("mcp", "http", "lsp", "daemon")
        rows = []
        for one in declared:
            on = "all" if len(one.about.on) == len(surfaces) else ", ".join(s for s in surfaces if s in one.about.on)
            older = ", ".join(f"`{name}`" for name in one.about.also)
            default = "required" if one.is_required else "" if one.default is None else _value(one.default)
            about = one.about.description + (f" Also {older}." if older else "")
            rows.append((f"`{one.name}`", _kind(one.schema()), default, on, about))
        if rows:
            said.append(_table(("argument", "type", "default", "surfaces", "meaning"), rows))
    return "\n".join(said)


class _Handlers:
    """Stands for the handlers of a session, so that the table of commands can be read without one."""

    def __getattr__(self, name: str) -> str:
        return name


def _shown_as() -> dict[str, list[str]]:
    """By an operation's name: the tools, routes and commands that are views of it."""
    from helix_ls.lsp.commands import Commands
    from helix_ls.lsp.memory_notices import MemoryNotices
    from helix_ls.lsp.questions import QueryHandlers
    from helix_ls.mcp.tools import tools_of
    from helix_ls.proxy.route_table import HTTP_ROUTES

    nobody: Any = _Handlers()
    asking = QueryHandlers(nobody, nobody)
    table = Commands(asking, nobody, MemoryNotices(nobody), nobody).table
    views = [(each.operation, f"tool `{each.name}`") for each in tools_of("full", writes=True) if not each.same_as]
    views += [(each.operation, f"route `{each.method} {each.path}`") for each in HTTP_ROUTES if each.operation]
    views += [(each.operation, f"command `{name}`") for name, each in table.items()]
    shown: dict[str, list[str]] = {}
    for operation, view in views:
        shown.setdefault(operation.name, []).append(view)
    return shown


def _kind(schema: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"] if each != {"type": "null"})
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {})) or 'values'}"
    kind = schema.get("type", "")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if "maximum" in schema and schema["maximum"] < 1_000_000_000:
        return f"{kind}, {schema['minimum']:,} to {schema['maximum']:,}"
    if "minimum" in schema:
        return f"{kind}, from {schema['minimum']:,}"
    if "maxLength" in schema:
        return f"{kind}, at most {schema['maxLength']:,} characters"
    return kind


def tools() -> str:
    """The page of the tools for agents."""
    from helix_ls.mcp.tools import tools_of

    default, full, all_of = tools_of("default"), tools_of("full"), tools_of("full", writes=True)
    said = [
        "# Tools for agents\n",
        "`helix mcp` offers these over the Model Context Protocol. [Agents](../MCP.md) says how to add it to a client. "
        "A tool that writes is offered only where `mcp.write_tools` is on in your own settings.\n",
    ]
    for head, chosen in (
        ("The default tools", default),
        ("More with `--profile full`", [each for each in full if each not in default]),
        ("With `mcp.write_tools`", [each for each in all_of if each not in full]),
    ):
        said.append(f"## {head}\n")
        for tool in chosen:
            said.append(f"### `{tool.name}`\n")
            if tool.description.startswith("The same as "):
                said.append(f"{tool.description.split('. ')[0]}, under an older name.\n")
                continue
            said.append(f"{tool.description}\n")
            said.append(f"Answer: [`{tool.schema}`](json.md).\n")
            rows = [
                (
                    f"`{tool.shown.get(each.name, each.name)}`",
                    _kind(each.schema()),
                    "required" if each.name in tool.operation.required("mcp") else _default(_known(each)),
                    each.about.description + (" Not in the schema." if each.name in tool.unlisted else ""),
                )
                for each in tool.operation.parameters("mcp")
            ]
            if rows:
                said.append(_table(("argument", "type", "default", "meaning"), rows))
    return "\n".join(said)


def _known(parameter: Any) -> dict[str, Any]:
    return {} if parameter.default is None else {"default": parameter.default}


def http() -> str:
    """The page of the HTTP API."""
    from helix_ls.proxy.openapi import document

    made = document()
    said = [
        "# HTTP API\n",
        "`helix serve` and the daemon's proxy answer these on 127.0.0.1. `GET /openapi.json` is the whole document as "
        f"OpenAPI {made['openapi']}. [Proxy](../PROXY.md) says who may ask and what happens to a chat.\n",
        made["info"]["description"] + "\n",
    ]
    for path, methods in made["paths"].items():
        for method, about in methods.items():
            if not isinstance(about, Mapping):
                continue
            said.append(f"## `{method.upper()} {path}`\n")
            said.append(_sentence(about.get("summary", "")) + "\n")
            said.append(f"Key: {_key(about.get('security', []))}.\n")
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            needed = _required(body)
            rows = [
                (f"`{name}`", _kind(each), "required" if name in needed else _default(each), about_it)
                for name, each in body.get("properties", {}).items()
                if not (about_it := each.get("description", "")).startswith("The same as ")
            ]
            of_query = [one for one in about.get("parameters", ()) if one["in"] == "query"]
            if of_query:
                listed = [
                    (f"`{one['name']}`", _kind(one["schema"]), _default(one["schema"]), one["description"])
                    for one in of_query
                ]
                said.append(_table(("in the query", "type", "default", "meaning"), listed))
            if rows:
                said.append(_table(("member", "type", "default", "meaning"), rows))
            codes = ", ".join(f"`{code}`" for code in about.get("responses", {}))
            said.append(f"Statuses: {codes}.\n")
    return "\n".join(said)


def _default(schema: Mapping[str, Any]) -> str:
    return _value(schema["default"]) if schema.get("default") is not None else ""


def _required(body: Mapping[str, Any]) -> set[str]:
    """The members that a body must have, by their first names."""
    either = [each["anyOf"][0].get("required", []) for each in body.get("allOf", []) if "anyOf" in each]
    return {*body.get("required", []), *(name for names in either for name in names)}


def _key(security: Sequence[Mapping[str, Any]]) -> str:
    if {} in security:
        return "none"
    names = {name for each in security for name in each}
    return "ask or admin" if "ask" in names else "admin"


# --- the extension


def extension() -> str:
    """The page of the extension's commands and settings."""
    about = json.loads((ROOT / "vscode-extension" / "package.json").read_text(encoding="utf-8"))["contributes"]
    commands_of = [(f"{each['category']}: {each['title']}", f"`{each['command']}`") for each in about["commands"]]
    rows = []
    for key, one in about["configuration"]["properties"].items():
        values = ", ".join(f"`{each}`" for each in one.get("enum", ())) or _kind(one)
        said_of = one.get("markdownDescription") or one.get("description", "")
        rows.append((f"`{key}`", values, _value(one["default"]), said_of))
    return "\n".join(
        [
            "# VS Code extension\n",
            "[Editors](../editors.md) shows what these do.\n",
            "## Commands\n",
            _table(("command", "id"), commands_of),
            "## Settings\n",
            _table(("setting", "values", "default", "meaning"), rows),
        ]
    )


# --- verdicts

# The reasons that reading the file gives.
FROM_DISK = frozenset(
    {"unchanged", "touched", "reingested", "moved", "renamed", "changed", "not_indexed"}
    | {"gone", "unreadable", "outside_root", "not_a_file", "too_large", "ignored"}
)
ACTIONS = {
    "verified": "Rely on it.",
    "stale_risk": "The text is there. Check what the reason names before you rely on it.",
    "needs_refresh": "Read the place again before you use it. `refresh_targets` lists these, most pressing first.",
}


def observations(reason: Any, task: Any) -> list[Any]:
    """What the verdict table is given for a reason's row, the milder observation first.

    Raises:
        ValueError: this does not know how the reason comes about.
    """
    from helix_core.engine.verdict import Observation, table
    from helix_core.model import Authority, MemoryOrigin, Reason

    least = table.THRESHOLD[task]
    made: dict[Reason, list[dict[str, Any]]] = {
        Reason.UNSAVED: [{"unsaved": True}],
        Reason.CONFLICTED: [{"conflicted": True}],
        Reason.OUTDATED_DOC: [{"outdated": (_Flag(),)}],
        Reason.CONTRADICTED: [{"contradicted_by": "another source"}],
        Reason.AGED: [{"disk": None, "freshness": least * share} for share in (0.9, 0.0)],
        Reason.WEAK_AUTHORITY: [{"authority": Authority.INFERRED}],
        Reason.UNLOCATED: [{"confidence": 0.0}],
        Reason.ASSERTED: [{"disk": None, "asserted_by": MemoryOrigin.USER}],
        Reason.SUPERSEDED: [{"superseded": "another memory"}],
    }
    if reason in FROM_DISK:
        return [Observation(disk=reason)]
    if reason not in made:
        raise ValueError(f"no observation is known that leads to {reason}")
    return [Observation(**{"disk": Reason.UNCHANGED, **seen}) for seen in made[reason]]


def verdicts() -> str:
    """The page of the verdict table: every reason with the status that the table itself gives."""
    from helix_core.engine.verdict import REASONS, table
    from helix_core.model import HIGH_RISK, Reason, Status, TaskType

    def given(reason: Any, task: Any) -> str:
        found = [table.verdict(seen, task) for seen in observations(reason, task)]
        cells = [
            f"`{one.status.value}`" + ("" if one.reason is reason else f" as `{one.reason.value}`") for one in found
        ]
        return ", then ".join(dict.fromkeys(cells))

    groups: dict[tuple[str, ...], list[Any]] = {}
    for task in TaskType:
        groups.setdefault(tuple(given(reason, task) for reason in Reason), []).append(task)
    heads = [", ".join(task.value for task in tasks) for tasks in groups.values()]
    rows = [
        (f"`{reason.value}`", *(column[at] for column in groups), REASONS[reason].meaning)
        for at, reason in enumerate(Reason)
    ]
    thresholds = [
        (f"`{task.value}`", f"{table.THRESHOLD[task]:.2f}", f"{table.RISK[task]:.2f}", _yes(task in HIGH_RISK))
        for task in TaskType
    ]
    half_lives = [(f"`{each.value}`", f"{seconds / 3600:g} hours") for each, seconds in table.HALF_LIFE_S.items()]
    return "\n".join(
        [
            "# Verdicts and reasons\n",
            "A verdict is one of three statuses, with a reason. Helix reads the file at the moment of the answer; the "
            "most severe row that applies decides. `also` in `helix.explain/1` names the others.\n",
            _table(("status", "what to do"), [(f"`{each.value}`", ACTIONS[each.value]) for each in Status]),
            "## Every reason\n",
            "The status depends on the task, which says what the answer is for. `as` names the reason that is given "
            "instead.\n",
            _table(("reason", *heads, "meaning"), rows),
            "## Tasks\n",
            "`freshness` is compared only for what cannot be read again. High-risk tasks always hash the file. The "
            "risk orders `refresh_targets`.\n",
            _table(("task", "least freshness", "risk", "high risk"), thresholds),
            "## Half-lives\n",
            "freshness = 2^(−age / half-life), for notes, chats and remote pages.\n",
            _table(("volatility", "half-life"), half_lives),
            f"An answer whose confidence is below {table.CONFIDENCE_FLOOR:.2f} is `unlocated`.\n",
        ]
    )


class _Flag:
    sentence = "names a function that changed"


def _yes(value: bool) -> str:
    return "yes" if value else ""


# --- JSON objects

KEYS = {
    "accounting": "What the answer cost: files and items searched, items returned, tokens, milliseconds.",
    "also": "Further reasons that apply.",
    "author": "Author of that commit.",
    "authority_class": "`primary`, `derived` or `inferred`.",
    "budget": "The budget of tokens that was asked for.",
    "citations": "The places an item stands for, as `path:first-last`.",
    "commit": "The last commit that changed the file; null where git gives none.",
    "commit_of": "What `commit` is about: the file.",
    "committed_at": "When, in Unix seconds.",
    "confidence": "How sure it is that the answer is in the right place, 0 to 1, calibrated.",
    "content_hash": "SHA-256 of the whole file's bytes as they were read for this answer.",
    "contradictions": "Pairs of places that give one name different values.",
    "coordinate_confidence": "How sure it is that the answer is in the right place, 0 to 1, calibrated.",
    "detail": "What completes the reason, such as the old and the new name.",
    "elapsed_ms": "Milliseconds.",
    "end_line": "The last line, 1-based, included.",
    "gene_id": "The item: the first 16 hexadecimal digits of the SHA-256 of its text.",
    "head": "The commit that is checked out.",
    "indexed_share": "The share of the files that the index holds, 0 to 1.",
    "known_empty": "True: the workspace does not answer the question.",
    "language": "The language of the file.",
    "last_verified_at": "When the file was read for this answer, in Unix seconds.",
    "live_truth_score": "freshness × authority × specificity, 0 to 1.",
    "nearest": "Where nothing answers: names and files that come near.",
    "notes": "What is degraded in this answer: files set aside, rankers that ran out of their budget, a partial index.",
    "priority": "How pressing it is to read it again, 0 to 1.",
    "query": "The question.",
    "quote": "Whole lines from `start_line` on, as on disk, secrets masked; possibly fewer than the span.",
    "reason": "One of the [reasons](verdicts.md).",
    "refresh_targets": "What to read again, most pressing first.",
    "relevance_score": "The score of the ranking; comparable within one answer only.",
    "score": "The score of the ranking; comparable within one answer only.",
    "signals": "What each ranker contributed.",
    "source_id": "The path from the workspace root, with `/`.",
    "source_kind": "What sort of source it is: `code`, `config`, `doc`, `log`, `db`, `note` or `chat`.",
    "start_line": "The first line, 1-based.",
    "status": "The [verdict](verdicts.md).",
    "symbol": "The symbol the lines belong to, such as `Class.method`.",
    "task_type": "What the answer is for.",
    "tokens": "Tokens, estimated unless a tokenizer is set.",
    "uri": "The file as a `file:` address; absent from what agents get.",
    "volatility_class": "`stable`, `medium` or `hot`.",
    "workspace": "The workspace folder; only its name where the asker is an agent.",
}
# Keys that mean something only in one object, by its schema and the key's whole path.
OF = {
    "helix.packet/1 verified": "The items that may be relied on, best first.",
    "helix.packet/1 stale_risk": "The items whose text is there and may mislead.",
    "helix.packet/1 needs_refresh": "The items that must be read again.",
    "helix.packet/1 verified[].kind": "What the item is: function, class, constant, section, imports, and so on.",
    "helix.packet/1 verified[].title": "The file's name.",
    "helix.packet/1 accounting.searched": "Items in the index.",
    "helix.packet/1 accounting.sources": "Files in the index.",
    "helix.packet/1 accounting.returned": "Items in this packet.",
    "helix.packet/1 accounting.left_out": "Items that did not fit into `max_tokens`.",
    "helix.packet/1 packet_id": "The name under which a session keeps this packet.",
    "helix.search/1 items": "The places, best first.",
    "helix.search/1 items[].kind": "What the place is: function, class, constant, section, imports, and so on.",
    "helix.search/1 rankers": "The state of each ranker: used, empty, off, or why it has no say.",
    "helix.search/1 lists": "With `--explain`: the list of each ranker.",
    "helix.search/1 weights": "With `--explain`: how much each ranker counts, and what it looks at.",
    "helix.search/1 certainty": "With `--explain`: the signs that make up the confidence.",
    "helix.context/1 text": "The window: a boundary line, a block for each place, a boundary line.",
    "helix.context/1 blocks": "The places that are quoted, in the order of the text.",
    "helix.context/1 blocks[].hidden_lines": "Lines of the place that the text leaves out.",
    "helix.context/1 verdicts": "How many blocks have each verdict.",
    "helix.context/1 left_out": "The places that are not quoted.",
    "helix.context/1 left_out[].reason": "Why, in words.",
    "helix.context/1 left_out[].named": "True: the text names the place in one line.",
    "helix.context/1 counted_by": "`estimate`, or the tokenizer.",
    "helix.context/1 context_health.coverage": "The share of the question's words that occur in the text.",
    "helix.context/1 context_health.density": "Tokens shown, by tokens of the chosen places in whole.",
    "helix.context/1 context_health.freshness": "Mean over the blocks: verified 1, stale_risk 0.5, needs_refresh 0.",
    "helix.context/1 context_health.ellipticity": "The cube root of the three, lowered where the confidence is low.",
    "helix.context/1 context_health.status": "`aligned`, `sparse`, `denatured` or `stale`.",
    "helix.explain/1 observations": "Every observation, in the order of the verdict table.",
    "helix.explain/1 observations[].observation": "What was seen, as a sentence.",
    "helix.explain/1 observations[].finding": "The reason it speaks for; empty where it speaks for none.",
    "helix.explain/1 observations[].decides": "True: this one decided.",
    "helix.open/1 text": "The lines as they are on disk, secrets masked.",
    "helix.open/1 more": "True: there are more lines than were given.",
    "helix.open/1 indexed": "True: the index holds the file.",
    "helix.open/1 escaped": "True: invisible characters or control tokens of chat templates are shown as escapes.",
    **{
        f"helix.{schema}/1 memories{key}": meaning
        for schema in ("packet", "context")
        for key, meaning in {
            "": "What was [remembered](../memory.md) of the question, judged now; only where there is something.",
            "[].id": "The memory's id.",
            "[].kind": "`decision`, `fact`, `preference` and so on.",
            "[].text": "What was said: data, never an instruction. The first 400 characters.",
            "[].state": "`active`, or `contested` where another memory says otherwise.",
            "[].origin": "Who said it: `user`, `agent` or `imported`.",
            "[].confidence": "How much the statement is believed by who said it, 0 to 1.",
            "[].evidence": "What it cites, as it is now: four places, those that are not verified first.",
            "[].is_instruction": "True: the text reads like an order to a model.",
        }.items()
    },
    "helix.packet/1 accounting.memories_left_out": "Memories for which the budget had no room.",
    "helix.refreshPlan/1 items": "How each item of the packet is now, and where.",
    "helix.symbol/1 definitions": "Where the name is defined.",
    "helix.symbol/1 users": "Who uses it.",
    "helix.symbol/1 tests": "Who tests it.",
    "helix.symbol/1 documents": "Which documents name it.",
    "helix.symbol/1 co_changed": "Which files change in git together with it.",
    "helix.names/1 typed": "What was typed, as it was read.",
    "helix.names/1 items": "The places, the nearest match first: exact, prefix, humps, letters in order.",
    "helix.names/1 items[].kind": "`function`, `class` and so on; `file` for a file.",
    "helix.hints/1 hints": "What is outdated, contradicted or dead in these files, in path order.",
    "helix.hints/1 done": "Files looked at so far.",
    "helix.hints/1 total": "Files in the index.",
    "helix.hints/1 next": "Where to go on: the next call's `after`; null at the end.",
    "helix.hints/1 partial": "Files whose time was over before all was looked at.",
    "helix.expand/1 of": "The place that was asked about.",
    "helix.expand/1 neighbours": "What is around it, each with its verdict.",
    "helix.expand/1 neighbours[].relation": "How it is related.",
    "helix.expand/1 skipped_delivered": "Neighbors that the session had already.",
    "helix.check/1 findings": "The references that are wrong, in the order of the text, at most 200.",
    "helix.check/1 findings[].path": "The text, where it has a path.",
    "helix.check/1 findings[].line": "Where the reference is in the text; columns are characters, the end exclusive.",
    "helix.check/1 findings[].reference": "The reference as written.",
    "helix.check/1 findings[].kind": "`place`, `path`, `symbol` or `quote`.",
    "helix.check/1 findings[].rule": "What is wrong, in one word: see [Checking a text](../check.md).",
    "helix.check/1 findings[].message": "The same as a sentence about the reference.",
    "helix.check/1 findings[].now": "The place it means today, null where none is known.",
    "helix.check/1 checked": "References that were compared, right and wrong ones.",
    "helix.check/1 wrong": "All that are wrong, listed or not.",
    "helix.check/1 unknown": "References that cannot be compared: names of libraries, proposals, files to be made.",
    "helix.check/1 unjudged": "These references, at most 200, each with the reason as a word and as a sentence.",
    "helix.check/1 unjudged[].reason": "Why it was not compared: see [Checking a text](../check.md).",
    "helix.check/1 unjudged[].message": "The same as a sentence about the reference.",
    "helix.status/1 fresh": "True: the index is level with the disk.",
    "helix.status/1 pending": "Files that changed and are not in the index yet.",
    "helix.status/1 index.parked_files": "Versions that left the disk and are kept, so that coming back costs nothing.",
    "helix.status/1 vectors": "By model and level, the share of texts that have a vector.",
    "helix.status/1 skipped": "Files left out, counted by reason.",
    "helix.status/1 set_aside": "Files whose parsing failed or took too long.",
    "helix.status/1 live": "What the server does now; only where one runs.",
    "helix.index/1 files": "Files in the index.",
    "helix.index/1 reactivated": "Files that came back to bytes seen before.",
    "helix.index/1 touched": "Files whose times changed and whose bytes did not.",
    "helix.index/1 masked": "Secrets that were masked.",
    "helix.index/1 skipped": "Files left out, counted by reason.",
    "helix.index/1 set_aside": "Files whose parsing failed or took too long.",
    "helix.live/1 set_aside": "How many files are set aside: parsing them failed or took too long.",
    "helix.live/1 state": "`starting`, `indexing`, `fresh`, `incomplete` (level with the disk, but for files set "
    "aside), `paused`, `missing` or `error`.",
    "helix.live/1 message": "What is the matter, empty when nothing is.",
    "helix.live/1 action": "What to do about it.",
    "helix.live/1 phase": "What a whole refresh does now.",
}
# Objects whose keys are data: a language, a ranker, a reason.
MAPS = frozenset(
    {"languages", "skipped", "vectors", "rankers", "shares", "signals", "lists", "weights", "by_tool", "workspaces"}
)
MARKS = {
    "<int>": "integer",
    "<float>": "number",
    "<str>": "string",
    "<bool>": "boolean",
    "<list>": "list",
    "<dict>": "object",
}


def _vocabularies() -> dict[str, set[str]]:
    """Of keys that have one name and several uses: the values for which the meaning above is right."""
    from helix_core.model import Reason, Status

    return {"status": {each.value for each in Status}, "reason": {each.value for each in Reason}}


@dataclass(slots=True)
class Shape:
    """What is known of one object: how often it was seen, and of each key its types, its texts and its count."""

    seen: int = 0
    kinds: dict[str, set[str]] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, answer: Mapping[str, Any]) -> None:
        """Take one answer in."""
        self.seen += 1
        found = [(_alike(key), value) for key, value in _members(answer, "")]
        for key, value in found:
            self.kinds.setdefault(key, set()).add(_type(value))
            if isinstance(value, str):
                self.texts.setdefault(key, set()).add(value)
        for key in {key for key, _ in found}:
            self.counts[key] = self.counts.get(key, 0) + 1

    def meaning(self, schema: str, key: str, vocabularies: Mapping[str, set[str]]) -> str:
        """What the key says, empty where nothing is known of it."""
        if own := OF.get(f"{schema} {key}"):
            return own
        name = key.rsplit(".", 1)[-1]
        known = vocabularies.get(name)
        if known is not None and not self.texts.get(key, set()) <= known:
            return ""
        return KEYS.get(name, "")


# Lists of the same objects, described once.
ALIKE = {"stale_risk[].": "verified[].", "needs_refresh[].": "verified[]."}


def _members(value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, each in value.items():
        key = f"{prefix}{name}"
        yield key, each
        inner = each if isinstance(each, list) else [each]
        if isinstance(each, Mapping) and ("schema" in each or name in MAPS):
            continue
        for one in inner:
            if isinstance(one, Mapping) and "schema" not in one:
                yield from _members(one, f"{key}[]." if isinstance(each, list) else f"{key}.")


def _alike(key: str) -> str:
    return next((to + key.removeprefix(of) for of, to in ALIKE.items() if key.startswith(of)), key)


def _type(value: Any) -> str:
    if isinstance(value, str):
        return MARKS.get(value, "string")
    if isinstance(value, Mapping):
        return f"`{value['schema']}`" if isinstance(value.get("schema"), str) else "object"
    names: dict[type, str] = {bool: "boolean", int: "integer", float: "number", list: "list", type(None): "null"}
    return names[type(value)]


def _answers(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if isinstance(value.get("schema"), str) and value["schema"].startswith("helix."):
            yield value
        for each in value.values():
            yield from _answers(each)
    elif isinstance(value, list):
        for each in value:
            yield from _answers(each)


def objects() -> dict[str, Shape]:
    """Every object of the snapshot by its ``schema``."""
    found: dict[str, Shape] = {}
    for file in sorted(GOLDEN.glob("*.json")):
        for answer in _answers(json.loads(file.read_text(encoding="utf-8"))):
            found.setdefault(answer["schema"], Shape()).add(answer)
    return found


def json_objects() -> str:
    """The page of the wire objects."""
    said = [
        "# JSON objects\n",
        "An object names its shape in `schema`. Keys are only ever added: a client ignores those it does not know. "
        "These tables are read off the answers that `tests/golden` holds every surface to. *Always* means: in every "
        "one of these answers. Lines are 1-based and inclusive, times are Unix seconds, a number that ends in `_ms` "
        "is in milliseconds. `verified[]`, `stale_risk[]` and `needs_refresh[]` of a packet hold the same items.\n",
    ]
    vocabularies = _vocabularies()
    for name, shape in sorted(objects().items()):
        said.append(f"## `{name}`\n")
        rows = []
        tops = list(dict.fromkeys(re.split(r"[.\[]", key)[0] for key in shape.kinds))
        for key, kinds in sorted(shape.kinds.items(), key=lambda each: tops.index(re.split(r"[.\[]", each[0])[0])):
            top = "." not in key
            always = "always" if top and shape.counts[key] == shape.seen else ""
            order = sorted(kinds, key=lambda each: (each == "null", each))
            rows.append((f"`{key}`", " or ".join(order), always, shape.meaning(name, key, vocabularies)))
        said.append(_table(("key", "type", "", "meaning"), rows))
    others = ", ".join(f"`{name}`" for name in sorted(_shapes_in_the_code() - objects().keys()))
    said.append(f"## Others\n\nThe snapshot has no answer of these shapes: {others}.\n")
    return "\n".join(said)


def _shapes_in_the_code() -> set[str]:
    sources = (file for room in ("helix_core", "helix_ls") for file in (ROOT / room).rglob("*.py"))
    return {name for file in sources for name in re.findall(r"\"(helix\.\w+/1)\"", file.read_text(encoding="utf-8"))}


MADE: dict[str, Callable[[], str]] = {
    "settings": settings,
    "commands": commands,
    "operations": operations,
    "tools": tools,
    "http": http,
    "extension": extension,
    "verdicts": verdicts,
    "json": json_objects,
}


def pages() -> dict[Path, str]:
    """Every page with the text that the code gives it."""
    return {PAGES / f"{name}.md": HEAD + made().rstrip() + "\n" for name, made in MADE.items()}


def stale() -> list[str]:
    """The committed pages that differ from the code, relative to the repository; also pages nothing makes."""
    wanted = pages()
    kept = {file: file.read_text(encoding="utf-8") for file in PAGES.glob("*.md")}
    differing = {file for file in wanted.keys() | kept.keys() if wanted.get(file) != kept.get(file)}
    return sorted(file.relative_to(ROOT).as_posix() for file in differing)


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with ``--check`` name the stale ones."""
    if arguments == ["--check"]:
        found = stale()
        if found:
            sys.stderr.write(f"stale: {', '.join(found)}; run {RENEW}\n")
        return 1 if found else 0
    if arguments:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    PAGES.mkdir(exist_ok=True)
    wanted = pages()
    for file in set(PAGES.glob("*.md")) - wanted.keys():
        file.unlink()
    for file, text in wanted.items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
