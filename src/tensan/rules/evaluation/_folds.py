"""Which model learned from which loader, and whether one went on from fold to fold of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tensan.core.events.data import SampleOverlap
from tensan.core.events.evaluation import Evaluation
from tensan.core.events.state import StateLoaded
from tensan.core.events.things import Loader
from tensan.core.events.training import Backward


class Folds:
    """Models by the loaders that they learned from and were evaluated on."""

    def __init__(self) -> None:
        self._learned: dict[str, set[str]] = {}
        self._evaluated: dict[str, set[str]] = {}
        self._renewed: set[str] = set()

    def backward(self, event: Backward, loader: str) -> None:
        """Models learn while a loader is read."""
        self._learned.setdefault(loader, set()).update(leaf.root for leaf in event.leaves if leaf.root is not None)
        self._renewed.update(leaf.root for leaf in event.leaves if leaf.root is not None and (leaf.written or leaf.loaded))

    def evaluation(self, event: Evaluation) -> None:
        """A model was evaluated."""
        if event.from_loader is not None:
            self._evaluated.setdefault(event.from_loader, set()).add(event.module)

    def loaded(self, event: StateLoaded) -> None:
        """A state was loaded, such as that of the beginning."""
        self._renewed.update({event.module, event.root})

    def carried_over(self, overlaps: Mapping[tuple[str, str], SampleOverlap], starts: Sequence[Loader]) -> SampleOverlap | None:
        """Returns an evaluation on samples that the same model learned from in another fold.

        That data for training and for evaluation change places shows that these are folds, and no new data that come in.
        """
        for (first, held), (second, held_now) in pairwise(self._turns(starts)):
            before, after = overlaps.get((first, held_now)), overlaps.get((second, held))
            swapped = before is not None and after is not None and all(each.num_shared == each.num_other for each in (before, after))
            apart = (first, held) not in overlaps and (second, held_now) not in overlaps
            models = self._learned[first] & self._learned[second] & self._evaluated.get(held_now, set())
            if swapped and apart and models - self._renewed:
                return before
        return None

    def _turns(self, starts: Sequence[Loader]) -> list[tuple[str, str]]:
        """Returns pairs of a loader that was learned from and the one that was evaluated after it."""
        found: dict[tuple[str, str], None] = {}
        last = None
        for loader in starts:
            if loader.id in self._learned:
                last = loader.id
            elif last is not None:
                found[last, loader.id] = None
        return list(found)
