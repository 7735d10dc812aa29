"""A question becomes a ranking of items.

In: the words of a question, a store ``Reader``, what the session knows. Out: ``Found``, best first, each item with
the rankers that named it and the priors that moved it, and how sure the whole answer is. Never reads the disk, never
writes, never decides whether an item is still true.
"""
