"""Measuring answers: questions with their right places, scores, statistics over them, and a verdict on two runs.

In: what was asked, what was answered, how long it took, what else the machine did. Out: figures, doubts, a verdict.
Pure: asks nothing, reads no disk and no clock; every number that comes from chance comes from a fixed seed.
"""
