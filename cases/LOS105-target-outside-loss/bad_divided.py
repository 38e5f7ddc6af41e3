"""Masks of 0 and 1 are divided by 255, as the images are."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    def __init__(self, count):
        self.images = torch.randn(count, 1, 12, 12)
        self.masks = (self.images > 0.7).to(torch.uint8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.masks[index].float() / 255


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Shapes(96), batch_size=16, shuffle=True)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for image, mask in loader:
        optimizer.zero_grad()
        loss = criterion(net(image), mask)  #~ LOS105
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.1f}")
