"""Follows the hooks that the program puts on modules: none of them fires where a module is used without being called."""

from __future__ import annotations

import weakref
from types import CodeType
from typing import TYPE_CHECKING, Any

from tensan.core.events.layers import HookWaited
from tensan.core.sites import Place, here, is_users

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Where a module keeps its hooks, by what registers them.
STORES = {
    "register_forward_hook": "_forward_hooks",
    "register_forward_pre_hook": "_forward_pre_hooks",
    "register_full_backward_hook": "_backward_hooks",
    "register_full_backward_pre_hook": "_backward_pre_hooks",
}
#: Modules with hooks that are followed.
MOST = 512


class _Hook:
    """A hook on a module that was not seen to be called since.

    Attributes:
        born: how many backwards had been looked at when it was registered.
        steps: how many have reached the module's parameters since, although nobody called it; path: the module's, by then.
    """

    def __init__(self, module: Any, register: str, code: CodeType, site: Place, born: int) -> None:
        self.module: weakref.ref[Any] = weakref.ref(module)
        self.register, self.code, self.site, self.born = register, code, site, born
        self.kind, self.path = type(module).__name__, ""
        self.steps = 0

    def is_on(self, module: Any) -> bool:
        """Tells whether the module still has it."""
        return any(code_of(hook) is self.code for hook in getattr(module, STORES[self.register]).values())


class ModuleHooks:
    """The hooks that wait, by the id of their module. Those that share their code, as those made in a loop do, are one."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.waiting: dict[int, list[_Hook]] = {}
        self._fired: set[CodeType] = set()

    def registered(self, module: Any, register: str, hook: Any) -> None:
        """The program has put a hook on a module."""
        code = code_of(hook)
        if code is not None and len(self.waiting) < MOST and is_users(code.co_filename) and self.recorder.watch.wants(HookWaited):
            known = [item for item in self.waiting.get(id(module), ()) if item.module() is module]
            self.waiting[id(module)] = [*known, _Hook(module, register, code, here(), self.recorder.backwards.count)]

    def called(self, module: Any) -> None:
        """A module is called: its hooks fire."""
        for item in self.waiting.pop(id(module), ()):
            if item.module() is module and item.is_on(module) and item.code not in self._fired:
                self._fired.add(item.code)
                self.recorder.watch.emit(HookWaited(step=self.recorder.watch.steps, site=item.site, fired=True))

    def differentiated(self, reached: set[int]) -> None:
        """A backward is about to run that reaches some parameters: were there modules among them that nobody has called?"""
        for item in (item for known in self.waiting.values() for item in known):
            module = item.module()
            # The forward of the first backward after the registration may have come before it.
            if module is None or item.born + 2 > self.recorder.backwards.count or not item.is_on(module):
                continue
            if any(id(tensor) in reached for tensor in module.parameters()):
                item.steps += 1
                item.path = self.recorder.inventory.path_of(module)  # the module may be gone when the run ends

    def finish(self) -> None:
        """The run has ended: tells which hooks never fired, each piece of code once."""
        told = set(self._fired)
        for item in (item for known in self.waiting.values() for item in known):
            if item.steps and item.code not in told:
                told.add(item.code)
                self.recorder.watch.emit(
                    HookWaited(
                        step=self.recorder.watch.steps,
                        site=item.site,
                        hook=item.code.co_name,
                        module=item.path,
                        kind=item.kind,
                        num_steps=item.steps,
                    )
                )


def code_of(hook: Any) -> CodeType | None:
    """Returns the code that runs when a hook fires."""
    hook = getattr(hook, "func", hook)  # of a partial
    hook = getattr(hook, "__func__", hook)  # of a method
    code = getattr(hook, "__code__", None) or getattr(vars(type(hook)).get("__call__"), "__code__", None)
    return code if isinstance(code, CodeType) else None
