"""Steps that are handed a closure: their gradients are there only once it has returned, in the midst of the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.gating import Abandoned
from tensan.adapters.torch.patching import uncounted

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

Call = tuple[tuple[Any, ...], dict[str, Any]]


class Closure:
    """A program's closure, after which the gradients that it has computed are looked at, and gated."""

    __slots__ = ("_calls", "_closure", "_optimizer", "_recorder")

    def __init__(self, recorder: Recorder, optimizer: Any, closure: Callable[..., Any]) -> None:
        self._recorder, self._optimizer, self._closure, self._calls = recorder, optimizer, closure, 0

    @uncounted
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder, optimizer = self._recorder, self._optimizer
        recorder.shielded(recorder.steps.give_back, optimizer)  # L-BFGS calls it several times in one step
        loss = self._closure(*args, **kwargs)
        self._calls += 1
        must_leave = None
        try:
            if recorder.attention.on or recorder.steps.idle_before(optimizer):
                must_leave = recorder.steps.gradients_computed(optimizer, again=self._calls > 1)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            recorder.fail(error)
        if must_leave:
            raise Abandoned(optimizer, loss)
        return loss


def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the closure that `step` was called with, the optimizer being its first argument; None where there is none."""
    return args[1] if len(args) > 1 else kwargs.get("closure")


def replaced(recorder: Recorder, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Returns the arguments of `step` with its closure replaced by one that is heard."""
    closure = Closure(recorder, optimizer, given(args, kwargs))
    return ((args[0], closure, *args[2:]), kwargs) if len(args) > 1 else (args, kwargs | {"closure": closure})
