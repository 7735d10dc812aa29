"""Answers of cocoindex-code: asked by benchmarks/search.py in an interpreter that has it and loads SQLite extensions.

usage: python benchmarks/peers/with_cocoindex.py CORPORA ANSWERS QUESTIONS MODEL

MODEL is a folder in model2vec's format (``static_model.py`` makes one), served on loopback as an OpenAI-compatible
server would: its own default comes from a hub and needs torch. Everything else is as it ships. It keeps its index in
the project, so each project is copied first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOP = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpora", "answers", "questions", "model"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    questions = [json.loads(line) for line in args.questions.read_text("utf-8").splitlines() if line]
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(args.model))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        # Nothing is fetched, and what it keeps is gone with the run.
        os.environ |= {
            "HF_HUB_OFFLINE": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "COCOINDEX_DISABLE_USAGE_TRACKING": "1",
            "OPENAI_API_BASE": f"http://127.0.0.1:{server.server_port}/v1",
            "OPENAI_API_KEY": "none",
            "HOME": scratch,
        }
        answers = asyncio.run(answers_of(args.corpora, questions, Path(scratch)))
    server.shutdown()
    args.answers.write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")


async def answers_of(corpora: Path, questions: list[dict[str, Any]], scratch: Path) -> list[dict[str, Any]]:
    """One answer a question, as the other peers give them."""
    from cocoindex_code.project import Project
    from cocoindex_code.settings import EmbeddingSettings, default_project_settings, save_project_settings
    from cocoindex_code.shared import create_embedder

    embedder = create_embedder(EmbeddingSettings(model="openai/static", provider="litellm", min_interval_ms=0))
    answers = []
    for name in dict.fromkeys(question["corpus"] for question in questions):
        root = scratch / name
        shutil.copytree(corpora / name, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        save_project_settings(root, default_project_settings())
        project = await Project.create(root, embedder, {}, {})
        await project.run_index()
        for question in questions:
            if question["corpus"] == name:
                found = await project.search(question["question"], limit=TOP)
                spans = [{"file": one.file_path, "start": one.start_line, "end": one.end_line} for one in found]
                files = list(dict.fromkeys(one.file_path for one in found))
                answers.append({"corpus": name, "question": question["question"], "files": files, "spans": spans})
        project.close()
    return answers


def _handler(folder: Path) -> type[BaseHTTPRequestHandler]:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(str(folder))

    class Embeddings(BaseHTTPRequestHandler):
        """``POST /v1/embeddings``."""

        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [given["input"]] if isinstance(given["input"], str) else given["input"]
            vectors = model.encode(texts, use_multiprocessing=False, max_length=None)
            data = [
                {"object": "embedding", "index": place, "embedding": [float(value) for value in vector]}
                for place, vector in enumerate(vectors)
            ]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            body = json.dumps({"object": "list", "data": data, "model": given["model"], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed of a request."""

    return Embeddings


if __name__ == "__main__":
    main()
