"""RNG102: a generator is set back to the same state again and again while one model is trained."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from tensan.core.events.base import Event
from tensan.core.events.data import EpochStart
from tensan.core.events.randomness import HostSeedUsed, ItemsSeeded, RandomSeeded
from tensan.core.events.run import RunEnd
from tensan.core.events.state import StateLoaded
from tensan.core.events.things import Loader
from tensan.core.events.training import Backward, OptimizerBuilt
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.core.sites import Place, Site
from tensan.rules.optimizer._shared import Epochs, LoaderKey, counted, line_of

#: Times that one state must have come back, with training in between: twice may be a trial run before the real one.
_LEAST = 3
_HELPER = re.compile(r"seed|determin|reproduc", re.IGNORECASE)


class Rounds(msgspec.Struct):
    """Counts how often one and the same optimizer has stepped from one state: models that take turns share their numbers rightly."""

    unknown: int = 0
    by_optimizer: Counter[str] = msgspec.field(default_factory=Counter[str])

    def add(self, before: Mapping[str, int], after: Mapping[str, int] | None) -> None:
        """A round of training is over; `after` is None where it is not known who stepped in it."""
        stepped = [name for name, steps in after.items() if steps > before.get(name, 0)] if after is not None else []
        self.by_optimizer.update(stepped)
        self.unknown += not stepped

    def __int__(self) -> int:
        return max(self.by_optimizer.values(), default=0) + self.unknown


class _Line(msgspec.Struct):
    """What was seeded at one line: with which seed, at which steps, and whether numbers were drawn in between."""

    first: RandomSeeded
    last: RandomSeeded
    rounds: Rounds = msgspec.field(default_factory=lambda: Rounds(unknown=1))  # the last one is not over when the run is
    steps: list[int] = msgspec.field(default_factory=list)
    with_gradients: bool = True
    in_force: bool = True
    each_step: bool = False


class _Order(msgspec.Struct):
    """The epochs of one loader that began in the same state."""

    first: Loader
    starts: list[EpochStart] = msgspec.field(default_factory=list)
    rounds: Rounds = msgspec.field(default_factory=lambda: Rounds())
    seeding: RandomSeeded | None = None


class _Host(msgspec.Struct):
    """A seed of Python's or NumPy's generator, and the trainings that drew from what it left, each time from the same state."""

    first: HostSeedUsed
    last: HostSeedUsed
    rounds: Rounds = msgspec.field(default_factory=lambda: Rounds(unknown=1))
    each_step: bool = False


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
    told. Nor are models that were made beforehand and are trained in turns from one seed, nor functions that seed and then make the data of
    a whole epoch out of nothing else: that is data which is not kept. Of generators that a program makes itself only those are
    told that a dataset makes for each item, or a function for each batch, from a seed that the source shows to be the same for all, to
    draw noise from, to choose rows by, or to draw a number for each row.
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
        self._hosts: dict[object, _Host] = {}
        self._items: dict[object, ItemsSeeded] = {}
        self._told: set[object] = set()

    # ---- a new run begins: what was seen of the old one says nothing ----

    def on_optimizer_built(self, event: OptimizerBuilt) -> Iterator[Finding]:
        yield from self._judged(event)

    def on_state_loaded(self, event: StateLoaded) -> Iterator[Finding]:
        yield from self._judged(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        for loader in event.loaders:
            self._trained[Epochs.key(loader)] = self._trained.get(Epochs.key(loader), False) or loader.trained
        yield from self._judged(event)
        trained = {loader.id for loader in event.loaders if loader.trained}
        for key, seeded in self._items.items():
            if not seeded.loader:
                yield self._same_rows(seeded)
            elif seeded.loader in trained and key not in self._told:
                yield self._same_items(seeded)

    # ---- what is seen ----

    def on_host_seed_used(self, event: HostSeedUsed) -> None:
        self.armed = True
        known = self._hosts.setdefault((_lines(event.places), event.generator, event.seed, event.state), _Host(event, event))
        if event.step > known.last.step:
            known.rounds.add(known.last.steps, event.steps)
            known.each_step = known.each_step or event.step == known.last.step + 1
            known.last = event

    def on_items_seeded(self, event: ItemsSeeded) -> None:
        self.armed = True
        self._items.setdefault((event.loader, line_of(event.made)), event)

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
            known.each_step = known.each_step or event.step == known.last.step + 1
            if event.step > known.last.step and event.drawn:
                known.rounds.add(known.last.steps, event.steps)
                known.with_gradients = known.with_gradients and event.gradients
            known.last = event

    def on_epoch_start(self, event: EpochStart) -> Iterator[Finding]:
        loader = event.loader
        key = Epochs.key(loader)
        self._trained[key] = self._trained.get(key, False) or loader.trained
        if loader.trained:
            yield from self._of_items(loader.id)
        if loader.order != "random" or loader.order_owner == "sampler" or not loader.order_state:
            return
        self.armed = True
        self._passed(key, event.step, event.steps)
        self._orders.setdefault((key, loader.order_state), _Order(loader, seeding=self._last))
        self._open[key] = event

    def _of_items(self, loader: str) -> Iterator[Finding]:
        """Yields what the items of a loader that is trained on have shown so far: nobody should wait for the end to hear of it."""
        for key, seeded in self._items.items():
            if seeded.loader == loader and key not in self._told:
                self._told.add(key)
                yield self._same_items(seeded)

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
        hosts, self._hosts = self._hosts, {}
        told = False
        for (key, _), order in orders.items():
            if int(order.rounds) >= _LEAST and self._trained.get(key, False):
                told = True
                yield self._same_order(order)
        if told:
            return
        places = []
        for line in self._repeated(event, lines, orders):
            places.append(line_of(self._place(line.first.places)))
            yield self._same_numbers(line)
        for host in hosts.values():
            place = line_of(self._place(host.first.places))
            if int(host.rounds) >= _LEAST and place not in places and not _is_meant(host):
                places.append(place)
                yield self._same_draws(host)

    def _repeated(self, event: Event, lines: Mapping[object, _Line], orders: Mapping[tuple[LoaderKey, str], _Order]) -> Iterator[_Line]:
        shuffled = any(self._trained.get(key, False) for key, _ in orders)
        for line in lines.values():
            after = event.step > line.last.step  # trained on since
            used = shuffled or self._dropout or (line.with_gradients and not _is_meant(line))
            if int(line.rounds) >= _LEAST and line.in_force and after and used:
                yield line

    def _place(self, places: tuple[Place, ...]) -> Place:
        """Returns the line that led to a seeding from where it does not belong: helpers that seed are right by themselves."""
        outside = (place for place in places if isinstance(place, Site) and not _HELPER.search(place.code.co_name))
        return next(outside, None) or places[0]

    def _same_order(self, order: _Order) -> Finding:
        again = order.starts[1]
        seeded = order.seeding is not None and order.first.order_owner == "global"
        at = (
            self._place(order.seeding.places)
            if seeded and order.seeding is not None and order.seeding.places
            else order.first.made or again.site
        )
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
            at=self._place(line.first.places),
            event=line.last,
            label="each time the same random numbers follow",
            evidence={"seed": seed, "times": times},
            proof_note=f"seeded with {seed} {counted(times, 'time')} with training in between, and drawn from each time",
            help="seed once, before the loop; where each round must be reproducible use a seed that differs: `seed + epoch`",
        )

    def _same_draws(self, host: _Host) -> Finding:
        generator, seed, times = host.first.generator, host.first.seed, int(host.rounds)
        return self.finding(
            f"`{generator}` is seeded with {seed} again and again while one model is trained",
            at=self._place(host.first.places),
            event=host.last,
            label="each time the same random numbers follow",
            evidence={"generator": generator, "seed": seed, "times": times},
            proof_note=f"before {counted(times, 'backward pass')} the generator had come from this seed to one and the same state",
            help="seed once, before the loop; where each round must be reproducible use a seed that differs: `seed + epoch`",
        )

    def _same_rows(self, seeded: ItemsSeeded) -> Finding:
        return self.finding(
            f"`{seeded.generator}` is made anew with {seeded.seed} for each batch, so that each step draws the same numbers",
            at=seeded.made,
            event=seeded,
            label="each batch gets the same random numbers",
            evidence={"generator": seeded.generator, "seed": seeded.seed},
            proof_note="the seed is the same each time, and all numbers are drawn after it",
            help="make the generator once, before the loop, or draw from torch's global one",
        )

    def _same_items(self, seeded: ItemsSeeded) -> Finding:
        return self.finding(
            f"`{seeded.generator}` is {'made anew' if seeded.anew else 'seeded'} with {seeded.seed} for each training item, "
            "so that all of them draw the same numbers",
            at=seeded.made,
            event=seeded,
            label="each item draws the same random numbers",
            evidence={"generator": seeded.generator, "seed": seeded.seed},
            proof_note="the seed is the same each time, and all numbers are drawn after it"
            if seeded.anew
            else "a worker of the training loader seeded several items with it, and drew from it for each",
            help="leave the seed out (torch seeds each worker by itself), or seed with what differs: `seed + index`"
            if not seeded.anew
            else "draw from torch's global generator, or seed with what differs by item and epoch, such as `torch.initial_seed() + index`",
            subjects=[seeded.loader],
        )


def _is_meant(seeding: _Line | _Host) -> bool:
    """Tells whether data of several steps is made anew from a seed of its own: the same data, as if it had been kept."""
    return seeding.first.makes and not seeding.each_step


def _key(event: RandomSeeded) -> object:
    return (_lines(event.places), event.seed)


def _lines(places: tuple[Place, ...]) -> object:
    return tuple(line_of(place) for place in places)
