"""The host process: it owns open workspaces, runs queries on them, and is shared by clients through the daemon.

In: folders to open, queries as functions of an open ``Helix``, events of editors. Out: answers, and a ``Status`` per
workspace with every change of it. It knows no editor protocol: ``helix_ls.lsp`` uses ``Host``. Nothing parses, hashes,
lists files or runs git on the event loop, and no two threads share a ``Helix``.
"""
