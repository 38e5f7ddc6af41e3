"""Healthy streams of ten kinds of noise, endless and seeded: six on which thresholds are judged, and what faults are put into."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

Noise = Iterator[float]


def _positive(log_noise: Noise) -> Noise:
    return (math.exp(value) for value in log_noise)


def white(draw: random.Random) -> Noise:
    while True:
        yield 1.0 + 0.1 * draw.gauss(0, 1)


def autocorrelated(draw: random.Random) -> Noise:
    state = 0.0
    while True:
        state = 0.9 * state + draw.gauss(0, 1)
        yield math.exp(0.05 * state)


def trending(draw: random.Random) -> Noise:
    step = 0
    while True:
        yield 0.3 + 2.0 * math.exp(-step / 3000) + 0.08 * draw.gauss(0, 1)
        step += 1


def heavy(draw: random.Random) -> Noise:
    while True:
        chi = sum(draw.gauss(0, 1) ** 2 for _ in range(4))
        yield 2.0 + 0.1 * draw.gauss(0, 1) / math.sqrt(chi / 4)


def bursts(draw: random.Random) -> Noise:
    """Volatility that comes in clusters."""
    variance, last = 1.0, 0.0
    while True:
        variance = 0.1 + 0.15 * last * last + 0.75 * variance
        last = math.sqrt(variance) * draw.gauss(0, 1)
        yield 1.0 + 0.08 * last


def skewed(draw: random.Random) -> Noise:
    """As gradient norms are, with a memory and an epoch's rhythm."""
    state, step = 0.0, 0
    while True:
        state = 0.5 * state + draw.gauss(0, 1)
        yield math.exp(0.25 * state + 0.1 * math.sin(step / 30))
        step += 1


FAMILIES: dict[str, Callable[[random.Random], Noise]] = {
    "white": white,
    "autocorrelated": autocorrelated,
    "trending": trending,
    "heavy": heavy,
    "bursts": bursts,
    "skewed": skewed,
}
