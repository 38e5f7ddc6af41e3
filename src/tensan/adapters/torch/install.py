"""The patches and hooks: each says why it exists and which event it feeds. All fall through where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.compiler import is_compiling

from tensan.adapters.torch import arithmetic_lines, closures, differentiated, host_seeding, module_hooks, selected_rows, sources, workers
from tensan.adapters.torch.drawn import position_before
from tensan.adapters.torch.live import live
from tensan.adapters.torch.patching import patch
from tensan.core.errors import PoisonedStateError

_installed = False

#: Functions of `nn.init` that fill a tensor.
_FILLING = (
    "_no_grad_uniform_",
    "_no_grad_normal_",
    "_no_grad_trunc_normal_",
    "_no_grad_fill_",
    "_no_grad_zero_",
    "kaiming_uniform_",
    "kaiming_normal_",
    "orthogonal_",
)


def install() -> None:
    """Puts everything in place, once per process."""
    global _installed
    if _installed:
        return
    _installed = True
    _optimizers()
    _backward()
    _modules()
    _hooks()
    _clipping()
    _scaler()
    _schedules()
    _loaders()
    _states()
    _gradient_modes()
    _contexts()
    _compilation()
    _seeding()
    _host_seeding()
    _checkpointing()
    _arguments()
    _initialisation()
    _selection()


def _optimizers() -> None:
    # torch's own global hooks: before and after every `step`, those of third parties' optimizers included.
    from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    def before(optimizer: Any, args: Any, kwargs: Any) -> Any:
        recorder = None if is_compiling() else live.recorder
        if recorder is None:
            return None
        try:
            if closures.given(args, kwargs) is not None:
                if recorder.attention.on or recorder.guard is not None:
                    recorder.steps.before(optimizer, closure=True)
                return closures.replaced(recorder, optimizer, args, kwargs)
            if recorder.attention.on or recorder.steps.idle_before(optimizer):
                recorder.steps.before(optimizer)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            recorder.fail(error)
        return None

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        recorder = None if is_compiling() else live.recorder
        if recorder is None:
            return
        try:
            if recorder.attention.on:
                recorder.steps.after(optimizer)
            else:
                recorder.steps.idle_after(optimizer)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            recorder.fail(error)

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)

    # No hook tells of construction: who owns which parameter, and where that was decided.
    def built(original: Callable[..., Any]) -> Callable[..., Any]:
        def construct(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            recorder = live.recorder
            if recorder is not None:
                recorder.optimizers.built(self)
                recorder.hear(recorder.apart, recorder.switches.given, type(self).__name__, self.defaults)

        return construct

    def group_added(original: Callable[..., Any]) -> Callable[..., Any]:
        def add_param_group(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            recorder = live.recorder
            # The constructor adds its groups one by one; those are told when it is done.
            if recorder is not None and id(self) in recorder.optimizers.by_id:
                recorder.optimizers.built(self)
            return result

        return add_param_group

    def cleared(original: Callable[..., Any]) -> Callable[..., Any]:
        def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = None if is_compiling() else live.recorder
            if recorder is not None and recorder.attention.on:
                recorder.steps.zero_grad((), self)
            return original(self, *args, **kwargs)

        return zero_grad

    patch(torch.optim.Optimizer, "__init__", built)
    patch(torch.optim.Optimizer, "add_param_group", group_added)
    patch(torch.optim.Optimizer, "zero_grad", cleared)


def _backward() -> None:
    # `Tensor.backward` calls this one by its name in torch.autograd, so one patch hears both.
    def backward(original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            given = args[0] if args else kwargs.get("grad_tensors")
            if recorder is not None and given is not None:
                recorder.hear(recorder.apart, recorder.investigation.handed, given)
            if recorder is not None and recorder.guard is not None and recorder.watch.gate.follows:
                recorder.hear(recorder.guard.charged, recorder.guard.differentiating, tensors)
            if recorder is not None and recorder.watch.pursuit is not None:
                recorder.hear(recorder.apart, differentiated.loss_of_goal, recorder, tensors)
            if recorder is None or not recorder.attention.on:
                if recorder is not None and recorder.watch.steps >= recorder.figures.next_idle and not recorder.compiled:
                    recorder.hear(recorder.apart, recorder.figures.hear, recorder.figures.idle, tensors)
                result = original(tensors, *args, **kwargs)
                broken = recorder.statistics.broken_between() if recorder is not None else None
                if recorder is not None and broken is not None:
                    recorder.hear(recorder.apart, recorder.statistics.locate_between, broken)
                return result
            recorder.backwards.before(tensors)
            try:
                return original(tensors, *args, **kwargs)
            finally:
                recorder.backwards.after()

        return backward

    patch(torch.autograd, "backward", backward)


def _modules() -> None:
    # torch's own global hooks tell where each parameter and module was made: they are called once for each.
    from torch.nn.modules import module

    def parameter_registered(owner: Any, name: str, tensor: Any) -> None:
        recorder = live.recorder
        if recorder is not None and tensor is not None:
            recorder.hear(recorder.ties.parameter_registered, owner, name, tensor)
            recorder.hear(recorder.inventory.parameter_registered, owner, name, tensor)
            if recorder.watch.steps:  # a model that changes while it is trained
                recorder.rare_event("parameter")

    def module_registered(owner: Any, name: str, child: Any) -> None:
        recorder = live.recorder
        if recorder is not None and child is not None:
            recorder.hear(recorder.ties.module_registered, owner, name, child)
            recorder.hear(recorder.inventory.module_registered, owner, child)
            recorder.hear(recorder.repeats.registered, owner, name, child)

    module.register_module_parameter_registration_hook(parameter_registered)
    module.register_module_module_registration_hook(module_registered)

    # `eval()` calls `train(False)`, which calls itself for each part: only the outermost call is told.
    def mode_set(original: Callable[..., Any]) -> Callable[..., Any]:
        def train(self: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is None:
                return original(self, *args, **kwargs)
            modes = recorder.modes
            modes.depth += 1
            try:
                result = original(self, *args, **kwargs)
            finally:
                modes.depth -= 1
            if modes.depth == 0:
                recorder.hear(modes.changed, self, self.training)
                recorder.rare_event("mode")
            return result

        return train

    def cleared(original: Callable[..., Any]) -> Callable[..., Any]:
        def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is not None and recorder.attention.on:
                recorder.steps.zero_grad(self.parameters())
            return original(self, *args, **kwargs)

        return zero_grad

    patch(torch.nn.Module, "train", mode_set)
    patch(torch.nn.Module, "zero_grad", cleared)


def _hooks() -> None:
    # A hook on a module that is used but not called never fires, and only the call that registers it tells where that was asked for.
    def registered(register: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def hooked(self: Any, hook: Any, *args: Any, **kwargs: Any) -> Any:
                handle = original(self, hook, *args, **kwargs)
                recorder = None if is_compiling() else live.recorder
                if recorder is not None:
                    recorder.hear(recorder.apart, recorder.module_hooks.registered, self, register, hook)
                return handle

            return hooked

        return make

    for name in module_hooks.STORES:
        patch(torch.nn.Module, name, registered(name))

    # The same for a hook on a tensor that no loss depends on.
    def hooked(original: Callable[..., Any]) -> Callable[..., Any]:
        def register_hook(self: Any, hook: Any) -> Any:
            handle = original(self, hook)
            recorder = None if is_compiling() else live.recorder
            if recorder is not None:
                recorder.hear(recorder.apart, recorder.tensor_hooks.registered, self, hook)
            return handle

        return register_hook

    patch(torch.Tensor, "register_hook", hooked)


def _clipping() -> None:
    # No hook tells of clipping. Iterators are listed before they are handed on, so that looking does not exhaust them.
    from torch.nn import utils
    from torch.nn.utils import clip_grad

    def clipped(original: Callable[..., Any]) -> Callable[..., Any]:
        def clip(*args: Any, **kwargs: Any) -> Any:
            recorder = None if is_compiling() else live.recorder
            if recorder is not None and recorder.attention.on:
                parameters = args[0] if args else kwargs.get("parameters")
                if isinstance(parameters, Iterator):
                    parameters = list(parameters)
                    if parameters:  # torch warns of a generator that is used up, not of an empty list
                        args, kwargs = ((parameters, *args[1:]), kwargs) if args else (args, kwargs | {"parameters": parameters})
                limit = args[1] if len(args) > 1 else kwargs.get("max_norm", kwargs.get("clip_value"))
                several = [parameters] if isinstance(parameters, torch.Tensor) else parameters
                if isinstance(several, Sequence):  # otherwise torch is about to say what is wrong
                    norm = None if original.__name__ == "clip_grad_value_" else args[2] if len(args) > 2 else kwargs.get("norm_type", 2.0)
                    recorder.steps.clip(list(several), float(limit) if isinstance(limit, (int, float)) else float("nan"), norm)
            return original(*args, **kwargs)

        return clip

    patch(clip_grad, "clip_grad_norm_", clipped, also=(utils,))
    patch(clip_grad, "clip_grad_value_", clipped, also=(utils,))


def _scaler() -> None:
    # The scaler decides whether gradients are scaled and whether the optimizer is asked at all.
    from torch.amp.grad_scaler import GradScaler

    def scaled(original: Callable[..., Any]) -> Callable[..., Any]:
        def scale(self: Any, outputs: Any) -> Any:
            recorder = live.recorder
            if recorder is not None and self.is_enabled():
                recorder.backwards.is_scaled = True
            result = original(self, outputs)
            if recorder is not None and recorder.journal is not None and self.is_enabled():
                recorder.hear(recorder.journal.scales, self)
            return result

        return scale

    def unscaled(original: Callable[..., Any]) -> Callable[..., Any]:
        def unscale_(self: Any, optimizer: Any) -> Any:
            recorder = live.recorder
            if recorder is not None:
                recorder.steps.unscaled(optimizer)
            return original(self, optimizer)

        return unscale_

    def stepped(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is None:
                return original(self, optimizer, *args, **kwargs)
            recorder.steps.scaler_steps(optimizer)
            try:
                return original(self, optimizer, *args, **kwargs)
            finally:
                recorder.steps.through = ""
                recorder.hear(recorder.scaling.stepped, self, optimizer)

        return step

    patch(GradScaler, "scale", scaled)
    patch(GradScaler, "unscale_", unscaled)
    patch(GradScaler, "step", stepped)


def _schedules() -> None:
    # Every class that defines `step` itself is patched: the outermost call is the program's own.
    from torch.optim import lr_scheduler

    def built(original: Callable[..., Any]) -> Callable[..., Any]:
        def construct(self: Any, *args: Any, **kwargs: Any) -> None:
            recorder = live.recorder
            if recorder is None:
                original(self, *args, **kwargs)
                return
            schedules = recorder.schedules
            schedules.building += 1  # the constructor steps once by itself
            try:
                original(self, *args, **kwargs)
            finally:
                schedules.building -= 1
            recorder.hear(schedules.built, self)

        return construct

    def stepped(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is None or recorder.schedules.building:
                return original(self, *args, **kwargs)
            schedules = recorder.schedules
            idle = schedules.depth == 0 and not recorder.attending and recorder.steps.idle_schedule(self)
            if schedules.depth == 0 and not idle:
                recorder.hear(schedules.stepped, self, *(args or kwargs.values()))
            schedules.depth += 1
            try:
                return original(self, *args, **kwargs)
            finally:
                schedules.depth -= 1
                if schedules.depth == 0:
                    (recorder.shielded if idle else recorder.hear)(schedules.moved, self)

        return step

    for kind in vars(lr_scheduler).values():
        if isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler):
            if "step" in vars(kind):
                patch(kind, "step", stepped)
            if "__init__" in vars(kind):
                patch(kind, "__init__", built)


def _loaders() -> None:
    from torch.utils.data import DataLoader, dataloader
    from torch.utils.data._utils import fetch
    from torch.utils.data._utils import worker as worker_module

    def built(original: Callable[..., Any]) -> Callable[..., Any]:
        def construct(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            recorder = live.recorder
            if recorder is not None:
                recorder.hear(recorder.loaders.built, self)
                recorder.hear(recorder.apart, recorder.switches.given, type(self).__name__, kwargs)

        return construct

    # An epoch begins: the next steps are looked at, since what an evaluation left behind shows now.
    def begun(original: Callable[..., Any]) -> Callable[..., Any]:
        def iterate(self: Any) -> Any:
            recorder = live.recorder
            if recorder is None:
                return original(self)
            recorder.hear(recorder.loaders.starting, self)
            keeps = recorder.guard is not None and recorder.guard.ring is not None
            before = recorder.hear(position_before, self) if keeps else None
            iterator = original(self)
            recorder.hear(recorder.loaders.begun, self, iterator)
            if keeps and recorder.guard is not None:
                recorder.shielded(recorder.guard.drawn.began, self, iterator, before)
            recorder.rare_event("epoch")
            return iterator

        return iterate

    # A batch is handed over: kept weakly while its step is looked at, to know inputs from other tensors.
    def delivered(original: Callable[..., Any]) -> Callable[..., Any]:
        def advance(self: Any) -> Any:
            try:
                data = original(self)
            except StopIteration:
                if live.recorder is not None:
                    live.recorder.shielded(live.recorder.loaders.exhausted, self)
                raise
            recorder = live.recorder
            if recorder is not None and (recorder.attention.on or recorder.evaluations.looking):
                recorder.hear(recorder.loaders.delivered, self, data)
            if recorder is not None and recorder.guard is not None:
                recorder.shielded(recorder.guard.drawn.delivered, self, data)
            return data

        return advance

    # Items as the dataset gives them, before they are collated: only there can an edit of stored data be seen.
    def fetched(original: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(self: Any, indices: Any) -> Any:
            recorder = live.recorder
            if recorder is not None and recorder.attention.on and not recorder.failed and recorder.deep.trace is None:
                lines: list[Any] = []
                recorder.hear(recorder.apart, recorder.arithmetic_lines.begin, self, lines)
                try:
                    data = recorder.loaders.fetch(self, original, indices)
                finally:
                    if lines:
                        recorder.shielded(arithmetic_lines.stop, lines[0])
                        recorder.hear(recorder.apart, recorder.arithmetic_lines.end, lines[0])
                recorder.hear(recorder.apart, recorder.loaders.fetched, self.dataset, indices, data)
                return data
            if live.worker is None:
                return original(self, indices)
            lines = []
            quietly(arithmetic_lines.begin_in_worker, self, lines)
            try:
                data = original(self, indices)
            except Exception as error:
                if lines:  # a frame's names cannot be read while lines are traced
                    quietly(arithmetic_lines.end_in_worker, lines.pop())
                quietly(workers.failed, error)
                raise
            finally:
                if lines:
                    quietly(arithmetic_lines.end_in_worker, lines[0])
            quietly(workers.fetched)
            quietly(sources.fetched_in_worker, self.dataset, indices, data)
            return data

        return fetch

    # In a forked worker, after the program's own worker_init_fn: which generators it was given, in which state.
    def working(original: Callable[..., Any]) -> Callable[..., Any]:
        def _worker_loop(dataset_kind: Any, dataset: Any, *args: Any, **kwargs: Any) -> Any:
            parent = live.worker
            if parent is not None and len(args) >= 8:
                init, worker = args[7], args[8]
                loader, epoch = parent.loaders.current

                def begin(identifier: int) -> None:
                    if init is not None:
                        init(identifier)
                    quietly(workers.begin, dataset, worker, loader, epoch, init)
                    quietly(host_seeding.begin_in_worker, loader, worker)
                    quietly(sources.begin_in_worker, loader)

                args = (*args[:7], begin, *args[8:])
            return original(dataset_kind, dataset, *args, **kwargs)

        return _worker_loop

    patch(DataLoader, "__init__", built)
    patch(DataLoader, "__iter__", begun)
    patch(dataloader._BaseDataLoaderIter, "__next__", delivered)
    patch(fetch._MapDatasetFetcher, "fetch", fetched)
    patch(worker_module, "_worker_loop", working)


def _refuse_poison(recorder: Any, target: Any, state: Any = None, *_: Any) -> None:
    """Raises where recovery was asked for and a state is not finite, so that the program's own way out of a bad file is taken."""
    why = recorder.hear(recorder.guard.refuses_load, target, state) if recorder.guard is not None else ""
    if why:
        raise PoisonedStateError(why)


def _states() -> None:
    def taken(original: Callable[..., Any]) -> Callable[..., Any]:
        def state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            recorder = live.recorder
            # With a destination it is one module's part of a larger call.
            if recorder is not None and not args and "destination" not in kwargs:
                recorder.hear(recorder.states.taken, self, result)
            return result

        return state_dict

    def loaded(original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is None:
                return original(self, state_dict, *args, **kwargs)
            _refuse_poison(recorder, self, state_dict)
            strict = kwargs.get("strict", args[0] if args else True)
            recorder.hear(recorder.states.loading, self, state_dict, strict)
            result = original(self, state_dict, *args, **kwargs)
            recorder.hear(recorder.states.loaded, self, state_dict)
            return result

        return load_state_dict

    def saved(original: Callable[..., Any]) -> Callable[..., Any]:
        def save(obj: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is not None:
                recorder.hear(recorder.states.saving, obj)
                if recorder.guard is not None and recorder.hear(recorder.guard.refuses, obj, *(args or kwargs.values())):
                    return None
            return original(obj, *args, **kwargs)

        return save

    # What a checkpoint holds beside the weights, and whether that is restored as well, no hook tells of all kinds of schedules.
    def read(original: Callable[..., Any]) -> Callable[..., Any]:
        def load(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            recorder = live.recorder
            if recorder is not None:
                recorder.hear(recorder.apart, recorder.resumes.read, result)
                if recorder.guard is not None:
                    recorder.hear(recorder.guard.origins.read, result, *(args or kwargs.values()))
            return result

        return load

    def restored(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def load_state_dict(*args: Any, **kwargs: Any) -> Any:
                recorder = live.recorder
                if recorder is not None:
                    if kind == "optimizer":
                        _refuse_poison(recorder, *args, *kwargs.values())
                    recorder.hear(recorder.apart, recorder.resumes.restored, kind)
                result = original(*args, **kwargs)
                if recorder is not None and kind == "scheduler":
                    recorder.hear(recorder.apart, recorder.schedules.restored, args[0])
                return result

            return load_state_dict

        return make

    from torch.optim import lr_scheduler

    patch(torch.serialization, "load", read, also=(torch,))
    patch(torch.optim.Optimizer, "load_state_dict", restored("optimizer"))
    for kind in vars(lr_scheduler).values():
        if isinstance(kind, type) and issubclass(kind, lr_scheduler.LRScheduler) and "load_state_dict" in vars(kind):
            patch(kind, "load_state_dict", restored("scheduler"))
    patch(torch.nn.Module, "state_dict", taken)
    patch(torch.nn.Module, "load_state_dict", loaded)
    patch(torch.serialization, "save", saved, also=(torch,))


def _gradient_modes() -> None:
    # Evaluation is what happens while gradients are off; entering is rare in a training step.
    from torch.autograd import grad_mode

    def switches_off(context: Any) -> bool:
        return getattr(context, "mode", False) is isinstance(context, grad_mode.inference_mode)

    def entered(original: Callable[..., Any]) -> Callable[..., Any]:
        def enter(self: Any) -> Any:
            result = original(self)
            recorder = live.recorder
            if recorder is not None and switches_off(self):
                recorder.shielded(recorder.evaluations.enters, sys._getframe(1))
            return result

        return enter

    def left(original: Callable[..., Any]) -> Callable[..., Any]:
        def leave(self: Any, *args: Any) -> Any:
            recorder = live.recorder
            if recorder is not None and switches_off(self):
                recorder.shielded(recorder.evaluations.leaves)
            return original(self, *args)

        return leave

    for kind in (grad_mode.no_grad, grad_mode.inference_mode, grad_mode.set_grad_enabled):
        patch(kind, "__enter__", entered)
        patch(kind, "__exit__", left)


def _contexts() -> None:
    # A context manager that is made in a statement of its own changes nothing, and nothing else tells that it was never entered.
    from contextlib import _GeneratorContextManager, _GeneratorContextManagerBase

    from torch.autograd import grad_mode

    def watched(kind: type, depth: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def construct(self: Any, *args: Any, **kwargs: Any) -> None:
                original(self, *args, **kwargs)
                recorder = None if is_compiling() else live.recorder
                if recorder is not None and type(self) is kind:  # a subclass throws away what `super().__init__()` returns
                    recorder.shielded(recorder.discards.context_made, self, sys._getframe(depth))

            return construct

        return make

    for kind in (grad_mode.no_grad, grad_mode.inference_mode, torch.amp.autocast, torch.cuda.amp.autocast, torch.cpu.amp.autocast):  # pyright: ignore[reportPrivateImportUsage]
        patch(kind, "__init__", watched(kind, 1))
    # What `@contextmanager` makes of a function builds these: torch's own, such as `no_sync()`, and those of programs and packages.
    patch(_GeneratorContextManagerBase, "__init__", watched(_GeneratorContextManager, 2))


def _compilation() -> None:
    # A compiled model must stay compiled: a dispatch mode around it would de-compile it for good.
    def compiled(original: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is not None:
                recorder.shielded(recorder.model_compiled)
            return original(*args, **kwargs)

        return compile

    patch(torch, "compile", compiled)
    patch(torch.nn.Module, "compile", compiled)


def _seeding() -> None:
    # A seed in a loop makes each round draw the numbers of the round before: only the calls tell, and restoring a state undoes it.
    from torch import random

    def seeded(original: Callable[..., Any]) -> Callable[..., Any]:
        def _manual_seed_impl(seed: Any) -> Any:
            recorder = None if is_compiling() else live.recorder
            if live.worker is not None:
                return _seeded_in_worker("torch", original, seed)
            if recorder is None:
                return original(seed)
            recorder.hear(recorder.seeding.before)
            result = original(seed)
            recorder.shielded(recorder.checkpointing.seeded)
            recorder.hear(recorder.seeding.after, seed)
            return result

        return _manual_seed_impl

    def restored(original: Callable[..., Any]) -> Callable[..., Any]:
        def set_rng_state(new_state: Any) -> None:
            original(new_state)
            recorder = None if is_compiling() else live.recorder
            if recorder is not None:
                recorder.shielded(recorder.checkpointing.seeded)
                recorder.hear(recorder.seeding.after, None)

        return set_rng_state

    patch(random, "_manual_seed_impl", seeded)
    patch(random, "set_rng_state", restored, also=(torch,))


def _host_seeding() -> None:
    # The same for the global generators of Python and NumPy, which augmentation and shuffling by hand draw from.
    import random

    def seeded(generator: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def seed(*args: Any, **kwargs: Any) -> Any:
                if live.worker is not None:
                    return _seeded_in_worker(generator, original, *args, **kwargs)
                result = original(*args, **kwargs)
                recorder = None if is_compiling() else live.recorder
                if recorder is not None:
                    recorder.hear(recorder.apart, recorder.host_seeding.seeded, generator, _given(args, kwargs))
                return result

            return seed

        return make

    def restored(generator: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def make(original: Callable[..., Any]) -> Callable[..., Any]:
            def restore(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                recorder = None if is_compiling() else live.recorder
                if recorder is not None:
                    recorder.hear(recorder.apart, recorder.host_seeding.restored, generator)
                return result

            return restore

        return make

    patch(random, "seed", seeded("random"))
    patch(random, "setstate", restored("random"))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        patch(numpy.random, "seed", seeded("numpy.random"))
        patch(numpy.random, "set_state", restored("numpy.random"))


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns a call's first argument, however it was passed."""
    return args[0] if args else next(iter(kwargs.values()), None)


def _seeded_in_worker(generator: str, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    quietly(host_seeding.before_in_worker, generator)
    result = original(*args, **kwargs)
    quietly(host_seeding.after_in_worker, generator, _given(args, kwargs))
    return result


def _checkpointing() -> None:
    # Only the call tells that a part will run once more in the backward, and whether the generators are put back for it.
    from torch.utils import checkpoint as module

    def followed(original: Callable[..., Any]) -> Callable[..., Any]:
        def checkpoint(function: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = None if is_compiling() else live.recorder
            if recorder is not None and recorder.attending:
                run: list[Any] = []
                recorder.hear(recorder.apart, _follow, recorder, function, kwargs.get("preserve_rng_state", True), run)
                function = run[0] if run else function
            return original(function, *args, **kwargs)

        return checkpoint

    patch(module, "checkpoint", followed)


def _follow(recorder: Any, function: Any, preserved: bool, run: list[Any]) -> None:
    run.append(recorder.checkpointing.followed(function, preserved=preserved))


def _arguments() -> None:
    # `type=bool` makes True of "False", and what comes of it afterwards looks like any other True.
    import argparse

    def converted(original: Callable[..., Any]) -> Callable[..., Any]:
        def _get_value(self: Any, action: Any, arg_string: Any) -> Any:
            result = original(self, action, arg_string)
            recorder = live.recorder
            if recorder is not None and result is True:
                recorder.hear(recorder.apart, recorder.switches.parsed, action, arg_string, result)
            return result

        return _get_value

    patch(argparse.ArgumentParser, "_get_value", converted)


def _initialisation() -> None:
    # No hook tells who gave a parameter its values. The public functions call these, or are listed themselves where they call none.
    from torch.nn import init

    def filled(original: Callable[..., Any]) -> Callable[..., Any]:
        def fill(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = live.recorder
            if recorder is not None:
                recorder.hear(recorder.inventory.writes.written, tensor)
            return original(tensor, *args, **kwargs)

        return fill

    for name in _FILLING:
        patch(init, name, filled)


def _selection() -> None:
    # scikit-learn tells nobody which rows a selector of features has read, and by whose targets; it may be imported later than torch.
    from wrapt import register_post_import_hook

    register_post_import_hook(selected_rows.install, "sklearn.feature_selection")


def quietly(function: Callable[..., Any], *args: Any) -> None:
    """Calls a part of ours in a worker process, which has nobody to tell of a failure: it is not heard of again."""
    try:
        function(*args)
    except Exception:  # noqa: BLE001 - the guest never breaks the host
        live.worker = None
