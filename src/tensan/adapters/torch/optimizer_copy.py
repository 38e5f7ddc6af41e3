"""A copy of what one optimizer holds, so that a step can be undone whole."""

from __future__ import annotations

from typing import Any

import torch

from tensan.adapters.torch.copies import copied, put_back, rebuilt, skeleton

#: What schedules move: it follows the program's own count of steps, and stays when an earlier state comes back.
SCHEDULED = frozenset(
    {"lr", "initial_lr", "min_lr", "max_lr", "momentum", "base_momentum", "max_momentum", "betas", "weight_decay", "swa_lr"}
)
_COUNTERS = (bool, int, float, str, type(None))


class OptimizerCopy:
    """Parameters, state, groups and plain attributes of an optimizer, as they were.

    Args:
        optimizer: whose.
        earlier: a copy of the same optimizer that is not needed any more.
        weights: whether the parameters are copied as well.
    """

    def __init__(self, optimizer: Any, *, earlier: OptimizerCopy | None = None, weights: bool = True) -> None:
        self.parameters = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        number = {id(tensor): place for place, tensor in enumerate(self.parameters)}
        self._sizes = [len(group["params"]) for group in optimizer.param_groups]
        self._keys = [key for key in optimizer.state]
        tensors: list[Any] = []
        #: By number where the key is a parameter, as `state_dict` has it; other keys stand for themselves.
        self.state = {number.get(id(key), key): skeleton(value, tensors) for key, value in optimizer.state.items()}
        self.groups = [skeleton({k: v for k, v in group.items() if k != "params"}, tensors) for group in optimizer.param_groups]
        self._attributes = {name: value for name, value in vars(optimizer).items() if isinstance(value, _COUNTERS)}
        self.tensors = copied(tensors, into=earlier.tensors if earlier is not None else ())
        self.weights = copied(self.parameters, into=earlier.weights if earlier is not None else ()) if weights else []

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(tensor.nbytes for tensor in (*self.tensors, *self.weights))

    def put_back(self, optimizer: Any, *, scheduled: bool) -> None:
        """Makes the optimizer what it was.

        Args:
            optimizer: the one that it was taken of.
            scheduled: whether learning rates and what else schedules move come back too.
        """
        if self.weights:
            put_back(self.parameters, self.weights)
        optimizer.state.clear()
        for key, bones in zip(self._keys, self.state.values(), strict=True):
            optimizer.state[key] = rebuilt(bones, self.tensors)
        for group, bones in zip(optimizer.param_groups, self.groups, strict=False):
            for name, item in bones.items():
                if scheduled or name not in SCHEDULED:
                    group[name] = rebuilt(item, self.tensors)
        vars(optimizer).update(self._attributes)

    def rates(self) -> list[Any]:
        """Returns the learning rate of each group."""
        return [rebuilt(bones.get("lr"), self.tensors) for bones in self.groups]

    def state_dict(self, optimizer: Any) -> dict[str, Any]:
        """Returns what the optimizer's own `state_dict` would have returned, with what schedules move as it stands now.

        Args:
            optimizer: the one that it was taken of.
        """
        groups, start = [], 0
        for group, bones, count in zip(optimizer.param_groups, self.groups, self._sizes, strict=False):
            moved = {name: _number(group[name]) for name in SCHEDULED & group.keys()}
            groups.append({**rebuilt(bones, self.tensors), **moved, "params": list(range(start, start + count))})
            start += count
        return {"state": {key: rebuilt(bones, self.tensors) for key, bones in self.state.items()}, "param_groups": groups}


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, torch.Tensor) else value
