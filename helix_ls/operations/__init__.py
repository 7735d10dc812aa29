"""Every verb once: name, wording, arguments with types, bounds and defaults, answer, who may ask, what it may change.

LSP commands, MCP tools, HTTP routes with OpenAPI and the daemon's calls are views of ``table.OPERATIONS``. Importing a
module of it loads neither pydantic nor a server, but ``validation``, which is for processes that live long. Knows no
transport and no session.
"""
