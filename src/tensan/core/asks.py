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


class Measure(StrEnum):
    """What is looked at afterwards, always relative to the unchanged step."""

    GRADIENT = "gradient"
    LOSS = "loss"
    OUTPUT = "output"
    FIRST_NONFINITE = "first_nonfinite"


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
