"""When so much has changed that looking again and again mends something each time, what is told is still true."""

import hashlib

import pytest

from helix_core.engine import Helix
from helix_core.engine.requests import NO_OVERLAYS, PageCursor
from helix_core.engine.symbols.lookup import SymbolAnswer
from helix_core.model import Ranked, TaskType
from tests.engine.conftest import config_in
from tests.engine.repository import write

K = 3
PARCEL = '''def weigh_parcel_{number}(parcel):
    """Weigh the parcel on scale {number}."""
    return parcel.weight + {number}


def label_parcel_{number}(parcel):
    """Print the label of the parcel at desk {number}."""
    return str(parcel) + "{number}"
'''


@pytest.mark.process
def test_an_item_of_a_version_that_the_last_look_replaced_is_told_where_it_stands_now(tmp_path):
    folder = tmp_path / "project"
    write(folder, {f"depot_{number}.py": PARCEL.format(number=number) for number in range(30)})
    with Helix.open(folder, config=config_in(tmp_path, folder)) as helix:
        helix.refresh()
        question = "weigh the parcel on the scale"
        ranked = list(dict.fromkeys(item["source_id"] for item in helix.search(question, k=30)["items"]))
        for source_id in ranked[: 2 * K]:
            (folder / source_id).unlink()
        for source_id in ranked[2 * K :]:
            path = folder / source_id
            path.write_text("import depot\n\n\n" + path.read_text())
        packet = helix.packet(question, k=K)
    assert packet["verified"]
    for item in packet["verified"]:
        lines = (folder / item["source_id"]).read_text().split("\n")
        quoted = item["quote"].split("\n")
        assert lines[item["start_line"] - 1 :][: len(quoted)] == quoted


def test_a_version_that_another_process_stores_meanwhile_mixes_with_no_placed_item(tmp_path):
    folder = tmp_path / "project"
    old = PARCEL.format(number=1)
    write(folder, {"depot.py": old})
    config = config_in(tmp_path, folder)
    with Helix.open(folder, config=config) as helix, Helix.open(folder, config=config) as other:
        helix.refresh()
        reader = helix.session.index.reader
        weigher = helix.session.weigher(NO_OVERLAYS, lambda: None)
        items = reader.files.items_of(reader.files.source(b"depot.py").id)
        placed = [weigher.place(Ranked(item, 1.0, ())) for item in items]
        (folder / "depot.py").write_text("import scale\n\n\n" + old.replace("weigh_parcel", "measure_parcel"))
        other.refresh_paths([b"depot.py"])
        stored = reader.files.source(b"depot.py")
        assert stored.content_hash != items[0].source.content_hash
        weigher.observer.look(stored)
        seen, _ = weigher.see([*placed, weigher.place(Ranked(reader.files.items_of(stored.id)[-1], 1.0, ()))], 1.0)
        weighed = [weigher.weighed(one, TaskType.EXPLAIN) for one in seen]
    lines = old.split("\n")
    for one in weighed:
        item = one.ranked.item
        assert one.content_hash == hashlib.sha256(old.encode()).hexdigest()
        quoted = one.quote.split("\n")
        assert lines[item.start_line - 1 :][: len(quoted)] == quoted, item.symbol


class Overtaken:
    """A reader between two of whose queries another process writes, once."""

    def __init__(self, reader, write):
        self._reader, self._write = reader, write

    def __getattr__(self, name):
        if name == "uses" and self._write is not None:
            write, self._write = self._write, None
            write()
        return getattr(self._reader, name)


def test_a_definition_that_another_process_stores_anew_meanwhile_is_no_user_of_its_name(tmp_path):
    folder = tmp_path / "project"
    write(folder, {"app.py": "def sign(key):\n    return key\n"})
    config = config_in(tmp_path, folder)
    with Helix.open(folder, config=config) as helix, Helix.open(folder, config=config) as other:
        helix.refresh()

        def change():
            write(folder, {"app.py": "import os\n\n\ndef sign(salt):\n    return salt\n"})
            other.refresh_paths([b"app.py"])

        reader = Overtaken(helix.session.index.reader, change)
        weigher = helix.session.weigher(NO_OVERLAYS, lambda: None)
        answer = SymbolAnswer(reader, weigher, None, PageCursor(0, 5, ""), counts=True)
        known = answer.about("sign", b"", 0, NO_OVERLAYS)
    assert [place["start_line"] for place in known["definitions"]] == [4]
    assert (known["users"], known["users_total"]) == ([], 0)
