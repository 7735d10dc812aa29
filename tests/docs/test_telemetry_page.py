"""The files of docs/telemetry fit each other and what Helix exports, and the page names the tables of the code."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from helix_core.config import SETTINGS
from helix_core.telemetry import NAMES
from helix_ls.proxy.evidence import ChatEvidence
from helix_ls.proxy.metrics import Measures

FOLDER = Path(__file__).parents[2] / "docs" / "telemetry"
PAGE = FOLDER.with_suffix(".md").read_text(encoding="utf-8")


def read(name: str) -> Any:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def exported() -> set[str]:
    async def served() -> str:
        measures = Measures()
        ChatEvidence(1_000, measures)
        return measures.text()

    return set(re.findall(r"^# TYPE (\S+) ", asyncio.run(served()), re.MULTILINE))


@pytest.mark.parametrize("file", sorted(FOLDER.iterdir()), ids=lambda file: file.name)
def test_each_file_can_be_parsed_and_is_mounted_by_the_compose_file(file: Path) -> None:
    assert isinstance(read(file.name), dict)
    mounted = {volume.split(":")[0] for each in read("compose.yaml")["services"].values() for volume in each["volumes"]}
    assert file.name == "compose.yaml" or f"./{file.name}" in mounted


def test_every_port_is_published_on_loopback_alone() -> None:
    services = read("compose.yaml")["services"]
    assert all(port.startswith("127.0.0.1:") for each in services.values() for port in each.get("ports", ()))


def test_the_collector_listens_where_helix_sends() -> None:
    port = urlsplit(str(SETTINGS["otel.endpoint"].default)).port
    collector = read("compose.yaml")["services"]["collector"]
    assert f"127.0.0.1:{port}:{port}" in collector["ports"]
    assert read("collector.yaml")["receivers"]["otlp"]["protocols"]["http"]["endpoint"] == f"0.0.0.0:{port}"


def test_each_part_names_an_address_that_another_one_has() -> None:
    services, config = read("compose.yaml")["services"], read("collector.yaml")
    host, port = config["exporters"]["otlp/tempo"]["endpoint"].split(":")
    assert host in services
    assert read("tempo.yaml")["distributor"]["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"] == f"0.0.0.0:{port}"
    shown = config["exporters"]["prometheus"]["endpoint"].rpartition(":")[2]
    assert read("prometheus.yaml")["scrape_configs"][0]["static_configs"][0]["targets"] == [f"collector:{shown}"]
    for pipeline in config["service"]["pipelines"].values():
        assert set(pipeline["receivers"]) <= set(config["receivers"])
        assert set(pipeline["processors"]) <= set(config["processors"])
        assert set(pipeline["exporters"]) <= set(config["exporters"])
    sources = {each["uid"]: urlsplit(each["url"]) for each in read("grafana-datasources.yaml")["datasources"]}
    assert {each.hostname for each in sources.values()} <= set(services)
    assert sources["tempo"].port == read("tempo.yaml")["server"]["http_listen_port"]
    assert {panel["datasource"]["uid"] for panel in read("dashboard.json")["panels"]} == set(sources)


def test_every_metric_and_span_of_the_dashboard_is_one_that_helix_exports() -> None:
    text = json.dumps(read("dashboard.json"))
    metrics, spans = set(re.findall(r"\bhelix_\w+", text)), set(re.findall(r"\bhelix\.\w+", text))
    assert len(metrics) >= 8
    assert metrics <= exported()
    assert spans
    assert spans <= set(NAMES)


def test_the_page_has_every_span_and_every_setting() -> None:
    for name, covers in NAMES.items():
        assert f"| `{name}` | {covers} |" in PAGE
    for setting in SETTINGS.values():
        if setting.key.startswith("otel."):
            assert f"| `{setting.variable}` | `{setting.key}` |" in PAGE
