"""Settings: the later layer wins, each value knows its origin, and what is wrong is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.config import Config, explain, load_config
from helix_core.config.load import MAX_BYTES, read
from helix_core.config.settings import SETTINGS
from helix_core.errors import ConfigError, HelixError


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "user" / "config.toml"


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def load(workspace: Path, user: Path, **environ: str) -> Config:
    return load_config(workspace, environ={"HELIX_CACHE_DIR": "/cache", **environ}, user=user)


def refusal(workspace: Path, user: Path, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(workspace, user, **environ)
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value), "the next action is missing"
    return str(caught.value)


def test_without_any_file_the_defaults_hold(tmp_path: Path, user: Path) -> None:
    config = load(tmp_path, user)
    assert (config.max_file_bytes, config.workers, config.exclude) == (2 * 1024 * 1024, 2, ())
    assert config.prefer_implementation is True
    assert config.reingest_budget_ms == 25
    assert config.warnings == ()


def test_workspace_beats_user_and_environment_beats_both(tmp_path: Path, user: Path) -> None:
    write(user, "[index]\nworkers = 3\nmax_file_bytes = 4096\nexclude = ['*.gen']\n")
    write(tmp_path / "helix.toml", "[index]\nworkers = 4\nmax_file_bytes = 8192\n")
    config = load(tmp_path, user, HELIX_INDEX_WORKERS="5")
    assert (config.workers, config.max_file_bytes, config.exclude) == (5, 8192, ("*.gen",))


def test_every_value_knows_file_and_line_or_variable(tmp_path: Path, user: Path) -> None:
    write(user, "# mine\n\n[packet]\nreingest_budget_ms = 10\n")
    write(tmp_path / "helix.toml", "index.workers = 1\n")
    config = load(tmp_path, user, HELIX_SEARCH_PREFER_IMPLEMENTATION="off")
    origins = {each.setting.key: (each.origin.source, each.origin.place) for each in explain(config)}
    assert origins == {
        "cache_dir": ("environment", "HELIX_CACHE_DIR"),
        "data_dir": ("default", ""),
        "index.max_file_size": ("default", ""),
        "index.max_files": ("default", ""),
        "index.include": ("default", ""),
        "index.workers": ("workspace", f"{tmp_path / 'helix.toml'}:1"),
        "index.exclude": ("default", ""),
        "search.prefer_implementation": ("environment", "HELIX_SEARCH_PREFER_IMPLEMENTATION"),
        "packet.reingest_budget_ms": ("user", f"{user}:4"),
        "proxy.upstream": ("default", ""),
        "proxy.upstreams": ("default", ""),
        "proxy.port": ("default", ""),
        "proxy.budget_tokens": ("default", ""),
        "proxy.idle_s": ("default", ""),
        "mcp.write_tools": ("default", ""),
        "proxy.no_thinking": ("default", ""),
        "window.tokenizer": ("default", ""),
        "window.small_models": ("default", ""),
        "window.condense_prose": ("default", ""),
        "memory.learn": ("default", ""),
        "memory.extractor_model": ("default", ""),
        "memory.tie_break_model": ("default", ""),
        "memory.monthly_token_budget": ("default", ""),
        "memory.review_agents": ("default", ""),
        "memory.co_use": ("default", ""),
        "trail.record": ("default", ""),
        "trail.prior": ("default", ""),
        "search.co_change": ("default", ""),
        "search.rerank": ("default", ""),
        "search.rerank_budget_ms": ("default", ""),
        "embed.model": ("default", ""),
        "embed.background": ("default", ""),
        **{key: ("default", "") for key in SETTINGS if key.startswith("otel.")},
    }


def test_every_setting_has_a_field_a_meaning_and_a_default_within_its_bounds() -> None:
    for setting in SETTINGS.values():
        assert setting.field in Config.__dataclass_fields__
        assert setting.meaning
        if setting.low is not None and setting.high is not None:
            assert isinstance(setting.default, int | float)
            assert setting.low <= setting.default <= setting.high


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("4096", 4096),
        ('"4096"', 4096),
        ('"4096 bytes"', 4096),
        ('"1.5 KB"', 1536),
        ('"3MB"', 3 * 1024**2),
        ('" 3 MiB "', 3 * 1024**2),
        ('"3m"', 3 * 1024**2),
    ],
)
def test_a_size_has_a_unit_or_is_in_bytes(tmp_path: Path, user: Path, written: str, size: int) -> None:
    write(user, f"[index]\nmax_file_size = {written}\n")
    assert load(tmp_path, user).max_file_bytes == size
    assert load(tmp_path, user, HELIX_INDEX_MAX_FILE_SIZE=written.strip('"')).max_file_bytes == size


def test_a_size_is_shown_in_the_largest_unit_that_is_exact(tmp_path: Path, user: Path) -> None:
    for written, shown in (("2097152", "2 MB"), ("2560", "2560 bytes"), ('"3 KB"', "3 KB")):
        write(user, f"[index]\nmax_file_size = {written}\n")
        values = {each.setting.key: each.value for each in explain(load(tmp_path, user))}
        assert values["index.max_file_size"] == shown
        size = load(tmp_path, user).max_file_bytes
        write(user, f'[index]\nmax_file_size = "{shown}"\n')
        assert load(tmp_path, user).max_file_bytes == size, "what is shown can be written"


def test_the_older_name_of_a_size_is_read_after_its_own_in_the_same_place(tmp_path: Path, user: Path) -> None:
    def place(config: Config) -> tuple[int, str]:
        (one,) = (each for each in explain(config) if each.setting.key == "index.max_file_size")
        return config.max_file_bytes, one.origin.place.rpartition("/")[2]

    write(user, "[index]\nmax_file_size = '3 MB'\nmax_file_bytes = 4096\n")
    config = load(tmp_path, user)
    assert place(config) == (3 * 1024**2, "config.toml:2")
    (warning,) = config.warnings
    assert "line 3: index.max_file_bytes is the older name of index.max_file_size" in warning
    write(tmp_path / "helix.toml", "[index]\nmax_file_bytes = 8192\n")
    assert place(load(tmp_path, user)) == (8192, "helix.toml:2"), "a later place counts, by whichever name"
    older = {"HELIX_INDEX_MAX_FILE_BYTES": "5000"}
    assert place(load(tmp_path, user, **older)) == (5000, "HELIX_INDEX_MAX_FILE_BYTES")
    assert place(load(tmp_path, user, HELIX_INDEX_MAX_FILE_SIZE="6 KB", **older))[0] == 6144


WRONG = [
    ("[index]\nworkers = = 3\n", ("line 2", "key index.workers")),
    ("index = { workers = 'x' }\n", ("line 1", "key index.workers", "whole number", "'x'")),
    ('[index]\n\nexclude = "*.py"\n', ("line 3", "key index.exclude", "list of text")),
    ("[index]\nexclude = ['a', 3]\n", ("line 2", "key index.exclude")),
    ('[index]\nexclude = ["a\\u0000b"]\n', ("line 2", "key index.exclude")),
    ("[index]\nworkers = 0\n", ("line 2", "1 to 8")),
    ("[index]\nmax_file_bytes = 1e9\n", ("line 2", "key index.max_file_bytes", "a size", '"2 MB"')),
    ('[index]\nmax_file_size = "2 megs"\n', ("line 2", "key index.max_file_size", "a size", "2 megs")),
    ('[index]\nmax_file_size = "1 GB"\n', ("line 2", "1 GB is outside 1 KB to 16 MB")),
    ('[index]\ninclude = "src/"\n', ("line 2", "key index.include", "list of text")),
    ("[index]\nmax_files = -1\n", ("line 2", "0 to 10000000")),
    ("[search]\nprefer_implementation = 1\n", ("line 2", "true or false")),
    ("[packet]\nreingest_budget_ms = nan\n", ("line 2", "0 to 1000")),
    ("[index]\nworkers = 1\nworkers = 2\n", ("line 3", "index.workers")),
    ("[index]\nworkers", ("line 2",)),
]


@pytest.mark.parametrize(("text", "parts"), WRONG)
def test_what_is_wrong_in_the_users_file_is_named_with_file_line_and_key(
    tmp_path: Path, user: Path, text: str, parts: tuple[str, ...]
) -> None:
    write(user, text)
    message = refusal(tmp_path, user)
    assert str(user) in message
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(("text", "parts"), WRONG)
def test_what_is_wrong_in_a_workspace_is_ignored_with_one_warning(
    tmp_path: Path, user: Path, text: str, parts: tuple[str, ...]
) -> None:
    write(tmp_path / "helix.toml", text)
    config = load(tmp_path, user)
    (warning,) = config.warnings
    assert str(tmp_path / "helix.toml") in warning and "ignored" in warning and "\n" not in warning
    assert all(part in warning for part in parts), warning
    assert (config.workers, config.exclude, config.reingest_budget_ms) == (2, (), 25)


def test_a_wrong_value_of_a_workspace_leaves_the_users_and_its_own_right_ones(tmp_path: Path, user: Path) -> None:
    write(user, "[index]\nworkers = 4\n")
    write(tmp_path / "helix.toml", "[index]\nworkers = 64\nexclude = ['out/']\n")
    config = load(tmp_path, user)
    assert (config.workers, config.exclude, len(config.warnings)) == (4, ("out/",), 1)
    assert load(tmp_path, user, HELIX_INDEX_WORKERS="3").workers == 3


def test_a_workspace_with_a_thousand_wrong_lines_gets_few_warnings(tmp_path: Path, user: Path) -> None:
    write(tmp_path / "helix.toml", "".join(f"'{'x' * 500}{number}' = 1\n" for number in range(300)))
    warnings = load(tmp_path, user).warnings
    assert len(warnings) == 5 and all(len(warning) < 300 + len(str(tmp_path)) for warning in warnings)
    assert "296 more" in warnings[-1]


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path, user: Path) -> None:
    user.parent.mkdir()
    user.write_bytes(b"[index]\n# caf\xe9\n")
    assert "line 2" in refusal(tmp_path, user)


def test_a_variable_that_cannot_be_understood_is_named(tmp_path: Path, user: Path) -> None:
    assert "HELIX_INDEX_WORKERS" in refusal(tmp_path, user, HELIX_INDEX_WORKERS="two")
    assert "HELIX_CACHE_DIR" in refusal(tmp_path, user, HELIX_CACHE_DIR="not/absolute")


def test_an_empty_variable_says_nothing(tmp_path: Path, user: Path) -> None:
    assert load(tmp_path, user, HELIX_INDEX_WORKERS="").workers == 2


def test_unknown_keys_are_warnings_with_a_suggestion(tmp_path: Path, user: Path) -> None:
    write(tmp_path / "helix.toml", "[index]\nworker = 3\n[packets]\nreingest_budget_ms = 3\n[zebra]\nstripes = 4\n")
    warnings = load(tmp_path, user, HELIX_INDEX_WORKER="4", HELIX_RUNTIME="/usr/lib/helix").warnings
    assert len(warnings) == 4
    assert "line 2: nothing is called index.worker; did you mean index.workers?" in warnings[0]
    assert "did you mean packet.reingest_budget_ms?" in warnings[1]
    assert "zebra.stripes; see helix config --explain" in warnings[2]
    assert "did you mean HELIX_INDEX_WORKERS?" in warnings[3]


def test_a_workspace_sets_no_path(tmp_path: Path, user: Path) -> None:
    write(tmp_path / "helix.toml", "cache_dir = '/tmp/mine'\n")
    config = load(tmp_path, user)
    assert config.cache_dir == Path("/cache")
    assert "not taken from a workspace" in config.warnings[0]
    write(user, "cache_dir = '/tmp/mine'\n")
    assert load_config(None, environ={}, user=user).cache_dir == Path("/tmp/mine")


def test_a_home_in_a_path_is_expanded(tmp_path: Path, user: Path) -> None:
    assert load(tmp_path, user, HELIX_CACHE_DIR="~/cache").cache_dir == Path.home() / "cache"


def test_a_link_in_the_workspace_is_not_followed_but_the_users_own_is(tmp_path: Path, user: Path) -> None:
    secret = write(tmp_path / "elsewhere.toml", "[index]\nworkers = 7\n")
    (tmp_path / "helix.toml").symlink_to(secret)
    config = load(tmp_path, user)
    assert config.workers == 2 and "helix.toml" in config.warnings[0]
    (tmp_path / "helix.toml").unlink()
    user.parent.mkdir()
    user.symlink_to(secret)
    assert load(tmp_path, user).workers == 7


def test_a_pipe_or_folder_in_place_of_the_file_does_not_block(tmp_path: Path, user: Path) -> None:
    (tmp_path / "helix.toml").mkdir()
    assert "helix.toml" in load(tmp_path, user).warnings[0]
    (tmp_path / "helix.toml").rmdir()
    os.mkfifo(tmp_path / "helix.toml")
    assert "not a file" in load(tmp_path, user).warnings[0]


def test_a_huge_or_deep_file_is_refused(tmp_path: Path, user: Path) -> None:
    write(user, "#" * (MAX_BYTES + 1))
    assert "KiB" in refusal(tmp_path, user)
    write(user, "a = " + "[" * 50_000)
    assert "config.toml" in refusal(tmp_path, user)


@given(data=st.binary(max_size=400) | st.text("[]=\n.\"'#abix 12{}\\", max_size=200).map(str.encode))
def test_no_bytes_do_more_than_be_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(data)
    try:
        keys = read(file)
    except HelixError as error:
        assert str(file) in str(error)
    else:
        assert all(written.line >= 0 for written in keys.values())


def test_only_the_user_says_where_chats_are_sent(tmp_path: Path, user: Path) -> None:
    write(user, "[proxy]\nupstream = 'http://127.0.0.1:11434/'\n")
    write(tmp_path / "helix.toml", "[proxy]\nupstream = 'http://192.0.2.1/v1'\nidle_s = 1\n")
    config = load(tmp_path, user)
    assert (config.upstream, config.proxy_idle_s) == ("http://127.0.0.1:11434", 120)
    assert ["proxy.upstream" in line or "proxy.idle_s" in line for line in config.warnings] == [True, True]
    assert load(tmp_path, user, HELIX_UPSTREAM="https://example.invalid/v1").upstream == "https://example.invalid/v1"


@pytest.mark.parametrize(
    "address",
    ["example.invalid", "file:///etc", "http:///x", "http://a:b@c/", "http://a/?key=1", "http://a:x/", "http://a b/"],
)
def test_an_upstream_that_is_no_plain_address_is_refused_without_saying_it_again(
    tmp_path: Path, user: Path, address: str
) -> None:
    said = refusal(tmp_path, user, HELIX_UPSTREAM=address)
    assert "HELIX_UPSTREAM" in said
    assert address not in said
