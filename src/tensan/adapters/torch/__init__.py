"""PyTorch: hears some twenty entry points, records a step in depth now and then, and replays its loss."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from types import TracebackType
from typing import Any, ClassVar

from tensan.core.asks import Answer, Ask
from tensan.core.events.run import Raised
from tensan.core.tracebacks import tidied_by
from tensan.core.watch import Watch


class TorchAdapter:
    """The adapter for PyTorch."""

    module: ClassVar[str] = "torch"
    tested: ClassVar[str] = ">=2.13,<2.14"

    def __init__(self) -> None:
        self._recorder: Any = None

    def install(self, watch: Watch) -> None:
        """Starts to hear; called right after torch was imported."""
        import torch

        from tensan.adapters.torch.install import install
        from tensan.adapters.torch.live import live
        from tensan.adapters.torch.recorder import Recorder

        watch.versions["torch"] = str(torch.__version__)
        self._recorder = Recorder(watch)
        watch.answerers.append(self.answer)
        install()
        live.recorder = self._recorder
        self._recorder.forwards.adjust()
        os.register_at_fork(after_in_child=_in_child)
        tidied_by(_as_bare)

    def answer(self, ask: Ask) -> Answer:
        """Plays the recorded loss again with one thing changed."""
        return self._recorder.answer(ask) if self._recorder is not None else Answer(ask=ask, why_not="torch is not watched")

    def adopt(self, parts: Iterable[object]) -> None:
        """Keeps a run alive from now on.

        Args:
            parts: models, optimizers and scalers that may have been built before watching began.
        """
        if self._recorder is not None:
            self._recorder.stand_guard()
            self._recorder.hear(self._recorder.guard.meet, parts)

    def capture(self) -> object:
        """Takes the full state: what is trained, and all global generators."""
        from tensan.adapters.torch.ring import Snapshot

        return Snapshot(self._recorder, step=self._recorder.watch.steps, earlier=None)

    def restore(self, state: object) -> None:
        """Puts a captured state back, bit for bit."""
        from tensan.adapters.torch.random_states import set_random_states
        from tensan.adapters.torch.ring import Snapshot

        assert isinstance(state, Snapshot)
        state.put_back(self._recorder, scheduled=True)
        set_random_states(state.random)

    def explain(self, error: BaseException, *, step: int) -> Raised | None:
        """Tells what the exception that ended the script was about, from its traceback."""
        if self._recorder is None:
            return None
        from tensan.adapters.torch.crashes.explanation import explain
        from tensan.adapters.torch.crashes.from_workers import told_by_worker

        trace = self._recorder.deep.close()
        self._recorder.forwards.remove_hooks()
        busy, self._recorder.busy = self._recorder.busy, True  # what is tried here is no doing of the program's
        try:
            told = told_by_worker(error, self._recorder.watch) or explain(error, self._recorder.inventory, step=step)
            if told is not None and trace is not None:
                self._recorder.apart(self._recorder.diagrams.broken_off, trace, told)
            return told
        finally:
            self._recorder.busy = busy

    def finish(self, *, status: str) -> None:
        """Tells what can only be told at the end, and stops hearing."""
        from tensan.adapters.torch.live import live

        if self._recorder is not None:
            self._recorder.finish(status=status)
            if live.recorder is self._recorder:
                live.recorder = None


def _as_bare(traceback: TracebackType | None) -> TracebackType | None:
    """Takes what watching has put there out of the traceback that the script ends with."""
    from tensan.adapters.torch.crashes.tracebacks import as_bare

    return as_bare(traceback)


def _in_child() -> None:
    """In a forked child nobody watches; a loader's worker may still send to the parent."""
    from tensan.adapters.torch.live import live

    recorder = live.recorder
    if recorder is not None:
        recorder.failed = True  # of the child's copy: hooks that were inherited fall through
        if recorder.deep.trace is not None:
            recorder.deep.trace.failed = RuntimeError("forked")
        with contextlib.suppress(Exception):  # nobody watches here any more, and what a hook at a fork raises would be printed
            recorder.held_sums.abandon()
            recorder.metrics.abandon()
    live.worker, live.recorder = recorder or live.worker, None
