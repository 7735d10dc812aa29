"""What has the form or the place of a secret is masked in what a person typed, also where it is a filler."""

import pytest

from helix_core.secrets.masking import mask, mask_typed

FILLERS = [
    ("AKC" + "x" * 10, "xxxxxxx"),
    ("X-JFrog-Art-Api: AP6" + "x" * 10, "xxxxxxx"),
    ("send(foo, wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY, bar)", "K7MDENG"),
    ("https://username:password@host.example", "password"),
    ("A" + "TMyOTQ4MTN5OTU5MTDwMEcxNg.GSwJyi.sbaw8msOR3Wi6vPUzeIWy_P0vJbB0UuRVjH8l8", "msOR3Wi"),
    ("//registry.npmjs.org/:_authToken=npm_" + "x" * 11, "npm_xxx"),
    ("https://hooks.slack.com/services/T" + "x" * 8 + "/B" + "x" * 8 + "/" + "x" * 24, "xxxxxxx"),
    ("SK" + "x" * 32, "xxxxxxx"),
    ("http://api.softlayer.com/soap/v3.1/" + "abcd1234" * 8, "abcd1234"),
    ("slapikey:= " + "abcd1234" * 8, "abcd1234"),
    ('ibm_key:"' + "abcd1234" * 3 + "ABCD1234" * 2 + '--__"', "ABCD1234"),
    ('cloudant_key = "' + "abcdefghij" * 2 + 'abcd"', "abcdefg"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nsuper secret private key here\n-----END RSA PRIVATE KEY-----",
        "private key here",
    ),
    ("some text here\n-----BEGIN PRIVATE KEY-----\nyabba dabba doo", "dabba"),
    ("db_pass: m{{h}o)p${e]nob(ody[finds>-_$#thisone}},", "nob(ody"),
    ('if ("m{{h}o)p${e]nob(ody[finds>-_$#thisone}}" == my_password) {', "nob(ody"),
    ('secrete.assign("m{{h}o)p${e]nob(ody[finds>-_$#thisone}}",17);', "nob(ody"),
    ('api_key: "value with quotes and spaces"', "quotes"),
]


@pytest.mark.parametrize(("text", "secret"), FILLERS)
def test_a_filler_in_the_form_or_place_of_a_secret_is_masked_where_a_person_typed_it(text, secret):
    masked = mask_typed(text).text()
    assert secret not in masked
    assert mask_typed(masked).text() == masked
    assert len(masked) == len(text) and masked.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", [FILLERS[0][0], FILLERS[7][0], FILLERS[14][0]])
def test_the_same_stays_in_a_file(text):
    assert mask(text.encode()).text() == text


@pytest.mark.parametrize(
    "text",
    [
        "The URL is https://user:$PASSWORD@host.example",
        "secret: '${{ secrets.NPM_TOKEN }}'",
        "key: {{ .Values.key | quote }}",
        'password=f"{user}:{host}({x})[0]"',
        "api_key = settings.get('API KEY NAME')",
        'password = "must be at least 8 characters"',
        "rows.sort(key=lambda row: (row[0], -row[1]))",
        "APPLICATION1 is deployed beside APACHE2",
        "The file has -----BEGIN PRIVATE KEY----- in front, and nothing after it",
        "The primary key: a UUID in the column account_identifier_of_the_owner",
    ],
)
def test_templates_code_and_sentences_about_secrets_stay(text):
    assert mask_typed(text).text() == text
