"""Counts, at few moments, the tensors in containers that grow while the program trains, and that nothing else holds.

Only what a name leads to is looked at, and of each container its length and a few entries. Between two looks no more than numbers and weak
references are remembered: a container is the same one as before while it has the same identity and its first tensor is still the first.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Iterator
from itertools import islice
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tensan.adapters.torch.bindings import attributes
from tensan.adapters.torch.gathering_source import Path, growth
from tensan.adapters.torch.statements import loops_at, users_modules
from tensan.adapters.torch.variables import names_of, users_frames
from tensan.core.events.training import TensorsGathered
from tensan.core.sites import Place, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Looks in a run, and after how many of them a container's series is told.
MOST_LOOKS = 12
LEAST_LOOKS = 5
#: The first step that is looked at. Looks come in pairs of steps, since windows do, and each pair at nearly twice the step of the last one.
FIRST_STEP = 4
#: Entries that a container needs to be remembered; of each so many are read.
LEAST_ENTRIES = 4
READ = 6
#: What is walked through in one look: frames, names of a scope, attributes of an object, containers that are remembered.
MOST_FRAMES = 12
MOST_NAMES = 400
MOST_ATTRIBUTES = 64
MOST_OBJECTS = 2000
MOST_REMEMBERED = 64
#: How often a storage is held where one tensor has it, the handle that asks included.
_ALONE = 2
#: References to a tensor that one container holds: from there, from the variable, from the call that counts.
_HELD_ONCE = 3


class _Found(NamedTuple):
    """A container that some name leads to; frame: of the function that has the name, None for a module's."""

    path: Path
    container: Any
    frame: FrameType | None


class _Series:
    """What was seen of one container; nothing of it is kept alive."""

    __slots__ = ("counts", "first", "is_over", "path", "sizes", "steps", "taken")

    def __init__(self, path: Path, first: Any) -> None:
        self.path = path
        self.first = weakref.ref(first)
        self.is_over = False
        self.taken: Place = None
        self.steps: list[int] = []
        self.counts: list[int] = []
        self.sizes: list[int] = []


class GatheredTensors:
    """Looks at backwards of attended steps, ever more rarely."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._series: dict[int, _Series] = {}
        self._looks = 0
        self._next = FIRST_STEP

    def differentiated(self, site: Place) -> None:
        """A backward is about to run on an attended step."""
        step = self.recorder.watch.steps
        if step < self._next or self._looks >= MOST_LOOKS or not self.recorder.watch.wants(TensorsGathered):
            return
        self._looks += 1
        self._next = step + (1 if self._looks % 2 else 3 * step // 4)
        seen = set()
        for found in _containers():
            seen.add(id(found.container))
            self._look(found, step, site)
        # What no name leads to now is begun anew, or was let go.
        self._series = {key: series for key, series in self._series.items() if key in seen}

    def _look(self, found: _Found, step: int, site: Place) -> None:
        container = found.container
        key = id(container)
        first = _first(container)
        series = self._series.get(key)
        if first is None:
            self._series.pop(key, None)
            return
        if series is None or series.first() is not first:
            if len(self._series) < MOST_REMEMBERED or series is not None:
                self._series[key] = series = _Series(found.path, first)
            else:
                return
        if series.is_over:
            return
        if series.counts and len(container) <= series.counts[-1]:
            series.is_over = True  # it has stopped to grow
            return
        size = _size(container)
        if size is None:
            return  # something else holds them too, as a step of ours that was recorded may for a while
        series.steps.append(step)
        series.counts.append(len(container))
        series.sizes.append(size)
        if len(series.steps) >= LEAST_LOOKS:
            self._tell(found, series, site)

    def _tell(self, found: _Found, series: _Series, site: Place) -> None:
        if series.taken is None:
            function = found.frame.f_code.co_name if found.frame is not None else ""
            is_dict = isinstance(found.container, dict)
            series.taken = None if _is_again(found.frame) else growth(found.path, is_dict=is_dict, function=function)
        if series.taken is None:
            series.is_over = True
            return
        self.recorder.watch.emit(
            TensorsGathered(
                step=self.recorder.watch.steps,
                site=site,
                name=str(found.path),
                kind=type(found.container).__name__,
                steps=tuple(series.steps),
                counts=tuple(series.counts),
                sizes=tuple(series.sizes),
                taken=series.taken,
            )
        )


def _is_again(frame: FrameType | None) -> bool:
    """Tells whether a function is called in a loop, so that what it gathers ends with the call."""
    frame, through = frame.f_back if frame is not None else None, False
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            if through or loops_at(frame.f_code, frame.f_lineno):
                return True  # a library that is given the function may call it often
        else:
            through = True
        frame = frame.f_back
    return False


def _containers() -> Iterator[_Found]:
    """Yields each container that can grow once, under the name that lives longest."""
    seen: set[int] = set()
    scopes: list[tuple[dict[str, Any], FrameType | None]] = [(vars(module), None) for module in users_modules()]
    frames = (frame for frame in users_frames(sys._getframe(1)) if frame.f_code.co_name != "<module>")
    scopes += [(names_of(frame), frame) for frame in reversed(list(islice(frames, MOST_FRAMES)))]
    for names, frame in scopes:
        for name, value in islice(list(names.items()), MOST_NAMES):
            if not name.startswith("__"):
                for keys, container in _within(value, 2, seen):
                    yield _Found(Path(name, keys), container, frame)


def _within(value: Any, depth: int, seen: set[int]) -> Iterator[tuple[tuple[tuple[str, Any], ...], Any]]:
    kind = type(value)
    if value is None or kind in (int, float, str, bool, tuple) or isinstance(value, (type, torch.Tensor, ModuleType)):
        return
    if id(value) in seen or len(seen) >= MOST_OBJECTS:
        return
    seen.add(id(value))
    if kind is list or kind is deque:
        if len(value) >= LEAST_ENTRIES and getattr(value, "maxlen", None) is None:
            yield (), value
        return
    if isinstance(value, dict):
        if len(value) >= LEAST_ENTRIES and _first(value) is not None:
            yield (), value
        inside, way = value, "item"
    else:
        inside, way = attributes(value), "attribute"
    if not depth:
        return
    for key, item in islice(list(inside.items()), MOST_ATTRIBUTES):
        if isinstance(key, (str, int)) and key not in ("_parameters", "_buffers", "_modules"):
            for keys, container in _within(item, depth - 1, seen):
                yield ((way, key), *keys), container
    if isinstance(value, torch.nn.Module):
        for key, part in islice(list(value._modules.items()), MOST_ATTRIBUTES):
            for keys, container in _within(part, depth, seen):
                yield (("attribute", key), *keys), container


def _first(container: Any) -> Any:
    """Returns the first tensor of a container's first entry; None where that is something else."""
    for entry in container.values() if isinstance(container, dict) else container:
        return next((item for item in _parts(entry) if _is_plain(item)), None)
    return None


def _parts(entry: Any) -> Any:
    return entry.values() if type(entry) is dict else entry if type(entry) is tuple or type(entry) is list else (entry,)


def _is_plain(item: Any) -> bool:
    return type(item) is torch.Tensor and item.layout is torch.strided and item.grad_fn is None


def _size(container: Any) -> int | None:
    """Returns about how many bytes a container keeps alive; None where something else holds them too, or they have a graph."""
    entries = list(container.values()) if isinstance(container, dict) else container
    number = len(entries)
    # The newest ones are still in use by the step that made them, and the oldest one by the look itself.
    chosen = {1 + round(index * (number - LEAST_ENTRIES) / (READ - 1)) for index in range(READ)}
    total, storages = 0, set()
    # An entry that is a tensor itself is referred to by what it is unpacked from too.
    beside = 1 + (entries is not container)
    for index in chosen:
        for item in islice(_parts(entries[index]), READ):
            if type(item) is not torch.Tensor:
                continue
            held = sys.getrefcount(item)
            if held > _HELD_ONCE + beside * (item is entries[index]) or not _is_plain(item) or item.device.type == "meta":
                return None
            storage = item.untyped_storage()
            if storage._cdata in storages or torch._C._storage_Use_Count(storage._cdata) > _ALONE:  # pyright: ignore[reportAttributeAccessIssue]
                return None
            storages.add(storage._cdata)
            total += storage.nbytes()
    return total * number // len(chosen) if total else None
