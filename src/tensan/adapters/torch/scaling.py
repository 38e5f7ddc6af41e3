"""Counts the steps that a gradient scaler skips; a few at the start are how it finds its scale, many in a row are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.by_hand import hand_clip
from tensan.core.events.numerics import NonfiniteOrigin
from tensan.core.events.training import Clip, ScalerSkips
from tensan.core.sites import Location, Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Skips in a row after which the scale is read, and again after as many more; reading it waits for the device.
IN_A_ROW = 6
#: What has not been told by then is not going to be.
MOST_SKIPS = 48


class Scaling:
    """The skips of each optimizer since it last stepped."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._skips: dict[str, tuple[int, int]] = {}
        self._by_hand: dict[tuple[str, int] | None, tuple[Location, float] | None] = {}

    def clipped_by_hand(self, record: OptimizerRecord) -> None:
        """A scaler is about to step on gradients that still carry its factor: tells of it where the program has cut them itself."""
        site = here(4)
        place = site.key if isinstance(site, Site) else None
        if place not in self._by_hand:
            self._by_hand[place] = hand_clip(site)
        found = self._by_hand[place]
        if found is not None:
            gradients = sum(tensor.grad is not None for tensor in record.parameters())
            self.recorder.watch.emit(
                Clip(
                    step=self.recorder.watch.steps,
                    site=found[0],
                    optimizers=(record.id,),
                    scaled=True,
                    limit=found[1],
                    num_gradients=gradients,
                    num_parameters=len(record.parameter_ids),
                )
            )

    def stepped(self, scaler: Any, optimizer: Any) -> None:
        """A scaler's `step` has returned, whether or not it has let the optimizer step."""
        record = self.recorder.optimizers.record_of(optimizer)
        if self.recorder.guard is not None:
            self.recorder.guard.scaled(scaler, record)
        steps, skips = self._skips.get(record.id, (-1, 0))
        if record.steps != steps:
            self._skips[record.id] = record.steps, 0 if steps >= 0 or record.steps else 1
            return
        self._skips[record.id] = steps, skips + 1
        watch = self.recorder.watch
        if (skips + 1) % IN_A_ROW or skips >= MOST_SKIPS or not watch.wants(ScalerSkips):
            return
        scale = float(scaler.get_scale())
        self.recorder.syncs += 1
        if scale <= 1:
            origin = self.recorder.investigation.locate(record) if watch.wants(NonfiniteOrigin) else None
            if origin is not None:
                watch.emit(origin)
        watch.emit(ScalerSkips(step=watch.steps, site=here(2), optimizer=record.id, skips=skips + 1, steps=record.steps, scale=scale))
