"""The state of the disk and of git: which files count, their bytes, and the facts that git records about them.

In: a folder. Out: listings, consistent reads, commits, states, all as values. It must never follow a symlink, open what
is not a regular file, leave the root, or let a repository start a program; it knows nothing of indexes or text. Only
this package accesses files and git.
"""
