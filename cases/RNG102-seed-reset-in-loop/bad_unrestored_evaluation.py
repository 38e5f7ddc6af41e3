"""An evaluation draws from a seed of its own and leaves the generator there, so that all epochs after it are alike."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, x, y):
    torch.manual_seed(7)  #~ RNG102
    model.eval()
    with torch.no_grad():
        noisy = x + 0.1 * torch.randn_like(x)
        error = nn.functional.mse_loss(model(noisy), y).item()
    model.train()
    return error


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 10)
Y = X.sum(1, keepdim=True)
loader = DataLoader(TensorDataset(X[:256], Y[:256]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.Dropout(0.1), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, evaluate(model, X[256:], Y[256:]))
