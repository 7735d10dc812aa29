"""HTTP on loopback: a chat proxy for any OpenAI client, and the engine's answers as JSON.

In: requests that passed the guard. Out: the upstream's answer byte for byte, with at most one context block inserted
before the user's question. Must never choose an upstream by request or workspace, forward the caller's key, invent the
end of an answer, or block the event loop: questions go to the host's question threads.
"""
