"""RNG102: a generator is set back to the same state again and again while one model is trained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tensan.core.events import Backward, EpochStart, Event, Loader, OptimizerBuilt, RandomSeeded, RunEnd, StateLoaded
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place, Site
from tensan.rules.optimizer._shared import Epochs, LoaderKey, counted, line_of

#: Times that one state must have come back, with training in between: twice may be a trial run before the real one.
_LEAST = 3
_HELPER = re.compile(r"seed|determin|reproduc", re.IGNORECASE)


@dataclass
class Rounds:
    """Counts how often one and the same optimizer has stepped from one state: models that take turns share their numbers rightly."""

    unknown: int = 0
    by_optimizer: Counter[str] = field(default_factory=Counter[str])

    def add(self, before: Mapping[str, int], after: Mapping[str, int] | None) -> None:
        """A round of training is over; `after` is None where it is not known who stepped in it."""
        stepped = [name for name, steps in after.items() if steps > before.get(name, 0)] if after is not None else []
        self.by_optimizer.update(stepped)
        self.unknown += not stepped

    def __int__(self) -> int:
        return max(self.by_optimizer.values(), default=0) + self.unknown


@dataclass
class _Line:
    """What was seeded at one line: with which seed, at which steps, and whether numbers were drawn in between."""

    first: RandomSeeded
    last: RandomSeeded
    rounds: Rounds = field(default_factory=lambda: Rounds(unknown=1))  # the last one is not over when the run is
    steps: list[int] = field(default_factory=list)
    with_gradients: bool = True
    in_force: bool = True


@dataclass
class _Order:
    """The epochs of one loader that began in the same state."""

    first: Loader
    starts: list[EpochStart] = field(default_factory=list)
    rounds: Rounds = field(default_factory=lambda: Rounds())
    seeding: RandomSeeded | None = None


class SeedResetInLoop(Rule):
    """
    ## What it does

    Finds a random generator that is set to the same seed each epoch or each step while one and the same model is trained.

    ## Why is this bad?

    Every epoch then has the same "random" order, and every step or epoch the same dropout masks, noise and augmentation as the
    one before. Randomness that is the same each time regularises nothing: the model learns the masks.

    ## Example

    ```python
    for epoch in range(10):
        torch.manual_seed(0)
        for x, y in loader:
            ...
    ```

    ## Use instead

    ```python
    torch.manual_seed(0)
    for epoch in range(10):
        for x, y in loader:
            ...
    ```

    ## Known problems

    A seed for each run of a sweep is right, and so is a seed around an evaluation whose state is restored afterwards: neither is
    told. Nor are models that were made beforehand and are trained in turns from one seed. Only PyTorch's generators are watched,
    not those of Python and NumPy.
    """

    code = "RNG102"
    name = "seed-reset-in-loop"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._lines: dict[object, _Line] = {}
        self._last: RandomSeeded | None = None
        self._orders: dict[tuple[LoaderKey, str], _Order] = {}
        self._open: dict[LoaderKey, EpochStart] = {}
        self._trained: dict[LoaderKey, bool] = {}
        self._dropout = False

    # ---- a new run begins: what was seen of the old one says nothing ----

    def on_optimizer_built(self, event: OptimizerBuilt) -> Iterator[Finding]:
        yield from self._judged(event)

    def on_state_loaded(self, event: StateLoaded) -> Iterator[Finding]:
        yield from self._judged(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        for loader in event.loaders:
            self._trained[Epochs.key(loader)] = self._trained.get(Epochs.key(loader), False) or loader.trained
        yield from self._judged(event)

    # ---- what is seen ----

    def on_backward(self, event: Backward) -> None:
        self._dropout = self._dropout or any(mode.training and "Dropout" in mode.kind for mode in event.modes)

    def on_random_seeded(self, event: RandomSeeded) -> None:
        before, self._last = self._last, event
        if before is not None and before.step == event.step:
            known = self._lines.get(_key(before))
            if known is not None:
                known.in_force = False  # another seed or state took its place before anything was trained
        if event.seed is None or not event.places:
            return
        self.armed = True
        known = self._lines.setdefault(_key(event), _Line(first=event, last=event))
        known.in_force = True
        if event is not known.first:
            if event.step > known.last.step and event.drawn:
                known.rounds.add(known.last.steps, event.steps)
                known.with_gradients = known.with_gradients and event.gradients
            known.last = event

    def on_epoch_start(self, event: EpochStart) -> None:
        loader = event.loader
        key = Epochs.key(loader)
        self._trained[key] = self._trained.get(key, False) or loader.trained
        if loader.order != "random" or loader.order_owner == "sampler" or not loader.order_state:
            return
        self.armed = True
        self._passed(key, event.step, event.steps)
        self._orders.setdefault((key, loader.order_state), _Order(loader, seeding=self._last))
        self._open[key] = event

    def _passed(self, key: LoaderKey, step: int, steps: Mapping[str, int] | None = None) -> None:
        """A pass over a loader is over: it counts where something was trained in it, so that a look at the same data does not."""
        begun = self._open.pop(key, None)
        order = self._orders.get((key, begun.loader.order_state)) if begun is not None else None
        if begun is not None and order is not None and begun.step < step:
            order.starts.append(begun)
            order.rounds.add(begun.steps, steps)

    # ---- judging ----

    def _judged(self, event: Event) -> Iterator[Finding]:
        for key in tuple(self._open):
            self._passed(key, event.step)
        lines, self._lines = self._lines, {}
        orders, self._orders = self._orders, {}
        self._last = None
        told = False
        for (key, _), order in orders.items():
            if int(order.rounds) >= _LEAST and self._trained.get(key, False):
                told = True
                yield self._same_order(order)
        if told:
            return
        shuffled = any(self._trained.get(key, False) for key, _ in orders)
        for line in lines.values():
            after = event.step > line.last.step  # trained on since
            used = shuffled or self._dropout or line.with_gradients
            if int(line.rounds) >= _LEAST and line.in_force and after and used:
                yield self._same_numbers(line)

    def _place(self, seeding: RandomSeeded) -> Place:
        """Returns the line that led to a seeding from where it does not belong: helpers that seed are right by themselves."""
        outside = (place for place in seeding.places if isinstance(place, Site) and not _HELPER.search(place.code.co_name))
        return next(outside, None) or seeding.places[0]

    def _same_order(self, order: _Order) -> Finding:
        again = order.starts[1]
        seeded = order.seeding is not None and order.first.order_owner == "global"
        at = self._place(order.seeding) if seeded and order.seeding is not None and order.seeding.places else order.first.made or again.site
        times = int(order.rounds)
        generator = "the global generator" if order.first.order_owner == "global" else "the loader's generator"
        return self.finding(
            f"{generator} is set back for each epoch, so that {times} epochs shuffle the data into the same order",
            at=at,
            event=again,
            label="sets the generator back to the same state" if seeded else "gets its random order from the same state each epoch",
            evidence={"epochs": times, "seed": order.seeding.seed if seeded and order.seeding is not None else None},
            related=[("these epochs begin here", again.site)],
            proof_note=f"at the start of {times} epochs the generator that the order is drawn from was in one and the same state",
            help="seed once, before the loop; for a reproducible epoch use a seed that differs: `torch.manual_seed(seed + epoch)`",
            subjects=[order.first.id],
        )

    def _same_numbers(self, line: _Line) -> Finding:
        seed, times = line.first.seed, int(line.rounds)
        return self.finding(
            f"the global generator is seeded with {seed} again and again while one model is trained",
            at=self._place(line.first),
            event=line.last,
            label="each time the same random numbers follow",
            evidence={"seed": seed, "times": times},
            proof_note=f"seeded with {seed} {counted(times, 'time')} with training in between, and drawn from each time",
            help="seed once, before the loop; where each round must be reproducible use a seed that differs: `seed + epoch`",
        )


def _key(event: RandomSeeded) -> object:
    places = tuple(line_of(place) for place in event.places)
    return (places, event.seed)
