"""Weighs what several detectors say: by evidence that is calibrated for each, and less the more they say the same anyway."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tensan.recovery.calibration import PRIOR, Calibration
from tensan.recovery.detectors import Detector

#: How fast it follows how much detectors go together.
_FOLLOWS = 0.02
#: Steps after which it is looked at how often each speaks. Who does on more than a part of them has nothing to say: calibration makes it
#: a twentieth or so.
SETTLES = 64
_TOO_OFTEN = 0.25
#: Steps in a row on which a detector may speak as loudly as for an alarm: whoever is told to forget it and goes on is broken.
_STUCK = 16
#: Evidence that a detector can give at most, beyond what makes an alarm: what a broken one says must not drown the others.
CEILING = 5.0


class _Member:
    """A detector, and what is known of it."""

    __slots__ = ("calibration", "detector", "evidence", "is_mute", "row", "spoken", "statistic")

    def __init__(self, detector: Detector, interval: float) -> None:
        self.detector = detector
        self.calibration = Calibration(interval=interval, prior=detector.prior)
        self.statistic, self.evidence = detector.statistic, self.calibration.evidence
        self.spoken = self.row = 0
        self.is_mute = False


class Arbiter:
    """One opinion of several detectors, calibrated as a whole.

    One alone may be right, so that the strongest is always followed; where several speak, what they have in common counts once.

    Args:
        detectors: of one stream.
        interval: steps between two false alarms that the user puts up with.

    Attributes:
        strongest: evidence of the one that said most at the last step, and `loudest`, the last that spoke.
    """

    __slots__ = ("_ceiling", "_common", "_loud", "_members", "calibration", "loudest", "strongest")

    def __init__(self, detectors: Sequence[Detector], *, interval: float) -> None:
        self._members = [_Member(detector, interval) for detector in detectors]
        # Evidence is a logarithm of steps, so that its tail is about the same whatever the detectors.
        self.calibration = Calibration(interval=interval, prior=[2.0 + 0.25 * number for number in range(PRIOR)])
        self._common = 0.5
        self._loud = math.log(interval)
        self._ceiling = self._loud + CEILING
        self.strongest = 0.0
        self.loudest: Detector | None = None

    def evidence(self, surprise: float, value: float, *, resting: bool = False) -> float:
        """Returns what all say together, as the logarithm of the steps in which a healthy stream gives that once.

        Args:
            surprise: of the value, in scales.
            value: as it came.
            resting: whether an alarm was given just now; what follows it is no witness of what is usual.
        """
        total = most = 0.0
        speaking = 0
        for member in self._members:
            found = member.evidence(member.statistic(surprise, value))
            if found <= 0.0:
                member.row = 0
                continue
            member.spoken += 1
            member.row = member.row + 1 if found >= self._loud else 0
            if member.is_mute or member.row > _STUCK:
                continue
            if found > self._ceiling:
                found = self._ceiling
            speaking += 1
            total += found
            if found > most:
                most, self.loudest = found, member.detector
        self.strongest = most
        if speaking > 1:
            self._common += _FOLLOWS * ((speaking - 1) / (len(self._members) - 1) - self._common)
            total /= 1 + (speaking - 1) * (0.5 + 0.5 * self._common)
            if total > most:
                most = total
        elif speaking:
            self._common -= _FOLLOWS * self._common
        if resting and most > self.calibration.start:
            most = self.calibration.start
        return self.calibration.evidence(most)

    def settle(self) -> None:
        """So many steps have passed: who has spoken on too many of them is not listened to until that ends."""
        for member in self._members:
            member.is_mute = member.spoken > _TOO_OFTEN * SETTLES
            member.spoken = 0

    def reset(self) -> None:
        """Detectors forget what they have gathered."""
        for member in self._members:
            member.detector.reset()
