"""What people read: the wire objects drawn on a terminal, calm and in words.

In: a wire object (dict). Out: text on stdout. Never asks the engine anything; all text of others is made printable
first, and is handed to rich as text, never as markup.
"""
