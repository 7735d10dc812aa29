"""Train a table of word vectors that says how well a place covers each word of a question, and ask what it knows.

usage: python benchmarks/train/coverage_table.py read FOLDER... --out WORDS.npz --develop NAME...
       python benchmarks/train/coverage_table.py train WORDS.npz --out FOLDER [--steps N] [--device cuda]

FOLDER is what mine.py wrote; ``read`` needs no PyTorch. Words are one where their stems are; a word's vector is the sum
of its pieces', which start as those of the built-in table. A place's score is the mean over the question's words of the
best similarity that a word of the place has (ColBERT's sum of maxima, Khattab & Zaharia 2020, of static vectors),
weighted by IDF and a learned weight of each piece. The vectors learn by a softmax over the places of a batch, most of
them of one repository, and by the log loss of the right place against the four best wrong ones.

``train`` prints one JSON object for equal stems alone, the untrained table and each recipe, on the repositories of
development: MRR of the right place among all of its repository, and ``known``, how often the best score of a question
is higher than that of one whose place was taken out of its repository: 0.5 knows nothing.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 20_250_101
ASKED, HELD, PIECES, DIMENSIONS = 14, 112, 5, 128
"""Most words of a question and of a place, most pieces of a word, most dimensions."""
NO_WORD = -1
ASKED_AT_ONCE = 32
_WORD = re.compile(r"[^\W_]\w*")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train: dimensions, learning rate, temperature, weight of the log loss, share of the words that a place has
    to the letter which are left out of its question, weight of the anchor to the first table; with a ``threshold``,
    similarities go through a sigmoid around one, learned for each piece from this value on.
    """

    name: str
    dimensions: int = 64
    rate: float = 3e-3
    temperature: float = 0.05
    log_loss: float = 0.5
    left_out: float = 0.5
    anchor: float = 0.1
    threshold: float = 0.0


RECIPES = (
    Recipe("cosine", rate=6e-3, left_out=0.2),
    Recipe("threshold", threshold=0.6, left_out=0.0, log_loss=2.0),
    Recipe("wide", dimensions=128, rate=1e-2, threshold=0.6, left_out=0.3, anchor=0.02, temperature=0.08),
)
SHARPNESS = 12.0
BATCH, OTHERS = 384, 96
"""Pairs of a batch, and how many of them are of any repository."""
HELD_IN_TRAINING = 72
HARD = 4
WARM_STEPS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    reading = steps.add_parser("read")
    reading.add_argument("folders", nargs="+", type=Path)
    reading.add_argument("--out", type=Path, required=True)
    reading.add_argument("--develop", nargs="+", required=True, metavar="NAME")
    reading.set_defaults(run=read)
    training = steps.add_parser("train")
    training.add_argument("words", type=Path)
    training.add_argument("--out", type=Path, required=True)
    training.add_argument("--steps", type=int, default=1200)
    training.add_argument("--device", default="cuda")
    training.set_defaults(run=train)
    given = parser.parse_args()
    given.run(given)


def asked_words(query: str) -> list[str]:
    """The words of a query that the product searches for, without those that ask about any subject alike."""
    from helix_core.search.question import REQUEST_WORDS, parse_question

    words = dict.fromkeys(parse_question(query).words)
    return [word for word in words if word not in REQUEST_WORDS and len(word) > 1][:ASKED]


def held_words(text: str) -> list[str]:
    """The different parts of names and words of a place, in order."""
    from helix_core.words import split_identifier

    parts = dict.fromkeys(part for word in _WORD.findall(text) for part in split_identifier(word))
    return [part for part in parts if len(part) > 1 and not part.isdigit()][:HELD]


class Words:
    """Numbers of words, one for all of a stem, and the pieces of the first of them in the built-in table."""

    def __init__(self) -> None:
        from py_rust_stemmers import SnowballStemmer

        from helix_core.embed import static_table

        self._stem, self._table = SnowballStemmer("english").stem_word, static_table()
        self._table.load_all_tokens()
        self._numbers: dict[str, int] = {}
        self.pieces: list[tuple[int, ...]] = []

    def numbers(self, words: Sequence[str]) -> list[int]:
        found = []
        for word in words:
            stem = self._stem(word)
            if stem not in self._numbers:
                self._numbers[stem] = len(self.pieces)
                self.pieces.append(self._table.pieces(word)[:PIECES])
            found.append(self._numbers[stem])
        return found


def read(given: argparse.Namespace) -> None:
    """Write the words of each pair as numbers, and the rows of the built-in table."""
    from helix_core.embed import static_table

    words, asked, held, about = Words(), [], [], []
    repositories: dict[str, int] = {}
    places: dict[tuple[str, str], int] = {}
    for pair in _pairs(given.folders):
        query = asked_words(pair["query"])
        if len(query) < 2:
            continue
        repository = repositories.setdefault(pair["repository"], len(repositories))
        place = places.setdefault((pair["repository"], pair["group"]), len(places))
        asked.append(words.numbers(query))
        held.append(words.numbers(held_words(f"{pair['passage']}\n{pair['text']}")))
        about.append((repository, place))
    if unknown := sorted(set(given.develop) - set(repositories)):
        raise SystemExit(f"--develop names what was not mined: {', '.join(unknown)}")
    table = static_table()
    values = np.frombuffer(table.values(), np.int8).reshape(table.rows, table.dimensions)[:, :DIMENSIONS]
    np.savez_compressed(
        given.out,
        asked=_padded(asked, ASKED),
        held=_padded(held, HELD),
        about=np.array(about, np.int32),
        pieces=_padded(words.pieces, PIECES),
        table=values,
        scales=np.array(table.scales(), np.float32),
        develop=np.array([repositories[name] for name in given.develop], np.int32),
    )
    print(f"{len(asked):,} pairs of {len(repositories)} repositories, {len(words.pieces):,} words")


def _pairs(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for folder in folders:
        with lzma.open(folder / "pairs.jsonl.xz", "rt", encoding="utf-8") as file:
            yield from (pair for pair in map(json.loads, file) if pair["level"] == "card")


def _padded(rows: Sequence[Sequence[int]], width: int) -> NDArray[np.int32]:
    found = np.full((len(rows), width), NO_WORD, np.int32)
    for row, numbers in zip(found, rows, strict=True):
        row[: len(numbers)] = numbers
    return found


def train(given: argparse.Namespace) -> None:
    """Train by each recipe, and print what each knows of the repositories of development."""
    import torch

    torch.manual_seed(SEED)
    data = {name: torch.tensor(array, device=given.device) for name, array in np.load(given.words).items()}
    data |= {name: data[name].long() for name in ("asked", "held", "pieces")}
    given.out.mkdir(parents=True, exist_ok=True)
    print(json.dumps({"equal stems": known(data, None)}), flush=True)
    print(json.dumps({"untrained": known(data, _Table(data, Recipe("untrained")))}), flush=True)
    for recipe in RECIPES:
        table = trained(data, recipe, given.steps)
        print(json.dumps({recipe.name: known(data, table), "recipe": asdict(recipe)}), flush=True)
        kept = {name: value.detach().half().cpu().numpy() for name, value in table.parameters.items()}
        np.savez_compressed(given.out / f"{recipe.name}.npz", **kept)


class _Table:
    """The vectors, weights and thresholds of all pieces, and what they say of places."""

    def __init__(self, data: dict[str, Any], recipe: Recipe) -> None:
        import torch

        rows = data["table"][:, : recipe.dimensions].float() * data["scales"][:, None]
        self.first = rows / rows.norm(dim=1).mean()
        self.pieces, self.recipe = data["pieces"], recipe
        zeros = torch.zeros(len(rows), device=rows.device)
        self.parameters = {
            "vectors": self.first.clone().requires_grad_(),
            "weights": zeros.clone().requires_grad_(),
            "thresholds": (zeros + recipe.threshold).requires_grad_(),
        }

    def words(self) -> tuple[Any, Any, Any]:
        """The unit vector, the weight and the threshold of each word."""
        from torch.nn import functional

        is_piece = (self.pieces >= 0).float()
        count = is_piece.sum(1).clamp(min=1)
        of_pieces = {name: value[self.pieces.clamp(min=0)] for name, value in self.parameters.items()}
        vectors = functional.normalize((of_pieces["vectors"] * is_piece[..., None]).sum(1) + 1e-6, dim=1)
        weights, thresholds = ((of_pieces[name] * is_piece).sum(1) / count for name in ("weights", "thresholds"))
        return vectors, weights.exp(), thresholds

    def scores(self, words: tuple[Any, Any, Any], asked: Any, held: Any, idf: Any, counted: Any = 1.0) -> Any:
        """How well each place covers each question, 0..1."""
        import torch

        vectors, weights, thresholds = words
        places, numbers = len(held), asked.clamp(min=0)
        near = vectors[numbers].flatten(0, 1) @ vectors[held.clamp(min=0)].flatten(0, 1).T
        near = near.view(-1, places, held.shape[1]).masked_fill((held < 0)[None], -1.0).amax(2)
        near = near.view(*asked.shape, places).float().clamp(min=0)
        if self.recipe.threshold:
            soft = torch.sigmoid(SHARPNESS * (near - thresholds[numbers].unsqueeze(2)))
            near = torch.where(near > 0.9995, 1.0, soft)
        return _mean(near, idf[numbers] * weights[numbers] * (asked >= 0) * counted)


def _mean(near: Any, weights: Any) -> Any:
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-6)
    return (weights[..., None] * near).sum(1)


def _equal(asked: Any, held: Any, idf: Any) -> Any:
    hits = ((asked[:, :, None, None] == held[None, None]) & (asked >= 0)[:, :, None, None]).any(3).float()
    return _mean(hits, idf[asked.clamp(min=0)] * (asked >= 0))


def _idf(held: Any, words: int) -> Any:
    import torch

    found = torch.zeros(words + 1, device=held.device)
    found.scatter_add_(0, (held + 1).flatten(), torch.ones(held.numel(), device=held.device))
    return torch.log(1 + (len(held) - found[1:] + 0.5).clamp(min=0.1) / (found[1:] + 0.5))


def known(data: dict[str, Any], table: _Table | None) -> dict[str, float]:
    """What scores know of each repository of development: ``mrr`` and ``known``; by equal stems without a table."""
    import torch

    ranks, there, gone = [], [], []
    with torch.no_grad():
        words = table.words() if table else None
        for repository in data["develop"]:
            own = data["about"][:, 0] == repository
            asked, held, place = data["asked"][own], data["held"][own], data["about"][own, 1]
            idf = _idf(held, len(data["pieces"]))
            scores = torch.cat(
                [
                    table.scores(words, some, held, idf) if table and words else _equal(some, held, idf)
                    for some in asked.split(ASKED_AT_ONCE)
                ]
            )
            is_right = place[:, None] == place[None]
            right = scores.masked_fill(~is_right, -1).amax(1)
            wrong = scores.masked_fill(is_right, -1)
            ranks.append(1 / (1 + (wrong >= right[:, None]).sum(1)).float())
            gone.append(wrong.amax(1))
            there.append(torch.maximum(right, gone[-1]))
    best, without = torch.cat(there).sort().values, torch.cat(gone)
    higher = 1 - torch.searchsorted(best, without, right=True).float().mean() / len(best)
    ties = (torch.searchsorted(best, without, right=True) - torch.searchsorted(best, without)).float().mean() / len(
        best
    )
    return {"mrr": round(torch.cat(ranks).mean().item(), 4), "known": round((higher + ties / 2).item(), 4)}


def trained(data: dict[str, Any], recipe: Recipe, steps: int) -> _Table:
    """A table trained by a recipe on the repositories that are not of development."""
    import torch
    from torch.nn import functional

    table, draw = _Table(data, recipe), np.random.default_rng(SEED)
    repository, develop = data["about"][:, 0].cpu().numpy(), set(data["develop"].tolist())
    groups = [np.flatnonzero(repository == one) for one in range(repository.max() + 1) if one not in develop]
    groups = [group for group in groups if len(group) >= BATCH - OTHERS]
    every = np.concatenate(groups)
    likely = np.sqrt([len(group) for group in groups])
    idf = _idf(data["held"][torch.tensor(every, device=data["held"].device)], len(data["pieces"]))
    log_odds = torch.tensor([8.0, -4.0], device=idf.device, requires_grad=True)
    learner = torch.optim.Adam([*table.parameters.values(), log_odds], betas=(0.9, 0.98))
    for step in range(steps):
        rate = recipe.rate * min(1.0, step / WARM_STEPS) * max(0.02, 0.5 + 0.5 * math.cos(math.pi * step / steps))
        learner.param_groups[0]["lr"] = rate
        group = groups[draw.choice(len(groups), p=likely / likely.sum())]
        chosen = np.concatenate([draw.choice(group, BATCH - OTHERS, False), draw.choice(every, OTHERS, False)])
        rows = torch.tensor(chosen, device=idf.device)
        asked, held, place = data["asked"][rows], data["held"][rows, :HELD_IN_TRAINING], data["about"][rows, 1]
        is_held = (asked[:, :, None] == held[:, None, :]).any(2)
        counted = (~(is_held & (torch.rand(asked.shape, device=idf.device) < recipe.left_out))).float()
        with torch.autocast(idf.device.type, torch.bfloat16):
            scores = table.scores(table.words(), asked, held, idf, counted).float()
        is_right, own = place[:, None] == place[None], torch.arange(BATCH, device=idf.device)
        other = is_right & (own[:, None] != own[None])
        logits = (scores / recipe.temperature).masked_fill(other, -1e4)
        loss = functional.cross_entropy(logits, own) + 0.5 * functional.cross_entropy(logits.T, own)
        hard = scores.masked_fill(is_right, -1)[:, : BATCH - OTHERS].topk(HARD, dim=1).values.flatten()
        signs = torch.cat([scores.diagonal(), hard])
        wanted = torch.cat([torch.ones_like(scores[0]), torch.zeros_like(hard)])
        sizes = torch.cat([torch.ones_like(scores[0]), torch.full_like(hard, 1 / HARD)])
        evidence = log_odds[0] * signs + log_odds[1]
        loss = loss + 4 * recipe.log_loss * functional.binary_cross_entropy_with_logits(evidence, wanted, sizes)
        moved = ((table.parameters["vectors"] - table.first) ** 2).sum(1).mean()
        loss = loss + 0.1 * recipe.anchor * moved + 0.1 * (table.parameters["weights"] ** 2).mean()
        learner.zero_grad()
        loss.backward()
        learner.step()
    return table


if __name__ == "__main__":
    main()
