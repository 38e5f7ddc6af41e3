"""A recorded step that can be played again on the values of another step: operations, and where each argument comes from.

No tensor is kept, only what tells where to find it again, so a template costs little memory and can be kept for the whole run. Playing runs
no Python of the program, draws from no generator of it, and writes to none of its tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from tensan.adapters.torch.names import RANDOM
from tensan.adapters.torch.nested import tensors_of
from tensan.core.sites import Place

#: Operations of other libraries may be written in Python: theirs is not run again.
_PLAIN = frozenset({"aten", "prims", "torchvision"})
#: Their schemas do not tell that they write to the running statistics that they are given.
_WRITES_UNTOLD = ("batch_norm", "instance_norm")
#: Give a view of a part.
_CUTS = frozenset({"slice", "select", "narrow", "unsqueeze", "alias"})
#: Change the storage of a tensor itself.
_MOVES_STORAGE = ("set_", "resize_", "set_data", "swap")
#: Tensors from outside that are no parameters are copied, up to this size, in case an operation writes to them.
MOST_COPIED = 1 << 24
#: Values of a constant that is kept.
MOST_CONSTANT = 256


#: Takes an operation's function, arguments and keywords, and returns what the operation is to return.
Instead = Callable[[Callable[..., Any], Sequence[Any], dict[str, Any]], Any]


class Made(NamedTuple):
    """An argument that an earlier operation of the template made; `number` is -1 for another view of its storage."""

    operation: int
    number: int
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    offset: int = 0


class Outside(NamedTuple):
    """An argument that was there before the template began."""

    number: int


class External:
    """A tensor from outside the template, by where it was stored and what it looked like."""

    __slots__ = (
        "_handle",
        "constant",
        "device",
        "dtype",
        "is_leaf",
        "kept",
        "key",
        "moves",
        "offset",
        "requires_grad",
        "shape",
        "storage",
        "stride",
        "subject",
    )

    def __init__(self, tensor: Any, key: tuple[Any, ...], subject: str | None) -> None:
        self.key, self.storage, self.subject = key, key[0], subject
        self.shape, self.stride, self.offset = tuple(tensor.shape), tensor.stride(), tensor.storage_offset()
        self.dtype, self.device, self.requires_grad = tensor.dtype, tensor.device, tensor.requires_grad
        self.is_leaf = tensor.is_leaf
        self.constant: Any = None
        #: Its values when the step met them, where the template keeps them.
        self.kept: Any = None
        #: Whether it is another part of its storage in each step.
        self.moves = False
        self._handle = tensor.untyped_storage()._weak_ref()

    def __del__(self) -> None:
        release = getattr(torch.UntypedStorage, "_free_weak_ref", None) if torch is not None else None
        if release is not None:
            release(self._handle)

    def living(self) -> Any:
        """Returns a tensor over the same storage, or None where that is gone or another part is meant."""
        if self.moves:
            return None
        storage = torch.UntypedStorage._new_with_weak_ptr(self._handle)
        if storage is None:
            return None
        return torch.empty(0, dtype=self.dtype, device=self.device).set_(storage, self.offset, self.shape, self.stride)

    def is_like(self, tensor: Any) -> bool:
        """Tells whether a tensor could stand in its place."""
        return type(tensor) in (torch.Tensor, torch.nn.Parameter) and (tuple(tensor.shape), tensor.dtype, tensor.device) == (
            self.shape,
            self.dtype,
            self.device,
        )


class _Play:
    __slots__ = ("arguments", "function", "gradients", "keywords", "writes")

    def __init__(self, function: Any, arguments: Any, keywords: Any, gradients: bool) -> None:
        self.function, self.arguments, self.keywords, self.gradients = function, arguments, keywords, gradients
        self.writes = function._schema.is_mutable


class Template:
    """What a trace records beside its operations, to be played again.

    Args:
        entry: where the program called the model.
        inputs: what the model was given, by `key_of`; an empty key for what is no tensor.
        keeps: bytes that may be kept of the values of what comes from outside and is no parameter.

    Attributes:
        bytes: those that are kept.
    """

    def __init__(self, *, entry: Place = None, inputs: tuple[tuple[Any, ...], ...] = (), keeps: int = 0) -> None:
        self.plays: list[_Play] = []
        self.externals: list[External] = []
        self.why_not = ""
        self.is_random = False
        self.loss: Made | None = None
        self.site: Place = None
        self.entry = entry
        self.inputs = inputs
        self._outside: dict[tuple[Any, ...], int] = {}
        self._keys: list[tuple[tuple[Any, ...], ...]] = []
        self._copied: set[int] = set()
        self._writes = False
        self._keeps = keeps
        self.bytes = 0

    # ---- recording ----

    def add(
        self,
        function: Any,
        arguments: Any,
        keywords: dict[str, Any],
        *,
        producers: dict[int, tuple[int, str | None]],
        key_of: Callable[[Any], tuple[Any, ...]],
        made: tuple[tuple[Any, ...], ...],
        gradients: bool,
    ) -> None:
        """Adds an operation.

        Args:
            function: what was dispatched.
            arguments: what it was given.
            keywords: what it was given by name.
            producers: for each tensor among them, by identity, the operation that made it and its subject.
            key_of: tells tensors apart.
            made: keys of the results.
            gradients: whether gradients were on.
        """
        if self.why_not:
            return
        name = function._schema.name.rpartition("::")[2]
        if function.namespace not in _PLAIN:
            self.why_not = f"{function.namespace} is not torch's own"
        elif name.startswith(_MOVES_STORAGE):
            self.why_not = f"`{name}` changes where a tensor is stored"
        self.is_random = self.is_random or name.rstrip("_") in RANDOM or "dropout" in name
        copies = any(part in name for part in _WRITES_UNTOLD)
        self._writes = function._schema.is_mutable

        def template(item: Any) -> Any:
            if isinstance(item, torch.Tensor):
                producer, subject = producers.get(id(item), (-1, None))
                return self._place(item, producer, subject, key_of(item), name, copies=copies)
            if type(item) in (list, tuple):
                return type(item)(template(inner) for inner in item)
            if isinstance(item, torch.Generator):
                self.is_random = True
                return None
            return item

        self.plays.append(_Play(function, template(arguments), {name: template(item) for name, item in keywords.items()}, gradients))
        self._keys.append(made)

    def _place(self, tensor: Any, producer: int, subject: str | None, key: tuple[Any, ...], name: str, *, copies: bool) -> Any:
        if key[0] < 0 or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            self.why_not = self.why_not or f"a {type(tensor).__name__} has no storage of its own"
            return None
        if producer >= 0:
            keys = self._keys[producer]
            number = keys.index(key) if key in keys else -1
            return Made(producer, number, tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
        number = self._outside.get(key)
        if number is None:
            number = self._outside[key] = len(self.externals)
            self.externals.append(External(tensor, key, subject))
            if self._keeps and not is_parameter(self.externals[number]):
                self.bytes += tensor.numel() * tensor.element_size()
                if self.bytes <= self._keeps:
                    self.externals[number].kept = tensor.detach().clone()
        external = self.externals[number]
        if name.startswith("lift_fresh") and external.constant is None and tensor.numel() <= MOST_CONSTANT:
            external.constant = tensor.detach().clone()  # a number that the program writes as `torch.tensor(...)`, gone after the step
        if self._writes or copies:
            self._copied.add(number)
            if self._writes and is_parameter(external):
                self.why_not = self.why_not or "the forward may write to a parameter"
        return Outside(number)

    def cut_anew(self, index: int, tensor: Any, key: tuple[Any, ...]) -> bool:
        """Takes an operation's result for a value from outside, since what it cuts out differs from step to step.

        Args:
            index: an operation that gives a view of a tensor from outside.
            tensor: what was cut out now.
            key: what tells it from others; it must be that very view.

        Returns:
            Whether the value now is one from outside, the last of `externals`.
        """
        if self._keys[index] != (key,):
            return False
        number = len(self.externals)
        self.externals.append(External(tensor, key, None))
        self.externals[-1].moves = True

        def moved(item: Any) -> Any:
            if isinstance(item, Made) and (item.operation, item.number) == (index, 0):
                return Outside(number)
            return [*map(moved, item)] if type(item) is list else tuple(map(moved, item)) if type(item) is tuple else item

        for play in self.plays[index + 1 :]:
            play.arguments, play.keywords = moved(play.arguments), {name: moved(item) for name, item in play.keywords.items()}
        return True

    def cuts(self) -> Iterator[int]:
        """Yields the operations that only cut something out of what comes from outside and is no parameter."""
        seen: set[int] = set()
        for index, play in enumerate(self.plays):
            places = self.places(index)
            if (
                places
                and play.function._schema.name.rpartition("::")[2] in _CUTS
                and all(
                    place.operation in seen if isinstance(place, Made) else not self.externals[place.number].requires_grad
                    for place in places
                )
            ):
                seen.add(index)
                yield index

    def end(self, operation: int, key: tuple[Any, ...]) -> None:
        """Says which value is the loss."""
        if 0 <= operation < len(self._keys):
            keys = self._keys[operation]
            self.loss = Made(operation, keys.index(key) if key in keys else 0)
        elif not self.why_not:
            self.why_not = "the loss was not recorded"
        self._keys.clear()
        self._outside.clear()

    # ---- playing ----

    def aliases(self, tensors: Sequence[Any]) -> list[Any]:
        """Returns stand-ins of the tensors from outside: leaves that share memory with parameters, and copies of the rest."""
        stand_ins = []
        for number, (external, tensor) in enumerate(zip(self.externals, tensors, strict=True)):
            alias = tensor.detach()
            if number in self._copied or (not is_parameter(external) and alias.numel() <= MOST_COPIED):
                alias = alias.clone()
            stand_ins.append(alias.requires_grad_() if external.requires_grad and alias.is_floating_point() else alias)
        return stand_ins

    def play(
        self,
        aliases: Sequence[Any],
        *,
        before: Callable[[int, list[Any]], None] | None = None,
        after: Callable[[int, list[Any], Any], None] | None = None,
        instead: Mapping[int, Instead] | None = None,
        until: int | None = None,
        edit: tuple[int, Callable[[int, Any], Any]] | None = None,
    ) -> list[Any]:
        """Plays the operations; returns what each made.

        Args:
            aliases: stand-ins of the tensors from outside.
            before: called with the number and the tensors of each operation that writes to one of them.
            after: called with the number, the tensors and the result of each operation.
            instead: what is called in the place of some operations, by their number.
            until: the first operation that is not played.
            edit: an operation, and what gives for the number of a tensor among its arguments, and the tensor, another one instead.
        """
        values: list[Any] = []

        def fill(item: Any) -> Any:
            if type(item) is Made:
                output = values[item.operation]
                if item.number < 0:
                    return results(output)[0].as_strided(item.shape, item.stride, item.offset)
                return results(output)[item.number]
            if type(item) is Outside:
                return aliases[item.number]
            if type(item) in (list, tuple):
                return type(item)(fill(inner) for inner in item)
            return item

        for index, play in enumerate(self.plays[:until]):
            with torch.set_grad_enabled(play.gradients):
                arguments = fill(play.arguments)
                keywords = {name: fill(item) for name, item in play.keywords.items()}
                if edit is not None and edit[0] == index:
                    arguments, keywords = _edited((arguments, keywords), edit[1])
                tensors = list(tensors_of((arguments, tuple(keywords.values()))))
                if before is not None and play.writes:
                    before(index, tensors)
                other = instead.get(index) if instead else None
                output = play.function(*arguments, **keywords) if other is None else other(play.function, arguments, keywords)
                values.append(output)
                if after is not None:
                    after(index, tensors, output)
        return values

    def result(self, values: Sequence[Any]) -> Any:
        """Returns the loss among what `play` has returned."""
        assert self.loss is not None
        return results(values[self.loss.operation])[self.loss.number]

    def operands(self, index: int, aliases: Sequence[Any]) -> list[Any]:
        """Returns the tensors that an operation meets when the template is played."""
        values = self.play(aliases, until=index)

        def fill(item: Any) -> Iterator[Any]:
            if type(item) is Made:
                yield results(values[item.operation])[max(item.number, 0)]
            elif type(item) is Outside:
                yield aliases[item.number]
            elif type(item) in (list, tuple):
                for inner in item:
                    yield from fill(inner)

        play = self.plays[index]
        return [*fill(play.arguments), *(tensor for item in play.keywords.values() for tensor in fill(item))]

    def places(self, index: int) -> list[Made | Outside]:
        """Returns where the tensors of an operation come from, in the order in which they are given to `after`."""
        play = self.plays[index]
        return list(_places((play.arguments, tuple(play.keywords.values()))))


def is_parameter(external: External) -> bool:
    """Tells whether a tensor from outside is a parameter."""
    return external.subject is not None and external.subject.startswith("parameter")


def results(output: Any) -> list[Any]:
    """Returns the tensors among what an operation gave back, in order."""
    if isinstance(output, (list, tuple)):
        return [item for item in output if isinstance(item, torch.Tensor)]
    return [output] if isinstance(output, torch.Tensor) else []


def _edited(item: Any, edit: Callable[[int, Any], Any]) -> Any:
    count = iter(range(1 << 20))

    def inside(part: Any) -> Any:
        if isinstance(part, torch.Tensor):
            return edit(next(count), part)
        if type(part) is dict:
            return {name: inside(value) for name, value in part.items()}
        return type(part)(map(inside, part)) if type(part) in (list, tuple) else part

    return inside(item)


def _places(item: Any) -> Iterator[Made | Outside]:
    if type(item) in (Made, Outside):
        yield item
    elif type(item) in (list, tuple):
        for inner in item:
            yield from _places(inner)
