"""Follows `train()` and `eval()`: who was put into which mode where, and which modules that matters to."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from torch import nn

from tensan.core.events.things import Mode
from tensan.core.events.training import ModeChange
from tensan.core.sites import Place, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder


def depends_on_mode(module: Any) -> bool:
    """Tells whether a module works otherwise in train than in eval mode."""
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return bool(module.track_running_stats)
    dropout = getattr(module, "dropout", 0)
    return isinstance(module, (nn.RNNBase, nn.MultiheadAttention)) and isinstance(dropout, (int, float)) and dropout > 0


class Modes:
    """Mode changes, and the mode-dependent modules of each outermost module."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.depth = 0
        self._changes: weakref.WeakKeyDictionary[Any, tuple[Place, bool, int, int]] = weakref.WeakKeyDictionary()
        self._trained: weakref.WeakSet[Any] = weakref.WeakSet()
        self._dependent: weakref.WeakKeyDictionary[Any, tuple[int, tuple[Any, ...]]] = weakref.WeakKeyDictionary()
        self._backward_tick = 0
        #: Parts that were put into eval mode before anything was trained, or when they were frozen and nothing around them had learned yet.
        self._held: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()

    def changed(self, module: Any, training: bool) -> None:
        """The outermost `train()` or `eval()` call on a module has returned."""
        recorder = self.recorder
        site = here(3)
        recorder.inventory.modules.add(module)
        root = recorder.inventory.root_of(module)
        self._changes[module] = (site, training, recorder.inventory.tick(), recorder.watch.steps)
        if training:
            recorder.apart(recorder.states.records.look)
            self._held.pop(module, None)
        elif site is not None and (not self._backward_tick or (_is_frozen(module) and (root is module or not self.has_trained(root)))):
            self._held[module] = site
        recorder.inventory.generation += 1
        recorder.apart(recorder.left_statistics.seen, module)
        if recorder.watch.wants(ModeChange):
            recorder.watch.emit(
                ModeChange(
                    step=recorder.watch.steps,
                    site=site,
                    module=recorder.inventory.module_id(module),
                    root=recorder.inventory.module_id(root),
                    kind=type(module).__name__,
                    training=training,
                )
            )

    def roots_of(self, leaves: list[Any]) -> list[Any]:
        """Returns the outermost modules that own some leaves."""
        inventory = self.recorder.inventory
        if inventory.dirty:
            inventory._refresh()
        found: dict[int, Any] = {}
        for tensor in leaves:
            item = inventory.known(tensor)
            module = item.module() if item.module is not None else None
            if module is not None:
                root = inventory.root_of(module)
                found[id(root)] = root
        return list(found.values())

    def dependent(self, root: Any) -> tuple[Any, ...]:
        """Returns the modules below a root that depend on the mode."""
        known = self._dependent.get(root)
        if known is None or known[0] != len(self.recorder.inventory.members(root)):
            known = len(self.recorder.inventory.members(root)), tuple(module for module in root.modules() if depends_on_mode(module))
            self._dependent[root] = known
        return known[1]

    def seen_in_backward(self) -> None:
        """Notes the moment of a backward."""
        self._backward_tick = self.recorder.inventory.tick()

    def trained(self, roots: list[Any]) -> None:
        """Notes which modules a backward went through in train mode, once its event was told."""
        for root in roots:
            self._trained.add(root)
            for module in self.dependent(root):
                if module.training:
                    self._trained.add(module)

    def has_trained(self, root: Any) -> bool:
        """Tells whether a backward ever went through a root."""
        return root in self._trained

    def chosen_since_backward(self, root: Any) -> bool:
        """Tells whether the program called `train()` on a root since the last backward, so that the mode is meant."""
        change = self._changes.get(root)
        if change is None or not change[1]:
            return False
        # Most backwards are not looked at, but all steps are counted.
        return change[2] > self._backward_tick and change[3] == self.recorder.watch.steps

    def behind(self, roots: list[Any]) -> tuple[Mode, ...]:
        """Returns the mode-dependent modules of some outermost modules."""
        return tuple(mode for root in roots for mode in self.of(root))

    def of(self, root: Any) -> tuple[Mode, ...]:
        """Returns the mode-dependent modules of a root, as events speak of them."""
        inventory = self.recorder.inventory
        change = self._changes.get(root)
        found = []
        undone = self._undone(root)
        for module in self.dependent(root):
            own = self._changes.get(module)
            on_root = change is not None and (own is None or own[2] < change[2])
            found.append(
                Mode(
                    module=inventory.module_id(module),
                    root=inventory.module_id(root),
                    kind=type(module).__name__,
                    name=inventory.path_of(module),
                    training=module.training,
                    root_training=root.training,
                    trained_before=module in self._trained,
                    changed=change[0] if on_root and change is not None else own[0] if own is not None else None,
                    changed_on_root=on_root and change is not None and change[1] == module.training,
                    held=undone.get(module),
                )
            )
        return tuple(found)

    def _undone(self, root: Any) -> dict[Any, Place]:
        """Returns the modules of frozen parts that were to stay in eval mode and do not, each with where that was said."""
        found: dict[Any, Place] = {}
        for part, site in list(self._held.items()):
            if part is root or not part.training or self.recorder.inventory.root_of(part) is not root:
                continue
            if _is_frozen(part):
                found.update((module, site) for module in part.modules() if module.training)
        return found


def _is_frozen(module: Any) -> bool:
    """Tells whether nothing of a module is to be trained."""
    return all(not tensor.requires_grad for tensor in module.parameters())
