"""Finds out along which axis of what a model is given the samples lie, and whether they were drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensan.adapters.torch.trace import storage_of
from tensan.core.events.things import Operation, Shape

#: A tensor, the axis of its samples where that can be told, and whether neighbours in it have nothing to do with each other.
Handed = tuple[Any, int | None, bool]


class Drawing:
    """How a loader makes its batches.

    Attributes:
        stacks: whether samples are stacked along a new first axis, as they are unless the program says otherwise.
        size: samples of a batch, 0 where there are no batches.
        shuffled: whether samples are drawn at random.
    """

    __slots__ = ("shuffled", "size", "stacks")

    def __init__(self, loader: Any) -> None:
        from torch.utils.data import BatchSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, default_collate

        self.stacks = loader.collate_fn is default_collate
        batches = loader.batch_sampler
        own = type(batches) is BatchSampler  # another may have attributes of any kind
        self.size = batches.batch_size if own else loader.batch_size if isinstance(loader.batch_size, int) else 0
        sampler = batches.sampler if own else None
        self.shuffled = isinstance(sampler, (RandomSampler, SubsetRandomSampler, WeightedRandomSampler))


def from_loader(drawing: Drawing, *, delivered: Sequence[Any], given: Sequence[Any]) -> tuple[list[Handed], int]:
    """Returns the tensors with their axes, and the number of samples, 0 where it cannot be told.

    Args:
        drawing: how the batch was made.
        delivered: tensors of the batch.
        given: what the model was given.
    """
    storages = {storage_of(tensor) for tensor in delivered}
    shapes = {tuple(tensor.shape) for tensor in delivered}
    batch = delivered[0].shape[0] if drawing.stacks else drawing.size
    if batch < 2:
        return [], 0
    handed: list[Handed] = []
    for tensor in given:
        shape: tuple[int, ...] = tuple(tensor.shape)
        first, second = shape[0] == batch, len(shape) > 1 and shape[1] == batch
        as_delivered = drawing.stacks and first and shape in shapes and (storage_of(tensor) in storages or tensor.is_contiguous())
        axis = 0 if as_delivered or (first and not second) else 1 if second and not first else None
        handed.append((tensor, axis, axis is not None and drawing.shuffled))
    return handed, batch if any(axis is not None for _, axis, _ in handed) else 0


def by_hand(operations: Sequence[Operation], *, forward_end: int, given: Sequence[Any]) -> tuple[list[Handed], int]:
    """Returns the same for a batch that the program cut or drew by hand: the target tells which axis is the samples'."""
    target = _target(operations[forward_end:])
    if target is None:
        return [(tensor, None, False) for tensor in given], 0
    batch, *_ = target
    handed: list[Handed] = []
    for tensor in given:
        shape: tuple[int, ...] = tuple(tensor.shape)
        steps = len(target) > 1 and len(shape) > 1 and shape[1] == target[1] > 1  # perhaps positions come first
        axis = 0 if shape[:1] == (batch,) and batch not in shape[1:] and not steps else None
        drawn = tensor._base is None and tensor.untyped_storage().nbytes() == tensor.numel() * tensor.itemsize
        # Rows of plain features, one behind the other, may be one series; a row that is itself a sequence is a sample.
        deep = len(shape) > 2 or (len(shape) > 1 and not tensor.is_floating_point())
        handed.append((tensor, axis, axis is not None and drawn and deep))
    return handed, batch if any(axis is not None for _, axis, _ in handed) else 0


def _target(operations: Sequence[Operation]) -> Shape | None:
    """Returns the shape of what the model's output is compared with."""
    for operation in operations:
        if any(value.requires_grad for value in operation.inputs):
            for value in operation.inputs:
                parameter = (value.subject or "").startswith("parameter")
                if not value.requires_grad and not parameter and value.shape and value.shape[0] > 1:
                    return value.shape
    return None
