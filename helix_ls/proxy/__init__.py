"""HTTP on loopback: a chat proxy that any OpenAI client can point at, and what is true here as JSON.

In: requests that passed the guard. Out: the upstream's answer byte for byte, with at most one context block put before
the user's question. Must never choose an upstream by request or workspace, forward the caller's key, invent the end of
an answer, or work on the loop: questions go to the host's question threads.
"""
