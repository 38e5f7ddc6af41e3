"""Finds streams of tokens that were cut so that what is one step ahead for the model lies a whole batch ahead in the stream.

The memory tells: the tokens that a model is given and those that it is to tell are views of one row of numbers, and neighbours in it lie
beside each other in the batch. Whether that row is a text, or was interleaved on purpose, its own numbers tell: in a text, neighbours know
of each other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.code_scopes import bound_by, functions_of, scopes_around, statements_of
from tensan.adapters.torch.statements import users_trees
from tensan.adapters.torch.supervision import is_plain, targets
from tensan.adapters.torch.trace import Trace, storage_of
from tensan.adapters.torch.variables import variables
from tensan.core.events.data import StreamCut
from tensan.core.sites import Location
from tensan.core.trees import called_name, location, tree_of, walk

if TYPE_CHECKING:
    from types import CodeType

    from tensan.adapters.torch.recorder import Recorder

#: Losses that are looked at, and tokens of a stream that are read.
MOST_LOOKS = 8
MOST_TOKENS = 1 << 15
LEAST_TOKENS = 1_000
#: Distances, far from each other, at which tokens should know nothing of each other.
CONTROLS = 6
_RESHAPES = frozenset({"view", "reshape"})


class LaidAcross:
    """Streams by their memory."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0
        self._known: dict[tuple[int, int, int], tuple[float, float, float]] = {}

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if self._looks >= MOST_LOOKS or not trace.looked_up or not self.recorder.watch.wants(StreamCut):
            return
        for tokens in trace.looked_up:
            if not is_plain(tokens) or tokens.is_floating_point() or tokens.dim() != 2 or tokens.is_inference():
                continue
            storage = storage_of(tokens)
            for found in targets(trace):
                if storage_of(found.target) == storage and found.target.numel() == tokens.numel():
                    self._looks += 1
                    self._tell(tokens, int(found.target.storage_offset() - tokens.storage_offset()), found.site)
                    return

    def _tell(self, tokens: Any, ahead: int, site: Any) -> None:
        base: Any = tokens._base
        width = _width(tokens)
        near = far = spread = 0.0
        is_stream = width > 1 and ahead == width and base is not None and base.dim() == 1 and is_plain(base) and len(base) >= LEAST_TOKENS
        place = None
        if is_stream and base is not None:
            key = storage_of(base), int(base._version), width
            if key not in self._known:
                self._known[key] = told_by_neighbours(base.detach(), width)
            near, far, spread = self._known[key]
            place = _cut_at(tokens, width)
        self.recorder.watch.emit(
            StreamCut(
                step=self.recorder.watch.steps,
                site=place or site,
                shape=tuple(tokens.shape),
                ahead=ahead,
                is_stream=is_stream,
                near=near,
                far=far,
                spread=spread,
                used=site,
            )
        )


def _width(tokens: Any) -> int:
    """Returns the size of the axis along which neighbours in memory lie, where the other one goes on behind it; else 0."""
    for along, across in ((0, 1), (1, 0)):
        if tokens.stride(across) == 1 and tokens.stride(along) == tokens.shape[across] and min(tokens.shape) > 1:
            return int(tokens.shape[across])
    return 0


def told_by_neighbours(stream: Any, width: int) -> tuple[float, float, float]:
    """Returns by how much more tokens tell of the next one, and of the one a batch ahead, than of any other; and how much that varies."""
    tokens = stream[:MOST_TOKENS].unique(return_inverse=True)[1]
    begin, step = len(tokens) // 3, 2 * (len(tokens) // (8 * CONTROLS)) + 1
    # As many pairs each time: how much chance adds depends on their number.
    pairs = len(tokens) - begin - CONTROLS * step
    others = torch.tensor([_information(tokens, begin + number * step, pairs) for number in range(CONTROLS)], dtype=torch.float64)
    plain = float(others.mean())
    return _information(tokens, 1, pairs) - plain, _information(tokens, width, pairs) - plain, float(others.std())


def _information(tokens: Any, lag: int, most: int) -> float:
    left, right = tokens[:-lag][:most], tokens[lag:][:most]
    size = int(tokens.max()) + 1
    joint = (left * size + right).unique(return_counts=True)[1].double() / len(left)
    sides = [side.bincount().double() / len(left) for side in (left, right)]
    return _entropy(sides[0]) + _entropy(sides[1]) - _entropy(joint)


def _entropy(shares: Any) -> float:
    shares = shares[shares > 0]
    return -float((shares * shares.log()).sum())


def _cut_at(tokens: Any, width: int) -> Location | None:
    """Returns the reshape that cut the stream: in the statement that made what the program holds of it, or in a function called there."""
    storage = storage_of(tokens)
    for name, value, frame in variables(4):
        larger = isinstance(value, torch.Tensor) and value.dim() == 2 and width in value.shape and value.numel() > tokens.numel()
        found = _made_at(frame.f_code, name) if larger and storage_of(value) == storage else None
        if found is not None:
            return found
    for path, tree in users_trees():
        cuts = [call for function in functions_of(tree) if "batch" in function.name for call in _cuts(function)]
        if cuts:
            return location(path, cuts[-1])
    return None


def _made_at(code: CodeType, name: str) -> Location | None:
    tree = tree_of(code.co_filename)
    for around in scopes_around(code):
        made = [each for each in statements_of(around) if name in bound_by(each)]
        if not made:
            continue
        statement = made[-1]
        called = {called_name(node) for node in walk(statement) if isinstance(node, ast.Call)}
        functions = [function for function in functions_of(tree) if function.name in called] if tree is not None else []
        calls = [call for place in (statement, *functions) for call in _cuts(place)]
        return location(code.co_filename, calls[0] if calls else statement)
    return None


def _cuts(scope: ast.AST) -> Iterator[ast.Call]:
    """Yields the calls in a scope that give an array two axes."""
    for node in walk(scope):
        if isinstance(node, ast.Call) and called_name(node) in _RESHAPES and isinstance(node.func, ast.Attribute):
            of_module = isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy", "torch")
            lengths = node.args[1:] if of_module else node.args
            if len(lengths) == 1 and isinstance(lengths[0], (ast.Tuple, ast.List)):
                lengths = lengths[0].elts
            if len(lengths) == 2:
                yield node
