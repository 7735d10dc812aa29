"""A model's session, through fastembed: texts in, vectors of length one out. Never asks the network.

One thread, so that no idle thread spins inside an editor and the machine stays the user's. Loading takes about a second
of CPU, nearly all of it imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from helix_core.embed.model_folder import Model
from helix_core.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 8
"""Small batches of texts alike in length beat large ones on a CPU: nothing is padded."""
LONGEST = 2_000


class FastModel:
    """A loaded model. For one thread at a time."""

    def __init__(self, model: Model) -> None:
        """Raises ModelError when the files are damaged or no model of the kind that ``model`` says."""
        self.model = model
        try:
            self._session = _session(model)
            width = self.vectors(["helix"]).shape[1]
        except ModelError:
            raise
        except Exception as error:
            # The runtime raises kinds of its own, and a damaged file must not end a question.
            raise _unusable(model, error) from error
        if width != model.dimensions:
            raise ModelError(f"The model {model.name} gives {width} dimensions; run helix embed setup again.")

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, in its order, of length one."""
        import numpy as np

        cut = [text[:LONGEST] for text in texts]
        order = sorted(range(len(cut)), key=lambda place: len(cut[place]))
        found: Any = np.array(list(self._session.embed([cut[place] for place in order], batch_size=BATCH)), np.float32)
        sorted_back = np.empty_like(found)
        sorted_back[order] = found
        return np.asarray(
            sorted_back / np.maximum(np.linalg.norm(sorted_back, axis=1, keepdims=True), 1e-12), np.float32
        )


def _session(model: Model) -> Any:
    import os

    # Nothing is ever fetched from here: what is missing is an error.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    options: dict[str, Any] = {
        "specific_model_path": str(model.folder),
        "threads": 1,
        "providers": ["CPUExecutionProvider"],
    }
    if model.fastembed:
        return TextEmbedding(model.fastembed, **options)
    name = f"helix/{model.name}"
    poolings = {
        "none": PoolingType.DISABLED,
        "mean": PoolingType.MEAN,
        "cls": PoolingType.CLS,
        "last": PoolingType.LAST_TOKEN,
    }
    if not _is_known(name, TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=name,
            pooling=poolings[model.pooling],
            normalization=model.normalize,
            sources=ModelSource(hf="helix/none"),
            dim=model.dimensions,
            model_file=model.model_file,
        )
    return TextEmbedding(name, **options)


def _is_known(name: str, models: Iterable[dict[str, Any]]) -> bool:
    return any(str(each["model"]).lower() == name.lower() for each in models)


def _unusable(model: Model, error: Exception) -> ModelError:
    why = " ".join(str(error).split())[:200]
    return ModelError(f"The model {model.name} cannot be loaded ({type(error).__name__}: {why}); set it up again.")
