"""Counts where the blank of an alignment loss stands among its targets, within the lengths that the program states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.array_origins import last_made, origin
from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.source import assigns, in_definition
from tensan.adapters.torch.trace import Kept, Trace
from tensan.adapters.torch.variables import variables
from tensan.core.events.recorded import Layer
from tensan.core.events.targets import BlanksCounted
from tensan.core.sites import Location, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Targets of a batch and losses that are looked at, and attributes of an object that may be the loss.
MOST_TARGETS = 1 << 16
MOST_LOOKS = 16
MOST_ATTRIBUTES = 64


class Blanks:
    """Looks at the alignment losses of recorded steps."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        watch = self.recorder.watch
        if not watch.wants(BlanksCounted):
            return
        for kept in trace.losses:
            operation = trace.operations[kept.index]
            if operation.name != "ctc_loss" or self._looks >= MOST_LOOKS:
                continue
            self._looks += 1
            targets: Any = kept.arguments[1] if len(kept.arguments) > 3 else None
            lengths = _numbers(kept.arguments[3]) if len(kept.arguments) > 3 else None
            rows = _rows(targets, lengths) if lengths is not None else None
            if lengths is None or rows is None:
                continue
            self.recorder.syncs += targets.is_cuda
            blank = _blank(kept)
            inside, at_end, num_blanks, num_rows = _counted(rows, blank)
            layer = operation.settings.get("layer")
            is_module = isinstance(layer, Layer) and layer.kind == "CTCLoss"
            watch.emit(
                BlanksCounted(
                    step=watch.steps,
                    site=operation.site,
                    blank=blank,
                    rows=num_rows,
                    inside=inside,
                    at_end=at_end,
                    num_blanks=num_blanks,
                    num_targets=sum(map(len, rows)),
                    width=targets.shape[1] if targets.dim() == 2 and set(lengths) == {targets.shape[1]} else 0,
                    made=_made(blank) if inside and is_module else None,
                    measured=_measured(lengths) if at_end and not inside else None,
                )
            )


def _blank(kept: Kept) -> int:
    """Returns the index of the blank, which is left out of a call where it is the default."""
    given = kept.arguments[4] if len(kept.arguments) > 4 else kept.keywords.get("blank", 0)
    return int(given)


def _numbers(lengths: Any) -> list[int] | None:
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.detach().tolist() if type(lengths) is torch.Tensor and lengths.dim() == 1 else None
    return [int(length) for length in lengths] if isinstance(lengths, (list, tuple)) else None


def _rows(targets: Any, lengths: Sequence[int]) -> list[list[int]] | None:
    """Returns the targets of each sample, as long as the program says they are, padded in two axes or one behind the other."""
    readable = type(targets) is torch.Tensor and targets.layout is torch.strided and not targets.is_floating_point()
    if not readable or not 0 < targets.numel() <= MOST_TARGETS or any(length < 0 for length in lengths):
        return None
    if targets.dim() == 2 and len(targets) == len(lengths) and max(lengths) <= targets.shape[1]:
        return [row[:length] for row, length in zip(targets.tolist(), lengths, strict=True)]
    if targets.dim() == 1 and sum(lengths) == len(targets):
        waiting = iter(targets.tolist())
        return [list(islice(waiting, length)) for length in lengths]
    return None


def _counted(rows: Sequence[Sequence[int]], blank: int) -> tuple[int, int, int, int]:
    """Returns in how many rows a symbol stands behind a blank, and how many end in one, how many blanks those have, and all that count.

    Rows of nothing but blanks are left out: a recording without a word may be given one.
    """
    inside = at_end = blanks = counted = 0
    for row in rows:
        places = [place for place, symbol in enumerate(row) if symbol != blank]
        if places:
            counted += 1
            blanks += len(row) - len(places)
            inside += places[-1] + 1 > len(places)
            at_end += places[-1] + 1 < len(row)
    return inside, at_end, blanks, counted


def _made(blank: int) -> Location | None:
    """Returns where the program makes the loss that has this blank."""
    for name, value, frame in variables(3):
        if _is_loss(value, blank):
            place = last_made(frame.f_code, name)
        else:
            key = next((key for key, inner in _within(value) if _is_loss(inner, blank)), None)
            place = in_definition(type(value), assigns(key, attribute=True)) if key is not None else None
        if place is not None and is_users(place.path):
            return place
    return None


def _within(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields what an object of the program holds by name, its layers included."""
    if isinstance(value, type):
        return
    own = attributes(value)
    layers = own.get("_modules")
    for held in (own, layers if type(layers) is dict else {}):
        yield from islice(((key, inner) for key, inner in held.items() if isinstance(key, str)), MOST_ATTRIBUTES)


def _is_loss(value: Any, blank: int) -> bool:
    return issubclass(type(value), torch.nn.CTCLoss) and value.blank == blank


def _measured(lengths: Sequence[int]) -> Location | None:
    """Returns where the program makes the lengths."""
    _, made = origin((name, frame) for name, value, frame in variables(3) if _holds(value, lengths))
    return made if isinstance(made, Location) else None


def _holds(value: Any, lengths: Sequence[int]) -> bool:
    """Tells whether a value of the program is these lengths: a tensor of them, or a list."""
    if type(value) is torch.Tensor:
        if value.shape != (len(lengths),) or value.is_floating_point() or value.device.type != "cpu":
            return False
        value = value.tolist()
    if type(value) not in (list, tuple) or len(value) != len(lengths):
        return False
    return all(type(each) is int for each in value) and list(value) == list(lengths)
