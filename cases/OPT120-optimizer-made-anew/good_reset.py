"""One epoch for each of several seeds; the layers fill themselves anew."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def train_one_epoch(model, loader):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


inputs = torch.randn(256, 10)
loader = DataLoader(TensorDataset(inputs, (inputs[:, :3].sum(1) > 0).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
for seed in range(5):
    torch.manual_seed(seed)
    for module in model:
        if isinstance(module, nn.Linear):
            module.reset_parameters()
    print(f"seed {seed}: loss {train_one_epoch(model, loader):.3f}")
