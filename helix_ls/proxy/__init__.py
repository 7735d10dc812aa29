"""HTTP on loopback: a chat proxy for clients of OpenAI's, Anthropic's and Ollama's APIs, and answers as JSON.

In: requests that passed the guard. Out: the upstream's answer byte for byte; of a chat's body, too, but for the context
block before each question. Must never choose an upstream by request or workspace, forward the caller's key, invent the
end of an answer, or block the event loop: questions go to the host's question threads.
"""
