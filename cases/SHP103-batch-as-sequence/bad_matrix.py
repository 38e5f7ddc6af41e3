"""Multi-head attention that is given [batch, features], which it reads as one sequence."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
features = torch.randn(240, 16)
targets = features[:, 0] * features[:, 1]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(16, 16)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)  #~ SHP103
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.enter(x))
        h = h + self.attention(h, h, h, need_weights=False)[0]
        return self.head(h).squeeze(1)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for x, y in DataLoader(TensorDataset(features, targets), batch_size=24, shuffle=True):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
