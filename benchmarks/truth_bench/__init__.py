"""Mutates a copy of a real repository thousands of times and checks every verdict of Helix against the disk.

In: folders, a seed, a number. Out: a table by kind of mutation. The oracle opens, reads and hashes for itself and asks
git for itself; it must never call Helix's own disk or verdict code, which is what it judges.
"""
