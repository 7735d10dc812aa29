"""Rank the items of an index for a query.

In: the words of a question, a store ``Reader``, session hints. Out: ``Found``, best first: each item with its rankers
and priors, and the confidence of the whole answer. Never reads the disk, never writes, never decides whether an item is
still true.
"""
