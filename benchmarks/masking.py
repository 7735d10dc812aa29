"""How many planted secrets leave Helix unmasked, and how many ordinary lines are masked without need.

    python benchmarks/masking.py [--trees FOLDER...] [--seed 7] [--show 20] [--sample N] [--no-trees]

Secrets are generated: kinds of secrets × names of keys × syntaxes, each in a small file, the same for the same seed. A
case is a leak where seven characters in a row (or all, of a shorter one) of the secret are left. Rules are syntaxes
whose grammar says what the secret is; prose is sentences as in notes and chats; typed are short, ordinary passwords,
passphrases and numbers as people type them, in several languages; sayings are sentences about secrets that hold none.
``held out`` are syntaxes, sentences and names (``LATER_*``) that were written down after the rules: of the first such
set (``MORE_*``, now among the others) 13.5 % leaked when it was first run, of this one 4.1 %; both were then mended by
general rules. Of typed sentences that were written after their rules 38 of 133 leaked when they were first run, and 15
of 75 of a second such set after those were mended.

``words`` are passwords without any shape, ``krokodil`` or ``sunshine``, in configuration, command lines, calls, tables
and beside the name of their user; ``chat`` are such words in messages, masked as a person's text is. Of 160 secrets
written down before their rules (configuration, shell histories, chats and documents, mostly such words) 104 leaked. The
rules were made with one half; of the other 21 of 80 leaked when it was first run, and 17 of 40 of another set after
those were mended. Of a third set of 40, with which no rule was made, 8 leaked, and 30 before these rules: of a wording
that nobody thought of, expect one of four to leak.

``others (built with)`` and ``others (held out)`` are sentences of chats, notes, mails, tickets, commits, documents and
comments in ``fixtures/secrets``, each set written by somebody who had not seen the rules, to be as unlike each other
as they could. The weights of ``secrets.odds`` are fit to the first three; the fourth nobody read, but its two figures
were printed eight times while the rules were mended. With the weights before, 54 of its 160 secrets leaked and 6 of its
100 sentences without one were touched; after, 38 leaked and 9 were touched; 35 and 9 since lines of files that speak of
access only are read. All of those sentences speak of secrets or
of what looks like one, so they say little of ordinary lines. Of a wording of others expect one of six to leak that a
person typed, and one of two in a file: the target of 2 % is missed. What is left are mostly words of a dictionary in
sentences that do not say that they are one, phrases with blanks, and what stands in lines of files that name no
credential.

``others (ways)`` and ``others (ways held out)`` are ways in which a secret stands that the other sets do not have:
templates whose value or default stands apart from its name, cookies, seed phrases, keys in base64, anchors of YAML,
parameters of addresses and log-ins in a sentence. Of 128 with which the rules were made 43 leaked before and 1 after,
of 64 that were kept apart 25 and 8.

``others (later)`` are sentences of an author who wrote after all of that, harder ones on both sides: of 190 secrets 77
leak, of 130 sentences without one 20 are touched. They have been read, and no rule or weight is made with them yet.

The share of ordinary lines is measured on the standard library, the installed packages and every folder of ``--trees``.

Ends with 1 where a target is missed: 0 leaks on rules, at most 2 % in each other group,
at most 0.5 % of sayings and of ordinary lines touched, at most 2 ms of processor time a KB.
"""

# The file is not called secrets.py: scripts of this folder would import it instead of the standard library's module.

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import string
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helix_core.secrets.masking import mask, mask_typed

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
MOST_BYTES = 600_000
MOST_MS_PER_KB = 2.0
LEAKS_ALLOWED = {"rules": 0.0, "prose": 0.02, "typed": 0.02, "held out": 0.02, "words": 0.02, "chat": 0.02}
BY_OTHERS = {
    "built with": ("built-with.jsonl", "built-with-2.jsonl", "built-with-3.jsonl"),
    "held out": ("held-out.jsonl",),
    "ways": ("ways.jsonl",),
    "ways held out": ("ways-held-out.jsonl",),
    "later": ("later.jsonl",),
}
TYPED_KINDS = frozenset(("chat", "notes", "ticket", "mail", "review"))
"""What a person types into a chat or a note of Helix; the others stand in files."""
SENTENCES = Path(__file__).parents[1] / "fixtures" / "secrets"
TARGETS = {
    **LEAKS_ALLOWED,
    "sayings": 0.005,
    "ordinary lines": 0.005,
    **{f"others ({name})": 0.02 for name in BY_OTHERS},
    **{f"lines of others ({name})": 0.005 for name in BY_OTHERS},
}

# ``{k}`` is the name, ``{v}`` the secret, ``{a}`` and ``{b}`` its halves, ``{B}`` its base64.
QUOTED = r"""
python            | {k} = "{v}"
python single     | {k} = '{v}'
python annotated  | {k}: str = "{v}"
python optional   | {k}: Optional[str] = "{v}"
python environ    | {k} = os.environ.get("PW", "{v}")
python getenv     | value = os.getenv("{k}", "{v}")
python or         | value = os.getenv("{k}") or "{v}"
python keyword    | connect(host, {k}="{v}", timeout=3)
python dict       | settings = {{"host": "db", "{k}": "{v}"}}
python item       | config["{k}"] = "{v}"
python attribute  | self.{k} = "{v}"
python default    | def connect(host, {k}="{v}", port=5432):
python compare    | if given["{k}"] == "{v}":
python call       | {k} = SecretStr("{v}")
python split plus | {k} = "{a}" + "{b}"
python split lines| {k} = (\n    "{a}"\n    "{b}"\n)
python split back | {k} = "{a}" \\\n    "{b}"
python bytes      | {k} = b"{v}"
python tuple      | {k} = ("bob", "{v}")
python list       | {k} = ["{v}"]
python next line  | {k} = (\n    "{v}"\n)
python put        | settings.setdefault("{k}", "{v}")
python format     | print("{k}=" + "{v}")
javascript const  | const {k} = '{v}';
javascript tick   | const {k} = `{v}`;
javascript or     | const value = process.env.{k} || '{v}';
javascript nullish| const value = process.env.{k} ?? "{v}";
javascript object | export default {{ {k}: '{v}', retries: 3 }};
javascript split  | const {k} = '{a}' +\n  '{b}';
typescript        | private readonly {k}: string = "{v}";
java              | private static final String {k} = "{v}";
java setter       | properties.put("{k}", "{v}");
java split        | String {k} = "{a}"\n    + "{b}";
kotlin            | val {k}: String = "{v}"
go short          | {k} := "{v}"
go const          | const {k} = "{v}"
go struct         | cfg := Config{{Host: "db", {k}: "{v}"}}
rust const        | const {k}: &str = "{v}";
rust string       | let {k} = String::from("{v}");
c define          | #define {k} "{v}"
c sharp           | var {k} = "{v}";
php variable      | ${k} = '{v}';
php define        | define('{k}', '{v}');
php array         | return ['{k}' => '{v}', 'port' => 3306];
php split         | ${k} = '{a}' . '{b}';
ruby              | {k} = '{v}'
ruby hash         | {{ :{k} => '{v}' }}
ruby fetch        | ENV.fetch("{k}", "{v}")
perl              | my ${k} = '{v}';
lua split         | {k} = "{a}" .. "{b}"
yaml quoted       | database:\n  {k}: "{v}"
json              | {{"name": "app", "{k}": "{v}"}}
json indented     | {{\n  "{k}": "{v}",\n  "port": 3306\n}}
json array        | {{"{k}": ["{v}"]}}
toml              | [db]\n{k} = "{v}"
toml literal      | [db]\n{k} = '''{v}'''
toml basic block  | [db]\n{k} = \x22\x22\x22\n{v}\x22\x22\x22
toml literal block| [db]\n{k} = '''\n{v}\n'''
python block      | {k} = \x22\x22\x22\\\n{v}\n\x22\x22\x22
hcl               | {k} = "{v}"
terraform         | variable "{k}" {{\n  type    = string\n  default = "{v}"\n}}
notebook          | {{"cells": [{{"source": ["import db\\n", "{k} = \\"{v}\\"\\n"]}}]}}
notebook single   | {{"source": ["{k} = '{v}'\\n", "x = 1\\n"]}}
notebook call     | {{"source": ["connect({k}=\\"{v}\\")"]}}
xml attribute     | <connection host="db" {k}="{v}" />
xml add           | <add key="{k}" value="{v}" />
xml name          | <property name="{k}" value="{v}"/>
xml reversed      | <add value="{v}" key="{k}" />
xml nested        | <setting name="{k}" serializeAs="String">\n  <value>{v}</value>\n</setting>
plist             | <key>{k}</key>\n<string>{v}</string>
html table        | <td>{k}</td><td>{v}</td>
shell quoted      | export {k}="{v}"
shell single      | {k}='{v}' ./run.sh
env list          | - name: {k}\n  value: "{v}"
env object        | {{"name": "{k}", "value": "{v}"}}
option            | run --{k} "{v}" --verbose
option array      | args = ["--{k}", "{v}"]
sql set           | UPDATE users SET {k} = '{v}' WHERE id = 1;
comment           | # {k} = "{v}"
comment slash     | // {k}: "{v}"
diff              | +{k} = "{v}"
markdown code     | Set `{k}="{v}"` first.
"""
BARE = r"""
yaml              | db:\n  {k}: {v}
yaml comment      | {k}: {v}  # rotate
yaml flow         | db: {{user: app, {k}: {v}}}
yaml list         | environment:\n  - {k}={v}
yaml block        | {k}: |\n  {v}
ini               | [db]\n{k} = {v}
ini tight         | [db]\n{k}={v}
properties        | app.{k}={v}
env               | {k}={v}
env export        | export {k}={v}
env prefix        | {k}={v} psql -h db app
dockerfile        | ENV {k}={v}
docker run        | docker run -e {k}={v} -p 80:80 app
shell default     | : "${{{k}:-{v}}}"
spring default    | @Value("${{{k}:{v}}}")
query             | curl "https://api.example.net/v1/items?page=2&{k}={v}"
query first       | GET https://api.example.net/v1?{k}={v}&page=2
header            | X-{k}: {v}
log               | 2026-01-02 INFO login {k}={v} user=bob
xml element       | <config><{k}>{v}</{k}></config>
option equals     | run --{k}={v} --verbose
option            | run --{k} {v} --verbose
yaml options      | args:\n  - --{k}={v}
yaml options two  | args:\n  - --{k}\n  - {v}
markdown table    | | {k} | {v} |
markdown column   | | user | {k} |\n|---|---|\n| bob | {v} |
markdown first    | | {k} | user | note |\n|:--|:-:|--|\n| - | eve | - |\n| `{v}` | bob | new |
markdown no bars  | user | {k}\n--- | ---\nbob | {v}
drawn column      | +------+-----+\n| user | {k} |\n+======+=====+\n| bob  | {v} |\n+------+-----+
notebook shell    | {{"source": ["%env {k}={v}\\n", "x = 1"]}}
"""
GRAMMAR = r"""
mysql             | mysql -u root -p{v} app < dump.sql
mysqldump         | mysqldump --host=db -u root -p'{v}' app
mysql array       | subprocess.run(["mysql", "-u", "root", "-p{v}"])
sshpass           | sshpass -p '{v}' ssh bob@db
sshpass bare      | sshpass -p {v} ssh bob@db
sshpass tight     | sshpass -p{v} scp a bob@db:
docker login      | docker login --username bob --password {v} registry.example.net
docker login short| docker login -u bob -p {v} registry.example.net
docker echo       | echo "{v}" | docker login --username bob --password-stdin
helm login        | helm registry login -u bob --password={v} registry.example.net
curl              | curl -s -u bob:{v} https://api.example.net
redis             | redis-cli -h db -a {v} ping
sqlcmd            | sqlcmd -S db -U sa -P {v}
ldap              | ldapsearch -x -D cn=admin -w {v} -b dc=example
openssl           | openssl rsa -in key.pem -passin pass:{v}
keytool           | keytool -list -keystore app.jks -storepass {v}
mongo             | mongosh --username root --password {v} db
url               | postgres://app:{v}@db.example.net:5432/app
url python        | engine = create_engine("mysql+pymysql://app:{v}@db/app")
jdbc query        | jdbc:mysql://db:3306/app?user=app&password={v}
jdbc semicolons   | jdbc:sqlserver://db;user=sa;password={v};encrypt=true
jdbc oracle       | jdbc:oracle:thin:app/{v}@db:1521:xe
jdbc positional   | DriverManager.getConnection("jdbc:mysql://db/app", "app", "{v}");
ado               | Server=db;Database=app;User Id=sa;Password={v};
libpq             | psql "host=db user=app password={v} dbname=app"
sql identified    | CREATE USER 'app'@'%' IDENTIFIED BY '{v}';
sql password      | ALTER ROLE app WITH LOGIN PASSWORD '{v}';
sql insert        | INSERT INTO users (name, password) VALUES ('bob', '{v}');
login             | client.login("bob", "{v}")
login array       | session.sign_in('bob', '{v}')
auth tuple        | requests.get(url, auth=("bob", "{v}"))
basic auth        | auth = HTTPBasicAuth("bob", "{v}")
credentials       | var c = new NetworkCredential("bob", "{v}");
mysqli            | $db = new mysqli("localhost", "app", "{v}", "app");
kubernetes        | apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  config: {B}\n
kubernetes string | apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\nstringData:\n  motd: {v}\n  other: "{v}"\n
kubernetes first  | apiVersion: v1\ndata:\n  config: {B}\nkind: Secret\nmetadata:\n  name: app\n
kubernetes block  | kind: Secret\nstringData:\n  app.conf: |\n    line one\n    {v}\ntype: Opaque\n
kubernetes list   | items:\n- apiVersion: v1\n  kind: Secret\n  data:\n    config: {B}\n
kubernetes json   | {{"apiVersion": "v1", "kind": "Secret", "data": {{"config": "{B}"}}}}
wget              | wget --user=bob --password={v} https://example.net/a
netrc             | machine example.net login bob password {v}
csv               | user,password,role\nbob,{v},admin
redis conf        | port 6379\nrequirepass {v}
redis compose     | command: ["redis-server", "--requirepass", "{v}"]
redis list        | command:\n  - redis-server\n  - --requirepass\n  - {v}
redis quoted list | command:\n  - "redis-server"\n  - "--masterauth"\n  - "{v}"
redis command     | command: redis-server --requirepass {v} --appendonly yes
redis sentinel    | sentinel auth-pass mymaster {v}
redis cmd         | CMD ["redis-server", "--masterauth", "{v}"]
user and password | args: ["login", "-u", "bob", "-p", "{v}"]
user list         | args:\n  - --username\n  - bob\n  - --password\n  - {v}
mysql list        | command: ["mysqladmin", "-uroot", "-p{v}", "ping"]
"""
HEX_KEYS = r"""
hex assigned      | {k} = "{v}"
hex single        | {k}: '{v}'
hex call          | {k} = bytes.fromhex("{v}")
hex json          | {{"{k}": "{v}"}}
hex yaml          | {k}: {v}
hex env           | {k}={v}
hex const         | const {k} = '{v}';
"""
TWILIO = r"""
twilio client     | client = Client("AC{sid}", "{v}")
twilio javascript | const client = require('twilio')('AC{sid}', '{v}');
twilio pair       | TWILIO = ("AC{sid}", "{v}")
"""
PROSE = r"""
the {n} is {v}
The {n} is {v}.
the {n} is "{v}" ok?
My {n} is `{v}`, please do not share it.
{n}: {v}
The {n}: {v}
the {n} for the staging database is {v}
the {n} of the admin account on db2 is {v} now
{n} was {v} until yesterday
wifi {n} {v} for guests
{n} {v} returns 401
our {n} {v} does not work any more
use {v} as the {n}
{v} is the {n}
{v} was our {n} for the old server
why does the {n} {v} fail?
I set the {n} to {v} and restarted.
we changed the {n} to {v} last week
please try {n} "{v}"
the new {n} ({v}) works
connect with {n} = {v} and tell me what you see
User: bob, {n}: {v}
- {n}: `{v}`
here is the {n}:  {v}  thanks
I get 403 with {n} {v}, what is wrong?
"""
LOGINS = r"""
log in as bob with {v}
you can log in with bob and {v}
login: bob / {v}
sign in as admin using {v}
credentials: bob:{v}
credentials are bob / {v}
ssh bob@db with {v} works for me
logged in as bob with `{v}` and nothing came
mysql -u root -p{v} says access denied
"""
JOINED = r"""
The {n} is {v}.
the {n} is {v}
the {n} is {v} for the admin account
my {n} is `{v}`, keep it
{n}: {v}
The {n}: {v}
- {n} = {v}
the {n} of the staging database is "{v}"
{n} was {v} until today
"""
TYPED = r"""
the {n} is {v}
The prod {n} is {v}.
{n} is {v}
{n}: {v}
{n} : {v}
{n} = {v}
{n}={v}
{n} -> {v}
{n} → {v}
**{n}**: {v}
- **{n}:** `{v}`
{n} for bob: {v}
{n} (staging): {v}
the {n} for the staging server is now {v}
the {n} of the admin account is {v}
{n} of root = {v}
the {n} used to be {v}
the new {n} will be {v}
the {n} should be {v} by now
our {n} was {v} until May
FYI {n} is {v}, user postgres
remember that the staging {n} is {v}.
we decided that the {n} is {v} from now on
set {n} to {v}
please change the {n} from {v} to something better
I changed the {n} to {v} yesterday
the {n} is "{v}"
the {n} is “{v}”
username: admin, {n}: {v}
log in as deploy, {n}: {v}
{n} set to {v} on all hosts
"""
MORE_TYPED = r"""
btw the jenkins {n} got changed, it's {v} now
you need a {n} for that: {v}
the {n}, by the way, is {v}
the following {n} works: {v}
don't forget the {n}: {v}
the {n} hasn't changed: {v}
ssh deploy@10.1.1.4 ({n} {v})
the old {n} ({v}) still works
we use {v} as the {n} everywhere
{n}? {v}
{n}: {v}, user root
replaced {n} {v} with another one
keep the {n} {v} to yourself
{n} for the zip = {v}
"""
BESIDE = r"""
{n} {v}
use {n} {v} for admin
with the {n} {v}
{n} ({v})
ssh root@10.0.0.5 {n} {v}
db user app, {n} {v}
user: root {n}: {v}
set DB_PASS to {v}
change DB_PASSWORD to {v}
{v} ({n})
"""
PAIRS = r"""
login with admin / {v}
log in as admin / {v}
login: admin / {v}
creds: admin / {v}
creds: admin:{v}
credentials bob:{v}
credentials are bob / {v}
the basic auth is bob:{v}
basic auth admin:{v}
ftp login bob/{v}
admin:{v} on the staging box
you can use {v} to log in
username bob and password {v}
"""
FOREIGN = r"""
das Passwort ist {v}
Das Passwort lautet {v}
Passwort: {v}
mein Kennwort ist {v}
Passwort für den Server: {v}
das Passwort für admin ist {v}
la contraseña es {v}
contraseña: {v}
la clave es {v}
le mot de passe est {v}
mot de passe : {v}
la password è {v}
a senha é {v}
senha: {v}
het wachtwoord is {v}
hasło: {v}
heslo je {v}
lösenordet är {v}
пароль: {v}
пароль {v}
パスワードは{v}です
パスワード：{v}
密码是{v}
密码：{v}
数据库密码为{v}
密碼是 {v}
口令是{v}
비밀번호는 {v}
şifre: {v}
"""
QUOTED_PHRASES = r"""
the {n} for the backup is "{v}"
the {n} is '{v}'
my {n} is `{v}`
the {n} is “{v}”
the {n} of the vault was "{v}" until May
das Passwort ist „{v}“
le mot de passe est « {v} »
パスワードは「{v}」です
"""
PLAIN_PHRASES = r"""
passphrase: {v}
the passphrase is {v}
the passphrase for the vault is {v}.
"""
NUMBERS = r"""
{n}: {v}
{n} is {v}
admin {n} is {v}
the {n} for the door is {v}
my {n} is {v}.
{n} {v}
die {n} ist {v}
{n} lautet {v}
{n} = {v}
"""
NUMBER_NOUNS = ("PIN", "pin", "PIN code", "SIM PIN", "door code", "alarm code", "unlock code", "access code", "OTP")
TYPED_NOUNS = ("password", "pw", "wifi password", "root password", "db pw", "passwd", "Password", "admin pwd")
SAYINGS = r"""
the {n} is {v}
The {n} is {v}.
a {n} is {v}
{n}: {v}
- `{n}`: {v}
The {n} of the user is {v}
set {n} to {v}
the {n} was {v} when the server started
"""
PREDICATES = (
    *("required", "returned", "string", "str", "the name of the key", "stored as a hash", "not checked", "optional"),
    *("the value", "too short", "wrong", "empty", "four digits", "at least 8 characters long", "None", "`None`"),
    *(
        "base64 encoded",
        "case-sensitive",
        "read from the environment",
        "`str`",
        "a random string",
        "sent as plain text",
    ),
    *("hashed with sha256", "valid for 30 days", "set by the admin", "used only once", "`settings.PASSWORD`", "bytes"),
    *("the first argument", "checked by the server", "user-supplied", "see RFC 6749", "password1", "an opaque text"),
    *("different on each host", "the same as before", "12 characters", "<your password>", "${PASSWORD}", "expired"),
)
"""What sentences tell of a password without giving it."""
PASSWORD_KEYS = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "DB_PASSWORD",
    "dbPassword",
    "db_pass",
    "smtpPass",
    "SMTP_PASSWORD",
    "admin-password",
    "rootPw",
    "PGPASSWORD",
    "userPassword",
    "MYSQL_ROOT_PASSWORD",
    "keystore_password",
    "passphrase",
]
SECRET_KEYS = [
    "secret",
    "client_secret",
    "clientSecret",
    "API_KEY",
    "apiKey",
    "api-key",
    "access_token",
    "accessToken",
    "authToken",
    "SECRET_KEY",
    "token",
    "GITHUB_TOKEN",
    "private_key",
    "signing_key",
    "encryptionKey",
    "webhook_secret",
    "AWS_SECRET",
    "ApiSecret",
]
HEX_NAMES = [
    "key",
    "KEY",
    "AES_KEY",
    "aes_key",
    "encryption_key",
    "hmacKey",
    "signing_key",
    "session_key",
    "auth_token",
    "MASTER_KEY",
    "secretKey",
]
PASSWORD_NOUNS = ("password", "wifi password", "root password", "passphrase", "db password", "pass")
SECRET_NOUNS = ("token", "api key", "secret", "auth token", "encryption key", "access key", "client secret")

MORE_QUOTED = r"""
nix               | services.app.{k} = "{v}";
elixir            | config :app, {k}: "{v}"
elixir env        | System.get_env("{k}", "{v}")
clojure           | {{:host "db" :{k} "{v}"}}
lisp              | (setq {k} "{v}")
scala             | val {k} = "{v}"
scala option      | sys.env.getOrElse("{k}", "{v}")
swift             | let {k}: String = "{v}"
dart              | final String {k} = '{v}';
powershell        | ${k} = "{v}"
powershell secure | ConvertTo-SecureString "{v}" -AsPlainText  # {k}
r                 | {k} <- "{v}"
julia             | const {k} = "{v}"
matlab            | {k} = '{v}';
tcl               | set {k} "{v}"
fish              | set -x {k} "{v}"
csh               | setenv {k} "{v}"
batch             | set "{k}={v}"
groovy            | environment {{ {k} = "{v}" }}
gradle            | buildConfigField "String", "{k}", "\\"{v}\\""
android           | <string name="{k}">{v}</string>
ansible           | vars:\n  {k}: '{v}'
cloudformation    | {{"ParameterKey": "{k}", "ParameterValue": "{v}"}}
postman           | {{"key": "{k}", "value": "{v}", "type": "text"}}
har               | {{"value": "{v}", "name": "{k}"}}
heroku            | {{"env": {{"{k}": {{"description": "d", "value": "{v}"}}}}}}
appsettings       | {{"Smtp": {{"Port": 25, "{k}": "{v}"}}}}
systemd           | Environment="{k}={v}"
apache            | SetEnv {k} "{v}"
graphql           | mutation {{ login({k}: "{v}") {{ id }} }}
vue               | data() {{ return {{ {k}: "{v}" }} }}
java builder      | builder.{k}("{v}").build();
java annotation   | @Default(key = "{k}", value = "{v}")
go default        | viper.SetDefault("{k}", "{v}")
c struct          | .{k} = "{v}",
c plus plus       | std::string {k}{{"{v}"}};
objective c       | NSString *{k} = @"{v}";
zig               | const {k}: []const u8 = "{v}";
vb                | Dim {k} As String = "{v}"
pascal            | {k} := '{v}';
r list            | list({k} = "{v}", port = 3)
jsonnet           | {{ {k}:: "{v}" }}
dhall             | {{ {k} = "{v}" }}
repr              | User(name='bob', {k}='{v}')
escaped json      | {{"body": "{{\\"{k}\\": \\"{v}\\"}}"}}
"""
MORE_BARE = r"""
docker space      | ENV {k} {v}
compose map       | environment:\n  {k}: {v}\n  PORT: 3
github actions    | env:\n  {k}: {v}
crontab           | 0 3 * * * {k}={v} /usr/bin/backup
make              | {k} ?= {v}
batch             | set {k}={v}
java option       | java -Dapp.{k}={v} -jar app.jar
helm set          | helm upgrade app ./app --set db.{k}={v}
vault             | vault kv put secret/app {k}={v}
rest              | {k}:: {v}
url fragment      | https://app.example.net/cb#{k}={v}&state=1
cookie            | Cookie: theme=dark; {k}={v}
nginx             | proxy_set_header X-{k} {v};
"""
MORE_PROSE = r"""
fyi {n} = {v} (do not commit)
The {n} you asked for: {v}
Reminder: {n} -> {v}
{n} is now {v}, sorry for the noise
can you check whether {v} is still the {n}?
They gave me {v} as {n}
temporary {n}: **{v}**
I typed the {n} "{v}" twice
with the {n} {v} I get a timeout
Your {n} has been reset to {v}
der {n} ist {v}
error: invalid {n} '{v}' for user bob
"""
MORE_PASSWORD_KEYS = [
    "ftp-passwd",
    "rootpw",
    "admin_pwd",
    "storagePassphrase",
    "spring.datasource.password",
    "IMAP_PASS",
    "wifi_psk",
]
MORE_SECRET_KEYS = [
    "JWT_SIGNING_SECRET",
    "consumerSecret",
    "webhookToken",
    "bot_token",
    "masterKey",
    "licenseKey",
    "deploy_token",
]


LATER_QUOTED = r"""
ocaml             | let {k} = "{v}"
haskell           | {k} = "{v}" :: String
erlang            | {{ {k}, "{v}" }}
f sharp           | let {k} : string = "{v}"
crystal           | {k} : String = "{v}"
nim               | const {k}* = "{v}"
v lang            | {k} := '{v}'
starlark          | secret(name = "db", {k} = "{v}")
bicep             | param {k} string = '{v}'
arm template      | "{k}": {{ "type": "securestring", "defaultValue": "{v}" }}
pulumi            | const {k} = config.get("x") || "{v}";
jenkins           | withEnv(["{k}={v}"]) {{ sh 'make' }}
django            | DATABASES = {{"default": {{"USER": "app", "{k}": "{v}"}}}}
rails yaml        | production:\n  {k}: "{v}"
laravel           | '{k}' => env('X', '{v}'),
flask             | app.config.update({k}="{v}", DEBUG=False)
pydantic          | {k}: SecretStr = Field(default="{v}")
typer             | {k}: str = typer.Option("{v}", help="it")
argparse          | parser.add_argument("--{k}", default="{v}")
cypress           | cy.get('#{k}').type('{v}')
playwright        | await page.fill('input[name="{k}"]', '{v}')
selenium          | driver.find_element(By.ID, "{k}").send_keys("{v}")
gherkin           | When I set "{k}" to "{v}"
asciidoc          | `{k}`:: `{v}`
rst field         | :{k}: "{v}"
go map            | m := map[string]string{{"{k}": "{v}"}}
c array           | static const char {k}[] = "{v}";
assembly          | {k}: .asciz "{v}"
verilog           | localparam {k} = "{v}";
lua table         | local c = {{ host = "db", {k} = "{v}" }}
"""
LATER_BARE = r"""
hosts ini         | db1 ansible_host=10.0.0.5 {k}={v}
jaas              | required username=app {k}={v};
supervisor        | environment=HOME="/srv",{k}={v}
rclone            | [remote]\ntype = s3\n{k} = {v}
pip               | pip install --index-url https://bob:{v}@pypi.example.net/simple app
terraform vars    | terraform apply -var {k}={v}
kubectl           | kubectl create secret generic app --from-literal={k}={v}
aws               | aws configure set {k} {v}
docker arg        | docker build --build-arg {k}={v} .
github output     | echo "{k}={v}" >> "$GITHUB_ENV"
openapi           | {k}: {v}
traceback         | ValueError: bad {k}={v}
"""
LATER_PROSE = r"""
Please rotate the {n}, it was {v}.
PS: {n} {v}
I used {v} for the {n}, is that wrong?
the {n} should be {v}
What does the {n} {v} give access to?
Our {n} ({v}) leaked yesterday
Change the {n} from {v} to something else
old {n}: {v}, new one tomorrow
Set {n} to {v} and retry
{n}={v} does not work for me
does anyone know why {n} "{v}" is refused?
"""
LATER_PASSWORD_KEYS = ("SVN_PASSWD", "zabbixPassword", "vault_pass", "luks_passphrase", "sudoPassword", "api.user.pwd")
LATER_SECRET_KEYS = (
    "SLACK_SIGNING_SECRET",
    "npmToken",
    "sessionSecret",
    "OAUTH_CLIENT_SECRET",
    "maps_api_key",
    "pat_token",
)


WORD_QUOTED = r"""
assigned          | {k} = "{v}"
single            | {k} = '{v}'
annotated         | {k}: str = "{v}"
const             | const {k} = '{v}';
go field          | {k}: "{v}",
json              | {{"host": "db", "{k}": "{v}"}}
keyword           | connect(host="db", {k}="{v}", timeout=3)
define            | define('{k}', '{v}');
setter            | props.setProperty("{k}", "{v}");
call              | user.{k}("{v}")
getenv            | value = os.getenv("{k}", "{v}")
symbol            | set :{k}, '{v}'
toml block        | {k} = '''{v}'''
xml element       | <{k}>{v}</{k}>
option            | run --{k} "{v}" --verbose
option list       | args = ["--{k}", "{v}"]
yaml quoted       | db:\n  {k}: "{v}"
"""
WORD_BARE = r"""
yaml              | db:\n  {k}: {v}
ini               | [db]\n{k} = {v}
ini tight         | [db]\n{k}={v}
env export        | export {k}={v}
option equals     | run --{k}={v} --verbose
option            | run --{k} {v} --verbose
two words         | {k} {v}
var file          | terraform apply -var="{k}={v}"
"""
WORD_BESIDE = r"""
json user         | {{"{u}":"eva","{w}":"{v}"}}
python user       | connect({u}="eva", {w}="{v}")
repr              | Credentials({u}='svc', {w}='{v}', realm=None)
dict user         | settings = {{'{u}': 'app', '{w}': '{v}', 'port': 3306}}
ruby hash         | {{"{u}"=>"karl", "{w}"=>"{v}"}}
yaml user         | {u}: deploy\n{w}: {v}
notes             | Host: db1\n{u}: karl\n{w}: {v}
rst field         | :{u}: demo\n:{w}: {v}
org               | - {u} :: admin\n- {w} :: {v}
query             | GET /session?{u}=karl&{w}={v} HTTP/1.1
form              | curl -d '{u}=eva&{w}={v}' localhost
body              | curl -d '{{"{u}":"eva","{w}":"{v}"}}' localhost
log               | DEBUG auth: attempt {u}=karl {w}={v} ip=10.0.0.4
shell             | vault kv put secret/shop {u}=shop {w}={v}
mount             | mount -o {u}=hans,{w}={v},vers=3.0 //nas/a /mnt
xml attributes    | <account {u}="deployer" {w}="{v}" roles="a"/>
html              | <p>{u}: <b>gast</b><br>{w}: <b>{v}</b></p>
escaped           | {{"body":"{{\\"{u}\\":\\"karl\\",\\"{w}\\":\\"{v}\\"}}"}}
"""
WORD_PLACES = r"""
mysql             | mysql -uroot -p{v} -e 'show tables'
echo sudo         | echo "{v}" | sudo -S reboot
herestring        | sudo -S reboot <<< "{v}"
cryptsetup        | echo "{v}" | cryptsetup open /dev/sdb1 data
htpasswd          | htpasswd -b -c .htpasswd karl {v}
htpasswd stdout   | htpasswd -nb karl {v}
net user          | net user helpdesk {v} /add
snmp              | snmpwalk -v3 -l authPriv -u ops -a SHA -A {v} 10.0.0.9
ssh-keygen        | ssh-keygen -t ed25519 -N "{v}" -f id
openssl           | openssl enc -aes-256-cbc -k {v} -in a -out b
user and password | twine upload -u bob -p {v} dist/*
secret set        | gh secret set DEPLOY --body "{v}"
expect            | expect "assword:"\nsend "{v}\\r"
wpa               | wpa_passphrase Werkstatt {v}
login             | server.login("news@example.org", "{v}")
auth tuple        | requests.get(url, auth=("svc", "{v}"))
basic             | session.auth = HTTPBasicAuth("svc", "{v}")
connection        | DriverManager.getConnection("jdbc:oracle:thin:@db1:1521:ORCL", "scott", "{v}");
dbi               | DBI->connect("dbi:mysql:shop;host=db2", "shop", "{v}", {{ RaiseError => 1 }});
pdo               | PDO->__construct('mysql:host=db;dbname=shop', 'shop', '{v}')
dsn               | sql.Open("mysql", "app:{v}@tcp(db:3306)/shop")
wifi              | WiFi.begin("Dachboden", "{v}");
jwt               | const token = jwt.sign({{ sub: user.id }}, '{v}', {{ expiresIn: '1h' }});
insert            | INSERT INTO accounts (id, email, password) VALUES (1, 'root@example.org', '{v}');
markdown column   | | user | password |\n|---|---|\n| root | {v} |
psql              | | id | username | password |\n----+----------+----------\n  1 | root | {v}
mysql table       | +----+-------+\n| user | pass |\n+----+-------+\n| admin | {v} |\n+----+-------+
csv semicolon     | Benutzer;Kennwort;Rolle\nadmin;{v};alles
csv               | id,name,password\n1,Anna,{v}
tabs              | login\tpasswort\tort\nhmeier\t{v}\tBonn
latex             | Host & User & Password \\\\ \\hline\ndb1 & root & {v} \\\\
wiki              | ! Host !! User !! Password\n|-\n| db1 || root || {v}
aligned           | Service   Account     Password\n--------  ----------  ----------\nmailgun   postmaster  {v}
rst table         | ====  =====  ==========\nhost  user   password\n====  =====  ==========\ndb1   root   {v}
html table        | <table><tr><th>Login</th><th>Password</th></tr>\n<tr><td>admin</td><td>{v}</td></tr></table>
credentials cell  | | Service | Credentials |\n|---|---|\n| wiki | admin / {v} |
"""
CHAT = r"""
my {n} is {v} and it wont let me in
the {n} is {v}, is that enough?
the {n} is {v}
{n}: {v}
{n} = {v}
i set the {n} to {v} but login says no
i changed teh passwrod to {v} and now nothing conects
pasword is {v}
use {v} as the {n}
user eva pass {v}
login eva, password {v}
username is eva and my {n} is {v}
"{v}" is the {n}, without quotes
i typed "{v}" as the {n}
password for bob? {v}
error: wrong password '{v}'
default login is `admin` with password `{v}`
what was the root {n} again?\n{v}
<eva> whats the {n}\n<karl> {v}
your {n} is\n    {v}\nplease change it
{n}: the usual one -> {v}
log in with user ``admin`` and password ``{v}``
"""
STRANGE_CHAT = r"""
its the same {n} as always, {v}, just try it
the {n} changed, now {v}
{n} {v} doesnt work anymore?
ssh root@10.0.0.4 ({n} {v}) and restart it
the preshared key was changed. New one: {v}. Please roll out.
le mot de passe c'est {v} et ça marche pas
mot de passe wifi : {v}
la contraseña es {v}, no puedo entrar
la password di root è {v} perché non entra?
mein passwort lautet {v}, warum kommt 403?
das Kennwort ist {v}.
wachtwoord is nu {v} ipv het oude
lösenordet är {v} men det funkar inte
hasło do panelu to {v}
credentials: eva / {v}
creds are root:{v} on the jump host
- eva@example.org / {v}
news@example.org:{v}
"""
WORD_KEYS = [
    "password",
    "DB_PASSWORD",
    "db_password",
    "adminPassword",
    "passphrase",
    "smtp.password",
    "ROOT_PASS",
    "kennwort",
]
WORD_NOUNS = ("password", "pw", "root password", "wifi password", "Password", "db password")
USER_FIELDS = ("user", "username", "login", "User", "account")
WORD_FIELDS = ("password", "pass", "pw", "passwd", "kennwort")


@dataclass(frozen=True, slots=True)
class Case:
    """A small file with a secret in it. ``pieces`` are what must not be left of it."""

    group: str
    syntax: str
    text: str
    pieces: tuple[str, ...]


def _lines(table: str) -> list[tuple[str, str]]:
    rows = [line for line in table.splitlines() if line.strip()]
    cut = (row.split("|", 1) for row in rows)
    return [
        (name.strip(), text[1:].encode("latin-1", "backslashreplace").decode("unicode_escape")) for name, text in cut
    ]


def _some(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def passwords(chance: random.Random) -> list[tuple[str, str]]:
    """What people type: ``(kind, password)``, none of them a plain word."""
    word = chance.choice(["Sommer", "Hunting", "Falcon", "Velvet", "Orchid", "Granite"])
    leet = chance.choice(["Tr0ub4dor", "P4nth3r", "Gr4n1te", "V3lv3tR0se", "D0lph1n", "Sn0wf4ll"])
    mixed = (
        f"{_some(chance, string.ascii_letters, 3)}{chance.randrange(10)}{_some(chance, ALNUM, 5)}{chance.randrange(10)}"
    )
    lower = (
        f"{_some(chance, string.ascii_lowercase, 2)}{chance.randrange(10)}{_some(chance, string.ascii_lowercase, 2)}"
    )
    second = chance.choice(["Kettle", "Meadow", "Anvil", "Harbor", "Lantern", "Creek"])
    number = chance.randrange(3, 99)
    chosen = chance.choice(
        [f"{word.lower()}{second}_{number}", f"{word.lower()}{second}{number}", f"{word}-{second}{number}"]
    )
    return [
        ("chosen", chosen),
        ("mixed", mixed),
        ("marks", f"{mixed}!{_some(chance, ALNUM, 2)}"),
        ("leet", f"{leet}!{chance.randrange(100, 999)}"),
        ("word", f"{word}{chance.randrange(1980, 2030)}!"),
        ("lower", f"{lower}{chance.randrange(100)}{_some(chance, string.ascii_lowercase, 2)}{chance.randrange(10)}"),
    ]


def keys(chance: random.Random) -> list[tuple[str, str]]:
    """What a machine generates: ``(kind, key)``."""
    return [
        ("alnum", _some(chance, ALNUM, 24)),
        ("long", _some(chance, ALNUM, 40)),
        ("urlsafe", base64.urlsafe_b64encode(chance.randbytes(24)).decode().strip("-_=")),
        ("hex", _some(chance, HEX, 40)),
    ]


def phrases(chance: random.Random) -> list[tuple[str, str]]:
    """Words that are joined by hyphens or underscores, without a number."""
    words = "tundra velvet comet orbit walnut harbor purple monkey dishwasher correct horse battery staple lantern"
    made = [chance.sample(words.split(), count) for count in (3, 4, 5)]
    capitals = "-".join(word.capitalize() for word in made[1])
    return [("joined", "-".join(made[0])), ("four", "-".join(made[1])), ("five", "_".join(made[2])), ("caps", capitals)]


def typed(chance: random.Random) -> list[tuple[str, str]]:
    """What people type in a hurry: a word with a digit or two, a season with a year, letters swapped for marks."""
    word = chance.choice(
        ["hunter", "apple", "dragon", "monkey", "blume", "gatito", "raspberry", "fluffy", "kotek", "sunshine"]
    )
    season = chance.choice(["Winter", "Summer", "Sommer", "Spring", "Monday", "Moonbase", "Falcon"])
    leet = chance.choice(
        ["P@ssw0rd", "s3cr3t-Horse", "Tr0ub4dor&3xyz", "Bl&eWhale", "Qw3rty!", "N0tAgain!", "m0nk3y_B0y"]
    )
    return [
        ("short", f"{word}{chance.randrange(1, 10)}"),
        ("number", f"{word}{chance.randrange(10, 10000)}"),
        ("season", f"{season}{chance.randrange(1980, 2030)}"),
        ("mark", f"{season}{chance.randrange(10, 2030)}!"),
        ("leet", leet),
        ("twice", f"{word}{chance.randrange(2, 10)}{word}{chance.randrange(2, 10)}"),
    ]


def words(chance: random.Random) -> list[tuple[str, str]]:
    """Words as people choose them, without a shape of their own: of English and of other languages."""
    common = ["sunshine", "pineapple", "butterfly", "football", "chocolate", "penguin", "dolphin", "velvet", "marble"]
    return [("common", chance.choice(common)), *strange(chance)]


def strange(chance: random.Random) -> list[tuple[str, str]]:
    """Words that are not common English, alone, joined and with a number."""
    made = [
        "krokodil",
        "gartenzwerg",
        "papierflieger",
        "stroopwafel",
        "tournesol",
        "mariposa",
        "nachtfalter",
        "brombeere",
    ]
    first, second, third = chance.sample(made, 3)
    return [("strange", first), ("joined words", f"{second}-{first}"), ("counted", f"{third}{chance.randrange(2, 99)}")]


def spaced(chance: random.Random) -> list[tuple[str, str]]:
    """Words with blanks between them."""
    words = [
        "purple",
        "monkey",
        "dishwasher",
        "velvet",
        "comet",
        "orbit",
        "walnut",
        "harbor",
        "lantern",
        "copper",
        "kettle",
        "tundra",
    ]
    return [(f"{count} words", " ".join(chance.sample(words, count))) for count in (3, 4, 5)]


def numbers(chance: random.Random) -> list[tuple[str, str]]:
    """What opens a door or a telephone."""
    return [(f"{count} digits", f"{chance.randrange(10 ** (count - 1), 10**count)}") for count in (4, 5, 6)]


def sayings() -> list[str]:
    """Sentences about passwords that hold none."""
    nouns = ("password", "passphrase", "token", "api key", "secret", "PIN", "credential")
    templates = [line for line in SAYINGS.splitlines() if line]
    return [line.format(n=noun, v=told) for line in templates for noun in nouns for told in PREDICATES]


def hex_keys(chance: random.Random) -> list[tuple[str, str]]:
    """Hex of 16 and of 32 bytes."""
    return [("hex32", _some(chance, HEX, 32)), ("hex64", _some(chance, HEX, 64))]


MADE = {
    "password": passwords,
    "key": keys,
    "hex": hex_keys,
    "phrase": phrases,
    "typed": typed,
    "words": words,
    "strange": strange,
    "spaced": spaced,
    "number": numbers,
}


def _case(group: str, syntax: str, template: str, name: str, secret: str, sid: str = "", **more: str) -> Case:
    half = len(secret) // 2
    encoded = base64.b64encode(secret.encode()).decode()
    text = template.format(k=name, n=name, v=secret, a=secret[:half], b=secret[half:], B=encoded, sid=sid, **more)
    pieces = (secret[:half], secret[half:]) if "{a}" in template else (encoded,) if "{B}" in template else (secret,)
    return Case(group, syntax, f"before = 1\n{text}\nafter = 2\n" if "\nbob," not in text else text, pieces)


def _crossed(
    group: str, table: str, names: Sequence[str], made: Sequence[tuple[str, str]], *, each: int, chance: random.Random
) -> Iterator[Case]:
    """Every syntax with ``each`` pairs of a name and a kind of secret, every kind among them."""
    for syntax, template in _lines(table):
        for number in range(each):
            kind, secret = made[number % len(made)] if number < len(made) else chance.choice(made)
            yield _case(group, f"{syntax} ({kind})", template, chance.choice(names), secret)


def cases(seed: int = 7) -> list[Case]:
    """All cases, the same for the same seed."""
    chance = random.Random(seed)
    found: list[Case] = []

    def cross(group: str, table: str, names: Sequence[str], kinds: str, each: int) -> None:
        made = MADE[kinds]
        for _ in range(each):
            secrets = made(chance)
            found.extend(_crossed(group, table, names, secrets, each=len(secrets), chance=chance))

    for table in (QUOTED, BARE):
        cross("rules", table, PASSWORD_KEYS, "password", 4)
        cross("rules", table, SECRET_KEYS, "key", 5)
    cross("rules", GRAMMAR, ["-"], "password", 4)
    cross("rules", HEX_KEYS, HEX_NAMES, "hex", 10)
    for syntax, template in _lines(TWILIO):
        for _ in range(20):
            found.append(_case("rules", syntax, template, "-", _some(chance, HEX, 32), _some(chance, HEX, 32)))
    prose = "\n".join(f"prose | {line}" for line in PROSE.strip().splitlines())
    logins = "\n".join(f"log-in | {line}" for line in LOGINS.strip().splitlines())
    cross("prose", prose, PASSWORD_NOUNS, "password", 6)
    cross("prose", prose, SECRET_NOUNS, "key", 4)
    cross("prose", logins, ["-"], "password", 6)
    joined = "\n".join(f"joined | {line}" for line in JOINED.strip().splitlines())
    cross("prose", joined, PASSWORD_NOUNS, "phrase", 3)
    for kinds, table, names in (
        ("typed", TYPED, TYPED_NOUNS),
        ("typed", MORE_TYPED, TYPED_NOUNS),
        ("typed", BESIDE, TYPED_NOUNS),
        ("typed", PAIRS, ("-",)),
        ("typed", FOREIGN, ("-",)),
        ("spaced", QUOTED_PHRASES, ("password", "passphrase", "wifi password")),
        ("spaced", PLAIN_PHRASES, ("-",)),
        ("number", NUMBERS, NUMBER_NOUNS),
    ):
        cross("typed", "\n".join(f"typed | {line}" for line in table.strip().splitlines()), names, kinds, 4)
    for table in (MORE_QUOTED, MORE_BARE):
        cross("rules", table, MORE_PASSWORD_KEYS, "password", 2)
        cross("rules", table, MORE_SECRET_KEYS, "key", 2)
    for table in (WORD_QUOTED, WORD_BARE):
        cross("words", table, WORD_KEYS, "words", 3)
    cross("words", WORD_PLACES, ["-"], "words", 4)
    for syntax, template in _lines(WORD_BESIDE):
        for kind, secret in (one for _ in range(4) for one in words(chance)):
            beside = {"u": chance.choice(USER_FIELDS), "w": chance.choice(WORD_FIELDS)}
            found.append(_case("words", f"{syntax} ({kind})", template, "-", secret, **beside))
    for kinds, table in (("words", CHAT), ("strange", STRANGE_CHAT)):
        rows = "\n".join(f"chat | {line}" for line in table.strip().splitlines())
        cross("chat", rows, WORD_NOUNS, kinds, 4)
    more = "\n".join(f"prose | {line}" for line in MORE_PROSE.strip().splitlines())
    cross("prose", more, PASSWORD_NOUNS, "password", 4)
    cross("prose", more, SECRET_NOUNS, "key", 3)
    for table in (LATER_QUOTED, LATER_BARE):
        cross("held out", table, LATER_PASSWORD_KEYS, "password", 3)
        cross("held out", table, LATER_SECRET_KEYS, "key", 3)
    for table in (QUOTED, BARE):
        cross("held out", table, LATER_PASSWORD_KEYS, "password", 1)
        cross("held out", table, LATER_SECRET_KEYS, "key", 1)
    later = "\n".join(f"prose | {line}" for line in LATER_PROSE.strip().splitlines())
    cross("held out", later, PASSWORD_NOUNS, "password", 4)
    cross("held out", later, SECRET_NOUNS, "key", 3)
    return found


def is_leak(case: Case) -> bool:
    """Are seven characters in a row of the secret left, or all of a shorter piece of it?"""
    masked = masked_of(case)
    return any(
        piece[start : start + 7].encode() in masked
        for piece in case.pieces
        for start in range(max(1, len(piece) - 6))
        if len(piece) >= 4
    )


def case_of(row: dict[str, str]) -> Case:
    """A sentence that somebody wrote, masked as what a person typed where its kind says so."""
    group = "chat" if row["kind"] in TYPED_KINDS else "prose"
    return Case(group, row["kind"], row["text"], (row["secret"] or row["text"],))


def by_others(name: str) -> tuple[list[Case], list[Case]]:
    """Sentences that somebody else wrote: those with a secret, and those without one, whose piece is all of it."""
    rows = [json.loads(line) for file in BY_OTHERS[name] for line in (SENTENCES / file).read_text().splitlines()]
    made = [case_of(row) for row in rows]
    has_secret = [row["secret"] is not None for row in rows]
    with_secret = [case for case, is_with in zip(made, has_secret, strict=True) if is_with]
    return with_secret, [case for case, is_with in zip(made, has_secret, strict=True) if not is_with]


def masked_of(case: Case) -> bytes:
    """The text as it is masked where it stands: a chat as what a person typed, all others as a file."""
    return (mask_typed(case.text) if case.group == "chat" else mask(case.text.encode())).data


def files_of(folder: Path) -> Iterator[Path]:
    """The text files that git tracks, or all where the folder is not a repository."""
    listed = subprocess.run(["git", "-C", str(folder), "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        yield from (folder / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name)
        return
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__", ".git"})
        yield from (Path(parent, name) for name in sorted(names))


@dataclass(slots=True)
class Touched:
    """How much of a tree is masked."""

    lines: int = 0
    touched: int = 0
    size_bytes: int = 0
    cpu_s: float = 0.0

    def add(self, data: bytes) -> list[tuple[str, str]]:
        """Count a file; gives its touched lines, before and after."""
        began = time.process_time()
        masked = mask(data).data
        self.cpu_s += time.process_time() - began
        self.size_bytes += len(data)
        self.lines += data.count(b"\n")
        if masked == data:
            return []
        pairs = zip(data.split(b"\n"), masked.split(b"\n"), strict=True)
        changed = [(a.decode("latin-1"), b.decode("latin-1")) for a, b in pairs if a != b]
        self.touched += len(changed)
        return changed


def measure(folder: Path, show: int) -> Touched:
    """The share of a tree's lines that are masked."""
    counted = Touched()
    shown: list[tuple[str, str]] = []
    for path in files_of(folder):
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
                continue
            data = path.read_bytes()
        except OSError:
            continue
        if b"\0" not in data[:8000]:
            shown += [
                (f"{path.name}: {before.strip()[:100]}", after.strip()[:100]) for before, after in counted.add(data)
            ]
    for before, after in random.Random(1).sample(shown, min(show, len(shown))):
        print(f"    {before}\n      {after}")
    return counted


def main() -> int:
    """The figures as text; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=Path, nargs="*", default=[])
    parser.add_argument("--no-trees", action="store_true")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0, help="so many cases only")
    asked = parser.parse_args()
    made = cases(asked.seed)
    if asked.sample:
        made = random.Random(asked.seed).sample(made, asked.sample)
    figures: dict[str, tuple[int, int]] = {}
    leaks = [case for case in made if is_leak(case)]
    for group in LEAKS_ALLOWED:
        figures[group] = (sum(c.group == group for c in leaks), sum(c.group == group for c in made))
    for case in leaks[: asked.show]:
        print(f"    leaked, {case.group}, {case.syntax}: {case.text.strip()!r}")
    for (group, syntax), count in Counter((case.group, case.syntax) for case in leaks).most_common(asked.show):
        print(f"    {count} x {group}: {syntax}")
    said = sayings()
    touched = [line for line in said if mask_typed(f"{line}\n").data != f"{line}\n".encode()]
    figures["sayings"] = (len(touched), len(said))
    for line in touched[: asked.show]:
        print(f"    touched: {line}")
    for name in BY_OTHERS:
        with_secret, without = by_others(name)
        changed = [case for case in without if masked_of(case) != case.text.encode()]
        figures[f"others ({name})"] = (sum(map(is_leak, with_secret)), len(with_secret))
        figures[f"lines of others ({name})"] = (len(changed), len(without))
    if not asked.no_trees:
        total = Touched()
        for folder in [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib")), *asked.trees]:
            one = measure(folder, asked.show)
            share = one.touched / max(one.lines, 1)
            print(
                f"  {one.touched} of {one.lines} lines ({share:.4%}), "
                f"{one.cpu_s / max(one.size_bytes, 1) * 1e9:.0f} ns/B: {folder}"
            )
            total.lines, total.touched = total.lines + one.lines, total.touched + one.touched
            total.cpu_s, total.size_bytes = total.cpu_s + one.cpu_s, total.size_bytes + one.size_bytes
        figures["ordinary lines"] = (total.touched, total.lines)
    missed = 0
    if not asked.no_trees:
        ms_per_kb = total.cpu_s / max(total.size_bytes, 1) * 1_024e3
        missed += ms_per_kb > MOST_MS_PER_KB
        word = "MISSED" if ms_per_kb > MOST_MS_PER_KB else "ok"
        print(f"{'ms a KB':16} {ms_per_kb:.2f}, at most {MOST_MS_PER_KB}: {word}")
    for name, (count, of) in figures.items():
        share = count / max(of, 1)
        is_missed = share > TARGETS[name]
        missed += is_missed
        word = "MISSED" if is_missed else "ok"
        print(f"{name:26} {count} of {of} ({share:.3%}), at most {TARGETS[name]:.1%}: {word}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
