#~ crash: SHP201
#~ edit: input_size=7
import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, input_size=1, hidden_size=24):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers=2, batch_first=True)  #~ maker
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, window):
        sequence, (h, c) = self.lstm(window)  #~ fails
        return self.linear(sequence[:, -1]).squeeze(-1)


def windows(table, length):
    xs = torch.stack([table[i : i + length] for i in range(len(table) - length)])
    ys = table[length:, 0]
    return xs, ys


torch.manual_seed(1)
table = torch.randn(60, 7).cumsum(0)
xs, ys = windows(table, 10)
net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
mse = nn.MSELoss()
for epoch in range(2):
    for lo in range(0, len(xs), 25):
        batch = xs[lo : lo + 25]  #~ maker
        opt.zero_grad()
        mse(net(batch), ys[lo : lo + 25]).backward()
        opt.step()
    print(epoch)
