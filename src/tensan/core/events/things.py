"""Things that events speak of: parameters, optimizers, operations, loaders, values."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tensan.core.sites import Place

Shape = tuple[int, ...]


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
        astray: its last steps in a row between which its optimizer was not asked to step.
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
    astray: int = 0
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
