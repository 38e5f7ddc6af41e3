"""The guard around everything that patched functions and hooks call of ours."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import _disable_current_modes

from tensan.adapters.torch.untraced import untraced
from tensan.core.watch import Stopped

Method = TypeVar("Method", bound=Callable[..., Any])


def heard(method: Method) -> Method:
    """Wraps a method that patched functions call, of the recorder or of a part: measures its time, and lets no failure of ours out."""

    @functools.wraps(method)
    @untraced
    def guarded(self: Any, *args: Any, **keywords: Any) -> Any:
        recorder = self.recorder
        if recorder.failed or recorder.busy or threading.get_ident() != recorder.thread:
            return None
        began = time.thread_time_ns()  # waiting for the processor is no cost of ours
        recorder.busy = True
        try:
            if recorder.metrics.lingers:
                recorder.apart(recorder.metrics.settle)
            # Modes and tensor subclasses of the program must not hear of what we call.
            recorder.is_under_mode = (
                torch._C._len_torch_dispatch_stack() > 0 and recorder.deep.trace is None and not recorder.evaluations.is_tracing
            )
            with _unheard() if recorder.is_under_mode else torch._C.DisableTorchFunction():
                return method(self, *args, **keywords)
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            recorder.fail(error)
            return None
        finally:
            recorder.busy = False
            recorder.watch.budget.charge(time.thread_time_ns() - began)
            recorder.calls += 1

    return guarded  # type: ignore[return-value]


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield
