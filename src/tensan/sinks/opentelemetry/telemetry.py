"""Turns the records of a run file into spans, metrics and log records."""

from __future__ import annotations

import math
import os
import time
from typing import Any

import msgspec
from opentelemetry import baggage, trace
from opentelemetry._logs import SeverityNumber
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from tensan._version import __version__
from tensan.core.curves import FIGURES, GRADIENT, RATE, UPDATE, Figures
from tensan.core.curves import LOSS as LOSS_CURVE
from tensan.core.findings import Level, Told
from tensan.core.report import Run
from tensan.sinks.opentelemetry import Ending, Errand, Outcome, names
from tensan.sinks.opentelemetry.exporters import Providers

_GAUGES = {LOSS_CURVE: names.LOSS, GRADIENT: names.GRADIENT_NORM, RATE: names.LEARNING_RATE, UPDATE: names.UPDATE_RATIO}
_SEVERITY = {"error": SeverityNumber.ERROR, "warning": SeverityNumber.WARN, "hint": SeverityNumber.INFO}
#: Members of the incoming baggage that are shown.
_MOST_BAGGAGE = 16


class Telemetry:
    """All that leaves of one run. What stands in the run file is thinned already: spans and values are few however long the run."""

    def __init__(self, errand: Errand, outcome: Outcome) -> None:
        above = _incoming()
        self._providers = Providers(resource=_resource(errand), ids=_Ids(errand), outcome=outcome)
        self._tracer = trace.get_tracer(names.SCOPE, __version__, tracer_provider=self._providers.traces or trace.NoOpTracerProvider())
        self._logger = self._providers.logs.get_logger(names.SCOPE, __version__) if self._providers.logs is not None else None
        self._run = self._tracer.start_span(names.RUN, above, start_time=errand.started, attributes=_members(above))
        self._within = trace.set_span_in_context(self._run)
        self._told: set[tuple[str, str, int | None]] = set()
        self._values: dict[str, set[str]] = {}
        self._steps, self._since = 0, errand.started
        self._gauges: dict[str, Any] = {}
        if self._providers.metrics is not None:
            meter = self._providers.metrics.get_meter(names.SCOPE, __version__)
            self._gauges = {kind: meter.create_gauge(name, unit) for kind, (name, unit) in _GAUGES.items()}
            self._gauges["overhead"] = meter.create_gauge(*names.OVERHEAD)
            self._num_steps = meter.create_counter(*names.NUM_STEPS)
            self._num_findings = meter.create_counter(*names.NUM_FINDINGS)
            self._num_nonfinite = meter.create_counter(*names.NUM_NONFINITE)

    def take(self, kind: str, record: Any) -> None:
        """Takes one record of the run file."""
        if kind == "run":
            self._run.set_attribute(names.SCRIPT, msgspec.convert(record, Run).script)
        elif kind == "finding":
            self._finding(msgspec.convert(record, Told))
        elif kind == FIGURES:
            self._figures(msgspec.convert(record, Figures))

    def end(self, ending: Ending | None) -> None:
        """Ends the run's span, as the report says that the run ended; without one it was killed."""
        span = self._run
        if ending is None:
            span.set_attribute(names.STATUS, "cut short")
            span.set_status(Status(StatusCode.ERROR, "the process ended without a word"))
        else:
            report = ending.report
            for told in report.findings:
                self._finding(told)
                if told.tried:
                    self._log(names.FIX_TRIED, told, told.tried, SeverityNumber.INFO)
            self._count_steps(report.run.steps)
            errors = len(report.at_least(Level.ERROR))
            span.set_attributes(
                {
                    names.STATUS: report.run.status,
                    names.LAST_STEP: report.run.steps,
                    names.ERRORS: errors,
                    names.WARNINGS: len(report.at_least(Level.WARNING)) - errors,
                }
            )
            if ending.exception is not None:
                kind, message, stack = ending.exception
                attributes = {names.EXCEPTION_TYPE: kind, names.EXCEPTION_MESSAGE: message, names.EXCEPTION_STACKTRACE: stack}
                span.add_event(names.EXCEPTION, attributes)
                span.set_status(Status(StatusCode.ERROR, f"{kind}: {message}"))
        self._close(span, ending.ended if ending is not None else None)

    def shutdown(self) -> None:
        """Sends what is left; takes as long as the collector does."""
        self._providers.shutdown()

    def _finding(self, told: Told) -> None:
        key = told.code, told.fingerprint, told.line
        if key in self._told:  # told again with its count
            return
        self._told.add(key)
        if self._gauges:
            self._num_findings.add(1, {names.CODE: self._bounded(names.CODE, told.code), names.LEVEL: told.level})
        self._log(names.FINDING, told, told.message, _SEVERITY[told.level])

    def _log(self, event: str, told: Told, text: str, severity: SeverityNumber) -> None:
        if self._logger is None:
            return
        attributes = {
            names.CODE: told.code,
            names.RULE: told.name,
            names.LEVEL: told.level,
            names.PROOF: told.proof,
            names.STEP: told.step,
            names.FINGERPRINT: told.fingerprint,
            names.HELP: told.help,
            names.PATH: told.path,
            names.LINE: told.line,
            names.FUNCTION: told.function,
        }
        self._providers.made("log records")
        self._logger.emit(
            timestamp=time.time_ns(),
            context=self._within,
            severity_number=severity,
            severity_text=severity.name,
            body=text,
            attributes={key: value for key, value in attributes.items() if value not in (None, "")},
            event_name=event,
        )

    def _figures(self, figures: Figures) -> None:
        now, last = figures.at or time.time_ns(), max(figures.steps, self._steps)
        attributes: dict[str, int | float] = {names.FIRST_STEP: self._steps, names.LAST_STEP: last}
        for series in figures.series:
            points = series.numbers()
            if not points or series.kind not in _GAUGES:
                continue
            (name, _), value = _GAUGES[series.kind], points[-1][1]
            attributes.setdefault(name, value)
            if self._gauges:
                nonfinite = sum(not math.isfinite(value) for _, value in points)
                if nonfinite:  # no gauge takes these
                    self._num_nonfinite.add(nonfinite, {names.FIGURE: name})
                if math.isfinite(value):
                    self._gauges[series.kind].set(value, {names.CURVE: self._bounded(names.CURVE, series.name)})
        if self._gauges:
            self._gauges["overhead"].set(figures.overhead_pct)
        if last > self._steps:
            span = self._tracer.start_span(names.STEPS, self._within, start_time=self._since, attributes=attributes)
            for mark in figures.marks:
                span.add_event(mark.what, {names.STEP: mark.step})
            self._close(span, now)
        for each in figures.evaluations:
            told = {names.STEP: each.step, names.PATH: each.path, names.LINE: each.line}
            self._close(self._tracer.start_span(names.EVALUATION, self._within, start_time=each.began, attributes=told), each.ended)
        self._count_steps(last)
        self._since = now

    def _count_steps(self, steps: int) -> None:
        if self._gauges and steps > self._steps:
            self._num_steps.add(steps - self._steps)
        self._steps = max(steps, self._steps)

    def _bounded(self, attribute: str, value: str) -> str:
        """Returns a value of a metric's attribute; beyond the first few all are one, since each is a time series in a store."""
        known = self._values.setdefault(attribute, set())
        if value not in known and len(known) >= names.MOST_VALUES:
            return names.OTHER
        known.add(value)
        return value

    def _close(self, span: trace.Span, at: int | None = None) -> None:
        if span.get_span_context().trace_flags.sampled and self._providers.traces is not None:
            self._providers.made("spans")
        span.end(at)


class _Ids(RandomIdGenerator):
    """Gives the first span the ids that the run has told its children already."""

    def __init__(self, errand: Errand) -> None:
        self._run: str | None = errand.run.span
        self._trace = errand.run.trace

    def generate_span_id(self) -> int:
        first, self._run = self._run, None
        return int(first, 16) if first is not None else super().generate_span_id()

    def generate_trace_id(self) -> int:
        return int(self._trace, 16)


def _incoming() -> Context:
    """Returns the context that the environment carries, in the form that W3C gives its headers."""
    carrier = {name: os.environ[name.upper()] for name in ("traceparent", "tracestate", "baggage") if name.upper() in os.environ}
    return W3CBaggagePropagator().extract(carrier, TraceContextTextMapPropagator().extract(carrier))


def _members(context: Context) -> dict[str, str]:
    return {names.BAGGAGE + key: str(value) for key, value in list(baggage.get_all(context).items())[:_MOST_BAGGAGE]}


def _resource(errand: Errand) -> Resource:
    resource = Resource.create({names.PROCESS: errand.process, names.RANK: int(os.environ.get("RANK") or 0), names.VERSION: __version__})
    named = not str(resource.attributes.get(SERVICE_NAME, "unknown_service")).startswith("unknown_service")
    return resource if named else resource.merge(Resource({SERVICE_NAME: names.SERVICE}))
