"""Thresholds that hold the interval that the user states, and several detectors that are no worse than the best of them."""

import math
import random
import sys
from itertools import islice
from pathlib import Path

import pytest

from tensan.recovery import detectors
from tensan.recovery.monitor import Monitor

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "recovery"))
from noise import FAMILIES
from streams import FAULTS, stream
from thresholds import AlwaysOff, AlwaysOn, Delayed


def alarms(monitor, values):
    return [number for number, value in enumerate(values) if monitor.update(value) is not None]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_stated_interval_is_held(family):
    stated, streams, steps = 300, 4, 8000
    told = [alarms(Monitor(interval=stated), islice(FAMILIES[family](random.Random(f"held {number}")), steps)) for number in range(streams)]
    assert 0.5 < streams * steps / sum(map(len, told)) / stated < 2


def recall(make, data, interval=1000):
    found = [alarms(Monitor(interval=interval, detectors=make()), values)[-1:] for values, _ in data]
    return sum(bool(last) and last[0] >= onset for last, (_, onset) in zip(found, data, strict=True)) / len(data)


@pytest.fixture(scope="module")
def faulty():
    return [stream(family, fault, f"{family} {fault} {number}") for family in FAMILIES for fault in FAULTS for number in range(2)]


@pytest.fixture(scope="module")
def best(faulty):
    return max(recall(lambda kind=kind: (kind(),), faulty) for kind in (detectors.Spike, detectors.Cusum, detectors.Burst))


def test_together_they_find_more_than_the_best_alone(faulty, best):
    assert recall(detectors.usual, faulty) > best + 0.1
    for naive in (detectors.Rises, detectors.Ratio):
        assert recall(lambda kind=naive: (kind(),), faulty) < recall(detectors.usual, faulty)


@pytest.mark.parametrize("broken", [AlwaysOn, lambda: AlwaysOn(700), AlwaysOff, Delayed], ids=["on", "breaks", "off", "delayed"])
def test_one_that_is_broken_does_not_spoil_the_others(faulty, best, broken):
    assert recall(lambda: (*detectors.usual(), broken()), faulty) >= best


def test_statistics_that_are_poisoned_slowly_stay_what_they_are():
    draw, monitor, height, told = random.Random(1), Monitor(interval=1000), 0.2, 0
    mean, variance = 1.0, 0.01  # of the usual rule: moving averages, and so many sigmas
    for step in range(5000):
        is_poison = step > 500 and not step % 8
        value = 1 + (height if is_poison else 0.1 * draw.gauss(0, 1))
        alarm = monitor.update(value)
        told += alarm is not None
        if is_poison:  # the adversary goes as high as is not told
            height *= 0.9 if alarm is not None else 1.01
        mean += 0.03 * (value - mean)
        variance += 0.03 * ((value - mean) ** 2 - variance)
    assert told  # it was noticed on the way
    fault = 1 + 12 * 0.1
    assert fault < mean + 2.5 * math.sqrt(variance)
    assert alarms(monitor, [fault] * 20)


def test_what_lasts_after_an_alarm_is_usual_within_fifty_steps():
    draw, monitor = random.Random(2), Monitor(interval=1000)
    assert len(alarms(monitor, (1 + 0.1 * draw.gauss(0, 1) for _ in range(1000)))) <= 3
    after = alarms(monitor, (3 + 0.1 * draw.gauss(0, 1) for _ in range(600)))
    assert after[0] <= 5
    assert sum(number > 50 for number in after) <= 2
    kinds = [entry.kind for entry in monitor.log]
    assert {"alarm", "level", "threshold"} <= set(kinds)


def test_differences_that_are_none_are_never_told():
    draw = random.Random(3)
    assert not alarms(Monitor(interval=300), (1 + 1e-5 * draw.gauss(0, 1) for _ in range(5000)))
    assert not alarms(Monitor(interval=300), [0.0] * 500)


def test_what_is_not_finite_is_told_at_once():
    monitor = Monitor(interval=1000)
    assert alarms(monitor, [1.0, math.nan, 1.0]) == [1]
    assert monitor.log[0].text.startswith("not finite: nan")
