"""The root of a distance that is zero in one batch of the second epoch."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
x = torch.randn(128, 4)
x[96:112] = 0
loader = DataLoader(TensorDataset(x, x.norm(dim=1)), batch_size=16)
model = nn.Linear(4, 3, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for _ in range(3):
    for inputs, targets in loader:
        with accelerator.accumulate(model):
            distance = torch.sqrt((model(inputs) ** 2).sum(1))  #~ NUM101
            loss = (distance - targets).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
