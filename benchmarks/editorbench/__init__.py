"""The parts of ``editor.py``: a client that speaks to ``helix lsp`` as an editor does, and what is measured through it.

The server is the command a user's editor starts, with a daemon, cache and runtime folder of its own.
"""
