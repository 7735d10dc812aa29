"""How much each sign of an answer counts. Made by ``benchmarks/calibrate.py``; not edited by hand."""

PRESENCE: dict[str, float] = {
    "base": 0.346,
    "covered": 5.268,
    "missing_proper": -6.541,
    "unfamiliar": -2.651,
    "named": 2.727,
}
PLACE: dict[str, float] = {
    "base": -1.556,
    "strength": 3.415,
    "agreement": 0.843,
    "gap": 2.611,
}
PLACE_WITH_MODEL: dict[str, float] = {
    "base": -1.348,
    "strength": 3.415,
    "agreement": 0.843,
    "gap": 2.611,
}
