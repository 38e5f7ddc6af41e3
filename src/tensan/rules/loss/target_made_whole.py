"""Measured targets that lose their fractions before a regression loss compares them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.things import Operation, Spread
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import LAYOUT, through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.loss._shared import Comparison, comparisons
from tensan.rules.optimizer._shared import Evidence

_REGRESSION = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "difference"})
#: Targets that reach over more than this lose less than half a percent of their variance with their fractions.
_WIDEST = 16.0
#: Almost all values of something that was measured have a fraction; ratings in halves do not.
_CONTINUOUS = 0.9
_LEAST_STEPS = 2


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """A target and the cast that cut its fractions off."""

    loss: Loss
    comparison: Comparison
    cast: Operation
    spread: Spread


class TargetMadeWhole(Rule):
    """
    ## What it does
    Finds targets of a regression loss that are cast to an integer type although nearly all of their values have a fraction:
    `F.mse_loss(prediction, y.long())`.

    ## Why is this bad?
    The cast cuts fractions off. Targets between -1 and 1 all become 0, others are off by up to one, and the model learns
    to be off by as much.

    ## Example
    ```python
    loss = F.mse_loss(model(x), y.long().float())
    ```

    ## Use instead
    ```python
    loss = F.mse_loss(model(x), y)
    ```

    ## Known problems
    What is scaled, rounded or compared before the cast is taken for meant, and so is a cast before a loss of classes. Where the targets
    reach over more than sixteen whole numbers, as ages do, the fractions are of no weight and nothing is told.
    """

    code = "LOS150"
    name = "target-made-whole"
    category = Category.SUSPICIOUS
    law = 8
    effect = "wrong-gradient"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[Cut]] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        operations = loss.operations
        for comparison in comparisons(loss):
            if comparison.loss not in _REGRESSION or comparison.target.requires_grad:
                continue
            self.armed = True
            index = through_layout(operations, comparison.target.producer)
            if index < 0 or operations[index].name != "cast_integer" or not operations[index].inputs:
                continue
            cast, spread = operations[index], loss.spreads.get(index, (None, None))[0]
            if not cast.inputs[0].dtype.startswith(("float", "bfloat")) or spread is None:
                continue
            if through_layout(operations, cast.inputs[0].producer, also=LAYOUT) >= 0:
                continue  # computed: the step before the cast may make whole numbers of it
            evidence = self._seen.setdefault(cast.site, Evidence(_LEAST_STEPS))
            if spread.maximum - spread.minimum > _WIDEST:
                continue  # years of an age, cents of a price: next to nothing is lost
            if spread.fractional < _CONTINUOUS:
                evidence.refute()
                continue
            for seen in evidence.add(Cut(loss=loss, comparison=comparison, cast=cast, spread=spread)):
                yield self._finding(seen)

    def _finding(self, seen: Cut) -> Finding:
        given, share = seen.cast.inputs[0], 100 * seen.spread.fractional
        values = f"from {seen.spread.minimum:.3g} to {seen.spread.maximum:.3g}"
        return self.finding(
            f"targets {values} are cast to integers, which cuts their fractions off, and are then regressed on",
            at=seen.cast.site,
            event=seen.loss,
            label=f"{given} {values}, {share:.0f} % of it with a fraction",
            evidence={"smallest": seen.spread.minimum, "largest": seen.spread.maximum, "fractional": round(seen.spread.fractional, 3)},
            related=[("compared here", seen.comparison.operation.site)] if seen.comparison.operation.site != seen.cast.site else (),
            proof_note=f"{share:.0f} % of the values have a fraction before the cast, none afterwards",
            help="compare with the targets as they are: a regression loss takes floating-point targets",
            subjects={"*"},
        )
