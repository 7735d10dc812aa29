"""A user that may read everything cannot be denied a file; this process gives that power up before it begins."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile

_MARK = "TRUTH_BENCH_RESTARTED"
_POWERS = "-dac_override,-dac_read_search"


def can_be_denied() -> bool:
    """Does the kernel refuse us a file whose permissions forbid reading?"""
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0)
        try:
            with open(file.name, "rb"):
                return False
        except PermissionError:
            return True


def give_up_powers() -> None:
    """Run this command again, the same user without the power to override permissions; returns where that is moot."""
    setpriv = shutil.which("setpriv")
    if os.name != "posix" or os.getuid() != 0 or os.environ.get(_MARK) or setpriv is None or can_be_denied():
        return
    os.environ[_MARK] = "1"
    sys.stdout.flush()
    os.execv(setpriv, [setpriv, f"--bounding-set={_POWERS}", sys.executable, *sys.argv])
