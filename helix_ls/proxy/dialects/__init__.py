"""The chat APIs the proxy takes: how each says turns, where evidence fits, how an answer ends and an error looks.

In: the text of a body, and events of an answer. Out: values and insertions. Pure: knows no socket, no workspace and no
upstream, and never changes a byte of what a client or an upstream sent.
"""

import re

from helix_ls.proxy.dialects.anthropic import MESSAGES
from helix_ls.proxy.dialects.dialect import Delta, Dialect, EventReader, Insertion, UnreadableError
from helix_ls.proxy.dialects.ollama import OLLAMA_CHAT, OLLAMA_GENERATE
from helix_ls.proxy.dialects.openai_chat import CHAT
from helix_ls.proxy.dialects.responses import RESPONSES

_MESSAGES_PATH = re.compile(r"(?:/v1)*/messages(?:/|\Z)")
"""A path of Anthropic's clients, whatever their base URL ends with."""
DIALECTS = (CHAT, RESPONSES, MESSAGES, OLLAMA_CHAT, OLLAMA_GENERATE)


def dialect_of(route: str) -> Dialect:
    """Return the dialect whose shape of errors the clients of a route read."""
    if route.startswith("/api/"):
        return OLLAMA_CHAT
    return MESSAGES if _MESSAGES_PATH.match(route) else CHAT


__all__ = [
    "CHAT",
    "DIALECTS",
    "MESSAGES",
    "OLLAMA_CHAT",
    "OLLAMA_GENERATE",
    "RESPONSES",
    "Delta",
    "Dialect",
    "EventReader",
    "Insertion",
    "UnreadableError",
    "dialect_of",
]
