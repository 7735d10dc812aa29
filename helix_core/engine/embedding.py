"""Embed a workspace's texts with a model better than the built-in one, in small batches, until none is missing.

Outlines first, then chunks; the newest files with most definitions first. Vectors are stored under the text's hash, so
the work can stop at any moment and resume later. Texts are read from the disk again and masked; a file that changed
since it was indexed waits for the next refresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from helix_core.config import Config
from helix_core.embed import STATIC, Model, Text, as_bits, as_int8, texts_of
from helix_core.engine.indexing import Progress
from helix_core.engine.opened import WorkspaceSession
from helix_core.ingest import ParseGuard, ingest, no_parse_guard
from helix_core.model import Level
from helix_core.store import Memory, UnembeddedFile
from helix_core.workspace import DiskError, Scan, content_reason

TEXTS_AT_ONCE: dict[Level, int] = {"outline": 64, "chunk": 128}
"""Number of texts that are sorted by length and written together: what an interruption loses at most."""
MOST_TOKENS: dict[Level, int] = {"outline": 128, "chunk": 64}
"""What a model reads of an outline, of which more takes longer and finds nothing better (``benchmarks/search.py
--model``), and of a chunk's card, of which no other length was tried.
"""
MEMORIES_AT_ONCE = 64
PHASES: dict[Level, str] = {"outline": "embedding outlines", "chunk": "embedding chunks"}


class Embedder(Protocol):
    """A loaded model: returns one unit row for each text to be indexed."""

    @property
    def model(self) -> Model: ...

    def documents(self, texts: Sequence[str], most_tokens: int = 0) -> object: ...


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """The result: texts with a vector of the model and all texts, by level; files that could not be read."""

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
    def open(cls, folder: Path, config: Config, parse_guard: ParseGuard | None = None) -> Embedding:
        """Raises as ``Helix.open`` does."""
        return cls(WorkspaceSession.open(folder, config, parse_guard=parse_guard or no_parse_guard))

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
        """Embed all texts without a vector.

        Vectors of unused models are deleted first, except those of the previous one, so that switching back costs
        nothing.

        Args:
            embedder: The model.
            levels: Which texts, in the order in which they are embedded.
            progress: Called as the run advances.
            check: Called between small batches; it stops the run by raising.
        """
        name, tell = embedder.model.name, progress or (lambda _: None)
        with self.session.write_lock(progress):
            self.session.index.writer.drop_models([name, *self._model_before(name)])
        self._embed_memories(embedder, check)
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

    def text_count(self) -> int:
        """Return how many texts a model would embed of what is indexed."""
        return self.kept(STATIC)[1]

    def kept(self, model: str) -> tuple[int, int]:
        """Return how many texts have a vector of the model, and how many texts there are."""
        missing = self.session.index.reader.missing_vectors
        done, every = zip(*(missing.text_counts(model, level) for level in PHASES), strict=True)
        return sum(done), sum(every)

    def _model_before(self, name: str) -> list[str]:
        """Return the model used before the named one, if any."""
        models = (space.rpartition("/")[0] for space in self.session.index.reader.vectors.spaces())
        return [model for model in models if model not in (name, STATIC)][-1:]

    def is_waiting(self, model: str) -> bool:
        """Return whether any live text has no vector of the model."""
        reader = self.session.index.reader
        is_lacking = self.session.memory_file.read(lambda memory: bool(memory.items.vectors.missing(model, 1)))
        return bool(is_lacking) or any(reader.missing_vectors.unembedded_files(model, level) for level in PHASES)

    def _embed_memories(self, embedder: Embedder, check: Callable[[], None]) -> None:
        """Embed the user's memories that have no vector of the model; they are few, and are asked for first."""
        import numpy as np

        name, memory_file = embedder.model.name, self.session.memory_file
        memory_file.read(lambda memory: memory.items.vectors.keep(name))
        while found := memory_file.read(lambda memory: memory.items.vectors.missing(name, MEMORIES_AT_ONCE)):
            check()
            rows = np.asarray(embedder.documents([text for _, text in found]), "<f4")
            vectors = [row.tobytes() for row in rows]
            memory_file.write(partial(_put, name, found, vectors))

    def _embed(self, embedder: Embedder, level: Level, texts: Sequence[Text]) -> int:
        if not texts:
            return 0
        import numpy as np

        vectors = np.asarray(embedder.documents([text.text for text in texts], MOST_TOKENS[level]), np.float32)
        kept = as_int8(vectors) if level == "outline" else as_bits(vectors)
        with self.session.write_lock(None):
            self.session.index.check_present()
            pairs = [(text.input_hash, vector) for text, vector in zip(texts, kept, strict=True)]
            return self.session.index.writer.add_vectors(embedder.model.name, level, pairs)

    def _batches(self, model: str, level: Level, check: Callable[[], None]) -> Iterator[tuple[list[Text], int]]:
        """Yield batches of texts without a vector, with the number of files skipped on the way."""
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
        """Return the file's texts; None for a file that is not, or cannot be read, as indexed."""
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


def _put(model: str, found: Sequence[tuple[int, str]], vectors: Sequence[bytes], memory: Memory) -> bool:
    return memory.items.vectors.put(model, found, vectors)
