"""The ``helix`` command: one file a verb, and ``render/`` for human-readable output.

In: command line arguments. Out: on stdout the wire objects as JSON, or the same facts as text; on stderr, one line an
error. Holds no logic of its own: every answer comes from ``helix_core``. Starts quickly: a verb imports what it needs
when it is called, and the JSON path does not import rich.
"""
