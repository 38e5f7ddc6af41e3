"""Differentiates a batch that does not fit into memory in parts, with the gradient of the whole, or says why that cannot be."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree

from tensan.core.errors import NotSplittableError

#: What torch says where memory of the host is at its end; that of a device has an exception of its own.
_HOST = "can't allocate memory"
#: Samples on which it is tried whether the loss is a mean or a sum over samples, and how near it must come.
_TRIED = 4
_NEAR = 1e-4


class MicroBatches:
    """Differentiates batches, in as many parts as memory asks for.

    Args:
        compute: returns the loss of a batch, as a mean or a sum over its samples.
        model: what is trained; its parameters get the gradient.
        most: parts at most.

    Attributes:
        parts: in how many the last batch was differentiated; the next one begins with as many.
    """

    def __init__(self, compute: Callable[..., Any], *, model: torch.nn.Module, most: int = 64) -> None:
        self._compute, self._model, self._most = compute, model, most
        self._takes_mean: bool | None = None
        self.parts = 1

    def backward(self, *batch: Any) -> Any:
        """Adds the gradient of a batch to what the parameters have, as `compute(*batch).backward()` would; returns the loss.

        Args:
            *batch: tensors whose first axis is the batch, or lists, tuples and dicts of them.

        Raises:
            NotSplittableError: when the batch does not fit and its gradient is not that of its parts, or no part is small enough.
        """
        size = _size(batch)
        before = [(parameter, None if parameter.grad is None else parameter.grad.clone()) for parameter in self._parameters()]
        while True:
            loss = self._tried(batch, size)
            if self._agreed(loss is None):
                for parameter, gradient in before:
                    parameter.grad = None if gradient is None else gradient.clone()
                self._halve(batch, size)
            else:
                self._average(before)
                return loss

    def _parameters(self) -> Iterator[Any]:
        return (parameter for parameter in self._model.parameters() if parameter.requires_grad)

    def _tried(self, batch: Any, size: int) -> Any:
        """Returns the loss, or None where memory did not last."""
        try:
            with self._without_sync():
                total: Any = 0.0
                for part, share in _split(batch, size, self.parts):
                    loss = self._compute(*part)
                    scaled = loss if self.parts == 1 or not self._takes_mean else loss * share
                    scaled.backward()
                    total = total + scaled.detach()
                return total
        except (RuntimeError, MemoryError) as error:  # of which `OutOfMemoryError` is one
            if not is_out_of_memory(error):
                raise
            return None  # the traceback, which holds the activations, goes with the error

    def _halve(self, batch: Any, size: int) -> None:
        if self.parts >= min(size, self._most):
            raise NotSplittableError(f"no memory for a part of {-(-size // self.parts)} samples of the batch of {size}")
        why = joins_samples(self._model)
        if not why and self._takes_mean is None:
            why = self._try_loss(batch, size)
        if why:
            raise NotSplittableError(f"the batch of {size} does not fit into memory, and its gradient is not that of its parts: {why}")
        self.parts = min(2 * self.parts, size)

    def _try_loss(self, batch: Any, size: int) -> str:
        """Finds out on a few samples, without drawing anything, whether the loss is a mean or a sum; returns why it is neither."""
        count = min(_TRIED, size)
        few = next(part for part, _ in _split(batch, size, -(-size // count)))
        count = _size(few)
        with torch.no_grad(), torch.random.fork_rng(devices=()), _without_draws(self._model):
            whole = float(self._compute(*few))
            parts = [(float(self._compute(*part)), share) for part, share in _split(few, count, count)]
        mean, total = sum(loss * share for loss, share in parts), sum(loss for loss, _ in parts)
        near = _NEAR * max(abs(whole), 1e-6)
        if abs(whole - mean) <= near:
            self._takes_mean = True
        elif abs(whole - total) <= near:
            self._takes_mean = False
        else:
            return f"the loss of {count} samples is {whole:.6g}, where their mean is {mean:.6g} and their sum {total:.6g}"
        return ""

    # ---- several ranks ----

    def _is_distributed(self) -> bool:
        from torch.nn.parallel import DistributedDataParallel

        return isinstance(self._model, DistributedDataParallel)

    def _without_sync(self) -> contextlib.AbstractContextManager[None]:
        """A rank that is out of memory in the midst of a reduction would leave the others waiting: gradients are averaged at the end."""
        model: Any = self._model
        return model.no_sync() if self._is_distributed() else contextlib.nullcontext()

    def _agreed(self, failed: bool) -> bool:
        if not self._is_distributed():
            return failed
        device = next(self._model.parameters()).device
        flag = torch.tensor(float(failed), device=device)
        torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
        return bool(flag)

    def _average(self, before: list[tuple[Any, Any]]) -> None:
        """Averages over ranks what the batch has added, and leaves what was there, which is averaged already."""
        if not self._is_distributed():
            return
        ranks = torch.distributed.get_world_size()
        for parameter, earlier in before:
            if parameter.grad is not None:
                added = parameter.grad if earlier is None else parameter.grad - earlier
                torch.distributed.all_reduce(added)
                parameter.grad = added / ranks if earlier is None else earlier + added / ranks


def is_out_of_memory(error: BaseException) -> bool:
    """Tells whether an error is that of an allocator, of a device or of the host."""
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or _HOST in str(error)


def joins_samples(model: torch.nn.Module) -> str:
    """Returns which part of a model makes the gradient of a batch another one than that of its parts; empty where none is known to."""
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and (module.training or not module.track_running_stats):
            return (
                f"`{name}` is {type(module).__name__} in train mode, which normalises by the whole batch; GroupNorm or eval mode does not"
            )
    return ""


@contextlib.contextmanager
def _without_draws(model: torch.nn.Module) -> Iterator[None]:
    """Switches off what draws: a loss that is drawn anew is never the mean of its parts."""
    drawing = [module for module in model.modules() if module.training and isinstance(module, torch.nn.modules.dropout._DropoutNd)]
    for module in drawing:
        module.training = False
    try:
        yield
    finally:
        for module in drawing:
            module.training = True


def _size(batch: Any) -> int:
    sizes = {len(item) for item in pytree.tree_leaves(batch) if isinstance(item, torch.Tensor) and item.dim()}
    if len(sizes) != 1:
        raise NotSplittableError(f"the tensors of a batch must have one first axis; got sizes {sorted(sizes)}")
    return sizes.pop()


def _split(batch: Any, size: int, parts: int) -> Iterator[tuple[Any, float]]:
    """Yields the parts of a batch, each with its share of the samples."""
    each = -(-size // parts)
    for start in range(0, size, each):
        end = min(start + each, size)
        cut = pytree.tree_map(lambda item: item[start:end] if isinstance(item, torch.Tensor) and item.dim() else item, batch)  # noqa: B023
        yield cut, (end - start) / size
