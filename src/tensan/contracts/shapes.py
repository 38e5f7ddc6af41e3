"""Shapes as tuples: how two of them are broadcast, what strict broadcasting refuses and why, and the way back for gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensan.core.faults import ShapeMismatchError

Shape = tuple[int, ...]


def broadcast_shape(*shapes: Sequence[int]) -> Shape:
    """Returns the shape that all of these are broadcast to, as every array library does it.

    Raises:
        ShapeMismatchError: when two sizes of an axis, counted from the last, differ and neither is 1.
    """
    rank = max(map(len, shapes), default=0)
    return tuple(_size(axis, shapes) for axis in range(-rank, 0))


def broadcast_to_match(*arrays: Any, strict: bool = False) -> Any:
    """Returns arrays of one shape, each repeated where it has to be; nothing is copied where the framework can do without.

    Args:
        *arrays: arrays of one framework (anything with a `shape` and either an `expand` or a `broadcast_to` in its namespace), or shapes as
            tuples, of which the common shape is returned.
        strict: refuse what an array library does in silence and what is seldom meant: that two arrays are both repeated, and that a
            missing axis is put in front, where the sizes allow another place as well.

    Raises:
        ShapeMismatchError: when the shapes do not broadcast, or strictly: the message says which axes, and how to write what is meant.
    """
    shapes = [tuple(array) if isinstance(array, tuple) else tuple(array.shape) for array in arrays]
    together = broadcast_shape(*shapes)
    if strict and (refused := refusal(*shapes)):
        raise ShapeMismatchError(refused)
    if all(isinstance(array, tuple) for array in arrays):
        return together
    return tuple(_repeated(array, together) for array in arrays)


def refusal(*shapes: Sequence[int]) -> str:
    """Returns why strict broadcasting refuses these shapes, "" where it does not; they must broadcast.

    Mutual growth: two arrays are both repeated along some axis, so that each element of one meets many of the other, as in `[n, 1]` with
    `[n]`. Ambiguity: a shorter shape fits the longer one at the end, where axes are matched, but elsewhere too, as `[b]` in `[b, b]`.
    """
    together = broadcast_shape(*shapes)
    for index, one in enumerate(shapes):
        for other in shapes[index + 1 :]:
            grown_one, grown_other = _grown(one, together, other), _grown(other, together, one)
            if grown_one and grown_other:
                return (
                    f"{_shown(one)} and {_shown(other)} both grow to {_shown(together)}: {_shown(one)} along {_axes(grown_one)}, "
                    f"{_shown(other)} along {_axes(grown_other)}; give both one rank, or broadcast one by hand where all pairs are meant"
                )
            short, long = sorted((tuple(one), tuple(other)), key=len)
            places = _places(short, long)
            if len(short) < len(long) and len(places) > 1:
                starts = " or ".join(str(place) for place in places)
                return (
                    f"{_shown(short)} fits into {_shown(long)} at axis {starts}; arrays are matched at the last axes: "
                    f"add the missing axes to {_shown(short)} by hand"
                )
    return ""


def unbroadcast(gradient: Any, shape: Sequence[int]) -> Any:
    """Returns a gradient summed over what broadcasting had repeated: that of an array of this shape.

    Args:
        gradient: an array whose shape this shape is broadcast to; anything with a `shape`, a `sum` and a `reshape`.
        shape: the shape before broadcasting.

    Raises:
        ShapeMismatchError: when this shape does not broadcast to that of the gradient.
    """
    there, wanted = tuple(gradient.shape), tuple(shape)
    aligned = (1,) * (len(there) - len(wanted)) + wanted
    if len(aligned) != len(there) or any(was not in (1, now) for was, now in zip(aligned, there, strict=True)):
        raise ShapeMismatchError(f"a gradient of shape {_shown(there)} is not that of an array of shape {_shown(wanted)}, broadcast")
    axes = tuple(axis for axis, (was, now) in enumerate(zip(aligned, there, strict=True)) if was == 1 and now != 1)
    return (gradient.sum(axes) if axes else gradient).reshape(wanted)


def assert_shape(array: Any, shape: Sequence[Any], /, **sizes: int) -> dict[str, int]:
    """Checks the shape of an array against sizes, names and None for any size; the same name means the same size.

    Args:
        array: anything with a `shape`.
        shape: what is wanted: `(None, "time", 8)`; one `...` stands for any number of axes.
        **sizes: sizes of names that are known already.

    Returns:
        The size of each name, to be given to the next assertion.

    Raises:
        ShapeMismatchError: naming the axis, its size and what was wanted.
    """
    there, wanted = tuple(array.shape), list(shape)
    if ... in wanted:
        place = wanted.index(...)
        wanted[place : place + 1] = [None] * (len(there) - len(wanted) + 1)
    if len(there) != len(wanted):
        raise ShapeMismatchError(f"shape {_shown(there)} has {len(there)} axes, not the {len(wanted)} of {_shown(shape)}")
    for axis, (size, want) in enumerate(zip(there, wanted, strict=True)):
        known = sizes.setdefault(want, size) if isinstance(want, str) else want
        if known is not None and known != size:
            named = f"{want} = {known}" if isinstance(want, str) else f"{known}"
            raise ShapeMismatchError(f"shape {_shown(there)}: axis {axis} is {size}, not {named} as in {_shown(shape)}")
    return sizes


def assert_same_shape(*arrays: Any) -> None:
    """Checks that arrays have one shape, without broadcasting.

    Raises:
        ShapeMismatchError: naming the first two that differ.
    """
    shapes = [tuple(array.shape) for array in arrays]
    for index, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ShapeMismatchError(f"argument 0 is {_shown(shapes[0])}, argument {index} is {_shown(shape)}")


def _size(axis: int, shapes: Sequence[Sequence[int]]) -> int:
    sizes = {shape[axis] for shape in shapes if len(shape) >= -axis} - {1}
    if len(sizes) > 1:
        met = " and ".join(_shown(shape) for shape in shapes)
        raise ShapeMismatchError(f"{met} do not broadcast: at axis {axis} meet {' and '.join(map(str, sorted(sizes)))}")
    return sizes.pop() if sizes else 1


def _grown(shape: Sequence[int], together: Shape, other: Sequence[int]) -> list[int]:
    """Returns the axes, counted from the last, along which the other array makes this one grow."""
    return [
        axis
        for axis in range(-len(together), 0)
        if (shape[axis] if len(shape) >= -axis else 1) == 1 and len(other) >= -axis and other[axis] != 1
    ]


def _places(short: Shape, long: Shape) -> list[int]:
    """Returns at which axes of the longer shape the shorter one fits, size for size; nothing is said of sizes of 1, which fit anywhere."""
    if not short or 1 in short:
        return []
    return [start for start in range(len(long) - len(short) + 1) if long[start : start + len(short)] == short]


def _repeated(array: Any, shape: Shape) -> Any:
    if tuple(array.shape) == shape:
        return array
    if hasattr(array, "expand"):
        return array.expand(shape)
    import importlib

    package = type(array).__module__.partition(".")[0]
    module = {"jaxlib": "jax.numpy", "jax": "jax.numpy"}.get(package, package)
    return importlib.import_module(module).broadcast_to(array, shape)


def _shown(shape: Sequence[Any]) -> str:
    return f"[{', '.join('...' if size is ... else '_' if size is None else str(size) for size in shape)}]"


def _axes(axes: Sequence[int]) -> str:
    return f"ax{'i' if len(axes) == 1 else 'e'}s {', '.join(map(str, axes))}"
