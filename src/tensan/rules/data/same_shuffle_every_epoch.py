"""DAT105: a distributed sampler is never told the epoch, so it shuffles alike in each."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, LoaderKey, name_given

_LEAST = 2


class SameShuffleEveryEpoch(Rule):
    """
    ## What it does

    Finds loaders that are trained on with a shuffling `DistributedSampler` whose epoch never changes.

    ## Why is this bad?

    The sampler's order is a function of its seed and its epoch. Without `set_epoch` every epoch has the very same batches in the
    same order, and each process sees the same part of the data for ever.

    ## Example

    ```python
    sampler = DistributedSampler(data)
    loader = DataLoader(data, sampler=sampler)
    for epoch in range(10):
        for x, y in loader:
            ...
    ```

    ## Use instead

    ```python
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for x, y in loader:
            ...
    ```

    ## Known problems

    Samplers other than PyTorch's own and its subclasses are not known.
    """

    code = "DAT105"
    name = "same-shuffle-every-epoch"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._open: dict[LoaderKey, EpochStart] = {}
        self._passes: dict[LoaderKey, list[EpochStart]] = {}

    def on_epoch_start(self, event: EpochStart) -> None:
        loader = event.loader
        if loader.order != "random" or loader.order_owner != "sampler":
            return
        self.armed = True
        self._passed(Epochs.key(loader), event.step)
        self._open[Epochs.key(loader)] = event

    def _passed(self, key: LoaderKey, step: int) -> None:
        """A pass is over: it counts where something was trained in it."""
        begun = self._open.pop(key, None)
        if begun is not None and begun.step < step:
            self._passes.setdefault(key, []).append(begun)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        trained = {Epochs.key(loader) for loader in event.loaders if loader.trained}
        for key in tuple(self._open):
            self._passed(key, event.step)
        for key, passes in self._passes.items():
            states = {start.loader.order_state for start in passes}
            if key in trained and len(passes) >= _LEAST and len(states) == 1:
                yield self._finding(passes)

    def _finding(self, passes: list[EpochStart]) -> Finding:
        again = passes[1]
        loader: Loader = again.loader
        name = name_given(loader.made, "loader")
        return self.finding(
            f"the distributed sampler shuffles {len(passes)} epochs into the same order: `set_epoch` is never called",
            at=again.site,
            event=again,
            label="begins each epoch with the sampler at the same one",
            evidence={"epochs": len(passes), "seed and epoch": loader.order_state},
            related=[("the loader is made here", loader.made)],
            proof_note=f"the order is a function of seed and epoch alone, and both were the same in all {len(passes)} epochs",
            help=f"call `{name}.sampler.set_epoch(epoch)` before each epoch",
            subjects=[loader.id],
        )
