"""The operations, each declared once: name, wording, arguments with bounds and defaults, answer, access, effects.

LSP commands, MCP tools, HTTP routes with OpenAPI and the daemon's calls are views of ``table.OPERATIONS``. Importing
its modules loads neither pydantic nor a server, except ``validation``, which is for long-lived processes. Nothing here
depends on a transport or a session.
"""
