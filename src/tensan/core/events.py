"""What a program did, in words that no framework owns: adapters emit these, rules and sinks listen.

A rule listens by having a method `on_<name>`, where the name is the event's class in snake case. Ids are strings
such as `parameter:4` or `optimizer:0`: they name a thing for the length of a run and are what findings are folded by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from tensan.core.sites import Place
from tensan.core.stats import Stat

Shape = tuple[int, ...]


# ---- things that events speak of -----------------------------------------------------------------------------------


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf that can be trained.

    Attributes:
        id: `parameter:N`, the same for the whole run.
        name: dotted path in its outermost module (`head.weight`), or how it is best called where it has none.
        made: where it was created.
        module: description of the module that holds it, such as `Linear(in_features=8, out_features=1)`.
        root: id of the outermost module whose `parameters()` yields it; None where no module does (a layer in a list).
        born: number of its creation on the run's clock of events, comparable with `Optimizer.born`.
        registered: whether it is a declared parameter, not merely a tensor that requires gradient.
        owners: ids of the optimizers that hold it.
        loaded: whether its value came from a checkpoint or was copied from another module.
        changed: whether its value has changed since it was first seen; None where that was not looked at.
        root_training: whether its outermost module is in train mode.
    """

    id: str
    name: str
    shape: Shape
    dtype: str
    made: Place = None
    module: str = ""
    root: str | None = None
    born: int = 0
    registered: bool = True
    owners: tuple[str, ...] = ()
    loaded: bool = False
    changed: bool | None = None
    root_training: bool = True

    def __str__(self) -> str:
        return f"`{self.name}` {typed(self.dtype, self.shape)}"


class Optimizer(msgspec.Struct, frozen=True, kw_only=True):
    """An optimizer: its kind, where it was made and, group by group, the rates it reads."""

    id: str
    kind: str
    made: Place = None
    born: int = 0
    rates: tuple[float, ...] = ()
    num_parameters: int = 0


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """A module whose work depends on train or eval mode, as it stood in a forward or a backward.

    Attributes:
        module: its id; `root` is the id of the outermost module around it.
        kind: its class, such as `Dropout` or `BatchNorm1d`; `name` is its dotted path.
        training: the flag now; `root_training` the flag of the outermost module.
        trained_before: whether an earlier backward went through it in train mode.
        changed: where the flag of the outermost module was last set; `changed_on_root` whether that call named the
            outermost module itself, which is how validation does it, rather than one part, which is how freezing does it.
    """

    module: str
    root: str
    kind: str
    name: str
    training: bool
    root_training: bool
    trained_before: bool
    changed: Place = None
    changed_on_root: bool = False


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """An array as an operation met it.

    Attributes:
        producer: index, in the trace, of the operation that made it; -1 where it came from outside the trace.
        subject: `parameter:N` for a parameter, `batch` for an array that a loader delivered, else None.
        requires_grad: whether gradient can flow back through it.
        nonfinite: share of NaN and Inf in it, where the adapter looked.
    """

    shape: Shape
    dtype: str
    producer: int = -1
    subject: str | None = None
    requires_grad: bool = False
    nonfinite: float | None = None

    def __str__(self) -> str:
        return typed(self.dtype, self.shape)


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of a recorded step, under its neutral name (see `core/operations.py`)."""

    index: int
    name: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    site: Place = None
    gradients: bool = True
    settings: Mapping[str, object] = {}


class Scheduler(msgspec.Struct, frozen=True, kw_only=True):
    """A learning-rate schedule: what it planned, and how far it has come.

    Attributes:
        optimizer: id of the optimizer whose rate it moves.
        planned: the number of its own steps after which it is done, where its kind has one (T_max, total_steps, last milestone).
        planned_name: what the program calls that number.
        cyclic: whether coming round again is what this kind is for.
        steps: how often the program has stepped it; optimizer_steps: the same for its optimizer since it was made.
        driven: whether another schedule steps it.
        rates: the smallest and largest rate its optimizer has had.
    """

    id: str
    kind: str
    optimizer: str
    made: Place = None
    stepped: Place = None
    planned: int | None = None
    planned_name: str = ""
    cyclic: bool = False
    steps: int = 0
    optimizer_steps: int = 0
    driven: bool = False


class Loader(msgspec.Struct, frozen=True, kw_only=True):
    """A source of batches: where it was made, how long an epoch is, and how many epochs it has begun."""

    id: str
    kind: str
    made: Place = None
    length: int | None = None
    epochs: int = 0
    trained: bool = False
    num_workers: int = 0


# ---- events ---------------------------------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something the program did; `step` counts the optimizer steps done before it."""

    step: int = 0
    site: Place = None


class RunStart(Event, frozen=True, kw_only=True):
    """The watch has begun."""

    script: str = ""


class OptimizerBuilt(Event, frozen=True, kw_only=True):
    """An optimizer was constructed, or given another group of parameters."""

    optimizer: Optimizer
    parameters: tuple[Parameter, ...] = ()


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


class EpochStart(Event, frozen=True, kw_only=True):
    """A loader began to be iterated."""

    loader: Loader


class Loss(Event, frozen=True, kw_only=True):
    """A recorded step: the operations from the model's forward to the loss that is about to be differentiated.

    Attributes:
        value: the loss; its `producer` is the last operation, or -1 where the loss is no result of the recorded ones.
        is_leaf: whether the loss itself is a leaf, so that nothing lies behind it.
        leaves: the trainable leaves that lie behind the loss.
        leaf_producers: for each leaf behind the loss that is no registered parameter, the operation of the trace that made it.
        operations: in the order they ran.
    """

    value: Value
    is_leaf: bool = False
    leaves: tuple[Parameter, ...] = ()
    leaf_producers: tuple[int, ...] = ()
    operations: tuple[Operation, ...] = ()


class Backward(Event, frozen=True, kw_only=True):
    """Gradients are about to be computed; sent on attended steps only.

    Attributes:
        leaves: every trainable leaf that the loss depends on; empty where the graph could not be walked.
        modes: the mode-dependent modules of the models behind it.
        scaled: whether the loss was multiplied by a gradient scaler.
        first_since_step: whether it is the first one since an optimizer stepped.
        num_ties: how many parameters bear more than one name.
    """

    leaves: tuple[Parameter, ...] = ()
    modes: tuple[Mode, ...] = ()
    scaled: bool = False
    first_since_step: bool = True
    is_leaf: bool = False
    num_ties: int = 0


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
        num_gradients: how many gradients there were to clip.
    """

    optimizers: tuple[str, ...] = ()
    after_step: bool = False
    scaled: bool = False
    limit: float = 0.0
    num_gradients: int = 0


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


class Evaluation(Event, frozen=True, kw_only=True):
    """A model ran with gradients off, and its output was compared with something that it did not make.

    Attributes:
        modes: its mode-dependent modules.
        has_trained: whether an optimizer has stepped on it before.
        mode_chosen: whether the program called `train()` since the last backward, so that the mode is meant.
        repeated: whether the same input went through more than once, one by one or stacked (Monte Carlo dropout does that).
        from_loader: id of the loader that delivered the input, if one did.
        from_training: whether the input is one that was trained on; None where that is not known.
        moved_statistics: whether batch statistics were moved.
    """

    module: str
    modes: tuple[Mode, ...] = ()
    has_trained: bool = False
    mode_chosen: bool = False
    repeated: bool = False
    compared: bool = False
    from_loader: str | None = None
    from_training: bool | None = False


class StateLoaded(Event, frozen=True, kw_only=True):
    """A state dict was loaded into a module.

    Attributes:
        aliased: how many of its tensors are the very storage they were loaded into.
        taken: where the state dict was taken; taken_step: how many optimizer steps had been done by then.
        num_tensors, missing, unexpected: how many keys there were and how many found no partner.
    """

    module: str
    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None
    missing: int = 0
    unexpected: int = 0


class StateSaved(Event, frozen=True, kw_only=True):
    """Tensors were written to a file; the same fields as `StateLoaded`, told of the live model they alias."""

    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None


class RandomState(Event, frozen=True, kw_only=True):
    """The state of a generator that a dataset holds, as a worker process found it.

    Attributes:
        generator: what the program calls it, such as `self.rng`; kind: its class.
        loader: id of the loader; worker: number of the worker; epoch: which iteration of the loader.
        digest: equal for equal states; drawn: whether the worker drew from it; after: digest after its first batch. Where a
            generator is seeded anew for each item, workers that began alike do not end alike.
    """

    generator: str
    kind: str
    loader: str
    worker: int
    epoch: int
    digest: str
    after: str = ""
    drawn: bool = False
    made: Place = None


class ItemEdited(Event, frozen=True, kw_only=True):
    """Fetching an item changed the array that the dataset keeps.

    Attributes:
        rows: how many of the compared items were changed by this fetch.
        fetches, edits: fetches that were looked at so far, and those that changed something; passes: which epoch it is.
    """

    loader: str
    rows: int
    fetches: int = 0
    edits: int = 0
    passes: int = 0


class SampleOverlap(Event, frozen=True, kw_only=True):
    """Two loaders deliver the very same stored samples.

    Attributes:
        train: the one whose batches are learned from; other: the one that is only evaluated.
        num_shared, num_other, num_train: samples in common, and samples in each.
    """

    train: Loader
    other: Loader
    num_shared: int
    num_other: int
    num_train: int


class BatchStatistics(Event, frozen=True, kw_only=True):
    """A batch-normalising module worked in train mode on the batch it was given.

    Attributes:
        batch_size: length of the batch axis; num_values: values that each channel's statistics were taken over.
    """

    module: str
    kind: str
    name: str
    made: Place = None
    batch_size: int = 0
    num_values: int = 0


class Raised(Event, frozen=True, kw_only=True):
    """The script ended in an exception."""

    kind: str
    message: str


class StepEnd(Event, frozen=True, kw_only=True):
    """An optimizer has changed its parameters."""

    optimizer: str


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


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A building block of the framework's own whose forward made an operation.

    Attributes:
        kind: its class, such as `GRU`; `made` is where the program made it.
        batch_first: whether it takes the batch as its first axis; None where it has no such choice.
        both_ways: whether it runs over its sequence in both directions.
    """

    id: str
    kind: str
    name: str = ""
    made: Place = None
    batch_first: bool | None = None
    both_ways: bool = False


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the model was given in a recorded step.

    Attributes:
        subject: what an ask calls it.
        axis: which of its axes the samples lie along; None where that cannot be told.
        independent: whether the samples were drawn at random, so that neighbours in the batch have nothing to do with each other.
    """

    subject: str
    shape: Shape
    dtype: str
    axis: int | None = None
    independent: bool = False


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """A sequence per sample that the model looks up or takes as it is, and how it is related to the targets.

    Attributes:
        operation: index of the operation that takes the sequence in.
        length: number of positions; `shift`: the target of a position is the element so many positions later, 0 where it is not.
        padding: number of positions at the ends of rows that hold one and the same filler; `rows`: how many rows end in it.
        filler: the filler, where there is padding; marked: whether something else that the model was given tells the padding.
        present: which ids occur, where there is padding and they are not too many.
    """

    operation: int
    length: int
    batch: int
    shift: int = 0
    padding: int = 0
    rows: int = 0
    filler: int | None = None
    marked: bool = False
    present: frozenset[int] = frozenset()


class StepRecorded(Event, frozen=True, kw_only=True):
    """A step was recorded so that it can be run again; told right after its `Loss`, on few steps.

    Attributes:
        loss: the recorded operations.
        given: what the model was given; tokens: the sequences among it.
        outputs: the operations that made what the model returned.
        forward_end: index of the first operation after the model's forward.
        discarded: operations whose results nobody has used or kept.
        batch: number of samples, 0 where that cannot be told.
    """

    loss: Loss
    given: tuple[Given, ...] = ()
    tokens: tuple[Tokens, ...] = ()
    outputs: tuple[int, ...] = ()
    forward_end: int = 0
    discarded: tuple[int, ...] = ()
    batch: int = 0


# ---- words ----------------------------------------------------------------------------------------------------------

_SHORT_DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
    "complex64": "c64",
    "complex128": "c128",
}


def typed(dtype: str, shape: Shape) -> str:
    """Returns a type as reports print it: `f32[64, 1]`."""
    return f"{_SHORT_DTYPES.get(dtype, dtype)}[{', '.join(map(str, shape))}]"


def handler_name(event: type[Event]) -> str:
    """Returns the name of the method that listens to an event: `on_optimizer_step` for `OptimizerStep`."""
    return "on_" + re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


def event_types() -> Iterator[type[Event]]:
    """Yields every kind of event there is, third parties' included."""
    waiting = list(Event.__subclasses__())
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()
