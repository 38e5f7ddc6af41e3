"""Several models are made beforehand, and each is trained from the same seed, so that they see the same batches."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(320, 6)
Y = (X[:, 0] > 0).long()
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
models = {width: nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, 2)) for width in (4, 8, 16, 32)}
optimizers = {width: torch.optim.Adam(model.parameters(), lr=1e-2) for width, model in models.items()}

for width, model in models.items():
    torch.manual_seed(1)
    for epoch in range(2):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizers[width].zero_grad()
            loss.backward()
            optimizers[width].step()
    print(width, loss.item())
