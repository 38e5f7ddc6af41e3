"""Stands before each optimizer step under --recover: looks, asks the gate, and does what it says."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from tensan.adapters.torch import differentiated, drawn, gating
from tensan.adapters.torch.buffers import Buffers
from tensan.adapters.torch.checkpoints import Origins, file_of, poisoned, unfit
from tensan.adapters.torch.clamps import Clamps
from tensan.adapters.torch.finite import broken
from tensan.adapters.torch.moments import Moments
from tensan.adapters.torch.optimizer_copy import OptimizerCopy
from tensan.adapters.torch.ring import Ring
from tensan.adapters.torch.suspects import Suspects
from tensan.core.actions import Action
from tensan.core.gate import Passage, Verdict
from tensan.core.sites import Place, resolved, shown_path
from tensan.core.watch import Stopped

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Names that an action tells.
MOST_NAMES = 3
#: Origins that are searched for: each costs about as much as a step.
MOST_ORIGINS = 8
#: Steps in a row that a gradient scaler has left out when that is told, and again each time they have doubled: 17 take it below 1.
COLLAPSED = 32


class _Standing:
    """What is remembered of an optimizer in the midst of a step."""

    def __init__(self) -> None:
        self.covered = False
        self.turned_away = False
        self.suspect = False
        self.depth = 0
        self.overflowed = False
        self.steps = self.left_out = 0
        self.before: OptimizerCopy | None = None
        self.spare: OptimizerCopy | None = None
        self.moments = Moments()


class Guard:
    """The gate's hands.

    Args:
        recorder: of the process.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._watch = recorder.watch
        self._gate = recorder.watch.gate
        self._standing: dict[str, _Standing] = {}
        self._origins = self._left_out = self._spent = 0
        self._losses: list[float] = []
        self.drawn = drawn.Drawn()
        self.clamps = Clamps()
        self.origins = Origins()
        self.buffers = Buffers(recorder)
        keeps = self._gate.rewinds or self._keeps_on_disk()
        self.ring = Ring(recorder, drawn=self.drawn, every=self._gate.every) if keeps else None
        drawn.install()

    def charged(self, part: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """Calls a part that runs at each step: it is told what that costs, and not part of what watching may cost."""
        began = time.thread_time_ns()
        try:
            return part(*args, **keywords)
        finally:
            spent = time.thread_time_ns() - began
            self._spent += spent
            self._watch.budget.charge(-spent)
            self._watch.budget.charge_fixed(spent)

    # ---- before a step ----

    def adopt(self, record: OptimizerRecord) -> None:
        """An optimizer is met for the first time."""
        self._of(record).covered = gating.covers(type(record.reference()))
        self.buffers.refresh()

    def meet(self, parts: Iterable[Any]) -> None:
        """The program has named what it trains, which may have been built before we came."""
        from torch.amp.grad_scaler import GradScaler

        for part in parts:
            if isinstance(part, torch.nn.Module):
                self._recorder.inventory.modules.update(part.modules())
                self._recorder.inventory.dirty = True
            elif isinstance(part, torch.optim.Optimizer):
                self._recorder.optimizers.record_of(part)
            elif isinstance(part, GradScaler) and self.ring is not None:
                self.ring.scalers.add(part)
        self.buffers.refresh()

    def _of(self, record: OptimizerRecord) -> _Standing:
        return self._standing.setdefault(record.id, _Standing())

    def differentiating(self, tensors: Any) -> None:
        """A backward is about to run: its loss, unless it is scaled by nobody knows how much."""
        value = differentiated.loss(self._recorder, tensors)
        if value is not None:
            self._losses.append(value)

    def asks(self, record: OptimizerRecord, *, closure: bool = False) -> bool:
        """Asks whether a step may take effect; returns whether it must not.

        Args:
            record: the optimizer.
            closure: whether its gradients were computed by a closure, in the midst of the step. Only the first ones of a step are
                asked about: a line search may well try a place that is no good, and what becomes of that shows at its end.
        """
        standing = self._of(record)
        standing.turned_away, standing.suspect = False, closure and standing.suspect
        self.drawn.stepping()
        if self.ring is not None:
            self.ring.stepping(record)
        if self._left_to_scaler(record):
            standing.overflowed = True
            return False
        self.clamps.before_step(record)
        statistics = self._recorder.statistics
        passage, names = self._look(record, standing)
        losses, self._losses = self._losses, []
        if losses and not closure:
            passage = msgspec.structs.replace(passage, loss=sum(losses) / len(losses), rate=max(record.rates(), default=0.0))
        verdict = self._gate.decide(passage)
        if verdict is Verdict.PROCEED:
            if self._gate.ruling.why:
                self._tell("let go", record, f"went on all the same, since going back has not helped: {self._gate.ruling.why}", "")
            if closure and standing.suspect and standing.before is None:  # its code runs already, and has changed nothing yet
                standing.before, standing.spare = OptimizerCopy(record.reference(), earlier=standing.spare), None
            return False
        standing.turned_away = True
        if passage.what == "gradient" and passage.nonfinite:
            self._recorder.apart(statistics.found_broken, record)
        self._act(record, passage, verdict, names)
        return True

    def _left_to_scaler(self, record: OptimizerRecord) -> bool:
        """A fused optimizer under a scaler is called even after an overflow, and leaves the weights alone by itself."""
        found = getattr(record.reference(), "found_inf", None)
        return isinstance(found, torch.Tensor) and bool(found)

    def _look(self, record: OptimizerRecord, standing: _Standing) -> tuple[Passage, list[str]]:
        optimizer, statistics = record.reference(), self._recorder.statistics
        share = statistics.nonfinite_share(record)
        what, names = "gradient", []
        if share:
            gradients = {id(tensor.grad): tensor for tensor in record.parameters() if tensor.grad is not None}
            names = [self._name(gradients[id(gradient)]) for gradient in broken(tensor.grad for tensor in gradients.values())]
        moments = standing.moments.broken(optimizer)
        if not share and moments:
            what, share, names = "optimizer state", 1.0, [f"`{key}` of {self._name(tensor)}" for tensor, key in moments]
        if not share and not all(math.isfinite(rate) for rate in record.rates()):
            what, share, names = "learning rate", 1.0, []
        if not share and self.ring is not None and self.ring.lost:
            lost = broken(record.parameters())
            what, share, names = ("weights", 1.0, [self._name(tensor) for tensor in lost]) if lost else (what, share, names)
        # The square of a gradient may overflow where the gradient does not: only after the step can that be seen.
        standing.suspect = standing.suspect or statistics.largest > _least_square(record)
        healthy = not share or not (moments or broken(record.parameters()))
        return (
            Passage(
                optimizer=record.id,
                step=self._watch.steps,
                nonfinite=share,
                what=what,
                norm=statistics.total,
                healthy=healthy,
                rewindable=self.ring is not None and self.ring.holds(record),
            ),
            names,
        )

    def _name(self, tensor: Any) -> str:
        return self._recorder.inventory.describe(tensor).name

    # ---- in the midst of a step ----

    def is_turned_away(self, optimizer: Any) -> bool:
        """Tells whether an optimizer's own code must not run."""
        record = self._recorder.optimizers.by_id.get(id(optimizer))
        standing = self._standing.get(record.id) if record is not None else None
        return standing is not None and standing.turned_away

    def can_call_off(self, record: OptimizerRecord) -> bool:
        """Tells whether the optimizer's own code can be kept from running, or left."""
        return self._of(record).covered

    def closure_given(self, record: OptimizerRecord) -> None:
        """A step begins that computes its gradients itself."""
        standing = self._of(record)
        standing.turned_away, standing.suspect = False, not _computes_first(record.reference())

    def begin(self, optimizer: Any) -> None:
        """An optimizer's own code is about to run: where it may go wrong, what it is about to change is copied."""
        standing = self._of(self._recorder.optimizers.record_of(optimizer))
        standing.depth += 1
        if standing.depth == 1 and standing.suspect:
            standing.before, standing.spare = OptimizerCopy(optimizer, earlier=standing.spare), None

    def failed(self, optimizer: Any) -> None:
        """An optimizer's own code has raised, and the program hears of it."""
        standing = self._of(self._recorder.optimizers.record_of(optimizer))
        standing.depth, standing.before, standing.turned_away = 0, None, False

    def end(self, optimizer: Any) -> None:
        """An optimizer's own code has run: where it was copied before, what it has made is looked at."""
        record = self._recorder.optimizers.record_of(optimizer)
        standing = self._of(record)
        standing.depth -= 1
        if standing.depth > 0 or standing.before is None:  # of a class that calls its base's `step`, the outer one counts
            return
        before, standing.before = standing.before, None
        standing.spare = before
        if standing.turned_away:  # left from within
            before.put_back(optimizer, scheduled=True)
            return
        weights = [self._name(tensor) for tensor in broken(before.parameters)]
        names = weights or [f"`{key}` of {self._name(tensor)}" for tensor, key in standing.moments.broken(optimizer)]
        if not names:
            return
        before.put_back(optimizer, scheduled=True)
        passage = Passage(
            optimizer=record.id,
            step=self._watch.steps,
            nonfinite=1.0,
            what="update",
            healthy=not broken(before.parameters),
            rewindable=self.ring is not None and self.ring.holds(record),
        )
        standing.turned_away = True
        self._act(record, passage, self._gate.decide(passage), names)

    # ---- after a step ----

    def stepped(self, record: OptimizerRecord) -> bool:
        """A step has ended; returns whether it took effect."""
        standing = self._of(record)
        turned_away, standing.turned_away = standing.turned_away, False
        self.clamps.after_step(record)
        if turned_away:
            return False
        standing.moments.stepped()
        healed = self.buffers.stepped()
        if healed:
            self._tell("heal", record, f"put back {_named(healed)}, a buffer that was not finite", "")
        if self.ring is not None:
            self.ring.stepped(record)
        return True

    def healed(self, names: list[str], what: str) -> None:
        """Something beside the weights was not finite, and was put back."""
        text = f"put back {_named(names)}, {what} and was not finite"
        self._watch.act(Action(kind="heal", step=self._watch.steps, text=text))

    def scaled(self, scaler: Any, record: OptimizerRecord) -> None:
        """A gradient scaler's `step` has returned. What it leaves out is its own affair; that it leaves out everything is told."""
        standing = self._of(record)
        if self.ring is not None:
            self.ring.scalers.add(scaler)
        left_out = standing.overflowed or record.steps == standing.steps
        standing.overflowed, standing.steps = False, record.steps
        standing.left_out = standing.left_out + 1 if left_out else 0
        self._left_out += left_out
        if standing.left_out >= COLLAPSED and standing.left_out & (standing.left_out - 1) == 0:
            scale = float(scaler.get_scale())
            if scale < 1:
                text = f"was the {standing.left_out}th in a row that the gradient scaler left out; its scale has fallen to {scale:.3g}"
                self._tell("scaler", record, text, "")

    def refuses(self, saved: Any, target: Any = None, *_: Any) -> bool:
        """Tells whether an object must not be saved, since a good file would be lost."""
        path = file_of(target)
        if path is None:
            return False
        records = list(self._recorder.optimizers.living())
        trained = [tensor for record in records for tensor in record.parameters()]
        moments = [tensor for record in records for tensor, _ in self._of(record).moments.all(record.reference())]
        names = poisoned(saved, trained=[*trained, *moments])
        if not names:
            return False
        there = os.path.exists(path)
        kept = f"kept {path} as it was" if there else f"let {path} be written, where there was no file"
        self._watch.act(Action(kind="refuse", step=self._watch.steps, text=f"{kept}: {_named(names)} of the new state is not finite"))
        return there

    def refuses_load(self, target: Any, state: Any) -> str:
        """Returns why a state must not be loaded, or nothing: what is live is finite, and would not be afterwards."""
        names = unfit(target, state)
        if not names:
            return ""
        path = self.origins.of(state)
        what = f"{path}: a state" if path else "a state"
        into = f"`{type(target).__name__}.load_state_dict`"
        self._watch.act(
            Action(kind="refuse", step=self._watch.steps, text=f"kept what is live: {_named(names)} of {path or 'a state'} is not finite")
        )
        good = " (`tensan snapshots list` shows those that are)" if self._keeps_on_disk() else ""
        return f"{what} that {into} was given is not finite: {_named(names)}; nothing was loaded. Load an earlier one{good}"

    def _keeps_on_disk(self) -> bool:
        keeper = self._gate.keeper
        return keeper is not None and keeper.keeps_snapshots

    def finish(self) -> None:
        """The run ends."""
        if self._left_out:
            several = "s" if self._left_out > 1 else ""
            self._watch.note(f"recovery: the gradient scaler left out {self._left_out} step{several} by itself")
        taken = self.ring.spent if self.ring is not None else 0
        self._watch.cost["gate_ms"] = round((self._spent - taken) / 1e6, 3)
        if self.ring is not None:
            self._recorder.apart(self.ring.complete)
            self._watch.cost |= {"snapshots": self.ring.count, "snapshots_ms": round(taken / 1e6, 3)}

    # ---- what is done ----

    def _act(self, record: OptimizerRecord, passage: Passage, verdict: Verdict, names: list[str]) -> None:
        why = self._gate.ruling.why or _why(passage, names)
        cause = self._cause(record, passage)
        kept = self._quarantine(passage, why, cause)
        healed = self.buffers.heal()
        if healed:
            why += f"; put back {_named(healed)}"
        if verdict is Verdict.REWIND and self.ring is not None:
            to = self.ring.rewind(older=passage.healthy and self._gate.ruling.before is None, before=self._gate.ruling.before)
            if to is not None:
                self._standing_forget()
                rates = self.clamps.hold(self.ring.rates())
                self._tell("rewind", record, f"rewound to step {to}, the learning rate held at {rates} or below: {why}", cause, kept)
                return
        if verdict is Verdict.STOP:
            self._tell("stop", record, f"stopped: {why}{_hopeless(passage)}", cause, kept)
            raise Stopped(f"--recover: step {passage.step}: {why}{_hopeless(passage)}", status=1)
        self._tell("skip", record, f"skipped: {why}", cause, kept)

    def _standing_forget(self) -> None:
        for standing in self._standing.values():
            standing.moments.forget()

    def _tell(self, kind: str, record: OptimizerRecord, text: str, cause: str, kept: str = "") -> None:
        self._watch.act(Action(kind=kind, step=self._watch.steps, text=text, optimizer=record.id, cause=cause, kept=kept))

    def _cause(self, record: OptimizerRecord, passage: Passage) -> str:
        """Returns the line that is to blame: a finding's of this very step, or what playing the step again shows."""
        place: Place = self._watch.blamed("non-finite", step=passage.step)
        if place is None and passage.what == "gradient" and passage.nonfinite and self._origins < MOST_ORIGINS:
            self._origins += 1
            origin = self._recorder.investigation.locate(record)
            if origin is not None:
                place = (origin.operation.site if origin.operation is not None else None) or origin.made or origin.site or origin.backward
        where = resolved(place)
        return f"{shown_path(where.path)}:{where.line}" if where is not None else ""

    def _quarantine(self, passage: Passage, why: str, cause: str) -> str:
        keeper = self._gate.keeper
        if keeper is None or passage.what not in ("gradient", "gradient norm", "update"):
            return ""
        owned = {id(tensor) for module in list(self._recorder.inventory.modules) for tensor in module._buffers.values()}
        suspects = Suspects(self.drawn, owned=owned)
        if not suspects.tensors and suspects.indices is None:
            return ""
        about = {"optimizer": passage.optimizer, "why": why, "cause": cause, **suspects.about()}
        try:
            folder = keeper.quarantine(step=passage.step, size=suspects.size, write=suspects.write, about=about)
        except OSError as error:
            self._watch.note(f"TEN902: the batch of step {passage.step} cannot be kept: {error.strerror or error}")
            return ""
        return str(folder) if folder is not None else ""


def _computes_first(optimizer: Any) -> bool:
    """Tells whether a step that is given a closure calls it once, before it changes anything: torch's own do, but for L-BFGS."""
    module = getattr(type(optimizer).step, "__module__", "")
    return module.startswith("torch.optim.") and module != "torch.optim.lbfgs"


def _least_square(record: OptimizerRecord) -> float:
    """Returns the norm from which on the square of a gradient may overflow."""
    first = next((tensor for tensor in record.parameters() if tensor.grad is not None), None)
    return 0.5 * math.sqrt(torch.finfo(first.dtype).max) if first is not None and first.is_floating_point() else math.inf


def _named(names: list[str]) -> str:
    left = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {left} more" if left > 0 else "")


def _why(passage: Passage, names: list[str]) -> str:
    if passage.what == "gradient" and not passage.nonfinite:
        return f"the gradient's norm is {passage.norm:.3g}, far beyond the usual"
    if passage.what == "learning rate":
        return "the learning rate is not finite"
    if passage.what == "update":
        return f"the step would have made {_named(names)} non-finite"
    of = " of" if passage.what == "gradient" else ""
    return f"{passage.what}{of} {_named(names)} is not finite"


def _hopeless(passage: Passage) -> str:
    if not passage.healthy:
        return ", which leaving out steps cannot put right" + ("" if passage.rewindable else ": `--recover rewind` goes back to a snapshot")
    return ": too many bad steps without calm between them (`--bad-steps` says how many)"
