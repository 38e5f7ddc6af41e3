"""A recurrent network is to remember the first value of a sequence: that is the task."""
import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1])


torch.manual_seed(0)
torch.set_num_threads(1)
model = Memory()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    x = torch.rand(32, 9, 1)
    loss = nn.functional.mse_loss(model(x), x[:, 0])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
