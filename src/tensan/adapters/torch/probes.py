"""Answers what a recorded step depends on: another sample, the future, what stands in padded places.

The step is played with one thing changed. Where what must not move has come back as it was recorded, bit for bit, that is the answer.
Else it is played twice at once, unchanged and changed. Where the unchanged run does not come back bit for bit, where the change changes
nothing, or where the program read what is changed, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch import alignment
from tensan.adapters.torch.recording import Recording
from tensan.adapters.torch.tape import Key, Play, Refused, Rerun
from tensan.core.asks import Answer, Ask
from tensan.core.events.things import Value

#: Columns of a table that are exchanged.
MOST_COLUMNS = 64
_NOT_BITWISE = "the unchanged replay did not come back bit for bit"


def answer(recording: Recording, ask: Ask) -> Answer:
    """Changes one sample (`sample:1`), each column (`column:0`), or, after the number of an operation, what is later or padded."""
    what, _, number = ask.intervention.subject.partition(":")
    try:
        if recording.tape.refused:
            raise Refused(recording.tape.refused)
        with torch.no_grad():
            return _PROBES[what](recording, ask, int(number))
    except Refused as refusal:
        return Answer(ask=ask, why_not=str(refusal))
    except (RuntimeError, IndexError, ValueError, NotImplementedError) as error:
        # Operations that were given other values than those they ran with, or that need what is not there any more.
        return Answer(ask=ask, why_not=f"an operation could not be run again: {type(error).__name__}")


class Spread:
    """Follows a change through the step: which operations keep it where it may be, and where it first gets out.

    Args:
        recording: the step.
        axis_of: the axis along which a difference keeps to its place, None where it does not.
    """

    def __init__(self, recording: Recording, axis_of: Callable[[Any], int | None]) -> None:
        self.recording, self.axis_of = recording, axis_of
        self.axes: dict[int, int] = {}
        self.out: set[int] = set()
        #: Recurrent layers of whose results the final state alone does not keep it: that has met all positions by its nature.
        self.final_states: set[int] = set()
        self.whole_numbers: set[int] = set()

    def see(self, index: int, plain: list[Any], changed: list[Any]) -> None:
        """Is shown the outputs of an operation."""
        axes = []
        for old, new in zip(plain, changed, strict=True):
            if not isinstance(old, torch.Tensor) or old is new or not old.numel():
                continue
            different = alignment.moved(old, new)
            if not bool(different.any()):
                continue
            axis = self.axis_of(different)
            axes.append(axis)
            if axis is None and old.dtype in (torch.int64, torch.int32, torch.bool):
                self.whole_numbers.add(index)
        if not axes:
            return
        if axes[0] is not None:
            self.axes[index] = axes[0]
        if any(axis is None for axis in axes):
            self.out.add(index)
            if axes[0] is not None and self.recording.trace.operations[index].name == "recurrent":
                self.final_states.add(index)

    def origin(self, index: int) -> dict[str, object]:
        """Follows a value that the change got to, against the rules, back to where it got out."""
        operations = self.recording.trace.operations
        way, waiting, roots = set(), [index], []
        while waiting:
            here = waiting.pop()
            if here in way:
                continue
            way.add(here)
            before = [value.producer for value in operations[here].inputs if value.producer < here and self._is_out(value)]
            if not before:
                roots.append(here)
            waiting += before
        root = self._before_flattening(min(roots))
        axes = [self.axes[value.producer] for value in operations[root].inputs if value.producer in self.axes]
        handed = {key[0]: axis for key, _, axis, _ in self.recording.handed}
        keys = self.recording.tape.entries[root].inputs
        axes += [axis for key in keys if (axis := handed.get(key[0])) is not None]
        return {
            "operation": root,
            "axis": axes[0] if axes else None,
            "way": tuple(sorted(way)),
            "routed": bool(way & self.whole_numbers - {root for root in way if operations[root].name in _LAYOUT_OF_NUMBERS}),
        }

    def _is_out(self, value: Value) -> bool:
        index = value.producer
        if index in self.final_states and value.shape == self.recording.trace.operations[index].outputs[0].shape:
            return False  # its sequence, which is in order
        return index in self.out

    def _before_flattening(self, root: int) -> int:
        """A scrambled value that is flattened for a product looks in order again for a moment: returns where it was scrambled first."""
        operations = self.recording.trace.operations
        if operations[root].name != "view":
            return root
        waiting, first = [root], root
        while waiting:
            here = waiting.pop()
            if here in self.out and operations[here].name == "view":
                first = min(first, here)
            reached = [value.producer for value in operations[here].inputs if value.producer in self.out or value.producer in self.axes]
            waiting += [index for index in reached if operations[index].name in _KEEP_ROWS]
        return first


#: Leave the rows of a matrix where they are.
_KEEP_ROWS = frozenset({"view", "transpose", "slice", "copy", "alias", "unsqueeze", "squeeze", "matmul", "embedding", "detach"})
_LAYOUT_OF_NUMBERS = frozenset({"view", "transpose", "slice", "copy", "alias", "unsqueeze", "squeeze", "cast_integer", "detach"})


def _sample(recording: Recording, ask: Ask, sample: int) -> Answer:
    """Replaces one sample by a copy of another, so that all that belongs to it stays together."""
    handed = [(key, tensor, axis) for key, tensor, axis, _ in recording.handed if axis is not None]
    batch = recording.batch
    if not handed or batch < 3 or not recording.outputs:
        raise Refused("the samples of the batch cannot be told apart")
    position = ask.intervention.settings.get("position")
    until = ask.intervention.settings.get("until")
    replaced: dict[Key, Any] = {}
    for source in (batch - 1, batch // 2, 0):
        if source == sample:
            continue
        replaced = {key: _with_sample(tensor, axis, sample, source, position) for key, tensor, axis in handed}
        if any(bool(alignment.moved(tensor, replaced[key]).any()) for key, tensor, _ in handed):
            break
    else:
        raise Refused("replacing a sample changes no value")
    if isinstance(until, int):
        return _apart(recording, ask, until, replaced, int(str(position)))
    keys = [key for key, _, _ in recording.outputs]
    stop = max(index for *_, index in recording.outputs) + 1
    rerun = _rerun(recording, stop, replaced=replaced, keep=keys)
    if rerun is not None and _others_moved(recording, sample, rerun.plain).value == 0:
        return Answer(ask=ask, value=0.0)
    play = Play(recording.tape, stop, replaced=replaced, keep=keys)
    play.run()
    if not all(_equal(play.plain(key), tensor) for key, tensor, _ in recording.outputs):
        raise Refused(_NOT_BITWISE)
    moved = _others_moved(recording, sample, play.changed)
    if moved.value is None:
        raise Refused("the model's output has no axis of samples")
    if not moved.value:
        return Answer(ask=ask, value=0.0)
    # Only now, where there is something to explain, is every operation on the way looked at.
    spread = Spread(recording, lambda different: alignment.sample_axis(different, batch=batch, sample=sample))
    Play(recording.tape, stop, replaced=replaced, see=spread.see).run()
    before = sum(place < sample for place in moved.others)
    details = {**spread.origin(moved.worst), "own": moved.own, "others": len(moved.others), "before": before}
    return Answer(ask=ask, value=moved.value, details=details)


class _Moved(NamedTuple):
    """What else of the model's outputs moves with a sample.

    Attributes:
        value: how far the others moved at most, None where no output has an axis of samples.
        worst: the operation that made that output; own: how far the sample itself moved there; others: which samples did.
    """

    value: float | None = None
    worst: int = -1
    own: float = 0.0
    others: tuple[int, ...] = ()


def _others_moved(recording: Recording, sample: int, changed_of: Callable[[Key], Any]) -> _Moved:
    found = _Moved()
    for key, tensor, index in recording.outputs:
        plain, changed = tensor.detach(), changed_of(key)
        axes = [axis for axis, size in enumerate(plain.shape) if size == recording.batch]
        if not axes or index < 0:
            continue
        found = found._replace(value=found.value or 0.0)
        different = alignment.moved(plain, changed)
        # Pairs of samples: each place belongs to two of them, and those are the only ones that move.
        pairs = len(axes) > 1 and _only_pairs(different, axes, sample)
        if pairs or alignment.sample_axis(different, batch=recording.batch, sample=sample) is not None:
            continue
        own = torch.zeros_like(different)
        own.select(axes[0], sample).fill_(True)
        value = alignment.relative(plain, changed, different & ~own)
        if value > (found.value or 0.0):
            others = tuple(place for place in alignment.touched(different, axes[0]).tolist() if place != sample)
            found = _Moved(value, index, alignment.relative(plain, changed, different & own), others)
    return found


def _rerun(
    recording: Recording,
    stop: int,
    *,
    keep: Iterable[Key],
    replaced: dict[Key, Any] | None = None,
    patches: dict[int, Callable[[Any], Any]] | None = None,
) -> Rerun | None:
    """Plays the step once, with something different; None where only two runs beside each other can tell."""
    rerun = Rerun(recording.tape, stop, replaced=replaced, patches=patches, keep=keep)
    try:
        rerun.run()
    except Refused:
        return None
    return rerun


def _with_sample(tensor: Any, axis: int, sample: int, source: int, position: Any) -> Any:
    result = tensor.detach().clone()
    into, other = result.select(axis, sample), tensor.detach().select(axis, source)
    if isinstance(position, int):
        if into.dim() == 0 or into.shape[0] <= position:
            return result
        into, other = into.select(0, position), other.select(0, position)
    into.copy_(other)
    return result


def _only_pairs(different: Any, axes: list[int], sample: int) -> bool:
    rest = different.clone()
    for axis in axes:
        rest.select(axis, sample).fill_(False)
    return not bool(rest.any())


def _apart(recording: Recording, ask: Ask, until: int, replaced: dict[Key, Any], position: int) -> Answer:
    """Tells whether an operation that mixes samples keeps the positions of their sequences apart: 1.0 if so."""
    length = next((key[2][axis + 1] for key, _, axis, _ in recording.handed if axis is not None and len(key[2]) > axis + 1), 0)
    if length < 2:
        raise Refused("the samples are no sequences")
    seen: list[bool] = []

    def see(index: int, plain: list[Any], changed: list[Any]) -> None:
        if index == until:
            for old, new in zip(plain, changed, strict=True):
                different = alignment.moved(old, new)
                if bool(different.any()):
                    seen.append(alignment.sample_axis(different, batch=length, sample=position) is not None)

    Play(recording.tape, until + 1, replaced=replaced, see=see).run()
    if not seen:
        raise Refused("replacing a sample changes no value")
    return Answer(ask=ask, value=float(all(seen)))


def _future(recording: Recording, ask: Ask, operation: int) -> Answer:
    """Changes what stands from a position on, and looks at the predictions for the positions before it."""
    where, positions = recording.rows.get(operation, (None, None))
    if where is None or positions is None:
        raise Refused("the targets are not the input one step later")
    _, time_first = recording.cells[operation]
    key = recording.tape.entries[where].inputs[0]
    shape = recording.tape.entries[operation].outputs[0][2]
    axis = 0 if time_first else 1
    length = shape[axis]
    since = max(1, length // 2)
    counted = (positions >= 0) & (positions < since)
    if not bool(counted.any()):
        raise Refused("no prediction before that position counts")

    def patch(value: Any) -> Any:
        result = value.clone()
        late = value.narrow(axis, since, length - since)
        result.narrow(axis, since, length - since).copy_(late.flip(axis).roll(1, 1 - axis) * -0.7)
        return result

    recorded = recording.tape.kept.get(where)
    rerun = _rerun(recording, where, patches={operation: patch}, keep=[key]) if recorded is not None else None
    plain, changed = recorded, rerun.plain(key) if rerun is not None else None
    value = _moved_where(plain, changed, counted) if changed is not None else 0.0
    if changed is None or value:
        play = Play(recording.tape, where, patches={operation: patch}, keep=[key])
        play.run()
        plain, changed = play.plain(key), play.changed(key)
        _check_loss(recording, where, plain)
        value = _moved_where(plain, changed, counted)
    if not value and not bool(alignment.moved(plain, changed).any()):
        raise Refused("changing the future changes no prediction at all")
    producer = recording.trace.operations[where].inputs[0].producer
    details: dict[str, object] = {"since": since}
    if value > 0 and producer >= 0:
        spread = Spread(recording, lambda different: alignment.future_axis(different, length=length, since=since))
        Play(recording.tape, where, patches={operation: patch}, see=spread.see).run()
        spread.out.add(producer)
        details |= spread.origin(producer)
    return Answer(ask=ask, value=value, details=details)


def _moved_where(plain: Any, changed: Any, counted: Any) -> float:
    """Returns how far predictions moved at the positions that count."""
    different = alignment.moved(plain, changed)
    places = counted.unsqueeze(1) if different.dim() > counted.dim() else counted
    return alignment.relative(plain, changed, different & places)


def _check_loss(recording: Recording, where: int, plain: Any) -> None:
    """Compares the value that goes into the loss with the recorded one."""
    recorded = recording.tape.kept.get(where)
    if recorded is None or not _equal(plain, recorded):
        raise Refused(_NOT_BITWISE)


def _padding(recording: Recording, ask: Ask, operation: int) -> Answer:
    """Changes what padded places hold, or with the setting `real` what the real places of padded rows hold, and looks at the loss."""
    cells, time_first = recording.cells.get(operation, (None, False))
    if cells is None or not bool(cells.any()):
        raise Refused("there is no padding")
    grid = cells.t() if time_first else cells
    real = bool(ask.intervention.settings.get("real"))
    goal = recording.trace.producer_of(recording.loss)
    if goal < 0:
        raise Refused("the loss is not among the recorded operations")
    chosen = (~grid & (grid.any(0, keepdim=True) if time_first else grid.any(1, keepdim=True))) if real else grid

    def patch(value: Any) -> Any:
        result = value.clone()
        others = value[~grid]
        turn = torch.arange(int(chosen.sum()), device=value.device) % len(others)
        result[chosen] = others[turn].flip(0) * -1.3
        return result

    key = recording.tape.entries[goal].outputs[0]
    rerun = _rerun(recording, goal + 1, patches={operation: patch}, keep=[key])
    if rerun is not None and _equal(rerun.plain(key), recording.loss.detach()):
        return Answer(ask=ask, value=0.0)
    play = Play(recording.tape, goal + 1, patches={operation: patch}, keep=[key])
    play.run()
    plain, changed = play.plain(key), play.changed(key)
    if not _equal(plain, recording.loss.detach()):
        raise Refused(_NOT_BITWISE)
    old, new = float(plain.double().sum()), float(changed.double().sum())
    details: dict[str, object] = {}
    if new != old and not real:
        spread = Spread(recording, lambda different: alignment.cells_axis(different, cells=cells))
        Play(recording.tape, goal + 1, patches={operation: patch}, see=spread.see).run()
        spread.out.add(goal)
        details = spread.origin(goal)
    return Answer(ask=ask, value=abs(new - old) / max(abs(old), 1e-12), details=details)


def _equal(left: Any, right: Any) -> bool:
    return left.shape == right.shape and not bool(alignment.moved(left, right.detach()).any())


def _columns(recording: Recording, ask: Ask, _all: int) -> Answer:
    """Exchanges each column of what the model is given among the samples, one at a time, and looks whether any of its outputs moves."""
    tables = [(key, tensor) for key, tensor, axis, _ in recording.handed if axis == 0 and tensor.dim() == 2]
    if not tables or not recording.outputs:
        raise Refused("the model is given no table of samples and columns")
    keys, stop = [key for key, _, _ in recording.outputs], max(index for *_, index in recording.outputs) + 1
    told: list[dict[str, object]] = []
    for key, tensor in tables:
        still, alike = [], []
        for column in range(min(tensor.shape[1], MOST_COLUMNS)):
            other = tensor.detach().clone()
            other[:, column] = other[:, column].roll(1)
            if not bool(alignment.moved(tensor, other).any()):
                alike.append(column)
                continue
            play = Play(recording.tape, stop, replaced={key: other}, keep=keys)
            play.run()
            if not all(_equal(play.plain(kept), output) for kept, output, _ in recording.outputs):
                raise Refused(_NOT_BITWISE)
            if all(_equal(play.changed(kept), play.plain(kept)) for kept in keys):
                still.append(column)
        told.append({"shape": tuple(tensor.shape), "still": still, "alike": alike})
    return Answer(ask=ask, value=float(sum(len(each["still"]) for each in told)), details={"tables": told})  # type: ignore[arg-type]


_PROBES: dict[str, Callable[[Recording, Ask, int], Answer]] = {
    "sample": _sample,
    "future": _future,
    "padding": _padding,
    "column": _columns,
}
