"""A name, a path or one of several questions that is here is never said not to be here; what is absent still is."""

import pytest

from helix_core.engine import Helix
from tests.engine.repository import begin

FILES = {
    "shop/fields.py": (
        "class Nested:\n    def load(self, data):\n        return data\n\n\n"
        "class Pluck(Nested):\n    def unpack_value(self, data):\n        return data[0]\n"
    ),
    "shop/errors.py": "class ValidationError(Exception):\n    pass\n",
    "shop/hooks.py": "def run_hook(name):\n    return name.upper()\n",
    "README.md": "# Shop\n\nFields, hooks and errors of a shop.\n",
}


@pytest.fixture(scope="module")
def helix(tmp_path_factory):
    folder = begin(tmp_path_factory.mktemp("presence") / "shop", FILES)
    with Helix.open(folder) as opened:
        opened.refresh()
        yield opened


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("optimize Nested.load", "shop/fields.py"),
        ("please review the Pluck class", "shop/fields.py"),
        ("port ValidationError to Rust", "shop/errors.py"),
        ("Show me Pluck again", "shop/fields.py"),
        ("where is ValidationEror raised", "shop/errors.py"),
        ("Wo ist ValidationError definiert?", "shop/errors.py"),
        ("ValidationErrorはどこ？", "shop/errors.py"),
        ("¿Qué hace run_hook?", "shop/hooks.py"),
        ("review hooks.py", "shop/hooks.py"),
        ("review shop/hooks.py", "shop/hooks.py"),
        ("where is run_hook called\n\nhow is bread baked in an oven?", "shop/hooks.py"),
        ("where is ValidationError defined and also how do I bake bread?", "shop/errors.py"),
    ],
)
def test_what_is_named_is_found_whatever_is_said_around_it(helix, question, path):
    packet = helix.packet(question)
    assert packet["known_empty"] is False
    items = [one for status in ("verified", "stale_risk", "needs_refresh") for one in packet[status]]
    assert path in [one["source_id"] for one in items]


@pytest.mark.parametrize(
    "question",
    [
        "how does Shop send invoices to Kafka?",
        "where is Pluck.freeze_all defined?",
        "What does Pluck.freeze_all do and who calls it?",
        "What is the default of Nested.max_depth and where is it read?",
        "where is the ledger rotated, and how is it loaded?",
        "where is the graphql endpoint configured",
        "where is payment_gateway retried?\nhow is the ledger rotated?",
        "review ledger.py",
    ],
)
def test_what_is_not_here_is_still_said_not_to_be(helix, question):
    assert helix.packet(question)["known_empty"] is True


def test_a_wish_about_the_whole_workspace_is_not_denied(helix):
    assert helix.packet("can you review my code")["known_empty"] is False
