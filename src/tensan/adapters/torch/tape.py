"""Records the dispatched operations of a step so that they can be run again, and runs them again with one thing changed.

Nothing of the user's Python runs in a replay. Only values from outside the step are kept (parameters, the batch); everything
between is computed anew. Outside storages that the step itself writes into are copied before the first write, and played on copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import torch

from tensan.adapters.torch.trace import key_of, storage_of

#: Steps with more operations are not replayed.
MOST_ENTRIES = 6_000
#: Bytes of outside storages that may be copied because the step writes into them.
MOST_COPIED = 64 << 20

#: Write into their running statistics although their schema does not say so.
_HIDDEN_WRITES = {"native_batch_norm": (3, 4), "cudnn_batch_norm": (3, 4), "miopen_batch_norm": (3, 4)}
#: Batch norms that return the batch's statistics, with the positions of weight, bias, training and eps.
_BATCH_NORMS = frozenset({"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "cudnn_batch_norm"})
#: Give a number to the program, which may act on it.
_READS = frozenset({"_local_scalar_dense", "is_nonzero", "equal"})
#: Change where a tensor is stored.
_REFUSED = frozenset({"resize_", "set_", "resize_as_", "_resize_output_", "record_stream"})


Key = tuple[Any, ...]


class Refused(Exception):  # noqa: N818 - a reason, not an error
    """Why a step cannot be played again, in words for the summary."""


_PLAIN: Any = torch._C._disabled_torch_dispatch_impl  # pyright: ignore[reportAttributeAccessIssue]


class Slot:
    """Stands for a tensor among recorded arguments."""

    __slots__ = ("key",)

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key


class Entry:
    """One recorded operation."""

    __slots__ = ("arguments", "function", "gradients", "inputs", "keywords", "kind", "outputs", "read", "state")

    def __init__(self, function: Any, arguments: Any, keywords: Any, inputs: list[Any], kind: Kind) -> None:
        self.function, self.arguments, self.keywords, self.inputs, self.kind = function, arguments, keywords, inputs, kind
        self.outputs: list[Any] = []
        self.read: Any = None
        self.state: Any = None
        #: Some kernels look at this themselves, and compute in another order without.
        self.gradients = torch.is_grad_enabled()


class Kind:
    """What is known of an operation from its schema."""

    __slots__ = ("generator", "name", "random", "refused", "writes")

    def __init__(self, function: Any) -> None:
        schema = function._schema
        self.name = schema.name.rpartition("::")[2]
        self.refused = ""
        if function.namespace not in ("aten", "prims", "torchvision"):
            self.refused = "the step communicates" if function.namespace.startswith("c10d") else f"an operation of {function.namespace}"
        elif self.name in _REFUSED:
            self.refused = f"the step calls {self.name}"
        self.random = torch.Tag.nondeterministic_seeded in function.tags
        self.generator = any(argument.name == "generator" for argument in schema.arguments)
        written = [
            (position, argument.name)
            for position, argument in enumerate(schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        self.writes = (*written, *((position, "") for position in _HIDDEN_WRITES.get(self.name, ())))


@cache
def kind_of(function: Any) -> Kind:
    """Returns what is known of an operation; there are a few hundred."""
    return Kind(function)


class Tape:
    """The operations of one step, in a form that can be played.

    Attributes:
        refused: why this step cannot be played; empty while it can.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.refused = ""
        self.outside: dict[int, dict[tuple[Any, ...], Any]] = {}
        self.copies: dict[int, Any] = {}
        #: What was looked up and what was aimed at, by kind of operation: indices of operations, each with the whole numbers it took.
        self.taken: dict[str, list[tuple[int, Any]]] = {}
        #: What was compared with the targets, by index of the operation.
        self.kept: dict[int, Any] = {}
        self._born: set[int] = set()
        self._made: set[Key] = set()
        self._copied = 0
        self._running: Entry | None = None

    # ---- recording ----

    def before(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """An operation is about to run: its arguments, and what it will overwrite."""
        if not self.refused:
            try:
                self._before(function, arguments, keywords)
            except Refused as refusal:
                self.refuse(str(refusal))

    def after(self, output: Any) -> None:
        """The operation has run."""
        if not self.refused:
            try:
                self._after(output)
            except Refused as refusal:
                self.refuse(str(refusal))

    def _before(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        kind = kind_of(function)
        if kind.refused or len(self.entries) >= MOST_ENTRIES:
            raise Refused(kind.refused or "the step has too many operations")
        inputs: list[Any] = []
        entry = Entry(function, self._fold(arguments, inputs), self._fold(keywords, inputs), inputs, kind)
        for tensor in _written(kind, arguments, keywords):
            self._keep_old(tensor)
        if kind.random:
            entry.state = _generator(arguments, keywords, inputs).get_state()
        if kind.name == "embedding":
            self.taken.setdefault("embedding", []).append((len(self.entries), arguments[1]))
        elif kind.name in ("nll_loss_forward", "nll_loss2d_forward"):
            self.taken.setdefault("nll_loss", []).append((len(self.entries), arguments[1]))
            self.kept[len(self.entries)] = arguments[0].detach()
        self._running = entry

    def _after(self, output: Any) -> None:
        entry, self._running = self._running, None
        if entry is None:
            return
        for tensor in _flat(output):
            if isinstance(tensor, torch.Tensor):
                key = self._key(tensor)
                if key[0] not in self.outside:
                    self._born.add(key[0])
                self._made.add(key)
                entry.outputs.append(key)
            else:
                entry.outputs.append(None)
        if entry.kind.name in _READS:
            entry.read = output
        self.entries.append(entry)  # only now: an operation that raises is none

    def refuse(self, why: str) -> None:
        """Gives the step up, and lets go of everything."""
        self.refused = self.refused or why
        self.forget()

    def forget(self) -> None:
        """Lets go of every tensor."""
        self.entries.clear()
        self.outside.clear()
        self.copies.clear()
        self.taken.clear()
        self.kept.clear()
        self._born.clear()
        self._made.clear()

    def _fold(self, item: Any, inputs: list[Any]) -> Any:
        if isinstance(item, torch.Tensor):
            key = self._key(item)
            if key[0] not in self._born and key not in self._made:
                self.outside.setdefault(key[0], {}).setdefault(key, item)
            inputs.append(key)
            return Slot(key)
        if isinstance(item, (list, tuple)):
            return [self._fold(inner, inputs) for inner in item]
        if isinstance(item, dict):
            return {name: self._fold(inner, inputs) for name, inner in item.items()}
        return item

    @staticmethod
    def _key(tensor: Any) -> tuple[Any, ...]:
        if type(tensor).__torch_dispatch__ is not _PLAIN:
            raise Refused(f"tensors of a class of their own: {type(tensor).__name__}")
        if tensor.layout is not torch.strided or tensor.is_nested or tensor.dtype.is_complex or tensor.is_meta or tensor.is_quantized:
            raise Refused("sparse, nested, complex or quantized tensors")
        return (*key_of(tensor), tensor.dtype)

    def _keep_old(self, tensor: Any) -> None:
        storage = storage_of(tensor)
        if storage in self._born or storage in self.copies:
            return
        memory = tensor.untyped_storage()
        self._copied += memory.nbytes()
        if self._copied > MOST_COPIED:
            raise Refused("the step writes into large tensors that were there before")
        self.copies[storage] = memory.clone()

    def writers_of(self, storages: Iterable[int]) -> bool:
        """Tells whether the step writes into any of these outside storages."""
        return any(storage in self.copies for storage in storages)


def _written(kind: Kind, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Any]:
    for position, name in kind.writes:
        item = arguments[position] if position < len(arguments) else keywords.get(name)
        for tensor in item if isinstance(item, (list, tuple)) else (item,):
            if isinstance(tensor, torch.Tensor):
                yield tensor


def _generator(arguments: Any, keywords: dict[str, Any], inputs: list[Any]) -> Any:
    """Returns the generator that an operation draws from."""
    for item in (*arguments, *keywords.values()):
        if isinstance(item, torch.Generator):
            return item
    device = torch.device(keywords.get("device") or "cpu")
    for item in arguments:
        if isinstance(item, torch.Tensor):
            device = item.device
    if device.type == "cuda":
        index = device.index if device.index is not None else torch.cuda.current_device()
        return torch.cuda.default_generators[index]
    if device.type != "cpu":
        raise Refused(f"random numbers on {device.type}")
    return torch.default_generator


def _flat(output: Any) -> Iterator[Any]:
    if isinstance(output, (list, tuple)):
        for item in output:
            yield from _flat(item)
    else:
        yield output


# ---- playing -------------------------------------------------------------------------------------------------------

See = Callable[[int, list[Any], list[Any]], None]


class Play:
    """Two runs of a tape in step with each other: the unchanged one, and one in which something is different.

    What the change does not reach is computed once for both. Nothing is kept that no later operation uses.

    Args:
        tape: what was recorded.
        stop: index of the first operation that is not played.
        replaced: other values for tensors from outside.
        patches: other outputs for operations, by index: from the unchanged outputs to those of the changed run.
        keep: keys of values that are wanted afterwards.
        see: is shown the outputs of each operation that the change has reached: index, unchanged, changed.
    """

    def __init__(
        self,
        tape: Tape,
        stop: int,
        *,
        replaced: dict[Key, Any] | None = None,
        patches: dict[int, Callable[[Any], Any]] | None = None,
        keep: Iterable[Key] = (),
        see: See | None = None,
    ) -> None:
        self.tape, self.stop, self.see = tape, stop, see
        self.replaced, self.patches = replaced or {}, dict(patches or {})
        self._plain: dict[int, dict[Key, Any]] = {}
        self._changed: dict[int, dict[Key, Any]] = {}
        self._copies: dict[int, Any] = {}
        self._last: dict[int, int] = {}
        for index, entry in enumerate(tape.entries[:stop]):
            for key in (*entry.inputs, *entry.outputs):
                if key is not None:
                    self._last[key[0]] = index
        for key in keep:
            self._last[key[0]] = stop
        self.reached: set[int] = set()

    def run(self) -> None:
        """Plays to the end. Raises `Refused` where nothing can be concluded."""
        # Below autograd: no graph is built, no hook of a tensor is called, whatever the mode says that kernels look at.
        with torch.no_grad(), torch._C._DisableAutocast(), torch._C._AutoDispatchBelowAutograd():
            for index, entry in enumerate(self.tape.entries[: self.stop]):
                torch._C._set_grad_enabled(entry.gradients)
                self._step(index, entry)
                for key in (*entry.inputs, *entry.outputs):
                    if key is not None and self._last[key[0]] <= index:
                        self._plain.pop(key[0], None)
                        self._changed.pop(key[0], None)

    def plain(self, key: Key) -> Any:
        """Returns a value of the unchanged run."""
        group = self._plain.setdefault(key[0], {})
        if key not in group:
            group[key] = self._fetch(key, group)
        return group[key]

    def changed(self, key: Key) -> Any:
        """Returns a value of the changed run; the very same object where the change has not reached it."""
        if key in self.replaced:
            return self.replaced[key]
        group = self._changed.get(key[0])
        if group is None:
            return self.plain(key)
        if key in group:
            return group[key]
        if key[0] in self.tape.outside and key[0] not in self.tape.copies:
            return self.plain(key)  # another part of memory of which a part was replaced
        group[key] = _aliased(key, group)
        return group[key]

    def _fetch(self, key: Key, group: dict[Key, Any]) -> Any:
        outside = self.tape.outside.get(key[0])
        if outside is not None and key[0] in self.tape.copies:
            memory = self._copies.get(key[0])
            if memory is None:
                memory = self._copies[key[0]] = self.tape.copies[key[0]].clone()
            given = next(iter(outside.values()))
            return torch.empty(0, dtype=key[-1], device=given.device).set_(memory, key[1], key[2], key[3])
        if outside is not None and key in outside:
            return outside[key]
        return _aliased(key, group or outside or {})

    def _is_reached(self, entry: Entry) -> bool:
        return any(key in self.replaced or key[0] in self._changed for key in entry.inputs)

    def _step(self, index: int, entry: Entry) -> None:
        reached = self._is_reached(entry)
        written = [slot.key for slot in _written_slots(entry)]
        given = None
        if reached:
            for key in written:
                self._part(key)
            given = _filled(entry.arguments, self.changed), _filled(entry.keywords, self.changed)
        plain_given = _filled(entry.arguments, self.plain), _filled(entry.keywords, self.plain)
        for key in written:
            if key[0] in self.tape.outside and key[0] not in self.tape.copies:
                raise Refused("the step writes into what was there before")
        output = _call(entry, *plain_given)
        outputs = list(_flat(output))
        _compare_read(entry, output, "the unchanged replay did not come back bit for bit")
        self._keep(entry, outputs, self._plain, "the unchanged replay did not come back bit for bit")
        if given is not None:
            other = _call_frozen(entry, given, plain_given, outputs) or _call(entry, *given)
            _compare_read(entry, other, "the program reads a changed value on the host")
            others = list(_flat(other))
        elif index in self.patches:
            others = outputs
        else:
            return
        if index in self.patches:
            others = [self.patches[index](outputs[0]), *others[1:]]
        self._keep(entry, others, self._changed, "shapes depend on the values that were changed")
        self.reached.add(index)
        if self.see is not None:
            self.see(index, outputs, others)

    def _part(self, key: Key) -> None:
        """A storage that both runs share is about to be written differently: from here on each has its own."""
        if key in self.replaced:
            raise Refused("the step writes into the batch")
        if key[0] in self._changed:
            return
        self.plain(key)
        group = self._plain[key[0]]
        memory = group[key].untyped_storage().clone()
        self._changed[key[0]] = {
            inner: torch.empty(0, dtype=inner[-1], device=tensor.device).set_(memory, tensor.storage_offset(), inner[2], inner[3])
            for inner, tensor in group.items()
        }

    def _keep(self, entry: Entry, outputs: list[Any], into: dict[int, dict[Key, Any]], otherwise: str) -> None:
        for key, tensor in zip(entry.outputs, outputs, strict=True):
            if key is None or tensor is None:  # what an operation returns only where gradients are wanted
                continue
            if not isinstance(tensor, torch.Tensor) or tuple(tensor.shape) != key[2]:
                raise Refused(otherwise)
            into.setdefault(key[0], {})[key] = tensor


class Rerun(Play):
    """One run of a tape, with something different: half as dear, and enough where what must not move has not.

    What moved may have moved by itself; that it did not is told only by a `Play`. Its values are those of `plain`.
    """

    def run(self) -> None:
        """Plays to the end. Raises `Refused` where a `Play` must tell."""
        if any(key[0] in self.tape.copies for key in self.replaced) or any(map(_is_norm_of_batch, self.tape.entries[: self.stop])):
            raise Refused("samples meet, or the step writes into the batch")
        super().run()

    def _fetch(self, key: Key, group: dict[Key, Any]) -> Any:
        return self.replaced[key] if key in self.replaced else super()._fetch(key, group)

    def _is_reached(self, entry: Entry) -> bool:
        return False

    def _step(self, index: int, entry: Entry) -> None:
        patch = self.patches.pop(index, None)
        super()._step(index, entry)
        if patch is not None:
            key = entry.outputs[0]
            self._plain[key[0]] = {key: patch(self._plain[key[0]][key])}


def _is_norm_of_batch(entry: Entry) -> bool:
    return entry.kind.name in _BATCH_NORMS


def _written_slots(entry: Entry) -> Iterator[Slot]:
    for position, name in entry.kind.writes:
        item = entry.arguments[position] if position < len(entry.arguments) else entry.keywords.get(name)
        for slot in item if isinstance(item, list) else (item,):
            if isinstance(slot, Slot):
                yield slot


def _aliased(key: Key, group: dict[Key, Any]) -> Any:
    """Makes a view that no operation has made, such as one through `.data`, from another view of the same memory."""
    for other, tensor in group.items():
        if other[-1] is key[-1] and other[3] == tensor.stride():
            return tensor.as_strided(key[2], key[3], tensor.storage_offset() + key[1] - other[1])
    raise Refused("a value came from nowhere")


def _filled(item: Any, of: Callable[[Key], Any]) -> Any:
    if isinstance(item, Slot):
        return of(item.key)
    if isinstance(item, list):
        return [_filled(inner, of) for inner in item]
    if isinstance(item, dict):
        return {name: _filled(inner, of) for name, inner in item.items()}
    return item


def _call(entry: Entry, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if entry.state is None:
        return entry.function(*arguments, **keywords)
    own = _generator(arguments, keywords, entry.inputs)
    if entry.kind.generator:  # a generator of our own: those of the program are not touched
        generator = torch.Generator(device=own.device)
        generator.set_state(entry.state)
        return entry.function(
            *[generator if isinstance(item, torch.Generator) else item for item in arguments], **(keywords | {"generator": generator})
        )
    before = own.get_state()
    own.set_state(entry.state)
    try:
        return entry.function(*arguments, **keywords)
    finally:
        own.set_state(before)


def _call_frozen(entry: Entry, given: Any, plain: Any, outputs: list[Any]) -> Any:
    """Normalises with the statistics of the unchanged batch, so that batch norm does not tell of one sample to another."""
    if entry.kind.name not in _BATCH_NORMS or len(outputs) < 3 or outputs[1].numel() == 0:
        return None
    value, old = given[0][0], plain[0][0]
    mean, inverse = outputs[1], outputs[2]
    shape = [1, -1, *[1] * (value.dim() - 2)]
    weight, bias = given[0][1], given[0][2]
    scale = inverse if weight is None else inverse * weight
    result = (value - mean.view(shape)) * scale.view(shape).to(value.dtype)
    if bias is not None:
        result = result + bias.view(shape)
    return [torch.where(value == old, outputs[0], result.to(outputs[0].dtype)), *outputs[1:]]


def _compare_read(entry: Entry, output: Any, otherwise: str) -> None:
    if entry.kind.name in _READS and output != entry.read and not (output != output and entry.read != entry.read):
        raise Refused(otherwise)


def key_in_tape(tensor: Any) -> Key:
    """Returns the key under which a tape knows a tensor."""
    return (*key_of(tensor), tensor.dtype)
