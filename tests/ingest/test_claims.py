"""Literal facts, found where people write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.ingest.claims import _FINDERS, MOST_CLAIMS, find
from helix_core.secrets.masking import mask


def claims_of(text: str, language: str) -> list[tuple[int, str, str, str]]:
    found = find(mask(text.encode()), language)
    return [(claim.line, claim.key, claim.value, claim.value_type) for claim in found]


def test_python_states_module_class_and_parameter_defaults() -> None:
    text = '''"""PORT = 1 inside a docstring is not a claim."""
DEFAULT_TIMEOUT = 30
RATIO: float = 0.5  # a comment
NAME = "helix"
DEBUG = False
URL = 'https://example.org/x'
HOME = "/var/lib/helix"
VERSION = "1.2.3"
DAY = 60 * 60 * 24
COMPUTED = other()
TEXT = f"{x}"


class Settings(Base):
    retries = 3

    class Meta:
        ordering = "name"

    def run(self, host="127.0.0.1", port: int = 5000, debug=None):
        local = 12
        return local

    def long(
        self,
        size: int = 10,
    ) -> None:
        inner = 1


OPTIONS = {
    "depth": 4,
    "nested": {
        "limit": 8,
    },
}
'''
    assert claims_of(text, "python") == [
        (2, "DEFAULT_TIMEOUT", "30", "int"),
        (3, "RATIO", "0.5", "float"),
        (4, "NAME", "helix", "string"),
        (5, "DEBUG", "False", "bool"),
        (6, "URL", "https://example.org/x", "url"),
        (7, "HOME", "/var/lib/helix", "path"),
        (8, "VERSION", "1.2.3", "version"),
        (9, "DAY", "60 * 60 * 24", "int"),
        (15, "Settings.retries", "3", "int"),
        (18, "Settings.Meta.ordering", "name", "string"),
        (20, "Settings.run.host", "127.0.0.1", "string"),
        (20, "Settings.run.port", "5000", "int"),
        (26, "Settings.long.size", "10", "int"),
        (32, "OPTIONS.depth", "4", "int"),
        (34, "OPTIONS.nested.limit", "8", "int"),
    ]


@pytest.mark.parametrize(
    ("language", "text", "key", "value", "value_type"),
    [
        ("javascript", "const PORT = 8080;\n", "PORT", "8080", "int"),
        ("typescript", "export const BASE: string = 'https://api.x.org';\n", "BASE", "https://api.x.org", "url"),
        ("tsx", "export const config = {\n  retry: { \n    max: 3,\n  },\n};\n", "config.retry.max", "3", "int"),
        ("go", "const (\n\tMaxSize = 1024\n)\n", "MaxSize", "1024", "int"),
        ("go", 'var addr string = ":8080"\n', "addr", ":8080", "string"),
        ("rust", "pub const LIMIT: usize = 10_000;\n", "LIMIT", "10_000", "int"),
        ("rust", "impl Cache {\n    const SIZE: u32 = 7u32;\n}\n", "Cache.SIZE", "7u32", "int"),
        ("java", "public class A {\n    private static final int X = 3;\n}\n", "A.X", "3", "int"),
        ("c", "#define PORT 8080 /* why */\n", "PORT", "8080", "int"),
        ("c", "enum color {\n    RED = 1,\n};\n", "color.RED", "1", "int"),
        ("cpp", "namespace net {\nconstexpr int kPort = 80;\n}\n", "kPort", "80", "int"),
        ("c_sharp", "class A\n{\n}\nclass B {\n  public int Port { get; set; } = 5;\n}\n", "B.Port", "5", "int"),
        ("kotlin", "const val RATE = 2.5f\n", "RATE", "2.5f", "float"),
        ("swift", "struct S {\n  static let depth = 4\n}\n", "S.depth", "4", "int"),
        ("php", "<?php\nconst X = 1;\n$host = 'localhost';\n", "host", "localhost", "string"),
        ("ruby", "module Net\n  PORT = 80\n  def go\n    x = 1\n  end\nend\n", "Net.PORT", "80", "int"),
        ("lua", "local depth = 4\n", "depth", "4", "int"),
        ("scala", "object C {\n  val Size = 12\n}\n", "C.Size", "12", "int"),
    ],
)
def test_constants_of_other_languages(language: str, text: str, key: str, value: str, value_type: str) -> None:
    assert (key, value, value_type) in [claim[1:] for claim in claims_of(text, language)]


def test_what_a_function_keeps_to_itself_is_no_claim() -> None:
    assert claims_of("function f(a) {\n  const x = 5;\n}\n", "javascript") == []
    assert claims_of("def f():\n    x = 5\n", "python") == []


def test_toml_keys_carry_their_table() -> None:
    text = "[tool.ruff]\nline-length = 120  # wide\n"
    text += '[[server]]\nport = 1\n[[server]]\nport = 2\n[deps]\nserde = { version = "1.0" }\n'
    assert claims_of(text, "toml") == [
        (2, "tool.ruff.line-length", "120", "int"),
        (4, "server[0].port", "1", "int"),
        (6, "server[1].port", "2", "int"),
        (8, "deps.serde.version", "1.0", "version"),
    ]


def test_yaml_keys_carry_their_path() -> None:
    text = """services:
  web:
    image: nginx:1.25   # pinned
    debug: no
    command: |
      port: 99
    steps:
      - uses: actions/checkout
        with:
          depth: 0
      - run: make
name: "x"
"""
    assert claims_of(text, "yaml") == [
        (3, "services.web.image", "nginx:1.25", "string"),
        (4, "services.web.debug", "no", "bool"),
        (8, "services.web.steps[0].uses", "actions/checkout", "path"),
        (10, "services.web.steps[0].with.depth", "0", "int"),
        (11, "services.web.steps[1].run", "make", "string"),
        (12, "name", "x", "string"),
    ]


def test_json_keys_carry_their_path() -> None:
    text = '{"a": {"port": 8080, "list": [{"x": 1}, {"x": 2}], "brace": "}"},\n "b": true, "none": null}'
    assert claims_of(text, "json") == [
        (1, "a.port", "8080", "int"),
        (1, "a.list[0].x", "1", "int"),
        (1, "a.list[1].x", "2", "int"),
        (1, "a.brace", "}", "string"),
        (2, "b", "true", "bool"),
    ]


def test_ini_properties_and_environment_files() -> None:
    assert claims_of("[server]\nport = 80 ; web\nhost: a.b\n", "ini") == [
        (2, "server.port", "80", "int"),
        (3, "server.host", "a.b", "string"),
    ]
    assert claims_of("server.port=80\r\n", "properties") == [(1, "server.port", "80", "int")]
    assert claims_of('export PORT=80\nNAME="x y"\nLEVEL="${LEVEL:-info}"\nD=$(pwd)\n', "bash") == [
        (1, "PORT", "80", "int"),
        (2, "NAME", "x y", "string"),
        (3, "LEVEL", "info", "string"),
    ]


def test_dockerfiles_state_base_image_environment_and_ports() -> None:
    text = "FROM python:3.11-slim AS base\nARG UID=1000\n"
    text += "ENV PORT=80 MODE=prod\nENV HOME /srv\nEXPOSE 80 443/tcp\nWORKDIR /app\n"
    assert claims_of(text, "dockerfile") == [
        (1, "FROM.python", "3.11-slim", "version"),
        (2, "UID", "1000", "int"),
        (3, "PORT", "80", "int"),
        (3, "MODE", "prod", "string"),
        (4, "HOME", "/srv", "path"),
        (5, "EXPOSE", "80", "int"),
        (5, "EXPOSE", "443", "int"),
        (6, "WORKDIR", "/app", "path"),
    ]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("`PORT` defaults to `8080`.\n", "PORT", "8080"),
        ("`REQUEST_TIMEOUT` is 30 seconds.\n", "REQUEST_TIMEOUT", "30"),
        ("It says hello. `MAX` is 4.\n", "MAX", "4"),
        ("Here `REQUEST_TIMEOUT` is `30` by default, as it was.\n", "REQUEST_TIMEOUT", "30"),
        ("`TOKEN_HOURS` is 12 hours\n", "TOKEN_HOURS", "12"),
        ("``app.timeout`` (default: ``30``)\n", "app.timeout", "30"),
        ("`NESTING_LIMIT` which is 1000 by default but can be changed.\n", "NESTING_LIMIT", "1000"),
        ("at most `NESTING_LIMIT` (1000 by default) levels\n", "NESTING_LIMIT", "1000"),
        ("`NESTING_LIMIT`, 1000 by\n  default, says so\n", "NESTING_LIMIT", "1000"),
        ("`NESTING_LIMIT` (default: 1000)\n", "NESTING_LIMIT", "1000"),
        ("The `NESTING_LIMIT` defaults to 1000.\n", "NESTING_LIMIT", "1000"),
        ("Set `port = 8080` first.\n", "port", "8080"),
        (".. setting:: CACHE_TTL\n\n``CACHE_TTL``\n-------------\n\nDefault: ``600``\n", "CACHE_TTL", "600"),
        ("## MAX_SIZE\n\nDefault: `10`\n", "MAX_SIZE", "10"),
    ],
)
def test_documents_claim_defaults(text: str, key: str, value: str) -> None:
    for language in ("markdown", "rst"):
        assert (key, value) in [(claim[1], claim[2]) for claim in claims_of(text, language)]


@pytest.mark.parametrize(
    "text",
    [
        "`NESTING_LIMIT` is read 1000 times by default.\n",
        "`WAIT_MS` is 30 seconds by default.\n",
        "such as `NESTING_LIMIT` (1000 by default)\n",
        "`NESTING_LIMIT` items, 1000 by default\n",
        "`NESTING_LIMIT` (default: 1000 or less)\n",
    ],
)
def test_a_number_that_is_not_the_constants_own_is_no_claim(text: str) -> None:
    for language in ("markdown", "rst"):
        assert claims_of(text, language) == []


def test_a_macro_between_guards_and_in_parentheses_is_a_constant() -> None:
    text = "#ifndef NESTING_LIMIT\n#define NESTING_LIMIT 1000\n#endif\n#  define SIZE (1024 * 4)\n"
    assert [claim[1:3] for claim in claims_of(text, "c")] == [("NESTING_LIMIT", "1000"), ("SIZE", "1024 * 4")]


def test_a_keyword_argument_in_prose_is_no_claim() -> None:
    assert claims_of("Pass `force=True` to insert.\n", "rst") == []


def test_a_secret_is_never_a_claim() -> None:
    text = 'API_KEY = "AKIA2E0A8F3B244C9986"\nPORT = 80\nDB_PASSWORD = "kX9#mP2$vL"\n'
    assert claims_of(text, "python") == [(2, "PORT", "80", "int")]


def test_claims_of_one_file_are_bounded() -> None:
    assert len(claims_of("".join(f"K{n} = {n}\n" for n in range(5000)), "python")) == MOST_CLAIMS
    assert claims_of(f'X = "{"long " * 60}"\n', "python") == []


def test_lines_are_right_with_windows_line_ends_and_odd_bytes() -> None:
    claims = find(mask(b"\xff\xfe\r\nA = 1\r\n# \xe9\r\nB = 2\r\n"), "python")
    assert [(claim.line, claim.key) for claim in claims] == [(2, "A"), (4, "B")]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(_FINDERS)),
    st.lists(
        st.sampled_from(
            [
                "a",
                " ",
                "\n",
                "=",
                ":",
                '"',
                "'",
                "`",
                "[",
                "]",
                "{",
                "}",
                "(",
                ")",
                "- ",
                "#",
                '"""',
                "class A:\n",
                "def f(",
                "1",
                "\\",
                "|",
                ",",
            ]
        )
    ).map("".join),
)
def test_any_text_has_claims_inside_its_own_lines(language: str, text: str) -> None:
    last = text.count("\n") + 1
    assert all(1 <= claim.line <= last for claim in find(mask(text.encode()), language))


HOSTILE = (
    b'"""' + b"a = 1\n",
    b"[" * 8 + b"a.",
    b"- " * 40,
    b'"a":{',
    b"a = '",
    b"`a` defaults to ",
    b"x:\n ",
    b"class A {\n",
)


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(set(_FINDERS) - {"tsx", "cfg", "conf", "env", "dotenv"}))
def test_hostile_text_costs_linear_time(language: str) -> None:
    for piece in HOSTILE:
        small, large = piece * (12_500 // len(piece)), piece * (100_000 // len(piece))
        costs = []
        for data in (small, large):
            masked = mask(b"")
            masked = type(masked)(data)
            began = time.process_time()
            find(masked, language)
            costs.append(time.process_time() - began)
        assert costs[1] <= 8 * 4 * max(costs[0], 0.005), (language, piece)


@pytest.mark.parametrize(
    "text",
    [
        "Example::\n\n    DEPTH = 3\n",
        "```toml\nline-length = 100\n```\n",
        "For example, ``COOKIE_DOMAIN = '.example.com'`` shares it.\n",
        "You can use `RETRY_COUNT = 3` to be patient.\n",
    ],
)
def test_what_an_example_sets_is_no_claim(text: str) -> None:
    for language in ("markdown", "rst"):
        assert claims_of(text, language) == []
