"""Describes the values that a model is given, in training and in evaluation: on which scale they are."""

from __future__ import annotations

import ast
import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.own_constants import Moments, standardising
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.data import InputValues
from tensan.core.sites import Location, Place, Site, here
from tensan.core.trees import tree_of, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Batches of each kind that are described for a model.
MOST_BATCHES = 3
#: Samples and values of a batch that are looked at.
MOST_SAMPLES = 256
MOST_VALUES = 1 << 16
MOST_FEATURES = 64
LEAST_VALUES = 256
#: The steps of an 8-bit value that was divided by 255 twice, and how far from one a value may be for rounding.
TWICE = 255.0 * 255.0
ROUNDING = 1e-2
LEAST_LEVELS = 6
#: The brightest of a batch of 8-bit values is brighter than this.
LEAST_BRIGHT = 100


class Inputs:
    """The first batches that each model gets, with gradients and without."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._seen: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()
        self._trained: weakref.WeakKeyDictionary[Any, Moments] = weakref.WeakKeyDictionary()

    def given(self, module: Any, inputs: Any, *, training: bool) -> None:
        """A model is about to run."""
        counts = self._seen.setdefault(module, [0, 0])
        if counts[training] >= MOST_BATCHES or not self.recorder.watch.wants(InputValues):
            return
        tensor = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        if tensor is None or not is_plain(tensor) or not tensor.is_floating_point() or tensor.dim() < 2 or tensor.numel() < LEAST_VALUES:
            return
        counts[training] += 1
        rows = tensor.detach()[:MOST_SAMPLES]
        flat = rows.reshape(len(rows), -1)
        some = torch.linspace(0, flat.shape[1] - 1, min(flat.shape[1], MOST_VALUES // len(flat))).long()
        flat = flat[:, some].double()
        chosen = torch.linspace(0, flat.shape[1] - 1, min(flat.shape[1], MOST_FEATURES)).long()
        few = flat[:, chosen]
        moments = Moments(tuple(few.mean(0).tolist()), tuple(few.std(0).tolist()) if len(few) > 1 else ())
        site = here(3)
        twice = _is_scaled_twice(flat)
        self.recorder.watch.emit(
            InputValues(
                step=self.recorder.watch.steps,
                site=site,
                module=self.recorder.inventory.module_id(module),
                training=training,
                shape=tuple(tensor.shape),
                dtype=str(tensor.dtype).removeprefix("torch."),
                minimum=float(flat.min()),
                maximum=float(flat.max()),
                means=moments.means,
                deviations=moments.deviations,
                are_pixels=float(flat.min()) >= 0 and LEAST_BRIGHT < float(flat.max()) <= 255 and bool((flat == flat.round()).all()),
                missing=self._missing(module, moments, some[chosen], tensor.shape, training=training),
                scaled_twice=twice,
                scaled_at=_last_division(site) if twice else None,
            )
        )

    def _missing(self, module: Any, moments: Moments, columns: Any, shape: Any, *, training: bool) -> str:
        """Returns what the program has at hand to prepare a batch of evaluation as those of training were, where it was not."""
        if training:
            self._trained.setdefault(module, moments)
            return ""
        wanted = self._trained.get(module)
        if wanted is None or len(wanted.means) != len(moments.means) or not moments.deviations or not wanted.deviations:
            return ""
        return standardising(moments, wanted, columns=columns, shape=shape, depth=3)


def _is_scaled_twice(values: Any) -> bool:
    """Tells whether all values are 8-bit values that were divided by 255 two times."""
    if float(values.min()) < 0 or not 0 < float(values.max()) <= 1.01 / 255:
        return False
    steps = values * TWICE
    whole = steps.round()
    return bool(((steps - whole).abs() < ROUNDING).all()) and len(whole.unique()) >= LEAST_LEVELS


def _last_division(site: Place) -> Location | None:
    """Finds the last division by 255 in the file of the training loop."""
    if not isinstance(site, Site):
        return None
    path = site.code.co_filename
    tree = tree_of(path)
    if tree is None:
        return None
    found = [node for node in walk(tree) if isinstance(node, ast.BinOp | ast.AugAssign | ast.Call) and _divides(node)]
    if len(found) < 1:
        return None
    last = max(found, key=lambda node: node.lineno)
    end = last.end_col_offset or 0
    return Location(path=path, line=last.lineno, column=last.col_offset + 1, end_line=last.end_lineno or last.lineno, end_column=end + 1)


def _divides(node: ast.BinOp | ast.AugAssign | ast.Call) -> bool:
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name in ("div", "div_", "true_divide") and len(node.args) == 1 and _is_255(node.args[0])
    divisor = node.right if isinstance(node, ast.BinOp) else node.value
    return isinstance(node.op, ast.Div) and _is_255(divisor)


def _is_255(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in (255, 255.0)
