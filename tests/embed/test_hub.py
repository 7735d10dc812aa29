"""A model of the Hub by its name: asked for its size and license first, downloaded after consent, by a real server."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helix_core.embed.hub import hub_name, needed_files
from tests.cli.conftest import environment
from tests.embed.test_token_rows import write_model
from tests.fork_server import run_helix_as_text

COMMIT = "3f" * 20
CARD = {"license": "mit"}


def described(name: str, folder: Path, tags: list[str]) -> dict[str, Any]:
    """What the Hub says of a repository."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    siblings = [
        {
            "rfilename": file.relative_to(folder).as_posix(),
            "size": file.stat().st_size,
            "lfs": {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "size": file.stat().st_size},
        }
        for file in files
    ]
    return {
        "_id": "1",
        "id": name,
        "modelId": name,
        "sha": COMMIT,
        "private": False,
        "tags": tags,
        "downloads": 1,
        "siblings": siblings,
        "cardData": CARD,
    }


def content(repositories: Mapping[str, tuple[Path, list[str]]], path: str) -> bytes | None:
    """What the Hub answers to a path; None for what it does not have."""
    for name, (folder, tags) in repositories.items():
        if path == f"/api/models/{name}":
            return json.dumps(described(name, folder, tags)).encode()
        file = folder / path.removeprefix(f"/{name}/resolve/{COMMIT}/")
        if file.is_relative_to(folder) and file.is_file():
            return file.read_bytes()
    return None


@contextmanager
def hub(
    repositories: Mapping[str, tuple[Path, list[str]]], served: Callable[[str, bytes], Iterable[bytes]] | None = None
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Serve repositories as the Hub does; yield its address and each request: its path, and what it tells of itself.

    ``served`` may send something else in the place of a path's body.
    """
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            asked.append((path, f"{self.headers.get('Authorization', '')}{self.headers.get('User-Agent', '')}"))
            body = content(repositories, path)
            self.send_response(200 if body is not None else 404)
            headers = {} if body is not None else {"X-Error-Code": "RepoNotFound"}
            body = body or b""
            for key, value in {**headers, "X-Repo-Commit": COMMIT}.items():
                self.send_header(key, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                for part in [body] if served is None else served(path, body):
                    self.wfile.write(part)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()


@pytest.fixture
def embed(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rows.py").write_text("def purge(row):\n    return row\n")

    def run(endpoint: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environ = environment(
            tmp_path,
            HF_HOME=str(tmp_path / "hub"),
            HF_ENDPOINT=endpoint,
            HF_TOKEN="hf_of_the_user",
            # Libraries of the Hub tell a server which agent runs them.
            AI_AGENT="somebody",
            HF_HUB_OFFLINE="0",
        )
        return run_helix_as_text(["embed", *arguments, "--path", str(project)], env=environ, cwd=project)

    return run


@pytest.mark.process
def test_size_and_license_are_told_before_anything_is_downloaded(
    tmp_path: Path, embed: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    given = write_model(tmp_path / "given")
    (given / "onnx").mkdir()
    (given / "onnx" / "model.onnx").write_bytes(b"a graph beside the rows")
    with hub({"minishlab/potion-code-16M-v2": (given, ["model2vec"])}) as (endpoint, asked):
        told = embed(endpoint, "setup", "potion-code-16M-v2")
        assert told.returncode == 2
        assert "/minishlab/potion-code-16M-v2; mit; no text" in told.stderr, told.stderr
        assert not [path for path, _ in asked if "resolve" in path]
        done = embed(endpoint, "setup", "potion-code-16M-v2", "--yes", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["model"].startswith("potion-code-16M-v2@")
        fetched = {path.rsplit("/", 1)[-1] for path, _ in asked if "resolve" in path}
        assert fetched == {"config.json", "model.safetensors", "tokenizer.json"}, "the graph is of no use"
        assert {said for _, said in asked} == {"helix"}, "nothing of the user leaves the machine"
        name = "minishlab/potion-code-16M-v2"
        assert {path.partition(f"/resolve/{COMMIT}/")[0] for path, _ in asked} == {f"/api/models/{name}", f"/{name}"}
    shares = json.loads(embed(endpoint, "run", "--json").stdout)["shares"]
    assert {share for space, share in shares.items() if space.startswith("potion-code")} == {1.0}
    kept = [one.name for one in (tmp_path / "cache" / "models").iterdir() if one.is_dir()]
    assert [name.partition("@")[0] for name in kept] == ["potion-code-16M-v2"], "nothing of the download is left"


@pytest.mark.process
def test_what_cannot_be_had_is_said_and_changes_nothing(
    tmp_path: Path, embed: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "model.safetensors").write_bytes(b"of a transformer")
    (weights / "tokenizer.json").write_text("{}")
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json"):
        (broken / name).write_text("{}")
    with hub({"owner/weights": (weights, []), "owner/broken": (broken, [])}) as (endpoint, _):
        for name, said in (
            ("owner/none", "There is no public model owner/none on 127.0.0.1:"),
            ("owner/weights", "owner/weights has neither an ONNX graph (model.onnx) nor a row for each token"),
            ("owner/broken", "The model in owner/broken cannot be used"),
        ):
            for option in (["setup", name], ["setup", "--reranker", name]):
                done = embed(endpoint, *option, "--yes")
                assert done.returncode == 1, done.stderr
                assert said in done.stderr
                assert str(tmp_path) not in done.stderr
    refused = embed(endpoint, "setup", "owner/weights", "--yes")
    assert refused.returncode == 1
    assert "owner/weights could not be fetched from 127.0.0.1:" in refused.stderr
    assert "nothing changed" in refused.stderr
    secret = embed("http://somebody:pa55secret@127.0.0.1:9", "setup", "owner/weights", "--yes")
    assert secret.returncode == 1
    assert "pa55secret" not in secret.stderr
    assert json.loads(embed(endpoint, "status", "--json").stdout)["model"] == "static"


@pytest.mark.process
def test_a_file_is_what_was_told_of_it(tmp_path: Path, embed: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    given = write_model(tmp_path / "given")

    def endless(path: str, body: bytes) -> Iterable[bytes]:
        return [body] if "/api/" in path else itertools.repeat(b"x" * 65_536)

    def cut(path: str, body: bytes) -> Iterable[bytes]:
        return [body] if "/api/" in path else [body[:-1]]

    def altered(path: str, body: bytes) -> Iterable[bytes]:
        return [body] if "/api/" in path else [body[:-1] + b"?"]

    def told(changed: Mapping[str, Any]) -> Callable[[str, bytes], Iterable[bytes]]:
        return lambda path, body: [json.dumps(json.loads(body) | changed).encode() if "/api/" in path else body]

    for served, said in (
        (endless, "sends more of owner/model than the size it lists"),
        (cut, "differs from what"),
        (altered, "differs from what"),
        (told({"sha": "main"}), "names no commit of owner/model"),
        (told({"sha": "../" * 20}), "names no commit of owner/model"),
        (told({"siblings": None}), "says nothing usable of owner/model"),
        (told({"siblings": [{"rfilename": "model.safetensors", "size": -(10**13)}]}), "has neither an ONNX graph"),
        (told({"siblings": [{"rfilename": "model.safetensors", "size": 10**13}]}), "is larger than 4 GiB"),
        (lambda _, __: [b"["] * 4, "says nothing usable of owner/model"),
        (lambda _, __: itertools.repeat(b"[" * 65_536), "sends more of owner/model than the size it lists"),
    ):
        with hub({"owner/model": (given, ["model2vec"])}, served) as (endpoint, _):
            done = embed(endpoint, "setup", "owner/model", "--yes")
        assert done.returncode == 1
        assert said in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not [
            one for one in (tmp_path / "cache" / "models").glob("*") if "owner" in one.name or "model" in one.name
        ]


def test_only_the_files_that_a_model_is_loaded_from_are_fetched() -> None:
    settings = dict.fromkeys(("config.json", "tokenizer.json", "tokenizer_config.json", "1_Pooling/config.json"), 1)
    others = dict.fromkeys(("README.md", "pytorch_model.bin", "onnx/model_quantized.onnx", "../model.onnx"), 1)
    graph = {"onnx/model.onnx": 1, "onnx/model.onnx_data": 1}
    rows = {"model.safetensors": 1}
    nested = dict.fromkeys(("0_StaticEmbedding/model.safetensors", "0_StaticEmbedding/tokenizer.json"), 1)
    everything = {**settings, **others, **graph, **rows}
    assert set(needed_files(everything, is_static=False)) == {*settings, *graph}
    assert set(needed_files(everything, is_static=True)) == {*settings, *rows}
    assert set(needed_files({**settings, **others, **nested}, is_static=False)) == {*settings, *nested}
    assert needed_files({**settings, **others, **rows}, is_static=False) == ()


@pytest.mark.parametrize("name", ["minilm", "../model", "a/b/c", "owner/..", "owner/ name", "/etc", "ownér/name", ""])
def test_other_names_are_none_of_the_hub(name: str) -> None:
    assert hub_name(name) is None
