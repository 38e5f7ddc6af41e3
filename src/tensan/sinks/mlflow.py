"""Findings as tags, curves as metrics and the page as an artifact of the MLflow run that the script has open, or closed last.

The run is never started, ended or renamed, and MLflow is not imported here unless the script has: `sys.modules` is asked. All keys
begin with `tensan`. What is written goes by the run's id through a client of its own, so the script's active run, its status and
its metrics stay as they are. It goes to whatever store the script has set, at the script's end.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from tensan.core.tracker import Delivery, Send
from tensan.sinks._tracked import counts, fixes, scalars, told
from tensan.sinks.concise import finding_line

#: What MLflow's stores take at once, and of one tag.
_METRICS, _LETTERS = 1000, 500


class MlflowTracker:
    """The `mlflow` tracker."""

    name: ClassVar[str] = "mlflow"
    in_script: ClassVar[bool] = True

    def begin(self, run_file: Path, deliver: Callable[[], None]) -> None:
        """Has nothing to prepare: MLflow takes what is logged to a run that has ended."""

    def aim(self) -> Send | None:
        """Returns what writes into the active run of this thread, or else into the one that it had last."""
        mlflow = sys.modules.get("mlflow")
        run_id = _run_id(mlflow) if mlflow is not None else None
        return None if mlflow is None or run_id is None else partial(_send, mlflow, run_id)


def _run_id(mlflow: Any) -> str | None:
    active = mlflow.active_run()
    if active is not None:
        return active.info.run_id
    # `mlflow.last_active_run()` says it too, but asks the server, which may be gone.
    last = getattr(sys.modules.get("mlflow.tracking.fluent"), "_last_active_run_id", None)
    return last.get() if last is not None else None


def _send(mlflow: Any, run_id: str, delivery: Delivery) -> str:
    from mlflow.entities import Metric, RunTag  # part of what the script has imported

    client, report = mlflow.MlflowClient(), delivery.report
    tags = {f"tensan.{level}": str(number) for level, number in counts(report).items()}
    for each in told(report):
        line = finding_line(each)
        tags[f"tensan.{each.code}"] = (f"{tags[f'tensan.{each.code}']}\n" if f"tensan.{each.code}" in tags else "") + line
    tags |= fixes(report)
    client.log_batch(run_id, tags=[RunTag(key, value[:_LETTERS]) for key, value in tags.items()])
    now = int(time.time() * 1000)
    curves = () if delivery.amends else scalars(report.curves)
    metrics = [Metric(key, value, now, step) for key, points in curves for step, value in points]
    for first in range(0, len(metrics), _METRICS):
        client.log_batch(run_id, metrics=metrics[first : first + _METRICS])
    client.log_text(run_id, delivery.page, "tensan/report.html")
    return ""
