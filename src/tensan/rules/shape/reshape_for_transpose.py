"""A reshape that gives an axis another place without moving the values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.events.base import Event
from tensan.core.events.data import LaidOutAnew
from tensan.core.events.things import Operation, Shape
from tensan.core.events.training import Loss
from tensan.core.findings import Category, Finding
from tensan.core.operations import through_layout
from tensan.core.rule import Rule
from tensan.core.sites import Place, Site
from tensan.core.trees import walk
from tensan.rules.axes import cuts
from tensan.rules.expressions import call_at, is_length, names_of_lengths
from tensan.rules.optimizer._shared import Evidence

_RESHAPES = frozenset({"view", "reshape", "view_as", "reshape_as", "unflatten"})
#: Repeated, joined or padded before it is cut anew: tricks such as the shift of relative positions do that on purpose.
_TRICKS = frozenset({"expand", "concatenate", "constant_pad_nd", "pad", "new"})
_LEAST_STEPS = 2


class Region(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbouring axes that a reshape neither splits nor merges but cuts anew.

    Attributes:
        given, made: the lengths of those axes before and after; places: which axes they are afterwards.
        moved: lengths that are there before and after, at another place.
    """

    given: Shape
    made: Shape
    places: tuple[int, ...]
    moved: frozenset[int]

    @property
    def is_swap(self) -> bool:
        """Whether the lengths are the same ones in another order."""
        return sorted(self.given) == sorted(self.made)


class ReshapeForTranspose(Rule):
    """
    ## What it does
    Finds `view` and `reshape` that put an axis at another place: `[b, t, h * d]` becomes `[b, h, t, d]`, or `[b, c, t]` becomes
    `[b, t, c]`. They only cut the same row of values anew, so what was the axis `t` is not the axis `t` afterwards.

    ## Why is this bad?
    The shapes fit and no error is raised, but values of different steps, heads or channels are mixed up. A network that is trained
    like this learns something all the same, only less, so it goes unnoticed.

    ## Example
    ```python
    b, t, c = x.shape
    q = self.query(x).view(b, self.heads, t, c // self.heads)
    ```

    ## Use instead
    ```python
    b, t, c = x.shape
    q = self.query(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
    ```

    ## Known problems
    Axes are told by their lengths, so speaks only where the program names the length, as in `b, t, c = x.shape`, or where all
    lengths are the same ones in another order, and none of them is computed in the call. Axes of one length cannot be told apart.
    Of data that was laid out before any model saw it only swaps are told that leave the axis of samples where it is, and only while the
    array still lies in the memory of the other one. What was padded, joined or repeated right before passes, since relative positions
    are shifted like that on purpose. Of several in one function the first is told.
    """

    code = "SHP120"
    name = "reshape-for-transpose"
    category = Category.SUSPICIOUS
    law = 6
    effect = "scrambled"
    explains = frozenset({"unmasked"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._seen: dict[Place, Evidence[tuple[Loss, Region]]] = {}
        #: By function, where the first one is: what was cut anew once is cut anew back, and queries, keys and values alike.
        self._first: dict[object, Place] = {}

    def on_loss(self, loss: Loss) -> Iterator[Finding]:
        for operation in loss.operations:
            if operation.name != "view" or operation.site is None or not operation.inputs or not operation.outputs:
                continue
            given, made = operation.inputs[0].shape, operation.outputs[0].shape
            if given == made or len(given) < 2 or len(made) < 2:
                continue
            self.armed = True
            region = next((found for found in regions(given, made) if found.moved), None)
            known = self._seen.get(operation.site)
            if known is not None and known.refuted:
                continue
            if region is None or not _is_program(loss, operation):
                if known is not None:
                    known.refute()  # with a batch of another size the lengths do not meet: they met by chance
                continue
            if known is None:
                known = self._seen[operation.site] = Evidence(_LEAST_STEPS)
                if not _is_meant_as_axis(operation.site, region, len(made)):
                    known.refute()
                    continue
            for seen in known.add((loss, region)):
                if self._first.setdefault(_function(operation.site), operation.site) == operation.site:
                    yield self._finding(seen[0], operation.site, operation.inputs[0].shape, operation.outputs[0].shape, seen[1])

    def on_laid_out_anew(self, data: LaidOutAnew) -> Iterator[Finding]:
        """What a model is given: its axis of samples stays, and the lengths of the others are the same ones in another order."""
        self.armed = True
        region = next(regions(data.given, data.made), None)
        if region is not None and region.is_swap and 0 not in region.places and not _is_stacked(region):
            yield self._finding(data, data.site, data.given, data.made, region)

    def _finding(self, event: Event, site: Place, before: Shape, after: Shape, region: Region) -> Finding:
        given, made = list(before), list(after)
        length = max(region.moved, key=lambda size: (region.given.count(size) == 1, size))
        return self.finding(
            f"a reshape turns {given} into {made} as if it swapped axes, and leaves every value where it is",
            at=site,
            event=event,
            label=f"the axis of {length} before is not the axis of {length} after",
            evidence={"given": given, "made": made, "moved": sorted(region.moved)},
            proof_note=(
                f"values that lie along the axis of {length} are {_stride(given, length)} apart in memory before, "
                f"and those along the axis of {length} afterwards {_stride(made, length)}"
            ),
            help="reshape only to split or to join neighbouring axes, and swap them with `transpose` or `permute`",
            subjects={"*"},
        )


def regions(given: Shape, made: Shape) -> Iterator[Region]:
    """Yields the groups of axes that a reshape cuts anew: those between two places where both shapes are cut."""
    before, after = cuts(given), cuts(made)
    common = sorted(set(before) & set(after), reverse=True)
    for low, high in zip(common[1:], common, strict=False):
        left = [axis for axis in _between(given, before, low, high) if given[axis] > 1]
        right = [axis for axis in _between(made, after, low, high) if made[axis] > 1]
        if len(left) > 1 and len(right) > 1:
            lengths, others = tuple(given[axis] for axis in left), tuple(made[axis] for axis in right)
            yield Region(given=lengths, made=others, places=tuple(right), moved=frozenset(lengths) & frozenset(others))


def _between(shape: Shape, behind: Sequence[int], low: int, high: int) -> list[int]:
    return [axis for axis in range(len(shape)) if behind[axis] <= high and behind[axis + 1] >= low]


def _is_stacked(region: Region) -> bool:
    """Tells whether neighbouring steps may be meant to become one, such as frames of 4 values that are read 16 at a time."""
    return len(region.given) == 2 and (region.given[0] % region.given[1] == 0 or region.given[1] % region.given[0] == 0)


def _function(place: Place) -> object:
    return place.code if isinstance(place, Site) else place


def _stride(shape: list[int], length: int) -> int:
    stride = 1
    for axis in reversed(shape[shape.index(length) + 1 :]):
        stride *= axis
    return stride


def _is_program(loss: Loss, operation: Operation) -> bool:
    """Tells whether what is reshaped is something that was computed or given, and not made ready for a trick."""
    source = through_layout(loss.operations, operation.inputs[0].producer)
    return source < 0 or loss.operations[source].name not in _TRICKS


def _is_meant_as_axis(place: Place, region: Region, rank: int) -> bool:
    """Tells whether the program itself says that a length which is at another place now is the axis that it was before."""
    found = call_at(place)
    if found is None:
        return False
    call, around = found
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _RESHAPES:
        return False
    arguments = call.args
    if len(arguments) == 1 and isinstance(arguments[0], (ast.Tuple, ast.List)):
        arguments = arguments[0].elts
    if len(arguments) != rank or any(isinstance(item, ast.Starred) for item in arguments):
        # One shape, taken from elsewhere.
        return region.is_swap and not any(isinstance(item, ast.BinOp) for item in arguments)
    names = names_of_lengths(around)
    wanted = [arguments[place] for place in region.places]
    moved = [argument for argument, length in zip(wanted, region.made, strict=True) if length in region.moved]
    if region.is_swap and names & _multiplied(around) & {argument.id for argument in wanted if isinstance(argument, ast.Name)}:
        return False  # this axis is joined with another one here, so that lengths meet by chance
    if any(is_length(argument) or (isinstance(argument, ast.Name) and argument.id in names) for argument in moved):
        return True
    return region.is_swap and all(isinstance(argument, (ast.Name, ast.Attribute, ast.Constant)) for argument in wanted)


def _multiplied(around: ast.AST) -> frozenset[str]:
    """Returns the names that a function multiplies in the shapes that it asks for: `x.view(length, batch * heads, size)`."""
    return frozenset(
        side.id
        for call in walk(around)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _RESHAPES
        for node in walk(call)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        for side in (node.left, node.right)
        if isinstance(side, ast.Name)
    )
