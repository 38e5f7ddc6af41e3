"""Curves, findings and the page beside what the script writes for TensorBoard, in a folder `tensan` of its log folder.

The folder is the one that the script's first `SummaryWriter` writes to. The event file is one of our own, and lies in a folder of
its own, since TensorBoard and other readers expect one growing event file a folder: the script's own file is neither opened nor followed by
another, and TensorBoard shows ours as the run `<name>/tensan`. TensorBoard is not imported unless the script has.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from tensan.core.report import summary_line
from tensan.core.tracker import Delivery, Send
from tensan.sinks._tracked import fixes, scalars, told
from tensan.sinks.concise import finding_line

_MODULE = "tensorboard.summary.writer.event_file_writer"


class TensorboardTracker:
    """The `tensorboard` tracker."""

    name: ClassVar[str] = "tensorboard"
    in_script: ClassVar[bool] = True

    def __init__(self) -> None:
        self._folder: str | None = None

    def begin(self, run_file: Path, deliver: Callable[[], None]) -> None:
        """Hears of the log folder where a writer is made: nothing else remembers it once the writer is gone."""
        from wrapt import register_post_import_hook

        if _MODULE in sys.modules:
            self._listen(sys.modules[_MODULE])
        else:
            register_post_import_hook(self._listen, _MODULE)

    def _listen(self, module: Any) -> None:
        from wrapt import wrap_function_wrapper

        wrap_function_wrapper(module, "EventFileWriter.__init__", self._made)

    def _made(self, make: Callable[..., None], _writer: object, args: Any, kwargs: Any) -> None:
        make(*args, **kwargs)
        folder = args[0] if args else kwargs.get("logdir")
        if self._folder is None and isinstance(folder, (str, os.PathLike)):
            self._folder = os.fspath(folder) if "://" in str(folder) else os.path.abspath(folder)  # the script may change its folder

    def aim(self) -> Send | None:
        """Returns what writes into the log folder."""
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.tensan"
        return partial(_send, self._folder, name) if self._folder is not None else None


def _send(log_folder: str, name: str, delivery: Delivery) -> str:
    if "://" in log_folder:
        return f"{log_folder}: only a log folder on this machine is written to"
    folder = Path(log_folder) / "tensan"
    try:
        folder.mkdir(exist_ok=True)
        (folder / "report.html").write_text(delivery.page, encoding="utf-8")
        with (folder / name).open("ab") as file:
            _write_events(file, delivery)
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    return ""


def _write_events(file: Any, delivery: Delivery) -> None:
    from tensorboard.summary.writer.record_writer import RecordWriter  # part of what the script has imported, as the messages are

    event, summary, tensor, shape, types = (
        import_module(f"tensorboard.compat.proto.{name}_pb2") for name in ("event", "summary", "tensor", "tensor_shape", "types")
    )
    writer, now, report = RecordWriter(file), time.time(), delivery.report

    def write(step: int, value: Any) -> None:
        writer.write(event.Event(wall_time=now, step=step, summary=summary.Summary(value=[value])).SerializeToString())

    def write_text(tag: str, lines: list[str]) -> None:
        kind = summary.SummaryMetadata(plugin_data=summary.SummaryMetadata.PluginData(plugin_name="text"))
        one = shape.TensorShapeProto(dim=[shape.TensorShapeProto.Dim(size=1)])
        text = tensor.TensorProto(dtype=types.DT_STRING, string_val=["\n".join(lines).encode()], tensor_shape=one)
        write(report.run.steps, summary.Summary.Value(tag=tag, metadata=kind, tensor=text))

    if delivery.amends:
        write_text("tensan/fixes", [f"- {key}: {tried}" for key, tried in fixes(report).items()])
        return
    writer.write(event.Event(wall_time=now, file_version="brain.Event:2").SerializeToString())
    for key, points in scalars(report.curves):
        for step, value in points:
            write(step, summary.Summary.Value(tag=key, simple_value=value))
    write_text("tensan/findings", [*(f"- `{finding_line(each)}`" for each in told(report)), "", summary_line(report)])
