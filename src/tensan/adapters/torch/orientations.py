"""Which way round an image lies beside another one of the same content: mirrored, upside down, turned, or as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

#: Sides of an image, and values of it, that are compared.
LEAST_SIDE = 4
MOST_VALUES = 1 << 17
#: What must agree of two images that are one, whatever was done to their brightness, how many times as far off any other way round
#: must be, and how far at least.
ALIKE = 0.8
TIMES = 5
LEAST_OFF = 0.002
#: Of two masks nothing may differ but their unit.
SAME = 0.99999


class Orientation(NamedTuple):
    """A way to lay an image: first rows and columns exchanged or not, then reversed."""

    exchanged: bool = False
    rows_reversed: bool = False
    columns_reversed: bool = False

    def __str__(self) -> str:
        match self:
            case (False, False, False):
                return "as it was"
            case (False, False, True):
                return "left for right"
            case (False, True, False):
                return "upside down"
            case (False, True, True):
                return "turned by half"
            case (True, False, False):
                return "with rows for columns"
            case _:
                return "turned by a quarter"


AS_IT_WAS = Orientation()


def images_of(value: Any) -> Any | None:
    """Returns an array as an image of floats, with channels first wherever they are; None where it is none."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(value) is numpy.ndarray:
        if value.dtype.kind not in "fiub" or value.dtype.itemsize > 8:
            return None
        value = torch.from_numpy(value.astype("float32"))
    if type(value) is not torch.Tensor or value.device.type != "cpu" or value.is_complex() or value.numel() > MOST_VALUES:
        return None
    image = value.detach().float()
    if image.dim() == 2:
        image = image[None]
    if image.dim() != 3:
        return None
    if image.shape[0] > 4 and image.shape[2] <= 4:
        image = image.permute(2, 0, 1)
    return image if min(image.shape[1:]) >= LEAST_SIDE and image.shape[0] <= 4 else None


def lay(image_CHW: Any, way: Orientation) -> Any:
    """Returns an image laid another way."""
    image = image_CHW.transpose(1, 2) if way.exchanged else image_CHW
    return image.flip([axis for axis, is_reversed in ((1, way.rows_reversed), (2, way.columns_reversed)) if is_reversed])


def way_of(image_CHW: Any, originals: Sequence[Any]) -> tuple[Orientation, Any] | None:
    """Returns which of several images is the original of one, and how that lies beside it; None where either is not clear."""
    likeness = [(_alike(lay(original, way), image_CHW), way, original) for original in originals for way in _ways(image_CHW, original)]
    best, way, found = max(likeness, key=lambda each: each[0], default=(0.0, AS_IT_WAS, None))
    others = max((alike for alike, other, original in likeness if original is found and other != way), default=0.0)
    if found is None or best < ALIKE or 1 - others < max(TIMES * (1 - best), LEAST_OFF):
        return None
    return way, found


def ways_of_mask(mask_CHW: Any, original_CHW: Any) -> frozenset[Orientation]:
    """Returns all ways in which a mask can lie beside its original: several, where it has a symmetry."""
    return frozenset(way for way in _ways(mask_CHW, original_CHW) if _alike(lay(original_CHW, way), mask_CHW) >= SAME)


def _ways(image_CHW: Any, original_CHW: Any) -> Iterator[Orientation]:
    if image_CHW.shape[0] != original_CHW.shape[0]:
        return
    for exchanged in (False, True):
        sides = original_CHW.shape[:0:-1] if exchanged else original_CHW.shape[1:]
        if tuple(sides) == tuple(image_CHW.shape[1:]):
            for rows_reversed in (False, True):
                for columns_reversed in (False, True):
                    yield Orientation(exchanged, rows_reversed, columns_reversed)


def _alike(left: Any, right: Any) -> float:
    """Returns the correlation of two images."""
    first, second = left.reshape(-1) - left.mean(), right.reshape(-1) - right.mean()
    size = float(first.norm() * second.norm())
    return float(first @ second) / size if size > 0 else 0.0
