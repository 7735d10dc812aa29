"""Helix for agents: a Model Context Protocol server (2026-07-28, and the older handshake) on stdio.

In: tool calls and resource reads of one client. Out: the engine's answers as structured content and as text, truncated
to size, without paths of this machine and without invisible characters. The engine runs in the daemon and is queried
through its calls. The server writes no files, connects to nothing but the daemon and prints nothing but protocol to
stdout; tool descriptions are constant, whatever the workspace contains.
"""
