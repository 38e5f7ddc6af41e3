"""Finds gradients that are not finite after the backward, and are when the optimizer steps: the program has put numbers in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torch.utils.weak import TensorWeakRef

from tensan.adapters.torch.finite import broken
from tensan.adapters.torch.statements import users_trees
from tensan.adapters.torch.tripwire import ends
from tensan.core.events.training import GradientsReplaced
from tensan.core.sites import Place
from tensan.core.trees import called_name, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Steps of an optimizer that are told of.
MOST_TOLD = 8
#: Backwards of an optimizer after which all gradients are looked at; later two of them tell whether to look at the others.
MOST_WHOLE = 2
#: Calls that put numbers in the place of what is not finite, or tell where that is.
_REPLACING = frozenset({"nan_to_num", "nan_to_num_", "isnan", "isinf", "isfinite", "clip_grad_value_"})


class ReplacedGradients:
    """The optimizers whose gradients the program writes to before it steps, and which of them were broken after the last backward."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._writes: set[str] = set()
        self._broken: dict[str, list[TensorWeakRef]] = {}
        self._told: dict[str, int] = {}
        self._looks: dict[str, int] = {}

    def differentiated(self, record: OptimizerRecord) -> None:
        """A backward has reached the parameters of an optimizer, on an attended step."""
        if record.id not in self._writes or self._told.get(record.id, 0) >= MOST_TOLD:
            return
        looks = self._looks[record.id] = self._looks.get(record.id, 0) + 1
        first = ends(record.parameters()) if looks > MOST_WHOLE else []
        if first and not broken(tensor.grad for tensor in first):
            self._broken.pop(record.id, None)
            return
        held = {id(tensor.grad): tensor for tensor in record.parameters() if tensor.grad is not None}
        found = broken(tensor.grad for tensor in held.values())
        self._broken[record.id] = [TensorWeakRef(held[id(gradient)]) for gradient in found]
        if record.id not in self._told:
            self._tell(record, [])

    def stepping(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step, on an attended step."""
        if record.is_unchanged(record.after_backward) is False:
            self._writes.add(record.id)
        were = [tensor for each in self._broken.pop(record.id, ()) if (tensor := each()) is not None and tensor.grad is not None]
        if not were or record.discarded is not None or broken(tensor.grad for tensor in were):
            return
        # Where all are zero the step is skipped, which is one way to hear of it.
        if any(
            bool(tensor.grad.count_nonzero()) for tensor in record.parameters() if tensor.grad is not None and not tensor.grad.is_sparse
        ):
            self._tell(record, were)

    def _tell(self, record: OptimizerRecord, were: list[Any]) -> None:
        recorder = self.recorder
        self._told[record.id] = self._told.get(record.id, 0) + bool(were)
        recorder.watch.emit(
            GradientsReplaced(
                step=recorder.watch.steps,
                site=_replacing_statement() if were else None,
                optimizer=record.id,
                parameters=tuple(map(recorder.inventory.describe, were)),
                backward=record.backward_site,
                scaled=record.scaled or recorder.steps.through == "scaler",
            )
        )


def _replacing_statement() -> Place:
    """Returns the one statement of the program that may have replaced them; None where there are several, or none."""
    found = {location(path, node) for path, tree in users_trees() for node in _replacing(tree)}
    return found.pop() if len(found) == 1 else None


def _replacing(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in walk(tree):
        if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)):
            parts = list(walk(node))
            calls = {called_name(part) for part in parts if isinstance(part, ast.Call)}
            of_gradients = any(isinstance(part, ast.Attribute) and part.attr == "grad" for part in parts)
            if "clip_grad_value_" in calls or (of_gradients and not _REPLACING.isdisjoint(calls)):
                yield node
