"""EVL125: the random augmentation of training is applied to what is evaluated as well."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, LoaderKey, counted, name_given

_LEAST_PASSES = 2


class EvaluationDataAugmented(Rule):
    """
    ## What it does

    Finds evaluation loaders whose inputs are others in each pass, under the same labels, where they are a part of the very dataset that
    is trained on.

    ## Why is this bad?

    `random_split` cuts one dataset in two, and both halves share its transforms. So the model is measured on noisy, cropped and erased
    inputs: too low, another figure each time, and early stopping follows the noise.

    ## Example

    ```python
    data = Images(folder, transform=augment)
    train, val = random_split(data, [0.9, 0.1])
    ```

    ## Use instead

    ```python
    train, val = random_split(range(len(files)), [0.9, 0.1])
    train, val = Subset(Images(folder, transform=augment), train), Subset(Images(folder), val)
    ```

    ## Known problems

    Told of loaders in the order of the store, of inputs in floating point and labels in integers. Where several passes follow each other
    without a step between, as for an average over random views, nothing is told.
    """

    code = "EVL125"
    name = "evaluation-data-augmented"
    category = Category.SUSPICIOUS
    law = 4
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._begun_at: dict[LoaderKey, int] = {}
        self._several_views: set[LoaderKey] = set()

    def on_epoch_start(self, event: EpochStart) -> None:
        key, steps = Epochs.key(event.loader), sum(event.steps.values())
        if self._begun_at.get(key) == steps:
            self._several_views.add(key)
        self._begun_at[key] = steps

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on."""
        trained = {loader.dataset: loader for loader in event.loaders if loader.trained and loader.dataset}
        for loader in event.loaders:
            source = trained.get(loader.dataset)
            if loader.trained or source is None or loader.order != "sequential" or loader.epochs < _LEAST_PASSES:
                continue
            self.armed = True
            if loader.varied and loader.varied >= loader.epochs - 1 and Epochs.key(loader) not in self._several_views:
                yield self._finding(loader, source, event)

    def _finding(self, loader: Loader, source: Loader, event: RunEnd) -> Finding:
        called = name_given(loader.made, "the evaluation loader")
        return self.finding(
            f"`{called}` delivers other inputs in each pass: the random transforms of the training data are applied to what is evaluated",
            at=loader.made,
            event=event,
            label="shares its dataset, and that one's transforms, with the training data",
            evidence={"passes": loader.epochs, "with other inputs": loader.varied},
            related=[("the same dataset is trained on through this loader", source.made)],
            proof=Proof.STATISTIC,
            proof_note=(
                f"{counted(loader.varied, 'time')} the first batch had the labels of the pass before and other inputs, "
                "although nothing is shuffled"
            ),
            help="give what is evaluated a dataset of its own without random transforms, and split the indices",
            subjects=[loader.id],
        )
