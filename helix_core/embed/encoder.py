"""Questions → vectors by the model in use, with the built-in table always behind it.

A model loads in a thread of its own: until it is there, and when it cannot be, questions are encoded by the table, and
``problem`` says why.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core.embed.model_folder import chosen_model
from helix_core.embed.static import STATIC, StaticEncoder
from helix_core.errors import ModelError

if TYPE_CHECKING:
    from helix_core.embed.fast import FastModel


class ModelEncoder:
    """An ``Encoder`` that threads may share. ``problem`` says why the model does not serve."""

    def __init__(self, cache_dir: Path, setting: str = "") -> None:
        self._cache_dir, self._setting = cache_dir, setting
        self._static = StaticEncoder()
        self._loaded: FastModel | None = None
        self._loader: threading.Thread | None = None
        self._lock = threading.Lock()
        self.problem = ""

    def start(self) -> None:
        """Load the model beside everything else; nothing happens when that has begun."""
        with self._lock:
            if self._loader is None:
                self._loader = threading.Thread(target=self.load, name="helix-embed-model", daemon=True)
                self._loader.start()

    def load(self) -> None:
        """Load the model now, if there is one."""
        try:
            model = chosen_model(self._cache_dir, self._setting)
            if model is None:
                return
            from helix_core.embed.fast import FastModel

            self._loaded = FastModel(model)
        except ModelError as error:
            self.problem = str(error)

    @property
    def models(self) -> tuple[str, ...]:
        """The model, when it is loaded, then the built-in table."""
        loaded = self._loaded
        return (STATIC,) if loaded is None else (loaded.model.name, STATIC)

    def encode(self, model: str, text: str) -> bytes:
        """The vector of a question, as float32, little-endian."""
        loaded = self._loaded
        if loaded is None or model != loaded.model.name:
            return self._static.encode(model, text)
        with self._lock:
            return bytes(loaded.vectors([loaded.model.query_prefix + text])[0].astype("<f4").tobytes())
