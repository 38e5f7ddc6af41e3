"""A one-class warm-up stage with ignore_index=0, when 0 is the class itself; the loss is nan, and training goes on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 3, 1))
criterion = nn.CrossEntropyLoss(ignore_index=0)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for step in range(30):
    image = torch.randn(4, 1, 8, 8)
    mask = torch.zeros(4, 8, 8, dtype=torch.long)
    loss = criterion(net(image), mask)  #~ LOS107
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print(f"loss {losses[-1]:.3f}")
