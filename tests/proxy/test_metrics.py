"""``/metrics`` is what Prometheus reads, by the parsers of its own client."""

import re

from prometheus_client.openmetrics.parser import text_string_to_metric_families as strictly
from prometheus_client.parser import text_string_to_metric_families as families

from helix_ls.proxy.metrics import Measures
from helix_ls.proxy.status import PROMETHEUS


def as_openmetrics(text):
    """The same in the later format, whose parser is the strict one: a counter's family has no ``_total``."""
    return re.sub(r"^(# (?:HELP|TYPE) \S+)_total ", r"\1 ", text, flags=re.MULTILINE) + "# EOF\n"


def read(text):
    """Every sample by name and labels; each stands in a family that is described, once."""
    found = {}
    for family in strictly(as_openmetrics(text)):
        assert family.documentation and family.type in ("counter", "gauge")
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found
            found[key] = sample.value
    plain = [(one.name, tuple(sorted(one.labels.items()))) for family in families(text) for one in family.samples]
    assert sorted(plain) == sorted(found)
    return found


def test_a_server_that_has_answered_is_read_to_the_last_number(server):
    with server.http() as client:
        client.post("/v1/chat/completions", json={"model": "plain", "messages": [{"role": "user", "content": "hello"}]})
        client.get("/nothing")
        answer = client.get("/metrics")
    assert answer.headers["content-type"] == PROMETHEUS
    found = read(answer.text)
    assert found[("helix_chats_open", ())] == 0
    assert {name for name, _ in found} >= {"helix_requests_total", "helix_answers_total", "helix_first_bytes_total"}
    assert all(value >= 0 for value in found.values())


def test_whatever_a_label_says_comes_back_as_it_was():
    measures, said = Measures(), 'a "quoted" \\\\ back\\n slash\nand a line {x="y"} 1 ü,'
    measures.add("helix_refused_total", 2.5, cause=said)
    measures.add("helix_refused_total", 1e15, cause="other")
    assert {key: value for key, value in read(measures.text()).items() if value} == {
        ("helix_refused_total", (("cause", said),)): 2.5,
        ("helix_refused_total", (("cause", "other"),)): 1e15,
    }
