"""Follows a checkpoint from the file into the run: whether the optimizer and the schedule that it holds are restored with the weights."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.progress import progress, speaks_of_resuming
from tensan.core.events.state import StateForgotten
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.optimizers import OptimizerRecord
    from tensan.adapters.torch.recorder import Recorder

#: Settings of a group that tell whether an optimizer is the one that was saved, made again.
_SETTINGS = ("lr", "initial_lr", "betas", "momentum", "weight_decay", "eps", "alpha")
#: Settings that only some kinds of optimizers have: a state fits none of another kind.
_KINDS = frozenset({"betas", "momentum", "alpha", "rho", "lambd", "etas", "history_size", "momentum_decay", "lr_decay"})
_LATEST = 8


class _File:
    """What a file that was read holds beside weights."""

    def __init__(self, value: dict[Any, Any], read: Place, written: bool) -> None:
        self.read, self.written = read, written
        self.loaded: Place = None
        self.weights = {id(tensor): weakref.ref(tensor) for state in _weights(value) for tensor in state.values()}
        self.sizes = {id(tensor): len(state) for state in _weights(value) for tensor in state.values()}
        parts = list(_parts(value))
        optimizers = [part for part in parts if _is_optimizer(part) and part["state"]]
        self.entries = max((len(part["state"]) for part in optimizers), default=0)
        self.settings = [_settings(group) for group in optimizers[0]["param_groups"]] if optimizers else []
        self.shapes = [_shape(part["param_groups"]) for part in optimizers]
        self.scheduled = max((part["last_epoch"] for part in parts if _is_schedule(part)), default=0)
        self.parameters: frozenset[int] = frozenset()
        self.trained_before = False
        self.restored: set[str] = set()


class Resumes:
    """The files that were read, until their weights have made a step."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._files: list[_File] = []
        self._has_written = False
        self.waiting = False

    def wrote(self, value: Any) -> None:
        """`torch.save` is about to write an object."""
        self._has_written = self._has_written or (isinstance(value, dict) and any(map(_is_optimizer, _parts(value))))

    def read(self, value: Any) -> None:
        """`torch.load` has returned."""
        if not isinstance(value, dict) or not self.recorder.watch.wants(StateForgotten):
            return
        file = _File(value, here(3), self._has_written)
        if file.weights and (file.entries or file.scheduled):
            self._files = [*self._files, file][-_LATEST:]

    def loading(self, module: Any, state: Any) -> None:
        """A state is about to be copied into a module."""
        tensors = [value for value in state.values() if isinstance(value, torch.Tensor)] if hasattr(state, "values") else []
        for file in self._files:
            if tensors and all((known := file.weights.get(id(tensor))) is not None and known() is tensor for tensor in tensors):
                if len(tensors) < file.sizes[id(tensors[0])]:
                    continue  # a part of the weights alone, for another head: nothing is resumed
                file.loaded = here(3)
                file.parameters = frozenset(map(id, module.parameters()))
                file.trained_before = any(
                    record.steps and not file.parameters.isdisjoint(record.parameter_ids) for record in self.recorder.optimizers.living()
                )
                self.waiting = True

    def restored(self, kind: str) -> None:
        """The program has loaded a state into an optimizer or a schedule."""
        for file in self._files:
            file.restored.add(kind)

    def stepping(self, record: OptimizerRecord) -> None:
        """An optimizer is about to step: tells of what it goes on without."""
        optimizer = record.reference()
        if optimizer is None:
            return
        for file in [file for file in self._files if file.parameters and not file.parameters.isdisjoint(record.parameter_ids)]:
            self._files.remove(file)
            continues = progress(file.read)
            fits = _shape(optimizer.param_groups) in file.shapes
            if file.entries and "optimizer" not in file.restored and not len(optimizer.state) and fits:
                # who takes a model of this very run back to its best weights and begins a new optimizer restarts it on purpose
                same = (
                    file.written
                    and not file.trained_before
                    and speaks_of_resuming(file.read)
                    and [_settings(group) for group in optimizer.param_groups] == file.settings
                )
                same = same and sum(len(group["params"]) for group in optimizer.param_groups) == file.entries
                self._tell("optimizer", record, file, continues, same_plan=same, entries=file.entries)
            if file.scheduled > 0 and "scheduler" not in file.restored and "optimizer" in file.restored:
                for known in self.recorder.schedules.records.values():
                    scheduler = known.reference()
                    if scheduler is not None and known.optimizer is record and getattr(scheduler, "last_epoch", 1) <= 0:
                        self._tell("scheduler", record, file, continues, scheduler=known.kind, entries=file.scheduled)
        self.waiting = any(file.parameters for file in self._files)

    def _tell(self, kind: str, record: OptimizerRecord, file: _File, continues: Place, **more: Any) -> None:
        self.recorder.watch.emit(
            StateForgotten(
                step=self.recorder.watch.steps,
                site=here(3),
                kind=kind,
                optimizer=record.event(),
                read=file.read,
                loaded=file.loaded,
                continues=continues,
                **more,
            )
        )


def _parts(value: Any, depth: int = 3) -> Iterator[dict[Any, Any]]:
    """Yields the dicts in a checkpoint, itself included."""
    if isinstance(value, dict):
        yield value
        if depth and not _is_optimizer(value) and not _is_state(value):
            for item in list(value.values())[:64]:
                yield from _parts(item, depth - 1)
    elif isinstance(value, (list, tuple)) and depth:
        for item in value[:8]:
            yield from _parts(item, depth - 1)


def _weights(value: Any) -> Iterator[dict[Any, Any]]:
    return (part for part in _parts(value) if _is_state(part))


def _is_state(part: dict[Any, Any]) -> bool:
    return bool(part) and all(isinstance(each, torch.Tensor) for each in part.values())


def _is_optimizer(part: dict[Any, Any]) -> bool:
    return isinstance(part.get("state"), dict) and isinstance(part.get("param_groups"), list)


def _is_schedule(part: dict[Any, Any]) -> bool:
    return isinstance(part.get("last_epoch"), int) and ("_step_count" in part or "base_lrs" in part or "num_bad_epochs" in part)


def _shape(groups: list[Any]) -> tuple[object, ...]:
    """Returns what a state and an optimizer must have in common, so that one can be loaded into the other."""
    return tuple((len(group.get("params", ())), frozenset(_KINDS & group.keys())) for group in groups)


def _settings(group: dict[Any, Any]) -> dict[str, Any]:
    found = {name: group[name] for name in _SETTINGS if isinstance(group.get(name), (int, float, tuple))}
    return found | {"lr": found.pop("initial_lr", found.get("lr"))}
