"""Train MiniLM softly on mined pairs, and rank the texts of repositories that were left out.

usage: python benchmarks/train/train.py --data FOLDER --weights PACKED.npz --tokenizer tokenizer.json --out FOLDER
                                            [--device cuda] [--limit N] [--recipes N] [--seconds N] [--only bi|cross]

FOLDER is what mine.py wrote, PACKED.npz what export.py packed. Repositories of development are those of the pool.

The bi-encoder learns by a softmax over the passages of its batch (InfoNCE, van den Oord et al. 2018), most of which are
of the same repository, as in a search. Hard training unlearns: each recipe has an anchor, which pulls every vector to
where the untouched model has it, and what is trained is averaged with the old weights in several shares (Wortsman et
al. 2022). The cross-encoder learns which of a query's texts is the right one; the wrong ones are the nearest of the
same repository by the bi-encoder.

Every line printed is one JSON object. The recipe and share that rank best on the development repositories are written;
nothing else is looked at here.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bert import WORDS, Bert, padded, read, write
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

SEED = 20_250_101
MOST_TOKENS = {"query": 64, "card": 64, "outline": 128}
"""Of passages as the product reads them (``helix_core.engine.embedding.MOST_TOKENS``)."""
LONG_TOKENS = 256
SHARES = (0.25, 0.5, 0.75, 1.0)
REPOSITORIES_IN_A_BATCH = 8
PLACES = 20
STRICT = ("docstring", "sentence")
"""Kinds whose passage is one chunk, so that other chunks of its file are wrong answers."""

Tokens = list[list[int]]
Ranks = dict[str, float]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train: learning rate, passes over the pairs, weight of the anchor, temperature, pairs in a batch."""

    rate: float
    epochs: int
    anchor: float
    temperature: float = 0.05
    batch: int = 2048


RECIPES = (
    Recipe(5e-5, 2, 0.0), Recipe(2e-4, 2, 0.0), Recipe(2e-4, 3, 1.0), Recipe(5e-4, 3, 1.0), Recipe(5e-4, 3, 4.0),
    Recipe(2e-4, 3, 1.0, temperature=0.03), Recipe(2e-4, 6, 1.0), Recipe(2e-4, 3, 1.0, batch=512),
)  # fmt: skip


@dataclass(slots=True)
class Pairs:
    """Mined pairs, with their tokens."""

    rows: list[dict[str, str]]
    queries: Tokens
    passages: Tokens


def main() -> None:
    args = _arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    started = time.monotonic()
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    tokenizer.no_padding()
    rows = list(lines_of(args.data / "pairs.jsonl.xz"))
    pool = list(lines_of(args.data / "pool.jsonl.xz"))
    developed = {row["repository"] for row in pool}
    learned = [row for row in rows if row["repository"] not in developed]
    asked = [row for row in rows if row["repository"] in developed]
    if args.limit:
        learned, asked = learned[: args.limit], asked[: args.limit]
        kept = set(
            random.Random(SEED).sample(sorted({row["path"] for row in pool}), min(30, len({r["path"] for r in pool})))
        )
        kept |= {row["path"] for row in asked}
        pool = [row for row in pool if row["path"] in kept]
    pairs, development = tokenized(tokenizer, learned), Development(tokenizer, asked, pool)
    say(
        at_s=time.monotonic() - started, learned=len(learned), repositories=len({row["repository"] for row in learned}),
        asked=len(development.questions), pool=len(pool), developed=sorted(developed),
    )  # fmt: skip
    old = read(args.weights)
    until = started + args.seconds
    new = old
    if args.only != "cross":
        new = train_bi(pairs, development, old, args, started, until)
    elif args.start:
        new = old | read(args.start)
    if args.only != "bi":
        train_cross(tokenizer, learned, asked, old, new, args, started)


def lines_of(path: Path) -> Iterator[dict[str, str]]:
    """Objects of a compressed file of lines."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def say(**about: Any) -> None:
    """Print one JSON object."""
    print(
        json.dumps({key: round(value, 5) if isinstance(value, float) else value for key, value in about.items()}),
        flush=True,
    )


def cut(tokenizer: Tokenizer, texts: Sequence[str], most: int) -> Tokens:
    """Ids of each text, as the product cuts them: the first ones and the last."""
    found = [one.ids for one in tokenizer.encode_batch(list(texts))]
    return [ids if len(ids) <= most else [*ids[: most - 1], ids[-1]] for ids in found]


def tokenized(tokenizer: Tokenizer, rows: list[dict[str, str]]) -> Pairs:
    """Pairs with their tokens."""
    queries = cut(tokenizer, [row["query"] for row in rows], MOST_TOKENS["query"])
    long = cut(tokenizer, [row["passage"] for row in rows], MOST_TOKENS["outline"])
    passages = [
        ids if len(ids) <= (most := MOST_TOKENS[row["level"]]) else [*ids[: most - 1], ids[-1]]
        for ids, row in zip(long, rows, strict=True)
    ]
    return Pairs(rows, queries, passages)


class Encoding:
    """Runs a model over many texts, sorted by length."""

    def __init__(self, model: Bert, device: str, batch: int = 4096) -> None:
        self._model, self._device, self._batch = model, device, batch

    @torch.no_grad()
    def __call__(self, tokens: Tokens) -> torch.Tensor:
        order = sorted(range(len(tokens)), key=lambda place: len(tokens[place]))
        out = torch.empty((len(tokens), 384), device=self._device)
        for start in range(0, len(order), self._batch):
            places = order[start : start + self._batch]
            ids, mask = padded([tokens[place] for place in places], self._device)
            with torch.autocast(self._device, torch.bfloat16, enabled=self._device != "cpu"):
                out[torch.tensor(places, device=self._device)] = self._model.vectors(ids, mask)
        return out


class Development:
    """Questions about repositories that were left out, and every text of these."""

    def __init__(self, tokenizer: Tokenizer, asked: list[dict[str, str]], pool: list[dict[str, str]]) -> None:
        files: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for row in asked:
            files[row["repository"], row["kind"], row["query"]].add(row["path"])
        known: dict[str, dict[str, int]] = defaultdict(dict)
        for row in pool:
            known[row["repository"]].setdefault(row["path"], len(known[row["repository"]]))
        self._files = known
        self.questions = [
            (repository, kind, query, {known[repository][path] for path in paths if path in known[repository]})
            for (repository, kind, query), paths in sorted(files.items())
        ]
        self.questions = [question for question in self.questions if question[3]]
        self._queries = cut(tokenizer, [question[2] for question in self.questions], MOST_TOKENS["query"])
        self._spaces: list[tuple[str, str, str, Tokens, list[int]]] = []
        for repository in known:
            for level in ("card", "outline"):
                for form in ("text", "bare"):
                    own = [row for row in pool if row["repository"] == repository and row["level"] == level]
                    tokens = cut(tokenizer, [row[form] for row in own], MOST_TOKENS[level])
                    places = [known[repository][row["path"]] for row in own]
                    self._spaces.append((repository, level, form, tokens, places))

    def ranks(self, encode: Encoding) -> Ranks:
        """MRR@10 of the right file by cards, by outlines and by both, by kind of question, and the means of kinds."""
        queries = encode(self._queries)
        by_space: dict[tuple[str, str, str], torch.Tensor] = {}
        for repository, level, form, tokens, places in self._spaces:
            mine = [row for row, question in enumerate(self.questions) if question[0] == repository]
            if not mine or not tokens:
                continue
            cosines = queries[mine].float() @ encode(tokens).float().T
            best = torch.full((len(mine), len(self._files[repository])), -1.0, device=cosines.device)
            where = torch.tensor(places, device=cosines.device).expand_as(cosines)
            by_space[repository, level, form] = best.scatter_reduce(1, where, cosines, "amax").cpu()
        found: dict[str, list[float]] = defaultdict(list)
        rows = dict.fromkeys(self._files, 0)
        for repository, kind, _, right in self.questions:
            form = "bare" if kind == "docstring" else "text"
            row = rows[repository]
            rows[repository] += 1
            card, outline = (by_space[repository, level, form][row] for level in ("card", "outline"))
            for name, scores in (("card", card), ("outline", outline), ("both", card + outline)):
                best = max(scores[place].item() for place in right)
                rank = 1 + int((scores > best).sum())
                found[f"{kind} {name}"].append(1 / rank if rank <= 10 else 0.0)
        means = {name: sum(values) / len(values) for name, values in sorted(found.items())}
        for name in ("card", "outline", "both"):
            own = [value for key, value in means.items() if key.endswith(f" {name}")]
            means[name] = sum(own) / len(own)
        return means


def batches(rows: Sequence[dict[str, str]], size: int, draw: random.Random) -> Iterator[list[int]]:
    """Places of pairs of one level and of a few repositories each."""
    found = []
    for level in ("card", "outline"):
        by_repository: dict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            if row["level"] == level:
                by_repository[row["repository"]].append(place)
        pieces = []
        for own in by_repository.values():
            draw.shuffle(own)
            step = max(2, size // REPOSITORIES_IN_A_BATCH)
            pieces += [own[start : start + step] for start in range(0, len(own), step)]
        draw.shuffle(pieces)
        batch: list[int] = []
        for piece in pieces:
            batch += piece
            if len(batch) >= size:
                found.append(batch)
                batch = []
        if len(batch) > 1:
            found.append(batch)
    draw.shuffle(found)
    yield from found


def allowed(rows: Sequence[dict[str, str]], device: str) -> torch.Tensor:
    """Which passages of a batch are wrong answers of which queries, and each one's own."""
    numbers: dict[str, dict[Any, int]] = defaultdict(dict)

    def column(name: str, values: list[Any]) -> NDArray[np.int64]:
        known = numbers[name]
        return np.array([known.setdefault(value, len(known)) for value in values])

    text = column("text", [row["passage"] for row in rows])
    query = column("query", [row["query"] for row in rows])
    file = column("file", [(row["repository"], row["path"]) for row in rows])
    strict = np.array([row["kind"] in STRICT and row["level"] == "card" for row in rows])
    same = (text[:, None] == text[None]) | (query[:, None] == query[None])
    same |= (file[:, None] == file[None]) & ~(strict[:, None] & strict[None])
    return torch.from_numpy(~same | np.eye(len(rows), dtype=bool)).to(device)


def train_bi(
    pairs: Pairs,
    development: Development,
    old: Mapping[str, NDArray[Any]],
    args: argparse.Namespace,
    started: float,
    until: float,
) -> Mapping[str, NDArray[Any]]:
    """Try the recipes; write and return the weights that rank best."""
    base = Bert(old).to(args.device).eval()
    before = development.ranks(Encoding(base, args.device))
    say(at_s=time.monotonic() - started, what="untouched", **before)
    anchors = {
        "query": Encoding(base, args.device)(pairs.queries).half(),
        "passage": Encoding(base, args.device)(pairs.passages).half(),
    }
    best: tuple[float, Mapping[str, NDArray[Any]], dict[str, Any]] = (before["both"], old, {})
    longest = 0.0
    for number, recipe in enumerate(RECIPES[: args.recipes] if args.recipes else RECIPES):
        if time.monotonic() + longest > until:
            say(what="no time is left", recipe=number)
            break
        began = time.monotonic()
        model = Bert(old).to(args.device)
        loss = fit_bi(model, pairs, anchors, recipe, args.device, until)
        trained = model.tensors()
        for share in SHARES:
            mixed = {name: (1 - share) * np.asarray(old[name]) + share * trained[name] for name in trained}
            ranks = development.ranks(Encoding(Bert(mixed).to(args.device).eval(), args.device))
            about = {**asdict(recipe), "share": share}
            say(at_s=time.monotonic() - started, what="bi", **about, loss=loss, **ranks)
            if ranks["both"] > best[0]:
                best = (ranks["both"], mixed, about)
                write(args.out / "bi.npz", mixed)
        longest = max(longest, time.monotonic() - began)
    say(what="best bi-encoder", both=best[0], before=before["both"], **best[2])
    return best[1]


def fit_bi(
    model: Bert, pairs: Pairs, anchors: Mapping[str, torch.Tensor], recipe: Recipe, device: str, until: float
) -> float:
    """Train in place; return the mean loss of the last pass."""
    model.train()
    parameters = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(parameters, recipe.rate, weight_decay=0.01)
    draw = random.Random(SEED)
    steps = [batch for _ in range(recipe.epochs) for batch in batches(pairs.rows, recipe.batch, draw)]
    losses: list[float] = []
    for step, batch in enumerate(steps):
        if time.monotonic() > until:
            break
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * at(step, len(steps))
        wrong = allowed([pairs.rows[place] for place in batch], device)
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            queries = model.vectors(*padded([pairs.queries[place] for place in batch], device))
            passages = model.vectors(*padded([pairs.passages[place] for place in batch], device))
        logits = (queries @ passages.T / recipe.temperature).masked_fill(~wrong, -1e4)
        right = torch.arange(len(batch), device=device)
        loss = (functional.cross_entropy(logits, right) + functional.cross_entropy(logits.T, right)) / 2
        if recipe.anchor:
            places = torch.tensor(batch, device=device)
            moved = [
                1 - (queries * anchors["query"][places]).sum(1),
                1 - (passages * anchors["passage"][places]).sum(1),
            ]
            loss = loss + recipe.anchor * torch.cat(moved).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    model.eval()
    last = losses[-max(1, len(losses) // recipe.epochs) :]
    return sum(last) / len(last)


def at(step: int, steps: int) -> float:
    """A tenth of the steps up, then down along a cosine."""
    warm = max(1, steps // 10)
    return (step + 1) / warm if step < warm else 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


class Cross(nn.Module):
    """A score of a query and a text read together."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        super().__init__()
        self.bert = Bert(weights)
        self.pooler, self.classifier = nn.Linear(384, 384), nn.Linear(384, 1)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        first = self.bert(ids, mask, kinds)[:, 0]
        score: torch.Tensor = self.classifier(torch.tanh(self.pooler(first)))[:, 0]
        return score.float()


@dataclass(frozen=True, slots=True)
class Choice:
    """A query and texts, the first of which is right; ``order`` are their places by the bi-encoder."""

    kind: str
    query: list[int]
    texts: list[list[int]]
    cosines: list[float]


def choices(tokenizer: Tokenizer, rows: Sequence[dict[str, str]], encode: Encoding, *, shuffled: bool) -> list[Choice]:
    """For each query of a card the right text and those of other files whose cards the bi-encoder has nearest."""
    cards = [row for row in rows if row["level"] == "card"]
    texts = [ids[1:-1][:LONG_TOKENS] for ids in cut(tokenizer, [row["text"] for row in cards], LONG_TOKENS)]
    queries = cut(tokenizer, [row["query"] for row in cards], MOST_TOKENS["query"])
    passages = cut(tokenizer, [row["passage"] for row in cards], MOST_TOKENS["card"])
    asked, said = encode(queries).float(), encode(passages).float()
    by_repository: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(cards):
        by_repository[row["repository"]].append(place)
    draw, found = random.Random(SEED), []
    for own in by_repository.values():
        cosines = asked[own] @ said[own].T
        order = cosines.argsort(dim=1, descending=True).cpu().tolist()
        values = cosines.cpu().tolist()
        for row, place in enumerate(own):
            taken, wrong = {cards[place]["path"]}, []
            for other in order[row]:
                if cards[own[other]]["path"] not in taken and cards[own[other]]["query"] != cards[place]["query"]:
                    taken.add(cards[own[other]]["path"])
                    wrong.append(other)
                if len(wrong) == PLACES - 1:
                    break
            if not wrong:
                continue
            if shuffled:
                draw.shuffle(wrong)
            numbers = [row, *wrong]
            found.append(
                Choice(
                    cards[place]["kind"],
                    queries[place],
                    [texts[own[one]] for one in numbers],
                    [values[row][one] for one in numbers],
                )
            )
    return found


def joined(
    pairs: Sequence[tuple[list[int], list[int]]], device: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and segments of queries and texts read together."""
    ids, mask = padded([[*query, *text[: LONG_TOKENS - len(query) - 1], query[-1]] for query, text in pairs], device)
    starts = torch.tensor([len(query) for query, _ in pairs], device=device)[:, None]
    kinds = (torch.arange(ids.shape[1], device=device)[None] >= starts).long() * mask
    return ids, mask, kinds


def train_cross(
    tokenizer: Tokenizer, learned: list[dict[str, str]], asked: list[dict[str, str]], old: Mapping[str, NDArray[Any]],
    new: Mapping[str, NDArray[Any]], args: argparse.Namespace, started: float,
) -> None:  # fmt: skip
    """Train on hard wrong answers; say what it ranks of those that the bi-encoder has first, alone and in sums."""
    encode = Encoding(Bert(new).to(args.device).eval(), args.device)
    tests = choices(tokenizer, asked, encode, shuffled=False)
    if len(tests) > args.most_choices:
        tests = random.Random(SEED).sample(tests, args.most_choices)
    train = choices(tokenizer, learned, encode, shuffled=True)
    say(at_s=time.monotonic() - started, what="choices", train=len(train), development=len(tests))
    model = Cross(old).to(args.device)
    optimizer = torch.optim.AdamW(
        [one for one in model.parameters() if one.requires_grad], args.cross_rate, weight_decay=0.01
    )
    draw = random.Random(SEED)
    many, size = args.wrong + 1, args.cross_batch
    steps = [
        batch for _ in range(args.cross_epochs)
        for order in [draw.sample(range(len(train)), len(train))]
        for batch in (order[start : start + size] for start in range(0, len(order), size))
    ]  # fmt: skip
    until = started + args.seconds
    model.train()
    for step, batch in enumerate(steps):
        if time.monotonic() > until:
            say(what="no time is left", step=step)
            break
        for group in optimizer.param_groups:
            group["lr"] = args.cross_rate * at(step, len(steps))
        shown = [
            [train[place].texts[0], *draw.sample(train[place].texts[1:], min(args.wrong, len(train[place].texts) - 1))]
            for place in batch
        ]
        shown = [texts + [texts[-1]] * (many - len(texts)) for texts in shown]
        pairs = [(train[place].query, text) for place, texts in zip(batch, shown, strict=True) for text in texts]
        with torch.autocast(args.device, torch.bfloat16, enabled=args.device != "cpu"):
            scores = model(*joined(pairs, args.device)).view(len(batch), many)
        loss = functional.cross_entropy(scores, torch.zeros(len(batch), dtype=torch.long, device=args.device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % max(1, len(steps) // 20) == 0:
            say(at_s=time.monotonic() - started, what="cross", step=step, of=len(steps), loss=float(loss.detach()))
    model.eval()
    scored = [scores_of(model, choice, args.device) for choice in tests]
    for weight in (0.0, 0.02, 0.05, 0.1, 0.2, 1.0, 100.0):
        say(what="cross rank", weight=weight, **cross_ranks(tests, scored, weight))
    tensors = {name: values for name, values in model.bert.tensors().items() if name != WORDS}
    for name in ("pooler", "classifier"):
        part = getattr(model, name)
        tensors |= {
            f"{name}.weight": part.weight.detach().float().cpu().numpy(),
            f"{name}.bias": part.bias.detach().float().cpu().numpy(),
        }
    write(args.out / "cross.npz", tensors)


@torch.no_grad()
def scores_of(model: Cross, choice: Choice, device: str) -> list[float]:
    """The cross-encoder's score of each text."""
    with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
        found: list[float] = model(*joined([(choice.query, text) for text in choice.texts], device)).cpu().tolist()
    return found


def cross_ranks(tests: Sequence[Choice], scored: Sequence[list[float]], weight: float) -> Ranks:
    """MRR by kind of the cosine plus ``weight`` times the score."""
    found: dict[str, list[float]] = defaultdict(list)
    for choice, scores in zip(tests, scored, strict=True):
        sums = [cosine + weight * score for cosine, score in zip(choice.cosines, scores, strict=True)]
        found[choice.kind].append(1 / (1 + sum(other > sums[0] for other in sums[1:])))
    means = {kind: sum(values) / len(values) for kind, values in sorted(found.items())}
    return {**means, "mean": sum(means.values()) / len(means)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a bi-encoder that is trained already, for --only cross")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=int, default=0, help="pairs, for a try")
    parser.add_argument("--recipes", type=int, default=0, help="how many of the recipes")
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--only", choices=("bi", "cross"))
    parser.add_argument("--cross-epochs", type=int, default=2)
    parser.add_argument("--cross-rate", type=float, default=1e-4)
    parser.add_argument("--cross-batch", type=int, default=128)
    parser.add_argument("--wrong", type=int, default=7, help="wrong answers beside each right one")
    parser.add_argument("--most-choices", type=int, default=4000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
