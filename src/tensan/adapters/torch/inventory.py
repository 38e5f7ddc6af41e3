"""Keeps track of modules and parameters: who holds them, what they are called, and where they were made."""

from __future__ import annotations

import weakref
from collections.abc import Set
from typing import Any

import msgspec
import torch

from tensan.adapters.torch import origin, sequences
from tensan.adapters.torch.writes import Writes
from tensan.core.events.things import Parameter
from tensan.core.sites import Place, Site, here

#: Elements of an unowned leaf that are compared to tell whether anybody changes it.
SAMPLED = 16
#: Layers that a copy is compared with, and elements of each of its parameters that are.
MOST_TEMPLATES = 16
MOST_COMPARED = 64


def dtype_name(tensor: Any) -> str:
    """Returns `float32` for `torch.float32`."""
    return str(tensor.dtype).removeprefix("torch.")


class Known:
    """What is known of one leaf tensor."""

    __slots__ = (
        "born",
        "first_values",
        "frozen",
        "id",
        "kept",
        "loaded",
        "made",
        "module",
        "name",
        "owners",
        "record",
        "reference",
        "registered",
        "searched",
        "seen_at",
        "version",
    )

    def __init__(self, *, id: str, tensor: Any, born: int, made: Site | None, registered: bool) -> None:
        self.id, self.born, self.registered = id, born, registered
        self.made: Place = made
        self.reference = weakref.ref(tensor)
        self.module: weakref.ref[Any] | None = None
        self.name = ""
        self.owners: tuple[str, ...] = ()
        self.loaded = False
        self.first_values: list[float] | None = None
        self.record: Parameter | None = None
        self.seen_at = -1
        self.searched = False
        self.kept = False
        self.frozen = False
        self.version: int | None = None


class Inventory:
    """All modules and leaves of the run, held weakly."""

    def __init__(self) -> None:
        self.modules: weakref.WeakSet[Any] = weakref.WeakSet()
        self.entered: weakref.WeakSet[Any] = weakref.WeakSet()
        self.foreign: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        #: Where the list or dict that hides a module of the program's own class is kept.
        self.hidden_at: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()
        self.dirty = True
        self.clock = 0
        self.writes = Writes()
        #: Counts what may change how a leaf is described: ownership, modes, values from a checkpoint.
        self.generation = 0
        self._known: dict[int, Known] = {}
        self._loose: list[Known] = []
        self._ids: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._count = 0
        self._roots: weakref.WeakKeyDictionary[Any, tuple[weakref.ref[Any], str]] = weakref.WeakKeyDictionary()
        self._members: weakref.WeakKeyDictionary[Any, frozenset[int]] = weakref.WeakKeyDictionary()
        #: Where layers without parameters were put into a sequence, whose forward calls them from no line of the program.
        self.listed_at: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()

    # ---- ids ----

    def tick(self) -> int:
        """Returns the next moment of the run's own clock."""
        self.clock += 1
        return self.clock

    def module_id(self, module: Any) -> str:
        """Returns the id of a module."""
        known = self._ids.get(module)
        if known is None:
            self._count += 1
            known = self._ids[module] = f"module:{self._count}"
        return known

    def living(self, identifiers: Set[str]) -> dict[str, Any]:
        """Returns the modules with some ids that are still alive."""
        return {identifier: module for module, identifier in list(self._ids.items()) if identifier in identifiers}

    def known(self, tensor: Any, *, registered: bool | None = None, made: Site | None = None) -> Known:
        """Returns what is known of a leaf, which may be met for the first time."""
        item = self._known.get(id(tensor))
        if item is None or item.reference() is not tensor:
            self._count += 1
            if registered is None:
                from torch.nn import Parameter as TorchParameter

                registered = isinstance(tensor, TorchParameter)
            item = self._known[id(tensor)] = Known(
                id=f"parameter:{self._count}", tensor=tensor, born=self.tick(), made=made, registered=registered
            )
            # A parameter of a copied module was never registered by a call: its values are another's.
            item.loaded = registered and made is None
            if not registered:
                self._loose.append(item)
        return item

    def without_gradient(self, tensor: Any) -> None:
        """Remembers how often a parameter had been written to when it was first seen without gradient in a step."""
        item = self.known(tensor)
        if item.version is None:
            item.version = tensor._version

    def settled(self) -> tuple[Parameter, ...]:
        """Returns the living parameters that were ever without gradient, and whether each has been written to since."""
        found = []
        for item in list(self._known.values()):
            tensor = item.reference() if item.version is not None else None
            if tensor is not None:
                found.append(msgspec.structs.replace(self.describe(tensor), changed=tensor._version != item.version))
        return tuple(found)

    def unregistered(self) -> list[tuple[Any, Known]]:
        """Returns the living leaves that are no module's parameter, such as a temperature kept in a variable."""
        pairs = [(item.reference(), item) for item in self._loose]
        self._loose = [item for tensor, item in pairs if tensor is not None and not item.registered][-64:]
        return [(tensor, item) for tensor, item in pairs if tensor is not None and not item.registered]

    def notes_frozen(self) -> None:
        """Notes, as an optimizer is built, which parameters are frozen at this moment."""
        for module in list(self.modules):
            for tensor in module._parameters.values():
                if tensor is not None and not tensor.requires_grad:
                    self.known(tensor, registered=True).frozen = True

    # ---- registration, told by torch's own global hooks ----

    def found_hidden(self, module: Any, owner: Any) -> None:
        """Notes a module that runs inside another one and is no part of it, and where it is kept."""
        self.modules.add(module)
        self.generation += 1
        self.dirty = True
        self.foreign[module] = ""
        for holder in owner.modules():
            if name := attribute_holding(holder, module):
                path = self.path_of(holder)
                self.foreign[module] = f"{path}.{name}" if path else name
                if not type(module).__module__.startswith("torch."):
                    # Its parameters were made in its class, which is right: what hides them is the list.
                    self.hidden_at[module] = origin.place_of_attribute(holder, name.partition("[")[0])
                return

    def parameter_registered(self, module: Any, name: str, tensor: Any) -> None:
        """Notes a parameter that was given to a module."""
        self.modules.add(module)
        self.dirty = True
        item = self._known.get(id(tensor))
        if item is None or item.reference() is not tensor:
            item = self.known(tensor, registered=True, made=here(3))
        item.registered = True
        self.generation += 1

    def module_registered(self, module: Any, child: Any) -> None:
        """Notes a module that became part of another."""
        self.modules.add(module)
        self.modules.add(child)
        self.dirty = True
        if (listed := sequences.place_of_listing(module, child)) is not None:
            self.listed_at[child] = listed
        if type(module).__module__.startswith("torch.nn."):
            self._know_copies(child)

    def _know_copies(self, child: Any) -> None:
        """Takes the parameters of a copied layer, as stacks of layers are made of, for new ones where the layer it is a copy of is new."""
        first = next(child.parameters(), None)
        if first is None or self._is_known(first):
            return  # made by the program itself, as nearly all layers are: the others of its parameters need not be gone through
        copies = list(child.parameters())
        if any(self._is_known(tensor) for tensor in copies):
            return
        for other in [each for each in self.modules if type(each) is type(child) and each is not child][:MOST_TEMPLATES]:
            originals = list(other.parameters())
            if len(originals) == len(copies) and all(map(self._is_new_copy, copies, originals)):
                for tensor, original in zip(copies, originals, strict=True):
                    item = self.known(tensor, registered=True, made=here(3))
                    item.made = self.known(original).made
                return

    def _is_known(self, tensor: Any) -> bool:
        item = self._known.get(id(tensor))
        return item is not None and item.reference() is tensor

    def _is_new_copy(self, tensor: Any, original: Any) -> bool:
        """Tells whether a parameter has the values of another one, which the program has made itself, and has not trained."""
        item = self._known.get(id(original))
        if item is None or item.reference() is not original or item.made is None or item.loaded or item.owners:
            return False
        if tensor.shape != original.shape or tensor.dtype != original.dtype or not tensor.device.type == original.device.type == "cpu":
            return False
        return torch.equal(tensor.detach().flatten()[:MOST_COMPARED], original.detach().flatten()[:MOST_COMPARED])

    # ---- who belongs to whom ----

    def members(self, root: Any) -> frozenset[int]:
        """Returns the ids of all modules below a root, itself included."""
        if self.dirty:
            self._refresh()
        found = self._members.get(root)
        if found is None:
            found = self._members[root] = frozenset(map(id, root.modules()))
        return found

    def root_of(self, module: Any) -> Any:
        """Returns the outermost module that holds a module."""
        if self.dirty:
            self._refresh()
        found = self._roots.get(module)
        root = found[0]() if found is not None else None
        return module if root is None else root

    def path_of(self, module: Any) -> str:
        """Returns a module's dotted path in its outermost module."""
        if self.dirty:
            self._refresh()
        found = self._roots.get(module)
        return found[1] if found is not None else ""

    def _refresh(self) -> None:
        """Finds the outermost modules again, and names every parameter by its path in one of them."""
        self.dirty = False
        self.generation += 1
        modules = list(self.modules)
        children = {id(child) for module in modules for child in module._modules.values() if child is not None}
        self._roots, self._members = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
        for root in modules:
            if id(root) in children:
                continue
            for path, module in root.named_modules():
                self._roots.setdefault(module, (weakref.ref(root), path))
                for name, tensor in module._parameters.items():
                    if tensor is None:
                        continue
                    item = self.known(tensor, registered=True)
                    item.name = f"{path}.{name}" if path else name
                    item.module = weakref.ref(module)

    # ---- as events tell it ----

    def describe(self, tensor: Any, *, watch_values: bool = False) -> Parameter:
        """Returns a leaf as events speak of it.

        Args:
            tensor: the leaf.
            watch_values: whether to tell if its values have changed since they were first looked at. Reads the tensor.
        """
        if self.dirty:
            self._refresh()
        item = self.known(tensor)
        if item.record is not None and item.seen_at == self.generation and not watch_values:
            return item.record
        is_unshaped = hasattr(tensor, "cls_to_become")  # a lazy module's, before its first forward
        module = item.module() if item.module is not None else None
        root = self.root_of(module) if module is not None else None
        hidden = root is not None and root in self.foreign
        changed = self._changed(item, tensor) if watch_values else None
        if watch_values and root is None and not item.searched:
            item.searched = True
            item.kept = origin.is_kept(tensor, list(self.entered))
            found = origin.find(tensor, list(self.entered))
            if found is not None:
                item.name, item.made = item.name or found[0], item.made or found[1]
        record = Parameter(
            id=item.id,
            name=(f"{self.foreign[root]}.{item.name}" if hidden and self.foreign[root] else item.name) or _plain_name(tensor),
            shape=() if is_unshaped else tuple(tensor.shape),
            dtype=dtype_name(tensor),
            made=(self.hidden_at.get(root) if hidden else None) or item.made,
            module=_description(module),
            root=self.module_id(root) if root is not None and not hidden else None,
            born=item.born,
            registered=item.registered,
            owners=item.owners,
            loaded=item.loaded,
            changed=changed,
            kept=item.kept,
            was_frozen=item.frozen,
            root_training=bool(root.training) if root is not None else True,
            written=self.writes.place_of(tensor, made=item.made),
        )
        if not watch_values and not is_unshaped:
            item.record, item.seen_at = record, self.generation
        return record

    def _changed(self, item: Known, tensor: Any) -> bool | None:
        if tensor.numel() == 0 or tensor.is_meta:
            return None
        flat = tensor.detach().reshape(-1)
        values = flat[:: max(1, flat.numel() // SAMPLED)][:SAMPLED].tolist()
        if item.first_values is None:
            item.first_values = values
            return None
        return values != item.first_values


def _plain_name(tensor: Any) -> str:
    return "parameter" if type(tensor).__name__ == "Parameter" else "tensor"


def _description(module: Any) -> str:
    if module is None:
        return ""
    text = type(module).__name__
    extra = module.extra_repr() if len(module._modules) == 0 else ""
    return f"{text}({extra})" if extra and len(extra) < 60 else text


def attribute_holding(owner: Any, module: Any) -> str:
    """Returns what an owner calls a list or dict that holds a module: `blocks[0]`, or an empty string."""
    for name, value in vars(owner).items():
        if name.startswith("_") and name in ("_modules", "_parameters", "_buffers"):
            continue
        if isinstance(value, (list, tuple)):
            for index, item in enumerate(value[:100]):
                if item is module:
                    return f"{name}[{index}]"
        elif isinstance(value, dict):
            for key, item in list(value.items())[:100]:
                if item is module:
                    return f"{name}[{key!r}]"
        elif value is module:
            return name
    return ""
