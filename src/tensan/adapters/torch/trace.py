"""Records the operations of one step below autograd, with the user's line for each: the deep step.

Values are told apart by storage, offset, shape and strides, because views and detached aliases are other Python objects
than those the user holds. Only weak references to storages are kept, so that nothing lives longer than without us;
the loss's own operations (those after the model's forward) are kept alive until the backward, for replay.
"""

from __future__ import annotations

import time
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from tensan.adapters.torch.inventory import dtype_name
from tensan.adapters.torch.layouts import LAYING, laid_anew
from tensan.adapters.torch.libraries import library_at
from tensan.adapters.torch.moved_rows import is_order, moved
from tensan.adapters.torch.names import neutral
from tensan.adapters.torch.neighbours import found_first, with_itself
from tensan.adapters.torch.quotients import quotient
from tensan.adapters.torch.row_sums import ROWS, RowSums
from tensan.adapters.torch.spreads import Spreads
from tensan.adapters.torch.template import Template
from tensan.core import declared
from tensan.core.events.things import Operation, Value
from tensan.core.operations import LOSS
from tensan.core.sites import Place, here

#: Longer traces are cut off, and then tell nothing.
MOST_OPERATIONS = 20_000
#: Operations after the model's forward that are kept for replay.
MOST_KEPT = 200
#: Nanoseconds that the mode itself takes for an operation, beside what is measured of our own work.
PASSING = 6_000

_NOT_DIFFERENTIABLE = frozenset({"detach", "argmax", "compare", "item", "new", "one_hot"})
#: Compare each row of one array with each of another, and look for what is first along an axis.
_PAIRING = frozenset({"matmul", "norm", "sub"})
_SEARCHING = frozenset({"argmax", "max", "min"})


def storage_of(tensor: Any) -> int:
    """Returns what tells a tensor's storage from others; tensors without one (sparse, wrapped by a transform) stand for themselves."""
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return -id(tensor)


def key_of(tensor: Any) -> tuple[Any, ...]:
    """Returns what tells a value from others: where it is stored and how it is laid out."""
    storage = storage_of(tensor)
    if storage < 0:
        return storage, 0, tuple(tensor.shape), ()
    return storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride()


class Kept:
    """An operation that can be run again: its function and arguments, alive."""

    __slots__ = ("arguments", "function", "index", "keywords", "output")

    def __init__(self, index: int, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], output: Any) -> None:
        self.index, self.function, self.arguments, self.keywords, self.output = index, function, arguments, keywords, output


class Trace(TorchDispatchMode):
    """The operations between the start of a forward and the backward.

    Args:
        subjects: ids of parameters and of the loader's tensors, by storage.
        owner: while it is busy, what runs is ours and is not recorded.
    """

    def __init__(self, subjects: dict[int, str], *, owner: Any = None) -> None:
        super().__init__()
        self.owner = owner
        self.operations: list[Operation] = []
        self.kept: list[Kept] = []
        self.keep = False
        #: Looks at values too, where that is wanted.
        self.spreads: Spreads | None = None
        #: Looks at searches for neighbours, where that is wanted.
        self.neighbours = False
        self.failed: Exception | None = None
        #: Why one that records beside the operations was given up.
        self.lost: dict[str, Exception] = {}
        self.spent = 0
        self.subjects = subjects
        self._made: dict[tuple[Any, ...], int] = {}
        self._writer: dict[int, int] = {}
        #: Operations that wrote into a storage that was there before them, by storage.
        self.writes: dict[int, list[int]] = {}
        #: What embeddings were looked up with: token ids, alive until the trace is forgotten.
        self.looked_up: list[Any] = []
        #: Where the first of the models is called.
        self.entry: Place = None
        #: The tensors that each model was given, alive until the trace is forgotten.
        self.entered: list[list[Any]] = []
        #: Loss operations, those inside the model's forward included.
        self.losses: list[Kept] = []
        #: Looks at rows that are read, added to and written back.
        self.row_sums: RowSums | None = RowSums(key_of)
        self._detached: dict[tuple[Any, ...], int] = {}
        self._expects: list[bool] = []
        self._alive: dict[int, Any] = {}
        self._open = False
        self._began = 0
        #: What is recorded beside the operations so that they can be run again later, where that is wanted.
        self.template: Template | None = None
        #: What is needed to play the whole step again, where somebody may ask for it.
        self.tape: Any = None
        #: The calls of layers, in the order in which they began.
        self.calls: list[Any] = []
        #: The layers whose forwards are running, outermost first.
        self.layers: list[Any] = []
        self._axes: dict[tuple[Any, ...], tuple[str, ...]] = {}
        self._num_declared = -1

    # ---- opening and closing ----

    def open(self) -> bool:
        """Starts to record unless another mode is active, which would then be closed out of order."""
        if _get_current_dispatch_mode() is not None:
            return False
        self.__enter__()
        self._open = True
        self._began = time.thread_time_ns()
        return True

    def close(self) -> bool:
        """Ends recording; returns whether the trace is whole and can be used."""
        if not self._open:
            return False
        self._open = False
        # Two operations are told apart by the clock on the wall, which is cheap: under load it counts waiting for the processor too.
        self.spent = min(self.spent, time.thread_time_ns() - self._began)
        above: list[Any] = []
        while (mode := _get_current_dispatch_mode()) is not self:
            # A mode that the program has opened since: lifted for a moment, by the plain methods, which run none of its code.
            self.failed = self.failed or RuntimeError("another dispatch mode was opened inside and is still active")
            if mode is None:
                break
            above.append(mode)
            TorchDispatchMode.__exit__(mode, None, None, None)
        else:
            self.__exit__(None, None, None)
        for mode in reversed(above):
            TorchDispatchMode.__enter__(mode)
        return self.failed is None and len(self.operations) < MOST_OPERATIONS

    def forget(self) -> None:
        """Lets go of every tensor."""
        self.kept.clear()
        self.looked_up.clear()
        self.entered.clear()
        self.losses.clear()
        self._alive.clear()
        self.template = None
        self.layers.clear()
        self.calls.clear()
        if self.tape is not None:
            self.tape.forget()

    # ---- recording ----

    def know(self, tensor: Any, subject: str) -> None:
        """Calls a tensor by a subject; its memory is not used again while the trace lives."""
        storage = storage_of(tensor)
        if storage >= 0:
            self.subjects[storage] = subject
            self._alive.setdefault(storage, StorageReference(tensor))

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        keywords = kwargs or {}
        ours = self.owner is not None and self.owner.busy
        if ours or self.failed is not None or func.namespace == "profiler":
            return func(*args, **keywords)
        began = time.perf_counter_ns()
        try:
            gathered = _tensors(args, keywords)
            inputs = tuple([self._value(tensor) for tensor in gathered])
            if self.tape is not None:
                self._beside("tape", self.tape.before, func, args, keywords)
        except Exception as error:  # noqa: BLE001 - recording must never stop the operation
            self.failed, inputs, gathered = error, (), []
        paused = time.perf_counter_ns()
        output = func(*args, **keywords)
        resumed = time.perf_counter_ns()
        if self.failed is None:
            try:
                self._record(func, args, keywords, inputs, output)
                self._record_beside(func, args, keywords, gathered, inputs, output)
            except Exception as error:  # noqa: BLE001
                self.failed = error
        self.spent += paused - began + time.perf_counter_ns() - resumed + PASSING
        return output

    def _record_beside(self, func: Any, args: Any, keywords: dict[str, Any], gathered: list[Any], inputs: Any, output: Any) -> None:
        if self.spreads is not None:
            self._beside("spreads", self.spreads.look, self.operations[-1], gathered, output, in_loss=self.keep)
        if self.template is not None:
            self._beside("template", self._add_to, self.template, func, args, keywords, gathered, inputs, output)
        if self.tape is not None:
            self._beside("tape", self.tape.after, output)

    def _beside(self, name: str, function: Any, *args: Any, **keywords: Any) -> None:
        """Calls what records beside the operations: where it fails, it alone is given up."""
        try:
            function(*args, **keywords)
        except Exception as error:  # noqa: BLE001 - recording must never stop the operation
            setattr(self, name, None)
            self.lost[name] = error

    def _declared(self, key: tuple[Any, ...]) -> tuple[str, ...]:
        """Returns what the axes of a value are called, where the program has said so by now."""
        if declared.count() != self._num_declared:
            self._num_declared = declared.count()
            for tensor, names in declared.living():
                if isinstance(tensor, torch.Tensor):
                    storage = storage_of(tensor)
                    if storage >= 0:
                        self._alive.setdefault(storage, StorageReference(tensor))
                    self._axes[key_of(tensor)] = names
        return self._axes.get(key, ())

    def _value(self, tensor: Any) -> Value:
        key = key_of(tensor)
        storage = key[0]
        subject = self.subjects.get(storage)
        producer = self._made.get(key, -1)
        if producer < 0:
            producer = self._writer.get(storage, -1)
        requires_grad = tensor.requires_grad
        if producer >= 0 and not requires_grad and self._expects[producer] and torch.is_grad_enabled():
            producer = self._detached.get(key, producer)
        return Value(
            shape=tuple(tensor.shape),
            dtype=dtype_name(tensor),
            producer=producer,
            subject=subject,
            requires_grad=requires_grad,
            axes=self._declared(key),
        )

    def _record(self, func: Any, args: tuple[Any, ...], keywords: dict[str, Any], inputs: tuple[Value, ...], output: Any) -> None:
        if len(self.operations) >= MOST_OPERATIONS:
            return
        index = len(self.operations)
        aten = func._schema.name
        name = neutral(aten)
        outputs = []
        gradients = torch.is_grad_enabled()
        expects = gradients and name not in _NOT_DIFFERENTIABLE and any(value.requires_grad for value in inputs)
        mutates = func._schema.is_mutable
        if name == "embedding" and len(args) > 1:
            self.looked_up.append(args[1])
        elif name in LOSS:
            self.losses.append(Kept(index, func, args, keywords, None))
        for tensor in _tensors((output,), {}):
            key = key_of(tensor)
            if mutates:
                self.writes.setdefault(key[0], []).append(index)
            if key[0] >= 0 and key[0] not in self._alive:
                # The weak reference keeps the address from being used again while the trace lives.
                self._alive[key[0]] = StorageReference(tensor)
            floating = tensor.dtype.is_floating_point or tensor.dtype.is_complex
            if name == "detach":
                # Autograd detaches what it saves: the value is still the one that was made before.
                self._detached[key] = index
            else:
                self._made[key] = index
                self._writer[key[0]] = index
            if name == "cast" or (name == "_to_copy"):
                name = "cast" if floating else "cast_integer"
            outputs.append(
                Value(shape=tuple(tensor.shape), dtype=dtype_name(tensor), producer=index, subject=None, requires_grad=expects and floating)
            )
        settings: dict[str, object] = {
            "arguments": tuple(_plain(item) for item in args if not isinstance(item, torch.Tensor)),
            "aten": aten,
            "writes": mutates,
            "layer": self.layers[-1] if self.layers else None,
        }
        if name == "relu" and isinstance(output, torch.Tensor):
            settings["all_zero"] = output.numel() > 1 and not bool(output[:1].any()) and not bool(output.any())
        elif name in LAYING and inputs and isinstance(output, torch.Tensor) and output.dim() in (4, 5):
            settings |= laid_anew(args, output)
        elif name == "floor_divide":
            settings |= quotient(args, output)
        elif name == "div" and len(inputs) == 1 and not inputs[0].shape and (library := library_at(3)):
            settings["by"] = library
        elif name == "argmax" and is_order(aten, output):
            settings |= moved(output)
        elif self.neighbours and not gradients and name in _PAIRING:
            settings |= with_itself(args)
        elif self.neighbours and not gradients and name in _SEARCHING:
            settings |= found_first(aten, args, keywords, output)
        if self.row_sums is not None and aten in ROWS:
            self._beside("row_sums", self.row_sums.look, settings, self.operations, aten, args, inputs)
        self._expects.append(expects and any(value.requires_grad for value in outputs))
        self.operations.append(
            Operation(
                index=index,
                name=name,
                inputs=inputs,
                outputs=tuple(outputs),
                site=here(3),
                gradients=gradients,
                settings=settings,
            )
        )
        if self.keep and len(self.kept) <= MOST_KEPT:
            self.kept.append(Kept(index, func, args, keywords, output))

    def _add_to(
        self, template: Template, func: Any, args: Any, keywords: dict[str, Any], gathered: list[Any], inputs: Any, output: Any
    ) -> None:
        if len(template.plays) != len(self.operations) - 1:
            return  # cut off
        template.add(
            func,
            args,
            keywords,
            producers={id(tensor): (value.producer, value.subject) for tensor, value in zip(gathered, inputs, strict=True)},
            key_of=key_of,
            made=tuple(map(key_of, _tensors((output,), {}))),
            gradients=torch.is_grad_enabled(),
        )

    # ---- asking ----

    def is_gone(self, operation: Operation, keys: list[Any]) -> bool:
        """Tells whether nobody holds any result of an operation any more.

        Args:
            operation: one that wrote into nothing that was there before.
            keys: what its results are called by `key_of`.
        """
        references = [self._alive.get(key[0]) for key in keys if key is not None]
        return bool(references) and all(reference is not None and reference.is_gone() for reference in references)

    def is_freed(self, storage: int) -> bool:
        """Tells whether nobody holds memory any more that an operation has filled; never so of memory from outside."""
        reference = self._alive.get(storage)
        return reference is not None and reference.is_gone()

    def value_of(self, tensor: Any) -> Value:
        """Describes a tensor as an operation would that takes it now."""
        return self._value(tensor)

    def producer_of(self, tensor: Any) -> int:
        """Returns the operation that made a tensor, or -1."""
        key = key_of(tensor)
        found = self._made.get(key, -1)
        return found if found >= 0 else self._detached.get(key, -1)


class StorageReference:
    """Keeps a storage's address reserved without keeping its memory."""

    __slots__ = ("_handle",)

    def __init__(self, tensor: Any) -> None:
        self._handle = tensor.untyped_storage()._weak_ref()

    def is_gone(self) -> bool:
        """Tells whether the storage has been freed."""
        return bool(torch.UntypedStorage._expired(self._handle))

    def __del__(self) -> None:
        release = getattr(torch.UntypedStorage, "_free_weak_ref", None) if torch is not None else None
        if release is not None:
            release(self._handle)


def _tensors(args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    found = []
    for item in args:
        if isinstance(item, torch.Tensor):
            found.append(item)
        elif isinstance(item, (list, tuple)):
            found += [inner for inner in item if isinstance(inner, torch.Tensor)]
    for item in keywords.values():
        if isinstance(item, torch.Tensor):
            found.append(item)
    return found


def _plain(item: Any) -> Any:
    return (
        item
        if isinstance(item, (int, float, bool, str)) or item is None
        else str(type(item).__name__)
        if not isinstance(item, (list, tuple))
        else tuple(map(_plain, item[:8]))
    )
