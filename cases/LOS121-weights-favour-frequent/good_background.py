"""The frequent background of a segmentation weighs a tenth, and a somewhat rare class is not weighed at all."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1))
criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.1, 1.0, 1.0]))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(15):
    image = torch.randn(8, 1, 12, 12)
    mask = (image[:, 0] > 1.2).long() + (image[:, 0] > 1.8).long()
    loss = criterion(net(image), mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
