"""Names, documentation, annotations and signatures of functions that are watched."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

import inspect

FUNCTIONS = [
    torch.optim.Optimizer.__init__, torch.optim.Optimizer.add_param_group, torch.optim.Optimizer.zero_grad,
    torch.optim.SGD.__init__, torch.optim.Adam.step, torch.autograd.backward, torch.autograd.grad, torch.Tensor.backward,
    nn.Module.train, nn.Module.eval, nn.Module.zero_grad, nn.Module.state_dict, nn.Module.load_state_dict, nn.Module.requires_grad_, nn.Module.compile,
    nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_, torch.save, torch.load, torch.compile, torch.no_grad.__enter__,
    torch.amp.GradScaler.scale, torch.amp.GradScaler.step, torch.amp.GradScaler.unscale_, torch.amp.GradScaler.update,
    torch.optim.lr_scheduler.LRScheduler.step, torch.optim.lr_scheduler.StepLR.__init__, torch.optim.lr_scheduler.OneCycleLR.__init__,
    torch.optim.lr_scheduler.ReduceLROnPlateau.step, torch.utils.data.DataLoader.__init__, torch.utils.data.DataLoader.__iter__,
    nn.functional.cross_entropy, nn.functional.relu, torch.tensor,
]
for function in FUNCTIONS:
    try:
        signature = inspect.signature(function)
    except ValueError:
        signature = None
    print(function.__module__, function.__qualname__, function.__name__, signature, hash(function.__doc__ or "") != 0)
    print("  ", sorted(map(str, getattr(function, "__annotations__", {}).items())))
