"""The model is deep-copied after the optimizer was built, so the optimizer steps the original that nobody uses."""
import copy
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(256, 8)
    Y = (X @ torch.randn(8, 3)).argmax(1)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  #~ OPT102
    model = copy.deepcopy(model)  #~? OPT102
    for epoch in range(5):
        for idx in torch.randperm(256).split(32):
            loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
            model.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
