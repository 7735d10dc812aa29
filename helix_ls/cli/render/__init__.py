"""Human-readable output: the wire objects drawn on a terminal.

In: a wire object (dict). Out: text on stdout. Never calls the engine; all untrusted text is escaped first, and is
passed to rich as text, never as markup.
"""
