"""Spans, metrics and logs of a run over OTLP, by OpenTelemetry's own SDK, from a process of its own.

The watched process exports nothing: no thread, no socket, no import of OpenTelemetry. It starts a relay (`relay.py`), which follows the
run file, and at its end waits for it, at most `WAIT_SECONDS`. So a collector that is slow, dying or absent costs the training nothing, the
run file is the queue, and forks meet no foreign thread. What was lost is counted and said in one line.

Where to send, over gRPC or HTTP, with which certificates, headers and limits, is told by OpenTelemetry's own environment variables
(`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_PROTOCOL`, `OTEL_EXPORTER_OTLP_CERTIFICATE`, ...). `TRACEPARENT`, `TRACESTATE` and
`BAGGAGE` are taken from the environment. Processes that the script starts get a `TRACEPARENT` below the run's span, and the same baggage.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import msgspec

from tensan.core.curves import Curves
from tensan.core.errors import UsageError
from tensan.core.findings import plain
from tensan.core.report import Report
from tensan.core.tracker import Delivery, Send
from tensan.sinks.opentelemetry.context import TraceContext

#: How long the relay may try after the script's end, and how long its word is waited for: after a short script it may still be starting.
PATIENCE_SECONDS, WAIT_SECONDS = 5.0, 9.0
#: The relay goes on in a child of the process that is started, so that a script which waits for any child meets none of ours.
_RELAY = """
import os, sys
if os.name == "posix" and os.fork():
    os._exit(0)
from tensan.sinks.opentelemetry.relay import main
main(sys.argv[1])
"""
_NEEDED = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-grpc", "opentelemetry-exporter-otlp-proto-http")


class Errand(msgspec.Struct, kw_only=True):
    """What the relay is sent out with.

    Attributes:
        run: the run's span.
        started: when the run began, in nanoseconds since the epoch.
        patience: seconds that it may go on after the script's end.
    """

    run_file: str
    run: TraceContext
    started: int
    process: int
    patience: float = PATIENCE_SECONDS


class Ending(msgspec.Struct, kw_only=True):
    """What the relay is told at the script's end.

    Attributes:
        exception: type, message and traceback of what ended the script.
        ended: when its own code ended, in nanoseconds since the epoch.
    """

    report: Report
    exception: tuple[str, str, str] | None = None
    ended: int | None = None


class Outcome(msgspec.Struct, kw_only=True):
    """What the relay has achieved: how many spans, log records and collections of metrics there were, and how many arrived."""

    made: dict[str, int] = {}
    arrived: dict[str, int] = {}
    reason: str = ""


#: Files in the folder that the two processes share.
ERRAND, ENDING, OUTCOME = "errand.json", "ending.json", "outcome.json"


class OpenTelemetryTracker:
    """The `opentelemetry` tracker.

    Raises:
        UsageError: when OpenTelemetry is not installed.
    """

    name: ClassVar[str] = "opentelemetry"
    in_script: ClassVar[bool] = False

    def __init__(self) -> None:
        _check_installed()
        self._folder: Path | None = None

    def begin(self, run_file: Path, deliver: Callable[[], None]) -> None:
        """Starts the relay."""
        context = TraceContext.of_run(os.environ)
        folder = self._folder = Path(tempfile.mkdtemp(prefix="tensan-"))
        write(folder / ERRAND, Errand(run_file=str(run_file), run=context, started=time.time_ns(), process=os.getpid()))
        # -P: the script's folder must not lend its modules to the relay. No stream is shared: a reader of the script's would wait for both.
        relay = subprocess.Popen(
            [sys.executable, "-P", "-c", _RELAY, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if os.name == "posix":
            relay.wait()
        context.hand_to_children()

    def aim(self) -> Send:
        """Returns what tells the relay that the script has ended, and waits for its word."""
        return self._send

    def _send(self, delivery: Delivery) -> str:
        folder = self._folder
        assert folder is not None
        report = msgspec.structs.replace(delivery.report, curves=Curves(), diagrams=[])
        write(folder / ENDING, Ending(report=report, exception=delivery.exception, ended=delivery.ended))
        latest = time.monotonic() + WAIT_SECONDS
        while not (folder / OUTCOME).exists() and time.monotonic() < latest:
            time.sleep(0.02)
        try:
            outcome = msgspec.json.decode((folder / OUTCOME).read_bytes(), type=Outcome)
        except FileNotFoundError:
            return "the process that exports has ended without a word: nobody knows what has arrived; the script is not affected"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return lost(outcome)


def lost(outcome: Outcome) -> str:
    """Says in one line what has not arrived; nothing where all has."""
    counts = [
        f"{made - outcome.arrived.get(signal, 0)} of {made} {signal}"
        for signal, made in outcome.made.items()
        if made > outcome.arrived.get(signal, 0)
    ]
    reason = f" ({outcome.reason})" if outcome.reason else ""
    return f"lost {', '.join(counts)}{reason}; the script is not affected" if counts else ""


def write(path: Path, record: object) -> None:
    """Writes a record for the other process, there whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_bytes(msgspec.json.encode(record, enc_hook=plain))
    draft.replace(path)


def _check_installed() -> None:
    from importlib.metadata import PackageNotFoundError, distribution

    for package in _NEEDED:
        try:
            distribution(package)
        except PackageNotFoundError:
            raise UsageError(f"track: opentelemetry needs {package}: pip install 'tensan[opentelemetry]'") from None
