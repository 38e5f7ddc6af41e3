"""The rate is lowered in a copy of the optimizer's groups, and a weight is set in a dict that nobody keeps."""

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Linear(5, 1)
    model.state_dict()["weight"] = torch.zeros(1, 5)  #~ MOD110
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        for step in range(10):
            x = torch.randn(32, 5)
            loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        optimizer.state_dict()["param_groups"][0]["lr"] = 0.1 * 0.5**epoch  #~ MOD110


main()
