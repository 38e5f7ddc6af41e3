"""Finds, among what the program holds, the mean and the spread by which a batch would come to lie where those of training did."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.variables import variables
from tensan.core.sites import is_users

#: Names that are looked at, attributes of an object, and arrays that are tried with each other.
MOST_NAMES = 2_000
MOST_ATTRIBUTES = 32
MOST_ARRAYS = 16
#: Part of the features that must fit, how far off a mean may lie, in spreads, and by what factor a spread may differ.
LEAST_SHARE = 0.9
NEAR = 0.5
FACTOR = 1.5


class Moments(NamedTuple):
    """Means and spreads of some features of a batch."""

    means: tuple[float, ...]
    deviations: tuple[float, ...]


def standardising(given: Moments, wanted: Moments, *, columns: Any, shape: Sequence[int], depth: int) -> str:
    """Returns `(x - mean) / std` in the program's own names, where that would bring a batch to where another lies; empty otherwise.

    Args:
        given: of the batch.
        wanted: of the other.
        columns: which of all features of a sample these are.
        shape: of the batch.
        depth: of the frame from which on names are read.
    """
    means, deviations = torch.tensor(given.means, dtype=torch.float64), torch.tensor(given.deviations, dtype=torch.float64)
    there, spread = torch.tensor(wanted.means, dtype=torch.float64), torch.tensor(wanted.deviations, dtype=torch.float64)
    varied = (deviations > 0) & (spread > 0)

    def fits(middle: Any, scale: Any) -> bool:
        ratio = deviations / scale / spread
        near = ((means - middle) / scale - there).abs() < NEAR * spread
        fitting = (near & (ratio < FACTOR) & (ratio > 1 / FACTOR))[varied]
        return len(fitting) > 0 and float(fitting.double().mean()) >= LEAST_SHARE

    if fits(0.0, 1.0):
        return ""  # it lies there already, as nearly always: no name is looked at
    arrays = islice(_arrays(columns, shape, depth + 1), MOST_ARRAYS)
    pairs = permutations(arrays, 2)
    return next((f"(x - {name}) / {other}" for (name, middle), (other, scale) in pairs if fits(middle, scale)), "")


def _arrays(columns: Any, shape: Sequence[int], depth: int) -> Iterator[tuple[str, Any]]:
    """Yields arrays in reach that have a number for each feature, channel or last axis, with the numbers of some columns."""
    for name, value, _ in islice(variables(depth + 1), MOST_NAMES):
        if not name.startswith("__"):
            yield from _held(name, value, columns, shape, levels=2)


def _held(name: str, value: Any, columns: Any, shape: Sequence[int], *, levels: int) -> Iterator[tuple[str, Any]]:
    yield from _as_columns(name, value, columns, shape)
    if levels and _may_hold(value):
        for attribute, inner in list(vars(value).items())[:MOST_ATTRIBUTES]:
            yield from _held(f"{name}.{attribute}", inner, columns, shape, levels=levels - 1)


def _as_columns(name: str, value: Any, columns: Any, shape: Sequence[int]) -> Iterator[tuple[str, Any]]:
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(value) is numpy.ndarray and value.dtype.kind == "f":
        value = torch.from_numpy(value.astype("float64"))
    plain = type(value) is torch.Tensor and value.is_floating_point() and value.device.type == "cpu" and value.layout is torch.strided
    features = 1
    for length in shape[1:]:
        features *= length
    if not plain or value.numel() not in (features, shape[1], shape[-1]) or value.numel() < 2:
        return
    numbers = value.detach().double().reshape(-1)
    if not bool(numbers.isfinite().all()):
        return
    if value.numel() == features:
        yield name, numbers[columns]
    elif value.numel() == shape[1]:
        yield name, numbers[columns // (features // shape[1])]
    else:
        yield name, numbers[columns % shape[-1]]


def _may_hold(value: Any) -> bool:
    """Tells whether an object is one of the program's own, or a fitted preparation of a library: both keep constants as attributes."""
    kind = type(value)
    module = sys.modules.get(kind.__module__)
    own = isinstance(getattr(module, "__file__", None), str) and is_users(str(getattr(module, "__file__", "")))
    fitted = kind.__module__.startswith("sklearn.preprocessing")
    return (own or fitted) and not isinstance(value, (type, torch.nn.Module)) and hasattr(value, "__dict__")
