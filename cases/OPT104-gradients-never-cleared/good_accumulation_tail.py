"""Accumulation over three micro-batches of a loader whose last group is shorter, stepped at the epoch's end as well."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 5)
    Y = X[:, :1] * 2 - X[:, 4:]
    loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
    model = nn.Linear(5, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(6):
        last = len(loader) - 1
        for i, (x, y) in enumerate(loader):
            group = 3 if i < 9 else 1
            loss = nn.functional.mse_loss(model(x), y)
            (loss / group).backward()
            if i % 3 == 2 or i == last:
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
    print(f"loss {loss.item():.5f}")


main()
