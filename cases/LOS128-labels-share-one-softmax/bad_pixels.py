"""A picture in which organs overlap: masks of three organs, pixel by pixel, in the functional form."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
pictures = torch.rand(60, 1, 12, 12)
masks = torch.cat([pictures > 0.4, pictures > 0.6, pictures < 0.5], 1).float()
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for picture, mask in DataLoader(TensorDataset(pictures, masks), batch_size=12, shuffle=True):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(picture), mask)  #~ LOS128
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
