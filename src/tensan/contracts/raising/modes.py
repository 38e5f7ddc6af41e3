"""Runs a module as it is, compiled, exported and traced, on copies, and tells how each call ends."""

from __future__ import annotations

import copy
import io
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from typing import Any

MODES = ("compile", "fullgraph", "export", "trace")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended: what it returned, or what it raised; `refused` where the mode does not take this module at all."""

    value: Any = None
    error: Exception | None = None
    refused: bool = False


class Runner:
    """Runs one module in one mode.

    Args:
        module: is copied for each call, so that no call changes what the next one meets.
        example: arguments to export and trace with.
        mode: `eager` or one of `MODES`. Compilation uses the backend that changes no arithmetic.
    """

    def __init__(self, module: Any, example: tuple[Any, ...], mode: str) -> None:
        self.module, self.example, self.mode = module, example, mode
        self._made: Any = None
        self._refused: Exception | None = None
        if mode in ("export", "trace"):
            try:
                self._made = self._quietly(self._export if mode == "export" else self._trace)
            except Exception as error:  # noqa: BLE001 - that a mode refuses a module is what is to be told
                self._refused = error

    def __call__(self, arguments: tuple[Any, ...]) -> Ending:
        """Calls the module with copies of arguments, under one seed."""
        torch = sys.modules["torch"]  # who has a module has imported it

        if self._refused is not None:
            return Ending(error=self._refused, refused=True)
        given = copy.deepcopy(arguments)
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(0)
            try:
                return Ending(value=self._quietly(lambda: self._callable()(*given)))
            except Exception as error:  # noqa: BLE001 - how a call ends is what is to be told
                return Ending(error=error)

    def _callable(self) -> Callable[..., Any]:
        torch = sys.modules["torch"]  # who has a module has imported it

        if self._made is not None:
            return self._made
        module = copy.deepcopy(self.module)
        if self.mode == "eager":
            return module
        torch._dynamo.reset()  # what was given up for one input would run eagerly for the next
        return torch.compile(module, backend="eager", fullgraph=self.mode == "fullgraph")

    def _export(self) -> Any:
        torch = sys.modules["torch"]  # who has a module has imported it

        return torch.export.export(copy.deepcopy(self.module), copy.deepcopy(self.example)).module()

    def _trace(self) -> Any:
        torch = sys.modules["torch"]  # who has a module has imported it

        return torch.jit.trace(copy.deepcopy(self.module), copy.deepcopy(self.example), check_trace=False)

    def _quietly(self, call: Callable[[], Any]) -> Any:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return call()
