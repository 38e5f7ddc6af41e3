"""Tells of loaders whose data set, written by the program, delivers one and the same input for every index."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import msgspec

from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.data import InputsAlike
from tensan.core.sites import Location
from tensan.core.trees import body_of, location

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Batches of a loader that are looked at, and samples that a batch must have.
MOST_BATCHES = 12
LEAST_SAMPLES = 2


class _Seen:
    """What a loader has delivered so far, as long as all its inputs are one."""

    def __init__(self, read_at: Location | None) -> None:
        self.read_at = read_at
        self.batches = 0
        self.samples = 0
        self.first: Any = None
        self.alike = read_at is not None
        self.others_vary = False
        self.constant = False


class Sameness:
    """The inputs of each loader, against its first one."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: dict[str, _Seen] = {}

    def delivered(self, record: LoaderRecord, tensors: list[Any]) -> None:
        """A batch was handed over; its first tensor is what the model is given."""
        seen = self._seen.get(record.id)
        if seen is None:
            seen = self._seen[record.id] = _Seen(_read_at(record.living_dataset()))
        inputs: Any = tensors[0] if tensors else None
        if not seen.alike or seen.batches >= MOST_BATCHES or not self.recorder.watch.wants(InputsAlike):
            return
        seen.batches += 1
        if not is_plain(inputs) or inputs.dim() < 2 or len(inputs) < LEAST_SAMPLES or not inputs[0].numel():
            seen.alike = False
            return
        if seen.first is None:
            seen.first = inputs[0].detach().clone()
            seen.constant = bool((seen.first == seen.first.reshape(-1)[0]).all())
        # Two samples differ as a rule, so that no more is looked at.
        seen.alike = seen.first.shape == inputs.shape[1:] and all(bool((part == seen.first).all()) for part in (inputs[1], inputs))
        seen.samples += len(inputs)
        for other in tensors[1:]:
            rows = is_plain(other) and other.dim() > 0 and len(other) == len(inputs)
            seen.others_vary = seen.others_vary or (rows and not bool((other == other[:1]).all()))

    def finish(self) -> None:
        """The run is over."""
        for record in self.recorder.loaders.all:
            seen = self._seen.get(record.id)
            if seen is None or not seen.alike or not seen.samples:
                continue
            self.recorder.watch.emit(
                InputsAlike(
                    step=self.recorder.watch.steps,
                    site=seen.read_at,
                    loader=record.event(),
                    num_batches=seen.batches,
                    num_samples=seen.samples,
                    shape=tuple(seen.first.shape),
                    dtype=str(seen.first.dtype).removeprefix("torch."),
                    constant=seen.constant,
                    others_vary=seen.others_vary,
                )
            )


def _read_at(dataset: Any) -> Location | None:
    """Returns where a data set that the program has written reads an item."""
    reading = fetching(dataset)
    if reading is None:
        return None
    code = reading.__code__
    node = body_of(code)
    if not isinstance(node, ast.FunctionDef):
        return None
    head = location(code.co_filename, node, code.co_qualname)
    return msgspec.structs.replace(head, end_line=head.line, end_column=head.column + len("def ") + len(node.name))
