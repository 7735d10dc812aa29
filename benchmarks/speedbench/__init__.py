"""The parts of ``speed.py``: what is measured, the yardsticks beside it, and the table both go into.

Helix runs in processes of its own (the command, or ``inside.py``), so that what is measured is what a user starts.
Nothing here writes outside the scratch folder it is given.
"""
