"""A sweep over rates: each run starts from the same seed, so that only the rate differs."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(rate):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
    loader = DataLoader(data, batch_size=32, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    return loss.item()


torch.manual_seed(1)
torch.set_num_threads(1)
X = torch.randn(256, 10)
data = TensorDataset(X, (X[:, 0] + X[:, 1] > 0).long())
print([run(rate) for rate in (0.01, 0.03, 0.1, 0.3)])
