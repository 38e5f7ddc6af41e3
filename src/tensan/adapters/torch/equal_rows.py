"""Counts the samples of a loader's data that are equal to an earlier one, for the facts in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.supervision import is_plain

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord

#: Samples that are compared, from the first one on, and bytes that all of them may have.
MOST_ROWS, MOST_BYTES = 1_024, 1 << 20
#: Loaders whose data are looked at.
MOST_LOADERS = 12


class EqualRows:
    """What was counted, by loader."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def begun(self, record: LoaderRecord, dataset: Any) -> None:
        """A loader begins an epoch: in its first one its data are looked at."""
        rows = rows_of(dataset) if record.epochs == 1 and len(self._told) < MOST_LOADERS else None
        if rows is None:
            return
        num_equal = len(rows) - len({row.tobytes() for row in rows.numpy()})
        among = f"the first {len(rows):,}" if (record.num_items or 0) > len(rows) else f"{len(rows):,}"
        self._told[record.id] = f"{num_equal:,} of {among} samples equal an earlier one" if num_equal else f"none among {among} samples"

    def told(self, loader: str) -> str:
        """Says how many were found; nothing where the data could not be looked through."""
        return self._told.get(loader, "")


def rows_of(dataset: Any) -> torch.Tensor | None:
    """Returns the bytes of the first inputs that a dataset keeps, a row each; None where they are not kept in a tensor on the host."""
    from torch.utils.data import Subset, TensorDataset

    indices: Any = range(MOST_ROWS)
    if isinstance(dataset, Subset):
        dataset, indices = dataset.dataset, dataset.indices
    tensor = dataset.tensors[0] if isinstance(dataset, TensorDataset) and dataset.tensors else None
    if tensor is None or not is_plain(tensor) or tensor.is_complex() or tensor.dim() == 0 or not isinstance(indices, (range, list, tuple)):
        return None
    row = tensor[:1].numel() * tensor.element_size()
    chosen = [int(index) for index in indices[: min(MOST_ROWS, MOST_BYTES // max(row, 1))]]
    chosen = [index for index in chosen if -len(tensor) <= index < len(tensor)]
    if not row or len(chosen) < 2:
        return None
    return tensor.detach()[torch.tensor(chosen)].reshape(len(chosen), -1).contiguous().view(torch.uint8)
