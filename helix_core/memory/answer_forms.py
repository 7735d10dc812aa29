"""Know what form the answer to a question has (a time, a person, a quantity, how often), and if a text has any of it.

Pure. English only: a question in another language expects no form, and is judged by its words alone.
"""

from __future__ import annotations

import re2

from helix_core.memory.cues import CHOICE_OF
from helix_core.words import MONTHS, WEEKDAYS, words_in

TIME, PERSON, QUANTITY, OFTEN = "time", "person", "quantity", "often"
LEAST_OF_NO_PERSON = 0.6
_ASKS = (
    (OFTEN, re2.compile(r"(?i)\bhow (?:often|frequently|regularly)\b")),
    (
        QUANTITY,
        re2.compile(r"(?i)\bhow (?:many|much|long|far|fast|slow|large|big|small|high|low|deep|wide|old)\b"),
    ),
    (
        TIME,
        re2.compile(
            r"(?i)^\W*(?:and |but |so |since |until |by |from |on )*(?:when|how long ago|"
            r"(?:what|which) (?:time|day|date|week|weekday|month|quarter|year|hour)s?)\b"
        ),
    ),
    (PERSON, re2.compile(r"(?i)^\W*(?:and |but |so |with |by |from |to |for )*who(?:m|se)?\b")),
)
_TIMES = re2.compile(
    rf"(?i)\b(?:(?:{'|'.join(WEEKDAYS)})s?|{'|'.join(month for month in MONTHS if month != 'may')}|in may|"
    r"yesterday|today|tomorrow|tonight|noon|midnight|ago|since|until|till|during|"
    r"before|after|while|once|whenever|when|as soon as|mornings?|afternoons?|evenings?|nights?|nightly|daily|hourly|"
    r"weekly|monthly|yearly|quarterly|week|weekends?|month|quarter|year|spring|summer|autumn|fall|winter|sprint|"
    r"holidays|christmas|easter|birthday|release|(?:last|next|first|second|every) (?:day|time)|"
    r"\d{1,2}:\d\d|\d{1,2} ?[ap]m|(?:19|20)\d\d|q[1-4])\b"
)
_QUANTITIES = re2.compile(
    r"(?i)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|"
    r"eighty|ninety|hundreds?|thousands?|million|dozens?|half|third|once|twice|thrice|none|nobody|few|several|many|"
    r"much|single|zero|one [a-z]+|double|unlimited|limitless|forever|ages|enough|"
    r"free|gratis|cheap|expensive|"
    r"short|long|small|large|big|tiny|huge|fast|slow|quick|high|low|deep|wide|old)(?:er|est|ly)?\b"
)
_OFTEN = re2.compile(
    r"(?i)\b(?:every|each|hourly|daily|nightly|weekly|monthly|yearly|quarterly|never|always|often|rarely|seldom|"
    r"regularly|sometimes|whenever|once|twice|per|a (?:day|week|month|year)|continuously|"
    rf"(?:{'|'.join(WEEKDAYS)})s|times|\d+)\b"
)
_PERSONS = re2.compile(
    r"(?i)\b(?:i|me|myself|my name|alone|nobody|everybody|everyone|somebody|someone|anyone|team|group|crew|staff|lead|"
    r"leader|owner|maintainer|reviewer|manager|engineer|developer|designer|architect|author|admin|administrator|operator|"
    r"tester|analyst|lawyer|doctor|nurse|teacher|boss|chief|founder|director|intern|apprentice|trainee|junior|senior|"
    r"contractor|customer|client|vendor|partner|user|member|people|person|guy|woman|man|girl|boy|child|children|kids?|"
    r"baby|twins|mother|father|mom|dad|parents?|sister|brother|siblings?|son|daughter|wife|husband|spouse|uncle|aunt|"
    r"cousin|nephew|niece|grandmother|grandfather|grandma|grandpa|grandparents?|friends?|neighbou?rs?|colleagues?|"
    r"coworkers?|roommate|flatmate|classmate|girlfriend|boyfriend|fianc[eé]e?|students?|shift|department)s?\b"
)
_NAME = re2.compile(r"\b\p{Lu}\p{Ll}+\b")


def expected_form(question: str) -> str:
    """Return the form of the answer that a question asks for, "" where it may be any."""
    return next((form for form, pattern in _ASKS if pattern.search(question)), "")


def has_form(text: str, form: str) -> bool:
    """Return whether a text has something of a form; any text has the form ""."""
    if form == TIME:
        return _TIMES.search(text) is not None
    if form == QUANTITY:
        return _QUANTITIES.search(text) is not None
    if form == OFTEN:
        return _OFTEN.search(text) is not None or _QUANTITIES.search(text) is not None
    if form == PERSON:
        return _PERSONS.search(text) is not None or any(map(_is_name, _NAME.findall(text)))
    return True


def least_share(text: str, form: str) -> float:
    """Return the least share of a question's weight that a text must have to answer it, 0..1; above 1 none is enough.

    Who did something may be a team or a machine of any name, so that its form is a sign only.
    """
    if has_form(text, form):
        return 0.0
    return LEAST_OF_NO_PERSON if form == PERSON else 2.0


def _is_name(word: str) -> bool:
    return word.lower() not in CHOICE_OF and word.lower() not in _FIRST_WORDS


_FIRST_WORDS = words_in(
    """a all an and any are as at because before but by can decision do does don during each ever every for from fyi go
    going has have here how if important in is it its just keep last let lets like make may most must my never next no
    not note now of on once one only or our please remember rule second since so some test that the their then there
    these they this those to under use uses was we were what when where which while will with yes you your"""
).union(WEEKDAYS, MONTHS)
