"""Detect secrets by their own format: issuers' token formats, private key blocks, and detect-secrets' plugins.

Bytes in, spans out. Patterns are RE2, compiled at their first use. Repetitions after a group are bounded or end with
their character class, so that a search never reads past its own match: a file is scanned in linear time. detect-secrets
uses Python's ``re``, so it gets only the lines that our own patterns select, and of those at most ``LONGEST_LINE``
bytes; its plugins are used through ``analyze_string``, which keeps no state, reads no settings and makes no network
request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from helix_core.model import SecretSpan
from helix_core.secrets.values import LazyPattern, is_hex_key, is_masked, is_placeholder, looks_random

LONGEST_LINE = 1000
_TOKEN_BYTES = 4096
_WORD = rb"[A-Za-z0-9_\-]"
_ASSIGN = rb"[\"'\]]{0,2}[ \t]{0,8}(?:=>|:=|[=:])[ \t]{0,8}[\"']?"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of credential. Whatever ``pattern`` matches has a match of ``cue``, a pattern that counts little;
    ``judged`` means that the format alone is no proof, so placeholders are not masked.
    """

    kind: str
    cue: bytes
    pattern: bytes
    judged: bool = False


TOKEN_RULES: tuple[Rule, ...] = (
    Rule(
        "aws-access-key",
        rb"A(?:KIA|SIA|BIA|CCA|3T)[A-Z0-9]{4}",
        rb"\b((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b",
    ),
    Rule(
        "aws-secret-key",
        rb"(?i:aws[\w.\-]{0,20}(?:secret|private)|secret_?access_?key)",
        rb"(?i:aws[\w.\-]{0,20}(?:secret|private)[\w.\-]{0,20}|secret_?access_?key)" + _ASSIGN + rb"([A-Za-z0-9/+]{40})"
        rb"(?:[^A-Za-z0-9/+=]|$)",
    ),
    Rule(
        "github-token", rb"gh[pousr]_|github_pat_", rb"\b((?:gh[pousr]_[A-Za-z0-9]{30,})|github_pat_[A-Za-z0-9_]{12,})"
    ),
    Rule(
        "gitlab-token",
        rb"gl(?:pat|oas|dt|rt|cbt|ptt|ft|agent|imt|soat)-",
        rb"\b(gl(?:pat|oas|dt|rt|cbt|ptt|ft|agent|imt|soat)-" + _WORD + rb"{20,})",
    ),
    # crypt(5): what a password is compared with can be guessed at where it is read.
    Rule(
        "password-hash",
        rb"\$(?:[1567y]|2[abxy]|gy|apr1|sha1|scrypt|argon2id?|argon2d)\$",
        rb"(\$(?:[1567y]|2[abxy]|gy|apr1|sha1|scrypt|argon2id?|argon2d)\$[A-Za-z0-9./,=+$\-]{20,})",
    ),
    Rule("slack-token", rb"xox[abeoprs]-|xapp-", rb"\b(xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[0-9]-[A-Za-z0-9\-]{20,})"),
    Rule(
        "slack-webhook",
        rb"hooks\.slack\.com/",
        rb"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+]{20,})",
        judged=True,
    ),
    Rule(
        "discord-token",
        rb"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{20}",
        rb"\b([MNO]" + _WORD + rb"{23,25}\." + _WORD + rb"{6}\." + _WORD + rb"{27,38})",
    ),
    Rule(
        "stripe-key",
        rb"\b[sr]?k_(?:live|test)_|whsec_",
        rb"\b((?:[sr]?k)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    Rule("google-api-key", rb"AIza", rb"\b(AIza" + _WORD + rb"{30,})"),
    Rule(
        "google-oauth",
        rb"GOCSPX-|ya29\.|1//0",
        rb"\b(GOCSPX-" + _WORD + rb"{20,}|ya29\." + _WORD + rb"{20,}|1//0" + _WORD + rb"{30,})",
    ),
    Rule("npm-token", rb"npm_[A-Za-z0-9]{9}", rb"\b(npm_[A-Za-z0-9]{36,})"),
    Rule(
        "npm-auth",
        rb":_(?:auth|password)",
        rb":_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}[\"']?([A-Za-z0-9_\-=+/.]{8,})",
        judged=True,
    ),
    Rule("pypi-token", rb"pypi-AgE", rb"\b(pypi-AgE[A-Z]" + _WORD + rb"{16,})"),
    Rule("rubygems-key", rb"rubygems_[a-f0-9]{4}", rb"\b(rubygems_[a-f0-9]{48})"),
    Rule("cargo-token", rb"\bcio[A-Za-z0-9]{9}", rb"\b(cio[A-Za-z0-9]{32})\b"),
    Rule("sendgrid-key", rb"\bSG\.", rb"\b(SG\." + _WORD + rb"{10,}\." + _WORD + rb"{10,})"),
    Rule("mailgun-key", rb"\bkey-[0-9a-z]{9}", rb"\b(key-[0-9a-z]{32})\b"),
    Rule("mailchimp-key", rb"[0-9a-f]-us[0-9]", rb"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    Rule("twilio-key", rb"\b(?:SK|AC)[0-9a-f]{4}", rb"\b((?:SK|AC)[0-9a-f]{32})\b"),
    Rule("anthropic-key", rb"\bsk-ant-", rb"\b(sk-ant-" + _WORD + rb"{20,})"),
    Rule(
        "openai-key",
        rb"\bsk-(?:proj|svcacct|admin|None|or-v1)-|\bsk-[A-Za-z0-9]{9}",
        rb"\b(sk-(?:proj|svcacct|admin|None|or-v1)-" + _WORD + rb"{20,}|sk-[A-Za-z0-9]{32,})",
    ),
    Rule("huggingface-token", rb"\b(?:hf|api_org)_[A-Za-z0-9]{9}", rb"\b((?:hf|api_org)_[A-Za-z0-9]{20,})"),
    Rule("replicate-token", rb"\br8_", rb"\b(r8_[A-Za-z0-9]{37})\b"),
    Rule("groq-key", rb"\bgsk_", rb"\b(gsk_[A-Za-z0-9]{40,})"),
    Rule(
        "azure-key",
        rb"(?i:(?:account|shared|access)_?key)[\"'\]]{0,2}[ \t]{0,8}[=:]",
        rb"(?i:(?:account|shared|shared_?access)_?key)" + _ASSIGN + rb"([A-Za-z0-9+/]{40,}={0,2})",
    ),
    Rule("azure-sas", rb"[?&;]sig=", rb"[?&;]sig=([A-Za-z0-9%+/=]{30,})"),
    Rule("azure-client-secret", rb"[0-9]Q~", rb"\b([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34})"),
    Rule("digitalocean-token", rb"\bdo[opr]_v1_", rb"\b(do[opr]_v1_[a-f0-9]{64})"),
    Rule("shopify-token", rb"\bshp(?:at|ca|pa|ss)_", rb"\b(shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32})"),
    Rule(
        "square-token",
        rb"\bsq0(?:atp|csp|idp)-|\bEAAA",
        rb"\b(sq0(?:atp|csp|idp)-" + _WORD + rb"{22,}|EAAA" + _WORD + rb"{60,})",
    ),
    Rule("databricks-token", rb"\bdapi[a-f0-9]{4}", rb"\b(dapi[a-f0-9]{32})\b"),
    Rule("atlassian-token", rb"\bATATT3", rb"\b(ATATT3[A-Za-z0-9_\-=]{60,})"),
    Rule("linear-key", rb"\blin_(?:api|oauth)_", rb"\b(lin_(?:api|oauth)_[A-Za-z0-9]{32,})"),
    Rule("grafana-token", rb"\bglsa_", rb"\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    Rule("newrelic-key", rb"\bNRAK-", rb"\b(NRAK-[A-Z0-9]{27})\b"),
    Rule("sentry-token", rb"\bsntry[su]_", rb"\b(sntry[su]_[A-Za-z0-9+/=_\-]{40,})"),
    Rule("docker-token", rb"\bdckr_(?:pat|oat)_", rb"\b(dckr_(?:pat|oat)_" + _WORD + rb"{20,})"),
    Rule("vault-token", rb"\bhv[sbr]\.[A-Za-z0-9_\-]{9}", rb"\b(hv[sbr]\." + _WORD + rb"{24,})"),
    Rule(
        "doppler-token",
        rb"\bdp\.(?:pt|st|ct|sa|scim|audit)\.",
        rb"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,})",
    ),
    Rule("supabase-key", rb"\bsb[ps]_[a-f0-9]{4}", rb"\b(sb[ps]_[a-f0-9]{40})\b"),
    Rule("age-key", rb"\bAGE-SECRET-KEY-1", rb"\b(AGE-SECRET-KEY-1[A-Z0-9]{58})"),
    Rule("artifactory-token", rb"\bAKC[a-zA-Z0-9]{9}", rb"\b(AKC[a-zA-Z0-9]{10}[a-zA-Z0-9]{40,})"),
    Rule("telegram-token", rb"[0-9]:AA", rb"\b([0-9]{8,10}:AA" + _WORD + rb"{33})"),
    Rule("jwt", rb"\beyJ", rb"\b(eyJ" + _WORD + rb"{8,}\.eyJ" + _WORD + rb"{8,}(?:\." + _WORD + rb"*)?)"),
    Rule(
        "url-password",
        rb"://[^\s/:@\"'<>`\\]*:[^\s/@\"'<>{}`\\]+@",
        rb"[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s/:@\"'<>`\\]{0,100}:([^\s/@\"'<>{}`\\]{3,200})@[\w\[%.${<\-]",
        judged=True,
    ),
    Rule(
        "url-password",
        rb"://[A-Za-z0-9]{16,64}@",
        rb"[A-Za-z][A-Za-z0-9+.\-]{1,20}://([A-Za-z0-9]{16,64})@[\w\[%.$\-]",
        judged=True,
    ),
    Rule(
        "bearer-token",
        rb"(?i:\bbearer)[ \t]{1,4}[A-Za-z0-9_\-.~+/]{9}",
        rb"(?i:\bbearer)[ \t]{1,4}([A-Za-z0-9_\-.~+/]{16,}={0,2})",
        judged=True,
    ),
    Rule(
        "basic-auth",
        rb"(?i:authorization)[\"']?[ \t:=,]{1,9}[\"']?(?i:basic)",
        rb"(?i:authorization)[\"']{0,1}(?:[ \t]{0,4}[:=,][ \t]{0,4}|[ \t]{1,8})[\"']?(?i:basic)"
        rb"[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})",
        judged=True,
    ),
    Rule(
        "connection-string",
        rb"(?i:;[ \t]{0,4}p(?:assword|wd|asswd))[ \t]{0,2}=",
        rb"(?i:;[ \t]{0,4}(?:password|pwd|passwd)[ \t]{0,2}=[ \t]{0,2})([^;\"'\s{}]{3,128})",
        True,
    ),
    Rule(
        "connection-string",
        rb"=[^\s\"'=]+(?i:[ ]password=)[^\s\"'{}]{3}",
        rb"(?i:\b(?:host|user|dbname|port|sslmode)=[^\s\"'=]{1,64}[ ](?:[a-z_]{1,20}=[^\s\"'=]{1,64}[ ]){0,6}"
        rb"password=)([^\s\"'{}]{3,128})",
        judged=True,
    ),
    Rule(
        "curl-password",
        rb"\bcurl",
        rb"\bcurl[^\n]{0,120}[ \t](?:-u|--user)[ =][\"']?[^\s:\"'$]{1,64}:([^\s\"'$]{3,128})",
        True,
    ),
)

TOKENS = LazyPattern(b"|".join(rule.pattern for rule in TOKEN_RULES))
"""Group n+1 belongs to ``TOKEN_RULES[n]``. Together the rules count so much that their DFA outgrows its memory."""
TOKEN_CUES = LazyPattern(b"|".join(rule.cue for rule in TOKEN_RULES))
"""A prefilter: matches every text that has a token, at six times the speed of ``TOKENS``."""

_BEGIN = LazyPattern(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----"
)
_END = LazyPattern(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----")
_PUTTY = LazyPattern(rb"Private-Lines: [0-9]{1,4}\r?\n")
_RUN = LazyPattern(rb"[A-Za-z0-9+/=_\-]{5,}")
_BODY_LINE = LazyPattern(
    rb"^[ \t\"'`+>#*|/]*(?:[A-Za-z0-9\-]{1,24}: [^\r\n]{0,200}|(?:[A-Za-z0-9+/=]|\\[nr])+)?[ \t\"'`+\\,;)nr]*\r?\n?$",
)
_KEY_LINE = LazyPattern(rb"^[ \t\"'`+>#*|]*[A-Za-z0-9+/]{40,}={0,2}(?:\\[nr])*[ \t\"'`+\\,;)]*\r?\n?$")
_LONGEST_BLOCK = 64 << 10
_SHORTEST_KEY_RUN = 16


_ISSUERS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("cloudant", "CloudantDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"),
    ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("softlayer", "SoftlayerDetector"),
    ("square_oauth", "SquareOAuthDetector"),
)


def tokens(data: bytes) -> Iterator[SecretSpan]:
    """Yield every credential in an issuer's format."""
    reached = 0
    for match in _token_matches(data):
        finding = _token(data, match, 0)
        while finding is not None and finding.end > reached:
            yield finding
            # An adjacent second token has no word boundary until the first is masked: match it as if it were masked.
            reached = finding.end
            behind = data[reached : reached + _TOKEN_BYTES] if _is_word(data[reached : reached + 1]) else b""
            found = TOKENS.match(behind)
            finding = _token(data, found, reached) if found is not None else None


def _token_matches(data: bytes) -> Iterator[Any]:
    """Yield the matches of ``TOKENS``, none of which spans lines: those of the lines that have a cue."""
    position = 0
    while (cue := TOKEN_CUES.search(data, position)) is not None:
        start = data.rfind(b"\n", position, cue.start()) + 1 or position
        position = data.find(b"\n", cue.end()) + 1 or len(data)
        yield from TOKENS.finditer(data, start, position)


def _token(data: bytes, match: Any, offset: int) -> SecretSpan | None:
    """Return the finding of a match in the bytes from ``offset`` on, unless it is masked already or is a placeholder
    for a token.
    """
    group = match.lastindex
    rule = TOKEN_RULES[group - 1]
    start, end = (offset + place for place in match.span(group))
    value = data[start:end]
    is_key = rule.kind == "bearer-token" and is_hex_key(value)
    placeholder = is_masked(value) or (rule.judged and not is_key and is_placeholder(value))
    return None if placeholder else SecretSpan(rule.kind, start, end)


def _is_word(byte: bytes) -> bool:
    r"""Return whether the byte is in ``\w``, where an adjacent second token can begin."""
    return byte.isalnum() or byte == b"_"


def private_keys(data: bytes) -> Iterator[SecretSpan]:
    r"""Yield the base64 runs of every private key, including truncated ones.

    PEM, OpenSSH, PGP, PuTTY; whole, truncated, quoted line by line, or on one line with ``\n``. Never the markers and
    never a line end.
    """
    for block in _blocks(data):
        for start, end in block:
            yield SecretSpan("private-key", start, end)


def detect_secrets_findings(data: bytes, starts: Iterable[int]) -> Iterator[SecretSpan]:
    """Yield what detect-secrets finds on the lines of the positions ``starts``."""
    for line_start in sorted({_line_start(data, start) for start in starts}):
        newline = data.find(b"\n", line_start)
        line = data[line_start : min(len(data) if newline < 0 else newline, line_start + LONGEST_LINE)]
        found = [(kind, value) for kind, value in _issued(line) if not is_placeholder(value)]
        found += [("secret", value) for value in _random_strings(line) if looks_random(value)]
        for kind, value in found:
            offset = line.find(value)
            while offset >= 0:
                yield SecretSpan(kind, line_start + offset, line_start + offset + len(value))
                offset = line.find(value, offset + len(value))


def _line_start(data: bytes, position: int) -> int:
    """Return the start of the line of ``position``; a long line is treated as blocks, which bounds the cost of many
    findings in it.
    """
    newline = data.rfind(b"\n", max(0, position - LONGEST_LINE), position)
    return newline + 1 if newline >= 0 else position - position % LONGEST_LINE


def _blocks(data: bytes) -> Iterator[tuple[tuple[int, int], ...]]:
    if b"PRIVATE KEY" not in data and b"Private-Lines: " not in data:
        return
    position = 0
    for begin in _BEGIN.finditer(data):
        if begin.start() >= position:
            stop = _block_end(data, begin.end())
            position = max(begin.end(), stop)
            yield from _block(data, begin.end(), stop)
    for lines in _PUTTY.finditer(data):
        yield from _block(data, lines.end(), _body_end(data, lines.end()))
    for end in _END.finditer(data):
        start = _body_start(data, end.start())
        if start < end.start():
            yield from _block(data, start, end.start())


def _block(data: bytes, start: int, stop: int) -> Iterator[tuple[tuple[int, int], ...]]:
    runs = tuple(run.span() for run in _RUN.finditer(data, start, stop))
    if any(end - begin >= _SHORTEST_KEY_RUN and _is_key_material(data[begin:end]) for begin, end in runs):
        yield runs


def _is_key_material(run: bytes) -> bool:
    # Identifiers between two marker literals in code are not a key.
    return b"_" not in run and any(48 <= byte <= 57 for byte in run) and any(65 <= byte <= 90 for byte in run)


def _block_end(data: bytes, start: int) -> int:
    """Return the END marker, or the first line that does not look like a key's body."""
    limit = min(len(data), start + _LONGEST_BLOCK)
    end = _END.search(data, start, limit)
    again = _BEGIN.search(data, start, end.start() if end else limit)
    if end and not again:
        return int(end.start())
    return _body_end(data, start)


def _body_end(data: bytes, start: int) -> int:
    position = start
    limit = min(len(data), start + _LONGEST_BLOCK)
    while position < limit:
        newline = data.find(b"\n", position, limit)
        line_end = limit if newline < 0 else newline + 1
        if line_end - position > 4096:
            return position + 4096
        if not _BODY_LINE.search(data[position:line_end]):
            # The rest of the marker's own line may hold the key and then code.
            return line_end if position == start else position
        position = line_end
    return position


def _body_start(data: bytes, end: int) -> int:
    """Return the start of the key lines directly above an END marker."""
    limit = max(0, end - _LONGEST_BLOCK)
    position = data.rfind(b"\n", limit, end) + 1
    first = True
    while position > limit:
        line_start = data.rfind(b"\n", limit, position - 1) + 1
        line = data[line_start:position]
        if not (_KEY_LINE.search(line) or (first and len(line) > 2 and _BODY_LINE.search(line))):
            break
        first = False
        position = line_start
    return position


@cache
def _issuer_plugins() -> tuple[tuple[str, Any], ...]:
    from importlib import import_module

    return tuple(
        (module.replace("_", "-"), getattr(import_module(f"detect_secrets.plugins.{module}"), name)())
        for module, name in _ISSUERS
    )


@cache
def _entropy_plugins() -> tuple[Any, Any]:
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString

    return HexHighEntropyString(), Base64HighEntropyString()


def _issued(line: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield ``(kind, secret)`` for each credential that an issuer's plugin finds in ``line``."""
    text = line[:LONGEST_LINE].decode("latin-1")
    for kind, plugin in _issuer_plugins():
        for secret in plugin.analyze_string(text):
            if len(secret) >= 8:
                yield kind, secret.encode("latin-1")


def _random_strings(line: bytes) -> Iterator[bytes]:
    """Yield quoted strings of ``line`` whose entropy exceeds the plugins' limits (4.5 bits base64, 3.0 bits hex)."""
    text = line[:LONGEST_LINE].decode("latin-1")
    for plugin in _entropy_plugins():
        for secret in plugin.analyze_string(text):
            if len(secret) >= 20 and plugin.calculate_shannon_entropy(secret) > plugin.entropy_limit:
                yield secret.encode("latin-1")
