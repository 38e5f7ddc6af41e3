"""Streams with one fault in each: a healthy family until the onset, and what a fault makes of it from there on."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

from noise import FAMILIES

#: Values of a stream that are healthy, at least and at most, and values after the onset.
HEALTHY = (1000, 2000)
SICK = 60

Fault = Callable[[float, int, float, random.Random], float]


def spike(value: float, since: int, spread: float, draw: random.Random) -> float:
    return value + 10 * spread if since == 0 else value


def drift(value: float, since: int, spread: float, draw: random.Random) -> float:
    """Grows by 2 percent a step."""
    return value * 1.02**since


def shift(value: float, since: int, spread: float, draw: random.Random) -> float:
    return value + 4 * spread


def scatter(value: float, since: int, spread: float, draw: random.Random) -> float:
    return value + 4 * spread * draw.gauss(0, 1)


FAULTS: dict[str, Fault] = {"spike": spike, "drift": drift, "shift": shift, "scatter": scatter}


def stream(family: str, fault: str, seed: str) -> tuple[list[float], int]:
    """Returns values, and the onset of the fault among them."""
    draw = random.Random(seed)
    onset = draw.randint(*HEALTHY)
    values = list(islice(FAMILIES[family](draw), onset + SICK))
    ordered = sorted(values[onset - 200 : onset])
    spread = (ordered[168] - ordered[31]) / 2
    return values[:onset] + [FAULTS[fault](value, since, spread, draw) for since, value in enumerate(values[onset:])], onset
