"""Compares images with what they were made of, and the boxes in them with theirs: a box must lie where the thing does that it is around.

Originals are what a dataset of the program keeps, where it turns images itself, and what a loader delivered, where the training loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import stored
from tensan.adapters.torch.boxes import APART, are_same, boxes_of, have_corners, mirrored, unit_of
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.orientations import AS_IT_WAS, images_of, way_of
from tensan.adapters.torch.supervision import subtracted, targets
from tensan.adapters.torch.trace import Trace
from tensan.adapters.torch.turn_tallies import Tallies, Tally
from tensan.adapters.torch.turned_inputs import MOST_LOOKS, MOST_SAMPLES
from tensan.adapters.torch.turning_lines import TURNING
from tensan.core.events.data import BoxesTurned

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Parts of a batch that are looked through, and stored boxes by which an array is known as some.
MOST_PARTS = 12
MOST_KNOWN = 64


class _Samples(Tally):
    """What was seen of the samples that one place makes."""

    def __init__(self) -> None:
        super().__init__()
        self.samples = self.along = 0

    def count(self, picture: Any, boxes: Any, pictures: Sequence[Any], originals: Sequence[Any]) -> None:
        """Counts one sample: whether its image was mirrored, and its boxes with it."""
        image = images_of(picture)
        found = way_of(image, [each for each in map(images_of, pictures) if each is not None]) if image is not None else None
        if found is None or found[0].exchanged or boxes is None:
            return
        way, source = found
        for original in originals:
            sides = unit_of(original, (source.shape[1], source.shape[2]))
            if sides is None or original.shape != boxes.shape:
                continue
            divided = original / torch.tensor([sides[1], sides[0], sides[1], sides[0]])
            for given, unit in ((original, sides), (divided, (1.0, 1.0))):
                side = max(unit)
                elsewhere = [] if way == AS_IT_WAS else list(mirrored(given, way, unit))
                stayed = are_same(boxes, given, side=side)
                along = any(are_same(boxes, each, side=side, within=APART / 2) for each in elsewhere)
                if not stayed and not along:
                    continue
                self.samples += 1
                if stayed and elsewhere and not any(are_same(given, each, side=side, within=APART) for each in elsewhere):
                    self.left += 1
                    self.way = str(way)
                elif along and not stayed:
                    self.along += 1
                return


class TurnedBoxes:
    """Tallies of the data set that makes the current batch, and of the line of the loss."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(BoxesTurned) else MOST_LOOKS
        self._tallies = Tallies(_Samples, self._tell)
        #: The first pictures of the batch that was delivered last, and all that may be boxes in it.
        self._pictures: Any = None
        self._boxes: list[Any] = []

    def fetched(self, dataset: Any, indices: Any, data: Any) -> None:
        """A batch was made in this process."""
        self._tallies.forget_batch()
        if self._looks >= MOST_LOOKS or not isinstance(indices, list):
            return
        inner, indices = stored.underlying(dataset, indices)
        function = fetching(inner)
        picture, boxes = _parts(list(tensors_in(data, most=MOST_PARTS)), len(indices)) if function is not None else (None, [])
        if function is None or picture is None or not boxes:
            return
        kept = list(stored.containers(inner))
        known = [container for container in kept if _are_boxes(container, _name_of(container, inner))]
        if not known:
            return
        self._looks += 1

        def count(tally: _Samples) -> None:
            for number, index in list(enumerate(indices))[:MOST_SAMPLES]:
                if isinstance(index, int):
                    pictures = [part for container in kept for part in stored.parts_of(container[index])]
                    originals = [part for container in known for part in _boxes_in(container[index])]
                    tally.count(picture[number], boxes_of(boxes[0][number]), pictures, originals)

        self._tallies.fetched(function, inner, count)

    def delivered(self, tensors: Sequence[Any]) -> None:
        """A batch was handed to the program."""
        self._pictures, self._boxes = None, []
        size = len(tensors[0]) if tensors and tensors[0].dim() else 0
        if self._looks < MOST_LOOKS and size:
            picture, boxes = _parts(tensors, size)
            if picture is not None and boxes:
                self._pictures = picture[:MOST_SAMPLES].detach().clone()
                self._boxes = [each.detach().clone() for each in boxes]

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        pictures, boxes = self._pictures, self._boxes
        self._pictures, self._boxes = None, []
        given = next((inputs[0] for inputs in trace.entered if inputs), None)
        if pictures is None or given is None or given.dim() < 3 or len(given) < len(pictures):
            return
        if any(operation.name in TURNING for operation in trace.operations):
            return
        met = [each.target.detach() for each in (*targets(trace), *subtracted(trace)) if each.target.dim() > 1]
        learned = next((known for known in boxes if any(_are_one(known, target) for target in met)), None)
        if learned is None:
            return  # what the loss compares with is what was delivered, in another unit at most
        self._tallies.learned_from()
        flat = boxes_of(learned.reshape(-1, 4))
        tally = self._tallies.of_loop() if flat is not None and have_corners(flat) else None
        if tally is not None:
            self._looks += 1
            for number in range(len(pictures)):
                sample = boxes_of(learned[number])
                tally.count(given[number].detach(), sample, [pictures[number]], [sample] if sample is not None else [])
            self._tell(tally)

    def _tell(self, tally: _Samples) -> None:
        watch = self.recorder.watch
        watch.emit(
            BoxesTurned(
                step=watch.steps,
                site=tally.line,
                num_samples=tally.samples,
                num_along=tally.along,
                num_left=tally.left,
                way=tally.way,
            )
        )


def _parts(tensors: Sequence[Any], size: int) -> tuple[Any, list[Any]]:
    """Returns the pictures of a batch, if there are any, and what may be boxes."""
    some = [each for each in tensors[:MOST_PARTS] if each.dim() > 1 and each.device.type == "cpu" and len(each) == size]
    boxes = [each for each in some if each.dim() in (2, 3) and each.shape[-1] == 4 and each.layout is torch.strided]
    pictures = [each for each in some if each.dim() in (3, 4) and not any(each is other for other in boxes)]
    return (pictures[0] if pictures else None), boxes


def _boxes_in(item: Any) -> list[Any]:
    return [boxes for part in stored.parts_of(item) if (boxes := boxes_of(part)) is not None]


def _name_of(container: Any, dataset: Any) -> str:
    return next((name for name, value in getattr(dataset, "__dict__", {}).items() if value is container), "")


def _are_boxes(container: Any, name: str) -> bool:
    """Tells whether an array, or a list of them, holds boxes: it is called so, or all of its rows are two corners in order."""
    found = [boxes for index in range(min(len(container), MOST_KNOWN)) for boxes in _boxes_in(container[index])]
    return bool(found) and ("box" in name.lower() or have_corners(torch.cat(found)))


def _are_one(delivered: Any, target: Any) -> bool:
    """Tells whether a target is what was delivered, each of the four numbers multiplied by what is the same for all boxes."""
    if target.shape != delivered.shape or target.device.type != "cpu" or not target.numel():
        return False
    one, other = delivered.reshape(-1, 4).double(), target.reshape(-1, 4).double()
    size = (one * one).sum(0)
    factor = (one * other).sum(0) / size.clamp_min(1e-12)
    off = (factor * one - other).abs().max()
    return bool((factor > 0).all()) and float(off) <= 1e-5 * float(other.abs().max())
