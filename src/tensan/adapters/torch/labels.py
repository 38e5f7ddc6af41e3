"""Tells in which order the class labels lie that a loss is given, where the program delivers data as it is stored."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import stored
from tensan.adapters.torch.supervision import is_plain, targets
from tensan.adapters.torch.trace import Trace
from tensan.core.events.data import LabelOrder
from tensan.core.sites import Location, Place, Site
from tensan.core.trees import walk

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Labels beyond this are not looked through, in arrays and in lists.
MOST_LABELS = 5_000_000
MOST_LISTED = 200_000
#: Arrays that a dataset may keep in one list.
MOST_PARTS = 16
#: Labels from the beginning that are kept, to be compared with what the loss gets.
MOST_KEPT = 16_384
#: Classes beyond this are not classes.
MOST_CLASSES = 100_000
#: Targets that are compared.
MOST_LOOKS = 12

_CLASS_LOSSES = frozenset({"nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss"})


class _Stored:
    """Labels of a dataset as they are stored: how they lie, and how they begin."""

    def __init__(self, labels: Any, batch: int) -> None:
        self.items = len(labels)
        changes = (labels[1:] != labels[:-1]).nonzero().reshape(-1) + 1
        self.runs = len(changes) + 1
        self.classes = len(labels.unique()) if self.runs <= MOST_CLASSES else self.runs
        self.batches = -(-self.items // max(batch, 1))
        self.mixed = len((changes[changes % max(batch, 1) != 0] // max(batch, 1)).unique())
        self.begin = labels[:MOST_KEPT].clone()

    def event(self, step: int, site: Place, **fields: Any) -> LabelOrder:
        """Returns what is known of the order."""
        return LabelOrder(
            step=step,
            site=site,
            num_items=self.items,
            num_classes=self.classes,
            num_runs=self.runs,
            num_batches=self.batches,
            num_pure=self.batches - self.mixed,
            **fields,
        )


class Labels:
    """Labels that were found in stored data, until a loss has been seen to get them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0
        self._stored: dict[str, list[_Stored]] = {}
        self._cut: dict[int, tuple[int, int, int]] = {}

    def begun(self, record: LoaderRecord, loader: Any) -> None:
        """A loader begins its first epoch: how do the labels of its data lie?"""
        if record.epochs != 1 or record.order.kind != "sequential" or not self.recorder.watch.wants(LabelOrder):
            return
        batch = loader.batch_size or 1
        self._stored[record.id] = [_Stored(labels, batch) for labels in labels_of(loader.dataset)]

    def stored(self, loader: str) -> str:
        """Says how the labels that a loader's data keep lie, where they were looked through."""
        return "; ".join(f"{each.classes} classes in {each.runs} runs of equal labels" for each in self._stored.get(loader, []))

    def learned_from(self, trace: Trace, site: Place) -> None:
        """A loss was recorded: are its targets those labels?"""
        if self._looks >= MOST_LOOKS or not self.recorder.watch.wants(LabelOrder):
            return
        self._looks += 1
        for name, _, target, _, _ in targets(trace):
            flat = _flat(target) if name in _CLASS_LOSSES else None
            if flat is not None:
                self._compare(target, flat, site)

    def _compare(self, target: Any, flat: Any, site: Place) -> None:
        record = self.recorder.loaders.last
        step = self.recorder.watch.steps
        if record is None or not record.delivered:
            self._compare_cut(target, site)
            return
        begin = (record.delivered - 1) * len(flat)
        known = next(
            (known for known in self._stored.get(record.id, ()) if torch.equal(known.begin[begin : begin + len(flat)], flat)), None
        )
        loader = record.event()
        if known is not None:
            self.recorder.watch.emit(known.event(step, record.begun_at, loader=loader, in_order=True))
        else:
            self.recorder.watch.emit(LabelOrder(step=step, site=record.begun_at, loader=loader))

    def _compare_cut(self, target: Any, site: Place) -> None:
        """The program cuts its batches itself: do they follow one another in what they were cut from?"""
        base = target._base
        if base is None or base.dim() != 1 or not is_plain(base) or len(base) > MOST_LABELS or base.stride(0) != 1:
            return
        if target.dim() != 1 or target.stride(0) != 1:
            return
        step, batch = self.recorder.watch.steps, len(target)
        begin = target.storage_offset() - base.storage_offset()
        before = self._cut.get(id(base))
        self._cut[id(base)] = begin, batch, step
        if before is not None and before[0] + before[1] == begin and before[2] < step and batch > 0:
            self.recorder.watch.emit(_Stored(base.long(), batch).event(step, _cutting_line(site) or site, in_order=True))


def _flat(target: Any) -> Any:
    """Returns a batch's labels as one row of integers; None where they are none."""
    if not is_plain(target) or target.dim() == 0 or target.numel() != len(target) or target.numel() == 0:
        return None
    flat = target.detach().reshape(-1)
    whole = flat.long()
    return whole if not flat.is_floating_point() or torch.equal(whole.to(flat.dtype), flat) else None


def labels_of(dataset: Any) -> Iterator[Any]:
    """Yields the stored arrays of a dataset that could be class labels, in the order of its items."""
    from torch.utils.data import ConcatDataset, Subset, TensorDataset

    if isinstance(dataset, ConcatDataset):
        for parts in zip(*(list(labels_of(part)) for part in dataset.datasets), strict=False):
            yield torch.cat(parts)
        return
    if isinstance(dataset, Subset):
        if len(dataset) <= MOST_LABELS and len(dataset) > 0:
            indices = torch.as_tensor(list(dataset.indices))
            for labels in labels_of(dataset.dataset):
                yield labels[indices]
        return
    size = len(dataset) if hasattr(dataset, "__len__") else 0
    arrays: list[Any] = list(dataset.tensors) if isinstance(dataset, TensorDataset) else list(getattr(dataset, "__dict__", {}).values())
    arrays += [part for array in arrays if type(array) in (list, tuple) and len(array) < MOST_PARTS for part in array]
    if type(dataset) is list:
        arrays.append(dataset)
    for array in arrays:
        labels = _as_labels(array, size)
        if labels is not None:
            yield labels


def _as_labels(array: Any, size: int) -> Any:
    if stored.is_array(array) and 1 < size <= MOST_LABELS and len(array.shape) in (1, 2) and array.shape[0] == size:
        tensor = array if isinstance(array, torch.Tensor) else torch.as_tensor(array) if array.dtype.kind in "iufb" else None
        return _flat(tensor) if tensor is not None and is_plain(tensor) else None
    if type(array) is list and len(array) == size and 1 < size <= MOST_LISTED:
        # Lists of labels, or of pairs such as a path and its class.
        items = [_label_in(item) for item in array]
        return torch.tensor(items) if all(type(item) is int for item in items) else None
    return None


def _label_in(item: Any) -> Any:
    if type(item) is tuple and item:
        item = item[-1]
    elif type(item) is dict:
        item = next((value for value in item.values() if type(value) is int), None)
    return int(item) if isinstance(item, torch.Tensor) and item.numel() == 1 and not item.is_floating_point() and is_plain(item) else item


def _cutting_line(site: Place) -> Location | None:
    """Finds, in the function that trains, the statement that cuts a batch out of the data."""
    from tensan.adapters.torch.source import in_file

    if not isinstance(site, Site):
        return None
    path, line = site.key
    first = site.code.co_firstlineno

    def cuts(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Assign)
            and first <= node.lineno <= line
            and any(isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) for part in walk(node.value))
            and any(start <= node.lineno <= end for start, end in loops)
        )

    loops: list[tuple[int, int]] = []

    def is_loop(node: ast.AST) -> bool:
        if isinstance(node, (ast.For, ast.While)) and node.lineno <= line <= (node.end_lineno or node.lineno):
            loops.append((node.lineno, node.end_lineno or node.lineno))
        return False

    in_file(path, is_loop)
    return in_file(path, cuts)
