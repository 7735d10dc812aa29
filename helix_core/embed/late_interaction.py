"""Late-interaction models (ColBERT) for reranking: a vector for each token, and how close question and text are.

A score is MaxSim: for each token of the question the largest dot product with a token of the text, added up (Khattab &
Zaharia 2020, "ColBERT"). Models come from fastembed's list or as a folder that PyLate exported to ONNX, whose
``config_sentence_transformers.json`` says which prompt precedes a question and a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helix_core.embed.model import SESSION, is_known, offline, read_object
from helix_core.embed.prompts import SETTINGS
from helix_core.errors import ModelError

BATCH = 4
"""Batch size, in texts; the deadline is checked between batches."""
_PREFIXES = ("query_prefix", "document_prefix")
_PROJECTION = Path("1_Dense", "config.json")
_MOST_LENGTH = 8_192
_QUERY_LENGTH, _DOCUMENT_LENGTH = 32, 300
"""Tokens, where the settings name none: PyLate's defaults."""


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """How a folder's model reads tokens. ``query_marker`` and ``document_marker`` are put behind the first token.

    A question is filled up with ``mask`` to ``query_length`` tokens, the marker among them; 0 for none. With
    ``attends`` those are read like words. Tokens in ``skipped`` are not part of a text.
    """

    query_marker: int
    document_marker: int
    mask: str
    query_length: int = 0
    attends: bool = False
    skipped: tuple[int, ...] = ()

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> TokenSettings:
        """Read what ``dataclasses.asdict`` wrote as JSON. Raises TypeError or ValueError for anything else."""
        settings = cls(**{**fields, "skipped": tuple(fields["skipped"])})
        numbers = (settings.query_marker, settings.document_marker, settings.query_length, *settings.skipped)
        if any(type(number) is not int or number < 0 for number in numbers) or settings.query_length > _MOST_LENGTH:
            raise ValueError("a token is not a number")
        if type(settings.attends) is not bool or not isinstance(settings.mask, str):
            raise TypeError("a setting has another type")
        return settings


def is_late_interaction(folder: Path) -> bool:
    """Return whether a folder's settings are those of a late-interaction model: they name both prefixes."""
    if not (folder / SETTINGS).is_file():
        return False
    settings = read_object(folder / SETTINGS, "model", "helix embed setup --reranker")
    return all(isinstance(settings.get(name), str) for name in _PREFIXES)


def token_settings(folder: Path, width: int) -> TokenSettings:
    """Return how a late-interaction model's folder reads tokens; ``width`` is that of its graph's vectors.

    Raises ModelError where its tokenizer lacks a prefix, or its graph lacks the projection that belongs to the model.
    """
    from tokenizers import Tokenizer

    settings = read_object(folder / SETTINGS, "model", "helix embed setup --reranker")
    if (folder / _PROJECTION).is_file():
        projected = read_object(folder / _PROJECTION, "model", "helix embed setup --reranker").get("out_features")
        if projected != width:
            raise ModelError(
                f"The graph in {folder} lacks the model's projection (its vectors have {width} numbers, not "
                f"{projected}); export it with pylate-onnx-export and name that folder."
            )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    markers = []
    for name in _PREFIXES:
        prefix = settings[name]
        given = settings.get(f"{name}_id")
        found = given if type(given) is int else tokenizer.token_to_id(prefix)
        found = tokenizer.token_to_id(prefix.strip()) if found is None else found
        if found is None or not 0 <= found < tokenizer.get_vocab_size():
            raise ModelError(f"The tokenizer in {folder} has no token {prefix!r}; name another folder.")
        markers.append(found)
    given = settings.get("mask_token_id")
    mask = tokenizer.id_to_token(given) if type(given) is int and given >= 0 else None
    mask = mask or next((word for word in ("[MASK]", "<mask>") if tokenizer.token_to_id(word) is not None), None)
    if mask is None:
        raise ModelError(f"The tokenizer in {folder} has no mask token; name another folder.")
    words = settings.get("skiplist_words") or ()
    found_words = (tokenizer.token_to_id(word) for word in words if isinstance(word, str))
    skipped = {number for number in found_words if number is not None}
    is_expanded = settings.get("do_query_expansion", True) is not False
    length = _length(settings.get("query_length"), _QUERY_LENGTH) if is_expanded else 0
    attends = settings.get("attend_to_expansion_tokens") is True
    return TokenSettings(markers[0], markers[1], mask, length, attends, tuple(sorted(skipped)))


def complete_tokenizer(made: Path, folder: Path, mask: str) -> None:
    """Write the tokenizer's settings where an export left them out: the length of a text, padding and mask token."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(made / "tokenizer.json"))
    settings = read_object(folder / SETTINGS, "model", "helix embed setup --reranker")
    pad_id = settings.get("pad_token_id")
    pad = tokenizer.id_to_token(pad_id) if type(pad_id) is int and pad_id >= 0 else None
    pad = pad or (tokenizer.padding or {}).get("pad_token") or mask
    if not (made / "tokenizer_config.json").is_file():
        length = _length(settings.get("document_length"), _DOCUMENT_LENGTH)
        about = {"model_max_length": length, "pad_token": pad}
        (made / "tokenizer_config.json").write_text(json.dumps(about), "utf-8")
    if not (made / "special_tokens_map.json").is_file():
        tokens = {"mask_token": mask, "pad_token": pad}
        (made / "special_tokens_map.json").write_text(json.dumps(tokens), "utf-8")


def _length(given: object, otherwise: int) -> int:
    return given if type(given) is int and 2 <= given <= _MOST_LENGTH else otherwise


class LateInteraction:
    """A loaded late-interaction model. For one thread at a time."""

    def __init__(self, name: str, folder: Path, model_file: str, settings: TokenSettings | None) -> None:
        """Load the model of fastembed's list that is called ``name``, or with ``settings`` one of a folder's.

        Raises what the runtime raises for damaged files.
        """
        offline()
        from fastembed import LateInteractionTextEmbedding

        options = {"specific_model_path": str(folder), **SESSION}
        if settings is None:
            self._model: Any = LateInteractionTextEmbedding(name, **options)
        else:
            self._model = _folder_class(name, model_file, settings)(name, **options)

    def scores(self, question: str, texts: Sequence[str], is_late: Callable[[], bool]) -> list[float]:
        """Return MaxSim for each text, in order; fewer, from the first on, when the deadline passes."""
        if not texts or is_late():
            return []
        words = next(iter(self._model.query_embed(question)))
        found: list[float] = []
        for start in range(0, len(texts), BATCH):
            if is_late():
                break
            for tokens in self._model.embed(list(texts[start : start + BATCH]), batch_size=BATCH):
                found.append(float((words @ tokens.T).max(axis=1).sum()) if len(tokens) else 0.0)
        return found


def is_listed(name: str) -> bool:
    """Return whether fastembed lists a late-interaction model of that name."""
    from fastembed import LateInteractionTextEmbedding

    return is_known(name, LateInteractionTextEmbedding.list_supported_models())


def _folder_class(name: str, model_file: str, settings: TokenSettings) -> Any:
    """Return fastembed's class of such a model with a folder's tokens in place of those of one it lists."""
    import numpy as np
    from fastembed.common.model_description import DenseModelDescription, ModelSource
    from fastembed.late_interaction.colbert import Colbert

    described = DenseModelDescription(
        model=name,
        dim=1,
        description="",
        license="",
        size_in_GB=0.0,
        sources=ModelSource(hf="helix/none"),
        model_file=model_file,
    )

    class FolderColbert(Colbert):
        """A model of a folder: its vectors are of unit length, and a question's masked tokens count if it has any."""

        QUERY_MARKER_TOKEN_ID = settings.query_marker
        DOCUMENT_MARKER_TOKEN_ID = settings.document_marker
        MASK_TOKEN = settings.mask
        MIN_QUERY_LENGTH = settings.query_length - 1 if settings.query_length else None

        @classmethod
        def _list_supported_models(cls) -> list[Any]:
            return [described]

        def _load_tokenizer(self, model_dir: Path) -> None:
            super()._load_tokenizer(model_dir)
            self.skip_list = set(settings.skipped)

        def _preprocess_onnx_input(self, onnx_input: Any, is_doc: bool = True, **kwargs: Any) -> Any:
            found = super()._preprocess_onnx_input(onnx_input, is_doc, **kwargs)
            if settings.attends and not is_doc:
                found["attention_mask"][:] = 1
            return found

        def _post_process_onnx_output(self, output: Any, is_doc: bool = True, **_: Any) -> Any:
            keep = output.attention_mask == 1
            if is_doc:
                keep &= ~np.isin(output.input_ids, settings.skipped)
            elif settings.query_length:
                keep[:] = True
            for tokens, kept in zip(output.model_output, keep, strict=True):
                norms = np.linalg.norm(tokens[kept], axis=1, keepdims=True)
                yield tokens[kept] / np.maximum(norms, 1e-12)

    return FolderColbert
