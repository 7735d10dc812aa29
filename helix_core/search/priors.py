"""Query-independent priors: implementation before tests, examples and changelogs.

A prior is a named factor, so that an answer can show why an item moved. It never hides a file. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from helix_core.model import Hints, Role, Source
from helix_core.search.question import Intent
from helix_core.search.weights import ROLE_FACTORS
from helix_core.tuples import NamedTuple

LIFTED_BY: Mapping[Role, Intent] = {
    Role.TEST: Intent.TESTS,
    Role.EXAMPLE: Intent.EXAMPLES,
    Role.HISTORY: Intent.HISTORY,
    Role.DOC: Intent.DOCS,
    Role.CONFIG: Intent.CONFIG,
}


class Prior(NamedTuple):
    """The factor of one file and the names of its parts (``test x0.5``); no names when it is 1."""

    factor: float = 1.0
    names: tuple[str, ...] = ()


_BESIDE_THE_IMPLEMENTATION = frozenset({Intent.TESTS, Intent.EXAMPLES, Intent.HISTORY})
NOT_ASKED_FOR = 0.8
"""Factor of the implementation for a question about its tests, its examples or its history."""


def role_prior(role: Role, intents: frozenset[Intent]) -> Prior:
    """Return the factor of a file's role; roles that the question asks for are not reduced."""
    if LIFTED_BY.get(role) in intents:
        return Prior()
    factor = ROLE_FACTORS[role.value]
    if role is Role.IMPLEMENTATION and intents & _BESIDE_THE_IMPLEMENTATION and intents != frozenset(Intent):
        factor = NOT_ASKED_FOR
    return Prior() if factor == 1.0 else Prior(factor, (f"{role.value} x{factor:g}",))


LISTS_OF_FILES = frozenset(
    b".gitignore .dockerignore .npmignore .eslintignore .prettierignore .helixignore .gitattributes codeowners"
    b" manifest.in makefile.am cmakelists.txt".split()
)
LIST_FACTOR = 0.4
"""Factor of a file that lists others: it has a word of each, and says nothing about any."""
OPEN_FACTOR = 1.15
RECENT_FACTOR = 1.1
USED_WITH_FACTOR = 1.1
CHANGED_WITH_FACTOR = 1.1
SESSION_CAP = 1.2


def prior(source: Source, intents: frozenset[Intent], hints: Hints) -> Prior:
    """Combine the role's and the session's factors. Open or recent files decide near ties and cannot beat a clear
    match.
    """
    role = role_prior(source.role, intents)
    if source.path.rpartition(b"/")[2].lower() in LISTS_OF_FILES and role.names:
        role = Prior(LIST_FACTOR, (f"list of files x{LIST_FACTOR:g}",))
    factor, names = 1.0, []
    if source.path in hints.open_paths:
        factor *= OPEN_FACTOR
        names.append(f"open x{OPEN_FACTOR:g}")
    if source.path in hints.recent_paths:
        factor *= RECENT_FACTOR
        names.append(f"recent x{RECENT_FACTOR:g}")
    if source.path in hints.used_with:
        factor *= USED_WITH_FACTOR
        names.append(f"used with what is open x{USED_WITH_FACTOR:g}")
    if source.path in hints.changed_with:
        factor *= CHANGED_WITH_FACTOR
        names.append(f"changes with what is open x{CHANGED_WITH_FACTOR:g}")
    return Prior(role.factor * min(factor, SESSION_CAP), (*role.names, *names)) if names else role
