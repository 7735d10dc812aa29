"""When so much has changed that looking again and again mends something each time, what is told is still true."""

import pytest

from helix_core.engine import Helix
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
