"""Letters drawn at random are told from names by which letter follows which."""

import random
import string

import pytest

from helix_core.secrets.letter_odds import looks_random_letters
from helix_core.secrets.masking import mask

PLACES = (
    "db:\n  pass: {}\n",
    "[db]\npassword = {}\n",
    'password = "{}"\n',
    "url=jdbc:postgresql://db/app?user=app&password={}\n",
    "The password is {}, ask the owner for access.\n",
    'os.environ.get("PW", "{}")\n',
)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_password_of_letters_alone_is_masked_wherever_passwords_stand(place):
    rng = random.Random(11)
    drawn = ["".join(rng.choices(string.ascii_letters, k=rng.randint(14, 22))) for _ in range(400)]
    assert [one for one in drawn if one.encode() in mask(place.format(one).encode()).data] == []


@pytest.mark.parametrize(
    "name",
    [
        b"IfModifiedSinceHeader",
        b"getPasswordValidators",
        b"XMLHttpRequestFactory",
        b"DEFAULTPASSWORDHASHER",
        b"authentication_backend",
        b"Geburtstagskalender",
        b"correcthorsebatterystaple",
        b"aaaaaaaaaaaaaaaaaaaa",
        b"sqlalchemyConnectionString",
    ],
)
def test_a_name_is_no_letters_drawn_at_random(name):
    assert not looks_random_letters(name)
    assert name in mask(b"token = %s\n" % name).data


@pytest.mark.parametrize("place", PLACES[:4])
def test_words_of_a_generator_with_a_number_are_a_password_where_one_stands(place):
    for one in ("Terra-Falcon-3391", "velvet-otter-cradle-72", "Blue.Comet.4471!"):
        assert one.encode() not in mask(place.format(one).encode()).data
