"""The words a question is asked with, which tell nothing about the place asked for. General English; data only."""

from __future__ import annotations

_QUESTION_WORD_LINES = """
a about actually after all also am an and any anything are as at be because been before being both but by came can come
comes could did do does doing done each either else etc ever every exactly explain find for from further gave get gets
getting give given gives go goes going got had happen happens has have having he her here him his how however i if in
inside instead into is it its itself just know let like look looking made make makes many may me might more most much
must my need needs neither no nor not now of off on once one only onto or other our out over own part please put puts
same say see shall she should show so some somebody someone something still such take takes taken tell than that the
their them then there these they thing things this those through thus to too under up upon us use used uses using very
want wants was way we well went were what whatever when whenever where wherever whether which while who whom whose why
will with within without would yet you your code file repo repository project codebase defined declared
"""

QUESTION_WORDS = frozenset(_QUESTION_WORD_LINES.split())
