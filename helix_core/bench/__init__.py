"""Measure answers: questions with expected files, scores, statistics over them, and a comparison of two runs.

In: questions, answers, times, samples of the machine's load. Out: figures, doubts, a verdict. Pure: asks nothing, reads
no disk and no clock; every random number comes from a fixed seed.
"""
