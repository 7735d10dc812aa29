"""The shapes of credentials: one linear-time pattern over all issuers' formats, and one over assignments.

Data only. Patterns are RE2 on bytes (Latin-1 mode: one byte is one character, so files that are not UTF-8 match as
well). Each token pattern has exactly one group, the secret itself. Repetitions after a group are bounded or end with
their character class, so that a search never reads past its own match: a file is scanned in linear time.
"""

from __future__ import annotations

from dataclasses import dataclass

import re2

_WORD = rb"[A-Za-z0-9_\-]"
_ASSIGN = rb"[\"'\]]{0,2}[ \t]{0,8}(?:=>|:=|[=:])[ \t]{0,8}[\"']?"


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of credential. ``judged`` means: the shape alone does not prove it, so placeholders are let through."""

    kind: str
    pattern: bytes
    judged: bool = False


TOKEN_RULES: tuple[Rule, ...] = (
    Rule("aws-access-key", rb"\b((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b"),
    Rule(
        "aws-secret-key",
        rb"(?i:aws[\w.\-]{0,20}(?:secret|private)[\w.\-]{0,20}|secret_?access_?key)" + _ASSIGN + rb"([A-Za-z0-9/+]{40})"
        rb"(?:[^A-Za-z0-9/+=]|$)",
    ),
    Rule("github-token", rb"\b((?:gh[pousr]_[A-Za-z0-9]{30,})|github_pat_[A-Za-z0-9_]{22,})"),
    Rule("gitlab-token", rb"\b(gl(?:pat|oas|dt|rt|cbt|ptt|ft|agent|imt|soat)-" + _WORD + rb"{20,})"),
    Rule("slack-token", rb"\b(xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[0-9]-[A-Za-z0-9\-]{20,})"),
    Rule("slack-webhook", rb"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+]{20,})", judged=True),
    Rule("stripe-key", rb"\b((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})"),
    Rule("google-api-key", rb"\b(AIza" + _WORD + rb"{35})"),
    Rule("google-oauth", rb"\b(GOCSPX-" + _WORD + rb"{20,}|ya29\." + _WORD + rb"{20,}|1//0" + _WORD + rb"{30,})"),
    Rule("npm-token", rb"\b(npm_[A-Za-z0-9]{36,})"),
    Rule("npm-auth", rb":_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}[\"']?([A-Za-z0-9_\-=+/.]{8,})", judged=True),
    Rule("pypi-token", rb"\b(pypi-AgE[A-Z]" + _WORD + rb"{16,})"),
    Rule("rubygems-key", rb"\b(rubygems_[a-f0-9]{48})"),
    Rule("cargo-token", rb"\b(cio[A-Za-z0-9]{32})\b"),
    Rule("sendgrid-key", rb"\b(SG\." + _WORD + rb"{16,}\." + _WORD + rb"{16,})"),
    Rule("mailgun-key", rb"\b(key-[0-9a-z]{32})\b"),
    Rule("mailchimp-key", rb"\b([0-9a-f]{32}-us[0-9]{1,2})\b"),
    Rule("twilio-key", rb"\b((?:SK|AC)[0-9a-f]{32})\b"),
    Rule("anthropic-key", rb"\b(sk-ant-" + _WORD + rb"{20,})"),
    Rule("openai-key", rb"\b(sk-(?:proj|svcacct|admin|None|or-v1)-" + _WORD + rb"{20,}|sk-[A-Za-z0-9]{32,})"),
    Rule("huggingface-token", rb"\b((?:hf|api_org)_[A-Za-z0-9]{30,})"),
    Rule("replicate-token", rb"\b(r8_[A-Za-z0-9]{37})\b"),
    Rule("groq-key", rb"\b(gsk_[A-Za-z0-9]{40,})"),
    Rule("azure-key", rb"(?i:(?:account|shared|shared_?access)_?key)" + _ASSIGN + rb"([A-Za-z0-9+/]{40,}={0,2})"),
    Rule("azure-sas", rb"[?&;]sig=([A-Za-z0-9%+/=]{30,})"),
    Rule("azure-client-secret", rb"\b([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34})"),
    Rule("digitalocean-token", rb"\b(do[opr]_v1_[a-f0-9]{64})"),
    Rule("shopify-token", rb"\b(shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32})"),
    Rule("square-token", rb"\b(sq0(?:atp|csp|idp)-" + _WORD + rb"{22,}|EAAA" + _WORD + rb"{60,})"),
    Rule("databricks-token", rb"\b(dapi[a-f0-9]{32})\b"),
    Rule("atlassian-token", rb"\b(ATATT3[A-Za-z0-9_\-=]{60,})"),
    Rule("linear-key", rb"\b(lin_(?:api|oauth)_[A-Za-z0-9]{32,})"),
    Rule("grafana-token", rb"\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    Rule("newrelic-key", rb"\b(NRAK-[A-Z0-9]{27})\b"),
    Rule("sentry-token", rb"\b(sntry[su]_[A-Za-z0-9+/=_\-]{40,})"),
    Rule("docker-token", rb"\b(dckr_(?:pat|oat)_" + _WORD + rb"{20,})"),
    Rule("vault-token", rb"\b(hv[sbr]\." + _WORD + rb"{24,})"),
    Rule("doppler-token", rb"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,})"),
    Rule("supabase-key", rb"\b(sb[ps]_[a-f0-9]{40})\b"),
    Rule("age-key", rb"\b(AGE-SECRET-KEY-1[A-Z0-9]{58})"),
    Rule("artifactory-token", rb"\b(AKC[a-zA-Z0-9]{10}[a-zA-Z0-9]{40,})"),
    Rule("telegram-token", rb"\b([0-9]{8,10}:AA" + _WORD + rb"{33})"),
    Rule("discord-token", rb"\b([MNO]" + _WORD + rb"{23,25}\." + _WORD + rb"{6}\." + _WORD + rb"{27,38})"),
    Rule("jwt", rb"\b(eyJ" + _WORD + rb"{8,}\.eyJ" + _WORD + rb"{8,}(?:\." + _WORD + rb"*)?)"),
    Rule(
        "url-password",
        rb"[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s/:@\"'<>`\\]{0,100}:([^\s/@\"'<>{}`\\]{3,200})@[\w\[%.$\-]",
        judged=True,
    ),
    Rule("bearer-token", rb"(?i:\bbearer)[ \t]{1,4}([A-Za-z0-9_\-.~+/]{16,}={0,2})", judged=True),
    Rule(
        "basic-auth",
        rb"(?i:authorization)[\"']{0,1}[ \t]{0,4}[:=,][ \t]{0,4}[\"']?(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})",
        judged=True,
    ),
    Rule(
        "connection-string", rb"(?i:;[ \t]{0,4}(?:password|pwd|passwd)[ \t]{0,2}=[ \t]{0,2})([^;\"'\s{}]{3,128})", True
    ),
    Rule(
        "connection-string",
        rb"(?i:\b(?:host|user|dbname|port|sslmode)=[^\s\"'=]{1,64}[ ](?:[a-z_]{1,20}=[^\s\"'=]{1,64}[ ]){0,6}"
        rb"password=)([^\s\"'{}]{3,128})",
        judged=True,
    ),
    Rule("curl-password", rb"\bcurl[^\n]{0,120}[ \t](?:-u|--user)[ =][\"']?[^\s:\"'$]{1,64}:([^\s\"'$]{3,128})", True),
)

# A name that promises a secret, as a part of a longer name: DB_PASSWORD, apiKey, client-secret.
KEYWORD = (
    rb"(?i:passw(?:or)?d|passphrase|passcode|pwd|secret|token|credentials?|api[_\-.]?key|access[_\-.]?key|auth[_\-.]?key"
    rb"|(?:private|secret|signing|encryption|encrypt|license|master|session|account|service|storage|shared)[_\-.]?key"
    rb"|[_\-.]pass\b)"
)
_KEY = rb"(\b[\w.\-]*" + KEYWORD + rb"[\w\-]*)"
_TYPE = rb"(?:\??[ \t]{0,2}:[ \t]{0,2}[A-Za-z_][\w.\[\]|]{0,30}[ \t]{0,2})?"
_BEFORE_LITERAL = (
    rb"(?:[\"']\]?,|[\"'\]]{0,3}"
    + _TYPE
    + rb"[ \t]{0,16}(?:=>|:=|[=!]={1,2}|[=:(]|[ ]))[ \t]{0,16}(?:\([ \t]{0,4})?(?:\r?\n[ \t]{0,40})?"
)
_BEFORE_WORD = rb"[\"'\]]{0,3}" + _TYPE + rb"[ \t]{0,16}(?:=>|:=|[=:])[ \t]{0,16}"
_LITERAL = rb"[bBrRuUL@]{0,2}(?:\"([^\"\s]{6,512})\"|'([^'\s]{6,512})'|`([^`\s]{6,512})`)"
_BARE_WORD = rb"([^\s\"'`,;()\[\]{}<>$&|\\]{6,256})[ \t]{0,8}(?:[;#][^\r\n]*)?(?:\r?\n|\r|\z)"
_ELEMENT = rb"<(?:[\w:.\-]{0,40}" + KEYWORD + rb"[\w.\-]{0,40})>([^<\s]{6,256})</"


_NEARBY = KEYWORD + rb"[^\r\n]*[\"'`]([A-Za-z0-9+/=_\-]{20,})[\"'`]"


def _compile(pattern: bytes) -> re2._Regexp:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 64 << 20
    options.log_errors = False
    return re2.compile(pattern, options)


TOKENS = _compile(b"|".join(rule.pattern for rule in TOKEN_RULES))
"""Group n+1 belongs to ``TOKEN_RULES[n]``."""

ASSIGNMENT = _compile(_KEY + rb"(?:" + _BEFORE_LITERAL + _LITERAL + rb"|" + _BEFORE_WORD + _BARE_WORD + rb")")
"""Groups: 1 the name; 2, 3, 4 a literal in ``"``, ``'`` or backquotes; 5 a bare word that ends its line."""

ELEMENT = _compile(_ELEMENT)
"""Group 1: the text of an XML element with a telling name."""

NEARBY = _compile(_NEARBY)
"""Group 1: a long quoted run of base64 or hex characters on a line that speaks of a secret."""
