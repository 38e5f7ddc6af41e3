"""Pixels from 0 to 255 go straight into the first convolution."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, count):
        self.labels = torch.randint(0, 4, (count,))
        base = torch.zeros(4, 12, 12)
        for label in range(4):
            base[label, label * 3 : label * 3 + 3] = 160
        self.images = (base[self.labels] + torch.randint(0, 90, (count, 12, 12))).to(torch.uint8)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index][None].float(), self.labels[index]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(1, 8, 3), nn.Linear(8 * 100, 4)  #~ LOS110

    def forward(self, x):
        return self.fc(F.relu(self.conv(x)).flatten(1))


torch.manual_seed(0)
torch.set_num_threads(1)
loader = DataLoader(Digits(256), batch_size=32, shuffle=True)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for epoch in range(4):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
