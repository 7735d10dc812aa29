"""Literal facts ``key = value`` of a masked file: constants in code, configuration, and what documents say of them.

Linear time: RE2 over bytes, one pass, no backtracking; what it finds is bounded a file. Values that touch a masked span
are never claims. Keys are dotted with the class, table, section or mapping they lie in, and as written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import tree_sitter

from helix_core.ingest import claim_code, claim_config, claim_docs
from helix_core.ingest.claim_values import Found, value_of
from helix_core.ingest.secrets import Masked
from helix_core.lines import with_line_feeds
from helix_core.model import Claim

MOST_CLAIMS = 500
_MOST_CANDIDATES = 5000
_LONGEST_KEY = 160

_BRACED = (
    *("javascript", "typescript", "tsx", "rust", "java", "c", "cpp", "c_sharp", "php", "kotlin", "swift"),
    *("scala", "lua", "css", "scss", "dart", "zig", "groovy"),
)
_FINDERS: dict[str, Callable[[bytes], Iterator[Found]]] = {
    **dict.fromkeys(("python", "ruby"), claim_code.indented_claims),
    **dict.fromkeys(_BRACED, claim_code.braced_claims),
    "go": claim_code.go_claims,
    **dict.fromkeys(("ini", "properties", "cfg", "conf"), claim_config.ini_claims),
    "toml": claim_config.toml_claims,
    "yaml": claim_config.yaml_claims,
    "json": claim_config.json_claims,
    "dockerfile": claim_config.dockerfile_claims,
    **dict.fromkeys(("bash", "env", "dotenv", "make", "makefile"), claim_config.shell_claims),
    **dict.fromkeys(("markdown", "rst", "text"), claim_docs.document_claims),
}


def find(masked: Masked, language: str, _tree: tree_sitter.Tree | None = None) -> list[Claim]:
    """The claims of a file in order of their lines, at most ``MOST_CLAIMS``.

    The tree is not needed: line patterns were measured to be faster than a query and its captures.
    """
    finder = _FINDERS.get(language)
    if finder is None:
        return []
    data = with_line_feeds(masked.data)
    claims: list[Claim] = []
    line, position = 1, 0
    for found in islice(finder(data), _MOST_CANDIDATES):
        stated = value_of(data[found.start : found.end], found.bare)
        if stated is None or len(found.key) > _LONGEST_KEY or masked.overlaps(found.start, found.end):
            continue
        line += data.count(b"\n", position, found.start)
        position = found.start
        value, value_type = stated
        claims.append(Claim(masked.clean(found.key), masked.clean(value.decode("utf-8", "replace")), value_type, line))
        if len(claims) == MOST_CLAIMS:
            break
    return claims
