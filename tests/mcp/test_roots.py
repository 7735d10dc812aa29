"""Which folder a question is about."""

from pathlib import Path

import pytest

from helix_core.errors import UsageError
from helix_core.workspace.disk import is_no_project
from helix_ls.mcp.roots import GivenFolders, folder_of


def test_roots_are_chosen_by_name_and_names_that_recur_are_told_apart(tmp_path):
    first, second = tmp_path / "a" / "shop", tmp_path / "b" / "shop"
    for folder in (first, second):
        folder.mkdir(parents=True)
    folders = GivenFolders(tmp_path, is_named=True)
    assert folders.chosen(None) == (tmp_path, ())
    folders.offer([first.as_uri(), second.as_uri(), first.as_uri() + "/"])
    assert folders.chosen(None) == (first, ("shop (2)",))
    assert folders.chosen("shop (2)") == (second, ())
    with pytest.raises(UsageError, match="those that are open: shop, shop"):
        folders.chosen("market")
    folders.offer([])
    assert folders.chosen(tmp_path.name) == (tmp_path, ())


def test_a_root_is_a_folder_of_this_machine_and_never_the_whole_of_it(tmp_path):
    named = tmp_path / "caf\u00e9 #1"
    named.mkdir()
    (tmp_path / "file").touch()
    assert folder_of(named.as_uri()) == named
    assert folder_of(named.as_uri().replace("file://", "file://localhost")) == named
    for uri in (
        "file:///",
        "file://elsewhere/share",
        "https://example.invalid/",
        (tmp_path / "file").as_uri(),
        (tmp_path / "nothing").as_uri(),
        "file://[",
        "file:///a%00b",
        "",
    ):
        assert folder_of(uri) is None, uri
    assert is_no_project(Path.home())
