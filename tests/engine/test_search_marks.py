"""One place has one mark: what a packet calls contradicted, a search does not call unchanged."""

import pytest

from tests.engine.repository import git, write

DOCUMENT = "# Carts\n\n`MOST_ITEMS` is 20, which is the most items that a cart can hold.\n"
QUESTION = "what is the most items that a cart can hold, MOST_ITEMS"


def _commit(folder, date):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Change carts", date=date)


def _mark(answer):
    (item,) = [one for one in answer["items"] if one["source_id"] == "docs/carts.md"]
    return item["status"], item["reason"]


@pytest.mark.parametrize(
    ("value", "mark"),
    [(50, ("stale_risk", "contradicted")), (20, ("verified", "unchanged"))],
    ids=["denied", "borne out"],
)
def test_a_document_whose_value_the_code_denies_is_marked_in_a_search_as_in_a_packet(value, mark, helix, repository):
    write(repository, {"docs/carts.md": DOCUMENT, "app/carts.py": "MOST_ITEMS = 20\n"})
    _commit(repository, "2026-01-02T03:04:05")
    if value != 20:
        write(repository, {"app/carts.py": f"MOST_ITEMS = {value}\n"})
        _commit(repository, "2026-02-02T03:04:05")
    helix.refresh()
    assert _mark(helix.search(QUESTION, previews=True)) == mark
    packet = helix.packet(QUESTION)
    assert "docs/carts.md" in {one["source_id"] for one in packet["verified" if value == 20 else "stale_risk"]}
