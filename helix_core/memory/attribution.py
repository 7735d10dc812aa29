"""Who said it: four layers (organisation, device, user, agent) from what a request names, else from the environment.

Provenance, not permission: whoever has the key may name anybody. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from helix_core.ingest.secrets import mask
from helix_core.model import Attribution

LONGEST = 64
LOCAL = "local"
# Each layer with what names it in a request, first found first, and in the environment.
_LAYERS = {
    "org": (("org_id",), ("HELIX_ORG",)),
    "device": (("party_id",), ("HELIX_DEVICE", "HELIX_PARTY")),
    "user": (("participant_handle", "participant_id"), ("HELIX_USER",)),
    "agent": (("agent_handle", "agent_id"), ("HELIX_AGENT",)),
}


def attributed(
    given: Mapping[str, str], environ: Mapping[str, str], *, user: str = "", host: str = "", timezone: str = ""
) -> Attribution:
    """The layers. ``given`` are members of a request; ``user``, ``host`` and ``timezone`` what the machine says.

    Words are lower-case and at most 64 characters; what looks like a secret is masked.
    """
    fallback = {"org": LOCAL, "device": host, "user": user, "agent": ""}
    found: dict[str, str] = {}
    for layer, (members, variables) in _LAYERS.items():
        said = (given.get(name, "") for name in members)
        set_ = (environ.get(name, "") for name in variables)
        found[layer] = next((word for text in (*said, *set_, fallback[layer]) if (word := _word(text))), "")
    zone = given.get("authored_tz", "") or environ.get("HELIX_TZ", "") or timezone
    return Attribution(**found, timezone=_line(zone))


def _word(text: str) -> str:
    return _line(text).lower()


def _line(text: str) -> str:
    """The text on one line, masked before it is cut: half of a secret looks like none."""
    plain = "".join(character if character.isprintable() else " " for character in text[:1_000])
    return mask(plain.encode("utf-8", "replace")).text().strip()[:LONGEST]
