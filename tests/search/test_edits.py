"""An order to change code is answered by the existing name that it is about, whatever is to become of it."""

from __future__ import annotations

import pytest

from helix_core.search.edits import read_edit
from helix_core.search.search import SearchRequest, search

TREE = {
    "src/bind.py": '''
class Binder:
    """Binds requests to values."""

    def bind_json(self, request):
        """Read the body of a request as JSON."""
        return load(request.body)

    def render(self, value):
        return value
''',
    "src/other.py": "def smaller_pieces(value):\n    return value\n\n\ndef load(body):\n    return body\n",
    "tests/test_bind.py": '''
def test_bind_json_stays_green():
    """The tests of binding are kept green, whatever else is split into smaller pieces."""
    assert Binder().bind_json(Request("{}")) == {}
''',
}
OF_BIND_JSON = [
    "refactor bind_json into smaller pieces and keep the tests green",
    "please split bind_json into helpers, without touching the tests",
    "could you rename `bind_json` to read_json and update the tests",
    "make bind_json() faster; the tests should stay as they are",
    "write a docstring for Binder.bind_json",
    "simplify Binder.bind_json, then run the tests",
    "add a `bind_csv` method next to bind_json",
    "please add bind_csv, like bind_json but for tables",
    "implement a `bind_toml` helper similar to bind_json",
    "I want a new method `bind_xml` beside bind_json",
    "introduce bind_msgpack modelled on `bind_json`",
]


@pytest.mark.parametrize("order", OF_BIND_JSON)
def test_an_order_leads_to_what_it_is_about(order: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(order, 5), indexed(TREE))
    assert not found.known_empty
    assert found.ranked[0].item.source.source_id == "src/bind.py"
    assert found.confidence >= 0.5
    assert not any("nowhere" in note for note in found.notes)


def test_what_is_added_to_a_class_leads_to_the_class(indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest("Add a method `bind_yaml` to Binder", 5), indexed(TREE))
    assert not found.known_empty
    assert found.ranked[0].item.source.source_id == "src/bind.py"


@pytest.mark.parametrize("order", ["add a `bind_csv` method next to bind_toml", "refactor bind_toml into pieces"])
def test_an_order_about_what_is_nowhere_finds_nothing(order: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(order, 5), indexed(TREE))
    assert found.confidence < 0.5


@pytest.mark.parametrize(
    ("order", "about"),
    [
        ("refactor res.send and keep the tests green", ("res.send",)),
        ("pls speed up the function parse_url", ("parse_url",)),
        ("Add a builtin `trimall/1` please, like ltrimstr but on both sides", ("ltrimstr",)),
        ("add support for a `poolLabel` setting next to poolName", ("poolName", "poolLabel")),
    ],
)
def test_what_an_order_may_be_about_is_read(order: str, about: tuple[str, ...]) -> None:
    edit = read_edit(order)
    assert edit is not None
    assert edit.about == about


@pytest.mark.parametrize(
    "text",
    [
        "how does bind_json read the body?",
        "where is add_article called",
        "fix the crash in res.send",
        "why does the app change its port",
        "add dark mode to settings",
        "write a test",
        "make it faster",
    ],
)
def test_any_other_text_is_no_order_about_a_name(text: str) -> None:
    assert read_edit(text) is None or not read_edit(text).about  # type: ignore[union-attr]


COMMANDS = {
    "keys.py": '''
class EventType:
    """The events of keys."""

    EXPIRE = "expire"
''',
    "commands.py": '''
class Keys:
    def expire(self, name, time):
        """Set how long a key lives."""
        return self.execute("EXPIRE", name, time)
''',
}


def test_a_command_in_capitals_is_the_function_and_no_value_of_that_name(indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest("add an HEXPIRE command like EXPIRE", 5), indexed(COMMANDS))
    assert found.ranked[0].item.source.source_id == "commands.py"


PARCEL = {
    "package.json": '{"name": "parcel", "version": "1.0.0"}\n',
    "tools/run.py": "def parcel(arguments):\n    return arguments\n",
    "src/remove.py": '''
class RemoveCommand:
    """Remove a package."""

    def options(self):
        return ["--yes"]
''',
    "src/add.py": '''
class AddCommand:
    """Add a package."""

    def options(self):
        return ["--dry-run"]
''',
}


def test_the_name_of_the_project_is_not_what_an_order_is_about(indexed) -> None:  # type: ignore[no-untyped-def]
    order = "add a --dry-run flag to parcel remove similar to parcel add --dry-run"
    found = search(SearchRequest(order, 5), indexed(PARCEL))
    assert found.ranked[0].item.source.source_id in ("src/add.py", "src/remove.py")


@pytest.mark.parametrize("order", ["write a docstring for `parcel`", "refactor `parcel` into smaller pieces"])
def test_between_backticks_it_is_a_name_as_any_other(order: str, indexed) -> None:  # type: ignore[no-untyped-def]
    found = search(SearchRequest(order, 5), indexed(PARCEL))
    assert found.ranked[0].item.source.source_id == "tools/run.py"
