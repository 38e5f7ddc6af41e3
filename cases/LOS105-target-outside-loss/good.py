"""The same segmentation with masks of 0 and 1."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(96, 1, 12, 12)
masks = (images > 0.7).to(torch.uint8) * 255
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(96).split(16):
        optimizer.zero_grad()
        loss = criterion(net(images[idx]), masks[idx].float() / 255)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
