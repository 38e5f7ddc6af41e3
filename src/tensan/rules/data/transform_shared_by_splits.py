"""DAT135: the transform of one split is set on the dataset that both splits share."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import SplitsShared
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.metrics import words_in
from tensan.rules.optimizer._shared import name_given

#: Words for what is done to items while they are fetched.
_TREATMENT = frozenset(
    {
        "transform",
        "transforms",
        "tf",
        "tfm",
        "tfms",
        "augment",
        "augments",
        "augmented",
        "augmentation",
        "augmentations",
        "augmenter",
        "aug",
        "augs",
        "train",
        "training",
        "evaluating",
        "evaluation",
        "testing",
        "mode",
        "phase",
        "noise",
        "jitter",
        "flip",
        "flips",
        "crop",
        "crops",
        "shift",
        "mixup",
        "cutout",
        "random",
        "randomize",
        "randomise",
        "stochastic",
        "corrupt",
        "corruption",
        "perturb",
        "dropout",
        "preprocess",
        "preprocessing",
    }
)


class TransformSharedBySplits(Rule):
    """
    ## What it does

    Finds statements that change the transform of one split, or its mode, where the split that is trained on is a part of the very same
    dataset object.

    ## Why is this bad?

    `random_split` and `Subset` copy nothing: the `dataset` of both parts is one object, and there is one transform. What was meant for
    validation alone holds for training too, which goes on without its augmentation, or what is meant for training is applied to what is
    evaluated. Nothing fails.

    ## Example

    ```python
    train_set, val_set = random_split(Images(folder, augment), [0.9, 0.1])
    val_set.dataset.transform = plain
    ```

    ## Use instead

    ```python
    train_set, val_set = random_split(Images(folder, augment), [0.9, 0.1])
    val_set = Subset(Images(folder, plain), val_set.indices)
    ```

    ## Known problems

    Read off statements that stand in no loop and under no condition, in functions in which a loader is built or read. Nothing is said
    where the program sets the attribute anywhere else, as between the phases of an epoch, and where training does not begin an epoch
    afterwards. A statement that names the split of training alone passes: it may well be meant for all.
    """

    code = "DAT135"
    name = "transform-shared-by-splits"
    category = Category.SUSPICIOUS
    law = 4
    explains = frozenset({"wrong-metric"})
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._told: set[Place] = set()

    def on_splits_shared(self, event: SplitsShared) -> Iterator[Finding]:
        self.armed = True
        if event.site is None or event.site in self._told or not _TREATMENT.intersection(words_in(event.attribute)):
            return
        self._told.add(event.site)
        yield self._finding(event)

    def _finding(self, event: SplitsShared) -> Finding:
        one, both = ("evaluated", "trained on") if event.names_other else ("trained on", "evaluated")
        related = [("was set for the other split here", event.overwritten)] if event.overwritten is not None else []
        return self.finding(
            f"`{event.target}` is set for what is {one}, and what is {both} reads the very same dataset",
            at=event.site,
            event=event,
            label=f"both splits have `{event.attribute} = {event.value}` from here on",
            related=[*related, ("what is trained on comes through this loader", event.train.made)],
            proof_note=(
                f"`{name_given(event.train.made, 'the loader of training')}` and `{name_given(event.other.made, 'the other loader')}` "
                f"read two splits of one dataset object, both began an epoch after this, and nothing else sets `{event.attribute}`"
            ),
            help="give each split a dataset of its own, with its own transform: `Subset(Data(..., transform), split.indices)`",
            subjects=[event.train.id, event.other.id],
        )
