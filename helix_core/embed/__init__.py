"""Text → vectors: what is said of a file and of a chunk in words, and those words as points that can be compared.

In: ingested chunks, questions. Out: texts to be embedded, each with the hash it is kept under, and vectors as bytes.
Knows no SQL, reads no workspace file, touches no disk but its own table and a model's folder, and asks no network.
"""
