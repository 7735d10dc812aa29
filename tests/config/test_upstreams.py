"""Several upstreams in the settings: the user's own file alone names them, and what is wrong has its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix_core.config import Config, UpstreamSetting, explain, load_config
from helix_core.errors import ConfigError

TWO = """
[proxy]
idle_s = 5

[proxy.upstreams.local]
url = "http://127.0.0.1:11434/"

[proxy.upstreams.cloud]
url = "https://api.example/v1"
models = ["gpt-*", "o?"]
key_env = "EXAMPLE_KEY"
"""


@pytest.fixture
def load(tmp_path: Path):
    def loaded(text: str, **environ: str) -> Config:
        file = tmp_path / "config.toml"
        file.write_text(text, encoding="utf-8")
        return load_config(tmp_path / "project", environ={"HELIX_CACHE_DIR": "/cache", **environ}, user=file)

    (tmp_path / "project").mkdir()
    return loaded


def test_they_are_read_in_their_order_and_explained_with_their_place(load):
    config = load(TWO)
    assert config.upstreams == (
        UpstreamSetting("local", "http://127.0.0.1:11434"),
        UpstreamSetting("cloud", "https://api.example/v1", ("gpt-*", "o?"), "EXAMPLE_KEY"),
    )
    assert config.proxy_idle_s == 5
    [valued] = [each for each in explain(config) if each.setting.key == "proxy.upstreams"]
    assert valued.value == (
        "local at http://127.0.0.1:11434",
        "cloud at https://api.example/v1 (models gpt-*, o?; key from EXAMPLE_KEY)",
    )
    assert (valued.origin.source, valued.origin.place.rpartition(":")[2]) == ("user", "5")


def test_a_workspace_never_names_one(load, tmp_path):
    (tmp_path / "project/helix.toml").write_text(TWO)
    config = load("")
    assert config.upstreams == ()
    assert any("proxy.upstreams is not taken from a workspace" in each for each in config.warnings)


def test_a_variable_cannot_name_one_and_says_so(load):
    config = load("", HELIX_PROXY_UPSTREAMS="http://a")
    assert config.upstreams == ()
    assert any("HELIX_PROXY_UPSTREAMS" in each for each in config.warnings)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[proxy.upstreams.a]\nmodels = []\n", 1, "a.url"),
        ("[proxy.upstreams.a]\nurl = 'ftp://a'\n", 2, "a.url"),
        ("[proxy.upstreams.a]\nurl = 'http://u:secret-word@a'\n", 2, "a.url"),
        ("[proxy.upstreams.a]\nurl = 'http://a'\nmodels = 'x'\n", 3, "a.models"),
        ("[proxy.upstreams.a]\nurl = 'http://a'\nkey_env = 'sk-secret-word'\n", 3, "a.key_env"),
        ("[proxy.upstreams.'a/b']\nurl = 'http://a'\n", 1, "a/b"),
        ("[proxy]\nupstreams = 'http://a'\n", 2, ""),
    ],
)
def test_what_is_wrong_is_one_line_with_line_and_key_and_no_secret(load, text, line, key):
    with pytest.raises(ConfigError) as caught:
        load(text)
    said = str(caught.value)
    assert f"line {line}" in said and f"proxy.upstreams{'.' if key else ''}{key}" in said
    assert "\n" not in said and "; " in said
    assert "secret-word" not in said


def test_a_key_that_nobody_knows_is_a_warning_with_its_line(load):
    config = load("[proxy.upstreams.a]\nurl = 'http://a'\nmodel = 'secret-word'\n")
    [warning] = config.warnings
    assert "line 3" in warning and "secret-word" not in warning


def test_what_an_upstream_speaks_and_how_it_takes_its_key(load):
    config = load(
        "[proxy.upstreams.a]\nurl = 'http://a'\ndialects = ['chat', 'messages']\nauth = 'x-api-key'\n"
        "query = { 'api-version' = '2024-10-21' }\n"
    )
    [one] = config.upstreams
    assert (one.dialects, one.auth, one.query) == (("chat", "messages"), "x-api-key", (("api-version", "2024-10-21"),))
    assert str(one) == "a at http://a (speaks chat, messages; key as x-api-key; query api-version)"


@pytest.mark.parametrize(
    "wrong",
    ["dialects = ['grpc']", "dialects = 'chat'", "auth = 'basic'", "query = 'a=secret-word'", "query = {a = 1}"],
)
def test_a_wrong_dialect_auth_or_query_is_one_line_without_its_value(load, wrong):
    with pytest.raises(ConfigError) as caught:
        load(f"[proxy.upstreams.a]\nurl = 'http://a'\n{wrong}\n")
    assert "line 3" in str(caught.value) and "secret-word" not in str(caught.value)


@pytest.mark.parametrize("name", ["key", "api_key", "token", "secret", "password", "apiKey"])
def test_a_secret_in_the_users_file_is_refused_and_not_repeated(load, name):
    """Whoever writes one there believes that it is used, and leaves it for every backup."""
    for text in (f"{TWO}{name} = 'sesame-open-4711'\n", f"[proxy]\n{name} = 'sesame-open-4711'\n"):
        with pytest.raises(ConfigError, match="a secret is never written in a settings file") as refused:
            load(text)
        assert "sesame" not in str(refused.value) and "line " in str(refused.value)


def test_no_setting_is_called_as_a_secret_is():
    from helix_core.config import SETTINGS
    from helix_core.config.settings import names_secret

    assert [key for key in SETTINGS if names_secret(key)] == []


def test_a_workspace_that_names_a_secret_stops_nobody(load, tmp_path):
    (tmp_path / "project" / "helix.toml").write_text("[proxy]\npassphrase = 'sesame-open-4711'\n")
    warnings = load("").warnings
    assert any("passphrase" in one for one in warnings)
    assert not any("sesame" in one for one in warnings)
