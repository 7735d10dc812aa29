"""The dashboard: one page about the workspaces of a server, built from ``vscode-extension/src/dashboard/page``.

The page holds no data and is open on loopback; whatever it shows comes from the JSON routes, by the key of a session
that may only read what the page shows. Must never serve a file that is not in ``built``, nor hand out one of the
user's two keys.
"""
