"""What a document refers to, and what it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helix_core.ingest import references
from helix_core.ingest.references import code_spans, references_in


def names(text, language="markdown"):
    return [".".join(one.parts) for one in references_in(text, language) if one.parts]


def paths(text, language="markdown"):
    return [one.path for one in references_in(text, language) if one.path]


def test_code_of_one_or_two_characters_shifts_no_backtick():
    text = "`REQUEST_TIMEOUT` defaults to `30`. Use `send_from_directory()` and `defaults.connect_now()`."
    assert names(text) == ["REQUEST_TIMEOUT", "send_from_directory", "defaults.connect_now"]
    assert names("Set `-k` or `x`, then call `open_session()` and `save_session()`.") == [
        "x",
        "open_session",
        "save_session",
    ]


def test_runs_of_backticks_close_at_a_run_of_their_length():
    assert [code for _, _, code in code_spans("``a ` b`` `c` ```d``` `` `e` ``")] == ["a ` b", "c", "d", "`e`"]
    assert [code for _, _, code in code_spans(r"\`no but `yes` and `it\` is")] == ["yes", "it\\"]
    assert [code for _, _, code in code_spans("`open ``both``")] == ["both"]


@given(st.text(alphabet="`ab \\*", max_size=40))
def test_backticks_pair_as_commonmark_pairs_them(text):
    inline = MarkdownIt("commonmark", {"html": False}).disable(["autolink", "link", "image", "emphasis"])
    tokens = inline.parseInline(text)[0].children or []
    assert [code for _, _, code in code_spans(text)] == [one.content for one in tokens if one.type == "code_inline"]


def test_code_blocks_comments_and_commands_refer_to_nothing():
    text = """Use `real_name`.

```console
$ `fenced_name`
```

~~~~
`tilde_name`
~~~
`still_tilde`
~~~~

    `indented_name`

<!-- `commented_name`
`still_commented` -->

$ `shell_name`

`flask run` and `$ make all` and `pip install -e .`, then `last_name`.
"""
    assert names(text) == ["real_name", "last_name"]


def test_a_paragraph_in_a_list_is_no_code():
    assert names("- one\n\n    `nested_name` of the item\n\n        `code_name`\n") == ["nested_name"]


def test_roles_directives_and_titles_of_rest():
    text = """.. currentmodule:: flask

The :func:`run <cli.run_command>` command, :meth:`~flask.Flask.run`, :py:class:`!Old`, ``literal_name()``,
:ref:`section-name` and `A link <https://example.invalid>`_.

.. class:: Session(key, \\
                   secret=None)

   .. method:: open(path)

      Opens.

   .. attribute:: age

.. versionchanged:: 2.0
   :func:`old_function` went.

.. code-block:: python

   ``in_code``

Like this::

   :func:`in_literal`

>>> :func:`in_doctest`

.. A comment with :func:`in_comment`

.. note:: See :func:`noted`.
"""
    assert names(text, "rst") == [
        *("cli.run_command", "flask.Flask.run", "Old", "literal_name"),
        *("flask.Session", "flask.Session.open", "flask.Session.age", "noted"),
    ]
    declared = [one for one in references_in(text, "rst") if one.is_signature]
    assert [(one.name, one.arguments, one.line) for one in declared] == [
        ("Session", "key, secret=None", 6),
        ("open", "path", 9),
    ]


def test_roles_and_directives_of_myst():
    text = "See {func}`attrs.define` and {meth}`run <App.run>`.\n\n```{eval-rst}\n.. autofunction:: attrs.field\n```\n"
    assert names(text) == ["attrs.define", "App.run", "attrs.field"]
    assert [one.line for one in references_in(text, "markdown")] == [1, 1, 4]
    assert [one.is_generated for one in references_in(text, "markdown")] == [False, False, True]


def test_paths_are_links_and_code_that_looks_like_a_file():
    text = (
        "See `src/app.py`, `NOTES.md`, [the guide](guide.md#top), [away](https://example.invalid/a.md), `a.b` `/etc/x`."
    )
    assert sorted(paths(text)) == ["NOTES.md", "guide.md", "src/app.py"]


def test_a_reference_knows_its_line_sentence_and_what_stands_beside_it():
    text = "# Title\n\nFirst `one_name` here. Then `two_name` with\n`key` is said. Last.\n"
    first, second, key = references_in(text, "markdown")
    assert (first.line, second.line, key.line) == (3, 3, 4)
    assert second.sentence.split() == ["Then", "`two_name`", "with", "`key`", "is", "said."]
    assert second.other_code == ("one_name", "key")
    assert (second.first_line, second.last_line) == (3, 4)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["`" * 5_000, "`a" * 5_000, "[" * 5_000, "`1" + "1" * 50_000 + "`", ":a:`" * 3_000])
@pytest.mark.parametrize("language", ["markdown", "rst"])
def test_hostile_text_is_read_to_its_end(text, language):
    assert len(references_in(text, language)) <= 4_000


@given(st.text(alphabet="`:.~<>()[]{}#|-=*$\\ \n\tabc", max_size=120), st.sampled_from(["markdown", "rst"]))
def test_any_text_gives_references_on_its_own_lines(text, language):
    last = text.count("\n") + 1
    assert all(1 <= one.first_line <= one.line <= last for one in references_in(text, language))


DOCUMENT = """
Title
=====

.. module:: shop

Call :func:`open_shop` and then `close_shop(now)`.

.. class:: Basket(price)

    It has ``limit``,
    and `add`.

    .. method:: pay(card)

        Takes ``card``.

- `one`
- [two](two.md), `2`

```{note}
`three` is here
```

.. code-block:: python

    `no_code_here`
"""


@pytest.mark.parametrize("language", ["rst", "markdown"])
def test_the_references_of_some_lines_are_those_of_the_whole_document_there(language: str) -> None:
    whole = references_in(DOCUMENT, language)
    assert len(whole) >= 5
    last = DOCUMENT.count("\n") + 2
    for start in range(1, last):
        for stop in range(start, last + 1):
            expected = tuple(one for one in whole if one.line in range(start, stop))
            assert references_in(DOCUMENT, language, range(start, stop)) == expected


@pytest.mark.parametrize("language", ["rst", "markdown"])
def test_what_is_beyond_the_most_references_is_beyond_them_in_some_lines_too(language: str) -> None:
    text = "`first` " * 3_990 + "\n\n" + "".join(f"`name_{number}`\n\n" for number in range(30))
    here = range(3, 3 + 60)
    assert references_in(text, language, here) == tuple(
        one for one in references_in(text, language) if one.line in here
    )
    assert len(references_in(text, language, here)) == 10


@pytest.mark.parametrize("language", ["rst", "markdown"])
def test_no_paragraph_without_code_or_of_other_lines_is_read(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    in_block = getattr(references, f"_in_{language}_block")

    def note(block):
        read.append(block.first_line)
        return in_block(block)

    monkeypatch.setattr(references, f"_in_{language}_block", note)
    text = "".join(f"Paragraph {number} has `code_{number}`.\n\nThis one has none.\n\n" for number in range(9))
    assert [one.name for one in references_in(text, language, range(9, 12))] == ["code_2"]
    assert [line for line in read if line % 4 == 1] == [9]
    blocks = references._blocks_of(text, language)
    monkeypatch.setattr(references, "_blocks_of", lambda *_: pytest.fail("nothing in it is a reference"))
    assert blocks and references_in("Plain words.\n\nAnd more, of 3 lines.\n" * 9, language) == ()


SESSION = """Waiting
=======

>>> from pack.waiting import Wait
>>> from pack.errors import (
>>>    Busy,
...    Late as Slow,
>>> )

Text with ``code``::

    from pack.kept import Kept

.. code-block:: python

   from pack.shown import Shown

.. code-block:: console

   from pack.none import Nothing

.. versionchanged:: 2.0

   >>> from pack.waiting import Wait
   from pack.past import Past

.. from pack.comment import Comment
"""


def test_what_examples_of_python_import_is_referred_to_by_its_whole_path():
    found = [(one.line, one.written) for one in references_in(SESSION, "rst") if one.role == "import"]
    assert found[:5] == [
        (4, "pack.waiting.Wait"),
        (5, "pack.errors.Busy"),
        (5, "pack.errors.Late"),
        (12, "pack.kept.Kept"),
        (16, "pack.shown.Shown"),
    ]
    assert not {"Nothing", "Past", "Comment"} & {written.rpartition(".")[2] for _, written in found}
    fenced = "Use it:\n\n```python\nfrom pack.waiting import Wait\n```\n\n```sh\nfrom pack.none import Nothing\n```\n"
    assert [(one.line, one.written) for one in references_in(fenced, "markdown")] == [(4, "pack.waiting.Wait")]
