"""``helix check``: which references of a text are wrong on disk?"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helix_core.engine.verdict import reasons_unjudged
from helix_core.errors import UsageError
from helix_core.printable import one_line
from helix_ls.cli.opened import bring_as_far_as_possible, opened
from helix_ls.cli.options import HERE, Json, PathOption
from helix_ls.cli.output import (
    is_cancelled,
    print_json,
    print_text,
    read_input,
    require_regular,
    warn,
    working_folder,
)
from helix_ls.operations.places import CHECK

if TYPE_CHECKING:
    from helix_core.engine import Helix

STANDARD_INPUT = "-"
# UTF-8 has at most so many bytes a character.
_BYTES = 4


class CheckFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="The texts; - reads standard input.")],
    *,
    path: PathOption = HERE,
    form: Annotated[CheckFormat, typer.Option("--format", help="Lines, or one JSON object.")] = CheckFormat.TEXT,
    as_json: Json = False,
) -> None:
    """List the places, paths, symbols and quotes of a text that are wrong on disk; exit with 1 if there are any."""
    folders = [file for file in files if file != STANDARD_INPUT and (working_folder() / file).is_dir()]
    texts = [(file, _read(file)) for file in files if file not in folders or len(folders) == len(files)]
    with opened(path) as helix:
        bring_as_far_as_possible(helix)
        answers = [_checked(helix, file, text) for file, text in texts]
    answer = _merged(answers)
    if folders:
        answer["notes"].append(f"folders are not read: {', '.join(dict.fromkeys(folders))}; name the files in them")
    if as_json or form is CheckFormat.JSON:
        print_json(answer)
    else:
        _print(answer)
    raise typer.Exit(1 if answer["findings"] else 0)


def _read(file: str) -> str:
    """Return a text. Raises UsageError for one that is too long or cannot be read."""
    most = CHECK.parameter("text").most * _BYTES
    try:
        if file == STANDARD_INPUT:
            data = read_input(most + 1)
        else:
            require_regular(file)
            with (working_folder() / file).open("rb") as opened_file:
                data = opened_file.read(most + 1)
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read ({error.strerror}); name a text file, or - for standard input"
        ) from None
    text = data.decode("utf-8", "replace")
    longest = CHECK.parameter("text").most
    if len(text) > longest:
        raise UsageError(f"{file} has more than {longest:,} characters; check a shorter text, or a part of it")
    return text


def _checked(helix: Helix, file: str, text: str) -> dict[str, Any]:
    """Return the answer for one text; its findings name the file as it was given."""
    source_id = ""
    if file != STANDARD_INPUT:
        inside = os.path.relpath(os.path.realpath(working_folder() / file), os.path.realpath(helix.workspace))
        source_id = "" if inside.startswith("..") else Path(inside).as_posix()
    answer = helix.check(text, source_id=source_id, cancelled=is_cancelled)
    # What a diff adds is where it is in the document; a file is named as it was given.
    return answer | {
        key: [one if one["path"] != source_id else one | {"path": file} for one in answer[key]]
        for key in ("findings", "unjudged")
    }


def _merged(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answers as one object: findings in order, counts added."""
    counts = {name: sum(answer[name] for answer in answers) for name in ("checked", "wrong", "unknown")}
    notes = list(dict.fromkeys(note for answer in answers for note in answer["notes"]))
    elapsed_ms = round(sum(answer["elapsed_ms"] for answer in answers), 1)
    findings, unjudged = ([one for answer in answers for one in answer[key]] for key in ("findings", "unjudged"))
    return {
        "schema": CHECK.answer,
        "findings": findings,
        **counts,
        "unjudged": unjudged,
        "notes": notes,
        "elapsed_ms": elapsed_ms,
    }


def _print(answer: dict[str, Any]) -> None:
    warn(answer["notes"])
    lines = [
        one_line(
            f"{finding['path']}:{finding['line']}:{finding['column']}: "
            f"{finding['reference']} - {finding['message']} [{finding['rule']}]"
        )
        for finding in answer["findings"]
    ]
    checked, unknown = answer["checked"], answer["unknown"]
    found = f"{answer['wrong']} wrong" if answer["wrong"] else "none wrong"
    lines.append(f"{checked:,} reference{'s' if checked != 1 else ''} checked, {found}, {unknown:,} not comparable")
    lines += [f"  {line}" for line in reasons_unjudged(answer["unjudged"])]
    print_text("\n".join(lines) + "\n")
