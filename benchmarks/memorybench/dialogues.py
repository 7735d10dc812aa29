"""Made dialogues of two people over many sessions, with questions whose evidence is one turn that is known.

After LoCoMo (Maharana et al. 2024): an answer often stands in a turn that does not say what it is about, because the
turn before it did; each topic comes up again elsewhere without the answer; some questions use another word for it.
Nothing of that data set is in here.

Two sets of topics, speakers and sentences: recall was fitted on ``LIFE``; ``WORK`` was written before, and is held out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LIFE_TOPICS = (
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
WORK_TOPICS = (
    ("payment outage", "billing incident", "find", "found", ("a full disk", "an expired lease", "a loop in the retry")),
    ("cluster upgrade", "node refresh", "lose", "lost", ("one replica", "the old dashboards", "nothing but an hour")),
    ("customer interview", "client call", "hear", "heard", ("complaints about search", "praise", "three odd requests")),
    ("design review", "mockup session", "throw out", "threw out", ("the sidebar", "two icons", "the blue banner")),
    ("load test", "stress run", "break", "broke", ("the login page", "the queue at ninety users", "every record")),
    ("hiring round", "recruiting week", "choose", "chose", ("the tester from Porto", "nobody", "two graduates")),
    ("budget plan", "cost forecast", "cut", "cut", ("the second region", "travel", "a license that nobody used")),
    ("security audit", "penetration check", "get", "got", ("four findings", "a clean sheet", "a long letter")),
    ("offsite", "team retreat", "draw", "drew", ("a map of the system", "the next two years", "a comic strip")),
    ("data migration", "table move", "write", "wrote", ("a script in an evening", "ninety checks", "a rollback plan")),
    ("trade fair", "industry expo", "give away", "gave away", ("all stickers", "six licenses", "a drone")),
    ("apprentice day", "trainee visit", "teach", "taught", ("a bit of Rust", "how to solder", "the history of fonts")),
    ("printer repair", "copier fix", "take out", "took out", ("a paper clip", "half a sandwich", "eleven screws")),
    ("open source sprint", "community hackathon", "ship", "shipped", ("a parser", "the docs", "two plugins")),
    ("translation project", "localization work", "leave", "left", ("Finnish for later", "idioms out", "a glossary")),
    ("warehouse tour", "depot inspection", "count", "counted", ("forty pallets", "too many forklifts", "nine doors")),
    ("newsletter", "monthly mailing", "send", "sent", ("the wrong draft", "it to nine readers", "two corrections")),
    ("patent talk", "lawyer meeting", "sign", "signed", ("three pages", "a waiver", "nothing yet")),
    ("keyboard survey", "typing poll", "ask", "asked", ("eighty people", "only lefties", "one question too many")),
    ("server room cleanup", "rack tidying", "pull", "pulled", ("a mile of cable", "two dead fans", "the old switch")),
)


@dataclass(frozen=True, slots=True)
class Matter:
    """What dialogues are made of: ``{0}`` is a topic, ``{1}`` the other speaker in what is said; by name elsewhere.

    ``told`` has ways to tell of a topic, each as its lines (``>`` in front of those of the other speaker), the place of
    the line that answers, and the question; ``shapes`` is how often each is used.
    """

    names: Sequence[str]
    people: Sequence[str]
    topics: Sequence[tuple[str, str, str, str, Sequence[str]]]
    openers: Sequence[str]
    chatter: Sequence[str]
    again: Sequence[str]
    feelings: Sequence[str]
    when: Sequence[str]
    told: Sequence[tuple[Sequence[str], int, str]]
    absent: Sequence[str]
    shapes: Sequence[int]


LIFE = Matter(
    names=("Mira", "Jonas", "Talia", "Bruno", "Edith", "Farid", "Greta", "Hugo", "Ines", "Kofi", "Lena", "Marek"),
    people=("sister", "neighbor", "cousin", "old roommate", "uncle", "colleague Sam", "twins", "grandmother"),
    topics=LIFE_TOPICS,
    openers=(
        "Hey {1}! Long time no see.",
        "Hi {1}, how have you been?",
        "{1}! So good to hear from you.",
        "Morning, {1}.",
    ),
    chatter=(
        "I'm so busy with work these days, but I can't complain.",
        "That sounds wonderful, I'm really happy for you.",
        "We should catch up in person some time soon.",
        "Thanks, that means a lot to me!",
        "Ha, you always know what to say, {1}.",
        "The weather has been strange all week, hasn't it?",
        "Take care of yourself, and say hello to everybody.",
        "I know what you mean, it takes a lot of patience.",
    ),
    again=(
        "I keep thinking about the {0}, it does me good.",
        "Next month there is the {0} again, and I hope you come along, {1}.",
        "My back still hurts since the {0}, but it was worth it.",
        "Everybody at work asks me about the {0} now.",
    ),
    feelings=("It was amazing!", "Better than I thought.", "I was nervous, but it went well.", "So much fun!"),
    when=("last Saturday", "two weeks ago", "on Friday evening", "yesterday", "in the first week of the month"),
    told=(
        (["I was at the {place} {when}, and I {did} {detail}. {feeling}"], 0, "What did {one} {act} at the {place}?"),
        (["I was at the {place} {when}, and I {did} {detail}. {feeling}"], 0, "What did {one} {act} at the {alias}?"),
        ([">How was the {place}, {one}?", "{feeling} I {did} {detail}."], 1, "What did {one} {act} at the {place}?"),
        (
            ["{When} I finally went to the {place}.", ">Nice! Who came along?", "My {person}. {feeling}"],
            2,
            "Who went to the {place} with {one}?",
        ),
        (
            [">Tell me about the {place}!", "{feeling} It was {when}, with my {person}."],
            1,
            "When was {one} at the {place}?",
        ),
    ),
    absent=("What did {one} {act} at the {place}?", "What did {one} {act} at the {alias}?"),
    shapes=(10, 3, 3, 2, 2),
)
"""``shapes`` is so that BM25 alone finds about what it finds of LoCoMo, .58 of the answers among five and .67 among
ten.
"""
WORK = Matter(
    names=("Anil", "Beata", "Chidi", "Dora", "Elif", "Goran", "Hanna", "Ivo", "Jana", "Koji", "Luz", "Noor"),
    people=(
        "an intern",
        "the night shift",
        "our contractor",
        "Petra from legal",
        "a friend of the founder",
        "two juniors",
    ),
    topics=WORK_TOPICS,
    openers=(
        "Hello {1}, got a minute?",
        "{1}, are you still in the office?",
        "Good afternoon {1}!",
        "Back at my desk.",
    ),
    chatter=(
        "Makes sense to me.",
        "Let me know if I can help with anything, {1}.",
        "My train was late, so I only had time for a coffee.",
        "I will put it into the notes.",
        "Honestly, the week could have been shorter.",
        "Sorry, my connection dropped, what did you say?",
        "Great, then we are done for today.",
        "Same here, I hardly saw the sun.",
    ),
    again=(
        "The slides for the {0} are still on my list.",
        "Did you read what marketing wrote about the {0}, {1}?",
        "After the {0} I needed a day off.",
        "I hope that the next {0} is somebody else's job.",
    ),
    feelings=("Quite a ride.", "Not what I had planned.", "I am glad that is over.", "Smoother than the last one."),
    when=("on Tuesday", "at the end of March", "the day before the holidays", "this morning", "in calendar week nine"),
    told=(
        (
            ["Spent hours on the {place} {when}, and I {did} {detail}. {feeling}"],
            0,
            "What did {one} {act} in the {place}?",
        ),
        (
            ["Spent hours on the {place} {when}, and I {did} {detail}. {feeling}"],
            0,
            "What did {one} {act} in the {alias}?",
        ),
        (
            [">Any news of the {place}?", "Yes, I {did} {detail}. {feeling}"],
            1,
            "What did {one} {act} during the {place}?",
        ),
        (
            ["The {place} is behind me, it ended {when}.", ">All alone?", "No, I had {person} with me."],
            2,
            "Who helped {one} with the {place}?",
        ),
        (
            [">And the {place}, is it done?", "{When}, together with {person}. {feeling}"],
            1,
            "When did {one} finish the {place}?",
        ),
    ),
    absent=("What did {one} {act} in the {place}?", "What did {one} {act} in the {alias}?"),
    shapes=(10, 3, 3, 2, 2),
)


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


def dialogue(draw: random.Random, matter: Matter = LIFE, sessions: int = 16) -> Dialogue:
    """Make a dialogue. A third of the topics never comes up: what is asked of those is not there."""
    pair = draw.sample(matter.names, 2)
    topics = draw.sample(matter.topics, len(matter.topics))
    spoken, absent = topics[: len(topics) * 2 // 3], topics[len(topics) * 2 // 3 :]
    told = [(one, other, topic) for topic in spoken for one, other in (pair, pair[::-1])]
    draw.shuffle(told)
    said: list[list[str]] = [[draw.choice(matter.openers).format(*pair)] for _ in range(sessions)]
    evidence: list[tuple[str, int, str]] = []
    for number, (one, other, topic) in enumerate(told):
        lines, question, at = _told(draw, matter, one, other, topic)
        into = said[number % sessions]
        into += lines
        evidence.append((question, number % sessions, lines[at]))
        into += [f"{other}: {draw.choice(matter.chatter).format(other, one)}" for _ in range(draw.randint(1, 3))]
        place = draw.choice([place for place in range(sessions) if place != number % sessions])
        said[place].append(f"{one}: {draw.choice(matter.again).format(topic[0], other)}")
    turns = {(place, line): Turn(f"s{place}", line) for place, lines in enumerate(said) for line in lines}
    asked = [Asked(question, turns[place, line]) for question, place, line in evidence]
    asked += [
        Asked(question.format(one=one, act=topic[2], place=topic[0], alias=topic[1]), None)
        for topic in absent
        for one in pair
        for question in matter.absent
    ]
    return Dialogue(tuple(Turn(f"s{place}", line) for place, lines in enumerate(said) for line in lines), tuple(asked))


def dialogues(seed: int, count: int, matter: Matter = LIFE) -> Iterator[Dialogue]:
    """Make several dialogues of one seed."""
    draw = random.Random(seed)
    return (dialogue(draw, matter) for _ in range(count))


def _told(
    draw: random.Random, matter: Matter, one: str, other: str, topic: tuple[str, str, str, str, Sequence[str]]
) -> tuple[list[str], str, int]:
    """Return the turns in which somebody tells of a topic, a question, and the place of the turn that answers it."""
    place, alias, act, did, details = topic
    detail, feeling = draw.choice(details), draw.choice(matter.feelings)
    when, person = draw.choice(matter.when), draw.choice(matter.people)
    lines, at, question = draw.choices(matter.told, matter.shapes)[0]
    words = {
        "one": one,
        "place": place,
        "alias": alias,
        "act": act,
        "did": did,
        "detail": detail,
        "feeling": feeling,
        "when": when,
        "When": when[0].upper() + when[1:],
        "person": person,
    }
    said = [(other if line.startswith(">") else one, line.lstrip(">").format(**words)) for line in lines]
    return [f"{speaker}: {line}" for speaker, line in said], question.format(**words), at
