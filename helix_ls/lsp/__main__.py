"""``python -m helix_ls.lsp``: the language server on stdio, with the host in the same process."""

from helix_ls.host.parent import set_up_process
from helix_ls.lsp.session import run

if __name__ == "__main__":
    set_up_process()
    raise SystemExit(run())
