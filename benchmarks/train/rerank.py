"""What a trained cross-encoder makes of the first 20 places of the product's answers.

usage: python benchmarks/train/rerank.py CORPORA --bench QUESTIONS --cross OUT/cross.npz --weights PACKED.npz
                                         --tokenizer tokenizer.json [--model MODEL] [--cache FOLDER] [--device cpu]

Each place is read as `search.rerank` has it read (path, symbol and lines), and the places are put in the order of the
scores, as that does, and in that of both orders together (reciprocal rank fusion, Cormack et al. 2009). Needs PyTorch,
and on a processor some seconds a question.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import torch
from bert import read
from tokenizers import Tokenizer
from train import LONG_TOKENS, MOST_TOKENS, PLACES, Cross, cut, joined

from helix_core.model import Found
from helix_core.search import rerank, reranker_text
from helix_core.search.search import SearchRequest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import search as bench_of_search

FIRST = 3.0
"""What is added to each rank before it is inverted: of 20 places, the first few decide."""
HEADS = ("pooler", "classifier")


def main() -> None:
    args = _arguments()
    bench = bench_of_search.Bench(args.bench.parent, args.corpora, bench_of_search.questions_in(args.bench))
    tokenizer = Tokenizer.from_file(str(args.tokenizer))
    tokenizer.no_padding()
    model = loaded(args.weights, args.cross).to(args.device)
    orders: dict[str, list[Any]] = {"search": [], "cross-encoder": [], "both": []}
    with ExitStack() as stack:
        engine = bench_of_search.Engine.of(args.cache, args.model, stack=stack)
        readers = {name: stack.enter_context(engine.indexed(args.corpora / name)) for name in bench.projects}
        for question in bench.questions:
            asked = SearchRequest(question["question"], PLACES, encoder=engine.encoder)
            found = bench_of_search.search(asked, readers[question["corpus"]])
            scores = scores_of(
                model, tokenizer, question["question"], texts_of(args.corpora / question["corpus"], found)
            )
            ranks = {place: rank for rank, place in enumerate(sorted(scores, key=lambda place: -scores[place]))}
            both = {place: 1 / (FIRST + rank) + 1 / (FIRST + place) for place, rank in ranks.items()}
            for name, given in zip(orders, ({}, scores, both), strict=True):
                changed = found._replace(ranked=rerank(found.ranked, given))
                orders[name].append(bench_of_search._answer(question, changed))
    rows = {name: bench_of_search.score(bench, answers) for name, answers in orders.items()}
    for name, own in rows.items():
        bench_of_search._line(name, own)
    for name in ("cross-encoder", "both"):
        bench_of_search._differences(f"{name} - search", rows[name], rows["search"])


def loaded(weights: Path, cross: Path) -> Cross:
    """The cross-encoder of what ``train.py`` wrote."""
    with np.load(cross) as file:
        trained = {name: file[name].astype(np.float32) for name in file.files}
    heads = {name: trained.pop(name) for name in list(trained) if name.startswith(HEADS)}
    model = Cross(read(weights) | trained)
    for name in HEADS:
        part = getattr(model, name)
        part.weight.data = torch.from_numpy(heads[f"{name}.weight"])
        part.bias.data = torch.from_numpy(heads[f"{name}.bias"])
    return model.eval()


def texts_of(folder: Path, found: Found) -> dict[int, str]:
    """What a reranker reads of each place; related ones keep theirs."""
    texts = {}
    for place, one in enumerate(found.ranked):
        if not one.related:
            lines = (folder / one.item.source.source_id).read_text("utf-8", "replace").splitlines()
            shown = "\n".join(lines[one.lines.start_line - 1 : one.lines.end_line])
            texts[place] = reranker_text(one.item, shown)
    return texts


@torch.no_grad()
def scores_of(model: Cross, tokenizer: Tokenizer, question: str, texts: dict[int, str]) -> dict[int, float]:
    """The score of each place."""
    device = model.classifier.weight.device.type
    if not texts:
        return {}
    asked = cut(tokenizer, [question], MOST_TOKENS["query"])[0]
    read_ = [ids[1:-1] for ids in cut(tokenizer, list(texts.values()), LONG_TOKENS)]
    scores: list[float] = model(*joined([(asked, ids) for ids in read_], device)).tolist()
    return dict(zip(texts, scores, strict=True))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--cross", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--device", default="cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()
