"""Looks whether the data that a model is evaluated on was standardised by its own mean and spread, as that of training was by its own."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.code_scopes import functions_of, own_parts, statements_of
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.statements import users_trees
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.data import StatisticsCompared
from tensan.core.sites import Location, here
from tensan.core.trees import location

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Evaluations that are looked at, arrays of a data set, values of one, its fewest rows, and inputs of a model.
MOST_LOOKS = 8
MOST_ARRAYS = 16
MOST_VALUES = 1 << 21
LEAST_ROWS = 24
MOST_INPUTS = 16
#: How near mean and spread of a column must be to zero and one. Rows scaled by another's are off by one in the square root of their number.
EXACT_MEAN = 1e-5
EXACT_SPREAD = 1e-3
#: Share of the columns that change at all for which this must hold.
LEAST_SHARE = 0.9


class OwnStatistics:
    """The first looks at data sets that models are evaluated on."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._looks = 0 if recorder.watch.wants(StatisticsCompared) else MOST_LOOKS
        self._told: set[tuple[int, int]] = set()

    def evaluated(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        trained = self.recorder.trained_on.dataset_of(module)
        if trained is None or self._looks >= MOST_LOOKS:
            return
        given = [each for each in tensors_in(inputs, most=MOST_INPUTS) if is_plain(each) and each.is_floating_point() and each.dim() > 1]
        sources = (self.recorder.loaders.source_of(tensor) for tensor in given)
        held = next((record.living_dataset() for record in sources if record is not None), None)
        if held is None or held is trained or type(held) is not type(trained) or (id(trained), id(held)) in self._told:
            return
        self._looks += 1
        self._told.add((id(trained), id(held)))
        learned, other = dict(_arrays(trained)), dict(_arrays(held))
        widths = {tensor.shape[-1] for tensor in given}
        for name in other:
            if name in learned and other[name].shape[1] in widths and other[name].shape[1] == learned[name].shape[1]:
                own = _is_standardised(other[name]) and _is_standardised(learned[name]) and not _is_by_parts(learned[name])
                self.recorder.watch.emit(
                    StatisticsCompared(
                        step=self.recorder.watch.steps,
                        site=here(3),
                        name=name,
                        num_columns=other[name].shape[1],
                        num_rows=(len(learned[name]), len(other[name])),
                        is_own=own,
                        fitted=_fitted_again() if own else None,
                    )
                )
                return


def _arrays(dataset: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tables that a data set keeps, a row for each sample, by their names in it."""
    try:
        rows = len(dataset)
    except TypeError:
        return
    numpy = sys.modules.get("numpy")
    for name, value in list(attributes(dataset).items())[:MOST_ARRAYS]:
        for number, each in enumerate(value[:MOST_ARRAYS]) if type(value) in (tuple, list) and len(value) != rows else [("", value)]:
            array = torch.tensor(each) if numpy is not None and type(each) is numpy.ndarray and each.dtype.kind == "f" else each
            plain = isinstance(array, torch.Tensor) and is_plain(array) and array.is_floating_point() and array.dim() == 2
            if plain and LEAST_ROWS <= len(array) == rows and array.numel() <= MOST_VALUES:
                yield f"{name}[{number}]" if number != "" else name, array.detach()


def _is_standardised(table: Any) -> bool:
    """Tells whether the columns of a table have just the mean zero and the spread one."""
    values = table.double()
    spread = values.std(0, correction=0)
    changing = spread > 0
    unbiased = values.std(0, correction=1)
    near = ((spread - 1).abs() < EXACT_SPREAD) | ((unbiased - 1).abs() < EXACT_SPREAD)
    exact = (values.mean(0).abs() < EXACT_MEAN) & near & changing
    return bool(changing.any()) and float(exact.sum()) >= LEAST_SHARE * float(changing.sum())


def _is_by_parts(table: Any) -> bool:
    """Tells whether some first rows have the mean zero by themselves: each subject, say, was scaled by its own statistics on purpose."""
    values = table.double()
    changing = values.std(0, correction=0) > 0
    counts = torch.arange(1, len(values) + 1, dtype=torch.float64)[:, None]
    means = (values.cumsum(0) / counts)[LEAST_ROWS // 2 : -(LEAST_ROWS // 2), changing].abs()
    return bool((means < EXACT_MEAN).all(1).any())


def _fitted_again() -> Location | None:
    """Returns the one place at which something that was fitted before is fitted again; None where there is none, or several."""
    found: list[Location] = []
    for path, tree in users_trees():
        for scope in (tree, *functions_of(tree)):
            fitted: set[str] = set()
            for statement in statements_of(scope):
                for node in own_parts(statement):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fit_transform":
                        called = ast.unparse(node.func.value)
                        if called in fitted:
                            found.append(location(path, node, getattr(scope, "name", "")))
                        fitted.add(called)
    return found[0] if len(found) == 1 else None
