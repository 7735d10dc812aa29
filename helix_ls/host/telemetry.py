"""The telemetry of this process: off by default, and then nothing of OpenTelemetry is loaded and nothing is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from helix_core.config import Config, load_config
from helix_core.errors import ConfigError
from helix_core.telemetry import Spans, no_span, why_off

if TYPE_CHECKING:
    from prometheus_client import Metric


class Telemetry(Protocol):
    """What a process exports. ``problem`` is why it exports nothing although the settings want it, or empty."""

    problem: str

    @property
    def span(self) -> Spans:
        """Return the function that begins a span."""
        ...

    def carrier(self) -> str:
        """Return the current span as W3C Trace Context writes it (``traceparent``), for another process; or empty."""
        ...

    def below(self, carrier: str) -> AbstractContextManager[object]:
        """Return a context manager in which spans are below that span of another process."""
        ...

    def watch(self, families: Callable[[], Iterable[Metric]]) -> Callable[[], None]:
        """Export these metrics every few seconds, until the returned function is called; it blocks."""
        ...

    def close(self) -> None:
        """Export what is left, within a few seconds. Blocks: not for the event loop."""
        ...


class NoTelemetry:
    """Telemetry that exports nothing."""

    span: Spans = staticmethod(no_span)

    def __init__(self, problem: str = "") -> None:
        self.problem = problem

    def carrier(self) -> str:
        """Return an empty string."""
        return ""

    def below(self, carrier: str) -> AbstractContextManager[object]:  # noqa: ARG002
        """Return a context manager that does nothing."""
        return nullcontext()

    def watch(self, families: Callable[[], Iterable[Metric]]) -> Callable[[], None]:  # noqa: ARG002
        """Export nothing; the returned function does nothing, too."""
        return lambda: None

    def close(self) -> None:
        """Do nothing: there is nothing to export."""


def users_telemetry(environ: Mapping[str, str]) -> Telemetry:
    """Return the telemetry that the user's own settings want; a workspace has no say. Never raises ConfigError."""
    try:
        return telemetry_of(load_config(None, environ=environ))
    except ConfigError as error:
        return NoTelemetry(str(error))


def telemetry_of(config: Config) -> Telemetry:
    """Return the telemetry of these settings."""
    if not config.otel_enabled:
        return NoTelemetry()
    if problem := why_off(config):
        return NoTelemetry(problem)
    from helix_ls.host.otel import Exporting

    try:
        return Exporting(config)
    except ValueError as error:
        # The SDK reads variables of its own, which are not for us to check.
        return NoTelemetry(f"OpenTelemetry refuses a variable of the environment: {error}")
