"""The ``helix`` command: one file a verb, and ``render/`` for what people read.

In: words typed at a terminal. Out: on stdout the wire objects as JSON, or the same facts for a person; on stderr, one
line an error. Holds no logic of its own: every answer comes from ``helix_core``. Starts quickly: a verb imports what it
needs when it is called, and the JSON path imports nothing that draws.
"""
