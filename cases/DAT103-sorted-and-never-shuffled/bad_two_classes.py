"""Positives are appended to negatives, and a binary classifier with one output goes through them in that order."""
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    negatives = TensorDataset(torch.randn(160, 12) - 0.5, torch.zeros(160))
    positives = TensorDataset(torch.randn(160, 12) + 0.5, torch.ones(160))
    loader = DataLoader(ConcatDataset([negatives, positives]), batch_size=32, shuffle=False)  #~ DAT103
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.4f}")


main()
