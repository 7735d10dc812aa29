"""Detect passwords in command lines, statements and URLs: the syntax of a tool says which word is one.

Bytes in, spans out. A value in such a place is masked unless it is a placeholder, a variable or an option.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.ingest.secret_names import NAME, whole_name
from helix_core.ingest.secret_values import LazyPattern, is_password_in_place, is_secret

Span = tuple[int, int]

_REACH = 300

_VALUE = rb"[\"']?([^\s\"'`<>|;&,()\[\]{}\\]{4,256})"
COMMAND_LINE_WORDS = (
    rb"\b(?:mysql\w*|sshpass|docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc|cf|heroku|registry"
    rb"|cloudctl|bx|mongo\w*"
    rb"|influx|ncftp\w*|rdesktop|sqlcmd|bcp|osql|isql|mosquitto_\w+|zip|unzip|snowsql|7z|7za|rar|unrar"
    rb"|redis-cli|ldap\w+"
    rb"|smbclient|lftp|wget|curl|http|https|xh|rpcclient|smbmap|net|htpasswd|echo"
    rb"|vault|rabbitmqctl|sqlplus|(?i:convertto-securestring))[ \"',]"
    rb"|(?i:\bpass:|[ \"']-\w{0,6}(?:storepass|keypass|authpassword|pw)\b|/p(?:assword)?:|\bjdbc:"
    rb"|\bidentified[ ]|\b(?:create|alter|set)[ ]"
    rb"(?:user|role|login|database|password)\b|(?:require|master|primary|replica|cluster|node|rpc)(?:pass|auth)|auth-pass"
    rb"|[\"'](?:-u|--user(?:name)?)[\"'],|rpcpassword|\bmachine[ ]"
    rb"|\bmc[ ](?:alias|config)[ ]|\bconfig[ ]http-basic\.|\bcreateuser[ ]|\b(?:password|secret)[ ][057][ ]|:[ ]psk[ ]"
    rb"|[?&;](?:password|passwd|pwd|pass)=|bundle_\w+[\"']?[:=][ ]?[\"']?[\w.\-]+:|\"bearer\"|_salt[\"'],|_key[\"'],"
    rb"|\buser[ ]\S+[ ](?:on|off)[ ])"
)
_COMMAND_LINE = LazyPattern(COMMAND_LINE_WORDS)
"""A line that may be one of ``_COMMANDS``."""
_COMMANDS = LazyPattern(
    b"|".join(
        (
            rb"\bmysql(?:dump|admin|import|show|check|sh|slap|binlog|pump)?\b[^\r\n]{0,200}?[ \"'\[,]-p" + _VALUE,
            rb"\bsshpass\b[^\r\n]{0,40}?[ \"']-p[\"', ]{0,4}" + _VALUE,
            rb"\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc|cf|heroku|registry|cloudctl|bx)"
            rb"\b[^\r\n]{0,60}?[ \"']login\b"
            rb"[^\r\n]{0,120}?[ \"'](?:-p|--?pass(?:word)?|--token)(?:[\"', ]{1,4}|=)" + _VALUE,
            rb"\b(?:mongo(?:sh|dump|restore|export|import)?|influx|ncftp\w*|rdesktop)"
            rb"[ \"'][^\r\n]{0,160}?[ \"'](?:-p|--?pass(?:word)?)"
            rb"(?:[\"', ]{1,4}|=)" + _VALUE,
            rb"\b(?:sqlcmd|bcp|osql|isql|mosquitto_\w+|zip|unzip|snowsql)"
            rb"\b[^\r\n]{0,160}?[ \"']-P[\"', ]{0,4}" + _VALUE,
            rb"\b(?:7z|7za|rar|unrar)\b[^\r\n]{0,80}?[ \"']-p" + _VALUE,
            rb"\bredis-cli\b[^\r\n]{0,120}?[ \"'](?:-a|--pass)[\"', ]{1,4}" + _VALUE,
            rb"\bldap(?:search|modify|add|delete|whoami|passwd)\b[^\r\n]{0,200}?[ \"']-w[\"', ]{1,4}" + _VALUE,
            rb"\b(?:smbclient|lftp|wget|curl|http|https|xh|rpcclient|smbmap|net)\b[^\r\n]{0,160}?[ \"'](?:-U|-u"
            rb"|-a|--user|--auth|"
            rb"--proxy-user|/user)[\"'=: ]{1,4}[^\s:%,\"'$]{1,64}[:%,]([^\s\"'$]{3,128})",
            rb"\b(?:pass|passin|passout)[ =\"']{1,3}pass:" + _VALUE,
            rb"[ \"'](?:-storepass|-keypass|-srcstorepass|-deststorepass|-pw|-authpassword)[\"', ]{1,4}" + _VALUE,
            rb"[ \"']/p(?:assword)?:" + _VALUE,
            rb"\bhtpasswd\b[^\r\n]{0,80}?[ ]-\w*b\w*[ ][^\s]+[ ][^\s]+[ ]" + _VALUE,
            rb"\becho[ ](?:-n[ ])?" + _VALUE + rb"[\"']?[ ]{0,4}\|[ ]{0,4}(?:sudo[ ][^\r\n]{0,40}-S|"
            rb"[^\r\n]{0,80}(?:--password-stdin|--with-token|--stdin))",
            rb"\becho[ ](?:-e[ ])?[\"']?[\w.\-]{1,32}:([^\s\"']{4,128})[\"']?[ ]{0,4}\|[ ]{0,4}(?:sudo[ ])?chpasswd",
            rb"\b(?:vault[ ]login|rabbitmqctl[ ](?:add_user|change_password)[ ][^\s]+)[ ](?:-\S+[ ])?" + _VALUE,
            rb"(?i:\bconvertto-securestring[ ](?:-string[ ])?)[\"']([^\s\"'$]{4,128})[\"']",
            rb"\bsqlplus\b[^\r\n]{0,40}?[ \"'][\w.]{1,32}/" + rb"([^\s\"'@/]{4,64})@",
            rb"(?i:\bjdbc:\w+:(?:thin|oci8?):)[\w.\-]{1,64}/([^\s\"'@/]{3,128})@",
            rb"(?i:\bidentified[ ](?:with[ ][\w\"']{1,40}[ ])?(?:by|as)[ ](?:password[ ])?)"
            rb"['\"]([^'\"\r\n]{4,128})['\"]",
            rb"(?i:\b(?:create|alter)[ ](?:user|role|login|database)\b[^\r\n;]{0,120}?\bpassword)"
            rb"[ ]*[=(]?[ ]*N?['\"]([^'\"\r\n]{4,128})['\"]",
            rb"(?i:\bset[ ]password\b[^\r\n;]{0,80}?=)[ ]*(?i:password\()?['\"]([^'\"\r\n]{4,128})['\"]",
            rb"(?m)^[ \t]*(?:requirepass|masterauth|rpcpassword)[ =\"]{1,3}" + _VALUE,
            rb"\b(?i:net[ ]use)\b[^\r\n]{0,120}?/user:[^\s]+[ ]" + _VALUE,
            rb"\bmc[ ](?:alias[ ]set|config[ ]host[ ]add)[ ][^\s]+[ ][^\s]+[ ][^\s]+[ ]" + _VALUE,
            rb"\bconfig[ ]http-basic\.[^\s]+[ ][^\s]+[ ]" + _VALUE,
            rb"\bcreateUser[ ][^\r\n]{0,160}?[ ](?:MD5|SHA[\w\-]*|AES|DES)[ ]" + _VALUE,
            rb"\b(?:password|secret)[ ][057][ ]" + _VALUE,
            rb":[ ]PSK[ ]\"([^\"\r\n]{4,128})\"",
            rb"(?i:[?&;](?:password|passwd|pwd|pass)=)" + _VALUE,
            rb"\bBUNDLE_\w+[\"']?[:=][ ]?[\"']?[\w.\-]+:" + _VALUE,
            rb"\"bearer\"[ ]?:[ ]?\{[ ]?\"[\w.\-]+\"[ ]?:[ ]?\"([^\"\r\n]{6,256})\"",
            rb"\bdefine\([ ]?['\"]\w+_(?:SALT|KEY)['\"],[ ]?'([^'\r\n]{24,128})'",
            rb"\buser[ ][^\s]+[ ](?:on|off)[ ][^\r\n]{0,120}?>" + _VALUE,
            rb"(?i:^|\n)[^\r\n]{0,80}(?i:\bmachine[ ][^\s]+[ ]+login[ ][^\s]+[ ]+password[ ]+)([^\s]{3,256})",
        )
    )
)
"""The one group that matched: a password in the syntax of a command line, a statement or a URL."""

_NETRC = LazyPattern(rb"(?m)^[ \t]*login[ \t]+[^\s]+\r?\n[ \t]*password[ \t]+([^\s]{4,256})[ \t]*\r?$")
"""Group 1: the password of an entry of a netrc file that has a line for each word."""
PGPASS = LazyPattern(rb"(?m)^[\w.\-*]+:(?:[0-9]{2,5}|\*):[\w.\-*]+:[\w.\-*]+:([^\s:]{4,256})\r?$")
"""Group 1: the last field of a line of a PostgreSQL password file."""

_TO_VALUE = rb"(?:=|[ \t]+|[\"'],[ \t\r\n]*|[\"']?,?[ \t]*\r?\n[ \t]*-[ \t]+)\\{0,3}[\"']?"
_OPTION_VALUE = rb"([^\s\"'`,;()\[\]{}<>$|\\]{4,256})"
_OPTION = LazyPattern(rb"(?:^|[\s\"'\[,(=])--?[\w.\-]{0,60}?" + NAME + _TO_VALUE + _OPTION_VALUE)
"""Groups: 1 the option's name, 2 its value."""
_PASSWORD_OPTION = LazyPattern(
    rb"(?:[\s\"'\[,(=])(?:--?(?:(?:require|master|primary|replica|cluster|node|rpc)(?:pass|auth)|masteruser-pass)"
    rb"|(?:sentinel[ \"',]{1,4})?auth-pass"
    + _TO_VALUE
    + rb"[\w.\-]{1,64}[\"']?|(?:-u|--user(?:name)?)"
    + _TO_VALUE
    + rb"[\w.@\-]{1,64}[\"']?(?:,[ \t\r\n]*[\"']|[ \t]*\r?\n[ \t]*-[ \t]+[\"']?|[ \t]+)(?:-p|--pass))"
    + _TO_VALUE
    + _OPTION_VALUE
)
"""Group 1: the value of an option that takes a password and has no telling name, as an element of a list or a word."""


def in_commands(data: bytes) -> Iterator[Span]:
    """Yield the values that command lines, statements and options take as passwords."""
    reached = 0
    for head in _COMMAND_LINE.finditer(data):
        if head.start() >= reached:
            start = max(reached, data.rfind(b"\n", 0, head.start()) + 1, head.start() - _REACH)
            newline = data.find(b"\n", head.end(), head.end() + 2 * _REACH)
            reached = newline if newline >= 0 else min(len(data), head.end() + 2 * _REACH)
            for match in _COMMANDS.finditer(data, start, reached):
                group = match.lastindex
                if is_password_in_place(match.group(group)):
                    yield match.span(group)
    for match in _NETRC.finditer(data):
        if is_password_in_place(match.group(1)):
            yield match.span(1)
    yield from _options(data)


def _options(data: bytes) -> Iterator[Span]:
    for match in _OPTION.finditer(data):
        if is_secret(whole_name(data, match), match.group(2)):
            yield match.span(2)
    for match in _PASSWORD_OPTION.finditer(data):
        if is_secret(b"password", match.group(1)):
            yield match.span(1)
