"""What a model wants to read before a question and before a text: from its folder, or known for a listed model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from helix_core.errors import ModelError
from helix_core.tuples import NamedTuple

SETTINGS = "config_sentence_transformers.json"
POOLING = Path("1_Pooling", "config.json")
_DOCUMENT_NAMES = ("document", "passage", "corpus")
_MOST_CHARS = 1_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_JSON_BYTES = 1 << 20


class Prompts(NamedTuple):
    """The text before a question, and before what is indexed."""

    query: str = ""
    document: str = ""

    def __bool__(self) -> bool:
        return bool(self.query or self.document)


NO_PROMPTS = Prompts()
_REPRESENT = Prompts("Represent this sentence for searching relevant passages: ")
_NOMIC = Prompts("search_query: ", "search_document: ")
_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query"
_LISTED = {
    "BAAI/bge-base-en": _REPRESENT,
    "BAAI/bge-small-en": _REPRESENT,
    "mixedbread-ai/mxbai-embed-large-v1": _REPRESENT,
    "snowflake/snowflake-arctic-embed-xs": _REPRESENT,
    "snowflake/snowflake-arctic-embed-s": _REPRESENT,
    "snowflake/snowflake-arctic-embed-m": _REPRESENT,
    "snowflake/snowflake-arctic-embed-m-long": _REPRESENT,
    "snowflake/snowflake-arctic-embed-l": _REPRESENT,
    "nomic-ai/nomic-embed-text-v1": _NOMIC,
    "nomic-ai/nomic-embed-text-v1.5": _NOMIC,
    "nomic-ai/nomic-embed-text-v1.5-Q": _NOMIC,
    "intfloat/multilingual-e5-large": Prompts("query: ", "passage: "),
    "google/embeddinggemma-300m": Prompts("task: search result | query: ", "title: none | text: "),
    "Qdrant/stella-en-400M-v5-doc-onnx": Prompts(f"{_INSTRUCT}.\nQuery: "),
    "Qwen/Qwen3-Embedding-0.6B": Prompts(f"{_INSTRUCT}\nQuery:"),
    "Qwen/Qwen3-Embedding-0.6B-Q": Prompts(f"{_INSTRUCT}\nQuery:"),
}


def listed_prompts(name: str) -> Prompts:
    """Return the prompts of a model of fastembed's list, which leaves them to its caller.

    They are those of the models' cards, for the models of which fastembed says that prefixes are necessary.
    """
    return _LISTED.get(name, NO_PROMPTS)


def folder_prompts(folder: Path) -> Prompts:
    """Return the prompts that a folder of sentence-transformers names, as ``encode_query`` and ``encode_document`` use
    them: ``query``, and the first of ``document``, ``passage`` and ``corpus``.

    ``default_prompt_name`` counts for neither, as there: it is for texts that are neither a question nor a document.
    Raises ModelError for settings that cannot be read, and for a model that leaves its prompt out of the mean.
    """
    prompts = _object(folder / SETTINGS).get("prompts") or {}
    names = [name for name in _DOCUMENT_NAMES if isinstance(prompts, dict) and prompts.get(name)]
    try:
        found = Prompts(prompts.get("query") or "", prompts[names[0]] if names else "")
        is_right = all(map(_is_prompt, (found.query, found.document)))
    except AttributeError:
        is_right = False
    if not is_right:
        raise ModelError(f"The prompts in {folder / SETTINGS} are not texts; mend the file or name another folder.")
    if found and _object(folder / POOLING).get("include_prompt") is False:
        raise ModelError(
            f"The model in {folder} does not count its prompt in its mean, which Helix cannot; name another."
        )
    return found


def _is_prompt(found: object) -> bool:
    """Return whether it is a text of bearable length; a tokenizer refuses one with a lone surrogate."""
    return isinstance(found, str) and len(found) <= _MOST_CHARS and not _SURROGATE.search(found)


def _object(path: Path) -> dict[str, Any]:
    """Return a settings file's JSON object; an empty one where there is no file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8")) if path.stat().st_size <= _MOST_JSON_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read ({error}); mend the file or name another folder.") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} has no settings; mend the file or name another folder.")
    return found
