"""``python -m helix_ls.cli`` is the ``helix`` command."""

from helix_ls.cli.main import run

run()
