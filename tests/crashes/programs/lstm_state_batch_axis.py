#~ crash: SHP201
#~ edit: batch_first=True
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.width = width
        self.lstm = nn.LSTM(3, width)  #~ maker
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        h0 = torch.zeros(1, x.size(0), self.width)  #~ maker
        c0 = torch.zeros(1, x.size(0), self.width)
        out, _ = self.lstm(x, (h0, c0))  #~ fails
        return self.head(out[:, -1])


torch.manual_seed(0)
model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    series = torch.randn(16, 30, 3)
    target = series[:, :, 0].mean(1, keepdim=True)
    loss = nn.functional.mse_loss(model(series), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("done")
