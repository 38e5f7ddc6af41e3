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
        self._seen: dict[str, tuple[LoaderRecord, dict[str, int]]] = {}
        self._looks: dict[int, int] = {}
        self._is_wanted = recorder.watch.wants(ClassesNamed)

    def fetched(self, dataset: Any, indices: Any, data: Any) -> None:
        """A batch was made in this process."""
        if not self._is_wanted or not isinstance(indices, list) or not all(isinstance(index, int) for index in indices):
            return
        inner, indices = stored.underlying(dataset, indices)
        looks = self._looks.get(id(inner), 0)
        if looks >= MOST_BATCHES or (not looks and len(self._looks) >= MOST_SETS):
            return
        self._looks[id(inner)] = looks + 1
        record = self.recorder.loaders.last_begun(inner)
        numbered = list(_numbered(inner)) if record is not None else []
        if record is None or not numbered:
            self._looks[id(inner)] = MOST_BATCHES
            return
        delivered = [labels for tensor in tensors_in(data, most=MOST_TENSORS) if (labels := labels_in(tensor)) is not None]
        for kept in _kept(inner):
            for numbers in numbered:
                names = [_name_in(kept[index], numbers) for index in indices]
                if None in names or [numbers[name] for name in names if name is not None] not in delivered:
                    continue
                known = self._seen.setdefault(record.id, (record, {}))[1]
                known.update({name: numbers[name] for name in names if name is not None})
                return

    def finish(self) -> None:
        """The run is over."""
        for record, names in self._seen.values():
            if len(names) > 1:
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
    try:
        size = len(dataset)
    except TypeError:
        return
    for value in islice(attributes(dataset).values(), MOST_ATTRIBUTES):
        if type(value) in (list, tuple) and len(value) == size and size:
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
