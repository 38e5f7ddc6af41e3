"""RNG101: worker processes start from copies of one generator and draw the same numbers."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tensan.core.events.data import EpochStart
from tensan.core.events.randomness import RandomState
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import counted


class _Generator(msgspec.Struct):
    """A generator of a loader's dataset: which workers found it in which state, by epoch."""

    first: RandomState
    workers: dict[tuple[int, str, str], set[int]] = msgspec.field(default_factory=dict)

    def twins(self) -> set[int]:
        """Returns the workers of the epoch in which most of them found the same state."""
        return max(self.workers.values(), key=len, default=set())

    def epochs_alike(self) -> int:
        """Returns in how many epochs a worker found the state of another epoch again."""
        epochs: dict[str, set[int]] = {}
        for epoch, digest, _ in self.workers:
            epochs.setdefault(digest, set()).add(epoch)
        return max(map(len, epochs.values()), default=0)


#: Torch seeds these in each worker by itself: only a `worker_init_fn` can make them alike.
_GLOBAL = frozenset({"numpy.random", "random", "torch"})


class GeneratorCopiedIntoWorkers(Rule):
    """
    ## What it does

    Finds random generators that a dataset holds, and that several worker processes of its loader draw from in one and the
    same state.

    ## Why is this bad?

    Each worker gets a copy of the dataset, generator included, so that all workers draw the same "random" numbers, and draw
    them again in the next epoch. With four workers there is a quarter of the augmentation that was meant.

    ## Example

    ```python
    class Noisy(Dataset):
        def __init__(self):
            self.rng = np.random.default_rng(0)
    ```

    ## Use instead

    ```python
    class Noisy(Dataset):
        def __getitem__(self, i):
            rng = np.random.default_rng(torch.initial_seed() + i)
    ```

    ## Known problems

    The global generators are looked at only where a `worker_init_fn` has seeded them: without one torch gives each worker its own
    state. Only generators that the workers have drawn from are told, and only of loaders that are trained on: the same noise in
    each validation may be meant.
    """

    code = "RNG101"
    name = "generator-copied-into-workers"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._generators: dict[tuple[str, str], _Generator] = {}
        self._trained: dict[str, bool] = {}
        self._told: set[tuple[str, str]] = set()

    def on_epoch_start(self, event: EpochStart) -> Iterator[Finding]:
        """Judges what the workers of the epoch before have told, where that was training: nobody should wait for the end to hear of it."""
        loader = event.loader
        self._trained[loader.id] = loader.trained
        self.armed = self.armed or loader.num_workers >= 2
        if loader.trained:
            yield from self._judged(loader.id)

    def on_random_state(self, event: RandomState) -> None:
        self.armed = True
        if event.drawn:
            generator = self._generators.setdefault((event.loader, event.generator), _Generator(event))
            generator.workers.setdefault((event.epoch, event.digest, event.after), set()).add(event.worker)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges the others at the end, when it is known which loaders were trained on."""
        self._trained.update((loader.id, loader.trained) for loader in event.loaders)
        nothing_trained = not any(self._trained.values())
        for loader in dict.fromkeys(loader for loader, _ in self._generators):
            if nothing_trained or self._trained.get(loader, True):
                yield from self._judged(loader)

    def _judged(self, loader: str) -> Iterator[Finding]:
        for key, generator in self._generators.items():
            if key[0] == loader and key not in self._told and len(generator.twins()) >= 2:
                self._told.add(key)
                yield self._finding(generator)

    def _finding(self, generator: _Generator) -> Finding:
        first = generator.first
        workers = sorted(generator.twins())
        epochs = generator.epochs_alike()
        again = f", in each of {epochs} epochs" if epochs > 1 else ""
        at = first.made if first.made is not None else first.site
        seeded = first.generator in _GLOBAL
        of = f"from `{first.generator}`: `worker_init_fn` seeds them alike" if seeded else f"from copies of `{first.generator}`"
        return self.finding(
            f"{len(workers)} loader workers draw the same random numbers {of}{again}",
            at=at,
            event=first,
            label="gives each worker the same state" if seeded else "is copied into each worker",
            evidence={"workers": workers, "kind": first.kind, "epochs alike": epochs},
            related=[("it is drawn from here", first.site if at is not first.site else None)],
            proof_note=f"{counted(len(workers), 'worker')} found the {first.kind} in one state, bit for bit, and drew from it",
            help=(
                "seed by what torch gives each worker: `np.random.seed(torch.initial_seed() % 2**32)`, or leave `worker_init_fn` out"
                if seeded
                else "make the generator in the worker, with its own seed (`torch.initial_seed()` differs by worker and epoch), "
                "or draw from torch's global generator"
            ),
            subjects=[first.loader],
        )
