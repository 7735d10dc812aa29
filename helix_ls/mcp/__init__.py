"""Helix for agents: the Model Context Protocol (2026-07-28, and the older handshake) on standard input and output.

In: tool calls and resource reads of one client. Out: what the engine answers, as structured content and as text, cut to
size, with no path of this machine and no unseen character in it. The engine runs in the daemon, asked through its
calls. Never writes, never reaches for a network, never prints to standard output; what tools say of themselves is
constant, whatever the workspace holds.
"""
