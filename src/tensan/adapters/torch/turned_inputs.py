"""Compares images with what they were made of, and masks with theirs: a mask that belongs to an image must lie as the image does.

Originals are what a dataset of the program keeps, where it turns images itself, and what a loader delivered, where the training loop does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import stored
from tensan.adapters.torch.fetching import fetching
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.orientations import AS_IT_WAS, images_of, way_of, ways_of_mask
from tensan.adapters.torch.supervision import subtracted, targets
from tensan.adapters.torch.trace import Trace
from tensan.adapters.torch.turn_tallies import Tallies, Tally
from tensan.adapters.torch.turning_lines import TURNING
from tensan.core.events.data import ImagesTurned

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches that are looked at, samples of each, and tensors of a batch.
MOST_LOOKS = 16
MOST_SAMPLES = 8
MOST_TENSORS = 4


class _Pairs(Tally):
    """What was seen of the pairs that one place makes."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs = self.turned = self.along = 0

    def count(self, made: Sequence[Any], originals: Sequence[Any]) -> None:
        """Counts one sample: whether its image was turned, and its mask with it."""
        sources = [image for original in originals if (image := images_of(original)) is not None]
        results = [image for each in made if (image := images_of(each)) is not None]
        if len(sources) < 2 or len(results) < 2:
            return
        image, mask = results[:2]
        found = way_of(image, sources)
        if found is None:
            return
        way, source = found
        ways = next((ways for other in sources if other is not source and (ways := ways_of_mask(mask, other))), frozenset())
        if not ways:
            return
        self.pairs += 1
        self.turned += way != AS_IT_WAS
        self.along += way != AS_IT_WAS and ways == {way}  # a mask that looks the same both ways round tells nothing
        if way not in ways:
            self.left += 1
            self.way = str(way if way != AS_IT_WAS else next(iter(ways)))


class TurnedInputs:
    """Tallies of the data set that makes the current batch, and of the line of the loss."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(ImagesTurned) else MOST_LOOKS
        self._tallies = Tallies(_Pairs, self._tell)
        #: The first samples of the batch that was delivered last: each tensor of them that may be an image or a mask.
        self._delivered: list[list[Any]] = []

    def fetched(self, dataset: Any, indices: Any, data: Any) -> None:
        """A batch was made in this process."""
        self._tallies.forget_batch()
        if self._looks >= MOST_LOOKS or not isinstance(indices, list):
            return
        inner, indices = stored.underlying(dataset, indices)
        function = fetching(inner)
        tensors = [tensor for tensor in tensors_in(data, most=MOST_TENSORS) if tensor.dim() >= 3 and len(tensor) == len(indices)]
        kept = list(stored.containers(inner)) if function is not None and len(tensors) > 1 else []
        if not kept or function is None:
            return
        self._looks += 1

        def count(tally: _Pairs) -> None:
            for number, index in list(enumerate(indices))[:MOST_SAMPLES]:
                if isinstance(index, int):
                    originals = [part for container in kept for part in stored.parts_of(container[index])]
                    tally.count([tensor[number] for tensor in tensors], originals)

        self._tallies.fetched(function, inner, count)

    def delivered(self, tensors: Sequence[Any]) -> None:
        """A batch was handed to the program."""
        some = [tensor for tensor in tensors[:MOST_TENSORS] if tensor.dim() >= 3 and tensor.device.type == "cpu"]
        paired = self._looks < MOST_LOOKS and len({tuple(tensor.shape[-2:]) for tensor in some}) < len(some)
        self._delivered = [list(tensor[:MOST_SAMPLES].detach().clone()) for tensor in some] if paired else []

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        batch, self._delivered = self._delivered, []
        given = next((inputs[0] for inputs in trace.entered if inputs), None)
        if not batch or given is None or given.dim() < 3:
            return
        if any(operation.name in TURNING for operation in trace.operations):
            return  # what comes out is turned back before it is compared
        met = next((each.target for each in (*targets(trace), *subtracted(trace)) if each.target.dim() >= 3), None)
        if met is None or len(met) != len(given) or not any(_begin(samples, met) for samples in batch):
            return  # a mask is what the loss compares with, as it was delivered
        self._tallies.learned_from()
        self._looks += 1
        tally = self._tallies.of_loop()
        if tally is not None:
            for number in range(min(len(given), len(batch[0]))):
                tally.count([given[number].detach(), met[number]], [samples[number] for samples in batch])
            self._tell(tally)

    def _tell(self, tally: _Pairs) -> None:
        watch = self.recorder.watch
        watch.emit(
            ImagesTurned(
                step=watch.steps,
                site=tally.line,
                num_pairs=tally.pairs,
                num_turned=tally.turned,
                num_along=tally.along,
                num_left=tally.left,
                way=tally.way,
            )
        )


def _begin(samples: Sequence[Any], target: Any) -> bool:
    """Tells whether a target begins with the first samples of what was delivered, in whatever type and with an axis more or less."""
    first, other = torch.stack(list(samples)).squeeze(), target[: len(samples)].detach().squeeze()
    return first.shape == other.shape and torch.equal(first.float(), other.float())
