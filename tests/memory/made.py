"""Values for the memory, made as the engine makes them."""

import hashlib

from helix_core.ingest.document import ingest
from helix_core.ingest.secrets import mask
from helix_core.model import Attribution, Exchange, Note, SourceKind, Volatility

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
