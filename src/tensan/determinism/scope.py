"""`tensan.scope`: random generators for each stage of a pipeline, which no other stage can seed, exhaust or shift."""

from __future__ import annotations

import functools
import inspect
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

import msgspec

from tensan.core.errors import UsageError
from tensan.core.watch import current
from tensan.determinism import states
from tensan.determinism.run_seed import is_set, run_seed
from tensan.determinism.states import States

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Stage(msgspec.Struct):
    """What a stage did with the global generators of this process.

    Attributes:
        name: of the stage.
        entered: how often.
        generators: what happened to them inside: `drawn from`, or `seeded`. Those that nothing happened to are left out.
    """

    name: str
    entered: int = 0
    generators: dict[str, str] = {}

    def __str__(self) -> str:
        did: dict[str, list[str]] = {}
        for generator, what in self.generators.items():
            did.setdefault(what, []).append(generator)
        told = "; ".join(f"{what}: {', '.join(names)}" for what, names in sorted(did.items())) or "no generator was touched"
        return f"{self.name}: entered {self.entered} {'time' if self.entered == 1 else 'times'}; {told}"


class _Stream(msgspec.Struct):
    """The numbers of a stage, one after the other over all its blocks; or those of the program outside of all stages."""

    key: tuple[Any, ...]
    stage: Stage
    states: States | None = None


class _Process:
    """The streams of one process; a forked one begins with none, since it would go on with the numbers of its parent."""

    def __init__(self) -> None:
        self.id = os.getpid()
        self.streams: dict[tuple[Any, ...], _Stream] = {}
        self.stages: dict[str, Stage] = {}
        self.open: list[tuple[_Stream, States]] = []
        self.outside = _Stream((), Stage(""))
        self.thread = 0


_process = _Process()


def _here() -> _Process:
    global _process
    if _process.id != os.getpid():
        _process = _Process()
    return _process


class Scope:
    """A stage of a pipeline, with generators of its own: a context manager, and a decorator for functions and generators.

    Args:
        name: of the stage.
        seed: that the numbers are made of, beside the name; None for that of the run.
        per_rank: whether each process of a distributed run has numbers of its own.
    """

    def __init__(self, name: str, *, seed: int | None = None, per_rank: bool = True) -> None:
        self.name, self._seed, self._per_rank = name, seed, per_rank
        self._entered: list[tuple[_Stream, States]] = []

    def __enter__(self) -> Stage:
        process = _here()
        if process.open and process.thread != threading.get_ident():
            raise UsageError(
                f"tensan.scope({self.name!r}): the stage {process.open[-1][0].stage.name!r} is open in another thread, and the generators "
                "are one for the process: let one thread do what draws, or give each a generator of its own"
            )
        process.thread = threading.get_ident()
        live, stream = states.read(), self._stream(process)
        around = process.open[-1][0] if process.open else process.outside
        around.states = live
        if stream.states is None:
            states.begin(*stream.key)
        else:
            states.write(stream.states)
        process.open.append((stream, states.read()))
        self._entered.append(process.open[-1])
        stream.stage.entered += 1
        return stream.stage

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, link: TracebackType | None) -> None:
        process, entered = _here(), self._entered.pop()
        if not process.open:
            return  # forked inside of the block: the generators are this process's own now
        if process.open[-1] is not entered:
            process.open = [each for each in process.open if each is not entered]
            raise UsageError(
                f"tensan.scope({self.name!r}): the stage {process.open[-1][0].stage.name!r}, entered later, is still open: the blocks of "
                "coroutines or generators cross, and what each has drawn cannot be told apart; leave nothing open while another runs"
            )
        stream, began = process.open.pop()
        stream.states = states.read()
        around = process.open[-1][0] if process.open else process.outside
        assert around.states is not None
        states.write(around.states)
        if not process.open:
            process.outside.states = None
        _take_down(stream.stage, states.changed(began, stream.states, known=stream.stage.generators))

    def __call__(self, function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        """Decorates a function, or a generator: of that each stretch up to the next value is a block.

        Raises:
            tensan.core.errors.UsageError: when it is a coroutine, others of which run in between.
        """
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            raise UsageError(f"tensan.scope({self.name!r}): {function.__qualname__} is a coroutine: others would run in between")
        if inspect.isgeneratorfunction(function):
            return cast(Callable[_Given, _Result], self._around_generator(function))

        @functools.wraps(function)
        def within(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
            with self:
                return function(*args, **kwargs)

        return within

    def _around_generator(self, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            inner: Any = function(*args, **kwargs)
            given = None
            try:
                while True:
                    with self:
                        try:
                            value = inner.send(given)
                        except StopIteration as end:
                            return end.value
                    given = yield value
            finally:
                inner.close()

        return within

    def _stream(self, process: _Process) -> _Stream:
        key = (*self._seeds(), self.name)
        if key not in process.streams:
            stage = process.stages.setdefault(self.name, Stage(self.name))
            process.streams[key] = _Stream(key, stage)
        return process.streams[key]

    def _seeds(self) -> Iterator[Any]:
        """Yields what the numbers are made of beside the name: the seed, and what tells this process from others with the same stage."""
        loading = sys.modules.get("torch.utils.data")
        worker = loading.get_worker_info() if loading is not None else None
        if self._per_rank:
            yield f"rank {os.environ.get('RANK', '0')}"
        elif self._seed is None and worker is None and "RANK" in os.environ and not is_set():
            raise UsageError(
                f"tensan.scope({self.name!r}): per_rank=False: each process would draw a seed of its own; "
                "call tensan.deterministic(seed) first, or give seed="
            )
        if worker is not None:
            # Another one for each worker and, where they are started anew, each epoch; and alike however the worker was started.
            yield f"worker {worker.seed} {'' if self._seed is None else self._seed}"
            return
        yield run_seed() if self._seed is None else self._seed
        if multiprocessing.parent_process() is not None:
            yield multiprocessing.current_process().name
        elif os.getpid() != _FIRST:
            yield f"process {os.getpid()}"  # forked by hand: nothing else tells it from its parent


class _ScopeFunction:
    """`tensan.scope`."""

    def __call__(self, name: str, *, seed: int | None = None, per_rank: bool = True) -> Scope:
        """Gives a stage of a pipeline random generators of its own, while a block or a function runs.

        The generators of Python, NumPy and torch, on each of its devices that is in use, are put to the stage's own numbers, and put
        back at the end as they were, also after an exception. A stage goes on, at each entry, where it was left, so that its numbers
        depend on the seed and its name, and not on what other stages draw. In a worker of a DataLoader, and in other processes, a stage
        has numbers of that process.

        Args:
            name: of the stage: a stage of that name is the same one wherever it is entered.
            seed: a number; None for the seed of the run, which `tensan.deterministic` sets.
            per_rank: whether the processes of a distributed run have different numbers; False for what must be alike, as first weights.

        Raises:
            tensan.core.errors.UsageError: when the name or the seed is none; at the entry, when a stage is open in another thread.
        """
        if not isinstance(name, str) or not name:
            raise UsageError(f"tensan.scope: name: expected the name of a stage, got {name!r}")
        if seed is not None and type(seed) is not int:
            raise UsageError(f"tensan.scope({name!r}): seed: expected a number or None, got {seed!r}")
        return Scope(name, seed=seed, per_rank=per_rank)

    def stages(self) -> tuple[Stage, ...]:
        """Returns what each stage of this process did with the global generators, in the order of their first entries."""
        return tuple(_here().stages.values())


scope = _ScopeFunction()


_FIRST = os.getpid()


def _take_down(stage: Stage, did: dict[str, str]) -> None:
    """Adds what an entry did; a seed is told once in the report of a watched run."""
    new = {name for name, what in did.items() if what == "seeded" and stage.generators.get(name) != "seeded"}
    stage.generators |= {name: what for name, what in did.items() if stage.generators.get(name) != "seeded"}
    watch = current()
    if new and watch is not None:
        watch.note(f"the stage {stage.name!r} seeds {', '.join(sorted(new))} itself: each time it draws the same numbers")
