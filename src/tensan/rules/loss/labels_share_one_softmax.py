"""LOS128: samples with several labels, or with none, are given to a cross-entropy, which has one answer for each."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.things import Shape, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import Comparison, comparisons, softmax_axis
from tensan.rules.optimizer._shared import Evidence

_LEAST_STEPS = 2


class LabelsShareOneSoftmax(Rule):
    """
    ## What it does

    Finds targets of `cross_entropy` that are zeros and ones of several labels at once: some samples have more of them than others.

    ## Why is this bad?

    The softmax makes the labels of a sample compete for a probability of one. A sample with three labels can reach a third of each, it
    weighs three times as much as a sample with one, and a sample with none teaches nothing at all. No threshold tells the labels apart.

    ## Example

    ```python
    tags = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    loss = F.cross_entropy(logits, tags)
    ```

    ## Use instead

    ```python
    loss = F.binary_cross_entropy_with_logits(logits, tags)
    ```

    ## Known problems

    Where each sample has as many labels as any other nothing is said: the loss is then that of an even distribution over them. So it is
    where the model is given an array of the same shape, since it may be a likelihood of counts, as recommenders have it, and where
    samples are compared with each other.
    """

    code = "LOS128"
    name = "labels-share-one-softmax"
    category = Category.SUSPICIOUS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._evidence: dict[Place, Evidence[tuple[Loss, Comparison, Spread, tuple[float, float]]]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for comparison in comparisons(loss):
            self.armed = self.armed or comparison.loss == "nll_loss"
            spread = loss.spreads[comparison.operation.index][comparison.given]
            if comparison.loss != "cross_entropy" or spread is None:
                continue
            self.armed = True
            labels = _labels(loss, comparison, spread)
            evidence = self._evidence.setdefault(comparison.operation.site, Evidence(_LEAST_STEPS))
            if labels is None:
                evidence.refute()
            elif labels[0] != labels[1] and labels[1] >= 2:
                for seen in evidence.add((loss, comparison, spread, labels)):
                    yield self._finding(*seen)

    def _finding(self, loss: Loss, comparison: Comparison, spread: Spread, labels: tuple[float, float]) -> Finding:
        least, most = (round(number) for number in labels)
        return self.finding(
            f"samples of {least} to {most} labels are given to `cross_entropy`, which has one answer for each",
            at=comparison.operation.site,
            event=loss,
            label=f"{comparison.target} of zeros and ones",
            evidence={"fewest labels": least, "most labels": most, "largest target": spread.maximum},
            proof_note=f"the targets of this batch add up to {least} for one sample and to {most} for another; a distribution adds up to 1",
            help="use `binary_cross_entropy_with_logits`, which asks for each label by itself",
        )


def _labels(loss: Loss, comparison: Comparison, spread: Spread) -> tuple[float, float] | None:
    """Returns the fewest and the most labels of a sample; None where the targets are something else than zeros and ones."""
    producer = comparison.prediction.producer
    axis = softmax_axis(loss.operations[producer]) if producer >= 0 else None
    if axis is None or axis >= len(spread.sums) or spread.fractional or spread.minimum < 0 or spread.maximum > 1:
        return None
    shape = comparison.target.shape
    among_each_other = shape[axis] == shape[0]
    return spread.sums[axis] if not among_each_other and not _is_given(loss, shape, until=producer) else None


def _is_given(loss: Loss, shape: Shape, *, until: int) -> bool:
    """Tells whether the model was given an array of some shape from outside: it may be the target itself."""
    return any(
        value.shape == shape and value.producer < 0 and not value.requires_grad
        for operation in loss.operations[:until]
        for value in operation.inputs
    )
