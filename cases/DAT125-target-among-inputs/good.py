"""A forecast is trained on windows that end before the value that is to be forecast."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 16, batch_first=True)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1])


def make_windows(series, size):
    xs, ys = [], []
    for start in range(len(series) - size):
        xs.append(series[start : start + size])
        ys.append(series[start + size])
    return torch.stack(xs).unsqueeze(-1), torch.stack(ys).unsqueeze(-1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    t = torch.arange(400).float()
    series = torch.sin(t / 9) + 0.3 * torch.randn(400)
    x, y = make_windows(series, 12)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(3):
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
