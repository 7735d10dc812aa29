"""An index is scored by its own verdicts, compared with a person's score, and what resolved a difference is kept."""

from __future__ import annotations

import math

import pytest

from helix_core.engine import Helix
from helix_core.errors import UsageError
from helix_core.health import GenomeHealthProbe, HealthDimension, cd_signal, make_genome_dimensions, resolution_to_gene

ASKED = ("how is the session cookie signed?",)
SESSIONS = "app/sessions.py"


@pytest.mark.parametrize(
    ("auto", "manual", "delta", "status"),
    [
        (0.85, 0.85, 0.0, "aligned"),
        (0.85, 0.99, 0.14, "aligned"),
        (0.85, 1.0, 0.15, "diverged"),
        (1.0, 0.61, 0.39, "diverged"),
        (1.0, 0.6, 0.4, "denatured"),
        (0.0, 1.0, 1.0, "denatured"),
        (0.3, None, 0.0, "unmeasured"),
    ],
)
def test_a_signal_follows_the_formulas_to_the_threshold(auto, manual, delta, status) -> None:
    signal = cd_signal(auto, manual)
    assert signal.delta_epsilon == pytest.approx(delta) and signal.status == status
    assert signal.ellipticity == pytest.approx(math.exp(-3 * delta**2))


@pytest.mark.parametrize("score", [-0.01, 1.01, math.nan])
def test_a_score_that_is_no_share_is_refused(score) -> None:
    with pytest.raises(UsageError):
        cd_signal(score, 0.5)
    with pytest.raises(UsageError):
        cd_signal(0.5, score)
    with pytest.raises(UsageError):
        cd_signal(score, None)


def test_freshness_is_of_the_verdicts_and_falls_with_the_disk(helix: Helix, project) -> None:
    probe = GenomeHealthProbe(helix, ASKED)
    before, detail = probe.check_freshness()
    assert before == 1.0 and detail["verified"] == detail["items"] > 0
    packet = helix.packet(ASKED[0])
    pointed = [one["source_id"] for group in ("verified", "stale_risk", "needs_refresh") for one in packet[group]]
    assert SESSIONS in pointed
    helix.session.config = __import__("dataclasses").replace(helix.session.config, reingest_budget_ms=0.0)
    for name in set(pointed):
        (project / name).write_text("# nothing is left of it\n")
    after, _ = probe.check_freshness()
    assert after < before


def test_coverage_and_relevance_are_of_the_index_and_of_the_calibrated_confidence(helix: Helix) -> None:
    asked = (*ASKED, "which kubernetes ingress controller retries?")
    probe = GenomeHealthProbe(helix, asked)
    covered, detail = probe.check_coverage()
    assert covered == 1.0 and detail["files"] > 1
    confidences = [helix.packet(one)["coordinate_confidence"] for one in asked]
    score, detail = probe.check_relevance()
    assert score == pytest.approx(sum(confidences) / 2) and detail == {"questions": 2, "unanswered": 1}


def test_a_scan_compares_with_a_persons_scores(helix: Helix) -> None:
    probe = GenomeHealthProbe(helix, ASKED)
    report = probe.full_scan({"genome_coverage": 0.5})
    by_name = {one["name"]: one for one in report["dimensions"]}
    assert list(by_name) == ["genome_freshness", "genome_coverage", "genome_relevance"]
    assert by_name["genome_coverage"]["signal"]["status"] == "denatured"
    assert by_name["genome_freshness"]["signal"]["status"] == "unmeasured"
    assert report["diverged"] == ["genome_coverage"]
    assert report["ellipticity"] == pytest.approx(math.exp(-3 * 0.25))
    with pytest.raises(UsageError, match="no dimension"):
        probe.full_scan({"genome_color": 0.5})


def test_a_resolution_becomes_a_memory_with_its_provenance_once(helix: Helix, project) -> None:
    given = {"auto_score": 0.85, "manual_score": 1.0, "resolution": "False positives in the scanner's rules"}
    handle = resolution_to_gene(helix, "security", **given, cites=[f"{SESSIONS}:6-8"])
    assert resolution_to_gene(helix, "security", **given, cites=[f"{SESSIONS}:6-8"]) == handle
    helix.memory.approve(handle)
    (found,) = helix.memory.recall("what were the false positives in the scanner's rules?")["items"]
    assert (found["id"], found["kind"], found["origin"]) == (handle, "resolution", "agent")
    assert "automatic 0.85, manual 1.00, diverged" in found["text"]
    assert found["evidence"][0]["source_id"] == SESSIONS and found["status"] == "verified"
    (project / SESSIONS).write_text("def nothing():\n    return 1\n")
    (found,) = helix.memory.recall("what were the false positives in the scanner's rules?")["items"]
    assert found["status"] == "needs_refresh"


def test_dimensions_need_no_other_package(helix: Helix, monkeypatch) -> None:
    import helix_core.health as module

    monkeypatch.setattr(module, "find_spec", lambda _: None)
    dimensions = make_genome_dimensions(helix, ASKED)
    assert all(isinstance(one, HealthDimension) for one in dimensions)
    assert [0.0 <= one.check()[0] <= 1.0 for one in dimensions] == [True, True, True]


def test_score_rift_runs_the_dimensions_where_it_is_installed(helix: Helix, tmp_path) -> None:
    scorerift = pytest.importorskip("scorerift")
    engine = scorerift.AuditEngine(db_path=str(tmp_path / "audit.db"), baseline_path=str(tmp_path / "baseline.json"))
    dimensions = make_genome_dimensions(helix, ASKED)
    assert all(isinstance(one, scorerift.Dimension) for one in dimensions)
    engine.register_many(dimensions)
    results = {one.name: one for one in engine.run_tier("light")}
    assert results["genome_freshness"].auto_score == 1.0
    assert results["genome_coverage"].auto_score == 1.0
