"""Follows state dicts: where each was taken, and whether what is loaded or saved is still the live model itself."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.kept_states import KeptStates
from tensan.adapters.torch.loaded import Loads, prefix_between, version_of
from tensan.adapters.torch.nested import tensors_in
from tensan.adapters.torch.old_copies import OldCopies
from tensan.adapters.torch.records import Records
from tensan.adapters.torch.statements import load_at
from tensan.core.events.state import StateLeavesOut, StateLoaded, StateOverwritten, StateSaved
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Parts of a saved object that are looked at.
MOST_TENSORS = 20_000


class States:
    """The state dicts that were taken, by the tensors in them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._taken: dict[int, tuple[weakref.ref[Any], int, Place]] = {}
        self._versions: dict[int, int | None] = {}
        self.loads = Loads(recorder)
        self.kept = KeptStates(recorder)
        self.records = Records(recorder)
        self.old_copies = OldCopies()
        self._last_taken: weakref.WeakKeyDictionary[Any, tuple[int, Place]] = weakref.WeakKeyDictionary()

    def taken(self, module: Any, state: Any) -> None:
        """`state_dict()` has returned."""
        site, step = here(3), self.recorder.watch.steps
        if len(self._taken) > MOST_TENSORS:
            self._taken = {key: item for key, item in self._taken.items() if item[0]() is not None}
            self._versions = {key: version for key, version in self._versions.items() if key in self._taken}
        for value in state.values():
            if isinstance(value, torch.Tensor):
                self._taken[id(value)] = (weakref.ref(value), step, site)
                self._versions[id(value)] = version_of(value)
        self._last_taken[module] = step, site
        if self.recorder.watch.wants(StateLoaded):
            self.recorder.apart(self.old_copies.taken, module, step, site)
        self.recorder.apart(self.kept.taken, site)
        self.recorder.apart(self.records.look)

    def _origin(self, tensor: Any) -> tuple[int, Place] | None:
        item = self._taken.get(id(tensor))
        return (item[1], item[2]) if item is not None and item[0]() is tensor else None

    def loading(self, module: Any, state: Any, strict: Any = True) -> None:
        """`load_state_dict` is about to copy a state into a module."""
        recorder = self.recorder
        recorder.apart(recorder.resumes.loading, module, state)
        for tensor in module.parameters():
            recorder.inventory.known(tensor).loaded = True
        recorder.inventory.generation += 1
        if not recorder.watch.wants(StateLoaded) or not hasattr(state, "items"):
            return
        own = {name: tensor for name, tensor in (*module.named_parameters(), *module.named_buffers())}
        aliased, origins, total, untouched = 0, set(), 0, True
        for name, value in state.items():
            if isinstance(value, torch.Tensor) and value.numel():
                total += 1
                target = own.get(name)
                if target is not None and target.data_ptr() == value.data_ptr() and target.shape == value.shape:
                    aliased += 1
                    origins.add(self._origin(value))
                    untouched = untouched and self._versions.get(id(value)) == version_of(value) is not None
        last = self._last_taken.get(module)
        origin = min((item for item in origins if item is not None), default=None, key=lambda item: item[0])
        if origin is None and aliased:
            # The tensors were detached or wrapped again: the dict is no younger than the last one that was taken.
            origin = self._last_taken.get(module)
        site = here(3)
        old = self.old_copies.in_vain(module, state) if total and not aliased else None
        untouched = untouched and aliased == total > 0 and origin is not None and origin[0] == recorder.watch.steps
        receiver, source, bound = load_at(site) if untouched else ("", "", None)
        recorder.watch.emit(
            StateLoaded(
                step=recorder.watch.steps,
                site=site,
                module=recorder.inventory.module_id(module),
                num_tensors=total,
                aliased=aliased,
                taken=origin[1] if origin else None,
                taken_step=origin[0] if origin else None,
                missing=sum(name not in state for name in own),
                unexpected=sum(name not in own for name in state),
                matched=sum(name in own for name in state),
                num_own=len(own),
                root=recorder.inventory.module_id(recorder.inventory.root_of(module)),
                untouched=untouched,
                renamed=bool(source) and receiver != source,
                bound=bound,
                own=last is not None and origin is not None and last == origin,
                strict=bool(strict),
                copied_step=old.step if old is not None else None,
                copied=old.site if old is not None else None,
                **prefix_between(list(state), own, state),
            )
        )

    def loaded(self, module: Any, state: Any) -> None:
        """`load_state_dict` has returned."""
        recorder = self.recorder
        recorder.row_memory.forget()
        if recorder.watch.wants(StateOverwritten) and hasattr(state, "keys"):
            recorder.attention.rare_event("load")
            recorder.forwards.adjust()
            if recorder.attending and not recorder.compiled:  # otherwise its next use is not heard of
                self.loads.remember(module, set(state.keys()))

    def saving(self, value: Any) -> None:
        """`torch.save` is about to write an object."""
        recorder = self.recorder
        recorder.apart(recorder.resumes.wrote, value)
        if not recorder.watch.wants(StateSaved):
            return
        site = here(3)
        total, aliased, origins = 0, 0, set()
        for tensor in tensors_in(value, most=MOST_TENSORS):
            total += 1
            origin = self._origin(tensor)
            if origin is not None:
                aliased += 1
                origins.add(origin)
        if not aliased:
            return
        if recorder.watch.wants(StateLeavesOut):
            for module in [module for module, taken in self._last_taken.items() if taken in origins]:
                recorder.apart(recorder.left_out.saving, value, module, site)
        origin = min(origins, key=lambda item: item[0])
        recorder.watch.emit(
            StateSaved(step=recorder.watch.steps, site=site, num_tensors=total, aliased=aliased, taken=origin[1], taken_step=origin[0])
        )
