"""The language server: the engine's answers in the Language Server Protocol, on pygls.

In: LSP frames of one client, and the host that owns the open workspaces. Out: hovers, code lenses, diagnostics,
packets, progress and the notifications helix/status, helix/verdicts and helix/memory. It holds no logic about verdicts
or ranking, never runs the engine on the event loop, and never writes the client's files or stores an unsaved buffer.
"""
