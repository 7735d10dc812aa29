"""Made dialogues of two people over many sessions, with questions whose evidence is one turn that is known.

After LoCoMo (Maharana et al. 2024): an answer often stands in a turn that does not say what it is about, because the
turn before it did; each topic comes up again elsewhere without the answer; some questions use another word for it.
Nothing of that data set is in here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

NAMES = ("Mira", "Jonas", "Talia", "Bruno", "Edith", "Farid", "Greta", "Hugo", "Ines", "Kofi", "Lena", "Marek")
PEOPLE = ("sister", "neighbor", "cousin", "old roommate", "uncle", "colleague Sam", "twins", "grandmother")
TOPICS = (
    (
        "pottery class",
        "ceramics lesson",
        "make",
        "made",
        ("two bowls with a blue glaze", "a crooked mug", "a tall vase"),
    ),
    (
        "chess club",
        "chess evening",
        "win",
        "won",
        ("the final in nine moves", "a wooden clock", "only one game of six"),
    ),
    ("farmers market", "street market", "buy", "bought", ("a crate of plums", "goat cheese", "honey from the hills")),
    ("jazz concert", "gig", "hear", "heard", ("a trio with a vibraphone", "an old ballad", "the drummer's solo")),
    ("dog shelter", "animal rescue", "adopt", "adopted", ("a one-eyed beagle", "two shy puppies", "an old greyhound")),
    ("cooking course", "kitchen workshop", "cook", "cooked", ("ramen from scratch", "a saffron risotto", "dumplings")),
    ("garden", "backyard", "plant", "planted", ("three rows of beans", "a fig tree", "lavender along the fence")),
    ("photo exhibition", "gallery show", "show", "showed", ("portraits of bakers", "the harbor at night", "old doors")),
    ("road trip", "drive up north", "see", "saw", ("a herd of elk", "the lighthouse", "two rainbows over a canyon")),
    ("choir", "singing group", "sing", "sang", ("a piece by Bach", "sea shanties", "a lullaby in Welsh")),
    ("language exam", "Spanish test", "score", "scored", ("ninety one points", "barely enough", "best of the group")),
    ("robot contest", "robotics fair", "build", "built", ("a maze solver", "an arm that pours tea", "a tiny rover")),
    ("theater play", "drama night", "play", "played", ("the villain", "a talking tree", "two servants at once")),
    ("beach cleanup", "litter pick", "find", "found", ("a message in a bottle", "forty old tires", "a silver ring")),
    ("book club", "reading circle", "read", "read", ("a novel about whales", "ghost stories", "a memoir of a nurse")),
    ("ski weekend", "days in the snow", "break", "broke", ("a pole", "the record of the slope", "two fingers")),
    ("quilt workshop", "sewing circle", "sew", "sewed", ("a map of the island", "nine stars", "patches for the kids")),
    ("aquarium", "sea center", "feed", "fed", ("the otters", "a sea turtle", "manta rays")),
    ("flea market", "yard sale", "sell", "sold", ("a typewriter", "forty records", "the green armchair")),
    ("marathon", "long race", "wear", "wore", ("shoes that were too new", "a pink wig", "number 4711")),
)
OPENERS = (
    "Hey {1}! Long time no see.",
    "Hi {1}, how have you been?",
    "{1}! So good to hear from you.",
    "Morning, {1}.",
)
CHATTER = (
    "I'm so busy with work these days, but I can't complain.",
    "That sounds wonderful, I'm really happy for you.",
    "We should catch up in person some time soon.",
    "Thanks, that means a lot to me!",
    "Ha, you always know what to say, {1}.",
    "The weather has been strange all week, hasn't it?",
    "Take care of yourself, and say hello to everybody.",
    "I know what you mean, it takes a lot of patience.",
)
AGAIN = (
    "I keep thinking about the {0}, it does me good.",
    "Next month there is the {0} again, and I hope you come along, {1}.",
    "My back still hurts since the {0}, but it was worth it.",
    "Everybody at work asks me about the {0} now.",
)
FEELINGS = ("It was amazing!", "Better than I thought.", "I was nervous, but it went well.", "So much fun!")
WHEN = ("last Saturday", "two weeks ago", "on Friday evening", "yesterday", "in the first week of the month")
SHAPES = (10, 3, 3, 2, 2)
"""How often a topic is told in each way of ``_told``: so that BM25 alone finds about what it finds of LoCoMo, .58 of
the answers among five and .67 among ten.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one person says; ``session`` is its session."""

    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the turn that has its answer; None where nobody ever spoke of it."""

    question: str
    evidence: Turn | None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns of two people in their order, and questions about them."""

    turns: tuple[Turn, ...]
    asked: tuple[Asked, ...]


def dialogue(draw: random.Random, sessions: int = 16) -> Dialogue:
    """Make a dialogue. A third of the topics never comes up: what is asked of those is not there."""
    pair = draw.sample(NAMES, 2)
    topics = draw.sample(TOPICS, len(TOPICS))
    spoken, absent = topics[: len(topics) * 2 // 3], topics[len(topics) * 2 // 3 :]
    told = [(one, other, topic) for topic in spoken for one, other in (pair, pair[::-1])]
    draw.shuffle(told)
    said: list[list[str]] = [[draw.choice(OPENERS).format(*pair)] for _ in range(sessions)]
    evidence: list[tuple[str, int, str]] = []
    for number, (one, other, topic) in enumerate(told):
        lines, question, at = _told(draw, one, other, topic)
        into = said[number % sessions]
        into += lines
        evidence.append((question, number % sessions, lines[at]))
        into += [f"{other}: {draw.choice(CHATTER).format(other, one)}" for _ in range(draw.randint(1, 3))]
        place = draw.choice([place for place in range(sessions) if place != number % sessions])
        said[place].append(f"{one}: {draw.choice(AGAIN).format(topic[0], other)}")
    turns = {(place, line): Turn(f"s{place}", line) for place, lines in enumerate(said) for line in lines}
    asked = [Asked(question, turns[place, line]) for question, place, line in evidence]
    asked += [Asked(question, None) for topic in absent for one in pair for question in _questions(one, topic)[:2]]
    return Dialogue(tuple(Turn(f"s{place}", line) for place, lines in enumerate(said) for line in lines), tuple(asked))


def dialogues(seed: int, count: int) -> Iterator[Dialogue]:
    """Make several dialogues of one seed."""
    draw = random.Random(seed)
    return (dialogue(draw) for _ in range(count))


def _questions(one: str, topic: tuple[str, str, str, str, tuple[str, ...]]) -> tuple[str, str]:
    place, other_word, act, _, _ = topic
    return f"What did {one} {act} at the {place}?", f"What did {one} {act} at the {other_word}?"


def _told(
    draw: random.Random, one: str, other: str, topic: tuple[str, str, str, str, tuple[str, ...]]
) -> tuple[list[str], str, int]:
    """Return the turns in which somebody tells of a topic, a question, and the place of the turn that answers it."""
    place, _, _, did, details = topic
    detail, feeling, when, person = draw.choice(details), draw.choice(FEELINGS), draw.choice(WHEN), draw.choice(PEOPLE)
    plain, reworded = _questions(one, topic)
    match draw.choices(range(5), SHAPES)[0]:
        case 0:
            return [f"{one}: I was at the {place} {when}, and I {did} {detail}. {feeling}"], plain, 0
        case 1:
            return [f"{one}: I was at the {place} {when}, and I {did} {detail}. {feeling}"], reworded, 0
        case 2:
            return [f"{other}: How was the {place}, {one}?", f"{one}: {feeling} I {did} {detail}."], plain, 1
        case 3:
            lines = [f"{one}: {when.capitalize()} I finally went to the {place}.", f"{other}: Nice! Who came along?"]
            return [*lines, f"{one}: My {person}. {feeling}"], f"Who went to the {place} with {one}?", 2
        case _:
            lines = [f"{other}: Tell me about the {place}!", f"{one}: {feeling} It was {when}, with my {person}."]
            return lines, f"When was {one} at the {place}?", 1
