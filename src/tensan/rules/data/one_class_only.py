"""DAT121: all labels of the training data are of one class."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import LabelsSeen
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import name_given

#: Labels and batches that must have been seen.
_LEAST_LABELS = 100
_LEAST_BATCHES = 4


class OneClassOnly(Rule):
    """
    ## What it does

    Finds classifiers that are trained on labels of one class only, batch after batch of a shuffled loader.

    ## Why is this bad?

    A model that always answers with this class has a loss of nothing. It learns that in a few steps and is perfect by every measure. Most
    often the labels were computed wrongly: a threshold on another scale, a fraction cast to an integer, a column that is not there.

    ## Example

    ```python
    labels = (score / 100).long()              # scores from 0 to 99: all labels are 0
    ```

    ## Use instead

    ```python
    labels = (score >= 50).long()
    ```

    ## Known problems

    Told of loaders that shuffle, or were seen from beginning to end, and of models with a unit for each class. Where the right one of
    several candidates always stands first, as in retrieval, and where the program makes negatives itself, nothing is told.
    """

    code = "DAT121"
    name = "one-class-only"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: list[LabelsSeen] = []

    def on_labels_seen(self, event: LabelsSeen) -> None:
        if event.loader.trained:
            self._seen.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end: of several loaders each may deliver a class of its own."""
        known = {seen.loader.id for seen in self._seen}
        if not self._seen or any(loader.trained and loader.id not in known for loader in event.loaders):
            return
        self.armed = True
        labels, batches = sum(seen.num_labels for seen in self._seen), sum(seen.num_batches for seen in self._seen)
        enough = labels >= _LEAST_LABELS and batches >= _LEAST_BATCHES and all(map(_is_fair, self._seen))
        if enough and len(_classes(self._seen)) == 1 and self._seen[0].num_outputs > 1:
            yield self._finding(self._seen[0], labels, batches)

    def _finding(self, event: LabelsSeen, labels: int, batches: int) -> Finding:
        called = name_given(event.loader.made, "the training loader")
        only = event.classes[0]
        return self.finding(
            f"all labels that the model learns from are {only}, of {event.num_outputs} classes",
            at=event.loader.made or event.site,
            event=event,
            label=f"delivers {labels} labels, all of them {only}",
            evidence={"labels": labels, "batches": batches, "classes": event.num_outputs},
            related=[("the loss learns from them here", event.site)],
            proof=Proof.STATISTIC,
            proof_note=f"{labels} labels in {batches} batches of `{called}` were looked at",
            help="look at how the labels are made: count them with `torch.bincount`",
            subjects=[event.loader.id],
        )


def _classes(several: list[LabelsSeen]) -> set[int]:
    return {label for seen in several for label in (*seen.classes, *seen.classes_elsewhere)}


def _is_fair(seen: LabelsSeen) -> bool:
    """Tells whether what was seen of a loader is not just the beginning of data that lies sorted."""
    loader = seen.loader
    return loader.order == "random" or (loader.length is not None and seen.num_batches >= loader.length)
