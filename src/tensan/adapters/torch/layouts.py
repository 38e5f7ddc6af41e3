"""Which way the channels of a picture lie in memory, before an operation and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

#: Operations that may hand values on in another layout.
LAYING = frozenset({"copy", "cast", "convolution"})
_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def laid_anew(args: Sequence[Any], output: Any) -> Mapping[str, object]:
    """Returns how an operation has turned the layout of its input round, and how many bytes it wrote; nothing where it has not."""
    given = args[0] if args and isinstance(args[0], torch.Tensor) else None
    before, after = (_layout(given) if given is not None else ""), _layout(output)
    if not before or not after or before == after:
        return {}
    return {"relaid": after, "bytes": output.numel() * output.element_size()}


def _layout(tensor: Any) -> str:
    """Returns `channels first` or `channels last`; nothing where a tensor is neither, or both."""
    if tensor.layout is not torch.strided or tensor.dim() not in _LAST:
        return ""
    first, last = tensor.is_contiguous(), tensor.is_contiguous(memory_format=_LAST[tensor.dim()])
    return "" if first == last else "channels first" if first else "channels last"
