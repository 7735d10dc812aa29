"""Verdicts, in one place from observation to mark: observe, judge, overlays, contradictions, explain.

Reads the files an answer points at, at that moment. Never ranks, never searches, never writes but to mend the index.
"""
