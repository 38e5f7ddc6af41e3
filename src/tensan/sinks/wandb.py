"""Findings as alerts, the last figures in the summary, curves and page as an artifact of the W&B run that the script has open.

It is handed over where that run is closed, or at the script's end if it is open still; of several runs the first one gets it. Nothing
goes into the run's history: a row would move the step that the script, or whoever resumes the run, counts on. All keys begin
with `tensan`. W&B is not imported unless the script has, and no run is started or finished.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from tensan.core.tracker import Delivery, Send
from tensan.sinks._tracked import counts, fixes, scalars, told
from tensan.sinks.concise import finding_line

_MODULE = "wandb.sdk.wandb_run"
#: How long W&B lets the title of an alert be.
_LETTERS = 63


class WandbTracker:
    """The `wandb` tracker."""

    name: ClassVar[str] = "wandb"
    in_script: ClassVar[bool] = True

    def __init__(self) -> None:
        self._run: Any = None
        self._deliver: Callable[[], None] | None = None

    def begin(self, run_file: Path, deliver: Callable[[], None]) -> None:
        """Hears of the moment in which a run is about to be closed: afterwards W&B takes nothing more."""
        from wrapt import register_post_import_hook

        self._deliver = deliver
        if _MODULE in sys.modules:
            self._listen(sys.modules[_MODULE])
        else:
            register_post_import_hook(self._listen, _MODULE)

    def _listen(self, module: Any) -> None:
        from wrapt import wrap_function_wrapper

        # `with` and W&B's own end go past `finish` in the versions that have `_finish`.
        wrap_function_wrapper(module, "Run._finish" if hasattr(module.Run, "_finish") else "Run.finish", self._closing)

    def _closing(self, finish: Callable[..., Any], run: Any, args: Any, kwargs: Any) -> Any:
        deliver, self._deliver = self._deliver, None
        if deliver is not None:
            self._run = run
            deliver()
        return finish(*args, **kwargs)

    def aim(self) -> Send | None:
        """Returns what writes into the run that is about to be closed, or else into the one that is open."""
        wandb = sys.modules.get("wandb")
        run, self._run, self._deliver = self._run or getattr(wandb, "run", None), None, None
        return None if wandb is None or run is None else partial(_send, wandb, run)


def _send(wandb: Any, run: Any, delivery: Delivery) -> str:
    closed = "its run was closed before, and is not opened again"
    if delivery.amends and wandb.run is not run:
        return closed
    try:
        _write(wandb, run, delivery)
    except ConnectionError:
        if not delivery.amends:
            raise
        return closed  # W&B's own end leaves the run as it is, and nobody behind it
    return ""


def _write(wandb: Any, run: Any, delivery: Delivery) -> None:
    report = delivery.report
    curves = list(scalars(report.curves))
    figures = {key: points[-1][1] for key, points in curves}
    run.summary.update({f"tensan/{level}": number for level, number in counts(report).items()} | figures | fixes(report))
    for each in () if delivery.amends else told(report):
        level = wandb.AlertLevel.ERROR if each.level == "error" else wandb.AlertLevel.WARN
        run.alert(title=f"{each.code} {each.name}"[:_LETTERS], text=finding_line(each), level=level)
    artifact = wandb.Artifact(f"tensan-{run.id}", type="report")
    with artifact.new_file("report.html", mode="w", encoding="utf-8") as file:
        file.write(delivery.page)
    with artifact.new_file("curves.csv", mode="w", encoding="utf-8") as file:
        file.write("curve,step,value\n")
        file.writelines(f"{key},{step},{value!r}\n" for key, points in curves for step, value in points)
    run.log_artifact(artifact)
