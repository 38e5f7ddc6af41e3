"""Follows the hooks that the program puts on tensors: none of them fires where no loss that is differentiated depends on the tensor."""

from __future__ import annotations

from collections import Counter
from types import CodeType
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _functorch as transforms  # pyright: ignore[reportAttributeAccessIssue]
from torch.utils.weak import TensorWeakRef

from tensan.adapters.torch.module_hooks import code_of
from tensan.core.events.layers import HookWaited
from tensan.core.sites import Place, here, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Tensors that are followed for each piece of code, and pieces of code.
MOST_TENSORS = 64
MOST_HOOKS = 64


class _Companion:
    """A hook of ours beside one of the program's, on the same tensor: the two fire together. It changes no gradient."""

    __torch_unserializable__ = True  # so that no warning is given of it where the tensor is saved

    def __init__(self, fired: set[CodeType], code: CodeType) -> None:
        self.fired, self.code = fired, code

    def __call__(self, gradient: Any) -> None:
        self.fired.add(self.code)


class TensorHooks:
    """The hooks that were put on tensors, by their code, until they fire. Those that share their code are one."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._fired: set[CodeType] = set()
        self._first: dict[CodeType, tuple[TensorWeakRef, Place, int]] = {}
        self._followed: Counter[CodeType] = Counter()

    def registered(self, tensor: Any, hook: Any) -> None:
        """The program has put a hook on a tensor. Those of parameters are left alone: they live on, and the program may count them."""
        code = None if isinstance(tensor, torch.nn.Parameter) else code_of(hook)
        if code is None or code in self._fired or not is_users(code.co_filename) or not self.recorder.watch.wants(HookWaited):
            return
        if transforms.peek_interpreter_stack() is not None or (code not in self._first and len(self._first) >= MOST_HOOKS):
            return
        self._first.setdefault(code, (TensorWeakRef(tensor), here(), self.recorder.backwards.count))
        self._followed[code] += 1
        if self._followed[code] <= MOST_TENSORS:
            tensor.register_hook(_Companion(self._fired, code))

    def finish(self) -> None:
        """The run has ended: tells of each piece of code whether it ever fired."""
        recorder = self.recorder
        for code, (reference, site, born) in self._first.items():
            tensor = reference()
            fired = code in self._fired
            if not fired and (self._followed[code] > MOST_TENSORS or (tensor is not None and not _is_on(tensor, code))):
                continue  # not all were followed, or the program has taken it off
            recorder.watch.emit(
                HookWaited(
                    step=recorder.watch.steps,
                    site=site,
                    fired=fired,
                    hook=code.co_name,
                    kind="Tensor",
                    num_steps=0 if fired else recorder.backwards.count - born,
                )
            )


def _is_on(tensor: Any, code: CodeType) -> bool:
    hooks = tensor._backward_hooks
    return hooks is None or any(code_of(hook) is code for hook in hooks.values())
