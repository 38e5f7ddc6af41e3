"""Measures thresholds and arbitration: the interval that is achieved, what is found beside each member and with one broken, and the cost.

`python benchmarks/recovery/thresholds.py [--small] [-o FILE]` prints figures; streams are seeded by the commit.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from noise import FAMILIES
from streams import FAULTS, stream

from tensan.recovery import detectors
from tensan.recovery.detectors import Detector
from tensan.recovery.monitor import Monitor


class AlwaysOn(detectors.Spike):
    """A broken detector: it says the same high figure, from some value on."""

    name = "always on"

    def __init__(self, begins: int = 0) -> None:
        self._left = begins

    def statistic(self, surprise: float, value: float) -> float:
        self._left -= 1
        return surprise if self._left >= 0 else 1000.0


class AlwaysOff(detectors.Spike):
    name = "always off"

    def statistic(self, surprise: float, value: float) -> float:
        return 0.0


class Delayed(detectors.Cusum):
    name = "delayed"

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[float] = deque([0.0] * 30)

    def statistic(self, surprise: float, value: float) -> float:
        self._waiting.append(surprise)
        return super().statistic(self._waiting.popleft(), value)


TEAMS: dict[str, Callable[[], Iterable[Detector]]] = {
    "spike": lambda: [detectors.Spike()],
    "drift": lambda: [detectors.Cusum()],
    "burst": lambda: [detectors.Burst()],
    "naive: rises": lambda: [detectors.Rises()],
    "naive: ratio": lambda: [detectors.Ratio()],
    "all": detectors.usual,
    "all, spike always on": lambda: [AlwaysOn(), detectors.Cusum(), detectors.Burst()],
    "all, spike breaks": lambda: [AlwaysOn(700), detectors.Cusum(), detectors.Burst()],
    "all, burst always off": lambda: [detectors.Spike(), detectors.Cusum(), AlwaysOff()],
    "all, drift delayed": lambda: [detectors.Spike(), Delayed(), detectors.Burst()],
    "all, and one always on": lambda: [*detectors.usual(), AlwaysOn()],
    "all, and one that breaks": lambda: [*detectors.usual(), AlwaysOn(700)],
    "all, and one always off": lambda: [*detectors.usual(), AlwaysOff()],
    "all, and one delayed": lambda: [*detectors.usual(), Delayed()],
}


def intervals(seed: str, *, streams: int, steps: int) -> dict[str, Any]:
    """Returns for each family and stated interval how many times the stated one the achieved one was."""
    found: dict[str, Any] = {}
    for stated in (300, 1000, 3000):
        for family, make in FAMILIES.items():
            alarms = 0
            for number in range(streams):
                monitor = Monitor(interval=stated)
                alarms += sum(monitor.update(value) is not None for value in islice(make(random.Random(f"{seed}{family}{number}")), steps))
            found.setdefault(str(stated), {})[family] = {"alarms": alarms, "ratio": round(streams * steps / max(alarms, 1) / stated, 3)}
    return found


def arbitration(seed: str, *, streams: int, stated: float) -> dict[str, Any]:
    """Returns for each team how much it finds within the sick steps, and how often it is wrong before."""
    found: dict[str, Any] = {}
    data = [
        (fault, *stream(family, fault, f"{seed}{family}{fault}{number}"))
        for family in FAMILIES
        for fault in FAULTS
        for number in range(streams)
    ]
    for team, make in TEAMS.items():
        hits: dict[str, list[int]] = {fault: [] for fault in FAULTS}
        wrong = steps = 0
        delays = []
        for fault, values, onset in data:
            monitor = Monitor(interval=stated, detectors=tuple(make()))
            alarms = [number for number, value in enumerate(values) if monitor.update(value) is not None]
            wrong += sum(number < onset for number in alarms)
            steps += onset
            after = [number - onset for number in alarms if number >= onset]
            hits[fault].append(bool(after))
            delays += after[:1]
        recall = {fault: round(sum(kind) / len(kind), 3) for fault, kind in hits.items()}
        everything = [hit for kind in hits.values() for hit in kind]
        delays.sort()
        found[team] = {
            "recall": round(sum(everything) / len(everything), 3),
            "by fault": recall,
            "delay": delays[len(delays) // 2] if delays else None,
            "false per 10k": round(1e4 * wrong / steps, 2),
        }
    return found


def tick(*, streams: int = 1000, ticks: int = 60) -> dict[str, Any]:
    """Returns what part of a core a tick of 200 ms takes for so many streams."""
    draw = random.Random(0)
    monitors = [Monitor(interval=10_000) for _ in range(streams)]
    values = [[1 + 0.1 * draw.gauss(0, 1) for _ in range(streams)] for _ in range(ticks)]
    costs = []
    for row in values:
        began = time.process_time()
        for monitor, value in zip(monitors, row, strict=True):
            monitor.update(value)
        costs.append(time.process_time() - began)
    late = sorted(costs[ticks // 2 :])
    return {
        "streams": streams,
        "ms": round(1e3 * late[len(late) // 2], 2),
        "ms p99": round(1e3 * late[-1], 2),
        "percent of a core": round(100 * late[len(late) // 2] / 0.2, 2),
    }


def main() -> None:
    """Measures, and writes what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="fewer streams")
    parser.add_argument("--seed", default="", help="instead of the commit")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    seed = options.seed or commit
    found = {
        "seed": seed,
        "tick": tick(),
        "arbitration": arbitration(seed, streams=3 if options.small else 12, stated=1000),
        "intervals": intervals(seed, streams=4 if options.small else 10, steps=8000 if options.small else 20_000),
    }
    text = json.dumps(found, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
