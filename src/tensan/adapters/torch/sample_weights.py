"""Tells of loaders that draw their samples by weights: how many weights there are, for how many samples."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.array_origins import origin
from tensan.adapters.torch.labels import labels_of
from tensan.adapters.torch.orders import sampler_of
from tensan.adapters.torch.variables import MOST_FRAMES, users_frames, variables
from tensan.core.events.data import SamplesWeighted
from tensan.core.sites import Place
from tensan.core.trees import only_call

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.core.watch import Watch

#: Arrays of a data set that are looked through for class labels.
_MOST_ARRAYS = 4


def tell_weights(watch: Watch, record: LoaderRecord, loader: Any) -> None:
    """A loader begins an epoch: the first one is told."""
    from torch.utils.data import WeightedRandomSampler

    sampler = sampler_of(loader) if record.epochs == 1 and watch.wants(SamplesWeighted) else None
    if type(sampler) is not WeightedRandomSampler or not record.num_items:
        return
    # Labels are read, and places sought, only where there is something to tell.
    short = len(sampler.weights) < record.num_items
    labels = islice(labels_of(loader.dataset), _MOST_ARRAYS) if short else ()
    watch.emit(
        SamplesWeighted(
            step=watch.steps,
            site=record.begun_at,
            loader=record.event(),
            num_weights=len(sampler.weights),
            num_draws=int(sampler.num_samples),
            num_classes=tuple(int(each.max()) + 1 for each in labels if int(each.min()) >= 0),
            made=_made(sampler) if short else None,
        )
    )


def _made(sampler: Any) -> Place:
    named = origin((name, frame) for name, value, frame in variables(4) if value is sampler)[1]
    if named is not None:
        return named
    files = {frame.f_code.co_filename for frame in users_frames(sys._getframe(1), most=MOST_FRAMES)}
    return only_call(files, type(sampler).__name__)
