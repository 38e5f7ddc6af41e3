"""Cosine waves that are meant: their length has nothing to do with the epochs, or the last one ends at its foot."""

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(320, 8)
labels = inputs[:, :3].argmax(1)
loader = DataLoader(TensorDataset(inputs, labels), 32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
half_period = 20
opt = torch.optim.SGD(model.parameters(), lr=0.1)
waves = CosineAnnealingLR(opt, T_max=half_period, eta_min=0.01)
for _ in range(12):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
        waves.step()

opt = torch.optim.SGD(model.parameters(), lr=0.1)
waves = CosineAnnealingLR(opt, T_max=25)
for _ in range(5 * 25):
    rows = torch.randint(0, 320, (32,))
    opt.zero_grad()
    nn.functional.cross_entropy(model(inputs[rows]), labels[rows]).backward()
    opt.step()
    waves.step()
