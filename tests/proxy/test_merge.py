"""Other programs' settings files with our entry in them: the rest stays as it was, to the byte."""

import json
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from helix_ls.proxy.config_files import FileError, MergeError, parsed, planned, with_entry, with_member, with_table

PATH = ("mcpServers", "helix")
ENTRY = {"command": "helix", "args": ["mcp", "/a b/ž"]}
JSONC = """// mine
{
    /* servers */
    "mcpServers": {
        "other": { "command": "x", "env": {"A": "//no comment"} }, // last
    },
    "theme": "dark" // the end
}
"""


@pytest.mark.parametrize(
    "text",
    [
        JSONC,
        JSONC.replace("\n", "\r\n"),
        "",
        "{}",
        "{}\n",
        "{ }",
        '{"a":1}',
        '{"a":1,}',
        '{\n\t"a": [1, 2, ],\n\t"mcpServers": {}\n}\n',
        '{"mcpServers": {"other": {"command": "x"}}}',
        "{\n  // nothing yet\n}\n",
        '\ufeff{\n  "a": 1 // one\n}',
    ],
)
def test_a_member_is_put_into_json_with_comments_and_a_second_time_changes_nothing(text):
    new = with_member(text, PATH, ENTRY)
    assert parsed(new)["mcpServers"]["helix"] == ENTRY
    old = parsed(text) if text.strip() else {}
    rest = parsed(new)
    del rest["mcpServers"]["helix"]
    assert {**rest, "mcpServers": rest["mcpServers"] or old.get("mcpServers")} == {"mcpServers": None, **old}
    for comment in ("// mine", "/* servers */", "// last", "// the end", "// nothing yet", "// one"):
        assert (comment in new) == (comment in text)
    assert ("\r\n" in new) == ("\r\n" in text) and new.count("\r\n") in (0, new.count("\n"))
    assert with_member(new, PATH, ENTRY) == new
    other = with_member(new, PATH, {"command": "other"})
    assert parsed(other)["mcpServers"]["helix"] == {"command": "other"}
    assert with_member(other, PATH, ENTRY) == new


def test_strict_json_stays_strict_and_keeps_its_own_indent():
    new = with_member('{\n    "a": {\n        "b": 1\n    }\n}\n', PATH, ENTRY)
    assert json.loads(new)["mcpServers"] == {"helix": ENTRY}
    assert new.startswith('{\n    "a": {\n        "b": 1\n    },\n    "mcpServers": {\n        "helix": {\n')


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"mcpServers": []}', '{"a": 1} x', '{"a": }', '{"a": 1 "b": 2}', "{'a': 1}", "[" * 5000, "/*"]
)
def test_json_that_cannot_be_understood_is_refused(text):
    with pytest.raises(MergeError):
        with_member(text, PATH, ENTRY)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.sampled_from([None, 1, 4, "\t"]),
    st.sampled_from(["helix", "a"]),
    st.booleans(),
)
def test_any_object_keeps_what_it_had(value, indent, name, plain):
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    new = with_member(text, (name,), ENTRY)
    assert json.loads(new) == {**value, name: ENTRY}
    if name not in value:
        assert new.startswith(text[: text.rindex("}")].rstrip())


YAML = """# mine
name: Local
models:
  - name: GPT
    provider: openai   # paid
    roles:
      - chat

# below
context:
  - provider: file
"""
HELIX = {"name": "Helix", "apiKey": "k: #1", "roles": ["chat", "edit"]}


@pytest.mark.parametrize(
    "text",
    [
        YAML,
        YAML.replace("\n", "\r\n"),
        "",
        "# only a word\n",
        "name: x",
        "models:\n",
        "models: []\n",
        "models: [{name: GPT}]\nname: x\n",
        "models:\n- name: GPT\n  provider: y",
        "models:\n  - name: GPT\n    text: |\n      a\n      b\nname: x\n",
        "models:\n  - uses: a/b\nrules: []\n",
    ],
)
def test_an_entry_is_put_into_yaml_and_a_second_time_changes_nothing(text):
    begins = "name: Local\nversion: 1.0.0\n"
    new = with_entry(text, "models", HELIX, new_file=begins)
    said, old = yaml.safe_load(new), yaml.safe_load(text)
    assert said["models"][-1] == HELIX
    assert said["models"][:-1] == ((old or {}).get("models") or [])
    assert {**said, "models": None} == {**(old or {"name": "Local", "version": "1.0.0"}), "models": None}
    for comment in ("# mine", "# paid", "# below", "# only a word"):
        assert (comment in new) == (comment in text)
    assert with_entry(new, "models", HELIX, new_file=begins) == new
    moved = {**HELIX, "apiKey": "other"}
    other = with_entry(new, "models", moved, new_file=begins)
    assert yaml.safe_load(other)["models"] == [*said["models"][:-1], moved]
    assert with_entry(other, "models", HELIX, new_file=begins) == new


def test_an_entry_of_ours_is_replaced_where_it_stands_and_its_neighbours_stay():
    text = YAML.replace("\n# below", "  - name: Helix\n    model: old\n  - name: Last\n\n# below")
    new = with_entry(text, "models", HELIX)
    assert [each["name"] for each in yaml.safe_load(new)["models"]] == ["GPT", "Helix", "Last"]
    assert new.replace('  - name: "Helix"\n    apiKey: "k: #1"\n    roles: ["chat", "edit"]\n', "") == text.replace(
        "  - name: Helix\n    model: old\n", ""
    )


@pytest.mark.parametrize("text", ["a: [", "- a", "models: x\n", "models: {a: 1}", "{a: 1}", "a: b: c", "\x00"])
def test_yaml_that_cannot_be_understood_is_refused(text):
    with pytest.raises(MergeError):
        with_entry(text, "models", HELIX)


TOML = 'model = "o3" # best\n\n[mcp_servers.other]\ncommand = "x"\n\n# after\n[tui]\ntheme = "dark"\n'


@pytest.mark.parametrize(
    "text",
    [
        TOML,
        TOML.replace("\n", "\r\n"),
        "",
        'a = "b"',
        TOML.replace("# after", '[mcp_servers.helix] # ours\ncommand = "old"\nenv = "z"\n\n# after'),
        'mcp_servers = {helix = {command = "x", env = "z"}}\n',
        TOML + '[ mcp_servers . "helix" ]\ncommand = "old"\n',
    ],
)
def test_a_table_is_put_into_toml_and_a_second_time_changes_nothing(text):
    new = with_table(text, ("mcp_servers", "helix"), ENTRY)
    said, old = tomllib.loads(new), tomllib.loads(text)
    assert said.pop("mcp_servers")["helix"] == ENTRY
    old.pop("mcp_servers", None)
    assert said == old
    for line in ('model = "o3" # best', "# after", 'theme = "dark"'):
        assert (line in new) == (line in text)
    assert with_table(new, ("mcp_servers", "helix"), ENTRY) == new


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = 1", "mcp_servers = {helix = 1}", "[a]\n[a]\n"])
def test_toml_that_cannot_be_changed_in_its_place_is_refused(text):
    with pytest.raises(MergeError):
        with_table(text, ("mcp_servers", "helix"), ENTRY)


def test_what_was_there_first_is_kept_however_fast_changes_follow(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text('{"first": 1}')
    kept = [planned(file, lambda text, n=n: f"{text} {n}").write() for n in range(5)]
    assert len(set(kept)) == 5
    assert kept[0].read_text() == '{"first": 1}'
    assert [one.read_text() for one in kept[1:]] == [
        '{"first": 1}' + "".join(f" {m}" for m in range(n)) for n in range(1, 5)
    ]


def test_a_folder_in_the_files_place_is_named(tmp_path):
    with pytest.raises(FileError, match="is not a file"):
        planned(tmp_path, str)
