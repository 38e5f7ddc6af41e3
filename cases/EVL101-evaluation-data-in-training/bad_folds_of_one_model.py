"""Four folds whose model is made once, before the loop over them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(160, 6)
data = TensorDataset(x, x[:, :1] * 2 + 0.1 * torch.randn(160, 1))
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
parts = torch.randperm(160).chunk(4)
for fold in range(4):
    rest = torch.cat([part for number, part in enumerate(parts) if number != fold])
    train = DataLoader(Subset(data, rest.tolist()), batch_size=20, shuffle=True)
    held = DataLoader(Subset(data, parts[fold].tolist()), batch_size=40)  #~ EVL101
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        for a, b in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    with torch.no_grad():
        print(fold, sum(nn.functional.mse_loss(model(a), b).item() for a, b in held) / len(held))
