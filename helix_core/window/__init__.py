"""Verdicts → a context window: the evidence as text for a chat model, never over its budget of tokens.

In: weighed items with the text of their spans, what the caller knows of model and budget. Out: one text with a legend
line a block, and an account of what is in it and what was left out. Pure but for the boundary it is given. Never
ranks, never reads anything, never lets retrieved text out of its envelope.
"""
