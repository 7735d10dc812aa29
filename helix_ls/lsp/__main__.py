"""``python -m helix_ls.lsp``: the language server on stdio, with the host in the same process."""

from helix_ls.host.parent import own_signals
from helix_ls.lsp.session import run

if __name__ == "__main__":
    own_signals()
    raise SystemExit(run())
