"""What is on disk and in git now: which files count, their bytes as they are, and the facts git knows of them.

In: a folder. Out: listings, consistent reads, commits, states, all as values. It must never follow a symlink, open
what is not a regular file, leave the root, or let a repository start a program; it knows nothing of indexes or text.
Only this room touches files and git.
"""
