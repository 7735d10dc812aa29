"""Each definition of a file says how often it is used and tested, and whether it stands as it is told."""

import shutil

from tests.engine.repository import git, write

CODE = """LIMIT = 3


def load_basket(key):
    return key


class Basket:
    size = 0

    def __init__(self):
        self.size = 1

    def price_of_basket(self):
        def inner_step():
            return self.size
        return inner_step() + load_basket(1)
"""


def by_symbol(lenses):
    return {lens["symbol"]: lens for lens in lenses}


def shop(tmp_path, open_helix):
    folder = tmp_path / "project"
    write(
        folder,
        {
            "shop/basket.py": CODE,
            "shop/till.py": "from shop.basket import Basket, load_basket\n\n\n"
            "def one():\n    return load_basket(1)\n\n\ndef two():\n    return Basket()\n",
            "tests/test_basket.py": "from shop.basket import load_basket\n\n\n"
            "def test_load_basket():\n    assert load_basket(2) == 2\n",
        },
    )
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    engine = open_helix(folder)
    engine.refresh()
    return folder, engine


def test_functions_classes_and_methods_are_counted(tmp_path, open_helix):
    _, engine = shop(tmp_path, open_helix)
    lenses = by_symbol(engine.symbols.lenses(b"shop/basket.py"))
    assert list(lenses) == ["load_basket", "Basket", "Basket.price_of_basket"]
    # price_of_basket stands in the class's own item, so its use and the definition of Basket are one place each.
    assert (lenses["load_basket"]["uses"], lenses["load_basket"]["tests"]) == (2, 1)
    assert (lenses["Basket"]["uses"], lenses["Basket"]["tests"]) == (1, 0)
    assert lenses["Basket.price_of_basket"]["uses"] == 0
    assert [lens["start_line"] for lens in lenses.values()] == [4, 8, 14]
    assert {(lens["status"], lens["reason"], lens["same_name"]) for lens in lenses.values()} == {
        ("verified", "unchanged", 1)
    }


def test_unsaved_edits_move_lenses_and_mark_what_they_touch(tmp_path, open_helix):
    folder, engine = shop(tmp_path, open_helix)
    disk = (folder / "shop/basket.py").read_bytes()
    overlays = {b"shop/basket.py": b"# above\n" + disk.replace(b"return key", b"return key + 1")}
    lenses = by_symbol(engine.symbols.lenses(b"shop/basket.py", overlays=overlays))
    assert (lenses["load_basket"]["status"], lenses["load_basket"]["reason"]) == ("stale_risk", "unsaved")
    assert (lenses["Basket"]["status"], lenses["Basket"]["start_line"]) == ("verified", 9)


def test_a_file_that_changed_on_disk_is_told_as_it_stands(tmp_path, open_helix):
    folder, engine = shop(tmp_path, open_helix)
    (folder / "shop/basket.py").write_text("# above\n" + CODE.replace("load_basket", "read_basket"))
    lenses = by_symbol(engine.symbols.lenses(b"shop/basket.py"))
    assert lenses["read_basket"]["start_line"] == 5
    assert lenses["read_basket"]["status"] == "verified"


def test_a_conflicted_file_says_so_in_every_lens(tmp_path, open_helix):
    folder, engine = shop(tmp_path, open_helix)
    (folder / "shop/basket.py").write_text(CODE + "\n<<<<<<< a\nA = 1\n=======\nA = 2\n>>>>>>> b\n")
    assert {lens["reason"] for lens in engine.symbols.lenses(b"shop/basket.py")} == {"conflicted"}


def test_there_are_no_lenses_where_there_is_no_indexed_code(tmp_path, open_helix):
    folder, engine = shop(tmp_path, open_helix)
    (folder / "notes.md").write_text("# Notes\n\n`load_basket`\n")
    engine.refresh()
    for path in (b"no/such.py", b"notes.md", b"", b"\xff\0", b"../outside.py", b"shop"):
        assert engine.symbols.lenses(path) == []
    (folder / "shop/basket.py").unlink()
    assert engine.symbols.lenses(b"shop/basket.py") == []
    new = {b"shop/new.py": b"def fresh():\n    pass\n"}
    assert engine.symbols.lenses(b"shop/new.py", overlays=new) == []


def test_lenses_need_no_git(tmp_path, open_helix):
    folder, engine = shop(tmp_path, open_helix)
    shutil.rmtree(folder / ".git")
    assert len(engine.symbols.lenses(b"shop/basket.py")) == 3


def test_a_file_of_very_many_definitions_has_a_bounded_number_of_lenses(tmp_path, open_helix):
    folder = tmp_path / "project"
    write(folder, {"many.py": "".join(f"def part_{n}():\n    return {n}\n\n\n" for n in range(500))})
    engine = open_helix(folder)
    engine.refresh()
    assert len(engine.symbols.lenses(b"many.py")) == 300
