"""DAT125: the value that a model is to predict is one of the values that it is given."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.targets import TargetsSought
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Evidence

#: Batches and samples that must have been seen.
_LEAST_BATCHES = 2
_LEAST_SAMPLES = 24
#: Different targets, on average over the batches: two classes can agree with a feature of two values by chance.
_LEAST_VALUES = 5
#: Samples, and different targets among them, of the one batch of a short run that was looked at: so many agree with nothing by chance.
_LEAST_OF_ONE = 24


class TargetAmongInputs(Rule):
    """
    ## What it does

    Finds models that are given what they are to predict: in batch after batch the target of each sample stands, to the last bit, at one
    and the same place of its input, as a column of the table or as the last value of the window.

    ## Why is this bad?

    The model learns to copy that value. Training, validation and test look excellent, because the answer is in all of them, and in use,
    where it is not known yet, the model fails. The usual ways in: the column of the target was not taken out of the table, and a window
    that ends where its target lies.

    ## Example

    ```python
    windows = series.unfold(0, 24, 1)
    x, y = windows[:-1], series[23:-1]             # the last value of each window
    ```

    ## Use instead

    ```python
    windows = series.unfold(0, 24, 1)
    x, y = windows[:-1], series[24:]               # the value after it
    ```

    ## Known problems

    Looks at models with one target for each sample and at least three values of input. In sequences only the last value counts: to
    remember an earlier one is a task of its own. Nothing is said where the step itself cuts the target out of the input, and where half of
    the input repeats it. A target that was scaled otherwise than the input is not recognised, nor one of two
    or three classes.
    """

    code = "DAT125"
    name = "target-among-inputs"
    category = Category.SUSPICIOUS
    law = 6
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._places: dict[Place, set[int]] = {}
        self._seen: dict[Place, list[TargetsSought]] = {}
        self._evidence: dict[Place, Evidence[TargetsSought]] = {}

    def on_targets_sought(self, event: TargetsSought) -> Iterator[Finding]:
        self.armed = True
        evidence = self._evidence.setdefault(event.site, Evidence(_LEAST_BATCHES))
        repeated = len(event.columns) * 2 >= event.shape[1] * (event.shape[2] if len(event.shape) == 3 else 1)
        here = set() if repeated else {column for column in event.columns if _counts(event, column)}
        common = self._places.setdefault(event.site, here)
        common &= here
        if not common:
            evidence.refute()
            return
        seen = self._seen.setdefault(event.site, [])
        seen.append(event)
        samples, values = sum(each.shape[0] for each in seen), sum(each.num_values for each in seen) / len(seen)
        for first in evidence.add(event):
            if samples >= _LEAST_SAMPLES and values >= _LEAST_VALUES:
                yield self._finding(first, min(common), samples, len(seen))

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """A short run has one batch that was looked at: at its end no other one can speak against it any more."""
        for site, seen in self._seen.items():
            first, evidence = seen[0], self._evidence.get(site)
            enough = bool(first.shape) and min(first.shape[0], first.num_values) >= _LEAST_OF_ONE
            if len(seen) == 1 and enough and evidence is not None and not evidence.refuted and self._places.get(site):
                yield self._finding(first, min(self._places[site]), first.shape[0], 1)

    def _finding(self, event: TargetsSought, column: int, samples: int, batches: int) -> Finding:
        called = f"`{event.name}`" if event.name else "the target"
        where, counted = _shown(event, column), "1 batch" if batches == 1 else f"{batches} batches"
        return self.finding(
            f"the model is given what it is to predict: {called} is {where} of its input",
            at=event.named or event.site,
            event=event,
            label=f"each target equals {where} of the same sample",
            evidence={"column": column, "values": event.num_values, "samples": samples},
            related=[("the loss compares with it here", event.site)] if event.named is not None else [],
            proof=Proof.STATISTIC,
            proof_note=f"of {samples} samples in {counted} each has its target there, bit for bit",
            help="take the target out of the input: drop its column, or let the window end before it",
            subjects=[event.loader] if event.loader else (),
        )


def _counts(event: TargetsSought, column: int) -> bool:
    """Tells whether a place is none that a sequence may be asked for: what stood earlier in it is to be remembered."""
    if len(event.shape) == 2:
        return not event.ordered or column == event.shape[1] - 1
    _, second, third = event.shape  # the longer axis is that of time
    return column // third == second - 1 if second >= third else column % third == third - 1


def _shown(event: TargetsSought, column: int) -> str:
    if len(event.shape) == 2 and not event.ordered:
        return f"column {column}"
    return "the last value"
