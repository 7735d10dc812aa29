"""A key ring of the ``keyring`` library that keeps its keys in a file: ``HELIX_TEST_RING`` names it."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileRing(KeyringBackend):
    """The real library, with this at the place of the desktop's."""

    priority = 1

    def _all(self):
        file = Path(os.environ["HELIX_TEST_RING"])
        return json.loads(file.read_text()) if file.exists() else {}

    def _keep(self, kept):
        Path(os.environ["HELIX_TEST_RING"]).write_text(json.dumps(kept))

    def get_password(self, service, username):
        return self._all().get(f"{service}\n{username}")

    def set_password(self, service, username, password):
        self._keep(self._all() | {f"{service}\n{username}": password})

    def delete_password(self, service, username):
        kept = self._all()
        del kept[f"{service}\n{username}"]
        self._keep(kept)
