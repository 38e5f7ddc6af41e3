"""Collects which class labels each loader delivers, those that a loss is given and those of loaders that are only evaluated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.class_layers import has_unit_per_class
from tensan.adapters.torch.supervision import is_plain, targets
from tensan.adapters.torch.trace import Trace, storage_of
from tensan.core.events.data import LabelsSeen

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.recorder import Recorder

#: Tensors of a batch that may be labels, labels of a batch that are looked at, and classes beyond which they are none.
MOST_PLACES = 6
MOST_LABELS = 4_096
MOST_CLASSES = 2_000
#: Batches of a loader that are looked at.
MOST_BATCHES = 400
MOST_LOOKS = 12

_BINARY = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})


class _Seen:
    """The labels in one place of a loader's batches."""

    def __init__(self) -> None:
        self.classes: set[int] = set()
        self.labels = 0
        self.batches = 0

    def add(self, values: list[int]) -> None:
        self.classes.update(values)
        self.labels += len(values)
        self.batches += 1


class Classes:
    """Labels by loader and by their place in its batches, and which place a loss learns from."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: dict[str, dict[int, _Seen]] = {}
        self._learned: dict[str, tuple[int, int, Any]] = {}
        self._looks = 0
        self._before: tuple[str, int] = ("", -1)
        #: Batches that came in one step with those of another loader: whose labels a loss gets is not known then.
        self._mixed: Counter[str] = Counter()
        #: Classes of targets that no loader has delivered: negatives that the program makes itself.
        self._elsewhere: set[int] = set()

    def delivered(self, record: LoaderRecord, tensors: list[Any]) -> None:
        """A batch was handed over."""
        places = self._seen.setdefault(record.id, {})
        before, step = self._before, self.recorder.watch.steps
        if torch.is_grad_enabled():
            self._mixed.update({before[0], record.id} if before[1] == step and before[0] != record.id else ())
            self._before = record.id, step
        for place, tensor in enumerate(tensors[:MOST_PLACES]):
            seen = places.get(place)
            if seen is not None and (seen.batches >= MOST_BATCHES or len(seen.classes) > MOST_CLASSES):
                continue
            values = labels_in(tensor)
            if values is not None:
                places.setdefault(place, _Seen()).add(values)

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded: are its targets what the loader has just delivered?"""
        record = self.recorder.loaders.last
        if record is None or self._looks >= MOST_LOOKS:
            return
        self._looks += 1
        for name, prediction, target, _, site in targets(trace):
            if name != "nll_loss" and name not in _BINARY:
                continue
            values = labels_in(target)
            for place, tensor in enumerate(self.recorder.loaders.batch()[:MOST_PLACES]) if values is not None else ():
                if storage_of(tensor) == storage_of(target) or labels_in(tensor) == values:
                    outputs = 2 if name in _BINARY else prediction.shape[1] if prediction.dim() > 1 else 0
                    fixed = has_unit_per_class(trace, prediction, 1 if name in _BINARY else outputs)
                    self._learned.setdefault(record.id, (place, outputs if fixed else 0, site))
                    break
            else:
                self._elsewhere.update(_rounded(target))

    def places(self) -> dict[str, int]:
        """Returns, for each loader that a loss learns from, where in its batches the labels are."""
        return {loader: place for loader, (place, _, _) in self._learned.items()}

    def finish(self) -> None:
        """The run is over: tells of the loaders that are learned from, and of those that deliver the like."""
        if not self.recorder.watch.wants(LabelsSeen) or not self._learned:
            return
        places = {place for place, _, _ in self._learned.values()}
        for record in self.recorder.loaders.all:
            place, outputs, site = self._learned.get(record.id, (next(iter(places)) if len(places) == 1 else -1, 0, None))
            seen = self._seen.get(record.id, {}).get(place)
            mixed = seen is not None and self._mixed[record.id] * 4 > seen.batches
            if seen is not None and not mixed and len(seen.classes) <= MOST_CLASSES:
                self.recorder.watch.emit(
                    LabelsSeen(
                        step=self.recorder.watch.steps,
                        site=site,
                        loader=record.event(),
                        classes=tuple(sorted(seen.classes)),
                        num_labels=seen.labels,
                        num_batches=seen.batches,
                        num_outputs=outputs,
                        classes_elsewhere=tuple(sorted(self._elsewhere)),
                    )
                )


def _rounded(target: Any) -> set[int]:
    """Returns the classes among the targets of a loss; smoothed ones count as those that they are nearest to."""
    if not is_plain(target) or target.is_complex() or not 0 < target.numel() <= MOST_LABELS:
        return set()
    return {int(value) for value in target.detach().reshape(-1).to(torch.float64).nan_to_num().round().tolist()}


def labels_in(tensor: Any) -> list[int] | None:
    """Returns a batch's labels, where a tensor can be some: one whole number for each sample."""
    if not is_plain(tensor) or tensor.is_complex() or tensor.dim() == 0 or not 0 < tensor.numel() == len(tensor) <= MOST_LABELS:
        return None
    flat = tensor.detach().reshape(-1)
    if flat.is_floating_point() and not bool((flat == flat.round()).all()):
        return None
    return [int(value) for value in flat.to(torch.float64).nan_to_num().tolist()]
