"""Outputs are kept for a while only: until there are enough of them, in the first steps, and while a switch is on."""

import torch
from torch import nn


class Recorder:
    def __init__(self, layer):
        self.kept, self.on = [], True
        self.handle = layer.register_forward_hook(self.store)

    def store(self, module, inputs, output):
        if not self.on:
            return
        self.kept.append(output.detach())


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1))
recorder = Recorder(model[0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
examples, first = [], []
for step in range(160):
    x = torch.randn(40, 16)
    output = model[:2](x)
    if len(examples) < 500:
        examples.append(output.detach())
    if step < 140:
        first.append(output.detach().clone())
    loss = model[2](output).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    recorder.on = step < 150
print(f"{len(recorder.kept)} and {len(first)}")
