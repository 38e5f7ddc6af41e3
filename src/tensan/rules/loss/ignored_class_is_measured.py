"""LOS127: the loss ignores a class that the evaluation counts: it is never learned, and each of its samples is told wrong."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import LabelsSeen
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Operation
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.hits import are_counted, hits_in


class _Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """A loss that ignores one of its classes."""

    loss: Loss
    operation: Operation
    index: int
    share: float


class IgnoredClassIsMeasured(Rule):
    """
    ## What it does

    Finds classifiers whose loss is told to ignore a class that samples really have, and that the evaluation counts like any other.

    ## Why is this bad?

    `ignore_index` is for places without a target, such as padding. Where 0 is a class, none of its samples is ever learned from; the
    loss falls, since it does not count them either, and the accuracy can never reach what the model could do.

    ## Example

    ```python
    criterion = nn.CrossEntropyLoss(ignore_index=0)      # taken over from a model of language
    ```

    ## Use instead

    ```python
    criterion = nn.CrossEntropyLoss()                    # what has no target is marked with -100
    ```

    ## Known problems

    Looks at one label for each sample, from a loader, and at evaluations that compare the largest output with it. Where nothing is
    evaluated, nothing is said: a class may stand for samples without a label. A class that is ignored at first and learned much later may
    be told, where none of the later steps is recorded.
    """

    code = "LOS127"
    name = "ignored-class-is-measured"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._ignored: dict[Place, _Ignored] = {}
        #: What losses of so many classes were told to ignore.
        self._told_to_ignore: dict[int, set[int | None]] = {}
        self._counted: dict[str, Place] = {}
        self._labels: list[LabelsSeen] = []

    def on_loss(self, loss: Loss) -> None:
        for operation in loss.operations:
            if operation.name != "nll_loss" or len(operation.inputs) < 2 or len(operation.inputs[0].shape) != 2:
                continue
            index, spread = _ignored_index(operation), loss.spreads.get(operation.index, (None, None))[1]
            self._told_to_ignore.setdefault(operation.inputs[0].shape[1], set()).add(index)
            if index is not None and 0 <= index < operation.inputs[0].shape[1] and spread is not None and spread.ignored > 0:
                self._ignored.setdefault(operation.site, _Ignored(loss=loss, operation=operation, index=index, share=spread.ignored))

    def on_outputs_measured(self, event: OutputsMeasured) -> None:
        where = next((hits for hits in hits_in(event.operations) if are_counted(event.operations, hits)), None)
        if where is not None and event.loader:
            self._counted.setdefault(event.loader, where.site)

    def on_labels_seen(self, event: LabelsSeen) -> None:
        self._labels.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        learned = {label for seen in self._labels if seen.num_outputs for label in seen.classes}
        measured = [seen for seen in self._labels if seen.loader.id in self._counted and not seen.loader.trained]
        self.armed = bool(self._told_to_ignore) and bool(learned) and bool(measured)
        for ignored in self._ignored.values():
            held = next((seen for seen in measured if ignored.index in seen.classes), None)
            alone = self._told_to_ignore[ignored.operation.inputs[0].shape[1]] == {ignored.index}  # else another loss may learn the class
            if held is not None and ignored.index in learned and alone:
                yield self._finding(ignored, held)

    def _finding(self, ignored: _Ignored, held: LabelsSeen) -> Finding:
        index = ignored.index
        return self.finding(
            f"the loss ignores class {index}, which the evaluation counts: it is never learned",
            at=ignored.operation.site,
            event=ignored.loss,
            label=f"`ignore_index` is {index}, the class of {ignored.share:.0%} of the samples",
            evidence={"ignore_index": index, "share": round(ignored.share, 3), "classes": ignored.operation.inputs[0].shape[1]},
            related=[("the outputs are compared with all labels here", self._counted[held.loader.id])],
            proof=Proof.LAW,
            proof_note=f"{ignored.share:.0%} of the labels of a batch are {index}, so that nothing is learned from them, and {index} is "
            f"among the labels that the evaluation compares with",
            help="leave `ignore_index` out: samples without a target are marked with -100",
            subjects=["*"],
        )


def _ignored_index(operation: Operation) -> int | None:
    """Returns the class that a loss is told to ignore, -100 where it was told nothing."""
    arguments = operation.settings.get("arguments")
    numbers = [item for item in arguments if type(item) is int] if isinstance(arguments, tuple) else []
    return numbers[-1] if len(numbers) > 1 else None
