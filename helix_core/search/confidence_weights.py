"""How much each sign of an answer counts. Made by ``benchmarks/calibrate.py``; not edited by hand."""

PRESENCE: dict[str, float] = {
    "base": -2.79,
    "covered": 5.441,
    "together": 1.254,
    "similar": 3.04,
    "strength": 0.0,
    "unknown": -1.717,
    "unknown_proper": -6.233,
    "named": 0.564,
}
PLACE: dict[str, float] = {
    "base": -1.308,
    "strength": 2.243,
    "together": 0.0,
    "similar": 0.0,
    "agreement": 1.513,
    "gap": 1.942,
    "named": 0.0,
}
