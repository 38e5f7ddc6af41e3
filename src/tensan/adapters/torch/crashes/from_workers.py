"""What ends a worker process of a loader is explained there, where its frames and items are, and told to the process that dies of it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tensan.adapters.torch.live import live
from tensan.core.channel import Channel
from tensan.core.edits import Repair
from tensan.core.events.run import Raised
from tensan.core.events.things import MetOperand
from tensan.core.sites import Location, Site
from tensan.core.watch import Watch

_CAUGHT = re.compile(r"Caught (\w+) in DataLoader worker process (\d+)\.")
#: Errors that are explained in one worker: a program may catch each and go on.
_MOST_TOLD = 3
_told = [0]


def tell_from_worker(error: BaseException, worker: int) -> None:
    """Explains an error to the process that started this worker, which will raise it again."""
    recorder = live.worker
    if recorder is None or recorder.watch.channel is None or isinstance(error, StopIteration) or _told[0] >= _MOST_TOLD:
        return
    from tensan.adapters.torch.crashes.explanation import explain

    _told[0] += 1
    raised = explain(error, recorder.inventory, step=recorder.watch.steps)
    if raised is not None:
        _channel(recorder.watch).send({"worker": worker, "raised": msgspec.to_builtins(_located(raised))})


def told_by_worker(error: BaseException, watch: Watch) -> Raised | None:
    """Returns what a worker has told of the error that it ended in, which was raised again here."""
    message = str(error)
    caught = _CAUGHT.match(message)
    if caught is None or watch.channel is None:
        return None
    found = None
    for told in _channel(watch).receive():
        fields = told.get("raised")
        if told.get("worker") == int(caught[2]) and isinstance(fields, dict) and str(fields.get("message")) in message:
            found = found or fields  # a worker goes on to its next batch, and may fail there likewise, before the first is met
    return _raised(found) if found is not None else None


def _channel(watch: Watch) -> Channel:
    assert watch.channel is not None
    return Channel(watch.channel.folder / "crashes")


def _located(value: Any) -> Any:
    """Returns a value with each place in it resolved: code is not sent."""
    if isinstance(value, Site):
        return value.resolve()
    if isinstance(value, msgspec.Struct):
        fields = {name: _located(getattr(value, name)) for name in value.__struct_fields__}
        return type(value)(**fields)
    return tuple(map(_located, value)) if isinstance(value, tuple) else value


def _raised(fields: dict[str, Any]) -> Raised:
    def place(value: Any) -> Location | None:
        return msgspec.convert(value, Location) if value is not None else None

    operands = tuple(
        MetOperand(**{**each, "shape": tuple(each["shape"]), "made": place(each["made"]), "built": place(each["built"])})
        for each in fields["operands"]
    )
    return Raised(
        **{
            **fields,
            "site": place(fields["site"]),
            "built": place(fields["built"]),
            "operands": operands,
            "repairs": msgspec.convert(fields["repairs"], tuple[Repair, ...]),
            "causes": tuple((words, place(where)) for words, where in fields["causes"]),
        }
    )
