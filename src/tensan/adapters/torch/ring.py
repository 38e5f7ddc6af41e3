"""Snapshots of the full state: the last few in memory, and on disk where that was asked for."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.averages import Average, Averages
from tensan.adapters.torch.copies import copied, put_back
from tensan.adapters.torch.finite import broken
from tensan.adapters.torch.optimizer_copy import OptimizerCopy
from tensan.adapters.torch.random_states import random_states

if TYPE_CHECKING:
    from tensan.adapters.torch.drawn import Drawn
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Snapshots in memory, and the bytes that they may take together; one there is always.
MOST_SNAPSHOTS = 3
MOST_BYTES = 4 << 30
#: Part of the time between two snapshots that taking one may cost, where their distance was not set.
PART = 0.03
#: The inverse of a smaller scale overflows: no gradient is finite ever again, and the scaler does not notice.
LEAST_SCALE = 2.0**-126


class Snapshot:
    """The state after a step.

    Attributes:
        step: optimizer steps done.
        optimizers: copies by id, weights included.
        others: what the models hold beside that: buffers, and parameters of an average or a teacher.
        averages: what the program itself keeps of the weights and moves with them.
        positions: how far the loaders are.
    """

    def __init__(self, recorder: Recorder, *, step: int, earlier: Snapshot | None) -> None:
        self.step = step
        self.optimizers: dict[str, OptimizerCopy] = {}
        for record in recorder.optimizers.living():
            before = earlier.optimizers.get(record.id) if earlier is not None else None
            self.optimizers[record.id] = OptimizerCopy(record.reference(), earlier=before)
        owned = {id(tensor) for copy in self.optimizers.values() for tensor in copy.parameters}
        others = list(_others(recorder, owned))
        self.others = [weakref.ref(tensor) for tensor in others]
        self.copies = copied(others, into=earlier.copies if earlier is not None else ())
        self.averages: list[Average] = []
        self.positions: list[dict[str, Any]] = []
        self.random = random_states()
        self.scalers: list[tuple[weakref.ref[Any], dict[str, Any]]] = []

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(each.size for each in (*self.optimizers.values(), *self.averages)) + sum(copy.nbytes for copy in self.copies)

    def broken(self) -> bool:
        """Tells whether anything in it is not finite that must be."""
        return bool(broken(tensor for copy in self.optimizers.values() for tensor in copy.weights))

    def put_back(self, recorder: Recorder, *, scheduled: bool = False) -> None:
        """Makes weights, optimizer states and buffers what they were.

        Args:
            recorder: knows the optimizers.
            scheduled: whether the learning rates come back as well; where the data go on, so do they.
        """
        for record in recorder.optimizers.living():
            copy, optimizer = self.optimizers.get(record.id), record.reference()
            if copy is not None and optimizer is not None:
                copy.put_back(optimizer, scheduled=scheduled)
        pairs = [(tensor, copy) for reference, copy in zip(self.others, self.copies, strict=True) if (tensor := reference()) is not None]
        put_back([tensor for tensor, _ in pairs], [copy for _, copy in pairs])
        for average in self.averages:
            average.put_back()
        for reference, state in self.scalers:
            scaler = reference()
            if scaler is not None and not scaler.get_scale() >= state["scale"]:  # it has only fallen because of what is undone here
                scaler.load_state_dict(state)

    def values(self) -> dict[int, Any]:
        """Returns the copies by the id of the tensor that they were taken of."""
        found = {
            id(tensor): value for copy in self.optimizers.values() for tensor, value in zip(copy.parameters, copy.weights, strict=True)
        }
        return found | {id(reference()): copy for reference, copy in zip(self.others, self.copies, strict=True)}


class Ring:
    """The last good snapshots.

    Args:
        recorder: knows what there is to copy.
        drawn: knows how far the loaders are.
        every: steps between two of them; None leaves that to what they cost.
    """

    def __init__(self, recorder: Recorder, *, drawn: Drawn, every: int | None) -> None:
        self._recorder = recorder
        self._drawn = drawn
        self._averages = Averages(recorder)
        self._every = every
        self._snapshots: list[Snapshot] = []
        self._spare: Snapshot | None = None
        self._next = 0
        self._pending: Snapshot | None = None
        self._first = self._last = self._leader = ""
        self._began = 0
        self._disk_next = 0
        self._used: Snapshot | None = None
        self._good_since = False
        self.count = self.spent = 0
        self.lost = False
        self.scalers: weakref.WeakSet[Any] = weakref.WeakSet()

    def holds(self, record: OptimizerRecord) -> bool:
        """Tells whether there is something to go back to for an optimizer."""
        return any(record.id in snapshot.optimizers for snapshot in self._snapshots)

    # ---- taking ----

    def stepping(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step: the last snapshot gets what its step has only ended with now, such as the schedule's."""
        if not self._first:
            self._first, self._began = record.id, time.perf_counter_ns()
            self._take(self._recorder.watch.steps)
        elif record.id == self._first:
            self._leader = self._last  # the last of a round of several: nothing of the next round has happened after it
        self._recorder.apart(self.complete)

    def stepped(self, record: OptimizerRecord) -> None:
        """An optimizer has stepped, and well."""
        self._last, self._good_since = record.id, True
        self._recorder.apart(self._averages.stepped)
        done = self._recorder.watch.steps + 1
        if record.id == self._leader and done >= self._next:
            self._take(done)
            self._pending = self._snapshots[-1] if not self.lost else None

    def _take(self, step: int) -> None:
        began, thread = time.perf_counter_ns(), time.thread_time_ns()
        snapshot = Snapshot(self._recorder, step=step, earlier=self._spare)
        self._spare = None
        self.lost = snapshot.broken()
        if self.lost:
            self._spare = snapshot
            return
        snapshot.scalers = [(weakref.ref(scaler), state) for scaler in self.scalers if (state := scaler.state_dict())]
        snapshot.averages = self._averages.copied(self._snapshots[-1].averages if self._snapshots else [])
        snapshot.positions = self._drawn.positions()
        self._snapshots.append(snapshot)
        most = max(1, min(MOST_SNAPSHOTS, MOST_BYTES // max(snapshot.size, 1)))
        while len(self._snapshots) > most:
            self._spare = self._snapshots.pop(0)
        now = time.perf_counter_ns()
        self.count += 1
        self.spent += time.thread_time_ns() - thread
        self._next = snapshot.step + (self._every or self._distance(now - began, now, least=10))

    def _distance(self, cost: int, now: int, *, least: int) -> int:
        steps = self._recorder.watch.steps
        per_step = (now - self._began) / steps if steps else math.inf
        return max(least, math.ceil(cost / (PART * per_step)))

    # ---- going back ----

    def rewind(self, *, older: bool, before: int | None = None) -> int | None:
        """Puts the last good snapshot back; returns its step.

        Args:
            older: whether one that was put back just now is to be passed over: finite weights may lead to the same place again. Where
                there was a good step in between it is in any case.
            before: steps done before the fault began: snapshots that are younger have it in them.
        """
        if not self._snapshots:
            return None
        while before is not None and len(self._snapshots) > 1 and self._snapshots[-1].step > before:
            self._spare = self._snapshots.pop()
        if self._used is self._snapshots[-1] and (older or self._good_since) and len(self._snapshots) > 1:
            self._spare = self._snapshots.pop()
        self._pending, self.lost, self._good_since = None, False, False
        snapshot = self._used = self._snapshots[-1]
        snapshot.put_back(self._recorder)
        for scaler in self.scalers:
            if scaler.get_scale() < LEAST_SCALE:
                scaler.load_state_dict({**scaler.state_dict(), "scale": float(scaler._init_scale)})
        return snapshot.step

    def rates(self) -> dict[str, list[float]]:
        """Returns the learning rates of the snapshot that was put back."""
        copies = self._used.optimizers if self._used is not None else {}
        return {name: [float(rate) for rate in copy.rates() if rate is not None] for name, copy in copies.items()}

    # ---- on disk ----

    def complete(self) -> None:
        """Ends a snapshot, and writes it where that was asked for."""
        snapshot, self._pending = self._pending, None
        keeper = self._recorder.watch.gate.keeper
        if snapshot is None or keeper is None or not keeper.keeps_snapshots or snapshot.step < self._disk_next:
            return
        began = time.perf_counter_ns()
        files = dict(self._files(snapshot))

        def write(folder: Path) -> None:
            for name, value in files.items():
                torch.save(value, folder / name)

        about = {"versions": dict(self._recorder.watch.versions), "script": self._recorder.watch.script}
        try:
            keeper.snapshot(step=snapshot.step, write=write, about=about)
        except OSError as error:
            self._recorder.watch.note(f"TEN902: the snapshot of step {snapshot.step} cannot be written: {error.strerror or error}")
        now = time.perf_counter_ns()
        self._disk_next = snapshot.step + (1 if self._every else self._distance(now - began, now, least=10))

    def _files(self, snapshot: Snapshot) -> Iterator[tuple[str, Any]]:
        recorder = self._recorder
        values = snapshot.values()
        models = [root for root in _roots(recorder) if any(id(tensor) in values for tensor in root.parameters())]
        yield from _numbered("model", [_state_of(root, values) for root in models])
        living = {record.id: record.reference() for record in recorder.optimizers.living()}
        states = []
        for name, copy in snapshot.optimizers.items():
            optimizer = living.get(name)
            if optimizer is not None:
                states.append(copy.state_dict(optimizer))
        yield from _numbered("optimizer", states)
        schedules = [schedule for record in recorder.schedules.records.values() if (schedule := record.reference()) is not None]
        yield from _numbered("scheduler", [_plain(schedule.state_dict()) for schedule in schedules])
        yield from _numbered("scaler", [_plain(scaler.state_dict()) for scaler in self.scalers])
        yield from _numbered("average", [average.values() for average in snapshot.averages])
        yield from _numbered("sampler", snapshot.positions)
        yield "random.pt", snapshot.random


def _numbered(name: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    for number, value in enumerate(values, 1):
        yield (f"{name}.pt" if len(values) == 1 else f"{name}-{number}.pt"), value


def _plain(value: Any) -> Any:
    """Returns a state without what `torch.load(weights_only=True)` would refuse, such as the functions of a schedule."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if _is_plain(item)}
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(item) for item in value) if type(value) in (list, tuple) else [_plain(item) for item in value]
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, (dict, list, tuple)):
        return True
    return value is None or isinstance(value, (bool, int, float, str, torch.Tensor))


def _roots(recorder: Recorder) -> list[Any]:
    inventory = recorder.inventory
    found = {id(root): root for module in list(inventory.modules) if (root := inventory.root_of(module)) is not None}
    return sorted(found.values(), key=lambda root: int(inventory.module_id(root).partition(":")[2]))


def _others(recorder: Recorder, owned: set[int]) -> Iterator[Any]:
    """Yields buffers of models that are trained, and all of models beside them that are no larger, such as a moving average."""
    total = sum(tensor.numel() for record in recorder.optimizers.living() for tensor in record.parameters())
    seen = set(owned)
    for root in _roots(recorder):
        parameters = list(root.parameters())
        trained = any(id(tensor) in owned for tensor in parameters)
        beside = not trained and sum(tensor.numel() for tensor in parameters) <= total
        for tensor in (*(parameters if beside else ()), *(root.buffers() if trained or beside else ())):
            if id(tensor) not in seen and not tensor.is_meta and tensor.layout is torch.strided:
                seen.add(id(tensor))
                yield tensor


def _state_of(root: Any, values: dict[int, Any]) -> dict[str, Any]:
    """Returns what the model's own `state_dict` would have returned, without calling what the program may have made of it."""
    state = {}
    for path, module in root.named_modules(remove_duplicate=False):
        temporary = module._non_persistent_buffers_set
        kept = {name: tensor for name, tensor in module._buffers.items() if name not in temporary}
        for name, tensor in {**module._parameters, **kept}.items():
            if tensor is not None:
                value = values.get(id(tensor))
                state[f"{path}.{name}" if path else name] = (tensor.detach() if value is None else value).clone()
    return state
