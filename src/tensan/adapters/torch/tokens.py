"""Compares the tokens that a loss asks for with those that went into the model: by how many places were they shifted?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tensan.adapters.torch.end_tokens import End, end_of
from tensan.adapters.torch.source import in_file
from tensan.adapters.torch.supervision import IGNORED, Target, is_plain, targets
from tensan.adapters.torch.trace import Trace
from tensan.core.events.recorded import Layer
from tensan.core.events.targets import TokenTargets
from tensan.core.sites import Location, Site
from tensan.core.trees import walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Shorter sequences are not sequences of tokens.
LEAST_LENGTH = 4
MOST_SHIFT = 2
#: Values that are compared, and inputs and losses of a step.
MOST_VALUES = 1 << 20
MOST_PAIRS = 16
MOST_LOOKS = 12

_RECURRENT = frozenset({"RNN", "GRU", "LSTM"})


class _Compared(NamedTuple):
    target: Target
    ids: Any
    wanted: Any
    supervised: Any
    at_shift: tuple[float, ...]


class Tokens:
    """Looks at recorded steps only."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0

    def learned_from(self, trace: Trace) -> None:
        """A loss was recorded."""
        if not trace.looked_up or self._looks >= MOST_LOOKS or not self.recorder.watch.wants(TokenTargets):
            return
        self._looks += 1
        compared = list(_compared(trace))[:MOST_PAIRS]
        causal = _is_causal(trace)
        shifted = any(item.at_shift[1] == 1 for item in compared)
        told: set[int] = set()
        for item in sorted(compared, key=lambda item: -max(item.at_shift)):
            if id(item.target.target) in told:
                continue  # the input that it fits best has been told
            told.add(id(item.target.target))
            marked = item.at_shift[1] == 1 and not bool(item.supervised.all())
            end = end_of(item.ids, item.wanted, item.supervised) if marked else End()
            neighbours = item.ids[:, 1:] != item.ids[:, :-1]
            self.recorder.watch.emit(
                TokenTargets(
                    step=self.recorder.watch.steps,
                    site=item.target.site,
                    masked=_masking_line(item.target) if end.token is not None and not end.asked else None,
                    length=item.ids.shape[1],
                    num_targets=_asked_length(item.supervised),
                    at_shift=item.at_shift,
                    supervised=float(item.supervised.float().mean()),
                    causal=causal,
                    distinct=float(neighbours.float().mean()),
                    others_shifted=shifted and item.at_shift[1] < 1,
                    end_token=end.token,
                    end_name=end.name,
                    ends=end.ends,
                    ends_supervised=end.asked,
                    batch=item.ids.shape[0],
                    doubled_start=_doubled_start(item),
                )
            )


def _compared(trace: Trace) -> Iterator[_Compared]:
    inputs = [ids for ids in trace.looked_up if is_plain(ids) and ids.dim() == 2 and ids.shape[1] >= LEAST_LENGTH]
    for found in targets(trace):
        wanted = found.target
        if found.name != "nll_loss" or not is_plain(wanted) or wanted.is_floating_point() or wanted.numel() > MOST_VALUES:
            continue
        for ids in inputs:
            rows, length = ids.shape
            each, rest = divmod(wanted.numel(), rows)
            if rest or not length - MOST_SHIFT <= each <= length:
                continue
            table = wanted.reshape(rows, each)
            supervised = table != found.ignored
            shares = tuple(_share(table, supervised, ids, shift) for shift in range(MOST_SHIFT + 1))
            yield _Compared(found, ids, table, supervised, shares)


def _share(wanted: Any, supervised: Any, ids: Any, shift: int) -> float:
    """The share of the supervised targets that are the token so many places further on."""
    common = min(wanted.shape[1], ids.shape[1] - shift)
    asked = supervised[:, :common]
    number = int(asked.sum())
    return float(((wanted[:, :common] == ids[:, shift : shift + common]) & asked).sum()) / number if number else 0.0


def _asked_length(supervised: Any) -> int:
    """Returns how long the targets are without what is passed over at the end of all of them: a loss may pad what it has shifted."""
    columns = supervised.any(0).nonzero()
    return int(columns[-1]) + 1 if len(columns) else 0


def _is_causal(trace: Trace) -> bool:
    """Tells whether something in the step hides later positions from earlier ones."""
    recurrent, repeated = [], False
    lengths = {ids.shape[1] for ids in trace.looked_up if ids.dim() == 2}
    for operation in trace.operations:
        held = operation.settings.get("arguments")
        arguments = held if isinstance(held, tuple) else ()
        aten = str(operation.settings.get("aten", "")).rpartition("::")[2]
        if aten.rstrip("_") in ("tril", "triu"):
            return True
        if operation.name == "attention" and any(item is True for item in arguments):
            return True
        for value in (*operation.inputs, *operation.outputs):
            square = len(value.shape) >= 2 and value.shape[-1] == value.shape[-2] and value.shape[-1] in lengths
            if square and not value.requires_grad and value.subject is None and all(size == 1 for size in value.shape[:-2]):
                return True  # a mask of positions by positions, the same for all samples
        layer = operation.settings.get("layer")
        if isinstance(layer, Layer) and layer.kind in _RECURRENT:  # some kernels are taken apart into their steps
            recurrent.append(not layer.both_ways)
        elif operation.name == "recurrent":
            recurrent.append(bool(arguments) and arguments[0] is False)
        else:
            repeated = repeated or operation.name == "expand"
    # One pass over the sequence in its own order; a decoder that begins from a summary repeats it.
    return bool(recurrent) and all(recurrent) and not repeated and len(trace.looked_up) == 1


def _doubled_start(item: _Compared) -> int | None:
    """Returns the token that every sequence begins with twice, that stands nowhere else, and that the loss asks for after the first."""
    ids, start = item.ids, item.ids[0, 0]
    asked = bool((item.wanted[:, 0] == start).all() and item.supervised[:, 0].all())
    return int(start) if asked and bool((ids[:, :2] == start).all()) and int((ids == start).sum()) == 2 * len(ids) else None


def _masking_line(target: Target) -> Location | None:
    """Finds where the program overwrites labels by what is passed over, if it does so in the file of the loss."""
    if not isinstance(target.site, Site) or target.ignored != IGNORED:
        return None

    def masks(node: ast.AST) -> bool:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return _has_compare(node.targets[0].slice) and ast.unparse(node.value) == str(IGNORED)
        called = node.func if isinstance(node, ast.Call) else None
        name = called.attr if isinstance(called, ast.Attribute) else ""
        arguments = map(ast.unparse, node.args) if isinstance(node, ast.Call) else ()
        return name in ("masked_fill", "masked_fill_", "where") and str(IGNORED) in arguments

    return in_file(target.site.code.co_filename, masks)


def _has_compare(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Compare) for part in walk(node))
