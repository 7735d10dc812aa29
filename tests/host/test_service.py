"""The daemon starts with the session where the user installs that, and stays with its proxy after helix up."""

from __future__ import annotations

import json
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helix_core.errors import UsageError
from helix_ls.host.service import LABEL, service_file
from tests.host.clients import Caller
from tests.host.conftest import processes_of

HOME = Path("/home/ada")
PYTHON = "/opt/he lix/100%/$bin/python"


def run(environ, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "helix_ls.cli", *arguments],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def test_a_unit_keeps_places_and_no_key() -> None:
    environ = {"HELIX_CACHE_DIR": "/big disk/cache", "HELIX_UPSTREAM_KEY": "sesame", "PATH": "/bin"}
    made = service_file("linux", environ, HOME, PYTHON)
    assert made.path == HOME / ".config" / "systemd" / "user" / "helix.service"
    assert 'ExecStart="/opt/he lix/100%%/$bin/python" "-P" "-m" "helix_ls.daemon"' in made.text
    assert 'Environment="HELIX_CACHE_DIR=/big disk/cache"' in made.text
    assert "sesame" not in made.text and "--detach" not in made.text
    assert "systemctl --user enable --now helix.service" in made.start


@pytest.mark.process
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_reads_the_unit_without_a_complaint(tmp_path) -> None:
    python = tmp_path / "100% $bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    made = service_file("linux", {"HELIX_CACHE_DIR": str(tmp_path / 'a "b" c')}, tmp_path, str(python))
    unit = tmp_path / "helix.service"
    unit.write_text(made.text)

    def complaints() -> str:
        command = ["systemd-analyze", "verify", "--user", str(unit)]
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
        said = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False).stderr
        return "\n".join(line for line in said.splitlines() if "helix.service" in line)

    assert complaints() == ""
    unit.write_text(made.text.replace("[Service]", "[Service]\nColor=blue"))
    assert "Color" in complaints()


def test_an_agent_of_launchd_is_a_property_list() -> None:
    made = service_file("darwin", {}, HOME, PYTHON)
    assert made.path == HOME / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    about = plistlib.loads(made.text.encode())
    assert about["ProgramArguments"] == [PYTHON, "-P", "-m", "helix_ls.daemon"]
    assert (about["RunAtLoad"], about["KeepAlive"]) == (True, {"SuccessfulExit": False})


@pytest.mark.parametrize(("platform", "python"), [("win32", PYTHON), ("linux", "/opt/\nExecStart=/bin/rm/python")])
def test_what_no_service_file_can_say_is_refused(platform, python) -> None:
    with pytest.raises(UsageError):
        service_file(platform, {}, HOME, python)


def test_install_writes_only_when_told_and_confirmed(environ, tmp_path) -> None:
    environ = environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    unit = tmp_path / "config" / "systemd" / "user" / "helix.service"
    shown = run(environ, "daemon", "install")
    assert shown.returncode == 0 and "ExecStart=" in shown.stdout and "nothing is written" in shown.stderr
    refused = run(environ, "daemon", "install", "--write")
    assert refused.returncode == 2 and "add --yes" in refused.stderr
    assert not unit.exists()
    written = run(environ, "daemon", "install", "--write", "--yes", "--json")
    assert written.returncode == 0 and json.loads(written.stdout)["written"] is True
    assert unit.read_text() == shown.stdout
    again = run(environ, "daemon", "install", "--write", "--yes", "--json")
    assert json.loads(again.stdout)["changed"] is False and "up to date" in again.stderr
    assert not processes_of(environ), "nothing was started"


def test_up_leaves_a_daemon_with_its_proxy_that_waits_for_no_client(environ, project, tmp_path) -> None:
    import httpx

    environ = environ | {"HELIX_IDLE_S": "0.3", "HELIX_STATE_DIR": str(tmp_path / "state"), "HELIX_PROXY_PORT": "0"}
    said = run(environ, "up", str(project), "--json")
    assert said.returncode == 0, said.stderr
    facts = json.loads(said.stdout)
    assert "api_key" not in facts and facts["workspace"] == str(project.resolve())
    key = json.loads(run(environ, "connect", "openai", "--path", str(project), "--json").stdout)["api_key"]
    with Caller(environ) as call:
        status = call("daemon.status")["result"]
    assert status["stays"] is True and status["pid"] == facts["pid"]
    answer = httpx.post(
        f"{facts['base_url'].removesuffix('/v1')}/context/packet",
        json={"query": "sign cookie"},
        headers={"Authorization": f"Bearer {key}"},
        timeout=60,
        trust_env=False,
    )
    assert answer.status_code == 200 and answer.json()["schema"] == "helix.packet/1"
    again = run(environ, "up", str(project))
    assert str(facts["pid"]) in again.stdout and facts["base_url"] in again.stdout
    assert run(environ, "daemon", "stop").returncode == 0
