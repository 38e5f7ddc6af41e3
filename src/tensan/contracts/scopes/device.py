"""`tensan.device`: the default device of a thread while a block runs, put back whatever happens inside, and what was left there told."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensan.contracts.scopes.block import Block
from tensan.core.errors import UsageError
from tensan.core.faults import DeviceError
from tensan.core.watch import current


class DeviceLeak(UserWarning):
    """A default device that was set inside of a block and not put back; the block has put it back."""


def device(name: Any) -> Block:
    """Makes a device the default of this thread while a block runs; as a decorator, while a function does.

    At the end the default is what it was before, also where the block ends by an exception, or set another default device and left it:
    that is told, as a warning, or as a note of the exception. Blocks may be nested, and threads do not see those of others. What asks
    for a device by name is not moved.

    Args:
        name: of a device of torch, such as `cuda:0`, `cpu`, `meta`, or a `torch.device`; with a slash in front, of one of TensorFlow:
            `/GPU:0`.

    Raises:
        tensan.core.errors.UsageError: when it is no name of a device, or the framework is not imported.
        tensan.errors.DeviceError: at the entry, when there is no such device. TensorFlow would run on another one and say nothing.
    """
    written = f"tensan.device({str(name)!r})"
    library = "tensorflow" if str(name).startswith("/") else "torch"
    if library not in sys.modules:
        raise UsageError(f"{written}: {library}, whose device it names, is not imported yet")
    if library == "tensorflow":
        spec = _spec(written, str(name))
        return Block(written, lambda: _of_tensorflow(written, spec))
    found = _found(written, name)
    return Block(written, lambda: _of_torch(written, found))


# ---- torch ----

#: Where torch keeps what a default device is; it is imported at the first use.
_CONTEXTS = "torch.utils._device"


def _found(written: str, name: Any) -> Any:
    torch = sys.modules["torch"]
    try:
        return torch.device(name)
    except (RuntimeError, TypeError) as error:
        raise UsageError(f"{written}: {str(error).splitlines()[0]}") from error


@contextmanager
def _of_torch(written: str, found: Any) -> Iterator[None]:
    _must_be_there(written, found)
    before, modes, default = _set(), _modes(), getattr(sys.modules.get(_CONTEXTS), "CURRENT_DEVICE", None)
    entered: Any = found
    entered.__enter__()
    inside = _modes()
    failed: BaseException | None = None
    try:
        yield
    except BaseException as error:
        failed = error
        raise
    finally:
        if _set() is before and _alike(_modes(), inside):
            entered.__exit__(None, None, None)
        else:
            left = getattr(_set(), "device", "none")
            _put_back(before, modes, default)
            _tell(f"{written}: the default device was set to {left} inside of it and not put back; it is as before now", failed)


def _must_be_there(written: str, found: Any) -> None:
    """Counts the devices, which initialises none of them: processes may still be forked."""
    torch = sys.modules["torch"]
    if found.type in ("cpu", "meta"):
        return
    try:
        count = torch.get_device_module(found.type).device_count()
    except (RuntimeError, AttributeError) as error:
        raise DeviceError(f"{written}: this build of torch has no device {found.type!r}") from error
    if (found.index or 0) >= count:
        raise DeviceError(f"{written}: there is no such device: torch finds {count or 'none'} of type {found.type!r}")


def _set() -> Any:
    """Returns what `torch.set_default_device` has set in this thread."""
    return getattr(sys.modules["torch"]._GLOBAL_DEVICE_CONTEXT, "device_context", None)


def _modes() -> list[Any]:
    """Returns the modes of this thread that hear calls of torch; a default device is one."""
    return list(sys.modules["torch"].overrides._get_current_function_mode_stack())


def _alike(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(one is other for one, other in zip(some, others, strict=True))


def _put_back(before: Any, modes: list[Any], default: Any) -> None:
    """Puts the modes back as they lay: torch has no call for that, and its own leave a device behind where blocks and setters cross."""
    torch = sys.modules["torch"]
    for _ in _modes():
        torch.overrides._pop_mode()
    for mode in modes:
        torch.overrides._push_mode(mode)
    torch._GLOBAL_DEVICE_CONTEXT.device_context = before
    if _CONTEXTS in sys.modules:
        sys.modules[_CONTEXTS].CURRENT_DEVICE = default  # type: ignore[attr-defined]


def _tell(text: str, failed: BaseException | None) -> None:
    watch = current()
    if watch is not None:
        watch.note(text)
    if failed is not None:
        failed.add_note(text)  # a warning that is made an error would take its place
    else:
        warnings.warn(DeviceLeak(text), stacklevel=5)


# ---- TensorFlow ----


def _spec(written: str, name: str) -> Any:
    try:
        return sys.modules["tensorflow"].DeviceSpec.from_string(name)
    except ValueError as error:
        raise UsageError(f"{written}: {error}") from error


@contextmanager
def _of_tensorflow(written: str, spec: Any) -> Iterator[None]:
    tensorflow = sys.modules["tensorflow"]
    there = [tensorflow.DeviceSpec.from_string(found.name) for found in tensorflow.config.list_logical_devices()]
    if not any(found.device_type == spec.device_type and spec.device_index in (None, found.device_index) for found in there):
        names = ", ".join(f"/{found.device_type}:{found.device_index}" for found in there)
        raise DeviceError(f"{written}: there is no such device, and TensorFlow would run on another one: it has {names}")
    with tensorflow.device(spec):
        yield
