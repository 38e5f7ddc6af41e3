"""Looks for each sample's target among the values of the input that the model is given: is the answer part of the question?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.array_origins import last_made, origin
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.pairing import tensor_of
from tensan.adapters.torch.source import in_definition
from tensan.adapters.torch.stored import is_array, underlying
from tensan.adapters.torch.supervision import Target, is_plain, subtracted, targets
from tensan.adapters.torch.trace import Trace, storage_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.targets import TargetsSought
from tensan.core.sites import Place, Site
from tensan.core.trees import body_of, expression_at, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Samples that a batch needs, values of a sample, and recorded losses that are looked at.
LEAST_SAMPLES = 8
LEAST_VALUES = 3
MOST_VALUES = 4_096
MOST_LOOKS = 12
#: Places of one batch that are told.
MOST_COLUMNS = 64

_ALONG = frozenset({"recurrent", "convolution"})


class Answers:
    """Looks at recorded steps in which one model ran."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if len(trace.entered) != 1 or self._looks >= MOST_LOOKS or not self.recorder.watch.wants(TargetsSought):
            return
        for found in (*targets(trace), *subtracted(trace)):
            for given in trace.entered[0]:
                if _is_table(given) and _is_single(found.target, len(given)) and not _is_cut_here(given, found):
                    self._looks += 1
                    self._seek(trace, given, found)
                    return

    def _seek(self, trace: Trace, given: Any, found: Target) -> None:
        rows, target = given.detach().reshape(len(given), -1), found.target.detach().reshape(-1, 1)
        equal = (rows == target).all(0).nonzero().reshape(-1)[:MOST_COLUMNS].tolist()
        record = self.recorder.loaders.last
        name, place = _named(record, target) if equal else ("", None)
        self.recorder.watch.emit(
            TargetsSought(
                step=self.recorder.watch.steps,
                site=found.site,
                loader=record.id if record is not None else "",
                named=place,
                name=name,
                shape=tuple(given.shape),
                columns=tuple(equal),
                num_values=len(target.unique()),
                ordered=any(operation.name in _ALONG for operation in trace.operations),
            )
        )


def _is_cut_here(given: Any, found: Target) -> bool:
    """Tells whether the step itself cuts the target out of the input or of what that was taken from, which is done on purpose."""
    if storage_of(given) == storage_of(found.target):
        return True
    compared = expression_at(found.site.resolve()) if isinstance(found.site, Site) else None
    parts = walk(compared) if compared is not None else ()
    return any(isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Tuple) for part in parts)


def _is_table(given: Any) -> bool:
    if not is_plain(given) or given.dim() not in (2, 3) or not given.is_floating_point():
        return False
    return len(given) >= LEAST_SAMPLES and LEAST_VALUES <= given.numel() // len(given) <= MOST_VALUES


def _is_single(target: Any, samples: int) -> bool:
    return is_plain(target) and target.dim() > 0 and len(target) == target.numel() == samples and not target.is_complex()


def _named(record: LoaderRecord | None, target: Any) -> tuple[str, Place]:
    """Returns what the program calls the targets and where it makes them: in an item of its own data set, or in an array in reach."""
    dataset = record.living_dataset() if record is not None else None
    if dataset is not None:
        inner, _ = underlying(dataset, [])
        function = fetching(inner)
        if function is not None:
            return _last_of_item(function)
    name, place = origin(
        (name, frame)
        for name, values, frame in sorted(_arrays(len(target)), key=lambda item: len(item[1]))
        if values.dtype == target.dtype and bool(torch.isin(target, values).all())
    )
    return name, place or (record.made if record is not None else None)


def _last_of_item(function: FunctionType) -> tuple[str, Place]:
    """Returns the name of the last part of the item that a data set gives, and where it is made: the target comes last."""
    body = body_of(function.__code__)
    returned = next((node.value for node in walk(body) if isinstance(node, ast.Return)), None) if body is not None else None
    last = returned.elts[-1] if isinstance(returned, ast.Tuple) else returned
    made = last_made(function.__code__, last.id) if isinstance(last, ast.Name) else None
    if made is not None and isinstance(last, ast.Name):
        return last.id, made
    return "", in_definition(function, lambda node: isinstance(node, ast.Return))


def _arrays(size: int) -> Iterator[tuple[str, Any, FrameType]]:
    """Yields arrays in reach that have one number for each of more samples than a batch."""
    for name, value, frame in variables(4):
        array = tensor_of(value) if is_array(value) else None
        if array is not None and len(array) == array.numel() > size and array.dtype is not torch.bool:
            yield name, array.reshape(-1), frame
