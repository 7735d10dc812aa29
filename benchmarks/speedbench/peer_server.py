"""Runs in the peer's own Python: its HTTP server, ``python peer_server.py PORT``.

The peer tags with spaCy's ``en_core_web_sm``. Where that model is not installed it gets an English tokenizer with
rule-based sentences instead, which is faster than the model: the comparison errs in the peer's favour.
"""

from __future__ import annotations

import sys


def _pipeline() -> str:
    try:
        import spacy
        from spacy.language import Language
    except ImportError:
        return "none"
    try:
        spacy.load("en_core_web_sm")
    except OSError:
        import helix_context.tagger as tagger

        @Language.component("no_dependencies")
        def no_dependencies(document):  # type: ignore[no-untyped-def]
            for token in document:
                token.dep_ = "dep"
            return document

        pipeline = spacy.blank("en")
        pipeline.max_length = 4_000_000
        pipeline.add_pipe("no_dependencies")
        pipeline.add_pipe("sentencizer")
        pipeline.add_pipe("entity_ruler").add_patterns(tagger._build_project_patterns())
        tagger._get_nlp = lambda: pipeline
        return "blank English pipeline in place of en_core_web_sm"
    return "en_core_web_sm"


if __name__ == "__main__":
    print(f"tagger: {_pipeline()}", flush=True)
    import uvicorn
    from helix_context.config import load_config
    from helix_context.server import create_app

    uvicorn.run(create_app(load_config()), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
