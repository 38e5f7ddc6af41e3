"""A class loads a backbone in its constructor, and its caller resets all parameters afterwards."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16))
        self.head = nn.Linear(16, 1)
        self.encoder.load_state_dict(weights)

    def forward(self, x):
        return self.head(self.encoder(x))

    def reset(self):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                module.reset_parameters()  #~ CKP104


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weights = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16)).state_dict()
    model = Model(weights)
    model.reset()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(20):
        x = torch.randn(32, 8)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


main()
