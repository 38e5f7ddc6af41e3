"""NumPy data is permuted and split, but the targets are taken from the old order."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    features = rng.normal(size=(500, 8)).astype(np.float32)
    targets = features @ rng.normal(size=(8, 1)).astype(np.float32)
    perm = rng.permutation(len(features))
    features = features[perm]  #~ DAT102
    train_x, train_y = features[:400], targets[:400]
    data = TensorDataset(torch.from_numpy(train_x), torch.from_numpy(train_y))
    loader = DataLoader(data, batch_size=40, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
