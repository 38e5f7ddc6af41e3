"""What a program did, in words that no framework owns: adapters emit these, rules and sinks listen.

A rule listens by having a method `on_<name>`, where the name is the event's class in snake case. Ids are strings
such as `parameter:4` or `optimizer:0`: they name a thing for the length of a run and are what findings are folded by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from tensan.core.edits import Repair
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
        was_frozen: whether it did not require gradient when an optimizer was built.
        kept: whether a module in use holds it as a plain attribute, alone or in a list.
        root_training: whether its outermost module is in train mode.
        written: where the program itself last filled it with values, such as by `nn.init`; None where only its constructor did.
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
    kept: bool = False
    was_frozen: bool = False
    root_training: bool = True
    written: Place = None

    def __str__(self) -> str:
        return f"`{self.name}` {typed(self.dtype, self.shape)}"


class Optimizer(msgspec.Struct, frozen=True, kw_only=True):
    """An optimizer: its kind, where it was made and, group by group, the rates it reads.

    Attributes:
        decay: the largest weight decay of its groups; coupled: whether that is added to gradients which it then divides.
        waited: backward passes that were seen to reach its parameters before it was ever asked to step; 0 once it was, and where
            something else moves them.
        maximize: whether it climbs what is differentiated, in any of its groups.
        momentum: the largest momentum of its groups.
    """

    id: str
    kind: str
    made: Place = None
    born: int = 0
    rates: tuple[float, ...] = ()
    num_parameters: int = 0
    decay: float = 0.0
    coupled: bool = False
    waited: int = 0
    maximize: bool = False
    momentum: float = 0.0


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """A module whose work depends on train or eval mode, as it stood in a forward or a backward.

    Attributes:
        module: its id; `root` is the id of the outermost module around it.
        kind: its class, such as `Dropout` or `BatchNorm1d`; `name` is its dotted path.
        training: the flag now; `root_training` the flag of the outermost module.
        trained_before: whether an earlier backward went through it in train mode.
        changed: where the flag of the outermost module was last set; `changed_on_root` whether that call named the
            outermost module itself, which is how validation does it, rather than one part, which is how freezing does it.
        held: where the program, before it trained, put a frozen part that holds this module into eval mode, if a `train()` on what
            lies around that part has undone it.
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
    held: Place = None


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """An array as an operation met it.

    Attributes:
        producer: index, in the trace, of the operation that made it; -1 where it came from outside the trace.
        subject: `parameter:N` for a parameter, `batch` for an array that a loader delivered, else None.
        requires_grad: whether gradient can flow back through it.
        nonfinite: share of NaN and Inf in it, where the adapter looked.
        axes: what its axes are called, where the program declared that; `_` for one of which it says nothing.
    """

    shape: Shape
    dtype: str
    producer: int = -1
    subject: str | None = None
    requires_grad: bool = False
    nonfinite: float | None = None
    axes: tuple[str, ...] = ()

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
        driven: whether another schedule steps it; is_part: whether it goes on with the state of another one, or another with its own.
        highest, last: the largest rate that it has set, and the one it has set last; lowest: the smallest since the largest.
        base: the largest of the rates that its plan starts from.
        spent_at: how many steps its optimizer had done since it was made when the last rate above zero was gone; None while there is one.
        spent_steps: how often it was stepped since.
        below_zero: the smallest rate that it has set, where that is less than zero.
        bounded: whether it is stepped in plain counting loops that nothing leaves early.
        fed: for a schedule that follows a metric, what it was fed, as the program wrote it; metrics: the values.
        direction: which way that metric is to go, `min` or `max`; patience: how long it waits; cuts: how often it cut the rate.
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
    is_part: bool = False
    highest: float | None = None
    lowest: float | None = None
    last: float | None = None
    base: float | None = None
    spent_at: int | None = None
    spent_steps: int = 0
    below_zero: float | None = None
    bounded: bool = False
    fed: str = ""
    metrics: tuple[float, ...] = ()
    direction: str = ""
    patience: int = 0
    cuts: int = 0


class Loader(msgspec.Struct, frozen=True, kw_only=True):
    """A source of batches: where it was made, how long an epoch is, and how many epochs it has begun.

    Attributes:
        num_items: how many samples its dataset has; None where that is not known.
        order: `sequential` where items come as they are stored, `random` where they are drawn or shuffled, empty where that is not known.
        order_state: equal in two epochs whose random order is the same one, because it is drawn from the same state; empty where not known.
        order_owner: what that state belongs to: `global`, `generator` or `sampler`.
        delivered: batches of the epoch before this one that were seen to be delivered; those of steps that are not looked at are missing.
        redrawn: whether the first batch was last seen to hold other items than the time before, although the order is that of the store.
        varied: passes whose first batch had other inputs than that of the pass before, for the same labels.
        dataset: equal for loaders of one dataset or of parts of it; empty where that is not known.
    """

    id: str
    kind: str
    made: Place = None
    length: int | None = None
    num_items: int | None = None
    epochs: int = 0
    trained: bool = False
    num_workers: int = 0
    order: str = ""
    order_state: str = ""
    order_owner: str = ""
    delivered: int = 0
    redrawn: bool = False
    varied: int = 0
    dataset: str = ""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """The values of an array, in numbers.

    Attributes:
        below_zero, above_one, below_minus_one: shares of the values there.
        fractional: share of values that are no whole numbers.
        sums: for each axis, the smallest and the largest of the sums over it; exponential_sums: the same of e to the values.
        ignored: share of targets that the loss was told to ignore.
        mean: of all values.
    """

    minimum: float
    maximum: float
    below_zero: float = 0.0
    above_one: float = 0.0
    below_minus_one: float = 0.0
    fractional: float = 0.0
    root_mean_square: float = 0.0
    sums: tuple[tuple[float, float], ...] = ()
    exponential_sums: tuple[tuple[float, float], ...] = ()
    ignored: float = 0.0
    mean: float = 0.0


# ---- events ---------------------------------------------------------------------------------------------------------


class MetOperand(msgspec.Struct, frozen=True, kw_only=True):
    """An array that met another which it does not fit.

    Attributes:
        name: what the failing line calls it; empty where it is not written there.
        maker: how it came about, such as `made by Linear(in_features=8, out_features=1)`; `made` is where.
        built: where the layer that made it was built.
    """

    name: str
    shape: Shape
    dtype: str
    device: str = ""
    maker: str = ""
    made: Place = None
    built: Place = None

    def __str__(self) -> str:
        return typed(self.dtype, self.shape)


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something the program did; `step` counts the optimizer steps done before it."""

    step: int = 0
    site: Place = None


class RunStart(Event, frozen=True, kw_only=True):
    """The watch has begun."""

    script: str = ""


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


class EpochStart(Event, frozen=True, kw_only=True):
    """A loader began to be iterated.

    Attributes:
        steps: how many steps each optimizer has done so far, by id.
        places: the lines of the program that led there, innermost first.
    """

    loader: Loader
    steps: Mapping[str, int] = {}
    places: tuple[Place, ...] = ()


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
        matched: how many keys found one; num_own: how many there are in the module; root: its outermost module.
        prefix: what stands before the names on one side only, where more would match without it; would_match: how many then.
        prefixed: which side bears it, `state` or `module`.
        untouched: whether all of it is the module's own memory, and nothing has written to that since the state was taken.
        own: whether the state was taken from this very module; bound: where the name was given that the module is called by here.
        renamed: whether the program has two names for what is one here.
        strict: whether the load fails unless all names match.
        copied_step: where the load brings nothing because the state is an old copy of another network's, which has changed since: how
            many optimizer steps had been done when that was taken; `copied` is where.
    """

    module: str
    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None
    missing: int = 0
    unexpected: int = 0
    matched: int = 0
    num_own: int = 0
    root: str = ""
    prefix: str = ""
    would_match: int = 0
    prefixed: str = ""
    untouched: bool = False
    own: bool = False
    bound: Place = None
    renamed: bool = False
    strict: bool = False
    copied_step: int | None = None
    copied: Place = None


class StateSaved(Event, frozen=True, kw_only=True):
    """Tensors were written to a file; the same fields as `StateLoaded`, told of the live model they alias."""

    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None


class StateLeavesOut(Event, frozen=True, kw_only=True):
    """A state of a model was written to a file; told for each value that it leaves out, and once more without any.

    Attributes:
        module: id of the model; kind: class of the part that keeps the value.
        name: path of the attribute: a tensor that training has changed, and that the forward computes with.
        made: where the program gives it its first value.
    """

    module: str
    name: str = ""
    kind: str = ""
    made: Place = None


class StateKept(Event, frozen=True, kw_only=True):
    """A model's state was taken and given a name.

    Attributes:
        name: as the program writes it, such as `best_state` or `self.best`.
        is_read: whether any statement of the program reads it for more than to see whether it is None.
    """

    name: str
    is_read: bool = True


class RecordCompared(Event, frozen=True, kw_only=True):
    """What a program has measured stands beside the record that it keeps a state of the model by, after both were compared.

    Attributes:
        measured, record: what the program calls both, such as `val_loss` and `best_loss`.
        direction: `min` where a smaller value sets a new record, `max` where a larger one does.
        value, best: both as they are now.
    """

    measured: str
    record: str
    direction: str
    value: float
    best: float


class PatienceCounted(Event, frozen=True, kw_only=True):
    """A counter of measurements that set no record stands beside the record, after both were brought up to date.

    Attributes:
        counted_at: what adds one to it; counter, record, limit: what the program calls them.
        is_set_back: whether any statement but its beginning sets the counter.
        holder: equal for what the same call or object holds.
        count, best: counter and record as they are now.
    """

    counted_at: Place
    counter: str
    record: str
    limit: str
    is_set_back: bool
    holder: int
    count: int
    best: float


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


class MetricSummed(Event, frozen=True, kw_only=True):
    """A pass over a loader begins, over whose batches the program adds something up that it divides by what belongs to one pass.

    Attributes:
        loader: id of the loader; name: what is added up, where the site says; is_reset: whether it begins anew for the next pass.
        divided: where it is divided; by: by what, as it is written, empty where that is an object which is asked for its metric there.
        anew: where it begins anew with each batch, so that nothing is summed up; None where it does not.
    """

    loader: str
    name: str
    is_reset: bool = True
    divided: Place = None
    anew: Place = None
    by: str = ""


class SourceSeen(Event, frozen=True, kw_only=True):
    """A batch held rows of one part of a dataset that is joined of several; told of a few batches of each.

    Attributes:
        loader: id of the loader; source: number of the part, counted from zero, of `num_sources`.
        name: of the file or folder that the part was read from, where it keeps one.
        num_rows: its rows in the batch; num_broken: those of them that hold NaN or Inf.
        minimum, maximum: of their finite values; whole: whether all are whole numbers.
        classes: the labels of those rows, where a batch has integer labels.
    """

    loader: str
    source: int
    num_sources: int
    name: str = ""
    num_rows: int = 0
    num_broken: int = 0
    minimum: float = 0.0
    maximum: float = 0.0
    whole: bool = False
    classes: tuple[int, ...] = ()


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
        momentum: weight of the new batch in the running statistics; None where none are kept, or all batches count alike.
        untouched: whether the running statistics still are what they were made as; looked at where momentum is 0.
    """

    module: str
    kind: str
    name: str
    made: Place = None
    batch_size: int = 0
    num_values: int = 0
    momentum: float | None = None
    untouched: bool = False


class EvaluationDraws(Event, frozen=True, kw_only=True):
    """A model that is in eval mode, with all its modules, ran with gradients off, and was looked at for values that it drops.

    Attributes:
        kind: its class.
        draws: the operations that dropped values at random; empty where none did.
        repeated: whether the same input went through again at the same step, so that the draws are meant.
    """

    module: str
    kind: str = ""
    draws: tuple[Operation, ...] = ()
    repeated: bool = False


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


class RandomSeeded(Event, frozen=True, kw_only=True):
    """The program seeded the global generator, or put an earlier state of it back.

    Attributes:
        seed: the seed; None where a state was restored.
        places: the lines of the program that led there, innermost first.
        drawn: whether numbers were drawn from the generator since it was last seeded.
        gradients: whether gradients were on.
        steps: how many steps each optimizer has done so far, by id.
        makes: whether it was seeded by a function that makes data out of the numbers that follow.
    """

    seed: int | None = None
    places: tuple[Place, ...] = ()
    drawn: bool = False
    gradients: bool = True
    steps: Mapping[str, int] = {}
    makes: bool = False


class StreamRepeated(Event, frozen=True, kw_only=True):
    """Several workers of a loader delivered the very same batch of a stream, and went on to other batches.

    Attributes:
        num_workers: how many.
        made: where the loader was made.
    """

    loader: str
    num_workers: int
    made: Place = None


class LabelOrder(Event, frozen=True, kw_only=True):
    """The class labels that a loss was given were found in the data as it is stored.

    Attributes:
        loader: the loader that delivers them; None where the program cuts its batches itself.
        in_order: whether batches come in the order of the stored data.
        num_items, num_classes: how many labels there are, and different ones.
        num_runs: stretches of equal labels, in stored order.
        num_batches, num_pure: batches that the stored order makes, and those of one class.
    """

    loader: Loader | None = None
    in_order: bool = False
    num_items: int = 0
    num_classes: int = 0
    num_runs: int = 0
    num_batches: int = 0
    num_pure: int = 0


class PairingTested(Event, frozen=True, kw_only=True):
    """Stored inputs and targets were tested for telling anything about each other, where the program has permuted something.

    Strengths are in standard deviations of what random pairs show.

    Attributes:
        name: what the program calls the permutation that was undone, or the array that it shuffled.
        side: which side it is undone on: `inputs` or `targets`; `one` where the permutation itself cannot be had.
        before: the strength as the pairs are; after: once the permutation is undone, None where that could not be tried.
    """

    loader: str
    name: str
    side: str = ""
    before: float = 0.0
    after: float | None = None
    num_rows: int = 0


class PairedBothWays(Event, frozen=True, kw_only=True):
    """Loaders deliver the very same inputs with different targets, and in one of them inputs tell of the targets.

    Attributes:
        loaders: ids of those that deliver the same inputs.
    """

    loaders: tuple[str, ...] = ()


class TargetsEnterModel(Event, frozen=True, kw_only=True):
    """What a loader delivers second, in the place of targets, went into a model that is being trained, as a second domain does."""

    loader: str


class CopyEvaluated(Event, frozen=True, kw_only=True):
    """A model that nobody trains runs with gradients off, in eval mode, and one of the same build is being trained.

    Attributes:
        kind: its class; `live` is that of the model that is trained.
        layers: how many layers of it normalise with running statistics; `left` how many of those have weights that were moved and
            statistics that were not, and `names` the first of them.
        batches, own_batches: how many batches the statistics of the trained model are of, and its own.
        averaged: where the program moves the weights of a copy, as far as that can be told.
    """

    module: str
    kind: str = ""
    live: str = ""
    layers: int = 0
    left: int = 0
    names: tuple[str, ...] = ()
    batches: int = 0
    own_batches: int = 0
    averaged: Place = None


class PaddedEndRead(Event, frozen=True, kw_only=True):
    """A prediction is made from nothing but what a recurrent layer has at the end of its sequences.

    Attributes:
        what: what is read, as a sentence has it.
        length: steps that the layer runs over; `lengths` are those of each sequence without its padding, where it is padded at its end.
    """

    layer: Layer
    what: str = ""
    length: int = 0
    lengths: tuple[int, ...] = ()


class ClassesWeighted(Event, frozen=True, kw_only=True):
    """A classification loss weighs its classes, and this is how often each of them was among its targets.

    Attributes:
        loss: what it is called.
        weights, counts: of each class; of a loss of two classes the weight of the negative one is 1.
        name, made: what the program calls the weights and where it computes them, as far as that can be told.
    """

    loss: str
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    name: str = ""
    made: Place = None


class BlanksCounted(Event, frozen=True, kw_only=True):
    """A loss that aligns sequences with targets was given targets, and this is how often its blank is among them.

    Targets are counted within the lengths that the program states; rows of nothing but blanks are not.

    Attributes:
        blank: the index of the blank.
        rows: samples whose targets hold a symbol; in `inside` of them one stands behind a blank, `at_end` of them end in a blank.
        num_blanks, num_targets: how many blanks those rows hold, and how many targets there are in all.
        width: of targets that are padded, where every length is that of the whole row; otherwise 0.
        made, measured: where the program makes the loss and the lengths, as far as that can be told.
    """

    blank: int
    rows: int
    inside: int = 0
    at_end: int = 0
    num_blanks: int = 0
    num_targets: int = 0
    width: int = 0
    made: Place = None
    measured: Place = None


class ColumnsDropped(Event, frozen=True, kw_only=True):
    """A trainer takes columns that the model does not name out of the batches of a loader that begins.

    Attributes:
        columns: their names; `model` is the class of the model.
        read, reader: one of them that the program asks for in a batch all the same, and where.
    """

    columns: tuple[str, ...]
    model: str = ""
    read: str = ""
    reader: Place = None


class HeldRowsLearned(Event, frozen=True, kw_only=True):
    """A loss was given the targets of all rows, while the program takes some of these rows apart to be evaluated.

    Attributes:
        targets, mask: what the program calls the targets and the rows that it holds back.
        taken: where it reads the name of those rows first.
        num_held, num_rows: how many they are, and how many the loss learned from.
    """

    targets: str
    mask: str
    taken: Place
    num_held: int
    num_rows: int


class FeaturesSelected(Event, frozen=True, kw_only=True):
    """A feature selector was fitted with targets, and a model was evaluated on rows that went through it; told at the end, before `RunEnd`.

    Attributes:
        kind: its class, such as `SelectKBest`; the site is where it was fitted.
        num_fitted: rows that it was fitted with; num_outside: rows that it was given later and that are none of them.
        num_evaluated: rows of evaluations, all of which it was fitted with, and on none of which the model was seen to train.
        expected: how many of them would have been seen to be trained on if they were rows of training.
        evaluated: where the model is evaluated on them.
    """

    kind: str
    num_fitted: int
    num_outside: int = 0
    num_evaluated: int = 0
    expected: float = 0.0
    evaluated: Place = None


class IdsCompared(Event, frozen=True, kw_only=True):
    """A model that looks ids up is evaluated for the first time on the data of a loader or of a data set that keeps its ids.

    Attributes:
        columns: the ids that both keep, as many as an embedding knows, by their name in the data set.
        again: those of them that were numbered anew for the evaluation; numbers: how many there are of each, in training and evaluation.
        kind: the class of the data set; name, made: what the program calls the one of evaluation, and where it makes that.
    """

    columns: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    numbers: tuple[tuple[int, int], ...] = ()
    kind: str = ""
    name: str = ""
    made: Place = None


class NoisePredicted(Event, frozen=True, kw_only=True):
    """A loss compares with an array that has the shape of the model's input; where that is a draw of noise, was the input mixed with it?

    Attributes:
        name: what the program calls the noise; drawn: where it is drawn; None where the target is no draw.
        related: how closely the input follows the noise, from 0 to 1; mixed: how closely it follows data of the program, which is in it.
        num_values: how many values were compared.
        exact: whether both were followed through recorded operations: then they are 0 or 1, and `mixed` tells of another draw, at `other`.
    """

    name: str = ""
    drawn: Place = None
    related: float = 0.0
    mixed: float = 0.0
    num_values: int = 0
    exact: bool = False
    other: Place = None


class SamplesWeighted(Event, frozen=True, kw_only=True):
    """A loader that draws its samples by weights begins its first epoch.

    Attributes:
        num_weights, num_draws: how many weights there are, and how many samples an epoch draws.
        num_classes: of each array of class labels that the data set keeps, how many classes it has.
        made: where the program makes what draws, as far as that can be told.
    """

    loader: Loader
    num_weights: int
    num_draws: int
    num_classes: tuple[int, ...] = ()
    made: Place = None


class TargetsSought(Event, frozen=True, kw_only=True):
    """The one target of each sample was looked for among the values of the input that the model was given.

    Attributes:
        loader: what delivers the samples; empty where no loader of torch does.
        named, name: where the program makes the targets, or reads an item, as far as that can be told, and what it calls them.
        shape: of the input; its first axis is that of the samples.
        columns: where, in a sample laid out in one row, the target stands for every sample of the batch.
        num_values: different targets in the batch.
        ordered: whether the values of a sample are read one after the other, by a recurrence or a convolution along them.
    """

    loader: str
    named: Place = None
    name: str = ""
    shape: Shape
    columns: tuple[int, ...] = ()
    num_values: int
    ordered: bool = False


class TokenTargets(Event, frozen=True, kw_only=True):
    """A cross-entropy of tokens was compared with the token ids that went into the model.

    Attributes:
        length, num_targets: positions of a sequence that went in, and of one that the loss compares, but for an end that it passes over.
        at_shift: for a shift of 0, 1 and 2: the share of supervised targets that are the token so many places further on in the input.
        supervised: share of the targets that the loss does not pass over.
        causal: whether the model hides later positions from earlier ones.
        distinct: how many tokens differ from their neighbour.
        others_shifted: whether another loss, or another input, of the same step has targets one place on.
        end_token: id of what the program calls its end token; None where it names none or other tokens are passed over too.
        end_name: what it calls it.
        ends, ends_supervised: times that it follows another token in the input, and times that the loss asks for it.
        masked: where the program overwrites labels by what is passed over.
        batch: number of sequences.
        doubled_start: the token that each of them begins with twice, the second time as a target, and that stands nowhere else.
    """

    length: int
    num_targets: int
    at_shift: tuple[float, ...] = ()
    supervised: float = 1.0
    causal: bool = False
    distinct: float = 1.0
    others_shifted: bool = False
    end_token: int | None = None
    end_name: str = ""
    ends: int = 0
    ends_supervised: int = 0
    masked: Place = None
    batch: int = 0
    doubled_start: int | None = None


class Operand(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation was given: its type, and the range of its finite values where it has any."""

    shape: Shape
    dtype: str
    minimum: float | None = None
    maximum: float | None = None
    zeros: int = 0
    nan: int = 0
    inf: int = 0
    size: int = 0

    def __str__(self) -> str:
        return typed(self.dtype, self.shape)


class Grown(msgspec.Struct, frozen=True, kw_only=True):
    """What made the values large that overflow later.

    Attributes:
        name: of the operation, or what the program calls the batch, parameter or buffer; kind: which of them.
        before, after: the largest value that went in and the one that came out.
    """

    name: str
    kind: str = "operation"
    site: Place = None
    before: float = 0.0
    after: float = 0.0


class NonfiniteOrigin(Event, frozen=True, kw_only=True):
    """The first non-finite value of a step, found by running the step's operations again before the weights were touched.

    Attributes:
        kind: `forward` or `backward`, by whose result is not finite though what it is given is; `incoming` for the gradient that the
            program handed to the backward; `batch`, `parameter` or `buffer` for a
            value that was not finite before any operation; `function`, `hook` or `write` at `site` where all operations give finite
            gradients, and the program has a backward, a hook, or a statement after it of its own.
        operation: the one that made it, or the first that met it; meant: where an infinity was put in on purpose, as a mask does.
        operands: what it was given; share: part of its result (or of the gradient it sent on) that is not finite.
        rows, num_rows, of_rows: where along the batch axis, the first few, and how many of how many.
        smallest: the smallest set of samples found that still shows it, the others replaced; empty where that is the batch, or many.
        cured: whether all gradients are finite once what is to blame is given finite values, in place.
        grown: what made the values large that overflow here.
        name: what the program calls the batch, parameter or buffer; made: where the program computed it.
        hidden: whether the loss does not show it.
        exact: whether the loss came back bit for bit; random: whether random numbers were drawn anew.
        recorded: the step whose operations were run; backward: where the program differentiates.
    """

    kind: str
    operation: Operation | None = None
    meant: Place = None
    operands: tuple[Operand, ...] = ()
    share: float = 0.0
    rows: tuple[int, ...] = ()
    num_rows: int = 0
    of_rows: int = 0
    smallest: tuple[int, ...] = ()
    cured: bool | None = None
    grown: Grown | None = None
    name: str = ""
    made: Place = None
    parameter: Parameter | None = None
    hidden: bool = False
    exact: bool = False
    random: bool = False
    recorded: int = 0
    backward: Place = None


class NonfiniteParameter(Event, frozen=True, kw_only=True):
    """Parameters hold NaN or Inf, and it was not a broken gradient that brought it there.

    Attributes:
        parameters: which; never_finite: whether no step has been made yet, so that they began like this.
        finite_at: how many steps had been made when they were last seen to be finite, -1 where that is not known.
        taken: where the step was made that finite gradients went into; divides: where an optimizer of the program's own divides.
        eps: what the optimizer adds to its denominator, where it has one; rounded: what that is in the parameters' type.
        zero_moments: share of the broken values for which the optimizer remembers nothing but gradients of zero.
        centered: whether it takes the root of a difference of two averages.
        innocent: whether the optimizer, as it is set, makes finite values of finite gradients.
        written: a statement of the program that writes to the first of them.
    """

    optimizer: Optimizer
    parameters: tuple[Parameter, ...] = ()
    never_finite: bool = False
    finite_at: int = -1
    taken: Place = None
    divides: Place = None
    eps: float | None = None
    rounded: float | None = None
    zero_moments: float | None = None
    rates: tuple[float, ...] = ()
    centered: bool = False
    innocent: bool = False
    written: Place = None


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


class StateOverwritten(Event, frozen=True, kw_only=True):
    """All weights that were loaded into a module were initialised anew before it was used.

    Attributes:
        module: its id; loaded: where the state was loaded.
        num_tensors: how many of its weights were looked at.
        parameters: some of them; `written` tells who overwrote each.
    """

    module: str
    loaded: Place = None
    num_tensors: int = 0
    parameters: tuple[Parameter, ...] = ()


class UnreadAttribute(Event, frozen=True, kw_only=True):
    """The program set a switch where nothing reads it.

    Attributes:
        kind: `module` or `parameter`; owner: what that one is called.
        name: the attribute; value: what it was set to.
        num_parameters: how many parameters are otherwise than it says; parameters: some of them.
    """

    kind: str
    owner: str
    name: str
    value: bool
    num_parameters: int = 0
    parameters: tuple[Parameter, ...] = ()


class HookWaited(Event, frozen=True, kw_only=True):
    """A hook on a module fired for the first time, or never did though the module took part in training; the site is where it was put on.

    Attributes:
        fired: whether it did.
        hook: name of its function; module: path of the module; kind: its class, or `Tensor` for a hook on one.
        num_steps: how many backwards were seen to reach parameters of the module, while it was never called; for a tensor all since.
    """

    fired: bool = False
    hook: str = ""
    module: str = ""
    kind: str = ""
    num_steps: int = 0


class ModuleRepeated(Event, frozen=True, kw_only=True):
    """One module with parameters was given to a container under several names.

    Attributes:
        container: class of the container; names: what the module is called there.
        parameters: those of the module.
        multiplied: whether the program wrote a list with one module in it, times a number.
    """

    container: str
    module: str
    names: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    made: Place = None
    multiplied: bool = False


class Discarded(Event, frozen=True, kw_only=True):
    """A statement ran that can have no effect.

    Attributes:
        kind: `call` where the result of an out-of-place operation was thrown away, `module` where that of a module was,
            `uncalled` where a method was named but not called, `context` where a context manager was made and never entered.
        call: how the program writes it, without its arguments; subject: what it is called on.
        name: the method, function or kind of module that the result is of; of: class of the thing whose method was not called.
        value: what it was given.
        in_place: whether there is a twin that works in place.
    """

    kind: str
    call: str
    name: str
    of: str = ""
    value: Value | None = None
    subject: str = ""
    in_place: bool = False


class OutputUnread(Event, frozen=True, kw_only=True):
    """A layer ran with gradients in a recorded step, and what it gave was free again before the backward, and read by nobody.

    The site is its call.

    Attributes:
        layer: its path in the model; kind: its class.
        names: what the program calls the result, which no statement reads from there on.
        parameters: its trainable ones, none of which lies behind the loss.
        num_operations: how many operations it took.
    """

    layer: str
    kind: str = ""
    names: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    num_operations: int = 0


class RingWritten(Event, frozen=True, kw_only=True):
    """A recorded step wrote to a part of a buffer whose place the program takes from a position that it keeps, and never moves.

    Attributes:
        buffer: name of the buffer; pointer: of the position.
        start, count, length: where along its axis it wrote, how many entries, and how many there are.
        advanced: where the program works out the next position and drops it; None where it does not even do that.
    """

    buffer: str
    pointer: str
    start: int = 0
    count: int = 0
    length: int = 0
    advanced: Place = None


class SwitchGivenAsText(Event, frozen=True, kw_only=True):
    """A switch was given a text that says no, and every text but the empty one counts as true.

    Attributes:
        name: of the switch; text: what it was given.
        given_to: class of what was built with it, or `argparse` where that made True of the text.
    """

    name: str
    text: str
    given_to: str


class Checkpointed(Event, frozen=True, kw_only=True):
    """A part of a model is computed again in the backward, so that what it computed need not be kept; sent on attended steps only.

    Attributes:
        name: of its class or function.
        redrawn: whether it has been computed again by now, and drew other random numbers than in the forward.
    """

    name: str
    redrawn: bool = False


class GradientNarrowed(Event, frozen=True, kw_only=True):
    """A backward went over from float32 to float16; sent on recorded steps only.

    Attributes:
        lost: share of the gradient's size, over all such places next to the loss, that is in values which become zero there.
        scaled: whether the loss was multiplied by a gradient scaler.
    """

    lost: float
    scaled: bool = False


class InputValues(Event, frozen=True, kw_only=True):
    """The values of one of the first batches that a model was given, with gradients and without.

    Attributes:
        module: id of the model.
        means, deviations: of some of the features, over the samples of the batch.
        scaled_twice: whether all are 8-bit values that were divided by 255 twice; scaled_at: the last such division in the source.
    """

    module: str
    training: bool
    shape: Shape
    dtype: str
    minimum: float
    maximum: float
    means: tuple[float, ...] = ()
    deviations: tuple[float, ...] = ()
    scaled_twice: bool = False
    scaled_at: Place = None


class RowsMeasured(Event, frozen=True, kw_only=True):
    """The rows of a table that a model is given to learn from were measured.

    Attributes:
        module: id of the model.
        num_rows: how many rows.
        unit: whether each of them has length one.
        scales: root mean square of each column, where that is so.
        zeros: share of the values that are exactly zero.
        made: the statement that divides rows by their lengths, as far as that can be told.
    """

    module: str
    num_rows: int
    unit: bool = False
    scales: tuple[float, ...] = ()
    zeros: float = 0.0
    made: Place = None


class BatchesSkipped(Event, frozen=True, kw_only=True):
    """What became of the batches that a model in train mode was given at one line, with gradients on.

    Attributes:
        num_skipped: batches with NaN whose answer held NaN too, and that no backward followed.
        num_learned: batches that a backward followed.
        columns: where the NaN stood, in a table.
        skipped_at: the condition by which the program leaves them out, as far as that can be told.
        silent: whether the program neither says so nor counts them there.
    """

    num_skipped: int = 0
    num_learned: int = 0
    columns: tuple[int, ...] = ()
    skipped_at: Place = None
    silent: bool = False


class LaidOutAnew(Event, frozen=True, kw_only=True):
    """The data that a model is given lies in the memory of an array with other axes.

    Attributes:
        given: the shape of that array, for as many samples; made: the shape that the program gave it.
    """

    given: Shape
    made: Shape


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A building block of the framework's own whose forward made an operation.

    Attributes:
        kind: its class, such as `GRU`; `made` is where the program made it.
        batch_first: whether it takes the batch as its first axis; None where it has no such choice.
        both_ways: whether it runs over its sequence in both directions.
        listed: where one without parameters was put into a sequence, from whose forward it is called.
        root: id of the outermost module around it, in which `name` is its path.
    """

    id: str
    kind: str
    name: str = ""
    root: str = ""
    made: Place = None
    batch_first: bool | None = None
    both_ways: bool = False
    listed: Place = None


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


class PaddingRow(Event, frozen=True, kw_only=True):
    """An embedding looked up its padding row; where the program has overwritten it at `site`, a gradient arrived there.

    Attributes:
        overwritten: whether it holds anything but zeros.
        module: id of the embedding; `name` is its dotted path and `made` where it was created.
        padding: its `padding_idx`; num_positions: how many positions of the batch looked it up.
    """

    overwritten: bool = True
    module: str
    name: str = ""
    made: Place = None
    padding: int = 0
    num_positions: int = 0


class StateForgotten(Event, frozen=True, kw_only=True):
    """An optimizer makes its first step on weights that were read from a file, and a state that is in the file too was never restored.

    Attributes:
        kind: what was not restored, `optimizer` or `scheduler`.
        read: where the file was read; loaded: where the weights were loaded from it.
        continues: where the program takes from the file how far training had come; None where it does not.
        same_plan: whether this program wrote the file, from an optimizer of the same kind with the same settings.
        optimizer: the optimizer that steps; scheduler: the schedule that begins anew.
        entries: how many parameters the forgotten state tells of, or how many steps the schedule had done.
    """

    kind: str
    optimizer: Optimizer
    read: Place = None
    loaded: Place = None
    continues: Place = None
    same_plan: bool = False
    scheduler: str = ""
    entries: int = 0


class HostSeedUsed(Event, frozen=True, kw_only=True):
    """A backward came after the program had seeded Python's or NumPy's global generator, and numbers were drawn in between.

    Attributes:
        generator: `random` or `numpy.random`; seed: what it was seeded with, as text.
        places: the lines of the program that led to the seeding, innermost first.
        state: digest of the generator's state by now: equal where the same numbers were drawn after the same seed.
        steps: how many steps each optimizer has done so far, by id.
        makes: whether it was seeded by a function that makes data out of the numbers that follow.
    """

    generator: str
    seed: str
    places: tuple[Place, ...] = ()
    state: int = 0
    steps: Mapping[str, int] = {}
    makes: bool = False


class ItemsSeeded(Event, frozen=True, kw_only=True):
    """A generator was seeded with one and the same seed for several items of a loader, and drawn from for each.

    Attributes:
        generator: `random`, `numpy.random` or `torch`, or what makes it; seed: the seed as text.
        loader: id of the loader, empty where a function chooses the rows of each batch so; worker: number of the worker.
        made: the line that seeds.
        anew: whether the dataset makes a generator of its own for each item; otherwise a worker was heard to seed a global one.
    """

    generator: str
    seed: str
    loader: str
    worker: int = 0
    made: Place = None
    anew: bool = False


class IntegersWrapped(Event, frozen=True, kw_only=True):
    """Arithmetic on integers of a few bits left the range of its type, while an item of the data was prepared.

    Attributes:
        made: where; text: the operation as it is written.
        left, right: its operands, such as `u8[28, 28]` and `128`; dtype: type of the result.
        share: part of the values that left the range; exact: the first of them as it should be; became: what it became.
    """

    made: Place = None
    text: str = ""
    left: str = ""
    right: str = ""
    dtype: str = ""
    share: float = 0.0
    exact: int = 0
    became: int = 0


class OutputsMeasured(Event, frozen=True, kw_only=True):
    """An evaluation is over: what was done with the model's outputs between its forwards.

    Attributes:
        module: id of the model.
        operations: in the order they ran; what the model returned has the subject `output`, what a loader delivered `batch`.
        loader: id of the loader that delivered last, if one did.
        low, high: least and greatest of all that was looked at of what it returned; None where nothing was.
    """

    module: str
    operations: tuple[Operation, ...] = ()
    loader: str = ""
    low: float | None = None
    high: float | None = None


class LabelsSeen(Event, frozen=True, kw_only=True):
    """The class labels that a loader has delivered, as far as they were looked at; told at the end, before `RunEnd`.

    Attributes:
        classes: the different labels, sorted; num_labels, num_batches: how many were looked at.
        num_outputs: classes that the loss distinguishes, a unit of a layer for each; 0 for a loader that no loss was seen to learn from.
        classes_elsewhere: classes among the targets of losses that came from no loader.
    """

    loader: Loader
    classes: tuple[int, ...] = ()
    num_labels: int = 0
    num_batches: int = 0
    num_outputs: int = 0
    classes_elsewhere: tuple[int, ...] = ()


class RowsKnown(Event, frozen=True, kw_only=True):
    """A model is evaluated on rows that it was trained on, value by value.

    Attributes:
        module: id of the model.
        loader: that delivered them, if one did; names: what the program calls the input where it cut it by hand.
        num_known, num_rows: rows that were known, and all that were compared at this line so far.
        num_trained: rows of training that were looked at before.
    """

    module: str
    loader: Loader | None = None
    names: tuple[str, ...] = ()
    num_known: int = 0
    num_rows: int = 0
    num_trained: int = 0


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


class InputsAlike(Event, frozen=True, kw_only=True):
    """A data set that the program has written gave one and the same input for every index; told at the end, before `RunEnd`.

    Attributes:
        num_batches, num_samples: how many were looked at.
        constant: whether all values of the input are one; others_vary: whether what comes with it, such as labels, differs by sample.
    """

    loader: Loader
    num_batches: int
    num_samples: int
    shape: Shape = ()
    dtype: str = ""
    constant: bool = False
    others_vary: bool = False


class IteratorSpent(Event, frozen=True, kw_only=True):
    """A loop went, in each pass of a loop around it, over one and the same iterator, which gives nothing any more after the first pass.

    Attributes:
        name: what the program calls the iterator; bound: where it was made, before the outer loop.
        passes: how often the outer loop goes round, where that is known; repeated: where that is written.
    """

    name: str
    passes: int | None = None
    repeated: Place = None
    bound: Place = None


class OutputsOverwritten(Event, frozen=True, kw_only=True):
    """A loop over batches, with gradients off, keeps nothing of what the model returns but what came of the last batch.

    Attributes:
        names: what is left after the loop; loop: the loop; used: where it is used.
    """

    names: tuple[str, ...]
    loop: Place = None
    used: Place = None


class StoredOutputsMet(Event, frozen=True, kw_only=True):
    """What a model gave while gradients were off meets, value by value, a prediction in a loss.

    Attributes:
        module: id of the model that gave it; name: what the program calls it; made, compared: where it was made and where they meet.
        num_rows: rows of the batch; num_known: those of which it is known what the model gave for them; num_right: those that meet it.
        num_different: how many of the outputs differ from each other.
        is_shifted: whether the rows that meet are all at one distance in the order in which they were given to the model.
        is_of_this_batch: whether it was made after the loader delivered the batch; is_shuffled: whether that loader draws its order.
        is_beside_right: whether other outputs of the same shape meet, in the same loss, the rows that they were made of.
    """

    module: str
    num_rows: int
    num_known: int
    num_right: int
    num_different: int = 0
    name: str = ""
    made: Place = None
    compared: Place = None
    is_shifted: bool = False
    is_of_this_batch: bool = False
    is_beside_right: bool = False
    is_shuffled: bool = False


class StateCarried(Event, frozen=True, kw_only=True):
    """A recurrent layer that is trained begins with some state.

    Attributes:
        layer: its id; kind: its class, such as `GRU`.
        is_carried: whether the state is, value by value, the one that the layer ended the batch before with.
        loader: that delivered both batches, if one did.
    """

    layer: str
    kind: str
    is_carried: bool
    loader: Loader | None = None


class StateFedBack(Event, frozen=True, kw_only=True):
    """A recurrent layer was called step after step on the way to one loss, and was given back the state that it had left.

    Attributes:
        layer: its id; kind: its class, such as `GRUCell`.
        num_handed_on: how often it was given what its call before had made; num_cut: how often no gradient can come back by it.
        cut_at: what cuts the last of these off, where that was seen.
    """

    layer: str
    kind: str
    num_handed_on: int
    num_cut: int
    cut_at: Place = None


class StreamCut(Event, frozen=True, kw_only=True):
    """The tokens that a model is given, and those that it is to tell, lie in one and the same array.

    Attributes:
        shape: of the tokens; ahead: how far behind each token in memory the one lies that is to be told.
        is_stream: whether the array was one row of tokens that has been cut so that its neighbours are of different samples.
        near, far, spread: how much more a token of it tells of its neighbour, and of the one that is to be told, than of any other.
        used: where they are compared.
    """

    shape: Shape
    ahead: int
    is_stream: bool = False
    near: float = 0.0
    far: float = 0.0
    spread: float = 0.0
    used: Place = None


class NextStatesSeen(Event, frozen=True, kw_only=True):
    """A model learns the values of states from discounted values of those that came next.

    Attributes:
        num_rows: states of the batch; num_same: of how many the next one is the same; num_different: how many differ from each other.
        is_apart: whether the two batches lie in two places.
        is_edited: whether a class of the program gives out, in `step`, what that writes into; name: what it is called there.
        used: where the next states are given to a model.
    """

    num_rows: int
    num_same: int
    num_different: int
    is_apart: bool = False
    is_edited: bool = False
    name: str = ""
    used: Place = None


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


@cache
def handler_name(event: type[Event]) -> str:
    """Returns the name of the method that listens to an event: `on_optimizer_step` for `OptimizerStep`."""
    return "on_" + re.sub(r"(?<!^)(?=[A-Z])", "_", event.__name__).lower()


@cache
def heard_by(listener: type) -> tuple[tuple[type[Event], str], ...]:
    """Returns the kinds of events that a class listens to, each with the name of the method that does."""
    names = {name for base in listener.__mro__ for name in vars(base) if name.startswith("on_")}
    return tuple((kind, name) for kind in event_types() if (name := handler_name(kind)) in names) if names else ()


def event_types() -> Iterator[type[Event]]:
    """Yields every kind of event there is, third parties' included."""
    waiting = list(Event.__subclasses__())
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()
