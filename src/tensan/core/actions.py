"""What was done to keep a run alive: each action once, with its step and its cause, and as few lines that tell of many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

#: Actions that are kept one by one; more are counted.
MOST_ACTIONS = 200
#: Lines of the report.
_MOST_LINES = 12


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done.

    Attributes:
        kind: `skip`, `rewind`, `stop`, `let go`, `heal`, `clamp`, `refuse` or `scaler`.
        step: optimizer steps done before.
        text: what was done and why, without the step.
        cause: the place that is to blame, where it is known.
        kept: folder of the batch that was set aside, where one was.
    """

    kind: str
    step: int
    text: str
    optimizer: str = ""
    cause: str = ""
    kept: str = ""


def lines(actions: Iterable[Action], *, more: int = 0) -> Iterator[str]:
    """Yields the lines of the report; the same thing done at one step after the other is one line.

    Args:
        actions: in the order in which they were taken.
        more: how many were counted only.
    """
    told = [list(same) for _, same in groupby(actions, key=lambda action: (action.kind, action.text, action.cause))]
    for same in told[:_MOST_LINES]:
        first, last = same[0], same[-1]
        when = f"step {first.step}" if len(same) == 1 else f"steps {first.step} to {last.step} ({len(same)} times)"
        cause = f"; cause: {first.cause}" if first.cause else ""
        kept = next((f"; batch kept in {action.kept}" for action in same if action.kept), "")
        yield f"recovery: {when} {first.text}{cause}{kept}"
    left = sum(len(same) for same in told[_MOST_LINES:]) + more
    if left:
        yield f"recovery: and {left} more; the run file has them one by one"
