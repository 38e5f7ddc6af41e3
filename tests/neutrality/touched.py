"""Prints what of torch is not torch's own."""

import argparse
import sys

import torch
from torch import nn
from torch.nn.modules import module
from torch.optim import lr_scheduler, optimizer
from torch.utils.data import DataLoader, dataloader

touched = [
    torch.optim.Optimizer.__init__,
    torch.optim.Optimizer.add_param_group,
    torch.optim.Optimizer.zero_grad,
    torch.autograd.backward,
    nn.Module.train,
    nn.Module.zero_grad,
    nn.Module.state_dict,
    nn.Module.load_state_dict,
    nn.Module.compile,
    nn.utils.clip_grad_norm_,
    nn.utils.clip_grad_value_,
    torch.amp.GradScaler.scale,
    torch.amp.GradScaler.step,
    torch.amp.GradScaler.unscale_,
    lr_scheduler.LRScheduler.step,
    lr_scheduler.StepLR.__init__,
    DataLoader.__init__,
    DataLoader.__iter__,
    dataloader._BaseDataLoaderIter.__next__,
    torch.save,
    torch.load,
    torch.optim.Optimizer.load_state_dict,
    torch.compile,
    argparse.ArgumentParser._get_value,
    torch.no_grad.__init__,
    torch.autocast.__init__,
    torch.no_grad.__enter__,
    torch.no_grad.__exit__,
]
torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1).step()
print(
    "patched",
    sorted(
        f.__qualname__
        for f in touched
        if "tensan" in f.__code__.co_filename or "/tensan/" in str(getattr(f, "__globals__", {}).get("__file__"))
    ),
)
print(
    "hooks",
    len(module._global_parameter_registration_hooks),
    len(module._global_module_registration_hooks),
    len(module._global_forward_hooks),
    len(optimizer._global_optimizer_pre_hooks),
    len(optimizer._global_optimizer_post_hooks),
)
print("adapters", sorted(name for name in sys.modules if name.startswith(("tensan.adapters", "wrapt"))))
