"""How much each sign of an answer counts. Made by ``benchmarks/calibrate.py``; not edited by hand."""

PRESENCE: dict[str, float] = {
    "base": -0.14,
    "covered": 6.301,
    "missing": -1.713,
    "unknown_proper": -7.189,
    "named": 0.116,
}
PLACE: dict[str, float] = {
    "base": -1.395,
    "strength": 2.002,
    "agreement": 1.757,
    "gap": 1.899,
    "named": 0.0,
}
PLACE_WITH_MODEL: dict[str, float] = {
    "base": -0.517,
    "strength": 1.579,
    "agreement": 0.874,
    "gap": 2.081,
    "named": 0.0,
}
