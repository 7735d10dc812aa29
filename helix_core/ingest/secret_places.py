"""Detect secrets by their context: the value of a telling name, an argument of a log-in, a word of a sentence.

Bytes in, spans out. RE2 finds the heads of such contexts over the whole file; what follows a head is read in Python, at
most ``_REACH`` bytes of it, so that a file is scanned in linear time. The values themselves are judged by
``secret_values``: a context that also holds ordinary code requires a value that looks like a secret by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helix_core.ingest.secret_prose import WORTH_A_LOOK, stated
from helix_core.ingest.secret_values import (
    LazyPattern,
    is_chosen_password,
    is_joined_passphrase,
    is_masked,
    is_name,
    is_password_in_place,
    is_placeholder,
    is_secret,
    is_strong_password,
    is_worded_password,
    looks_chosen,
    looks_like_password,
    looks_random,
)

Span = tuple[int, int]

_REACH = 300
_MOST_CHAINS = 8
_LONGEST_NAME = 64
_AFTER = 200
_LONGEST_WORD = 128
_LONGEST_MANIFEST = 64 << 10

# Name parts that denote a secret: DB_PASSWORD, apiKey, client-secret, db.pass, smtpPw.
_TELLING = (
    rb"(?i:passw(?:or)?d|passwort|kennwort|passphrase|passcode|pwd|secret|credentials?|mnemonic"
    rb"|(?:api|access|auth|private|secret|signing|encryption|encrypt|license|master|session|account|service|storage"
    rb"|shared)[_\-. ]?key)[\w\-]*"
)
_TOKEN = rb"(?i:token)s?(?:[A-Z0-9_\-][\w\-]*)?"
_OWNED = (
    rb"(?i:root|user|usr|db|admin|adm|my|ftp|smtp|imap|pop3?|mail|sa|ssh|bind|ldap|wifi|wlan"
    rb"|http|proxy|old|new|login|ssl|key|app)"
)
_SHORT = (
    rb"(?:\b|_)(?:" + _OWNED + rb")?(?i:pass|pw|psk|auth|creds?|login)[0-9]{0,2}"
    rb"|[a-z0-9](?:Pass|Pw|PW|Psk|PSK|Auth|Creds?)[0-9]{0,2}|(?i:keys?)[0-9]{0,2}"
)
_NAME = rb"(" + _TELLING + rb"|" + _TOKEN + rb"|" + _SHORT + rb")"
"""The telling end of a name; ``_name`` adds the part before it, which a pattern would try at every word."""
_TYPE = (
    rb"(?:[ \t]{1,2}(?i:as)[ \t]{1,2}[A-Za-z_][\w.]{0,30}|[ \t](?i:str|string|text|varchar)\b"
    rb"|\??[ \t]{0,2}:[ \t]{0,2}(?:\[\])?[&A-Za-z_][\w.\[\]|<>&' ]{0,30}[ \t]{0,2})?"
)
_CLOSE = rb"[\\\"'`\[\])*]{0,6}"
_OPERATOR = (
    rb"(?:::|\{|[=:][ ]?[\"'][ \t]{0,4}[+.,%][ \t]{0,4}"
    rb"|=>|:=|<-|->|\|\|=?|\?\?=?|\?:|[?+:|]?=|[=!]={1,2}|[=:(]|,|\bor\b|[ ]|\r?\n[ \t]{0,20}-[ \t])"
)
_QUOTE = rb"\\{0,3}[\"'`]"
_LITERAL_AHEAD = (
    rb"(?:[^\"'`\r\n;#{},]{0,100}|[^\"'`\r\n;]{0,60}[\[({=\\][ \t]*\r?\n[ \t]{0,40}[^\s\"'`=,;]{0,10}"
    rb"|[ \t]*\r?\n[ \t]{0,40})" + _QUOTE
)
_ASSIGNED = LazyPattern(_NAME + _CLOSE + _TYPE + rb"[ \t]{0,16}(" + _OPERATOR + rb")" + _LITERAL_AHEAD)
"""Groups: 1 the name, 2 the operator; a literal follows nearby."""

_TEXT_BLOCK = LazyPattern(_NAME + _CLOSE + _TYPE + rb"[ \t]{0,16}(?::=|[=:])[ \t]{0,16}[bBrRuU]{0,2}(\"\"\"|''')")
"""Groups: 1 the name, 2 the quotes of a literal that may have several lines."""
_BLOCK_WORD = LazyPattern(rb"[^\s\\]+")

_WORD = rb"[^\s\"'`,;()\[\]{}<>$&|\\]{6,256}"
_ENDS_LINE = rb"[ \t]{0,8}(?:(?:[;#]|//)[^\r\n]*)?(?:\r?\n|\r|\z|\\[rn])"
_BARE = LazyPattern(
    _NAME
    + _CLOSE
    + _TYPE
    + rb"(?:[ \t]{0,16}(?:=>|:=|::|\?=|[=:])[ \t]{0,16}(?:[|>][+\-]?[ \t]*\r?\n[ \t]{1,40})?("
    + _WORD
    + rb")"
    + _ENDS_LINE
    + rb"|=("
    + _WORD
    + rb")(?:[\s&;,\"'<)}\]|\\]|\z)|:[\-=?]?("
    + _WORD
    + rb")\}|[ \t]{0,4}:[ \t]{1,4}("
    + _WORD
    + rb")[ \t]{0,4}[,}])"
)
"""Groups: 1 the name; a word that 2 ends its line, 3 is assigned without blanks, 4 is a default, 5 is in a mapping."""

_SET_LINE = LazyPattern(
    rb"(?m)^[ \t]*(?:(?:export|set|setx|ENV|ARG|env|[-#+*>]|//)[ \t]+)?[\"']?[\w.\-]*?"
    + _NAME
    + rb"[\"']?(?:=|[ \t]*:[ \t]+|[ \t]+=[ \t]+)([^\s\"'`]{6,256})[ \t]*\r?$"
)
"""Groups: 1 the name; 2 any word, on a line with only these two."""

_DIRECTIVE = LazyPattern(
    rb"(?m)^[ \t]*(?:ENV|ARG|SetEnv|setenv|set|#?[ \t]?define|export|proxy_set_header|add_header"
    rb"|fastcgi_param|put|property)[ \t]+[\w.\-]*?" + _NAME + rb"[ \t]+[\"']?([^\s\"'`;]{6,256})[\"']?;?[ \t]*\r?$"
)
"""Groups: 1 the name; 2 the value that a directive assigns."""

_VALUE_SIGNS = (
    b'alue"',
    b"alue'",
    b"alue=",
    b"alue:",
    b"ALUE=",
    b"<value",
    b"efault =",
    b"efault  ",
    b'efault":',
    b"efault:",
    b"efault=",
    b'ontent="',
    b'text"',
)
"""Substrings of which every file with a name and value pair contains one; most files contain none."""
_QUOTED_NAME = rb"\\{0,3}[\"']?[\w.\-/:$ ]{0,60}?" + _NAME + rb"\\{0,3}[\"']?"
_NAMED = LazyPattern(
    rb"(?i:\b(?:name|key|id|field|setting|variable|var|env|option|property|type|(?:parameter|attribute)(?:key|name)))"
    rb"\\{0,3}[\"']?[ \t]{0,4}[:=]?[ \t]{0,4}" + _QUOTED_NAME + rb"[^{}]{0,4}[ \t\r\n,{>/\\]"
)
"""Group 1: the name of a pair of attributes; its value follows nearby."""
_NAMED_VALUE = LazyPattern(
    rb"(?i:\b(?:value|val|default|content|text|(?:parameter|attribute|default|current)_?value)\b)"
    rb"\\{0,3}[\"']?[ \t]{0,8}"
    rb"[:=>][ \t]{0,8}\\{0,3}[\"']?([^\s\"'`<>\\{},]{4,512})"
)
_VALUE_NAMED = LazyPattern(
    rb"(?i:\bvalue)\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']([^\s\"'`<>\\]{4,512})"
    rb"\\{0,3}[\"'][ \t\r\n,]{1,60}\\{0,3}"
    rb"[\"']?(?i:key|name|id)\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}" + _QUOTED_NAME
)
"""Groups: 1 the value, 2 the name."""
_ELEMENT = LazyPattern(
    _NAME + rb"(?:[\"'][^<>\r\n]{0,100}>|>|</\w{1,20}>)\s{0,80}(?:<[\w:]{1,20}>\s{0,80})?([^<\s]{4,256})\s{0,80}<"
)
"""Groups: 1 the name; 2 the text of its element, or of the adjacent element."""
_PLIST = LazyPattern(rb"<key>[^<\r\n]{0,60}?" + _NAME + rb"</key>\s{0,80}<string>([^<\s]{4,256})</string>")
"""Groups: 1 the name; 2 its value in a property list."""
_CELL = LazyPattern(
    rb"\|[ \t*`]{0,6}(?:[\w\-]+ ){0,3}[\w.\-]*?" + _NAME + rb"[ \t*`:]{0,6}\|[ \t*`]{0,6}([^\s|`]{6,256})[ \t`*]{0,6}\|"
)
"""Groups: 1 the name; 2 the next cell of a table."""

_VALUE = rb"[\"']?([^\s\"'`<>|;&,()\[\]{}\\]{4,256})"
_COMMAND_LINE_WORDS = (
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
_COMMAND_LINE = LazyPattern(_COMMAND_LINE_WORDS)
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
_PGPASS = LazyPattern(rb"(?m)^[\w.\-*]+:(?:[0-9]{2,5}|\*):[\w.\-*]+:[\w.\-*]+:([^\s:]{4,256})\r?$")
"""Group 1: the last field of a line of a PostgreSQL password file."""

_TO_VALUE = rb"(?:=|[ \t]+|[\"'],[ \t\r\n]*|[\"']?,?[ \t]*\r?\n[ \t]*-[ \t]+)\\{0,3}[\"']?"
_OPTION_VALUE = rb"([^\s\"'`,;()\[\]{}<>$|\\]{4,256})"
_OPTION = LazyPattern(rb"(?:^|[\s\"'\[,(=])--?[\w.\-]{0,60}?" + _NAME + _TO_VALUE + _OPTION_VALUE)
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

_LOGIN = LazyPattern(
    rb"(?i:\b(?:log_?[io]n|sign_?in|authenticate|auth|connect|\w*basic_?auth\w*|with_?auth|\w*digest_?auth"
    rb"|plain_?auth|\w*credentials?"
    rb"|get_?connection|create_?connection|create_?user|add_?user|create_?super_?user|check_?password"
    rb"|set_?password|make_?password"
    rb"|mysqli?(?:_p?connect)?|pg_connect|ldap_bind|simple_bind(?:_s)?|pdo|ftp|smtp|imap|pop3|ssh|sftp"
    rb"|impersonate|runas))[ \t]{0,2}\("
    rb"[^\r\n()\"'`]{0,100}(?:\r?\n[ \t]{0,40})?\\{0,3}[\"'`]"
)
"""A call that takes a password by position."""

_TWILIO = LazyPattern(rb"\bAC[0-9a-f]{32}\\{0,3}[\"']?[\s,:]{1,40}\\{0,3}[\"']?([0-9a-f]{32})\b")
_INSERT = LazyPattern(rb"(?i:insert[ ]into)[ ][\w.\"`\[\]]{1,60}[ ]?\(([^()]{0,200})\)\s{0,20}(?i:values)\s{0,20}\(")
_PASSWORD_COLUMN = LazyPattern(rb"(?i)passw|pwd|secret|token|api_?key")

_KEYWORD = (
    rb"(?:(?i:(?:\b|_)(?:pass(?:word|phrase|code|wd|wort)?s?|pwd|pw|kennwort|secrets?|tokens?|credentials?|creds|psk|login"
    rb"|(?:api|access|auth|private|secret|signing|encryption|encrypt|license|master|session|account|service"
    rb"|storage|shared"
    rb"|deploy|crypto|activation|product)[ _\-]?keys?)\b|\xe5\xaf\x86\xe7\xa0\x81|contrase\xc3\xb1a|mot de passe)"
    rb"|[a-z0-9](?:Password|Passwd|Passphrase|Passcode|Pwd|Secret|Token|Credentials?|(?:Api|Access|Secret|Private)Key)\b)"
)
_SPOKEN = LazyPattern(
    rb"("
    + _KEYWORD
    + rb")"
    + rb"[^\r\n]{1,100}?(?:[0-9!@#$%^*~]|[A-Za-z]{12}|[A-Za-z]{3,12}(?:[\-_][A-Za-z]{3,12}){2})"
)
"""A word for a secret, followed nearby by something that may be no word."""
_SPOKEN_BEFORE = LazyPattern(
    rb"[^\s()][ \t]+(?i:is|was|as|for|=)[ \t]+(?:(?i:the|my|our|your|his|her|its|a)[ \t]+)?(?:[\w\-']+[ \t]+){0,4}?"
    + _KEYWORD
)
"""Starts at the end of the word that the sentence calls a secret."""
_SPOKEN_LOGIN = LazyPattern(
    rb"(?i:\b(?:log(?:ged|s)?[ \-]?(?:in|on)|sign(?:ed|s)?[ \-]?in|authenticat\w+|connect(?:ed|s)?|ssh|account"
    rb"|user(?:name)?|creds?|"
    rb"credentials?|auth)\b)[^\r\n]{1,80}?(?i:\b(?:with|using|and|by|pass\w*)\b|[/:|])"
    rb"[ \t]{0,3}[\"'`*]{0,3}([^\s\"'`<>(),]{6,128})"
)
"""Group 1: the word after the user name of a log-in."""
_SPOKEN_PASSWORD = LazyPattern(rb"(?i)pass|pwd|pw$|kennwort|contrase|\xe5\xaf\x86\xe7\xa0\x81")
_FOLLOWS = LazyPattern(
    rb"[\"'`*_]{0,3}(?:[.,;:!?)\]]?[\"'`*_)\]]{0,3}\r?\z|[.,;:!?)\]][\"'`*_]{0,3}[ \t]"
    rb"|[ \t]+(?i:and|or|but|for|on|in|at|to|so|until|till|from|since"
    rb"|now|please|thanks|ok|if|when|while|of|with|as|again|today|\W))"
)
"""What follows the last word of a part of a sentence, up to the end of the line."""
_SENTENCE_WORD = LazyPattern(rb"[^\s\"'`<>()\[\]{},]+")
_LINKS = frozenset(b"is was are were equals = : := -> => ist es est".split())
_GIVING = frozenset(b" |to|as|now|be|from|-|with".split(b"|"))
"""The words before a password in a sentence that has named it, for what looks like one that a person chose."""

_VARIABLE = LazyPattern(
    rb"(?:(?i:\b(?:variable|resource|parameter|param|input|output|secret))[ \t]{1,4}[\"']?|\\{0,3}[\"'])[\w.\-]*?"
    + _NAME
    + rb"\\{0,3}[\"']?[ \t]{0,4}(?:[:=][ \t]{0,4})?\{"
)
_SECRET_MANIFEST = LazyPattern(rb"(?m)^([ \t\-]*)[\"']?kind[\"']?[ \t]*:[ \t]*[\"']?Secret\b[\"']?[ \t]*,?[ \t]*\r?$")
_MANIFEST_ENTRY = LazyPattern(rb"^([ \t\-]*)[\"']?([\w.\-/]+)[\"']?[ \t]*:(?:[ \t]+(.*?))?[ \t]*,?[ \t]*\r?$")
_MANIFEST_JSON = LazyPattern(rb"\"kind\"[ \t]{0,4}:[ \t]{0,4}\"Secret\"")
_MANIFEST_DATA = LazyPattern(rb"\"(?:data|stringData)\"\s{0,20}:\s{0,20}\{")
_JSON_TEXT = LazyPattern(rb":[ \t\r\n]{0,40}\"((?:[^\"\\\r\n]|\\.)+)\"")
_HEADER = LazyPattern(rb"^[ \t]*[\w \-\"]{1,40}(?:[,;\t][\w \-\"]{1,40})+\r?$")


_RULE = LazyPattern(rb"(?m)^[ \t>*#/]*[|+]?[ \t]*[:=\-]{2,}[ \t:=\-]*[|+][ \t|+:=\-]*\r?$")
"""The line under the header of a table in Markdown or of a drawn one."""
_SECRET_CELL = LazyPattern(_NAME)
_ABOUT_TABLES = LazyPattern(rb"(?i)(?:name|type|format|length|policy|hash|description|scope|kind)s?$")
_CELL_WORD = LazyPattern(rb"[^\s\"'`*|]{6,256}")


_BETWEEN = b"\n\0\n"
_WORTH_A_LOOK = LazyPattern(
    rb"(?i:pass(?:[^\s]|[ \t]+\S)|[^\s][ \t]*pass|pwd|pw[0-9]{0,2}\b|kennwort|secret|credential|creds?\b|psk|mnemonic"
    rb"|(?:api|access|auth|private|signing|encryption|encrypt|license|master|session|account|service|storage|shared|deploy"
    rb"|crypto|activation|product)[_\-. ]?key|keys?[0-9]{0,2}[\"'`\])]{0,3}[ \t]{0,4}(?:[=:,(]|$)"
    rb"|\b(?:connect|bind|ldap_bind|simple_bind|simple_bind_s|pdo|smtp|imap|pop3|ftp|ssh|sftp|runas"
    rb"|impersonate)[ \t]?\(|mysqli|pg_connect|get_?connection|create_?connection|(?:create|add)_?(?:super_?)?user"
    rb"|(?:basic|digest|plain|with)_?auth"
    rb"|auth(?:enticate)?[sd]?\b|log_?[io]n\b|log(?:ged|s)?[ \-]?(?:in|on)\b|sign(?:ed|s)?[ _\-]?in\b"
    rb"|\b(?:authenticating|connected|connects|connect|ssh|account|user(?:name)?)[ :/|])"
    rb"|(?i:token)s?(?:[^a-z]|$)|AC[0-9a-f]{32}"
    rb"|" + WORTH_A_LOOK + rb"|" + _COMMAND_LINE_WORDS
)
"""A prefilter: matches every line that one of the patterns below can match."""

_NEARBY = LazyPattern(rb"(?:" + _TELLING + rb"|(?i:token))[^\r\n]*[\"'`]([A-Za-z0-9+/=_\-]{20,})[\"'`]")
"""Group 1: a long quoted run of base64 or hex characters on a line that mentions a secret."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Adjacent literals that form one text; ``is_direct`` means that only brackets precede the first."""

    parts: tuple[Span, ...]
    is_direct: bool

    def value(self, data: bytes) -> bytes:
        """Return the concatenated text."""
        return b"".join(data[start:end] for start, end in self.parts)

    def unwrapped(self, data: bytes) -> Chain:
        """Remove escaped quotes inside the literal, as in a literal nested in a literal."""
        start, end = self.parts[0]
        if len(self.parts) == 1 and end - start > 4 and data[start : start + 2] == data[end - 2 : end] == b'\\"':
            return Chain(((start + 2, end - 2),), self.is_direct)
        return self


def secrets_by_place(data: bytes) -> Iterator[Span]:
    """Yield the span of every literal or word that its context marks as a secret."""
    yield from _manifests(data)
    yield from _columns(data)
    if b"|" in data:
        yield from _tables(data)
    if b":5432:" in data or b":*:" in data:
        yield from (match.span(1) for match in _PGPASS.finditer(data) if is_password_in_place(match.group(1)))
    regions = _regions(data)
    joined = _BETWEEN.join(data[start:end] for start, end in regions)
    starts = [0]
    for start, end in regions:
        starts.append(starts[-1] + end - start + len(_BETWEEN))
    for find in _FINDERS if regions else ():
        for start, end in find(joined):
            number = bisect_right(starts, start) - 1
            moved = regions[number][0] - starts[number]
            yield start + moved, min(end + moved, regions[number][1])


def _regions(data: bytes) -> list[Span]:
    """Return the lines that may hold a secret, the line before them, and at least ``_AFTER`` bytes after them.

    They are a small part of most files, so the many patterns of contexts cost little.
    """
    regions: list[Span] = []
    match = _WORTH_A_LOOK.search(data)
    while match is not None:
        floor = max(regions[-1][1] if regions else 0, match.start() - 2 * _REACH)
        line = data.rfind(b"\n", floor, match.start())
        start = max(data.rfind(b"\n", floor, max(line, floor)) + 1, floor)
        newline = data.find(b"\n", match.end() + _AFTER)
        end = newline + 1 if newline >= 0 else len(data)
        if regions and start <= regions[-1][1]:
            regions[-1] = (regions[-1][0], end)
        else:
            regions.append((start, end))
        # The last line of a region may assign a literal on the following lines.
        match = _WORTH_A_LOOK.search(data, max(match.end(), end - _AFTER)) if end < len(data) else None
    return regions


def _name(data: bytes, match: Any, group: int = 1) -> bytes:
    """Return the whole name whose telling end a pattern matched: at most ``_LONGEST_NAME`` bytes more."""
    start, end = match.span(group)
    limit = max(0, start - _LONGEST_NAME)
    while start > limit and (data[start - 1 : start].isalnum() or data[start - 1] in b"_.-"):
        start -= 1
    limit = min(len(data), end + _LONGEST_NAME)
    while end < limit and (data[end : end + 1].isalnum() or data[end] in b"_-"):
        end += 1
    return data[start:end]


def lines_of_interest(data: bytes) -> Iterator[int]:
    """Yield a position on each line that mentions a secret and contains a long literal."""
    for match in _NEARBY.finditer(data):
        yield match.start(1)


def _assigned(data: bytes) -> Iterator[Span]:
    for match in _ASSIGNED.finditer(data):
        name, operator = _name(data, match), match.group(2)
        is_quoted = any(byte in b"\"'" for byte in data[match.end(1) : match.start(2)])
        is_first = data[max(0, match.start() - 2) : match.start()].strip()[-1:] in (b"{", b"[")
        if operator == b"," and not (is_quoted or is_first):
            continue
        for number, chain in enumerate(chains(data, match.end(2), match.end(2) + _REACH)):
            if operator == b" " and not chain.is_direct:
                break
            whole = chain.unwrapped(data)
            value = whole.value(data)
            if is_masked(value):
                yield from _rest_of_masked(data, whole)
            elif len(value) < 6 or b" " in value.strip():
                if chain.is_direct and (_is_phrase(name, value) or is_worded_password(name, value)):
                    yield from whole.parts
            elif not (operator == b" " and is_name(value) and not is_chosen_password(value)):
                is_set = chain.is_direct and number == 0 and operator != b"("
                if is_secret(name, value, assigned=is_set):
                    yield from whole.parts


def _text_blocks(data: bytes) -> Iterator[Span]:
    """Yield the secret lines of literals in three quotes."""
    for match in _TEXT_BLOCK.finditer(data):
        close = data.find(match.group(2), match.end(), match.end() + _REACH)
        stop = close if close >= 0 else min(len(data), match.end() + _REACH)
        name, start = _name(data, match), match.end()
        while start < stop:
            newline = data.find(b"\n", start, stop)
            end = newline if newline >= 0 else stop
            words = list(_BLOCK_WORD.finditer(data, start, end))
            for word in words:
                value = word.group()
                if is_secret(name, value) if len(words) == 1 else is_strong_password(value):
                    yield word.span()
            start = end + 1


def _rest_of_masked(data: bytes, chain: Chain) -> Iterator[Span]:
    """Yield the unmasked parts of a text of which one part is masked already."""
    for start, end in chain.parts:
        value = data[start:end]
        if not is_masked(value) and len(value) >= 4 and (is_strong_password(value) or looks_random(value)):
            yield start, end


def _is_phrase(name: bytes, value: bytes) -> bool:
    """Return whether the value is a mnemonic: twelve or more plain words, where the name says so."""
    lowered = name.lower()
    words = value.split()
    is_named = b"mnemonic" in lowered or b"phrase" in lowered or b"seed" in lowered
    return is_named and len(words) >= 12 and all(word.isalpha() and len(word) <= 8 for word in words)


def chains(data: bytes, start: int, limit: int, *, outer: int = 0) -> Iterator[Chain]:
    """Yield the literals of the expression that begins at ``start`` and ends before ``limit``, concatenated ones as
    one.

    ``outer`` is 1 where the expression is the arguments of a call that is open already.
    """
    limit = min(limit, len(data))
    position, depth, last, left = start, outer, b"=", _MOST_CHAINS
    parts: list[Span] = []
    is_direct = is_joined = True
    while position < limit and depth >= outer:
        byte = data[position : position + 1]
        found = _literal(data, position, limit) if byte in b"\"'`\\" else None
        if found is not None:
            if parts and not is_joined:
                yield Chain(tuple(parts), is_direct)
                parts, is_direct, left = [], False, left - 1
                if not left:
                    return
            parts.append(found[:2])
            position, is_joined, last = found[2], True, b'"'
            continue
        if byte in b"\"'`;" or (
            depth == 0 and (byte == b"," or (byte == b"\n" and _ends(data, position, last, parts)))
        ):
            break
        depth += (byte in b"([{") - (byte in b")]}")
        if byte not in b" \t\r\n":
            is_prefix = byte in b"bBrRuUfFL@N" and data[position + 1 : position + 2] in (b'"', b"'")
            if not (is_prefix or byte in b"+.&\\" or (byte in b"([{" and not parts)):
                is_joined = False
                is_direct = is_direct and bool(parts)
            last = byte
        position += 1
    if parts:
        yield Chain(tuple(parts), is_direct)


def _ends(data: bytes, newline: int, last: bytes, parts: Sequence[Span]) -> bool:
    """Return whether the line ends the expression, whose last significant byte is ``last``."""
    if last == b'"':
        following = data[newline + 1 : newline + 80].lstrip()[:2]
        return following[:1] not in (b"+", b"&") and not (following[:1] == b"." and following[1:2] in b". \"'")
    return last not in b"+.&\\=(," or (last == b"=" and bool(parts))


def _literal(data: bytes, position: int, limit: int) -> tuple[int, int, int] | None:
    """Return the start and end of the literal at ``position``, and the offset after it; its quotes may be escaped."""
    quote = position
    while data[quote : quote + 1] == b"\\" and quote < position + 3:
        quote += 1
    mark = data[quote : quote + 1]
    if mark not in (b'"', b"'", b"`"):
        return None
    opener = data[position : quote + 1]
    if quote == position and data[position : position + 3] == mark * 3:
        opener = mark * 3
    start = position + len(opener)
    newline = data.find(b"\n", start, limit)
    stop = newline if newline >= 0 else limit
    end = data.find(opener, start, stop)
    while end >= 0 and opener == mark and data[end - 1 : end] == b"\\" and data[end - 2 : end] != b"\\\\":
        end = data.find(opener, end + 1, stop)
    if end < 0 or b"\r" in data[start:end]:
        return None
    return start, end, end + len(opener)


def _bare(data: bytes) -> Iterator[Span]:
    for match in _BARE.finditer(data):
        group = match.lastindex
        if is_secret(_name(data, match), match.group(group), quoted=False):
            yield match.span(group)
    for pattern in (_SET_LINE, _DIRECTIVE):
        for match in pattern.finditer(data):
            value = match.group(2)
            if not any(byte in b"()[]{}<>,;" for byte in value) and is_secret(_name(data, match), value, quoted=False):
                yield match.span(2)
    for match in _OPTION.finditer(data):
        if is_secret(_name(data, match), match.group(2)):
            yield match.span(2)
    for match in _PASSWORD_OPTION.finditer(data):
        if is_secret(b"password", match.group(1)):
            yield match.span(1)


def _neighbors(data: bytes) -> Iterator[LazyPattern]:
    """Yield the patterns of adjacent names and values that the bytes could match."""
    if b"</" in data:
        yield _ELEMENT
        if b"<key>" in data:
            yield _PLIST
    if b"| " in data:
        yield _CELL


def _pairs(data: bytes) -> Iterator[Span]:
    if any(sign in data for sign in _VALUE_SIGNS):
        for pattern in (_NAMED, _VARIABLE):
            for match in pattern.finditer(data):
                stop = min(len(data), match.end() + _REACH // 2)
                if pattern is _VARIABLE:
                    close = data.find(b"}", match.end(), match.end() + _REACH)
                    stop = close if close >= 0 else stop
                value = _NAMED_VALUE.search(data, match.end() - 1, stop)
                if value is not None and is_secret(_name(data, match), value.group(1)):
                    yield value.span(1)
        for match in _VALUE_NAMED.finditer(data):
            if is_secret(_name(data, match, 2), match.group(1)):
                yield match.span(1)
    for pattern in _neighbors(data):
        for match in pattern.finditer(data):
            if is_secret(_name(data, match), match.group(2)):
                yield match.span(2)


def _commands(data: bytes) -> Iterator[Span]:
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
    if b"AC" in data:
        for match in _TWILIO.finditer(data):
            yield match.span(1)


def _positional(data: bytes) -> Iterator[Span]:
    reached = 0
    for match in _LOGIN.finditer(data):
        opened = data.index(b"(", match.start(), match.end())
        if opened < reached:
            continue
        for chain in chains(data, opened + 1, opened + _REACH, outer=1):
            reached = chain.parts[-1][1]
            if is_strong_password(chain.value(data)) or is_chosen_password(chain.value(data)):
                yield from chain.parts
    for match in _INSERT.finditer(data):
        if _PASSWORD_COLUMN.search(match.group(1)):
            for chain in chains(data, match.end(), match.end() + _REACH, outer=1):
                if is_strong_password(chain.value(data)) or is_chosen_password(chain.value(data)):
                    yield from chain.parts


def _spoken(data: bytes) -> Iterator[Span]:
    for match in _SPOKEN.finditer(data):
        if (
            not _is_sentence(data, match.start())
            or b"public" in data[max(0, match.start() - 12) : match.end(1)].lower()
        ):
            continue
        newline = data.find(b"\n", match.end(), match.end() + 128)
        stop = newline if newline >= 0 else min(len(data), match.end() + 128)
        is_password = _SPOKEN_PASSWORD.search(match.group(1)) is not None
        yield from _words_of(data, match.end(1), stop, is_password=is_password)
    for match in _SPOKEN_BEFORE.finditer(data):
        start = end = match.start() + 1
        while start > max(0, end - _LONGEST_WORD) and data[start - 1] not in b" \t\r\n\"'`<>()*:":
            start -= 1
        yield from _strong_word(data, start, end, is_given=True)
        if start == end:
            before = data.rfind(data[end - 1 : end], max(0, end - _LONGEST_WORD), end - 1)
            yield from _strong_word(data, before + 1, end - 1)
    for match in _SPOKEN_LOGIN.finditer(data):
        said = data[match.start() : match.start(1)]
        is_pair = said.rstrip(b" \t\"'`*")[-1:] in (b"/", b":", b"|")
        is_given = is_pair or any(sign in said for sign in (b" as ", b"@", b" and "))
        yield from _strong_word(data, *match.span(1), is_given=is_given)


def _strong_word(data: bytes, start: int, end: int, *, is_given: bool = False) -> Iterator[Span]:
    start, end = _trimmed(data, start, end)
    value = data[start:end]
    is_strong = len(value) >= 6 and (is_strong_password(value) or (is_given and is_chosen_password(value)))
    if is_strong and _is_sentence(data, start):
        yield start, end


def _is_sentence(data: bytes, position: int) -> bool:
    """Return whether the position is on a line of usual length, or the text around it has blanks as a sentence has."""
    around = data[max(0, position - _REACH) : position + _REACH]
    return b"\n" in around or len(around) < 2 * _REACH or around.count(b" ") * 16 >= len(around)


def _is_last_word(data: bytes, end: int, stop: int) -> bool:
    """Return whether a sentence, or one of its parts, ends with the word: ``a server-side-generated value`` goes on."""
    return _FOLLOWS.match(data[end : min(stop, end + 40)]) is not None


def _words_of(data: bytes, start: int, stop: int, *, is_password: bool) -> Iterator[Span]:
    before = data[start : start + 1]
    for match in _SENTENCE_WORD.finditer(data, start, stop):
        if match.start() == start and before not in (b":", b"=", b"*"):
            continue
        begin, end = _trimmed(data, *match.span())
        value = data[begin:end]
        is_linked = before.lower() in _LINKS or (before[-1:] == b":" and before[:1] != b":")
        is_given = is_linked or before.lower() in _GIVING
        before = match.group()
        if len(value) < 6:
            continue
        is_joined = is_linked and is_password and _is_last_word(data, end, stop) and is_joined_passphrase(value)
        is_chosen = is_given and is_chosen_password(value)
        if is_joined or is_chosen or is_strong_password(value) or (is_linked and _is_spoken_secret(value)):
            yield begin, end


def _is_spoken_secret(value: bytes) -> bool:
    """Return whether the word can be a secret in prose: letters and digits or punctuation, no name of a thing."""
    return not is_placeholder(value) and not is_name(value) and looks_like_password(value)


def _trimmed(data: bytes, start: int, end: int) -> Span:
    """Return the word without the surrounding punctuation."""
    while end > start and data[end - 1 : end] in b".,;:?*_":
        end -= 1
    while start < end and data[start : start + 1] in b"*_:=":
        start += 1
    return start, end


def _manifests(data: bytes) -> Iterator[Span]:
    """Yield every entry of every Kubernetes Secret, whatever its name."""
    if b"Secret" not in data:
        return
    reached = 0
    for match in _SECRET_MANIFEST.finditer(data):
        if match.start() >= reached:
            lines = _manifest_lines(data, match.start(), len(match.group(1)))
            reached = max(match.end(), lines[-1][1] if lines else 0)
            yield from _entries(data, lines, len(match.group(1)))
    reached = 0
    for match in _MANIFEST_JSON.finditer(data):
        if match.start() < reached:
            continue
        begin = max(reached, match.start() - _LONGEST_MANIFEST, data.rfind(b'"apiVersion"', reached, match.start()))
        reached = min(len(data), match.end() + _LONGEST_MANIFEST)
        searched = begin
        for entry in _MANIFEST_DATA.finditer(data, begin, reached):
            # An object nested in a searched one ends at the same brace; searching it again would be quadratic.
            if entry.start() < searched:
                continue
            close = data.find(b"}", entry.end(), reached)
            searched = close if close >= 0 else reached
            for text in _JSON_TEXT.finditer(data, entry.end(), searched):
                if _is_entry(text.group(1)):
                    yield text.span(1)


def _manifest_lines(data: bytes, kind: int, indent: int) -> list[Span]:
    """Return the lines of the mapping around its ``kind``, which is indented by ``indent``."""
    first = limit = kind
    limit = max(0, kind - _LONGEST_MANIFEST)
    while first > limit:
        above = data.rfind(b"\n", 0, first - 1) + 1
        line = data[above : first - 1]
        if line.strip() and (_indent(line) < indent or line.startswith(b"---")):
            break
        first = above
        if line.strip() and _indent(line) == indent and line.lstrip(b" \t").startswith(b"- "):
            break
    lines: list[Span] = []
    position, limit = first, min(len(data), kind + _LONGEST_MANIFEST)
    while position < limit:
        newline = data.find(b"\n", position, limit)
        end = newline if newline >= 0 else limit
        line = data[position:end]
        is_item = _indent(line) == indent and line.lstrip(b" \t").startswith(b"- ")
        if position > kind and line.strip() and (_indent(line) < indent or is_item or line.startswith(b"---")):
            break
        lines.append((position, end))
        position = end + 1
    return lines


def _indent(line: bytes) -> int:
    """Return the column of a key, after the dash of a list item."""
    return len(line) - len(line.lstrip(b" \t-")) if not line.startswith(b"---") else 0


def _entries(data: bytes, lines: Sequence[Span], indent: int) -> Iterator[Span]:
    """Yield the values below ``data`` and ``stringData``, block scalars line by line."""
    is_inside = False
    for start, end in lines:
        line = data[start:end]
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        entry = _MANIFEST_ENTRY.search(line)
        if len(line) - len(line.lstrip(b" \t")) <= indent:
            is_inside = entry is not None and entry.group(2) in (b"data", b"stringData")
            continue
        if is_inside:
            span = entry.span(3) if entry is not None else (_blank(line), len(line.rstrip()))
            if span[0] >= 0:
                yield from _entry(data, start + span[0], start + span[1])


def _entry(data: bytes, start: int, end: int) -> Iterator[Span]:
    while end > start and data[end - 1 : end] in b"\"' \t\r,":
        end -= 1
    while start < end and data[start : start + 1] in b"\"' \t":
        start += 1
    if _is_entry(data[start:end]):
        yield start, end


def _is_entry(value: bytes) -> bool:
    return bool(value) and value[:1] not in b"|>&*{!$<" and not is_masked(value)


def _blank(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _columns(data: bytes) -> Iterator[Span]:
    """Yield the columns of a delimited table that its header names as secrets."""
    position = data.find(b"\n", 0, _REACH) + 1
    header = data[: max(0, position - 1)]
    if not position or _HEADER.search(header) is None or _PASSWORD_COLUMN.search(header) is None:
        return
    mark = max((b",", b";", b"\t"), key=header.count)
    columns = [n for n, name in enumerate(header.split(mark)) if _PASSWORD_COLUMN.search(name)]
    most = header.count(mark)
    while position < len(data):
        newline = data.find(b"\n", position)
        end = newline if newline >= 0 else len(data)
        line = data[position:end]
        if line.count(mark) == most:
            start = position
            for number, cell in enumerate(line.split(mark)):
                value = cell.strip(b" \"'\r")
                is_password = looks_like_password(value) or looks_chosen(value)
                if number in columns and not is_placeholder(value) and is_password:
                    at = start + cell.index(value)
                    yield at, at + len(value)
                start += len(cell) + 1
        position = end + 1


def _tables(data: bytes) -> Iterator[Span]:
    """Yield the secrets in the columns of text tables whose header names them."""
    rules = [rule.span() for rule in _RULE.finditer(data)]
    names: dict[int, bytes] = {}
    reached = -1
    for number, (start, end) in enumerate(rules):
        header = _line_before(data, start)
        named = _named_columns(data, *header) if header[1] - header[0] <= 4 * _REACH else {}
        if named or reached != start:
            names = named
        following = rules[number + 1][0] if number + 1 < len(rules) else len(data)
        reached = min(len(data), end + 1)
        while reached < following:
            newline = data.find(b"\n", reached)
            stop = newline if newline >= 0 else len(data)
            if b"|" not in data[reached : min(stop, reached + 8 * _REACH)]:
                break
            for column, cell in enumerate(_cells(data, reached, stop) if names else ()):
                if column in names:
                    yield from _cell(data, names[column], *cell)
            reached = stop + 1


def _line_before(data: bytes, start: int) -> Span:
    end = max(start - 1, 0)
    return data.rfind(b"\n", 0, end) + 1, end


def _named_columns(data: bytes, start: int, end: int) -> dict[int, bytes]:
    """Map the columns of a header that name a secret to their names."""
    if b"|" not in data[start:end]:
        return {}
    cells = enumerate(_cells(data, start, end))
    return {
        column: data[first:last].strip(b" \t`*:\r")
        for column, (first, last) in cells
        if _SECRET_CELL.search(data[first:last]) is not None
    }


def _cells(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield the cells of a row, without what precedes its first bar where it begins with one."""
    while start < end and data[start : start + 1] in (b" ", b"\t", b">", b"*", b"#", b"/"):
        start += 1
    start += data[start : start + 1] == b"|"
    while start <= end:
        bar = data.find(b"|", start, end)
        stop = bar if bar >= 0 else end
        yield start, stop
        start = stop + 1


def _cell(data: bytes, name: bytes, start: int, end: int) -> Iterator[Span]:
    """Yield what a cell holds of secrets: its only word by the name of the column, one of several if it is strong."""
    words = list(_CELL_WORD.finditer(data, start, end))
    for word in words:
        value = word.group()
        if len(words) == 1 and len(data[start:end].split()) == 1:
            is_found = is_secret(name, value)
        else:
            is_found = _ABOUT_TABLES.search(name) is None and is_strong_password(value)
        if is_found:
            yield word.span()


_FINDERS: tuple[Callable[[bytes], Iterator[Span]], ...] = (
    _assigned,
    _text_blocks,
    _bare,
    _pairs,
    _commands,
    _positional,
    _spoken,
    stated,
)
