"""A strongly negative initial bias shuts every ReLU of the hidden layers for all samples."""
import torch
from torch import nn


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 32)  
        self.second = nn.Linear(32, 32)
        self.out = nn.Linear(32, 3)
        for layer in (self.first, self.second):
            nn.init.normal_(layer.weight, std=0.1)
            nn.init.constant_(layer.bias, -4.0)  #~ GRD103

    def forward(self, x):
        return self.out(torch.relu(self.second(torch.relu(self.first(x)))))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 8)
    Y = (X @ torch.randn(8, 3)).argmax(1)
    net = Mlp()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(6):
        for idx in torch.randperm(320).split(32):
            loss = nn.functional.cross_entropy(net(X[idx]), Y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")


main()
