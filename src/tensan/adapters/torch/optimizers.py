"""What the recorder remembers of an optimizer between its steps."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import filterfalse
from typing import Any

import msgspec
from torch.nn.parameter import is_lazy
from torch.utils.weak import TensorWeakRef

from tensan.adapters.torch.by_hand import hand_clear
from tensan.adapters.torch.contributions import Contributions
from tensan.adapters.torch.idle import Idle
from tensan.core.events.things import Optimizer
from tensan.core.sites import Place, Site

#: Gradients that are compared to tell whether they were cleared or renewed; what happens to one happens to all.
COMPARED = 16
#: Divide the gradient by its own size; AdamW and its like decay beside that.
ADAPTIVE = frozenset({"Adam", "NAdam", "RAdam", "Adamax"})


class OptimizerRecord:
    """One optimizer, held weakly.

    Attributes:
        steps: completed steps; attempts: how often the program asked, skipped ones included.
        backward_since_step: whether a backward has reached its parameters since it last stepped.
        carried: whether what the last step used was still there when the next backward began.
        discarded: where gradients that nobody had used were cleared.
        scaled: whether its gradients carry a gradient scaler's factor.
        reached: which of its parameters the backwards since its last step have reached.
    """

    def __init__(self, *, id: str, optimizer: Any, born: int, made: Place) -> None:
        self.id, self.born, self.made = id, born, made
        self.reference = weakref.ref(optimizer)
        self.kind = type(optimizer).__name__
        self.steps = 0
        self.attempts = 0
        self.backward_since_step = False
        self.backward_site: Place = None
        self.step_site: Place = None
        self.carried = False
        self.discarded: Place = None
        self.scaled = False
        self.reached: frozenset[int] = frozenset()
        self.after_step: list[tuple[TensorWeakRef, int]] | None = None
        self.after_backward: list[tuple[TensorWeakRef, int]] | None = None
        self.attended_last = False
        self.measured_window = 0
        self._last_rates: tuple[float, ...] = ()
        self.parameter_ids: frozenset[int] = frozenset()
        self.first_default: object = getattr(optimizer, "defaults", {}).get("lr")
        self.held: list[tuple[Any, Any]] = []
        self.before: list[tuple[Any, Any, int, float]] = []
        #: For the tests of what is not finite: a small gradient that is looked at often, and the last step whose gradients all were.
        self.wire: Any = None
        self.clean_step = -1
        self.idle = Idle()
        self.contributions = Contributions()
        self._clears: dict[Any, Place] = {}

    def parameters(self) -> Iterator[Any]:
        """Yields the tensors it holds that have values: those of a lazy layer that has not run yet have none."""
        return filterfalse(is_lazy, self.owned())

    def owned(self) -> Iterator[Any]:
        """Yields all that it holds."""
        optimizer = self.reference()
        if optimizer is not None:
            for group in optimizer.param_groups:
                yield from group["params"]

    def grouped(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yields what `parameters` does, each with the settings of its group."""
        optimizer = self.reference()
        for group in optimizer.param_groups if optimizer is not None else ():
            yield from ((tensor, group) for tensor in filterfalse(is_lazy, group["params"]))

    def rates(self) -> tuple[float, ...]:
        """Returns the learning rate of each group; once it is gone, as they were last seen."""
        optimizer = self.reference()
        if optimizer is not None:
            self._last_rates = tuple(float(group.get("lr", float("nan"))) for group in optimizer.param_groups)
        return self._last_rates

    def event(self) -> Optimizer:
        """Returns the optimizer as events speak of it."""
        decay, coupled = self.decay()
        return Optimizer(
            id=self.id,
            kind=self.kind,
            made=self.made,
            born=self.born,
            rates=self.rates(),
            num_parameters=len(self.parameter_ids),
            decay=decay,
            coupled=coupled,
            maximize=self.maximizes(),
            momentum=self.momentum(),
        )

    def final_event(self) -> Optimizer:
        """Returns the optimizer as it stands at the end of the run."""
        waited = self.idle.backwards if not self.attempts and not self.steps else 0
        return msgspec.structs.replace(self.event(), waited=waited if waited and not self.idle.moved() else 0)

    def decay(self) -> tuple[float, bool]:
        """Returns the largest weight decay, and whether one of torch's adaptive optimizers adds it to the gradient that it divides."""
        optimizer = self.reference()
        groups = optimizer.param_groups if optimizer is not None else ()
        decays = [(group.get("weight_decay"), group.get("decoupled_weight_decay", False)) for group in groups]
        numbers = [(float(value), bool(decoupled)) for value, decoupled in decays if isinstance(value, (int, float))]
        largest = max((value for value, _ in numbers), default=0.0)
        return largest, self.kind in ADAPTIVE and any(value > 0 and not decoupled for value, decoupled in numbers)

    def decays(self) -> Iterator[float]:
        """Yields the weight decay of each tensor it holds, in the order of `parameters`."""
        for _, group in self.grouped():
            decay = group.get("weight_decay")
            yield float(decay) if isinstance(decay, (int, float)) else 0.0

    def maximizes(self) -> bool:
        """Tells whether it climbs, in any of its groups."""
        optimizer = self.reference()
        return optimizer is not None and any(group.get("maximize") is True for group in optimizer.param_groups)

    def momentum(self) -> float:
        """Returns the largest momentum of its groups, 0.0 where they have none."""
        optimizer = self.reference()
        values = [group.get("momentum") for group in optimizer.param_groups] if optimizer is not None else []
        return max((float(value) for value in values if isinstance(value, (int, float))), default=0.0)

    def cleared_by_hand(self, site: Place) -> None:
        """It is about to step: notes where the program has set all the gradients to nothing that the last backward gave."""
        if not isinstance(site, Site) or not self.backward_since_step or not self.reached:
            return
        if site not in self._clears:
            self._clears[site] = hand_clear(site)
        place = self._clears[site]
        if place is None:
            return
        gradients = [tensor.grad for tensor in self.parameters() if id(tensor) in self.reached and tensor.grad is not None]
        if not any(bool(gradient.count_nonzero()) for gradient in gradients):
            self.discarded, self.backward_since_step = place, False

    def written_after_clearing(self) -> None:
        """It is about to step on cleared gradients: forgets that they were where the program has written others since."""
        gradients = (tensor.grad for tensor in self.parameters() if tensor.grad is not None and not tensor.grad.is_sparse)
        if any(bool((gradient != 0).any()) for gradient in gradients):
            self.discarded = None

    def mixed_with(self, reached: set[int], scaled: bool) -> Place:
        """Returns where gradients of another scale were computed that a backward is about to add to; None where there are none."""
        mixes = self.backward_since_step and self.scaled != scaled and not self.reached.isdisjoint(reached)
        return self.backward_site if mixes else None

    def sample(self) -> list[tuple[TensorWeakRef, int]]:
        """Returns some of the gradients, weakly, with how often each has been written to."""
        found = []
        for tensor in self.parameters():
            gradient = tensor.grad
            if gradient is not None:
                found.append((TensorWeakRef(gradient), gradient._version))
                if len(found) >= COMPARED:
                    break
        return found

    def is_unchanged(self, sample: list[tuple[TensorWeakRef, int]] | None) -> bool | None:
        """Tells whether the gradients are those of a sample, not written to since; None where the sample is empty."""
        if not sample:
            return None
        now = self.sample()
        if len(now) != len(sample):
            return False
        return all(
            old() is not None and old() is new() and old_version == new_version
            for (old, old_version), (new, new_version) in zip(sample, now, strict=True)
        )
