"""Compares how the ids that a model looks up are numbered, in the data that it learns from and in the data that it is evaluated on."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.array_origins import origin
from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.supervision import is_plain
from tensan.adapters.torch.trace import key_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.data import IdsCompared
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Evaluations that are looked at, attributes of a data set, columns of one array, rows, and numbers in a list.
MOST_LOOKS = 12
MOST_ATTRIBUTES = 64
MOST_COLUMNS = 8
MOST_ROWS = 2_000_000
MOST_LISTED = 200_000
MOST_INPUTS = 16
#: Different ids, and ids that come again before all have come.
LEAST_IDS = 10
LEAST_AGAIN = 8
#: Share of these that must follow no plain order, as rows that were drawn at random do.
LEAST_MIXED = 0.3
#: Keys of two maps that must be in both, and share of them that have another number.
LEAST_SHARED = 10
LEAST_MOVED = 0.5
MOST_KEYS = 1_000_000
#: Share of equal values at which two columns hold the same rows.
SAME_ROWS = 0.5
#: Numbers that an embedding may have beside those of the ids: for what is not known, and for padding.
SPARE = 2


class _Columns(NamedTuple):
    """The ids of a data set by their name in it, each with the whole array that it is a column of."""

    by_name: dict[str, Any]
    whole: dict[str, Any]


class CodedColumns:
    """The first looks at data sets that models which look ids up are evaluated on.

    Models without any embedding are remembered, since they are asked about at each forward.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(IdsCompared) else MOST_LOOKS
        self._without: weakref.WeakSet[Any] = weakref.WeakSet()
        self._told: set[tuple[int, int]] = set()

    def evaluated(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        trained = self.recorder.trained_on.dataset_of(module) if self._looks < MOST_LOOKS and module not in self._without else None
        if trained is None:
            return
        if not any(True for _ in _sizes(module)):
            self._without.add(module)
            return
        given = [each for each in tensors_in(inputs, most=MOST_INPUTS) if is_plain(each) and _is_whole(each)]
        other = self._source(given, trained)
        if other is None or (id(trained), id(other)) in self._told:
            return
        self._looks += 1
        if other is trained:  # parts of one data set are numbered by one hand
            self._told.add((id(trained), id(other)))
            self.recorder.watch.emit(IdsCompared(step=self.recorder.watch.steps, site=here(3)))
            return
        if type(other) is not type(trained):
            return
        sizes, learned, held = set(_sizes(module)), _columns(trained), _columns(other)
        fed = [name for name in held.by_name if name in learned.by_name and _is_fed(held, name, given)]
        sized = [name for name in fed if any(0 <= size - 1 - int(learned.by_name[name].max()) <= SPARE for size in sizes)]
        if not given or (held.by_name and not fed):
            return  # batches in an order of their own do not tell which of the columns they come from
        self._told.add((id(trained), id(other)))
        again = [name for name in sized if _is_numbered_again(learned.by_name[name], held.by_name[name], _maps(trained), _maps(other))]
        name, made = _made(other) if again else ("", None)
        self.recorder.watch.emit(
            IdsCompared(
                step=self.recorder.watch.steps,
                site=here(3),
                columns=tuple(sized),
                again=tuple(again),
                numbers=tuple((len(learned.by_name[each].unique()), len(held.by_name[each].unique())) for each in again),
                kind=type(other).__name__,
                name=name,
                made=made,
            )
        )

    def _source(self, given: list[Any], trained: Any) -> Any:
        """Returns the data set that some inputs come from, which a loader delivered or the program took out of it."""
        for tensor in given:
            record = self.recorder.loaders.source_of(tensor)
            if record is not None:
                return record.living_dataset()
        keys = [key_of(tensor) for tensor in given]
        for _, value, _ in variables(5):
            if type(value) is type(trained) and value is not trained:
                held = _columns(value)
                if any(
                    key_of(array) in keys for array in (*held.whole.values(), *held.by_name.values()) if isinstance(array, torch.Tensor)
                ):
                    return value
        return None


def _sizes(module: Any) -> Iterator[int]:
    """Yields how many ids each embedding of a model knows."""
    for part in module.modules():
        if isinstance(part, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
            yield part.num_embeddings


def _is_whole(tensor: Any) -> bool:
    return not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype is not torch.bool and tensor.dim() > 0


def _columns(dataset: Any) -> _Columns:
    """Returns the columns of whole numbers that a data set keeps, one number for each sample."""
    found = _Columns({}, {})
    try:
        rows = len(dataset)
    except TypeError:
        return found
    for name, value in list(attributes(dataset).items())[:MOST_ATTRIBUTES]:
        several = list(enumerate(value[:MOST_COLUMNS])) if type(value) in (tuple, list) and len(value) != rows else [("", value)]
        for number, each in several:
            array = _read(each)
            if array is None or len(array) != rows or not 0 < rows <= MOST_ROWS:
                continue
            called = f"{name}[{number}]" if number != "" else name
            if array.dim() == 1:
                found.by_name[called], found.whole[called] = array, array
            elif array.dim() == 2 and array.shape[1] <= MOST_COLUMNS:
                for column in range(array.shape[1]):
                    found.by_name[f"{called}[:, {column}]"], found.whole[f"{called}[:, {column}]"] = array[:, column], array
    return found


def _read(value: Any) -> Any:
    """Returns an array of whole numbers as a tensor, whatever keeps it; None where it is none."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, torch.Tensor):
        return value.detach() if is_plain(value) and _is_whole(value) else None
    if numpy is not None and type(value) is numpy.ndarray and value.dtype.kind in "iu" and value.ndim in (1, 2):
        return torch.tensor(value.astype("int64"))
    if type(value) is list and 0 < len(value) <= MOST_LISTED and all(type(each) is int for each in value):
        return torch.tensor(value)
    return None


def _is_fed(held: _Columns, name: str, given: list[Any]) -> bool:
    """Tells whether a model is given a column, or the array that it belongs to, from its first row on."""
    column, whole = held.by_name[name], held.whole[name]
    return any(
        array.dim() == tensor.dim() and len(array) >= len(tensor) > 1 and torch.equal(array[: len(tensor)].long(), tensor.detach().long())
        for tensor in given
        for array in (column, whole)
        if array.shape[1:] == tensor.shape[1:]
    )


def _is_numbered_again(learned: Any, held: Any, learned_maps: dict[str, Any], held_maps: dict[str, Any]) -> bool:
    """Tells whether the ids that a model is evaluated on were numbered anew, other than those that it learned."""
    count = min(len(learned), len(held))
    if float((learned[:count] == held[:count]).double().mean()) >= SAME_ROWS:
        return False
    if _is_by_appearance(learned) and _is_by_appearance(held):
        return True
    if int(held.max()) >= int(learned.max()):
        return False  # where all ids are there, a map of something else may have as many numbers
    return any(
        _spans(learned_maps[name], learned) and _spans(held_maps[name], held) and _disagree(learned_maps[name], held_maps[name])
        for name in learned_maps
        if name in held_maps
    )


def _is_by_appearance(column: Any) -> bool:
    """Tells whether ids are numbered in the order in which they first appear, in rows that are in no order otherwise."""
    values = column.long()
    if len(values) < LEAST_IDS + LEAST_AGAIN:
        return False
    first = int(values[0])
    highest = values.cummax(0).values
    before = torch.cat([values[:1] - 1, highest[:-1]])
    new = values > before
    if first not in range(SPARE + 1) or bool((values < first).any()) or bool((values[new] != before[new] + 1).any()):
        return False
    last = int(new.nonzero()[-1])
    again = (~new[: last + 1]).nonzero().reshape(-1)
    if int(new.sum()) < LEAST_IDS or len(again) < LEAST_AGAIN:
        return False
    # Rows that were sorted or made in loops number what is in them in order of appearance, whoever numbers it.
    steps = (values[again] - values[again - 1]).abs()
    mixed = (steps > 1) & (values[again] != first) & (values[again] != before[again])
    return float(mixed.double().mean()) >= LEAST_MIXED


def _maps(dataset: Any) -> dict[str, dict[Any, int]]:
    """Returns the maps from raw values to numbers that a data set keeps, in encoders of its own too, by their names."""
    found: dict[str, dict[Any, int]] = {}
    for name, value in list(attributes(dataset).items())[:MOST_ATTRIBUTES]:
        inner = () if isinstance(value, (torch.Tensor, torch.nn.Module)) else list(attributes(value).items())[:MOST_ATTRIBUTES]
        for called, each in ((name, value), *((f"{name}.{key}", part) for key, part in inner)):
            numbered = _numbered(each)
            if numbered is not None:
                found[called] = numbered
    return found


def _numbered(value: Any) -> dict[Any, int] | None:
    """Returns a map from raw values to numbers: a dict, or the sorted classes of an encoder."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(value) is numpy.ndarray and value.ndim == 1 and value.dtype.kind in "OUS" and len(value) <= MOST_KEYS:
        listed = value.tolist()
        plain = all(type(key) is str for key in listed)
        return {key: number for number, key in enumerate(listed)} if plain and listed == sorted(set(listed)) else None
    if type(value) is not dict or not LEAST_SHARED <= len(value) <= MOST_KEYS:
        return None
    plain = all(type(key) in (str, int, bytes, tuple) and type(number) is int for key, number in value.items())
    return value if plain and len(set(value.values())) == len(value) else None


def _spans(numbers: dict[Any, int], column: Any) -> bool:
    """Tells whether a column holds all the numbers that a map gives, and no others but for what the map does not know."""
    present, given = set(column.unique().tolist()), set(numbers.values())
    return len(present) >= LEAST_IDS and given <= present and len(present - given) <= SPARE


def _disagree(learned: dict[Any, int], held: dict[Any, int]) -> bool:
    shared = [key for key in held if key in learned]
    moved = sum(learned[key] != held[key] for key in shared)
    return len(shared) >= LEAST_SHARED and moved >= LEAST_MOVED * len(shared)


def _made(dataset: Any) -> tuple[str, Place]:
    """Returns what the program calls a data set, and where it makes it."""
    return origin((name, frame) for name, value, frame in variables(5) if value is dataset)
