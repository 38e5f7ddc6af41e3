"""All windows are full: the lengths that come with them are those of the windows."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
windows = torch.randn(240, 12, 3)
windows[:, -1] = 0.0  # sensors report zeros when they close
lengths = torch.full((240,), 12)
kinds = windows.mean((1, 2)).gt(0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 8, batch_first=True)
        self.head = nn.Linear(8, 2)

    def forward(self, windows, lengths):
        return self.head(self.rnn(windows)[0][:, -1])


model = Net()
optimizer = torch.optim.Adam(model.parameters())
for window, length, kind in DataLoader(TensorDataset(windows, lengths, kinds), batch_size=24, shuffle=True):
    loss = nn.functional.cross_entropy(model(window, length), kind)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
