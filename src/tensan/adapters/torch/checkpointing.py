"""Compares the random numbers of a part that is computed again in the backward with those of its forward."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.orders import state_of
from tensan.core.events.run import Checkpointed
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


class Checkpointing:
    """Hears of parts that are checkpointed, and of seeds that are set while one runs."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        #: Seedings and restored states so far: what sets its own seed draws the same numbers wherever the generator stands.
        self.seedings = 0

    def followed(self, function: Callable[..., Any], *, preserved: bool) -> Callable[..., Any]:
        """A part is about to be checkpointed; returns what is to run in its place, which does the same."""
        site = here(3)
        self.tell(function, site, redrawn=False)
        return function if preserved else _Followed(self, function, site)

    def seeded(self) -> None:
        """The global generator was seeded, or was given another state."""
        self.seedings += 1

    def tell(self, function: Callable[..., Any], site: Place, *, redrawn: bool) -> None:
        """Emits the event."""
        watch = self.recorder.watch
        if watch.wants(Checkpointed):
            watch.emit(Checkpointed(step=watch.steps, site=site, name=_name(function), redrawn=redrawn))


class _Followed:
    """A checkpointed part: runs once in the forward and once more in the backward, maybe in another thread."""

    def __init__(self, owner: Checkpointing, function: Callable[..., Any], site: Place) -> None:
        self._owner, self._function, self._site = owner, function, site
        self._began, self._drew = "", False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        moment: list[Any] = []
        shielded = self._owner.recorder.shielded
        shielded(self._begins, moment)
        try:
            return self._function(*args, **kwargs)
        finally:
            shielded(self._ended, moment)

    def _begins(self, moment: list[Any]) -> None:
        moment += (_states(), self._owner.seedings)

    def _ended(self, moment: list[Any]) -> None:
        if not moment or self._owner.recorder.failed:
            return
        began, seedings = moment
        # The second run ends with the last value that the backward needs: what is drawn after it does not matter.
        drew = _states() != began and self._owner.seedings == seedings
        if not self._began:
            self._began, self._drew = began, drew
        elif self._drew and drew and began != self._began:
            self._drew = False
            self._owner.tell(self._function, self._site, redrawn=True)


def _states() -> str:
    if not torch.cuda.is_initialized():
        return state_of(None)
    return state_of(None) + state_of(torch.cuda.default_generators[torch.cuda.current_device()])


def _name(function: Callable[..., Any]) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__self__", function)
    return type(function).__name__ if isinstance(function, torch.nn.Module) else getattr(function, "__name__", "")
