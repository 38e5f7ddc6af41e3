"""Knows the rows of tensors by hashes of their values, also by what outputs and the probabilities made of them have in common."""

from __future__ import annotations

from typing import Any

import torch

from tensan.adapters.torch.supervision import is_plain

#: Rows of one tensor that are hashed, and values of each.
MOST_OF_TENSOR = 4_096
MOST_VALUES = 256
#: Rows that a tensor needs, and more of them where only the order of their values is compared.
LEAST_ROWS = 4
LEAST_RANKED = 16
MOST_RANKED = 256
#: Share of the rows that must differ from each other.
DISTINCT = 0.2


def hashes(rows_NV: Any, *, most: int) -> list[int]:
    """Returns a hash for each row of a matrix on the host.

    Args:
        rows_NV: the matrix.
        most: values of a row that are hashed, spread over all of it.
    """
    return [hash(row.tobytes()) for row in spread(rows_NV, most=most).contiguous().numpy()]


def spread(rows_NV: Any, *, most: int) -> Any:
    """Returns a matrix with no more columns than so many, spread over all that there are."""
    width = rows_NV.shape[1]
    return rows_NV[:, torch.linspace(0, width - 1, most).long()] if width > most else rows_NV


def rows_of(tensor: Any, distinct: float = DISTINCT) -> list[int]:
    """Returns a hash for each row; none where too many rows are alike."""
    if not is_plain(tensor) or tensor.dim() == 0 or len(tensor) < LEAST_ROWS or not tensor.numel() or tensor.is_complex():
        return []
    flat = tensor.detach()[:MOST_OF_TENSOR]
    flat = flat.reshape(len(flat), -1)
    if flat.is_floating_point() and flat.dtype is not torch.float64:
        flat = flat.float()
    rows = hashes(flat, most=MOST_VALUES)
    return rows if len(set(rows)) >= distinct * len(rows) else []


def orders_of(tensor: Any) -> list[int]:
    """Returns hashes of what outputs and probabilities made of them have in common: the order of values in each row, and the largest."""
    if not is_plain(tensor) or tensor.dim() != 2 or not LEAST_RANKED <= len(tensor) <= MOST_OF_TENSOR or tensor.is_complex():
        return []
    if not 3 <= tensor.shape[1] <= MOST_RANKED or not tensor.is_floating_point():
        return []
    ranks = tensor.detach().float().argsort(dim=1, stable=True, descending=True)
    largest = ranks[:, 0].contiguous()
    return [_hashed("ranks", ranks), _hashed("largest", largest)] if is_irregular(largest) else []


def is_irregular(classes: Any) -> bool:
    """Tells whether a row of classes follows no pattern in which they could have been put on purpose: sorted, in turn, or all the same."""
    counts = torch.bincount(classes - classes.min()) if int(classes.max()) - int(classes.min()) < MOST_RANKED else None
    if counts is None or int((counts > 0).sum()) < 3 or int(counts.max()) > 0.6 * len(classes):
        return False
    differences = classes[1:] - classes[:-1]
    if bool((differences >= 0).all()) or bool((differences <= 0).all()):
        return False
    changes = int((differences != 0).sum())
    in_turn = any(torch.equal(classes[each:], classes[:-each]) for each in range(1, len(classes) // 2 + 1))
    return changes > len(classes) // 3 and not in_turn


def _hashed(kind: str, numbers: Any) -> int:
    return hash((kind, tuple(numbers.shape), numbers.contiguous().numpy().tobytes()))


def order_of(tensor: Any) -> int | None:
    """Returns the hash by which outputs are known that were made probabilities or classes before they were kept."""
    if is_plain(tensor) and tensor.dtype is torch.int64 and tensor.dim() == 1 and len(tensor) >= LEAST_RANKED:
        return _hashed("largest", tensor) if is_irregular(tensor) else None
    return next(iter(orders_of(tensor)), None)
