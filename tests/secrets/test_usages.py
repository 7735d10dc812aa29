"""What code uses as a password is masked, and what only stands in such code is not."""

from __future__ import annotations

import pytest

from helix_core.secrets.masking import mask, mask_typed


def _halves(text: str) -> tuple[str, list[str]]:
    """Return the text without its brackets, and what stood in them."""
    first, *rest = text.split("⟦")
    parts = [one.split("⟧") for one in rest]
    return first + "".join(part for pair in parts for part in pair), [secret for secret, _ in parts]


@pytest.mark.parametrize(
    "text",
    [
        'ks.load(in, "⟦Sunflower2019⟧".toCharArray());',
        'ks.load(new FileInputStream("a.jks"), "⟦sunflower⟧".toCharArray());',
        'new PBEKeySpec("⟦Sunflower2019⟧".toCharArray(), salt, 1000, 256)',
        'auth.inMemoryAuthentication().withUser("joe").password("{noop}⟦Sunflower2019⟧").roles("USER");',
        '<user name="joe" password="{noop}⟦koffie⟧" authorities="ROLE_USER" />',
        'Jwts.builder().signWith(SignatureAlgorithm.HS256, "⟦Sunflower2019abcXyz⟧").compact()',
        'Algorithm.HMAC256("⟦Sunflower2019⟧")',
        'bcrypt.hashpw(b"⟦Sunflower!2019⟧", salt)',
        'bcrypt.hashpw("⟦sunflower⟧".encode(), bcrypt.gensalt())',
        'await bcrypt.compare("⟦Sunflower2019⟧", hash)',
        'password_hash("⟦Sunflower2019⟧", PASSWORD_DEFAULT)',
        'generate_password_hash("⟦sunflower⟧")',
        'pyotp.TOTP("⟦MFRGGZDFMZTWQ2LK⟧")',
        "oathtool --totp -b ⟦MFRGGZDFMZTWQ2LK⟧",
        "totp_seed: ⟦MFRG GZDF MZTW Q2LK⟧",
        'child.expect("assword:")\nchild.sendline("⟦Sunflower!2019⟧")\n',
        "child.expect('Password: ')\nchild.sendline('⟦sunflower⟧')\n",
        'expect {\n  "*?assword:*" { send "⟦sunflower⟧\\r" }\n}',
        'tn.read_until(b"Password: ")\ntn.write(b"⟦Sunflower2019⟧\\n")',
        'if user == "admin" and entered == "⟦Sunflower!2019⟧":',
        'if (user.equals("admin") && entered.equals("⟦Sunflower!2019⟧")) {',
        'return pwd_input == "⟦Sunflower2019⟧"',
        'if ("⟦sunflower⟧" === req.body.password) {',
        'if (!strcmp("⟦sunflower9⟧", pass))',
        'strcmp(password, "⟦sunflower9⟧") == 0',
        'accounts = [("alice", "⟦Sunflower!2019⟧"), ("bob", "⟦Moonlight#2020⟧"), ("carol", "⟦Starfish$2021⟧")]',
        'USERS = (("alice", "⟦Sunflower2019⟧"), ("bob", "⟦moonl1ght⟧"))',
        'users := [][2]string{{"alice", "⟦Sunflower!2019⟧"}, {"bob", "⟦Moonlight#2020⟧"}}',
        'LOGINS = {"alice": "⟦Sunflower!2019⟧", "bob": "⟦Moonlight2020⟧"}',
        'logins = dict(alice="⟦Sunflower!2019⟧", bob="⟦Moonlight2020⟧")',
        "credentials:\n  alice: ⟦Sunflower!2019⟧\n  bob: ⟦Moonlight2020⟧\n",
        "passphrase: |\n  ⟦correct horse battery staple⟧\nnext: 3",
        "passphrase: >-\n    ⟦correct horse⟧\n    ⟦battery staple⟧\nnext: 3",
        "basic_auth: joe:⟦Sunflower2019⟧",
        'basic_auth: "joe:⟦sunflower⟧"',
        'char password[32] = "⟦Tr0ub4dor&3kX9⟧";',
        'my_password_secure = "⟦Tr0ub4dor&3kX9⟧";',
        '$telegramToken .= "⟦2de26d38-6630-2aba-8f24-6c1a0c1319cc⟧"',
        'curl -H "heroku-token: ⟦e2afe037-fe3b-b753-3cfd-d858898016cc⟧" https://x.example/',
        'System.setProperty("OCTOPUS_TOKEN", "⟦API-94FBY6EVEMCQG20W7S3JL6SVCQ⟧")',
    ],
)
def test_what_code_uses_as_a_password_is_masked_in_a_file_and_in_a_message(text: str) -> None:
    plain, secrets = _halves(text)
    for masked in (mask(f"a = 1\n{plain}\n".encode()).text(), mask_typed(plain).text()):
        assert not [secret for secret in secrets if secret in masked]
        assert not [word for secret in secrets for word in secret.split() if len(word) > 4 and word in masked]


@pytest.mark.parametrize(
    "text",
    [
        'for (char c : "hello".toCharArray()) {',
        'char[] letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".toCharArray();',
        'users = {"alice": "admin", "bob": "editor"}',
        'users = {"name": "text", "email": "text"}',
        'accounts = [("alice", "owner"), ("bob", "viewer")]',
        "users:\n  alice: admin\n  bob: editor\n",
        "credentials:\n  provider: vault\n  region: eu-west-1\n",
        "password: |\n  The password of the user.\n  It is required.\n  See the manual.\n  Or ask.\n",
        'if user == "admin" and role == "owner":',
        'if ("password" === field.name) {',
        'if ("Bearer" == token.type) {',
        "auth: backends:Basic",
        'AUTH_BACKEND = "app.models:User"',
        "TOTP(secret)",
        'child.expect("login:")\nchild.sendline("alice")\n',
        "bcrypt.hashpw(password, salt)",
        'hashlib.new("sha256")',
        "bind -T root MouseDown1Pane select-pane -t=",
    ],
)
def test_what_only_stands_in_such_code_is_left_alone(text: str) -> None:
    assert mask(f"a = 1\n{text}\n".encode()).text() == f"a = 1\n{text}\n"


@pytest.mark.parametrize(
    "text",
    [
        "The appliance lets you in with admin and ⟦Harbor12345⟧, which the playbook must replace.",
        "// until then the snmp community is ⟦F7gh22Kz⟧",
        "Before starting put the licence key ⟦QX4T-77PL-M2ZD-KK09⟧ into the file licence.txt.",
        "At the prompt type ⟦b00t-Me-Up⟧ and press return.",
    ],
)
def test_a_line_of_a_file_that_names_what_opens_something_gives_a_secret_that_no_word_looks_like(text: str) -> None:
    plain, secrets = _halves(text)
    assert secrets[0] not in mask(f"# Notes\n\n{plain}\n".encode()).text()


@pytest.mark.parametrize(
    "text",
    [
        "how do i change the password of user svc_backup02 in postgres?",
        "Secret rotation broke worker-7f9c8d6b5-x2kqp",
        "Cannot change PIN on firmware FW2.4.1b",
        'I set the password, but docker exec says "role pg_admin1 does not exist"',
        "can we name this AuthTokenV2Serializer?",
    ],
)
def test_what_a_word_names_is_no_secret_beside_words_for_credentials(text: str) -> None:
    assert mask_typed(text).text() == text
    assert mask(text.encode()).text() == text
