"""Keeps figures for the report: what other parts have on the host already, thinned, appended to the run file now and then."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _functorch as transforms  # pyright: ignore[reportAttributeAccessIssue]

from tensan.core.curves import FACTS, FIGURES, GRADIENT, LOSS, RATE, UPDATE, Column, Fact, Figures, Mark, Series, Spacing, Stretch, size
from tensan.core.events.things import typed
from tensan.core.findings import plain, text
from tensan.core.sites import Location, Place, Site, here, resolved

if TYPE_CHECKING:
    from tensan.adapters.torch.loaders import LoaderRecord
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Points of a curve, and columns of the gradient flow, after which they are taken half as often.
POINTS, COLUMNS = 256, 48
#: On steps that are not looked at, the loss is read each so many steps, later once in such a part of the run so far.
IDLE_EVERY, IDLE_PART = 16, 1 / 48
#: Curves of a kind, layers, and marks of a kind that are kept.
MOST_SERIES, MOST_LAYERS, MOST_MARKS = 8, 500, 200
#: Parts of the data and groups of an optimizer that are described.
MOST_DESCRIBED = 12
#: Seconds between two records, and the part of the run's length that they grow to: a long run needs no more of them.
TELL_EVERY, TELL_PART = 1.0, 1 / 500

_MARKS = {"load": "a state was loaded", "optimizer": "an optimizer was built", "parameter": "a parameter was registered"}


class _Flow:
    """The rows that one optimizer's layers have in the picture of the gradient flow."""

    def __init__(self) -> None:
        self.spacing = Spacing(COLUMNS)
        self.first = 0
        self.layers: dict[str, int] = {}
        self.row_of: dict[str, int] = {}


class Curve:
    """Points of one curve that are not yet written."""

    def __init__(self) -> None:
        self.spacing = Spacing(POINTS)
        self.points: list[tuple[int, float]] = []


class Figuring:
    """Collects figures. Nothing here reads a device: what has to be fetched from there is left out."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.on = recorder.watch.run_file is not None
        #: The next step whose loss is read although the step is not looked at.
        self.next_idle = 0
        self._curves: dict[tuple[str, str], Curve] = {}
        self._flows: dict[str, _Flow] = {}
        self._num_layers = 0
        self._fresh = Figures()
        self._marks: dict[str, int] = {}
        self._names: dict[tuple[int, int], tuple[CodeType, str]] = {}
        self._batches: dict[str, list[str]] = {}
        self._began = time.monotonic()
        self._next_tell = 0.0

    def hear(self, part: Callable[..., object], *args: Any) -> None:
        """Calls one of the methods below, unless nothing is to be recorded."""
        if self.on:
            part(*args)

    # ---- figures ----

    def loss(self, roots: list[Any], site: Place, *, idle: bool = False) -> None:
        """A backward is about to run: its loss, where that lies on the host."""
        root = roots[0] if len(roots) == 1 else None
        if type(root) is not torch.Tensor or root.numel() != 1 or not root.is_cpu or not root.is_floating_point():
            return
        if transforms.peek_interpreter_stack() is None:
            self.loss_value(site, float(root.detach()))
        if not idle:
            self._describe_batch()

    def loss_value(self, site: Place, value: float) -> None:
        """A loss whose value is known."""
        scaled = ", scaled" if self.recorder.backwards.is_scaled else ""
        self._take(LOSS, (self._place(site) or "loss") + scaled, self.recorder.watch.steps, value)

    def idle(self, tensors: Any) -> None:
        """A backward runs on a step that is not looked at: now and then its loss is read, and the rates."""
        recorder = self.recorder
        step = recorder.watch.steps
        roots = [tensors] if type(tensors) is torch.Tensor else []
        self.loss(roots, here(1), idle=True)
        self.next_idle = step + max(IDLE_EVERY, int(step * IDLE_PART))
        for record in recorder.optimizers.living():
            self.rates(record, step)
        self._tell()

    def gradients(self, record: OptimizerRecord, norms: list[float]) -> None:
        """The gradients of an optimizer were tested: the norm of each is known."""
        step, name = self.recorder.watch.steps, self._optimizer(record)
        if self._is_due(GRADIENT, name, step):
            self._take(GRADIENT, name, step, math.hypot(*norms))
        flow = self._flows.setdefault(record.id, _Flow())
        if flow.spacing.due(step) and (flow.layers or not flow.row_of):
            flow.spacing.took(step)
            self._add_column(record, flow, norms, step)

    def stepped(self, record: OptimizerRecord, ratios: list[float]) -> None:
        """A step that is looked at is done: the rates, and how far some weights have moved relative to their size."""
        step = self.recorder.watch.steps - 1
        self.rates(record, step)
        if ratios:
            self._take(UPDATE, self._optimizer(record), step, sorted(ratios)[len(ratios) // 2])
        self._tell()

    def rates(self, record: OptimizerRecord, step: int) -> None:
        """Takes the learning rate of each group, where it is a plain number."""
        optimizer = record.reference()
        groups = optimizer.param_groups if optimizer is not None else ()
        told: set[float] = set()
        for number, group in enumerate(groups[:MOST_DESCRIBED]):
            rate = group.get("lr")
            if isinstance(rate, (int, float)) and rate not in told:  # groups that go together are one curve
                told.add(rate)
                self._take(RATE, self._optimizer(record) + (f", group {number}" if number else ""), step, float(rate))

    def mark(self, kind: str) -> None:
        """Something rare has happened."""
        what = _MARKS.get(kind, "")
        if kind == "epoch":
            identifier, number = self.recorder.loaders.current
            loader = next((each for each in reversed(self.recorder.loaders.all) if each.id == identifier), None)
            if loader is not None and (loader.trained or number == 1):  # the later rounds of an evaluation are no news
                what = f"epoch {number} of the loader made at {self._place(loader.made) or 'an unknown place'}"
        self._marks[kind] = count = self._marks.get(kind, 0) + 1
        if what and count <= MOST_MARKS:
            self._fresh.marks.append(Mark(self.recorder.watch.steps, what))

    def evaluated(self, site: Place, began: int) -> None:
        """A model has run with gradients off, since a time in nanoseconds."""
        self._marks["evaluation"] = count = self._marks.get("evaluation", 0) + 1
        if count <= MOST_MARKS:
            at = resolved(site) or Location(path="", line=0)
            self._fresh.evaluations.append(Stretch(self.recorder.watch.steps, text(at.path), at.line, began, time.time_ns()))

    # ---- how they are kept ----

    def _is_due(self, kind: str, name: str, step: int) -> bool:
        curve = self._curves.get((kind, name))
        return curve is None or curve.spacing.due(step)

    def _take(self, kind: str, name: str, step: int, value: float) -> None:
        curve = self._curves.get((kind, name))
        if curve is None:
            if sum(known == kind for known, _ in self._curves) >= MOST_SERIES:
                return
            curve = self._curves[kind, name] = Curve()
        if curve.points and curve.points[-1][0] == step:
            curve.points[-1] = step, value  # the last of several backwards in a step
        elif curve.spacing.due(step):
            curve.spacing.took(step)
            curve.points.append((step, value))

    def _add_column(self, record: OptimizerRecord, flow: _Flow, norms: list[float], step: int) -> None:
        tensors = [tensor for tensor in record.parameters() if tensor.grad is not None and not tensor.grad.is_sparse]
        known = [self.recorder.inventory.known(tensor).id for tensor in tensors]
        if not flow.row_of.keys() >= set(known):
            self._lay_out(record, flow)
        squares: list[float | None] = [None] * len(flow.layers)
        for identifier, norm in zip(known, norms, strict=True):
            row = flow.row_of.get(identifier, -1)
            if row >= 0:
                squares[row] = (squares[row] or 0.0) + norm * norm
        sizes = [size(math.sqrt(value)) if value is not None else None for value in squares]
        self._fresh.columns.append(Column(step, flow.first, sizes))

    def _lay_out(self, record: OptimizerRecord, flow: _Flow) -> None:
        """Gives the layers of an optimizer new rows: one that has met other parameters before starts anew."""
        described = [self.recorder.inventory.describe(tensor) for tensor in record.parameters()]
        layers = list(dict.fromkeys(one.name.rpartition(".")[0] or one.name for one in described))
        room = max(0, MOST_LAYERS - self._num_layers)
        kept = layers if len(layers) <= room else [layers[len(layers) * number // room] for number in range(room)]
        flow.first, flow.layers = self._num_layers, {layer: row for row, layer in enumerate(kept)}
        flow.row_of = {one.id: flow.layers.get(one.name.rpartition(".")[0] or one.name, -1) for one in described}
        self._num_layers += len(kept)
        self._fresh.left_out += len(layers) - len(kept)
        several = len(self.recorder.optimizers.by_id) > 1
        self._fresh.layers.extend(text(f"{layer} ({self._optimizer(record)})" if several else layer) for layer in kept)

    def _tell(self) -> None:
        now = time.monotonic()
        if now >= self._next_tell:
            self._next_tell = now + max(TELL_EVERY, (now - self._began) * TELL_PART)
            self._write()
            self.recorder.apart(self.recorder.worker_messages.look)

    def _write(self) -> None:
        """Appends what has come since the last record to the run file."""
        watch, fresh = self.recorder.watch, self._fresh
        if watch.run_file is None:
            return
        for (kind, name), curve in self._curves.items():
            if curve.points:
                points: list[Any] = [(step, plain(value)) for step, value in curve.points]
                fresh.series.append(Series(kind=kind, name=name, points=points))
                curve.points = []
        fresh.at, fresh.steps, fresh.overhead_pct = time.time_ns(), watch.steps, round(100 * watch.budget.used_share, 3)
        self._fresh = Figures()
        watch.run_file.append(FIGURES, fresh)

    # ---- what is known at the end ----

    def finish(self) -> None:
        """Writes what is left, and what is known of data, optimizers and schedules."""
        self._write()
        facts = [*self._data(), *self._optimizers(), *self._schedules()]
        if facts and self.recorder.watch.run_file is not None:
            self.recorder.watch.run_file.append(FACTS, facts)

    def _describe_batch(self) -> None:
        last = self.recorder.loaders.last
        if last is not None and last.id not in self._batches:
            tensors = self.recorder.loaders.batch()[:4]
            self._batches[last.id] = [typed(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)) for tensor in tensors]

    def _data(self) -> list[Fact]:
        alike: dict[object, list[LoaderRecord]] = {}  # a loader that is made anew for each epoch is one to its reader
        for record in self.recorder.loaders.all:
            if record.epochs:
                key = record.kind, self._place(record.made), record.order.kind, record.length
                alike.setdefault(key, []).append(record)
        return [self._loader(records) for records in list(alike.values())[:MOST_DESCRIBED]]

    def _loader(self, records: list[LoaderRecord]) -> Fact:
        first = records[0]
        rows = first.rows[1] if first.rows is not None else None
        lines = [
            ("role", "learned from" if any(each.trained for each in records) else "not seen to be learned from"),
            ("samples", str(len(rows)) if rows else ""),
            ("batches an epoch", str(first.length) if first.length is not None else ""),
            ("a batch", next((", ".join(self._batches[each.id]) for each in records if each.id in self._batches), "")),
            ("epochs begun", str(sum(each.epochs for each in records))),
            ("read to the end", _of_epochs(records)),
            ("equal samples", next((told for each in records if (told := self.recorder.equal_rows.told(each.id))), "")),
            ("made anew", f"{len(records)} times" if len(records) > 1 else ""),
            ("order", {"sequential": "as stored", "random": "drawn at random"}.get(first.order.kind, "not known")),
            ("worker processes", str(first.num_workers)),
            ("labels", self.recorder.labels.stored(first.id)),
        ]
        return self._fact("data", first.kind, first.made, lines)

    def _optimizers(self) -> list[Fact]:
        facts = []
        for record in list(self.recorder.optimizers.by_id.values())[:MOST_DESCRIBED]:
            decay, _ = record.decay()
            rates = ", ".join(f"{rate:g}" for rate in dict.fromkeys(record.rates()))
            lines = [
                ("parameters", str(len(record.parameter_ids))),
                ("steps", str(record.steps)),
                ("learning rate at the end", rates),
                ("weight decay", f"{decay:g}"),
            ]
            facts.append(self._fact("optimizer", record.kind, record.made, lines))
        return facts

    def _schedules(self) -> list[Fact]:
        facts = []
        for each in self.recorder.schedules.events()[:MOST_DESCRIBED]:
            planned = f"{each.planned} ({each.planned_name})" if each.planned is not None else "no end of its own"
            lines = [
                ("stepped", f"{each.steps} times"),
                ("optimizer steps meanwhile", str(each.optimizer_steps)),
                ("planned steps", planned),
            ]
            facts.append(self._fact("schedule", each.kind, each.made, lines))
        return facts

    def _fact(self, kind: str, title: str, made: Place, lines: list[tuple[str, str]]) -> Fact:
        place = self._place(made)
        return Fact(kind=kind, title=text(f"{title}, {place}" if place else title), lines=[line for line in lines if line[1]])

    # ---- names ----

    def _optimizer(self, record: OptimizerRecord) -> str:
        place = self._place(record.made)
        return text(f"{record.kind}, {place}" if place else record.kind)

    def _place(self, site: Place) -> str:
        """Returns a place as curves are named: file and line."""
        if not isinstance(site, Site):
            return text(f"{os.path.basename(site.path)}:{site.line}") if isinstance(site, Location) else ""
        # The hash of a code object goes through all that it holds.
        key = id(site.code), site.instruction
        known = self._names.get(key)
        if known is None or known[0] is not site.code:
            path, line = site.key
            known = self._names[key] = site.code, text(f"{os.path.basename(path)}:{line}")
        return known[1]


def _of_epochs(records: list[LoaderRecord]) -> str:
    """Says how much of its data a loader has handed over: an epoch that was left early has not shown all."""
    begun, whole = sum(each.epochs for each in records), sum(min(each.exhausted, each.epochs) for each in records)
    return f"{whole} of {begun} epochs"
