"""A step that was recorded whole, so that it can be played again."""

from __future__ import annotations

import msgspec

from tensan.core.events.base import Event
from tensan.core.events.things import Shape
from tensan.core.events.training import Loss
from tensan.core.sites import Place


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
