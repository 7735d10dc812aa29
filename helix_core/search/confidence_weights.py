"""How much each sign of an answer counts. Made by ``benchmarks/calibrate.py``; not edited by hand."""

PRESENCE: dict[str, float] = {
    "base": -0.201,
    "covered": 6.301,
    "missing": -1.713,
    "unknown_proper": -7.189,
    "named": 0.116,
}
PLACE: dict[str, float] = {
    "base": -1.38,
    "strength": 1.973,
    "agreement": 1.759,
    "gap": 1.893,
    "named": 0.0,
}
PLACE_WITH_MODEL: dict[str, float] = {
    "base": -0.502,
    "strength": 1.545,
    "agreement": 0.887,
    "gap": 2.075,
    "named": 0.0,
}
