"""LOS126: samples are mixed in pairs, and the loss weighs the target of each by the share of the other."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.targets import MixtureWeighed
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence

#: Rows of a batch that must say so, all of them; batches that must, where one value stands for many.
_LEAST_ROWS = 3
_PASTED_BATCHES = 2


class MixtureWeightsExchanged(Rule):
    """
    ## What it does

    Finds training on mixed samples (mixup, CutMix) whose loss weighs the two targets the wrong way round: the sample that makes up
    most of the input counts least.

    ## Why is this bad?

    The model is told, more strongly the more of a sample it sees, that this is the other one's class. The loss falls, only less far,
    and the accuracy looks like that of a regularisation that was chosen too strong.

    ## Example

    ```python
    mixed = lam * x + (1 - lam) * x[order]
    loss = lam * criterion(model(mixed), y[order]) + (1 - lam) * criterion(model(mixed), y)
    ```

    ## Use instead

    ```python
    loss = lam * criterion(model(mixed), y) + (1 - lam) * criterion(model(mixed), y[order])
    ```

    ## Known problems

    Only two losses on class labels that are added are looked at, not targets that were mixed themselves, and only inputs that are
    given to the model as they were mixed. A weight of about one half tells nothing.
    """

    code = "LOS126"
    name = "mixture-weights-exchanged"
    category = Category.CORRECTNESS
    law = 8
    effect = "wrong-loss"
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._pasted: Evidence[MixtureWeighed] = Evidence(_PASTED_BATCHES)
        self._told = False

    def on_mixture_weighed(self, event: MixtureWeighed) -> Iterator[Finding]:
        self.armed = self.armed or event.num_rows >= _LEAST_ROWS
        if event.num_rows < _LEAST_ROWS or self._told:
            return
        if event.num_exchanged < event.num_rows:
            if event.num_right > event.num_exchanged:
                self._pasted.refute()
            return
        for seen in self._pasted.add(event) if event.is_pasted else [event]:
            if not self._told:
                self._told = True
                yield self._finding(seen)

    def _finding(self, event: MixtureWeighed) -> Finding:
        return self.finding(
            "the targets of mixed samples are weighed the wrong way round",
            at=event.site,
            event=event,
            label=f"the target of a sample of which {event.share:.3g} is in the input counts {event.weight:.3g}",
            evidence={"share": event.share, "weight": event.weight, "rows": event.num_rows},
            proof=Proof.LAW,
            proof_note=f"all {event.num_rows} rows of the input that were taken apart hold {event.share:.3g} of one sample and "
            f"{1 - event.share:.3g} of another, and the loss has these numbers the other way round",
            help="weigh each target by the share of its own sample: `lam * loss(y) + (1 - lam) * loss(y[order])`",
        )
