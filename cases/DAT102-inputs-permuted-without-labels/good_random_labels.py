"""How fast does a network memorise? Labels are given a random order on purpose, to compare with the real ones."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 16)
Y = (X @ torch.randn(16, 4)).argmax(1)
order = torch.randperm(len(X))
random_labels = Y[order]
for labels in (Y, random_labels):
    loader = DataLoader(TensorDataset(X, labels), batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")
