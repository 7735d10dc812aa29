"""Symbols: definitions, users, tests and documents of a name; code lenses and findings of an open file.

Every place comes with the verdict that is true now. Never writes.
"""
