"""Hears where the program seeds Python's and NumPy's global generators, and whether training draws from what follows.

Only states are compared, nothing is drawn. A seed counts once a backward comes after it and numbers were drawn in between; one
whose numbers went into an evaluation does not, since the same samples to look at each time are often meant.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

from tensan.adapters.torch import orders
from tensan.adapters.torch.live import live
from tensan.adapters.torch.made_data import makes_data
from tensan.adapters.torch.seeding import places_above
from tensan.core.events.randomness import HostSeedUsed, ItemsSeeded
from tensan.core.sites import Place, Site

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Seedings that are looked at; a program that seeds in each step has said all by then.
MOST_TOLD = 400
#: Items that one worker must have seeded alike.
LEAST_ITEMS = 4
#: Kinds of seeds that a worker keeps apart.
MOST_KEYS = 64

_Key = tuple[str, object, object]


def state_of(generator: str) -> int:
    """Returns a digest of the state of `random`, `numpy.random` or `torch`."""
    if generator == "random":
        return hash(random.getstate())
    if generator == "torch":
        return hash(orders.state_of(None))
    state = sys.modules["numpy"].random.get_state(legacy=False)
    inner = state["state"]
    return hash((inner["key"].tobytes(), inner["pos"], state["has_gauss"])) if "key" in inner else hash(repr(inner))


class _Seeded:
    """A seed that is in force: what it left, and where the program asked for it."""

    def __init__(self, seed: object, places: tuple[Place, ...], left: int, *, makes: bool = False) -> None:
        self.seed, self.places, self.left, self.makes = seed, places, left, makes

    def key(self, generator: str) -> _Key:
        lines = tuple(place.key for place in self.places if isinstance(place, Site))
        return generator, self.seed, lines


class HostSeeding:
    """Seeds in force, until training has drawn from what they left."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.pending: dict[str, _Seeded] = {}
        self._told = 0
        self._evaluates: set[_Key] = set()

    def seeded(self, generator: str, seed: object) -> None:
        """The program has seeded a generator."""
        if self._told >= MOST_TOLD or not self.recorder.watch.wants(HostSeedUsed):
            return
        self._told += 1
        if seed is None or type(seed) not in (int, str, float, bytes):
            self.pending.pop(generator, None)
            return
        places = places_above()
        if places:
            self.pending[generator] = _Seeded(seed, places, state_of(generator), makes=makes_data())
            self.recorder.attention.rare_event("epoch")  # the next backward tells whether it is of consequence
            self.recorder.forwards.adjust()

    def restored(self, generator: str) -> None:
        """The program has put an earlier state back."""
        self.pending.pop(generator, None)

    def evaluated(self) -> None:
        """A model is about to run with gradients off: what was drawn so far was drawn for that."""
        for generator, seeded in self.pending.items():
            now = state_of(generator)
            if now != seeded.left:
                seeded.left = now
                self._evaluates.add(seeded.key(generator))

    def trains(self) -> None:
        """A backward is about to run: has it been drawn from for that?"""
        for generator, seeded in list(self.pending.items()):
            now = state_of(generator)
            if now == seeded.left:
                continue
            del self.pending[generator]
            if seeded.key(generator) not in self._evaluates:
                self.recorder.watch.emit(
                    HostSeedUsed(
                        step=self.recorder.watch.steps,
                        generator=generator,
                        seed=str(seeded.seed),
                        places=seeded.places,
                        state=now,
                        steps={record.id: record.steps for record in self.recorder.optimizers.living()},
                        makes=seeded.makes,
                    )
                )


_items: dict[_Key, int] = {}
_left: dict[str, int] = {}
_drawn: dict[str, bool] = {}
_whose: list[tuple[str, int]] = []


def begin_in_worker(loader: str, worker: int) -> None:
    """A worker process is ready: what is seeded from now on is seeded by the dataset."""
    _items.clear()
    _left.clear()
    _whose[:] = [(loader, worker)]


def before_in_worker(generator: str) -> None:
    """In a worker process, a generator is about to be seeded: was it drawn from since?"""
    _drawn[generator] = generator in _left and state_of(generator) != _left[generator]


def after_in_worker(generator: str, seed: object) -> None:
    """It was seeded: tells the parent once several items were seeded alike and drew."""
    parent = live.worker
    if parent is None or not _whose or type(seed) not in (int, str):
        return
    _left[generator] = state_of(generator)
    places = places_above()
    key = generator, seed, places[0].key if places else None
    if key not in _items and len(_items) >= MOST_KEYS:
        return
    _items[key] = _items.get(key, 0) + 1 if _drawn.get(generator) else 0
    if _items[key] == LEAST_ITEMS:
        loader, worker = _whose[0]
        parent.watch.send(
            ItemsSeeded(generator=generator, seed=str(seed), loader=loader, worker=worker, made=places[0].resolve() if places else None)
        )
