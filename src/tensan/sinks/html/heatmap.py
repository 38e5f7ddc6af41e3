"""The gradient flow: how large the gradient of each layer was at each step that was measured."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

from tensan.core.curves import NONFINITE, ZERO, Curves
from tensan.sinks.html.chart import Tick
from tensan.sinks.html.picture import Colour, address
from tensan.sinks.html.words import harmless

#: Columns that can be seen; of more, some are taken.
MOST_COLUMNS = 160
#: Names of layers beside the picture, and their longest.
MOST_NAMES, LONGEST_NAME = 40, 22
#: Height of a row, and of the whole picture, in pixels.
ROW, LEAST, MOST = 18, 72, 640
#: Layers in the table.
MOST_ROWS = 500

#: Dark to light, even for colour-blind eyes: stops of viridis, without its two darkest, which vanish on a dark page.
_STOPS = ((68, 58, 131), (49, 104, 142), (33, 145, 140), (53, 183, 121), (144, 215, 67), (253, 231, 37))
_SHADES = 60
_NOTHING, _ZERO, _BROKEN = _SHADES, _SHADES + 1, _SHADES + 2


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One layer in numbers."""

    layer: str
    first: str
    median: str
    last: str
    zeros: int
    broken: int


class Heatmap(msgspec.Struct, frozen=True, kw_only=True):
    """The picture, ready to be drawn."""

    picture: str
    scale: str
    height: int
    names: tuple[Tick, ...]
    steps: tuple[Tick, ...]
    low: str
    high: str
    rows: tuple[Row, ...]
    num_layers: int
    num_columns: int
    left_out: int
    has_zero: bool
    has_broken: bool
    has_none: bool
    summary: str


def heatmap(curves: Curves) -> Heatmap | None:
    """Returns the picture, or None where no gradient was measured."""
    grid = _grid(curves)
    found = [value for column in grid.values() for value in column if value is not None]
    sizes = [value for value in found if ZERO < value < NONFINITE]
    if not grid or not found:
        return None
    low, high = (min(sizes), max(sizes)) if sizes else (0, 0)
    steps = sorted(grid)
    layers = curves.layers
    cells = [bytes(_shade(grid[step][row], low, high) for step in steps) for row in range(len(layers))]
    return Heatmap(
        picture=address(cells, _palette()),
        scale=address([bytes(range(_SHADES))], _palette()),
        height=min(max(ROW * len(layers), LEAST), MOST),
        names=_names(layers),
        steps=_ticks(steps),
        low=_power(low),
        high=_power(high),
        rows=tuple(_row(layer, [grid[step][row] for step in steps]) for row, layer in enumerate(layers[:MOST_ROWS])),
        num_layers=len(layers),
        num_columns=len(steps),
        left_out=curves.left_out,
        has_zero=any(value <= ZERO for value in found),
        has_broken=any(value >= NONFINITE for value in found),
        has_none=len(found) < len(layers) * len(steps),
        summary=f"{len(layers)} layers at {len(steps)} steps, from {_power(low)} to {_power(high)}",
    )


def _grid(curves: Curves) -> dict[int, list[int | None]]:
    steps = sorted({column.step for column in curves.columns})
    if len(steps) > MOST_COLUMNS:
        steps = [steps[round(index * (len(steps) - 1) / (MOST_COLUMNS - 1))] for index in range(MOST_COLUMNS)]
    grid: dict[int, list[int | None]] = {step: [None] * len(curves.layers) for step in steps}
    for column in curves.columns:
        if column.step in grid:
            room = len(curves.layers) - column.first
            grid[column.step][column.first : column.first + min(len(column.sizes), room)] = column.sizes[:room]
    return grid


def _shade(value: int | None, low: int, high: int) -> int:
    if value is None:
        return _NOTHING
    if value <= ZERO:
        return _ZERO
    if value >= NONFINITE:
        return _BROKEN
    return round((_SHADES - 1) * (value - low) / max(high - low, 1))


def _palette() -> list[Colour]:
    shades: list[Colour] = []
    for index in range(_SHADES):
        place = index / (_SHADES - 1) * (len(_STOPS) - 1)
        left = min(int(place), len(_STOPS) - 2)
        red, green, blue = (round(a + (b - a) * (place - left)) for a, b in zip(_STOPS[left], _STOPS[left + 1], strict=True))
        shades.append((red, green, blue, 255))
    return [*shades, (0, 0, 0, 0), (128, 128, 128, 255), (214, 39, 40, 255)]


def _names(layers: Sequence[str]) -> tuple[Tick, ...]:
    every = -(-len(layers) // MOST_NAMES)
    return tuple(Tick(round(100 * (row + 0.5) / len(layers), 3), _short(layers[row])) for row in range(0, len(layers), every))


def _short(name: str) -> str:
    name = harmless(name)
    return name if len(name) <= LONGEST_NAME else "…" + name[1 - LONGEST_NAME :]


def _ticks(steps: Sequence[int]) -> tuple[Tick, ...]:
    wanted = sorted({round(index * (len(steps) - 1) / 4) for index in range(5)})
    return tuple(Tick(round(100 * (index + 0.5) / len(steps), 3), f"{steps[index]:,}") for index in wanted)


def _power(value: int) -> str:
    return f"{10 ** (value / 100):.1e}"


def _words(value: int | None) -> str:
    return "none" if value is None else "0" if value <= ZERO else "not finite" if value >= NONFINITE else _power(value)


def _row(layer: str, values: Sequence[int | None]) -> Row:
    known = [value for value in values if value is not None]
    sizes = [value for value in known if ZERO < value < NONFINITE]
    return Row(
        layer=layer,
        first=_words(known[0] if known else None),
        median=_words(int(statistics.median(sizes)) if sizes else None),
        last=_words(known[-1] if known else None),
        zeros=sum(value <= ZERO for value in known),
        broken=sum(value >= NONFINITE for value in known),
    )
