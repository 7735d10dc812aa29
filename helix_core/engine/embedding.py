"""Give a workspace's texts vectors by a better model than the built-in one, a few files at a time, until all have them.

Outlines first, then chunks; the newest and most-named files first. What is done is kept under the text's hash, so that
it can be stopped at any moment and goes on where it was. The texts are read from the disk again, masked like all text:
a file that is no longer as it was indexed waits for the next refresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from helix_core.config import Config
from helix_core.embed import STATIC, Model, Text, as_bits, as_int8, texts_of
from helix_core.engine.indexing import Progress
from helix_core.engine.opened import WorkspaceSession
from helix_core.ingest import ParseGuard, ingest, no_parse_guard
from helix_core.model import Level
from helix_core.store import UnembeddedFile
from helix_core.workspace import DiskError, Scan, content_reason

TEXTS_AT_ONCE: dict[Level, int] = {"outline": 256, "chunk": 64}
"""Written at once, and sorted by length among each other: about a second's work."""
OUTLINE_TOKENS = 128
"""What an outline says beyond them costs a fifth more and finds no better (``benchmarks/search.py --model``)."""
PHASES: dict[Level, str] = {"outline": "embedding outlines", "chunk": "embedding chunks"}


class Embedder(Protocol):
    """A loaded model: texts → one row of length one each."""

    @property
    def model(self) -> Model: ...

    def vectors(self, texts: Sequence[str], most_tokens: int = 0) -> object: ...


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """How it ended: texts with a vector of the model and texts in all, by level; files that could not be read."""

    model: str
    outlines: tuple[int, int]
    chunks: tuple[int, int]
    embedded: int
    left_out: int


class Embedding:
    """An open workspace whose texts are being embedded. Belongs to one thread."""

    def __init__(self, session: WorkspaceSession) -> None:
        self.session = session

    @classmethod
    def open(cls, folder: Path, config: Config, in_hand: ParseGuard | None = None) -> Embedding:
        """Raises as ``Helix.open`` does."""
        return cls(WorkspaceSession.open(folder, config, parse_guard=in_hand or no_parse_guard))

    def close(self) -> None:
        """Close the index and the folder."""
        self.session.close()

    def __enter__(self) -> Embedding:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self,
        embedder: Embedder,
        *,
        levels: Sequence[Level] = ("outline", "chunk"),
        progress: Callable[[Progress], None] | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> EmbedReport:
        """Embed all that is missing; ``check`` is called between small batches and ends it by raising.

        Vectors of models that are no longer in use go first, but for those of the last one before this: whoever tries
        a model and goes back waits for nothing.
        """
        name, tell = embedder.model.name, progress or (lambda _: None)
        with self.session.write_lock(progress):
            self.session.index.writer.drop_models([name, *self._model_before(name)])
        embedded = left_out = 0
        for level in levels:
            done, total = self.session.index.reader.missing_vectors.text_counts(name, level)
            tell(Progress(PHASES[level], done, total))
            for texts, skipped in self._batches(name, level, check):
                left_out += skipped
                added = self._embed(embedder, level, texts)
                embedded += added
                done += added
                tell(Progress(PHASES[level], min(done, total), total))
        reader = self.session.index.reader
        outlines, chunks = (
            reader.missing_vectors.text_counts(name, "outline"),
            reader.missing_vectors.text_counts(name, "chunk"),
        )
        return EmbedReport(name, outlines, chunks, embedded, left_out)

    def _model_before(self, name: str) -> list[str]:
        """The model that vectors were begun for last, besides the named one; none where there was none."""
        models = (space.rpartition("/")[0] for space in self.session.index.reader.vectors.spaces())
        return [model for model in models if model not in (name, STATIC)][-1:]

    def is_waiting(self, model: str) -> bool:
        """Is any live text without a vector of the model?"""
        reader = self.session.index.reader
        return any(reader.missing_vectors.unembedded_files(model, level) for level in PHASES)

    def _embed(self, embedder: Embedder, level: Level, texts: Sequence[Text]) -> int:
        if not texts:
            return 0
        import numpy as np

        most = OUTLINE_TOKENS if level == "outline" else 0
        vectors = np.asarray(embedder.vectors([text.text for text in texts], most), np.float32)
        kept = as_int8(vectors) if level == "outline" else as_bits(vectors)
        with self.session.write_lock(None):
            self.session.index.check_present()
            pairs = [(text.input_hash, vector) for text, vector in zip(texts, kept, strict=True)]
            return self.session.index.writer.add_vectors(embedder.model.name, level, pairs)

    def _batches(self, model: str, level: Level, check: Callable[[], None]) -> Iterator[tuple[list[Text], int]]:
        """Texts without a vector, as many as are written at once, with the number of files passed over on the way."""
        batch: dict[bytes, Text] = {}
        skipped, most = 0, TEXTS_AT_ONCE[level]
        with self.session.root.scan() as scan:
            for waiting in self.session.index.reader.missing_vectors.unembedded_files(model, level):
                check()
                texts = self._texts(scan, waiting, level)
                skipped += texts is None
                missing = (
                    self.session.index.reader.missing_vectors.missing_hashes(model, level, waiting.path)
                    if texts
                    else set()
                )
                batch.update({text.input_hash: text for text in texts or () if text.input_hash in missing})
                while len(batch) >= most:
                    chosen = [batch.pop(key) for key in list(batch)[:most]]
                    yield chosen, skipped
                    skipped = 0
                    check()
        yield list(batch.values()), skipped

    def _texts(self, scan: Scan, waiting: UnembeddedFile, level: Level) -> list[Text] | None:
        """None for a file that is not, or cannot be read, as it was indexed."""
        try:
            file = scan.read(waiting.path, self.session.config.max_file_bytes)
        except DiskError:
            return None
        if file.content_hash != waiting.content_hash or content_reason(waiting.path, file.data):
            return None
        with self.session.parse_guard(file.content_hash) as may_parse:
            if not may_parse:
                return None
            document = ingest(waiting.path, file.data, embed=False)
        return texts_of(document.path, document.chunks, level)
