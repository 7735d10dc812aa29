"""A heading is named as its reader sees it, whatever markup draws it."""

import pytest

from helix_core.ingest import ingest
from helix_core.ingest.headings import readable


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("![Redis client](https://example.invalid/logo.svg)", "Redis client"),
        ("![logo](img/logo.png) Install", "logo Install"),
        ("[![Build](https://example.invalid/b.svg)](https://example.invalid) [![PyPI][1]][2]", "Build PyPI"),
        ('<img src="x.png" alt="Pinia"> Store', "Pinia Store"),
        ('<a name="top"></a>[`useStore<a>`](api.md) {#use}', "`useStore<a>`"),
        # What is no markup, or nothing else, stays.
        ("List<T> and arr[i][j]", "List<T> and arr[i][j]"),
        ("[1.2.0] - 2024", "[1.2.0] - 2024"),
        ("![](x.png)", "![](x.png)"),
    ],
)
def test_a_title_is_what_its_reader_sees(title, shown):
    assert readable(title) == shown


PAGE = """# ![logo](logo.svg)

One.

<h1 align="center">
  <img src="l.png" alt="Basket"><br>
  Shop
</h1>

Two.

<div><h2 align=center>Install it</h2></div>

Three.

```html
<h1>Not here</h1>
```

### Next

Four, with <h1>no heading</h1> in it.
"""


def test_html_draws_headings_of_its_level():
    chunks = ingest(b"README.md", PAGE.encode(), embed=False).chunks
    named = [(one.name, one.start_line, one.end_line, one.trail) for chunk in chunks for one in chunk.definitions]
    assert named == [
        ("logo", 1, 4, ""),
        ("Basket Shop", 5, 22, ""),
        ("Install it", 12, 22, "Basket Shop"),
        ("Next", 20, 22, "Basket Shop > Install it"),
    ]
