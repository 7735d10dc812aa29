"""Answers of semble, where it is installed: asked by benchmarks/search.py in an interpreter that has it.

usage: python benchmarks/peers/with_semble.py CORPORA ANSWERS QUESTIONS MODEL [--content code|all]

MODEL is a folder in model2vec's format (``static_model.py`` makes one): semble's own comes from a hub. Everything else
is as it ships: its chunks, its BM25, its fusion and its priors.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

TOP = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpora", "answers", "questions", "model"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--content", choices=("code", "all"), default="code")
    args = parser.parse_args()
    questions = [json.loads(line) for line in args.questions.read_text("utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as cache:
        # Nothing is fetched, and what it keeps is gone with the run.
        os.environ |= {"HF_HUB_OFFLINE": "1", "SEMBLE_CACHE_LOCATION": cache, "HOME": cache}
        answers = answers_of(args, questions)
    args.answers.write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")


def answers_of(args: argparse.Namespace, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One answer a question, as the other peers give them."""
    from semble import SembleIndex
    from semble.types import ContentType

    content = [ContentType.CODE] if args.content == "code" else list(ContentType)
    answers = []
    for name in dict.fromkeys(question["corpus"] for question in questions):
        index = SembleIndex.from_path(args.corpora / name, content=content, model_path=str(args.model))
        for question in questions:
            if question["corpus"] == name:
                chunks = [found.chunk for found in index.search(question["question"], top_k=TOP)]
                spans = [{"file": one.file_path, "start": one.start_line, "end": one.end_line} for one in chunks]
                files = list(dict.fromkeys(one.file_path for one in chunks))
                answers.append({"corpus": name, "question": question["question"], "files": files, "spans": spans})
    return answers


if __name__ == "__main__":
    main()
