"""What git knows to have been here and that is gone is wrong in a text, in any language and kind of document."""

import pytest

from tests.engine.repository import git, write

FILES = {
    "box.c": """#include "box.h"

int box_add_item(struct box *box, int item)
{
    box->items[box->count] = item;
    box->count = box->count + 1;
    return box->count;
}
""",
    "box.h": "struct box { int count; int items[8]; };\nint box_add_item(struct box *box, int item);\n",
    "pack/__init__.py": "from pack.waiting import Wait\n",
    "pack/waiting.py": "class Wait:\n    def for_next(self):\n        return 1\n",
    "README.md": "# Box\n\nTo add items to a box, use `box_add_item`; see [Usage](doc/01-usage.md).\n",
    "CHANGES.md": "# Changes\n\nUse `box_add_item`.\n",
    "doc/01-usage.md": "# Usage\n\nPut things into it.\n",
    "doc/02-more.md": "# More\n\n&larr; [Usage](01-usage.md) | [Site](03-made-elsewhere.md)\n",
    "doc/wait.rst": """Waiting
=======

.. automodule:: pack.waiting

.. autoclass:: pack.waiting.Wait

>>> from pack.waiting import Wait
>>> Wait().for_next()

.. code:: python

   from pack.waiting import (
       Wait,
   )
""",
}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    write(folder, FILES)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "Begin")
    return folder


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def rename(folder):
    for name in ("box.c", "box.h"):
        path = folder / name
        path.write_text(path.read_text().replace("box_add_item", "box_put_item"))


def findings(open_helix, folder, document, text=None):
    helix = open_helix(folder)
    helix.refresh()
    checked = helix.check(text or (folder / document).read_text(), source_id=document)
    return [(one["line"], one["rule"], (one["now"] or {}).get("source_id")) for one in checked["findings"]]


def test_nothing_is_wrong_while_everything_is_there(open_helix, project):
    for document in FILES:
        if not document.endswith((".c", ".h", ".py")):
            assert findings(open_helix, project, document) == []


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_function_of_c_that_is_gone_is_dead_also_where_the_sentence_says_how_to_add(
    open_helix, project, is_committed
):
    rename(project)
    if is_committed:
        commit(project, "Rename")
    assert findings(open_helix, project, "README.md") == [(3, "name-gone", "box.c")]


@pytest.mark.parametrize(
    "text",
    [
        "`box_add_item` was removed.\n",
        "Before version 2 it was `box_add_item`.\n",
        "Add a function `box_add_item` that takes two.\n",
        "There is no `box_add_item`.\n",
        "# Migrating from 1.0\n\nUse `box_add_item`.\n",
        # Never ours.
        "Use `box_melt_item` or `PyList_Append`.\n",
    ],
)
def test_a_sentence_of_another_time_or_about_another_name_is_left(open_helix, project, text):
    rename(project)
    commit(project, "Rename")
    assert findings(open_helix, project, "NOTES.md", text) == []


@pytest.mark.parametrize("document", ["CHANGES.md", "versioned_docs/version-1.x/use.md", "doc/MIGRATING-2.md"])
def test_a_document_of_another_version_may_name_what_was(open_helix, project, document):
    write(project, {document: "# Box\n\nUse `box_add_item`.\n"})
    rename(project)
    commit(project, "Rename")
    assert findings(open_helix, project, document) == []


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_link_to_a_document_beside_it_that_was_renamed_is_wrong_and_the_new_one_is_told(
    open_helix, project, is_committed
):
    git(project, "mv", "doc/01-usage.md", "doc/01-using.md")
    if is_committed:
        commit(project, "Rename")
    assert findings(open_helix, project, "doc/02-more.md") == [(3, "file-gone", "doc/01-using.md")]
    assert findings(open_helix, project, "README.md") == [(3, "file-gone", "doc/01-using.md")]
    # In a text from elsewhere a bare name is of its reader's project.
    assert findings(open_helix, project, "", "Open `01-usage.md`.\n") == []


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_module_that_was_renamed_is_wrong_in_directives_sessions_and_code_of_rest(open_helix, project, is_committed):
    git(project, "mv", "pack/waiting.py", "pack/patience.py")
    if is_committed:
        commit(project, "Rename")
    now = "pack/patience.py"
    assert findings(open_helix, project, "doc/wait.rst") == [
        (4, "name-gone", now),
        (6, "name-gone", now),
        (8, "name-gone", now),
        (14, "name-gone", now),
    ]


NET = """def fetch(url, timeout=3):
    return url


def fetch_any(url, **options):
    return url


def traced(function):
    return function


@traced
def fetch_traced(url):
    return url


class Client:
    def __init__(self, host, port=1):
        self.host = host


class Made:
    def __new__(cls, *given):
        return object()

    def __init__(self, host):
        self.host = host
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("from pack.net import fetch\nfetch('a', retries=3)", "it is fetch(url, timeout=3)"),
        ("from pack.net import fetch\nfetch(\n    'a', 1, 2,  # seconds\n)", "it is fetch(url, timeout=3)"),
        (">>> from pack.net import Client\n>>> Client('a', name='b')", "it is Client(host, port=1)"),
        ("from pack.net import fetch\nfetch('a', timeout=3)", ""),
        ("from pack.net import fetch\nfetch(..., retries=3)", ""),
        ("from pack.net import fetch_any\nfetch_any('a', retries=3)", ""),
        ("from pack.net import fetch_traced\nfetch_traced('a', retries=3)", ""),
        ("from pack.made import Made\nMade('a', retries=3)", ""),
        # Of another library, or given another meaning.
        ("from requests.api import fetch\nfetch('a', retries=3)", ""),
        ("from pack.net import fetch\nfetch = partial(fetch)\nfetch('a', retries=3)", ""),
        ("from pack.net import fetch\nsession.fetch('a', retries=3)", ""),
        ("fetch('a', retries=3)", ""),
    ],
)
def test_a_call_in_an_example_is_compared_with_the_one_function_that_it_imports(open_helix, project, code, message):
    net, made = NET.split("class Made")
    write(project, {"pack/net.py": net, "pack/made.py": f"class Made{made}"})
    helix = open_helix(project)
    helix.refresh()
    found = helix.check(f"# Fetch\n\n```python\n{code}\n```\n")["findings"]
    assert [(one["rule"], one["message"]) for one in found] == ([("arguments-differ", message)] if message else [])
