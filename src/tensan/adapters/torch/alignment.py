"""Tells whether what has changed in a value still keeps to where it may: one sample, the positions from one on, the padded cells.

Axes are merged, split and moved about by what lies between, so every axis whose length fits is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

#: Longest run of positions that a convolution may add at the front before it is cut off again.
MOST_ADDED = 64


def moved(plain: Any, changed: Any) -> Any:
    """Returns where two values differ; not-a-number equals itself."""
    if plain is changed:
        return torch.zeros_like(plain, dtype=torch.bool)
    different = plain != changed
    if plain.dtype.is_floating_point:
        different &= ~(plain.isnan() & changed.isnan())
    return different


def touched(different: Any, axis: int) -> Any:
    """Returns the places along an axis where anything differs."""
    others = [other for other in range(different.dim()) if other != axis]
    return (different.any(dim=others) if others else different).nonzero().flatten()


def sample_axis(different: Any, *, batch: int, sample: int) -> int | None:
    """Returns the axis along which the difference keeps to one sample; None where there is no such axis."""
    for axis, size in enumerate(different.shape):
        if size % batch:
            continue
        places = touched(different, axis)
        block = size // batch
        if bool((places // block == sample).all()) or (block > 1 and bool((places % batch == sample).all())):
            return axis
    return None


def future_axis(different: Any, *, length: int, since: int) -> int | None:
    """Returns the axis along which the difference keeps to the positions from one on; None where there is no such axis."""
    for axis, size in enumerate(different.shape):
        if size < length - 2 or size < 2:
            continue
        places = touched(different, axis)
        for positions, first in _positions(places, size, length, since):
            if bool((positions >= first).all()):
                return axis
    return None


def _positions(places: Any, size: int, length: int, since: int) -> Iterator[tuple[Any, int]]:
    if size % length == 0 and size > length:
        yield places % length, since
        yield places // (size // length), since
    elif length <= size <= length + MOST_ADDED:
        yield places, since
    for rest in (length - 1, length - 2):  # the last positions were cut off
        if rest > since and size % rest == 0:
            yield places % rest, since
            if size > rest:
                yield places // (size // rest), since


def cells_axis(different: Any, *, cells: Any) -> int | None:
    """Returns the axis of positions where the difference keeps to some cells of samples by positions; None where there is none."""
    batch, length = cells.shape
    free = ~cells
    for axis, size in enumerate(different.shape):
        if size == batch * length:
            line = torch.zeros(size, dtype=torch.bool, device=different.device)
            line[touched(different, axis)] = True
            if not bool((line.view(batch, length) & free).any()) or not bool((line.view(length, batch).t() & free).any()):
                return axis
    for samples, size in enumerate(different.shape):
        if size % batch:
            continue
        for axis, positions in enumerate(different.shape):
            if axis == samples or positions != length:
                continue
            others = [other for other in range(different.dim()) if other not in (samples, axis)]
            grid = different.any(dim=others) if others else different
            grid = grid if samples < axis else grid.t()
            if not bool((grid.reshape(batch, size // batch, length).any(1) & free).any()):
                return axis
    return None


def relative(plain: Any, changed: Any, where: Any) -> float:
    """Returns the largest difference at some places, relative to how much the values differ among each other."""
    old, new = plain[where], changed[where]
    if not old.numel():
        return 0.0
    difference = (new.double() - old.double()).abs()
    difference = difference[difference.isfinite()]
    if not difference.numel():
        return float("inf")
    return float(difference.max()) / max(_scale(plain), 1e-12)


def _scale(plain: Any) -> float:
    finite = plain.isfinite()
    values = (plain if bool(finite.all()) else plain[finite]).double()
    return float(values.std()) if values.numel() > 1 else abs(float(values.sum()))
