"""LOS121: the classes of a loss are weighed by how frequent they are, and not the other way round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tensan.core.events.targets import ClassesWeighted
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

#: Steps and targets that must have been seen.
_LEAST_STEPS = 2
_LEAST_TARGETS = 96
#: How many times as frequent the most frequent class must be.
_UNEQUAL = 3.0
#: How closely the weights follow the frequencies, and by which power: of two classes it must be the frequencies themselves.
_FOLLOWS = 0.95
_POWERS = 0.3, 1.6
_POWERS_OF_TWO = 0.7, 1.35


class WeightsFavourFrequent(Rule):
    """
    ## What it does

    Finds classification losses whose class weights grow with the frequency of the classes: the more often a class is seen, the more each
    of its samples counts.

    ## Why is this bad?

    Weights are there to let rare classes count for more. Turned round they make the imbalance worse: the rare classes, most often the ones
    that matter, are not learned at all, and the loss and the accuracy look good.

    ## Example

    ```python
    counts = torch.bincount(labels)
    criterion = nn.CrossEntropyLoss(weight=counts / counts.sum())
    ```

    ## Use instead

    ```python
    counts = torch.bincount(labels)
    criterion = nn.CrossEntropyLoss(weight=counts.sum() / (len(counts) * counts))
    ```

    ## Known problems

    Where a frequent class is to count for more on purpose, with weights that follow the frequencies, this speaks too.
    """

    code = "LOS121"
    name = "weights-favour-frequent"
    category = Category.SUSPICIOUS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._counts: dict[Place, list[int]] = {}
        self._evidence: dict[Place, Evidence[ClassesWeighted]] = {}

    def on_classes_weighted(self, event: ClassesWeighted) -> Iterator[Finding]:
        self.armed = True
        before = self._counts.get(event.site)
        if before is None or len(before) != len(event.counts):
            before = [0] * len(event.counts)
        counts = self._counts[event.site] = [old + new for old, new in zip(before, event.counts, strict=True)]
        evidence = self._evidence.setdefault(event.site, Evidence(_LEAST_STEPS))
        power = _power(event.weights, counts) if sum(counts) >= _LEAST_TARGETS else None
        for seen in evidence.add(event):
            if power is not None:
                yield self._finding(seen, counts, power)

    def _finding(self, event: ClassesWeighted, counts: Sequence[int], power: float) -> Finding:
        most, least = counts.index(max(counts)), counts.index(min(count for count in counts if count))
        more, heavier = counts[most] / counts[least], event.weights[most] / event.weights[least]
        positive = event.loss == "binary_cross_entropy_with_logits"
        right = "the number of negatives over that of positives" if positive else "`counts.sum() / (len(counts) * counts)`"
        return self.finding(
            "the class weights of the loss grow with how frequent the classes are, so that rare classes count for even less",
            at=event.made or event.site,
            event=event,
            label=f"class {most} is {more:.3g} times as frequent as class {least} and weighs {heavier:.3g} times as much",
            evidence={"weights": list(event.weights[:8]), "counts": list(counts[:8]), "power": round(power, 2)},
            related=[("the loss uses them here", event.site)] if event.made is not None else [],
            proof=Proof.STATISTIC,
            proof_note=f"among {sum(counts)} targets the weights follow the counts of the classes (to the power of {power:.2f})",
            help=f"weigh by the inverse: {right}",
        )


def _power(weights: Sequence[float], counts: Sequence[int]) -> float | None:
    """Returns by which power of the counts the weights grow; None where they do not follow them."""
    pairs = [(math.log(count), math.log(weight)) for weight, count in zip(weights, counts, strict=True) if count > 0 and weight > 0]
    if len(pairs) < 2 or max(pair[0] for pair in pairs) - min(pair[0] for pair in pairs) < math.log(_UNEQUAL):
        return None
    mean_x, mean_y = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    xx, yy = (sum((pair[side] - mean) ** 2 for pair in pairs) for side, mean in ((0, mean_x), (1, mean_y)))
    xy = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    if xx == 0 or yy == 0 or xy / math.sqrt(xx * yy) < _FOLLOWS:
        return None
    least, most = _POWERS_OF_TWO if len(pairs) == 2 else _POWERS
    return xy / xx if least <= xy / xx <= most else None
