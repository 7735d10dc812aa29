"""The names of the files that Helix writes into its folders."""

from __future__ import annotations

import os
from pathlib import Path

from helix_core.config import OWN_NAMES
from helix_core.embed.model import models_folder
from helix_core.engine import index_folder
from helix_core.engine.memory.extracting import FILE as USE_FILE
from helix_core.store.memory_file import NAME
from helix_core.workspace import name_reason
from helix_ls.host.connection import runtime_folder
from helix_ls.host.endpoint import place
from helix_ls.host.strand_keys import KEYS_FILE, SIGNERS_FILE
from helix_ls.proxy import keys
from helix_ls.proxy.running import Signals


def test_what_counts_in_no_workspace_is_what_is_written() -> None:
    assert {NAME, USE_FILE, KEYS_FILE, SIGNERS_FILE} == set(OWN_NAMES["data"])
    assert {keys.NAME, keys.ADMIN_NAME, Signals.of({}).folder.name, keys.NOTED} == set(OWN_NAMES["state"])
    assert index_folder(Path("cache"), Path("project")).parent.name in OWN_NAMES["cache"]
    assert models_folder(Path("cache")).name in OWN_NAMES["cache"]
    assert os.path.basename(runtime_folder({"HELIX_CACHE_DIR": "cache"})) in OWN_NAMES["cache"]


def test_no_file_of_a_daemon_counts_wherever_it_is(tmp_path: Path) -> None:
    paths = place({"HELIX_RUNTIME_DIR": str(tmp_path)})
    files = [paths.socket, paths.lock, paths.starting, paths.log, paths.token, paths.parse_guard]
    assert [file.name for file in files if name_reason(os.fsencode(file.name)) == ""] == []
