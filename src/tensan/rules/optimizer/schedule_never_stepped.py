"""OPT109: a learning-rate schedule was made, and nothing ever stepped it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tensan.core.events.data import EpochStart
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader, Optimizer, Scheduler
from tensan.core.events.training import OptimizerStep
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.optimizer._shared import Epochs, counted, name_given

_LEAST_STEPS = 10
#: Without a loader nothing tells how long an epoch is: a schedule that is stepped per epoch needs time to have its turn.
_LEAST_STEPS_WITHOUT_LOADER = 20
#: Begins only in the last part of a run, by design.
_LATE_KINDS = frozenset({"SWALR"})


class ScheduleNeverStepped(Rule):
    """
    ## What it does

    Finds learning-rate schedules that were made for an optimizer, and were not stepped once while it trained to the end.

    ## Why is this bad?

    Making a schedule already sets the first rate. A warm-up then stays at its tiny first rate, possibly at zero, and a decay
    never begins.

    ## Example

    ```python
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 1000))
    for x, y in loader:
        train_step(x, y)
        optimizer.step()
    ```

    ## Use instead

    ```python
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 1000))
    for x, y in loader:
        train_step(x, y)
        optimizer.step()
        scheduler.step()
    ```

    ## Known problems

    Silent where the run ended before a schedule per epoch could have its turn, where another schedule of the optimizer was
    stepped, and where the program sets rates by hand.
    """

    code = "OPT109"
    name = "schedule-never-stepped"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"
    explains = frozenset({"no-update", "wrong-rate"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._optimizers: dict[str, Optimizer] = {}
        self._stepped_at: dict[str, Place] = {}
        self._moved: set[str] = set()
        self._epochs = Epochs()

    def on_epoch_start(self, event: EpochStart) -> None:
        self._epochs.begin(event.loader)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        optimizer = event.optimizer
        before = self._optimizers.get(optimizer.id)
        if before is not None and before.rates and optimizer.rates != before.rates[: len(optimizer.rates)]:
            self._moved.add(optimizer.id)
        self._optimizers[optimizer.id] = optimizer
        self._stepped_at[optimizer.id] = event.site

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        known = self._optimizers | {optimizer.id: optimizer for optimizer in event.optimizers if optimizer.rates}
        loaders = self._epochs.merged(event.loaders).values()
        moved = self._moved | {scheduler.optimizer for scheduler in event.schedulers if scheduler.steps and not scheduler.driven}
        for scheduler in event.schedulers:
            if scheduler.driven or scheduler.kind in _LATE_KINDS or scheduler.optimizer_steps < _LEAST_STEPS:
                continue
            self.armed = True
            if scheduler.steps or scheduler.optimizer in moved or not _had_its_turn(scheduler, loaders):
                continue
            yield self._finding(scheduler, known.get(scheduler.optimizer), event)

    def _finding(self, scheduler: Scheduler, optimizer: Optimizer | None, event: RunEnd) -> Finding:
        kind = optimizer.kind if optimizer is not None else "its optimizer"
        rates: tuple[float, ...] = optimizer.rates if optimizer is not None else ()
        at_rate = f" at rate {max(rates):g}" if len(set(rates)) == 1 else ""
        called = name_given(scheduler.made, "scheduler")
        of = name_given(optimizer.made, "optimizer") if optimizer is not None else "optimizer"
        return self.finding(
            f"{scheduler.kind} is never stepped: {kind} made all {counted(scheduler.optimizer_steps, 'step')}{at_rate}",
            at=scheduler.made,
            event=event,
            label="sets the first rate and then nothing",
            evidence={"optimizer steps": scheduler.optimizer_steps, "schedule steps": 0, "rates": list(rates[:4])},
            related=[(f"{kind} steps here, and the schedule does not follow", self._stepped_at.get(scheduler.optimizer))],
            proof_note=f"the run completed with {counted(scheduler.optimizer_steps, 'optimizer step')} and no step of the schedule",
            help=f"call `{called}.step()` after `{of}.step()` in each iteration, or once per epoch if its numbers count epochs",
            subjects=[scheduler.id, scheduler.optimizer],
        )


def _had_its_turn(scheduler: Scheduler, loaders: Iterable[Loader]) -> bool:
    """Tells whether an epoch went by, so that a schedule stepped per epoch would have been stepped too."""
    trained = [loader for loader in loaders if loader.trained and loader.epochs]
    if not trained:
        return scheduler.optimizer_steps >= _LEAST_STEPS_WITHOUT_LOADER
    return any(loader.epochs >= 2 or (loader.length is not None and scheduler.optimizer_steps >= loader.length) for loader in trained)
