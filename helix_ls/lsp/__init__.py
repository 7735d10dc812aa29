"""The language server: the engine's answers in the editor's protocol.

In: LSP frames of one client, and the host that owns the open workspaces. Out: hovers, lenses, diagnostics, packets,
progress and the notifications helix/status and helix/verdicts. Holds no logic of its own about verdicts or ranking;
never asks the engine on the loop, never writes to the client's files, never stores an unsaved buffer.
"""
