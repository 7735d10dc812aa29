"""An OpenTelemetry collector on loopback: a real HTTP server that takes OTLP over HTTP and keeps what came."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

DEADLINE_S = 60.0


@dataclass(frozen=True, slots=True)
class CollectedSpan:
    """One span as it came over the wire."""

    name: str
    trace: bytes
    identity: bytes
    parent: bytes
    status: int
    attributes: dict[str, Any]
    events: int


class Collector(ThreadingHTTPServer):
    """Serves from construction to ``close``. ``bodies`` are the requests' bytes by their path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[tuple[str, bytes]] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def spans(self) -> list[CollectedSpan]:
        return [
            CollectedSpan(
                span.name,
                span.trace_id,
                span.span_id,
                span.parent_span_id,
                span.status.code,
                {each.key: value(each.value) for each in span.attributes},
                len(span.events),
            )
            for path, body in tuple(self.bodies)
            if path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def named(self, name: str, count: int = 1) -> list[CollectedSpan]:
        """Wait until so many spans of that name have come, and return them."""
        until = time.monotonic() + DEADLINE_S
        while len(found := [span for span in self.spans() if span.name == name]) < count:
            assert time.monotonic() < until, (name, [span.name for span in self.spans()])
            time.sleep(0.02)
        return found

    def metrics(self) -> dict[str, list[tuple[dict[str, Any], float]]]:
        """Return the points of each metric as they came last, by its name."""
        return {
            metric.name: [
                ({each.key: value(each.value) for each in point.attributes}, point.as_double or float(point.as_int))
                for point in (metric.sum if metric.HasField("sum") else metric.gauge).data_points
            ]
            for path, body in tuple(self.bodies)
            if path == "/v1/metrics"
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join(60)


def value(given: Any) -> Any:
    return getattr(given, given.WhichOneof("value"))


class _Handler(BaseHTTPRequestHandler):
    server: Collector
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert self.headers["content-type"] == "application/x-protobuf"
        body = self.rfile.read(int(self.headers["content-length"]))
        answers = {"/v1/traces": ExportTraceServiceResponse, "/v1/metrics": ExportMetricsServiceResponse}
        said = answers[self.path]().SerializeToString()
        self.server.bodies.append((self.path, body))
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""
