"""Finds what the program itself keeps of the weights in a dict or list and moves at each step, such as an average that is no module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch import bindings, copies
from tensan.adapters.torch.bindings import Name, Scope
from tensan.adapters.torch.finite import broken

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Snapshots at which one is looked for: who keeps an average does so from the beginning.
MOST_LOOKS = 8
#: Steps in a row that must move it. Who keeps the best state moves it at an evaluation, and not step by step.
IN_A_ROW = 3
_OF_A_MODULE = frozenset({"_parameters", "_buffers", "_modules"})


class Average:
    """A copy of what a container holds.

    Args:
        path: how the program gets to the container.
        held: its tensors by key.
        earlier: what was copied last time, for tensors that are not finite any more.
    """

    def __init__(self, path: Name, held: dict[Any, Any], *, earlier: Average | None) -> None:
        self.path = path
        bad = {id(tensor) for tensor in broken(held.values())}
        self.healed = [str(Name(path.code, path.name, (*path.keys, ("item", key)))) for key, tensor in held.items() if id(tensor) in bad]
        if bad and earlier is not None:
            for key, tensor in held.items():
                if id(tensor) in bad and key in earlier.copies:
                    copies.put_back([tensor], [earlier.copies[key]])
        self.copies = dict(zip(held, copies.copied(list(held.values())), strict=True))

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(tensor.nbytes for tensor in self.copies.values())

    def put_back(self) -> None:
        """Makes the tensors that are held now what they were."""
        with bindings.scopes() as where:
            held = _held(_found(self.path, where))
        pairs = [(tensor, self.copies[key]) for key, tensor in held.items() if key in self.copies]
        pairs = [(tensor, copy) for tensor, copy in pairs if tensor.shape == copy.shape]
        copies.put_back([tensor for tensor, _ in pairs], [copy for _, copy in pairs])

    def values(self) -> Any:
        """Returns the copies as the program keeps them: by name, or one after the other."""
        plain = all(isinstance(key, int) for key in self.copies)
        return list(self.copies.values()) if plain else dict(self.copies)


class Averages:
    """The containers that move with the weights.

    Args:
        recorder: knows the optimizers.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: list[Name] = []
        self._moved: dict[Name, tuple[int, Any]] = {}
        self._looks = 0

    def copied(self, earlier: Sequence[Average]) -> list[Average]:
        """Returns copies of what is known, as it stands; what is not finite gets its last good values first."""
        before = {average.path: average for average in earlier}
        with bindings.scopes() as where:
            if self._looks < MOST_LOOKS:
                self._looks += 1
                self._moved = {path: (0, _mark(held)) for path, held in self._candidates(where) if path not in self._known}
            found = [(path, _held(_found(path, where))) for path in self._known]
            taken = [Average(path, held, earlier=before.get(path)) for path, held in found if held]
        for average in taken:
            if average.healed and average.path in before and self._recorder.guard is not None:
                self._recorder.guard.healed(average.healed, "which the program keeps of the weights")
        return taken

    def stepped(self) -> None:
        """An optimizer has stepped: of what might move with the weights, what has not moved does not."""
        if not self._moved:
            return
        with bindings.scopes() as where:
            marks = {path: _mark(_held(_found(path, where))) for path in self._moved}
        moved = {path: (times + 1, marks[path]) for path, (times, mark) in self._moved.items() if marks[path] != mark}
        self._known += [path for path, (times, _) in moved.items() if times >= IN_A_ROW]
        self._moved = {path: entry for path, entry in moved.items() if entry[0] < IN_A_ROW}

    def _candidates(self, where: Sequence[Scope]) -> Iterator[tuple[Name, dict[Any, Any]]]:
        """Yields what has a tensor like each weight of an optimizer, and none that is the live one."""
        shapes, live = [], set[int]()
        for record in self._recorder.optimizers.living():
            weights = [tensor for tensor in record.parameters() if tensor.layout is torch.strided]
            shapes.append(Counter(tuple(tensor.shape) for tensor in weights))
            live |= {part.data_ptr() for tensor in weights for part in (tensor, tensor.grad) if part is not None and not part.is_sparse}
        seen = set[int]()
        for path, container in _containers(where):
            held = _held(container)
            if not held or id(container) in seen:
                continue
            seen.add(id(container))
            have = Counter(tuple(tensor.shape) for tensor in held.values())
            alike = any(wanted and wanted <= have for wanted in shapes)
            if alike and not any(tensor.requires_grad or tensor.data_ptr() in live for tensor in held.values()):
                yield path, held


def _containers(where: Sequence[Scope]) -> Iterator[tuple[Name, Any]]:
    for scope in where:
        for name, value in islice(scope.names.items(), bindings.MOST_ENTRIES):
            if name.startswith("__"):
                continue
            if type(value) in (dict, list):
                yield Name(scope.code, name), value
            elif not isinstance(value, (type, torch.Tensor, torch.optim.Optimizer)):
                for key, item in islice(bindings.attributes(value).items(), 64):
                    if type(item) in (dict, list) and key not in _OF_A_MODULE:
                        yield Name(scope.code, name, (("attribute", key),)), item


def _found(path: Name, where: Sequence[Scope]) -> Any:
    scope = next((scope for scope in where if scope.code is path.code), None)
    value = scope.names.get(path.name) if scope is not None else None
    for _, key in path.keys:
        value = bindings.attributes(value).get(key)
    return value


def _held(container: Any) -> dict[Any, Any]:
    """Returns the tensors of a container by key; nothing where it holds other things as well."""
    if type(container) not in (dict, list) or not container:
        return {}
    items = dict(container) if isinstance(container, dict) else dict(enumerate(container))
    plain = all(type(key) in (str, int) and type(item) is torch.Tensor and item.layout is torch.strided for key, item in items.items())
    return items if plain else {}


def _mark(held: dict[Any, Any]) -> Any:
    first = next((tensor for tensor in held.values() if tensor.is_floating_point() and tensor.numel()), None)
    return None if first is None or first.is_inference() else (id(first), first._version)
