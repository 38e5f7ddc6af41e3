"""The geometry of a chart: a range that ends on ticks, curves thinned to what can be seen, everything in parts of the whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from tensan.core.curves import Series
from tensan.sinks.html.words import number

#: Points of a curve beyond this lie closer together than pixels do.
MOST_POINTS = 400
#: So few points are drawn as dots too.
MOST_DOTS = 60
#: A ratio between largest and smallest value from which on a logarithmic axis shows more.
LOGARITHMIC = 50.0
#: Curves that can be told apart by colour and dash.
MOST_CURVES = 6
#: Rows of a chart's table.
MOST_ROWS = 24
#: The coordinates that paths are drawn in.
EXTENT = 1000

Point = tuple[int, float]


class Tick(msgspec.Struct, frozen=True):
    """A place on an axis, in percent, and what stands there."""

    at: float
    text: str


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One curve: its name, the number of its colour, its path, its dots in percent, and where it was not finite."""

    name: str
    colour: int
    path: str
    dots: tuple[tuple[float, float], ...]
    broken: tuple[float, ...]
    last: str


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A vertical line: its kind gives the style, its label stands at the top."""

    at: float
    kind: str
    label: str = ""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One chart, ready to be drawn."""

    id: str
    title: str
    about: str
    curves: tuple[Curve, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    logarithmic: bool
    events: tuple[Event, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    summary: str
    data: str


class Axis(msgspec.Struct, frozen=True):
    """A range of values that ends on ticks."""

    low: float
    high: float
    step: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Returns where a value lies, from 0 to 1."""
        if self.logarithmic:
            value = math.log10(value) if value > 0 else self.low
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ticks(self) -> list[Tick]:
        """Returns the ticks from low to high."""
        count = round((self.high - self.low) / self.step)
        values = [self.low + index * self.step for index in range(count + 1)]
        return [
            Tick(100 * index / count, f"1e{round(value)}" if self.logarithmic else number(float(f"{value:.6g}")))
            for index, value in enumerate(values)
        ]


def axis(values: Iterable[float], *, zero: bool = False, most: int = 5) -> Axis:
    """Returns an axis that holds all values: logarithmic where they are positive and far apart.

    Args:
        values: finite numbers.
        zero: whether the axis begins at zero.
        most: parts that it is divided into.
    """
    found = list(values) or [0.0, 1.0]
    low, high = min(found), max(found)
    if not zero and low > 0 and high / low >= LOGARITHMIC:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        step = max(1, -(-(last - first) // most))
        return Axis(first, first + step * -(-(last - first) // step), step, True)
    if low == high and low and not zero:  # what stays as it is runs through the middle, and not along an edge
        low, high = sorted((0.0, 2 * low))
    low = 0.0 if zero or 0 <= low < (high - low) else low
    step = _nice((high - low) / most) if high > low else _nice(abs(high) / most or 1.0)
    first = math.floor(low / step + 1e-9) * step
    last = math.ceil(high / step - 1e-9) * step
    return Axis(first, last if last > first else first + step, step)


def _nice(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next((factor * power for factor in (1, 2, 2.5, 5) if factor * power >= rough * 0.999), 10 * power)


def steps_axis(steps: int) -> Axis:
    """Returns the axis of a run of so many steps."""
    axis_ = axis([0.0, float(max(steps, 4))], zero=True)
    return axis_ if axis_.step >= 1 else Axis(0.0, math.ceil(axis_.high), 1.0)


def chart(
    series: Sequence[Series], *, id: str, title: str, about: str, across: Axis, events: Sequence[tuple[int, str, str]] = ()
) -> Chart | None:
    """Returns the chart of some curves, or None where there is not one finite value."""
    shown = [(each, sorted(each.numbers())) for each in series[:MOST_CURVES]]
    finite = [value for _, points in shown for _, value in points if math.isfinite(value)]
    if not finite:
        return None
    up = axis(finite)
    rows = _rows([points for _, points in shown])
    return Chart(
        id=id,
        title=title,
        about=about,
        curves=tuple(_curve(each.name, points, colour, across, up) for colour, (each, points) in enumerate(shown)),
        across=tuple(across.ticks()),
        up=tuple(up.ticks()),
        logarithmic=up.logarithmic,
        events=tuple(Event(at=100 * across.at(step), kind=kind, label=label) for step, kind, label in events),
        heading=("step", *(each.name for each, _ in shown)),
        rows=rows,
        summary="; ".join(_summary(each.name, points) for each, points in shown),
        data=_data(shown, across),
    )


def _curve(name: str, points: Sequence[Point], colour: int, across: Axis, up: Axis) -> Curve:
    finite = thinned([(step, value) for step, value in points if math.isfinite(value)])
    places = [(across.at(step), 1 - up.at(value)) for step, value in finite]
    path = "M" + "L".join(f"{EXTENT * x:.4g} {EXTENT * y:.4g}" for x, y in places) if places else ""
    return Curve(
        name=name,
        colour=colour,
        path=path,
        dots=tuple((round(100 * x, 2), round(100 * y, 2)) for x, y in places) if len(places) <= MOST_DOTS else (),
        broken=tuple(round(100 * across.at(step), 2) for step, value in points if not math.isfinite(value))[:MOST_DOTS],
        last=number(points[-1][1]),
    )


def thinned(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """Returns so many points that the curve looks the same: of each stretch its lowest and its highest."""
    if len(points) <= most:
        return list(points)
    kept: dict[int, float] = dict([points[0], points[-1]])
    stretches = most // 2
    for index in range(stretches):
        part = points[len(points) * index // stretches : len(points) * (index + 1) // stretches]
        kept |= [min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])]
    return sorted(kept.items())


def _rows(curves: Sequence[Sequence[Point]]) -> tuple[tuple[str, ...], ...]:
    """Returns the chart as a table, with some of its steps."""
    tables = [dict(points) for points in curves]
    steps = sorted({step for table in tables for step in table})
    if len(steps) > MOST_ROWS:
        steps = [steps[round(index * (len(steps) - 1) / (MOST_ROWS - 1))] for index in range(MOST_ROWS)]
    return tuple((f"{step:,}", *(number(table[step]) if step in table else "" for table in tables)) for step in steps)


def _summary(name: str, points: Sequence[Point]) -> str:
    finite = [value for _, value in points if math.isfinite(value)]
    if not finite:
        return f"{name}: never finite"
    broken = len(points) - len(finite)
    return (
        f"{name}: {number(points[0][1])} at step {points[0][0]:,}, {number(points[-1][1])} at step {points[-1][0]:,}, "
        f"between {number(min(finite))} and {number(max(finite))}" + (f", {broken} times not finite" if broken else "")
    )


def _data(shown: Sequence[tuple[Series, Sequence[Point]]], across: Axis) -> str:
    """Returns what the page's script needs to say the value under the pointer."""
    curves = [{"n": each.name, "p": [[step, number(value)] for step, value in thinned_any(points)]} for each, points in shown]
    return msgspec.json.encode({"high": across.high, "curves": curves}).decode()


def thinned_any(points: Sequence[Point], most: int = MOST_POINTS // 2) -> list[Point]:
    """Returns at most so many of the points, evenly taken, those that are not finite among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(index * (len(points) - 1) / (most - 1))] for index in range(most)]
