"""Escape untrusted text: on a display no name or quote may move the cursor, reorder or hide characters; before a model
none may contain a control token of a chat template (``<|im_end|>``, ``[INST]``, ``</s>``), as a server that parses such
tokens in content would end the user's turn there. The functions whose names begin with ``inert_`` do both. ``count``
writes how many there are of a thing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from helix_core.lines import with_line_feeds

TAB = "    "
_QUOTES = frozenset({"text", "quote", "content"})
_FILE_NAMES = frozenset({"source_id", "source", "path", "title"})
_CONTROL_TOKENS = (
    # ChatML, Llama 3 and 4, Phi, Qwen, Harmony, Command R, Granite, Kimi.
    r"<\|[^\s<>|]{1,64}\|?>",
    r"<[A-Za-z_]{1,40}[|\x{ff5c}]>",
    # DeepSeek and Hunyuan write U+FF5C, and U+2581 for blanks; DeepSeek's tool tags have attributes and a slash.
    r"</?\x{ff5c}[^<>\n]{1,120}>",
    # EXAONE; MiniMax.
    r"\[\|/?[A-Za-z_]{1,40}\|\]",
    r"\]~!b\[|\]~b\]|\[e~\[",
    # Llama 2, Mistral.
    r"</?s>",
    r"(?i:<</?SYS>>)",
    r"(?i:\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|THINK|PREFIX|SUFFIX"
    r"|MIDDLE|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|TRANSCRIBE|MODEL_SETTINGS|BOS|EOS|EOT|gMASK|sMASK)\])",
    # Gemma, GLM, T5, BERT, InternLM, Baichuan, Seed, TeleChat, MiniCPM and their relatives.
    r"(?i:</?(?:(?:start|end)_of_(?:turn|utterance|image|audio|text|role)|[be]os(?:_token)?|pad|unk|sop|eop|eod|eoh|eoa|eot|eom"
    r"|endoftext|mask:\d{1,4}|reserved_\d{1,6}|unused\d{1,6}|extra_id_\d{1,6}|seed:[a-z_]{1,40}"
    r"|_(?:start|end|user|bot|system|pad)|special_\d{1,6})>)",
    r"<(?:AI|\x{7528}\x{6237})>",
    # StarCoder, CodeGemma and other models that fill in code.
    r"<(?:fim[_-](?:prefix|middle|suffix|pad)|file_sep|repo_name|reponame|PRE|MID|SUF|EOT)>",
    # Tags around thoughts and tools: Qwen, Hermes, DeepSeek, GLM, Nemotron, Llama, Claude, MiniMax.
    r"(?i:</?(?:think|thinking|tool_calls?|toolcall|tool_response|tools|available_tools|tool_results?|tool_code"
    r"|tool_outputs?|arg_key|arg_value|function_calls?|function_results?|functions)>)",
    r"(?i:</?(?:antml|minimax):[a-z_]{1,40}(?:\s[^<>\n]{0,200})?>)",
    r"(?i:</?invoke(?:\s[^<>\n]{1,200})?>|<(?:function|parameter)=[^<>\n]{1,200}>)",
)
"""RE2 patterns of the tokens with which chat templates frame roles, turns, thoughts and tools."""
# Letters and marks by category, but invisible.
_UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)]
)


_PICTURES = range(0x1F000, 0x1FB00)
"""Blocks of pictures, in which code points that are not assigned yet are reserved for further ones."""
_SIGNS = range(0x2190, 0x2C00)
_JOINED_SCRIPTS = (
    *(range(0x0600, 0x0860), range(0x08A0, 0x0900), range(0xFB50, 0xFDD0), range(0xFE70, 0xFEFD)),
    *(range(0x0900, 0x0E00), range(0x0F00, 0x10A0), range(0x1780, 0x18B0)),
)
"""Arabic and its relatives, the Indic scripts, Tibetan, Myanmar, Khmer, Mongolian: a joiner between letters spells."""
_JOINERS = ("\u200c", "\u200d")


def is_joiner_at(text: str, at: int) -> bool:
    """Return whether the character is a joiner that changes what is seen: between pictures, or letters that join."""
    if text[at] not in _JOINERS or not 0 < at < len(text) - 1:
        return False
    before, after = text[at - 1], text[at + 1]
    if _is_joined_letter(before) and _is_joined_letter(after):
        return True
    if before == "\ufe0f" and at > 1:
        before = text[at - 2]
    return text[at] == "\u200d" and _is_picture(before) and _is_picture(after)


def _is_joined_letter(character: str) -> bool:
    code = ord(character)
    is_script = any(code in block for block in _JOINED_SCRIPTS) and code not in _UNSEEN
    return is_script and unicodedata.category(character)[0] in "LM"


def _is_picture(character: str) -> bool:
    code = ord(character)
    return code in _PICTURES or (code in _SIGNS and code not in _UNSEEN and unicodedata.category(character)[0] == "S")


def one_line(text: str) -> str:
    """Return the text on one line, with control, bidi, zero-width and other invisible characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    if not any(one in text for one in _JOINERS):
        return "".join(map(_shown, text))
    return "".join(one if is_joiner_at(text, at) else _shown(one) for at, one in enumerate(text))


def count(number: int, noun: str, plural: str = "") -> str:
    """Format ``1 file``, ``1,234 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def lines_of(text: str) -> list[str]:
    """Return the escaped lines of a quote, with tabs as four blanks."""
    return [one_line(line.rstrip("\r").replace("\t", TAB)) for line in with_line_feeds(text).split("\n")]


def safe_text(text: str) -> str:
    """Escape every invisible character of a quote except line ends and tabs; CRLF becomes LF, a lone CR ``\\r``."""
    if (
        text.isascii()
        and "\r" not in text
        and "\x1b" not in text
        and text.replace("\n", "").replace("\t", "").isprintable()
    ):
        return text
    return "\n".join("\t".join(map(one_line, line.removesuffix("\r").split("\t"))) for line in text.split("\n"))


def safe_name(source_id: str) -> str:
    r"""Escape the invisible characters of a path as ``\xNN``, byte by byte: this form still names its file."""
    if source_id.isascii() and source_id.isprintable():
        return source_id
    return "".join(one if one_line(one) == one else _bytes_of(one) for one in source_id)


def inert_text(text: str) -> str:
    """Return ``safe_text`` without control tokens."""
    return without_control_tokens(safe_text(text))


def inert_line(text: str) -> str:
    """Return ``one_line`` without control tokens."""
    return without_control_tokens(one_line(text))


def inert_name(source_id: str) -> str:
    """Return ``safe_name`` without control tokens; it still names its file."""
    return without_control_tokens(safe_name(source_id))


def without_control_tokens(text: str) -> str:
    r"""Return ``<|im_end|>`` as ``\x3c|im_end|>``: readable, and no control token for any tokenizer."""
    if "<" not in text and "[" not in text and "]" not in text:
        return text
    before = ""
    # A token may contain another: ``<|[INST]|>``.
    while text != before:
        before, text = text, str(_control_tokens().sub(_escaped_first, text))
    return text


def _escaped_first(match: Any) -> str:
    token = str(match.group())
    return f"\\x{ord(token[0]):02x}{token[1:]}"


@cache
def _control_tokens() -> Any:
    import re2

    return re2.compile("|".join(_CONTROL_TOKENS))


def inert_value(key: str, value: Any, *, unchanged: Collection[str] = ()) -> Any:
    """Escape all strings of a JSON value, found under ``key``, for a reader that may be a model.

    Quotes (``quote``, ``text``, ``content``) keep their lines, ``source_id`` and ``title`` stay names of files. An item
    whose ``quote`` holds an escape gets ``escaped: true``. Strings under the keys of ``unchanged`` are returned
    unchanged.
    """
    if isinstance(value, str):
        if key in unchanged:
            return value
        if key in _QUOTES:
            return without_control_tokens(_safe_lines(value))
        return inert_name(value) if key in _FILE_NAMES else inert_line(value)
    if isinstance(value, Mapping):
        inert = {inert_line(name): inert_value(name, inner, unchanged=unchanged) for name, inner in value.items()}
        return with_escaped_flag(inert, value)
    if isinstance(value, Sequence):
        return [inert_value(key, inner, unchanged=unchanged) for inner in value]
    return value


def with_escaped_flag(inert: dict[str, Any], exact: Mapping[str, Any]) -> dict[str, Any]:
    """Return the escaped object with ``escaped: true`` if its quote is not the one of ``exact``."""
    is_escaped = isinstance(inert.get("quote"), str) and inert["quote"] != exact["quote"]
    return inert | {"escaped": True} if is_escaped else inert


def _safe_lines(text: str) -> str:
    """Return ``safe_text`` with carriage returns kept, so that a quote keeps the bytes of the file."""
    lines = text.split("\n")
    return "\n".join(safe_text(line) + ("\r" if line.endswith("\r") else "") for line in lines)


def _bytes_of(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def without_surrogate(character: str) -> str:
    r"""Return the character, or ``\xNN`` for a surrogate that stands for an invalid UTF-8 byte."""
    code = ord(character)
    if not 0xD800 <= code <= 0xDFFF:
        return character
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else _escape(code)


def _shown(character: str) -> str:
    code = ord(character)
    if code in _UNSEEN:
        return _escape(code)
    if character.isprintable() or code in _PICTURES or unicodedata.category(character) == "Zs":
        return character
    if 0xD800 <= code <= 0xDFFF:
        return without_surrogate(character)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character) or _escape(code)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
