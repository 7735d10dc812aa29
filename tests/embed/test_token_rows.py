"""A static model in the files that model2vec writes: a row a token, averaged, refused where its parts do not fit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from helix_core.config import load_config
from helix_core.embed.minilm import TITLE, convert_wheel
from helix_core.embed.model import FastModel, ModelEncoder, choose, chosen_model, making, models_folder, read_model
from helix_core.embed.model_sources import ListedModel, _install, downloaded, fetch_listed, listed, take_folder
from helix_core.engine import Helix
from helix_core.engine.embedding import Embedding
from helix_core.errors import ModelError
from helix_core.packet import search_text
from helix_ls.cli.render.packet import printed
from helix_ls.cli.render.search import draw

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "purge", "row", "header", "paint")
DIMENSIONS = 16
ROWS = np.random.default_rng(5).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)
TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64", "int32": "I32"}


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]]) -> None:
    """A file of the safetensors format, as its library writes it."""
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    end = 0
    for name, values in tensors.items():
        offsets = [end, end := end + values.nbytes]
        header[name] = {"dtype": TYPES[values.dtype.name], "shape": list(values.shape), "data_offsets": offsets}
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    path.write_bytes(len(told).to_bytes(8, "little") + told + b"".join(each.tobytes() for each in tensors.values()))


def write_model(
    folder: Path, *, file: str = "model.safetensors", words: Sequence[str] = WORDS, **tensors: NDArray[Any]
) -> Path:
    """A folder as ``StaticModel.save_pretrained`` leaves it."""
    (folder / file).parent.mkdir(parents=True)
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str((folder / file).with_name("tokenizer.json")))
    settings = {"normalize": True, "max_length": 6, "embedding_dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(settings))
    write_tensors(folder / file, tensors or {"embeddings": ROWS})
    return folder


def direction(*rows: NDArray[Any]) -> NDArray[np.float32]:
    total = np.sum(rows, axis=0, dtype=np.float32)
    return np.asarray(total / np.linalg.norm(total), np.float32)


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int8"])
def test_a_text_is_the_mean_of_its_tokens(tmp_path: Path, kind: str) -> None:
    rows = (ROWS * 40).astype(kind)
    loaded = FastModel(take_folder(write_model(tmp_path / "given", embeddings=rows), tmp_path))
    both, again, blank, long = loaded.vectors(
        ["purge row", "row nonsense row", "nonsense", "purge " * 5 + "row header"]
    )
    assert both == pytest.approx(direction(rows[4], rows[5]), abs=1e-3)
    assert again == pytest.approx(direction(rows[5]), abs=1e-3)
    assert not blank.any()
    # The model's own settings say that it reads six tokens.
    assert long == pytest.approx(direction(*[rows[4]] * 5, rows[5]), abs=1e-3)
    assert loaded.vectors(["purge row header"], 2)[0] == pytest.approx(both, abs=1e-6)


def test_tokens_share_rows_and_are_weighted_where_the_model_says_so(tmp_path: Path) -> None:
    mapping, weights = np.array([0, 0, 0, 0, 1, 1, 2, 2]), np.linspace(0.1, 2, len(WORDS))
    given = write_model(tmp_path / "given", embeddings=ROWS[:3], mapping=mapping, weights=weights)
    (found,) = FastModel(take_folder(given, tmp_path)).vectors(["purge row paint"])
    wanted = direction(*(ROWS[mapping[token]] * weights[token] for token in (4, 5, 7)))
    assert found == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("file", ["model.safetensors", "0_StaticEmbedding/model.safetensors"])
def test_sentence_transformers_writes_the_same_under_other_names(tmp_path: Path, file: str) -> None:
    given = write_model(tmp_path / "given", file=file, **{"embedding.weight": ROWS})
    model = take_folder(given, tmp_path)
    assert model.name.startswith("given@")
    assert FastModel(model).vectors(["row"])[0] == pytest.approx(direction(ROWS[5]), abs=1e-5)


def test_a_width_that_fills_no_bytes_gets_zeros(tmp_path: Path) -> None:
    model = take_folder(write_model(tmp_path / "given", embeddings=ROWS[:, :13].copy()), tmp_path)
    (found,) = FastModel(model).vectors(["row"])
    assert model.dimensions == len(found) == 16
    assert found == pytest.approx([*direction(ROWS[5, :13]), 0, 0, 0], abs=1e-5)


def test_rows_come_before_a_graph_beside_them(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    (given / "model.onnx").write_bytes(b"a graph with other inputs")
    (given / "tokenizer_config.json").write_text("{}")
    assert take_folder(given, tmp_path).has_rows


def test_its_name_says_weights_and_tokenizer(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    name = take_folder(given, tmp_path).name
    assert take_folder(given, tmp_path).name == name
    tokenizer = Tokenizer.from_file(str(given / "tokenizer.json"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(given / "tokenizer.json"))
    assert take_folder(given, tmp_path).name != name
    write_tensors(given / "model.safetensors", {"embeddings": ROWS[::-1].copy()})
    assert take_folder(given, tmp_path).name != name


def test_two_models_of_one_title_are_kept_apart(tmp_path: Path) -> None:
    first = take_folder(write_model(tmp_path / "a" / "given"), tmp_path)
    other = write_model(tmp_path / "b" / "given", embeddings=ROWS[::-1].copy())
    second = take_folder(other, tmp_path)
    assert (first.folder.name, second.folder.name) == ("given", second.name)
    assert (read_model(first.folder), read_model(second.folder)) == (first, second)
    assert chosen_model(tmp_path, second.name) == second
    # The very same again takes its own folder's place, also where its files are damaged.
    (second.folder / "tokenizer.json").write_text("{")
    assert (take_folder(other, tmp_path), take_folder(tmp_path / "a" / "given", tmp_path)) == (second, first)
    (first.folder / "helix.json").write_text("{")
    assert take_folder(tmp_path / "a" / "given", tmp_path) == first
    assert {each.name for each in models_folder(tmp_path).iterdir()} == {"given", second.name}
    FastModel(second)


@pytest.mark.slow
def test_a_folder_of_the_wheels_title_is_kept_beside_it(tmp_path: Path, minilm_wheel: Path) -> None:
    given = take_folder(write_model(tmp_path / "given" / TITLE), tmp_path)
    wheel = convert_wheel(minilm_wheel, tmp_path)
    assert (given.folder.name, wheel.folder.name) == (TITLE, wheel.name)
    assert (read_model(given.folder), read_model(wheel.folder)) == (given, wheel)


UNFIT: list[dict[str, NDArray[Any]]] = [
    {"embeddings": ROWS[:4]},
    {"embeddings": ROWS[0]},
    {"embeddings": np.zeros((8, 0), np.float32)},
    {"embeddings": np.arange(128).reshape(8, 16)},
    {"embeddings": np.where(ROWS > 1, np.nan, ROWS)},
    {"embeddings": np.where(ROWS > 1, np.float32(3e38), ROWS)},
    {"embeddings": ROWS, "mapping": np.arange(8) - 1},
    {"embeddings": ROWS, "mapping": np.arange(8) + 1},
    {"embeddings": ROWS, "mapping": np.arange(4)},
    {"embeddings": ROWS, "weights": np.ones(4, np.float32)},
    {"embeddings": ROWS, "weights": np.full(8, np.inf)},
]


@pytest.mark.parametrize("tensors", UNFIT, ids=range(len(UNFIT)))
def test_parts_that_do_not_fit_are_refused_and_nothing_is_left(
    tmp_path: Path, tensors: Mapping[str, NDArray[Any]]
) -> None:
    given = write_model(tmp_path / "given", **tensors)
    with pytest.raises(ModelError, match="cannot be used"):
        take_folder(given, tmp_path / "cache")
    assert not models_folder(tmp_path / "cache").exists()


def test_a_folder_that_lacks_its_tokenizer_or_has_other_weights_is_refused(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    for damage in ("{}", None):
        (given / "tokenizer.json").write_text(damage) if damage else (given / "tokenizer.json").unlink()
        with pytest.raises(ModelError, match=r"tokenizer\.json"):
            take_folder(given, tmp_path)
    other = write_model(tmp_path / "other", **{"embeddings.word_embeddings.weight": ROWS})
    with pytest.raises(ModelError, match=r"tokenizer_config\.json|model\.onnx"):
        take_folder(other, tmp_path)


def unigram(**changed: object) -> dict[str, Any]:
    return {"model": {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 0}, **changed}


def replacing(content: str, times: int) -> dict[str, Any]:
    part = {"type": "Replace", "pattern": {"Regex": "."}, "content": content}
    return {"type": "Sequence", "normalizers": [part] * times}


def template(ids: int, pieces: int) -> dict[str, Any]:
    special = {"id": "a", "ids": [0] * ids, "tokens": ["a"] * ids}
    single = [{"SpecialToken": {"id": "a", "type_id": 0}}] * pieces
    return {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {"a": special}}


EXCESSIVE: list[tuple[str, str]] = [
    (" " * 41_000_000, "larger than 40 MB"),
    ("0," * 1_600_000, "more than 1,500,000 entries"),
    (json.dumps(unigram(added_tokens=[{"content": "ab" * 1_600_000}])), "too long"),
    (json.dumps(unigram(model={"vocab": {str(n) + "ab" * 20_000: n for n in range(80)}})), "too long"),
    (json.dumps(unigram(normalizer=replacing("x" * 1_000, 4))), "longer"),
    (json.dumps(unigram(normalizer=replacing("xx", 7))), "longer"),
    (json.dumps(unigram(normalizer={"type": "Prepend", "prepend": "a " * 500_000})), "longer"),
    (json.dumps(unigram(post_processor=template(300_000, 1))), "longer"),
    (json.dumps(unigram(post_processor=template(1, 300_000))), "longer"),
    (json.dumps(unigram(post_processor={"type": "Sequence", "processors": [template(8, 1)] * 9})), "longer"),
    (json.dumps(unigram(padding={"pad_to_multiple_of": 1 << 30})), "longer"),
    ("[" * 200_000, "recursion"),
    ("null", "is none"),
    (json.dumps({"model": {"vocab": [3]}}), "is none"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("tokenizer", "why"), EXCESSIVE, ids=range(len(EXCESSIVE)))
@pytest.mark.parametrize("kind", ["rows", "graph"])
def test_a_tokenizer_that_costs_too_much_is_refused_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: str, why: str, kind: str
) -> None:
    given = write_model(tmp_path / "given")
    if kind == "graph":
        (given / "model.safetensors").rename(given / "model.onnx")
        (given / "tokenizer_config.json").write_text("{}")
    (given / "tokenizer.json").write_text(tokenizer)
    monkeypatch.setattr("tokenizers.Tokenizer", None)
    with pytest.raises(ModelError, match=why):
        take_folder(given, tmp_path / "cache")
    assert not models_folder(tmp_path / "cache").exists()


@pytest.mark.slow
def test_settings_of_some_size_are_taken_and_larger_ones_refused(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    (given / "special_tokens_map.json").write_text(json.dumps({"note": "x" * 15_000_000}))
    tokenizer = json.loads((given / "tokenizer.json").read_text())
    # Long, with beginnings that the tokens share.
    tokenizer["model"]["vocab"] |= {"a" * length: 0 for length in range(1, 3_000)}
    tokenizer |= {"normalizer": replacing("xx", 6), "post_processor": template(8, 8)}
    (given / "tokenizer.json").write_text(json.dumps(tokenizer))
    FastModel(take_folder(given, tmp_path))
    (given / "special_tokens_map.json").write_text(json.dumps({"note": "x" * 17_000_000}))
    with pytest.raises(ModelError, match=r"special_tokens_map\.json is larger than 16 MB"):
        take_folder(given, tmp_path)


def test_nothing_is_left_of_a_model_whose_making_ended_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    given = write_model(tmp_path / "given")
    left = [models_folder(tmp_path) / name for name in ("given.making", "old.making", "new.making")]
    for folder in left:
        folder.mkdir(parents=True)
    os.utime(left[1], (0, 0))
    with monkeypatch.context() as patched:
        patched.setattr("helix_core.embed.model_sources.FastModel", interrupted)
        with pytest.raises(KeyboardInterrupt):
            take_folder(given, tmp_path)
    # Other processes may be making the new ones, one of them the same model.
    assert sorted(models_folder(tmp_path).iterdir()) == [left[0], left[2]]
    assert take_folder(given, tmp_path).folder.name == "given"


@pytest.mark.parametrize(
    ("name", "target", "why"),
    [
        ("model.safetensors", "/dev/zero", r"its model\.safetensors is a link to /dev/zero, which is not a file"),
        ("tokenizer.json", "blobs/gone", r"its tokenizer\.json is a link to blobs/gone, which is not a file"),
    ],
)
def test_a_link_to_no_file_is_named(tmp_path: Path, name: str, target: str, why: str) -> None:
    given = write_model(tmp_path / "given")
    (given / name).unlink()
    (given / name).symlink_to(target)
    with pytest.raises(ModelError, match=why):
        take_folder(given, tmp_path)


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    given, linked = write_model(tmp_path / "given"), tmp_path / "linked"
    linked.mkdir()
    for file in given.iterdir():
        (linked / file.name).symlink_to(file)
    kept = take_folder(linked, tmp_path).folder
    assert not any(file.is_symlink() for file in kept.iterdir())


def header(text: str, body: bytes = b"") -> bytes:
    return len(text).to_bytes(8, "little") + text.encode() + body


def place(**changed: object) -> bytes:
    return header(json.dumps({"embeddings": {"dtype": "F32", "shape": [8, 16], "data_offsets": [0, 512], **changed}}))


HOSTILE = [
    b"",
    b"\xff" * 8,
    header("[]"),
    header('{"embeddings": 3}'),
    header('{"embeddings": ' + "[" * 200_000),
    header('{"embeddings": {}}'),
    place(),
    place(dtype="BF16"),
    place(dtype=["F32"]),
    place(data_offsets=[0, 1e400]),
    place(data_offsets=[-512, 0]),
    place(data_offsets=[512, 0]),
    place(data_offsets=[0]),
    place(shape=[1 << 62, 1 << 62]),
    place(shape=[-8, -16]),
    place(shape=[1] * 100, data_offsets=[0, 4]) + b"four",
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_weights_that_lie_about_themselves_are_refused(tmp_path: Path, data: bytes) -> None:
    given = write_model(tmp_path / "given")
    (given / "model.safetensors").write_bytes(data)
    with pytest.raises(ModelError, match="cannot be read"):
        take_folder(given, tmp_path)


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json", "helix.json"])
def test_a_damaged_one_is_said_and_the_table_serves(tmp_path: Path, damage: str) -> None:
    model = take_folder(write_model(tmp_path / "given"), tmp_path)
    choose(tmp_path, model)
    encoder = ModelEncoder(tmp_path)
    encoder.follow()
    assert encoder.models == (model.name, "static")
    assert np.frombuffer(encoder.encode(model.name, "row"), "<f4") == pytest.approx(direction(ROWS[5]), abs=1e-5)
    for act in (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), Path.unlink):
        act(model.folder / damage)
        encoder = ModelEncoder(tmp_path)
        encoder.follow()
        assert encoder.models == ("static",)
        assert encoder.problem


def test_one_of_fastembeds_list_is_loaded_as_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fastembed

    rows = np.random.default_rng(5).normal(size=(len(WORDS), 256)).astype(np.float32)
    given = write_model(tmp_path / "given", embeddings=rows)
    local = partial(fastembed.TextEmbedding, specific_model_path=str(given))
    monkeypatch.setattr(fastembed, "TextEmbedding", local)
    monkeypatch.setattr(local, "list_supported_models", local.func.list_supported_models, raising=False)
    model = fetch_listed(listed("potion-base-8M"), tmp_path)
    assert (model.dimensions, model.fastembed) == (256, "minishlab/potion-base-8M")
    assert FastModel(read_model(model.folder)).vectors(["row"])[0] == pytest.approx(direction(rows[5]), abs=1e-5)


def test_two_models_fetched_at_the_same_time_take_nothing_from_each_other(tmp_path: Path) -> None:
    def setup(title: str, meanwhile: Callable[[], object]) -> Path:
        def fetch(downloads: str) -> SimpleNamespace:
            folder = write_model(Path(downloads) / title)
            meanwhile()
            return SimpleNamespace(_model_dir=folder, model_description=SimpleNamespace(model_file="model.safetensors"))

        about = ListedModel(f"owner/{title}", 1, DIMENSIONS, "owner", "mit", has_rows=True)
        with downloaded(about, title, tmp_path, fetch) as made:
            return _install(made._replace(dimensions=DIMENSIONS, source="owner")).folder

    def the_same_is_refused() -> None:
        with pytest.raises(ModelError, match="Another process is fetching owner/one; wait until it is done"):
            setup("one", lambda: None)
        assert setup("two", lambda: None).name == "two"

    assert setup("one", the_same_is_refused).name == "one"
    assert {folder.name for folder in models_folder(tmp_path).iterdir() if folder.is_dir()} == {
        "one",
        "two",
        "downloads",
    }
    assert not [one for one in (models_folder(tmp_path) / "downloads").iterdir() if one.is_dir()]


def test_one_model_taken_twice_at_the_same_time_is_whole(tmp_path: Path) -> None:
    given = write_model(tmp_path / "given")
    with making(tmp_path, "given") as first:
        assert take_folder(given, tmp_path).folder.name == "given"
        assert first.is_dir()
        choose(tmp_path, read_model(models_folder(tmp_path) / "given"))
    assert not first.parent.exists()
    chosen = chosen_model(tmp_path)
    assert chosen is not None and chosen.folder.name == "given"


def test_a_multilingual_model_finds_what_a_question_in_another_language_asks(tmp_path: Path) -> None:
    """No word of the question is in a file: by words alone it was called absent, which without a model it never was."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("invoice", "header", "paint", "purge"):
        (project / f"{name}.py").write_text(f"def {name}(row):\n    return row\n")
    words = (*WORDS, "invoice", "rechnungen", "verschickt")
    rows = np.concatenate([ROWS, ROWS[2:5] * 3])
    rows[words.index("rechnungen")] = rows[words.index("invoice")]
    # Only what tells one word from another is left of the frame that every text has.
    rows[:4] = 0
    model = take_folder(write_model(tmp_path / "multilingual-rows", words=words, embeddings=rows), tmp_path)
    choose(tmp_path, model)
    with Helix.open(project, config=replace(load_config(project), cache_dir=tmp_path)) as helix:
        helix.refresh()
        encoder = helix.session.encoder = ModelEncoder(tmp_path)
        encoder.follow()
        Embedding(helix.session).run(FastModel(model))
        found = helix.packet("wie werden die rechnungen verschickt?")
        # A name as only code has it is in every language the same.
        lacking = helix.packet("wie wird `PromiseKitBridge` verschickt?")
    places = [*found["verified"], *found["stale_risk"], *found["needs_refresh"]]
    assert not found["known_empty"] and places[0]["source_id"] == "invoice.py"
    assert any("the question is in German: its places were found by meaning" in note for note in found["notes"])
    assert not any("found by meaning" in note for note in lacking["notes"])


@pytest.mark.process
def test_it_is_set_up_and_embeds_a_folder_by_command(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rows.py").write_text("def purge(row):\n    return row\n")
    given = write_model(tmp_path / "given")
    environ = {**os.environ, "HELIX_CACHE_DIR": str(tmp_path / "cache")}

    def embed(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "helix_ls.cli", "embed", *arguments, "--path", str(project), "--json"]
        done = subprocess.run(
            command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    set_up = embed("setup", str(given))
    name = set_up["model"]
    shutil.rmtree(given)
    assert name.startswith("given@")
    # What is set up is listed before anything is embedded with it.
    assert set_up["shares"] == {f"{name}/outline": 0.0, f"{name}/chunk": 0.0}
    shares = embed("run")["shares"]
    assert {share for space, share in shares.items() if space.startswith(name)} == {1.0}


def test_a_model_that_nobody_loaded_loads_itself_and_says_so_meanwhile(tmp_path: Path) -> None:
    model = take_folder(write_model(tmp_path / "given"), tmp_path)
    choose(tmp_path, model)
    encoder = ModelEncoder(tmp_path)
    with encoder._loading:
        assert encoder.models == ("static",)
        assert encoder.problem == "the model is being loaded"
    until = time.monotonic() + 60
    while encoder.models != (model.name, "static"):
        assert time.monotonic() < until, encoder.problem
        time.sleep(0.01)
    assert encoder.problem == ""


def test_without_a_model_none_is_waited_for(tmp_path: Path) -> None:
    for setting in ("", "static"):
        encoder = ModelEncoder(tmp_path, setting)
        assert (encoder.models, encoder.problem) == (("static",), "")


def test_every_surface_says_once_and_alike_which_vectors_serve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rows.py").write_text("def purge(row):\n    return row\n")
    model = take_folder(write_model(tmp_path / "given"), tmp_path)
    choose(tmp_path, model)
    with Helix.open(project, config=replace(load_config(project), cache_dir=tmp_path)) as helix:
        helix.refresh()
        encoder = helix.session.encoder = ModelEncoder(tmp_path)
        encoder.follow()
        found, packet = helix.search("purge"), helix.packet("purge", as_text=True)
        window = helix.context("purge")
    # The model is loaded, and has no vector here yet.
    note = f"the built-in vectors are used: {model.name}/outline 0%, {model.name}/chunk 0%"
    assert found["notes"] == packet["notes"] == window["notes"] == [note]
    draw(found, project)
    for said in (capsys.readouterr().out, printed(packet), search_text(found), packet["text"], json.dumps(found)):
        assert " ".join(said.split()).count(model.name) == note.count(model.name)
        assert note in " ".join(said.split())
