"""Trains twins of the program's model on its recorded steps after its end: one as it is written, one with a fix, in several orders.

First the recorded steps are done again as they were: what does not give the program's own losses bit for bit is not concluded from. A part
of the passes is held out; the loss on it, in eval mode, is what both twins are measured by.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from tensan.adapters.torch.journal import Backward, Event, Journal, Key, Pass, Step, set_generators
from tensan.adapters.torch.tape import Refused
from tensan.adapters.torch.twin import Edits, Twin, as_recorded
from tensan.adapters.torch.virtual import virtual
from tensan.core.asks import Answer, Ask
from tensan.core.sites import Place

#: Orders of the passes that are tried.
ORDERS = 5
#: Passes with data of their own that are needed, and how many of them are held out at least; a quarter where there are more.
LEAST_PASSES, LEAST_HELD_OUT = 6, 3
#: Replayed steps of one twin, and seconds of CPU time that all of one fix may take.
LEAST_STEPS, MOST_STEPS, SECONDS = 10, 200, 30.0
#: Rows that must not have been seen before, as a share of a pass.
NEW = 0.5
#: What counts for a loss that is not finite any more, as the logarithm of how much too large it is.
_ASTRAY = 50.0
#: Student's t at 95 %, by degrees of freedom.
_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


class Rehearsal:
    """What can be tried on a journal.

    Args:
        journal: what was recorded.
        steps: how many steps the program has taken.
    """

    def __init__(self, journal: Journal, *, steps: int) -> None:
        self.journal = journal
        self.steps = min(steps, MOST_STEPS)
        self.events: list[Event] = []
        self.training: list[Pass] = []
        self.held_out: list[Pass] = []
        self.per_step = 0.0
        self.why_not: str | None = None

    def answer(self, ask: Ask) -> Answer:
        """Tries a fix."""
        try:
            with _alone():
                self._begin()
                return self._try(ask)
        except (Refused, RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as error:  # an operation with other values
            return Answer(ask=ask, why_not=str(error).partition("\n")[0][:80])

    # ---- once ----

    def _begin(self) -> None:
        if self.why_not is None:
            self.why_not = ""
            try:
                self._verify()
                self._hold_out()
            except Refused as refusal:
                self.why_not = str(refusal)
        if self.why_not:
            raise Refused(self.why_not)

    def _verify(self) -> None:
        """Does the recorded steps again as they were, and keeps those that give the program's own losses."""
        journal = self.journal
        if journal.why_not or not journal.passes:
            raise Refused(journal.why_not or "no pass was recorded")
        if len({one.site for one in journal.passes}) > 1 and not _are_apart(journal):
            raise Refused("several optimizers have losses of their own: that one becomes less says nothing")
        twin, good, began = Twin(journal), 0, time.thread_time()
        for at, event in enumerate(journal.events):
            given = journal.passes[event.number] if isinstance(event, Backward) else None
            if given is not None:
                set_generators(given.generators)
            loss = twin.does(event, given, as_recorded)
            if given is not None and not _is_same(loss, given.loss):
                break
            good = at + 1
        last = max((at for at, event in enumerate(journal.events[:good]) if isinstance(event, Step)), default=-1)
        self.events = journal.events[: last + 1]
        num_steps = sum(isinstance(event, Step) for event in self.events)
        if num_steps < LEAST_PASSES:
            whole = good == len(journal.events)
            raise Refused("too few steps were recorded" if whole else "doing the recorded steps again does not give the same losses")
        self.per_step = (time.thread_time() - began) / num_steps

    def _hold_out(self) -> None:
        numbers = [event.number for event in self.events if isinstance(event, Backward)]
        for of_loss in _by_loss([self.journal.passes[number] for number in numbers]).values():
            passes = list(_with_new_data(of_loss))
            if len(passes) < LEAST_PASSES:
                raise Refused(f"fewer than six different batches were recorded: {len(passes)} of {len(of_loss)} passes have new data")
            count = max(LEAST_HELD_OUT, len(passes) // 4)
            held_out = [passes[(number + 1) * len(passes) // count - 1] for number in range(count)]
            self.held_out += held_out
            self.training += [one for one in passes if not any(one is other for other in held_out)]

    # ---- each fix ----

    def _try(self, ask: Ask) -> Answer:
        fix = virtual(ask.intervention, self.journal, self.events)
        steps = min(self.steps, int(SECONDS / (2 * ORDERS * max(self.per_step, 1e-6))))
        if steps < LEAST_STEPS:
            raise Refused("its recorded steps are too long, or too few")
        before, after = [], []
        for order in range(ORDERS):
            before.append(self._train(fix.written, self.events, fix.measured, order=order, steps=steps))
            after.append(self._train(fix.mended, fix.events, fix.measured, order=order, steps=steps, added=fix.added))
        return _compared(ask, before, after, steps=steps)

    def _train(self, edits: Edits, events: Sequence[Event], measured: Edits, *, order: int, steps: int, added: Any = None) -> list[float]:
        """Trains a twin; returns its loss on each pass that was held out."""
        twin = Twin(self.journal, added=added)
        torch.manual_seed(order)
        # Steps that the fix leaves out count as well: both twins see the same passes.
        most = steps * sum(isinstance(event, Backward) for event in events) // sum(isinstance(event, Step) for event in self.events)
        num_passes = 0
        shuffled = {site: _shuffled(passes, order) for site, passes in _by_loss(self.training).items()}
        for event in _going_on(events):
            given = next(shuffled[self.journal.passes[event.number].site]) if isinstance(event, Backward) else None
            if given is not None and num_passes == most:
                break
            num_passes += given is not None
            twin.does(event, given, edits)
        return [twin.loss_of(one, measured) for one in self.held_out]


def _are_apart(journal: Journal) -> bool:
    """Tells whether no pass uses what two optimizers own: each then trains a model of its own, and no loss is another one's adversary."""
    owners: dict[Key, set[str]] = {}
    for name, held in journal.optimizers.items():
        for key in (key for group in held.groups for key in group):
            owners.setdefault(key, set()).add(name)
    used = ({name for external in one.template.externals for name in owners.get(external.key, ())} for one in journal.passes)
    return len(journal.optimizers) < 2 or all(len(names) < 2 for names in used)


def _shuffled(passes: Sequence[Pass], order: int) -> Iterator[Pass]:
    draws = random.Random(order)
    while True:
        yield from draws.sample(passes, len(passes))


def _by_loss(passes: Sequence[Pass]) -> dict[Place, list[Pass]]:
    """Returns the passes of each loss: of each line that differentiates one."""
    found: dict[Place, list[Pass]] = {}
    for one in passes:
        found.setdefault(one.site, []).append(one)
    return found


def _going_on(events: Sequence[Event]) -> Iterator[Event]:
    """Yields what the loop does, again and again; from the second time on at the rates that it came to in the end."""
    yield from events
    last = {event.optimizer: event for event in events if isinstance(event, Step)}
    while True:
        yield from (last[event.optimizer] if isinstance(event, Step) else event for event in events)


def _compared(ask: Ask, before: list[list[float]], after: list[list[float]], *, steps: int) -> Answer:
    """Compares the twins over orders and over passes that were held out; the spread is the larger of both.

    Ratios are compared, since losses of runs that go astray differ by orders of magnitude.
    """
    if not all(value > 0 and math.isfinite(value) for row in after for value in row):
        return Answer(ask=ask, why_not="the replay with it diverges, or has a loss that is not positive")
    reached = [number for number, values in enumerate(zip(*before, *after, strict=True)) if _differ(values, len(before))]
    if len(reached) > 1:  # what a model of its own loses says nothing of this one
        before, after = ([[row[number] for number in reached] for row in several] for several in (before, after))
    rows = [[_ratio(b, a) for b, a in zip(*pair, strict=True)] for pair in zip(before, after, strict=True)]
    gain = _mean(map(_mean, rows))
    spread = max(_spread([_mean(row) for row in rows]), _spread([_mean(column) for column in zip(*rows, strict=True)]))
    details: dict[str, object] = {
        "measure": ask.measure.value,
        "before": _mean(map(_mean, before)),
        "after": _mean(map(_mean, after)),
        "steps": steps,
        "orders": len(rows),
        "less": -math.expm1(-gain),
        "low": -math.expm1(-(gain - spread)),
        "high": -math.expm1(-(gain + spread)),
    }
    return Answer(ask=ask, value=gain, details=details)


def _differ(values: Sequence[float], orders: int) -> bool:
    """Tells whether a fix has changed the loss on a pass in any order: the values without it come first, then those with it."""
    return values[:orders] != values[orders:]


def _ratio(before: float, after: float) -> float:
    """Returns how much smaller the second is than the first, on a scale on which doubling and halving are as large."""
    if before <= 0:
        raise Refused("a loss is not positive")
    return math.log(before / after) if math.isfinite(before) else _ASTRAY


def _mean(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def _spread(values: list[float]) -> float:
    """Returns how far the mean may be off, at 95 %."""
    mean, degrees = _mean(values), len(values) - 1
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / degrees)
    return _T.get(degrees, 2.23) * deviation / math.sqrt(len(values))


def _with_new_data(passes: Sequence[Pass]) -> Iterator[Pass]:
    """Yields passes until one comes whose data are known from those before, as in a second epoch."""
    seen: set[bytes] = set()
    for one in passes:
        rows = list(_rows(one))
        if rows and sum(row in seen for row in rows) > (1 - NEW) * len(rows):
            return
        seen.update(rows)
        yield one


def _rows(one: Pass) -> Iterator[bytes]:
    """Yields the rows of what the model was given."""
    given: set[Key] = {key for key in one.template.inputs if key}
    for external in one.template.externals:
        if external.key in given and external.kept is not None and external.kept.dim():
            for row in external.kept.cpu().contiguous():
                yield row.reshape(-1).view(torch.uint8).numpy().tobytes() if row.numel() else b""
            return


def _is_same(loss: Any, recorded: Any) -> bool:
    return bool(torch.equal(torch.nan_to_num(loss), torch.nan_to_num(recorded)))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Leaves generators, modes and default types as the program left them, and lets none of its modes hear."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
    with (
        warnings.catch_warnings(),
        torch.random.fork_rng(devices=devices),
        torch._C.DisableTorchFunction(),
        _disable_current_modes(),
        torch.enable_grad(),
        torch.autocast("cpu", enabled=False),
        torch.autocast("cuda", enabled=False),
    ):
        warnings.simplefilter("ignore")
        yield
