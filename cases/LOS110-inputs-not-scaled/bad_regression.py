"""Raw pixels into a regression with mean squared error."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randint(0, 256, (240, 1, 10, 10), dtype=torch.uint8)
brightness = (images.float().mean((1, 2, 3)) - 127.5) / 7
loader = DataLoader(TensorDataset(images, brightness), batch_size=24, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 64, 1))  #~ LOS110
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
for epoch in range(4):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.float()).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
