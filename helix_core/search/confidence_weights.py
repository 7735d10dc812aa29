"""How much each sign of an answer counts. Made by ``benchmarks/calibrate.py``; not edited by hand."""

PRESENCE: dict[str, float] = {
    "base": 0.215,
    "covered": 4.936,
    "missing_proper": -6.563,
    "unfamiliar": -2.735,
    "named": 2.85,
}
PLACE: dict[str, float] = {
    "base": -1.668,
    "strength": 3.307,
    "agreement": 0.896,
    "gap": 3.159,
}
PLACE_WITH_MODEL: dict[str, float] = {
    "base": -1.498,
    "strength": 3.307,
    "agreement": 0.896,
    "gap": 3.159,
}
