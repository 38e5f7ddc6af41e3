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


class SumObserved(Event, frozen=True, kw_only=True):
    """Something that the program keeps from one step or forward to the next was added to, or moved towards something as an average is.

    Of types with many digits nothing but this is told, and only that of the first one.

    Attributes:
        between: "step" or "forward": what comes between two additions.
        dtype: type that it is kept in.
        num_sums, num_elements: how many of them there are at this place, and how many of their elements are looked at.
        num_added: elements to which something else than zero was added the last time.
        num_missed: elements that have stood still in several looks in a row, although what was added had the same sign each time and was as
            much as two of their spacings in all; those of an average are far from where it goes, too.
        averaged: whether it is an average; looks: how often it was looked at; one_way: whether what was added never changed its sign.
        value, addend, spacing: of one element that stands still, where spacing is how far the next number is that the type can hold.
        looks_still, span: in how many looks in a row that one has stood still, and over how many steps or forwards.
    """

    between: str = ""
    dtype: str = ""
    num_sums: int = 0
    num_elements: int = 0
    num_added: int = 0
    num_missed: int = 0
    averaged: bool = False
    looks: int = 0
    looks_still: int = 0
    span: int = 0
    one_way: bool = False
    value: float = 0.0
    addend: float = 0.0
    spacing: float = 0.0


class ValuesCast(Event, frozen=True, kw_only=True):
    """The program gives an array another type, of fewer digits, before a model sees it.

    Values are taken evenly from the whole array.

    Attributes:
        made: where; text: the cast as it is written; source: what it is given, as it is written.
        before, after: the types; num_values: values that were looked at.
        num_before, num_after: how many different values there are among them, before and after.
        low, high: least and greatest of them; gap: the usual difference between one value and the next greater one.
        spacing: how far the next number is that the new type can hold.
    """

    made: Place = None
    text: str = ""
    source: str = ""
    before: str = ""
    after: str = ""
    num_values: int = 0
    num_before: int = 0
    num_after: int = 0
    low: float = 0.0
    high: float = 0.0
    gap: float = 0.0
    spacing: float = 0.0
