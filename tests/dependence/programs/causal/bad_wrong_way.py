"""The window of a convolution over time reaches one step into the future."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
start = torch.randint(0, 40, (256, 1))
text = (start + torch.arange(17) * torch.randint(1, 4, (256, 1))) % 40
loader = DataLoader(TensorDataset(text[:, :-1], text[:, 1:]), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(40, width)
        self.conv = nn.Conv1d(width, width, 3, padding=1)  #~ guilty
        self.head = nn.Linear(width, 40)

    def forward(self, x):
        x = self.embed(x)
        return self.head(x + self.conv(x.transpose(1, 2)).relu().transpose(1, 2))  #~ guilty


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
