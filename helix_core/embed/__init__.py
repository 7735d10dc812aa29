"""Embed text: a textual description of each file and chunk, and its vector.

In: ingested chunks, questions. Out: texts to be embedded, each with the hash it is stored under, and vectors as bytes.
Knows no SQL, reads no workspace file, touches no disk but its own table and a model's folder, and uses no network.
"""

from typing import TYPE_CHECKING

from helix_core.faces import lazy_face

if TYPE_CHECKING:
    from helix_core.embed.hub import HubModel, fetch_hub_model, fetch_hub_reranker, hub_model, hub_name
    from helix_core.embed.model import (
        FastModel,
        Model,
        ModelEncoder,
        OneShotEncoder,
        check_installed,
        choose,
        chosen_model,
        kept_models,
        models_folder,
        read_model,
    )
    from helix_core.embed.model_sources import ListedModel, fetch_listed, listed, take_folder
    from helix_core.embed.reranker import (
        LoadedReranker,
        Scorer,
        choose_reranker,
        chosen_reranker,
        fetch_listed_reranker,
        listed_reranker,
        load_reranker,
        take_reranker_folder,
    )
    from helix_core.embed.static import STATIC, Encoder, StaticEncoder, nearness, vectors_of
    from helix_core.embed.table import TABLE_ID, static_table
    from helix_core.embed.texts import Text, as_bits, as_int8, embedded_texts, texts_of

__all__ = [
    "STATIC",
    "TABLE_ID",
    "Encoder",
    "FastModel",
    "HubModel",
    "ListedModel",
    "LoadedReranker",
    "Model",
    "ModelEncoder",
    "OneShotEncoder",
    "Scorer",
    "StaticEncoder",
    "Text",
    "as_bits",
    "as_int8",
    "check_installed",
    "choose",
    "choose_reranker",
    "chosen_model",
    "chosen_reranker",
    "embedded_texts",
    "fetch_hub_model",
    "fetch_hub_reranker",
    "fetch_listed",
    "fetch_listed_reranker",
    "hub_model",
    "hub_name",
    "kept_models",
    "listed",
    "listed_reranker",
    "load_reranker",
    "models_folder",
    "nearness",
    "read_model",
    "static_table",
    "take_folder",
    "take_reranker_folder",
    "texts_of",
    "vectors_of",
]

__getattr__ = lazy_face(
    __name__,
    {
        "hub": ("HubModel", "fetch_hub_model", "fetch_hub_reranker", "hub_model", "hub_name"),
        "model": (
            "FastModel",
            "OneShotEncoder",
            "Model",
            "ModelEncoder",
            "check_installed",
            "choose",
            "chosen_model",
            "kept_models",
            "models_folder",
            "read_model",
        ),
        "model_sources": ("ListedModel", "fetch_listed", "listed", "take_folder"),
        "reranker": (
            "LoadedReranker",
            "Scorer",
            "choose_reranker",
            "chosen_reranker",
            "fetch_listed_reranker",
            "listed_reranker",
            "load_reranker",
            "take_reranker_folder",
        ),
        "static": ("Encoder", "STATIC", "StaticEncoder", "nearness", "vectors_of"),
        "table": ("TABLE_ID", "static_table"),
        "texts": ("Text", "as_bits", "as_int8", "embedded_texts", "texts_of"),
    },
)
