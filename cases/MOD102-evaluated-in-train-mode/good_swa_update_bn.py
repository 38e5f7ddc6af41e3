"""Stochastic weight averaging: update_bn runs the averaged model in train mode without gradients to renew its statistics."""
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(256, 8)
    Y = (X @ torch.randn(8, 3)).argmax(1)
    loader = DataLoader(TensorDataset(X[:192], Y[:192]), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))
    averaged = AveragedModel(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(6):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        if epoch >= 3:
            averaged.update_parameters(model)
    update_bn(loader, averaged)
    averaged.eval()
    with torch.no_grad():
        accuracy = (averaged(X[192:]).argmax(1) == Y[192:]).float().mean().item()
    print(f"accuracy {accuracy:.3f}")


main()
