"""Knows which data set each model was first trained on."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


class TrainedOn:
    """By model: the data set of the loader that delivered when it first ran for training."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._datasets: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()

    def learned_from(self, module: Any) -> None:
        """A model is about to run for training."""
        last = self.recorder.loaders.last
        if last is None or module in self._datasets:
            return
        dataset = last.living_dataset()
        if dataset is not None and module.training:
            self._datasets[module] = weakref.ref(dataset)

    def dataset_of(self, module: Any) -> Any:
        """Returns the data set that a model was trained on; None where there is none, or none any more."""
        reference = self._datasets.get(module)
        return reference() if reference is not None else None
