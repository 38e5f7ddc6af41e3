"""The providers of OpenTelemetry's SDK with its OTLP exporters, set up by its own environment variables, and a count of what arrives."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator

from tensan.sinks.opentelemetry import Outcome

#: The protocol where the environment names none: the one that OpenTelemetry's specification prefers.
_PROTOCOL = "http/protobuf"
_PACKAGES = {"grpc": "opentelemetry.exporter.otlp.proto.grpc", "http/protobuf": "opentelemetry.exporter.otlp.proto.http"}
_METRICS = "collections of metrics"


class Providers:
    """A provider for each signal that is switched on; None for the others.

    Args:
        resource: what all telemetry is of.
        ids: gives spans their ids.
        outcome: where it is counted what was made and what has arrived.
    """

    def __init__(self, *, resource: Resource, ids: IdGenerator, outcome: Outcome) -> None:
        self._outcome = outcome
        if any(name.startswith("OTEL_EXPORTER_OTLP_") and name.endswith("_CERTIFICATE") for name in os.environ):
            for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # they are more general, and requests would prefer them
                os.environ.pop(name, None)
        logging.getLogger("opentelemetry").addHandler(_Reasons(outcome))
        self.traces = self.metrics = self.logs = None
        if _is_on("traces"):
            self.traces = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
            self.traces.add_span_processor(BatchSpanProcessor(self._counted("traces", "trace_exporter", "OTLPSpanExporter", len)))
        if _is_on("logs"):
            self.logs = LoggerProvider(resource=resource, shutdown_on_exit=False)
            exporter = self._counted("logs", "_log_exporter", "OTLPLogExporter", len)
            self.logs.add_log_record_processor(BatchLogRecordProcessor(exporter))
        if _is_on("metrics"):
            exporter = self._counted("metrics", "metric_exporter", "OTLPMetricExporter", lambda _: 1)
            self.metrics = MeterProvider([PeriodicExportingMetricReader(exporter)], resource=resource, shutdown_on_exit=False)

    def made(self, signal: str) -> None:
        """Counts a span or log record that is to arrive."""
        self._outcome.made[signal] = self._outcome.made.get(signal, 0) + 1

    def shutdown(self) -> None:
        """Sends what is left; takes as long as the collector does."""
        for provider in (self.logs, self.traces, self.metrics):
            if provider is not None:
                provider.shutdown()

    def _counted(self, signal: str, module: str, name: str, size: Callable[[Sequence[object]], int]) -> Any:
        exporter = getattr(import_module(f"{_package(signal)}.{module}"), name)()
        export, outcome, word = exporter.export, self._outcome, {"traces": "spans", "logs": "log records", "metrics": _METRICS}[signal]

        def counting(batch: Any, *args: Any, **options: Any) -> Any:
            if word == _METRICS:
                self.made(word)
            result = export(batch, *args, **options)
            if result.name == "SUCCESS":
                outcome.arrived[word] = outcome.arrived.get(word, 0) + size(batch)
            return result

        exporter.export = counting
        return exporter


class _Reasons(logging.Handler):
    """Keeps the last thing that the SDK complained of."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(logging.WARNING)
        self._outcome = outcome

    def emit(self, record: logging.LogRecord) -> None:
        self._outcome.reason = " ".join(record.getMessage().split())[:200]


def _is_on(signal: str) -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return os.environ.get(f"OTEL_{signal.upper()}_EXPORTER", "otlp").lower() != "none"


def _package(signal: str) -> str:
    """Returns the package of the exporters that speak the wanted protocol."""
    for variable in (f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        protocol = os.environ.get(variable)
        if protocol:
            if protocol not in _PACKAGES:
                raise ValueError(f"{variable}: expected {' or '.join(_PACKAGES)}, got {protocol!r}")
            return _PACKAGES[protocol]
    return _PACKAGES[_PROTOCOL]
