"""Answers: a question in, judged items, a window or an explanation of the ranking out.

Wires search, verdict, packet and window. Ranks nothing and judges nothing itself.
"""
