"""Finds the tensors in what a program passes around: a tensor, or lists, tuples and dicts of them, however deep."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import torch


def tensors_in(value: Any, *, most: int) -> Iterator[Any]:
    """Yields tensors, those that lie least deep first.

    Args:
        value: what to look through.
        most: parts that are looked at, so that a long list of numbers costs nothing.
    """
    waiting = deque([value])
    for _ in range(most):
        if not waiting:
            return
        item = waiting.popleft()
        if isinstance(item, torch.Tensor):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item[:most])


def tensors_of(arguments: Any) -> Iterator[Any]:
    """Yields the tensors among an operation's arguments or results, lists and tuples included, in order."""
    if isinstance(arguments, torch.Tensor):
        yield arguments
    elif isinstance(arguments, (list, tuple)):
        for inner in arguments:
            yield from tensors_of(inner)
