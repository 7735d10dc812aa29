"""Spans and metrics sent by OTLP over HTTP, with the SDK of OpenTelemetry: the only module that imports it.

Loaded where the user's settings want it. The tracer is our own, never the global one, so that spans of other libraries
are not exported. No proxy and no ``.netrc`` of the environment is used, and no redirect is followed. An attribute
leaves only as a number, as a word of a list of ours, or where the user wants it as a question with its secrets masked;
of an exception only the type is recorded, as a message may quote anything.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import requests
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from helix_core import __version__
from helix_core.config import Config
from helix_core.secrets import mask_typed
from helix_core.telemetry import COUNTS, TEXTS, WORDS, Value
from helix_ls.host.log import LOG

if TYPE_CHECKING:
    from prometheus_client import Metric

Families = Callable[[], Iterable["Metric"]]

SERVICE = "helix"
EXPORT_S = 2.0
CLOSE_S = 1.0
"""How long an end waits for what is left. The exporter limits single reads, and a server may send a byte each."""
SPANS_MS, METRICS_MS = 1_000, 10_000
"""How often what has come together is exported, in milliseconds."""
MOST_TEXT = 1_000
_WORD = re.compile(r"[A-Za-z0-9_./{}-]{1,64}")
_KINDS = {"helix.request": SpanKind.SERVER, "helix.mcp": SpanKind.SERVER, "helix.upstream": SpanKind.CLIENT}
_PROPAGATOR = TraceContextTextMapPropagator()
# Names of the semantic conventions; every other attribute is named helix.<name>.
_STANDARD = {"route": "http.route", "status": "http.response.status_code", "error": "error.type"}


class Exporting:
    """Exports spans and metrics to ``config.otel_endpoint``."""

    problem = ""

    def __init__(self, config: Config) -> None:
        _report_failures_once()
        self._endpoint, self._redacts = config.otel_endpoint, config.otel_redact_query
        self._resource = Resource({"service.name": SERVICE, "service.version": __version__})
        # The user's ratio holds for traces that a caller began, too; by the id, so that all processes decide alike.
        share = TraceIdRatioBased(config.otel_sampler_ratio)
        self._provider = TracerProvider(
            sampler=ParentBased(share, remote_parent_sampled=share),
            resource=self._resource,
            shutdown_on_exit=False,
        )
        exporter = OTLPSpanExporter(endpoint=f"{self._endpoint}/v1/traces", session=_session(), timeout=EXPORT_S)
        self._provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=SPANS_MS))
        self._tracer = self._provider.get_tracer(SERVICE, __version__)

    def span(self, name: str, /, **attributes: Value | None) -> ExportedSpan:
        """Begin a span below the current one, in this thread or task."""
        return ExportedSpan(self._tracer, name, attributes, self._shown)

    def carrier(self) -> str:
        """Return the current span as a ``traceparent``, or an empty string."""
        carried: dict[str, str] = {}
        _PROPAGATOR.inject(carried)
        return carried.get("traceparent", "")

    @contextmanager
    def below(self, carrier: str) -> Iterator[None]:
        """Begin spans below that of a ``traceparent`` for the block; an invalid one changes nothing."""
        token = context.attach(_PROPAGATOR.extract({"traceparent": carrier}))
        try:
            yield
        finally:
            context.detach(token)

    def watch(self, families: Families) -> Callable[[], None]:
        """Export the counters and gauges of a Prometheus registry under their own names."""
        exporter = OTLPMetricExporter(endpoint=f"{self._endpoint}/v1/metrics", session=_session(), timeout=EXPORT_S)
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=METRICS_MS)
        provider = MeterProvider([reader], resource=self._resource, shutdown_on_exit=False)
        meter = provider.get_meter(SERVICE, __version__)
        for family in families():
            observe = partial(_observed, families, family.name)
            if family.type == "counter":
                meter.create_observable_counter(f"{family.name}_total", [observe], description=family.documentation)
            else:
                meter.create_observable_gauge(family.name, [observe], description=family.documentation)
        return partial(_end, provider.shutdown)

    def close(self) -> None:
        """Export what is left, for at most ``CLOSE_S`` seconds."""
        _end(self._provider.shutdown)

    def _shown(self, attributes: Mapping[str, Value | None]) -> Iterator[tuple[str, Value]]:
        """Yield what may leave of some attributes, by the name it has on the wire."""
        for name, value in attributes.items():
            key = _STANDARD.get(name, f"helix.{name}")
            if name in COUNTS and isinstance(value, bool | int | float):
                yield key, value
            elif isinstance(value, str):
                if name in WORDS and _WORD.fullmatch(value):
                    yield key, value
                elif name in TEXTS and not self._redacts:
                    yield key, mask_typed(value).text()[:MOST_TEXT]


class ExportedSpan:
    """A span that is exported when it ends. Belongs to the thread or task that it is entered in."""

    def __init__(
        self,
        tracer: trace.Tracer,
        name: str,
        attributes: Mapping[str, Value | None],
        shown: Callable[[Mapping[str, Value | None]], Iterable[tuple[str, Value]]],
    ) -> None:
        self._shown = shown
        kind = _KINDS.get(name, SpanKind.INTERNAL)
        self._span = tracer.start_span(name, kind=kind, attributes=dict(shown(attributes)), record_exception=False)

    def __enter__(self) -> Self:
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self

    def set(self, **attributes: Value | None) -> None:
        """Set those attributes of the span that a table lists."""
        for name, value in self._shown(attributes):
            self._span.set_attribute(name, value)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_: TracebackType | None
    ) -> None:
        context.detach(self._token)
        if kind is not None:
            self.set(error=kind.__name__)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


def _end(shutdown: Callable[[], None]) -> None:
    ending = threading.Thread(target=shutdown, name="telemetry-end", daemon=True)
    ending.start()
    ending.join(CLOSE_S)
    if ending.is_alive():
        logging.getLogger("opentelemetry").warning("the collector did not answer before the end")


def _observed(families: Families, name: str, _options: CallbackOptions) -> Iterator[Observation]:
    for family in families():
        if family.name == name:
            for sample in family.samples:
                yield Observation(sample.value, sample.labels)


def _session() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session


def _report_failures_once() -> None:
    """Log one line of ours for all that the SDK says of failed exports, which would repeat every few seconds."""
    logger = logging.getLogger("opentelemetry")
    logger.propagate = False
    logger.handlers = [_Once(logging.WARNING)]


class _Once(logging.Handler):
    """Reports the first record, without its text."""

    _is_reported = False

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        """Log our line where this is the first record."""
        if not self._is_reported:
            self._is_reported = True
            LOG.warning("telemetry could not be exported; see that a collector listens at otel.endpoint")
