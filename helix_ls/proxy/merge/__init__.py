"""A client's own settings file with our entry in it: every other byte stays as it was, comments and order included.

In: the file's text and what to put where. Out: the new text, which has been parsed again and says what the old one said
and our entry. What cannot be understood is refused and never written anew. Pure, but for ``change``.
"""
