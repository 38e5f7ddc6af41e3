"""Dispatch modes that the program opens in the middle of a step, or keeps open across its steps: none of ours is left behind."""
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Silent(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


for number in range(4):
    output = model(torch.randn(8, 6))
    counter = FlopCounterMode(display=False)
    with counter:
        loss = output.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        print(torch._C._len_torch_dispatch_stack())
    optimizer.step()
    print(loss.item(), counter.get_total_flops(), torch._C._len_torch_dispatch_stack())
mode = Silent()
mode.__enter__()
for number in range(3):
    loss = model(torch.randn(8, 6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
mode.__exit__(None, None, None)
print(loss.item(), torch._C._len_torch_dispatch_stack())
