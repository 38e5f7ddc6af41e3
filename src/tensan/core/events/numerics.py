"""Where values stop to be finite, or stop to be what was meant."""

from __future__ import annotations

import msgspec

from tensan.core.events.base import Event
from tensan.core.events.things import Operation, Optimizer, Parameter, Shape, typed
from tensan.core.sites import Place


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
