"""The JSON of every verb has exactly the keys of the contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import FILES, Ran, RunHelix, make_repository, runner

ITEM = {
    *("kind", "gene_id", "title", "source_id", "uri", "source_kind", "language", "symbol", "start_line", "end_line"),
    *("content_hash", "volatility_class", "authority_class", "last_verified_at", "commit", "author", "committed_at"),
    *("relevance_score", "live_truth_score", "status", "reason", "quote", "citations"),
}
PACKET = {
    *("schema", "task_type", "query", "workspace", "head", "verified", "stale_risk", "needs_refresh"),
    *("contradictions", "refresh_targets", "known_empty", "coordinate_confidence", "notes", "accounting"),
}
SEARCH = {"schema", "query", "items", "known_empty", "confidence", "elapsed_ms"}
SEARCH_ITEM = {"source_id", "start_line", "end_line", "symbol", "kind", "score", "signals"}
ACCOUNTING = {"searched", "evaluated", "returned", "tokens", "elapsed_ms", "signals"}


@pytest.fixture(scope="module")
def open_shop(tmp_path_factory: pytest.TempPathFactory, starts_processes: None) -> tuple[RunHelix, Path]:
    """A repository that was indexed once; the tests here change nothing."""
    folder = tmp_path_factory.mktemp("json")
    helix = runner(folder)
    shop = make_repository(folder / "shop", FILES)
    assert helix("index", shop).status == 0
    return helix, shop


def ask(open_shop: tuple[RunHelix, Path], *arguments: str) -> Ran:
    helix, shop = open_shop
    ran = helix(*arguments, "--path", shop, "--json")
    assert ran.status == 0, ran.err
    assert ran.err == ""
    return ran


def test_search_is_the_contract_object_on_one_line_of_ascii(open_shop: tuple[RunHelix, Path]) -> None:
    ran = ask(open_shop, "search", "total price of the basket")
    answer = ran.answer
    assert answer.keys() >= SEARCH
    assert answer["schema"] == "helix.search/1"
    assert answer["query"] == "total price of the basket"
    assert answer["items"][0].keys() >= SEARCH_ITEM
    assert answer["items"][0]["source_id"] == "shop/basket.py"
    assert ran.out.isascii()
    assert ran.out.count("\n") == 1


def test_k_bounds_the_answer(open_shop: tuple[RunHelix, Path]) -> None:
    assert len(ask(open_shop, "search", "shipping", "-k", "1").answer["items"]) == 1


def test_packet_is_the_contract_object(open_shop: tuple[RunHelix, Path]) -> None:
    answer = ask(open_shop, "packet", "shipping_cost", "--task", "edit").answer
    assert answer.keys() >= PACKET
    assert answer["schema"] == "helix.packet/1"
    assert answer["task_type"] == "edit"
    assert answer["accounting"].keys() >= ACCOUNTING
    assert len(answer["head"]) == 40
    best = answer["verified"][0]
    assert best.keys() >= ITEM
    assert best["source_id"] == "shop/shipping.py"
    assert best["author"] == "Ada"
    lines = FILES["shop/shipping.py"].splitlines(keepends=True)
    assert best["quote"] == "".join(lines[best["start_line"] - 1 : best["end_line"]]).removesuffix("\n")


def test_what_is_not_there_is_a_normal_answer(open_shop: tuple[RunHelix, Path]) -> None:
    answer = ask(open_shop, "packet", "zyzzyva quokka").answer
    assert answer["known_empty"] is True
    assert answer["verified"] == []


def test_what_is_not_there_comes_with_names_to_try_and_what_was_searched(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = ask(open_shop, "packet", "where does shiping_cots live").answer
    assert answer["known_empty"] is True
    assert "shipping_cost" in answer["nearest"]
    assert answer["accounting"]["searched"] > 0
    said = helix("packet", "where does shiping_cots live", "--path", shop).out
    assert "shipping_cost" in said.partition("Names that come near: ")[2]


def test_status_tells_index_git_and_what_was_left_out(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("status", shop, "--json").answer
    assert answer["schema"] == "helix.status/1"
    assert answer["fresh"] is True
    assert answer["index"]["files"] == len(FILES)
    assert answer["git"]["branch"] == "main"
    assert isinstance(answer["skipped"], dict)
    assert "skipped_files" not in answer


def test_index_reports_what_it_did(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("index", shop, "--json").answer
    assert answer["schema"] == "helix.index/1"
    assert answer["files"] == answer["unchanged"] == len(FILES)
    assert answer["quarantined"] == []


def test_config_says_where_each_value_came_from(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("config", shop, "--explain", "--json", HELIX_INDEX_WORKERS="1").answer
    assert answer["schema"] == "helix.config/1"
    workers = next(each for each in answer["settings"] if each["key"] == "index.workers")
    assert (workers["value"], workers["origin"], workers["place"]) == (1, "environment", "HELIX_INDEX_WORKERS")


def test_doctor_lists_checks_with_actions(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("doctor", shop, "--json").answer
    assert answer["schema"] == "helix.doctor/1"
    assert answer["ok"] is True
    assert {"Python", "SQLite", "grammars", "git", "cache folder", "settings"} <= {c["name"] for c in answer["checks"]}
    assert all(check.keys() == {"name", "state", "detail", "action"} for check in answer["checks"])


def test_the_json_path_draws_nothing(open_shop: tuple[RunHelix, Path]) -> None:
    """rich and pydantic would cost more than the search itself."""
    helix, shop = open_shop
    ran = helix("search", "price", "--path", shop, "--json", PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert "helix_core.engine" in loaded
    assert not loaded & {"rich.console", "rich.text", "pydantic", "pygments", "tree_sitter_python", "detect_secrets"}
    assert json.loads(ran.out)["items"]


def test_context_is_one_object_with_its_account(open_shop: tuple[RunHelix, Path]) -> None:
    helix, shop = open_shop
    answer = helix("context", "shipping cost", "--path", str(shop), "--budget", "500", "--json").answer
    assert answer["schema"] == "helix.context/1"
    assert 0 < answer["tokens"] <= answer["budget"] == 500
    assert answer["verdicts"]["verified"] == len(answer["blocks"])
    assert answer["context_health"]["status"] == "aligned"
    assert {"text", "left_out", "budget_tier", "known_empty", "coordinate_confidence", "notes"} <= set(answer)
