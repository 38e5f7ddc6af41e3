"""OPT141: `ReduceLROnPlateau` waits for the wrong thing: a metric that goes the other way, or a count."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.run import RunEnd
from tensan.core.events.things import Scheduler
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.metrics import trend, way_of, words_in
from tensan.rules.optimizer._shared import counted

_LEAST = 4
#: Of all pairs of values, how many more have to go the way that the metric is to go than the other way.
_TREND = 0.4
#: Values, equal to the last bit, that are no chance.
_LEAST_EQUAL = 5


class PlateauMisled(Rule):
    """
    ## What it does

    Finds `ReduceLROnPlateau` that waits for a loss to rise or for an accuracy to fall, and such that is fed a count of epochs or a
    loss that never changes.

    ## Why is this bad?

    Each improvement counts as none: the rate is cut while training goes well, and stays when it does not.

    ## Example

    ```python
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max")
    scheduler.step(val_loss)
    ```

    ## Use instead

    ```python
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min")
    scheduler.step(val_loss)
    ```

    ## Known problems

    The metric is known by its name, and must have gone the way that such a metric is to go: a loss that rises under `mode="min"` is
    what the schedule is for. Nothing is said where the program turns it round.
    """

    code = "OPT141"
    name = "plateau-misled"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        for scheduler in event.schedulers:
            values = scheduler.metrics
            if not scheduler.direction or not values:
                continue
            self.armed = True
            found = _counts(scheduler) or (_wrong_way(scheduler) if len(values) >= _LEAST else None) or _never_changes(scheduler)
            if found is not None:
                yield self._finding(scheduler, *found, event)

    def _finding(self, scheduler: Scheduler, message: str, seen: str, help: str, proof: Proof, event: RunEnd) -> Finding:
        values = scheduler.metrics
        return self.finding(
            message,
            at=scheduler.made if f'mode="{_other(scheduler.direction)}"' in help else scheduler.stepped,
            event=event,
            label=f"waits for a new {_extreme(scheduler.direction)}" if f'mode="{_other(scheduler.direction)}"' in help else "",
            evidence={"mode": scheduler.direction, "first": values[0], "last": values[-1], "values": len(values), "cuts": scheduler.cuts},
            related=[("it is fed here", scheduler.stepped)] if f'mode="{_other(scheduler.direction)}"' in help else (),
            proof=proof,
            proof_note=f"{seen}, and the rate was cut {counted(scheduler.cuts, 'time')}",
            help=help,
            subjects=[scheduler.id, scheduler.optimizer],
        )


def _other(direction: str) -> str:
    return "min" if direction == "max" else "max"


def _extreme(direction: str) -> str:
    return "largest value" if direction == "max" else "smallest value"


def _wrong_way(scheduler: Scheduler) -> tuple[str, str, str, Proof] | None:
    way, values = way_of(scheduler.fed), scheduler.metrics
    if not way or way == scheduler.direction:
        return None
    improves = -trend(values) if way == "min" else trend(values)
    if improves < _TREND:
        return None
    verb, awaited = ("falls", "rise") if way == "min" else ("rises", "fall")
    return (
        f'ReduceLROnPlateau waits for `{scheduler.fed}` to {awaited} (mode="{scheduler.direction}"), while it {verb}',
        f"`{scheduler.fed}` went from {values[0]:.4g} to {values[-1]:.4g} in {len(values)} calls, which all counted as no improvement",
        f'pass `mode="{way}"`',
        Proof.LAW if scheduler.cuts else Proof.STATISTIC,
    )


def _counts(scheduler: Scheduler) -> tuple[str, str, str, Proof] | None:
    """An epoch's number, as other schedules once took it."""
    values = scheduler.metrics
    first = values[0]
    if len(values) < _LEAST or first not in (0.0, 1.0) or any(value != first + index for index, value in enumerate(values)):
        return None
    words = words_in(scheduler.fed)
    if scheduler.direction != "min" or (words and not words & {"epoch", "epochs", "step", "i", "it", "iteration", "e", "t", "1"}):
        return None
    return (
        f"ReduceLROnPlateau is fed a count (`{scheduler.fed}`) for a metric",
        f"the values were {first:g}, {first + 1:g}, {first + 2:g} and so on up to {values[-1]:g}",
        "pass the metric that is to stop falling, such as the validation loss",
        Proof.LAW,
    )


def _never_changes(scheduler: Scheduler) -> tuple[str, str, str, Proof] | None:
    values = scheduler.metrics
    if len(values) < _LEAST_EQUAL or len(set(values)) > 1 or values[0] == 0 or way_of(scheduler.fed) != "min" or not scheduler.cuts:
        return None
    return (
        f"ReduceLROnPlateau is fed a loss that never changes: `{scheduler.fed}` was {values[0]:.6g} in all {len(values)} calls",
        f"the {len(values)} values are equal to the last bit",
        "pass the loss of the epoch that has just ended",
        Proof.STATISTIC,
    )
