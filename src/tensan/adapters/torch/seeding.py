"""Hears where the program seeds the global generator, or restores an earlier state of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import torch

from tensan.adapters.torch.made_data import makes_data
from tensan.adapters.torch.orders import state_of
from tensan.adapters.torch.variables import users_frames
from tensan.core.events.randomness import RandomSeeded
from tensan.core.sites import Site

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Seedings that are told; a program that seeds in each step has said all by then.
MOST_TOLD = 200
#: Lines of the program that are kept of the way to a seeding.
MOST_PLACES = 6


class Seeding:
    """Compares states of the global generator; nothing is drawn from it."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._told = 0
        self._left = ""
        self._drawn = False
        #: Checkpointing restores states all the time: only the one that takes back a seed counts.
        self._seeded_last = False

    def wants_more(self) -> bool:
        """Tells whether another seeding is of interest."""
        return self._told < MOST_TOLD and self.recorder.watch.wants(RandomSeeded)

    def before(self) -> None:
        """The generator is about to be seeded: was it used since it was last?"""
        if not self.wants_more():
            return
        self._drawn = bool(self._left) and state_of(None) != self._left

    def after(self, seed: object) -> None:
        """The generator has been seeded, or has got an earlier state back, told by no seed."""
        if not self.wants_more() or (seed is None and not self._seeded_last):
            return
        self._seeded_last = seed is not None
        self._told += 1
        self._left = state_of(None)
        self.recorder.watch.emit(
            RandomSeeded(
                step=self.recorder.watch.steps,
                seed=None if seed is None else int(seed),  # type: ignore[call-overload]
                places=places_above(),
                drawn=self._drawn,
                gradients=torch.is_grad_enabled(),
                steps={record.id: record.steps for record in self.recorder.optimizers.living()},
                makes=seed is not None and makes_data(),
            )
        )


def places_above() -> tuple[Site, ...]:
    """Returns the lines of the program that led here, innermost first."""
    return tuple(Site(frame.f_code, frame.f_lasti) for frame in users_frames(sys._getframe(2), most=MOST_PLACES))
