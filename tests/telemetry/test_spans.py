"""What the engine tells of a question, a window and an index, and what it never tells."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from helix_core.config import Config, load_config
from helix_core.doctor import telemetry as check
from helix_core.engine import Helix
from helix_core.errors import ConfigError
from helix_core.telemetry import COUNTS, NAMES, TEXTS, WORDS, is_loopback, no_span, why_off
from helix_ls.host.telemetry import NoTelemetry, telemetry_of, users_telemetry
from tests.engine.repository import FILES, begin
from tests.telemetry.collector import Collector

SECRET = "ghp_" + "9kQ2vXz7LmN4pRt8WsYb3cDf6gHj1aEu5iOo"
QUESTION = f"where does sign_cookie use the token {SECRET}?"
WORDS_OF_THE_USER = ("sign_cookie", SECRET, "where does", "sessions.py", "cookies")


@pytest.fixture
def config(tmp_path: Path, collector: Collector) -> Config:
    return Config(tmp_path / "cache", otel_enabled=True, otel_endpoint=collector.endpoint)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return begin(tmp_path / "project", FILES)


def ask_everything(project: Path, config: Config, question: str = QUESTION) -> None:
    telemetry = telemetry_of(config)
    try:
        with Helix.open(project, config=config) as helix:
            helix.session.span = telemetry.span
            helix.refresh()
            helix.search(question)
            helix.packet(question, task="edit")
            helix.context(question)
    finally:
        telemetry.close()


def test_an_index_a_question_and_a_window_are_told_in_counts_and_words_of_ours(
    project: Path, config: Config, collector: Collector
) -> None:
    ask_everything(project, config, "where does sign_cookie sign?")
    (index,) = collector.named("helix.index")
    assert index.attributes["helix.files"] == index.attributes["helix.added"] >= len(FILES)
    questions = collector.named("helix.question", 3)
    assert [one.attributes["helix.verb"] for one in questions] == ["search", "packet", "context"]
    assert questions[1].attributes["helix.task"] == "edit"
    assert questions[1].attributes["helix.verified"] > 0
    (window,) = collector.named("helix.window")
    assert questions[2].parent == window.identity
    assert 0 < window.attributes["helix.tokens"] <= window.attributes["helix.budget"]
    allowed = {f"helix.{name}" for name in (*COUNTS, *WORDS)}
    for span in collector.spans():
        assert span.name in NAMES
        assert span.attributes.keys() <= allowed
        assert not span.events


def test_no_word_of_a_question_no_path_and_no_secret_is_in_any_exported_byte(
    project: Path, config: Config, collector: Collector
) -> None:
    ask_everything(project, config)
    sent = b"".join(body for _, body in collector.bodies)
    assert sent
    for word in (*WORDS_OF_THE_USER, str(project), project.name, *FILES):
        assert word.encode() not in sent, word


def test_the_question_is_told_where_the_user_wants_it_and_its_secrets_stay_masked(
    project: Path, config: Config, collector: Collector
) -> None:
    ask_everything(project, replace(config, otel_redact_query=False))
    told = {one.attributes["helix.query"] for one in collector.named("helix.question", 3)}
    assert len(told) == 1
    assert told.pop().startswith("where does sign_cookie use the token [masked")
    assert SECRET.encode() not in b"".join(body for _, body in collector.bodies)


def test_an_attribute_that_no_table_names_is_dropped(config: Config, collector: Collector) -> None:
    telemetry = telemetry_of(config)
    with telemetry.span("helix.index", path="src/secret.py", files="src/secret.py", verb="two words") as span:
        span.set(symbol="open_vault", files=3)
    telemetry.close()
    (index,) = collector.named("helix.index")
    assert index.attributes == {"helix.files": 3}


def test_an_exception_is_told_by_its_type_alone(config: Config, collector: Collector) -> None:
    telemetry = telemetry_of(config)
    with pytest.raises(ValueError, match="quoted"), telemetry.span("helix.question"):
        raise ValueError("a quoted line of /home/me/vault.py")
    telemetry.close()
    (question,) = collector.named("helix.question")
    assert (question.attributes, question.events, question.status) == ({"error.type": "ValueError"}, 0, 2)
    assert b"vault" not in b"".join(body for _, body in collector.bodies)


def test_no_trace_is_exported_at_a_ratio_of_zero(project: Path, config: Config, collector: Collector) -> None:
    ask_everything(project, replace(config, otel_sampler_ratio=0.0))
    assert collector.spans() == []


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_the_ratio_of_the_user_holds_for_a_trace_that_a_caller_began(
    config: Config, collector: Collector, ratio: float
) -> None:
    telemetry = telemetry_of(replace(config, otel_sampler_ratio=ratio))
    with telemetry.below("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), telemetry.span("helix.index"):
        pass
    telemetry.close()
    assert len(collector.spans()) == int(ratio)


def test_a_collector_that_is_not_there_fails_no_question(project: Path, config: Config, collector: Collector) -> None:
    collector.close()
    ask_everything(project, config)


@pytest.fixture
def dripping() -> Iterator[tuple[str, threading.Event]]:
    """A server that sends a byte of its answer now and then until the event is set, and its address."""
    enough = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener.accept()[0] as client, suppress(OSError):
            while not enough.wait(0.05):
                client.sendall(b"H")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", enough
    enough.set()
    thread.join(60)
    listener.close()


def test_an_end_does_not_wait_for_a_collector_that_sends_a_byte_now_and_then(
    config: Config, dripping: tuple[str, threading.Event]
) -> None:
    endpoint, enough = dripping
    telemetry = telemetry_of(replace(config, otel_endpoint=endpoint))
    giving_up = threading.Timer(60, enough.set)
    giving_up.start()
    with telemetry.span("helix.index"):
        pass
    telemetry.close()
    assert not enough.is_set()
    giving_up.cancel()


def test_a_variable_that_the_sdk_refuses_turns_it_off(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "many")
    assert "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in telemetry_of(config).problem


def test_a_wrong_address_is_told_with_that_of_a_collector() -> None:
    with pytest.raises(ConfigError, match=r"HELIX_OTEL_ENDPOINT.*http://127\.0\.0\.1:4318"):
        load_config(None, environ={"HELIX_OTEL_ENABLED": "1", "HELIX_OTEL_ENDPOINT": "garbage"})


@pytest.mark.parametrize("switch", [{}, {"HELIX_OTEL_ENABLED": "0"}])
def test_what_is_wrong_with_its_settings_stops_nothing_while_it_is_off(tmp_path: Path, switch: dict[str, str]) -> None:
    wrong = {"HELIX_OTEL_ENDPOINT": "garbage", "HELIX_OTEL_SAMPLER_RATIO": "many"}
    user = tmp_path / "config.toml"
    user.write_text("[otel]\nredact_query = 3\n")
    config = load_config(None, environ={"HELIX_CONFIG": str(user), **switch, **wrong})
    assert (config.otel_endpoint, config.otel_sampler_ratio) == ("http://127.0.0.1:4318", 1.0)
    assert config.otel_redact_query and not {"otel.endpoint", "otel.redact_query"} & config.origins.keys()
    assert len(config.warnings) == 3 and all("ignored while otel.enabled is off" in one for one in config.warnings)
    with pytest.raises(ConfigError, match=r"otel\.redact_query"):
        load_config(None, environ={"HELIX_CONFIG": str(user), "HELIX_OTEL_ENABLED": "1"})


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A server that the environment names as the proxy of every request."""
    proxy = Collector()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.endpoint)
    yield proxy
    proxy.close()


def test_spans_go_past_a_proxy_of_the_environment(config: Config, collector: Collector, proxied: Collector) -> None:
    telemetry = telemetry_of(config)
    with telemetry.span("helix.index"):
        pass
    telemetry.close()
    collector.named("helix.index")
    assert proxied.bodies == []


def test_nothing_of_opentelemetry_is_loaded_while_it_is_off(
    project: Path, tmp_path: Path, starts_processes: None
) -> None:
    program = (
        "import sys; from pathlib import Path; from helix_core.config import Config; from helix_core.engine import "
        "Helix; from helix_ls.host.telemetry import telemetry_of\n"
        "config = Config(Path(sys.argv[2])); helix = Helix.open(Path(sys.argv[1]), config=config)\n"
        "helix.session.span = telemetry_of(config).span; helix.refresh(); helix.packet('sign_cookie')\n"
        "print(sorted(name for name in sys.modules if name.startswith(('opentelemetry', 'requests'))))"
    )
    command = [sys.executable, "-c", program, str(project), str(tmp_path / "cache")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_telemetry_is_off_until_the_user_turns_it_on(tmp_path: Path) -> None:
    assert telemetry_of(Config(tmp_path)).span("helix.index") is no_span("helix.index")
    assert check(Config(tmp_path), "").detail == "off"


@pytest.mark.parametrize(
    ("variables", "ends"),
    [
        ({"HELIX_OTEL_ENDPOINT": "http://collector.example:4318"}, "or set otel.insecure to true"),
        ({"HELIX_OTEL_ENDPOINT": "http://collector.example:4318", "HELIX_OTEL_INSECURE": "true"}, ""),
        ({"HELIX_OTEL_ENDPOINT": "https://collector.example"}, ""),
        ({"HELIX_OTEL_ENDPOINT": "http://[::1]:4318"}, ""),
        ({}, ""),
    ],
)
def test_an_address_of_another_machine_needs_https_or_the_users_word(
    tmp_path: Path, variables: dict[str, str], ends: str
) -> None:
    environ = {"HELIX_CACHE_DIR": str(tmp_path), "HELIX_CONFIG": str(tmp_path / "none"), "HELIX_OTEL_ENABLED": "1"}
    config = load_config(None, environ=environ | variables)
    assert config.otel_enabled
    assert isinstance(telemetry_of(config), NoTelemetry) == bool(ends)
    found = check(config, why_off(config))
    assert found.state == ("warn" if ends else "ok")
    assert ends in found.action


def test_a_workspace_cannot_turn_it_on_or_choose_where_it_goes(tmp_path: Path) -> None:
    (tmp_path / "helix.toml").write_text(
        '[otel]\nenabled = true\nendpoint = "http://127.0.0.1:9"\nredact_query = false\n'
    )
    config = load_config(tmp_path, environ={"HELIX_CONFIG": str(tmp_path / "none")})
    assert (config.otel_enabled, config.otel_endpoint) == (False, "http://127.0.0.1:4318")
    assert config.otel_redact_query
    assert len(config.warnings) == 3


def test_settings_that_cannot_be_understood_turn_it_off(tmp_path: Path) -> None:
    wrong = {"HELIX_OTEL_ENABLED": "1", "HELIX_OTEL_SAMPLER_RATIO": "many"}
    telemetry = users_telemetry({"HELIX_CONFIG": str(tmp_path / "none"), **wrong})
    assert "HELIX_OTEL_SAMPLER_RATIO" in telemetry.problem


@pytest.mark.parametrize(("host", "is_here"), [("localhost", True), ("127.9.9.9", True), ("::1", True), ("a.b", False)])
def test_loopback_is_known_by_its_address(host: str, is_here: bool) -> None:
    assert is_loopback(host) == is_here


def test_no_attribute_is_in_two_tables() -> None:
    assert len({*COUNTS, *WORDS, *TEXTS}) == len(COUNTS) + len(WORDS) + len(TEXTS)
