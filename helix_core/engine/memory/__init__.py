"""What answers take from the memory and what is kept in it: notes, exchanges, uses, related files.

Decides no verdict about files and reads no file itself.
"""
