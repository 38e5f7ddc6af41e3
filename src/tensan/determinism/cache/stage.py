"""`tensan.cached`: a stage whose results are kept, and made anew where its inputs, code, version or what it depends on have changed."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from tensan.core.errors import UsageError
from tensan.core.watch import current
from tensan.determinism import states
from tensan.determinism.cache.code import digest_of_code, unseen_by_digest
from tensan.determinism.cache.digest import digest_of, digest_of_files
from tensan.determinism.cache.files import UNFINISHED, DamagedError, read, record_of, write

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

#: The layout of the files; another one is never read.
_FORMAT = 1
FOLDER = Path(".tensan/stages")


class StageWarning(UserWarning):
    """A result that was kept could not be used, or one that is kept will not do the same as the stage does."""


class CachedStage(Generic[_Given, _Result]):
    """A stage whose results are kept.

    Attributes:
        name: module and function.
        version: what its author says it is.
        last: what the last call in this process did: `computed`, `read`, or `computed again: ` and why.
    """

    def __init__(self, function: Callable[_Given, _Result], *, version: int | str, depends: Sequence[Any], folder: Path) -> None:
        functools.update_wrapper(self, function)
        module = function.__module__
        if module in ("__main__", "__mp_main__"):  # the script, and the script in a process that was spawned by it
            module = Path(function.__code__.co_filename).stem  # type: ignore[attr-defined]
        self.name = f"{module}.{function.__qualname__}"
        self.version, self.last = version, ""
        self._function, self._depends = function, tuple(depends)
        self._signature = inspect.signature(function)
        self._folder = folder / re.sub(r"[^\w.-]+", "-", self.name)
        _stages[self.name] = self

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        inputs, made_by = self._inputs(given.arguments), self.fingerprint
        entry = self._entry(inputs, made_by)
        _noted(self.name, made_by)
        record, why = None, ""
        try:
            record = record_of(entry)
            why = "" if record is None else _stale(record)
            if record is not None and not why:
                value = read(entry, record)
                for each in record["reads"].items():
                    _noted(*each)
                self.last = "read"
                return value
        except DamagedError as error:
            why = str(error)
        if why:
            self._tell(f"{why}: computed again")
            shutil.rmtree(entry, ignore_errors=True)
        before, generators = inputs, states.read()
        with _reading() as reads:
            value = self._function(*args, **kwargs)
        self.last = f"computed again: {why}" if why else "computed"
        self._tell_of_draws(generators)
        if self._inputs(given.arguments) != before:
            self._tell("it changes its argument, which a result that is kept would not do: nothing is kept")
            return value
        about = {"format": _FORMAT, "stage": self.name, "version": self.version, "made_by": made_by, "inputs": inputs, "reads": reads}
        write(entry, value, about, where=f"{self.name}: its result")
        return value

    @property
    def fingerprint(self) -> str:
        """What its results depend on beside its inputs: version, code, and what it is said to depend on; as it is at the moment."""
        if self.name in (asked := _asked()):
            return ""  # stages that name each other, or one that names itself
        asked.add(self.name)
        try:
            return hashlib.sha256("\n".join(self._made_of()).encode()).hexdigest()
        finally:
            asked.remove(self.name)

    def _made_of(self) -> Iterator[str]:
        yield f"{_FORMAT} {self.version!r}"
        # Not kept: what a name stands for may be another thing at the next call.
        yield digest_of_code(self._function)
        for each in self._depends:
            if isinstance(each, CachedStage):
                yield each.fingerprint
            elif callable(each):
                yield digest_of_code(each)
            else:
                yield f"{each} {digest_of_files(Path(each))}"

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of what its code refers to and whose content is not seen, such as a model: pass it, or name it in `depends`."""
        return unseen_by_digest(self._function)

    def clear(self) -> int:
        """Removes the results that are never read again, those of another version, code or dependency; returns how many there were."""
        gone, made_by = 0, self.fingerprint
        for entry in sorted(self._folder.glob("*")) if self._folder.is_dir() else ():
            try:
                record = record_of(entry)
                keep = record is not None and record.get("made_by") == made_by and not _stale(record)
            except DamagedError:
                keep = False
            if not keep:
                gone += not entry.name.startswith(UNFINISHED)
                shutil.rmtree(entry, ignore_errors=True)
        return gone

    def _inputs(self, arguments: dict[str, Any]) -> dict[str, str]:
        return {name: digest_of(value, where=f"{self.name}: {name}") for name, value in arguments.items()}

    def _entry(self, inputs: dict[str, str], made_by: str) -> Path:
        return self._folder / hashlib.sha256(json.dumps([made_by, inputs]).encode()).hexdigest()[:32]

    def _tell_of_draws(self, before: states.States) -> None:
        moved = states.changed(before, states.read(), known=dict.fromkeys(("python", "numpy"), "seeded"))
        if moved:
            self._tell(
                f"it moves the global generators ({', '.join(moved)}), which a result that is kept leaves where they are: "
                "what is drawn after it depends on whether it was kept; give it generators of its own with tensan.scope"
            )

    def _tell(self, text: str) -> None:
        text = f"{self.name}: {text}"
        watch = current()
        if watch is not None:
            watch.note(text)
        warnings.warn(StageWarning(text), stacklevel=_outside())


def cached(*, version: int | str, depends: Sequence[Any] = (), folder: str | Path = FOLDER) -> Callable[..., Any]:
    """Keeps the results of a stage in plain files, and reads them where nothing has changed that they were made of.

    That is: its arguments by value, of paths the content; its code and that of the program's own functions that it names; its version;
    and what it is said to depend on. Other stages that it calls are noted: where one of them is another by now, what is kept is stale,
    which is told, and it is computed again. So is what was damaged. Files are written beside and renamed. Nothing is pickled: values
    are JSON, `.npy`, and tensors that `torch.load(weights_only=True)` reads.

    Args:
        version: a number or text; another one invalidates all that was kept.
        depends: what cannot be seen in its code: files and folders by their paths, functions, other stages.
        folder: where results are kept.

    Returns:
        The decorator. What it returns has `last`, what the last call did, and `clear()`, which removes what is never read again.

    Raises:
        tensan.core.errors.UsageError: when a dependency is not there; at a call, when an argument or a result cannot be kept.
    """
    if type(version) not in (int, str):
        raise UsageError(f"tensan.cached: version: expected a number or text, got {version!r}")
    for each in depends:
        if not (callable(each) or (isinstance(each, (str, Path)) and Path(each).exists())):
            raise UsageError(f"tensan.cached: depends: {each!r} is no file that is there, no function and no stage")

    def decorate(function: Callable[_Given, _Result]) -> CachedStage[_Given, _Result]:
        if not inspect.isfunction(inspect.unwrap(function)):
            raise UsageError(f"tensan.cached: {function!r} is no function")
        inner = inspect.unwrap(function)
        if inspect.isgeneratorfunction(inner) or inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
            raise UsageError(f"tensan.cached: {inner.__qualname__} is a generator or a coroutine; return the values themselves")
        return CachedStage(function, version=version, depends=depends, folder=Path(folder))

    return decorate


# ---- which stage read which ----

_stages: WeakValueDictionary[str, CachedStage[..., Any]] = WeakValueDictionary()
_own = threading.local()


@contextmanager
def _reading() -> Iterator[dict[str, str]]:
    """Collects the stages that are called while one computes, with what they are by then."""
    around: dict[str, str] | None = getattr(_own, "reads", None)
    _own.reads = reads = {}
    try:
        yield reads
    finally:
        _own.reads = around
        if around is not None:
            around.update(reads)


def _asked() -> set[str]:
    """Returns the stages whose fingerprints are being taken in this thread."""
    if not hasattr(_own, "asked"):
        _own.asked = set()
    return _own.asked


def _noted(name: str, fingerprint: str) -> None:
    reads: dict[str, str] | None = getattr(_own, "reads", None)
    if reads is not None:
        reads[name] = fingerprint


def _stale(record: dict[str, Any]) -> str:
    """Returns why what was kept is stale, "" where it is not; a stage that this process does not know says nothing."""
    for name, was in record["reads"].items():
        stage = _stages.get(name)
        if stage is not None and stage.fingerprint != was:
            return f"what was kept is stale: it read {name}, which is another one now (version {stage.version})"
    return ""


def _outside() -> int:
    """Returns how many frames up, seen from the caller, the code is that called the stage."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(f"{__package__}."):
        frame, levels = frame.f_back, levels + 1
    return levels
