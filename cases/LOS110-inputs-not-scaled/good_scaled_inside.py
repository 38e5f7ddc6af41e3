"""Raw pixels and raw table columns that the model itself makes right, by a division or a batch normalisation."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 6, 3), nn.BatchNorm1d(3)
        self.fc, self.table = nn.Linear(6 * 64, 2), nn.Linear(3, 2)

    def forward(self, image, row):
        return self.fc(F.relu(self.conv(image / 255)).flatten(1)) + self.table(self.norm(row))


torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randint(0, 256, (240, 1, 10, 10)).float()
rows = torch.rand(240, 3) * torch.tensor([80.0, 90_000.0, 1.0])
labels = (rows[:, 1] > 45_000).long()
model = Both()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    for x, r, y in DataLoader(TensorDataset(images, rows, labels), batch_size=24, shuffle=True):
        loss = F.cross_entropy(model(x, r), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
