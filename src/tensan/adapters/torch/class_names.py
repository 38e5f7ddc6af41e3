"""Finds out by which number each class is delivered, where a data set keeps the names of its classes and which of them an item is of."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch import stored
from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.classes import labels_in
from tensan.adapters.torch.nested import tensors_in
from tensan.core.events.data import ClassesNamed

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Data sets, batches of each, its attributes, names of classes, parts of an item and of a batch that are looked at.
MOST_SETS = 16
MOST_BATCHES = 4
MOST_ATTRIBUTES = 64
MOST_NAMES = 2_000
MOST_PARTS = 6
MOST_TENSORS = 12


class ClassNames:
    """By loader: the numbers that stand for names of classes, each of them seen to be delivered."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        #: By loader and by place in its batches: the numbers that were delivered there.
        self._seen: dict[str, tuple[LoaderRecord, dict[int, dict[str, int]]]] = {}
        self._looks: dict[int, int] = {}
        self._is_wanted = recorder.watch.wants(ClassesNamed)

    def fetched(self, dataset: Any, indices: Any, data: Any) -> None:
        """A batch was made in this process."""
        if not self._is_wanted or not isinstance(indices, list):
            return
        inner, _ = stored.underlying(dataset, [])
        looks = self._looks.get(id(inner), 0)
        if looks >= MOST_BATCHES or (not looks and len(self._looks) >= MOST_SETS):
            return
        if not all(isinstance(index, int) for index in indices):
            return
        _, indices = stored.underlying(dataset, indices)
        self._looks[id(inner)] = looks + 1
        record = self.recorder.loaders.last_begun(inner)
        size = len(inner) if hasattr(type(inner), "__len__") else 0
        numbered = [numbers for numbers in _numbered(inner) if 2 * len(numbers) <= size] if record is not None else []
        if record is None or not numbered or not all(0 <= index < size for index in indices):
            self._looks[id(inner)] = MOST_BATCHES
            return
        delivered = [labels_in(tensor) for tensor in tensors_in(data, most=MOST_TENSORS)]
        for kept in _kept(inner):
            for numbers in numbered:
                names = [name for index in indices if (name := _name_in(kept[index], numbers)) is not None]
                labels = [numbers[name] for name in names]
                if len(names) == len(indices) and labels in delivered:
                    places = self._seen.setdefault(record.id, (record, {}))[1]
                    places.setdefault(delivered.index(labels), {}).update(zip(names, labels, strict=True))

    def finish(self) -> None:
        """The run is over: of the places in a batch, the one tells that a loss has learned from."""
        learned = self.recorder.classes.places()
        for record, places in self._seen.values():
            own = {learned[record.id]} if record.id in learned else set(learned.values())
            names = places.get(next(iter(own))) if len(own) == 1 else None
            if names is not None and len(names) > 1:
                self.recorder.watch.emit(
                    ClassesNamed(step=self.recorder.watch.steps, site=record.begun_at, loader=record.event(), numbers=names)
                )


def _numbered(dataset: Any) -> Iterator[Mapping[str, int]]:
    """Yields the maps from names to numbers that a data set keeps: as a dict, or as a list of names by number."""
    for value in islice(attributes(dataset).values(), MOST_ATTRIBUTES):
        if type(value) is dict and 1 < len(value) <= MOST_NAMES:
            plain = all(type(name) is str and type(number) is int for name, number in value.items())
            if plain and len(set(value.values())) == len(value):
                yield value
        elif type(value) in (list, tuple) and 1 < len(value) <= MOST_NAMES and all(type(name) is str for name in value):
            numbers = {name: number for number, name in enumerate(value)}
            if len(numbers) == len(value):
                yield numbers


def _kept(dataset: Any) -> Iterator[Sequence[Any]]:
    """Yields what a data set keeps for each item: lists of names, of paths or of pairs with one, and the columns of a table."""
    size = len(dataset)
    for value in islice(attributes(dataset).values(), MOST_ATTRIBUTES):
        if type(value) in (list, tuple) and len(value) == size:
            yield value
        elif type(value).__module__.partition(".")[0] in ("pandas", "numpy"):
            yield from _columns(value, size)


def _columns(table: Any, size: int) -> Iterator[Sequence[Any]]:
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if numpy is not None and type(table) is numpy.ndarray and table.dtype.kind in "OU" and table.shape == (size,):
        yield table
    elif pandas is not None and type(table) is pandas.Series and len(table) == size:
        yield table.array
    elif pandas is not None and type(table) is pandas.DataFrame and len(table) == size:
        yield from (table.iloc[:, place].array for place in range(min(table.shape[1], MOST_ATTRIBUTES)))


def _name_in(item: Any, numbers: Mapping[str, int]) -> str | None:
    """Returns the class that something kept for an item tells: its name, a folder of its path, or one of these in a pair."""
    if isinstance(item, (tuple, list)):
        return next((name for part in item[:MOST_PARTS] if (name := _name_in(part, numbers)) is not None), None)
    if isinstance(item, str) and item in numbers:
        return str(item)
    if isinstance(item, (str, PurePath)):
        folders = [part for part in PurePath(item).parts[:-1] if part in numbers]
        return folders[-1] if folders else None
    return None
