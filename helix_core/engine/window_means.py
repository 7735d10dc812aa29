"""What a window is made with on this machine: how tokens are counted, and who shortens prose. Loaded when used."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from helix_core.config import Config
from helix_core.errors import HelixError
from helix_core.window.prose import Condense
from helix_core.window.tokens import Count, estimate

MAX_TOKENIZER_BYTES = 64 * 1024 * 1024
_COUNTED = 4_096
_LONGEST_COUNTED = 2_000


@dataclass(frozen=True, slots=True)
class Means:
    """``counted_by`` is ``estimate`` or ``tokenizer``; ``notes`` says what was asked for and cannot be had."""

    count: Count = estimate
    counted_by: str = "estimate"
    condense: Condense | None = None
    small_models: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class TokenizerError(HelixError):
    """A tokenizer that cannot be used."""


def means_of(config: Config) -> Means:
    """The means that the settings name; what cannot be had is noted, and the estimate counts instead."""
    notes: tuple[str, ...] = ()
    count: Count = estimate
    counted_by = "estimate"
    if config.tokenizer:
        try:
            count, counted_by = tokenizer_count(config.tokenizer), "tokenizer"
        except TokenizerError as error:
            notes = (f"tokens are estimated: {error}",)
    condense = condenser() if config.condense_prose else None
    return Means(count, counted_by, condense, config.small_models, notes)


@lru_cache(2)
def tokenizer_count(path: str) -> Count:
    """How many tokens the tokenizer of a ``tokenizer.json`` makes of a text, with none for begin and end.

    Raises TokenizerError. What the file says of cutting and filling up is left aside: it would hide the true number.
    """
    try:
        size = os.stat(path).st_size
        if size > MAX_TOKENIZER_BYTES:
            raise TokenizerError(f"{path} is larger than a tokenizer; name a tokenizer.json in window.tokenizer")
        with open(path, encoding="utf-8") as file:
            tokenizer = _loaded(file.read())
    except (OSError, ValueError) as error:
        said = str(error).split("\n", 1)[0][:120]
        raise TokenizerError(f"{path} is no tokenizer ({said}); name a tokenizer.json in window.tokenizer") from None

    def encoded(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    remembered = lru_cache(_COUNTED)(encoded)

    def count(text: str) -> int:
        plain = text.encode("utf-8", "replace").decode()
        return remembered(plain) if len(plain) <= _LONGEST_COUNTED else encoded(plain)

    return count


def _loaded(text: str) -> Any:
    """Raises ValueError: the library's own error is a bare Exception."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as error:  # noqa: BLE001
        raise ValueError(str(error)) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@lru_cache(1)
def condenser() -> Condense | None:
    """The sentence chooser of headroom-ai, which is native and never asks a network; None where it is not installed.

    Its wider entry points fetch models and tables when they can: they are not used, and it is told to stay offline.
    """
    if find_spec("headroom") is None:
        return None
    crush: Callable[[str, float], str] | None = None

    def condense(text: str, share: float) -> str:
        nonlocal crush
        crush = crush or _crusher()
        return crush(text, share)

    return condense


def _crusher() -> Callable[[str, float], str]:
    os.environ["HEADROOM_OFFLINE"] = "1"
    try:
        from headroom.transforms.text_crusher import TextCrusher
    except ImportError:
        # Another version without it: as if it were not there.
        return lambda _text, _share: ""
    crusher = TextCrusher()

    def crush(text: str, share: float) -> str:
        return str(crusher.compress(text, "", share).compressed)

    return crush
