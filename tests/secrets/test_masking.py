"""Nothing that looks like a secret gets past the door, and ordinary code does."""

from __future__ import annotations

import base64
import json
import random
import re
import string
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helix_core.model import Clean
from helix_core.secrets import calls as secret_calls
from helix_core.secrets import clauses as secret_clauses
from helix_core.secrets import commands as secret_commands
from helix_core.secrets import places as secret_places
from helix_core.secrets import prose as secret_prose
from helix_core.secrets.masked import Masked, marker
from helix_core.secrets.masking import holds_mask, mask, mask_typed, masked_line
from helix_core.secrets.odds import LEAST_TYPED, LEAST_WRITTEN, candidates_of, likely_secrets
from helix_core.secrets.shapes import TOKEN_CUES, TOKEN_RULES
from helix_core.secrets.values import LazyAlternatives, LazyHeaded, LazyLined, LazyLoosened, LazyPattern, loosened
from tests.secrets.regex_samples import samples

ALNUM = string.ascii_letters + string.digits


def _random(seed: int, length: int, alphabet: str = ALNUM) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=length))


def _pem(label: str, lines: int = 6, width: int = 64, seed: int = 7) -> str:
    body = base64.b64encode(random.Random(seed).randbytes(lines * width * 3 // 4)).decode()
    rows = [body[start : start + width] for start in range(0, len(body), width)]
    return "\n".join([f"-----BEGIN {label}-----", *rows, f"-----END {label}-----"])


def _secret_rows(pem: str) -> list[str]:
    return [row for row in pem.splitlines() if not row.startswith("-----")]


HEX = "0123456789abcdef"
# Tokens are put together here, so that no scanner takes this file for a leak.
TOKENS: dict[str, str] = {
    "aws-access-key": "AKIA" + _random(1, 16, string.ascii_uppercase + "234567"),
    "github-token": "ghp_" + _random(2, 36),
    "password-hash": "$6$" + _random(41, 16) + "$" + _random(42, 86),
    "gitlab-token": "glpat-" + _random(3, 20),
    "slack-token": "xoxb-" + _random(4, 12, string.digits) + "-" + _random(5, 24),
    "stripe-key": "sk_live_" + _random(6, 24),
    "google-api-key": "AIza" + _random(7, 35),
    "npm-token": "npm_" + _random(8, 36),
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + _random(9, 60),
    "sendgrid-key": "SG." + _random(10, 22) + "." + _random(11, 43),
    "twilio-key": "SK" + _random(12, 32, HEX),
    "openai-key": "sk-proj-" + _random(13, 48),
    "anthropic-key": "sk-ant-api03-" + _random(14, 80),
    "huggingface-token": "hf_" + _random(15, 34),
    "digitalocean-token": "dop_v1_" + _random(16, 64, HEX),
    "shopify-token": "shpat_" + _random(17, 32, HEX),
    "telegram-token": "123456789:AA" + _random(18, 33),
    "mailchimp-key": _random(19, 32, HEX) + "-us12",
    "linear-key": "lin_api_" + _random(20, 40),
    "grafana-token": "glsa_" + _random(21, 32) + "_" + _random(22, 8, HEX),
    "docker-token": "dckr_pat_" + _random(23, 27),
    "vault-token": "hvs." + _random(24, 90),
    "atlassian-token": "ATATT3" + _random(25, 180),
    "jwt": "eyJ" + _random(26, 30) + ".eyJ" + _random(27, 60) + "." + _random(28, 43),
    "slack-app": "xapp-1-" + _random(29, 40, string.ascii_uppercase + string.digits),
    "databricks-token": "dapi" + _random(30, 32, HEX),
    "newrelic-key": "NRAK-" + _random(31, 27, string.ascii_uppercase + string.digits),
    "discord-token": "M" + _random(32, 23) + "." + _random(33, 6) + "." + _random(34, 27),
    "discord-token of today": "O" + _random(35, 25) + "." + _random(36, 6) + "." + _random(37, 38),
}
PHRASES: dict[str, tuple[str, str]] = {
    "aws secret": ("aws_secret_access_key = {}", _random(40, 40, ALNUM + "+/")),
    "url password": ("DATABASE_URL=postgres://app:{}@db.example.org:5432/app", "kX9mP2vLq8"),
    "url password before a host in braces": ('engine = create_engine(f"postgres://app:{}@{{host}}/app")', "kX9mP2vLq8"),
    "bearer": ("Authorization: Bearer {}", _random(41, 40)),
    "basic": ('"Authorization": "Basic {}"', base64.b64encode(b"alice:kX9mP2vLq8").decode()),
    "ado connection string": ("Server=db;Database=app;User Id=sa;Password={};", "kX9mP2vLq8"),
    "libpq connection string": ("host=db user=app password={} dbname=app", "kX9mP2vLq8"),
    "azure storage": ("DefaultEndpointsProtocol=https;AccountKey={};", _random(42, 86, ALNUM + "+/") + "=="),
    "azure sas": ("https://x.blob.core.windows.net/c?sv=2020&sig={}", _random(43, 43, ALNUM) + "%3D"),
    "slack webhook": ("https://hooks.slack.com/services/{}", "T01ABCDEF/B02GHIJKL/" + _random(44, 24)),
    "npmrc": ("//registry.example.org/:_authToken={}", _random(45, 36)),
    "curl": ("curl -s -u alice:{} https://example.org", "kX9mP2vLq8"),
    "python assignment": ('SECRET_KEY = "{}"', _random(46, 50, ALNUM + "!@#^&*(-_=+)")),
    "dict entry": ("    'password': '{}',", "kX9mP2vLq8"),
    "typed attribute": ('    api_key: str = "{}"', _random(47, 32)),
    "javascript": ("const clientSecret = `{}`;", _random(48, 32)),
    "yaml": ("  db_password: {}", "kX9mP2vLq8"),
    "env": ("APP_TOKEN={}", _random(49, 32)),
    "default of a lookup": ('key = os.environ.get("SECRET_KEY", "{}")', _random(50, 32)),
    "next line": ('API_SECRET = (\n    "{}"\n)', _random(51, 40)),
    "xml": ("<password>{}</password>", "kX9mP2vLq8"),
    "comparison": ('if password == "{}":', "kX9mP2vLq8"),
    "go": ('apiKey := "{}"', _random(52, 32)),
    "command line": ("run --password={}\n", "kX9mP2vLq8"),
    "yaml pass": ("  pass: {}", "kX9mP2vLq8"),
    "json pass": ('{{"user": "bob", "pass": "{}"}}', "kX9mP2vLq8"),
    "name only in the lookup": ('x = os.environ.get("PW", "{}")', "kX9mP2vLq8"),
    "default of an environment": ('PASSWORD = os.environ.get("PW", "{}")', "kX9mP2vLq8"),
    "terraform": ('variable "db_password" {{\n  type = string\n  default = "{}"\n}}', "kX9mP2vLq8"),
    "notebook": ('{{"source": ["password = \\"{}\\"\\n"]}}', "kX9mP2vLq8"),
    "mysql": ("mysql -u root -p{}", "kX9mP2vLq8"),
    "sshpass": ("sshpass -p '{}' ssh bob@db", "sunshineSunday"),
    "docker login": ("docker login -u bob --password {} example.net", "sunshineSunday"),
    "xml pair": ('<add key="ApiSecret" value="{}"/>', _random(53, 24)),
    "xml attribute": ('<db password="{}"/>', "kX9mP2vLq8"),
    "kubernetes data": ("kind: Secret\ndata:\n  anything: {}", base64.b64encode(b"plain words").decode()),
    "kubernetes stringData": ("kind: Secret\nstringData:\n  anything: |\n    {}\ntype: Opaque", "sunshine"),
    "hex key": ('KEY = "{}"', _random(54, 64, HEX)),
    "twilio": ('Client("AC' + _random(55, 32, HEX) + '", "{}")', _random(56, 32, HEX)),
    "jdbc": ("jdbc:mysql://db/app?user=app&password={}", "kX9mP2vLq8"),
    "jdbc positional": ('getConnection("jdbc:mysql://db/app", "app", "{}")', "kX9mP2vLq8"),
    "jdbc oracle": ("jdbc:oracle:thin:app/{}@db:1521:xe", "kX9mP2vLq8"),
    "positional log-in": ('login("bob", "{}")', "kX9mP2vLq8"),
    "tuple": ('auth = ("bob", "{}")', "kX9mP2vLq8"),
    "bare pair": ('for one in [("ann", "{}"),]: try_it(one)', "kX9mP2vLq8"),
    "bare pair of a secret's name": ('X = [("api_key", "{}"), ("a_b", "c")]', "kX9mP2vLq8"),
    "bare pair with a mark": ('USERS = [("bob", "{}")]', "hunter2!"),
    "bare pair on two lines": (
        "USERS = [\n    (\n        'bob@example.org',\n        '{}',\n    ),\n]",
        "Autumn!Leaf42",
    ),
    "json array": ('{{"passwords": ["{}"]}}', "kX9mP2vLq8"),
    "said": ("the password is {} ok?", "hunter2x"),
    "said without a verb": ("wifi password {} for guests", "kX9mP2vLq8"),
    "said with a log-in": ("log in as bob with {}", "kX9mP2vLq8"),
    "said of a key": ("api key {} returns 401", _random(57, 32)),
    "said of a token": ("twilio auth token {}", _random(58, 32, HEX)),
    "said with a colon": ("the encryption key: {}", _random(59, 64, HEX)),
    "said with capitals before": ("zabbixPassword {}", "kX9mP2vLq8"),
    "toml literal block": ("[db]\npassword = '''\n{}'''", "kX9mP2vLq8"),
    "toml basic block": ('[db]\nauth_token = """\n{}\n"""', _random(60, 32)),
    "second line of a block": ('password = """\nfor the staging host:\nuse {} there\n"""', "kX9!mP2vLq8"),
    "markdown column": ("| user | password |\n|---|---|\n| ann | - |\n| bob | {} |", "kX9mP2vLq8"),
    "markdown column in code": ("| Client secret | Owner |\n| :-- | --: |\n| `{}` | bob |", _random(61, 32)),
    "markdown column without bars": ("user | token\n---|---\nbob | {}", _random(62, 32)),
    "quoted markdown column": ("> | user | password |\n> |---|---|\n> | bob | {} (old) |", "kX9!mP2vLq8"),
    "drawn table": ("+-----+----------+\n| who | password |\n+=====+==========+\n| bob | {} |", "kX9mP2vLq8"),
    "compose list": ('command: ["redis-server", "--requirepass", "{}"]', "hunter2hunter2"),
    "yaml list": ("command:\n  - redis-server\n  - --requirepass\n  - {}", "hunter2hunter2"),
    "user and password list": ("args: ['-u', 'bob', '-p', '{}']", "hunter2hunter2"),
    "sentinel": ("sentinel auth-pass mymaster {}", "hunter2hunter2"),
    "said with joined words": ("the password is {}.", "correct-horse-battery-staple"),
    "said with joined words and more": ("The passphrase is `{}` for the vault", "Walnut-Harbor-Lantern"),
    "a UUID as a token": ("snykToken = '{}'", "152d7345-2170-4b5f-a590-ec5e20af840b"),
    "a UUID as a token of YAML": ("heroku_token: {}", "9164a6f2-cfbf-442d-9637-72712c23094f"),
    "a password with brackets": ('db_password = "{}"', "hT7(wq>-_$#9x]zP"),
    "a key that looks like a template": ('if (api_key != "{}") {{', "m{{h}o)p${e]nob(ody[finds>-_$#thisone}}"),
    "a key with an equals sign": ('duffelToken = "{}"', "duffel_test_mwdcp_1598rnr=4ewwvi4dbf8zy8z2e1h90oaq6pry9"),
    "the same in an environment": ("DUFFEL_TOKEN={}", "duffel_test_mwdcp_1598rnr=4ewwvi4dbf8zy8z2e1h90oaq6pry9"),
    "hex near a keyword": ('sign(secret, x, "{}")', _random(53, 40, HEX)),
}


def _survives(secret: str, masked: bytes) -> bool:
    """Is any fragment of more than six bytes left?"""
    return any(secret[start : start + 7].encode() in masked for start in range(max(1, len(secret) - 6)))


def _assert_shape(before: bytes, masked: Masked) -> None:
    assert len(masked.data) == len(before)
    assert [at for at, byte in enumerate(masked.data) if byte == 10] == [
        at for at, byte in enumerate(before) if byte == 10
    ]


@pytest.mark.parametrize("kind", sorted(TOKENS))
@pytest.mark.parametrize(
    "frame", ["{}", 'x = "{}"\r\n', "# see {} there", "\xe9\xff {} \xe9", "a,{},b", "([{}])", "{{'k':'{}'}}"]
)
def test_a_token_is_masked_wherever_it_stands(kind: str, frame: str) -> None:
    token = TOKENS[kind]
    data = frame.format(token).encode("latin-1")
    masked = mask(data)
    assert not _survives(token, masked.data), masked.data
    assert masked.findings
    _assert_shape(data, masked)
    assert mask(masked.data).findings == ()


@pytest.mark.parametrize("phrase", sorted(PHRASES))
def test_a_secret_is_masked_by_what_is_said_of_it(phrase: str) -> None:
    frame, secret = PHRASES[phrase]
    data = f"before = 1\n{frame.format(secret)}\nafter = 2\n".encode()
    masked = mask(data)
    assert not _survives(secret, masked.data), masked.data
    assert masked.data.startswith(b"before = 1\n") and masked.data.endswith(b"\nafter = 2\n")
    _assert_shape(data, masked)
    assert mask(masked.data).findings == ()


CHOSEN = {
    "pepperJar_31": "STORE_PASSWORD={}",
    "marbleStair_3": "      - POSTGRES_PASSWORD={}",
    "lanternFish-2": '  postgresPassword: "{}"',
    "larkspur.Nine9": '\tPassword: "{}",',
    "sundialRose7": "default_pass = {}",
    "inkWell-9921": 'Module required username="svc" password="{}";',
    "flintArrow_19": 'const DB_PASS: &str = "{}";',
    "copper Kettle 5": 'password="{}"',
    "tidePool_30": "password: process.env.PW || '{}',",
    "nutmegStar_12": 'DriverManager.getConnection(url, "app", "{}");',
    "emberGlow_81": "requests.get(url, auth=('svc', '{}'))",
    "heronLake_88": "INSERT INTO users (name, password) VALUES ('bob', '{}');",
    "slateHarbor3": "machine git.example.net\nlogin ci\npassword {}",
    "fernGully_27": "db.example.net:5432:shop:shopuser:{}",
    "walnutShell66": "user alice on >{} ~* +@all",
    "cloverField12": "mc alias set s3 http://minio:9000 minioadmin {}",
    "elmGrove!55": "net use Z: \\\\srv\\share /user:example\\bob {}",
    "quartzVein_4": "poetry config http-basic.example ci {}",
    "pewterMug42": "createUser bob SHA {} AES $KEY",
    "basaltCove7": "enable secret 0 {}",
    "topazRidge_5": ': PSK "{}"',
    "harborMist61": 'BUNDLE_GEMS__EXAMPLE__NET: "ci:{}"',
    "nutmeg.Star1": 'connect("jdbc:mysql://db/shop?user=app&password={}");',
    "beachPlum89": '#define MQTT_PWD "{}"',
    "2b7e1516-28ae-d2a6-abf7-158809cf4f3c": "      CODECOV_TOKEN: {}",
    "crispApple91": "psql says auth failed, i use password {} for shop_user",
    "lemonTwist_4": "my pw is {} can you log in and look",
    "mintLeaf#20": "I set the admin password to {} yesterday",
    "oliveBranch5": "use basic auth admin:{} against the endpoint",
    "apfelBaum_22": "Das Passwort ist {}",
    "hunterGreen_41": "i typed {} as password and it was refused",
    "peatBog_55": "Login with `admin` / `{}` on staging.",
    "falconAnvil69": "logged in as bob with {} and nothing came",
}


@pytest.mark.parametrize("secret", sorted(CHOSEN))
def test_words_with_a_number_are_a_password_where_one_is_given(secret: str) -> None:
    data = f"before = 1\n{CHOSEN[secret].format(secret)}\nafter = 2\n".encode()
    masked = mask(data)
    assert not _survives(secret, masked.data), masked.data
    _assert_shape(data, masked)
    assert mask(masked.data).findings == ()


TYPED = """
The prod password is <Tr0ub4dor&3xyz>
pw <hunter2hunter2>
set DB_PASS to <s3cr3t-Horse>
password: <hunter2>
password = <hunter2>
the passphrase for the backup is "<purple monkey dishwasher>"
the passphrase is “<purple monkey dishwasher>”
passphrase: <purple monkey dishwasher>
the wifi password is <correct horse battery staple>
the password is '<open sesame>'
Authorization: Bearer <3f786850e387550fdab836ed7e6dc881de23001b>
Authorization: Bearer <0123456789abcdef0123456789abcdef01234567>
admin PIN is <4711>
PIN: <90210>
the pin for the door is <4711>
the door code is <5591#>
2FA backup code: <8f3k-29dk>
recovery code <7KQ2-M4XD-99AB>
login with admin / <Winter2024!>
my token: <deadbeefcafe4242>
credentials <bob:Passw0rd1>
login: bob <Passw0rd1>
ftp login bob/<hunter22>
admin:<Winter2024> on the staging box
you can use <Winter2024!> to log in
I changed the password from <oldpass1> to <newpass2>
wifi: <GuestNet!77> (password)
Password (staging): <apple77>
the password for the staging server is now <apple77>
- **Password:** `<apple77>`
Password of root = <apple77>
the password is <19840321>
das Passwort ist <Sommer2024>
Das Passwort lautet <geheim99>
la contraseña es <verano22>
le mot de passe est <Soleil75>
la password è <gatto123>
пароль: <kotik77>
パスワードは<sakura123>です
パスワード：<neko2024>
密码是<abc12345>
数据库密码为<Root@2023>
비밀번호는 <gkstkfkd1>
暗証番号は<4711>
btw the jenkins password got changed, it's <butterfly22> now
the password, by the way, is <Kiwi2020>
postgres password still <build4Ever>
rdp to win7, user bob, pass <build4Ever>
wifi: Office5G / <Tunnel#77>
unlock the keystore with <Report2024!>
<Vault9Door> is our staging password
enter <Vault9Door> when asked for a password
Password? <Vault9Door>
the old password (<Vault9Door>) still works
my PIN's <9931>
le mdp est <Secure55x>
you can get in with <Lighthouse31>, that's the password
is <Lighthouse31> still the right password?
admin password, do not share: <Lighthouse31>
The PIN to unlock my laptop is <7392>
the pin was changed to <7392>
disk encryption passphrase: <seven quiet rivers sing>
the admin password is simply <swordfish>
"""


@pytest.mark.parametrize("line", [line for line in TYPED.splitlines() if line])
def test_what_a_person_types_as_a_password_is_masked(line: str) -> None:
    secrets = re.findall("<(.*?)>", line)
    data = f"before = 1\n{line.replace('<', '').replace('>', '')}\nafter = 2\n".encode()
    masked = mask(data)
    assert secrets and not any(_survives(secret.rpartition(":")[2], masked.data) for secret in secrets), masked.data
    masked.data.decode()
    _assert_shape(data, masked)
    assert mask(masked.data).findings == ()


WORDS = """
DB_PASSWORD = "⟦sunshine⟧"
password: "⟦krokodil⟧",
const password = '⟦butterfly⟧';
define( 'DB_PASSWORD', '⟦lolli pop 99⟧' );
define( 'AUTH_KEY', '⟦|x3$Wq}8 -u^mZ!k⟧' );
props.setProperty("mail.password", "⟦lighthouse⟧");
user.set_password('⟦glockenblume⟧')
set :session_secret, '⟦lange nacht der wölfe⟧'
password = '''⟦cinnamon⟧'''
<password>⟦zitronenfalter⟧</password>
<property name="connection.password">⟦wiesenklee⟧</property>
export DB_PASS=⟦gipfelkreuz⟧
PGPASSWORD=⟦whisky⟧ psql -h db
run --http-password=⟦bilderrahmen⟧ --verbose
gpg --batch --passphrase '⟦zwei kleine Wölfe⟧' -d a.gpg
terraform apply -var="db_password=⟦sonnenblume⟧"
bindpw ⟦verzeichnis22⟧
{"user":"eva","pass":"⟦flusspferd⟧"}
login attempt user=karl password=⟦apfelmus⟧ ip=10.0.0.4
GET /login?user=karl&pwd=⟦pflaumenmus⟧ HTTP/1.1
vault kv put secret/shop user=shop pass=⟦bernstein-zimmer⟧
mount -o username=hans,password=⟦platten-spieler⟧,vers=3.0
{"user"=>"karl", "password"=>"⟦quittenmus⟧"}
Credentials(username='svc', password='⟦weissdorn⟧', realm=None)
<p>Benutzername: <b>gast</b><br>Passwort: <b>⟦hoteltraum⟧</b></p>
server.login("news@example.org", "⟦ahorn-blatt⟧")
requests.get(url, auth=("svc-report", "⟦Pumpernickel7⟧"), timeout=30)
DBI->connect("dbi:mysql:shop;host=db2", "shop", "⟦w1nter.zeit⟧", { RaiseError => 1 });
sql.Open("mysql", "app:⟦himbeersaft⟧@tcp(db:3306)/shop")
jwt.sign({ sub: user.id }, '⟦dev-only-sssh-42⟧', { expiresIn: '1h' });
cy.get('#password').type('⟦mauersegler⟧')
twine upload -u __token__ -p ⟦geheimrat.ecke⟧ dist/*
htpasswd -b -c .htpasswd karl ⟦kuckucks1uhr⟧
net user helpdesk ⟦papierflieger⟧ /add
sudo -S reboot <<< "⟦zuckerwatte⟧"
snmpwalk -v3 -l authPriv -u ops -a SHA -A ⟦wasserwaage⟧ 10.0.0.9
const SIGNING_SALT: &[u8] = b"⟦8f!kd0_zzPq⟧";
wrong password '⟦holunder⟧'
The default login is `admin` with password `⟦wanderschuh⟧`.
mein passwort lautet ⟦gartenzwerg⟧, warum kommt 403?
le mot de passe c'est ⟦tournesol42⟧ et alors
try it with ⟦papagei77⟧ – that's the admin password
* admin@example.org / ⟦schnecken-tempo⟧
creds are root:⟦fishsticks⟧ on the jump host
"""


def _unmarked(line: str) -> tuple[str, str]:
    """Return a line without the marks around its secret, and the secret."""
    secret = line.partition("⟦")[2].partition("⟧")[0]
    return line.replace("⟦", "").replace("⟧", ""), secret


@pytest.mark.parametrize("line", [line for line in WORDS.splitlines() if line])
def test_words_are_masked_where_only_a_password_can_stand(line: str) -> None:
    text, secret = _unmarked(line)
    data = f"before = 1\n{text}\nafter = 2\n".encode()
    masked = mask(data)
    assert secret and not _survives(secret, masked.data), masked.data
    _assert_shape(data, masked)
    assert mask(masked.data).findings == ()


WORD_TABLES = {
    "semicolons": "Benutzer;Kennwort;Rolle\nadmin;{};alles\n",
    "tabs": "login\tpasswort\tort\nhmeier\t{}\tBonn\n",
    "below other text": "Dump:\n\nid,name,password\n1,Anna,{}\n",
    "psql": " id | username | password\n----+----------+----------\n  1 | root     | {}\n(1 row)\n",
    "latex": "Host & User & Password \\\\ \\hline\ndb1 & root & {} \\\\\n",
    "mediawiki": "! Host !! User !! Password\n|-\n| db1 || root || {}\n",
    "aligned": "Service   Account     Password\n--------  ----------  ----------\nmailgun   postmaster  {}\n",
    "html": "<tr><th>Login</th><th>Password</th></tr>\n<tr><td>admin</td><td>{}</td></tr>\n",
    "a pair in a cell": "| Service | Credentials |\n|---|---|\n| wiki | admin / {} |\n",
}


@pytest.mark.parametrize("table", sorted(WORD_TABLES))
def test_words_below_the_header_of_a_password_are_masked(table: str) -> None:
    data = WORD_TABLES[table].format("krokodil").encode()
    masked = mask(data)
    assert b"krokodil" not in masked.data
    _assert_shape(data, masked)
    assert len(masked.findings) == 1 and mask(masked.data).findings == ()


WRITTEN_IN_CHATS = """
my password is ⟦dolphin⟧ and it wont let me in
the passphrase is ⟦moss on old stones⟧
i changed teh passwrod to ⟦kekskrümel9⟧ and now nothing conects
pw ⟦honeymoon⟧
use ⟦waterfall⟧ as the password
user eva pass ⟦sandwich⟧
its the same pw as always, ⟦rumpelstilz⟧, just try it
Secret is "⟦all cats are grey⟧" without the quotes
das pw hat sich geändert, jetzt ⟦bratapfel⟧
password ⟦zuckerhut⟧ doesnt work anymore?
"⟦raspberry⟧" is the password, without quotes
<eva> whats the root pw\\n<karl> ⟦mauersegler⟧
The preshared key was changed on Friday. New one: ⟦zaun-koenig-8⟧. Please roll out.
password: the usual one with a 3 -> ⟦apfelsine3⟧
your initial password is\\n    ⟦Willkommen.77⟧\\nPlease change it.
"""


@pytest.mark.parametrize("line", [line for line in WRITTEN_IN_CHATS.splitlines() if line])
def test_what_a_person_writes_of_a_password_in_a_chat_is_masked(line: str) -> None:
    text, secret = _unmarked(line.replace("\\n", "\n"))
    masked = mask_typed(text)
    assert not _survives(secret, masked.data), masked.data
    _assert_shape(text.encode(), masked)
    assert mask_typed(masked.text()).data == masked.data


TOLD_IN_CHATS = """
the password is wrong, so nothing works
the password is visible in the logs
is the password check case sensitive?
how does the password reset work
Support callable passwords for credential refresh on reconnect
The --username and --password options can't be used for this
only pass to `describe` when it is available
first pass to describe the implementation
tests didn't pass again
displaying a password dialog. I have not figured out how
"Confirm password" 필드 아래에 이 오류를 쉽게 표시할 수 있습니다.
the username and password provide only a limited protection
Cookies are signed in app/sessions.py:6-8.
"""


@pytest.mark.parametrize("line", [line for line in TOLD_IN_CHATS.splitlines() if line])
def test_what_a_person_writes_about_passwords_is_left_alone(line: str) -> None:
    assert mask_typed(line).data.decode() == line


WITHOUT_BLANKS = """
网关用端口8000
備份每天凌晨3点运行
v2のAPIは廃止されました
我们用Postgres15
超时设为30秒
日志保留90天
部署在us-east-1区域
缓存用Redis7，过期时间600秒
バックアップは毎日3時に実行する
タイムアウトは30秒です
Python3.11を使う
ポート8080で待ち受ける
テストはpytest-8で動かす
決済サービスはv3に移行した
포트는8000번을쓴다
백업은매일3시에실행된다
我们在2024年迁移到K8s
发布分支是release/2.4
主键用UUIDv7
TLS1.3以上必須
エラーコードE1001は再試行する
用户表有12个字段
接口返回JSON，最多100条
重试3次后放弃
最大連接數是200
文件上限10MB
ログは7日間保存
CIはubuntu-22.04で動く
พอร์ตเกตเวย์คือ8000
每个worker处理4个任务
「retry_limit」は5です
网关用端口８０００
h2协议默认开启
密码用SHA256加密
密码必须用Argon2id哈希
密码重置链接30分钟后失效
パスワードのハッシュにbcrypt12を使う
비밀번호는8자이상이다
"""


@pytest.mark.parametrize("line", [line for line in WITHOUT_BLANKS.splitlines() if line])
def test_a_sentence_of_a_script_without_blanks_is_no_password_for_its_digits(line: str) -> None:
    assert mask_typed(line).data.decode() == line


PASSWORDS_WITHOUT_BLANKS = """
パスワードは⟦sakura123⟧です
パスワード⟦sakura2024⟧で入る
密码是⟦abc12345⟧
密码⟦Tr0ub4dor&3x⟧
비밀번호⟦hunter2024⟧다
网关⟦Xk9$mQ2!vL7p⟧
⟦Xk9$mQ2!vL7p⟧です
令牌⟦ghp_0123456789abcdefghijABCDEFGHIJ012345⟧
"""


@pytest.mark.parametrize("line", [line for line in PASSWORDS_WITHOUT_BLANKS.splitlines() if line])
def test_a_password_in_a_sentence_without_blanks_is_masked_alone(line: str) -> None:
    text, secret = _unmarked(line)
    masked = mask_typed(text)
    assert not _survives(secret, masked.data), masked.data
    _assert_shape(text.encode(), masked)
    assert masked.text().startswith(line.partition("⟦")[0])
    assert masked.text().endswith(line.partition("⟧")[2])
    assert mask_typed(masked.text()).data == masked.data


ORDINARY_BLOCKS = {
    "fields of a schema": '"Password": {\n  "maxLength": 104,\n  "pattern": "^.+$"\n}\n',
    "a list of names": "names = [\n    'password',\n    'hostport',\n    'curlopt_put',\n]\n",
    "more names": 'fields = ("username", "password", "message")\n("splitpasswd",\n "splitport")\n',
    "types": "class Protection:\n    password: Incomplete\n    user: Incomplete\n    salt: Incomplete\n",
    "names of a program": "user = wort\npassword = losung\nconnect(user, losung)\n",
    "a module": "if hasattr(pwd, 'getpwuid'):\n    # Catch pwd.getpwuid() for bpo-10496\n    pass\n",
    "a loop": "for user, password := range accounts {\n",
    "two columns": "  detect-secrets        Apache-2.0\n  shellingham           ISC\n",
    "a doctest": "    ...     except ValueError:\n    ...         pass\n    1.52588e-05           1.41691e-09\n",
    "an annotation": "root: CompleteDirs\nadmin: Pathological\n",
    "a definition": 'def load_default_credentials(*, extra: str = "vertex"): ...\n',
    "a pointer": "memcpy(pwd->homedir, pw.pw_dir, size);\n",
    "a sum": "cmd = 'ACCT ' + password\n",
    "a comparison": 'name = "password" if driver == "pymysql" else "passwd"\n',
    "two names": 'user, password = "wile", ""\n',
    "a mapping in a call": "connect('amqps://broker', ssl={'keyfile': '/a/b', 'cert': '/a/c', 'ca_certs': '/a'})\n",
    "users with numbers": 'router.Use(gin.BasicAuth(gin.Accounts{\n"foo":    "bar",\n"austin": "1234",\n}))\n',
    "names of a language": "    'VbNetLexer': ('VB.net', ('vb.net', 'vbnet', 'lobas', 'oobas'), ('*.vb',)),  # pass\n",
    "a form": '<input type="password" name="pw">\n<input type="submit" value="Register">\n',
}


@pytest.mark.parametrize("block", sorted(ORDINARY_BLOCKS))
def test_ordinary_lines_beside_names_of_passwords_are_left_alone(block: str) -> None:
    assert mask(ORDINARY_BLOCKS[block].encode()).data.decode() == ORDINARY_BLOCKS[block]


SAID_OF_PASSWORDS = """
The password is required.
the password is required, and a token is returned
A token is returned on success.
the key is the name of the file
set PASSWORD to the value of the field
password: string
- `password`: the password of the user
the PIN is four digits
PIN: 4 digits, set by the bank
connect the LED to pin 13
The error code is 4711.
the password is "too short"
the password is `None`
the password is 'not set'
the password is correct and the user exists and signs in
passphrase: used for the encryption of the backup
the password is hashed with sha256
password must be at least 8characters long
The password should be base64 encoded.
passwords are stored as PBKDF2 hashes, see RFC2898
the token is valid for 30days
login with user/password or with OAuth2
log in with your account and see step2
user: bob / group: staff
credentials: read from ~/.aws/credentials
root:x:0:0:root:/root:/bin/bash
password for the key store: see keystore.p12
das Passwort ist erforderlich
Passwort: Pflichtfeld
la contraseña es obligatoria
パスワードは8文字以上です
密码长度为8到16位
The password is given.
the password was built in, and is global
the old password (see above) still works
unlock the file with flock2 or with a lock file
it is encrypted with AES256 or with chacha20
Add two-factor login (#1234)
Bump password-hash from 2.0.1 to 2.0.2
"""


@pytest.mark.parametrize("line", [line for line in SAID_OF_PASSWORDS.splitlines() if line])
def test_a_sentence_about_passwords_is_left_alone(line: str) -> None:
    assert mask(f"{line}\n".encode()).data.decode() == f"{line}\n"


@pytest.mark.parametrize(
    "label", ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_private_key_is_masked_line_by_line(label: str, newline: str) -> None:
    pem = _pem(label)
    data = f"x = 1\n{pem}\ny = 2\n".replace("\n", newline).encode()
    masked = mask(data)
    assert not any(_survives(row, masked.data) for row in _secret_rows(pem))
    assert f"-----BEGIN {label}-----".encode() in masked.data and masked.data.endswith(f"y = 2{newline}".encode())
    _assert_shape(data, masked)
    assert {finding.kind for finding in masked.findings} == {"private-key"}
    assert mask(masked.data).findings == ()


@pytest.mark.parametrize(
    "frame",
    ['SECRET = "{}" + "{}"', 'SECRET = (\n    "{}"\n    "{}"\n)', "$secret = '{}' . '{}';", 'secret = "{}" ..\n  "{}"'],
)
def test_both_halves_of_a_split_literal_are_masked(frame: str) -> None:
    secret = _random(60, 40)
    masked = mask(frame.format(secret[:20], secret[20:]).encode())
    assert not _survives(secret[:20], masked.data) and not _survives(secret[20:], masked.data), masked.data
    assert mask(masked.data).findings == ()


def test_a_secret_far_from_any_other_text_keeps_its_place() -> None:
    filler = b"value = compute(1)\n" * 400
    lines = [frame.format(secret).encode() for frame, secret in PHRASES.values()]
    data = filler + filler.join(line + b"\n" for line in lines) + filler
    masked = mask(data)
    _assert_shape(data, masked)
    assert masked.data.startswith(filler) and masked.data.endswith(filler)
    for frame, secret in PHRASES.values():
        assert not _survives(secret, masked.data), frame


def test_a_private_key_cut_off_at_either_end_is_masked() -> None:
    pem = _pem("RSA PRIVATE KEY", lines=10)
    rows = pem.splitlines()
    for part in (rows[:7], rows[4:], rows[:2]):
        masked = mask("\n".join(part).encode())
        assert not any(_survives(row, masked.data) for row in _secret_rows("\n".join(part)))


def test_a_private_key_inside_a_literal_is_masked() -> None:
    pem = _pem("RSA PRIVATE KEY")
    rows = _secret_rows(pem)
    on_one_line = 'KEY = "' + pem.replace("\n", "\\n") + '"\nafter = 1\n'
    quoted = "KEY = (\n" + "".join(f'    "{row}\\n"\n' for row in pem.splitlines()) + ")\nafter = 1\n"
    commented = "".join(f"# {row}\n" for row in pem.splitlines()) + "after = 1\n"
    for text in (on_one_line, quoted, commented, pem.replace("\n", "\n    ")):
        masked = mask(text.encode())
        assert not any(_survives(row, masked.data) for row in rows), masked.data
        _assert_shape(text.encode(), masked)
        if "after" in text:
            assert masked.data.endswith(b"after = 1\n")


def test_code_that_only_speaks_of_key_markers_is_left_alone() -> None:
    text = b'BEGIN = "-----BEGIN PRIVATE KEY-----"\ndef is_key(text):\n'
    text += b'    return text.startswith(BEGIN)\nEND = "-----END PRIVATE KEY-----"\n'
    assert mask(text).data == text


ORDINARY = """
NAMES = [("Terminal", "Terminal256"), ("charset", "iso-8859-1"), ("cmdwinheight", "cmdwinheight")]
WORKERS = (("GunicornWebWorker", "GunicornUVLoopWebWorker"), ("ai", "5 + 2 is 7"), ("utf-8", "surrogatepass"))
CASES = [("input", "HelloWorld1"), ("model", "gpt-4o-mini"), ("snake_case", "CamelCase2")]
CASES = [("fen", "e4e5Nf3"), ("id", "Q42#Item_1"), ("inputs", "HelloWorld1"), ("Key2", "kX9mP2vLq8")]
password = None
token = request.headers["x"]
SECRET_KEY_FALLBACKS = []
token = get_token(request)
self.password = password
password: str = Field(...)
token: Optional[str] = None
def login(username, password, token=None): ...
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = "django.contrib.auth.password_validation"
CSRF_HEADER_NAME = "HTTP_X_CSRFTOKEN"
password = "changeme"
password = "password"
token = "<your-token>"
api_key = "YOUR_API_KEY"
api_key = "xxxxxxxxxxxxxxxxxxxx"
secret = "${APP_SECRET}"
secret = "{{ vault.secret }}"
secret: $SECRET
token = os.environ["GITHUB_TOKEN"]
token_url = "https://example.org/oauth/token"
password_reset_template = "registration/password_reset_form.html"
error = "Please enter your password again"
password_label = "password1"
integrity = "sha512-4RfzGbQMx0Vv8rW9e5pSgn0Zo6t1Vq0cU5JzYQx9d0aHqk8Vt1q3rQ=="
commit = "4c0b8a2f1e6d7c9b3a5f8e2d1c0b9a8f7e6d5c4b"
id = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
postgres://user:password@localhost/db
postgres://{user}:{password}@{host}/db
postgres://$USER:$PASSWORD@host/db
https://user:pass@example.org/
Authorization: Bearer <token>
headers = {"Authorization": f"Bearer {token}"}
export TOKEN=$(cat file)
const tokenType = TokenType.Identifier;
let secretKey = config.secretKey;
publicKeyToken="b03f5f7f11d50a3a"
password = getpass.getpass("Password: ")
token = self.next_token()
password = kwargs.pop("password", None)
pass  # nothing to do in v2.1.3
status: pass
password: ${{ secrets.DB_PASSWORD }}
"token": process.env.GITHUB_TOKEN,
password: "***"
DB_PASSWORD=<your-password>
api_key = "<api-key>"
mysql -u root -p
mysql -u root -p$PASSWORD app
mysql -u root -p"${MYSQL_ROOT_PASSWORD}" < dump.sql
docker login --username bob --password-stdin registry.example.net
sshpass -p "$PW" ssh host
def connect(host: str, password: Optional[str] = None, token: str = "") -> Client:
assert response.json()["token"] is not None
The password must have 8 characters, of which one is a digit.
the token sha256 is computed over base64
API keys are 32 characters long, see RFC6749.
log in with your user name and e-mail
Use `authenticate(user, password)` to log in as user1 with the test client
key = "cache:users:2024-01-01"
ForeignKey("unitable1.col2_id")
<input type="password" name="password1" value="">
("access_token", "refresh_token_v2")
self.tokens = (0..pad_length)
grant_type: rfc8693#section-2.1
<https://example.org/wiki/Secret_key#Section2>
key = "some-ordinary-kebab-case-identifier"
The password is case-sensitive.
The password is user-supplied, and the passphrase is read-from-environment-variable.
the password is a machine-generated value
The password is server-side-generated on first start
the token is long-lived and re-used-by-design
--bypass db1.example.org --compass north-east-2
redis-server --requirepass $REDIS_PASSWORD
["redis-server", "--requirepass", "${REDIS_PASSWORD}"]
deploy -u bob -p 8080
password_field = "loginForm.password_2"
password = "Password must contain 8"
the password is checked by pbkdf2Hasher before TokenView is shown
connect(host, "serviceName", timeout=3)
passwordInput2 = find("password2")
port, userid, password, vhost, transport = fields_of(info)
def connect(port, userid, password, vhost, transport):
parse_password(user.form_2, schemaV2)
"""


@pytest.mark.parametrize("line", [line for line in ORDINARY.splitlines() if line])
def test_ordinary_code_is_left_alone(line: str) -> None:
    assert mask(f"{line}\n".encode()).data.decode() == f"{line}\n"


ORDINARY_TABLES = """
| Token | Meaning | Example |
|---|---|---|
| `IDENT` | a name | `utf8_decode2` |
| `STRING` | quoted text | "x1" |
| NUMBER | 0x1F | 12345678 |

| Option | Password | Token type |
|--------|----------|------------|
| --user | required | oauth2-bearer |
| --anon | no | sha256 |

| Setting | Secret name | Credentials |
|:--|:--|:--|
| db | app-db-prod-1 | see vault://kv/app |
"""


def test_ordinary_tables_are_left_alone() -> None:
    assert mask(ORDINARY_TABLES.encode()).data.decode() == ORDINARY_TABLES


def test_more_than_twenty_kinds_are_known() -> None:
    assert len({rule.kind for rule in TOKEN_RULES}) > 40


def test_a_secret_that_crosses_any_border_is_found_before_text_is_cut() -> None:
    token = TOKENS["github-token"]
    data = f"a = 1\nb = '{token}'\nc = 3\n".encode()
    masked = mask(data)
    for border in range(len(data)):
        assert not _survives(token, (masked.text(0, border) + masked.text(border)).encode())


def test_text_that_is_not_utf8_becomes_text_all_the_same() -> None:
    text = mask(b"caf\xe9 = 1\n").text()
    assert isinstance(text, Clean)
    assert text == "caf\ufffd = 1\n"


@pytest.mark.parametrize("kind", ["secret", "url-password", "github-token", "private-key"])
def test_a_mask_is_as_long_as_its_secret_and_a_reader_sees_where_it_ends(kind: str) -> None:
    for length in range(3, 80):
        made = marker(kind, length).decode()
        assert len(made) == length
        assert made[0] == "[" and made[-1] == "]" and made.count("[") == made.count("]") == 1
        assert made.startswith(f"[masked:{kind}") == (length >= len(f"[masked:{kind}]"))
        assert made.startswith("[masked:") == (length >= min(len(f"[masked:{kind}]"), len("[masked:secret]")))
        assert made.startswith("[masked") == (length >= len("[masked]"))
        assert holds_mask(f"x = {made}")
    assert [marker(kind, length) for length in range(3)] == [b"", b"*", b"**"]


def test_what_only_looks_like_a_mask_is_none() -> None:
    assert not any(map(holds_mask, ["a[0] * b[1]", "[]", "[masked", "masked]", "f(*args)", "[x*]", "**bold**"]))


def test_findings_tell_where_a_secret_was() -> None:
    data = b'x = "' + TOKENS["github-token"].encode() + b'"\n'
    masked = mask(data)
    (finding,) = masked.findings
    assert finding.kind == "github-token"
    assert data[finding.start : finding.end].decode() == TOKENS["github-token"]
    assert masked.overlaps(0, 6) and not masked.overlaps(0, 5)


@pytest.mark.slow
@pytest.mark.parametrize("phrase", sorted(name for name, (text, _) in PHRASES.items() if "\n" in text.strip()))
def test_a_lone_carriage_return_ends_a_line_as_a_line_feed_does(phrase: str) -> None:
    text, secret = PHRASES[phrase]
    given = f"before\n{text.format(secret)}\nafter\n"
    masked = mask(given.replace("\n", "\r").encode()).data
    assert not _survives(secret, masked)
    assert masked == mask(given.encode()).data.replace(b"\n", b"\r")


def test_a_text_is_masked_before_it_is_put_on_one_line_and_after() -> None:
    manifest = "kind: Secret\nstringData:\n  anything: {}\n  other: 1\n"
    assert masked_line(manifest.format("sunshine12"), 200).startswith("kind: Secret stringData: anything: [")
    assert "kX9mP2vLq8" not in masked_line("password\u2028=\u00a0kX9mP2vLq8", 200)
    assert masked_line(" a\n\t b\x1b  c \n", 200) == "a b c"
    token = TOKENS["github-token"]
    for blanks in range(4_096 - len(token) - 2, 4_097):
        assert token[:12] not in masked_line(f"a{' ' * (blanks - 200)}{chr(10) * 200}{token} b", 4_200)
    assert masked_line("x" * 5_000, 128) == "x" * 128


@pytest.mark.slow
def test_threads_do_not_disturb_each_other() -> None:
    data = "\n".join(frame.format(secret) for frame, secret in PHRASES.values()).encode()
    expected = mask(data)
    results: list[Masked] = []
    threads = [threading.Thread(target=lambda: results.append(mask(data))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


PIECES = st.one_of(
    st.sampled_from(sorted(TOKENS.values())),
    st.sampled_from([frame.format(secret) for frame, secret in PHRASES.values()]),
    st.sampled_from(
        ['password = "', "token: ", "'", '"', "\n", "\r\n", " ", "=", "://", ":", "@", "-----BEGIN PRIVATE KEY-----"]
    ),
    st.just(_pem("RSA PRIVATE KEY", lines=2)),
    st.text(max_size=12),
).map(lambda piece: piece.encode("utf-8", "surrogatepass"))


LONG_RUN = (
    b'aws_secret_access_key = D4cs9Qiw4Cb5iPND9lMh9jG14g41uWojkt0D/5nB"Authorization": "Basic YWxpY2U6a1g5bVAydkxxOA=="'
    b"aws_secret_access_key = "
    b"D4cs9Qiw4Cb5iPND9lMh9jG14g41uWojkt0D/5nBATATT3x50n2Nc7psAKhQZFXMZlwDg8NgKzljCeIFh2ckYnAIBE"
    b"FDdYrczYMCDnMvdifQ2Unj6xkJMHCsECQBw9gUzXRJLoaUqgYKcGk1q6Lez7RjwqfKRnI13ke4ukXqSQsCrXrq1rBF"
    b"arU8vDdEwFst4WwedfiKGi2PR3t384c09g1YbRVUd8ef6D"
)
"""A run that is found piece by piece: each mask lets the rest of it look like a secret."""


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@example(LONG_RUN)
@example(2 * TOKENS["telegram-token"].encode())
@example(12 * TOKENS["telegram-token"].encode())
@example(12 * (TOKENS["google-api-key"] + TOKENS["shopify-token"] + "0" + TOKENS["telegram-token"]).encode())
@given(st.lists(st.one_of(PIECES, st.binary(max_size=12)), max_size=12).map(b"".join))
def test_any_bytes_keep_their_length_and_lines_and_mask_only_once(data: bytes) -> None:
    masked = mask(data)
    _assert_shape(data, masked)
    assert mask(masked.data).data == masked.data


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(TOKENS.values())),
    st.binary(max_size=40).filter(lambda data: not data or not (chr(data[-1]).isalnum() or data[-1] in b"_-.")),
    st.binary(max_size=40).filter(lambda data: not data or not (chr(data[0]).isalnum() or data[0] in b"_-.=")),
)
def test_no_surroundings_save_a_token(token: str, before: bytes, after: bytes) -> None:
    assert not _survives(token, mask(before + token.encode() + after).data)


@pytest.mark.parametrize("kind", ["telegram-token", "google-api-key", "shopify-token", "digitalocean-token"])
def test_of_tokens_without_anything_between_none_is_left(kind: str) -> None:
    token = TOKENS[kind].encode()
    masked = mask(b"x = " + 40 * token + b"\n")
    assert not any(token[place : place + 12] in masked.data for place in range(len(token) - 12))
    assert sum(finding.end - finding.start for finding in masked.findings) == 40 * len(token)


HOSTILE = (
    b"user,password\n",
    b"a,password\nb,krokodil\n",
    b"host  user  password\n",
    b"| user | password ",
    b"<th>Password</th>",
    b"<tr><th>Password</th></tr><tr><td>krokodil</td></tr>",
    b"user=a password=krokodil ",
    b"user: a\n",
    b"password: krokodil\n",
    b"u: a\np: krokodil\n",
    b"user eva pass krokodil ",
    b"a@b.example:krokodil\n",
    b"what is the password?\n",
    b"the password, krokodil, ",
    b"the password changed. New one: a ",
    b"password -> ",
    b"sudo <<< ",
    b"--passphrase 'a b ",
    b"jwt.sign(a, '",
    b"'jdbc:a','b','c'",
    b'expect password\nsend "a',
    b"| password |\n|---|\n| a1!x9Zq |\n",
    b"|---|\n",
    b"| password ",
    b'password = """',
    b"--requirepass\n- ",
    b"the password is a-b-",
    TOKENS["telegram-token"].encode(),
    b"AIza" + b"a" * 34 + b"-",
    b"password",
    b"password = ",
    b'token = "',
    b"a.",
    b"a-",
    b"eyJaaaaaaaa.",
    b"x://a:",
    b"://",
    b"-----BEGIN PRIVATE KEY-----",
    b"-----BEGIN PRIVATE KEY-----\nAAAA\n",
    b"-----END PRIVATE KEY-----\n",
    b"A" * 64 + b"\n",
    b"secret '" + b"a1B2" * 6,
    b"secret 'a1B2c3D4e5F6g7H8i9J0k' ",
    b"secret 'a1B2c3D4e5F6g7H8i9J0k'\n",
    b'password = "hunter2x"\n',
    b"SG." + b"a" * 20 + b".",
    b"curl ",
    b"host=a user=b ",
    b'login("',
    b'secret="a"+',
    b'PASSWORD="\\',
    b"the password is a1 ",
    b"kind: Secret\n",
    b"kind: Secret\ndata:\n",
    b'"kind": "Secret"',
    b'{"kind": "Secret", "data": {',
    b'variable "token" {',
    b'name="password" ',
    b"insert into a(password) values(",
    b"mysql -p",
    b"echo ",
    b"x is the token ",
    b"password\t",
    b"password is ",
    b"the password for the ",
    b"password (",
    b"Abc9defg is a password ",
    b"unlock a with ",
    b"password, a, is ",
    b'password "',
    b"passphrase is purple monkey ",
    b"PIN 4",
    b"login: bob ",
    b"use a",
    b"(password)",
    "密码是".encode(),
    b"\\",
    b"'",
    b'users = {"a": "b1cd",',
    b"users:\n  a: b1cdefg\n",
    b"password: |\n",
    b"password: |\n\n",
    b'"assword:" send "',
    b'user == "a" and x == "',
    b'bcrypt.hash("',
    b'load("a1b2", "a".toCharArray(',
    b'basic_auth: "a:',
    b"admin uses x1Y2 ",
    b"root a\n",
)


def _cpu_seconds(data: bytes) -> float:
    began = time.process_time()
    mask(data)
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_costs_linear_time(piece: bytes) -> None:
    small, large = (piece * (size // len(piece)) for size in (5_000, 20_000))
    assert _cpu_seconds(large) < 4 * 3 * max(_cpu_seconds(small), 0.01)


COMMANDS = secret_commands._COMMANDS
ALL_COMMANDS = LazyPattern(b"|".join(source for _, source in COMMANDS.sources))


def spans_of(
    pattern: LazyPattern | LazyAlternatives | LazyHeaded | LazyLined | LazyLoosened, data: bytes
) -> list[tuple[int, int]]:
    is_whole = isinstance(pattern, LazyHeaded | LazyLined | LazyLoosened)
    found = pattern.finditer(data) if is_whole else pattern.finditer(data, 0, len(data))
    return [match.span(match.lastindex) for match in found]


@pytest.mark.parametrize("place", range(len(COMMANDS.sources)))
def test_a_command_is_found_by_the_word_that_it_must_have(place: int) -> None:
    """The word decides whether the alternative is asked at all: a wrong one would leak passwords."""
    for data in samples(COMMANDS.sources[place][1].replace(rb"\z", rb"\Z"), 30):
        assert spans_of(COMMANDS, data) == spans_of(ALL_COMMANDS, data), data


def test_alternatives_match_like_one_pattern() -> None:
    words = ((b"ab",), rb"ab(c+)"), ((b"b",), rb"b(c)"), ((b"c", b"d"), rb"(?m:^)d?(c)"), ((b"x",), rb"(x)y?")
    several = LazyAlternatives(words)
    one = LazyPattern(b"|".join(source for _, source in words))
    for data in (b"", b"abccbc", b"bcabc\ndc abc", b"XxyABC xabcc\ncc", b"c\nc"):
        assert spans_of(several, data) == spans_of(one, data), data


@pytest.mark.parametrize("place", range(len(TOKEN_RULES)), ids=[rule.kind for rule in TOKEN_RULES])
def test_every_token_has_a_match_of_its_cue(place: int) -> None:
    """Without one the file's tokens are not searched for: a wrong cue would leak them."""
    source, cue = LazyPattern(TOKEN_RULES[place].pattern), LazyPattern(TOKEN_RULES[place].cue)
    found = 0
    for token in samples(TOKEN_RULES[place].pattern, 60):
        text = b" " + token + b" "
        if source.search(text) is not None:
            assert TOKEN_CUES.search(text) is not None and cue.search(text) is not None, text
            found += 1
    assert found > 50


ASSIGNMENTS = secret_places._ASSIGNED
WHOLE_ASSIGNMENTS = ASSIGNMENTS._whole
PIECES = (
    "password",
    "secret=",
    "api_key",
    ":",
    "token(",
    "'x'",
    '"y',
    'z"',
    "=",
    "=>",
    "\n",
    "-",
    "{",
    "or",
    "key",
    "pw=",
)


@settings(max_examples=200, deadline=None, database=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", " "]))
def test_assignments_are_found_by_their_heads_as_by_the_whole_pattern(words: list[str], between: str) -> None:
    data = between.join(words).encode()
    assert spans_of(ASSIGNMENTS, data) == spans_of(WHOLE_ASSIGNMENTS, data)


GUARDED = {
    f"{module.__name__}.{name}": pattern
    for module in (secret_calls, secret_commands, secret_places, secret_prose)
    for name, pattern in vars(module).items()
    if isinstance(pattern, LazyLined | LazyLoosened | LazyHeaded)
}
MORE_PIECES = (*PIECES, "login as bob", "user: ", "with", "Zq8!kelp", "name", "value", "/", "<b>", "'db.a.org',", "--")


@pytest.mark.parametrize("name", sorted(GUARDED))
def test_a_guarded_pattern_finds_what_it_finds_without_its_guard(name: str) -> None:
    pattern = GUARDED[name]

    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(st.lists(st.sampled_from(MORE_PIECES), max_size=40), st.sampled_from(["", " "]))
    def is_same(words: list[str], between: str) -> None:
        data = between.join(words).encode()
        exact = pattern._whole if isinstance(pattern, LazyHeaded) else pattern._exact
        assert spans_of(pattern, data) == spans_of(exact, data)

    is_same()


def test_a_guarded_pattern_finds_matches_on_several_lines_and_at_their_starts() -> None:
    source = rb"(?:^|[^\w])key[a-z]{0,3}=(\w{2,4})"
    assert loosened(source) == rb"(?:^|[^\w])key[a-z]{0,}=(\w{2,})"
    for data in (b"", b"key=ab", b"x\nkey=ab key=cd\nkeys=ef\n\nkeyabcd=no\n key=gh", b"key\n=ab\nkey=a\nkey=abcdefg"):
        expected = spans_of(LazyPattern(source), data)
        assert spans_of(LazyLined(source), data) == spans_of(LazyLoosened(source), data) == expected


@pytest.mark.parametrize("is_typed", [True, False])
def test_likely_secrets_are_the_candidates_above_the_threshold(is_typed: bool) -> None:
    folder = Path(__file__).parents[2] / "fixtures" / "secrets"
    rows = [json.loads(line)["text"] for line in (folder / "built-with.jsonl").read_text("utf-8").splitlines()]
    least = round(100 * (LEAST_TYPED if is_typed else LEAST_WRITTEN))
    for text in (*rows, "\n".join(rows), "\n \n".join(rows[::-1]), " ".join(rows)):
        found = candidates_of(text.encode(), is_typed=is_typed)
        likely = [(one.start, one.end) for one in found if one.hundredths > least]
        assert list(likely_secrets(text.encode(), is_typed=is_typed)) == likely


def test_overlapping_heads_without_a_rest_cost_linear_time() -> None:
    small, large = (b"password" * size + b"=\n" for size in (2_000, 8_000))

    def seconds(data: bytes) -> float:
        began = time.process_time()
        assert spans_of(ASSIGNMENTS, data) == []
        return time.process_time() - began

    assert seconds(large) < 4 * 3 * max(seconds(small), 0.01)


def test_a_pattern_is_found_behind_heads_that_overlap() -> None:
    headed, whole = LazyHeaded(rb"(ab*)", rb"c"), LazyPattern(rb"(ab*)c")
    for data in (b"", b"abcac", b"aaaaabbbbabbbabcabac", b"ab" * 50 + b"c" + b"abb" * 9 + b"ac"):
        assert spans_of(headed, data) == spans_of(whole, data), data


@pytest.mark.parametrize(
    "text",
    [
        "Revert to the old smtp creds (mailer / ⟦p0stm4n-pat⟧) until ops rotates",
        "Tell Priya she can get in using ⟦welcome-priya-0611⟧ and has to change it right after",
        "bind to ldap with ⟦read3r-of-books⟧ as always",
        "Every visitor account gets a PIN of ⟦7139⟧.",
        "guests unlock the display by typing ⟦24680⟧.",
        "one-time password that she told me was ⟦tango seven lemon harbor⟧",
        "# sentry dsn https://⟦3f9a71c0e8d24b6fa1b2⟧@o4401.ingest.example/77",
    ],
)
def test_a_word_that_is_likely_a_secret_there_is_masked_whatever_the_wording(text: str) -> None:
    secret = text[text.index("⟦") + 1 : text.index("⟧")]
    plain = text.replace("⟦", "").replace("⟧", "")
    masked = mask_typed(plain).text()
    assert secret not in masked and len(masked) == len(plain)
    start = plain.index(secret)
    assert masked[:start] == plain[:start] and masked[start + len(secret) :] == plain[start + len(secret) :]


@pytest.mark.parametrize(
    "text",
    [
        r"net use \\files\scans ⟦krokodil⟧ /user:corp\bob",
        r"net use * \\files\scans ⟦Kestrel!9mint⟧ /user:bob",
        'client = Client("bob", "⟦Kestrel!9mint⟧")',
        'c := goftp.NewClient("ftp1:21", "mirror", "⟦Lichen!Brook5⟧")',
        'api = ZabbixAPI("https://zbx.example.org", "Admin", "⟦Fennel!Locke31⟧")',
        'err = conn.Bind("cn=admin,dc=ex,dc=org", "⟦Sundial!Perch2⟧")',
        'pw = base64.b64decode("⟦VGFtYXJpbmQhT3R0ZXI5⟧")',
        "const dbPassword = Buffer.from('⟦a3Jva29kaWwhOTk=⟧', 'base64')",
        "EXEC sp_addlogin 'etl', '⟦Drizzle#Yarn6⟧', 'master';",
        'wpa_passphrase HomeNet "⟦Gravel Marmot 52⟧"',
        r"psexec \\web2 -u corp\admin -p ⟦Kestrel.Mint4⟧ cmd /c iisreset",
    ],
)
def test_a_log_in_by_position_is_masked_in_a_file(text: str) -> None:
    secret = text[text.index("⟦") + 1 : text.index("⟧")]
    plain = text.replace("⟦", "").replace("⟧", "")
    masked = mask(f"a = 1\n{plain}\nb = 2\n".encode()).text()
    assert not any(word in masked for word in secret.split())


@pytest.mark.parametrize(
    "text",
    [
        r"net use Z: \\files\scans /persistent:yes /user:bob",
        'client = Client("bob", "users/detail_2")',
        'session = Session("GET", "application/json")',
        'client = Client("eu-west-1", "dynamodb")',
        'self.client = Client("Accept", "text/html; q=0.9")',
        'password = base64.b64decode("////AAAA////AAAA")',
        'fn.bind("click", "handleClick")',
    ],
)
def test_what_only_looks_like_a_log_in_is_left_alone(text: str) -> None:
    data = f"a = 1\n{text}\nb = 2\n".encode()
    assert mask(data).data == data


@pytest.mark.parametrize(
    "text",
    [
        "login is broken since the deploy of v2.14.3",
        "try restarting the pod payments-6d4f8b9c7-x2x8k",
        "the branch you need is feature/PAY-1142-retry",
        "model is gpt-4o-mini-2024-07-18, temperature 0.2",
        "the password hasher lives in django.contrib.auth.hashers",
        "Commit d670460b4b4a introduced the login regression",
        "The user agrees to RFC 6749 before the token is sent.",
        "To unlock the account, click on settings_page.",
    ],
)
def test_a_thing_beside_words_for_access_is_left_alone(text: str) -> None:
    assert mask_typed(text).text() == text
    assert mask(text.encode()).text() == text


@pytest.mark.parametrize(
    "line",
    [
        "    Unlike the auth blueprint, the blog blueprint does not have a",
        "    uses: docker/login-action@v4",
        "    docker run -p 8000:8000 -v data:/app --user app gateway",
        "    * deps: cookie-signature@^1.2.1",
        "    - Pin pyro4 to latest version 4.82",
        "    false # Token is malformed",
        "The token (m_vifj3mvk) is signed with Ed25519.",
    ],
)
def test_what_only_stands_beside_a_word_for_secrets_is_read_as_it_is(line: str) -> None:
    assert mask(line.encode()).data == line.encode()


def test_a_mask_is_masked_no_second_time() -> None:
    masked = mask(b'DA = "azureservicebus://DefaultAzureCredential@hostname"').data
    assert masked.count(b"[masked") == 1
    assert mask(masked).data == masked


SAID_OTHERWISE = """
hop on the vpn first, it takes «Moss&Fern22»
you get in as ubuntu with «Heron-Tulip9»
the password for the printer? it's «marigold»
he read me «582 914» over the phone and the code went through
what we typed at the password prompt was «Wolken7kuckuck»
Office router: admin and then «Blue.Kettle.91»
El pin de la puerta es «6602»
gib bei der Abfrage des Passworts «Lerche_77» ein
"""


@pytest.mark.parametrize("line", SAID_OTHERWISE.strip().splitlines())
def test_what_a_message_gives_in_any_wording_is_masked(line: str) -> None:
    before, _, rest = line.partition("«")
    secret, _, behind = rest.partition("»")
    masked = mask_typed(f"{before}{secret}{behind}")
    assert secret not in masked.text()
    assert masked.text().startswith(before.rpartition(" ")[0])
    assert mask_typed(masked.text()).findings == ()


NAMES_OF_OTHER_THINGS = """
Ich habe mein Passwort vergessen, wer kann das zurücksetzen?
la contraseña caduca cada 90 días
a senha expirou de novo
das Passwort liegt im Tresor
Tests pass to the next stage when `describe` is done
tokens are counted by cl100k and o200k
the branch of the login fix is fix/login-timeout
password reuse is the main problem
"""


@pytest.mark.parametrize("line", NAMES_OF_OTHER_THINGS.strip().splitlines())
def test_a_verb_or_a_name_beside_the_word_for_a_password_is_none(line: str) -> None:
    assert mask_typed(line).text() == line


def test_words_of_a_sentence_are_judged_once_however_often_it_names_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []
    real = secret_clauses._unusual

    def counted(data: bytes, start: int, end: int, *, is_typed: bool) -> Iterator[tuple[int, int]]:
        judged.append(start)
        return real(data, start, end, is_typed=is_typed)

    monkeypatch.setattr(secret_clauses, "_unusual", counted)
    text = b" ".join(b"password p4ss%d" % number for number in range(200))
    list(secret_clauses.in_sentences(text, is_typed=True))
    assert len(judged) <= 2 * 200


SECRET_FIXTURES = Path(__file__).parents[2] / "fixtures" / "secrets"
WAYS = [json.loads(line) for line in (SECRET_FIXTURES / "ways.jsonl").read_text("utf-8").splitlines()]
"""Templates, cookies, seed phrases, keys, anchors, addresses and log-ins; one phrase has nothing that announces it."""
UNANNOUNCED = "1. "


@pytest.mark.parametrize("row", [row for row in WAYS if not row["text"].startswith(UNANNOUNCED)])
def test_a_secret_is_masked_wherever_a_template_a_request_or_a_log_in_has_it(row: dict[str, str]) -> None:
    text, secret = row["text"], row["secret"]
    is_typed = row["kind"] in {"chat", "notes"}
    masked = (mask_typed(text) if is_typed else mask(text.encode())).text()
    assert not any(secret[at : at + 7] in masked for at in range(max(1, len(secret) - 6)))


BESIDE_SECRETS = """
cookies = {"theme": "dark-high-contrast-mode", "language": "en"}
Set-Cookie: consent=accepted; Path=/; Max-Age=31536000
session_id = request.cookies.get("session_identifier_name")
session.cookies.set("preferred_language", "portuguese-brazil")
https://example.com/search?key=previous-results-of-page&sort=updated_descending
const seedWords = ["apple", "orange", "banana"];
seed the generator with the words that you want and then run all of these tests again today please
- value: production
  name: PASSWORD_POLICY
param location string = 'westeurope'
Parameters:\n  PasswordLength:\n    Type: Number\n    Default: 20
key = base64.b64decode(encoded_value_of_header)
password: &default_password ${DB_PASSWORD}
use admin and postgres to get in
"kty": "RSA", "kid": "signing-key-of-2024"
entra con Marta y Pedro en la sala
"""


@pytest.mark.parametrize("line", BESIDE_SECRETS.strip().splitlines())
def test_what_stands_where_such_secrets_do_and_is_none_is_left_alone(line: str) -> None:
    text = line.replace("\\n", "\n")
    assert mask(text.encode()).text() == text
