"""Boxes around things in an image: which arrays can be some, and where they lie once the image is mirrored."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch

from tensan.adapters.torch.orientations import Orientation

#: Boxes of one array that are looked at, and boxes that must all have their corners in order.
MOST_BOXES = 512
LEAST_BOXES = 8
#: Share of a side by which a box must lie elsewhere once it is mirrored, and by which it may be off its place.
APART = 0.05
SAME = 1e-4


def boxes_of(value: Any) -> Any | None:
    """Returns an array as boxes of four floats each, laid out in rows; None where it can be none."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(value) is numpy.ndarray and value.dtype.kind in "fiu" and value.dtype.itemsize <= 8:
        value = torch.from_numpy(value.astype("float32"))
    if type(value) is not torch.Tensor or value.device.type != "cpu" or value.layout is not torch.strided or value.is_complex():
        return None
    if value.dim() not in (1, 2) or value.shape[-1] != 4 or not 0 < value.numel() <= 4 * MOST_BOXES or value.is_quantized:
        return None
    return value.detach().float().reshape(-1, 4)


def have_corners(boxes_N4: Any) -> bool:
    """Tells whether rows of four numbers are a corner and the opposite one, all of them; rows of zeros fill up."""
    real = boxes_N4[(boxes_N4 != 0).any(1)]
    return len(real) >= LEAST_BOXES and bool((real[:, :2] >= 0).all()) and bool((real[:, 2:] > real[:, :2]).all())


def mirrored(boxes_N4: Any, way: Orientation, sides: tuple[float, float]) -> Iterator[Any]:
    """Yields the boxes as they lie in a mirrored image, whether they are corners, corner and size, or middle and size."""
    ends, starts, middles = boxes_N4.clone(), boxes_N4.clone(), boxes_N4.clone()
    for axis, side, is_reversed in ((0, sides[1], way.columns_reversed), (1, sides[0], way.rows_reversed)):
        if is_reversed:
            first, second = boxes_N4[:, axis], boxes_N4[:, axis + 2]
            ends[:, axis], ends[:, axis + 2] = side - second, side - first
            starts[:, axis] = side - first - second
            middles[:, axis] = side - first
    yield from (ends, starts, middles)


def are_same(left_N4: Any, right_N4: Any, *, side: float, within: float = SAME) -> bool:
    """Tells whether boxes lie in one place, up to a share of the side of their image."""
    return left_N4.shape == right_N4.shape and float((left_N4 - right_N4).abs().max()) <= within * side


def unit_of(boxes_N4: Any, sides: tuple[int, int]) -> tuple[float, float] | None:
    """Returns the height and width of the image in the unit of its boxes; None where they lie outside of it."""
    highest = boxes_N4.abs().amax(0)
    if float(highest.max()) <= 1:
        return 1.0, 1.0
    fits = float(highest[0::2].max()) <= sides[1] and float(highest[1::2].max()) <= sides[0]
    return (float(sides[0]), float(sides[1])) if fits else None
