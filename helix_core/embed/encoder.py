"""Questions → vectors by the model in use, with the built-in table always behind it.

Whoever has the time calls ``follow``: until the model is loaded, and when it cannot be, questions are encoded by the
table, and ``problem`` says why.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from helix_core.embed.model_folder import Model, chosen_model
from helix_core.embed.static import STATIC, StaticEncoder
from helix_core.errors import ModelError

if TYPE_CHECKING:
    from helix_core.embed.fast import FastModel


class HastyEncoder(StaticEncoder):
    """The built-in table, for who asks once and leaves; ``problem`` says it of a model that is set up."""

    def __init__(self, cache_dir: Path, setting: str = "") -> None:
        try:
            model = chosen_model(cache_dir, setting)
            self.problem = f"a command that asks once does not load {model.name}; hosts do" if model else ""
        except ModelError as error:
            self.problem = str(error)


class ModelEncoder:
    """An ``Encoder`` that threads may share. ``problem`` says why the model does not serve."""

    def __init__(self, cache_dir: Path, setting: str = "") -> None:
        self._cache_dir, self._setting = cache_dir, setting
        self._static = StaticEncoder()
        self._loaded: FastModel | None = None
        self._wanted: Model | None = None
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why the model does not serve; empty when nothing is wrong."""
        return self._problem

    @property
    def wanted(self) -> bool:
        """Is a model set up, whether it is loaded or not?"""
        return self._wanted is not None

    def follow(self) -> None:
        """Load the model that is set up now, in this thread, unless it is the one that is loaded."""
        with self._loading:
            try:
                model = self._wanted = chosen_model(self._cache_dir, self._setting)
                loaded = self._loaded
                if model is None:
                    self._loaded, self._problem = None, ""
                elif loaded is None or loaded.model != model:
                    from helix_core.embed.fast import FastModel

                    self._loaded, self._problem = FastModel(model), ""
            except ModelError as error:
                self._wanted = self._loaded = None
                self._problem = str(error)

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
