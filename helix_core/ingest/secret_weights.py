"""What each sign of ``secret_odds`` adds to the log-odds that a word is a secret.

``benchmarks/secret_weights.py`` fits and writes the table.
"""

from __future__ import annotations

from functools import cache

_TABLE = """
any -3.96
about_given 0.82
access 0.66
access_many 0.23
access_shaped -0.03
after_colon 0.17
after_comma -0.32
all_upper -0.55
alone 0.82
and 0.83
another_number -0.07
answer_said 0.64
article -1.03
bare_joined -0.37
bare_other 0.16
bare_shaped 0.12
beginning -0.86
beside 0.46
beside_strange 0.31
bracketed 0.07
capital -0.08
code -0.35
credential 0.34
credential_near 0.46
credential_shaped 0.83
dotted -1.01
ends 0.73
given 1.09
given_strange -0.33
given_word 0.89
giving_shaped 0.86
hash 0.14
hash_key 0.14
identifier -1.33
joined -0.33
joined_access 0.52
joined_digit 0.98
joined_given -0.39
joined_many -0.34
key 0.50
leet 1.01
long_line -0.45
marked 0.56
marked_given -0.11
mixed 1.27
modifies -0.76
named -0.15
named_line -0.42
number 1.16
number_long 0.10
numbered 0.46
numbered_given 1.04
numbered_number 2.30
other_number -0.44
pair_shaped 0.41
path -1.24
phrase -0.82
phrase_answer 0.99
phrase_credential 0.03
phrase_first -0.90
phrase_joined -2.18
phrase_long 1.06
phrase_plain 1.78
place -1.36
plain_credential 1.42
quoted -2.03
random 1.00
said 0.59
said_strange 1.13
said_word 0.97
short_typed 0.85
strange 0.02
strange_credential 0.98
strong 1.22
telling -0.91
thing -0.85
typed -0.61
typed_shaped 1.21
typed_word 0.93
user -0.85
user_shaped -0.60
with 0.26
word -2.18
word_credential 0.82
word_number 0.57
"""


@cache
def weights() -> dict[str, float]:
    """Return the weight of each sign."""
    return {name: float(weight) for name, weight in (line.split() for line in _TABLE.split("\n") if line)}
