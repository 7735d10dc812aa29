"""One running Helix: who owns a workspace, who may ask it, and the process all of that lives in.

In: folders to open, questions as functions of an open ``Helix``, editors' events. Out: answers, and a ``Status`` per
workspace with every change of it. Knows no editor protocol: ``helix_ls.lsp`` speaks through ``Host``.
Never parses, hashes, lists or asks git on the event loop; never lets two threads share a ``Helix``.
"""
