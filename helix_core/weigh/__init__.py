"""From observations to verdicts: may this pointer be trusted, for this task, now?

In: what was found on disk, in git and among the claims about an item, and the task. Out: a verdict with its reason,
contradictions, a plan of what to read again. Pure functions of values: never ranks, never reads the disk, the clock
or the index.
"""
