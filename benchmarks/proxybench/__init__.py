"""Parts of ``benchmarks/proxy.py``: an upstream in a process of its own, a client on plain sockets, the figures."""
