"""``index.max_files`` and ``index.include`` leave files out of the index, and no answer is silent about it."""

import os
import time

import pytest

from helix_core.config import load_config
from helix_core.engine import Helix
from tests.engine.repository import write

NOTE = "1 file is left out and not searched, because index.max_files is 2; raise it, or choose files with index.include"


def function(name):
    return f"def {name}():\n    return 1\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "plain"
    write(folder, {"alpha.py": function("alpha_first"), "app/beta.py": function("beta_second")})
    write(folder, {"app/deep/gamma.py": function("gamma_third")})
    return folder


def engine(folder, tmp_path, most):
    environ = {
        "HELIX_CACHE_DIR": str(tmp_path / "cache"),
        "HELIX_DATA_DIR": str(tmp_path / "data"),
        "HELIX_INDEX_MAX_FILES": str(most),
    }
    return Helix.open(folder, config=load_config(folder, environ=environ, user=tmp_path / "none.toml"))


def indexed(helix):
    return sorted(os.fsdecode(path) for path in helix.session.index.reader.files.states())


def test_what_is_over_the_limit_is_told_by_the_refresh_the_status_and_each_answer(folder, tmp_path):
    with engine(folder, tmp_path, 2) as helix:
        report = helix.refresh()
        assert (report.files, report.skipped, report.notes) == (2, {"over_limit": 1}, (NOTE,))
        # What was read as it was written is read once more.
        time.sleep(helix.unsettled()[1])
        helix.refresh()
        status = helix.status(skipped=True)
        assert status["notes"] == [NOTE] and status["fresh"]
        assert status["skipped_files"] == [{"source_id": "app/deep/gamma.py", "reason": "over_limit"}]
        assert NOTE in helix.packet("gamma_third")["notes"]
        assert NOTE in helix.search("alpha_first")["notes"]
    with engine(folder, tmp_path, 3) as helix:
        assert helix.refresh().skipped == {}
        assert helix.search("gamma_third")["items"][0]["source_id"] == "app/deep/gamma.py"
        assert NOTE not in helix.search("gamma_third")["notes"]


def test_a_file_that_comes_or_goes_changes_which_files_are_within_the_limit(folder, tmp_path):
    with engine(folder, tmp_path, 2) as helix:
        helix.refresh()
        write(folder, {"delta.py": function("delta_fourth")})
        helix.refresh_paths([b"delta.py"])
        assert indexed(helix) == ["alpha.py", "delta.py"]
        (folder / "alpha.py").unlink()
        helix.refresh_paths([b"alpha.py"])
        assert indexed(helix) == ["app/beta.py", "delta.py"]
        write(folder, {"new/eps.py": function("eps_fifth"), "new/zeta.py": function("zeta_sixth")})
        helix.refresh_paths([b"new"])
        assert indexed(helix) == ["app/beta.py", "delta.py"]
        assert helix.refresh().skipped == {"over_limit": 3}


def test_a_saved_file_beyond_the_limit_waits_for_the_whole_refresh(folder, tmp_path):
    with engine(folder, tmp_path, 2) as helix:
        helix.refresh()
        write(folder, {"delta.py": function("delta_fourth")})
        helix.take_saved([b"delta.py"])
        assert indexed(helix) == ["alpha.py", "app/beta.py"]
        write(folder, {"alpha.py": function("alpha_again")})
        helix.take_saved([b"alpha.py"])
        assert helix.search("alpha_again")["items"][0]["source_id"] == "alpha.py"


def test_what_is_over_the_limit_counts_as_not_indexed(folder, tmp_path):
    with engine(folder, tmp_path, 1) as helix:
        helix.refresh()
        found = helix.search("where is gamma_third")
        assert not found["known_empty"]
        assert found["indexed_share"] == pytest.approx(1 / 3, abs=0.01)
        missing = helix.packet("where is gamma_third")
        assert not missing["known_empty"] and missing["accounting"]["indexed_share"] < 1


def including(folder, tmp_path, *globs):
    write(folder, {"helix.toml": f"[index]\ninclude = {list(globs)}\n"})
    write(folder, {"picture.png": "no text"})
    return engine(folder, tmp_path, 0)


def test_every_answer_says_how_many_files_are_outside_of_what_is_included(folder, tmp_path):
    with including(folder, tmp_path, "app/deep/**") as helix:
        helix.refresh()
        note = "3 files are outside index.include and not searched"
        found = helix.search("where is alpha_first")
        assert note in found["notes"] and found["indexed_share"] == 1
        assert note in helix.packet("gamma_third")["notes"]
        assert note in helix.symbols.unknown("alpha_first")


def test_an_include_that_names_no_file_leaves_nothing_known(folder, tmp_path):
    with including(folder, tmp_path, "nothing/**") as helix:
        helix.refresh()
        found = helix.search("where is alpha_first")
        assert not found["known_empty"]
        assert found["notes"] == ["4 files are outside index.include and not searched"]


def test_every_answer_names_the_patterns_that_are_none_and_nothing_is_lost(folder, tmp_path):
    with including(folder, tmp_path, "[", "!") as helix:
        helix.refresh()
        found = helix.search("where is alpha_first")
        (note,) = found["notes"]
        assert note.startswith(
            "index.include: '[', '!' are no path patterns and are ignored, so that every file counts;"
        )
        assert found["items"][0]["symbol"] == "alpha_first"
        assert note in helix.packet("gamma_third")["notes"]
        assert helix.status()["notes"] == [note]


def test_every_answer_names_an_excluded_pattern_that_is_none(folder, tmp_path):
    write(folder, {"helix.toml": '[index]\nexclude = ["app/deep/", "["]\n'})
    with engine(folder, tmp_path, 0) as helix:
        helix.refresh()
        found = helix.search("where is alpha_first")
        assert [note.partition(";")[0] for note in found["notes"]] == [
            "index.exclude: '[' is no path pattern and is ignored"
        ]
