"""CKP105: the best state is kept when the metric is at its worst, or never."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.state import RecordCompared
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.metrics import trend, way_of, words_in

#: Evaluations that must have been compared.
_LEAST = 3
#: Of all pairs of values, how many more have to go the way that the metric is to go than the other way.
_TREND = 0.4
#: Words for a record that is the other end on purpose.
_EXTREMES = frozenset({"worst", "hardest", "max", "maximum", "highest", "largest", "min", "minimum", "lowest", "smallest", "peak"})


class RecordSetBackwards(Rule):
    """
    ## What it does

    Finds programs that keep the state of their best model by a comparison that goes the wrong way, a loss that must be larger or an
    accuracy that must be smaller than the best one so far, or whose first record no value can ever beat.

    ## Why is this bad?

    The state that is kept, and later loaded, tested or shipped, is the worst one or that of the first epoch; with a record that nothing
    beats no state is kept at all. Early stopping by the same comparison stops too early.

    ## Example

    ```python
    best = 0.0
    for epoch in range(30):
        train(model)
        val_loss = validate(model)
        if val_loss > best:
            best = val_loss
            torch.save(model.state_dict(), "best.pt")
    ```

    ## Use instead

    ```python
    best = float("inf")
    for epoch in range(30):
        train(model)
        val_loss = validate(model)
        if val_loss < best:
            best = val_loss
            torch.save(model.state_dict(), "best.pt")
    ```

    ## Known problems

    What a metric is, is known by its name, and its values must have gone the way that such a metric is to go. The comparison has to
    stand by itself in an `if` under which the record is set and a state is kept.
    """

    code = "CKP105"
    name = "record-set-backwards"
    category = Category.CORRECTNESS
    law = 12
    effect = "wrong-state"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._compared: dict[Place, list[RecordCompared]] = {}

    def on_record_compared(self, event: RecordCompared) -> None:
        self.armed = True
        self._compared.setdefault(event.site, []).append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, by all the values that were compared."""
        for compared in self._compared.values():
            last = compared[-1]
            way = way_of(last.measured) or way_of(last.record)
            measured = [each for each in compared if each.value != 0]  # set back for the next evaluation
            values = [each.value for each in measured]
            if not way or len(set(values)) < _LEAST or words_in(last.record) & _EXTREMES:
                continue
            if way != last.direction and _improves(values, way) >= _TREND and last.best != _best(values, way):
                yield self._backwards(last, values, way)
            elif way == last.direction and _never_set(compared, values, way):
                yield self._unbeaten(last, values, way)

    def _backwards(self, last: RecordCompared, values: list[float], way: str) -> Finding:
        kept, better = ("largest", "smaller") if way == "min" else ("smallest", "larger")
        return self.finding(
            f"the state is kept where `{last.measured}` is {kept}, and a {better} one is better",
            at=last.site,
            event=last,
            label=f"a {better} value sets no record",
            evidence={"first": values[0], "last": values[-1], "record": last.best, "evaluations": len(values)},
            proof=Proof.LAW,
            proof_note=(
                f"`{last.measured}` went from {values[0]:.4g} to {values[-1]:.4g} in {len(values)} evaluations, "
                f"and the record that is kept is {last.best:.4g}"
            ),
            help=f"turn the comparison round, and begin with `float({'inf' if way == 'min' else '-inf'!r})`",
        )

    def _unbeaten(self, last: RecordCompared, values: list[float], way: str) -> Finding:
        return self.finding(
            f"no value of `{last.measured}` can beat the record that `{last.record}` begins with, so that no state is ever kept",
            at=last.site,
            event=last,
            label=f"is compared with {last.best:.4g}",
            evidence={"record": last.best, "best": _best(values, way), "evaluations": len(values)},
            proof=Proof.LAW,
            proof_note=(
                f"in {len(values)} evaluations the best value was {_best(values, way):.4g}, and `{last.record}` is still {last.best:.4g}"
            ),
            help=f"begin with `{last.record} = float({'inf' if way == 'min' else '-inf'!r})`",
        )


def _best(values: list[float], way: str) -> float:
    return min(values) if way == "min" else max(values)


def _improves(values: list[float], way: str) -> float:
    return -trend(values) if way == "min" else trend(values)


def _never_set(compared: list[RecordCompared], values: list[float], way: str) -> bool:
    """Tells whether the record still is what no loss or accuracy can reach: a threshold of the program's own is another number."""
    record = compared[0].best
    if any(each.best != record for each in compared):
        return False
    return (record <= 0 < min(values)) if way == "min" else (record >= 1 > max(values) and record in (1.0, 100.0, float("inf")))
