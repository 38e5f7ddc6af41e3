"""The same pixels scaled to a mean of zero and a deviation of one, in the loop."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randint(0, 256, (256, 1, 12, 12), dtype=torch.uint8)
labels = (images[:, 0, :6].float().mean((1, 2)) > images[:, 0, 6:].float().mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 100, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(4):
    for x, y in loader:
        loss = F.cross_entropy(model((x.float() / 255 - 0.5) / 0.29), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
