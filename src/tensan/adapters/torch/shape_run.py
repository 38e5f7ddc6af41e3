"""One run of a model, watched: each call of a layer and each operation between layers, with the shapes of what went in and came out."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

#: Functions that ask for the size of an axis because a weight has it: that the axis is fixed is what the layer says.
_WEIGHED = {"linear", "bilinear", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "addmm", "einsum", "layer_norm", "rms_norm"} | {
    f"{kind}{rank}d" for kind in ("conv", "conv_transpose") for rank in (1, 2, 3)
}
_WEIGHED |= {"batch_norm", "group_norm", "instance_norm", "lstm", "gru", "rnn_tanh", "rnn_relu", "multi_head_attention_forward"}


class Seen(NamedTuple):
    """A call of a layer, or an operation between layers."""

    path: str
    kind: str
    inputs: list[Any]
    outputs: dict[str, Any]
    parameters: int
    sources: list[int | None]


class _Open(NamedTuple):
    """A module that runs; a run that failed keeps no copy alive."""

    path: str
    number: int
    layer: bool
    home: str
    given: list[Any]
    sources: list[int | None]


class ShapeRun(TorchFunctionMode):
    """One run of a copy: what it was given, its calls in their order, what it read and returned, and where it failed."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.calls: list[Seen] = []
        self.given: list[Any] = []
        self.returned: list[int | None] = []
        #: What made a tensor; held weakly, so that a run with values keeps none of them longer than it would without us.
        self._makers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self.read: set[int] = set()
        self.containers: dict[str, tuple[str, str]] = {}
        self.open: list[_Open] = []
        self.last: tuple[str, list[Any]] = ("", [])
        self.failed = ""
        self.kept: Any = None
        self._root = id(model)
        for path, part in model.named_modules():
            part.register_forward_pre_hook(partial(self._enter, path), with_kwargs=True)
            part.register_forward_hook(self._leave)

    def _enter(self, path: str, part: torch.nn.Module, args: Any, kwargs: Any) -> None:
        given = _tensors((args, kwargs))
        if not self.open:
            self.given = _shapes(given)
            for number, tensor in enumerate(given):
                self._makers[id(tensor)] = weakref.ref(tensor), -1 - number
        home = type(part).__module__
        self.open.append(_Open(path, id(part), self._is_layer(part), home, _shapes(given), self._sources(given)))

    def _leave(self, part: torch.nn.Module, _args: Any, output: Any) -> None:
        while self.open:
            left = self.open.pop()
            if left.number == id(part):
                kind, entries = type(part).__name__, _entries(output)
                if left.layer and not self._in_layer():
                    self.calls.append(Seen(left.path, kind, left.given, entries, num_parameters(part), left.sources))
                    self._made(output)
                if not self.open:
                    self.returned = self._sources(_tensors(output))
                known = self.open and self.open[-1].home == "torch.nn.modules.transformer"  # it knows what it gets
                if not known and not isinstance(output, torch.Tensor | int | float | str | None):
                    self.containers[left.path] = kind, f"({type(output).__name__}): {', '.join(entries) or 'no tensor that is found'}"
                return

    def _is_layer(self, part: torch.nn.Module) -> bool:
        """Whether a module is one row: it has none inside that is called. A model without layers is told by its operations."""
        if id(part) == self._root and not type(part).__module__.startswith("torch.nn."):
            return False
        return isinstance(part, torch.nn.MultiheadAttention) or all(name == "parametrizations" for name, _ in part.named_children())

    def _in_layer(self) -> bool:
        return any(module.layer for module in self.open)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, given = getattr(func, "__name__", str(func)), _tensors((args, kwargs))
        if name.startswith("__get") and name != "__getitem__":
            found = func(*args, **(kwargs or {}))
            if isinstance(found, torch.Tensor) and not self._in_layer():  # such as `x.T`: no operation of its own here
                self._known(found, next(iter(self._sources(given)), None))
            return found
        self.last = name, _shapes(given)
        self.read.update(map(id, given))
        sources = self._sources(given)  # before an operation in place makes itself the maker of what it was given
        output = func(*args, **(kwargs or {}))
        if not self._in_layer() and (outputs := _entries(output)):
            self.calls.append(Seen(self.open[-1].path if self.open else "", name.strip("_"), self.last[1], outputs, 0, sources))
            self._made(output)
        return output

    def _made(self, output: Any) -> None:
        for tensor in _tensors(output):
            self._known(tensor, len(self.calls) - 1)

    def _known(self, tensor: Any, maker: int | None) -> None:
        if maker is not None:
            self._makers[id(tensor)] = weakref.ref(tensor), maker

    def _sources(self, tensors: list[Any]) -> list[int | None]:
        found = [self._makers.get(id(tensor)) for tensor in tensors]
        return [maker[1] if maker is not None and maker[0]() is tensor else None for maker, tensor in zip(found, tensors, strict=True)]

    def takes(self, size: int, *, features: bool) -> bool:
        """Whether the run failed where a weight met the very axis that was made this long.

        Args:
            size: of the axis.
            features: the axis has the place of features or channels: then any code between layers may well hold a weight for it.
        """
        if self.open and self.open[-1].layer and self.open[-1].home.startswith("torch.nn."):
            return any(size in shape for shape in self.open[-1].given)
        name, given = self.last
        return features or (name in _WEIGHED and any(size in shape for shape in given))


def name_of(entry: Any) -> str:
    """Returns what an entry of a path into a nested value is called: its key, its place, or its name."""
    return str(next(getattr(entry, name) for name in ("key", "idx", "name") if hasattr(entry, name)))


def _tensors(tree: Any) -> list[Any]:
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor) and not _lazy(leaf)]


def _shapes(tensors: list[Any]) -> list[Any]:
    return [tuple(tensor.shape) for tensor in tensors]


def _entries(output: Any) -> dict[str, Any]:
    paths = pytree.tree_flatten_with_path(output)[0]
    return {".".join(map(name_of, path)): tuple(leaf.shape) for path, leaf in paths if isinstance(leaf, torch.Tensor) and not _lazy(leaf)}


def num_parameters(part: torch.nn.Module) -> int:
    """Returns how many numbers a module learns; shared ones count once."""
    return sum(parameter.numel() for parameter in part.parameters() if not _lazy(parameter))


def _lazy(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.UninitializedParameter)
