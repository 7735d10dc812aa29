"""The real server process on a small repository, with a scripted upstream, and clients of it."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from helix_ls.proxy.keys import admins_key
from tests.fork_server import run_helix_as_text
from tests.mcp.conftest import apart, repository
from tests.proxy.upstream import Upstream

UPSTREAM_KEY = "sk-upstream-5f1d7c"
OFFICIAL = "the official client is a dependency of the extra dev"


class Server:
    """``helix serve --json``."""

    def __init__(self, environ, folder, *arguments):
        self.environ = environ
        command = [sys.executable, "-m", "helix_ls.cli", "serve", str(folder), "--port", "0", "--json", *arguments]
        self.process = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._said = []
        self._reader = threading.Thread(target=lambda: self._said.extend(self.process.stderr), daemon=True)
        self._reader.start()
        line = self.process.stdout.readline()
        assert line, b"".join(self._said)
        self.ready = json.loads(line)
        self.url = self.ready["url"]
        command = ["connect", "openai", "--json", "--path", str(folder)]
        self.connected = json.loads(run_helix_as_text(command, env=environ, cwd=Path.cwd()).stdout)
        self.key = self.connected["api_key"]
        self.admin_key = admins_key(environ)
        self._clients = []

    def client(self, **options):
        """The official client; closed with the server."""
        import openai

        chosen = {"max_retries": 0, "timeout": 60, **options}
        client = openai.OpenAI(base_url=self.connected["base_url"], api_key=self.key, **chosen)
        self._clients.append(client)
        return client

    def http(self):
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60)

    def admin(self):
        """With the key that may write."""
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.admin_key}"}, timeout=60)

    @property
    def log(self):
        return b"".join(self._said)

    def close(self):
        for client in self._clients:
            client.close()
        self.process.terminate()
        status = self.process.wait(60)
        self._reader.join(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@pytest.fixture
def openai():
    """The package of the official client, imported by the tests that use it alone: it takes half a second."""
    return pytest.importorskip("openai", reason=OFFICIAL)


@pytest.fixture
def anthropic():
    """The package of the official client, imported by the tests that use it alone: it takes a second."""
    return pytest.importorskip("anthropic", reason=OFFICIAL)


@pytest.fixture
def ollama():
    """The package of the official client, imported by the tests that use it alone."""
    return pytest.importorskip("ollama", reason=OFFICIAL)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Of one session."""
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="session")
def running_upstream():
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def upstream(running_upstream):
    """The scripted upstream, that has been asked nothing yet."""
    running_upstream.forget()
    return running_upstream


@pytest.fixture(scope="session")
def environ(folder, running_upstream, starts_processes):
    with apart(folder) as variables:
        yield variables | {
            "HELIX_STATE_DIR": str(folder / "state"),
            "HELIX_UPSTREAM": running_upstream.base,
            "HELIX_UPSTREAM_KEY": UPSTREAM_KEY,
            "HELIX_PROXY_IDLE_S": "1",
        }


@pytest.fixture(scope="session")
def project(folder):
    return repository(folder / "project")


@pytest.fixture(scope="session")
def running(environ, project):
    server = Server(environ, project)
    yield server
    server.close()


@pytest.fixture
def server(running, upstream):
    """One for all tests, with an upstream that has been asked nothing yet."""
    return running


@pytest.fixture
def start(environ):
    """Start servers of one test; each is closed at the end."""
    started = []

    def begin(folder, *arguments, **variables):
        started.append(Server(environ | variables, folder, *arguments))
        return started[-1]

    yield begin
    for one in started:
        one.close()
