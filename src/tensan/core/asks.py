"""A question that a rule puts to an adapter when it has a suspicion: change one thing in a recorded step, and look."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

#: Relative change of the gradient below which it counts as unchanged: bugs were at most 1e-7, right programs at least 0.05.
UNCHANGED = 1e-4


class Change(StrEnum):
    """What is done to the subject: the `do(x)` of the intervention."""

    NOTHING = "nothing"
    PERMUTE = "permute"
    NOISE = "noise"
    REPLACE = "replace"
    SQUEEZE = "squeeze"
    DROP = "drop"
    FREEZE = "freeze"
    SET_MODE = "set_mode"
    ADD = "add"
    CLEAR = "clear"
    MOVE = "move"
    CONNECT = "connect"


class Measure(StrEnum):
    """What is looked at afterwards, always relative to the unchanged step."""

    GRADIENT = "gradient"
    LOSS = "loss"
    OUTPUT = "output"
    FIRST_NONFINITE = "first_nonfinite"
    HELD_OUT = "held-out loss"


class Intervention(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one named subject, such as `target`, `parameter:3` or `operation:17:1`."""

    change: Change
    subject: str
    settings: Mapping[str, object] = {}


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """An intervention and a measure; the answer comes back to the rule's `on_answer`.

    Attributes:
        insists: whether it is answered whatever the budget says, because a person has asked.
    """

    intervention: Intervention
    measure: Measure
    step: int = 0
    note: object = None
    insists: bool = False


def fix(change: Change, subject: str, **settings: object) -> Ask:
    """Returns what a remedy amounts to in recorded training: whether it helps is told by batches that were not trained on.

    Args:
        change: what is done. `add`: parameters are given to an optimizer. `clear`: gradients are cleared after each step and nowhere
            else. `move`: clipping comes before the step. `drop`: an operation, a step or a clipping is left out. `squeeze`: the operands
            of an operation get one shape. `connect`: gradient flows back to parameters. `set_mode`: back to train mode.
        subject: what it is done to: `operation`, `clip`, `step`, `mode`, or the id of an optimizer.
        settings: what else the change needs, such as the `operation` or the `parameters`.
    """
    return Ask(intervention=Intervention(change=change, subject=subject, settings=settings), measure=Measure.HELD_OUT)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter saw.

    Attributes:
        ask: the question.
        value: relative change of the measure; None where nothing can be concluded.
        why_not: why nothing can be concluded, in words for the summary; empty where something can.
        details: what else was seen on the way, such as the index of the operation where it began.
    """

    ask: Ask
    value: float | None = None
    why_not: str = ""
    details: Mapping[str, object] = {}
