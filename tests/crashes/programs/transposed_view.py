#~ crash: SHP201
#~ edit: reshape
#~ edit: contiguous()
import torch
from torch import nn


class Series(nn.Module):
    def __init__(self, channels=6, length=24, hidden=32):
        super().__init__()
        self.conv = nn.Conv1d(channels, hidden, 5, padding=2)
        self.out = nn.Linear(hidden * length, 1)

    def forward(self, series):
        h = torch.relu(self.conv(series))
        h = h.transpose(1, 2)  #~ maker
        h = h.view(h.size(0), -1)  #~ fails
        return self.out(h).squeeze(-1)


torch.manual_seed(5)
model = Series()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
x, y = torch.randn(32, 6, 24), torch.randn(32)
for epoch in range(3):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
print("finished")
