"""torch's own average keeps the buffers in step with the model's."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(1)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(5, 32), nn.BatchNorm1d(32), nn.Tanh(), nn.Linear(32, 3))
averaged = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
x = 4 * torch.randn(600, 5) + 1
y = x[:, :3].argmax(1)
for epoch in range(3):
    net.train()
    for rows, wanted in zip(x[:480].split(24), y[:480].split(24), strict=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(rows), wanted).backward()
        optimizer.step()
        averaged.update_parameters(net)
    averaged.eval()
    with torch.no_grad():
        hits = (averaged(x[480:]).argmax(1) == y[480:]).sum().item()
    print(epoch, hits)
