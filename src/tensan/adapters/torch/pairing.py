"""Tests whether inputs and targets of a dataset still belong together, where the program has permuted something.

A permutation that the program holds is tried: where rows and labels tell nothing about each other as they are stored, and a lot once
that permutation is undone on one side, then it was applied to one side only.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch import stored, usage
from tensan.adapters.torch.controls import Controls
from tensan.adapters.torch.supervision import is_plain, targets
from tensan.adapters.torch.trace import Trace
from tensan.adapters.torch.variables import variables
from tensan.core.events.data import PairingTested
from tensan.core.events.targets import TargetsEnterModel
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Rows that take part in a test, columns of the inputs and of the targets.
MOST_ROWS = 768
MOST_COLUMNS = 48
MOST_CLASSES = 32
LEAST_ROWS = 48
#: Rows of a dataset beyond this are not looked at.
MOST_STORED = 2_000_000
#: Standard deviations from which on inputs tell something about their labels, so that nothing needs to be mended.
NOTHING = 4.0
#: Random pairings that the real one is compared with.
PAIRINGS = 24
#: Permutations that are tried, and tests of one run.
MOST_PERMUTATIONS = 4
MOST_TESTS = 6


class _Permutation(NamedTuple):
    name: str
    values: Any
    code: Any


class Pairing:
    """Tests each dataset once, when its loader is made."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.controls = Controls(recorder, strength)
        self._tests = 0
        self._suspects: set[str] = set()
        self._input: weakref.ref[Any] | None = None

    def built(self, loader_id: str, dataset: Any) -> None:
        """A loader was made: are there permutations in reach, and do they mend something?"""
        if not self.recorder.watch.wants(PairingTested):
            return
        arrays = _arrays(dataset)
        if arrays is not None:
            self.controls.built(loader_id, *arrays)
        if arrays is not None and self._tests < MOST_TESTS:
            self._test(loader_id, arrays, here(3), _init_of(dataset))

    def entered(self, inputs: Any) -> None:
        """A model is about to run with gradients."""
        first = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        self._input = weakref.ref(first) if first is not None else None
        loader = self.recorder.loaders.last
        if loader is not None and loader.id in self._suspects and self._is_second(inputs):
            self._suspects.discard(loader.id)
            self.recorder.watch.emit(TargetsEnterModel(step=self.recorder.watch.steps, loader=loader.id))

    def _is_second(self, inputs: Any) -> bool:
        """Tells whether the one of a batch's two tensors that should be its targets is among the inputs of a model."""
        batch = self.recorder.loaders.batch()
        if len(batch) != 2:
            return False
        second = batch[0] if batch[0].dim() < batch[1].dim() else batch[1]
        # Labels are given to models as well, to those that take their own loss.
        data = second.is_floating_point() and second.dim() > 1 and second.shape[-1] > 1
        return data and any(item is second for item in inputs)

    def learned_from(self, trace: Trace, site: Place) -> None:
        """A loss was recorded: where the program cuts its batches itself, do both sides come from the same rows?"""
        given = self._input() if self._input is not None else None
        if (
            self._tests >= MOST_TESTS
            or given is None
            or not self.recorder.watch.wants(PairingTested)
            or self.recorder.loaders.last is not None
        ):
            return
        if not is_plain(given) or given.dim() == 0:
            return
        for found in targets(trace):
            if is_plain(found.target) and found.target.dim() > 0 and len(found.target) == len(given):
                self._test_cut(given, found.target, site)
                return

    def _test_cut(self, given: Any, target: Any, site: Place) -> None:
        inputs, labels = _rows_of(given), _rows_of(target)
        if inputs is not None and labels is not None:
            if inputs[1] == labels[1] and len(inputs[0]) == len(labels[0]) >= LEAST_ROWS:
                self.controls.built("", inputs[0], labels[0])
                self._test("", (inputs[0].detach(), labels[0].detach()), site, None)
            return
        whole = inputs or labels
        if whole is None or len(whole[0]) < LEAST_ROWS:
            return
        array, begin = whole
        other = target if labels is None else given
        for permutation in _permutations(len(array)):
            if len(permutation.values) != len(array):
                continue
            rows = permutation.values[begin : begin + len(given)]
            source = next((values for values in _arrays_like(other, len(array)) if _is_equal(values[rows], other)), None)
            if source is None:
                continue
            self._tests += 1
            mixed = source[permutation.values]
            pairs = ((mixed, array), (source, array)) if labels is not None else ((array, mixed), (array, source))
            before, after = (strength(left.detach(), right.detach()) for left, right in pairs)
            self._tell("", permutation, "inputs" if labels is not None else "targets", before, after, len(array), site)
            return

    def _test(self, loader: str, arrays: tuple[Any, Any], place: Place, owner: Any) -> None:
        inputs, answers = arrays
        permutations = list(_permutations(len(inputs)))
        alone = [] if permutations else [shuffled for shuffled in usage.shuffled_alone(place, owner) if _may_be(shuffled, arrays)]
        if not permutations and not alone:
            return
        self._tests += 1
        before = strength(inputs, answers)
        if before >= NOTHING or not permutations:
            name, at = (alone[0].name, alone[0].place) if alone else (permutations[0].name, place)
            self.recorder.watch.emit(
                PairingTested(
                    step=self.recorder.watch.steps, site=at, loader=loader, name=name, side="one", before=before, num_rows=len(inputs)
                )
            )
            return
        for permutation in permutations:
            values = permutation.values[: len(inputs)]
            rows = (values < len(inputs)).nonzero().reshape(-1)
            there = values[rows]
            mended = {"inputs": strength(inputs[rows], answers[there]), "targets": strength(inputs[there], answers[rows])}
            side = max(mended, key=lambda key: mended[key])
            self._tell(loader, permutation, side, before, mended[side], len(rows), place)

    def _tell(self, loader: str, permutation: _Permutation, side: str, before: float, after: float, rows: int, place: Place) -> None:
        self._suspects.add(loader)
        self.recorder.watch.emit(
            PairingTested(
                step=self.recorder.watch.steps,
                site=usage.indexing_line(permutation.code, permutation.name) or place,
                loader=loader,
                name=permutation.name,
                side=side,
                before=before,
                after=after,
                num_rows=rows,
            )
        )


def _init_of(dataset: Any) -> Any:
    inner, _ = stored.underlying(dataset, [])
    return getattr(getattr(type(inner), "__init__", None), "__code__", None)


def _rows_of(tensor: Any) -> tuple[Any, int] | None:
    """Returns the array that a batch is a run of rows of, and the first of them; None where it is no such view."""
    base = tensor._base
    if base is None or not is_plain(base) or base.dim() == 0 or not base.is_contiguous() or not tensor.is_contiguous():
        return None
    each = base[0].numel() if len(base) else 0
    begin, rest = divmod(tensor.storage_offset() - base.storage_offset(), each) if each else (0, 1)
    return (base, begin) if not rest and tensor.numel() == len(tensor) * each and len(base) > len(tensor) else None


def _arrays_like(batch: Any, size: int) -> Iterator[Any]:
    """Yields arrays in reach whose rows could be those of a batch."""
    for _, value, _ in variables(3):
        if stored.is_array(value) and len(value.shape) > 0 and value.shape[0] == size:
            array = tensor_of(value)
            if array is not None and array[0].numel() * len(batch) == batch.numel():
                yield array


def _is_equal(rows: Any, batch: Any) -> bool:
    return torch.equal(rows.to(batch.dtype).reshape(batch.shape), batch.detach())


def _may_be(shuffled: usage.Shuffled, arrays: tuple[Any, Any]) -> bool:
    """Tells whether what is shuffled can be one side of the data: that cannot be told of a function that has returned."""
    if not shuffled.is_running:
        return True
    value: Any = next((value for name, value, _ in variables(3) if name == shuffled.name), None)
    if stored.is_array(value):
        shape = tuple(value.shape)
        return any(shape[:1] >= (len(array),) and shape[1:] == tuple(array.shape[1:]) for array in arrays)
    # Lists of numbers and names are most often indices and files.
    return type(value) is list and len(value) >= len(arrays[0]) and (stored.is_array(value[0]) or type(value[0]) is list)


def _arrays(dataset: Any) -> tuple[Any, Any] | None:
    """Returns the inputs and the targets that a dataset stores; None where it is not plain which they are."""
    from torch.utils.data import TensorDataset

    inner, _ = stored.underlying(dataset, [])
    kept = list(inner.tensors) if isinstance(inner, TensorDataset) else list(stored.containers(inner))
    found = [tensor_of(array) for array in kept if stored.is_array(array)]
    if len(found) != 2 or found[0] is None or found[1] is None:
        return None
    inputs, targets = found
    if inputs.dim() < targets.dim():
        inputs, targets = targets, inputs
    enough = LEAST_ROWS <= len(inputs) <= MOST_STORED and len(targets) == len(inputs) and targets.dim() <= 2
    return (inputs, targets) if enough else None


def tensor_of(array: Any) -> Any:
    """Returns a tensor of a tensor's or an array's own numbers; None where they cannot be read without a word of torch or a copy."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        if array.dtype.kind not in "iufb" or not array.flags.writeable or any(stride < 0 for stride in array.strides):
            return None
        return torch.from_numpy(array) if array.dtype.name in ("float32", "float64", "int64", "int32", "uint8", "bool", "int8") else None
    return array.detach() if is_plain(array) and array.dim() > 0 and not array.is_complex() else None


def _permutations(size: int) -> Iterator[_Permutation]:
    """Yields the permutations that the program can name which are as long as its data, or longer where it has split it since."""
    found = 0
    seen: set[int] = set()
    for name, value, frame in variables(3):
        if not stored.is_array(value) or len(value.shape) != 1 or not size <= value.shape[0] <= MOST_STORED or id(value) in seen:
            continue
        seen.add(id(value))
        whole = tensor_of(value)
        if whole is None or whole.is_floating_point() or whole.dtype in (torch.bool, torch.uint8):
            continue
        values = whole.long()
        if torch.equal(values.sort().values, torch.arange(len(values))) and bool((values[1:] < values[:-1]).any()):
            found += 1
            yield _Permutation(name, values, frame.f_code)
            if found >= MOST_PERMUTATIONS:
                return


# ---- how much one array tells about another ----


def strength(inputs: Any, targets: Any) -> float:
    """Returns by how many standard deviations the rows of two arrays tell more about each other than random pairs do."""
    count = len(inputs)
    if count < LEAST_ROWS or len(targets) != count:
        return 0.0
    if count > MOST_ROWS:
        some = torch.linspace(0, count - 1, MOST_ROWS).long()
        inputs, targets = inputs[some], targets[some]
    left, right = _standard(_columns(inputs)), _standard(_answers(targets))
    if left.shape[1] == 0 or right.shape[1] == 0:
        return 0.0
    generator = torch.Generator().manual_seed(0)  # a generator of our own: the program's is not touched
    paired = float((left.T @ right).square().sum())
    orders = [torch.randperm(len(right), generator=generator) for _ in range(PAIRINGS)]
    mixed = torch.cat([right[order] for order in orders], 1)
    others = (left.T @ mixed).square().reshape(left.shape[1], PAIRINGS, -1).sum((0, 2))
    spread = float(others.std())
    return (paired - float(others.mean())) / spread if spread > 0 else 0.0


def _columns(array: Any) -> Any:
    """Some columns of the inputs, and their squares, so that a target that depends on a size is seen as well."""
    flat = array.detach().reshape(len(array), -1)
    if flat.shape[1] > MOST_COLUMNS:
        flat = flat[:, torch.linspace(0, flat.shape[1] - 1, MOST_COLUMNS).long()]
    flat = torch.nan_to_num(flat.float())
    centred = flat - flat.mean(0)
    return torch.cat([flat, centred.square()], 1)


def _answers(array: Any) -> Any:
    flat = array.detach().reshape(len(array), -1)[:, :MOST_COLUMNS]
    whole = flat.shape[1] == 1 and (not flat.is_floating_point() or bool((flat == flat.round()).all()))
    if whole:
        values, places = flat.reshape(-1).unique(return_inverse=True)
        if len(values) <= MOST_CLASSES:
            return torch.nn.functional.one_hot(places, len(values)).float()
    return torch.nan_to_num(flat.float())


def _standard(columns: Any) -> Any:
    centred = columns - columns.mean(0)
    spread = centred.square().mean(0).sqrt()
    return (centred / spread.clamp_min(1e-12))[:, spread > 1e-9]
