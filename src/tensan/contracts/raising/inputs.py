"""Makes inputs that break what a module may rely on, from an example: other values, other types, other shapes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Variant:
    """Arguments of a call, and how they differ from the example; `same_shapes` tells whether only values do."""

    name: str
    arguments: tuple[Any, ...]
    same_shapes: bool = True

    def __str__(self) -> str:
        return self.name


def variants(example: tuple[Any, ...]) -> Iterator[Variant]:
    """Yields the example itself, and it with one argument broken at a time.

    Args:
        example: arguments of a call that succeeds. Tensors are broken in value, type and shape, numbers in value, and others stay.
    """
    torch = sys.modules["torch"]  # who has a module has imported it

    yield Variant("example", example)
    for place, value in enumerate(example):
        if isinstance(value, torch.Tensor):
            broken = _of_tensor(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            broken = ((name, type(value)(number), True) for name, number in (("0", 0), ("-1", -1), ("much", value * 1000 + 1000)))
        else:
            continue
        for name, other, same in broken:
            yield Variant(f"{place}:{name}", (*example[:place], other, *example[place + 1 :]), same)


def _of_tensor(value: Any) -> Iterator[tuple[str, Any, bool]]:
    torch = sys.modules["torch"]  # who has a module has imported it

    value = value.detach()
    yield "zeros", torch.zeros_like(value), True
    yield "ones", torch.ones_like(value), True
    yield "opposite", ~value if value.dtype == torch.bool else -value, True
    if value.dtype != torch.bool:
        large = value.abs() * 1000 + 1000
        yield "large", large, True
        yield "negative", -large, True
    if value.is_floating_point():
        generator = torch.Generator().manual_seed(0)
        yield "random", torch.randn(value.shape, generator=generator).to(value), True
        if value.numel():
            for name, number in (("nan", float("nan")), ("inf", float("inf")), ("-inf", float("-inf"))):
                broken = value.clone()
                broken.view(-1)[0] = number
                yield name, broken, True
    floating = value.is_floating_point()
    for dtype in (torch.int64, torch.float64, torch.float16) if floating else (torch.float32, torch.int32):
        if dtype != value.dtype:
            yield str(dtype).removeprefix("torch."), value.to(dtype), True
    for axis, size in enumerate(value.shape):
        yield f"axis {axis} empty", value.narrow(axis, 0, 0), False
        if size > 1:
            yield f"axis {axis} less one", value.narrow(axis, 0, size - 1), False
            yield f"axis {axis} of one", value.narrow(axis, 0, 1), False
        if size:
            yield f"axis {axis} more one", torch.cat([value, value.narrow(axis, 0, 1)], axis), False
            yield f"axis {axis} long", torch.cat([value] * 9, axis), False
    if value.dim():
        yield "one axis less", value[0] if value.shape[0] else value.sum(0), False
    yield "one axis more", value[None], False
