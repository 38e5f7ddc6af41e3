"""OPT110: a schedule was planned in epochs and is stepped per batch, or the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Loader, Scheduler
from tensan.core.events.training import OptimizerStep
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Epochs, Rates, counted, name_given

#: Kinds whose plan is the whole of training, so that it must end where training ends. A `LinearLR` may as well be a warm-up.
_WHOLE_RUN = frozenset({"CosineAnnealingLR", "OneCycleLR", "PolynomialLR", "LinearLR", "LambdaLR", "SequentialLR"})
#: May as well be a warm-up, whose end is not the end of training.
_WARM_UPS = frozenset({"LinearLR", "LambdaLR"})
_FALLING_FOR_EVER = frozenset({"ExponentialLR", "StepLR"})
#: A rate this much smaller than the largest has stopped training, whatever was meant.
_VANISHED = 1e-8
#: Plans shorter than this equal some other count too easily by chance.
_LEAST_PLAN = 40
#: So often, and a whole number of times, an epoch goes into a run of batches; fewer turns of a cosine may be meant.
_MANY_TURNS = 8
#: Samples of a batch, from which on their number cannot be taken for that of batches.
_LEAST_BATCH = 4


class Run(msgspec.Struct, frozen=True):
    """How long a schedule's optimizer was trained, in optimizer steps, in epochs, in batches and in samples."""

    steps: int
    epochs: int | None = None
    batches: int | None = None
    samples: int | None = None


class ScheduleInWrongUnit(Rule):
    """
    ## What it does

    Compares what a learning-rate schedule planned with how often it was stepped, once the run has completed, and finds
    plans that count epochs while the program steps them per batch, or the reverse, and plans that count samples.

    ## Why is this bad?

    A cosine over 8 epochs that is stepped 16 times per epoch swings up and down 8 times. A one-cycle over all batches that
    is stepped once per epoch never leaves its warm-up. Nothing fails, and the result is worse.

    ## Example

    ```python
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for x, y in loader:
        train_step(x, y)
        scheduler.step()
    ```

    ## Use instead

    ```python
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    for x, y in loader:
        train_step(x, y)
        scheduler.step()
    ```

    ## Known problems

    Only exact confusions of units are errors. A cosine that has turned eight times or more without a known number of epochs,
    and ends at the largest rate, is a warning: for rates that rise again on purpose there is `CosineAnnealingWarmRestarts`. Early
    stopping is silent, and so is a schedule that goes on from a saved state.
    """

    code = "OPT110"
    name = "schedule-in-wrong-unit"
    category = Category.CORRECTNESS
    law = 10
    effect = "wrong-rate"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._rates = Rates()
        self._epochs = Epochs()

    def on_epoch_start(self, event: EpochStart) -> None:
        self._epochs.begin(event.loader)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._rates.seen(event.optimizer)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        if event.status != "completed":
            return
        loaders = self._epochs.merged(event.loaders).values()
        rates = self._rates.last | {optimizer.id: max(optimizer.rates) for optimizer in event.optimizers if optimizer.rates}
        for scheduler in event.schedulers:
            if scheduler.cyclic or scheduler.driven or scheduler.is_part or not scheduler.steps or not scheduler.optimizer_steps:
                continue
            run = run_of(scheduler, loaders)
            last, largest = rates.get(scheduler.optimizer), self._rates.largest.get(scheduler.optimizer)
            fell_to = last / largest if last is not None and largest else None
            self.armed = self.armed or bool(scheduler.planned)
            found = confusion(scheduler, run, fell_to)
            if found is not None:
                yield self._finding(scheduler, run, *found, event)

    def _finding(self, scheduler: Scheduler, run: Run, message: str, help: str, proof: Proof, event: RunEnd) -> Finding:
        return self.finding(
            message,
            at=scheduler.made,
            event=event,
            label=f"planned for {counted(scheduler.planned, 'step')} of its own"
            if scheduler.planned and scheduler.kind not in _FALLING_FOR_EVER
            else "falls at each step of its own",
            evidence={
                "planned": scheduler.planned,
                "planned by": scheduler.planned_name,
                "schedule steps": scheduler.steps,
                "optimizer steps": run.steps,
                "epochs": run.epochs,
                "batches": run.batches,
            },
            related=[(f"it is stepped here, {counted(scheduler.steps, 'time')} in all", scheduler.stepped)],
            proof=proof,
            proof_note=(
                f"the run completed after {counted(run.steps, 'optimizer step')}"
                + (f" in {counted(run.epochs, 'epoch')}" if run.epochs else "")
                + f", and the schedule was stepped {counted(scheduler.steps, 'time')}"
            ),
            help=help,
            subjects=[scheduler.id, scheduler.optimizer],
        )


def run_of(scheduler: Scheduler, loaders: Iterable[Loader]) -> Run:
    """Finds the loader whose batches make up the optimizer's steps: as many as they, or a whole number of batches for each."""
    steps = scheduler.optimizer_steps
    for loader in sorted((loader for loader in loaders if loader.trained and loader.length), key=lambda loader: -loader.epochs):
        batches = loader.epochs * (loader.length or 0)
        each = round(batches / steps)
        if 1 <= each <= 32 and abs(batches - each * steps) <= 0.05 * batches:
            return Run(
                steps=steps, epochs=loader.epochs, batches=batches, samples=loader.epochs * loader.num_items if loader.num_items else None
            )
    return Run(steps=steps)


def _about(left: int, right: int | None, share: float = 0.02) -> bool:
    return right is not None and abs(left - right) <= share * right


def _counts_epochs(planned: int, run: Run) -> bool:
    """Tells whether a plan is as long as training was in epochs, give or take one."""
    return run.epochs is not None and run.epochs >= 3 and abs(planned - run.epochs) <= max(1 if run.epochs >= 5 else 0, 0.1 * run.epochs)


def confusion(scheduler: Scheduler, run: Run, fell_to: float | None) -> tuple[str, str, Proof] | None:
    """Returns message, help and proof where the numbers show one unit taken for another."""
    planned, steps = scheduler.planned, scheduler.steps
    called = name_given(scheduler.made, "scheduler")
    plan = f"{scheduler.planned_name or 'its length'}={planned}"
    per_batch = steps >= 0.9 * run.steps
    per_epoch = f"call `{called}.step()` once per epoch, outside the loop over batches"
    if (
        scheduler.kind in _FALLING_FOR_EVER
        and per_batch
        and run.epochs
        and steps >= 2 * run.epochs
        and fell_to is not None
        and fell_to <= _VANISHED
    ):
        return (
            f"{scheduler.kind} is stepped per batch and has driven the rate to {fell_to:.0e} of its largest",
            f"{per_epoch}, or choose a factor for {counted(steps, 'step')}",
            Proof.STATISTIC,
        )
    if not planned:
        return None
    if scheduler.kind == "MultiStepLR":
        return _milestones_too_early(scheduler, run, planned, per_epoch) if per_batch else None
    if scheduler.kind not in _WHOLE_RUN:
        return None

    swings = scheduler.lowest is not None and scheduler.highest is not None and scheduler.lowest <= 0.1 * scheduler.highest
    warm_up = scheduler.kind in _WARM_UPS and (fell_to is None or fell_to > 0.5) and not swings
    if per_batch and steps >= 2 * planned and _counts_epochs(planned, run) and not warm_up:
        return (
            f"{scheduler.kind} counts epochs ({plan}) but is stepped per batch, {counted(steps, 'time')}",
            f"count batches: `{scheduler.planned_name or 'length'}={planned} * len(loader)`, or {per_epoch}"
            if scheduler.kind not in ("LambdaLR", "SequentialLR")
            else f"count batches, `{planned} * len(loader)`, or {per_epoch}",
            Proof.LAW,
        )
    whole = _about(planned, run.batches) or (_about(planned, run.steps) and (run.epochs is not None or planned >= _LEAST_PLAN))
    if whole and 4 * steps <= planned and (run.epochs is None or abs(steps - run.epochs) <= 1):
        return (
            f"{scheduler.kind} counts batches ({plan}) but is stepped only {counted(steps, 'time')}, once per epoch",
            f"call `{called}.step()` after each optimizer step, or count epochs in `{scheduler.planned_name or 'its length'}`",
            Proof.LAW,
        )
    if _about(planned, run.steps) and steps >= 2 * planned and _about(steps, run.batches, 0.05):
        return (
            f"{scheduler.kind} counts optimizer steps ({plan}) but is stepped at each backward pass, {counted(steps, 'time')}",
            f"call `{called}.step()` only where the optimizer steps",
            Proof.LAW,
        )
    if run.batches and run.batches >= 2 * run.steps and _about(planned, run.batches) and _about(steps, run.steps, 0.05):
        return (
            f"{scheduler.kind} counts batches ({plan}) but is stepped with the optimizer, {counted(steps, 'time')}: it ends unfinished",
            f"divide `{scheduler.planned_name or 'its length'}` by the number of batches per optimizer step",
            Proof.LAW,
        )
    if per_batch and run.batches and planned >= _LEAST_BATCH * run.batches and _about(planned, run.samples):
        return (
            f"{scheduler.kind} counts samples ({plan}) but is stepped per batch, {counted(steps, 'time')}: it hardly begins",
            "count batches, `len(loader)`, not samples, `len(dataset)`",
            Proof.LAW,
        )
    # Where the epochs are known, the plan would have been as many; waves that are meant end at their foot.
    turns, rest = divmod(steps, planned)
    if scheduler.kind == "CosineAnnealingLR" and per_batch and run.epochs is None and turns >= _MANY_TURNS and turns % 2 == 0 and not rest:
        return (
            f"the rate goes up and down: {scheduler.kind} is planned for {planned} steps ({plan}) and stepped {counted(steps, 'time')}",
            f"set `{scheduler.planned_name or 'its length'}` to the number of steps, {steps}; for cycles use `CosineAnnealingWarmRestarts`",
            Proof.STATISTIC,
        )
    return None


def _milestones_too_early(scheduler: Scheduler, run: Run, planned: int, per_epoch: str) -> tuple[str, str, Proof] | None:
    """Milestones that fit the number of epochs and are all gone in the first eighth of training."""
    if 8 * planned > scheduler.steps:
        return None
    fits = run.epochs is not None and 0.3 * run.epochs <= planned <= run.epochs
    if run.epochs is not None and not fits:
        return None
    return (
        f"{scheduler.kind} counts epochs ({scheduler.planned_name} up to {planned}) but is stepped per batch, {scheduler.steps} times",
        f"{per_epoch}, or multiply the milestones by `len(loader)`",
        Proof.LAW if fits else Proof.STATISTIC,
    )
