"""What is kept of what was said: which exchanges, which notes, whose they are, and what can be drawn from them.

In: text of clients and models, hostile as any. Out: values for the memory, masked and bounded. Pure: opens no file,
knows no SQL, asks no model, and never decides whether something is still true.
"""
