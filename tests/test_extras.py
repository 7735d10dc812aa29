"""Helix without its optional packages: questions are answered, and what needs a package says which and how."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from helix_core.extras import EXTRAS, install_command, missing, why_missing
from tests.engine.repository import FILES, begin
from tests.lsp.wire import Wire, environment

ROOT = Path(__file__).parents[1]
# Modules of the extras that something in the core needs, too.
SHARED = {"starlette", "uvicorn"}
WITHOUT = f"""
import importlib.machinery, sys
ABSENT = {sorted({module for extra in EXTRAS.values() for module in extra.modules} - SHARED | {"uvloop"})}
find = importlib.machinery.PathFinder.find_spec
class WithoutExtras:
    find_distributions = staticmethod(importlib.machinery.PathFinder.find_distributions)
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        absent = any(name == each or name.startswith(each + ".") for each in ABSENT)
        return None if absent else find(name, path, target)
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = WithoutExtras
"""


@pytest.fixture
def light(tmp_path: Path, starts_processes: None) -> dict[str, str]:
    """Variables for processes that cannot import what an extra brings."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text(WITHOUT)
    return environment(tmp_path / "home", PYTHONPATH=f"{tmp_path / 'without'}{os.pathsep}{ROOT}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return begin(tmp_path / "project", FILES)


def helix(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "helix_ls.cli", *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_every_module_of_an_extra_belongs_to_a_package_that_the_project_lists_for_it() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in EXTRAS.values():
        packages = {re.match(r"[\w-]+", line)[0] for line in listed["optional-dependencies"][extra.name]}  # type: ignore[index]
        assert {module.replace(".", "-") for module in extra.modules} <= packages, extra.name
        assert missing(extra.name) == ()
        assert why_missing(extra.name) == ""
    core = {re.match(r"[\w-]+", line)[0] for line in listed["dependencies"]}  # type: ignore[index]
    assert not core & {module.replace(".", "-") for extra in EXTRAS.values() for module in extra.modules}


def test_each_lock_has_every_package_of_its_extra_and_the_core_has_none() -> None:
    core = (ROOT / "requirements.lock").read_text()
    for name, lock in (("proxy", "proxy"), ("keyring", "proxy"), ("models", "models"), ("otel", "otel")):
        text = (ROOT / f"requirements-{lock}.lock").read_text()
        for module in EXTRAS[name].modules:
            assert f"\n{module.replace('.', '-')}==" in text, (name, module)
            assert (f"\n{module.replace('.', '-')}==" in core) == (module in SHARED), module


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, 'pip install "helix-context-engine[proxy]"'),
        ({"dir_info": {"editable": True}, "url": "file:///src/my%20helix"}, 'pip install -e "/src/my helix[proxy]"'),
        ({"dir_info": {}, "url": "file:///src/helix"}, 'pip install "/src/helix[proxy]"'),
        ({"archive_info": {}, "url": "file:///tmp/helix.whl"}, 'pip install "helix-context-engine[proxy]"'),
        ({"vcs_info": {}, "url": "https://example.org/helix.git"}, 'pip install "helix-context-engine[proxy]"'),
    ],
)
def test_the_command_that_installs_an_extra_is_of_the_same_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None, command: str
) -> None:
    about = tmp_path / "helix_context_engine-9.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: helix-context-engine\nVersion: 9\n")
    if origin is not None:
        (about / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(tmp_path)
    assert install_command("proxy") == command


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["packet", "search", "context"])
def test_a_question_needs_no_extra(light: dict[str, str], project: Path, verb: str) -> None:
    done = helix(light, verb, "sign_cookie", "--path", str(project), "--json")
    assert done.returncode == 0, done.stderr
    assert "sign_cookie" in done.stdout
    assert "not installed" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "lacks", "extra"),
    [
        (["serve"], 2, "the chat proxy needs packages that are not installed (aiohttp, httptools)", "proxy"),
        (
            ["embed", "setup", "minilm", "--yes"],
            1,
            "an embedding model needs packages that are not installed",
            "models",
        ),
        (["embed", "setup", "--reranker", "any", "--yes"], 1, "an embedding model needs packages", "models"),
    ],
)
def test_what_needs_an_extra_names_it(
    light: dict[str, str], project: Path, arguments: list[str], status: int, lacks: str, extra: str
) -> None:
    done = helix(light | {"PWD": str(project)}, *arguments)
    assert done.returncode == status, done.stderr
    assert lacks in done.stderr
    assert install_command(extra) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_key_ring_is_replaced_by_a_variable(light: dict[str, str], tmp_path: Path) -> None:
    settings = tmp_path / "home" / "user.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('[proxy.upstreams.local]\nurl = "http://127.0.0.1:9/v1"\nkey_env = "LOCAL_KEY"\n')
    command = [sys.executable, "-m", "helix_ls.cli", "connect", "upstream", "local", "--key"]
    done = subprocess.run(command, env=light, input="secret\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{install_command('keyring')}; or set LOCAL_KEY" in done.stderr


def test_doctor_lists_what_each_extra_lacks(light: dict[str, str], project: Path) -> None:
    answer = json.loads(helix(light, "doctor", str(project), "--json").stdout)
    said = {check["name"]: check for check in answer["checks"]}["extras"]
    assert said["state"] == "ok"
    assert said["detail"].startswith(
        "none; not installed: proxy (without aiohttp, httptools), models (without fastembed"
    )


def test_telemetry_without_its_extra_stops_no_verb_and_doctor_names_the_command(
    light: dict[str, str], project: Path
) -> None:
    wanted = light | {"HELIX_OTEL_ENABLED": "true", "HELIX_OTEL_SAMPLER_RATIO": "0.5"}
    for arguments in (["index", str(project)], ["packet", "sign_cookie", "--path", str(project), "--json"]):
        done = helix(wanted, *arguments)
        assert (done.returncode, "opentelemetry" in done.stderr) == (0, False), done.stderr
    answer = json.loads(helix(wanted, "doctor", str(project), "--json").stdout)
    said = {check["name"]: check for check in answer["checks"]}["telemetry"]
    assert (said["state"], "not installed (opentelemetry.sdk" in said["detail"]) == ("warn", True), said
    assert said["action"] == f"run: {install_command('otel')}"


def test_a_language_server_answers_and_says_what_its_proxy_lacks(
    light: dict[str, str], project: Path, tmp_path: Path
) -> None:
    settings = tmp_path / "home" / "user.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('[proxy]\nupstream = "http://127.0.0.1:9"\n')
    wire = Wire(tmp_path / "home", "-m", "helix_ls.cli", "lsp", "--solo", PYTHONPATH=light["PYTHONPATH"])
    try:
        wire.initialize(project)
        wire.until_fresh(project)
        assert wire.command("helix.packet", {"question": "sign_cookie"})["verified"]
        facts = wire.command("helix.proxy", {"start": False})
        assert (facts["running"], facts["missing"]) == (False, ["aiohttp", "httptools"])
        refused = wire.error("workspace/executeCommand", {"command": "helix.proxy", "arguments": [{"start": True}]})
        assert install_command("proxy") in refused["message"]
    finally:
        wire.close()
