"""Values for the memory, made as the engine makes them."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from helix_core.ingest.document import ingest
from helix_core.model import Attribution, Exchange, Note, SourceKind, Volatility
from helix_core.secrets.masking import mask

HERE = b"/home/someone/project"
BY = Attribution("local", "desk", "someone", "", "Europe/Prague")


def clean(text):
    return mask(text.encode("utf-8", "replace")).text()


def note(text, *, workspace=HERE, title="", at=1_000.0, path=b"note.md", evidence=()):
    masked = mask(text.encode("utf-8", "replace"))
    document = ingest(path, masked.data)
    return Note(
        workspace=workspace,
        text=masked.text(),
        content_hash=hashlib.sha256(masked.data).hexdigest(),
        content_type="text",
        title=clean(title),
        metadata=clean("{}"),
        language=document.language,
        source_kind=SourceKind.NOTE,
        volatility=Volatility.STABLE,
        at=at,
        by=BY,
        chunks=document.chunks,
        parser=document.parser,
        evidence=evidence,
    )


def exchange(question, answer="It is so.", *, session="", workspace=HERE, at=1_000.0, truncated=False):
    return Exchange(
        workspace=workspace,
        session=clean(session),
        question=clean(question),
        answer=clean(answer),
        model=clean("tiny"),
        packet_id="",
        at=at,
        finish=clean("length" if truncated else "stop"),
        truncated=truncated,
        by=BY,
    )


FORMAT_2 = Path(__file__).parents[2] / "fixtures" / "memory" / "format-2.db"
"""A memory as the Helix before memories wrote it: three notes, one of them a fact, two exchanges, a delivery, uses."""


def memory_of_format(folder, version):
    """Put the memory that a Helix of that format wrote into a folder."""
    folder.mkdir(mode=0o700, parents=True)
    shutil.copy(FORMAT_2.with_name(f"format-{version}.db"), folder / "memory.db")
    (folder / "memory.db").chmod(0o600)


def older_memory(folder, version):
    """Put a memory of an older format into the folder."""
    folder.mkdir(mode=0o700, parents=True)
    file = folder / "memory.db"
    shutil.copyfile(FORMAT_2, file)
    file.chmod(0o600)
    if version == 1:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.executescript("DROP TABLE used; PRAGMA user_version=1")
        connection.close()
