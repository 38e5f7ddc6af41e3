"""Seeds and random states."""

from __future__ import annotations

from collections.abc import Mapping

from tensan.core.events.base import Event
from tensan.core.sites import Place


class RandomState(Event, frozen=True, kw_only=True):
    """The state of a generator that a dataset holds, as a worker process found it.

    Attributes:
        generator: what the program calls it, such as `self.rng`; kind: its class.
        loader: id of the loader; worker: number of the worker; epoch: which iteration of the loader.
        digest: equal for equal states; drawn: whether the worker drew from it; after: digest after its first batch. Where a
            generator is seeded anew for each item, workers that began alike do not end alike.
    """

    generator: str
    kind: str
    loader: str
    worker: int
    epoch: int
    digest: str
    after: str = ""
    drawn: bool = False
    made: Place = None


class RandomSeeded(Event, frozen=True, kw_only=True):
    """The program seeded the global generator, or put an earlier state of it back.

    Attributes:
        seed: the seed; None where a state was restored.
        places: the lines of the program that led there, innermost first.
        drawn: whether numbers were drawn from the generator since it was last seeded.
        gradients: whether gradients were on.
        steps: how many steps each optimizer has done so far, by id.
        makes: whether it was seeded by a function that makes data out of the numbers that follow.
    """

    seed: int | None = None
    places: tuple[Place, ...] = ()
    drawn: bool = False
    gradients: bool = True
    steps: Mapping[str, int] = {}
    makes: bool = False


class HostSeedUsed(Event, frozen=True, kw_only=True):
    """A backward came after the program had seeded Python's or NumPy's global generator, and numbers were drawn in between.

    Attributes:
        generator: `random` or `numpy.random`; seed: what it was seeded with, as text.
        places: the lines of the program that led to the seeding, innermost first.
        state: digest of the generator's state by now: equal where the same numbers were drawn after the same seed.
        steps: how many steps each optimizer has done so far, by id.
        makes: whether it was seeded by a function that makes data out of the numbers that follow.
    """

    generator: str
    seed: str
    places: tuple[Place, ...] = ()
    state: int = 0
    steps: Mapping[str, int] = {}
    makes: bool = False


class ItemsSeeded(Event, frozen=True, kw_only=True):
    """A generator was seeded with one and the same seed for several items of a loader, and drawn from for each.

    Attributes:
        generator: `random`, `numpy.random` or `torch`, or what makes it; seed: the seed as text.
        loader: id of the loader, empty where a function chooses the rows of each batch so; worker: number of the worker.
        made: the line that seeds.
        anew: whether the dataset makes a generator of its own for each item; otherwise a worker was heard to seed a global one.
    """

    generator: str
    seed: str
    loader: str
    worker: int = 0
    made: Place = None
    anew: bool = False
