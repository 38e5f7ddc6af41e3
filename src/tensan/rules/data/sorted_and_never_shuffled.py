"""DAT103: training goes through data that is sorted by class, in the order in which it is stored."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart, LabelOrder
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Epochs, LoaderKey

#: With fewer batches each holds much of the data anyway.
_LEAST_BATCHES = 4
#: Part of the batches that must be of one class.
_LEAST_PURE = 0.5


class SortedAndNeverShuffled(Rule):
    """
    ## What it does

    Finds classifiers that are trained on batches of a single class each, because the data is sorted by class and the loader does
    not shuffle.

    ## Why is this bad?

    For many steps in a row the model is taught one answer, whatever the input, and then the next: each class undoes what the ones
    before it taught. At the end of an epoch the model knows the last class best.

    ## Example

    ```python
    order = Y.argsort()
    loader = DataLoader(TensorDataset(X[order], Y[order]), batch_size=32)
    ```

    ## Use instead

    ```python
    loader = DataLoader(TensorDataset(X[order], Y[order]), batch_size=32, shuffle=True)
    ```

    ## Known problems

    A stream of tasks that is learned one class after the other on purpose looks the same where all of it comes from one
    loader. Labels that the dataset makes up or transforms as it is read are not known, and pass.
    """

    code = "DAT103"
    name = "sorted-and-never-shuffled"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._sorted: dict[LoaderKey | None, LabelOrder] = {}
        self._begun: dict[LoaderKey, int] = {}

    def on_epoch_start(self, event: EpochStart) -> None:
        self._begun.setdefault(Epochs.key(event.loader), event.step)

    def on_label_order(self, event: LabelOrder) -> None:
        self.armed = True
        blocks = event.num_classes >= 2 and event.num_runs == event.num_classes
        if event.in_order and blocks and event.num_batches >= _LEAST_BATCHES and event.num_pure >= _LEAST_PURE * event.num_batches:
            self._sorted.setdefault(Epochs.key(event.loader) if event.loader is not None else None, event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known whether an epoch had several steps, or one on all of it."""
        loaders = {Epochs.key(loader): loader for loader in event.loaders}
        for key, found in self._sorted.items():
            loader = loaders.get(key, found.loader) if key is not None else None
            if loader is None or key is None:
                yield self._finding(found, found.site)
            elif loader.trained and event.step - self._begun.get(key, 0) >= 2 * max(loader.epochs, 1):
                yield self._finding(found, loader.made or found.site)

    def _finding(self, found: LabelOrder, at: Place) -> Finding:
        pure, batches, classes = found.num_pure, found.num_batches, found.num_classes
        return self.finding(
            f"{pure} of the {batches} batches of an epoch hold a single class: the data is sorted by class and never shuffled",
            at=at,
            event=found,
            label=f"delivers {found.num_items} items in stored order, which is that of their {classes} classes",
            evidence={"batches": batches, "of one class": pure, "classes": classes, "items": found.num_items},
            related=[("an epoch begins here", found.site)] if at is not found.site else (),
            proof_note=f"the {found.num_items} stored labels change {found.num_runs - 1} times only, and the loss gets them in this order",
            help="shuffle: `DataLoader(..., shuffle=True)`, or take batches by a new `torch.randperm(n)` in each epoch",
            subjects=[found.loader.id] if found.loader is not None else (),
        )
