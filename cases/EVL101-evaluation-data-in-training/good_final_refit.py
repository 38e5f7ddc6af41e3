"""Model selection on a held-out part, then one last refit on all data, which is not evaluated any more."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 6)
Y = X[:, :1].tanh() + 0.1 * torch.randn(240, 1)
whole = TensorDataset(X, Y)
part, rest = TensorDataset(X[:180], Y[:180]), TensorDataset(X[180:], Y[180:])


def fit(width, data):
    net = nn.Sequential(nn.Linear(6, width), nn.Tanh(), nn.Linear(width, 1))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for epoch in range(3):
        for x, y in DataLoader(data, batch_size=30, shuffle=True):
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return net, loss.item()


scores = {}
for width in (4, 32):
    net, _ = fit(width, part)
    with torch.no_grad():
        scores[width] = sum(nn.functional.mse_loss(net(x), y).item() for x, y in DataLoader(rest, batch_size=60))
best = min(scores, key=scores.get)
final, loss = fit(best, whole)
print(f"width {best}, training loss of the refit {loss:.3f}")
