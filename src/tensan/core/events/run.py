"""How a run begins, goes on and ends."""

from __future__ import annotations

from tensan.core.edits import Repair
from tensan.core.events.base import Event
from tensan.core.events.things import Loader, MetOperand, Optimizer, Parameter, Scheduler
from tensan.core.sites import Place


class RunStart(Event, frozen=True, kw_only=True):
    """The watch has begun."""

    script: str = ""


class Raised(Event, frozen=True, kw_only=True):
    """The script ended in an exception.

    Attributes:
        problem: what it was about, where the adapter understands it: `shape`, `dtype`, `device`, `index`, `state`, `graph-freed`,
            `overwritten`, `no-gradient`, `not-scalar`, `array-of-graph` or `no-parameters`; empty where it does not.
        operation: the operation with the types of what it was given: `f32[64, 128] @ f32[768, 10]`.
        operands: what it was given that differs.
        layer: description of the layer whose operation it was; `layer_name` is its dotted path, `built` where it was built.
        repairs: the nearest edits, each tried before it is told unless `tried` is False.
        causes: other places that explain it, each with what happened there.
        detail: what stands under the carets.
    """

    kind: str
    message: str
    problem: str = ""
    operation: str = ""
    operands: tuple[MetOperand, ...] = ()
    layer: str = ""
    layer_name: str = ""
    built: Place = None
    repairs: tuple[Repair, ...] = ()
    tried: bool = True
    causes: tuple[tuple[str, Place], ...] = ()
    detail: str = ""


class StepEnd(Event, frozen=True, kw_only=True):
    """An optimizer has changed its parameters.

    Attributes:
        carried: whether, when the last backward began, the gradients still held what the step before had used.
        backward: where that backward was, within the step where a closure computes the gradients.
    """

    optimizer: str
    carried: bool = False
    backward: Place = None


class RunEnd(Event, frozen=True, kw_only=True):
    """The script has ended: what can only be judged at the end is judged now.

    Attributes:
        status: `completed`, `raised`, `interrupted` or `stopped` (by `--steps`).
        schedulers, loaders, optimizers: as they stand.
        parameters: those of the optimizers that were ever without gradient and still live; `changed` tells of each whether its value
            is still the one it had then.
    """

    status: str = "completed"
    schedulers: tuple[Scheduler, ...] = ()
    loaders: tuple[Loader, ...] = ()
    optimizers: tuple[Optimizer, ...] = ()
    parameters: tuple[Parameter, ...] = ()


class Checkpointed(Event, frozen=True, kw_only=True):
    """A part of a model is computed again in the backward, so that what it computed need not be kept; sent on attended steps only.

    Attributes:
        name: of its class or function.
        redrawn: whether it has been computed again by now, and drew other random numbers than in the forward.
    """

    name: str
    redrawn: bool = False


class Recompiled(Event, frozen=True, kw_only=True):
    """A function was compiled more than once; told at the end, without a function where the program compiles and none was.

    Attributes:
        function: its name; versions: how many versions of it were found not to fit the next call.
        limit: number of versions after which the compiler gives up; reason: why the last one did not fit, in its own words.
        compiled: where the program first asked for compilation.
    """

    function: str = ""
    versions: int = 0
    limit: int = 0
    reason: str = ""
    compiled: Place = None
