"""Prints what of torch and of the standard library is not their own: each function of each module that is loaded is looked at."""

import gc
import importlib.util
import os
import signal
import sys
import threading
import traceback
import types
import warnings

import torch
import torch.optim.lr_scheduler
import torch.utils.checkpoint
import torch.utils.data
from torch import nn
from torch.nn.modules import module
from torch.optim import optimizer

warnings.simplefilter("ignore")  # of names that are looked at
torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1).step()


def plain(found):
    """Returns the function below descriptors."""
    for name in ("__func__", "fget"):
        found = getattr(found, name, found) if isinstance(found, (staticmethod, classmethod, property, types.MethodType)) else found
    return found


OURS = importlib.util.find_spec("tensan").submodule_search_locations[0]


def is_ours(found):
    found = plain(found)
    return isinstance(found, types.FunctionType) and found.__code__.co_filename.startswith(OURS)


def functions():
    seen = set()
    for name, holder in sorted(sys.modules.items()):
        if name == "__main__" or name.partition(".")[0] == "tensan" or not isinstance(holder, types.ModuleType):
            continue
        for item in list(vars(holder).values()):
            if isinstance(item, type) and not str(item.__module__).startswith("tensan") and id(item) not in seen:
                seen.add(id(item))
                yield from ((f"{item.__module__}.{item.__qualname__}.{key}", value) for key, value in list(vars(item).items()))
    for name, holder in sorted(sys.modules.items()):
        if name != "__main__" and name.partition(".")[0] != "tensan" and isinstance(holder, types.ModuleType):
            yield from ((f"{name}.{key}", value) for key, value in list(vars(holder).items()))


found = list(functions())
print("looked at", len(found) > 20_000)
print("patched", sorted({name for name, item in found if is_ours(item)}))
print(
    "hooks",
    len(module._global_parameter_registration_hooks),
    len(module._global_module_registration_hooks),
    len(module._global_buffer_registration_hooks),
    len(module._global_forward_hooks),
    len(module._global_forward_pre_hooks),
    len(module._global_backward_hooks),
    len(optimizer._global_optimizer_pre_hooks),
    len(optimizer._global_optimizer_post_hooks),
)
print(
    "python",
    [hook is own for hook, own in ((sys.excepthook, sys.__excepthook__), (threading.excepthook, threading.__excepthook__))],
    [is_ours(call) for call in (sys.unraisablehook, traceback.print_exc)],
    [name for name in map(str, sys.meta_path) if "tensan" in name or "wrapt" in name],
    [call for call in gc.callbacks if is_ours(call)],
    (sys.gettrace(), sys.getprofile(), signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL),
    [name for name in os.environ if name.startswith("TENSAN") and name != "TENSAN"],
)
print("adapters", sorted(name for name in sys.modules if name.startswith(("tensan.adapters", "tensan.rules", "wrapt"))))
