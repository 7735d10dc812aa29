"""Detect passwords in command lines, statements and URLs: the syntax of a tool says which word is one.

Bytes in, spans out. A value in such a place is masked unless it is a placeholder, a variable or an option.
"""

from __future__ import annotations

from collections.abc import Iterator

from helix_core.secrets.names import NAME, names_password, whole_name
from helix_core.secrets.typed import is_typed_password
from helix_core.secrets.values import (
    LazyAlternatives,
    LazyLoosened,
    LazyPattern,
    is_password_in_place,
    is_secret,
    is_strong_password,
)
from helix_core.secrets.words import is_word_password, is_worded

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
    rb"|\bsnmp[\w\-]+[ ]|\br[ow]community|<\(echo|ssh-keygen|\brclone[ ]|nmcli|wpa_passphrase|<<<|\bcmdkey|\bschtasks"
    rb"|\bsp_addlogin"
    rb"|\buser[ ]add[ ]|\bprintf[ ]"
    rb"|openssl[ ](?:passwd|enc)|[ ]secrets?[ ](?:set|put)"
    rb"|[ ]-u[ ][\w.@\\\-]+[ ]-p[ ]|[\"'](?:-u|--user(?:name)?)[\"'],|rpcpassword|\bmachine[ ]"
    rb"|\bmc[ ](?:alias|config)[ ]|\bconfig[ ]http-basic\.|\bcreateuser[ ]|\b(?:password|secret)[ ][057][ ]|:[ ]psk[ ]"
    rb"|[?&;](?:password|passwd|pwd|pass)=|bundle_\w+[\"']?[:=][ ]?[\"']?[\w.\-]+:|\"bearer\"|_salt[\"'],|_key[\"'],"
    rb"|\buser[ ]\S+[ ](?:on|off)[ ])"
)
_COMMAND_LINE = LazyPattern(COMMAND_LINE_WORDS)
"""A line that may be one of ``_COMMANDS``."""
_COMMANDS = LazyAlternatives(
    (
        (
            (b"mysql",),
            rb"\bmysql(?:dump|admin|import|show|check|sh|slap|binlog|pump)?\b[^\r\n]{0,200}?[ \"'\[,]-p" + _VALUE,
        ),
        ((b"sshpass",), rb"\bsshpass\b[^\r\n]{0,40}?[ \"']-p[\"', ]{0,4}" + _VALUE),
        (
            (b"login",),
            rb"\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc|cf|heroku|registry|cloudctl|bx)"
            rb"\b[^\r\n]{0,60}?[ \"']login\b"
            rb"[^\r\n]{0,120}?[ \"'](?:-p|--?pass(?:word)?|--token)(?:[\"', ]{1,4}|=)" + _VALUE,
        ),
        (
            (b"mongo", b"influx", b"ncftp", b"rdesktop"),
            rb"\b(?:mongo(?:sh|dump|restore|export|import)?|influx|ncftp\w*|rdesktop)"
            rb"[ \"'][^\r\n]{0,160}?[ \"'](?:-p|--?pass(?:word)?)"
            rb"(?:[\"', ]{1,4}|=)" + _VALUE,
        ),
        (
            (b"sqlcmd", b"bcp", b"osql", b"isql", b"mosquitto_", b"zip", b"snowsql"),
            rb"\b(?:sqlcmd|bcp|osql|isql|mosquitto_\w+|zip|unzip|snowsql)"
            rb"\b[^\r\n]{0,160}?[ \"']-P[\"', ]{0,4}" + _VALUE,
        ),
        ((b"7z", b"rar"), rb"\b(?:7z|7za|rar|unrar)\b[^\r\n]{0,80}?[ \"']-p" + _VALUE),
        ((b"redis-cli",), rb"\bredis-cli\b[^\r\n]{0,120}?[ \"'](?:-a|--pass)[\"', ]{1,4}" + _VALUE),
        (
            (b"ldap",),
            rb"\bldap(?:search|modify|add|delete|whoami|passwd)\b[^\r\n]{0,200}?[ \"']-w[\"', ]{1,4}" + _VALUE,
        ),
        (
            (b"-u", b"-a", b"/user"),
            rb"\b(?:smbclient|lftp|wget|curl|http|https|xh|rpcclient|smbmap|net)\b[^\r\n]{0,160}?[ \"'](?:-U|-u"
            rb"|-a|--user|--auth|"
            rb"--proxy-user|/user)[\"'=: ]{1,4}[^\s:%,\"'$]{1,64}[:%,]([^\s\"'$]{3,128})",
        ),
        ((b"pass:",), rb"\b(?:pass|passin|passout)[ =\"']{1,3}pass:" + _VALUE),
        (
            (b"storepass", b"keypass", b"-pw", b"-authpassword"),
            rb"[ \"'](?:-storepass|-keypass|-srcstorepass|-deststorepass|-pw|-authpassword)[\"', ]{1,4}" + _VALUE,
        ),
        ((b"/p:", b"/password:"), rb"[ \"']/p(?:assword)?:" + _VALUE),
        (
            (b"htpasswd",),
            rb"\bhtpasswd(?:[ ]-\w+)*[ ]-(?:\w*n\w*b|\w*b\w*n)\w*(?:[ ]-\w+)*[ ][^\s\-][^\s]*[ ]" + _VALUE,
        ),
        ((b"htpasswd",), rb"\bhtpasswd(?:[ ]-\w+)*[ ]-\w*b\w*(?:[ ]-\w+)*[ ][^\s\-][^\s]*[ ][^\s]+[ ]" + _VALUE),
        (
            (b"net user",),
            rb"(?:(?m:^)[ ]*|[>$#;&|][ ]*)net[ ]user[ ][^\s/]+[ ]" + _VALUE + rb"(?:[ ]/|[ ]*(?:\r?\n|\z))",
        ),
        ((b"snmp",), rb"\bsnmp\w+\b[^\r\n]{0,200}?[ ]-[AX][ ]" + _VALUE),
        ((b"ssh-keygen",), rb"\bssh-keygen\b[^\r\n]{0,160}?[ ]-[NP][ ]" + _VALUE),
        ((b"mysqladmin", b"mariadb-admin"), rb"\b(?:mysqladmin|mariadb-admin)\b[^\r\n]{0,160}?[ ]password[ ]" + _VALUE),
        ((b"rclone",), rb"\brclone[ ](?:obscure[ ]|config[ ]create[ ][^\r\n]{0,120}?[ ]pass[ ])" + _VALUE),
        ((b"nmcli",), rb"\bnmcli\b[^\r\n]{0,120}?[ ]password[ ]" + _VALUE),
        (
            (b"wpa_passphrase",),
            rb"\bwpa_passphrase[ ](?:\"[^\"\r\n]{1,32}\"|'[^'\r\n]{1,32}'|[^\s]{1,32})[ ][\"']([^\"'\r\n$]{8,63})[\"']",
        ),
        ((b"wpa_passphrase",), rb"\bwpa_passphrase[ ](?:\"[^\"\r\n]{1,32}\"|'[^'\r\n]{1,32}'|[^\s]{1,32})[ ]" + _VALUE),
        (
            (b"<<<",),
            rb"\b(?:sudo|chpasswd|passwd|smbpasswd|kinit|cryptsetup|gpg|su|login|vault|ssh-add)\b[^\r\n]{0,80}?"
            rb"<<<[ ]?(?:\w+:)?" + _VALUE,
        ),
        ((b"openssl enc",), rb"\bopenssl[ ]enc\b[^\r\n]{0,160}?[ ]-k[ ]" + _VALUE),
        ((b"openssl passwd",), rb"\bopenssl[ ]passwd\b(?:[ ]-\w+)*[ ]" + _VALUE),
        (
            (b" secret",),
            rb"\b(?:gh|flyctl|fly|wrangler|heroku)[ ]secrets?[ ](?:set|put)\b[^\r\n]{0,80}?(?:--body|-b)[ =]" + _VALUE,
        ),
        (
            (b"net use",),
            rb"(?i:\bnet[ ]use)[ ](?:\w:[ ][^\s]+|(?:\*[ ])?\\\\[^\s]+)[ ]"
            rb"[\"']?([^\s\"'`<>|;&,()\[\]{}\\/][^\s\"'`<>|;&,()\[\]{}\\]{3,255})[\"']?[ ]/",
        ),
        ((b"sp_addlogin",), rb"(?i:\bsp_addlogin)[ ]N?'[^'\r\n]{1,64}',[ ]?N?'([^'\r\n]{4,128})'"),
        (
            (b"ftp",),
            rb"\bftp\b[^\r\n]{0,80}\r?\n(?:[ \t]*open[^\r\n]{0,80}\r?\n)?[ \t]*(?:quote[ ])?(?i:user)[ ][^\s]+[ ]"
            + _VALUE,
        ),
        ((b"snmp-server",), rb"\bsnmp-server[ ]community[ ]" + _VALUE),
        ((b"rocommunity", b"rwcommunity"), rb"(?m:^)[ \t]*r[ow]community6?[ ]" + _VALUE),
        ((b"<(echo",), rb"passw[\w\-]{0,20}[ =]<\(echo[ ]" + _VALUE),
        ((b"cmdkey",), rb"\bcmdkey\b[^\r\n]{0,160}?/pass:" + _VALUE),
        ((b"schtasks",), rb"(?i:\bschtasks\b[^\r\n]{0,200}?/rp)[ ]" + _VALUE),
        ((b"user add ",), rb"\buser[ ]add[ ][\w.\-]{1,32}:" + _VALUE),
        (
            (b"echo", b"printf"),
            rb"\b(?:echo(?:[ ]-n)?|printf(?:[ ][\"']%s(?:\\n)?[\"'])?)[ ]"
            + _VALUE
            + rb"(?:\\n)?[\"']?[ ]{0,4}\|[ ]{0,4}(?:sudo[ ][^\r\n]{0,40}-S|(?:sudo[ ])?(?:kinit|cryptsetup|smbpasswd)\b"
            rb"|[^\r\n]{0,80}(?:--data-file=-|--password-stdin"
            rb"|--with-token|--stdin|--passphrase-fd|-pass(?:in)?[ ]stdin))",
        ),
        (
            (b"chpasswd",),
            rb"\becho[ ](?:-e[ ])?[\"']?[\w.\-]{1,32}:([^\s\"']{4,128})[\"']?[ ]{0,4}\|[ ]{0,4}(?:sudo[ ])?chpasswd",
        ),
        (
            (b"vault login", b"rabbitmqctl"),
            rb"\b(?:vault[ ]login|rabbitmqctl[ ](?:add_user|change_password)[ ][^\s]+)[ ](?:-\S+[ ])?" + _VALUE,
        ),
        ((b"convertto-securestring",), rb"(?i:\bconvertto-securestring[ ](?:-string[ ])?)[\"']([^\s\"'$]{4,128})[\"']"),
        ((b"sqlplus",), rb"\bsqlplus\b[^\r\n]{0,40}?[ \"'][\w.]{1,32}/" + rb"([^\s\"'@/]{4,64})@"),
        ((b"jdbc:",), rb"(?i:\bjdbc:\w+:(?:thin|oci8?):)[\w.\-]{1,64}/([^\s\"'@/]{3,128})@"),
        (
            (b"identified",),
            rb"(?i:\bidentified[ ](?:with[ ][\w\"']{1,40}[ ])?(?:by|as)[ ](?:password[ ])?)"
            rb"['\"]([^'\"\r\n]{4,128})['\"]",
        ),
        (
            (b"create ", b"alter "),
            rb"(?i:\b(?:create|alter)[ ](?:user|role|login|database)\b[^\r\n;]{0,120}?\bpassword)"
            rb"[ ]*[=(]?[ ]*N?['\"]([^'\"\r\n]{4,128})['\"]",
        ),
        (
            (b"set password",),
            rb"(?i:\bset[ ]password\b[^\r\n;]{0,80}?=)[ ]*(?i:password\()?['\"]([^'\"\r\n]{4,128})['\"]",
        ),
        (
            (b"requirepass", b"masterauth", b"rpcpassword"),
            rb"(?m:^)[ \t]*(?:requirepass|masterauth|rpcpassword)[ =\"]{1,3}" + _VALUE,
        ),
        ((b"/user:",), rb"\b(?i:net[ ]use)\b[^\r\n]{0,120}?/user:[^\s]+[ ]" + _VALUE),
        (
            (b"mc alias", b"mc config"),
            rb"\bmc[ ](?:alias[ ]set|config[ ]host[ ]add)[ ][^\s]+[ ][^\s]+[ ][^\s]+[ ]" + _VALUE,
        ),
        ((b"config http-basic.",), rb"\bconfig[ ]http-basic\.[^\s]+[ ][^\s]+[ ]" + _VALUE),
        ((b"createuser",), rb"\bcreateUser[ ][^\r\n]{0,160}?[ ](?:MD5|SHA[\w\-]*|AES|DES)[ ]" + _VALUE),
        ((b"password ", b"secret "), rb"\b(?:password|secret)[ ][057][ ]" + _VALUE),
        ((b": psk ",), rb":[ ]PSK[ ]\"([^\"\r\n]{4,128})\""),
        ((b"password=", b"passwd=", b"pwd=", b"pass="), rb"(?i:[?&;](?:password|passwd|pwd|pass)=)" + _VALUE),
        ((b"bundle_",), rb"\bBUNDLE_\w+[\"']?[:=][ ]?[\"']?[\w.\-]+:" + _VALUE),
        ((b'"bearer"',), rb"\"bearer\"[ ]?:[ ]?\{[ ]?\"[\w.\-]+\"[ ]?:[ ]?\"([^\"\r\n]{6,256})\""),
        ((b"define(",), rb"\bdefine\([ ]?['\"]\w+_(?:SALT|KEY)['\"],[ ]?'([^'\r\n]{24,128})'"),
        ((b" on ", b" off "), rb"\buser[ ][^\s]+[ ](?:on|off)[ ][^\r\n]{0,120}?>" + _VALUE),
        (
            (b"machine ",),
            rb"(?im:^|\n)[^\r\n]{0,80}(?i:\bmachine[ ][^\s]+[ ]+login[ ][^\s]+[ ]+password[ ]+)([^\s]{3,256})",
        ),
    )
)
"""What a line has in lower case, and group 1: a password in the syntax of a command line, a statement or a URL."""

_NETRC = LazyPattern(rb"(?m)^[ \t]*login[ \t]+[^\s]+\r?\n[ \t]*password[ \t]+([^\s]{4,256})[ \t]*\r?$")
"""Group 1: the password of an entry of a netrc file that has a line for each word."""
PGPASS = LazyPattern(rb"(?m)^[\w.\-*]+:(?:[0-9]{2,5}|\*):[\w.\-*]+:[\w.\-*]+:([^\s:][^\r\n:]{2,254}[^\s:])\r?$")
"""Group 1: the last field of a line of a PostgreSQL password file."""

_TO_VALUE = rb"(?:=|[ \t]+|[\"'],[ \t\r\n]*|[\"']?,?[ \t]*\r?\n[ \t]*-[ \t]+)\\{0,3}[\"']?"
_OPTION_VALUE = rb"([^\s\"'`,;()\[\]{}<>$|\\]{4,256})"
_OPTION = LazyPattern(rb"(?:^|[\s\"'\[,(=])--?[\w.\-]{0,60}?" + NAME + _TO_VALUE + _OPTION_VALUE)
"""Groups: 1 the option's name, 2 its value."""
_OPTION_ENDS = LazyPattern(rb"[\"']?(?:[ \t]+(?:-|[<>|&;])|[ \t]*(?:\r?\n|\z)|[\"'\])])")
"""What follows the last word of an option: another one, or the end of the command."""
_PASSWORD_OPTION = LazyLoosened(
    rb"(?:[\s\"'\[,(=])(?:--?(?:(?:require|master|primary|replica|cluster|node|rpc)(?:pass|auth)|masteruser-pass)"
    rb"|(?:sentinel[ \"',]{1,4})?auth-pass"
    + _TO_VALUE
    + rb"[\w.\-]{1,64}[\"']?|(?:-u|--user(?:name)?)"
    + _TO_VALUE
    + rb"[\w.@\\\-]{1,64}[\"']?(?:,[ \t\r\n]*[\"']|[ \t]*\r?\n[ \t]*-[ \t]+[\"']?|[ \t]+)(?:-p|--pass))"
    + _TO_VALUE
    + _OPTION_VALUE
)
"""Group 1: the value of an option that takes a password and has no telling name, as an element of a list or a word."""


_QUOTED_OPTION = LazyPattern(
    rb"(?:^|[\s\"'\[,(=])--?[\w.\-]{0,60}?" + NAME + rb"[=\t ]+[\"']([^\"'\r\n$\\]{6,64})[\"']"
)
"""Groups: 1 the option's name, 2 its value, which may have blanks."""
_TWO_WORDS = LazyPattern(rb"(?m)^[ \t]*[\w.\-]*?" + NAME + rb"[ \t]+([^\s\"'`=:,;()\[\]{}<>\\]{5,64})[ \t]*\r?$")
"""Groups: 1 the name, 2 the value, on a line with only these two."""
_SPOKEN_NAMES = (b"password", b"passphrase", b"passwort", b"kennwort", b"passcode", b"passwd", b"pw")
"""Names that are words, too: the line may be a heading."""
_AFTER_HOST = LazyLoosened(
    rb"\w\([ ]?[\"'][\w\-]{1,40}(?:\.[\w\-]{1,40}){1,5}[\"'],[ ]?[\"'][\w.@\-]{1,40}[\"']"
    rb",[ ]?[\"']([^\"'\r\n]{5,64})[\"']"
)
"""Group 1: the third of the arguments of a call whose first is a host, and whose second may be a user."""
_DSN = LazyLoosened(
    rb"[\"'](?:jdbc|dbi|mysql|pgsql|oci|odbc|sqlsrv|firebird|informix|ibm):[^\"'\r\n]{0,200}[\"'],[ \t\r\n]{0,40}"
    rb"[\"'][\w.@\-]{1,64}[\"'],[ \t\r\n]{0,40}[\"']([^\"'\r\n]{4,128})[\"']"
    rb"|[\"'][\w.\-]{1,64}:([^\s:@\"'/]{4,128})@(?:tcp|unix)?\("
)
"""The group that matched: the password that follows a data source and its user."""
_EXPECTED = LazyPattern(
    rb"\bexpect\b[^\r\n]{0,60}(?i:assw|assphrase|kennwort)[^\r\n]{0,30}\r?\n[ \t]*send(?:[ ]--)?[ ]"
    rb"\"([^\"\r\n\\$\[]{4,64})"
)
"""Group 1: what is sent where a prompt for a password is expected."""


def in_commands(data: bytes) -> Iterator[Span]:
    """Yield the values that command lines, statements and options take as passwords."""
    reached = 0
    for head in _COMMAND_LINE.finditer(data):
        if head.start() >= reached:
            start = max(reached, data.rfind(b"\n", 0, head.start()) + 1, head.start() - _REACH)
            newline = data.find(b"\n", head.end(), head.end() + 2 * _REACH)
            reached = newline if newline >= 0 else min(len(data), head.end() + 2 * _REACH)
            for match in _COMMANDS.finditer(data, start, reached):
                if is_password_in_place(match.group(1)) or is_word_password(match.group(1), is_sure=True):
                    yield match.span(1)
    for match in _NETRC.finditer(data):
        if is_password_in_place(match.group(1)):
            yield match.span(1)
    yield from _options(data)


def _options(data: bytes) -> Iterator[Span]:
    for match in _OPTION.finditer(data):
        name, value = whole_name(data, match), match.group(2)
        is_sure = (
            data[match.start(2) - 1 : match.start(2)] != b" " or _OPTION_ENDS.match(data, match.end(2)) is not None
        )
        if is_secret(name, value) or is_worded(name, value, is_sure=is_sure):
            yield match.span(2)
    for match in _AFTER_HOST.finditer(data):
        if is_strong_password(match.group(1)) or is_word_password(match.group(1), is_sure=False):
            yield match.span(1)
    for match in _DSN.finditer(data):
        if is_password_in_place(match.group(match.lastindex)):
            yield match.span(match.lastindex)
    for match in _QUOTED_OPTION.finditer(data) if b"--" in data else ():
        value = match.group(2)
        if is_worded(whole_name(data, match), value):
            yield match.span(2)
    for match in _PASSWORD_OPTION.finditer(data):
        if is_secret(b"password", match.group(1)) or is_word_password(match.group(1), is_sure=True):
            yield match.span(1)
    for match in _TWO_WORDS.finditer(data):
        value = match.group(2)
        name = whole_name(data, match)
        is_setting = name.lower() not in _SPOKEN_NAMES
        is_value = is_typed_password(value, is_linked=True) or is_word_password(value, is_sure=is_setting)
        if is_value and names_password(name):
            yield match.span(2)
    for match in _EXPECTED.finditer(data) if b"expect" in data else ():
        if is_password_in_place(match.group(1)):
            yield match.span(1)
