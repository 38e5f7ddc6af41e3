"""What getfullargspec and getsource say of functions that are watched."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

import inspect

FUNCTIONS = [
    torch.optim.Optimizer.__init__,
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
        print(function.__qualname__, inspect.getfullargspec(function))
    except TypeError:
        print(function.__qualname__, None)
    try:
        print(len(inspect.getsource(function)))
    except TypeError:
        print(None)
