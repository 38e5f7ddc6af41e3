"""What a training loop does: losses, gradients, steps, schedules, modes."""

from __future__ import annotations

from collections.abc import Mapping

from tensan.core.events.base import Event
from tensan.core.events.things import Mode, Operation, Optimizer, Parameter, Scheduler, Shape, Spread, Value
from tensan.core.sites import Place
from tensan.core.stats import Stat


class OptimizerBuilt(Event, frozen=True, kw_only=True):
    """An optimizer was constructed, or given another group of parameters.

    Attributes:
        parameters: all that it holds; decays: the weight decay of each, in the same order.
    """

    optimizer: Optimizer
    parameters: tuple[Parameter, ...] = ()
    decays: tuple[float, ...] = ()


class ModeChange(Event, frozen=True, kw_only=True):
    """The program called `train()` or `eval()`; only the outermost call is told."""

    module: str
    root: str
    kind: str
    training: bool


class TieChange(Event, frozen=True, kw_only=True):
    """Parameters that were one object under two names have become two."""

    names: tuple[str, str]
    shape: Shape
    parameters: tuple[str, str] = ("", "")
    root: str = ""
    tied_at: Place = None


class Loss(Event, frozen=True, kw_only=True):
    """A recorded step: the operations from the model's forward to the loss that is about to be differentiated.

    Attributes:
        value: the loss; its `producer` is the last operation, or -1 where the loss is no result of the recorded ones.
        is_leaf: whether the loss itself is a leaf, so that nothing lies behind it.
        leaves: the trainable leaves that lie behind the loss.
        leaf_producers: for each leaf behind the loss that is no registered parameter, the operation of the trace that made it.
        operations: in the order they ran.
        spreads: by operation, what the values of its first two inputs were like, where the adapter looked.
        results: by operation, the number that a loss gave, or that the program read on the host; under -1 the loss itself.
    """

    value: Value
    is_leaf: bool = False
    leaves: tuple[Parameter, ...] = ()
    leaf_producers: tuple[int, ...] = ()
    operations: tuple[Operation, ...] = ()
    spreads: Mapping[int, tuple[Spread | None, Spread | None]] = {}
    results: Mapping[int, float] = {}


class Backward(Event, frozen=True, kw_only=True):
    """Gradients are about to be computed; sent on attended steps only.

    Attributes:
        leaves: every trainable leaf that the loss depends on; empty where the graph could not be walked.
        modes: the mode-dependent modules of the models behind it.
        scaled: whether the loss was multiplied by a gradient scaler.
        first_since_step: whether it is the first one since an optimizer stepped.
        num_ties: how many parameters bear more than one name.
        mixed_with: where an earlier backward of the same step added to the same gradients, one of them scaled and the other not.
    """

    leaves: tuple[Parameter, ...] = ()
    modes: tuple[Mode, ...] = ()
    scaled: bool = False
    first_since_step: bool = True
    is_leaf: bool = False
    num_ties: int = 0
    mixed_with: Place = None


class ZeroGrad(Event, frozen=True, kw_only=True):
    """Gradients of an optimizer's or a module's parameters were cleared by a call."""

    optimizer: str | None = None
    unused: bool = False


class Clip(Event, frozen=True, kw_only=True):
    """Gradients were clipped.

    Attributes:
        optimizers: ids of those whose parameters were clipped.
        after_step: whether they had been consumed by a step and no backward has run since.
        scaled: whether they still carry a gradient scaler's factor.
        limit: the norm or value that was asked for.
        num_gradients: how many gradients there were to clip; num_parameters: how many parameters were handed over.
        parameters: ids of those, where none of them had a gradient.
    """

    optimizers: tuple[str, ...] = ()
    after_step: bool = False
    scaled: bool = False
    limit: float = 0.0
    num_gradients: int = 0
    num_parameters: int = 1
    parameters: tuple[str, ...] = ()


class OptimizerStep(Event, frozen=True, kw_only=True):
    """An optimizer is about to change its parameters; the weights are still untouched. Sent on attended steps only.

    Attributes:
        with_gradient, without_gradient: its trainable parameters, by whether they have a gradient now.
        fresh: whether any gradient has changed since this optimizer last stepped; None where that is not known.
        carried: whether gradients still hold what the previous step has already used, because nothing cleared them.
        cleared: where gradients that a backward had made were cleared before any step used them.
        shared_with: another optimizer that has just stepped on the very same gradients.
        backward: where the last backward ran; `previous` where this optimizer last stepped.
        through: `scaler` where a gradient scaler made the call.
        assigned: whether anything but a backward has written the gradients since the last one; None where that is not known.
        scaled: whether the gradients carry a gradient scaler's factor, which nothing has taken out.
        left_over: where a backward ran that another optimizer has stepped on, and that is part of these gradients; a later one was added.
    """

    optimizer: Optimizer
    with_gradient: tuple[Parameter, ...] = ()
    without_gradient: tuple[Parameter, ...] = ()
    fresh: bool | None = None
    carried: bool = False
    cleared: Place = None
    shared_with: str | None = None
    backward: Place = None
    previous: Place = None
    through: str = ""
    assigned: bool | None = None
    scaled: bool = False
    left_over: Place = None


class Measured(Event, frozen=True, kw_only=True):
    """Values of a statistic that some rule asked for, by id of what was measured."""

    stat: Stat
    values: Mapping[str, float]
    parameters: Mapping[str, Parameter] = {}
    optimizer: str | None = None
    rates: tuple[float, ...] = ()
    backward: Place = None


class ScheduleStep(Event, frozen=True, kw_only=True):
    """The program stepped a schedule; sent on attended steps only.

    Attributes:
        attempts: how often its optimizer was asked to step since the schedule was made, skipped ones included.
    """

    scheduler: Scheduler
    attempts: int = 0


class RatesBoundLate(Event, frozen=True, kw_only=True):
    """A schedule was given several functions that a loop has made, and that read one and the same variable of it.

    Attributes:
        name: of the variable; read: where the functions read it; loop: where the loop gives it a value.
        count: how many functions there are.
    """

    scheduler: Scheduler
    name: str
    read: Place
    loop: Place
    count: int


class ScalerSkips(Event, frozen=True, kw_only=True):
    """A gradient scaler has skipped many steps in a row.

    Attributes:
        optimizer: id of the optimizer; skips: how many in a row; steps: how many it has made before.
        scale: that is left.
    """

    optimizer: str
    skips: int
    steps: int
    scale: float


class GraphsKept(Event, frozen=True, kw_only=True):
    """Graphs that were differentiated in earlier steps are still alive, because the program holds results of them.

    Attributes:
        name: what the program calls the holder; kind: `sum` for a tensor that they were added up in, `list` for a container.
        steps: how many steps' graphs it holds; looked_at: of how many it could be.
        nodes: of the graph of one step.
        taken: where the program adds to the holder, where that was found.
    """

    name: str
    kind: str
    steps: int
    looked_at: int
    nodes: int
    taken: Place = None


class TensorsGathered(Event, frozen=True, kw_only=True):
    """A container holds more tensors each time it is looked at; the program reads nothing of it but its end, and takes nothing out.

    Attributes:
        name: what the program calls the container; kind: its type.
        steps: at which it was looked at; counts, sizes: how many entries and about how many bytes it kept alive then.
        taken: where the program adds to it.
    """

    name: str
    kind: str
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    taken: Place = None


class StrayRate(Event, frozen=True, kw_only=True):
    """An optimizer bears a learning rate where it does not read one; sent on attended steps only.

    Attributes:
        kind: `attribute`, `defaults` or `group`; name: what it is called there.
        value: what stands there; optimizer: with the rates that it does read.
    """

    optimizer: Optimizer
    kind: str
    name: str
    value: float


class GroupRates(Event, frozen=True, kw_only=True):
    """An optimizer that was built with rates of their own for its groups is about to step; sent on attended steps only.

    Attributes:
        built: the rates that it was built with; rates: those that it steps with.

    Where the rates have become one, the site is the statement that writes it into all groups, as far as that can be told.
    """

    optimizer: Optimizer
    built: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()


class AveragesCompared(Event, frozen=True, kw_only=True):
    """An optimizer is about to step, and some of its small parameters were compared with what its last step had left of them.

    Attributes:
        num_compared: how many; those of each shape that several parameters have.
        averages: those that the program has moved since, a part of the way towards another one that stood still; both have a gradient.
        averaged: for each of them that other one; share: the smallest part of the way.

    Where there are any, the site is where the program moves them, as far as that can be told.
    """

    optimizer: Optimizer
    num_compared: int = 0
    averages: tuple[Parameter, ...] = ()
    averaged: tuple[Parameter, ...] = ()
    share: float = 0.0


class GradientNarrowed(Event, frozen=True, kw_only=True):
    """A backward went over from float32 to float16; sent on recorded steps only.

    Attributes:
        lost: share of the gradient's size, over all such places next to the loss, that is in values which become zero there.
        scaled: whether the loss was multiplied by a gradient scaler.
    """

    lost: float
    scaled: bool = False


class UnitsAlike(Event, frozen=True, kw_only=True):
    """The rows of weights were compared, before a step that is not the first.

    Attributes:
        optimizer: id of the optimizer that steps.
        parameters: those all of whose rows are equal, and whose gradients are equal row by row, and not zero.
        looked_again: whether it is the second look.
    """

    optimizer: str
    parameters: tuple[Parameter, ...] = ()
    looked_again: bool = False


class GradientsReplaced(Event, frozen=True, kw_only=True):
    """Gradients that the program writes to before it steps were looked at on either side of that; the site is where it may have been.

    Attributes:
        optimizer: id of the optimizer that steps.
        parameters: those whose gradients held NaN or Inf after the backward, and are finite now.
        backward: where they were computed; scaled: whether a gradient scaler takes part.
    """

    optimizer: str
    parameters: tuple[Parameter, ...] = ()
    backward: Place = None
    scaled: bool = False
