"""The engine of Helix: answer a question about a folder with a packet of pointers, each with a verdict that is true
now.

Works from a Python prompt; knows nothing of editors, servers or the command line.
"""

__version__ = "0.1.0"
